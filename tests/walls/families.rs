//! Families of walls on the lattice: contacts are the exact local minima of the distance, feature
//! by feature, and the same bits for any order and numbering of the facets.
//!
//! `OSCULATE_CASES` spheres for each family; 300 by default.

use std::fmt::Debug;

use super::degenerate::soup_of;
use crate::support::all_contacts;
use crate::support::convex::vector;
use crate::support::families::{Family, SCALE, families, mesh, place, place_and_minima};
use crate::support::wall::{all_minima, contacts_by};
use osculate::glam::DVec3;
use osculate::reference::sequential_double_hierarchy;
use osculate::testing::oracle;
use osculate::testing::properties::{self, MapContact};
use osculate::testing::workload::{SplitMix64, rewritten};
use osculate::{
    DoubleHierarchy, Feature, Sphere, SurfaceMesh, Vector, Wall, WallContact,
    narrow::{ContactSelection, WallSides},
    shape::Facet,
};

fn cases() -> usize {
    crate::support::cases(300)
}

/// Contacts are the minima inside the sphere, which are sorted by feature.
pub(super) fn assert_minima<V: Vector>(
    found: &[WallContact<V>],
    minima: &[(Feature, f64)],
    radius: f64,
    case: &impl Debug,
) {
    let mut found = found.to_vec();
    found.sort_unstable_by_key(|contact| contact.feature);
    let inside: Vec<_> = minima.iter().filter(|minimum| minimum.1 < radius).collect();
    assert_eq!(found.len(), inside.len(), "{case:?} {found:?}");
    for (contact, &(feature, distance)) in found.iter().zip(inside) {
        assert_eq!(contact.feature, feature, "{case:?}");
        let error = (radius - distance - contact.overlap).abs();
        assert!(error < 1e-12, "{case:?}: {error:e}");
        assert!((contact.normal.length() - 1.0).abs() < 1e-15);
    }
}

/// The contacts have the same points, in any order.
pub(super) fn assert_same_points<V: Vector>(
    found: &[WallContact<V>],
    expected: &[WallContact<V>],
    case: &impl Debug,
) {
    assert_eq!(found.len(), expected.len(), "{case:?} {found:?}");
    for contact in found {
        let is_same = |c: &&WallContact<V>| (c.offset - contact.offset).length() < 1e-12;
        assert_eq!(expected.iter().filter(is_same).count(), 1, "{case:?}");
    }
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
            let minima: Vec<_> = minima.iter().map(|m| (m.0, m.1 * SCALE)).collect();
            assert_minima(&found, &minima, radius, &(family.name, case, sphere));
            for contact in &found {
                // Either winding has the edge.
                let has_feature =
                    |facet: &Facet<'_>| has_feature(wall.mesh(), facet, contact.feature);
                let lowest = wall.mesh().facets().find(has_feature).unwrap();
                assert_eq!(contact.facet, lowest.index());
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

/// Spheres near a wall of a family.
fn spheres(family: &Family, seed: u64, count: usize) -> impl Iterator<Item = Sphere> {
    let mut random = SplitMix64::new(seed);
    let sphere = move |_| {
        let (point, radius) = place(&mut random, family);
        Sphere::new(oracle::to_vector(point, SCALE), radius)
    };
    (0..count).map(sphere)
}

/// Facets are cut into triangles around midpoints of their sides, three times, and share no vertices. The pieces have hanging
/// vertices on their neighbors' sides. The surface is the same, and so are the contact points.
#[test]
fn contacts_stay_when_facets_are_cut() {
    for family in families() {
        let own = mesh(&family, |v| v);
        let cut = (0..3).fold(own.clone(), |cut, seed| rewritten(&cut, seed).unwrap());
        let cut = soup_of(&cut).with_precision(0.0).unwrap();
        let [uncut, wall] = [own, cut].map(Wall::new);
        let mut random = SplitMix64::new(6);
        for case in 0..cases() {
            let (point, radius, ..) = place_and_minima(&mut random, &family);
            let sphere = Sphere::new(oracle::to_vector(point, SCALE), radius);
            let expected = contacts_by(&mut all_minima(), &uncut, &sphere);
            let found = all_contacts(&mut all_minima(), &sphere, &wall);
            assert_same_points(&found, &expected, &(family.name, case, sphere));
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
        for (seed, sphere) in (0..).zip(spheres(&family, 7, cases() / 3)) {
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
        for sphere in spheres(&family, 8, cases() / 3) {
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

/// What a contact says of the surface: on it, the normal depends on the side that is the front.
pub(super) fn place_of<V: Vector>(c: &WallContact<V>) -> (V, V, f64) {
    let either = V::from_fn(|axis| c.normal[axis].abs());
    let normal = if c.offset == V::ZERO {
        either
    } else {
        c.normal
    };
    (c.offset, normal, c.overlap)
}

/// Any order and numbering of the facets, also in a pose in which nothing is exact.
#[test]
fn bits_depend_on_the_surface_only() {
    for family in families() {
        let own = mesh(&family, |v| v);
        let mut random = SplitMix64::new(3);
        for (seed, sphere) in (0..).zip(spheres(&family, 3, cases() / 10)) {
            let kernel = &mut MapContact(all_minima(), |c| place_of(&c));
            properties::wall::independent_of_facets(kernel, &sphere, &own, seed).unwrap();
            let rotation = random.rotation();
            let turned = mesh(&family, |v| rotation * v);
            let sphere_there = Sphere::new(rotation * sphere.center, sphere.radius);
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
