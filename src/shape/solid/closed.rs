//! Checks that a surface encloses a volume.

use glam::DVec3;

use crate::error::{Cause, Error, Result};
use crate::math::{cross_of_differences, two_sum};
use crate::shape::{SurfaceMesh, UnionFind};

/// Returns the volume inside a surface of any facets, and its shells as sets of facets.
///
/// Refuses a surface that is not closed, manifold and consistently oriented, or that is inside out.
pub(in crate::shape) fn checked_shells(surface: &SurfaceMesh) -> Result<(f64, UnionFind)> {
    let mut shells = connected(surface, false)?;
    let volume = checked_volume(surface, &mut shells)?;
    Ok((volume, shells))
}

/// Returns six times the signed volume of the tetrahedron of a point and a triangle, positive if
/// the triangle faces away from the point.
///
/// Accurate for slender solids too, where plain products cancel.
pub(in crate::shape) fn six_volumes(point: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    cross_of_differences([a, b], [a, c]).dot(a - point)
}

/// Returns the sets of facets that edges connect. Refuses surfaces that are not manifold or consistently oriented and,
/// unless the surface `may_be_open`, edges of one facet.
pub(super) fn connected(surface: &SurfaceMesh, may_be_open: bool) -> Result<UnionFind> {
    let (facets, edges) = surface.topology();
    if facets.count() == 0 {
        return Err(Error(Cause::NoFacets));
    }
    if let Some(&vertex) = surface.unused_vertices().first() {
        let vertex = vertex as usize;
        return Err(Error(Cause::UnusedVertex { vertex }));
    }
    let mut shells = UnionFind::new(facets.count());
    for (edge, sides) in edges.iter() {
        match *sides {
            [a, b] => {
                let facets_here = [a, b].map(|side| facets.facet_of(side));
                if facets.corner(a) == facets.corner(b) {
                    return Err(Error(Cause::Orientation {
                        edge,
                        facets: facets_here,
                    }));
                }
                shells.join(facets_here[0], facets_here[1]);
            }
            [_] if may_be_open => {}
            [side] => {
                return Err(open_edge(surface, edge, facets.facet_of(side)));
            }
            _ => {
                let facet_count = sides.len();
                return Err(Error(Cause::NonManifoldEdge { edge, facet_count }));
            }
        }
    }
    match surface.non_manifold_vertices().first() {
        Some(&vertex) => Err(Error(Cause::NonManifoldVertex { vertex })),
        None => Ok(shells),
    }
}

/// Returns the error of an open edge: it says whether another vertex is within the precision of an end.
fn open_edge(surface: &SurfaceMesh, edge: [u32; 2], facet: u32) -> Error {
    let positions = surface.vertices();
    let coincides = |(id, position): (u32, &DVec3)| {
        !edge.contains(&id)
            && (edge.iter())
                .any(|&end| position.distance(positions[end as usize]) <= surface.precision())
    };
    if (0..).zip(positions).any(coincides) {
        Error(Cause::NotWelded { edge, facet })
    } else {
        Error(Cause::OpenEdge { edge, facet })
    }
}

/// Returns the volume inside closed shells. Refuses solids without volume.
fn checked_volume(surface: &SurfaceMesh, shells: &mut UnionFind) -> Result<f64> {
    let (facets, _) = surface.topology();
    // Stored at the lowest facet of each shell: six times the volume, and the rounding errors of this sum.
    let mut sums = vec![(0.0, 0.0); facets.count()];
    let position = |id: u32| surface.vertices()[id as usize];
    for (facet, ids) in facets.iter().enumerate() {
        let shell = shells.root(facet as u32) as usize;
        let origin = position(facets.get(shell)[0]);
        for pair in ids[1..].windows(2) {
            let part = six_volumes(origin, [ids[0], pair[0], pair[1]].map(position));
            let (sum, error) = two_sum(sums[shell].0, part);
            sums[shell] = (sum, sums[shell].1 + error);
        }
    }
    let volumes: Vec<f64> = sums.iter().map(|(sum, rest)| sum + rest).collect();
    let volume = volumes.iter().sum::<f64>() / 6.0;
    if volume <= 0.0 {
        let by_volume = |&f: &usize, &g: &usize| volumes[f].total_cmp(&volumes[g]);
        let facet = (0..facets.count()).min_by(by_volume).unwrap_or(0);
        return Err(Error(Cause::InsideOut { facet, volume }));
    }
    Ok(volume)
}
