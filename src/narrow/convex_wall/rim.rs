//! Contact points along the rims of a wall whose facets are seen edge-on.
//!
//! Let n be the normal of the contact. A side of a facet is part of a rim if the facet lies behind it along n,
//! and no other facet lies before it. Straight runs of such sides inside the body carry a bed along n: the
//! depth d, from the rim to the surface of the body, is concave and piecewise linear along a run. A piece of
//! length L (seen along n) from p to q has hat functions with the integrals L / 2 and the centroids
//! (2 p + q) / 3 and (p + 2 q) / 3. So the loads L d / 2 add up to the integral of d.

use glam::DVec3;
use smallvec::SmallVec;

use super::sheet::{NONE, common_segment};
use super::{ConvexWall, NEAR, NearFacet, Scene};
use crate::math::direction;
use crate::math::tolerance::STEEP_FACE;
use crate::narrow::elastic_bed::{BedNode, PointFeature};
use crate::shape::Boundary;

/// Buffers of the search.
#[derive(Clone, Debug, Default)]
pub(super) struct Rims {
    runs: Vec<[End; 2]>,
    depths: Depths,
}

/// The depths of the ends of a run below the plane of each face of the body, between which they are linear;
/// `None` for faces away from the wall.
#[derive(Clone, Debug, Default)]
struct Depths(Vec<Option<[f64; 2]>>);

/// An end of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub(super) at: DVec3,
    /// The face through which it leaves the body, `None` inside.
    face: Option<u32>,
}

/// A node of the bed of a run.
#[derive(Clone, Copy, Debug)]
struct Node {
    at: DVec3,
    depth: f64,
    feature: PointFeature,
}

impl ConvexWall {
    /// Computes the bed of a contact at a rim, along its normal. Areas are lengths.
    pub(super) fn rim_bed(&mut self, contact: usize, scene: &Scene) {
        let normal = self.contacts[contact].normal;
        let mut runs = std::mem::take(&mut self.rims.runs);
        runs.clear();
        for i in self.contact_facets.of(contact) {
            self.add_runs(i, &self.facets[i], normal, scene, &mut runs);
        }
        merge(&mut runs, NEAR * scene.tolerance);
        self.bed.bed.clear();
        for &run in &runs {
            self.add_line(run, normal, scene);
        }
        self.rims.runs = runs;
    }

    /// Adds the sides of a facet that are part of a rim, each as far as it is inside the body.
    fn add_runs(
        &self,
        index: usize,
        facet: &NearFacet,
        normal: DVec3,
        scene: &Scene,
        runs: &mut Vec<[End; 2]>,
    ) {
        let corners = self.corners_of(facet);
        for (k, &from) in corners.iter().enumerate() {
            let to = corners[if k + 1 == corners.len() { 0 } else { k + 1 }];
            let inward = facet.normal.cross(to - from);
            if inward.dot(normal) <= STEEP_FACE * from.distance(to) {
                continue;
            }
            let Some(inside) = inside([from, to], scene) else {
                continue;
            };
            let mut left: SmallVec<[[End; 2]; 8]> = SmallVec::from_elem(inside, 1);
            self.any_nearby(index, (facet.middle, facet.radius), scene, |j, other| {
                for run in std::mem::take(&mut left) {
                    match self.hidden(run, (index, j), other, normal, scene) {
                        Some(part) => left.extend(without(run, part, NEAR * scene.tolerance)),
                        None => left.push(run),
                    }
                }
                left.is_empty()
            });
            runs.extend(left);
        }
    }

    /// Returns the part of a run that another facet hides: it lies before the line of the run, or it is the one
    /// with the lower index of two behind it that belong to the contact.
    fn hidden(
        &self,
        run: [End; 2],
        (index, other_index): (usize, usize),
        other: &NearFacet,
        normal: DVec3,
        scene: &Scene,
    ) -> Option<[DVec3; 2]> {
        let corners = self.corners_of(other);
        let part = common_segment(&run.map(|end| end.at), corners, scene)?;
        let along = run[1].at - run[0].at;
        let behind = normal * along.length_squared() - along * along.dot(normal);
        let behind = direction(behind, behind.length())?;
        let slack = NEAR * scene.tolerance;
        let heights = corners.iter().map(|x| behind.dot(*x - run[0].at));
        let (low, high) = heights
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), height| {
                (height.min(low), height.max(high))
            });
        let is_before = low < -slack || high <= slack;
        let is_repeated = other_index < index && other.contact == self.facets[index].contact;
        (is_before || is_repeated).then_some(part)
    }

    /// Adds the bed of a run.
    fn add_line(&mut self, run: [End; 2], normal: DVec3, scene: &Scene) {
        let [from, to] = run.map(|end| end.at);
        let [first, last] = run.map(|end| self.name(end, scene));
        let mut depths = std::mem::take(&mut self.rims.depths);
        depths.set(scene.body, [from, to], normal);
        let start = depths.lowest_at_start();
        let mut here = (0.0, start);
        let mut feature = first;
        // Each face is the lowest once.
        for _ in 0..scene.body.faces.len() {
            let (parameter, face) = here;
            let next = depths.next(face, parameter);
            let (end, over) = next.unwrap_or((1.0, face));
            let name = match next {
                Some(_) => name_of_bend(scene.body, [face, over]),
                None => last,
            };
            let node = |parameter: f64, feature| Node {
                at: from.lerp(to, parameter),
                depth: depths.at(face, parameter),
                feature,
            };
            self.add_piece([node(parameter, feature), node(end, name)], normal);
            (here, feature) = ((end, over), name);
            if next.is_none() {
                break;
            }
        }
        self.rims.depths = depths;
    }

    fn add_piece(&mut self, ends: [Node; 2], normal: DVec3) {
        let [p, q] = ends.map(|end| end.at);
        let across = (q - p) - normal * normal.dot(q - p);
        let share = 0.5 * across.length();
        let bed = &mut self.bed.bed;
        bed.area += 2.0 * share;
        for [here, there] in [ends, [ends[1], ends[0]]] {
            let volume = share * here.depth;
            if volume > 0.0 {
                let center = (here.at * 2.0 + there.at) / 3.0;
                let depth = (here.depth * 2.0 + there.depth) / 3.0;
                bed.add(BedNode {
                    feature: here.feature,
                    area: share,
                    volume,
                    moment: (center + normal * (0.5 * depth)) * volume,
                });
            }
        }
    }

    /// Returns the name of the end of a run: the face, or the lowest vertex of the wall there.
    fn name(&self, end: End, scene: &Scene) -> PointFeature {
        if let Some(face) = end.face {
            return PointFeature::RimAtFace(face);
        }
        let slack = NEAR * scene.tolerance;
        let mut lowest = u32::MAX;
        self.any_nearby(NONE, (end.at, slack), scene, |_, facet| {
            let ids = scene.wall.mesh().facet(facet.facet);
            let ids = ids.iter().flat_map(|facet| facet.vertices());
            for (&id, corner) in ids.zip(self.corners_of(facet)) {
                if corner.distance(end.at) <= slack {
                    lowest = lowest.min(id);
                }
            }
            false
        });
        PointFeature::SecondVertex(lowest)
    }
}

impl Depths {
    fn set(&mut self, body: &Boundary, ends: [DVec3; 2], normal: DVec3) {
        let faces = body.faces.iter().map(|face| {
            let slope = face.normal.dot(normal);
            let depth = |x: DVec3| (face.offset - face.normal.dot(x)) / slope;
            (slope >= STEEP_FACE).then(|| ends.map(depth))
        });
        self.0.clear();
        self.0.extend(faces);
    }

    fn at(&self, face: usize, parameter: f64) -> f64 {
        let [from, to] = self.0[face].unwrap_or_default();
        (from + (to - from) * parameter).max(0.0)
    }

    /// Returns the lowest face at the start; of equal ones the lowest beyond.
    fn lowest_at_start(&self) -> usize {
        let faces = self.0.iter().enumerate();
        let faces = faces.filter_map(|(i, ends)| ends.map(|[from, to]| (i, from, to)));
        let lowest = faces.reduce(|low, next| {
            let is_lower = next.1 < low.1 || next.1 == low.1 && next.2 < low.2;
            if is_lower { next } else { low }
        });
        lowest.map_or(0, |lowest| lowest.0)
    }

    /// Returns where another face becomes lower than the one given, and which.
    fn next(&self, face: usize, after: f64) -> Option<(f64, usize)> {
        let [from, to] = self.0[face]?;
        let mut next: Option<(f64, f64, usize)> = None;
        for (i, ends) in self.0.iter().enumerate() {
            let Some([other, other_to]) = *ends else {
                continue;
            };
            let (above, below) = (other - from, to - other_to);
            let rate = above + below;
            if rate <= 0.0 || below <= 0.0 {
                continue;
            }
            let parameter = (above / rate).max(after);
            let is_first = next.is_none_or(|best| (parameter, -rate) < (best.0, best.1));
            if is_first && i != face {
                next = Some((parameter, -rate, i));
            }
        }
        next.map(|(parameter, _, face)| (parameter, face))
    }
}

/// Returns the name of the place where a run passes from under one face to under another.
fn name_of_bend(body: &Boundary, faces: [usize; 2]) -> PointFeature {
    let faces = faces.map(|face| face as u32);
    let is_between = |own: [u32; 2]| own == faces || own == [faces[1], faces[0]];
    let mut edges = body.edges.iter();
    match edges.find(|edge| is_between(edge.faces)) {
        Some(edge) => PointFeature::RimAtEdge([
            edge.ends[0].min(edge.ends[1]),
            edge.ends[0].max(edge.ends[1]),
        ]),
        None => PointFeature::RimAtFace(faces[1]),
    }
}

/// Returns the part of a segment inside the body.
pub(super) fn inside([from, to]: [DVec3; 2], scene: &Scene) -> Option<[End; 2]> {
    let (mut start, mut end) = ((0.0, None), (1.0, None));
    for (i, face) in (0..).zip(&scene.body.faces) {
        let depth = |x: DVec3| face.offset - face.normal.dot(x);
        let (here, there) = (depth(from), depth(to));
        // A segment along the surface is not inside.
        if here.max(there) <= scene.tolerance {
            return None;
        }
        if here >= 0.0 && there >= 0.0 {
            continue;
        }
        let crossing = here / (here - there);
        if here < 0.0 && crossing > start.0 {
            start = (crossing, Some(i));
        } else if there < 0.0 && crossing < end.0 {
            end = (crossing, Some(i));
        }
    }
    let ends = [start, end].map(|(parameter, face)| End {
        at: from.lerp(to, parameter),
        face,
    });
    let is_long = ends[0].at.distance(ends[1].at) > NEAR * scene.tolerance;
    (start.0 < end.0 && is_long).then_some(ends)
}

/// Returns a run without a part of it.
fn without(run: [End; 2], part: [DVec3; 2], slack: f64) -> impl Iterator<Item = [End; 2]> {
    let along = run[1].at - run[0].at;
    let position = |x: DVec3| along.dot(x - run[0].at);
    let [a, b] = part;
    let [low, high] = if position(a) <= position(b) {
        [a, b]
    } else {
        [b, a]
    };
    let inner = |at: DVec3| End { at, face: None };
    let rest = [[run[0], inner(low)], [inner(high), run[1]]];
    let is_long = move |[a, b]: &[End; 2]| along.dot(b.at - a.at) > slack * along.length();
    rest.into_iter().filter(is_long)
}

/// Unites runs on one line that touch.
fn merge(runs: &mut Vec<[End; 2]>, slack: f64) {
    let points = || runs.iter().flatten().map(|end| end.at);
    let size =
        points().fold(DVec3::NEG_INFINITY, DVec3::max) - points().fold(DVec3::INFINITY, DVec3::min);
    let axis = size.max_position();
    let low = |run: &[End; 2]| run[0].at[axis].min(run[1].at[axis]);
    let high = |run: &[End; 2]| run[0].at[axis].max(run[1].at[axis]);
    runs.sort_by(|a, b| low(a).total_cmp(&low(b)));
    // The runs so far, and the length of the longest one along the axis.
    let (mut count, mut longest) = (0, 0.0);
    for i in 0..runs.len() {
        (runs[count], count) = (runs[i], count + 1);
        let mut last = count - 1;
        loop {
            let run = runs[last];
            longest = f64::max(longest, high(&run) - low(&run));
            let first = low(&run) - longest - slack;
            let others = (0..count).rev().take_while(|&j| low(&runs[j]) >= first);
            let mut others = others.filter(|&j| j != last && high(&runs[j]) >= low(&run) - slack);
            let Some((j, both)) = others.find_map(|j| Some((j, united(runs[j], run, slack)?)))
            else {
                break;
            };
            // The union begins where the first of them does.
            runs[last.min(j)] = both;
            runs.copy_within(last.max(j) + 1..count, last.max(j));
            (last, count) = (last.min(j), count - 1);
        }
    }
    runs.truncate(count);
}

/// Returns the union of two runs on one line that have an end in common.
fn united(a: [End; 2], b: [End; 2], slack: f64) -> Option<[End; 2]> {
    let ends = [[a[0], a[1]], [a[1], a[0]]];
    for [inner, outer] in ends {
        for [near, far] in [[b[0], b[1]], [b[1], b[0]]] {
            if near.at.distance_squared(inner.at) > slack * slack {
                continue;
            }
            let along = far.at - outer.at;
            let unit = direction(along, along.length()).unwrap_or_default();
            let offset = inner.at - outer.at;
            if offset.cross(unit).length() <= slack
                && offset.dot(unit) > 0.0
                && offset.dot(unit) < along.length()
            {
                return Some([outer, far]);
            }
        }
    }
    None
}
