//! The contacts at minima of triangles, from the directions in which the wall, as a set of points, extends.

use super::{
    Face, Facet, LatticeContact, Point, Ratio, Wide, active, common_factor, compare, cross, dot,
    primitive, scaled, sub, sum, triples, vector,
};

/// Rises that differ by less are equal.
const SAME_RISE: f64 = 1e-12;

/// A contact of one facet or more.
struct Minimum<'a> {
    phi: Ratio,
    point: Point,
    /// The normals that span the possible ones.
    normals: Vec<Wide>,
    facets: Vec<&'a Facet>,
}

/// Returns the contacts of facets that are not connected with deeper points.
pub(super) fn contacts(left: &[&Facet], faces: &[Face]) -> Vec<LatticeContact> {
    let sets = connected(left, faces);
    let mut minima: Vec<Minimum> = Vec::new();
    // Of facets without a choice, then along edges: the set, the normal and a point.
    let mut known: Vec<(usize, Wide, Point)> = Vec::new();
    let mut free = Vec::new();
    for (i, facet) in left.iter().enumerate() {
        match facet.own_normal(faces) {
            Some(normal) => {
                known.push((sets[i], normal, facet.point));
                add(&mut minima, facet.phi, facet.point, vec![normal], facet);
            }
            None => free.push(i),
        }
    }
    for is_point in [false, true] {
        let mut added = Vec::new();
        for &i in free.iter().filter(|&&i| left[i].is_point == is_point) {
            let facet = left[i];
            let is_here = |&&j: &&usize| {
                j == i
                    || is_point
                        && left[j].is_point
                        && left[j].point.is(&facet.point)
                        && sets[j] == sets[i]
            };
            let group = free.iter().filter(is_here).map(|&j| left[j]);
            let mut fans: Vec<Vec<Wide>> = group.map(|facet| facet.fan()).collect();
            let is_valid = |&&(set, normal, point): &&(usize, Wide, Point)| {
                let heights = [point, facet.point].map(|point| point.height(normal, 0));
                set == sets[i] && compare(heights[0], heights[1]).is_eq()
            };
            let mut has_other = false;
            for (_, normal, _) in known.iter().filter(is_valid) {
                has_other = true;
                fans.iter_mut()
                    .for_each(|fan| *fan = unsupported(fan, *normal));
            }
            fans.retain(|fan| !fan.is_empty());
            if fans.is_empty() && has_other {
                continue;
            }
            let largest = active(&facet.point, faces);
            let mean = mean(&largest);
            let all = supports(&largest, &fans.concat());
            let normals = match all[..] {
                [] => steepest(&fans, mean)
                    .iter()
                    .map(|&d| supports(&largest, &[d, scaled(d, -1)]))
                    .collect(),
                _ if is_point => vec![all],
                _ => vec![vec![mean]],
            };
            for normals in normals {
                if let (false, [only]) = (is_point, &normals[..]) {
                    added.push((sets[i], *only, facet.point));
                }
                add(&mut minima, facet.phi, facet.point, normals, facet);
            }
        }
        known.extend(added);
    }
    minima.sort_by(|a, b| compare(a.phi, b.phi));
    minima.iter().map(Minimum::rounded).collect()
}

/// Returns the lowest of the facets with which the minimum of each is connected.
fn connected(left: &[&Facet], faces: &[Face]) -> Vec<usize> {
    let mut sets: Vec<usize> = (0..left.len()).collect();
    for i in 0..left.len() {
        for j in 0..i {
            let is_tied = compare(left[i].phi, left[j].phi).is_eq();
            if is_tied && left[i].meets(left[j], faces) {
                let [a, b] = [sets[i], sets[j]];
                sets.iter_mut()
                    .filter(|set| **set == a.max(b))
                    .for_each(|set| *set = a.min(b));
            }
        }
    }
    sets
}

/// Adds a contact, or a facet to the contact with the same normals and the same plane.
fn add<'a>(
    minima: &mut Vec<Minimum<'a>>,
    phi: Ratio,
    point: Point,
    normals: Vec<Wide>,
    facet: &'a Facet,
) {
    let normals: Vec<Wide> = normals.into_iter().map(primitive).collect();
    let is_same = |other: &&mut Minimum| {
        let is_on_plane = |&n: &Wide| compare(point.height(n, 0), other.point.height(n, 0)).is_eq();
        compare(other.phi, phi).is_eq()
            && other.normals == normals
            && normals.iter().all(is_on_plane)
    };
    match minima.iter_mut().find(is_same) {
        Some(other) => other.facets.push(facet),
        None => minima.push(Minimum {
            phi,
            point,
            normals,
            facets: vec![facet],
        }),
    }
}

impl Facet {
    /// Returns the normal if there is no choice.
    fn own_normal(&self, faces: &[Face]) -> Option<Wide> {
        let active = active(&self.point, faces);
        let [a, b, c] = self.corners;
        let [u, v] = [sub(b, a), sub(c, a)];
        let plane = [u, v, scaled(u, -1), scaled(v, -1)];
        if !supports(&active, &plane).is_empty() || are_balanced(&active) {
            return Some(scaled(self.normal, -1));
        }
        match active[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Returns the directions from the lowest point, on the border, into the facet, in the order of the corners.
    fn fan(&self) -> Vec<Wide> {
        let weights = super::weights(&self.corners, &self.point);
        // The corner at the point, or the first of the side on which it is.
        let is_first = |&i: &usize| weights[i] > 0 && weights[(i + 2) % 3] == 0;
        let first = (0..3).find(is_first).unwrap_or(0);
        let [a, b, c] = [0, 1, 2].map(|i| self.corners[(first + i) % 3]);
        let [u, v] = [sub(b, a), sub(c, a)];
        match weights[(first + 1) % 3] {
            0 => vec![u, v],
            _ => vec![u, v, scaled(u, -1)],
        }
    }
}

/// Returns the mean of vectors with integer lengths, times any positive number.
fn mean(vectors: &[Wide]) -> Wide {
    let length = |x: Wide| dot(x, x).isqrt();
    let whole = vectors.iter().fold(1, |whole, &x| {
        whole / common_factor(whole, length(x)) * length(x)
    });
    let unit = vectors.iter().map(|&x| scaled(x, whole / length(x)));
    primitive(unit.fold([0; 3], sum))
}

/// Returns the part of a fan that a normal does not support.
fn unsupported(fan: &[Wide], normal: Wide) -> Vec<Wide> {
    let mut left = Vec::new();
    for (i, &ray) in fan.iter().enumerate() {
        let height = dot(normal, ray);
        if let Some(&last) = i.checked_sub(1).and_then(|i| fan.get(i)) {
            let before = dot(normal, last);
            if (before < 0) != (height < 0) {
                left.push(primitive(sum(
                    scaled(last, height.abs()),
                    scaled(ray, before.abs()),
                )));
            }
        }
        if height < 0 {
            left.push(ray);
        }
    }
    left
}

/// Returns the directions in which the wall rises against a normal, more than around them.
fn steepest(fans: &[Vec<Wide>], normal: Wide) -> Vec<Wide> {
    let rise =
        |d: Wide| -vector(normal).dot(vector(d)) / (vector(d).length() * vector(normal).length());
    let best = |fan: &Vec<Wide>| {
        let mut rays = fan.clone();
        for pair in fan.windows(2) {
            let across = primitive(cross(pair[0], pair[1]));
            let up = sub(
                scaled(across, dot(across, normal)),
                scaled(normal, dot(across, across)),
            );
            if contains(&[pair[0], pair[1]], up) {
                rays.push(primitive(up));
            }
        }
        let first = rays[0];
        rays.into_iter()
            .fold(first, |a, b| if rise(b) > rise(a) { b } else { a })
    };
    let best: Vec<Wide> = fans.iter().map(best).collect();
    let is_peak = |d: &Wide| {
        let passes = |(fan, &other): (&Vec<Wide>, &Wide)| {
            rise(other) > rise(*d) + SAME_RISE && fan.windows(2).any(|pair| contains(pair, *d))
        };
        dot(normal, *d) < 0 && !fans.iter().zip(&best).any(passes)
    };
    best.iter().copied().filter(is_peak).collect()
}

/// Returns whether a direction is between two others, less than half a turn apart.
fn contains(pair: &[Wide], d: Wide) -> bool {
    let across = primitive(cross(pair[0], pair[1]));
    let is_left = |a: Wide, b: Wide| dot(across, cross(a, b)) >= 0;
    dot(across, d) == 0 && is_left(pair[0], d) && is_left(d, pair[1])
}

/// Returns the vectors that span the combinations of `active` without a negative component along any direction.
fn supports(active: &[Wide], directions: &[Wide]) -> Vec<Wide> {
    let mut found = active.to_vec();
    for (i, &a) in active.iter().enumerate() {
        for &b in &active[..i] {
            for &d in directions {
                let (s, t) = (dot(a, d), dot(b, d));
                if s * t < 0 {
                    found.push(sum(scaled(a, t.abs()), scaled(b, s.abs())));
                }
            }
        }
    }
    for (i, &d) in directions.iter().enumerate() {
        for &e in &directions[..i] {
            let axis = cross(d, e);
            let is_combined = |x: &Wide| triples(active).any(|t| is_combination(*x, t));
            found.extend([axis, scaled(axis, -1)].into_iter().filter(is_combined));
        }
    }
    found.retain(|&x| x != [0; 3] && directions.iter().all(|&d| dot(x, d) >= 0));
    let mut found: Vec<Wide> = found.into_iter().map(primitive).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns directions that are supported by positive multiples of a vector only.
fn ray(x: Wide) -> Vec<Wide> {
    let axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(|axis| cross(x, axis));
    let line = axes.iter().flat_map(|&axis| [axis, scaled(axis, -1)]);
    line.chain([x]).collect()
}

/// Returns whether a combination of vectors with positive weights is zero, so that no direction leads away from
/// all of them.
fn are_balanced(vectors: &[Wide]) -> bool {
    let is_opposed = |&a: &Wide| {
        let others: Vec<Wide> = vectors.iter().copied().filter(|&b| b != a).collect();
        !supports(&others, &ray(scaled(a, -1))).is_empty()
    };
    vectors.iter().any(is_opposed)
}

/// Returns whether a vector is a combination of three others with weights of at least 0.
fn is_combination(x: Wide, (&a, &b, &c): (&Wide, &Wide, &Wide)) -> bool {
    let volume = |a, b, c| dot(a, cross(b, c));
    let whole = volume(a, b, c);
    let parts = [volume(x, b, c), volume(a, x, c), volume(a, b, x)];
    whole != 0 && parts.iter().all(|part| part * whole.signum() >= 0)
}

impl Minimum<'_> {
    fn rounded(&self) -> LatticeContact {
        let normals = self.normals.iter().map(|&n| vector(n).normalize());
        let mut facets: Vec<u32> = self.facets.iter().map(|facet| facet.id).collect();
        facets.sort_unstable();
        LatticeContact {
            depth: -(self.phi.0 as f64) / self.phi.1 as f64,
            point: vector(self.point.x) / self.point.w as f64,
            normals: normals.collect(),
            facets,
        }
    }
}
