//! Properties of periodic boxes, by random inputs that are biased to ties and extremes.

use super::properties::sequence;
use crate::support::lattice::{
    LatticeBox, LatticeSphere, config, lattice_box, near, periodic_spheres, sorted_pairs, spheres,
};
use osculate::glam::{DVec2, DVec3};
use osculate::testing::{properties, strategies as any};
use osculate::{
    BroadPhase, BruteForce, Error, HierarchicalGrid, LinkedCells, PairList, Periodic, PeriodicBox,
    Skin, Sphere, Vector,
    broad::{HashGrid, Pair},
};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestCaseResult};

/// Pairs that touch at any image, in integers.
fn periodic_oracle<V: Vector>(period: &LatticeBox, bodies: &[LatticeSphere]) -> Vec<[u32; 2]> {
    let images = period.images::<V>();
    let wrapped: Vec<_> = bodies
        .iter()
        .map(|body| wrap_lattice::<V>(period, body.0))
        .collect();
    let mut pairs = Vec::new();
    for j in 0..bodies.len() {
        for i in 0..j {
            let reach = i128::from(bodies[i].1 + bodies[j].1);
            let touches = images.iter().any(|image| {
                let d = |k: usize| i128::from(wrapped[j][k] - wrapped[i][k] + image[k]);
                (0..V::DIM).map(|k| d(k) * d(k)).sum::<i128>() <= reach * reach
            });
            if touches {
                pairs.push([i as u32, j as u32]);
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// Into the brick, one lattice vector after another, with the tilts as they were given.
fn wrap_lattice<V: Vector>(period: &LatticeBox, mut point: [i64; 3]) -> [i64; 3] {
    let [xy, xz, yz] = period.tilts::<V>();
    let vectors = [
        [period.sides[0], 0, 0],
        [xy, period.sides[1], 0],
        [xz, yz, period.sides[2]],
    ];
    for axis in (0..V::DIM).rev().filter(|&axis| period.is_periodic[axis]) {
        let periods = (point[axis] - period.min[axis]).div_euclid(period.sides[axis]);
        point = [0, 1, 2].map(|k| point[k] - periods * vectors[axis][k]);
    }
    point
}

/// All image vectors with entries up to `reach` along periodic axes.
fn image_vectors<V: Vector>(period: &PeriodicBox<V>, reach: i32) -> Vec<[i32; 3]> {
    let span = |axis: usize| {
        if period.is_periodic()[axis] {
            -reach..=reach
        } else {
            0..=0
        }
    };
    let all = span(0).flat_map(|i| span(1).map(move |j| [i, j]));
    all.flat_map(|[i, j]| span(2).map(move |k| [i, j, k]))
        .collect()
}

/// Pairs by the definition, word for word, and the bodies of which an image touches the query.
fn by_definition<V: Vector>(
    period: &PeriodicBox<V>,
    bodies: &[Sphere<V>],
    query: Sphere<V>,
) -> Result<(Vec<Pair>, Vec<usize>), TestCaseError> {
    let wrapped = |s: &Sphere<V>| Sphere::new(period.wrap(s.center), s.radius);
    let image = |s: &Sphere<V>, n| Sphere::new(s.center + period.lattice_vector(n), s.radius);
    let mut positive = image_vectors(period, 3);
    positive.retain(|&n| n > [0; 3]);
    let touches = |a: &Sphere<V>, b: &Sphere<V>| {
        let mut images = positive.iter();
        a.touches(b) || images.any(|&n| image(a, n).touches(b) || image(b, n).touches(a))
    };
    let inside: Vec<_> = bodies.iter().map(wrapped).collect();
    let mut pairs = Vec::new();
    for i in 0..bodies.len() {
        for j in i + 1..bodies.len() {
            let is_pair = touches(&inside[i], &inside[j]);
            prop_assert_eq!(period.touches(&bodies[i], &bodies[j]), is_pair);
            prop_assert_eq!(period.touches(&bodies[j], &bodies[i]), is_pair);
            if is_pair {
                pairs.push([i as u32, j as u32]);
            }
        }
    }
    let images = image_vectors(period, 4).into_iter();
    let queries: Vec<_> = images.map(|n| image(&wrapped(&query), n)).collect();
    let is_near = |&i: &usize| queries.iter().any(|query| query.touches(&inside[i]));
    Ok((pairs, (0..bodies.len()).filter(is_near).collect()))
}

/// Pairs and queries of one broad phase in a box, for any order and history of the bodies.
fn periodic_laws<V: Vector, B: BroadPhase<Vector = V> + Default>(
    period: PeriodicBox<V>,
    bodies: &[Sphere<V>],
    (query, seed): (Sphere<V>, u64),
    (pairs, near_query): &(Vec<Pair>, Vec<usize>),
) -> TestCaseResult {
    let mut broad = Periodic::new(B::default(), period);
    broad.rebuild(bodies)?;
    prop_assert_eq!(&sorted_pairs(&broad), pairs);
    prop_assert_eq!(&near(&broad, &query), near_query);
    properties::broad::independent_of_order(&mut broad, bodies, seed)?;
    properties::broad::independent_of_history(&mut broad, bodies, &bodies[bodies.len() / 2..])?;
    Ok(())
}

/// All broad phases in a box against the definition, and the pairs there.
fn all_laws<V: Vector>(
    period: PeriodicBox<V>,
    bodies: &[Sphere<V>],
    query: Sphere<V>,
    seed: u64,
) -> Result<Vec<Pair>, TestCaseError> {
    let expected = by_definition(&period, bodies, query)?;
    periodic_laws::<V, BruteForce<V>>(period, bodies, (query, seed), &expected)?;
    periodic_laws::<V, LinkedCells<V>>(period, bodies, (query, seed), &expected)?;
    periodic_laws::<V, HierarchicalGrid<V>>(period, bodies, (query, seed), &expected)?;
    periodic_laws::<V, HashGrid<V>>(period, bodies, (query, seed), &expected)?;
    let brute = || Periodic::new(BruteForce::new(), period);
    properties::broad::updates_equal_a_rebuild(brute, bodies, seed)?;
    let hashed = || Periodic::new(HashGrid::new(), period);
    properties::broad::updates_equal_a_rebuild(hashed, bodies, seed)?;
    Ok(expected.0)
}

/// On the lattice, the pairs are those of integers, and any scale has the same sequence.
fn lattice_laws<V: Vector>(
    period: &LatticeBox,
    lattice: &[LatticeSphere],
    query: LatticeSphere,
    exponent: i32,
    seed: u64,
) -> TestCaseResult {
    let [brute, scaled] = [1.0, 2.0_f64.powi(exponent)].map(|scale| {
        let mut broad = Periodic::new(BruteForce::new(), period.to_box::<V>(scale));
        broad.rebuild(&spheres(lattice, scale))?;
        Ok::<_, Error>(sequence(&broad))
    });
    prop_assert_eq!(scaled?, brute?);
    let (bodies, query) = (spheres(lattice, 1.0), any::to_sphere(query));
    let pairs = all_laws::<V>(period.to_box(1.0), &bodies, query, seed)?;
    prop_assert_eq!(pairs, periodic_oracle::<V>(period, lattice));
    Ok(())
}

fn wrap_laws<V: Vector>(period: &LatticeBox, [p, q]: [[i64; 3]; 2]) -> TestCaseResult {
    let in_box = period.to_box::<V>(1.0);
    let to_vector = |p: [i64; 3]| any::to_sphere::<V>((p, 0)).center;
    let (position, other) = (to_vector(p), to_vector(q));
    let wrapped = in_box.wrap(position);
    prop_assert_eq!(wrapped, to_vector(wrap_lattice::<V>(period, p)));
    prop_assert_eq!(in_box.wrap(wrapped), wrapped);
    prop_assert_eq!(
        wrapped + in_box.lattice_vector(in_box.image_index(position)),
        position
    );

    let nearest = in_box.minimum_image(other - position);
    let delta = in_box.wrap(other) - wrapped;
    let images = image_vectors(&in_box, 3).into_iter();
    let length_squared = |image| (delta + in_box.lattice_vector(image)).length_squared();
    let shortest = images.map(length_squared).fold(f64::INFINITY, f64::min);
    let sides = (0..V::DIM).filter(|&axis| period.is_periodic[axis]);
    let side = sides
        .map(|axis| in_box.lengths()[axis])
        .fold(f64::INFINITY, f64::min);
    // Congruent to the difference, and the shortest one if that is unique.
    let rest = in_box.wrap(nearest + wrapped);
    prop_assert_eq!(rest, in_box.wrap(other));
    if shortest < 0.25 * side * side {
        prop_assert_eq!(nearest.length_squared(), shortest);
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn wrapping_and_nearest_images(
        period in lattice_box(),
        points in prop::array::uniform2((any::lattice_point(), -9_i64..9)),
    ) {
        let points = points.map(|(point, far)| point.map(|c| c + (far << 25)));
        wrap_laws::<DVec2>(&period, points)?;
        wrap_laws::<DVec3>(&period, points)?;
    }

    #[test]
    fn periodic_boxes_on_the_lattice(
        (period, bodies) in periodic_spheres(),
        query in (any::lattice_point(), prop_oneof![0..=2_i64 << 20, 0..=20_i64 << 20]),
        exponent in -120..=120,
        seed: u64,
    ) {
        lattice_laws::<DVec3>(&period, &bodies, query, exponent, seed)?;
        let flat = LatticeBox { is_periodic: [period.is_periodic[0], period.is_periodic[1], false], ..period };
        let shortest = (0..2).filter(|&k| flat.is_periodic[k]).map(|k| flat.sides[k]).min();
        let fits = |body: &LatticeSphere| shortest.is_none_or(|side| 4 * body.1 <= side);
        let bodies: Vec<_> = bodies.into_iter().filter(fits).collect();
        lattice_laws::<DVec2>(&flat, &bodies, query, exponent, seed)?;
    }

    /// With rounded coordinates: faces to within ulps, a corner off the origin, cut-offs at the
    /// limit, unequal bodies that touch across a face. At the limit, rounded images of one body may
    /// touch another at two places, neither of them in the box.
    #[test]
    fn periodic_boxes_with_rounding(
        corner in prop::array::uniform3(prop_oneof![-4.0..4.0, -1e6..1e6]),
        sides in prop::array::uniform3(4.0..8.0),
        tilts in prop::array::uniform3(-20.0..20.0),
        is_tilted: bool,
        bodies in prop::collection::vec(
            (
                prop::array::uniform3((prop::sample::select(vec![0_u8, 0, 2, 4, 5, 8]), -2..=2_i32)),
                prop::sample::select(vec![0.0, 0.5, 1.0, 1.0]),
            ),
            0..16,
        ),
        query in 0.0..8.0,
        seed: u64,
    ) {
        let [corner, sides] = [corner, sides].map(DVec3::from_array);
        let tilts = if is_tilted { tilts } else { [0.0; 3] };
        let period = PeriodicBox::triclinic(corner, sides, tilts, [true; 3]).unwrap();
        let limit = 0.25 * sides.min_element();
        let body = |(place, size): &([(u8, i32); 3], f64)| {
            let coordinate = |axis: usize| {
                let (eighths, ulps) = place[axis];
                let mut x = corner[axis] + 0.125 * f64::from(eighths) * sides[axis];
                for _ in 0..ulps.abs() {
                    x = if ulps < 0 { x.next_down() } else { x.next_up() };
                }
                x
            };
            Sphere::new(DVec3::from_fn(coordinate), size * limit)
        };
        let bodies: Vec<_> = bodies.iter().map(body).collect();
        let query = Sphere::new(bodies.first().map_or(corner, |body| body.center), query);
        all_laws(period, &bodies, query, seed)?;
    }

    /// For any bits: no panic, no endless loop, and an accepted box is valid.
    #[test]
    fn any_bits_into_constructors(
        corner in any::any_vector::<DVec3>(),
        sides in prop::array::uniform3(prop_oneof![3 => 0.5..8.0, 1 => any::any_f64()]),
        tilts in prop::array::uniform3(prop_oneof![2 => Just(0.0), 2 => -8.0..8.0, 1 => any::any_f64()]),
        is_periodic: [bool; 3],
        points in prop::collection::vec(any::any_vector::<DVec3>(), 0..6),
        length in prop_oneof![0.0..2.0, any::any_f64()],
    ) {
        let period = PeriodicBox::triclinic(corner, DVec3::from_array(sides), tilts, is_periodic);
        let taken_2d = PeriodicBox::<DVec2>::triclinic(
            corner.truncate(), DVec2::new(sides[0], sides[1]), tilts, is_periodic,
        );
        if let Ok(period) = taken_2d {
            prop_assert!(!period.is_periodic()[2]);
        }
        let list = |skin| PairList::<_>::new(BruteForce::<DVec3>::new(), skin);
        prop_assert_eq!(list(Skin::Relative(length)).is_ok(), list(Skin::Absolute(length)).is_ok());
        let Ok(period) = period else { return Ok(()) };
        prop_assert!((0..3).all(|k| !is_periodic[k] || sides[k] > 0.0 && corner[k].is_finite()));
        let domain = |p: &DVec3| p.to_array().into_iter().all(|c| c.abs() <= osculate::math::MAX_LENGTH);
        for &point in points.iter().filter(|p| domain(p)) {
            let wrapped = period.wrap(point);
            for axis in (0..3).filter(|&axis| is_periodic[axis]) {
                let upper = corner[axis] + sides[axis];
                prop_assert!((corner[axis]..upper).contains(&wrapped[axis]), "{wrapped} {period:?}");
                prop_assert!(period.minimum_image(point)[axis].abs() <= 0.5 * sides[axis]);
            }
            let _ = period.image_index(point);
        }
        let mut broad = Periodic::new(BruteForce::new(), period);
        let sphere = |i: usize| Sphere::new(points[i], length);
        if broad.rebuild_with(points.len(), sphere).is_ok() {
            prop_assert!(points.iter().all(domain));
            broad.for_each_pair(|_, _| ());
        }
        let _ = broad.rebuild_with(points.len(), |i| Sphere::new(points[i], 0.0));
        for &query in &points {
            for radius in [length, 1e3, 1e30] {
                broad.for_each_touching(&Sphere::new(query, radius), |_| ());
            }
            let _ = period.touches(&Sphere::new(query, length), &Sphere::new(corner, length));
        }
        let broad = Periodic::new(BruteForce::new(), period);
        if let Ok(mut list) = PairList::<_>::new(broad, Skin::Relative(length)) {
            let _ = list.update_with(points.len(), sphere);
            list.for_each_touching_pair(|_, _, ()| ());
        }
    }
}

/// Bodies are wrapped by the box of the last rebuild; a new box counts from the next one on.
#[test]
fn the_box_of_the_last_rebuild() {
    let square =
        |side: f64| PeriodicBox::orthogonal(DVec2::ZERO, DVec2::splat(side), [true; 3]).unwrap();
    let mut broad = Periodic::new(BruteForce::new(), square(4.0));
    let disc = |radius: f64| Sphere::new(DVec2::new(9.0, 1.0), radius);
    broad.rebuild(&[disc(1.0), disc(0.5)]).unwrap();
    assert_eq!(broad.spheres()[0].center, DVec2::ONE);
    broad.set_box(square(3.0));
    assert_eq!(sorted_pairs(&broad), [[0, 1]]);
    assert!(broad.rebuild(&[disc(1.0)]).is_err());
    assert_eq!(sorted_pairs(&broad), [[0, 1]]);
    broad.rebuild(&[disc(0.75)]).unwrap();
    assert_eq!(broad.spheres()[0].center, DVec2::new(0.0, 1.0));
}

/// A point just below a face is not moved to the opposite one; a point far out is wrapped exactly.
#[test]
fn wrapping_at_faces_and_far_out() {
    let sides = DVec2::new(3.0, 0.1);
    for min in [0.0, -0.3, 0.7] {
        let period = PeriodicBox::orthogonal(DVec2::splat(min), sides, [true; 3]).unwrap();
        for x in [min, min + 3.0, min + 0.1, -1e-300, 1e-300, -1e-17] {
            for x in [x.next_down(), x, x.next_up()] {
                let wrapped = period.wrap(DVec2::splat(x));
                for axis in 0..2 {
                    let inside = min..min + sides[axis];
                    assert!(inside.contains(&wrapped[axis]), "{x:?} {wrapped:?}");
                }
            }
        }
    }
    let period = PeriodicBox::orthogonal(DVec2::ZERO, DVec2::splat(3.0), [true; 3]).unwrap();
    let far = DVec2::new(2.0_f64.powi(100), -(2.0_f64.powi(101)));
    assert_eq!(period.wrap(far), DVec2::splat(1.0));
    assert_eq!(period.minimum_image(far), DVec2::splat(1.0));
    assert_eq!(period.image_index(far), [i32::MAX, i32::MIN, 0]);
}

/// The nearest image may be many lattice vectors along a short side away.
#[test]
fn queries_larger_than_a_tilted_box() {
    let sides = DVec2::new(16.0, 1.0);
    let period = PeriodicBox::triclinic(DVec2::ZERO, sides, [4.0, 0.0, 0.0], [true; 3]).unwrap();
    let mut broad = Periodic::new(BruteForce::new(), period);
    broad
        .rebuild(&[Sphere::new(DVec2::new(8.0, 0.0), 0.0)])
        .unwrap();
    assert_eq!(near(&broad, &Sphere::new(DVec2::ZERO, 2.0)), [0]);
    assert_eq!(near(&broad, &Sphere::new(DVec2::ZERO, 1.99)), [0; 0]);
}
