//! Of kernels that give the volume two bodies share, and its gradient.

use std::collections::BTreeMap;
use std::fmt::Debug;

use glam::{DQuat, DVec3};

use super::{Violation, contacts, expect_equal, expect_near, expect_near_vector};
use crate::math::{Pose, Pose3, Vector};
use crate::narrow::{ContactVolume, NarrowPhase};

/// What rounding may do, in parts of the size to the power that fits.
const ROUNDING: f64 = 1e-13;

/// The volumes of all contacts add up to `volume`, say that of an oracle, or of a body with itself.
///
/// # Errors
/// [`Violation`].
pub fn volume_is<V: Vector, A, B, C>(
    kernel: &mut impl NarrowPhase<A, B, Contact = C>,
    a: &A,
    b: &B,
    volume: f64,
    tolerance: f64,
    view: impl Fn(&C) -> ContactVolume<V>,
) -> Result<(), Violation> {
    let (found, _) = volume_and_area(&contacts(kernel, a, b, view));
    expect_near("volume", found, volume, tolerance)
}

/// The volumes that a body shares with the `parts` of another add up to that with the whole, and
/// the area vectors do, to 1e-13 of `size` to the power of the dimension.
///
/// For parts whose cuts do not lie in faces of the body.
///
/// # Errors
/// [`Violation`].
pub fn volume_adds_up<V: Vector, A, B, C>(
    kernel: &mut impl NarrowPhase<A, B, Contact = C>,
    a: &A,
    whole: &B,
    parts: &[B],
    size: f64,
    view: impl Fn(&C) -> ContactVolume<V>,
) -> Result<(), Violation> {
    let expected = volume_and_area(&contacts(kernel, a, whole, &view));
    let mut found = (0.0, V::ZERO);
    for part in parts {
        let (volume, area) = volume_and_area(&contacts(kernel, a, part, &view));
        found = (found.0 + volume, found.1 + area);
    }
    let (dim, what) = (V::DIM as i32, "area vectors of the parts");
    expect_near(
        "volume of the parts",
        found.0,
        expected.0,
        ROUNDING * size.powi(dim),
    )?;
    expect_near_vector(what, found.1, expected.1, ROUNDING * size.powi(dim - 1))
}

/// The area vector and the moment vector are the derivatives of the volume for translations and
/// rotations of either body, by differences of the fourth order at a distance of `step` (for
/// rotations, `step` over `size`).
///
/// `bodies` gives both bodies with a motion applied to each. The tolerance, an area, has to allow
/// for the differences, and for poses at which a vertex passes a face. Bodies of the plane are moved
/// by what a motion is in the plane, and their contacts viewed with S and the point in it and G along
/// z; so they are for [`closed_cycle_does_no_work`].
///
/// # Errors
/// [`Violation`].
pub fn volume_gradient<A, B, C>(
    kernel: &mut impl NarrowPhase<A, B, Contact = C>,
    bodies: impl Fn([&Pose3; 2]) -> (A, B),
    [size, step]: [f64; 2],
    tolerance: f64,
    view: impl Fn(&C) -> ContactVolume<DVec3>,
) -> Result<(), Violation> {
    let still = Pose3::IDENTITY;
    let (a, b) = bodies([&still, &still]);
    let found = contacts(kernel, &a, &b, &view);
    let (_, area) = volume_and_area(&found);
    let moments = found.iter().map(|c| c.moment_vector_about(DVec3::ZERO));
    let moment = moments.fold(DVec3::ZERO, |sum, m| sum + m);
    let mut volume = |body: usize, motion: Pose3| {
        let mut motions = [&still; 2];
        motions[body] = &motion;
        let (a, b) = bodies(motions);
        volume_and_area(&contacts(kernel, &a, &b, &view)).0
    };
    for (body, sign) in [(0, 1.0), (1, -1.0)] {
        for (axis, unit) in DVec3::AXES.into_iter().enumerate() {
            let shift = |x: f64| Pose3::from_translation(unit * x);
            // By an angle of x / size, to the third power of it.
            let turn = |x: f64| {
                let half = unit * (0.5 * x / size);
                Pose3::new_normalize(DQuat::from_vec4(half.extend(1.0)), DVec3::ZERO)
            };
            let mut slope = |motion: &dyn Fn(f64) -> crate::error::Result<Pose3>| {
                let mut at = |x: f64| Ok::<f64, Violation>(volume(body, motion(x)?));
                let near = at(step)? - at(-step)?;
                let far = at(2.0 * step)? - at(-2.0 * step)?;
                Ok::<f64, Violation>(sign * (8.0 * near - far) / (12.0 * step))
            };
            let what = format!("of body {body} along axis {axis}");
            expect_near(
                &format!("area vector {what}"),
                area[axis],
                slope(&shift)?,
                tolerance,
            )?;
            let turned = slope(&turn)?;
            let what = format!("moment vector over the size {what}");
            expect_near(&what, moment[axis] / size, turned, tolerance)?;
        }
    }
    Ok(())
}

/// Swapping the bodies negates area and moment vectors and keeps volumes, points and kinds, bit for
/// bit and in the same order.
///
/// # Errors
/// [`Violation`].
pub fn volume_swap_negates<V: Vector, B, C>(
    kernel: &mut impl NarrowPhase<B, B, Contact = C>,
    [a, b]: [&B; 2],
    view: impl Fn(&C) -> ContactVolume<V>,
) -> Result<(), Violation> {
    let forth = contacts(kernel, a, b, &view);
    let mut back = contacts(kernel, b, a, &view);
    for contact in &mut back {
        contact.area_vector = -contact.area_vector;
        contact.moment_vector = -contact.moment_vector;
    }
    expect_equal("contacts of the swapped bodies", &back, &forth)
}

/// Volume, area vector, and moment vector about a point that moves along, are those of the bodies
/// where they were, to 1e-13 of `size` (the extent of all coordinates, before the motion and after)
/// to the power that fits. So nothing depends on the origin.
///
/// `pair` gives both bodies after a motion.
///
/// # Errors
/// [`Violation`].
pub fn volume_moves_rigidly<V: Vector, A, B, C>(
    kernel: &mut impl NarrowPhase<A, B, Contact = C>,
    pair: impl Fn(&Pose<V>) -> (A, B),
    motion: &Pose<V>,
    size: f64,
    view: impl Fn(&C) -> ContactVolume<V>,
) -> Result<(), Violation> {
    let (a, b) = pair(&Pose::IDENTITY);
    let before = contacts(kernel, &a, &b, &view);
    let (a, b) = pair(motion);
    let after = contacts(kernel, &a, &b, &view);
    let ((old, old_area), (new, new_area)) = (volume_and_area(&before), volume_and_area(&after));
    let moved = motion.transform_vector(old_area);
    let dim = V::DIM as i32;
    expect_near("volume after a motion", new, old, ROUNDING * size.powi(dim))?;
    let tolerance = ROUNDING * size.powi(dim - 1);
    expect_near_vector("area vector after a motion", new_area, moved, tolerance)?;
    // A moment by its products with the area vector, which are vectors in 2D too.
    let about = before.first().map_or(V::ZERO, |c| c.point);
    let moment = |found: &[ContactVolume<V>], about: V| {
        let moments = found.iter().map(|c| c.moment_vector_about(about));
        moments.fold(V::Moment::default(), |sum, m| sum + m)
    };
    let (old, new) = (
        moment(&before, about),
        moment(&after, motion.transform_point(about)),
    );
    let tolerance = tolerance * size.powi(dim);
    let (found, expected) = (new_area.dot_moment(new), old_area.dot_moment(old));
    expect_near("S.G after a motion", found, expected, tolerance)?;
    let (found, expected) = (new_area.cross_moment(new), old_area.cross_moment(old));
    expect_near_vector(
        "S x G after a motion",
        found,
        motion.transform_vector(expected),
        tolerance,
    )
}

/// If all lengths are multiplied by 2^`exponent`, what the contacts hold is multiplied by the power
/// of it that fits, bit for bit. `pair` gives the bodies times a factor.
///
/// # Errors
/// [`Violation`].
pub fn volume_scales_exactly<V: Vector, A, B, C>(
    kernel: &mut impl NarrowPhase<A, B, Contact = C>,
    pair: impl Fn(f64) -> (A, B),
    exponent: i32,
    view: impl Fn(&C) -> ContactVolume<V>,
) -> Result<(), Violation> {
    let factor = 2.0_f64.powi(exponent);
    let (area, volume) = (factor.powi(V::DIM as i32 - 1), factor.powi(V::DIM as i32));
    let (a, b) = pair(1.0);
    let mut expected = contacts(kernel, &a, &b, &view);
    for contact in &mut expected {
        contact.volume *= volume;
        contact.area_vector = contact.area_vector * area;
        contact.moment_vector = contact.moment_vector * volume;
        contact.point = contact.point * factor;
    }
    let (a, b) = pair(factor);
    let found = contacts(kernel, &a, &b, &view);
    let what = format!("contacts of the bodies times 2^{exponent}");
    expect_equal(&what, &found, &expected)
}

/// Volume and area vector are those of the bodies at sizes from 1e-9 to 1e9, to 1e-13 of the size to
/// the power that fits. `pair` gives the bodies times a factor; at a factor of 1 all coordinates are
/// within `size`.
///
/// For bodies whose faces do not lie on each other, where the area vector may jump.
///
/// # Errors
/// [`Violation`].
pub fn volume_accurate_at_any_scale<V: Vector, A, B, C>(
    kernel: &mut impl NarrowPhase<A, B, Contact = C>,
    pair: impl Fn(f64) -> (A, B),
    size: f64,
    view: impl Fn(&C) -> ContactVolume<V>,
) -> Result<(), Violation> {
    let mut of_size = |factor: f64| {
        let (a, b) = pair(factor);
        volume_and_area(&contacts(kernel, &a, &b, &view))
    };
    let (volume, area) = of_size(1.0);
    for factor in [1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9_f64] {
        let (of_volume, of_area) = (factor.powi(V::DIM as i32), factor.powi(V::DIM as i32 - 1));
        let [volume_error, area_error] =
            [V::DIM as i32, V::DIM as i32 - 1].map(|power| ROUNDING * (size * factor).powi(power));
        let (found, found_area) = of_size(factor);
        let what = format!("volume of the bodies times {factor:e}");
        expect_near(&what, found, volume * of_volume, volume_error)?;
        let what = format!("area vector of the bodies times {factor:e}");
        expect_near_vector(&what, found_area, area * of_area, area_error)?;
    }
    Ok(())
}

/// Of the segments of a curve, each with a name and a position of its start and its end, as many
/// start as end at each node, always at the same position to the bit; so they make up closed loops,
/// and add up to 0.
///
/// ```
/// use osculate::{narrow::{CurveNode, CurveSegment}, testing::laws};
///
/// fn closes(curve: &[CurveSegment]) -> Result<(), laws::Violation> {
///     let name = |node: CurveNode| (node.is_edge_of_first, node.edge, node.facet);
///     laws::curve_closes(curve.iter().map(|s| s.ends.map(|node| (name(node), node.position))))
/// }
/// assert!(closes(&[]).is_ok());
/// # let node = |i: u32| CurveNode {
/// #     position: osculate::glam::DVec3::X * f64::from(i), is_edge_of_first: true, edge: [0, 1], facet: i,
/// # };
/// # let segment = |i, j| CurveSegment { ends: [node(i), node(j)], facets: [0, 0], contact: 0 };
/// # assert!(closes(&[segment(0, 1), segment(1, 2), segment(2, 0)]).is_ok());
/// # assert!(closes(&[segment(0, 1), segment(1, 2)]).is_err());
/// ```
///
/// # Errors
/// [`Violation`].
pub fn curve_closes<V: Vector, N: Ord + Debug>(
    segments: impl IntoIterator<Item = [(N, V); 2]>,
) -> Result<(), Violation> {
    let mut nodes: BTreeMap<N, (i32, V)> = BTreeMap::new();
    for ends in segments {
        for ((name, position), step) in ends.into_iter().zip([1, -1]) {
            let node = nodes.entry(name).or_insert((0, position));
            node.0 += step;
            expect_equal("position of a node", &position, &node.1)?;
        }
    }
    for (name, (excess, _)) in &nodes {
        expect_equal(&format!("starts less ends at {name:?}"), excess, &0)?;
    }
    Ok(())
}

/// A body that is taken along a closed path gives back the work that it took: what an elastic
/// contact must do, and one whose force lacks its couple does not.
///
/// `wrench` gives the force on the body at a pose and the moment about its origin; `path` is closed,
/// `path(1.0) = path(0.0)`, and is followed in so many `steps`. The work of a step is taken from the
/// wrenches at its ends: the tolerance, an energy, falls as steps^-2.
///
/// # Errors
/// [`Violation`].
pub fn closed_cycle_does_no_work(
    mut wrench: impl FnMut(&Pose3) -> (DVec3, DVec3),
    path: impl Fn(f64) -> Pose3,
    steps: u32,
    tolerance: f64,
) -> Result<(), Violation> {
    let mut here = path(0.0);
    let (mut work, mut last) = (0.0, wrench(&here));
    for step in 1..=steps {
        let there = path(f64::from(step) / f64::from(steps));
        let next = wrench(&there);
        let turn = there.rotation() * here.rotation().conjugate();
        // Twice the sine of half the angle, for the angle.
        let angle = turn.xyz() * (2.0 * turn.w.signum());
        let moved = there.translation() - here.translation();
        work += 0.5 * ((last.0 + next.0).dot(moved) + (last.1 + next.1).dot(angle));
        (here, last) = (there, next);
    }
    expect_near("work of a closed path", work, 0.0, tolerance)
}

fn volume_and_area<V: Vector>(contacts: &[ContactVolume<V>]) -> (f64, V) {
    let add = |(volume, area), c: &ContactVolume<V>| (volume + c.volume, area + c.area_vector);
    contacts.iter().fold((0.0, V::ZERO), add)
}
