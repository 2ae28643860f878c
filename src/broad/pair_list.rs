use std::mem;

use super::neighbor_lists::{check_pairs, sort_pairs};
use super::{BroadPhase, Pair, PeriodicBox, Result, Sphere};
#[cfg(doc)]
use crate::ErrorKind;
use crate::math::{Vector, check_count, check_length, is_length, to_length};

/// How many pairs are tested before those that touch are visited.
const BLOCK: usize = 64;
/// Well above the rounding of squared lengths, 4.5 x 2^-53.
const ROUNDING: f64 = f64::from_bits((1023 - 48) << 52);

/// By how much the spheres of a [`PairList`] are inflated, so that it lasts for several steps.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Skin {
    /// A length added to the distance at which two bodies are a pair: half of it to each radius.
    Absolute(f64),
    /// A fraction of the radius added to each radius: 0.1 makes them a tenth larger. Points are
    /// then not inflated at all.
    Relative(f64),
}

impl Skin {
    fn inflate(self, radius: f64) -> f64 {
        match self {
            Self::Absolute(skin) => to_length(radius + 0.5 * skin),
            Self::Relative(fraction) => radius + radius * fraction,
        }
    }
}

/// The pairs of spheres that are a little larger than the bodies, kept until a body leaves its
/// one, with a memory for each pair.
///
/// The list holds all pairs that can touch as long as each body's sphere is inside the inflated
/// one of the last rebuild: so each body has a budget of its own for moving and growing. Then a
/// step costs one pass over the bodies ([`update`](Self::update)) and one over the pairs
/// ([`for_each_touching_pair_with`](Self::for_each_touching_pair_with)), a tenth of a search or less. Pairs are sorted,
/// so nothing depends on the broad phase that found them.
///
/// In a [`Periodic`](super::Periodic) box, moves are those of the nearest image, so bodies may be
/// wrapped or not as the caller likes; a box that changes ([`set_box`](super::Periodic::set_box))
/// uses up the budgets as well, and so does rounding: without a skin each update rebuilds.
///
/// Bodies are known by their index: where they get new ones, [`renumber`](Self::renumber) the list.
///
/// ```
/// use osculate::{BruteForce, PairList, Skin, Sphere, glam::DVec2};
///
/// let mut discs = [0.0, 0.9, 5.0].map(|x| Sphere::new(DVec2::X * x, 0.5));
/// let mut broad = BruteForce::new();
/// let mut list = PairList::<_, u32>::new(Skin::Relative(0.2))?;
/// let mut touching = Vec::new();
/// for _step in 0..4 {
///     list.update(&mut broad, discs.len(), |i| discs[i])?;
///     // The memory of a pair counts for how many steps it has touched.
///     list.for_each_touching_pair_with(|i| discs[i], |i, j, steps| {
///         *steps += 1;
///         touching.push((i, j, *steps));
///     });
///     discs[1].center.x += 0.04;
/// }
/// assert_eq!(touching, [(0, 1, 1), (0, 1, 2), (0, 1, 3)]);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PairList<V, M = ()> {
    skin: Skin,
    /// The inflated spheres of the last rebuild; wrapped, in a periodic box.
    inflated: Vec<Sphere<V>>,
    /// The box of the last rebuild, and that of now.
    periods: Option<[PeriodicBox<V>; 2]>,
    kept: Kept<M>,
    /// The pairs that the next rebuild takes memories from, if it must come; otherwise scratch.
    before: Kept<M>,
    /// Whether the next update must rebuild: `kept` is then empty.
    is_stale: bool,
    scratch: Vec<Pair>,
    offsets: Vec<u32>,
}

/// Pairs in ascending order, and their memories.
#[derive(Clone, Debug)]
struct Kept<M> {
    pairs: Vec<Pair>,
    memories: Vec<M>,
}

impl<M> Kept<M> {
    const fn new() -> Self {
        Self {
            pairs: Vec::new(),
            memories: Vec::new(),
        }
    }

    /// Visits the pairs that touch: those that do so for sure, and those that may and do exactly.
    ///
    /// A quarter of the pairs do not touch, and no branch predictor knows which: so they are first
    /// noted as bits, without branches, one block of pairs at a time.
    #[inline]
    fn for_each_hit(
        &mut self,
        touches_roughly: impl Fn(Pair) -> (bool, bool),
        touches: impl Fn(Pair) -> bool,
        mut visit: impl FnMut(u32, u32, &mut M),
    ) {
        let blocks = self.pairs.chunks(BLOCK);
        for (pairs, memories) in blocks.zip(self.memories.chunks_mut(BLOCK)) {
            let (mut hits, mut has_ties) = (0_u64, false);
            for &pair in pairs {
                let (is_sure, is_possible) = touches_roughly(pair);
                has_ties |= is_sure != is_possible;
                hits = (hits >> 1) | (u64::from(is_possible) << 63);
            }
            hits >>= BLOCK - pairs.len();
            let mut unsure = if has_ties { hits } else { 0 };
            while unsure != 0 {
                let place = unsure.trailing_zeros();
                let pair = pairs[place as usize];
                let touches = touches_roughly(pair).0 || touches(pair);
                hits &= !(u64::from(!touches) << place);
                unsure &= unsure - 1;
            }
            while hits != 0 {
                let place = hits.trailing_zeros() as usize;
                let [i, j] = pairs[place];
                visit(i, j, &mut memories[place]);
                hits &= hits - 1;
            }
        }
    }
}

impl<V: Vector, M: Default> PairList<V, M> {
    /// A list that is empty until its first update.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if the skin is neither 0 nor within [2^-150, 2^150].
    pub fn new(skin: Skin) -> Result<Self> {
        let (Skin::Absolute(value) | Skin::Relative(value)) = skin;
        check_length("skin", value)?;
        Ok(Self {
            skin,
            inflated: Vec::new(),
            periods: None,
            kept: Kept::new(),
            before: Kept::new(),
            is_stale: true,
            scratch: Vec::new(),
            offsets: Vec::new(),
        })
    }

    /// Sees whether the list still holds all pairs of the bodies as they are now, and rebuilds it
    /// if not; gives whether it did. To be called each step, before the pairs are asked for.
    ///
    /// The first update rebuilds, and so does the first after [`clear`](Self::clear) or
    /// [`renumber`](Self::renumber), even to no bodies. A rebuild carries the memories of those pairs over that are in the old and the new list;
    /// other pairs start with `M::default()`. The broad phase is used in a rebuild only, and then
    /// holds the inflated spheres.
    ///
    /// O(bodies) if the list is kept: about 2 ns for each, 5 ns in a periodic box. A rebuild is one
    /// of the broad phase and O(bodies + pairs). Nothing is allocated once the buffers have grown.
    ///
    /// # Errors
    /// Those of the broad phase's [`rebuild_with`](BroadPhase::rebuild_with). Returns
    /// [`ErrorKind::Radius`] also if an inflated radius is out of range, and [`ErrorKind::TooMany`]
    /// also if ids cannot name all pairs. The list keeps its previous contents.
    pub fn update(
        &mut self,
        broad: &mut impl BroadPhase<V>,
        count: usize,
        sphere: impl Fn(usize) -> Sphere<V>,
    ) -> Result<bool> {
        if !self.is_stale
            && count == self.inflated.len()
            && self.is_kept(broad.periodic_box(), &sphere)
        {
            return Ok(false);
        }
        check_count(count)?;
        (0..count).try_for_each(|i| sphere(i).validate(i))?;
        let skin = self.skin;
        broad.rebuild_with(count, |i| {
            let Sphere { center, radius } = sphere(i);
            Sphere::new(center, skin.inflate(radius))
        })?;
        broad.collect_pairs(&mut self.scratch);
        check_pairs(count, &self.scratch)?;
        self.periods = broad.periodic_box().map(|&period| [period; 2]);
        self.inflated.clear();
        self.inflated.extend_from_slice(broad.spheres());

        if !mem::replace(&mut self.is_stale, false) {
            mem::swap(&mut self.kept, &mut self.before);
        }
        mem::swap(&mut self.kept.pairs, &mut self.scratch);
        let Kept { pairs, memories } = &mut self.kept;
        sort_pairs(count, pairs, &mut self.scratch, &mut self.offsets);
        memories.clear();
        memories.reserve(pairs.len());
        carry_over(&mut self.before, pairs, memories);
        Ok(true)
    }

    /// Visits each pair that touches, the lower index first, in ascending order, with its memory.
    ///
    /// `sphere` is to give the bodies as at the last update, or others inside their inflated
    /// spheres; the answer is exact ([`Sphere::touches`], [`PeriodicBox::touches`]). About 4 ns a
    /// pair of the list, 13 ns in a periodic box.
    #[inline]
    pub fn for_each_touching_pair_with(
        &mut self,
        sphere: impl Fn(usize) -> Sphere<V>,
        visit: impl FnMut(u32, u32, &mut M),
    ) {
        let spheres = |[i, j]: Pair| (sphere(i as usize), sphere(j as usize));
        match self.periods {
            None => self.kept.for_each_hit(
                |pair| {
                    let (a, b) = spheres(pair);
                    a.touches_roughly(&b)
                },
                |pair| {
                    let (a, b) = spheres(pair);
                    a.touches(&b)
                },
                visit,
            ),
            Some([_, period]) => self.kept.for_each_hit(
                |pair| {
                    let (a, b) = spheres(pair);
                    period.touches_roughly(&a, &b)
                },
                |pair| {
                    let (a, b) = spheres(pair);
                    period.touches(&a, &b)
                },
                visit,
            ),
        }
    }

    /// Visits all pairs of the list, touching or not, in ascending order: to end memories with
    /// their contacts, or for interactions that reach as far as the skin.
    pub fn for_each_pair(&mut self, mut visit: impl FnMut(u32, u32, &mut M)) {
        for (&[i, j], memory) in self.kept.pairs.iter().zip(&mut self.kept.memories) {
            visit(i, j, memory);
        }
    }

    /// The pairs of the list, touching or not, in ascending order.
    pub fn pairs(&self) -> &[Pair] {
        &self.kept.pairs
    }

    /// Forgets pairs and memories, not the buffers; the next update rebuilds.
    pub fn clear(&mut self) {
        for list in [&mut self.kept, &mut self.before] {
            list.pairs.clear();
            list.memories.clear();
        }
        self.is_stale = true;
    }

    /// Gives bodies new indices, where they are sorted or some removed. The list is then empty
    /// until the next update, which rebuilds and gives pairs their memories back, except those of
    /// bodies without a new index. O(pairs log pairs); allocates.
    pub fn renumber(&mut self, new_index: impl Fn(u32) -> Option<u32>) {
        if !mem::replace(&mut self.is_stale, true) {
            mem::swap(&mut self.kept, &mut self.before);
            self.kept.pairs.clear();
            self.kept.memories.clear();
        }
        let Kept { pairs, memories } = mem::replace(&mut self.before, Kept::new());
        let renumbered = pairs
            .into_iter()
            .zip(memories)
            .filter_map(|([i, j], memory)| {
                let (i, j) = (new_index(i)?, new_index(j)?);
                Some(([i.min(j), i.max(j)], memory))
            });
        let mut renumbered: Vec<(Pair, M)> = renumbered.collect();
        renumbered.sort_by_key(|&(pair, _)| pair);
        (self.before.pairs, self.before.memories) = renumbered.into_iter().unzip();
    }

    /// Whether all spheres are inside the inflated ones. No bad radius is: a rebuild refuses it.
    fn is_kept(
        &mut self,
        period: Option<&PeriodicBox<V>>,
        sphere: &impl Fn(usize) -> Sphere<V>,
    ) -> bool {
        let bodies = self.inflated.iter().enumerate();
        match (&mut self.periods, period) {
            (None, None) => bodies.into_iter().all(|(i, inflated)| {
                let sphere = sphere(i);
                is_length(sphere.radius) && is_inside(&sphere, inflated)
            }),
            (Some([then, now]), Some(period)) => {
                // Each body answers for half of it.
                let change = 0.5 * period.change_since(then);
                let is_kept = bodies.into_iter().all(|(i, inflated)| {
                    let Sphere { center, radius } = sphere(i);
                    let delta = period.nearest(center - inflated.center);
                    let lost = radius + change + period.rounding(center);
                    let (moved, still) = (Sphere::new(delta, lost), V::ZERO);
                    is_length(radius) && is_inside(&moved, &Sphere::new(still, inflated.radius))
                });
                if is_kept {
                    *now = *period;
                }
                is_kept
            }
            _ => false,
        }
    }
}

/// Whether a sphere is inside another: |a - b| + r_a <= r_b, never wrongly so.
#[inline]
fn is_inside<V: Vector>(inner: &Sphere<V>, outer: &Sphere<V>) -> bool {
    let distance_squared = (inner.center - outer.center).length_squared();
    let slack = outer.radius - inner.radius;
    let bound = slack * slack;
    slack > 0.0 && distance_squared < bound - bound * ROUNDING
        // What has not moved at all needs no slack.
        || slack == 0.0 && inner.center == outer.center
}

/// Fills in the memories of pairs: those that they had before, or new ones. Both lists ascend.
fn carry_over<M: Default>(before: &mut Kept<M>, pairs: &[Pair], memories: &mut Vec<M>) {
    let mut old = before.pairs.iter().zip(&mut before.memories).peekable();
    memories.extend(pairs.iter().map(|pair| {
        while old.next_if(|(before, _)| *before < pair).is_some() {}
        let same = old.next_if(|(before, _)| *before == pair);
        same.map_or_else(M::default, |(_, memory)| mem::take(memory))
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::sphere_gap_sign;
    use crate::testing::workload::SplitMix64;

    /// A point that is outside by an ulp is never inside, however its squared distance is rounded.
    #[test]
    fn inside_is_never_wrong() {
        let mut random = SplitMix64::new(1);
        let (mut inside, mut narrow) = (0, 0);
        for _ in 0..20_000 {
            let outer = Sphere::new(random.in_ball(), random.within(0.5, 2.0));
            let way = random.in_ball().normalize() * outer.radius;
            let off = 1.0 + (random.below(9) as f64 - 4.0) * f64::EPSILON;
            let point = Sphere::new(outer.center + way * off, 0.0);
            let gap = sphere_gap_sign(point.center, 0.0, outer.center, outer.radius);
            assert!(gap.is_le() || !is_inside(&point, &outer));
            let nearer = Sphere::new(outer.center + way * (1.0 - 1e-12), 0.0);
            inside += u32::from(is_inside(&nearer, &outer));
            let squared = (point.center - outer.center).length_squared();
            narrow += u32::from(gap.is_gt() && squared < outer.radius * outer.radius);
        }
        assert!(inside == 20_000 && narrow > 20, "{inside} {narrow}");
    }
}
