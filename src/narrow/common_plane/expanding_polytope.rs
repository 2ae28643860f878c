//! A polytope in the Minkowski difference that expands to the point or facet nearest to the origin.
//!
//! G. van den Bergen, "Proximity queries and penetration depth computation on 3D game objects", Game Developers
//! Conference 2001. A polytope inside the Minkowski difference D is expanded at its nearest facet, to the support point
//! along the facet's normal. The distance of that facet is a lower bound of the penetration depth; the support function
//! of D along its normal is an upper bound. The search ends where both agree.
//!
//! Deviation: exact signs decide which facets a point sees. A difference of two vertices has the same bits whenever it
//! is used, so the polytope is the exact hull of a fixed set of points. The facets that a new point sees have one loop
//! of edges around them, no new facet is degenerate, and no point comes twice. So the search ends for any input.
//!
//! The origin may be outside D. Then the nearest point of the polytope gives an upper bound of the gap. Normals
//! at this point give lower bounds, and the polytope expands along them.

use glam::{DVec2, DVec3, Vec3Swizzles};

use super::difference_polytope::DifferencePolytope;
use super::feature_pair::{Plane, across};
use super::support::SupportMap;
use crate::math::tolerance::{EDGE_SINE_SQUARED, GAP_BOUNDS, TIED_GAP, two_to};
use crate::math::{
    Location, accurate_orient3d, closest_on_triangle, cross_of_differences, orient2d, orient3d,
};
use crate::narrow::gjk::{Difference, Simplex};

/// A larger rounded height over a facet has the right sign: 128 u of the size. The normal is off by up to 11 u, and
/// points are up to 2.8 sizes away from each other.
const CLEAR_HEIGHT: f64 = two_to(-46);

/// A larger volume in twofold arithmetic has the right sign: it is off by 2^-104 of products of up to (5.6 sizes)^3.
const CLEAR_VOLUME: f64 = two_to(-90);

/// A triangle whose squared sine is below this has no accurate normal. Twofold products are off by 2^-104.
const SLIVER_SINE_SQUARED: f64 = two_to(-108);

/// A convex polytope, with buffers. It has two equal facets if the Minkowski difference is flat to rounding.
#[derive(Clone, Debug, Default)]
pub(super) struct ExpandingPolytope {
    points: Vec<Difference>,
    facets: Vec<PolytopeFacet>,
    /// The edges around the facets that the last apex sees.
    rim: Vec<[u32; 2]>,
    /// Normals at the nearest point, and support points against them.
    normals: Vec<DVec3>,
    apexes: Vec<Difference>,
    /// A height and a twofold volume above which rounding does not decide.
    clear: f64,
    clear_volume: f64,
}

/// A facet without an accurate normal has NaN in its place: it is never the lowest, and exact signs decide.
#[derive(Clone, Copy, Debug)]
pub(super) struct PolytopeFacet {
    corners: [u32; 3],
    /// The outward unit normal.
    pub(super) normal: DVec3,
    /// From the origin; negative if the origin is outside.
    pub(super) distance: f64,
    /// Whether no point of the difference is beyond it.
    is_final: bool,
}

/// The point of the Minkowski difference nearest to the origin, or of its boundary if the origin is inside.
pub(super) struct NearestPoint {
    /// Contains the point.
    pub(super) simplex: Simplex,
    /// From the first body to the second.
    pub(super) normal: DVec3,
    /// An upper bound of the gap.
    pub(super) gap: f64,
}

impl ExpandingPolytope {
    /// Starts from some points of the difference, one at least, and others along some directions.
    pub(super) fn start(&mut self, frame: &SupportMap, seeds: &[Difference]) {
        self.points.clear();
        self.facets.clear();
        self.clear = frame.size * CLEAR_HEIGHT;
        self.clear_volume = frame.size * frame.size * frame.size * CLEAR_VOLUME;
        let mut volume = match *seeds {
            [a, b, c, d] => orient3d(a.x, b.x, c.x, d.x),
            _ => 0.0,
        };
        if volume != 0.0 {
            self.points.extend(seeds);
        } else {
            volume = self.span(frame, seeds);
        }
        let facets: &[[u32; 3]] = if volume > 0.0 {
            &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
        } else if volume < 0.0 {
            &[[0, 1, 2], [1, 0, 3], [2, 1, 3], [0, 2, 3]]
        } else if self.points.len() == 3 {
            &[[0, 1, 2], [0, 2, 1]]
        } else {
            &[]
        };
        facets.iter().for_each(|corners| self.push(*corners));
    }

    /// Collects up to four points that span a tetrahedron, by exact signs. Returns the sign of its volume.
    #[cold]
    fn span(&mut self, frame: &SupportMap, seeds: &[Difference]) -> f64 {
        let mut volume = 0.0;
        for seed in seeds {
            volume = self.add_if_independent(*seed);
        }
        while self.points.len() < 4 {
            let (first, last) = (self.points[0], self.points[self.points.len() - 1]);
            let along = last.x - first.x;
            let [u, v] = match self.points[..] {
                [a, b, c] => [cross_of_differences([a.x, b.x], [a.x, c.x]), DVec3::X],
                _ => {
                    let aside = along.any_orthogonal_vector();
                    [aside, aside.cross(along)]
                }
            };
            let directions = [u, v, DVec3::X, DVec3::Y, DVec3::Z];
            let mut directions = directions.into_iter().flat_map(|n| [n, -n]);
            let grow = |n| {
                volume = self.add_if_independent(frame.farthest_of_all(n, &first));
                volume != 0.0
            };
            if !directions.any(grow) {
                return 0.0;
            }
        }
        volume
    }

    /// Adds a point, unless it is in the flat through the others. Returns the volume, area or length that it adds, with an exact
    /// sign; 0 for none, or for a fifth point.
    fn add_if_independent(&mut self, point: Difference) -> f64 {
        let x = point.x;
        let measure = match self.points[..] {
            [] => 1.0,
            [a] => f64::from(a.x != x),
            [a, b] => {
                let project: [fn(DVec3) -> DVec2; 3] = [|x| x.xy(), |x| x.yz(), |x| x.xz()];
                let areas = project.map(|to| orient2d(to(a.x), to(b.x), to(x)).abs());
                areas.into_iter().fold(0.0, f64::max)
            }
            [a, b, c] => orient3d(a.x, b.x, c.x, x),
            _ => 0.0,
        };
        if measure != 0.0 {
            self.points.push(point);
        }
        measure
    }

    /// Returns the nearest facet, after expanding the polytope there. Its distance is a lower bound of the depth. `None` if
    /// the difference is a line to rounding.
    pub(super) fn nearest_facet(&mut self, frame: &SupportMap) -> Option<PolytopeFacet> {
        loop {
            let nearest = self.lowest(|_| true)?;
            if self.expand(frame, nearest) {
                return Some(self.facets[nearest]);
            }
        }
    }

    /// Returns the nearest point of the difference, or of its boundary, where several facets or features may be equally
    /// near.
    pub(super) fn nearest_point(&mut self, frame: &SupportMap) -> NearestPoint {
        while let Some(lowest) = self.nearest_facet(frame)
            && lowest.distance >= 0.0
        {
            // Of equally near facets one contains the projection of the origin.
            let (simplex, offset, facet) = self.closest(lowest.distance + frame.size * TIED_GAP);
            if !self.expand(frame, facet) {
                continue;
            }
            let facet = &self.facets[facet];
            // In front of a thin edge the origin is nearer to the planes beside the edge than to their facets.
            let slack = frame.size * GAP_BOUNDS;
            if facet.distance > slack || offset.length() <= 2.0 * slack {
                return NearestPoint {
                    simplex,
                    normal: -facet.normal,
                    gap: -facet.distance,
                };
            }
            break;
        }
        loop {
            // The distances of planes through the origin are rounded.
            let (simplex, offset, _) = self.closest(frame.size * TIED_GAP);
            let gap = offset.length();
            let normal = self.clearest_normal(frame, &simplex, offset);
            // Along the offset, a gap would hide a tilt of the normal.
            let miss = (offset - normal * frame.gap_along(normal)).length();
            if miss <= frame.size * GAP_BOUNDS || !self.insert_apexes() {
                return NearestPoint {
                    simplex,
                    normal,
                    gap,
                };
            }
        }
    }

    /// Returns the point nearest to the origin of the facets up to a distance, with the part of a facet that contains it
    /// and this facet.
    fn closest(&self, most: f64) -> (Simplex, DVec3, usize) {
        let facets = self.facets.iter().enumerate();
        let facets = facets.filter(|(_, facet)| facet.distance <= most);
        let points = facets.map(|(i, facet)| {
            let corners = self.corners(facet);
            let closest = closest_on_triangle(DVec3::ZERO, corners.map(|corner| corner.x));
            (corners, closest, i)
        });
        let nearest =
            points.min_by(|(_, p, _), (_, q, _)| p.distance_squared.total_cmp(&q.distance_squared));
        let Some((corners, closest, facet)) = nearest else {
            // All points of the difference are equal to rounding, or on a line.
            let first = self.points[0];
            return (Simplex::vertex(first), first.x, 0);
        };
        let simplex = match closest.location {
            Location::Interior => Simplex::triangle(corners),
            Location::Edge(i) => Simplex::segment([corners[i], corners[(i + 1) % 3]]),
            Location::Vertex(i) => Simplex::vertex(corners[i]),
        };
        (simplex, closest.offset, facet)
    }

    /// Returns the normal along which the bodies are apart by most of an offset to the nearest point.
    ///
    /// The direction of a short offset d is inaccurate by an angle of about u size / d. At an edge the component of d
    /// along the edge is 0, and facets bound the directions. A normal n with the gap g is the better, the less g n
    /// differs from the offset: then the ends of the gap are the closest points.
    fn clearest_normal(&mut self, frame: &SupportMap, simplex: &Simplex, offset: DVec3) -> DVec3 {
        let Self {
            points,
            facets,
            normals,
            apexes,
            ..
        } = self;
        // Any direction across a line of points that contains the origin.
        let across_line = || {
            let line = points[points.len() - 1].x - points[0].x;
            let line = line.try_normalize();
            line.map_or(DVec3::X, |line| line.any_orthonormal_vector())
        };
        let direction = offset.try_normalize().unwrap_or_else(across_line);
        normals.clear();
        normals.push(direction);
        for facet in facets.iter() {
            let corners = facet.corners.map(|i| points[i as usize]);
            if !simplex.points().iter().all(|point| corners.contains(point)) {
                continue;
            }
            normals.push(-facet.normal);
            for (i, corner) in corners.iter().enumerate() {
                let along = (corners[(i + 1) % 3].x - corner.x).normalize_or_zero();
                if direction.dot(along).abs() < 0.5 {
                    normals.push(across(direction, along).normalize());
                }
            }
        }
        apexes.clear();
        let (mut best, mut least) = (direction, f64::INFINITY);
        for &normal in normals.iter() {
            let apex = frame.farthest_of_all(-normal, &simplex.points()[0]);
            apexes.push(apex);
            let miss = (offset - normal * normal.dot(apex.x)).length_squared();
            if miss < least {
                (best, least) = (normal, miss);
            }
        }
        best
    }

    /// Expands the polytope to the support points at the nearest point. Returns whether one was outside.
    fn insert_apexes(&mut self) -> bool {
        let mut is_larger = false;
        for i in 0..self.apexes.len() {
            let apex = self.apexes[i];
            // Exact signs of a corner over its own facets are slow.
            is_larger |= !self.points.contains(&apex) && self.insert(apex);
        }
        is_larger
    }

    /// Returns a lower bound of the depth of all planes except one. A few expansions outside this plane raise the bound
    /// above `from`, and up to `to` if possible.
    pub(super) fn depth_elsewhere(
        &mut self,
        frame: &SupportMap,
        plane: &Plane,
        [from, to]: [f64; 2],
    ) -> f64 {
        const EXPANSIONS: usize = 12;
        let mut bound = 0.0;
        for _ in 0..EXPANSIONS {
            let is_elsewhere = |facet: &PolytopeFacet| {
                let mut corners = facet.corners.iter();
                corners.any(|&i| !plane.has(self.points[i as usize].x))
            };
            let Some(lowest) = self.lowest(is_elsewhere) else {
                return to;
            };
            bound = self.facets[lowest].distance;
            let is_full = self.facets.len() >= DifferencePolytope::FACETS;
            if bound >= to || is_full && bound > from || self.expand(frame, lowest) {
                break;
            }
        }
        bound
    }

    /// Packs the polytope into its corners, `None` if it is too large.
    pub(super) fn pack(&self) -> Option<DifferencePolytope> {
        DifferencePolytope::new(&self.points, self.facets.iter().map(|facet| facet.corners))
    }

    fn lowest(&self, is_wanted: impl Fn(&PolytopeFacet) -> bool) -> Option<usize> {
        let (mut lowest, mut distance) = (None, f64::INFINITY);
        for (i, facet) in self.facets.iter().enumerate() {
            if facet.distance < distance && is_wanted(facet) {
                (lowest, distance) = (Some(i), facet.distance);
            }
        }
        lowest
    }

    pub(super) fn corners(&self, facet: &PolytopeFacet) -> [Difference; 3] {
        facet.corners.map(|i| self.points[i as usize])
    }

    /// Expands the polytope beyond a facet; returns `true` if no point of the difference is beyond it.
    fn expand(&mut self, frame: &SupportMap, facet: usize) -> bool {
        let PolytopeFacet {
            corners,
            normal,
            distance,
            is_final,
        } = self.facets[facet];
        if is_final {
            return true;
        }
        let apex = frame.farthest_of_all(normal, &self.points[corners[0] as usize]);
        if normal.dot(apex.x) - distance > frame.size * GAP_BOUNDS && self.insert(apex) {
            return false;
        }
        self.facets[facet].is_final = true;
        true
    }

    /// Expands the polytope to a point. Returns whether the point was outside.
    fn insert(&mut self, apex: Difference) -> bool {
        self.remove_visible(apex.x);
        if self.rim.is_empty() {
            return false;
        }
        let top = self.points.len() as u32;
        self.points.push(apex);
        for i in 0..self.rim.len() {
            let [from, to] = self.rim[i];
            self.push([from, to, top]);
        }
        true
    }

    /// Removes the facets that a point sees from outside. Their unshared edges form the rim.
    fn remove_visible(&mut self, apex: DVec3) {
        self.rim.clear();
        let mut i = 0;
        while i < self.facets.len() {
            let facet = &self.facets[i];
            if self.is_beyond(facet, apex) {
                let [a, b, c] = facet.corners;
                for [from, to] in [[a, b], [b, c], [c, a]] {
                    match self.rim.iter().position(|edge| *edge == [to, from]) {
                        Some(twin) => {
                            self.rim.swap_remove(twin);
                        }
                        None => self.rim.push([from, to]),
                    }
                }
                self.facets.swap_remove(i);
            } else {
                i += 1;
            }
        }
    }

    /// Returns whether a point is beyond a facet, by the exact sign.
    #[inline]
    fn is_beyond(&self, facet: &PolytopeFacet, apex: DVec3) -> bool {
        let height = facet.normal.dot(apex) - facet.distance;
        if height < -self.clear {
            return false;
        }
        height > self.clear || self.is_exactly_beyond(facet, apex)
    }

    #[cold]
    #[inline(never)]
    fn is_exactly_beyond(&self, facet: &PolytopeFacet, apex: DVec3) -> bool {
        let [a, b, c] = self.corners(facet).map(|corner| corner.x);
        let volume = accurate_orient3d(a, b, c, apex);
        if volume.abs() > self.clear_volume {
            return volume > 0.0;
        }
        orient3d(a, b, c, apex) > 0.0
    }

    fn push(&mut self, corners: [u32; 3]) {
        let [a, b, c] = corners.map(|i| self.points[i as usize].x);
        let (u, v) = (b - a, c - a);
        let mut cross = u.cross(v);
        let area_squared = u.length_squared() * v.length_squared();
        let mut square = cross.length_squared();
        // An error of the normal along the long sides of a narrow triangle moves its plane.
        if square < EDGE_SINE_SQUARED * area_squared {
            cross = cross_of_differences([a, b], [a, c]);
            square = cross.length_squared();
            if square < SLIVER_SINE_SQUARED * area_squared {
                cross = DVec3::NAN;
            }
        }
        let normal = cross * (1.0 / square.sqrt());
        self.facets.push(PolytopeFacet {
            corners,
            normal,
            distance: normal.dot(a),
            is_final: false,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::workload::SplitMix64;

    /// The distance of a triangle with an angle down to 1e-3 is that of each corner, to rounding. With a plain
    /// cross product it was off by 1000 u, and a depth by more than its error bound.
    #[test]
    fn planes_of_narrow_triangles() {
        let mut random = SplitMix64::new(66);
        for case in 0..1000 {
            let mut vector = || DVec3::from_array([0; 3].map(|_| random.range(-1.0, 1.0)));
            let short = vector() * 10.0_f64.powi(-(case % 4));
            let (a, b) = (vector(), vector());
            let points = [a, b, b + short].map(|x| Difference { x, p: 0, q: 0 });
            let mut polytope = ExpandingPolytope {
                points: points.to_vec(),
                ..ExpandingPolytope::default()
            };
            polytope.push([0, 1, 2]);
            let PolytopeFacet {
                normal, distance, ..
            } = polytope.facets[0];
            let heights = points.map(|point| (normal.dot(point.x) - distance).abs());
            let worst = heights.into_iter().fold(0.0, f64::max);
            assert!(worst < 16.0 * f64::EPSILON, "{worst:e}");
        }
    }
}
