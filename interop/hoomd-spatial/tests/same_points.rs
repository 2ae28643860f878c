//! Finds the same points as hoomd-spatial's own structures, on a lattice where many are exactly on
//! the surface of a ball; and the same sites near a point of a simulation.

use std::collections::BTreeMap;

use hoomd_spatial::{
    AllPairs, HashCell, IndexFromPosition, PointUpdate, PointsNearBall, VecCell, WithSearchRadius,
};
use hoomd_vector::Cartesian;
use osculate::Vector;
use osculate::glam::{DVec2, DVec3};
use osculate_hoomd_spatial::OsculateGrid;
use proptest::prelude::*;

/// Positions and radii are multiples of this.
const UNIT: f64 = 0.25;
const SEARCH_RADIUS: i32 = 5;

/// Keys need not be indices.
type Key = (bool, u16);
type Places<const D: usize> = BTreeMap<Key, [i32; D]>;

#[derive(Clone, Debug)]
enum Step<const D: usize> {
    Insert(Key, [i32; D]),
    Remove(Key),
    Clear,
    Ask([i32; D], i32),
}

fn step<const D: usize>() -> impl Strategy<Value = Step<D>> {
    let key = || (any::<bool>(), 0_u16..20);
    let place = || {
        prop_oneof![
            9 => prop::array::uniform(-12..12),
            1 => prop::array::uniform(-100..100),
        ]
    };
    prop_oneof![
        40 => (key(), place()).prop_map(|(key, place)| Step::Insert(key, place)),
        15 => key().prop_map(Step::Remove),
        1 => Just(Step::Clear),
        30 => (place(), 1..=SEARCH_RADIUS).prop_map(|(place, radius)| Step::Ask(place, radius)),
    ]
}

fn position<const D: usize>(place: [i32; D]) -> Cartesian<D> {
    place.map(|x| f64::from(x) * UNIT).into()
}

/// The points in a ball, including those on its surface.
fn expected<const D: usize>(places: &Places<D>, center: [i32; D], radius: i32) -> Vec<Key> {
    let is_near = |place: &[i32; D]| {
        let squares = place.iter().zip(&center).map(|(a, b)| (a - b) * (a - b));
        squares.sum::<i32>() <= radius * radius
    };
    let near = places.iter().filter(|(_, place)| is_near(place));
    near.map(|(&key, _)| key).collect()
}

/// Returns the sorted result of a structure.
fn found<const D: usize>(
    data: &impl PointsNearBall<Cartesian<D>, Key>,
    center: [i32; D],
    radius: i32,
) -> Vec<Key> {
    let center = position(center);
    let near = data.points_near_ball(&center, f64::from(radius) * UNIT);
    let mut keys: Vec<Key> = near.collect();
    keys.sort_unstable();
    keys
}

fn compare<V: Vector, const D: usize>(steps: Vec<Step<D>>) -> Result<(), TestCaseError> {
    let width = (f64::from(SEARCH_RADIUS) * UNIT).try_into().unwrap();
    let mut grid = OsculateGrid::<Key, V>::with_search_radius(width);
    let mut vec_cell = VecCell::<Key, D>::with_search_radius(width);
    let mut hash_cell = HashCell::<Key, D>::with_search_radius(width);
    let mut all_pairs = AllPairs::<Key>::with_search_radius(width);
    let mut places = Places::new();
    for step in steps {
        let all: [&mut dyn PointUpdate<Cartesian<D>, Key>; 4] =
            [&mut grid, &mut vec_cell, &mut hash_cell, &mut all_pairs];
        match step {
            Step::Insert(key, place) => {
                all.into_iter()
                    .for_each(|data| data.insert(key, position(place)));
                places.insert(key, place);
            }
            Step::Remove(key) => {
                all.into_iter().for_each(|data| data.remove(&key));
                places.remove(&key);
            }
            Step::Clear => {
                all.into_iter().for_each(|data| data.clear());
                places.clear();
            }
            Step::Ask(center, radius) => {
                let expected = expected(&places, center, radius);
                let theirs = [
                    found(&vec_cell, center, radius),
                    found(&hash_cell, center, radius),
                    found(&all_pairs, center, radius),
                ];
                for mut keys in theirs {
                    // These may return points outside the ball.
                    keys.retain(|key| expected.binary_search(key).is_ok());
                    prop_assert_eq!(&keys, &expected);
                }
                prop_assert_eq!(found(&grid, center, radius), expected);
            }
        }
        let data: [&dyn PointUpdate<Cartesian<D>, Key>; 2] = [&grid, &vec_cell];
        for data in data {
            prop_assert_eq!(data.len(), places.len());
            prop_assert_eq!(data.is_empty(), places.is_empty());
            for key in (0..20).flat_map(|number| [(false, number), (true, number)]) {
                prop_assert_eq!(data.contains_key(&key), places.contains_key(&key));
            }
        }
    }
    for &place in places.values() {
        let (ours, theirs): ([i64; D], [i64; D]) = (
            grid.location_from_position(&position(place)),
            vec_cell.location_from_position(&position(place)),
        );
        prop_assert_eq!(ours, theirs);
    }
    Ok(())
}

proptest! {
    #[test]
    fn in_the_plane(steps in prop::collection::vec(step::<2>(), 1..150)) {
        compare::<DVec2, 2>(steps)?;
    }

    #[test]
    fn in_space(steps in prop::collection::vec(step::<3>(), 1..150)) {
        compare::<DVec3, 3>(steps)?;
    }
}

/// 40 points on a lattice, and balls larger than the search radius with points on their surface.
#[test]
fn any_radius() {
    let mut grid = OsculateGrid::<Key, DVec2>::with_search_radius(UNIT.try_into().unwrap());
    let mut places = Places::new();
    for (number, (x, y)) in (0..).zip((0..8).flat_map(|x| (0..5).map(move |y| (x, y)))) {
        grid.insert((false, number), position([x, y]));
        places.insert((false, number), [x, y]);
    }
    for radius in [1, 5, 10, 1000] {
        let expected = expected(&places, [0, 0], radius);
        assert_eq!(found(&grid, [0, 0], radius), expected);
        assert_eq!(expected.contains(&(false, 3 * 5 + 4)), radius >= 5);
    }
}

#[test]
#[should_panic(expected = "numbers within")]
fn refuses_nan() {
    let mut grid = OsculateGrid::<Key, DVec2>::with_search_radius(UNIT.try_into().unwrap());
    grid.insert((true, 0), [f64::NAN, 0.0].into());
}
