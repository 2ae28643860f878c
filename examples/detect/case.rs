//! The wall in the form that the crate takes.

use std::path::Path;

use osculate::glam::DVec3;
use osculate::math::MIN_LENGTH;
use osculate::{ErrorKind, SurfaceMesh};

use crate::read::RawMesh;

/// The wall, and the number of its polygons that were triangulated because they are bent or not
/// convex.
pub(crate) fn wall(raw: &RawMesh, path: &Path) -> Result<(SurfaceMesh, usize), String> {
    let fault = |what: String| format!("{}:{what}", path.display());
    // Each facet gets its own corners, because an OBJ may name a vertex twice; welding joins them.
    let (mut corners, mut facets, mut sources) = (Vec::new(), Vec::<Vec<u32>>::new(), Vec::new());
    let mut add = |facet: &[DVec3], source: usize| {
        let first = corners.len() as u32;
        corners.extend_from_slice(facet);
        facets.push((first..corners.len() as u32).collect());
        sources.push(source);
    };
    let mut split_count = 0;
    for (source, facet) in raw.facets.iter().enumerate() {
        if is_planar_and_convex(facet) {
            add(facet, source);
            continue;
        }
        let Some(triangles) = fan(facet) else {
            return Err(fault(
                raw.fault(source, "no corner of the polygon sees all others"),
            ));
        };
        split_count += 1;
        for triangle in triangles {
            add(&triangle, source);
        }
    }
    let wall = SurfaceMesh::welded(&corners, &facets, 0.0).map_err(|error| {
        match (error.kind(), error.index()) {
            (ErrorKind::Facet, Some(facet)) => fault(raw.fault(sources[facet], error)),
            _ => format!("{}: {error}", path.display()),
        }
    })?;
    Ok((wall, split_count))
}

fn is_planar_and_convex(corners: &[DVec3]) -> bool {
    let ids: Vec<u32> = (0..corners.len() as u32).collect();
    let alone = SurfaceMesh::new(corners.to_vec(), [ids]);
    let next = corners.iter().cycle().skip(1);
    let mut lengths = corners.iter().zip(next).map(|(a, b)| a.distance(*b));
    // Edges too short for any facet are refused later, with the line.
    let is_short = lengths.any(|length| length > 0.0 && length < MIN_LENGTH);
    is_short || !alone.is_err_and(|error| error.kind() == ErrorKind::Facet)
}

/// Cuts a polygon into triangles around one of its corners, all of which face the same way. `None` if there is none.
fn fan(corners: &[DVec3]) -> Option<Vec<[DVec3; 3]>> {
    let count = corners.len();
    (0..count).find_map(|first| {
        let triangle = |i| [0, i, i + 1].map(|k| corners[(first + k) % count]);
        let triangles: Vec<_> = (1..count - 1).map(triangle).collect();
        let normal = |t: &[DVec3; 3]| (t[1] - t[0]).cross(t[2] - t[0]);
        let whole: DVec3 = triangles.iter().map(normal).sum();
        let is_front = |t| normal(t).dot(whole) >= 0.0;
        (whole != DVec3::ZERO && triangles.iter().all(is_front)).then_some(triangles)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wall of one facet, in line 7.
    fn one_facet(vertices: &[[f64; 3]], ids: &[usize]) -> Result<(SurfaceMesh, usize), String> {
        let raw = RawMesh {
            facets: vec![ids.iter().map(|&id| vertices[id].into()).collect()],
            lines: vec![7],
        };
        wall(&raw, Path::new("a.obj"))
    }

    /// A square whose third corner is moved.
    fn quad(x: f64, z: f64) -> [[f64; 3]; 4] {
        [[0.0; 3], [1.0, 0.0, 0.0], [x, x, z], [0.0, 1.0, 0.0]]
    }

    #[test]
    fn bent_polygons_are_split_and_flat_ones_kept() {
        for (z, facet_count, split_count) in [(0.0, 1, 0), (0.1, 2, 1), (-3.0, 2, 1)] {
            let (wall, split) = one_facet(&quad(1.0, z), &[0, 1, 2, 3]).unwrap();
            assert_eq!((wall.facet_count(), split), (facet_count, split_count));
            assert_eq!(wall.vertices().len(), 4);
        }
    }

    #[test]
    fn polygons_that_are_not_convex_are_cut() {
        for z in [0.0, 0.1] {
            for first in 0..4 {
                for reverse in [false, true] {
                    let mut ids = [0, 1, 2, 3].map(|i| (first + i) % 4);
                    if reverse {
                        ids.reverse();
                    }
                    let (wall, split_count) = one_facet(&quad(0.25, z), &ids).unwrap();
                    assert_eq!((wall.facet_count(), split_count), (2, 1));
                    // Both triangles contain the reflex corner.
                    let [a, b] = [0, 1].map(|f| wall.facet(f).unwrap());
                    assert!(
                        a.corners()
                            .chain(b.corners())
                            .filter(|c| c.x == 0.25)
                            .count()
                            == 2
                    );
                }
            }
        }
        let crossing = [[0.0; 3], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let error = one_facet(&crossing, &[0, 1, 2, 3]).unwrap_err();
        assert_eq!(error, "a.obj:7: no corner of the polygon sees all others");
    }

    #[test]
    fn facet_that_names_a_vertex_twice_is_what_is_left_of_it() {
        let (wall, _) = one_facet(&quad(1.0, 0.0), &[0, 1, 1, 2]).unwrap();
        assert_eq!((wall.facet_count(), wall.edges().len()), (1, 3));
    }

    #[test]
    fn what_the_crate_refuses_has_its_line() {
        let narrow = [[0.0; 3], [1e-50, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let narrow = one_facet(&narrow, &[0, 1, 2]).unwrap_err();
        assert!(narrow.starts_with("a.obj:7: "), "{narrow}");
    }
}
