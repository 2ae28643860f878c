//! Contact manifolds: the points of an elastic bed, their names and their reduction.

use glam::DVec3;

use crate::error::{Cause, Error, Result};
use crate::math::Pose3;
use crate::math::tolerance::STRICT;
use crate::narrow::{CommonPlaneState, Contact};
use crate::shape::Stamp;

/// The most points of a [`ContactManifold`].
pub(in crate::narrow) const MAX_POINTS: usize = 8;

/// Returns a largest number of points if there can be so many.
pub(in crate::narrow) fn check_max_points(count: usize) -> Result<usize> {
    if (1..=MAX_POINTS).contains(&count) {
        Ok(count)
    } else {
        Err(Error(Cause::Count {
            name: "with_max_points: number of points",
            value: count,
            range: "[1, 8]",
        }))
    }
}

/// The contact points of two convex bodies, with their shares of the load. World frame.
///
/// The bed of a pair along a unit vector m is the region, seen along m, in which the surface of the
/// first body lies beyond that of the second; its depth is the distance between the two surfaces along
/// m. The shares of the points add up to the volume of the bed, and their moments to its moment.
/// Forces `stiffness * point.volume` at the points are therefore those of an elastic bed, with a
/// stiffness in force per volume (a pressure per depth).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ContactManifold {
    /// The unit vector along which the bed is measured, from the first body to the second.
    pub normal: DVec3,
    /// The area of the bed, projected along the normal.
    pub area: f64,
    /// The volume of the bed. The intersection volume of the bodies, if the bed is
    /// bounded by the surfaces that face each other.
    pub volume: f64,
    /// The center of pressure: the centroid of the bed, half way between the surfaces.
    pub point: DVec3,
    points: [ManifoldPoint; MAX_POINTS],
    point_count: u8,
}

/// A point of a [`ContactManifold`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ManifoldPoint {
    /// The features of the bodies that meet at the point. They name it from step to step.
    pub feature: PointFeature,
    /// The point at which the force acts: the center of the point's share of the bed, half way between
    /// the surfaces. It is not the position of the feature, which lies farther out.
    pub point: DVec3,
    /// The depth of the bed at the feature, along the normal; negative for a gap within the margin. At walls
    /// it is measured from the planes of the facets, so it can exceed the overlap of the contact at a ridge.
    pub overlap: f64,
    /// The point's share of the area.
    pub area: f64,
    /// The point's share of the volume: the load per unit of stiffness.
    pub volume: f64,
    /// The index of the point of the previous manifold that this point continues: the one with the same
    /// feature, otherwise the nearest one. `None` if the pair had no manifold. At walls the index counts the
    /// points of all manifolds of the last call.
    pub previous: Option<u16>,
}

/// The features that meet at a point of a [`ContactManifold`].
///
/// Vertices are indices of the two shapes, edges pairs of them, the lower first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum PointFeature {
    /// A vertex of the first body over a face of the second.
    FirstVertex(u32),
    /// A vertex of the second body over a face of the first.
    SecondVertex(u32),
    /// An edge of the first body that crosses an edge of the second, seen along the normal.
    Edges([u32; 2], [u32; 2]),
}

impl Default for PointFeature {
    fn default() -> Self {
        Self::FirstVertex(0)
    }
}

impl PointFeature {
    /// Returns the feature with the bodies swapped.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::FirstVertex(id) => Self::SecondVertex(id),
            Self::SecondVertex(id) => Self::FirstVertex(id),
            Self::Edges(first, second) => Self::Edges(second, first),
        }
    }
}

impl ContactManifold {
    /// Returns the points, at most 8.
    pub fn points(&self) -> &[ManifoldPoint] {
        &self.points[..MAX_POINTS.min(self.point_count.into())]
    }

    pub(in crate::narrow) fn points_mut(&mut self) -> &mut [ManifoldPoint] {
        &mut self.points[..MAX_POINTS.min(self.point_count.into())]
    }

    /// Returns the points at which tangential springs have the twist stiffness of the area.
    ///
    /// They lie sqrt(3) times as far from the [center of pressure](Self::point) as the points of the
    /// manifold. Springs `k * area` at these positions resist a rotation about the normal as a
    /// rectangular bed does; at the points themselves they have a third of this stiffness.
    pub fn twist_points(&self) -> impl Iterator<Item = DVec3> {
        let center = self.point;
        let points = self.points().iter();
        points.map(move |p| center + (p.point - center) * 3.0_f64.sqrt())
    }

    /// Returns the same manifold with the bodies swapped.
    #[must_use]
    pub fn swapped(mut self) -> Self {
        self.normal = DVec3::ZERO - self.normal;
        for point in self.points_mut() {
            point.feature = point.feature.swapped();
        }
        self
    }
}

/// The contact at the center of pressure, with the depth of the deepest point.
impl From<ContactManifold> for Contact {
    fn from(manifold: ContactManifold) -> Self {
        let depths = manifold.points().iter().map(|point| point.overlap);
        Self {
            point: manifold.point,
            normal: manifold.normal,
            overlap: depths.fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// What a pair carries from step to step: the features of its last manifold, and where they were.
///
/// The state names the points that continue earlier ones ([`ManifoldPoint::previous`]), and keeps the
/// choice of points if there are too many. It changes no force: volume, center of pressure, and the
/// sums over the points never depend on it. The state of other shapes counts as new. If the bodies come in the
/// other order from now on, call [`reverse`](Self::reverse).
///
/// A state that was stored and read again continues the points of two shapes that may be any.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ElasticBedState {
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) plane: CommonPlaneState,
    #[cfg_attr(feature = "serde", serde(skip))]
    shapes: [Stamp; 2],
    /// The features and their positions in the frame of the first body; of the second if the bodies were reversed.
    points: [(PointFeature, DVec3); MAX_POINTS],
    count: u8,
    is_reversed: bool,
}

impl ElasticBedState {
    fn points(&self) -> &[(PointFeature, DVec3)] {
        &self.points[..MAX_POINTS.min(self.count.into())]
    }

    /// Swaps the bodies: call it if the first body comes second from now on.
    pub fn reverse(&mut self) {
        self.shapes.reverse();
        self.is_reversed = !self.is_reversed;
        for (feature, _) in &mut self.points {
            *feature = feature.swapped();
        }
    }

    /// Forgets a manifold of other shapes. That of a new state may be of any.
    pub(super) fn keep_only(&mut self, shapes: [Stamp; 2]) {
        if self.shapes != shapes {
            if self.shapes != [Stamp::NONE; 2] {
                self.forget();
            }
            self.shapes = shapes;
        }
    }

    /// Forgets the points.
    pub(super) fn forget(&mut self) {
        self.count = 0;
    }

    /// Names the points of a new manifold that continue earlier ones, and stores it. The poses are those of the two
    /// bodies.
    pub(super) fn follow(&mut self, manifold: &mut ContactManifold, poses: [&Pose3; 2]) {
        let mut positions = [DVec3::ZERO; MAX_POINTS];
        for (position, point) in positions.iter_mut().zip(manifold.points_mut()) {
            *position = poses[0].inverse_transform_point(point.point);
            let before = if self.is_reversed {
                poses[1].inverse_transform_point(point.point)
            } else {
                *position
            };
            point.previous = self.matching(point.feature, before);
        }
        let points = manifold.points().iter().zip(positions);
        for (stored, (point, position)) in self.points.iter_mut().zip(points) {
            *stored = (point.feature, position);
        }
        self.count = manifold.point_count;
        self.is_reversed = false;
    }

    /// Returns the features of the points.
    pub(super) fn names(&self) -> impl Iterator<Item = PointFeature> {
        self.points().iter().map(|(name, _)| *name)
    }

    /// Returns the index of the point with this feature, otherwise of the nearest one.
    fn matching(&self, feature: PointFeature, position: DVec3) -> Option<u16> {
        let points = self.points().iter().enumerate();
        let points = points.map(|(i, &(name, at))| (i, name, (at - position).length_squared()));
        continued(points, feature).map(|i| i as u16)
    }
}

/// A point of the bed before reduction, in the frame of a body.
#[derive(Clone, Copy, Debug)]
pub(in crate::narrow) struct BedNode {
    pub(in crate::narrow) feature: PointFeature,
    pub(in crate::narrow) area: f64,
    pub(in crate::narrow) volume: f64,
    /// The integral of the position over the node's share of the volume.
    pub(in crate::narrow) moment: DVec3,
}

impl BedNode {
    pub(super) fn point(&self) -> DVec3 {
        self.moment * (1.0 / self.volume)
    }

    fn add(&mut self, other: &Self) {
        self.area += other.area;
        self.volume += other.volume;
        self.moment += other.moment;
    }
}

/// The nodes of a bed.
#[derive(Clone, Debug, Default)]
pub(in crate::narrow) struct Bed {
    pub(in crate::narrow) nodes: Vec<BedNode>,
    pub(in crate::narrow) area: f64,
}

impl Bed {
    pub(in crate::narrow) fn clear(&mut self) {
        self.nodes.clear();
        self.area = 0.0;
    }

    /// Adds a share to the node of its feature.
    pub(in crate::narrow) fn add(&mut self, share: BedNode) {
        let mut nodes = self.nodes.iter_mut();
        match nodes.find(|node| node.feature == share.feature) {
            Some(node) => node.add(&share),
            None => self.nodes.push(share),
        }
    }

    /// Swaps the bodies.
    pub(super) fn swap(&mut self) {
        for node in &mut self.nodes {
            node.feature = node.feature.swapped();
        }
    }

    /// Adds the nodes that are not kept to the nearest one that is, so that at most `count` remain.
    ///
    /// Kept are first the features of the last step, then the deepest node, then the one farthest from
    /// those already kept. All sums over the nodes stay as they are.
    pub(in crate::narrow) fn reduce(
        &mut self,
        count: usize,
        names: impl Iterator<Item = PointFeature>,
    ) {
        if self.nodes.len() <= count {
            return;
        }
        let mut kept = 0;
        for name in names.take(count) {
            let found = self.nodes[kept..].iter().position(|n| n.feature == name);
            if let Some(i) = found {
                self.nodes.swap(kept, kept + i);
                kept += 1;
            }
        }
        while kept < count {
            let worth = |node: &BedNode| match kept {
                0 => node.volume / node.area,
                _ => nearest(&positions(&self.nodes[..kept])[..kept], node).1,
            };
            let rest = self.nodes[kept..].iter().map(worth).enumerate();
            // The first of equals.
            let best = rest.reduce(|best, next| if next.1 > best.1 { next } else { best });
            self.nodes.swap(kept, kept + best.map_or(0, |best| best.0));
            kept += 1;
        }
        // By the positions before, so that the order does not matter.
        let (nodes, others) = self.nodes.split_at_mut(kept);
        let before = positions(nodes);
        for node in others {
            nodes[nearest(&before[..kept], node).0].add(node);
        }
        self.nodes.truncate(kept);
    }

    /// Returns the manifold of the nodes, which are at most 8.
    ///
    /// The depths of the nodes exceed the overlaps by `margin`. `to_world` takes the frame of the nodes
    /// to the world.
    pub(in crate::narrow) fn manifold(
        &self,
        normal: DVec3,
        margin: f64,
        to_world: impl Fn(DVec3) -> DVec3,
    ) -> ContactManifold {
        let mut manifold = ContactManifold {
            normal,
            area: self.area,
            point_count: self.nodes.len() as u8,
            ..Default::default()
        };
        let mut moment = DVec3::ZERO;
        for (point, node) in manifold.points.iter_mut().zip(&self.nodes) {
            *point = ManifoldPoint {
                feature: node.feature,
                point: to_world(node.point()),
                overlap: node.volume / node.area - margin,
                area: node.area,
                volume: node.volume,
                previous: None,
            };
            manifold.volume += node.volume;
            moment += node.moment;
        }
        manifold.point = to_world(moment * (1.0 / manifold.volume));
        manifold
    }
}

/// Returns the points of up to 8 nodes.
fn positions(nodes: &[BedNode]) -> [DVec3; MAX_POINTS] {
    let mut positions = [DVec3::ZERO; MAX_POINTS];
    for (position, node) in positions.iter_mut().zip(nodes) {
        *position = node.point();
    }
    positions
}

/// Returns which of some positions is nearest to a node, and its squared distance.
fn nearest(positions: &[DVec3], node: &BedNode) -> (usize, f64) {
    let from = node.point();
    let distances = positions.iter().map(|&x| (x - from).length_squared());
    let nearest = distances.enumerate();
    let nearest = nearest.reduce(|best, next| if next.1 < best.1 { next } else { best });
    nearest.unwrap_or((0, 0.0))
}

/// Returns which point of the last step one with a feature continues: that of the same feature, otherwise the
/// nearest. Points come as index, feature and squared distance.
///
/// Of points at the same distance to rounding it is that of the least feature, so their order does not matter.
pub(in crate::narrow) fn continued<I: Copy>(
    points: impl Iterator<Item = (I, PointFeature, f64)> + Clone,
    feature: PointFeature,
) -> Option<I> {
    if let Some(named) = points.clone().find(|point| point.1 == feature) {
        return Some(named.0);
    }
    let least = points.clone().map(|point| point.2).reduce(f64::min)?;
    let nearest = points.filter(|point| point.2 <= least * (1.0 + STRICT));
    Some(nearest.min_by_key(|point| point.1)?.0)
}
