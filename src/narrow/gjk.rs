//! The point of the bodies' difference that is nearest to the origin.
//!
//! E. G. Gilbert, D. W. Johnson, S. S. Keerthi, "A fast procedure for computing the distance
//! between complex objects in three-dimensional space", IEEE Journal of Robotics and Automation 4
//! (1988) 193-203. Deviation: the point is found by signs of volumes and areas, not by Johnson's
//! cofactors, which lose their digits on flat simplices. What it says about features is checked by
//! whoever asks.

use glam::DVec3;

use crate::math::tolerance::TOUCHING;

/// A point of the Minkowski difference of two bodies: a vertex of `q` minus one of `p`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Difference {
    pub(super) x: DVec3,
    pub(super) p: u32,
    pub(super) q: u32,
}

/// One to three differences around the nearest point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Simplex {
    points: [Difference; 3],
    count: usize,
}

/// What the search ended with.
#[derive(Clone, Copy, Debug)]
pub(super) enum Proximity {
    /// All directions but this one aside, the gap is larger than the margin.
    Beyond(f64),
    /// The simplex that the nearest point is in the interior of.
    Apart(Simplex),
    /// A tetrahedron around the origin.
    Around([Difference; 4]),
    /// A simplex that the origin is in, to rounding.
    Touching(Simplex),
}

impl Simplex {
    #[inline]
    pub(super) fn vertex(a: Difference) -> Self {
        Self {
            points: [a; 3],
            count: 1,
        }
    }

    pub(super) fn triangle(points: [Difference; 3]) -> Self {
        Self { points, count: 3 }
    }

    #[inline]
    pub(super) fn points(&self) -> &[Difference] {
        &self.points[..self.count]
    }

    /// The points and the weights with which they add up to the nearest point; not finite for a flat simplex.
    #[inline]
    pub(super) fn weighted(&self) -> impl Iterator<Item = (&Difference, f64)> {
        let [a, b, c] = self.points.map(|point| point.x);
        let parts = match self.count {
            1 => [1.0, 0.0, 0.0],
            2 => [b.dot(b - a), a.dot(a - b), 0.0],
            _ => {
                let normal = (b - a).cross(c - a);
                [b.cross(c), c.cross(a), a.cross(b)].map(|x| normal.dot(x))
            }
        };
        let parts = parts.map(|part| part.max(0.0));
        let sum = parts[0] + parts[1] + parts[2];
        let pairs = self.points().iter().zip(parts);
        pairs.map(move |(point, part)| (point, part / sum))
    }
}

/// Searches from a simplex on, with the point inside of it that is nearest to the origin.
///
/// `size` is that of the bodies. `support` returns the farthest difference in a direction, which may be
/// sought from another one on.
pub(super) fn nearest(
    size: f64,
    mut support: impl FnMut(DVec3, &Difference) -> Difference,
    (mut simplex, mut v): (Simplex, DVec3),
    margin: f64,
) -> Proximity {
    const CAP: usize = 64;
    let touching_squared = (size * TOUCHING) * (size * TOUCHING);
    let mut last = simplex.points[0];
    let mut distance_squared = v.length_squared();
    for _ in 0..CAP {
        if distance_squared <= touching_squared {
            return Proximity::Touching(simplex);
        }
        let next = support(-v, &last);
        let along = v.dot(next.x);
        if along > 0.0 && along * along > margin * margin * distance_squared {
            return Proximity::Beyond(along / distance_squared.sqrt());
        }
        // Nothing is nearer than rounding could make it.
        let gain = (distance_squared - along).max(0.0);
        if gain * gain <= touching_squared * distance_squared {
            return Proximity::Apart(simplex);
        }
        last = next;
        let Some((smaller, nearer)) = simplex.extended(next) else {
            let [a, b, c] = simplex.points;
            return Proximity::Around([a, b, c, next]);
        };
        let nearer_squared = nearer.length_squared();
        // Without progress rounding has taken over.
        if nearer_squared >= distance_squared {
            return Proximity::Apart(simplex);
        }
        (simplex, v, distance_squared) = (smaller, nearer, nearer_squared);
    }
    Proximity::Apart(simplex)
}

impl Simplex {
    /// The part of this simplex and a new point that the point nearest to the origin is inside of,
    /// and that point; `None` if the origin is inside the tetrahedron. As the new point is beyond
    /// this simplex, it is always one of the part.
    #[inline(always)]
    fn extended(&self, a: Difference) -> Option<(Self, DVec3)> {
        let [b, c, d] = self.points;
        Some(match self.count {
            1 => on_segment(a, b),
            2 => on_triangle(a, b, c, (b.x - a.x).cross(c.x - a.x)),
            _ => return on_tetrahedron(a, [b, c, d]),
        })
    }
}

#[inline]
fn on_segment(a: Difference, b: Difference) -> (Simplex, DVec3) {
    let ab = b.x - a.x;
    let along = -a.x.dot(ab);
    if along <= 0.0 {
        return (Simplex::vertex(a), a.x);
    }
    let nearest = a.x + ab * (along / ab.length_squared());
    let simplex = Simplex {
        points: [a, b, b],
        count: 2,
    };
    (simplex, nearest)
}

/// With the normal `ab x ac`.
#[inline]
fn on_triangle(a: Difference, b: Difference, c: Difference, normal: DVec3) -> (Simplex, DVec3) {
    let (ab, ac) = (b.x - a.x, c.x - a.x);
    // Across a side through `a` the origin is beyond one of the lines at most where its foot is
    // not `a` itself.
    if ab.cross(normal).dot(a.x) <= 0.0 && a.x.dot(ab) < 0.0 {
        return on_segment(a, b);
    }
    if normal.cross(ac).dot(a.x) <= 0.0 {
        return on_segment(a, c);
    }
    if ab.cross(normal).dot(a.x) <= 0.0 {
        return (Simplex::vertex(a), a.x);
    }
    let nearest = normal * (normal.dot(a.x) / normal.length_squared());
    (Simplex::triangle([a, b, c]), nearest)
}

fn on_tetrahedron(a: Difference, [b, c, d]: [Difference; 3]) -> Option<(Simplex, DVec3)> {
    let [ab, ac, ad] = [b, c, d].map(|point| point.x - a.x);
    let normals = [ab.cross(ac), ac.cross(ad), ad.cross(ab)];
    let volume = normals[0].dot(ad);
    let mut nearest: Option<(f64, (Simplex, DVec3))> = None;
    for (normal, [x, y]) in normals.into_iter().zip([[b, c], [c, d], [d, b]]) {
        // The origin is not on the side of the fourth corner.
        if normal.dot(a.x) * volume >= 0.0 {
            let part = on_triangle(a, x, y, normal);
            let distance_squared = part.1.length_squared();
            if nearest.is_none_or(|(least, _)| distance_squared < least) {
                nearest = Some((distance_squared, part));
            }
        }
    }
    nearest.map(|(_, part)| part)
}
