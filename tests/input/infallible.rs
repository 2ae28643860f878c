//! Functions that cannot fail, with numbers out of range.

use crate::numbers::segment;
use osculate::glam::{DVec2, DVec3};
use osculate::math;
use osculate::reference::{RadiusDistribution, exponential_level_sizes, linear_level_sizes};
use osculate::shape::BoxTree;
use osculate::testing::workload;
use osculate::{
    Aabb, BroadPhase, ContactEnergy, HierarchicalGrid, Periodic, PeriodicBox, Sphere, SurfaceMesh,
    Wall,
};

/// Numbers out of any domain: no panic, no endless loop, and the results that the documentation states.
#[rustfmt::skip]
const STRANGE: [f64; 7] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, 0.0, 5e-324, 1.0];

/// Visits all pairs of strange numbers.
fn strange_pairs() -> impl Iterator<Item = (f64, f64)> {
    STRANGE.iter().flat_map(|&x| STRANGE.map(|y| (x, y)))
}

fn is_tame(v: DVec3) -> bool {
    !v.is_nan() && v.abs().max_element() <= 1.0
}

#[rustfmt::skip]
const CORNERS: [DVec3; 6] = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::splat(2.0), DVec3::splat(3.0)];

fn tetrahedron() -> SurfaceMesh {
    let facets = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    SurfaceMesh::new(CORNERS.to_vec(), facets).unwrap()
}

#[test]
fn queries_that_cannot_fail() {
    let period = PeriodicBox::triclinic(DVec3::ZERO, DVec3::ONE, [0.25; 3], [true; 3]).unwrap();
    let mesh = tetrahedron();
    let wall = Wall::new(mesh);
    let spheres = CORNERS.map(|p| Sphere::new(p, 0.6));
    let mut grid = HierarchicalGrid::new();
    grid.rebuild(&spheres).unwrap();
    let mut periodic = Periodic::new(HierarchicalGrid::new(), period);
    periodic.rebuild(&[Sphere::new(DVec3::ZERO, 0.1)]).unwrap();
    let unit = Aabb::new(DVec3::ZERO, DVec3::ONE).unwrap();
    let boxes = BoxTree::new(&[unit]).unwrap();
    for (x, y) in strange_pairs() {
        let (p, q) = (DVec3::new(x, y, x), DVec3::new(y, 1.0, x));
        let (s, t) = (Sphere::new(p, y), Sphere::new(q, x));
        let is_nan = |s: &Sphere<DVec3>| s.center.is_nan() || s.radius.is_nan();
        assert_eq!(s.touches(&t), t.touches(&s));
        if is_nan(&s) || is_nan(&t) {
            assert!(!s.touches(&t) && !period.touches(&s, &t));
        }

        let mut found = Vec::new();
        grid.for_each_touching(&s, |i| found.push(i));
        found.sort_unstable();
        let is_valid = s.validate(0).is_ok();
        let touches = |&i: &usize| is_valid && spheres[i].touches(&s);
        assert_eq!(found, (0..6).filter(touches).collect::<Vec<_>>());
        periodic.for_each_touching(&s, |i| assert!(i == 0 && is_valid));
        wall.for_each_facet_near(&s, |i| assert!(i < 4 && is_valid));
        wall.for_each_body_near(&[s, t], x, &mut Vec::new(), |i, _| assert!(i < 2));
        boxes.for_each_touching(&Aabb { min: p, max: q }, |i| {
            assert!(i == 0 && !p.is_nan() && !q.is_nan())
        });
        boxes.for_each_touching_sphere(&s, |i| assert!(i == 0 && is_valid));

        let wrapped = period.wrap(p);
        if is_tame(p) {
            assert_eq!(period.wrap(wrapped), wrapped);
            assert_eq!(period.image_index(wrapped), [0; 3]);
            let image = period.lattice_vector(period.image_index(p));
            assert!((wrapped + image - p).length() < 1e-15);
            assert!(period.minimum_image(p).abs().max_element() <= 0.5);
        } else if p.is_finite() {
            assert!(wrapped.is_finite());
        }
    }
    assert!(period.lattice_vector([i32::MIN; 3]).is_finite());
    grid.for_each_pair_in(usize::MAX, |_, _| unreachable!());
}

#[test]
fn formulas_that_cannot_fail() {
    let energy = ContactEnergy::power_law(1.0, 1.25).unwrap();
    let radii = RadiusDistribution::new(&[1.0]).unwrap();
    for (x, y) in strange_pairs() {
        let (p, q) = (DVec3::new(x, y, x), DVec3::new(y, 1.0, x));
        let nothing = math::closest_on_polygon(q, &[]).distance_squared;
        assert_eq!(nothing, f64::INFINITY);
        if is_tame(p) && is_tame(q) {
            for corners in [&[p][..], &[p, q], &[q, p, q]] {
                let closest = math::closest_on_polygon(q, corners);
                assert!(closest.distance_squared <= p.distance_squared(q) + 1e-15);
                assert!((closest.offset.length_squared() - closest.distance_squared).abs() < 1e-15);
            }
            let signs = |a: DVec3, b: DVec3| {
                let flat = math::orient2d(a.truncate(), b.truncate(), DVec2::ZERO);
                DVec2::new(flat, math::orient3d(a, b, DVec3::X, DVec3::ZERO))
            };
            assert_eq!(signs(p, q), -signs(q, p));
        } else {
            // Any result, but no panic.
            math::closest_on_triangle(p, [q, p, q]);
            math::orient2d(p.truncate(), q.truncate(), DVec2::ZERO);
            math::orient3d(p, q, DVec3::X, DVec3::ZERO);
        }
        let between = workload::SplitMix64::new(1).range(x, y);
        assert!(!(0.0..=1.0).contains(&x) || !(x..=1.0).contains(&y) || (x..=y).contains(&between));
    }
    for x in STRANGE {
        let (w, pressure) = (energy.energy(x), energy.pressure(x));
        let is_volume = (0.0..=f64::MAX).contains(&x);
        assert!(!is_volume || w >= 0.0 && pressure >= 0.0, "{w} {pressure}");
        let density = radii.density::<DVec3>(x);
        assert!(!is_volume || density >= 0.0 && density <= x);
    }
    assert_eq!(workload::SplitMix64::new(1).below(0), 0);
    let none = RadiusDistribution::new(&[]).unwrap();
    for levels in [0, 1, usize::MAX] {
        assert!(linear_level_sizes(&none, levels).as_slice().len() <= 1);
        assert!(exponential_level_sizes(&none, levels).as_slice().len() <= 1);
    }
}

#[test]
fn ids_that_do_not_exist() {
    let mesh = tetrahedron();
    let line = segment();
    let (wall, flat) = (Wall::new(mesh.clone()), Wall::new(line.clone()));
    for (x, y) in strange_pairs() {
        let p = DVec3::new(x, y, x);
        for facet in [0, 3, 4, u32::MAX] {
            let (mut sum, mut flat_sum) = (0.0, 0.0);
            mesh.for_each_nodal_weight(facet, p, |vertex, weight| {
                assert!(vertex < 6 && facet < 4);
                sum += weight;
            });
            line.for_each_nodal_weight(facet, p.truncate(), |vertex, weight| {
                assert!(vertex < 2 && facet == 0);
                flat_sum += weight;
            });
            if is_tame(p) {
                assert!(facet > 3 || (sum - 1.0_f64).abs() < 1e-14);
                assert!(facet > 0 || (flat_sum - 1.0_f64).abs() < 1e-14);
            }
            assert!(!wall.are_adjacent(facet, 9) && !flat.are_adjacent(facet, 9));
        }
    }
    assert!(mesh.facet(4).is_none() && line.normal(9).is_none());
}
