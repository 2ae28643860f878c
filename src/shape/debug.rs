//! `Debug` for shapes with many elements: prints their numbers instead of their coordinates.

use std::fmt::{Debug, Formatter, Result};

use crate::math::Vector;

use super::{
    BoxTree, ConvexPolygon, ConvexPolyhedron, Polygon, Rounded, RoundedCore, SegmentMesh,
    SolidMesh, SurfaceMesh, TetMesh,
};

fn write_surface(f: &mut Formatter<'_>, name: &str, surface: &SurfaceMesh) -> Result {
    let (vertices, facets) = (surface.vertices().len(), surface.facet_count());
    write!(f, "{name}({vertices} vertices, {facets} facets)")
}

impl Debug for SurfaceMesh {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write_surface(f, "SurfaceMesh", self)
    }
}

impl Debug for SolidMesh {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write_surface(f, "SolidMesh", self.surface())
    }
}

impl Debug for ConvexPolyhedron {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write_surface(f, "ConvexPolyhedron", self.surface())
    }
}

impl Debug for Rounded {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let radius = self.radius();
        match &self.core {
            RoundedCore::Point(center) => write!(f, "Rounded({center:?}, radius {radius:?})"),
            RoundedCore::Segment(ends, _) => write!(f, "Rounded({ends:?}, radius {radius:?})"),
            RoundedCore::Polyhedron(core) => write!(f, "Rounded({core:?}, radius {radius:?})"),
        }
    }
}

impl Debug for TetMesh {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let (vertices, tetrahedra) = (self.vertices().len(), self.tetrahedra().len());
        write!(f, "TetMesh({vertices} vertices, {tetrahedra} tetrahedra)")
    }
}

impl Debug for SegmentMesh {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let (vertices, segments) = (self.vertices().len(), self.segments().len());
        write!(f, "SegmentMesh({vertices} vertices, {segments} segments)")
    }
}

impl Debug for ConvexPolygon {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "ConvexPolygon({} vertices)", self.vertices().len())
    }
}

impl Debug for Polygon {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "Polygon({} vertices)", self.vertices().len())
    }
}

impl<V: Vector> Debug for BoxTree<V> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "BoxTree({} boxes)", self.box_count())
    }
}

#[cfg(test)]
mod tests {
    use crate::math::Pose3;
    use crate::shape::Placed;
    use crate::testing::workload;

    #[test]
    fn large_shapes_print_their_counts() {
        let shape = workload::rock(100, 0.5, 1).unwrap();
        let text = format!(
            "{:?}",
            Placed {
                shape,
                pose: Pose3::IDENTITY
            }
        );
        let expected = "Placed { shape: SolidMesh(100 vertices, 196 facets), \
            pose: Pose3::new(DQuat::from_xyzw(0.0, 0.0, 0.0, 1.0), DVec3::new(0.0, 0.0, 0.0))? }";
        assert_eq!(text, expected);
    }
}
