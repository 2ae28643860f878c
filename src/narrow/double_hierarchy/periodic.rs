//! Walls that repeat: copies of the facets near the periodic box.

use std::sync::Arc;

use super::index::WallIndex;
use super::mesh::{Indexed, WallMesh};
use super::wall::Wall;
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::Result;
use crate::math::tolerance::two_to;
use crate::math::{Vector, check_count, check_length};
use crate::shape::{Aabb, Feature, PeriodicBox};

/// Wrapped centers are off by less than this part of the reach.
const ROUNDING: f64 = two_to(-20);

/// One period of a wall, and where the copies of its facets are.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Period<M: Indexed> {
    pub(super) mesh: Arc<M>,
    pub(super) lattice: PeriodicBox<M::Vector>,
    pub(super) reach: f64,
    /// The original of each facet.
    originals: Vec<u32>,
}

impl<M: WallMesh> WallIndex<M> {
    /// Returns the index of a mesh with all copies of its facets that are within reach of the box or of the mesh.
    pub(super) fn periodic(
        mesh: Arc<M>,
        lattice: PeriodicBox<M::Vector>,
        reach: f64,
    ) -> Result<Self> {
        let boxes = || (0..mesh.facet_count()).map(|facet| mesh.box_of(facet));
        let [min, max] = lattice.corners();
        let all = boxes().fold(Aabb { min, max }, |all, bounds| all.union(&bounds));
        let (low, high, size) = (all.min, all.max, all.size());
        // Infinite corners have no images.
        let images = |axis: usize| 2.0 + (size[axis] + 2.0 * reach) / (max[axis] - min[axis]);
        let images = (0..M::Vector::DIM).map(images);
        let images = images.filter(|count| count.is_finite());
        let vertices = mesh.vertices().len() as f64;
        check_count((images.product::<f64>() * vertices) as usize)?;
        let mut found = Vec::new();
        for (facet, bounds) in (0..).zip(boxes()) {
            let room = bounds.size() * 0.5 + M::Vector::splat(reach * (1.0 + ROUNDING));
            lattice.any_image(
                bounds.center(),
                [low - room, high + room],
                &mut |image, _| {
                    if image != [0; 3] {
                        found.push((image, facet));
                    }
                    false
                },
            );
        }
        found.sort_unstable();
        let copied = found.iter().map(|&(_, facet)| facet);
        let originals: Vec<u32> = (0..mesh.facet_count()).chain(copied).collect();
        let images = found.chunk_by(|a, b| a.0 == b.0);
        let shifted = images.map(|same| {
            let facets = same.iter().map(|&(_, facet)| facet).collect();
            (lattice.lattice_vector(same[0].0), facets)
        });
        let shifted: Vec<_> = shifted.collect();
        check_count(originals.len())?;
        let all = Arc::new(mesh.with_copies(&shifted));
        let period = Period {
            mesh,
            lattice,
            reach,
            originals,
        };
        Ok(Self::new(all, Some(period)))
    }
}

impl<M: WallMesh> Wall<M> {
    /// Builds a wall that repeats, in the box of its mesh's coordinates. O(n log n).
    ///
    /// The mesh is one period of the surface, at any place. A body touches the mesh and all its images as one surface.
    /// So a floor whose ends meet at the faces of the box has no seam. They must meet to the precision of the mesh.
    /// Contacts name facets and vertices of the mesh, for any image of the body.
    ///
    /// Copies of the facets within `reach` of the box are stored. A sphere whose radius and margin together exceed
    /// `reach` has no contacts, as one out of the domain. The lattice moves and turns with the pose of the wall. A
    /// sheared box needs a new wall.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if `reach` is negative, NaN or out of range, and [`ErrorKind::TooMany`] for too
    /// many copies.
    ///
    /// ```
    /// use osculate::{DoubleHierarchy, NarrowPhase, PeriodicBox, Sphere, Wall};
    /// use osculate::{glam::DVec2, shape::SegmentMesh};
    ///
    /// let ends = [DVec2::ZERO, DVec2::new(10.0, 0.0)];
    /// let floor = SegmentMesh::new(ends.to_vec(), vec![[0, 1]])?;
    /// let lattice = PeriodicBox::orthogonal(DVec2::ZERO, ends[1], [true, false, false])?;
    /// let floor = Wall::periodic(floor, lattice, 0.5)?;
    ///
    /// // At the face, and far out: one contact, with no edge of the floor.
    /// let mut kernel = DoubleHierarchy::new();
    /// for x in [9.75, 0.0, 1234.5] {
    ///     let mut overlaps = Vec::new();
    ///     let disc = Sphere::new(DVec2::new(x, 0.25), 0.5);
    ///     let mut state = Default::default();
    ///     kernel.for_each_contact(&disc, &floor, &mut state, |c| overlaps.push(c.overlap));
    ///     assert_eq!(overlaps, [0.25]);
    /// }
    /// # Ok::<(), osculate::Error>(())
    /// ```
    pub fn periodic(
        mesh: impl Into<Arc<M>>,
        lattice: PeriodicBox<M::Vector>,
        reach: f64,
    ) -> Result<Self> {
        check_length("reach", reach)?;
        WallIndex::periodic(mesh.into(), lattice, reach).map(Self::of)
    }

    /// Returns the periodic box of a wall that repeats.
    pub fn period(&self) -> Option<&PeriodicBox<M::Vector>> {
        self.index.period.as_ref().map(|period| &period.lattice)
    }

    /// Returns how far bodies of a periodic wall may reach from their centers, infinity without a period.
    pub(in crate::narrow) fn reach(&self) -> f64 {
        (self.index.period.as_ref()).map_or(f64::INFINITY, |period| period.reach)
    }

    /// Returns a point of the world in the coordinates of the mesh, wrapped into the box of a periodic wall.
    #[inline]
    pub(in crate::narrow) fn to_mesh(&self, point: M::Vector) -> M::Vector {
        // A closure, because a variable would go through memory: a far body then takes twice the time.
        let local = || match self.is_placed {
            true => self.pose.inverse_transform_point(point),
            false => point,
        };
        match &self.index.period {
            None => local(),
            Some(period) => period.lattice.wrap(local()),
        }
    }

    /// Returns the facet of the mesh that an indexed facet is or copies.
    #[inline]
    pub(super) fn original(&self, facet: u32) -> u32 {
        match &self.index.period {
            None => facet,
            Some(period) => period.originals[facet as usize],
        }
    }

    /// Returns the feature of the mesh that an indexed feature is or copies.
    #[inline]
    pub(super) fn original_feature(&self, feature: Feature) -> Feature {
        let Some(period) = &self.index.period else {
            return feature;
        };
        let vertex = |vertex: u32| vertex % period.mesh.vertices().len() as u32;
        match feature {
            Feature::Facet(facet) => Feature::Facet(self.original(facet)),
            Feature::Edge(a, b) => Feature::edge(vertex(a), vertex(b)),
            Feature::Vertex(a) => Feature::Vertex(vertex(a)),
        }
    }
}
