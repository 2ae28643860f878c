use glam::DVec3;

use super::mesh_mesh::MeshMesh;
use super::rim::RimParts;
use super::solid_view::SolidView;
use super::sums::Sums;
use super::wall_contact::{MeshWallContact, OverRim};
use super::{ContactVolume, IntersectionKind};
use crate::math::Pose3;
use crate::math::tolerance::{INSIDE_BOX, NEGATIVE_VOLUME};
use crate::narrow::{NarrowPhase, Wall, WallSides};
use crate::shape::{Aabb, Placed, Solid, Stamp};

/// Volume of a closed triangle mesh or convex polyhedron behind an open wall, and its gradient.
///
/// A wall without a rim inside the body divides the body. V is the volume of the part behind the wall. Area vector,
/// moment vector and energies are as for [`MeshMesh`](crate::MeshMesh), with the body as the first one. The result
/// equals that of a wall closed far from the body, to rounding. Where one sheet of the wall lies behind another, V
/// counts the part behind both twice.
///
/// **Sides.** With [`WallSides::Front`] the body belongs in front. With [`WallSides::Both`], the default, it belongs
/// where the center of its bounding box is when the contact begins. The state keeps this side until the contact ends. If the wall ends inside the body, the way of the center tells the sides
/// apart: it crosses the wall, or beside the rim the plane of the wall there.
///
/// **Rims.** If the wall ends inside the body, no volume is defined: the contact is [`MeshWallContact::OverRim`]. To
/// conserve energy there, use [`MeshMesh`](crate::MeshMesh) with the [`thickened`](crate::SurfaceMesh::thickened) wall.
/// Rims are open edges, T-junctions, edges of three facets, and edges along which two facets run in the same direction.
/// Vertices at the same position count as one.
///
/// **Limits.** The kernel ignores the [`period`](Wall::period) of a wall: the ends of the mesh are rims. A body of
/// several shells, such as one with a cavity, needs rims outside its convex hull. A body that lies entirely behind the
/// wall has no contact. If the wall only touches a face of such a body, the volume is 0.
///
/// Cost: as for `MeshMesh`, and O(n) for n vertices of the body: 1 ns each. The first call for a wall, or after
/// [`set_vertices`](Wall::set_vertices), cuts the facets into triangles and builds a search structure. It takes about
/// 400 bytes per triangle, and twice that if a body belongs behind the wall. A contact that begins just after
/// `set_vertices` also takes O(n) for n vertices of the wall.
///
/// ```
/// use osculate::narrow::{MeshWall, MeshWallContact};
/// use osculate::{ConvexPolyhedron, NarrowPhase, Placed, Pose3, SurfaceMesh, Wall, glam::DVec3};
///
/// let corner = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into());
/// let cube = ConvexPolyhedron::from_convex_hull(&(0..8).map(corner).collect::<Vec<_>>())?;
/// let floor = [(-4.0, -4.0), (4.0, -4.0), (4.0, 4.0), (-4.0, 4.0)];
/// let floor = floor.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec();
/// let floor = Wall::new(SurfaceMesh::new(floor, [[0, 1, 2, 3]])?);
///
/// let mut kernel = MeshWall::new();
/// let at = |x, z| Pose3::from_translation(DVec3::new(x, 0.0, z)).map(|pose| Placed::new(&cube, pose));
/// let contact = kernel.contact(&at(0.0, -0.25)?, &floor).unwrap();
/// let parted = contact.parted().unwrap();
/// assert_eq!((parted.volume, parted.area_vector), (0.25, -DVec3::Z));
/// // Half of the cube is beyond the rim.
/// let contact = kernel.contact(&at(3.5, -0.25)?, &floor).unwrap();
/// assert!(matches!(contact, MeshWallContact::OverRim(_)));
/// assert_eq!(contact.area_vector(), -DVec3::Z * 0.5);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MeshWall {
    sides: WallSides,
    mesh: MeshMesh,
    rim: RimParts,
    /// For each vertex of the body, how often it is behind the wall, compared with the first vertex.
    windings: Vec<Option<i32>>,
}

/// The state of a body at an open wall, kept from step to step. Keep one for each pair.
///
/// In a contact it stores on which side of the wall the body belongs. The state of another wall, or of one that has
/// deformed since, counts as new.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeshWallState {
    /// Identifies the positions of the vertices at the last call.
    #[cfg_attr(feature = "serde", serde(skip))]
    stamp: Stamp,
    /// In a contact, whether the body belongs behind the wall.
    is_behind: Option<bool>,
}

impl MeshWall {
    /// Creates a kernel for both sides of walls.
    pub fn new() -> Self {
        Self::default()
    }

    /// Selects which sides of the wall can be touched; both by default.
    #[must_use]
    pub fn with_sides(self, sides: WallSides) -> Self {
        Self { sides, ..self }
    }

    /// Returns the contact in the world, and whether the body belongs behind the wall.
    fn solve(
        &mut self,
        solid: SolidView,
        pose: &Pose3,
        wall: &Wall,
        known: Option<bool>,
    ) -> Option<(MeshWallContact, bool)> {
        let is_behind = known.unwrap_or(false);
        let triangles = wall.triangles(is_behind);
        if triangles.triangulation().triangles().is_empty() {
            return None;
        }
        let relative = pose.inv_mul(wall.pose());
        let sheet = SolidView::placed(triangles.triangulation(), relative);
        let views = [solid, sheet];
        if !views[0].bounds.touches(&views[1].bounds) {
            return None;
        }
        self.mesh.find_segments(&views, &relative);
        self.rim
            .collect(&mut self.mesh, &views, &relative, triangles);
        let origin = match self.mesh.segments.first() {
            Some(segment) => segment.ends[0].position,
            None => views[0].bounds.center(),
        };
        let is_parted = self.rim.is_empty();
        let contact = if is_parted {
            self.find_windings(&views);
            MeshWallContact::Parted(self.parted(&views, origin, pose)?)
        } else {
            MeshWallContact::OverRim(self.over_rim(origin, pose))
        };
        if known.is_none() {
            let home = views[0].bounds.center();
            let is_behind = if is_parted {
                self.is_behind(&views, home)
            } else {
                self.is_behind_part(&views, home, &contact, pose)
            };
            if is_behind {
                let [solid, _] = views;
                return self.solve(solid, pose, wall, Some(true));
            }
        }
        Some((contact, is_behind))
    }

    /// Returns area and moment vector over the part of the wall inside the body.
    fn over_rim(&mut self, origin: DVec3, pose: &Pose3) -> OverRim {
        let mut sums = Sums::default();
        for segment in &self.mesh.segments {
            let [a, b] = segment.ends.map(|end| end.position - origin);
            sums.add_segment(a, b);
        }
        for &[a, b] in self.rim.parts() {
            // The curve runs clockwise around the part of the wall.
            sums.add_segment(b - origin, a - origin);
        }
        OverRim::new(sums.contact(origin, pose))
    }

    /// Finds how often each vertex of the body is behind the wall. The least number along the body's edges is 0.
    fn find_windings(&mut self, views: &[SolidView; 2]) {
        let solid = views[0].solid;
        self.windings.clear();
        if self.mesh.segments.is_empty() {
            return;
        }
        self.windings.resize(solid.vertices().len(), None);
        let first = solid.shells()[0].vertex;
        for shell in solid.shells() {
            let ends = [shell.vertex, first];
            let [from, to] = ends.map(|id| self.mesh.bodies[0].position(&views[0], id));
            self.windings[shell.vertex as usize] = Some(self.times_left(views, [from, to]));
        }
        let MeshMesh {
            bodies,
            segments,
            loops,
            ..
        } = &mut self.mesh;
        let crossings = loops.find_crossings(0, &views[0], bodies.each_mut(), segments);
        let mut next = crossings.iter().peekable();
        let tree = (0..).zip(solid.edges());
        for (edge, &[low, high]) in tree.take_while(|&(edge, _)| solid.flow(edge).is_some()) {
            let mut change = 0;
            while let Some(crossing) = next.next_if(|crossing| crossing.edge == edge) {
                change += crossing.change;
            }
            match [low, high].map(|id| self.windings[id as usize]) {
                [Some(winding), None] => self.windings[high as usize] = Some(winding + change),
                [None, Some(winding)] => self.windings[low as usize] = Some(winding - change),
                _ => {}
            }
        }
        let mut least = self.windings.iter().flatten().min().copied().unwrap_or(0);
        for on_edge in crossings.chunk_by(|a, b| a.edge == b.edge) {
            let [low, _] = solid.edges()[on_edge[0].edge as usize];
            let mut winding = self.windings[low as usize].unwrap_or(0);
            for crossing in on_edge {
                winding += crossing.change;
                least = least.min(winding);
            }
        }
        for winding in self.windings.iter_mut().flatten() {
            *winding -= least;
        }
    }

    /// Returns how much more often the start of a segment is behind the wall than its end.
    fn times_left(&mut self, views: &[SolidView; 2], [from, to]: [DVec3; 2]) -> i32 {
        if from == to {
            return 0;
        }
        let ends = [from, to].map(|end| views[1].to_own(end));
        let far = ends.iter().fold(0.0, |far: f64, end| far.max(end.length()));
        let slack = INSIDE_BOX * (far + from.length() + to.length());
        let query = Aabb::enclosing(ends).grown(slack);
        self.mesh.bodies[1].times_left(&views[1], [from, to], &query)
    }

    /// Returns whether home is behind the wall, along the way from the first vertex over the center.
    fn is_behind(&mut self, views: &[SolidView; 2], home: DVec3) -> bool {
        let vertex = views[0].solid.shells()[0].vertex;
        let Some(winding) = self.windings.get(vertex as usize).copied().flatten() else {
            return false;
        };
        let first = self.mesh.bodies[0].position(&views[0], vertex);
        let center = views[0].bounds.center();
        let left = self.times_left(views, [first, center]) + self.times_left(views, [center, home]);
        winding > left
    }

    /// Returns whether home is behind the part of a wall inside the body, if the wall ends there.
    ///
    /// If the way from the center to home crosses the wall, home is not on the side of the center. Otherwise both are
    /// on one side, or the way passes beside the rim. Inside the body's box, that is where it crosses the plane of the
    /// part.
    fn is_behind_part(
        &mut self,
        views: &[SolidView; 2],
        home: DVec3,
        contact: &MeshWallContact,
        pose: &Pose3,
    ) -> bool {
        let bounds = &views[0].bounds;
        let center = bounds.center();
        let is_crossed = self.times_left(views, [center, home]) != 0;
        let seen_from = if is_crossed {
            center
        } else {
            let (way, half) = (home - center, bounds.size() * 0.5);
            center + way * (half / way.abs()).min_element().min(1.0)
        };
        let to_part = contact.point() - pose.transform_point(seen_from);
        (contact.area_vector().dot(to_part) < 0.0) != is_crossed
    }

    /// Returns the volume behind the wall and its gradient.
    fn parted(
        &mut self,
        views: &[SolidView; 2],
        origin: DVec3,
        pose: &Pose3,
    ) -> Option<ContactVolume<DVec3>> {
        let Self { mesh, windings, .. } = self;
        mesh.loops.unite(&mesh.segments);
        mesh.add_up(views, origin);
        let mut obstacles = None;
        mesh.add_shells_of(1, views, &mut obstacles);
        let Some(region) = mesh.loops.regions.first_mut() else {
            let (volume, point) = obstacles?;
            return Some(ContactVolume::nested(volume, pose.transform_point(point)));
        };
        let solid = views[0].solid;
        for shell in solid.shells() {
            let times = windings[shell.vertex as usize].unwrap_or(0);
            region.inside[0].add(&shell.total, f64::from(times));
        }
        (0..2).for_each(|i| mesh.add_inside(i, &views[i], origin));
        let region = &mut mesh.loops.regions[0];
        region.sums.volume += 6.0 * obstacles.map_or(0.0, |(volume, _)| volume);
        let size = views[0].bounds.size().max_element();
        if region.sums.volume < -NEGATIVE_VOLUME * size * size * size {
            // No edge is in front of the wall, only a part of a face.
            for shell in solid.shells() {
                region.inside[0].add(&shell.total, 1.0);
                region.sums.volume += 6.0 * shell.volume;
            }
            windings
                .iter_mut()
                .flatten()
                .for_each(|winding| *winding += 1);
        }
        mesh.refine(views);
        let mut contact = mesh.loops.regions[0].sums.contact(origin, pose);
        if !mesh.has_volume_or_tie() {
            contact.kind = IntersectionKind::Crossing;
        }
        Some(contact)
    }
}

impl<S: Solid> NarrowPhase<Placed<S>, Wall> for MeshWall {
    type Contact = MeshWallContact;
    type State = MeshWallState;

    fn for_each_contact(
        &mut self,
        body: &Placed<S>,
        wall: &Wall,
        state: &mut MeshWallState,
        visit: impl FnMut(MeshWallContact),
    ) {
        let solid = SolidView::fixed(body.shape.solid_mesh().triangulation());
        if state.stamp != wall.stamp() {
            *state = MeshWallState::default();
        }
        let known = match self.sides {
            WallSides::Front => Some(false),
            WallSides::Both => state.is_behind,
        };
        let found = self.solve(solid, &body.pose, wall, known);
        state.is_behind = found.map(|(_, is_behind)| is_behind);
        state.stamp = wall.stamp();
        found
            .into_iter()
            .map(|(contact, _)| contact)
            .for_each(visit);
    }
}
