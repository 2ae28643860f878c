//! Convex hulls in space by exact orientation signs.
//!
//! Quickhull: C. B. Barber, D. P. Dobkin, H. Huhdanpaa, "The quickhull algorithm for convex
//! hulls", ACM Transactions on Mathematical Software 22 (1996) 469-483. Deviations: a point is
//! outside a face by an exact sign, so no face is ever merged or flipped on the way; faces are
//! merged at the end where they are coplanar to within the rounding of the coordinates.

use glam::DVec3;

use super::{ConvexPolyhedron, SurfaceMesh};
use crate::error::{Error, Result};
use crate::math::{check_positions, cross_of_differences, orient3d};

/// The smallest convex polyhedron around points. O(n log n) for most inputs.
///
/// Its vertices are extreme points in their given order. Faces that are coplanar to within a few
/// roundings of the largest coordinate are one face; points amid a face or edge are left out.
///
/// # Errors
/// [`Error::Coordinate`], [`Error::TooMany`], [`Error::Flat`] if the points lie in a plane, or so
/// close to one that rounding of their coordinates could put them there.
///
/// ```
/// use osculate::{convex_hull, glam::DVec3};
///
/// let grid = (0..27).map(|i| DVec3::new((i % 3).into(), (i / 3 % 3).into(), (i / 9).into()));
/// let cube = convex_hull(&grid.collect::<Vec<_>>())?;
/// assert_eq!((cube.vertices().len(), cube.surface().facet_count()), (8, 6));
/// assert_eq!(cube.volume(), 8.0);
/// # Ok::<(), osculate::Error>(())
/// ```
pub fn convex_hull(points: &[DVec3]) -> Result<ConvexPolyhedron> {
    check_positions(points)?;
    let largest = points
        .iter()
        .fold(0.0, |max: f64, p| max.max(p.abs().max_element()));
    let rounding = largest * f64::from_bits((1023 - 49) << 52);
    let mut hull = Hull::simplex(points, rounding)?;
    while let Some(face) = hull.pending.pop() {
        if !hull.add_farthest_of(face) {
            return Err(hull.flat());
        }
    }
    // Merging can fail where rounding and details of the shape are of one size: then less, or none,
    // and if triangles are left that have no area to speak of, more.
    let tolerances = [Some(rounding), Some(0.0), None, Some(64.0 * rounding)];
    let polyhedron = tolerances
        .into_iter()
        .find_map(|tolerance| hull.merged(tolerance));
    polyhedron.ok_or_else(|| hull.flat())
}

/// A triangulated hull that grows point by point.
struct Hull<'a> {
    points: &'a [DVec3],
    faces: Vec<Face>,
    /// Faces that had points outside when they were pushed.
    pending: Vec<usize>,
    first_face: [usize; 3],
    /// Scratch: for a vertex on the horizon, the new face whose side along it starts there.
    face_from: Vec<usize>,
}

struct Face {
    /// Counter-clockwise seen from outside.
    vertices: [usize; 3],
    /// The face across the side from `vertices[i]` to the next.
    neighbours: [usize; 3],
    /// Points not yet part of the hull that see this face.
    outside: Vec<usize>,
    is_alive: bool,
}

impl<'a> Hull<'a> {
    /// A tetrahedron of four points that are far apart, by more than `rounding` in each direction.
    fn simplex(points: &'a [DVec3], rounding: f64) -> Result<Self> {
        let farthest = |measure: &dyn Fn(DVec3) -> f64| {
            let values = points.iter().map(|&p| measure(p)).enumerate();
            values.fold(
                (0, 0.0),
                |best, next| if next.1 > best.1 { next } else { best },
            )
        };
        let Some(&first) = points.first() else {
            return Err(Error::Flat {
                count: 0,
                points: [0; 3],
            });
        };
        let (a, _) = farthest(&|p| p.distance_squared(first));
        let pa = points[a];
        let (b, _) = farthest(&|p| p.distance_squared(pa));
        let pb = points[b];
        let (c, area_squared) =
            farthest(&|p| cross_of_differences([pa, pb], [pa, p]).length_squared());
        let pc = points[c];
        let (d, volume) = farthest(&|p| orient3d(pa, pb, pc, p).abs());
        let (length, area) = (pa.distance(pb), area_squared.sqrt());
        if area <= rounding * length || volume <= rounding * area {
            return Err(Error::Flat {
                count: points.len(),
                points: [a, b, c],
            });
        }
        let (b, c) = if orient3d(pa, pb, pc, points[d]) < 0.0 {
            (b, c)
        } else {
            (c, b)
        };
        let face = |vertices, neighbours| Face {
            vertices,
            neighbours,
            outside: Vec::new(),
            is_alive: true,
        };
        let mut hull = Self {
            points,
            faces: vec![
                face([a, b, c], [1, 2, 3]),
                face([b, a, d], [0, 3, 2]),
                face([c, b, d], [0, 1, 3]),
                face([a, c, d], [0, 2, 1]),
            ],
            pending: Vec::new(),
            first_face: [a, b, c],
            face_from: vec![0; points.len()],
        };
        hull.assign_outside(0..points.len(), 0);
        Ok(hull)
    }

    /// How far, in the unit of the face's double area, a point is outside a face; the sign exact.
    fn height(&self, face: usize, point: usize) -> f64 {
        let [a, b, c] = self.faces[face].vertices.map(|v| self.points[v]);
        orient3d(a, b, c, self.points[point])
    }

    /// Hands each candidate to one of the faces from `first_face` on that it sees.
    ///
    /// A point that saw a face which is gone, and is still outside, sees one of the faces that
    /// replaced it: the segment from that old face to the point leaves the hull above the old
    /// face's plane, where only new faces are.
    fn assign_outside(&mut self, candidates: impl IntoIterator<Item = usize>, first_face: usize) {
        for point in candidates {
            let faces = first_face..self.faces.len();
            if let Some(face) = faces.into_iter().find(|&f| self.height(f, point) > 0.0) {
                self.faces[face].outside.push(point);
            }
        }
        let faces = first_face..self.faces.len();
        self.pending
            .extend(faces.filter(|&f| !self.faces[f].outside.is_empty()));
    }

    fn flat(&self) -> Error {
        Error::Flat {
            count: self.points.len(),
            points: self.first_face,
        }
    }

    /// Replaces all faces that the farthest point outside `face` sees by a fan to that point.
    /// `false` if that cannot be, because coordinates so small that their products underflow have
    /// made the signs contradict each other.
    fn add_farthest_of(&mut self, face: usize) -> bool {
        if !self.faces[face].is_alive {
            return true;
        }
        let heights = self.faces[face]
            .outside
            .iter()
            .map(|&p| (self.height(face, p), p));
        let Some((_, apex)) =
            heights.reduce(|best, next| if next.0 > best.0 { next } else { best })
        else {
            return true;
        };

        let mut visible = vec![face];
        self.faces[face].is_alive = false;
        let mut horizon = Vec::new();
        let mut next = 0;
        while next < visible.len() {
            let from = visible[next];
            next += 1;
            for side in 0..3 {
                let across = self.faces[from].neighbours[side];
                if !self.faces[across].is_alive {
                    continue;
                }
                if self.height(across, apex) > 0.0 {
                    self.faces[across].is_alive = false;
                    visible.push(across);
                } else {
                    let ends = [side, (side + 1) % 3].map(|i| self.faces[from].vertices[i]);
                    horizon.push((ends, across));
                }
            }
        }

        let first_new = self.faces.len();
        for (i, &([a, _], _)) in horizon.iter().enumerate() {
            self.face_from[a] = first_new + i;
        }
        let is_loop = horizon.iter().enumerate().all(|(i, &([a, b], _))| {
            self.face_from[a] == first_new + i && self.face_from[b] >= first_new
        });
        if !is_loop {
            return false;
        }
        for (i, &([a, b], across)) in horizon.iter().enumerate() {
            let new = first_new + i;
            let after = self.face_from[b];
            self.faces.push(Face {
                vertices: [a, b, apex],
                neighbours: [across, after, usize::MAX],
                outside: Vec::new(),
                is_alive: true,
            });
            let outer = &mut self.faces[across];
            let side = (0..3).find(|&side| outer.vertices[side] == b);
            outer.neighbours[side.unwrap_or(0)] = new;
        }
        for i in 0..horizon.len() {
            let after = self.faces[first_new + i].neighbours[1];
            self.faces[after].neighbours[2] = first_new + i;
        }
        let mut candidates = Vec::new();
        for face in visible {
            candidates.append(&mut self.faces[face].outside);
        }
        self.assign_outside(candidates, first_new);
        true
    }

    /// The hull with faces merged whose corners are all within `tolerance` of the plane of the
    /// largest of them, or with no tolerance the triangles as they are. `None` if that leaves no
    /// polyhedron.
    fn merged(&self, tolerance: Option<f64>) -> Option<ConvexPolyhedron> {
        let group_of = match tolerance {
            Some(tolerance) => self.coplanar_groups(tolerance),
            None => (0..self.faces.len()).collect(),
        };
        let alive = || (0..self.faces.len()).filter(|&f| self.faces[f].is_alive);

        // A corner of the hull has at least three faces; others are amid an edge or a face.
        let mut corners: Vec<_> = alive()
            .flat_map(|f| self.faces[f].vertices.map(|v| (v, group_of[f])))
            .collect();
        corners.sort_unstable();
        corners.dedup();
        let kept: Vec<usize> = corners
            .chunk_by(|x, y| x.0 == y.0)
            .filter(|groups| groups.len() >= 3)
            .map(|groups| groups[0].0)
            .collect();

        // The boundary of each group, sorted by group and start.
        let mut boundary = Vec::new();
        for face in alive() {
            let Face {
                vertices,
                neighbours,
                ..
            } = &self.faces[face];
            for side in 0..3 {
                if group_of[neighbours[side]] != group_of[face] {
                    boundary.push((group_of[face], vertices[side], vertices[(side + 1) % 3]));
                }
            }
        }
        boundary.sort_unstable();
        let mut polygons = Vec::new();
        for sides in boundary.chunk_by(|x, y| x.0 == y.0) {
            let mut polygon: Vec<u32> = Vec::new();
            let mut vertex = sides[0].1;
            for _ in sides {
                if let Ok(id) = kept.binary_search(&vertex) {
                    polygon.push(id as u32);
                }
                let side = sides.binary_search_by_key(&vertex, |side| side.1).ok()?;
                vertex = sides[side].2;
            }
            polygons.push(polygon);
        }
        let vertices = kept.iter().map(|&v| self.points[v]).collect();
        let surface = SurfaceMesh::new(vertices, polygons).ok()?;
        match tolerance {
            Some(_) => surface.try_into().ok(),
            // Convex by exact signs.
            None => ConvexPolyhedron::of_convex(surface).ok(),
        }
    }

    /// For each face that is alive, the face whose plane it is merged into; large ones first.
    fn coplanar_groups(&self, tolerance: f64) -> Vec<usize> {
        let cross = |face: usize| {
            let [a, b, c] = self.faces[face].vertices.map(|v| self.points[v]);
            cross_of_differences([a, b], [a, c])
        };
        let mut seeds: Vec<_> = (0..self.faces.len())
            .filter(|&f| self.faces[f].is_alive)
            .map(|f| (cross(f).length_squared(), f))
            .collect();
        seeds.sort_unstable_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
        let mut group_of = vec![usize::MAX; self.faces.len()];
        for (length_squared, seed) in seeds {
            if group_of[seed] != usize::MAX {
                continue;
            }
            let origin = self.points[self.faces[seed].vertices[0]];
            let normal = cross(seed) / length_squared.sqrt();
            let is_in_plane = |vertex: usize| {
                normal.dot(self.points[vertex] - origin).abs() <= tolerance
                    || self.height(seed, vertex) == 0.0
            };
            group_of[seed] = seed;
            let mut members = vec![seed];
            while let Some(face) = members.pop() {
                for next in self.faces[face].neighbours {
                    if group_of[next] == usize::MAX
                        && self.faces[next].vertices.into_iter().all(is_in_plane)
                    {
                        group_of[next] = seed;
                        members.push(next);
                    }
                }
            }
        }
        group_of
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pose3;
    use glam::DQuat;

    fn lattice(size: usize) -> Vec<DVec3> {
        let coordinate = |i: usize| (i % size) as f64;
        (0..size.pow(3))
            .map(|i| {
                DVec3::new(
                    coordinate(i),
                    coordinate(i / size),
                    coordinate(i / size / size),
                )
            })
            .collect()
    }

    #[test]
    fn points_in_a_plane_have_no_hull() {
        for count in 0..3 {
            assert!(convex_hull(&vec![DVec3::ONE; count]).is_err());
        }
        let flat: Vec<_> = lattice(4)
            .iter()
            .map(|p| DVec3::new(p.x, p.y, p.x - 2.0 * p.y))
            .collect();
        let Err(Error::Flat { count: 64, points }) = convex_hull(&flat) else {
            panic!("a flat hull");
        };
        let [a, b, c] = points.map(|i| flat[i]);
        assert!((b - a).cross(c - a).length() > 0.0);
        let mut bad = flat;
        bad[3].y = f64::NAN;
        assert!(matches!(
            convex_hull(&bad),
            Err(Error::Coordinate {
                index: 3,
                axis: 1,
                ..
            })
        ));
    }

    #[test]
    fn cube_of_a_lattice_turned_anyhow() {
        for turn in [
            DQuat::IDENTITY,
            DQuat::from_xyzw(0.1, 0.2, 0.3, 0.9),
            DQuat::from_xyzw(-0.7, 0.02, 0.5, 0.1),
        ] {
            let pose = Pose3::normalizing(turn, DVec3::new(1e3, -7.0, 0.3)).unwrap();
            let points: Vec<_> = lattice(6).iter().map(|&p| pose.point(p)).collect();
            let cube = convex_hull(&points).unwrap();
            assert_eq!(cube.vertices().len(), 8);
            assert_eq!(cube.surface().facet_count(), 6);
            assert!((cube.volume() - 125.0).abs() < 1e-9);
        }
    }

    /// A Fibonacci sphere: every point is extreme, and all are inside or on every face's plane.
    #[test]
    fn sphere() {
        let golden_angle = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
        let points: Vec<_> = (0..2000)
            .map(|i| {
                let z = 1.0 - (2.0 * f64::from(i) + 1.0) / 2000.0;
                let (sin, cos) = (golden_angle * f64::from(i)).sin_cos();
                let r = (1.0 - z * z).sqrt();
                DVec3::new(r * cos, r * sin, z)
            })
            .collect();
        let hull = convex_hull(&points).unwrap();
        assert_eq!(hull.vertices(), points);
        assert_eq!(hull.surface().facet_count(), 2 * 2000 - 4);
        for facet in hull.surface().facets().step_by(37) {
            let [a, b, c] = [0, 1, 2].map(|i| points[facet.vertices()[i] as usize]);
            assert!(points.iter().all(|&p| orient3d(a, b, c, p) <= 0.0));
        }
    }

    /// As thin as one ulp: exact signs still find the hull, or it is refused as flat.
    #[test]
    fn almost_flat() {
        let mut points = lattice(3);
        for p in &mut points {
            p.z = if p.z == 1.0 { 1.0_f64.next_up() } else { 1.0 };
        }
        assert!(matches!(convex_hull(&points), Err(Error::Flat { .. })));
        for p in &mut points {
            p.z = if p.z == 1.0 { 1.0 } else { 1.0 + 1e-6 };
        }
        assert_eq!(convex_hull(&points).unwrap().surface().facet_count(), 6);
    }
}
