//! Properties of kernels for a convex polyhedron and a meshed wall.

use std::borrow::Borrow;
use std::fmt::Debug;

use super::property::{ROUNDING, contacts, holds, near, valid_contacts};
use osculate::glam::DVec3;
use osculate::math::closest_on_polygon;
use osculate::narrow::{ConvexWall, ConvexWallContact, ConvexWallState};
use osculate::testing::properties::Violation;
use osculate::testing::properties::manifold::{self, Manifold};
use osculate::testing::workload::rewritten;
use osculate::{
    Contact, ContactManifold, ConvexPolyhedron, NarrowPhase, Placed, SurfaceMesh, Wall,
};

/// Rounding error of normals across edges of the wall.
pub(crate) const NORMALS: f64 = 1e-11;

type Body<'a> = Placed<&'a ConvexPolyhedron>;

/// A kernel for the manifolds of [`ConvexWall::for_each_manifold`].
#[derive(Clone, Debug)]
pub(crate) struct WallManifolds(pub(crate) ConvexWall);

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

/// Returns the contacts of a body at a wall.
pub(crate) fn contacts_with(
    kernel: &mut ConvexWall,
    body: &Body,
    wall: &Wall,
    state: &mut ConvexWallState,
) -> Vec<ConvexWallContact> {
    let mut found = Vec::new();
    kernel.for_each_contact(body, wall, state, |c| found.push(c));
    found
}

/// Checks that contact points are on the wall and inside the body, and that overlaps belong to the normals.
///
/// The overlap is how far the body reaches beyond the point along the normal. It is at least the depth of the
/// point. Lengths agree to 1e-13 of `size`, which bounds all coordinates. O(facets).
pub(crate) fn points_in_both<C: Into<Contact>>(
    kernel: &mut impl for<'a> NarrowPhase<Body<'a>, Wall, Contact = C>,
    body: &Body,
    wall: &Wall,
    size: f64,
) -> Result<(), Violation> {
    let rule = "convex_wall::points_in_both";
    let found = valid_contacts(rule, kernel, body, wall)?;
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
        near(rule, what, distance(contact.point), 0.0, tolerance)?;
        let reach = support(body, contact.normal, contact.point);
        near(
            rule,
            "overlap (a length)",
            contact.overlap,
            reach,
            tolerance,
        )?;
        let faces = body.shape.surface().facets();
        let depths = faces.map(|face| {
            support(
                body,
                body.pose.transform_vector(face.normal()),
                contact.point,
            )
        });
        let depth = depths.fold(f64::INFINITY, f64::min);
        holds(
            rule,
            depth > 0.0 && depth <= contact.overlap + tolerance,
            || format!("depth of the point {depth:?} is not within the overlap: {contact:?}"),
        )?;
    }
    Ok(())
}

/// Returns how far a body reaches beyond a point along a normal.
pub(crate) fn support(body: &Body, normal: DVec3, point: DVec3) -> f64 {
    let vertices = body.shape.vertices().iter();
    let heights = vertices.map(|&v| normal.dot(body.pose.transform_point(v) - point));
    heights.fold(f64::NEG_INFINITY, f64::max)
}

/// Checks that normals and overlaps do not depend on how the wall is written down.
///
/// Overlaps agree to 1e-13 of `size`, which bounds all coordinates, and normals to 1e-11. The other wall comes
/// from [`rewritten`]: midpoints of edges must be exact, as on a lattice.
pub(crate) fn independent_of_mesh<B>(
    kernel: &mut impl NarrowPhase<B, Wall, Contact: Into<Contact>>,
    body: &B,
    mesh: &SurfaceMesh,
    size: f64,
    seed: u64,
) -> Result<(), Violation> {
    let rule = "convex_wall::independent_of_mesh";
    let expected = contacts(kernel, body, &Wall::new(mesh.clone()));
    let found = contacts(kernel, body, &Wall::new(rewritten(mesh, seed)?));
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
    holds(rule, is_same, || {
        format!("contacts with the rewritten wall: found {found:?}, expected {expected:?}")
    })
}

/// Checks that the shares of the names do not depend on how the wall is written down.
///
/// Volumes may differ by `tolerance`, a length, times the area. See [`independent_of_mesh`].
pub(crate) fn shares_independent_of_mesh<N: Copy + Debug + PartialEq, B: Clone>(
    kernel: &mut impl NarrowPhase<B, Wall, Contact: Into<Manifold<DVec3, N>>>,
    body: &B,
    mesh: &SurfaceMesh,
    tolerance: f64,
    seed: u64,
) -> Result<(), Violation> {
    let on = |mesh: SurfaceMesh| (body.clone(), Wall::new(mesh));
    let (before, after) = (on(mesh.clone()), on(rewritten(mesh, seed)?));
    manifold::shares_follow_motion(kernel, &before, &after, tolerance)
}
