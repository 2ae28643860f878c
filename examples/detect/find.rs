//! All contacts of spheres with each other and with a wall: by search, and by brute force.

use std::time::{Duration, Instant};

use osculate::glam::DVec3;
use osculate::{
    BroadPhase, BruteForce, DoubleHierarchy, Error, Feature, LinkedCells, NarrowPhase, Sphere,
    SphereSphere, SurfaceMesh, Wall, narrow::FacetSubset,
};

/// The partner of a sphere in a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Sphere,
    Facet,
    Edge,
    Vertex,
}

/// A contact of sphere `a`, with sphere `b` or on facet `b` of the wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Touch {
    pub kind: Kind,
    pub a: u32,
    pub b: u32,
    pub point: DVec3,
    pub normal: DVec3,
    pub overlap: f64,
}

/// The contacts, sphere-sphere first, each kind in ascending order of `a`; and their cost.
#[derive(Default)]
pub(crate) struct Found {
    pub touches: Vec<Touch>,
    pub pair_candidates: usize,
    pub wall_candidates: usize,
    pub build: Duration,
    pub search: Duration,
    pub narrow: Duration,
}

/// Finds all contacts as a simulation does.
pub(crate) fn by_search(spheres: &[Sphere<DVec3>], wall: &SurfaceMesh) -> Result<Found, Error> {
    let start = Instant::now();
    let mut cells = LinkedCells::new();
    cells.rebuild(spheres)?;
    let wall = Wall::new(wall.clone());
    let build = start.elapsed();

    let start = Instant::now();
    let mut pairs = Vec::new();
    cells.collect_pairs(&mut pairs);
    pairs.sort_unstable();
    // Spheres near the wall; the facets near sphere k are near[ends[k - 1]..ends[k]].
    let (mut near, mut ends, mut buffer) = (Vec::new(), Vec::new(), Vec::new());
    wall.for_each_body_near(cells.spheres(), 0.0, &mut buffer, |i, facets| {
        near.extend_from_slice(facets);
        ends.push((i, near.len()));
    });
    let search = start.elapsed();

    let start = Instant::now();
    let mut touches = between(spheres, &pairs);
    let mut kernel = DoubleHierarchy::new();
    let mut first = 0;
    for (i, end) in ends {
        let near = FacetSubset::new(&wall, &near[first..end])?;
        on_wall(&mut kernel, spheres, i, &near, &mut touches);
        first = end;
    }
    Ok(Found {
        touches,
        pair_candidates: pairs.len(),
        wall_candidates: near.len(),
        build,
        search,
        narrow: start.elapsed(),
    })
}

/// Finds all contacts by brute force: every sphere against every other one and every facet.
pub(crate) fn by_brute_force(
    spheres: &[Sphere<DVec3>],
    wall: &SurfaceMesh,
) -> Result<Vec<Touch>, Error> {
    let mut pairs = Vec::new();
    let mut brute_force = BruteForce::new();
    brute_force.rebuild(spheres)?;
    brute_force.collect_pairs(&mut pairs);
    let mut touches = between(spheres, &pairs);
    let all: Vec<u32> = (0..wall.facet_count()).collect();
    let wall = Wall::new(wall.clone());
    let near = FacetSubset::new(&wall, &all)?;
    let mut kernel = DoubleHierarchy::new();
    for i in 0..spheres.len() {
        on_wall(&mut kernel, spheres, i, &near, &mut touches);
    }
    Ok(touches)
}

fn between(spheres: &[Sphere<DVec3>], pairs: &[[u32; 2]]) -> Vec<Touch> {
    let mut touches = Vec::new();
    for &[a, b] in pairs {
        let (first, second) = (&spheres[a as usize], &spheres[b as usize]);
        SphereSphere::new().for_each_contact(first, second, &mut (), |contact| {
            touches.push(Touch {
                kind: Kind::Sphere,
                a,
                b,
                point: contact.point,
                normal: contact.normal,
                overlap: contact.overlap,
            });
        });
    }
    touches
}

fn on_wall(
    kernel: &mut DoubleHierarchy,
    spheres: &[Sphere<DVec3>],
    i: usize,
    near: &FacetSubset,
    touches: &mut Vec<Touch>,
) {
    kernel.for_each_contact(&spheres[i], near, &mut Default::default(), |contact| {
        touches.push(Touch {
            kind: match contact.feature {
                Feature::Facet(_) => Kind::Facet,
                Feature::Edge(..) => Kind::Edge,
                Feature::Vertex(_) => Kind::Vertex,
            },
            a: i as u32,
            b: contact.facet,
            point: contact.point,
            normal: contact.normal,
            overlap: contact.overlap,
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_and_brute_force_agree_on_every_kind() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let facets = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let wall = SurfaceMesh::new(corners.to_vec(), facets).unwrap();
        // A lattice around and through the tetrahedron, with radii 0.2 to 0.3.
        let place = |i: u32| {
            let [x, y, z] = [i % 7, i / 7 % 7, i / 49].map(|i| 0.3 * f64::from(i) - 0.35);
            Sphere::new(DVec3::new(x, y, z), 0.2 + 0.01 * f64::from(i % 11))
        };
        let spheres: Vec<_> = (0..343).map(place).collect();
        let found = by_search(&spheres, &wall).unwrap();
        assert_eq!(found.touches, by_brute_force(&spheres, &wall).unwrap());
        for kind in [Kind::Sphere, Kind::Facet, Kind::Edge, Kind::Vertex] {
            let count = found.touches.iter().filter(|t| t.kind == kind).count();
            assert!(count >= 4, "{kind:?} {count}");
        }
    }
}
