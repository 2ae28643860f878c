use glam::DVec2;

use super::weights::part_of_segment;
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::math::{check_count, check_length, check_positions, check_same_count, check_side};
use crate::shape::precision::Precision;
use crate::shape::{Aabb, Bounded, Polygon, Sphere};

/// A mesh of segments in 2D that share vertices; open or closed.
///
/// The front of a segment is on its right, so a closed counter-clockwise wall has its front outside. A
/// segment of no length acts as a point. Vertices at the same position count as one.
///
/// ```
/// use osculate::{glam::DVec2, shape::SegmentMesh};
///
/// let vertices = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0)].map(|(x, y)| DVec2::new(x, y));
/// let wall = SegmentMesh::new(vertices.to_vec(), vec![[0, 1], [1, 2]])?;
/// assert_eq!(wall.normal(0), Some(-DVec2::Y));
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "RawMesh")
)]
pub struct SegmentMesh {
    vertices: Vec<DVec2>,
    segments: Vec<[u32; 2]>,
    precision: Precision,
    /// The precision as a length.
    #[cfg_attr(feature = "serde", serde(skip))]
    noise: f64,
    #[cfg_attr(feature = "serde", serde(skip))]
    sphere: Sphere<DVec2>,
}

impl SegmentMesh {
    /// Builds a mesh from vertices and the two vertex ids of each segment. O(n).
    ///
    /// # Errors
    /// Returns [`ErrorKind::Coordinate`] for the lowest bad vertex. For the lowest bad segment
    /// returns [`ErrorKind::Index`] if a vertex is repeated or does not exist, and
    /// [`ErrorKind::Facet`] if the segment is too short. Returns [`ErrorKind::TooMany`] if ids
    /// cannot name all vertices or segments.
    pub fn new(vertices: Vec<DVec2>, segments: Vec<[u32; 2]>) -> Result<Self> {
        check_positions("vertex", &vertices)?;
        check_count(segments.len().saturating_mul(2))?;
        let vertex_count = vertices.len();
        for (facet, &[a, b]) in segments.iter().enumerate() {
            if let Some(vertex) = [a, b].into_iter().find(|&v| v as usize >= vertex_count) {
                return Err(Error(Cause::VertexOutOfRange {
                    facet,
                    vertex,
                    vertex_count,
                }));
            }
            if a == b {
                return Err(Error(Cause::RepeatedVertex { facet, vertex: a }));
            }
        }
        check_lengths(&vertices, &segments)?;
        Ok(Self::from_good(vertices, segments))
    }

    fn from_good(vertices: Vec<DVec2>, segments: Vec<[u32; 2]>) -> Self {
        let precision = Precision::Detected;
        Self {
            noise: precision.length(&vertices),
            sphere: Sphere::around(vertices.iter().copied()),
            vertices,
            segments,
            precision,
        }
    }

    /// Sets the [`precision`](SegmentMesh::precision) of the coordinates, a length. With 0 the mesh is
    /// exact.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if it is negative, NaN or out of range.
    pub fn with_precision(mut self, precision: f64) -> Result<Self> {
        check_length("precision", precision)?;
        self.precision = Precision::Given(precision);
        self.noise = precision;
        Ok(self)
    }

    /// Returns how far vertices may be off the intended line, a length.
    ///
    /// A [`DoubleHierarchy`](crate::DoubleHierarchy) takes gaps and steps below twelve times this length for noise. The
    /// default is 2^-22 of the largest coordinate if all are single-precision numbers, otherwise 2^-51 of
    /// it. Text with few digits needs [`with_precision`](SegmentMesh::with_precision).
    pub fn precision(&self) -> f64 {
        self.noise
    }

    /// Moves the vertices. The mesh then equals a new one, bit for bit. O(n), no allocation.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Index`] if the number of vertices differs; otherwise as for
    /// [`new`](SegmentMesh::new). The mesh keeps its previous contents.
    pub fn set_vertices(&mut self, vertices: &[DVec2]) -> Result<()> {
        check_same_count(self.vertices.len(), vertices.len())?;
        check_positions("vertex", vertices)?;
        check_lengths(vertices, &self.segments)?;
        self.vertices.copy_from_slice(vertices);
        self.noise = self.precision.length(vertices);
        self.sphere = Sphere::around(vertices.iter().copied());
        Ok(())
    }

    /// Returns the mesh with front and back of all segments exchanged. O(n).
    pub fn reversed(&self) -> Self {
        let mut mesh = self.clone();
        mesh.segments.iter_mut().for_each(|ends| ends.reverse());
        mesh
    }

    /// Returns the mesh with copies of all vertices and some segments for each shift. The original of a vertex is its id
    /// modulo the number of vertices.
    pub(crate) fn with_copies(&self, copies: &[(DVec2, Vec<u32>)]) -> Self {
        let mut mesh = self.clone();
        for (shift, ids) in copies {
            let first = mesh.vertices.len() as u32;
            let copy = |&id: &u32| self.segments[id as usize].map(|vertex| first + vertex);
            mesh.segments.extend(ids.iter().map(copy));
            mesh.vertices
                .extend(self.vertices.iter().map(|&vertex| vertex + *shift));
        }
        mesh.precision = Precision::Given(self.noise);
        mesh
    }

    /// Returns the positions of the vertices.
    pub fn vertices(&self) -> &[DVec2] {
        &self.vertices
    }

    /// Returns the segments, each as its two vertices.
    pub fn segments(&self) -> &[[u32; 2]] {
        &self.segments
    }

    /// Returns the number of segments.
    pub fn facet_count(&self) -> u32 {
        self.segments.len() as u32
    }

    /// Returns the unit normal on the front of a segment: 0 for one of no length, `None` beyond the
    /// last.
    pub fn normal(&self, segment: u32) -> Option<DVec2> {
        ((segment as usize) < self.segments.len()).then(|| self.line(segment).0)
    }

    /// Visits the two vertices of a segment with their weights at the point of the segment closest to
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
        let part = part_of_segment(point, a, b);
        visit(from, 1.0 - part);
        visit(to, part);
    }

    /// Returns the bounding box of a segment that exists.
    pub(crate) fn segment_box(&self, segment: u32) -> Aabb<DVec2> {
        Aabb::enclosing(self.ends(segment))
    }

    /// Returns the unit normal, or 0, and the length of a segment that exists.
    pub(crate) fn line(&self, segment: u32) -> (DVec2, f64) {
        let [from, to] = self.ends(segment);
        let (along, length) = (to - from, from.distance(to));
        if length == 0.0 {
            return (DVec2::ZERO, 0.0);
        }
        (DVec2::new(along.y, -along.x) / length, length)
    }

    /// Returns the positions of its ends.
    fn ends(&self, segment: u32) -> [DVec2; 2] {
        self.segments[segment as usize].map(|id| self.vertices[id as usize])
    }
}

/// The boundary of the polygon, with its front outside.
impl From<&Polygon> for SegmentMesh {
    fn from(polygon: &Polygon) -> Self {
        let vertices = polygon.vertices().to_vec();
        let ids = 0..vertices.len() as u32;
        let segments = ids.map(|i| [i, polygon.next(i)]).collect();
        Self::from_good(vertices, segments)
    }
}

/// Returns an error for a segment that is too short to have a direction.
fn check_lengths(vertices: &[DVec2], segments: &[[u32; 2]]) -> Result<()> {
    for (facet, &[a, b]) in segments.iter().enumerate() {
        check_side(facet, a, [a, b].map(|id| vertices[id as usize]))?;
    }
    Ok(())
}

impl Bounded for SegmentMesh {
    type Vector = DVec2;

    fn bounding_sphere(&self) -> Sphere<DVec2> {
        self.sphere
    }
}

#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moved_mesh_equals_a_new_one() {
        let new = |x: f64| SegmentMesh::new(vec![DVec2::ZERO, DVec2::X * x], vec![[0, 1]]).unwrap();
        let (mut mesh, longer) = (new(1.0), new(3.0));
        mesh.set_vertices(longer.vertices()).unwrap();
        assert!(mesh == longer && mesh.bounding_sphere() == longer.bounding_sphere());
        assert!(mesh.bounding_sphere() != new(1.0).bounding_sphere());
    }
}
