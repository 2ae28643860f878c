//! Shapes of osculate as shapes of parry.

use osculate::glam::DVec3;
use osculate::{ConvexPolyhedron, SurfaceMesh, Wall};
use rapier3d_f64::geometry::SharedShape;
use rapier3d_f64::math::{Pose, Real, Vector};
use rapier3d_f64::parry;

use parry::bounding_volume::{Aabb, BoundingSphere};
use parry::mass_properties::MassProperties;
use parry::query::{PointProjection, PointQuery, Ray, RayCast, RayIntersection};
use parry::shape::{FeatureId, Shape, ShapeType, TriMesh, TypedShape};

/// A shape for osculate's kernels, and the same shape for all other queries of parry.
#[derive(Clone)]
pub struct Twin<O, P> {
    /// For contacts.
    pub ours: O,
    /// For bounds, mass, rays, casts and distances.
    pub theirs: P,
}

/// A wall at rest in the frame of its collider.
pub type Ground = Twin<Wall, TriMesh>;

/// A convex polyhedron.
pub type Solid = Twin<ConvexPolyhedron, parry::shape::ConvexPolyhedron>;

/// Returns a wall. Polygons become fans of triangles for parry.
pub fn ground(mesh: SurfaceMesh) -> SharedShape {
    let vertices = mesh.vertices().iter().map(|&v| vector(v)).collect();
    let triangles = mesh.facets().flat_map(|facet| {
        let ids = facet.vertices().to_vec();
        (2..ids.len()).map(move |i| [ids[0], ids[i - 1], ids[i]])
    });
    let theirs = TriMesh::new(vertices, triangles.collect());
    SharedShape::new(Twin {
        theirs: theirs.expect("a mesh of osculate has facets"),
        ours: Wall::new(mesh),
    })
}

/// Returns a convex body, or `None` if parry refuses it.
pub fn solid(shape: ConvexPolyhedron) -> Option<SharedShape> {
    let points: Vec<_> = shape.vertices().iter().map(|&v| vector(v)).collect();
    let theirs = parry::shape::ConvexPolyhedron::from_convex_hull(&points)?;
    Some(SharedShape::new(Twin {
        ours: shape,
        theirs,
    }))
}

/// Returns parry's shape of a twin, and other shapes unchanged.
pub(crate) fn theirs(shape: &dyn Shape) -> &dyn Shape {
    if let Some(twin) = shape.as_shape::<Ground>() {
        &twin.theirs
    } else if let Some(twin) = shape.as_shape::<Solid>() {
        &twin.theirs
    } else {
        shape
    }
}

/// Through an array: parry may have another version of glam.
pub(crate) fn vector(v: DVec3) -> Vector {
    v.to_array().into()
}

impl<O, P> Shape for Twin<O, P>
where
    O: Clone + Send + Sync + 'static,
    P: Clone + Shape,
{
    fn compute_local_aabb(&self) -> Aabb {
        self.theirs.compute_local_aabb()
    }

    fn compute_local_bounding_sphere(&self) -> BoundingSphere {
        self.theirs.compute_local_bounding_sphere()
    }

    fn compute_aabb(&self, position: &Pose) -> Aabb {
        self.theirs.compute_aabb(position)
    }

    fn clone_dyn(&self) -> Box<dyn Shape> {
        Box::new(self.clone())
    }

    fn scale_dyn(&self, _scale: Vector, _subdivisions: u32) -> Option<Box<dyn Shape>> {
        None
    }

    fn mass_properties(&self, density: Real) -> MassProperties {
        self.theirs.mass_properties(density)
    }

    fn shape_type(&self) -> ShapeType {
        ShapeType::Custom
    }

    fn as_typed_shape(&self) -> TypedShape<'_> {
        TypedShape::Custom(self)
    }

    fn ccd_thickness(&self) -> Real {
        self.theirs.ccd_thickness()
    }

    fn ccd_angular_thickness(&self) -> Real {
        self.theirs.ccd_angular_thickness()
    }
}

impl<O, P: RayCast> RayCast for Twin<O, P> {
    fn cast_local_ray_and_get_normal(
        &self,
        ray: &Ray,
        max_time_of_impact: Real,
        solid: bool,
    ) -> Option<RayIntersection> {
        self.theirs
            .cast_local_ray_and_get_normal(ray, max_time_of_impact, solid)
    }
}

impl<O, P: PointQuery> PointQuery for Twin<O, P> {
    fn project_local_point(&self, point: Vector, solid: bool) -> PointProjection {
        self.theirs.project_local_point(point, solid)
    }

    fn project_local_point_and_get_feature(&self, point: Vector) -> (PointProjection, FeatureId) {
        self.theirs.project_local_point_and_get_feature(point)
    }
}
