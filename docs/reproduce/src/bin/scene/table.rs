//! Every kernel on each pair of shapes that it takes: a body is 1/16 deep in the top of another one.

use std::sync::Arc;

use osculate::glam::{DVec2, DVec3};
use osculate::narrow::{
    CapsuleWall, PolygonPolygon, PressureContact, PressureField, SphereVolume, WallSides,
};
use osculate::shape::{Capsule, Polygon, SegmentMesh};
use osculate::{
    CommonPlane, ConvexConvex, ConvexPolygon, ConvexPolyhedron, DoubleHierarchy, Error, MeshMesh,
    NarrowPhase, Placed, Pose2, Pose3, Rounded, SolidMesh, Sphere, SphereSphere, SurfaceMesh, Wall,
};

const DEPTH: f64 = 1.0 / 16.0;
/// The horizontal shift of the upper body, so that edges are not in line.
const SHIFT: f64 = 0.25;

/// A line of the table: the overlap, the number of contact points, the volume.
struct Row(&'static str, Option<f64>, Option<usize>, Option<f64>);

/// Prints the table, and checks overlaps and the volumes of blocks.
pub(crate) fn print() -> Result<(), Error> {
    println!("{:34}{:>8}{:>8}{:>10}", "", "overlap", "points", "volume");
    for Row(pair, overlap, points, volume) in in_space()?.into_iter().chain(in_plane()?) {
        let number = |x: Option<f64>| x.map_or("-".into(), |x| format!("{x:.4}"));
        let points = points.map_or("-".into(), |count| count.to_string());
        println!(
            "{pair:34}{:>8}{points:>8}{:>10}",
            number(overlap),
            number(volume)
        );
        // The normal of a pressure field leans where a side of the lower body is inside the upper one.
        let error = overlap.map_or(0.0, |overlap| (overlap / DEPTH - 1.0).abs());
        assert!(error < 0.01, "{pair}");
        assert!(volume.is_none_or(|volume| volume > 0.0), "{pair}");
    }
    Ok(())
}

/// The overlap of a contact by distance.
fn overlap<V, C: Into<osculate::Contact<V>>>(contact: Option<C>) -> Option<f64> {
    contact.map(|contact| contact.into().overlap)
}

fn in_space() -> Result<Vec<Row>, Error> {
    let corner = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into()) - 0.5;
    let convex = ConvexPolyhedron::from_convex_hull(&(0..8).map(corner).collect::<Vec<_>>())?;
    let solid: SolidMesh = convex.to_solid();
    let floor = [(-2.0, -2.0), (2.0, -2.0), (2.0, 2.0), (-2.0, 2.0)];
    let floor = floor.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec();
    let floor = SurfaceMesh::new(floor, [[0, 1, 2, 3]])?;
    let layer = Placed::new(floor.thickened(0.5)?, Pose3::IDENTITY);
    let wall = Wall::new(floor);

    let upper = Pose3::from_translation(DVec3::new(SHIFT, 0.0, 0.5 - DEPTH))?;
    let lower = Pose3::from_translation(DVec3::Z * -0.5)?;
    let [ball, ball_below] = [upper, lower].map(|at| Sphere::new(at.translation(), 0.5));
    let ball_above = Sphere::new(DVec3::Z * (0.5 - DEPTH), 0.5);
    let [convex_above, convex_below] = [upper, lower].map(|at| Placed::new(&convex, at));
    let [solid_above, solid_below] = [upper, lower].map(|at| Placed::new(&solid, at));
    // A closed mesh as a wall for distance kernels: all bodies of this shape share the mesh.
    let mut surface = Wall::new(solid.surface().clone());
    surface.set_pose(lower);

    const RADIUS: f64 = 0.25;
    let ends = [-1.0, 1.0].map(|y| upper.translation() + DVec3::Y * y);
    let rod = Capsule::new(ends, 0.5);
    let inner: Vec<_> = convex.vertices().iter().map(|&x| x * 0.5).collect();
    let core = Arc::new(ConvexPolyhedron::from_convex_hull(&inner)?);
    let rounded = Placed::new(Rounded::polyhedron(Arc::clone(&core), RADIUS)?, upper);
    let below = Placed::new(Rounded::polyhedron(convex.clone(), 0.0)?, lower);
    let core = Placed::new(core, upper);
    let field = PressureField::new().with_points();
    let at_core = field.with_margin(RADIUS)?.contact(&core, &wall);

    let mut at_mesh = DoubleHierarchy::new().with_sides(WallSides::Front);
    let mut mesh_mesh = MeshMesh::new();
    let mut field = PressureField::new().with_points();
    let between = field.contact(&convex_above, &convex_below);
    let [at_surface, at_wall] = [&surface, &wall].map(|wall| field.contact(&convex_above, wall));
    let shares = |contact: Option<PressureContact>| Some(contact?.points?.shares.len());
    let volume = |contact: Option<osculate::ContactVolume<DVec3>>| contact.map(|c| c.volume);
    Ok(vec![
        Row(
            "sphere, sphere",
            overlap(SphereSphere::new().contact(&ball_above, &ball_below)),
            Some(1),
            volume(SphereVolume::new().contact(&ball_above, &ball_below)),
        ),
        Row(
            "sphere, ConvexPolyhedron",
            overlap(CommonPlane::new().contact(&ball, &convex_below)),
            Some(1),
            None,
        ),
        Row(
            "sphere, SolidMesh",
            overlap(at_mesh.contact(&ball, &surface)),
            Some(1),
            None,
        ),
        Row(
            "sphere, Wall",
            overlap(DoubleHierarchy::new().contact(&ball, &wall)),
            Some(1),
            None,
        ),
        Row(
            "Rounded, Rounded",
            overlap(CommonPlane::new().contact(&rounded, &below)),
            Some(1),
            None,
        ),
        Row(
            "Capsule, Wall",
            overlap(CapsuleWall::new().contact(&rod, &wall)),
            Some(1),
            None,
        ),
        Row(
            "Rounded polyhedron, Wall",
            at_core.map(|contact| contact.overlap + RADIUS),
            shares(at_core),
            None,
        ),
        Row(
            "ConvexPolyhedron, ConvexPolyhedron",
            overlap(CommonPlane::new().contact(&convex_above, &convex_below)),
            shares(between),
            volume(ConvexConvex::new().contact(&convex_above, &convex_below)),
        ),
        Row(
            "ConvexPolyhedron, SolidMesh",
            at_surface.map(|contact| contact.overlap),
            shares(at_surface),
            volume(mesh_mesh.contact(&convex_above, &solid_below)),
        ),
        Row(
            "ConvexPolyhedron, Wall",
            at_wall.map(|contact| contact.overlap),
            shares(at_wall),
            volume(mesh_mesh.contact(&convex_above, &layer)),
        ),
        Row(
            "SolidMesh, SolidMesh",
            None,
            None,
            volume(mesh_mesh.contact(&solid_above, &solid_below)),
        ),
        Row(
            "SolidMesh, Wall",
            None,
            None,
            volume(mesh_mesh.contact(&solid_above, &layer)),
        ),
    ])
}

fn in_plane() -> Result<Vec<Row>, Error> {
    let square = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].map(DVec2::from);
    let convex = ConvexPolygon::from_convex_hull(&square)?;
    let polygon = Polygon::new(square.to_vec())?;
    let floor = [(2.0, 0.0), (-2.0, 0.0)].map(DVec2::from).to_vec();
    let floor = SegmentMesh::new(floor, vec![[0, 1]])?;
    let layer = Placed::new(floor.thickened(0.5)?, Pose2::IDENTITY);
    let wall = Wall::new(floor);

    let upper = Pose2::from_translation(DVec2::new(SHIFT, 0.5 - DEPTH))?;
    let lower = Pose2::from_translation(DVec2::Y * -0.5)?;
    let [disc, disc_below] = [upper, lower].map(|at| Sphere::new(at.translation(), 0.5));
    let disc_above = Sphere::new(DVec2::Y * (0.5 - DEPTH), 0.5);
    let [convex_above, convex_below] = [upper, lower].map(|at| Placed::new(&convex, at));
    let [polygon_above, polygon_below] = [upper, lower].map(|at| Placed::new(&polygon, at));
    let as_polygon = Placed::new(Polygon::from(convex.clone()), upper);
    let mut surface = Wall::new(SegmentMesh::from(&polygon));
    surface.set_pose(lower);

    let mut at_mesh = DoubleHierarchy::new().with_sides(WallSides::Front);
    let mut polygons = PolygonPolygon::new();
    let area = |contact: Option<osculate::ContactVolume<DVec2>>| contact.map(|c| c.volume);
    Ok(vec![
        Row(
            "disc, disc",
            overlap(SphereSphere::new().contact(&disc_above, &disc_below)),
            Some(1),
            area(SphereVolume::new().contact(&disc_above, &disc_below)),
        ),
        Row(
            "disc, ConvexPolygon",
            overlap(CommonPlane::new().contact(&disc, &convex_below)),
            Some(1),
            None,
        ),
        Row(
            "disc, Polygon",
            overlap(at_mesh.contact(&disc, &surface)),
            Some(1),
            None,
        ),
        Row(
            "disc, Wall<SegmentMesh>",
            overlap(DoubleHierarchy::new().contact(&disc, &wall)),
            Some(1),
            None,
        ),
        Row(
            "ConvexPolygon, ConvexPolygon",
            overlap(CommonPlane::new().contact(&convex_above, &convex_below)),
            None,
            area(polygons.contact(&as_polygon, &polygon_below)),
        ),
        Row(
            "ConvexPolygon, Polygon",
            None,
            None,
            area(polygons.contact(&as_polygon, &polygon_below)),
        ),
        Row(
            "ConvexPolygon, Wall<SegmentMesh>",
            None,
            None,
            area(polygons.contact(&as_polygon, &layer)),
        ),
        Row(
            "Polygon, Polygon",
            None,
            None,
            area(polygons.contact(&polygon_above, &polygon_below)),
        ),
        Row(
            "Polygon, Wall<SegmentMesh>",
            None,
            None,
            area(polygons.contact(&polygon_above, &layer)),
        ),
    ])
}
