//! The side of each connected part of a wall, by a search for places that the center of the body sees.

use osculate::glam::DVec3;
use osculate::math::closest_on_polygon;

use super::{Face, Facet, Point, Wide, cross, dot, minimum, phi, scaled, sub, sum, vector};

/// Returns 1 or -1 for each triangle: the side from which a center sees its part, at the nearest visible triangle.
/// Among equally near ones, the triangle that faces the center most decides. Parts with a single side keep the side of
/// each plane.
pub(super) fn sides_of_parts(facets: &[Facet], center: Wide, faces: &[Face]) -> Vec<i128> {
    let mut parts: Vec<Option<(usize, i128)>> = vec![None; facets.len()];
    let own: Vec<i128> = facets.iter().map(|facet| facet.side_of(center)).collect();
    let mut sides = own.clone();
    for first in 0..facets.len() {
        if parts[first].is_some() {
            continue;
        }
        parts[first] = Some((first, 1));
        let (mut part, mut next, mut has_two_sides) = (vec![first], 0, true);
        while let Some(&i) = part.get(next) {
            next += 1;
            let front = parts[i].map_or(1, |(_, front)| front);
            for j in (0..facets.len()).filter(|&j| j != i) {
                match (facets[i].front_of(&facets[j], faces), parts[j]) {
                    (0, _) => (),
                    (turn, Some((_, other))) => has_two_sides &= other == front * turn,
                    (turn, None) => {
                        parts[j] = Some((first, front * turn));
                        part.push(j);
                    }
                }
            }
        }
        let front = |i: usize| parts[i].map_or(1, |(_, front)| front);
        let is_seen = |&&i: &&usize| {
            let is_clear = |place: &Point| {
                let others = part.iter().filter(|&&j| j != i);
                !{ others }.any(|&j| facets[j].is_between(center, place))
            };
            facets[i].places(faces).iter().any(is_clear)
        };
        let seen = part.iter().filter(is_seen);
        let view = |&i: &usize| facets[i].view(center, faces);
        let nearest = seen.min_by(|i, j| {
            let ([near, height], [other, other_height]) = (view(i), view(j));
            let by_distance = (near as f32).total_cmp(&(other as f32));
            by_distance.then(other_height.total_cmp(&height))
        });
        if let (true, Some(&i)) = (has_two_sides, nearest) {
            part.iter()
                .for_each(|&j| sides[j] = own[i] * front(i) * front(j));
        }
    }
    sides
}

impl Facet {
    /// Returns whether a center is in front, 1, or behind, -1.
    fn side_of(&self, center: Wide) -> i128 {
        dot(self.normal, sub(center, self.corners[0])).signum()
    }

    /// Returns 1 if the front goes on over a common edge, -1 if the back does, and 0 without an edge in the body.
    fn front_of(&self, other: &Self, faces: &[Face]) -> i128 {
        let sides =
            |facet: &Self| [0, 1, 2].map(|i| [facet.corners[i], facet.corners[(i + 1) % 3]]);
        for [from, to] in sides(self) {
            let is_it = |&side: &[Wide; 2]| side == [from, to] || side == [to, from];
            if let Some(side) = sides(other).into_iter().find(is_it) {
                let is_inside = minimum(&[from, to], faces).0.0 < 0;
                return match is_inside {
                    true if side == [to, from] => 1,
                    true => -1,
                    false => 0,
                };
            }
        }
        0
    }

    /// Returns points inside the triangle and the body.
    fn places(&self, faces: &[Face]) -> Vec<Point> {
        let middle = self.corners.into_iter().fold([0; 3], sum);
        let places = (1..8).map(|k| {
            let Point { x, w } = self.point;
            let x = sum(scaled(x, 3 * ((1 << k) - 1)), scaled(middle, w));
            Point { x, w: (3 * w) << k }
        });
        places.filter(|place| phi(place, faces).0 < 0).collect()
    }

    /// Returns the distance of the part inside the body and of the plane from a center, to rounding.
    fn view(&self, center: Wide, faces: &[Face]) -> [f64; 2] {
        let mut inside = self.corners.map(vector).to_vec();
        for face in faces {
            let depth = |x: DVec3| face.offset as f64 - vector(face.normal).dot(x);
            cut(&mut inside, depth);
        }
        let closest = closest_on_polygon(vector(center), &inside);
        let height = vector(self.normal)
            .normalize()
            .dot(vector(sub(center, self.corners[0])));
        [closest.distance_squared.sqrt(), height.abs()]
    }

    /// Returns whether a segment from a center to a point of another triangle meets this one.
    fn is_between(&self, center: Wide, place: &Point) -> bool {
        let height = place
            .height(self.normal, dot(self.normal, self.corners[0]))
            .0;
        let turns = [0, 1, 2].map(|i| {
            let [from, to] = [self.corners[i], self.corners[(i + 1) % 3]].map(|x| sub(x, center));
            let normal = cross(from, to);
            place.height(normal, dot(normal, center)).0
        });
        height.signum() != self.side_of(center)
            && (turns.iter().all(|&turn| turn >= 0) || turns.iter().all(|&turn| turn <= 0))
    }
}

/// Keeps the part of a convex polygon with a height of at least 0.
fn cut(polygon: &mut Vec<DVec3>, height: impl Fn(DVec3) -> f64) {
    if polygon.iter().all(|&x| height(x) >= 0.0) {
        return;
    }
    let uncut = std::mem::take(polygon);
    let (mut from, mut here) = (uncut[0], height(uncut[0]));
    for &to in uncut[1..].iter().chain([&uncut[0]]) {
        let there = height(to);
        if here >= 0.0 {
            polygon.push(from);
        }
        if here * there < 0.0 {
            polygon.push(from + (to - from) * (here / (here - there)));
        }
        (from, here) = (to, there);
    }
}
