//! The contact points of bodies at walls.

use std::borrow::Borrow;

use glam::DVec3;

use super::contact::unit;
use super::{ConvexWall, ConvexWallContact, ConvexWallState};
use crate::math::MatrixPose;
use crate::narrow::{ContactManifold, Wall};
#[cfg(doc)]
use crate::narrow::{ManifoldPoint, PointFeature};
use crate::shape::{ConvexPolyhedron, Placed};

impl ConvexWall {
    /// Visits each contact with its manifold: the contact points of an elastic bed.
    ///
    /// The facets inside the body go to the contact of their sheet with the nearest normal. The bed of a
    /// contact is that of the body on the planes of its facets, along m = S / |S|, where S is the area vector
    /// of the parts of these facets inside the body. Points have the names of vertices of the body
    /// ([`PointFeature::FirstVertex`]), so neither triangles nor rims of the wall enter a name. Where thin edges
    /// of the body are behind the wall as a whole, they have no share.
    ///
    /// A contact at an open rim whose facets are seen edge-on (m is more than 60 degrees from the normal of the contact)
    /// has no manifold, and carries no load. There use a closed wall
    /// ([`SurfaceMesh::thickened`](crate::SurfaceMesh::thickened)).
    ///
    /// Nor has a contact a manifold if all facets go to others; this happens where a deep body has several.
    /// Facets that overlap count as often as they do. [`ManifoldPoint::previous`] counts the points of all
    /// manifolds of the last call, in the order of the visits.
    ///
    /// Cost: O(facets inside times faces), besides the contacts.
    pub fn for_each_manifold(
        &mut self,
        body: &Placed<impl Borrow<ConvexPolyhedron>>,
        wall: &Wall,
        state: &mut ConvexWallState,
        mut visit: impl FnMut(ConvexWallContact, ContactManifold),
    ) {
        let (shape, pose) = (body.shape.borrow(), &body.pose);
        let scene = self.solve(shape, pose, wall, state);
        state.begin();
        if let Some(scene) = scene {
            let to_world = MatrixPose::from(pose);
            let center = scene.body.center;
            let place = |x| to_world.transform_point(x + center);
            let to_mesh = |x| wall.pose().inverse_transform_vector(x);
            self.cut_facets(&scene);
            self.assign(&scene);
            for i in 0..self.contacts.len() {
                let Some(along) = self.contact_bed(i, &scene) else {
                    continue;
                };
                let normal = unit(to_world.transform_vector(along));
                let bed = &mut self.bed.bed;
                bed.reduce(self.max_points, state.names(to_mesh(normal)));
                if bed.nodes.is_empty() {
                    continue;
                }
                let mut manifold = bed.manifold(normal, 0.0, place);
                state.follow(&mut manifold, place(DVec3::ZERO), to_mesh);
                visit(self.contacts[i].placed(&to_world, center), manifold);
            }
        }
        state.end();
    }
}
