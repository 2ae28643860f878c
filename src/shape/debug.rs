//! `Debug` for shapes with many elements: prints their numbers instead of their coordinates.

use std::fmt::{Debug, Formatter, Result};

use crate::math::Vector;

use super::{
    BoxTree, ConvexPolygon, ConvexPolyhedron, Polygon, SegmentMesh, SolidMesh, SurfaceMesh, TetMesh,
};

/// Writes the name of a type with the number of elements of each kind.
fn counts(f: &mut Formatter<'_>, name: &str, counts: &[(&str, usize)]) -> Result {
    let mut output = f.debug_struct(name);
    for (kind, count) in counts {
        output.field(kind, count);
    }
    output.finish_non_exhaustive()
}

fn surface_counts(f: &mut Formatter<'_>, name: &str, surface: &SurfaceMesh) -> Result {
    let (vertices, facets) = (surface.vertices().len(), surface.facet_count() as usize);
    counts(f, name, &[("vertices", vertices), ("facets", facets)])
}

impl Debug for SurfaceMesh {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        surface_counts(f, "SurfaceMesh", self)
    }
}

impl Debug for SolidMesh {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        surface_counts(f, "SolidMesh", self.surface())
    }
}

impl Debug for ConvexPolyhedron {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        surface_counts(f, "ConvexPolyhedron", self.surface())
    }
}

impl Debug for TetMesh {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let (vertices, tetrahedra) = (self.vertices().len(), self.tetrahedra().len());
        let list = [("vertices", vertices), ("tetrahedra", tetrahedra)];
        counts(f, "TetMesh", &list)
    }
}

impl Debug for SegmentMesh {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let (vertices, segments) = (self.vertices().len(), self.segments().len());
        counts(
            f,
            "SegmentMesh",
            &[("vertices", vertices), ("segments", segments)],
        )
    }
}

impl Debug for ConvexPolygon {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        counts(f, "ConvexPolygon", &[("vertices", self.vertices().len())])
    }
}

impl Debug for Polygon {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        counts(f, "Polygon", &[("vertices", self.vertices().len())])
    }
}

impl<V: Vector> Debug for BoxTree<V> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        counts(f, "BoxTree", &[("boxes", self.box_count())])
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
        let expected = "Placed { shape: SolidMesh { vertices: 100, facets: 196, .. }, \
            pose: Pose3::new(DQuat::from_xyzw(0.0, 0.0, 0.0, 1.0), DVec3::new(0.0, 0.0, 0.0))? }";
        assert_eq!(text, expected);
    }
}
