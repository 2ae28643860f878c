//! The planes of a wall's facets, and those through their sides.

use glam::DVec3;

use crate::math::tolerance::NORMAL_ANGLE;
use crate::math::{direction, lexicographic};
use crate::shape::{Adjacency, NO_EDGE, SurfaceMesh};

/// The plane of a facet, together with those of its first three sides.
///
/// Four distances at once cost little more than one, and they rule out most facets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FacetPlane {
    /// The first corner in lexicographic order. Differences to it keep their digits far from the origin.
    pub(super) origin: DVec3,
    /// The largest distance of a corner from `origin`.
    pub(super) size: f64,
    /// The angle by which the normal and the sides may be off because of the precision.
    pub(super) normal_error: f64,
    /// The x of the unit normal (0 without area) and of three [`SidePlane::inward`], then their y, their
    /// z, and their offsets.
    planes: [[f64; 4]; 4],
    first_side: u32,
    side_count: u32,
}

impl FacetPlane {
    /// Returns the unit normal, or 0 without area.
    #[inline]
    pub(super) fn normal(&self) -> DVec3 {
        let [x, y, z, _] = self.planes;
        DVec3::new(x[0], y[0], z[0])
    }

    /// Returns how far a point, given from the origin of the facet, is above it and inside its first three
    /// sides.
    #[inline]
    pub(super) fn distances(&self, point: DVec3) -> [f64; 4] {
        let [x, y, z, offset] = &self.planes;
        std::array::from_fn(|i| point.x * x[i] + point.y * y[i] + point.z * z[i] - offset[i])
    }
}

/// The plane through a side of a facet, perpendicular to the facet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SidePlane {
    /// Unit, into the facet; 0 for a facet without area.
    inward: DVec3,
    /// The distance of the side from the facet's origin, along `inward`. A side that has shrunk to a point
    /// bounds nothing: minus infinity.
    offset: f64,
    pub(super) facet: u32,
    /// In [`Adjacency`].
    pub(super) edge: u32,
    /// The name of the vertex where the side starts.
    pub(super) corner: u32,
    /// Whether no lower side has this edge, or starts from this vertex.
    pub(super) is_first_of_edge: bool,
    pub(super) is_first_of_corner: bool,
}

impl SidePlane {
    /// Returns how far inside a point is, given from the facet's origin.
    #[inline]
    pub(super) fn inside(&self, point: DVec3) -> f64 {
        self.inward.dot(point) - self.offset
    }
}

/// Planes of facets, of their sides, and the lengths of edges, each in one flat array.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Planes {
    facets: Vec<FacetPlane>,
    sides: Vec<SidePlane>,
    edge_lengths: Vec<f64>,
}

impl Planes {
    /// Computes everything anew; allocates only for more facets than before.
    pub(super) fn fit(&mut self, mesh: &SurfaceMesh, adjacency: &Adjacency) {
        let position = |id: u32| mesh.vertices()[id as usize];
        self.edge_lengths.clear();
        let lengths = adjacency.edges().iter();
        let lengths = lengths.map(|&[a, b]| position(a).distance(position(b)));
        self.edge_lengths.extend(lengths);
        self.facets.clear();
        self.sides.clear();
        let facets = mesh.topology().0;
        self.facets.reserve(facets.count());
        self.sides.reserve(facets.side_count());
        for (facet, (ids, &normal)) in (0..).zip(facets.iter().zip(mesh.normals())) {
            let width = width(normal, ids.len(), |i| position(ids[i]));
            let corners = ids.iter().map(|&id| position(id));
            let origin = corners.reduce(lower).unwrap_or_default();
            let distances = ids.iter().map(|&id| origin.distance(position(id)));
            let size = distances.fold(0.0, f64::max);
            let first_side = self.sides.len();
            for (i, &from) in ids.iter().enumerate() {
                let side = self.sides.len() as u32;
                let to = ids[(i + 1) % ids.len()];
                let edge = adjacency.edge_of(side);
                let (inward, offset) = side_plane(normal, origin, [from, to].map(position));
                self.sides.push(SidePlane {
                    inward,
                    offset,
                    facet,
                    edge,
                    corner: adjacency.name(from),
                    is_first_of_edge: edge != NO_EDGE && adjacency.sides_of(edge)[0] == side,
                    is_first_of_corner: adjacency.is_first_of_corner(side),
                });
            }
            let [a, b, c] = [0, 1, 2].map(|i| &self.sides[first_side + i]);
            let sides = [a, b, c].map(|side| side.inward.extend(side.offset));
            let planes = [normal.extend(0.0), sides[0], sides[1], sides[2]];
            self.facets.push(FacetPlane {
                origin,
                size,
                normal_error: normal_error(mesh.precision(), width),
                planes: [0, 1, 2, 3].map(|axis| planes.map(|plane| plane[axis])),
                first_side: first_side as u32,
                side_count: ids.len() as u32,
            });
        }
    }

    #[inline]
    pub(super) fn facet(&self, facet: u32) -> &FacetPlane {
        &self.facets[facet as usize]
    }

    /// Returns the sides of a facet.
    #[inline]
    pub(super) fn sides(&self, facet: &FacetPlane) -> &[SidePlane] {
        let first = facet.first_side as usize;
        &self.sides[first..first + facet.side_count as usize]
    }

    #[inline]
    pub(super) fn side(&self, side: u32) -> &SidePlane {
        &self.sides[side as usize]
    }

    /// Returns the previous side of the same facet that has a length.
    pub(super) fn side_before(&self, side: u32) -> &SidePlane {
        let facet = self.facet(self.side(side).facet);
        let (first, count) = (facet.first_side, facet.side_count);
        let steps = (1..count).map(|step| first + (side - first + count - step) % count);
        let mut before = steps.map(|side| self.side(side));
        let is_side = |side: &&SidePlane| side.offset != f64::NEG_INFINITY;
        before.find(is_side).unwrap_or(self.side(side))
    }

    #[inline]
    pub(super) fn edge_length(&self, edge: u32) -> f64 {
        self.edge_lengths[edge as usize]
    }
}

/// Returns the height of a triangle above its longest side, for other polygons a lower bound of the
/// width.
fn width(normal: DVec3, count: usize, corner: impl Fn(usize) -> DVec3) -> f64 {
    let from_first = |i: usize| corner(i % count) - corner(0);
    let doubled_area = (2..count).map(|i| normal.dot(from_first(i - 1).cross(from_first(i))));
    let length = match count {
        3 => (0..3).fold(0.0, |l: f64, i| {
            l.max(corner(i).distance(corner((i + 1) % 3)))
        }),
        _ => 2.0 * (1..count).fold(0.0, |l: f64, i| l.max(from_first(i).length())),
    };
    doubled_area.sum::<f64>() / length
}

/// Returns the angle by which the normal of a facet of this width may be off if its vertices are off by
/// at most `precision`. A facet without area has no normal, hence 0.
pub(super) fn normal_error(precision: f64, width: f64) -> f64 {
    if width > 0.0 {
        (2.0 * precision / width).min(NORMAL_ANGLE)
    } else {
        0.0
    }
}

/// Returns the unit vector into the facet, and the distance of the side along it. The bits do not depend
/// on the direction of the side.
fn side_plane(normal: DVec3, origin: DVec3, [from, to]: [DVec3; 2]) -> (DVec3, f64) {
    if normal == DVec3::ZERO {
        return (DVec3::ZERO, 0.0);
    }
    let across = normal.cross(to - from);
    match direction(across, across.length()) {
        None => (DVec3::ZERO, f64::NEG_INFINITY),
        Some(inward) => (inward, inward.dot(lower(from, to) - origin)),
    }
}

fn lower(a: DVec3, b: DVec3) -> DVec3 {
    if lexicographic(b, a).is_lt() { b } else { a }
}
