mod images;

#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Result};
use crate::math::tolerance::{PERIODIC_ASPECT, PERIODIC_IMAGE, PERIODIC_SIDE};
use crate::math::{MAX_LENGTH, Vector, check_position, is_length};

/// The longest side: images of what is in a box must be within the domain, too.
const MAX_SIDE: f64 = MAX_LENGTH * 0.25;

/// A box that repeats without end along some or all of its axes, orthogonal or triclinic.
///
/// Its lattice vectors are `a = (x, 0, 0)`, `b = (xy, y, 0)`, `c = (xz, yz, z)` (in 2D `a`, `b`)
/// with the sides x, y, z and the tilts xy, xz, yz. Tilts are reduced to at most half a side,
/// which changes the vectors but not the lattice; so Lees-Edwards shear is a tilt that grows.
///
/// Positions are wrapped into the brick of the sides, tilted or not: bricks that are shifted
/// against each other fill space as well as parallelepipeds do, and the brick stays while the box
/// is sheared. All vectors of the lattice are at least as long as the shortest side. So images
/// are unique as long as bodies interact over at most half that side, whatever the tilt.
///
/// ```
/// use osculate::{PeriodicBox, glam::DVec2};
///
/// // 8 wide and periodic along x, open along y.
/// let channel = PeriodicBox::orthogonal(DVec2::ZERO, DVec2::new(8.0, 0.0), [true, false, false])?;
/// assert_eq!(channel.wrap(DVec2::new(-1.0, 50.0)), DVec2::new(7.0, 50.0));
/// assert_eq!(channel.minimum_image(DVec2::new(7.0, 50.0)), DVec2::new(-1.0, 50.0));
///
/// let sheared = PeriodicBox::triclinic(DVec2::ZERO, DVec2::splat(8.0), [1.0, 0.0, 0.0], [true; 3])?;
/// assert_eq!(sheared.wrap(DVec2::new(2.0, 9.0)), DVec2::new(1.0, 1.0));
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "Parts<V>",
        into = "Parts<V>",
        bound(
            serialize = "V: Vector + serde::Serialize",
            deserialize = "V: Vector + serde::Deserialize<'de>"
        )
    )
)]
pub struct PeriodicBox<V = glam::DVec3> {
    /// Infinite along axes that are not periodic, as is `max`.
    min: V,
    max: V,
    /// 0 along axes that are not periodic.
    sides: V,
    /// Differences of coordinates that images need not be thought of below.
    far: V,
    /// xy, xz, yz.
    tilts: [f64; 3],
    is_periodic: [bool; 3],
}

impl<V: Vector> PeriodicBox<V> {
    /// A box with sides along the axes, from its lower corner. Along axes that are not periodic
    /// corner and side are not used; in 2D there is no third axis.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Coordinate`] (index 0) if the corner is out of range. Returns
    /// [`ErrorKind::PeriodicBox`] if a side is not within [2^-150, 2^148], or is shorter than 2^-32
    /// of the corner's coordinate.
    pub fn orthogonal(min: V, sides: V, is_periodic: [bool; 3]) -> Result<Self> {
        Self::triclinic(min, sides, [0.0; 3], is_periodic)
    }

    /// A box whose lattice vectors are tilted by `[xy, xz, yz]`.
    ///
    /// The tilts are reduced to at most half a side: xy and yz exactly, xz after the multiple of
    /// xy that comes with the reduction of yz.
    ///
    /// # Errors
    /// As for [`orthogonal`](Self::orthogonal). Returns [`ErrorKind::PeriodicBox`], with the axis
    /// of its lattice vector, if a tilt is out of range, or is not 0 and one of its axes is not
    /// periodic. In a tilted box the same holds for a side if another is more than 1024 times as
    /// long.
    pub fn triclinic(min: V, sides: V, tilts: [f64; 3], is_periodic: [bool; 3]) -> Result<Self> {
        check_position(0, min)?;
        let is_periodic: [bool; 3] = std::array::from_fn(|axis| axis < V::DIM && is_periodic[axis]);
        let periodic = || (0..V::DIM).filter(|&axis| is_periodic[axis]);
        for axis in periodic() {
            let value = sides[axis];
            let is_side = value > 0.0 && is_length(value) && value <= MAX_SIDE;
            if !is_side || value < min[axis].abs() * PERIODIC_SIDE {
                let valid =
                    "a side within [2^-150, 2^148] and at least 2^-32 of its corner's coordinate";
                return Err(Cause::PeriodicSide { axis, value, valid }.into());
            }
            let value = min[axis];
            if value.abs() > 2.0 * MAX_SIDE {
                return Err(Cause::Coordinate {
                    index: 0,
                    axis,
                    value,
                }
                .into());
            }
        }
        for (value, (axis, along)) in tilts.into_iter().zip(TILTED) {
            let is_tilt = is_length(value.abs()) && is_periodic[axis] && is_periodic[along];
            if value != 0.0 && !is_tilt {
                let valid = "a tilt that is 0 or within ±[2^-150, 2^150], of two periodic axes";
                return Err(Cause::PeriodicSide { axis, value, valid }.into());
            }
        }
        if tilts != [0.0; 3] {
            let longest = periodic().fold(0.0, |longest: f64, axis| longest.max(sides[axis]));
            for axis in periodic() {
                let value = sides[axis];
                if value * PERIODIC_ASPECT < longest {
                    let valid =
                        "a side of a tilted box, which is at least 1/1024 of the longest side";
                    return Err(Cause::PeriodicSide { axis, value, valid }.into());
                }
            }
        }
        let sides = V::from_fn(|axis| if is_periodic[axis] { sides[axis] } else { 0.0 });
        let [xy, xz, yz] = tilts;
        let (xy, _) = reduce(xy, sides[0]);
        let (yz, periods) = reduce(yz, sides[1]);
        let (xz, _) = reduce(xz - periods * xy, sides[0]);
        let or_infinite = |value: V, infinite: f64| {
            V::from_fn(|axis| {
                if is_periodic[axis] {
                    value[axis]
                } else {
                    infinite
                }
            })
        };
        Ok(Self {
            min: or_infinite(min, f64::NEG_INFINITY),
            max: or_infinite(min + sides, f64::INFINITY),
            sides,
            far: or_infinite(sides * 0.999, f64::INFINITY),
            tilts: [xy, xz, yz],
            is_periodic,
        })
    }

    /// The lower corner; -infinity along axes that are not periodic.
    pub const fn min(&self) -> V {
        self.min
    }

    /// Returns the side lengths; 0 along axes that are not periodic.
    pub const fn lengths(&self) -> V {
        self.sides
    }

    /// The reduced tilts `[xy, xz, yz]`.
    pub const fn tilts(&self) -> [f64; 3] {
        self.tilts
    }

    /// Which axes are periodic.
    pub const fn is_periodic(&self) -> [bool; 3] {
        self.is_periodic
    }

    /// The position's image in the box: not below its lower faces, and below its upper ones. What
    /// is in the box stays as it is, bit for bit.
    ///
    /// About 1 ns for a position in the box, 20 ns for others. Far out, where coordinates do not
    /// resolve the box, any of its points.
    #[inline]
    pub fn wrap(&self, position: V) -> V {
        if self.contains(position) {
            position
        } else {
            self.wrap_counted(position).0
        }
    }

    /// How many periods along each lattice vector a position is from its image in the box:
    /// `wrap(x) + lattice_vector(image_index(x))` is x but for rounding. Saturates.
    pub fn image_index(&self, position: V) -> [i32; 3] {
        self.wrap_counted(position).1.map(|periods| periods as i32)
    }

    /// The sum of so many of each lattice vector: from a position to its image with these counts.
    #[inline]
    pub fn lattice_vector(&self, image: [i32; 3]) -> V {
        let counts = image.map(f64::from);
        V::from_fn(|axis| self.tilt_shift(counts, axis) + counts[axis] * self.sides[axis])
    }

    /// Returns the minimum image of a difference of two positions: the image in the brick around 0, which is the
    /// shortest one if it is shorter than half the shortest side.
    ///
    /// Exact in an orthogonal box; in a tilted one to the rounding of the sums of tilts.
    #[inline]
    #[must_use]
    pub fn minimum_image(&self, delta: V) -> V {
        let mut nearest = [0.0; 3];
        let mut counts = [0.0; 3];
        for axis in (0..V::DIM).rev() {
            let shifted = delta[axis] - self.tilt_shift(counts, axis);
            (nearest[axis], counts[axis]) = reduce(shifted, self.sides[axis]);
        }
        V::from_fn(|axis| nearest[axis])
    }

    /// Returns the image of the position `of` that is nearest to the position `to`, for a kernel that takes two
    /// bodies at world positions: `to` + [`minimum_image`](Self::minimum_image)(`of` - `to`).
    ///
    /// A position that needs no shift is returned bit for bit.
    #[inline]
    #[must_use]
    pub fn nearest_image(&self, of: V, to: V) -> V {
        let delta = of - to;
        let nearest = self.minimum_image(delta);
        if nearest == delta { of } else { to + nearest }
    }

    /// Distances below this are of one image only, also between images that have been rounded.
    pub(crate) fn unique_within(&self) -> f64 {
        let along = |axis: usize| {
            let slack = (self.min[axis].abs() + self.sides[axis]) * PERIODIC_IMAGE;
            0.5 * (self.sides[axis] - slack)
        };
        let axes = (0..V::DIM).filter(|&axis| self.is_periodic[axis]);
        axes.map(along).fold(f64::INFINITY, f64::min)
    }

    /// Refuses a radius of which two cut-offs are wider than the box.
    pub(crate) fn check_radius(&self, radius: f64) -> Result<()> {
        let cut_off = 2.0 * radius;
        for axis in (0..V::DIM).filter(|&axis| self.is_periodic[axis]) {
            let width = self.sides[axis];
            if width < 2.0 * cut_off {
                return Err(Cause::PeriodTooShort {
                    axis,
                    width,
                    cut_off,
                }
                .into());
            }
        }
        Ok(())
    }

    /// By how much the distance of any two bodies can have changed since an earlier box because
    /// the lattice has: bodies that are near each other in a box are at most 3, 2 and 1 of its
    /// lattice vectors apart. Infinite for a box that is quite another.
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

    /// A bound of what rounding does to differences of positions in the box, or of one in the box
    /// and `position`.
    #[inline]
    pub(crate) fn rounding(&self, position: V) -> f64 {
        let size = |axis: usize| position[axis].abs() + 2.0 * self.min[axis].abs();
        let along = |axis: usize| size(axis) + 4.0 * self.sides[axis];
        let axes = (0..V::DIM).filter(|&axis| self.is_periodic[axis]);
        axes.map(along).sum::<f64>() * PERIODIC_IMAGE
    }

    #[inline]
    fn contains(&self, position: V) -> bool {
        let is_between =
            |axis: usize| (self.min[axis] <= position[axis]) & (position[axis] < self.max[axis]);
        (0..V::DIM).fold(true, |all, axis| all & is_between(axis))
    }

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
                // Rounding may put what is just below a face onto the upper one.
                wrapped[axis] = if inside >= max { min } else { inside };
                counts[axis] = ((x - wrapped[axis]) / side).round();
            }
        }
        (V::from_fn(|axis| wrapped[axis]), counts)
    }

    /// By how much so many periods along the later axes shift along this one.
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

/// What is written of a box: what it is made of, 0 along axes that are not periodic.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Parts<V> {
    min: V,
    sides: V,
    tilts: [f64; 3],
    is_periodic: [bool; 3],
}

#[cfg(feature = "serde")]
impl<V: Vector> From<PeriodicBox<V>> for Parts<V> {
    fn from(period: PeriodicBox<V>) -> Self {
        let PeriodicBox {
            min,
            sides,
            tilts,
            is_periodic,
            ..
        } = period;
        Self {
            min: V::from_fn(|axis| if is_periodic[axis] { min[axis] } else { 0.0 }),
            sides,
            tilts,
            is_periodic,
        }
    }
}

#[cfg(feature = "serde")]
impl<V: Vector> TryFrom<Parts<V>> for PeriodicBox<V> {
    type Error = crate::Error;

    fn try_from(parts: Parts<V>) -> Result<Self> {
        Self::triclinic(parts.min, parts.sides, parts.tilts, parts.is_periodic)
    }
}

/// Of xy, xz and yz: the axis whose lattice vector is tilted, and the axis along which.
const TILTED: [(usize, usize); 3] = [(1, 0), (2, 0), (2, 1)];

/// The rest within half a side of 0, and how many sides were taken away. The rest is exact.
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

    /// What saves time only, and no answer depends on: bounds must be safe, and not far off.
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
