//! The wall and the spheres, from what the files hold; what the crate refuses, with its line.

use std::fmt::Display;
use std::path::Path;

use osculate::glam::DVec3;
use osculate::{Error, Sphere, SurfaceMesh};

use crate::read::{RawMesh, RawSpheres};

/// The wall, with bent polygons cut into triangles, and how many those are.
pub(crate) fn wall(raw: &RawMesh, path: &Path) -> Result<(SurfaceMesh, usize), String> {
    let at = |line: usize, what: &dyn Display| {
        let unit = if raw.is_binary { " triangle " } else { "" };
        format!("{}:{unit}{line}: {what}", path.display())
    };
    let vertices: Vec<DVec3> = raw.vertices.iter().map(|&v| v.into()).collect();
    for (index, (&vertex, &line)) in vertices.iter().zip(&raw.vertex_lines).enumerate() {
        let checked = Sphere::new(vertex, 0.0).check(index);
        checked.map_err(|error| at(line, &error))?;
    }
    // Corners of their own for each facet, because one in an OBJ may name a vertex twice: welding
    // joins them again.
    let (mut corners, mut facets, mut lines) = (Vec::new(), Vec::<Vec<u32>>::new(), Vec::new());
    let mut add = |facet: &[DVec3], line: usize| {
        let first = corners.len() as u32;
        corners.extend_from_slice(facet);
        facets.push((first..corners.len() as u32).collect());
        lines.push(line);
    };
    let mut split_count = 0;
    for (ids, &line) in raw.facets.iter().zip(&raw.facet_lines) {
        let facet: Vec<DVec3> = ids.iter().map(|&id| vertices[id as usize]).collect();
        if is_bent(&facet).map_err(|what| at(line, &what))? {
            split_count += 1;
            for side in facet[1..].windows(2) {
                add(&[facet[0], side[0], side[1]], line);
            }
        } else {
            add(&facet, line);
        }
    }
    let wall = SurfaceMesh::welded(&corners, &facets).map_err(|error| match error {
        Error::SideTooShort { facet, .. }
        | Error::NotPlanar { facet, .. }
        | Error::FacetNotConvex { facet, .. } => at(lines[facet], &error),
        _ => format!("{}: {error}", path.display()),
    })?;
    Ok((wall, split_count))
}

/// Whether a polygon is convex but for being bent, so that a fan of triangles can stand for it.
/// What is wrong with one that is not convex.
fn is_bent(corners: &[DVec3]) -> Result<bool, String> {
    if corners.len() == 3 {
        return Ok(false);
    }
    let fault = |corners: Vec<DVec3>| {
        let ids: Vec<u32> = (0..corners.len() as u32).collect();
        SurfaceMesh::new(corners, [ids]).err()
    };
    let mut error = fault(corners.to_vec());
    let is_bent = matches!(error, Some(Error::NotPlanar { .. }));
    if is_bent {
        error = fault(flattened(corners));
    }
    if let Some(Error::FacetNotConvex { vertex, .. }) = error {
        let number = vertex + 1;
        return Err(format!(
            "not convex at corner {number}; such a polygon has to be cut into triangles"
        ));
    }
    Ok(is_bent)
}

/// The corners, moved into the plane of the polygon's mean normal.
fn flattened(corners: &[DVec3]) -> Vec<DVec3> {
    let first = corners[0];
    let sides = corners.windows(2);
    let area: DVec3 = sides.map(|s| (s[0] - first).cross(s[1] - first)).sum();
    let normal = area.normalize_or_zero();
    let flat = |&corner: &DVec3| corner - normal * normal.dot(corner - first);
    corners.iter().map(flat).collect()
}

/// The spheres, checked.
pub(crate) fn spheres(raw: &RawSpheres, path: &Path) -> Result<Vec<Sphere<DVec3>>, String> {
    let mut spheres = Vec::with_capacity(raw.spheres.len());
    for (index, (&[x, y, z, r], line)) in raw.spheres.iter().zip(&raw.lines).enumerate() {
        let sphere = Sphere::new(DVec3::new(x, y, z), r);
        let at_line = |error| format!("{}:{line}: {error}", path.display());
        sphere.check(index).map_err(at_line)?;
        spheres.push(sphere);
    }
    Ok(spheres)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wall of one facet, in line 7.
    fn one_facet(vertices: &[[f64; 3]], ids: &[u32]) -> Result<(SurfaceMesh, usize), String> {
        let raw = RawMesh {
            vertices: vertices.to_vec(),
            facets: vec![ids.to_vec()],
            vertex_lines: (1..=vertices.len()).collect(),
            facet_lines: vec![7],
            is_binary: false,
        };
        wall(&raw, Path::new("a.obj"))
    }

    /// A square, or what becomes of it if its third corner is moved.
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
    fn polygons_that_are_not_convex_are_refused_bent_or_not() {
        for z in [0.0, 0.1] {
            for first in 0..4 {
                let ids = [0, 1, 2, 3].map(|i| (first + i) % 4);
                let error = one_facet(&quad(0.25, z), &ids).unwrap_err();
                let corner = (2 + 4 - first) % 4 + 1;
                let start = format!("a.obj:7: not convex at corner {corner}; ");
                assert!(error.starts_with(&start), "{error}");
            }
        }
    }

    #[test]
    fn facet_that_names_a_vertex_twice_is_what_is_left_of_it() {
        let (wall, _) = one_facet(&quad(1.0, 0.0), &[0, 1, 1, 2]).unwrap();
        assert_eq!((wall.facet_count(), wall.edges().len()), (1, 3));
    }

    #[test]
    fn what_the_crate_refuses_has_its_line() {
        let far = one_facet(&quad(1e60, 0.0), &[0, 1, 3]).unwrap_err();
        assert!(far.starts_with("a.obj:3: "), "{far}");
        let narrow = [[0.0; 3], [1e-50, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let narrow = one_facet(&narrow, &[0, 1, 2]).unwrap_err();
        assert!(narrow.starts_with("a.obj:7: "), "{narrow}");
        let raw = RawSpheres {
            spheres: vec![[0.0; 4], [0.0, 0.0, 0.0, 1e60]],
            lines: vec![2, 4],
        };
        let error = spheres(&raw, Path::new("a.csv")).unwrap_err();
        assert!(error.starts_with("a.csv:4: "), "{error}");
    }
}
