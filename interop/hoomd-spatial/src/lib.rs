//! Implements the spatial traits of hoomd-rs on osculate's hash grid; see README.md.

use std::fmt;
use std::hash::Hash;

use hoomd_spatial::{IndexFromPosition, PointUpdate, PointsNearBall, WithSearchRadius};
use hoomd_utility::valid::PositiveReal;
use hoomd_vector::Cartesian;
use osculate::{
    BroadPhase, Sphere, Vector,
    broad::{HashGrid, IncrementalBroadPhase},
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Points by key, in 2D (`V = DVec2`) or in 3D (`V = DVec3`).
///
/// Balls may have any radius; those of the search radius are found fastest. All points returned by
/// [`points_near_ball`](PointsNearBall::points_near_ball) are in the ball, inclusive, decided
/// exactly: no filter is needed.
///
/// # Panics
/// Panics on points that osculate refuses: NaN, or beyond 2^150. The traits have no errors.
#[derive(Clone, Debug)]
pub struct OsculateGrid<K, V> {
    /// The points, as spheres of radius 0.
    grid: HashGrid<V>,
    /// The keys by index in the grid.
    keys: Vec<K>,
    indices: FxHashMap<K, usize>,
    cell_width: f64,
}

impl<K: Copy + Eq + Hash, V: Vector> OsculateGrid<K, V> {
    fn new(cell_width: f64) -> Self {
        let grid = HashGrid::new().with_finest_cells(cell_width);
        Self {
            grid: grid.expect("a search radius within 2^-150 and 2^150"),
            keys: Vec::new(),
            indices: FxHashMap::default(),
            cell_width,
        }
    }
}

impl<K: Copy + Eq + Hash, V: Vector> WithSearchRadius for OsculateGrid<K, V> {
    fn with_search_radius(radius: PositiveReal) -> Self {
        Self::new(radius.get())
    }
}

/// Converts a point to osculate's type. Does not compile if the dimensions differ.
fn vector<V: Vector, const D: usize>(position: &Cartesian<D>) -> V {
    const { assert!(V::DIM == D) };
    V::from_fn(|axis| position.coordinates[axis])
}

impl<K: Copy + Eq + Hash, V: Vector, const D: usize> PointUpdate<Cartesian<D>, K>
    for OsculateGrid<K, V>
{
    fn insert(&mut self, key: K, position: Cartesian<D>) {
        let point = Sphere::new(vector(&position), 0.0);
        let result = match self.indices.get(&key) {
            Some(&index) => self.grid.replace(index, point),
            None => self.grid.insert(point).map(|index| {
                self.indices.insert(key, index);
                self.keys.push(key);
            }),
        };
        result.expect("coordinates that are numbers within 2^150");
    }

    fn remove(&mut self, key: &K) {
        let Some(index) = self.indices.remove(key) else {
            return;
        };
        self.grid.swap_remove(index).expect("an index of the grid");
        // The last point takes the index of the removed one, as in the grid.
        self.keys.swap_remove(index);
        if let Some(moved) = self.keys.get(index) {
            self.indices.insert(*moved, index);
        }
    }

    fn len(&self) -> usize {
        self.keys.len()
    }

    fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    fn contains_key(&self, key: &K) -> bool {
        self.indices.contains_key(key)
    }

    fn clear(&mut self) {
        self.grid.rebuild::<Sphere<V>>(&[]).expect("no points");
        self.keys.clear();
        self.indices.clear();
    }
}

impl<K: Copy + Eq + Hash, V: Vector, const D: usize> PointsNearBall<Cartesian<D>, K>
    for OsculateGrid<K, V>
{
    fn points_near_ball(&self, position: &Cartesian<D>, radius: f64) -> impl Iterator<Item = K> {
        // The grid passes its points to a closure, but the trait returns an iterator. So they are
        // collected, on the stack if there are few.
        let mut found = SmallVec::<[usize; 128]>::new();
        let ball = Sphere::new(vector(position), radius);
        self.grid
            .for_each_touching(&ball, |index| found.push(index));
        found.into_iter().map(|index| self.keys[index])
    }
}

impl<K, V: Vector, const D: usize> IndexFromPosition<Cartesian<D>> for OsculateGrid<K, V> {
    type Location = [i64; D];

    fn location_from_position(&self, position: &Cartesian<D>) -> [i64; D] {
        position
            .coordinates
            .map(|x| (x / self.cell_width).floor() as i64)
    }
}

impl<K, V: Vector> fmt::Display for OsculateGrid<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, width) = (self.keys.len(), self.cell_width);
        write!(
            f,
            "OsculateGrid: {count} points in {}D, search radius {width}",
            V::DIM
        )
    }
}
