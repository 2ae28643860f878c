//! Contact points of a polyhedron at a wall: an elastic bed on the facets of a contact.
//!
//! The bed is measured along m = S / |S|, where S is the area vector of the parts of facets inside the body
//! that belong to the contact, towards the wall. Over such a part and under a front face of the body (n.m > 0)
//! the depth d, the height of the face minus that of the facet's plane, is linear. The part of the face with
//! d > 0 is a convex cell, whose hat functions are those of the bed of two polyhedra. They are integrated over
//! the part of the facet: the share of the vertex p_i of the body is a_i = integral of N_i, with the depth d_i
//! of the vertex. So points are named by vertices of the body alone, and neither triangles nor rims of the wall
//! enter a name.
//!
//! The wall inside the body is a set of points. So the bed does not depend on the triangles, and it changes in
//! proportion to the motion. Columns of the body that are behind the wall as a whole have no share.

use glam::{DVec2, DVec3};

use super::{ConvexWall, NearFacet, Scene};
use crate::math::direction;
use crate::math::polygon::{cut, doubled_area};
use crate::math::tolerance::{FACET_SHAPE, STEEP_FACE, two_to};
use crate::narrow::elastic_bed::{Bed, BedNode, PointFeature};
use crate::shape::Face;

/// Triangles of a bed with a smaller height, relative to their sides, have no area to rounding.
const SLIVER: f64 = two_to(-48);

/// The bed of a contact is along S if the cosine to the normal of the contact is at least this: 60 degrees.
pub(super) const EDGE_ON: f64 = 0.5;

/// Buffers of a bed.
#[derive(Clone, Debug, Default)]
pub(super) struct WallBed {
    pub(super) bed: Bed,
    /// The parts of the facets inside the body, in the order of the facets.
    parts: Vec<Part>,
    corners: Vec<DVec3>,
    polygon: Vec<DVec3>,
    uncut: Vec<DVec3>,
    /// A part seen along m.
    facet: Vec<DVec2>,
    cell: Vec<CellCorner>,
    piece: Vec<DVec2>,
    uncut_piece: Vec<DVec2>,
}

/// The part of a facet inside the body.
#[derive(Clone, Copy, Debug)]
struct Part {
    first_corner: u32,
    corner_count: u32,
    area: f64,
}

impl Part {
    fn corners(self, of: &[DVec3]) -> &[DVec3] {
        let first = self.first_corner as usize;
        &of[first..first + self.corner_count as usize]
    }
}

/// A corner of the part of a face behind the plane of a facet.
#[derive(Clone, Copy, Debug)]
struct CellCorner {
    at: DVec2,
    /// The vertex of the body; `None` where the depth is 0.
    vertex: Option<u32>,
    /// The area of the triangle with the next corner and the centroid.
    triangle: f64,
    /// The integral of the hat, and of the hat times the position.
    share: f64,
    moment: DVec2,
}

/// Two unit vectors across m, and m.
#[derive(Clone, Copy, Debug)]
struct Axes {
    u: DVec3,
    v: DVec3,
    m: DVec3,
}

/// A plane as a height along m: `level + gradient . x`.
#[derive(Clone, Copy, Debug)]
struct Height {
    level: f64,
    gradient: DVec2,
}

impl Axes {
    fn flat(self, x: DVec3) -> DVec2 {
        DVec2::new(self.u.dot(x), self.v.dot(x))
    }

    /// Returns the height of the plane `normal . x = offset`.
    fn height(self, normal: DVec3, offset: f64) -> Height {
        let slope = normal.dot(self.m);
        Height {
            level: offset / slope,
            gradient: self.flat(normal) * (-1.0 / slope),
        }
    }
}

impl Height {
    fn at(self, x: DVec2) -> f64 {
        self.level + self.gradient.dot(x)
    }
}

impl ConvexWall {
    /// Cuts the facets by the faces of the body.
    pub(super) fn cut_facets(&mut self, scene: &Scene) {
        let mut bed = std::mem::take(&mut self.bed);
        bed.parts.clear();
        bed.corners.clear();
        for facet in &self.facets {
            bed.polygon.clear();
            bed.polygon.extend_from_slice(self.corners_of(facet));
            // No point of the facet is farther from the middle.
            let reach = facet.radius * (1.0 + FACET_SHAPE) + scene.tolerance;
            scene.body.planes.values(facet.middle, &mut self.values);
            for (face, &value) in scene.body.faces.iter().zip(&self.values) {
                if value <= -reach {
                    continue;
                }
                let depth = |x: DVec3| face.offset - face.normal.dot(x);
                cut(&mut bed.polygon, &mut bed.uncut, depth);
            }
            bed.parts.push(Part {
                first_corner: bed.corners.len() as u32,
                corner_count: bed.polygon.len() as u32,
                area: area(&bed.polygon, facet.normal),
            });
            bed.corners.append(&mut bed.polygon);
        }
        self.bed = bed;
    }

    /// Computes the bed of the facets that belong to a contact. Returns its direction in the frame of the
    /// body, `None` if the facets are seen edge-on along the normal of the contact.
    pub(super) fn contact_bed(&mut self, contact: usize, scene: &Scene) -> Option<DVec3> {
        let own = self.contact_facets.of(contact);
        let area = |i: usize| self.facets[i].normal * -self.bed.parts[i].area;
        let sum: DVec3 = own.clone().map(area).sum();
        let m = direction(sum, sum.length())?;
        if m.dot(self.contacts[contact].normal) < EDGE_ON {
            return None;
        }
        let u = m.any_orthonormal_vector();
        let axes = Axes {
            u,
            v: m.cross(u),
            m,
        };
        self.bed.bed.clear();
        for i in own {
            let facet = &self.facets[i];
            if -facet.normal.dot(m) >= STEEP_FACE {
                self.bed.add_facet(scene, i, facet, axes);
            }
        }
        Some(m)
    }
}

impl WallBed {
    /// Returns the corners of the part of a facet inside the body.
    pub(super) fn part(&self, facet: usize) -> &[DVec3] {
        self.parts[facet].corners(&self.corners)
    }

    fn add_facet(&mut self, scene: &Scene, index: usize, facet: &NearFacet, axes: Axes) {
        let corners = self.parts[index].corners(&self.corners);
        let Some(&first) = corners.first() else {
            return;
        };
        let wall = axes.height(facet.normal, facet.normal.dot(first));
        self.facet.clear();
        self.facet.extend(corners.iter().map(|&x| axes.flat(x)));
        // Seen along m, against the front.
        if doubled_area(&self.facet).0 < 0.0 {
            self.facet.reverse();
        }
        for face in &scene.body.faces {
            if face.normal.dot(axes.m) < STEEP_FACE {
                continue;
            }
            let front = axes.height(face.normal, face.offset);
            if let Some(center) = self.set_cell(scene, face, axes, [front, wall]) {
                self.integrate(center);
                self.add_shares(axes, [front, wall]);
            }
        }
    }

    /// Sets the cell to the part of a face behind the plane of the facet. Returns its centroid, `None` if nothing is
    /// behind it by more than the tolerance.
    fn set_cell(
        &mut self,
        scene: &Scene,
        face: &Face,
        axes: Axes,
        [front, wall]: [Height; 2],
    ) -> Option<DVec2> {
        let depth = |x: DVec2| front.at(x) - wall.at(x);
        let corner = |at, vertex| CellCorner {
            at,
            vertex,
            triangle: 0.0,
            share: 0.0,
            moment: DVec2::ZERO,
        };
        let body = scene.body;
        let sides = body.sides(face);
        let mut deepest = 0.0_f64;
        self.cell.clear();
        for (i, side) in sides.iter().enumerate() {
            let next = &sides[if i + 1 == sides.len() { 0 } else { i + 1 }];
            let ends = [side.corner, next.corner].map(|id| axes.flat(body.vertices[id as usize]));
            let [here, there] = ends.map(depth);
            deepest = deepest.max(here);
            // A corner of depth 0 has no volume, but bounds the cell.
            if here >= 0.0 {
                self.cell.push(corner(ends[0], Some(side.corner)));
            }
            if here * there < 0.0 {
                let at = ends[0] + (ends[1] - ends[0]) * (here / (here - there));
                self.cell.push(corner(at, None));
            }
        }
        self.piece.clear();
        self.piece.extend(self.cell.iter().map(|corner| corner.at));
        let (double, center) = doubled_area(&self.piece);
        (double > 0.0 && deepest > scene.tolerance).then_some(center)
    }

    /// Integrates the hats of the cell over the facet.
    fn integrate(&mut self, center: DVec2) {
        let count = self.cell.len();
        let (mut area, mut hat, mut hat_moment) = (0.0, 0.0, DVec2::ZERO);
        for i in 0..count {
            let next = if i + 1 == count { 0 } else { i + 1 };
            let [p, q] = [self.cell[i].at, self.cell[next].at];
            let double = (p - center).perp_dot(q - center);
            self.cell[i].triangle = double;
            area += double;
            // Hats of a triangle without height are rounding errors.
            let base_squared = (p - center).length_squared() + (q - center).length_squared();
            if double <= SLIVER * base_squared {
                continue;
            }
            // Corners of the facet may coincide to rounding, so that a side between them has no direction. The short
            // side of a thin triangle cuts only between the long ones.
            self.piece.clone_from(&self.facet);
            for [from, to] in [[center, p], [q, center], [p, q]] {
                cut(&mut self.piece, &mut self.uncut_piece, |x| {
                    (to - from).perp_dot(x - from)
                });
            }
            let shares = moments_of_hats(&self.piece, [p, q, center], double);
            for (corner, (share, moment)) in [(i, shares[0]), (next, shares[1])] {
                self.cell[corner].share += share;
                self.cell[corner].moment += moment;
            }
            hat += shares[2].0;
            hat_moment += shares[2].1;
        }
        if hat == 0.0 {
            return;
        }
        // The hat of the centroid is shared by the areas beside each corner.
        for i in 0..count {
            let before = if i == 0 { count - 1 } else { i - 1 };
            let weight = (self.cell[before].triangle + self.cell[i].triangle) / (2.0 * area);
            self.cell[i].share += weight * hat;
            self.cell[i].moment += hat_moment * weight;
        }
    }

    fn add_shares(&mut self, axes: Axes, [front, wall]: [Height; 2]) {
        for corner in &self.cell {
            self.bed.area += corner.share;
            let depth = front.at(corner.at) - wall.at(corner.at);
            let volume = corner.share * depth;
            if let Some(vertex) = corner.vertex
                && volume > 0.0
            {
                let x = corner.moment / corner.share;
                let middle = 0.5 * (front.at(x) + wall.at(x));
                let point = axes.u * x.x + axes.v * x.y + axes.m * middle;
                self.bed.add(BedNode {
                    feature: PointFeature::FirstVertex(vertex),
                    area: corner.share,
                    volume,
                    moment: point * volume,
                });
            }
        }
    }
}

/// Returns the area of a polygon in the plane with a unit normal.
fn area(polygon: &[DVec3], normal: DVec3) -> f64 {
    let Some((&first, rest)) = polygon.split_first() else {
        return 0.0;
    };
    let sides = rest.windows(2);
    let double: DVec3 = sides.map(|p| (p[0] - first).cross(p[1] - first)).sum();
    0.5 * normal.dot(double).abs()
}

/// Returns the integrals of the hats of a triangle's corners over a convex polygon in it, and of the hats times the
/// position. `double` is twice the area of the triangle.
fn moments_of_hats(polygon: &[DVec2], [p, q, r]: [DVec2; 3], double: f64) -> [(f64, DVec2); 3] {
    let hats = |x: DVec2| {
        let [of_p, of_q] = [(q - x).perp_dot(r - x), (r - x).perp_dot(p - x)];
        let [of_p, of_q] = [of_p / double, of_q / double];
        [of_p, of_q, 1.0 - of_p - of_q]
    };
    let mut sums = [(0.0, DVec2::ZERO); 3];
    let [a, b, rest @ ..] = polygon else {
        return sums;
    };
    let at_a = hats(*a);
    let (mut b, mut at_b) = (*b, hats(*b));
    for &c in rest {
        let at_c = hats(c);
        let double = (b - a).perp_dot(c - a);
        let all = a + b + c;
        for (k, (sum, moment)) in sums.iter_mut().enumerate() {
            let values = [at_a[k], at_b[k], at_c[k]];
            *sum += double * (values[0] + values[1] + values[2]) / 6.0;
            let weighted = (a + all) * values[0] + (b + all) * values[1] + (c + all) * values[2];
            *moment += weighted * (double / 24.0);
        }
        (b, at_b) = (c, at_c);
    }
    sums
}
