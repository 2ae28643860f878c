//! The facets inside the body.

use glam::DVec3;

use super::facet_minimum::Chart;
use super::triangle_minimum::Minimum;
use super::{ConvexWall, ConvexWallContact, Scene};
use crate::narrow::WallState;
use crate::shape::{Boundary, Cover, Face};

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
    /// 1 if the body belongs in front of the facet, otherwise -1.
    pub(super) side: f64,
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

/// Half a space in the coordinates of the mesh: `normal . x >= offset`.
#[derive(Clone, Copy, Debug)]
struct HalfSpace {
    normal: DVec3,
    offset: f64,
}

impl NearFacet {
    /// Returns the normal on the side of the body.
    pub(super) fn front(&self) -> DVec3 {
        self.normal * self.side
    }

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

    /// Returns the points in front of a face of the body, and adds them to a cover.
    fn cover(face: usize, scene: &Scene, center: DVec3, cover: &Cover) -> Self {
        let Face { normal, offset, .. } = scene.body.faces[face];
        let normal = scene.rotation.transpose() * normal;
        cover.add(face as u32, normal, offset);
        Self {
            normal,
            offset: offset + normal.dot(center),
        }
    }

    fn contains<'a>(&self, mut points: impl Iterator<Item = &'a DVec3>) -> bool {
        points.all(|x| self.normal.dot(*x) >= self.offset)
    }
}

impl ConvexWall {
    /// Collects the facets inside the body, each with its minimum.
    pub(super) fn find_facets(&mut self, scene: &Scene, state: &mut WallState) {
        self.corners.clear();
        self.lowest.clear();
        self.facets.clear();
        let reach = scene.body.circumscribed;
        let cover = Cover::default();
        // Facets come in an order in which one face is often in front of several.
        let mut ahead = (0, HalfSpace::EMPTY);
        let see = |image, slot| {
            if image != ahead.0 {
                ahead = (image, HalfSpace::EMPTY);
            }
            let first = self.corners.len();
            let added = self.add_facet(scene, (image, slot), &mut ahead.1, &cover);
            if added.is_none() {
                self.corners.truncate(first);
            }
        };
        (scene.wall).for_each_slot_around(reach, &scene.centers, &cover, state, see);
        self.sort_facets();
        self.facet_table.fill(&self.facets);
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

    /// Adds a facet with its minimum, `None` unless that is inside the body. `ahead` is in front of a face, and
    /// becomes that in front of another one if the facet is there, which is added to the cover.
    fn add_facet(
        &mut self,
        scene: &Scene,
        (image, slot): (u32, u32),
        ahead: &mut HalfSpace,
        cover: &Cover,
    ) -> Option<()> {
        let center = scene.centers[image as usize];
        let first = self.corners.len();
        self.add_corners(slot, center, scene, ahead)?;
        let values = &mut self.corner_values;
        // phi is at least this on the facet.
        let bound = match self.corners[first..] {
            [a, b, c] => scene.body.planes.values_at_corners(&[a, b, c], values),
            ref corners => scene.body.planes.tops(corners, &mut values.tops),
        };
        let bound = match bound {
            Ok(bound) => bound,
            Err(face) => {
                *ahead = HalfSpace::cover(face, scene, center, cover);
                return None;
            }
        };
        // Faces that are lower at all corners are the largest nowhere on the facet.
        let count = self.select_faces(bound - 2.0 * scene.tolerance, scene.body);
        let first_lowest = self.lowest.len();
        let Minimum { phi, is_on_border } = self.add_minimum(first, slot, count, scene)?;
        let normal = scene.rotation * scene.wall.normal_in(slot);
        if normal == DVec3::ZERO {
            return None;
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
            side: 1.0,
            middle,
            radius,
            phi,
            point,
            lowest_radius,
            first_lowest: first_lowest as u32,
            lowest_count: lowest.len() as u32,
            is_on_border,
            is_passed: false,
            contact: 0,
        });
        Some(())
    }

    /// Adds the corners of a facet in the frame of the body, `None` if all are ahead of a face.
    #[inline]
    fn add_corners(
        &mut self,
        slot: u32,
        center: DVec3,
        scene: &Scene,
        ahead: &HalfSpace,
    ) -> Option<()> {
        let (triangle, others) = scene.wall.corners_in(slot);
        if ahead.contains(triangle.into_iter()) && ahead.contains(others.clone()) {
            return None;
        }
        let place = |x: &DVec3| scene.rotation * (x - center);
        for x in triangle {
            self.corners.push(place(x));
        }
        self.corners.extend(others.map(place));
        Some(())
    }

    /// Selects the faces whose values at the corners of a facet are not all below `least`, and returns their number.
    fn select_faces(&mut self, least: f64, body: &Boundary) -> usize {
        let face_count = body.faces.len();
        self.near_faces.resize(face_count, 0);
        // Whether a face may be the highest cannot be predicted: no branch.
        let mut count = 0;
        for (i, top) in (0..face_count).zip(&self.corner_values.tops) {
            self.near_faces[count] = i as u32;
            count += usize::from(*top >= least);
        }
        count
    }

    /// Computes the minimum on a facet, given by its first corner and the number of near faces, and adds the corners of the
    /// set on which it is taken. `None` if the minimum is not inside the body.
    fn add_minimum(
        &mut self,
        first_corner: usize,
        slot: u32,
        count: usize,
        scene: &Scene,
    ) -> Option<Minimum> {
        let corners = &self.corners[first_corner..];
        let near_faces = &self.near_faces[..count];
        if let [a, b, c] = *corners {
            let (faces, values) = (near_faces, &self.corner_values.of);
            let minimum = (self.on_triangle).find([a, b, c], faces, values, scene.tolerance);
            if let Some(minimum) = minimum {
                let is_inside = minimum.phi < -scene.tolerance;
                return is_inside.then(|| {
                    self.lowest.extend_from_slice(&self.on_triangle.lowest);
                    minimum
                });
            }
        }
        let normal = scene.rotation * scene.wall.normal_in(slot);
        if normal == DVec3::ZERO {
            return None;
        }
        let faces = &scene.body.faces;
        let near_faces = near_faces.iter().map(|&i| &faces[i as usize]);
        let chart = Chart::new(corners[0], normal);
        let flat = corners.iter().map(|&x| chart.flat(x));
        self.minimum.set(chart, flat, near_faces);
        // The point of the facet nearest to the center, about.
        let (middle, radius) = around(corners);
        let toward = normal * normal.dot(middle) - middle;
        let start = middle + toward * (radius / toward.length()).min(1.0);
        let phi = self.minimum.find(chart.flat(start), 0.0, scene.tolerance);
        if phi >= -scene.tolerance {
            return None;
        }
        let lowest = self.minimum.lowest.iter().map(|&x| chart.lifted(x));
        self.lowest.extend(lowest);
        Some(Minimum {
            phi,
            is_on_border: self.minimum.is_on_border(scene.tolerance),
        })
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
fn around(points: &[DVec3]) -> (DVec3, f64) {
    if let [point] = *points {
        return (point, 0.0);
    }
    let middle = points.iter().sum::<DVec3>() / points.len() as f64;
    let squares = points.iter().map(|x| x.distance_squared(middle));
    (middle, squares.fold(0.0, larger).sqrt())
}

/// Returns the larger of two numbers, of which the first is not NaN.
fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}
