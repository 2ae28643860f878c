//! Properties of kernels for a sphere and a meshed wall.

use std::fmt::Debug;

use glam::DVec3;

use super::kernel::expect_gap;
use super::{Rule, Violation, positive_overlap, reported};
use crate::math::Vector;
use crate::narrow::{Contact, FacetSubset, NarrowPhase, Wall};
use crate::shape::{Sphere, SurfaceMesh};
use crate::testing::oracle::{self, LatticePoint};
use crate::testing::workload::{SplitMix64, rewritten, without_repeated_ids};

/// Checks that the contacts do not depend on how the facets are written down, bit for bit.
///
/// The wall is rewritten in two ways. First, facets come in another order, start at other corners and have
/// either winding, with one more facet out of reach. Second, facets also share no vertices, and the vertices
/// have other numbers. Contacts must come in the same order. Use [`MapContact`](super::MapContact) to remove
/// facet and vertex ids from the contacts. The margin of the kernel should be below 15 radii.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn independent_of_facets<C: Debug + PartialEq>(
    kernel: &mut impl for<'a> NarrowPhase<Sphere<DVec3>, FacetSubset<'a>, Contact = C>,
    sphere: &Sphere<DVec3>,
    mesh: &SurfaceMesh,
    seed: u64,
) -> Result<(), Violation> {
    let rule = Rule("wall::independent_of_facets");
    let expected: Vec<C> = reported_with_all(kernel, sphere, mesh)?;
    let mut random = SplitMix64::new(seed);
    let (mut vertices, mut facets) = without_repeated_ids(mesh);
    let first = vertices.len() as u32;
    let away = DVec3::from_array([0; 3].map(|_| random.range(1.0, 4.0)));
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
    let found = reported_with_all(kernel, sphere, &rewritten)?;
    rule.same_list("contacts with the rewritten wall", &found, &expected)?;
    let (soup, facets) = without_shared_vertices(&vertices, facets, &mut random);
    let rewritten = SurfaceMesh::new(soup, facets)?.with_precision(mesh.precision())?;
    let found = reported_with_all(kernel, sphere, &rewritten)?;
    let what = "contacts with the wall without shared vertices";
    rule.same_list(what, &found, &expected)
}

/// Returns the facets with a vertex of their own for each corner, in random order.
fn without_shared_vertices(
    vertices: &[DVec3],
    mut facets: Vec<Vec<u32>>,
    random: &mut SplitMix64,
) -> (Vec<DVec3>, Vec<Vec<u32>>) {
    let corners: Vec<u32> = facets.iter().flatten().copied().collect();
    let mut order: Vec<u32> = (0..corners.len() as u32).collect();
    random.shuffle(&mut order);
    let mut soup = vec![DVec3::ZERO; corners.len()];
    for (&corner, &id) in corners.iter().zip(&order) {
        soup[id as usize] = vertices[corner as usize];
    }
    for (id, new) in facets.iter_mut().flatten().zip(order) {
        *id = new;
    }
    (soup, facets)
}

/// Checks that the contacts do not depend on the refinement of the facets, to 1e-13 of `size`.
///
/// The refined wall comes from [`rewritten`]. Midpoints of edges must be exact, as on a lattice. The same values are
/// compared as in [`kernel::moves_rigidly`](super::kernel::moves_rigidly).
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn independent_of_refinement<C: Into<Contact<DVec3>>>(
    kernel: &mut impl for<'a> NarrowPhase<Sphere<DVec3>, FacetSubset<'a>, Contact = C>,
    sphere: &Sphere<DVec3>,
    mesh: &SurfaceMesh,
    size: f64,
    seed: u64,
) -> Result<(), Violation> {
    let rule = Rule("wall::independent_of_refinement");
    let expected: Vec<Contact> = rule.all_finite(reported_with_all(kernel, sphere, mesh)?)?;
    let refined = rewritten(mesh, seed)?;
    let found: Vec<Contact> = rule.all_finite(reported_with_all(kernel, sphere, &refined)?)?;
    rule.same_contacts("contacts with the refined wall", &found, &expected, size)
}

/// Checks that the overlap is continuous: it changes by at most the displacement of the center.
///
/// The overlap of the deepest contact counts, 0 without one. The kernel must see all facets from both sides.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn overlap_follows_center<V: Vector, B>(
    kernel: &mut impl NarrowPhase<Sphere<V>, B, Contact: Into<Contact<V>>>,
    sphere: &Sphere<V>,
    step: V,
    wall: &B,
) -> Result<(), Violation> {
    let moved = Sphere::new(sphere.center + step, sphere.radius);
    let rule = Rule("wall::overlap_follows_center");
    let old = positive_overlap(&rule.contacts(kernel, sphere, wall)?);
    let new = positive_overlap(&rule.contacts(kernel, &moved, wall)?);
    let size = sphere.radius + sphere.center.length() + step.length();
    let limit = step.length() + 1e-13 * size;
    rule.holds((new - old).abs() <= limit, || {
        format!("overlap (a length) went from {old:?} to {new:?} over a displacement by {step:?}")
    })
}

/// Checks a kernel that reports a contact for each facet that a sphere touches.
///
/// So a flat wall may give several contacts at one place, unlike in [`finds_local_minima`]. Each contact must be at a
/// place on the wall: from the center along the normal, at a distance of the radius minus the overlap. Its point is
/// there, or between there and the surface of the sphere. The largest overlap is minus the
/// [gap](super::kernel::gap_is) of the wall. `distance` returns the distance of a point from the wall, for instance by
/// [`distance_to_triangles`](oracle::distance_to_triangles). `tolerance` is a length.
///
/// ```
/// use osculate::testing::properties::{ManyContacts, Violation, wall};
/// use osculate::{Contact, Sphere, glam::DVec3};
///
/// // A floor of two triangles; each reports the same contact.
/// let mut own = ManyContacts(|sphere: &Sphere, floor: &f64| {
///     let overlap = sphere.radius - (sphere.center.z - floor);
///     let point = sphere.center.with_z(*floor);
///     vec![Contact { point, normal: -DVec3::Z, overlap }; if overlap > 0.0 { 2 } else { 0 }]
/// });
/// let distance = |point: DVec3| point.z.abs();
/// wall::contact_for_each_facet(&mut own, &Sphere::new(DVec3::Z, 1.5), &0.0, distance, 1e-15)?;
/// # Ok::<(), Violation>(())
/// ```
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn contact_for_each_facet<V: Vector, B>(
    kernel: &mut impl NarrowPhase<Sphere<V>, B, Contact: Into<Contact<V>>>,
    sphere: &Sphere<V>,
    wall: &B,
    distance: impl Fn(V) -> f64,
    tolerance: f64,
) -> Result<(), Violation> {
    let rule = Rule("wall::contact_for_each_facet");
    let found: Vec<Contact<V>> = rule.contacts(kernel, sphere, wall)?;
    let gap = distance(sphere.center) - sphere.radius;
    expect_gap(rule, &found, gap, 0.0, tolerance)?;
    for contact in &found {
        let place = sphere.center + contact.normal * (sphere.radius - contact.overlap);
        let what = "distance of a contact from the wall (a length)";
        rule.near(what, distance(place).abs(), 0.0, tolerance)?;
        let beyond = (contact.point - place).dot(contact.normal);
        let nearest = place + contact.normal * beyond.clamp(0.0, contact.overlap);
        let what = "contact point, between the wall and the surface of the sphere";
        rule.near_vector(what, contact.point, nearest, tolerance)?;
    }
    Ok(())
}

/// Checks that the contacts are the local minima of the distance from the center to the surface.
///
/// Each minimum inside the sphere must have one contact, with its overlap to 1e-13 of the larger of radius
/// and distances. So a plane has one contact with any mesh, a convex edge or vertex one, a wedge two, a
/// corner three. Lengths are in units of the lattice, and `unit`, a power of two, is the length of that unit.
/// [`oracle::local_minima`] states which walls are allowed. Spheres that touch a minimum to 1e-12 pass.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn finds_local_minima<C: Into<Contact<DVec3>>, F: AsRef<[u32]>>(
    kernel: &mut impl for<'a> NarrowPhase<Sphere<DVec3>, FacetSubset<'a>, Contact = C>,
    (center, radius): (LatticePoint, f64),
    vertices: &[LatticePoint],
    facets: &[F],
    unit: f64,
) -> Result<(), Violation> {
    let rule = Rule("wall::finds_local_minima");
    let minima = oracle::local_minima(center, vertices, facets);
    let overlaps = minima.iter().map(|(_, distance)| radius - distance);
    let size = minima.iter().fold(radius, |size, m| size.max(m.1));
    let place = |&vertex: &LatticePoint| oracle::to_vector(vertex, unit);
    let vertices = vertices.iter().map(place).collect();
    let mesh = SurfaceMesh::new(vertices, facets)?.with_precision(0.0)?;
    let sphere = Sphere::new(place(&center), radius * unit);
    let contacts: Vec<Contact> = rule.all_finite(reported_with_all(kernel, &sphere, &mesh)?)?;
    if overlaps.clone().any(|overlap| overlap.abs() < 1e-12 * size) {
        return Ok(());
    }
    let mut expected: Vec<f64> = overlaps.filter(|&overlap| overlap > 0.0).collect();
    expected.sort_by(f64::total_cmp);
    rule.valid_contacts(&contacts, 0.0)?;
    let mut found: Vec<f64> = contacts.iter().map(|c| c.overlap / unit).collect();
    found.sort_by(f64::total_cmp);
    let mut errors = found.iter().zip(&expected).map(|(a, b)| (a - b).abs());
    let holds = found.len() == expected.len() && errors.all(|error| error <= 1e-13 * size);
    rule.holds(holds, || {
        format!("overlaps (in lattice units): found {found:?}, expected {expected:?}; {contacts:?}")
    })
}

/// Returns the contacts with all facets of a mesh.
fn reported_with_all<C>(
    kernel: &mut impl for<'a> NarrowPhase<Sphere<DVec3>, FacetSubset<'a>, Contact = C>,
    sphere: &Sphere<DVec3>,
    mesh: &SurfaceMesh,
) -> Result<Vec<C>, Violation> {
    let wall = Wall::new(mesh.clone());
    let facets: Vec<u32> = (0..mesh.facet_count()).collect();
    let near = FacetSubset::new(&wall, &facets)?;
    Ok(reported(kernel, sphere, &near))
}
