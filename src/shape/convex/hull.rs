//! Convex hulls of points in space by exact orientation signs.
//!
//! Randomized incremental construction: K. L. Clarkson, P. W. Shor, "Applications of random sampling
//! in computational geometry, II", Discrete & Computational Geometry 4 (1989) 387-421. The hull of
//! the points inserted so far is stored as triangles. A point outside replaces the triangles that it
//! sees by a fan. Deviations:
//! - A point waits at the triangle that the ray to it from an inner point pierces. It is outside the
//!   hull if it is outside this triangle. If a fan replaces the triangle, a binary search around the
//!   apex finds where the ray pierces the fan. Large fans therefore cost no more per point.
//! - Points are inserted in rounds of doubling size, and in spatial order within a round (N. Amenta, S.
//!   Choi, G. Rote, "Incremental constructions con BRIO", SoCG 2003). Memory access is then local, and
//!   the order is random enough for the bound.
//! - Signs are exact, so no face is merged or flipped during insertion. At the end, faces that are
//!   coplanar to within the rounding of the coordinates are merged.

mod merge;
mod support;

use std::cmp::Reverse;

use glam::DVec3;

#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::math::tolerance::HULL_FACE;
use crate::math::{check_positions, cross_of_differences, last_where, orient3d};
use crate::shape::{Aabb, ConvexPolyhedron};

impl ConvexPolyhedron {
    /// Builds the smallest convex polyhedron around points.
    ///
    /// The vertices are the extreme points, in their given order. Faces that are coplanar to within
    /// a few roundings of the largest coordinate are merged; points inside a face or edge are left
    /// out.
    ///
    /// Cost: O(n log^2 n) for any points, on average over the insertion order. That order is random
    /// but fixed.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Coordinate`] for the lowest bad point, or [`ErrorKind::TooMany`].
    /// Returns [`ErrorKind::Degenerate`] if the points are coplanar to within the rounding of their
    /// coordinates.
    ///
    /// ```
    /// use osculate::{ConvexPolyhedron, glam::DVec3};
    ///
    /// let grid = (0..27).map(|i| DVec3::new((i % 3).into(), (i / 3 % 3).into(), (i / 9).into()));
    /// let cube = ConvexPolyhedron::from_convex_hull(&grid.collect::<Vec<_>>())?;
    /// assert_eq!((cube.vertices().len(), cube.surface().facet_count()), (8, 6));
    /// assert_eq!(cube.volume(), 8.0);
    /// # Ok::<(), osculate::Error>(())
    /// ```
    pub fn from_convex_hull(points: &[DVec3]) -> Result<Self> {
        check_positions("point", points)?;
        if points.is_empty() {
            return Err(Error(Cause::NoPoints));
        }
        let largest = points
            .iter()
            .fold(0.0, |max: f64, p| max.max(p.abs().max_element()));
        let rounding = largest * HULL_FACE;
        let (sorted, order) = sorted_in_space(points);
        let hull = Hull::new(&sorted, &order, rounding)?;
        // Merging can fail if rounding and details of the shape are of the same size. The tolerance is
        // then reduced to 0, or merging is skipped. If triangles with almost no area remain, a larger
        // tolerance removes them.
        let tolerances = [Some(rounding), Some(0.0), None, Some(64.0 * rounding)];
        let polyhedron = tolerances
            .into_iter()
            .find_map(|tolerance| hull.merged(tolerance));
        polyhedron.ok_or_else(|| hull.flat())
    }
}

fn flat(given: &[u32], points: [u32; 3]) -> Error {
    Error(Cause::Flat {
        count: given.len(),
        points: points.map(|p| given[p as usize] as usize),
    })
}

/// Returns the first point of largest measure above 0, and this measure.
pub(super) fn farthest(points: &[DVec3], measure: impl Fn(DVec3) -> f64) -> (u32, f64) {
    let values = (0..).zip(points).map(|(i, &p)| (i, measure(p)));
    values.fold(
        (0, 0.0),
        |best, next| if next.1 > best.1 { next } else { best },
    )
}

/// No point, face or vertex.
const NONE: u32 = u32::MAX;

/// A triangulated hull that grows point by point.
pub(super) struct Hull<'a> {
    /// In spatial order, so that neighbors lie together in memory.
    points: &'a [DVec3],
    /// The index of each point in the input.
    given: &'a [u32],
    /// A point strictly inside the first four faces, by exact signs.
    inside: DVec3,
    faces: Vec<HullFace>,
    /// Dead faces, for reuse.
    free: Vec<u32>,
    first_face: [u32; 3],
    /// The face where each point outside waits, `NONE` for the others.
    face_of: Vec<u32>,
    /// The next point that waits at the same face.
    next: Vec<u32>,
    /// Scratch: for a vertex on the horizon, the edge of it that starts there.
    edge_from: Vec<u32>,
    visible: Vec<u32>,
    horizon: Vec<Horizon>,
}

struct HullFace {
    /// Counter-clockwise seen from outside.
    vertices: [u32; 3],
    /// The face across the edge from `vertices[i]` to the next.
    neighbors: [u32; 3],
    /// The first point that waits here.
    waiting: u32,
    is_alive: bool,
}

impl HullFace {
    fn new(vertices: [u32; 3], neighbors: [u32; 3]) -> Self {
        Self {
            vertices,
            neighbors,
            waiting: NONE,
            is_alive: true,
        }
    }
}

/// An edge from a visible face to a hidden one, counter-clockwise around the apex.
#[derive(Clone, Copy)]
struct Horizon {
    ends: [u32; 2],
    hidden: u32,
    /// The face of the fan that replaces the visible face.
    new: u32,
}

impl<'a> Hull<'a> {
    /// Builds the hull of points in spatial order, of which four are farther apart than `rounding` in each direction.
    pub(super) fn new(points: &'a [DVec3], given: &'a [u32], rounding: f64) -> Result<Self> {
        let mut hull = Self::simplex(points, given, rounding)?;
        let mut order = insertion_order(points.len()).into_iter();
        match order.all(|point| hull.add(point)) {
            true => Ok(hull),
            false => Err(hull.flat()),
        }
    }

    /// Builds a tetrahedron of four points that are far apart, by more than `rounding` in each
    /// direction.
    fn simplex(points: &'a [DVec3], given: &'a [u32], rounding: f64) -> Result<Self> {
        let at = |point: u32| points[point as usize];
        let first = at(0);
        let (a, _) = farthest(points, |p| p.distance_squared(first));
        let pa = at(a);
        let (b, _) = farthest(points, |p| p.distance_squared(pa));
        let pb = at(b);
        let (c, area_squared) = farthest(points, |p| {
            cross_of_differences([pa, pb], [pa, p]).length_squared()
        });
        let pc = at(c);
        let (d, volume) = farthest(points, |p| orient3d(pa, pb, pc, p).abs());
        let (length, area) = (pa.distance(pb), area_squared.sqrt());
        if area <= rounding * length || volume <= rounding * area {
            return Err(flat(given, [a, b, c]));
        }
        let (b, c) = if orient3d(pa, pb, pc, at(d)) < 0.0 {
            (b, c)
        } else {
            (c, b)
        };
        let mut hull = Self {
            points,
            given,
            inside: pa + [b, c, d].map(|p| at(p) - pa).iter().sum::<DVec3>() * 0.25,
            faces: vec![
                HullFace::new([a, b, c], [1, 2, 3]),
                HullFace::new([b, a, d], [0, 3, 2]),
                HullFace::new([c, b, d], [0, 1, 3]),
                HullFace::new([a, c, d], [0, 2, 1]),
            ],
            free: Vec::new(),
            first_face: [a, b, c],
            face_of: vec![NONE; points.len()],
            next: vec![NONE; points.len()],
            edge_from: vec![NONE; points.len()],
            visible: Vec::new(),
            horizon: Vec::new(),
        };
        if (0..4).any(|face| hull.height(face, hull.inside) >= 0.0) {
            return Err(hull.flat());
        }
        for point in 0..points.len() as u32 {
            if let Some(face) = (0..4).find(|&face| hull.is_pierced(face, at(point))) {
                hull.wait(point, face);
            }
        }
        Ok(hull)
    }

    fn at(&self, point: u32) -> DVec3 {
        self.points[point as usize]
    }

    fn face(&self, face: u32) -> &HullFace {
        &self.faces[face as usize]
    }

    fn face_mut(&mut self, face: u32) -> &mut HullFace {
        &mut self.faces[face as usize]
    }

    /// Returns the exact sign of `orient3d`, and counts it in tests.
    fn orient(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
        #[cfg(test)]
        tests::SIGNS.with(|count| count.set(count.get() + 1));
        orient3d(a, b, c, d)
    }

    /// Returns the height of a point over a face times twice the face's area. The sign is exact.
    fn height(&self, face: u32, point: DVec3) -> f64 {
        let [a, b, c] = self.face(face).vertices.map(|v| self.at(v));
        Self::orient(a, b, c, point)
    }

    /// Returns whether the ray from inside to a point meets a face.
    fn is_pierced(&self, face: u32, point: DVec3) -> bool {
        let [a, b, c] = self.face(face).vertices.map(|v| self.at(v));
        let edges = [(a, b), (b, c), (c, a)];
        edges
            .iter()
            .all(|&(u, v)| Self::orient(self.inside, u, v, point) >= 0.0)
    }

    /// Makes a point wait at the face that its ray pierces, if the point is outside.
    fn wait(&mut self, point: u32, face: u32) {
        if self.height(face, self.at(point)) > 0.0 {
            self.face_of[point as usize] = face;
            self.next[point as usize] = self.face(face).waiting;
            self.face_mut(face).waiting = point;
        } else {
            self.face_of[point as usize] = NONE;
        }
    }

    fn flat(&self) -> Error {
        flat(self.given, self.first_face)
    }

    /// Replaces all faces that a point sees by a fan to it. Returns `false` if the signs contradict
    /// each other, because products of tiny coordinates underflow.
    fn add(&mut self, apex: u32) -> bool {
        let face = std::mem::replace(&mut self.face_of[apex as usize], NONE);
        if face == NONE {
            return true;
        }
        self.see(apex, face);
        if !self.sort_horizon() {
            return false;
        }
        self.make_fan(apex);
        let last_ahead = self.last_ahead(apex);
        for i in 0..self.visible.len() {
            let face = self.visible[i];
            let mut point = std::mem::replace(&mut self.face_mut(face).waiting, NONE);
            while point != NONE {
                let next = self.next[point as usize];
                if point != apex {
                    let new = self.pierced_of_fan(apex, last_ahead, self.at(point));
                    self.wait(point, new);
                }
                point = next;
            }
        }
        self.free.append(&mut self.visible);
        true
    }

    /// Collects the faces that a point sees, starting from one, and the edges around them.
    fn see(&mut self, apex: u32, first: u32) {
        let position = self.at(apex);
        self.horizon.clear();
        self.visible.push(first);
        self.face_mut(first).is_alive = false;
        let mut next = 0;
        while let Some(&from) = self.visible.get(next) {
            next += 1;
            let face = self.face(from);
            let (vertices, neighbors) = (face.vertices, face.neighbors);
            for side in 0..3 {
                let across = neighbors[side];
                if !self.face(across).is_alive {
                    continue;
                }
                if self.height(across, position) > 0.0 {
                    self.face_mut(across).is_alive = false;
                    self.visible.push(across);
                } else {
                    self.horizon.push(Horizon {
                        ends: [vertices[side], vertices[(side + 1) % 3]],
                        hidden: across,
                        new: NONE,
                    });
                }
            }
        }
    }

    /// Sorts the edges of the horizon along their loop. Returns whether they form a loop.
    fn sort_horizon(&mut self) -> bool {
        for (i, edge) in (0..).zip(&self.horizon) {
            self.edge_from[edge.ends[0] as usize] = i;
        }
        let count = self.horizon.len();
        for place in 1..count {
            let end = self.horizon[place - 1].ends[1];
            let found = self.edge_from[end as usize] as usize;
            if found < place || found >= count || self.horizon[found].ends[0] != end {
                return false;
            }
            self.horizon.swap(place, found);
            for i in [place, found] {
                self.edge_from[self.horizon[i].ends[0] as usize] = i as u32;
            }
        }
        count >= 3 && self.horizon[count - 1].ends[1] == self.horizon[0].ends[0]
    }

    /// Joins the horizon to the apex, reusing dead faces first.
    fn make_fan(&mut self, apex: u32) {
        let count = self.horizon.len();
        for i in 0..count {
            self.horizon[i].new = self.free.pop().unwrap_or(self.faces.len() as u32);
            if self.horizon[i].new as usize == self.faces.len() {
                self.faces.push(HullFace::new([NONE; 3], [NONE; 3]));
            }
        }
        for i in 0..count {
            let Horizon { ends, hidden, new } = self.horizon[i];
            let [before, after] = [count - 1, 1].map(|step| self.horizon[(i + step) % count].new);
            *self.face_mut(new) = HullFace::new([ends[0], ends[1], apex], [hidden, after, before]);
            let outer = self.face_mut(hidden);
            let side = (0..3).find(|&side| outer.vertices[side] == ends[1]);
            outer.neighbors[side.unwrap_or(0)] = new;
        }
    }

    /// Returns on which side of a half-plane a point is: positive counter-clockwise, up to half a turn.
    /// The half-plane contains the axis through the apex and the start of an edge of the horizon.
    fn side(&self, apex: u32, edge: usize, point: DVec3) -> f64 {
        let start = self.at(self.horizon[edge].ends[0]);
        Self::orient(self.inside, self.at(apex), start, point)
    }

    /// Returns the last edge of the horizon that starts less than half a turn from the first.
    fn last_ahead(&self, apex: u32) -> usize {
        last_where(0..self.horizon.len(), |edge| {
            let start = self.at(self.horizon[edge].ends[0]);
            self.side(apex, 0, start) > 0.0
        })
    }

    /// Returns the face of the fan that the ray to a point pierces, if there is one. Each face covers
    /// less than half a turn around the apex.
    fn pierced_of_fan(&self, apex: u32, last_ahead: usize, point: DVec3) -> u32 {
        let edges = if self.side(apex, 0, point) >= 0.0 {
            0..last_ahead + 1
        } else {
            last_ahead..self.horizon.len()
        };
        let edge = last_where(edges, |edge| self.side(apex, edge, point) >= 0.0);
        self.horizon[edge].new
    }
}

/// Returns points by cells of a lattice along a z-order curve, and the index of each of them.
pub(super) fn sorted_in_space(points: &[DVec3]) -> (Vec<DVec3>, Vec<u32>) {
    let bounds = Aabb::enclosing(points.iter().copied());
    let scale = 1023.0 / bounds.size().max_element();
    let key = |&index: &u32| {
        let cell = ((points[index as usize] - bounds.min) * scale)
            .to_array()
            .map(|x| x as u32);
        let bits = (0..10).rev().flat_map(|bit| cell.map(|x| x >> bit & 1));
        bits.fold(0, |key: u32, bit| 2 * key + bit)
    };
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_by_cached_key(key);
    let sorted = order.iter().map(|&index| points[index as usize]);
    (sorted.collect(), order)
}

/// Returns points in insertion order: random rounds of doubling size, each in spatial order.
fn insertion_order(count: usize) -> Vec<u32> {
    // A bijection of 64 bits without patterns (splitmix64).
    let round = |&index: &u32| {
        let mut bits = (u64::from(index) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        Reverse((bits ^ bits >> 31).leading_zeros())
    };
    let mut order: Vec<u32> = (0..count as u32).collect();
    order.sort_by_cached_key(round);
    order
}

#[cfg(test)]
mod tests;
