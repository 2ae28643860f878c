//! Where two bodies meet along a common plane: the patch of their features, the plane's section.

use glam::DVec3;
use smallvec::SmallVec;

use super::frame::{CLOSED, Frame};
use crate::shape::Boundary;

/// Points around a convex region.
type Outline = SmallVec<[DVec3; 32]>;

/// A convex polygon of the common plane; two points or one where that is all.
#[derive(Clone, Debug)]
pub(super) struct Patch {
    pub(super) points: Outline,
    normal: DVec3,
}

/// The part of a body that is within some thickness of its extreme point: a face, an edge or a
/// vertex, with the planes through its sides.
struct Support {
    outline: Outline,
    bounds: SmallVec<[(DVec3, f64); 16]>,
}

impl Patch {
    /// Of features that are extreme to rounding.
    pub(super) fn of(frame: &Frame, normal: DVec3, gap: f64) -> Self {
        Self::within(frame, normal, gap, frame.size * (16.0 * CLOSED))
    }

    /// Of features all of whose vertices are within `thickness` of the extreme one.
    pub(super) fn within(frame: &Frame, normal: DVec3, gap: f64, thickness: f64) -> Self {
        let p = Support::of(frame.p, normal, thickness);
        let mut q = Support::of(frame.q, -frame.motion.inverse_vector(normal), thickness);
        for x in &mut q.outline {
            *x = frame.motion.point(*x);
        }
        for (bound, offset) in &mut q.bounds {
            *bound = frame.motion.vector(*bound);
            *offset += bound.dot(frame.centers());
        }
        let extreme = p
            .outline
            .iter()
            .map(|x| normal.dot(*x))
            .fold(f64::NEG_INFINITY, f64::max);
        // The one with fewer corners is cut; a vertex by nothing.
        let (mut points, cutter) = match p.outline.len() <= q.outline.len() {
            true => (p.outline, q.bounds),
            false => (q.outline, p.bounds),
        };
        if points.len() > 1 {
            let uncut = points.clone();
            for (bound, offset) in cutter {
                cut(&mut points, bound, offset);
            }
            if points.is_empty() {
                points = uncut;
            }
        }
        let level = extreme + 0.5 * gap;
        for x in &mut points {
            *x += normal * (level - normal.dot(*x));
        }
        Self { points, normal }
    }

    /// Where a plane through a point cuts both bodies.
    pub(super) fn section(frame: &Frame, normal: DVec3, through: DVec3) -> Self {
        let across = normal.any_orthonormal_vector() * (4.0 * frame.size);
        let along = normal.cross(across);
        let corners = [
            across + along,
            along - across,
            -across - along,
            across - along,
        ];
        let mut points: Outline = corners.iter().map(|&c| through + c).collect();
        for face in &frame.p.faces {
            cut(&mut points, face.normal, face.offset);
        }
        for face in &frame.q.faces {
            let outward = frame.motion.vector(face.normal);
            cut(
                &mut points,
                outward,
                face.offset + outward.dot(frame.centers()),
            );
        }
        Self { points, normal }
    }

    pub(super) fn area(&self) -> f64 {
        self.fan().map(|(double, _)| 0.5 * double).sum()
    }

    /// Its centroid: of the area, or of the points where there is none to speak of.
    pub(super) fn middle(&self) -> DVec3 {
        let Some(&first) = self.points.first() else {
            return DVec3::ZERO;
        };
        let (mut area, mut moment) = (0.0, DVec3::ZERO);
        for (double, thirds) in self.fan() {
            area += double;
            moment += thirds * double;
        }
        let from_first = |x: &DVec3| *x - first;
        let spread = self
            .points
            .iter()
            .map(from_first)
            .fold(0.0, |far: f64, x| far.max(x.length_squared()));
        let mean = || self.points.iter().map(from_first).sum::<DVec3>() / self.points.len() as f64;
        first
            + if area > spread * CLOSED {
                moment / area
            } else {
                mean()
            }
    }

    /// Triangles from the first point: twice their areas, and their centroids from there.
    fn fan(&self) -> impl Iterator<Item = (f64, DVec3)> {
        let first = self.points.first().copied().unwrap_or_default();
        let pairs = self.points.windows(2).skip(1);
        pairs.map(move |pair| {
            let (u, v) = (pair[0] - first, pair[1] - first);
            (self.normal.dot(u.cross(v)).abs(), (u + v) / 3.0)
        })
    }
}

impl Support {
    fn of(body: &Boundary, normal: DVec3, thickness: f64) -> Self {
        let position = |id: u32| body.vertices[id as usize];
        let top = body.farthest(normal, 0);
        let limit = normal.dot(position(top)) - thickness;
        let spokes = body.spokes(top);
        let flattest = spokes
            .iter()
            .flat_map(|spoke| body.edges[spoke.edge as usize].faces)
            .map(|face| &body.faces[face as usize])
            .max_by(|f, g| f.normal.dot(normal).total_cmp(&g.normal.dot(normal)));
        if let Some(face) = flattest {
            let sides = body.sides(face);
            if sides
                .iter()
                .all(|side| normal.dot(position(side.corner)) >= limit)
            {
                return Self {
                    outline: sides.iter().map(|side| position(side.corner)).collect(),
                    bounds: sides
                        .iter()
                        .map(|side| (side.normal, side.offset))
                        .collect(),
                };
            }
        }
        let level = spokes
            .iter()
            .max_by(|s, t| normal.dot(s.along).total_cmp(&normal.dot(t.along)))
            .filter(|spoke| normal.dot(position(spoke.vertex)) >= limit);
        match level {
            Some(spoke) => {
                let (a, b) = (position(top), position(spoke.vertex));
                let along = spoke.along;
                Self {
                    outline: [a, b].into_iter().collect(),
                    bounds: [(along, along.dot(b)), (-along, -along.dot(a))]
                        .into_iter()
                        .collect(),
                }
            }
            None => Self {
                outline: [position(top)].into_iter().collect(),
                bounds: SmallVec::new(),
            },
        }
    }
}

/// Keeps of a convex outline what has `normal . x <= offset`.
fn cut(outline: &mut Outline, normal: DVec3, offset: f64) {
    let height = |x: DVec3| normal.dot(x) - offset;
    let all: Outline = std::mem::take(outline);
    for (i, &to) in all.iter().enumerate() {
        let from = all[(i + all.len() - 1) % all.len()];
        let (before, here) = (height(from), height(to));
        if (before > 0.0) != (here > 0.0) {
            outline.push(from + (to - from) * (before / (before - here)));
        }
        if here <= 0.0 {
            outline.push(to);
        }
    }
}
