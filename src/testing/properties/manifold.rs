//! Properties of kernels that report contact manifolds: points with names and shares of a load.
//!
//! They take any kernel whose contacts convert into a [`Manifold`], and work with your own names. Points of other
//! engines, which have a depth and nothing else, have [`depths_match`].

use std::fmt::Debug;

use glam::DVec3;

use super::{Numbers, ROUNDING, Rule, UNIT_NORMAL, Violation, deepest, is_finite};
use crate::math::{Pose, Vector};
use crate::narrow::{Contact, ContactManifold, NarrowPhase, PointFeature};

/// A contact manifold as the properties see it. `N` names the points.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifold<V, N = PointFeature> {
    /// The unit vector from the first body to the second.
    pub normal: V,
    /// The area of the contact.
    pub area: f64,
    /// The load.
    pub volume: f64,
    /// The center of the load.
    pub point: V,
    /// The points among which the load is shared.
    pub points: Vec<NamedPoint<V, N>>,
}

/// A point of a [`Manifold`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NamedPoint<V, N = PointFeature> {
    /// The name, unique in its manifold.
    pub name: N,
    /// The position at which the share acts.
    pub point: V,
    /// The depth, negative for a gap.
    pub overlap: f64,
    /// The share of the area.
    pub area: f64,
    /// The share of the load: the area times the depth beyond the margin.
    pub volume: f64,
    /// The index of the point of the previous step that this point continues.
    pub previous: Option<usize>,
}

impl From<ContactManifold> for Manifold<DVec3> {
    fn from(manifold: ContactManifold) -> Self {
        let points = manifold.points().iter().map(|p| NamedPoint {
            name: p.feature,
            point: p.point,
            overlap: p.overlap,
            area: p.area,
            volume: p.volume,
            previous: p.previous.map(usize::from),
        });
        Self {
            normal: manifold.normal,
            area: manifold.area,
            volume: manifold.volume,
            point: manifold.point,
            points: points.collect(),
        }
    }
}

impl<V: Vector, N> Numbers for Manifold<V, N> {
    fn are_finite(&self) -> bool {
        let is_good = |p: &NamedPoint<V, N>| {
            is_finite(p.point) && [p.overlap, p.area, p.volume].iter().all(|x| x.is_finite())
        };
        is_finite(self.normal)
            && is_finite(self.point)
            && self.area.is_finite()
            && self.volume.is_finite()
            && self.points.iter().all(is_good)
    }
}

impl<V: Vector, N: Copy + PartialEq> Manifold<V, N> {
    fn named(&self, name: N) -> Option<usize> {
        self.points.iter().position(|point| point.name == name)
    }

    /// Returns a length: the size of the area plus the largest distance of a point from the center.
    fn extent(&self) -> f64 {
        let size = match V::DIM {
            2 => self.area,
            _ => self.area.sqrt(),
        };
        let distances = self.points.iter().map(|p| (p.point - self.point).length());
        size + distances.fold(0.0, f64::max)
    }
}

/// Checks points that have a depth and nothing else, as many engines report them.
///
/// Each contact of the kernel is a point of the manifold. All have the same normal. The deepest has the overlap of the
/// bodies along it, and no point is farther from the surface of a body than its depth. So it may be on either body or
/// between them. `gap_along` returns the gap along a unit normal, and `distance_a` and `distance_b` the distance of a
/// point from the surface of a body, of either sign. [`gap_is`](super::kernel::gap_is) checks the normal.
/// `tolerance` is a length.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn depths_match<V: Vector, A, B>(
    kernel: &mut impl NarrowPhase<A, B, Contact: Into<Contact<V>>>,
    a: &A,
    b: &B,
    gap_along: impl Fn(&A, &B, V) -> f64,
    distance_a: impl Fn(&A, V) -> f64,
    distance_b: impl Fn(&B, V) -> f64,
    tolerance: f64,
) -> Result<(), Violation> {
    let rule = Rule("manifold::depths_match");
    let found: Vec<Contact<V>> = rule.contacts(kernel, a, b)?;
    let Some(deepest) = deepest(&found) else {
        return Ok(());
    };
    let normal = deepest.normal;
    rule.near("length of the normal", normal.length(), 1.0, UNIT_NORMAL)?;
    let what = "gap along the normal (a length)";
    rule.near(what, -deepest.overlap, gap_along(a, b, normal), tolerance)?;
    for contact in &found {
        rule.near_vector("normal of a point", contact.normal, normal, ROUNDING)?;
        let distance = distance_a(a, contact.point).abs();
        let farthest = distance.max(distance_b(b, contact.point).abs());
        rule.holds(farthest <= contact.overlap.abs() + tolerance, || {
            format!("distance (a length) of a point from a body {farthest:?} exceeds its depth: {contact:?}")
        })?;
    }
    Ok(())
}

/// Checks that manifolds are finite, and that the shares of the points add up to the whole.
///
/// Normals have unit length. Areas, volumes and depths beyond the margin are positive, and the volume of a
/// point is their product. The volumes of the points add up to the volume, their moments to its
/// moment. Their areas add up to at most the area, because a rim without depth has no point. A new state
/// has no points to continue.
/// `size` bounds all coordinates: moments agree to 1e-13 of the volume times `size`.
///
/// ```
/// use osculate::testing::properties::manifold;
/// use osculate::{ConvexPolyhedron, ElasticBed, Placed, Pose3, glam::DVec3};
///
/// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let tetrahedron = ConvexPolyhedron::from_convex_hull(&corners)?;
/// let [a, b] = [DVec3::ZERO, DVec3::new(0.25, 0.125, 0.5)]
///     .map(|at| Placed::new(&tetrahedron, Pose3::from_translation(at).unwrap()));
/// manifold::shares_add_up(&mut ElasticBed::new(), &a, &b, 0.0, 2.0)?;
/// manifold::swap_swaps_names(&mut ElasticBed::new(), &a, &b, 2.0, |a, b| a == b.swapped())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn shares_add_up<V: Vector, N: Copy + Debug + PartialEq, A, B>(
    kernel: &mut impl NarrowPhase<A, B, Contact: Into<Manifold<V, N>>>,
    a: &A,
    b: &B,
    margin: f64,
    size: f64,
) -> Result<(), Violation> {
    let rule = Rule("manifold::shares_add_up");
    let found: Vec<Manifold<V, N>> = rule.contacts(kernel, a, b)?;
    for manifold in &found {
        adds_up(rule, manifold, margin, ROUNDING * size)?;
    }
    Ok(())
}

fn adds_up<V: Vector, N: Copy + Debug + PartialEq>(
    rule: Rule,
    whole: &Manifold<V, N>,
    margin: f64,
    tolerance: f64,
) -> Result<(), Violation> {
    rule.near(
        "length of the normal",
        whole.normal.length(),
        1.0,
        UNIT_NORMAL,
    )?;
    let is_load = |area: f64, volume: f64| area > 0.0 && volume > 0.0;
    rule.holds(is_load(whole.area, whole.volume), || {
        format!("area or volume is not positive: {whole:?}")
    })?;
    let (mut area, mut volume, mut moment) = (0.0, 0.0, V::ZERO);
    for (i, point) in whole.points.iter().enumerate() {
        let is_valid = is_load(point.area, point.volume) && point.overlap > -margin;
        rule.holds(is_valid, || {
            format!("load or overlap beyond the margin is not positive: {point:?}")
        })?;
        let is_new = whole.named(point.name) == Some(i) && point.previous.is_none();
        rule.holds(is_new, || {
            format!("name is not unique, or continues a point of a new state: {point:?}")
        })?;
        let load = point.area * (point.overlap + margin);
        let what = "volume of a point (area times depth beyond the margin)";
        rule.near(
            what,
            load,
            point.volume,
            ROUNDING * (point.volume + margin * point.area),
        )?;
        area += point.area;
        volume += point.volume;
        moment = moment + (point.point - whole.point) * point.volume;
    }
    rule.near(
        "sum of the volumes",
        volume,
        whole.volume,
        ROUNDING * whole.volume,
    )?;
    rule.near_vector(
        "sum of the moments",
        moment,
        V::ZERO,
        tolerance * whole.volume,
    )?;
    rule.holds(area <= whole.area * (1.0 + ROUNDING), || {
        format!("sum of the areas: found {area:?}, at most {:?}", whole.area)
    })
}

/// Checks that swapping the bodies negates the normal bit for bit, and swaps the names.
///
/// `is_swapped` returns whether the second name is the first one with the bodies swapped, or an equivalent name.
/// Vertices at one place may be named after the body given first. `size` bounds all coordinates. Volumes agree to 1e-13
/// of the area times `size`, moments to this times `size`. Points with a smaller volume may be missing. Not for equal
/// bodies at equal poses.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn swap_swaps_names<V: Vector, N: Copy + Debug + PartialEq, B>(
    kernel: &mut impl NarrowPhase<B, B, Contact: Into<Manifold<V, N>>>,
    a: &B,
    b: &B,
    size: f64,
    is_swapped: impl Fn(N, N) -> bool,
) -> Result<(), Violation> {
    let rule = Rule("manifold::swap_swaps_names");
    let forth: Vec<Manifold<V, N>> = rule.contacts(kernel, a, b)?;
    let back: Vec<Manifold<V, N>> = rule.contacts(kernel, b, a)?;
    let normals = |found: &[Manifold<V, N>], sign: f64| -> Vec<V> {
        found.iter().map(|m| m.normal * sign).collect()
    };
    let what = "negated normals of the swapped bodies";
    rule.same_list(what, &normals(&back, -1.0), &normals(&forth, 1.0))?;
    for (forth, back) in forth.iter().zip(&back) {
        let allowed = ROUNDING * size * forth.area;
        rule.near(
            "volume of the swapped bodies",
            back.volume,
            forth.volume,
            allowed,
        )?;
        let mut left = back.points.clone();
        for point in &forth.points {
            let distance = |other: &NamedPoint<V, N>| (other.point - point.point).length();
            let is_same = |other: &NamedPoint<V, N>| {
                is_swapped(point.name, other.name)
                    && (other.volume - point.volume).abs() <= allowed
                    && distance(other) * point.volume <= allowed * size
            };
            let same = (0..left.len()).filter(|&i| is_same(&left[i]));
            let nearest = same.min_by(|&i, &j| distance(&left[i]).total_cmp(&distance(&left[j])));
            if let Some(i) = nearest {
                left.swap_remove(i);
            } else {
                rule.holds(point.volume <= allowed, || {
                    format!("{point:?} is missing among the points of the swapped bodies: {back:?}")
                })?;
            }
        }
        rule.holds(left.iter().all(|point| point.volume <= allowed), || {
            format!("points of the swapped bodies only: {left:?}")
        })?;
    }
    Ok(())
}

/// Checks that names, shares, points, depths and normals move with the bodies.
///
/// `pair` returns both bodies after a motion. Volumes may differ by `tolerance` (a length) times the area. Points with a
/// smaller volume may be missing. Points, depths and centers may differ by `tolerance`, those of small shares by more,
/// because they are quotients of moments and volumes: the difference times the volume may be `tolerance` times the area
/// times the extent of the contact. Normals may turn by `tolerance` over the extent. The extent is the size of the area
/// plus the largest distance of a point from the center. Not for ties: where two features coincide, rounding may decide
/// on the name.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn names_move_rigidly<V: Vector, N: Copy + Debug + PartialEq, A, B>(
    kernel: &mut impl NarrowPhase<A, B, Contact: Into<Manifold<V, N>>>,
    pair: impl Fn(&Pose<V>) -> (A, B),
    motion: &Pose<V>,
    tolerance: f64,
) -> Result<(), Violation> {
    let rule = Rule("manifold::names_move_rigidly");
    let (a, b) = pair(&Pose::IDENTITY);
    let mut old: Vec<Manifold<V, N>> = rule.contacts(kernel, &a, &b)?;
    let (a, b) = pair(motion);
    let new: Vec<Manifold<V, N>> = rule.contacts(kernel, &a, &b)?;
    for manifold in &mut old {
        manifold.normal = motion.transform_vector(manifold.normal);
        manifold.point = motion.transform_point(manifold.point);
        for point in &mut manifold.points {
            point.point = motion.transform_point(point.point);
        }
    }
    let allowed = same_shares(rule, &old, &new, tolerance)?;
    // Both, so that a new point counts.
    for (from, to) in [(&old, &new), (&new, &old)] {
        for (manifold, point) in with_points(from) {
            let extent = manifold.extent();
            let is_near = |difference: f64, volume: f64| {
                difference * volume <= tolerance * volume + allowed * extent
            };
            let is_same = |(other, there): (&Manifold<V, N>, &NamedPoint<V, N>)| {
                there.name == point.name
                    && is_near((there.point - point.point).length(), point.volume)
                    && is_near((there.overlap - point.overlap).abs(), point.volume)
                    && is_near((other.point - manifold.point).length(), manifold.volume)
                    && (other.normal - manifold.normal).length() * extent <= tolerance
            };
            let is_found = point.volume <= allowed || with_points(to).any(is_same);
            rule.holds(is_found, || {
                format!("{point:?} is on one side only, both after the motion: {from:?}, {to:?}")
            })?;
        }
    }
    Ok(())
}

/// Iterates over all points, each with its manifold.
fn with_points<V, N>(
    manifolds: &[Manifold<V, N>],
) -> impl Iterator<Item = (&Manifold<V, N>, &NamedPoint<V, N>)> {
    manifolds
        .iter()
        .flat_map(|manifold| manifold.points.iter().map(move |p| (manifold, p)))
}

/// Checks that a small motion changes the shares of the names by little.
///
/// `before` and `after` are two nearby positions of the same bodies, `tolerance` a length: some times
/// the displacement of any point. Volumes may differ by `tolerance` times the area. So names come and go
/// with small shares only. Not for kernels that merge points.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn shares_follow_motion<V: Vector, N: Copy + Debug + PartialEq, A, B>(
    kernel: &mut impl NarrowPhase<A, B, Contact: Into<Manifold<V, N>>>,
    before: &(A, B),
    after: &(A, B),
    tolerance: f64,
) -> Result<(), Violation> {
    let rule = Rule("manifold::shares_follow_motion");
    let old: Vec<Manifold<V, N>> = rule.contacts(kernel, &before.0, &before.1)?;
    let new: Vec<Manifold<V, N>> = rule.contacts(kernel, &after.0, &after.1)?;
    same_shares(rule, &old, &new, tolerance)?;
    Ok(())
}

/// Compares the volumes of the names, and returns by how much they may differ.
fn same_shares<V: Vector, N: Copy + Debug + PartialEq>(
    rule: Rule,
    old: &[Manifold<V, N>],
    new: &[Manifold<V, N>],
    tolerance: f64,
) -> Result<f64, Violation> {
    let area = |found: &[Manifold<V, N>]| -> f64 { found.iter().map(|m| m.area).sum() };
    let allowed = tolerance * area(old).max(area(new));
    let share = |found: &[Manifold<V, N>], name: N| -> f64 {
        let of_name = with_points(found).filter(|(_, point)| point.name == name);
        of_name.map(|(_, point)| point.volume).sum()
    };
    // Both, so that a new point counts.
    for (_, point) in with_points(old).chain(with_points(new)) {
        let what = format!("volume of the name {:?}", point.name);
        let [old, new] = [old, new].map(|side| share(side, point.name));
        rule.near(&what, new, old, allowed)?;
    }
    Ok(allowed)
}

/// Checks that scaling the bodies by 2^`exponent` scales the manifold bit for bit, and keeps its names.
///
/// `pair` returns the bodies times a factor. The kernel has no margin.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn names_scale_exactly<V: Vector, N: Copy + Debug + PartialEq, A, B>(
    kernel: &mut impl NarrowPhase<A, B, Contact: Into<Manifold<V, N>>>,
    pair: impl Fn(f64) -> (A, B),
    exponent: i32,
) -> Result<(), Violation> {
    let rule = Rule("manifold::names_scale_exactly");
    let factor = 2.0_f64.powi(exponent);
    let (a, b) = pair(1.0);
    let mut expected: Vec<Manifold<V, N>> = rule.contacts(kernel, &a, &b)?;
    for manifold in &mut expected {
        let area = factor.powi(V::DIM as i32 - 1);
        manifold.area *= area;
        manifold.volume *= area * factor;
        manifold.point = manifold.point * factor;
        for point in &mut manifold.points {
            point.point = point.point * factor;
            point.overlap *= factor;
            point.area *= area;
            point.volume *= area * factor;
        }
    }
    let (a, b) = pair(factor);
    let found: Vec<Manifold<V, N>> = rule.contacts(kernel, &a, &b)?;
    let what = format!("manifolds of the bodies times 2^{exponent}");
    rule.same_list(&what, &found, &expected)
}
