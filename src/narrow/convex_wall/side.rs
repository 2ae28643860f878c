//! The side of a wall on which a body belongs: that of its centroid before it crossed a facet.

use glam::DVec3;

use super::{ConvexWall, ConvexWallState, NearFacet, Scene};
use crate::math::Vector;
use crate::narrow::{Wall, WallMesh, WallSides};

impl ConvexWall {
    /// Sets the sides of the facets: those of home, if the path from there to the centroid crosses a facet
    /// inside the body, otherwise those of the centroid. Returns home if it does.
    pub(super) fn set_sides(&mut self, scene: &Scene, state: &ConvexWallState) -> Option<DVec3> {
        if self.sides != WallSides::Both {
            return None;
        }
        let home = state.wall.home().map(|home| home - scene.local_centroid);
        let home = home.filter(|&to_home| {
            let is_crossed = |facet: &NearFacet| scene.is_crossed(facet, to_home);
            to_home != DVec3::ZERO && self.facets.iter().any(is_crossed)
        });
        let side_of = scene.centroid + scene.rotation * home.unwrap_or_default();
        for facet in &mut self.facets {
            let corner = self.corners[facet.first_corner as usize];
            let is_in_front = facet.normal.dot(corner - side_of) <= 0.0;
            facet.side = if is_in_front { 1.0 } else { -1.0 };
        }
        home
    }

    /// Stores where the body belongs. `home`, from the centroid, is where it did if it is through a wall.
    ///
    /// Home then moves to the point opposite to the centroid at a contact, if no facet is in between. So it
    /// follows a body that slides along behind the wall.
    pub(super) fn keep_home(
        &self,
        scene: &Scene,
        home: Option<DVec3>,
        state: &mut ConvexWallState,
    ) {
        let facet = self.contacts.first().map(|contact| contact.facet);
        let Some(home) = home else {
            state.wall.set_home(scene.local_centroid, facet);
            return;
        };
        let opposite = self.contacts.iter().find_map(|contact| {
            let through = contact.normal.dot(scene.centroid - contact.point);
            let back = scene.rotation.transpose() * (contact.normal * (-2.0 * through));
            let images = || scene.centers.iter().map(|&x| scene.image_of_centroid(x));
            (through > 0.0 && is_open(scene.wall, images(), [home, back])).then_some(back)
        });
        let home = opposite.unwrap_or(home);
        state.wall.set_home(scene.local_centroid + home, facet);
    }
}

impl Scene<'_> {
    /// Returns whether the line from home to the centroid crosses a facet. `to_home` is in the axes of the mesh.
    fn is_crossed(&self, facet: &NearFacet, to_home: DVec3) -> bool {
        let centroid = self.image_of_centroid(self.centers[facet.image as usize]);
        self.wall
            .is_crossed(facet.facet, centroid + to_home, centroid)
    }

    /// Returns the centroid beside an image of the center, in the coordinates of the mesh.
    fn image_of_centroid(&self, center: DVec3) -> DVec3 {
        center + self.rotation.transpose() * self.centroid
    }
}

/// Returns whether no facet is between two points, given from the images of the centroid.
pub(super) fn is_open<M: WallMesh>(
    wall: &Wall<M>,
    images: impl Iterator<Item = M::Vector>,
    [from, to]: [M::Vector; 2],
) -> bool {
    let reach = 0.5 * (from - to).length();
    let mut is_open = true;
    for centroid in images {
        let [from, to] = [centroid + from, centroid + to];
        wall.for_each_facet_within(reach, (from + to) * 0.5, |facet| {
            is_open &= !wall.is_crossed(facet, from, to);
        });
    }
    is_open
}
