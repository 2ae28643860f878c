mod images;

#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::math::tolerance::two_to;
use crate::math::{MAX_LENGTH, Vector, check_position, is_length};

/// The shortest side of a periodic box, relative to the coordinate of its corner. The error of a
/// coordinate is then below 2^-20 of a side.
const PERIODIC_SIDE: f64 = two_to(-32);

/// The largest ratio of two sides of a tilted periodic box. It bounds the number of images searched.
const PERIODIC_ASPECT: f64 = two_to(10);

/// Image shifts, relative to the coordinates and the sides of the box: a few of 128 roundings.
const PERIODIC_IMAGE: f64 = two_to(-46);

/// The longest side. Images of positions in the box must be within the domain.
const MAX_SIDE: f64 = MAX_LENGTH * 0.25;

/// A periodic box, orthogonal or triclinic, with any combination of periodic axes.
///
/// The lattice vectors are `a = (x, 0, 0)`, `b = (xy, y, 0)` and in 3D `c = (xz, yz, z)`. Here x, y, z are the side
/// lengths and xy, xz, yz the tilts. Tilts are reduced to at most half a side, which changes the vectors but not the
/// lattice. So Lees-Edwards shear is a tilt that grows without bound.
///
/// Positions are wrapped into the brick of the side lengths, tilted or not. Bricks shifted against each other fill
/// space as parallelepipeds do, and the brick stays the same while the box is sheared. Every lattice vector is at least
/// as long as the shortest side. So for any tilt the minimum image is unique if bodies interact over at most half of
/// this side.
///
/// ```
/// use osculate::{PeriodicBox, glam::DVec2};
///
/// // 8 wide and periodic along x, open along y.
/// let sides = DVec2::new(8.0, 0.0);
/// let channel = PeriodicBox::orthogonal(DVec2::ZERO, sides, [true, false, false])?;
/// assert_eq!(channel.wrap(DVec2::new(-1.0, 50.0)), DVec2::new(7.0, 50.0));
/// assert_eq!(channel.minimum_image(DVec2::new(7.0, 50.0)), DVec2::new(-1.0, 50.0));
///
/// let (sides, tilts) = (DVec2::splat(8.0), [1.0, 0.0, 0.0]);
/// let sheared = PeriodicBox::triclinic(DVec2::ZERO, sides, tilts, [true; 3])?;
/// assert_eq!(sheared.wrap(DVec2::new(2.0, 9.0)), DVec2::new(1.0, 1.0));
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "RawBox<V>",
        bound(
            serialize = "V: Vector + serde::Serialize",
            deserialize = "V: Vector + serde::Deserialize<'de>"
        )
    )
)]
pub struct PeriodicBox<V = glam::DVec3> {
    /// The corners; infinite along axes that are not periodic.
    #[cfg_attr(feature = "serde", serde(serialize_with = "or_0"))]
    min: V,
    #[cfg_attr(feature = "serde", serde(skip))]
    max: V,
    /// 0 along axes that are not periodic.
    sides: V,
    /// Slightly less than the sides; infinite along axes that are not periodic. If the coordinates of two
    /// positions in the box differ by less, plus a reach, no images of them are within the reach.
    #[cfg_attr(feature = "serde", serde(skip))]
    max_reach: V,
    /// xy, xz, yz.
    tilts: [f64; 3],
    is_periodic: [bool; 3],
}

impl<V: Vector> PeriodicBox<V> {
    /// Creates a box with sides along the axes, from its lower corner.
    ///
    /// The corner and the side are ignored along axes that are not periodic. In 2D there is no third axis.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Coordinate`] if the corner is out of range. Returns
    /// [`ErrorKind::PeriodicBox`] if a side is not within [2^-150, 2^148], or is shorter than 2^-32 of the
    /// corner's coordinate.
    pub fn orthogonal(min: V, sides: V, is_periodic: [bool; 3]) -> Result<Self> {
        Self::triclinic(min, sides, [0.0; 3], is_periodic)
    }

    /// Creates a box whose lattice vectors are tilted by `[xy, xz, yz]`.
    ///
    /// The tilts are reduced to at most half a side. For xy and yz this is exact. Reducing yz changes xz by a
    /// multiple of xy, which is subtracted before xz is reduced.
    ///
    /// # Errors
    /// As for [`orthogonal`](Self::orthogonal). [`ErrorKind::PeriodicBox`] is also returned
    /// - if a tilt is out of range;
    /// - if a tilt is not 0 and one of its axes is not periodic (the index is the axis of its lattice vector);
    /// - if one side of a tilted box is more than 1024 times as long as another.
    pub fn triclinic(min: V, sides: V, tilts: [f64; 3], is_periodic: [bool; 3]) -> Result<Self> {
        let is_periodic: [bool; 3] = std::array::from_fn(|axis| axis < V::DIM && is_periodic[axis]);
        let periodic_or = |other: f64, value: V| {
            V::from_fn(|axis| {
                if is_periodic[axis] {
                    value[axis]
                } else {
                    other
                }
            })
        };
        check_position("corner", None, periodic_or(0.0, min))?;
        let periodic = || (0..V::DIM).filter(|&axis| is_periodic[axis]);
        for axis in periodic() {
            let value = sides[axis];
            let is_side = value > 0.0 && is_length(value) && value <= MAX_SIDE;
            if !is_side || value < min[axis].abs() * PERIODIC_SIDE {
                let valid =
                    "a side within [2^-150, 2^148] and at least 2^-32 of its corner's coordinate";
                return Err(Error(Cause::PeriodicSide { axis, value, valid }));
            }
            let value = min[axis];
            if value.abs() > 2.0 * MAX_SIDE {
                return Err(Error(Cause::Coordinate {
                    name: "corner",
                    index: None,
                    axis,
                    value,
                }));
            }
        }
        check_tilts(sides, tilts, is_periodic)?;
        let sides = periodic_or(0.0, sides);
        let [xy, xz, yz] = tilts;
        let (xy, _) = reduce(xy, sides[0]);
        let (yz, periods) = reduce(yz, sides[1]);
        let (xz, _) = reduce(xz - periods * xy, sides[0]);
        Ok(Self {
            min: periodic_or(f64::NEG_INFINITY, min),
            max: periodic_or(f64::INFINITY, min + sides),
            sides,
            max_reach: periodic_or(f64::INFINITY, sides * 0.999),
            tilts: [xy, xz, yz],
            is_periodic,
        })
    }

    /// Returns the lower corner; -infinity along axes that are not periodic.
    pub const fn min(&self) -> V {
        self.min
    }

    /// Returns the side lengths; 0 along axes that are not periodic.
    pub const fn lengths(&self) -> V {
        self.sides
    }

    /// Returns the reduced tilts `[xy, xz, yz]`.
    pub const fn tilts(&self) -> [f64; 3] {
        self.tilts
    }

    /// Returns which axes are periodic.
    pub const fn is_periodic(&self) -> [bool; 3] {
        self.is_periodic
    }

    /// Returns the image of a position in the box, whose lower faces belong to it and whose upper faces do not.
    ///
    /// Positions inside the box are returned unchanged, bit for bit. The image of a position so far out that its
    /// coordinates do not resolve the box is an arbitrary point of the box.
    ///
    /// Cost: about 1 ns for a position in the box, 20 ns for others.
    #[inline]
    #[must_use]
    pub fn wrap(&self, position: V) -> V {
        if self.contains(position) {
            position
        } else {
            self.wrap_counted(position).0
        }
    }

    /// Does the same as [`wrap`](Self::wrap), but returns an invalid position unchanged.
    #[inline]
    pub(crate) fn wrap_valid(&self, position: V) -> V {
        let is_valid = || check_position("", None, position).is_ok();
        if self.contains(position) || !is_valid() {
            position
        } else {
            self.wrap_counted(position).0
        }
    }

    /// Returns the number of periods along each lattice vector from the image in the box to the position.
    ///
    /// `wrap(x) + lattice_vector(image_index(x))` is x to rounding. Saturates.
    #[must_use]
    pub fn image_index(&self, position: V) -> [i32; 3] {
        self.wrap_counted(position).1.map(|periods| periods as i32)
    }

    /// Returns the sum of integer multiples of the lattice vectors: the shift of an image with this index.
    #[inline]
    #[must_use]
    pub fn lattice_vector(&self, image: [i32; 3]) -> V {
        let counts = image.map(f64::from);
        V::from_fn(|axis| self.tilt_shift(counts, axis) + counts[axis] * self.sides[axis])
    }

    /// Returns the minimum image of the difference of two positions.
    ///
    /// This is the image in the brick around 0. It is the shortest image if it is shorter than half the shortest
    /// side. In an orthogonal box the arithmetic is exact; in a tilted box, sums of tilts are rounded.
    #[inline]
    #[must_use]
    pub fn minimum_image(&self, delta: V) -> V {
        self.reduced(delta).0
    }

    /// Returns the image of the position `of` that is nearest to the position `to`.
    ///
    /// This is `to` + [`minimum_image`](Self::minimum_image)(`of` - `to`), for a kernel that takes two bodies at
    /// world positions. A position that needs no shift is returned bit for bit.
    #[inline]
    #[must_use]
    pub fn nearest_image(&self, of: V, to: V) -> V {
        let delta = of - to;
        let nearest = self.minimum_image(delta);
        if nearest == delta { of } else { to + nearest }
    }

    /// Returns the lattice vector that takes the position `of` to its image nearest to the position `to`.
    ///
    /// The sum `of` + shift is the image that [`nearest_image`](Self::nearest_image) returns, to rounding. The shift
    /// has the same bits for all positions of a body, so it moves the body as a whole.
    #[inline]
    #[must_use]
    pub fn nearest_shift(&self, of: V, to: V) -> V {
        let counts = self.reduced(of - to).1;
        let back = counts.map(|count| 0.0 - count);
        V::from_fn(|axis| self.tilt_shift(back, axis) + back[axis] * self.sides[axis])
    }

    /// Returns the lower and the upper corner, infinite along axes that are not periodic.
    pub(crate) fn corners(&self) -> [V; 2] {
        [self.min, self.max]
    }

    /// Returns the distance below which an image is unique, also for rounded images.
    pub(crate) fn unique_within(&self) -> f64 {
        let along = |axis: usize| {
            let slack = (self.min[axis].abs() + self.sides[axis]) * PERIODIC_IMAGE;
            0.5 * (self.sides[axis] - slack)
        };
        let axes = (0..V::DIM).filter(|&axis| self.is_periodic[axis]);
        axes.map(along).fold(f64::INFINITY, f64::min)
    }

    /// Checks that each side is at least two cut-offs of two spheres of a radius.
    pub(crate) fn check_radius(&self, radius: f64) -> Result<()> {
        let cut_off = 2.0 * radius;
        for axis in (0..V::DIM).filter(|&axis| self.is_periodic[axis]) {
            let width = self.sides[axis];
            if width < 2.0 * cut_off {
                return Err(Error(Cause::PeriodTooShort {
                    axis,
                    width,
                    cut_off,
                }));
            }
        }
        Ok(())
    }

    /// Bounds the change of the minimum image of any two bodies that results from a change of the lattice.
    ///
    /// Let a, b and c be the lattice vectors. Images of bodies close to each other are at most 3 a, 2 b and 1 c apart.
    /// So the weighted changes of these vectors add up to a bound. Infinite if the sides changed by more than an
    /// eighth.
    pub(crate) fn change_since(&self, earlier: &Self) -> f64 {
        let is_other = self.is_periodic != earlier.is_periodic
            || (0..V::DIM).any(|axis| {
                (self.sides[axis] - earlier.sides[axis]).abs() > 0.125 * earlier.sides[axis]
            });
        if is_other {
            return f64::INFINITY;
        }
        let vectors = [([1, 0, 0], 3.0), ([0, 1, 0], 2.0), ([0, 0, 1], 1.0)];
        let change = |(vector, weight): ([i32; 3], f64)| {
            let change = self.lattice_vector(vector) - earlier.lattice_vector(vector);
            self.minimum_image(change).length() * weight
        };
        vectors.into_iter().take(V::DIM).map(change).sum()
    }

    /// Bounds the rounding error of the difference of two positions in the box, or of one of them and `position`.
    #[inline]
    pub(crate) fn rounding(&self, position: V) -> f64 {
        let size = |axis: usize| position[axis].abs() + 2.0 * self.min[axis].abs();
        let along = |axis: usize| size(axis) + 4.0 * self.sides[axis];
        let axes = (0..V::DIM).filter(|&axis| self.is_periodic[axis]);
        axes.map(along).sum::<f64>() * PERIODIC_IMAGE
    }

    /// Returns the minimum image of a difference, and the number of periods subtracted along each lattice vector.
    ///
    /// From the last axis on, since a period along an axis shifts only along the axes before it.
    #[inline]
    fn reduced(&self, delta: V) -> (V, [f64; 3]) {
        let mut nearest = [0.0; 3];
        let mut counts = [0.0; 3];
        for axis in (0..V::DIM).rev() {
            let shifted = delta[axis] - self.tilt_shift(counts, axis);
            (nearest[axis], counts[axis]) = reduce(shifted, self.sides[axis]);
        }
        (V::from_fn(|axis| nearest[axis]), counts)
    }

    /// Returns whether a position is in the box.
    #[inline]
    fn contains(&self, position: V) -> bool {
        let is_between =
            |axis: usize| (self.min[axis] <= position[axis]) & (position[axis] < self.max[axis]);
        (0..V::DIM).fold(true, |all, axis| all & is_between(axis))
    }

    /// Returns the image of a position in the box, and the number of periods to it along each lattice vector.
    fn wrap_counted(&self, position: V) -> (V, [f64; 3]) {
        let mut wrapped = [0.0; 3];
        let mut counts = [0.0; 3];
        for axis in (0..V::DIM).rev() {
            let (min, max, side) = (self.min[axis], self.max[axis], self.sides[axis]);
            let x = position[axis] - self.tilt_shift(counts, axis);
            wrapped[axis] = x;
            if !(min..max).contains(&x) {
                let rest = (x - min) % side; // exact
                let inside = min + if rest < 0.0 { rest + side } else { rest };
                // A position just below the lower face may be rounded to the upper one.
                wrapped[axis] = if inside >= max { min } else { inside };
                counts[axis] = ((x - wrapped[axis]) / side).round();
            }
        }
        (V::from_fn(|axis| wrapped[axis]), counts)
    }

    /// Returns the shift along an axis that results from periods along the later axes.
    #[inline]
    fn tilt_shift(&self, counts: [f64; 3], axis: usize) -> f64 {
        let [xy, xz, yz] = self.tilts;
        match axis {
            0 => counts[1] * xy + counts[2] * xz,
            1 => counts[2] * yz,
            _ => 0.0,
        }
    }
}

/// The serialized form of a box: the arguments of its constructor, 0 along axes that are not periodic.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct RawBox<V> {
    min: V,
    sides: V,
    tilts: [f64; 3],
    is_periodic: [bool; 3],
}

/// Serializes a corner with 0 for infinite coordinates.
#[cfg(feature = "serde")]
fn or_0<V: Vector + serde::Serialize, S: serde::Serializer>(
    corner: &V,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    let finite = |x: f64| if x.is_finite() { x } else { 0.0 };
    V::from_fn(|axis| finite(corner[axis])).serialize(serializer)
}

#[cfg(feature = "serde")]
impl<V: Vector> TryFrom<RawBox<V>> for PeriodicBox<V> {
    type Error = crate::Error;

    fn try_from(raw: RawBox<V>) -> Result<Self> {
        Self::triclinic(raw.min, raw.sides, raw.tilts, raw.is_periodic)
    }
}

/// Refuses tilts that are out of range or not between periodic axes, and tilted boxes with a short side.
fn check_tilts<V: Vector>(sides: V, tilts: [f64; 3], is_periodic: [bool; 3]) -> Result<()> {
    for (value, (axis, along)) in tilts.into_iter().zip(TILTED) {
        let is_tilt = is_length(value.abs()) && is_periodic[axis] && is_periodic[along];
        if value != 0.0 && !is_tilt {
            let valid = "a tilt that is 0 or within ±[2^-150, 2^150], of two periodic axes";
            return Err(Error(Cause::PeriodicSide { axis, value, valid }));
        }
    }
    if tilts != [0.0; 3] {
        let periodic = || (0..V::DIM).filter(|&axis| is_periodic[axis]);
        let longest = periodic().fold(0.0, |longest: f64, axis| longest.max(sides[axis]));
        for axis in periodic() {
            let value = sides[axis];
            if value * PERIODIC_ASPECT < longest {
                let valid = "a side of a tilted box, which is at least 1/1024 of the longest side";
                return Err(Error(Cause::PeriodicSide { axis, value, valid }));
            }
        }
    }
    Ok(())
}

/// For xy, xz and yz: the axis whose lattice vector is tilted, and the axis along which it is tilted.
const TILTED: [(usize, usize); 3] = [(1, 0), (2, 0), (2, 1)];

/// Reduces a coordinate to within half a side of 0; returns the exact rest, and the number of sides subtracted.
#[inline]
fn reduce(x: f64, side: f64) -> (f64, f64) {
    let half = 0.5 * side;
    if side == 0.0 || x.abs() <= half {
        return (x, 0.0);
    }
    let rest = if x.abs() < side { x } else { x % side };
    let rest = if rest.abs() > half {
        rest - side.copysign(rest)
    } else {
        rest
    };
    (rest, ((x - rest) / side).round())
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec2;

    /// Bounds that only save time are safe and tight.
    #[test]
    fn bounds_are_tight() {
        let (min, sides) = (DVec2::new(-3.0, 5.0), DVec2::new(4.0, 8.0));
        let period = PeriodicBox::orthogonal(min, sides, [true; 3]).unwrap();
        assert!((2.0 - 1e-12..2.0).contains(&period.unique_within()));
        for far in [0.0, 1.0, 1e6] {
            let size = 2.0 * far + 2.0 * 8.0 + 4.0 * 12.0;
            let rounding = period.rounding(DVec2::new(far, -far));
            assert!((size * PERIODIC_IMAGE / rounding - 1.0).abs() < 1e-12);
        }
        assert!(period.contains(min) && !period.contains(min + sides));
        for axis in [DVec2::X, DVec2::Y] {
            let (last, end) = (min + 0.999 * sides * axis, min + sides * axis);
            assert!(period.contains(last) && !period.contains(end));
            assert!(!period.contains(min - 1e-9 * axis));
        }
    }
}
