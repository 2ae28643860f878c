use glam::DVec2;

use super::adjacency::Lists;
use super::weld::{have_names, names};
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Result};
use crate::math::{MIN_LENGTH, check_count, check_length, check_positions, check_same_count};
use crate::shape::precision::Precision;
use crate::shape::{Aabb, Bounded, Feature, Sphere};

/// A wall in the plane: segments that share vertices; open or closed.
///
/// The front of a segment is on its right, so that a closed wall that runs counter-clockwise has
/// its front outside. A segment of no length acts as a point. Vertices at the same position are
/// one.
///
/// ```
/// use osculate::{SegmentMesh, glam::DVec2};
///
/// let vertices = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0)].map(|(x, y)| DVec2::new(x, y));
/// let wall = SegmentMesh::new(vertices.to_vec(), vec![[0, 1], [1, 2]])?;
/// assert_eq!(wall.normal(0), Some(-DVec2::Y));
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "RawMesh", into = "RawMesh")
)]
pub struct SegmentMesh {
    vertices: Vec<DVec2>,
    segments: Vec<[u32; 2]>,
    /// The lowest vertex at the position of each.
    names: Vec<u32>,
    /// Vertices in ascending order of their positions.
    order: Vec<u32>,
    segments_at: Lists,
    /// The unit normal, or 0, and the length of each segment.
    lines: Vec<(DVec2, f64)>,
    precision: Precision,
    /// How far vertices may be off the line that was meant.
    noise: f64,
}

impl SegmentMesh {
    /// A wall from its vertices and the two of each segment. O(n log n).
    ///
    /// # Errors
    /// Returns [`ErrorKind::Coordinate`] for the lowest bad vertex. For the lowest bad segment
    /// returns [`ErrorKind::Index`] if a vertex is repeated or does not exist, and
    /// [`ErrorKind::Facet`] if the segment is too short. Returns [`ErrorKind::TooMany`] if ids
    /// cannot name all vertices or segments.
    pub fn new(vertices: Vec<DVec2>, segments: Vec<[u32; 2]>) -> Result<Self> {
        check_positions(&vertices)?;
        check_count(segments.len().saturating_mul(2))?;
        let vertex_count = vertices.len();
        for (facet, &[a, b]) in segments.iter().enumerate() {
            if let Some(vertex) = [a, b].into_iter().find(|&v| v as usize >= vertex_count) {
                return Err(Cause::VertexOutOfRange {
                    facet,
                    vertex,
                    vertex_count,
                }
                .into());
            }
            if a == b {
                return Err(Cause::RepeatedVertex { facet, vertex: a }.into());
            }
        }
        check_lengths(&vertices, &segments)?;
        let mut mesh = Self {
            names: Vec::new(),
            order: Vec::new(),
            segments_at: Lists::default(),
            lines: Vec::new(),
            precision: Precision::Detected,
            noise: 0.0,
            vertices,
            segments,
        };
        mesh.join();
        mesh.fit();
        Ok(mesh)
    }

    /// Sets the [`precision`](SegmentMesh::precision) of the coordinates, a length. With 0 the wall
    /// is exactly what was meant. O(1).
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if it is negative, NaN or out of range.
    pub fn with_precision(mut self, precision: f64) -> Result<Self> {
        check_length("precision", precision)?;
        self.precision = Precision::Given(precision);
        self.noise = precision;
        Ok(self)
    }

    /// How far vertices may be off the line that was meant: the distance below which a
    /// [`DoubleHierarchy`](crate::DoubleHierarchy) takes gaps, steps and bends for noise.
    ///
    /// If all coordinates are single-precision numbers, 2^-22 of the largest; otherwise 2^-51 of it.
    /// For others, such as text with few digits, see [`with_precision`](SegmentMesh::with_precision).
    pub fn precision(&self) -> f64 {
        self.noise
    }

    /// Moves the vertices: a wall that deforms. The wall then equals a new one, bit for bit.
    ///
    /// Cost: O(n), and O(n log n) if the order of the vertices along the axes changes. Allocates only
    /// where vertices part or come together.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Index`] if the number of vertices differs; otherwise as for
    /// [`new`](SegmentMesh::new). The wall keeps its previous contents.
    pub fn set_vertices(&mut self, vertices: &[DVec2]) -> Result<()> {
        check_same_count(self.vertices.len(), vertices.len())?;
        check_positions(vertices)?;
        check_lengths(vertices, &self.segments)?;
        self.vertices.copy_from_slice(vertices);
        if !have_names(vertices, &self.names, &mut self.order) {
            self.join();
        }
        self.fit();
        Ok(())
    }

    /// The vertices' positions.
    pub fn vertices(&self) -> &[DVec2] {
        &self.vertices
    }

    /// The segments, each as its two vertices.
    pub fn segments(&self) -> &[[u32; 2]] {
        &self.segments
    }

    /// The unit normal on the front of a segment, 0 for one of no length.
    pub fn normal(&self, segment: usize) -> Option<DVec2> {
        self.lines.get(segment).map(|line| line.0)
    }

    /// Visits each segment that has a feature, in ascending order.
    pub fn for_each_segment_at(&self, feature: Feature, mut visit: impl FnMut(u32)) {
        match feature {
            Feature::Facet(segment) if (segment as usize) < self.segments.len() => visit(segment),
            Feature::Vertex(vertex) if (vertex as usize) < self.vertices.len() => {
                let name = self.names[vertex as usize];
                self.segments_at(name)
                    .iter()
                    .for_each(|&segment| visit(segment));
            }
            _ => {}
        }
    }

    /// Visits the two vertices of a segment with the weights of the point of it that is closest to
    /// `point`.
    pub fn for_each_nodal_weight(
        &self,
        segment: u32,
        point: DVec2,
        mut visit: impl FnMut(u32, f64),
    ) {
        let Some(&[from, to]) = self.segments.get(segment as usize) else {
            return;
        };
        let [a, b] = [from, to].map(|v| self.vertices[v as usize]);
        let length_squared = a.distance_squared(b);
        let part = if length_squared > 0.0 {
            ((point - a).dot(b - a) / length_squared).clamp(0.0, 1.0)
        } else {
            0.0
        };
        visit(from, 1.0 - part);
        visit(to, part);
    }

    /// Which segments meet where.
    fn join(&mut self) {
        (self.names, self.order) = names(&self.vertices);
        let ends = (0..)
            .zip(&self.segments)
            .flat_map(|(segment, ends)| ends.map(|end| (self.names[end as usize], segment)));
        let mut ends: Vec<(u32, u32)> = ends.collect();
        ends.sort_unstable();
        ends.dedup();
        self.segments_at = Lists::new(self.vertices.len(), &ends);
    }

    fn fit(&mut self) {
        let Self {
            vertices,
            segments,
            lines,
            precision,
            noise,
            ..
        } = self;
        *noise = precision.length(vertices);
        lines.clear();
        lines.extend(segments.iter().map(|&[from, to]| {
            let [from, to] = [from, to].map(|id| vertices[id as usize]);
            let (along, length) = (to - from, from.distance(to));
            if length == 0.0 {
                return (DVec2::ZERO, 0.0);
            }
            (DVec2::new(along.y, -along.x) / length, length)
        }));
    }

    pub(crate) fn segment_box(&self, segment: usize) -> Aabb<DVec2> {
        let [a, b] = self.segments[segment].map(|v| self.vertices[v as usize]);
        Aabb {
            min: a.min(b),
            max: a.max(b),
        }
    }

    /// The names of a segment's ends, the lower first.
    pub(crate) fn ends(&self, segment: u32) -> [u32; 2] {
        let [a, b] = self.segments[segment as usize].map(|v| self.names[v as usize]);
        [a.min(b), a.max(b)]
    }

    pub(crate) fn position(&self, vertex: u32) -> DVec2 {
        self.vertices[vertex as usize]
    }

    pub(crate) fn line(&self, segment: u32) -> (DVec2, f64) {
        self.lines[segment as usize]
    }

    /// By the name of a vertex.
    pub(crate) fn segments_at(&self, name: u32) -> &[u32] {
        self.segments_at.get(name)
    }
}

/// Refuses segments that are too short to have a direction.
fn check_lengths(vertices: &[DVec2], segments: &[[u32; 2]]) -> Result<()> {
    for (facet, &[a, b]) in segments.iter().enumerate() {
        let (from, to) = (vertices[a as usize], vertices[b as usize]);
        let length = from.distance(to);
        if length < MIN_LENGTH && from != to {
            return Err(Cause::SideTooShort {
                facet,
                vertex: a,
                length,
            }
            .into());
        }
    }
    Ok(())
}

impl Bounded for SegmentMesh {
    type Vector = DVec2;

    fn bounding_sphere(&self) -> Sphere<DVec2> {
        Sphere::around(self.vertices.iter().copied())
    }
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct RawMesh {
    vertices: Vec<DVec2>,
    segments: Vec<[u32; 2]>,
    #[serde(default)]
    precision: Precision,
}

#[cfg(feature = "serde")]
impl TryFrom<RawMesh> for SegmentMesh {
    type Error = crate::Error;
    fn try_from(raw: RawMesh) -> Result<Self> {
        let mesh = Self::new(raw.vertices, raw.segments)?;
        match raw.precision {
            Precision::Given(precision) => mesh.with_precision(precision),
            _ => Ok(mesh),
        }
    }
}

#[cfg(feature = "serde")]
impl From<SegmentMesh> for RawMesh {
    fn from(mesh: SegmentMesh) -> Self {
        Self {
            vertices: mesh.vertices,
            segments: mesh.segments,
            precision: mesh.precision,
        }
    }
}
