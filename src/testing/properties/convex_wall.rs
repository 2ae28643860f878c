//! Properties of kernels for a convex polyhedron and a meshed wall.
//!
//! Properties of any pair hold too: [`kernel::moves_rigidly`], [`kernel::scales_exactly`] and
//! [`kernel::independent_of_state`]. Those of [`manifold`] take [`WallManifolds`].
//!
//! [`kernel::moves_rigidly`]: super::kernel::moves_rigidly
//! [`kernel::scales_exactly`]: super::kernel::scales_exactly
//! [`kernel::independent_of_state`]: super::kernel::independent_of_state

use std::borrow::Borrow;
use std::fmt::Debug;

use glam::DVec3;

use super::manifold::{self, Manifold};
use super::{ROUNDING, Rule, Violation};
use crate::math::{Pose3, closest_on_polygon};
use crate::narrow::{Contact, ContactManifold, ConvexWall, ConvexWallState, NarrowPhase, Wall};
use crate::shape::{ConvexPolyhedron, Placed, SurfaceMesh};
use crate::testing::oracle::{self, LatticeContact};
use crate::testing::workload::{LatticeScene, rewritten};

/// Rounding error of normals across edges of the wall.
const NORMALS: f64 = 1e-11;

type Body<'a> = Placed<&'a ConvexPolyhedron>;

/// A kernel for the manifolds of [`ConvexWall::for_each_manifold`].
#[derive(Clone, Debug)]
pub struct WallManifolds(pub ConvexWall);

impl<S: Borrow<ConvexPolyhedron>> NarrowPhase<Placed<S>, Wall> for WallManifolds {
    type Contact = ContactManifold;
    type State = ConvexWallState;

    fn for_each_contact(
        &mut self,
        body: &Placed<S>,
        wall: &Wall,
        state: &mut ConvexWallState,
        mut visit: impl FnMut(ContactManifold),
    ) {
        self.0
            .for_each_manifold(body, wall, state, |_, manifold| visit(manifold));
    }
}

/// Checks that contact points are on the wall and inside the body, and that overlaps belong to the normals.
///
/// The overlap is how far the body reaches beyond the point along the normal. It is at least the depth of the
/// point. Lengths agree to 1e-13 of `size`, which bounds all coordinates. O(facets).
///
/// ```
/// use osculate::narrow::ConvexWall;
/// use osculate::testing::{properties::convex_wall, workload::{LatticeScene, WallFamily}};
/// use osculate::{Placed, Pose3, Wall};
///
/// let scene = LatticeScene::new(WallFamily::Corner, 3);
/// let (shape, wall) = (scene.body(1.0)?, Wall::new(scene.mesh(1.0)?));
/// let body = Placed::new(&shape, Pose3::IDENTITY);
/// let kernel = &mut ConvexWall::new();
/// convex_wall::points_in_both(kernel, &body, &wall, 2e3)?;
/// convex_wall::independent_of_mesh(kernel, &body, wall.mesh(), 2e3, 1)?;
/// convex_wall::finds_lattice_contacts(kernel, &scene, 1.0)?;
/// # Ok::<(), osculate::testing::properties::Violation>(())
/// ```
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn points_in_both<C: Into<Contact>>(
    kernel: &mut impl for<'a> NarrowPhase<Body<'a>, Wall, Contact = C>,
    body: &Body,
    wall: &Wall,
    size: f64,
) -> Result<(), Violation> {
    let rule = Rule("convex_wall::points_in_both");
    let found: Vec<Contact> = rule.contacts(kernel, body, wall)?;
    rule.valid_contacts(&found, 0.0)?;
    let tolerance = ROUNDING * size;
    let distance = |x: DVec3| {
        let x = wall.pose().inverse_transform_point(x);
        let facets = wall.mesh().facets();
        let distances = facets.map(|facet| {
            let corners: Vec<DVec3> = facet.corners().collect();
            closest_on_polygon(x, &corners).distance_squared.sqrt()
        });
        distances.fold(f64::INFINITY, f64::min)
    };
    for contact in &found {
        let what = "distance of the point from the wall";
        rule.near(what, distance(contact.point), 0.0, tolerance)?;
        let reach = support(body, contact.normal, contact.point);
        rule.near("overlap (a length)", contact.overlap, reach, tolerance)?;
        let faces = body.shape.surface().facets();
        let depths = faces.map(|face| {
            support(
                body,
                body.pose.transform_vector(face.normal()),
                contact.point,
            )
        });
        let depth = depths.fold(f64::INFINITY, f64::min);
        rule.holds(depth > 0.0 && depth <= contact.overlap + tolerance, || {
            format!("depth of the point {depth:?} is not within the overlap: {contact:?}")
        })?;
    }
    Ok(())
}

/// Returns how far a body reaches beyond a point along a normal.
fn support(body: &Body, normal: DVec3, point: DVec3) -> f64 {
    let vertices = body.shape.vertices().iter();
    let heights = vertices.map(|&v| normal.dot(body.pose.transform_point(v) - point));
    heights.fold(f64::NEG_INFINITY, f64::max)
}

/// Checks that normals and overlaps do not depend on how the wall is written down.
///
/// Overlaps agree to 1e-13 of `size`, which bounds all coordinates, and normals to 1e-11. The other wall comes
/// from [`rewritten`]: midpoints of edges must be exact, as on a lattice.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn independent_of_mesh<B>(
    kernel: &mut impl NarrowPhase<B, Wall, Contact: Into<Contact>>,
    body: &B,
    mesh: &SurfaceMesh,
    size: f64,
    seed: u64,
) -> Result<(), Violation> {
    let rule = Rule("convex_wall::independent_of_mesh");
    let expected: Vec<Contact> = rule.contacts(kernel, body, &Wall::new(mesh.clone()))?;
    let found: Vec<Contact> = rule.contacts(kernel, body, &Wall::new(rewritten(mesh, seed)?))?;
    // Where a face lies on the wall, the point is one of many.
    let is_in = |list: &[Contact], contact: &Contact| {
        list.iter().any(|other| {
            (other.overlap - contact.overlap).abs() <= ROUNDING * size
                && (other.normal - contact.normal).length() <= NORMALS
        })
    };
    let is_same = found.len() == expected.len()
        && found.iter().all(|contact| is_in(&expected, contact))
        && expected.iter().all(|contact| is_in(&found, contact));
    rule.holds(is_same, || {
        format!("contacts with the rewritten wall: found {found:?}, expected {expected:?}")
    })
}

/// Checks that the shares of the names do not depend on how the wall is written down.
///
/// Volumes may differ by `tolerance`, a length, times the area. See [`independent_of_mesh`].
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn shares_independent_of_mesh<N: Copy + Debug + PartialEq, B>(
    kernel: &mut impl NarrowPhase<B, Wall, Contact: Into<Manifold<DVec3, N>>>,
    body: &B,
    mesh: &SurfaceMesh,
    tolerance: f64,
    seed: u64,
) -> Result<(), Violation> {
    let rule = Rule("convex_wall::shares_independent_of_mesh");
    let old: Vec<Manifold<DVec3, N>> = rule.contacts(kernel, body, &Wall::new(mesh.clone()))?;
    let new: Vec<Manifold<DVec3, N>> =
        rule.contacts(kernel, body, &Wall::new(rewritten(mesh, seed)?))?;
    manifold::same_shares(rule, &old, &new, tolerance)?;
    Ok(())
}

/// Checks the contacts of a scene on the lattice against [`oracle::contacts_with_wall`].
///
/// The kernel ends sheets at a bend of 0.5 rad. `unit` is the unit of length.
/// Overlaps agree to 1e-12 of the size, normals to 1e-11. Where several normals are possible, any combination of them
/// with weights of at least 0 is accepted.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn finds_lattice_contacts<C: Into<Contact>>(
    kernel: &mut impl for<'a> NarrowPhase<Body<'a>, Wall, Contact = C>,
    scene: &LatticeScene,
    unit: f64,
) -> Result<(), Violation> {
    let mut expected = oracle::contacts_with_wall(&scene.vertices, &scene.triangles, 0.5);
    // A contact with a choice of normals must not take the place of one without.
    expected.sort_by_key(|expected| expected.normals.len() > 1);
    let shape = scene.body(unit)?;
    let body = Placed::new(&shape, Pose3::IDENTITY);
    let rule = Rule("convex_wall::finds_lattice_contacts");
    let found: Vec<Contact> = rule.contacts(kernel, &body, &Wall::new(scene.mesh(unit)?))?;
    rule.valid_contacts(&found, 0.0)?;
    let corners = scene.vertices.iter().chain(scene.triangles.as_flattened());
    let size = corners.flatten().map(|x| x.unsigned_abs()).max();
    let tolerance = 10.0 * ROUNDING;
    let near = tolerance * unit * size.unwrap_or(0) as f64;
    let is = |contact: &Contact, expected: &LatticeContact| {
        let reach = support(&body, contact.normal, expected.point * unit);
        (contact.overlap - reach).abs() <= near
            && distance_from_cone(contact.normal, &expected.normals) <= NORMALS
    };
    let mut left = found.clone();
    for expected in &expected {
        let place = left.iter().position(|contact| is(contact, expected));
        rule.holds(place.is_some(), || {
            format!("no {expected:?} (lattice units), found {found:?}")
        })?;
        place.map(|i| left.swap_remove(i));
    }
    rule.holds(left.is_empty(), || {
        format!("{left:?} not expected, only {expected:?} (lattice units)")
    })
}

/// Returns the distance of a vector from the combinations of others with weights of at least 0.
///
/// The closest combination has up to three of them: along one, in the plane of two, or the vector itself. O(n^3).
fn distance_from_cone(x: DVec3, rays: &[DVec3]) -> f64 {
    let mut least = x.length();
    for (i, &a) in rays.iter().enumerate() {
        least = least.min((x - a * (x.dot(a).max(0.0) / a.length_squared())).length());
        for (j, &b) in rays[..i].iter().enumerate() {
            let axis = a.cross(b);
            let is_between = axis.dot(x.cross(b)) >= 0.0 && axis.dot(a.cross(x)) >= 0.0;
            if is_between && axis != DVec3::ZERO {
                least = least.min(x.dot(axis).abs() / axis.length());
            }
            for &c in &rays[..j] {
                let volume = axis.dot(c);
                let parts = [axis.dot(x), b.cross(c).dot(x), c.cross(a).dot(x)];
                // Of vectors in one plane the pairs are enough.
                if volume.abs() > NORMALS && parts.iter().all(|part| part * volume >= 0.0) {
                    return 0.0;
                }
            }
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_from_cones() {
        let [x, y, z] = DVec3::AXES;
        let distance = |v: [f64; 3], rays: &[DVec3]| distance_from_cone(DVec3::from_array(v), rays);
        assert_eq!(distance([3.0, 0.0, 4.0], &[]), 5.0);
        assert_eq!(distance([3.0, 0.0, 4.0], &[x * 2.0]), 4.0);
        assert_eq!(distance([-3.0, 0.0, 4.0], &[x]), 5.0);
        assert_eq!(distance([3.0, 1.0, -4.0], &[x, y]), 4.0);
        assert_eq!(distance([3.0, -3.0, 4.0], &[x, y]), 5.0);
        assert_eq!(distance([3.0, 1.0, 4.0], &[z, x, y]), 0.0);
        assert_eq!(distance([3.0, 1.0, -4.0], &[z, x, y]), 4.0);
        assert_eq!(distance([-3.0, 4.0, 0.0], &[x, -x]), 4.0);
        assert_eq!(distance([-3.0, 1.0, 4.0], &[x, -x, y]), 4.0);
        // A cone of four rays, none of its triples has all of it.
        let four = [x + z, y + z, z - x, z - y];
        assert_eq!(distance([0.0, 0.0, 1.0], &four), 0.0);
        assert_eq!(distance([0.25, -0.5, 1.0], &four), 0.0);
        assert!(distance([0.75, -0.75, 1.0], &four) > 0.2);
        assert_eq!(distance([0.0, 0.0, -1.0], &four), 1.0);
    }
}
