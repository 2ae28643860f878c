use super::rows::hits_of;
use super::{BroadPhase, Pair, PeriodicBox, Skin, Sphere, Spine};
use crate::math::{Vector, check_position};
use crate::shape::{Bounded, Capsule};

/// A pair of a list, with the shift that brings its bodies next to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ListedPair<V = glam::DVec3> {
    /// The body with the lower index.
    pub i: usize,
    /// The body with the higher index.
    pub j: usize,
    /// The lattice vector that takes body j to its image nearest to body i
    /// ([`PeriodicBox::nearest_shift`]). 0 without a periodic box.
    pub shift: V,
}

/// The bodies of a list: spheres, or capsules as twice as many spheres at their ends.
#[derive(Clone, Copy)]
pub(super) struct Bodies<'a, V> {
    pub(super) count: usize,
    pub(super) spheres: &'a [Sphere<V>],
    /// With the skin, as of the last rebuild.
    pub(super) inflated: &'a [Sphere<V>],
    /// The capsules of the bodies, if they are long.
    pub(super) spines: &'a [Spine<V>],
    /// The box of the last update, if there is one.
    pub(super) period: Option<&'a PeriodicBox<V>>,
}

impl<V: Vector> Bodies<'_, V> {
    pub(super) const fn are_long(&self) -> bool {
        self.spheres.len() > self.count
    }

    /// Returns the number of capsules: all bodies, or none if all are spheres.
    pub(super) const fn long_count(&self) -> usize {
        if self.are_long() { self.count } else { 0 }
    }

    /// Returns a body, with equal ends if it is one sphere.
    #[inline]
    pub(super) fn capsule(&self, i: usize) -> Capsule<V> {
        let Sphere { center, radius } = self.spheres[i];
        let other = self.spheres.get(self.count + i);
        Capsule::new([center, other.map_or(center, |end| end.center)], radius)
    }

    /// Returns a long body with the skin, and its bounding sphere.
    ///
    /// Two that do not touch cannot do so while both bodies stay inside, by the test of the visits: it allows for rounding.
    pub(super) fn inflated_capsule(&self, i: usize, skin: Skin) -> (Spine<V>, Sphere<V>) {
        let Capsule { ends, radius } = self.capsule(i);
        let capsule = Capsule::new(ends, skin.inflate(radius)).widened();
        let mut bound = capsule.bounding_sphere();
        let is_invalid = |&end: &V| check_position("", None, end).is_err();
        if ends.iter().any(is_invalid) {
            bound.radius = f64::NAN; // The broad phase refuses it.
        }
        (capsule.spine(), bound)
    }

    /// Returns the bounding spheres of the bodies with the skin, given those of long ones.
    ///
    /// The broad phase copies them from a slice: its loops would be slower if they could call a function.
    pub(super) const fn bounds<'a>(&'a self, long: &'a [Sphere<V>]) -> &'a [Sphere<V>] {
        if self.are_long() { long } else { self.inflated }
    }

    /// Returns the pairs of a block that touch, in the box of the last update if there is one, as bits.
    #[inline(never)]
    pub(super) fn hits_of(&self, pairs: &[Pair]) -> u64 {
        match self.period {
            period if self.are_long() => hits_of(
                pairs,
                self.spines,
                |a, b| a.touches_roughly(b, period),
                |a, b| a.touches(b, period),
            ),
            None => hits_of(
                pairs,
                self.spheres,
                Sphere::touches_roughly,
                Sphere::touches,
            ),
            Some(period) => hits_of(
                pairs,
                self.spheres,
                |a, b| period.touches_roughly(a, b),
                |a, b| period.touches(a, b),
            ),
        }
    }

    #[inline(always)]
    pub(super) fn listed(&self, i: usize, j: usize) -> ListedPair<V> {
        let shift = match self.period {
            None => V::ZERO,
            Some(period) => {
                let [of, to] = [j, i].map(|body| {
                    let sphere = self.spheres[body].center;
                    self.spines.get(body).map_or(sphere, |spine| spine.center)
                });
                period.nearest_shift(of, to)
            }
        };
        ListedPair { i, j, shift }
    }
}

/// Appends the pairs of a chunk, without those whose inflated capsules do not touch. The slice is empty for spheres.
pub(super) fn append_near<B: BroadPhase>(
    broad_phase: &B,
    chunk: usize,
    spines: &[Spine<B::Vector>],
    pairs: &mut Vec<Pair>,
) {
    let start = pairs.len();
    broad_phase.append_pairs_in(chunk, pairs);
    if spines.is_empty() {
        return;
    }
    let (period, mut count) = (broad_phase.periodic_box(), start);
    for k in start..pairs.len() {
        let pair = pairs[k];
        let [a, b] = pair.map(|body| &spines[body as usize]);
        pairs[count] = pair;
        count += usize::from(boxes_touch(a, b, period) && a.touches(b, period));
    }
    pairs.truncate(count);
}

/// Returns whether the boxes around two inflated capsules touch, a cheaper test than that of the capsules. These are widened by
/// more than any rounding here.
fn boxes_touch<V: Vector>(a: &Spine<V>, b: &Spine<V>, period: Option<&PeriodicBox<V>>) -> bool {
    let between = b.center - a.center;
    let between = period.map_or(between, |period| period.minimum_image(between));
    let reach = a.radius + b.radius;
    let is_far = |k: usize| between[k].abs() > a.half[k].abs() + b.half[k].abs() + reach;
    !(0..V::DIM).any(is_far)
}
