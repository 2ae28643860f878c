//! Of spheres at walls.

use std::fmt::Debug;

use glam::DVec3;

use super::gap::expect_valid;
use super::motion::expect_same;
use super::{Violation, contacts, deepest, expect, expect_equal};
use crate::narrow::{Contact, FacetSubset, NarrowPhase, Wall, WallMesh};
use crate::shape::{Sphere, SurfaceMesh};
use crate::testing::oracle::{self, Point};
use crate::testing::workload::SplitMix64;

/// The contacts of a sphere with a wall are the same, bit for bit and in the same order, for any
/// order of the facets, any first corner, either direction of each facet, any numbering of the
/// vertices, if facets repeat positions instead of sharing vertices, and if there is a facet out of
/// reach.
///
/// `view` says what of a contact must stay. It should hold nothing that names facets or vertices. The
/// margin of the kernel should be below 15 radii.
///
/// # Errors
/// [`Violation`].
pub fn independent_of_facets<C, T: Debug + PartialEq>(
    kernel: &mut impl for<'a> NarrowPhase<Sphere<DVec3>, FacetSubset<'a>, Contact = C>,
    sphere: &Sphere<DVec3>,
    mesh: &SurfaceMesh,
    view: impl Fn(&C) -> T,
    seed: u64,
) -> Result<(), Violation> {
    let expected = with_all(kernel, sphere, mesh, &view)?;
    let mut random = SplitMix64::new(seed);
    let mut vertices = mesh.vertices().to_vec();
    let mut facets = facets_of(mesh);
    let first = vertices.len() as u32;
    let away = DVec3::from_array([0; 3].map(|_| random.within(1.0, 4.0)));
    vertices.extend(
        [DVec3::ZERO, DVec3::X, DVec3::Y]
            .map(|corner| sphere.center + (corner + away) * (16.0 * sphere.radius)),
    );
    facets.push(vec![first, first + 1, first + 2]);
    random.shuffle(&mut facets);
    for ids in &mut facets {
        let first = random.below(ids.len());
        ids.rotate_left(first);
        if random.unit() < 0.5 {
            ids.reverse();
        }
    }
    let rewritten =
        SurfaceMesh::new(vertices.clone(), &facets)?.with_precision(mesh.precision())?;
    let found = with_all(kernel, sphere, &rewritten, &view)?;
    expect_equal("contacts with the rewritten wall", &found, &expected)?;
    // No vertex is shared, and their numbers are shuffled.
    let corners: Vec<u32> = facets.iter().flatten().copied().collect();
    let mut order: Vec<u32> = (0..corners.len() as u32).collect();
    random.shuffle(&mut order);
    let mut soup = vec![DVec3::ZERO; corners.len()];
    for (&corner, &id) in corners.iter().zip(&order) {
        soup[id as usize] = vertices[corner as usize];
    }
    let mut ids = order.into_iter();
    for id in facets.iter_mut().flatten() {
        *id = ids.next().unwrap_or_default();
    }
    let rewritten = SurfaceMesh::new(soup, facets)?.with_precision(mesh.precision())?;
    let found = with_all(kernel, sphere, &rewritten, &view)?;
    expect_equal(
        "contacts with the wall without shared vertices",
        &found,
        &expected,
    )
}

/// The contacts stay, to 1e-13 of `size`, if facets are cut into coplanar triangles around the
/// middle of one of their sides; the facet on the other side has then a vertex amid its edge.
///
/// For walls whose midpoints of edges are exact (on a lattice). What is compared: see
/// [`moves_rigidly`](super::moves_rigidly).
///
/// # Errors
/// [`Violation`].
pub fn independent_of_refinement<C>(
    kernel: &mut impl for<'a> NarrowPhase<Sphere<DVec3>, FacetSubset<'a>, Contact = C>,
    sphere: &Sphere<DVec3>,
    mesh: &SurfaceMesh,
    size: f64,
    view: impl Fn(&C) -> Contact<DVec3>,
    seed: u64,
) -> Result<(), Violation> {
    let expected = with_all(kernel, sphere, mesh, &view)?;
    let mut random = SplitMix64::new(seed);
    let mut vertices = mesh.vertices().to_vec();
    let mut facets = Vec::new();
    for mut ids in facets_of(mesh) {
        if random.unit() < 0.5 {
            facets.push(ids);
            continue;
        }
        let first = random.below(ids.len());
        ids.rotate_left(first);
        let last = ids[ids.len() - 1];
        let middle = vertices[ids[0] as usize].midpoint(vertices[last as usize]);
        let apex = vertices.len() as u32;
        vertices.push(middle);
        facets.extend(ids.windows(2).map(|side| vec![apex, side[0], side[1]]));
    }
    let refined = SurfaceMesh::new(vertices, facets)?.with_precision(mesh.precision())?;
    let found = with_all(kernel, sphere, &refined, &view)?;
    expect_same("contacts with the refined wall", &found, &expected, size)
}

/// The depth of the deepest contact, 0 without one, changes by no more than the centre moves, and
/// rounding.
///
/// Holds for kernels without a memory of sides and with all facets seen from both sides.
///
/// # Errors
/// [`Violation`].
pub fn overlap_follows_center<B, C>(
    kernel: &mut impl NarrowPhase<Sphere<DVec3>, B, Contact = C>,
    sphere: &Sphere<DVec3>,
    step: DVec3,
    wall: &B,
    view: impl Fn(&C) -> Contact<DVec3>,
) -> Result<(), Violation> {
    let there = Sphere::new(sphere.center + step, sphere.radius);
    let mut depth = |sphere: &Sphere<DVec3>| {
        let found = contacts(kernel, sphere, wall, &view);
        deepest(&found).map_or(0.0, |c| c.overlap.max(0.0))
    };
    let (before, after) = (depth(sphere), depth(&there));
    let size = sphere.radius + sphere.center.abs().max_element() + step.length();
    let most = step.length() + 1e-13 * size;
    let what = || format!("depth after a step of {step}");
    expect(what, after, before, (after - before).abs() <= most)
}

/// Along a path of a sphere's center that crosses no facet, contacts with a kept memory equal those
/// without, bit for bit. A memory of sides holds a sphere that was pushed through a wall, but one
/// that comes round a rim was not.
///
/// `next` puts the wall into its next place or shape and returns the sphere there, `None` after the
/// last. The path is the one relative to the wall.
///
/// ```
/// use osculate::{DoubleHierarchy, SegmentMesh, Sphere, Wall, glam::DVec2, testing::laws};
///
/// // Around the end of a plate.
/// let plate = SegmentMesh::new(vec![DVec2::ZERO, DVec2::X], vec![[0, 1]])?;
/// let mut angles = (0..=180).map(|a| f64::from(a).to_radians());
/// let next = |_: &mut Wall<SegmentMesh>| {
///     let angle = angles.next()?;
///     Some(Sphere::new(DVec2::X + DVec2::from_angle(2.0 - angle) * 0.45, 0.5))
/// };
/// laws::side_changes_at_a_facet(&mut DoubleHierarchy::new(), &mut Wall::new(plate), next, |c| *c)?;
/// # Ok::<(), laws::Violation>(())
/// ```
///
/// # Errors
/// [`Violation`].
pub fn side_changes_at_a_facet<M: WallMesh, C, T: Debug + PartialEq>(
    kernel: &mut impl NarrowPhase<Sphere<M::Vector>, Wall<M>, Contact = C>,
    wall: &mut Wall<M>,
    mut next: impl FnMut(&mut Wall<M>) -> Option<Sphere<M::Vector>>,
    view: impl Fn(&C) -> T,
) -> Result<(), Violation> {
    let mut memory = Default::default();
    let mut path = Vec::new();
    while let Some(sphere) = next(wall) {
        path.push(sphere);
        let mut found = Vec::new();
        kernel.for_each_contact(&sphere, wall, &mut memory, |c| found.push(view(&c)));
        let expected = contacts(kernel, &sphere, wall, &view);
        let tail = &path[path.len().saturating_sub(3)..];
        let what = format!(
            "contacts by memory after {} steps, last {tail:?}",
            path.len()
        );
        expect_equal(&what, &found, &expected)?;
    }
    Ok(())
}

/// The contacts are exactly the local minima of the distance from the centre to the surface that
/// are inside the sphere, each with its overlap to 1e-13 of the larger of radius and distances:
/// a floor gives one however it is meshed, a convex edge or vertex one, a wedge two, a corner three.
///
/// All in units of the lattice, for the oracle is
/// [`oracle::local_minima`]: see there for which walls. `unit` is a power of two. Spheres that touch
/// a minimum to 1e-12 are let pass.
///
/// # Errors
/// [`Violation`].
pub fn finds_local_minima<C, F: AsRef<[u32]>>(
    kernel: &mut impl for<'a> NarrowPhase<Sphere<DVec3>, FacetSubset<'a>, Contact = C>,
    (center, radius): (Point, f64),
    vertices: &[Point],
    facets: &[F],
    unit: f64,
    view: impl Fn(&C) -> Contact<DVec3>,
) -> Result<(), Violation> {
    let minima = oracle::local_minima(center, vertices, facets);
    let overlaps = minima.iter().map(|(_, distance)| radius - distance);
    let size = minima.iter().fold(radius, |size, m| size.max(m.1));
    if overlaps.clone().any(|overlap| overlap.abs() < 1e-12 * size) {
        return Ok(());
    }
    let mut expected: Vec<f64> = overlaps.filter(|&overlap| overlap > 0.0).collect();
    expected.sort_by(f64::total_cmp);
    let place = |&vertex: &Point| oracle::to_vector(vertex, unit);
    let vertices = vertices.iter().map(place).collect();
    let mesh = SurfaceMesh::new(vertices, facets)?.with_precision(0.0)?;
    let sphere = Sphere::new(place(&center), radius * unit);
    let contacts = with_all(kernel, &sphere, &mesh, &view)?;
    expect_valid(&contacts, 0.0)?;
    let mut found: Vec<f64> = contacts.iter().map(|c| c.overlap / unit).collect();
    found.sort_by(f64::total_cmp);
    let mut errors = found.iter().zip(&expected).map(|(a, b)| (a - b).abs());
    let holds = found.len() == expected.len() && errors.all(|error| error <= 1e-13 * size);
    expect(
        || format!("overlaps of {contacts:?}"),
        found,
        expected,
        holds,
    )
}

/// The contacts with all facets of a wall.
fn with_all<C, T>(
    kernel: &mut impl for<'a> NarrowPhase<Sphere<DVec3>, FacetSubset<'a>, Contact = C>,
    sphere: &Sphere<DVec3>,
    mesh: &SurfaceMesh,
    view: impl Fn(&C) -> T,
) -> Result<Vec<T>, Violation> {
    let wall = Wall::new(mesh.clone());
    let facets: Vec<u32> = (0..mesh.facet_count()).collect();
    let near = FacetSubset::new(&wall, &facets)?;
    Ok(contacts(kernel, sphere, &near, view))
}

fn facets_of(mesh: &SurfaceMesh) -> Vec<Vec<u32>> {
    mesh.facets().map(|f| f.vertices().to_vec()).collect()
}
