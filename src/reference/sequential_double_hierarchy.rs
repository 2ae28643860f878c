use glam::DVec3;

#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::shape::{Feature, Sphere, SurfaceMesh};

/// A contact of the paper: the point relative to the center, and its feature.
type Contact = (DVec3, Feature);

/// Replaces `contacts` by those of a sphere with some facets, by the double hierarchy method as printed.
///
/// M. Santasusana, J. Irazabal, E. Oñate, J. M. Carbonell, Computational Particle Mechanics 3 (2016) 407-428,
/// Tables 3 and 4; eq. (23) with the missing division by |e|. Each contact is the contact point relative to the
/// center of the sphere, and the feature that holds it. The contacts and their order depend on the order of
/// `facets`. Normals are computed for each facet (eqs. 14 and 15), as for a wall that moves.
///
/// # Errors
/// Returns [`ErrorKind::Index`] for the first facet that the mesh does not have; `contacts` is then empty.
pub fn sequential_double_hierarchy(
    mesh: &SurfaceMesh,
    facets: &[u32],
    sphere: &Sphere,
    contacts: &mut Vec<(DVec3, Feature)>,
) -> Result<()> {
    contacts.clear();
    let facet_count = mesh.facets().len();
    for (index, &facet) in facets.iter().enumerate() {
        if facet as usize >= facet_count {
            contacts.clear();
            return Err(Error(Cause::FacetOutOfRange {
                index,
                facet,
                facet_count,
            }));
        }
        contact_type_hierarchy(mesh, facet, sphere, contacts);
    }
    Ok(())
}

/// Contacts of one facet, Table 3.
fn contact_type_hierarchy(
    mesh: &SurfaceMesh,
    facet: u32,
    sphere: &Sphere<DVec3>,
    found: &mut Vec<Contact>,
) {
    let Sphere { center, radius } = *sphere;
    let ids = mesh.topology().0.get(facet as usize);
    let count = ids.len();
    let corner = |i: usize| mesh.vertices()[ids[i % count] as usize];
    let normal = (corner(1) - corner(0)).cross(corner(2) - corner(1));
    let normal = normal / normal.length();
    let height = normal.dot(center - corner(0));
    if height.abs() > radius {
        return;
    }
    let projection = center - normal * height;
    let sign = |i: usize| {
        let edge = corner(i + 1) - corner(i);
        edge.cross(projection - corner(i)).dot(normal)
    };
    let Some(first) = (0..count).find(|&i| sign(i) < 0.0) else {
        distance_hierarchy((projection - center, Feature::Facet(facet)), found);
        return;
    };
    for i in first..count {
        let (from, to) = (corner(i), corner(i + 1));
        let length = (to - from).length();
        let along = (center - from).dot(to - from) / length;
        let point = from + (to - from) * (along / length);
        if (point - center).length() > radius {
            continue;
        }
        let (id, next) = (ids[i], ids[(i + 1) % count]);
        let contact = if along < 0.0 {
            (from - center, Feature::Vertex(id))
        } else if along > length {
            (to - center, Feature::Vertex(next))
        } else {
            (point - center, Feature::edge(id, next))
        };
        if contact.0.length_squared() <= radius * radius {
            distance_hierarchy(contact, found);
        }
    }
}

/// Compares a new contact with the stored ones in turn, Table 4 with eq. (31).
fn distance_hierarchy(new: Contact, found: &mut Vec<Contact>) {
    let mut is_valid = true;
    found.retain(|old| {
        if !is_valid {
            return true;
        }
        let product = new.0.dot(old.0);
        if product / old.0.length() >= old.0.length() {
            is_valid = false;
            return true;
        }
        product / new.0.length() < new.0.length()
    });
    if is_valid {
        found.push(new);
    }
}
