use crate::math::tolerance::two_to;
use glam::DVec3;

use super::crossing::{Segment, cross, is_tied};
use super::crowd::for_each_near_pair;
use super::loops::Loops;
use super::slender::Slender;
use super::solid_view::{ClippedSolid, SolidView};
use super::{ContactVolume, IntersectionKind};
use crate::math::Pose3;
use crate::narrow::NarrowPhase;
use crate::narrow::order::Ordered;
use crate::shape::{Placed, Solid, Triangulation};

/// The most by which rounding makes a volume negative, relative to the cube of the smaller body.
const NEGATIVE_VOLUME: f64 = two_to(-40);

/// Intersection volume of two closed triangle meshes or convex polyhedra, and its gradient.
///
/// Meshes may be nonconvex and have cavities. A [`ConvexPolyhedron`](crate::ConvexPolyhedron) is used through its
/// [`solid_mesh`](Solid::solid_mesh), built at its first contact. [`ConvexConvex`](crate::ConvexConvex) is faster for
/// two of them. The kernel returns the volume V, the area vector S and the moment vector G. If the first body moves by
/// dx and rotates by dtheta, V grows by `S.dx + G.dtheta`. With an energy w(V), the force `-w'(V) S` and the moment
/// `-w'(V) G` conserve energy (Feng 2021).
///
/// A pair has one contact, or one per region with
/// [`with_separate_regions`](MeshMesh::with_separate_regions). Separated bodies have none. Bodies
/// whose surfaces only touch may have one, of [`IntersectionKind::Touching`].
///
/// The intersection curve always consists of closed loops, at any poses. Each vertex of one body is
/// rounded once into the frame of the other. From there all signs are exact, and zeros are resolved
/// by symbolic perturbation. For coplanar or touching faces V is correct, while S and G take one of the
/// possible values. Swapping the bodies negates S and G exactly. (The body with the lower
/// translation, lexicographically, is perturbed and defines the frame. For bodies that are equal in
/// pose and shape, S = G = 0.)
///
/// The relative error of V is at most about 50 eps L / depth, where L is the largest coordinate in the frame of a body.
/// The bound also holds for slivers, tips and blades.
///
/// Cost: O(k + log n) for k triangles along the intersection curve, however many are inside; 31 to 35 µs
/// for two rocks of 1,246 triangles. O(n log n) where the boxes of many triangles overlap
/// around a point, as at the tips of cones. No allocation once the buffers have grown, to about 220
/// bytes per triangle of the largest bodies.
///
/// ```
/// use osculate::{MeshMesh, NarrowPhase, Placed, Pose3, SolidMesh, glam::DVec3};
///
/// let tetrahedron = SolidMesh::new(
///     vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
///     [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
/// )?;
/// let a = Placed::new(&tetrahedron, Pose3::IDENTITY);
/// let b = Placed::new(&tetrahedron, Pose3::from_translation(DVec3::new(0.0, 0.0, 0.5))?);
/// // The upper half of the first body: a tetrahedron of half the size.
/// let contact = MeshMesh::new().contact(&a, &b).unwrap();
/// assert!((contact.volume - 1.0 / 48.0).abs() < 1e-15);
/// assert_eq!(contact.normal(), Some(DVec3::Z));
/// assert_eq!(contact.area(), 0.125);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MeshMesh {
    is_separate: bool,
    bodies: [ClippedSolid; 2],
    segments: Vec<Segment>,
    loops: Loops,
    slender: Slender,
    is_crossed: Vec<bool>,
    /// Whether each region has a volume, or two faces that cross in it have a tie.
    has_volume_or_tie: Vec<bool>,
    /// Pairs of faces whose boxes are near each other.
    pairs: Vec<[u32; 2]>,
    /// The faces of both bodies near the other body, if boxes separate too few.
    crowd: [Vec<u32>; 2],
}

/// The number of pairs of faces tested at a time.
const PAIRS: usize = 512;

/// A segment of the intersection curve, in the world frame.
///
/// It runs along the cross product of the first and the second surface's normals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveSegment {
    /// The start and the end. Each end equals the start of exactly one segment in all fields, and each start equals one
    /// end.
    pub ends: [CurveNode; 2],
    /// The facets of the first and of the second body.
    pub facets: [u32; 2],
    /// The index of the contact, in the order of the visits.
    pub contact: u32,
}

/// A point where an edge of one body crosses a facet of the other body.
///
/// Vertices and facets have the ids of their shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveNode {
    /// The position in the world frame.
    pub position: DVec3,
    /// Whether the edge belongs to the first body.
    pub is_edge_of_first: bool,
    /// The vertices of the edge, the lower first.
    pub edge: [u32; 2],
    /// The facet of the other body.
    pub facet: u32,
}

impl MeshMesh {
    /// Creates a kernel that reports one contact per pair of bodies.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reports one contact per region of the intersection.
    ///
    /// The forces of regions conserve energy if w is linear in V, or if regions neither merge nor split:
    /// w(V1) + w(V2) is not w(V1 + V2). Otherwise keep one contact per pair.
    ///
    /// Loops of the intersection curve bound the same region if the surface of a body connects them
    /// inside the other body. Regions that tied edges connect are separate if symbolic perturbation
    /// separates them. If edges and vertices cannot separate regions (a loop around another loop in
    /// one triangle), all regions are one contact.
    ///
    /// Cost: O(k log k) more for k segments of the curve, and a walk over the vertices inside.
    /// Contacts are visited in the order in which the trees find their segments. This order is
    /// deterministic but not spatial.
    #[must_use]
    pub fn with_separate_regions(self, is_separate: bool) -> Self {
        Self {
            is_separate,
            ..self
        }
    }

    /// Visits the segments of the intersection curve, then the contacts.
    ///
    /// As [`for_each_contact`](NarrowPhase::for_each_contact), with the segments in no particular
    /// order.
    pub fn for_each_contact_and_segment<S: Solid, T: Solid>(
        &mut self,
        a: &Placed<S>,
        b: &Placed<T>,
        mut visit: impl FnMut(ContactVolume<DVec3>),
        mut visit_segment: impl FnMut(CurveSegment),
    ) {
        let solids = [a.shape.solid_mesh(), b.shape.solid_mesh()];
        let [a, b] = [(solids[0], a.pose), (solids[1], b.pose)]
            .map(|(solid, pose)| Placed::new(solid.triangulation(), pose));
        let pair = Ordered::new(&a, &b, Triangulation::vertices, |a, b| {
            let [a, b] = [a, b].map(|s| s.triangles().iter().map(|t| t.corners));
            a.cmp(b)
        });
        let ([first, second], [pose, placed]) = (pair.shapes, pair.poses);
        if pair.are_equal {
            let point = pose.transform_point(first.vertices()[0]);
            return visit(ContactVolume::nested(solids[0].volume(), point));
        }
        let relative = pose.inv_mul(placed);
        let views = [SolidView::fixed(first), SolidView::placed(second, relative)];
        if !views[0].bounds.touches(&views[1].bounds) {
            return;
        }
        self.find_segments(&views, &relative);
        let origin = match self.segments.first() {
            Some(segment) => segment.ends[0].position,
            None => views[1].bounds.center(),
        };
        let uncrossed = self.find_regions(&views, origin);
        for segment in &self.segments {
            visit_segment(to_world(segment, &views, pose, pair.is_swapped));
        }
        self.find_ties();
        for (region, has_volume_or_tie) in self.loops.regions.iter().zip(&self.has_volume_or_tie) {
            let mut contact = region.sums.contact(origin, pose);
            if !has_volume_or_tie {
                contact.kind = IntersectionKind::Crossing;
            }
            visit(contact.swapped_if(pair.is_swapped));
        }
        if let Some((volume, point)) = uncrossed {
            visit(ContactVolume::nested(volume, pose.transform_point(point)));
        }
    }

    /// Finds the regions and their sums. Returns the volume of the shells inside the other body that
    /// the curve does not cross, and a point of it. Volumes that are part of a region do not count.
    fn find_regions(&mut self, views: &[SolidView; 2], origin: DVec3) -> Option<(f64, DVec3)> {
        if self.is_separate {
            let solids = [views[0].solid, views[1].solid];
            self.loops.separate(&mut self.segments, solids);
        } else {
            self.loops.unite(&self.segments);
        }
        self.add_up(views, origin);
        let mut uncrossed = self.add_shells(views);
        (0..2).for_each(|i| self.add_inside(i, &views[i], origin));
        self.merge_regions(views, uncrossed.map_or(0.0, |(volume, _)| volume));
        self.refine(views);
        if let [region] = &mut self.loops.regions[..]
            && let Some((volume, _)) = uncrossed.take_if(|(v, _)| !self.is_separate || *v < 0.0)
        {
            region.sums.volume += 6.0 * volume;
        }
        uncrossed
    }

    /// Finds all pairs of faces that cross.
    ///
    /// The trees, the boxes and the planes of faces reject pairs in turn. Each stage handles many pairs at a time,
    /// because no branch among them can be predicted.
    fn find_segments(&mut self, views: &[SolidView; 2], relative: &Pose3) {
        let [first, second] = views;
        let (bodies, segments, pairs) = (&mut self.bodies, &mut self.segments, &mut self.pairs);
        segments.clear();
        pairs.resize(PAIRS, [0; 2]);
        bodies[0].start(first.solid);
        bodies[1].start(second.solid);
        let trees = [first, second].map(|view| view.solid.tree());
        let faces = views.each_ref().map(|view| view.solid.triangles().len());
        // Surfaces that coincide need several pairs of leaves per face.
        let (mut visits, limit) = (0, 2048 + 16 * (faces[0] + faces[1]));
        let mut count = 0;
        let is_done = trees[0].each_leaf_pair_while(trees[1], relative, |ours, theirs| {
            for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let (i, j) = (ours.start + i, theirs.start + j);
                pairs[count] = [i as u32, j as u32];
                count += usize::from((i < ours.end) & (j < theirs.end));
            }
            if count > PAIRS - 4 {
                cross_all(bodies, views, &mut pairs[..count], segments);
                count = 0;
            }
            visits += 1;
            visits <= limit
        });
        if is_done {
            cross_all(bodies, views, &mut pairs[..count], segments);
        } else {
            self.find_in_crowd(views);
        }
    }

    /// Finds the same pairs where boxes separate too few.
    #[cold]
    fn find_in_crowd(&mut self, views: &[SolidView; 2]) {
        for index in [0, 1] {
            let (view, body) = (&views[index], &mut self.bodies[index]);
            let ids = &mut self.crowd[index];
            ids.clear();
            let slots = 0..view.solid.triangles().len() as u32;
            body.prepare(view, slots.clone());
            for slot in slots {
                if body.face(slot).bounds.touches(&views[1 - index].bounds) {
                    ids.push(slot);
                }
            }
        }
        let [a, b] = &self.bodies;
        let segments = &mut self.segments;
        segments.clear();
        let ids = self.crowd.each_mut().map(|ids| &mut ids[..]);
        for_each_near_pair([a, b], ids, &mut |i, j| {
            segments.extend(segment([a, b], [i, j]));
        });
    }

    /// Adds up the sums along the curve for all regions.
    ///
    /// For each triangle T of both surfaces let `x_T` be its first corner relative to the origin. Let
    /// `A_T` be the area vector of the part of T inside the other body. By the divergence theorem
    ///
    /// ```text
    /// 6 V = sum_T x_T . 2 A_T,    2 A_T = sum p x q
    /// ```
    ///
    /// where the second sum is over the border of the part: segments pq of the curve, and the parts of T's sides
    /// inside. The segments are added here. A segment on T of A and U of B, from a to b, gives `(x_T - x_U) . a x b`.
    /// Of the sides, only the one opposite `x_T` contributes, since p x q of a side at `x_T` is normal to `x_T`. The
    /// contribution is six times the pyramid of T and the origin, times the share of the side inside:
    ///
    /// ```text
    /// share = w + sum d (1 - s)
    /// ```
    ///
    /// with the winding number w at the side's lower end and a step d = 1 or -1 at each crossing, s
    /// along the side. The steps are added here. The terms with w are sums over vertices, which the
    /// flows provide.
    fn add_up(&mut self, views: &[SolidView; 2], origin: DVec3) {
        for segment in &self.segments {
            let [a, b] = segment.ends.map(|end| end.position - origin);
            let region = &mut self.loops.regions[segment.region as usize];
            region.sums.add_segment(a, b);
            let [on_a, on_b] = [0, 1].map(|body| self.bodies[body].face(segment.faces[body]));
            region.sums.volume += (on_a.corners[0] - on_b.corners[0]).dot(a.cross(b - a));
            region.size = region.size.max(on_a.size).max(on_b.size);
            for end in &segment.ends {
                let face = [on_a, on_b][end.body];
                let side = face.sides[end.side];
                let change = f64::from(end.change(side));
                if end.side == 1 {
                    let share = change * (1.0 - end.along);
                    region.sums.volume += share * face.six_volumes(origin);
                }
                // Only one of the two faces at the edge adds it.
                if side % 2 == 0
                    && let Some(flow) = views[end.body].solid.flow(side / 2)
                {
                    region.inside[end.body].add(flow, change);
                }
            }
        }
    }

    /// Adds the volumes of the vertices of body `index` inside the other body.
    fn add_inside(&mut self, index: usize, view: &SolidView, origin: DVec3) {
        let body = &mut self.bodies[index];
        // The reference is a vertex inside, next to the curve: then little cancels if little is inside.
        let mut crossings = self.segments.iter().filter_map(|segment| {
            let end = segment.ends.iter().find(|end| end.body == index)?;
            let triangle = &view.solid.triangles()[segment.faces[index] as usize];
            let side = triangle.sides[end.side];
            let ends = view.solid.edges()[side as usize / 2];
            Some(ends[usize::from(end.change(side) > 0)])
        });
        let near = crossings.next().unwrap_or(view.solid.shells()[0].vertex);
        for region in &mut self.loops.regions {
            region.sums.volume += body.volume_of(view, &region.inside[index], near, origin);
        }
    }

    /// Merges regions that were wrongly separated. A volume that is negative beyond rounding reveals them.
    fn merge_regions(&mut self, views: &[SolidView; 2], uncrossed: f64) {
        let size = views[0].bounds.size().min(views[1].bounds.size());
        let least = -size.max_element().powi(3) * NEGATIVE_VOLUME;
        self.loops.merge(&mut self.segments, uncrossed, least);
    }

    /// Recomputes volumes that are small compared with the triangles.
    fn refine(&mut self, views: &[SolidView; 2]) {
        let extent = views[0].bounds.size().max(views[1].bounds.size());
        let extent = extent.max_element();
        let regions = &mut self.loops.regions;
        if regions.iter().any(|region| region.is_slender(extent)) {
            self.slender
                .refine(views, &mut self.bodies, &self.segments, regions, extent);
        }
    }

    /// Finds the regions without volume in which any two faces that cross have a tie.
    ///
    /// Surfaces that cross without a tie share some volume, even if it is rounded to 0.
    fn find_ties(&mut self) {
        let found = &mut self.has_volume_or_tie;
        found.clear();
        found.extend((self.loops.regions.iter()).map(|region| region.sums.has_volume()));
        if !found.contains(&false) {
            return;
        }
        let [a, b] = &self.bodies;
        for segment in &self.segments {
            let found = &mut found[segment.region as usize];
            let [i, j] = segment.faces;
            *found = *found || is_tied(a.face(i), b.face(j));
        }
    }

    /// Adds the contributions of all shells whose root is inside the other body.
    ///
    /// If the curve does not cross a shell, all of it is inside. Returns the volume of these shells,
    /// and the root of the first one.
    fn add_shells(&mut self, views: &[SolidView; 2]) -> Option<(f64, DVec3)> {
        let mut uncrossed = None;
        (0..2).for_each(|index| self.add_shells_of(index, views, &mut uncrossed));
        uncrossed
    }

    /// Adds the contributions of the shells of body `index`, as [`add_shells`](Self::add_shells).
    fn add_shells_of(
        &mut self,
        index: usize,
        views: &[SolidView; 2],
        uncrossed: &mut Option<(f64, DVec3)>,
    ) {
        let (view, outside) = (&views[index], &views[1 - index].bounds);
        let solid = view.solid;
        self.is_crossed.clear();
        self.is_crossed.resize(solid.shells().len(), false);
        for segment in &self.segments {
            let triangle = &solid.triangles()[segment.faces[index] as usize];
            self.is_crossed[triangle.shell as usize] = true;
            if solid.shells().len() == 1 {
                break;
            }
        }
        if self.loops.regions.len() > 1 {
            let [a, b] = &mut self.bodies;
            let bodies = if index == 0 { [a, b] } else { [b, a] };
            self.loops.join_inside(index, view, bodies, &self.segments);
        }
        for (shell, is_crossed) in solid.shells().iter().zip(&self.is_crossed) {
            let point = self.bodies[index].position(view, shell.vertex);
            if !outside.contains(point) {
                continue;
            }
            let other = &mut self.bodies[1 - index];
            let winding = other.winding_around(&views[1 - index], point);
            let times = f64::from(winding);
            if winding == 0 {
                continue;
            } else if *is_crossed {
                let region = self.bodies[index].region(shell.vertex).unwrap_or(0);
                self.loops.regions[region as usize].inside[index].add(&shell.total, times);
            } else {
                uncrossed.get_or_insert((0.0, point)).0 += times * shell.volume;
            }
        }
    }
}

impl<S: Solid, T: Solid> NarrowPhase<Placed<S>, Placed<T>> for MeshMesh {
    type Contact = ContactVolume<DVec3>;
    type State = ();

    fn for_each_contact(
        &mut self,
        a: &Placed<S>,
        b: &Placed<T>,
        (): &mut (),
        visit: impl FnMut(ContactVolume<DVec3>),
    ) {
        self.for_each_contact_and_segment(a, b, visit, |_| ());
    }
}

/// Appends the segments in which pairs of faces cross.
fn cross_all(
    [a, b]: &mut [ClippedSolid; 2],
    [first, second]: &[SolidView; 2],
    pairs: &mut [[u32; 2]],
    segments: &mut Vec<Segment>,
) {
    a.prepare(first, pairs.iter().map(|pair| pair[0]));
    b.prepare(second, pairs.iter().map(|pair| pair[1]));
    let mut near = 0;
    for k in 0..pairs.len() {
        let [i, j] = pairs[k];
        pairs[near] = [i, j];
        near += usize::from(a.face(i).may_touch(b.face(j)));
    }
    for &faces in &pairs[..near] {
        segments.extend(segment([a, b], faces));
    }
}

/// Returns the segment in which two prepared faces cross.
#[inline(always)]
fn segment([a, b]: [&ClippedSolid; 2], faces: [u32; 2]) -> Option<Segment> {
    let (t, u) = (a.face(faces[0]), b.face(faces[1]));
    if !t.may_touch(u) {
        return None;
    }
    cross(t, u).map(|ends| Segment {
        ends,
        faces,
        region: 0,
    })
}

/// Returns a segment in the world, for the bodies in the order in which they were given.
fn to_world(
    segment: &Segment,
    views: &[SolidView; 2],
    pose: &Pose3,
    is_swapped: bool,
) -> CurveSegment {
    let triangle = |i: usize| &views[i].solid.triangles()[segment.faces[i] as usize];
    let mut facets = [triangle(0).facet, triangle(1).facet];
    let mut ends = segment.ends.map(|end| {
        let side = triangle(end.body).sides[end.side];
        CurveNode {
            position: pose.transform_point(end.position),
            is_edge_of_first: (end.body == 0) != is_swapped,
            edge: views[end.body].solid.edges()[side as usize / 2],
            facet: facets[1 - end.body],
        }
    });
    if is_swapped {
        ends.reverse();
        facets.reverse();
    }
    CurveSegment {
        ends,
        facets,
        contact: segment.region,
    }
}
