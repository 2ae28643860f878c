//! Contacts of convex polyhedra, in pairs and at walls, by pressure fields.
//!
//! R. Elandt, E. Drumwright, M. Sherman, A. Ruina, "A pressure field model for fast, robust approximation of net contact
//! force and moment between nominally rigid objects", IROS 2019.
//!
//! Each body carries a pressure that is 0 on its surface and grows inwards. The energy of a pair is the integral of the
//! weighted pressures over the common region, `E = k * integral of (w_A p_A + w_B p_B)`. A rigid motion changes the part
//! of p_A by the flux through the surface of B only, because p_A is 0 on the other border of the region:
//! `dE = k w_A * integral of p_A u . n_B` over the surface of B inside A. So the force on B is
//! `-k w_A * integral of p_A n_B`, plus the same with A and B exchanged. At a wall only the body has a field.
//!
//! Deviation from the paper, which takes the surface of equal pressure: where sides of both bodies are flush, the
//! pressures are equal in a volume, and that force jumps. Here it is a sum over faces of functions that vanish on the
//! surfaces, so it is Lipschitz: it changes by at most k times the area of the contact times the largest motion of a
//! point.

mod contact;
mod field;
mod pair;
mod polygon;
mod sheets;
mod state;
mod sums;
mod table;
mod wall;

use glam::DVec3;

pub use self::contact::{
    PressureContact, PressureCorner, PressurePoints, PressureShare, PressureVolume,
};
use self::field::Field;
use self::sheets::Sheets;
pub use self::state::PressureState;
pub use self::wall::FacetPressure;
use self::wall::{Piece, Sheet};
#[cfg(doc)]
use super::Wall;
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::Result;
use crate::math::{check_length, check_parameter};
use crate::shape::{ConvexPolyhedron, Placed};

/// Elastic contact of convex polyhedra, in pairs and at a [`Wall`]: force and torque as the gradient of an energy.
///
/// The pressure of a body is 0 on its surface and rises linearly on the pyramid over each face to its centroid. A contact
/// of two bodies has the integral over both surfaces in the field of the other body, a contact at a wall that over the
/// wall in the field of the body. Multiply force, torque and energy by a stiffness k in pressure per depth (Pa/m).
///
/// - Force and torque are the gradient of the energy, so no motion in a circle gains energy.
/// - They are Lipschitz: a motion by s changes the force by at most k s times the contact area.
/// - Swapped bodies have the negated force, bit for bit. The order of facets and corners of a wall changes no bit, other
///   triangles only rounding.
///
/// At a small depth d the force on a flat face is k d times the area; on a cube it is 2 % less for each 1 % of its size. It
/// is that times r / o for a face at a distance o from the centroid, if the nearest one is at the distance r.
///
/// At a wall each sheet has one contact: facets inside the body that are connected over sides inside the body, except
/// over concave edges with a [bend](Self::with_bend). Contacts come in descending order of their loads. The body belongs
/// in front of each facet, the side from which its vertices are counter-clockwise. A wall with rims inside the body has no
/// energy: close it, a plate by [`SurfaceMesh::thickened`](crate::SurfaceMesh::thickened). A facet that is inside the body
/// twice counts twice.
///
/// Cost: O(faces) to find those near the other body, and the pairs of these; at a wall O(log n) and O(faces) for each
/// facet near the body. No allocation once the buffers have grown.
///
/// ```
/// use osculate::narrow::PressureField;
/// use osculate::{ConvexPolyhedron, NarrowPhase, Placed, Pose3, SurfaceMesh, Wall, glam::DVec3};
///
/// let corner = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into());
/// let cube = ConvexPolyhedron::from_convex_hull(&(0..8).map(corner).collect::<Vec<_>>())?;
/// let at = |z: f64| Pose3::from_translation(DVec3::new(0.25, 0.5, z));
/// let (mut kernel, mut state) = (PressureField::new(), Default::default()); // a state for each pair
///
/// let [a, b] = [Placed::new(&cube, at(0.0)?), Placed::new(&cube, at(0.99)?)];
/// let contact = kernel.contact_with(&a, &b, &mut state).unwrap();
/// // Depth times area, and 2 % less.
/// assert!((contact.force.z / 0.0098 - 1.0).abs() < 1e-3);
///
/// // A floor of two triangles, with their common edge below the cube.
/// let floor = [(-4.0, -4.0), (4.0, -4.0), (4.0, 4.0), (-4.0, 4.0)];
/// let floor = floor.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec();
/// let floor = Wall::new(SurfaceMesh::new(floor, [[0, 1, 2], [0, 2, 3]])?);
/// let body = Placed::new(&cube, at(-0.01)?);
/// let contact = kernel.contact(&body, &floor).unwrap();
/// assert!((contact.force.z / -0.0098 - 1.0).abs() < 1e-3);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct PressureField {
    settings: Settings,
    /// Those of a pair; the first one at a wall.
    fields: [Field; 2],
    polygon: Vec<DVec3>,
    /// The heights of the vertices of the other body and of the own one across the line of centers.
    heights: Vec<f64>,
    own_heights: Vec<f64>,
    /// Of the facets that may be inside the body.
    slots: Vec<u32>,
    pieces: Vec<Piece>,
    sheets: Sheets,
    found: Vec<Sheet>,
}

/// A body that refers to its shape.
type Body<'a> = Placed<&'a ConvexPolyhedron>;

/// What the caller chooses.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Settings {
    weight: f64,
    margin: f64,
    /// The cosine of the bend at which sheets end.
    bend: f64,
    has_volume: bool,
    has_points: bool,
}

/// A contact with a mean pressure below this part of the size of a body only touches.
const TOUCHING: f64 = 256.0 * f64::EPSILON;

/// The cosine of 0.5 rad, the default bend at which sheets end.
const COSINE_OF_BEND: f64 = 0.877_582_561_890_372_8;

impl Default for Settings {
    fn default() -> Self {
        Self {
            weight: 0.5,
            margin: 0.0,
            bend: COSINE_OF_BEND,
            has_volume: false,
            has_points: false,
        }
    }
}

impl PressureField {
    /// Creates a kernel in which the fields of both bodies have the weight 1/2.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the weight of the first body's field in a pair, from 0 to 1. That of the second one is the rest.
    ///
    /// Two layers in series, of the stiffnesses k_a and k_b, are as one of `k_a k_b / (k_a + k_b)` with the weight
    /// `k_b / (k_a + k_b)`: the field of the softer body counts more. With 0 or 1 the time is half.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Parameter`] for other numbers.
    pub fn with_weight_of_first(mut self, weight: f64) -> Result<Self> {
        check_parameter("weight", weight, 0.0..=1.0, "[0, 1]")?;
        self.settings.weight = weight;
        Ok(self)
    }

    /// Moves the faces of the bodies out by a margin, so that bodies with gaps up to it are in contact.
    ///
    /// Pressures are those of the moved faces, at a wall or at the other body as it is. So two bodies are in contact up to
    /// one margin, and points may lie outside of a body by the margin. Only the overlaps are those of the bodies
    /// themselves, negative for a gap. At a sharp edge or corner the moved faces are farther away than the margin. The
    /// distances r and o of faces from the centroid, on which stiffness depends, grow by it. There is no
    /// [`volume`](PressureContact::volume) if the centroid is inside the other body or behind the wall.
    ///
    /// Facets of walls are searched up to
    /// `1 + margin / inscribed radius` times the size of the body, so keep the margin below its least half-width.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if `margin` is negative, NaN or out of range.
    pub fn with_margin(mut self, margin: f64) -> Result<Self> {
        check_length("margin", margin)?;
        self.settings.margin = margin;
        Ok(self)
    }

    /// Returns the margin that the lists of a body need, which grows with the sharpness of its corners.
    ///
    /// It is the margin times the largest distance of a vertex over the smallest distance of a face, both from the
    /// centroid: 1.74 for cubes. A list of several shapes needs the largest one.
    pub fn list_margin(&self, shape: &ConvexPolyhedron) -> f64 {
        let boundary = shape.boundary();
        self.settings.margin * (boundary.circumscribed / boundary.inscribed)
    }

    /// Sets the bend, in radians, beyond which the facets of a concave edge of a wall have contacts of their own: 0.5 by
    /// default. It changes no sum over the contacts of a body.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Parameter`] unless the bend is within (0, pi].
    pub fn with_bend(mut self, bend: f64) -> Result<Self> {
        let bounds = f64::from_bits(1)..=std::f64::consts::PI;
        check_parameter("with_bend: angle", bend, bounds, "(0, pi] rad")?;
        self.settings.bend = bend.cos();
        Ok(self)
    }

    /// Also computes energy and volume: [`PressureContact::volume`].
    ///
    /// A monotone function w(E) of the energy is a contact law too: multiply force and torque by w'(E), which
    /// [`ContactEnergy::pressure`](crate::ContactEnergy::pressure) returns for powers. At a wall E is the sum over the
    /// contacts of the body.
    #[must_use]
    pub fn with_volume(mut self) -> Self {
        self.settings.has_volume = true;
        self
    }

    /// Also computes shares and corners: [`PressureContact::points`].
    #[must_use]
    pub fn with_points(mut self) -> Self {
        self.settings.has_points = true;
        self
    }
}
