//! The facets inside the body.

use glam::DVec3;

use super::facet_minimum::Chart;
use super::kept_facets::KeptFacets;
use super::triangle_minimum::Minimum;
use super::{ConvexWall, ConvexWallContact, ConvexWallState, Scene};
use crate::shape::{Boundary, Cover, Face, FacePlanes};

/// A facet inside the body, in the frame of the body about its center.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearFacet {
    pub(super) facet: u32,
    /// Where the wall stores the facet.
    pub(super) slot: u32,
    pub(super) image: u32,
    pub(super) first_corner: u32,
    pub(super) corner_count: u32,
    /// The unit normal of the facet.
    pub(super) normal: DVec3,
    /// The mean of the corners, and the distance of the farthest.
    pub(super) middle: DVec3,
    pub(super) radius: f64,
    pub(super) phi: f64,
    /// The middle of the set on which the minimum is taken.
    pub(super) point: DVec3,
    /// The distance of the farthest corner of the set from the point.
    pub(super) lowest_radius: f64,
    pub(super) first_lowest: u32,
    pub(super) lowest_count: u32,
    /// Whether the set reaches the border of the facet, to the tolerance.
    pub(super) is_on_border: bool,
    /// Whether the set is connected with deeper points of the same sheet.
    pub(super) is_passed: bool,
    /// The contact to which the facet belongs.
    pub(super) contact: u32,
}

/// The faces of a body that may be the highest on a facet, by index.
#[derive(Clone, Copy)]
struct Faces<'a> {
    planes: &'a FacePlanes,
    ids: &'a [u32],
}

/// A search for facets, seen from one image.
struct Search<'a> {
    image: u32,
    center: DVec3,
    faces: Faces<'a>,
    /// Facets up to this far in front of the body are kept, none if it is 0.
    margin: f64,
    /// In front of a face: facets come in an order in which one is often in front of several.
    ahead: HalfSpace,
    cover: &'a Cover,
    kept: &'a mut KeptFacets,
}

/// Half a space in the coordinates of the mesh: `normal . x >= offset`.
#[derive(Clone, Copy, Debug)]
struct HalfSpace {
    normal: DVec3,
    offset: f64,
}

impl NearFacet {
    /// Returns the contact of a facet, by the normal from the body into the wall. Frame of the body.
    pub(super) fn contact(&self, normal: DVec3, body: &Boundary) -> ConvexWallContact {
        let top = body.farthest(normal, 0) as usize;
        ConvexWallContact {
            point: self.point,
            normal,
            overlap: normal.dot(body.vertices[top]) - normal.dot(self.point),
            depth: -self.phi,
            facet: self.facet,
        }
    }
}

impl HalfSpace {
    const EMPTY: Self = Self {
        normal: DVec3::ZERO,
        offset: f64::INFINITY,
    };

    /// Returns the points in front of a face of the body by at least a margin.
    fn new(face: usize, margin: f64, scene: &Scene, center: DVec3) -> Self {
        let Face { normal, offset, .. } = scene.body.faces[face];
        let normal = scene.rotation.transpose() * normal;
        let offset = offset + margin + normal.dot(center);
        Self { normal, offset }
    }

    fn contains<'a>(&self, mut points: impl Iterator<Item = &'a DVec3>) -> bool {
        points.all(|x| self.normal.dot(*x) >= self.offset)
    }
}

impl ConvexWall {
    /// Collects the facets inside the body, each with its minimum.
    pub(super) fn find_facets(&mut self, scene: &Scene, state: &mut ConvexWallState) {
        self.corners.clear();
        self.lowest.clear();
        self.facets.clear();
        let kept = &mut state.facets;
        let body = scene.body;
        let mut all = std::mem::take(&mut self.all_faces);
        all.extend(all.len() as u32..body.faces.len() as u32);
        let mut faces = Faces {
            planes: &body.planes,
            ids: &all[..body.faces.len()],
        };
        if kept.are_valid(scene) {
            let mut planes = std::mem::take(&mut self.some_planes);
            if !kept.faces().is_empty() {
                planes.set(kept.faces().iter().map(|&i| &body.faces[i as usize]));
                faces = Faces {
                    planes: &planes,
                    ids: kept.faces(),
                };
            }
            for &slot in kept.slots() {
                let corners = scene.wall.corners_in(slot);
                // A facet in front of a face is not inside.
                self.add_facet(scene, (0, slot), corners, faces).ok();
            }
            self.some_planes = planes;
        } else {
            let margin = kept.begin(scene);
            if margin > 0.0 {
                self.are_near.clear();
                self.are_near.resize(body.faces.len(), false);
            }
            for (image, &center) in (0..).zip(&scene.centers) {
                let cover = Cover::default();
                let mut search = Search {
                    image,
                    center,
                    faces,
                    margin,
                    ahead: HalfSpace::EMPTY,
                    cover: &cover,
                    kept,
                };
                let reach = body.circumscribed + margin;
                let see = |slot| self.see(slot, &mut search, scene);
                scene.wall.for_each_slot_behind(reach, center, &cover, see);
            }
            if margin > 0.0 {
                kept.end(&self.are_near, scene);
            }
        }
        self.all_faces = all;
        self.sort_facets();
        self.facet_table.fill(&self.facets);
    }

    /// Adds the facet in a slot if it is inside the body, and keeps it unless it is farther away than the margin.
    #[inline(never)]
    fn see(&mut self, slot: u32, search: &mut Search, scene: &Scene) {
        let (triangle, others) = scene.wall.corners_in(slot);
        let is_in = |plane: &HalfSpace| {
            plane.contains(triangle.into_iter()) && plane.contains(others.clone())
        };
        if is_in(&search.ahead) {
            return;
        }
        let (center, margin) = (search.center, search.margin);
        let at = (search.image, slot);
        match self.add_facet(scene, at, (triangle, others.clone()), search.faces) {
            Err(face) => {
                let plane = HalfSpace::new(face, margin, scene, center);
                if margin == 0.0 || is_in(&plane) {
                    let offset = plane.offset - plane.normal.dot(center);
                    search.cover.add(face as u32, plane.normal, offset);
                    search.ahead = plane;
                    return;
                }
            }
            Ok(phi) if phi >= margin => return,
            Ok(_) => {}
        }
        if margin > 0.0 {
            let first = self.corners.len();
            self.add_corners((triangle, others), center, scene);
            let buffers = (&mut self.are_near[..], &mut self.corner_values.tops);
            (search.kept).push(slot, &self.corners[first..], buffers, scene);
            self.corners.truncate(first);
        }
    }

    /// Sorts the facets by image and id.
    fn sort_facets(&mut self) {
        let key = |near: &NearFacet| u64::from(near.image) << 32 | u64::from(near.facet);
        if !self.facets.is_sorted_by_key(key) {
            self.order.clear();
            (self.order).extend((0..).zip(&self.facets).map(|(i, near)| (key(near), i)));
            self.order.sort_unstable_by_key(|&(key, _)| key);
            std::mem::swap(&mut self.facets, &mut self.unsorted);
            self.facets.clear();
            let sorted = self
                .order
                .iter()
                .map(|&(_, i): &(u64, u32)| self.unsorted[i as usize]);
            self.facets.extend(sorted);
        }
    }

    /// Adds a facet with its minimum if that is inside the body. Returns a lower bound of phi, or `Err(i)` if the facet is
    /// in front of face i of some.
    fn add_facet<'a>(
        &mut self,
        scene: &Scene,
        (image, slot): (u32, u32),
        corners: ([&DVec3; 3], impl Iterator<Item = &'a DVec3>),
        faces: Faces,
    ) -> Result<f64, usize> {
        let (first, count) = (self.corners.len(), self.facets.len());
        self.add_corners(corners, scene.centers[image as usize], scene);
        let phi = self.add_minimum(scene, (image, slot), first, faces);
        if self.facets.len() == count {
            self.corners.truncate(first);
        }
        phi
    }

    /// As [`add_facet`](Self::add_facet), for a facet whose corners have been added.
    #[inline(always)]
    fn add_minimum(
        &mut self,
        scene: &Scene,
        (image, slot): (u32, u32),
        first: usize,
        faces: Faces,
    ) -> Result<f64, usize> {
        let values = &mut self.corner_values;
        // phi is at least this on the facet.
        let bound = match self.corners[first..] {
            [a, b, c] => faces.planes.values_at_corners(&[a, b, c], values)?,
            ref corners => faces.planes.tops(corners, 0.0, &mut values.tops)?,
        };
        // Faces that are lower at all corners are the largest nowhere on the facet.
        let count = self.select_faces(bound - 2.0 * scene.tolerance, faces.ids.len());
        let normal = scene.rotation * scene.wall.normal_in(slot);
        if normal == DVec3::ZERO {
            return Ok(bound);
        }
        let first_lowest = self.lowest.len();
        let minimum = self.minimum_on(first, normal, (faces, count), scene);
        if minimum.phi >= -scene.tolerance {
            return Ok(minimum.phi);
        }
        let lowest = &self.lowest[first_lowest..];
        let (middle, radius) = around(&self.corners[first..]);
        let (point, lowest_radius) = around(lowest);
        self.facets.push(NearFacet {
            facet: scene.wall.facet_in(slot),
            slot,
            image,
            first_corner: first as u32,
            corner_count: (self.corners.len() - first) as u32,
            normal,
            middle,
            radius,
            phi: minimum.phi,
            point,
            lowest_radius,
            first_lowest: first_lowest as u32,
            lowest_count: lowest.len() as u32,
            is_on_border: minimum.is_on_border,
            is_passed: false,
            contact: 0,
        });
        Ok(minimum.phi)
    }

    /// Adds the corners of a facet in the frame of the body.
    #[inline]
    fn add_corners<'a>(
        &mut self,
        (triangle, others): ([&DVec3; 3], impl Iterator<Item = &'a DVec3>),
        center: DVec3,
        scene: &Scene,
    ) {
        let place = |x: &DVec3| scene.rotation * (x - center);
        let [a, b, c] = triangle;
        self.corners
            .extend_from_slice(&[place(a), place(b), place(c)]);
        self.corners.extend(others.map(place));
    }

    /// Selects the faces whose values at the corners of a facet are not all below `least`, and returns their number.
    fn select_faces(&mut self, least: f64, face_count: usize) -> usize {
        self.near_faces.resize(face_count, 0);
        // Whether a face may be the highest cannot be predicted: no branch.
        let mut count = 0;
        for (i, top) in (0..face_count).zip(&self.corner_values.tops) {
            self.near_faces[count] = i as u32;
            count += usize::from(*top >= least);
        }
        count
    }

    /// Computes the minimum on a facet, given by its first corner, its normal and the number of near faces among some, and
    /// adds the corners of the set on which it is taken. Returns a lower bound if the minimum is not inside the body.
    #[inline(always)]
    fn minimum_on(
        &mut self,
        first_corner: usize,
        normal: DVec3,
        (faces, count): (Faces, usize),
        scene: &Scene,
    ) -> Minimum {
        let corners = &self.corners[first_corner..];
        let near_faces = &self.near_faces[..count];
        if let [a, b, c] = *corners {
            let values = &self.corner_values.of;
            let minimum = (self.on_triangle).find([a, b, c], near_faces, values, scene.tolerance);
            if let Some(minimum) = minimum {
                if minimum.phi < -scene.tolerance {
                    self.lowest.extend_from_slice(&self.on_triangle.lowest);
                }
                return minimum;
            }
        }
        let face = |i: &u32| &scene.body.faces[faces.ids[*i as usize] as usize];
        let near_faces = near_faces.iter().map(face);
        let chart = Chart::new(corners[0], normal);
        let flat = corners.iter().map(|&x| chart.flat(x));
        self.minimum.set(chart, flat, near_faces);
        // The point of the facet nearest to the center, about.
        let (middle, radius) = around(corners);
        let toward = normal * normal.dot(middle) - middle;
        let start = middle + toward * (radius / toward.length()).min(1.0);
        let phi = self.minimum.find(chart.flat(start), 0.0, scene.tolerance);
        if phi < -scene.tolerance {
            let lowest = self.minimum.lowest.iter().map(|&x| chart.lifted(x));
            self.lowest.extend(lowest);
        }
        Minimum {
            phi,
            is_on_border: self.minimum.is_on_border(scene.tolerance),
        }
    }

    pub(super) fn lowest_of(&self, facet: &NearFacet) -> &[DVec3] {
        let first = facet.first_lowest as usize;
        &self.lowest[first..first + facet.lowest_count as usize]
    }

    pub(super) fn corners_of(&self, facet: &NearFacet) -> &[DVec3] {
        let first = facet.first_corner as usize;
        &self.corners[first..first + facet.corner_count as usize]
    }
}

/// Returns the mean of some points, and the distance of the farthest from it.
#[inline]
fn around(points: &[DVec3]) -> (DVec3, f64) {
    match *points {
        [point] => (point, 0.0),
        [a, b, c] => around_some(&[a, b, c]),
        _ => around_some(points),
    }
}

#[inline(always)]
fn around_some(points: &[DVec3]) -> (DVec3, f64) {
    let mut sum = DVec3::ZERO;
    for &x in points {
        sum += x;
    }
    let middle = sum / points.len() as f64;
    let mut most = 0.0;
    for x in points {
        most = larger(most, x.distance_squared(middle));
    }
    (middle, most.sqrt())
}

/// Returns the larger of two numbers, of which the first is not NaN.
fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}
