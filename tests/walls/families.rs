//! Families of walls on the lattice: contacts are the exact local minima of the distance, feature
//! by feature, and the same bits for any order and numbering of the facets.
//!
//! `OSCULATE_CASES` spheres for each family; 300 by default.

use crate::support::all_contacts;
use crate::support::convex::vector;
use crate::support::families::{Facets, SCALE, families, mesh, place, place_and_minima};
use crate::support::wall::{all_minima, contacts_by};
use osculate::glam::DVec3;
use osculate::reference::sequential_double_hierarchy;
use osculate::testing::oracle;
use osculate::testing::properties::{self, MapContact};
use osculate::testing::workload::SplitMix64;
use osculate::{
    DoubleHierarchy, Feature, Sphere, SurfaceMesh, Wall, WallContact,
    narrow::{ContactSelection, WallSides},
    shape::Facet,
};

fn cases() -> usize {
    crate::support::cases(300)
}

#[test]
fn contacts_are_the_local_minima() {
    for family in families() {
        let wall = Wall::new(mesh(&family, |v| v));
        let mut kernel = all_minima();
        let mut random = SplitMix64::new(family.name.len() as u64);
        let mut touching = 0;
        let mut near_ties = 0;
        for case in 0..cases() {
            let (point, radius, minima, near) = place_and_minima(&mut random, &family);
            near_ties += near;
            let sphere = Sphere::new(oracle::to_vector(point, SCALE), radius);
            let found = all_contacts(&mut kernel, &sphere, &wall);
            assert_eq!(found, contacts_by(&mut all_minima(), &wall, &sphere));
            let is_inside = |&&(_, distance): &&(Feature, f64)| distance * SCALE < radius;
            let expected: Vec<Feature> = minima.iter().filter(is_inside).map(|m| m.0).collect();
            let mut features: Vec<Feature> = found.iter().map(|c| c.feature).collect();
            features.sort_unstable();
            assert_eq!(
                features, expected,
                "{} {case}: {point:?} {radius}",
                family.name
            );
            for contact in &found {
                let exact = minima.iter().find(|m| m.0 == contact.feature).unwrap();
                let error = (radius - exact.1 * SCALE - contact.overlap).abs();
                assert!(error < 1e-12, "{} {case}: {error:e}", family.name);
                assert!((contact.normal.length() - 1.0).abs() < 1e-15);
            }
            touching += usize::from(!found.is_empty());
        }
        assert!(touching * 4 > cases(), "{} {touching}", family.name);
        assert!(near_ties * 100 <= cases(), "{} {near_ties}", family.name);
        println!(
            "{}: {touching} touch, {near_ties} more near a tie",
            family.name
        );
    }
}

/// Cuts a convex polygon into convex ones, by lines from side to side that hit these at quarters:
/// exactly on the plane and the sides.
fn cut(random: &mut SplitMix64, polygon: Vec<DVec3>, depth: usize, pieces: &mut Vec<Vec<DVec3>>) {
    let count = polygon.len();
    if depth == 0 {
        pieces.push(polygon);
        return;
    }
    let first = random.below(count);
    let second = first + 1 + random.below(count - 1);
    let corner = |i: usize| polygon[i % count];
    let mut amid =
        |i: usize| corner(i) + (corner(i + 1) - corner(i)) * (0.25 * (1 + random.below(3)) as f64);
    let (p, q) = (amid(first), amid(second));
    let part = |from: usize, to: usize| (from + 1..=to).map(corner);
    let one = [p]
        .into_iter()
        .chain(part(first, second))
        .chain([q])
        .collect();
    let other = [q]
        .into_iter()
        .chain(part(second, first + count))
        .chain([p])
        .collect();
    cut(random, one, depth - 1, pieces);
    cut(random, other, depth - 1, pieces);
}

/// Each facet is cut into pieces independently. They share no vertices with others and have hanging
/// vertices on their neighbors' sides. The surface is the same, and so are the contact points.
#[test]
fn contacts_stay_when_facets_are_cut() {
    for family in families() {
        let own = mesh(&family, |v| v);
        let uncut = Wall::new(own.clone());
        let mut random = SplitMix64::new(6);
        let mut pieces = Vec::new();
        for facet in own.facets() {
            let depth = random.below(4);
            cut(&mut random, facet.corners().collect(), depth, &mut pieces);
        }
        let mut next = 0..;
        let ids: Facets = (pieces.iter())
            .map(|piece| next.by_ref().take(piece.len()).collect())
            .collect();
        let pieces = SurfaceMesh::new(pieces.concat(), ids).unwrap();
        let wall = Wall::new(pieces.with_precision(0.0).unwrap());
        let mut kernel = all_minima();
        for case in 0..cases() {
            let (point, radius, ..) = place_and_minima(&mut random, &family);
            let sphere = Sphere::new(oracle::to_vector(point, SCALE), radius);
            let expected = contacts_by(&mut all_minima(), &uncut, &sphere);
            let found = all_contacts(&mut kernel, &sphere, &wall);
            let place = (family.name, case, point, radius);
            assert_eq!(
                found.len(),
                expected.len(),
                "{place:?} {found:?} {expected:?}"
            );
            for contact in &found {
                let is_same = |c: &&WallContact| c.offset.distance(contact.offset) < 1e-12;
                assert_eq!(expected.iter().filter(is_same).count(), 1, "{place:?}");
            }
            if case % 10 == 0 {
                assert_eq!(found, contacts_by(&mut all_minima(), &wall, &sphere));
            }
        }
    }
}

/// The minima kept by each selection, by a second implementation; the same bits for any order and
/// numbering of the wall.
#[test]
fn selections_leave_a_part_of_the_minima() {
    // Each with the cosine at which it merges.
    let selections = [
        (ContactSelection::half_space(), None),
        (
            ContactSelection::merge_angle(0.3).unwrap(),
            Some(0.3_f64.cos()),
        ),
        (
            ContactSelection::merge_for_indentation(0.5).unwrap(),
            Some(0.5),
        ),
        (ContactSelection::nearest(), Some(-2.0)),
    ];
    let mut dropped = [0; 4];
    for family in families() {
        let own = mesh(&family, |v| v);
        let wall = Wall::new(own.clone());
        let mut random = SplitMix64::new(7);
        for seed in 0..cases() as u64 / 3 {
            let (point, radius) = place(&mut random, &family);
            let sphere = Sphere::new(oracle::to_vector(point, SCALE), radius);
            let minima = contacts_by(&mut all_minima(), &wall, &sphere);
            for ((selection, cosine), dropped) in selections.into_iter().zip(&mut dropped) {
                let mut kernel = DoubleHierarchy::new().with_selection(selection);
                let found = contacts_by(&mut kernel, &wall, &sphere);
                let mut expected: Vec<WallContact> = Vec::new();
                for minimum in &minima {
                    let (v, n) = (minimum.offset, minimum.normal);
                    // A contact at the center has no normal to compare.
                    let is_behind = |c: &WallContact| {
                        let same = cosine.unwrap_or(1.0 - 2.0_f64.powi(-11));
                        (c.offset != DVec3::ZERO || same < -1.0) && n.dot(c.normal) > same
                            || cosine.is_none() && (v - c.offset).dot(c.offset) >= 0.0
                    };
                    // On the tangent plane itself rounding decides.
                    let is_tie = |c: &WallContact| {
                        let plane = (v - c.offset).dot(c.offset);
                        cosine.is_none() && plane.abs() < 1e-12 && c != minimum
                    };
                    if expected.iter().any(is_tie) {
                        if found.contains(minimum) {
                            expected.push(*minimum);
                        }
                    } else if !expected.iter().any(is_behind) {
                        expected.push(*minimum);
                    }
                }
                assert_eq!(found, expected, "{} {selection:?}", family.name);
                assert_eq!(found.first(), minima.first());
                *dropped += minima.len() - found.len();
                // On the surface normals depend on the side that is the front.
                if seed % 10 == 0 && minima.iter().all(|c| c.offset != DVec3::ZERO) {
                    let place = |c: WallContact| (c.offset, c.overlap);
                    let kernel = &mut MapContact(kernel.clone(), place);
                    properties::wall::independent_of_facets(kernel, &sphere, &own, seed).unwrap();
                }
            }
        }
    }
    assert!(dropped.iter().all(|&count| count > 0), "{dropped:?}");
}

/// Returns whether a facet has a feature, by the positions of its vertices.
fn has_feature(mesh: &SurfaceMesh, facet: &Facet<'_>, feature: Feature) -> bool {
    let at = |vertex: u32| mesh.vertices()[vertex as usize];
    let corners: Vec<DVec3> = facet.corners().collect();
    let mut sides = corners.iter().zip(corners.iter().cycle().skip(1));
    match feature {
        Feature::Facet(index) => facet.index() == index,
        Feature::Edge(a, b) => {
            sides.any(|(&from, &to)| [from, to] == [at(a), at(b)] || [to, from] == [at(a), at(b)])
        }
        Feature::Vertex(vertex) => corners.contains(&at(vertex)),
    }
}

/// With the front only: dropped contacts have the center behind all facets at the point, the others
/// have it in front of one.
#[test]
fn fronts_only() {
    let mut left_out = 0;
    for family in families() {
        let own = mesh(&family, |v| v);
        let wall = Wall::new(own.clone());
        let mut random = SplitMix64::new(8);
        for _ in 0..cases() / 3 {
            let (point, radius) = place(&mut random, &family);
            let sphere = Sphere::new(oracle::to_vector(point, SCALE), radius);
            let mut kernel = all_minima().with_sides(WallSides::Front);
            let found = contacts_by(&mut kernel, &wall, &sphere);
            let is_in_front = |c: &WallContact| {
                let mut facets = own
                    .facets()
                    .filter(|facet| has_feature(&own, facet, c.feature));
                facets.any(|facet| facet.normal().dot(c.offset) <= 0.0)
            };
            let (front, back): (Vec<_>, Vec<_>) = contacts_by(&mut all_minima(), &wall, &sphere)
                .into_iter()
                .partition(is_in_front);
            assert_eq!(found, front, "{}", family.name);
            left_out += back.len();
        }
    }
    assert!(left_out > 0);
}

/// Any order and numbering of the facets, also in a pose in which nothing is exact.
#[test]
fn bits_depend_on_the_surface_only() {
    for family in families() {
        let own = mesh(&family, |v| v);
        let mut random = SplitMix64::new(3);
        for seed in 0..cases() as u64 / 10 {
            let (point, radius) = place(&mut random, &family);
            let sphere = Sphere::new(oracle::to_vector(point, SCALE), radius);
            let place = |c: WallContact| {
                let normal = if c.offset == DVec3::ZERO {
                    c.normal.abs()
                } else {
                    c.normal
                };
                (c.offset, normal + DVec3::ZERO, c.overlap)
            };
            let kernel = &mut MapContact(all_minima(), place);
            properties::wall::independent_of_facets(kernel, &sphere, &own, seed).unwrap();
            // In a pose in which nothing is exact.
            let rotation = random.rotation();
            let turned = mesh(&family, |v| rotation * v);
            let sphere_there = Sphere::new(rotation * sphere.center, radius);
            properties::wall::independent_of_facets(kernel, &sphere_there, &turned, seed).unwrap();
        }
    }
}

/// The paper's method on the families: it has a wrong number of contacts in a part of the cases,
/// and ours in none. (Its exact zeros decide ties by rounding; ties are excluded here.)
#[test]
fn the_sequential_method_fails_on_curved_walls() {
    for (name, least) in [("cylinder", 0.1), ("dish", 0.05)] {
        let families = families();
        let family = families.iter().find(|f| f.name == name).unwrap();
        let own = mesh(family, |v| v);
        let wall = Wall::new(own.clone());
        let all: Vec<u32> = (0..own.facet_count()).collect();
        let mut random = SplitMix64::new(5);
        let (mut touching, mut wrong) = (0_u32, 0_u32);
        for _ in 0..1000 {
            let vertex = family.vertices[random.below(family.vertices.len())];
            let jitter = vector(&mut random);
            let radius = random.range(0.5, 1.5);
            let sphere = Sphere::new(oracle::to_vector(vertex, SCALE) + jitter * radius, radius);
            let right = contacts_by(&mut all_minima(), &wall, &sphere).len();
            touching += u32::from(right > 0);
            let mut found = Vec::new();
            sequential_double_hierarchy(&own, &all, &sphere, &mut found).unwrap();
            wrong += u32::from(found.len() != right);
        }
        let part = f64::from(wrong) / f64::from(touching);
        assert!(part > least, "{name}: {wrong} of {touching}");
        println!("{name}: {wrong} of {touching} wrong");
    }
}
