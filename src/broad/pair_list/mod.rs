//! Verlet lists.

mod listed_pair;
#[cfg(feature = "rayon")]
mod parallel;
mod renumber;
mod rows;
mod snapshot;
mod travel;

use std::mem;

pub use self::listed_pair::ListedPair;
use self::listed_pair::append_near;
use self::rows::{carry, for_each_hit};
pub use self::snapshot::PairListSnapshot;
use self::travel::{Change, have_stayed};
use super::neighbor_lists::check_pairs;
use super::{BroadPhase, NeighborLists, Pair, PeriodicBox, Result, Sphere};
#[cfg(doc)]
use crate::ErrorKind;
use crate::math::{Vector, check_count, check_length, is_length};
use crate::shape::{Bounded, Capsule, Skin, Spine, check_margin};

/// A Verlet list: all pairs whose inflated spheres touch, with your data for each pair.
///
/// The list contains every pair that can touch while each body stays inside its inflated sphere of the last rebuild. A
/// step then costs one pass over the bodies ([`update`](Self::update)) and one over the pairs
/// ([`for_each_touching_pair`](Self::for_each_touching_pair)), a tenth of a search or less. Pairs are sorted, so
/// results do not depend on the broad phase that found them.
///
/// In a [`Periodic`](super::Periodic) box displacements are minimum images, so bodies may be wrapped or not. A
/// change of the box ([`set_box`](super::Periodic::set_box)) uses up the allowed travel too. So does rounding:
/// without a skin each update rebuilds.
///
/// Long bodies are capsules if they have one ([`Bounded::bounding_capsule`]). The broad phase then finds pairs of bounding
/// spheres, of which a rebuild keeps those whose inflated capsules touch. The list holds the spheres at both ends, and is rebuilt
/// when one of them has left its inflated sphere, so rotations count as far as they move the ends. A relative skin is a part
/// of the radius of the capsule. Visits test capsules, to rounding: no touching pair is missed.
///
/// Bodies are identified by their index. If indices change, call [`renumber`](Self::renumber).
///
/// Write `PairList::<_>::new(..)` for a list without data, and `PairList::<_, Spring>::new(..)` for data of type
/// `Spring`. In a periodic box, skin and margin add to the radii, for which the box must be wide enough.
///
/// ```
/// use osculate::{BruteForce, PairList, Skin, Sphere, glam::DVec2};
///
/// let mut discs = [0.0, 0.9, 5.0].map(|x| Sphere::new(DVec2::X * x, 0.5));
/// let mut list = PairList::<_, u32>::new(BruteForce::new(), Skin::Relative(0.2))?;
/// let mut touching = Vec::new();
/// for _step in 0..4 {
///     list.update(&discs)?;
///     // The data of a pair counts the steps in which it has touched.
///     list.for_each_touching_pair(|i, j, steps| {
///         *steps += 1;
///         touching.push((i, j, *steps));
///     });
///     discs[1].center.x += 0.04;
/// }
/// assert_eq!(touching, [(0, 1, 1), (0, 1, 2), (0, 1, 3)]);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PairList<B: BroadPhase, T = ()> {
    broad_phase: B,
    skin: Skin,
    margin: f64,
    resets: bool,
    state: PairListSnapshot<T, B::Vector>,
    /// Buffers: the pairs of the last list and their data.
    old_pairs: Vec<Pair>,
    old_data: Vec<T>,
    /// The pairs in the order of the broad phase.
    found: Vec<Pair>,
    /// The capsules of the last update; during a rebuild those with the skin.
    spines: Vec<Spine<B::Vector>>,
    /// A buffer: the bounding spheres of capsules with the skin.
    bounds: Vec<Sphere<B::Vector>>,
    rows: NeighborLists,
    /// The pairs in the order of the broad phase, of groups of chunks.
    #[cfg(feature = "rayon")]
    parts: Vec<Vec<Pair>>,
}

impl<B: BroadPhase, T: Default> PairList<B, T> {
    /// Creates an empty list. `broad_phase` finds the pairs at each rebuild.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if the skin is neither 0 nor within [2^-150, 2^150].
    pub fn new(broad_phase: B, skin: Skin) -> Result<Self> {
        skin.check()?;
        Ok(Self {
            broad_phase,
            skin,
            margin: 0.0,
            resets: false,
            state: PairListSnapshot::new(),
            old_pairs: Vec::new(),
            old_data: Vec::new(),
            found: Vec::new(),
            spines: Vec::new(),
            bounds: Vec::new(),
            rows: NeighborLists::new(),
            #[cfg(feature = "rayon")]
            parts: Vec::new(),
        })
    }

    /// Lets the data of a pair end when its bodies separate: a visit of the touching pairs resets the data of the others to
    /// their default.
    ///
    /// Otherwise a pair keeps its data until a rebuild finds it outside the skin, so one that separates and touches again finds
    /// its old data. States of kernels stay valid; resetting them costs time.
    ///
    /// ```
    /// use osculate::{BruteForce, PairList, Skin, Sphere, glam::DVec2};
    ///
    /// let mut list = PairList::<_, u32>::new(BruteForce::new(), Skin::Absolute(1.0))?.with_reset();
    /// let mut ages = Vec::new();
    /// for x in [1.9, 2.1, 1.9] {
    ///     list.update(&[0.0, x].map(|x| Sphere::new(DVec2::X * x, 1.0)))?;
    ///     list.for_each_touching_pair(|_, _, age| *age += 1);
    ///     ages.push(list.data()[0]);
    /// }
    /// assert_eq!(ages, [1, 0, 1]);
    /// # Ok::<(), osculate::Error>(())
    /// ```
    #[must_use]
    pub fn with_reset(self) -> Self {
        let resets = true;
        Self { resets, ..self }
    }

    /// Counts bodies whose bounding spheres are up to `margin` apart as touching. 0 by default.
    ///
    /// Take it from the kernel, [`margin`](crate::SphereSphere::margin) or
    /// [`list_margin`](crate::PressureField::list_margin). The bounding spheres of a pair within the margin may be
    /// separated. A list with a smaller margin misses such a pair; [`check_margin`](Self::check_margin) reports it.
    ///
    /// ```
    /// use osculate::{BruteForce, NarrowPhase, PairList, Skin, Sphere, SphereSphere, glam::DVec3};
    ///
    /// let spheres = [0.0, 2.25].map(|x| Sphere::new(DVec3::X * x, 1.0));
    /// let mut kernel = SphereSphere::new().with_margin(0.5)?;
    /// let mut list = PairList::<_>::new(BruteForce::new(), Skin::Relative(0.25))?;
    /// assert!(list.check_margin(kernel.margin()).is_err());
    /// list = list.with_margin(kernel.margin())?;
    /// list.update(&spheres)?;
    /// let mut overlaps = Vec::new();
    /// list.for_each_touching_pair(|i, j, _| {
    ///     overlaps.extend(kernel.contact(&spheres[i], &spheres[j]).map(|c| c.overlap));
    /// });
    /// assert_eq!(overlaps, [-0.25]);
    /// # Ok::<(), osculate::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if the margin is neither 0 nor within [2^-150, 2^150].
    pub fn with_margin(mut self, margin: f64) -> Result<Self> {
        check_length("margin", margin)?;
        self.margin = margin;
        self.state.is_stale = true;
        Ok(self)
    }

    /// Checks that the margin of the list is at least that of a kernel.
    ///
    /// Call it where list and kernel meet, if their margins are set apart or change during a run. A list with another
    /// margin, `list.with_margin(..)`, keeps its data.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] with both margins if `needed` is larger or NaN.
    pub fn check_margin(&self, needed: f64) -> Result<()> {
        check_margin(self.margin, needed)
    }

    /// Brings the list up to date with the bodies, and returns whether it was rebuilt. Call it each step.
    ///
    /// As [`update_with`](Self::update_with), from a slice.
    ///
    /// # Errors
    /// As for [`update_with`](Self::update_with).
    pub fn update<X: Bounded<Vector = B::Vector>>(&mut self, bodies: &[X]) -> Result<bool> {
        self.update_with(bodies.len(), |i| &bodies[i])
    }

    /// Brings the list up to date with `count` bodies, and returns whether it was rebuilt.
    ///
    /// Stores the bounding spheres or capsules of the bodies `body(i)`. If one of them has left its inflated sphere, or the
    /// number of bodies has changed, the list is rebuilt. Pairs of both the old and the new list keep their data; other
    /// pairs start with `T::default()`. Bodies keep their indices if their number changes. The first update rebuilds, and
    /// so does the first one after [`clear`](Self::clear) or [`renumber`](Self::renumber).
    ///
    /// Cost: O(bodies) if the list is kept, about 2 ns each and 5 ns in a periodic box. A rebuild costs one
    /// rebuild of the broad phase and O(bodies + pairs). Nothing is allocated once the buffers have grown.
    ///
    /// # Errors
    /// Returns the errors of [`BroadPhase::rebuild_with`]; [`ErrorKind::Radius`] also if an inflated radius is out of
    /// range, and [`ErrorKind::TooMany`] also if there are more than `u32::MAX - 1` pairs. The list is then empty until
    /// an update succeeds, which carries the data over.
    pub fn update_with<X: Bounded<Vector = B::Vector>>(
        &mut self,
        count: usize,
        body: impl Fn(usize) -> X,
    ) -> Result<bool> {
        check_count(count).inspect_err(|_| self.state.is_stale = true)?;
        self.begin_update(count);
        let are_long = (0..count).any(|i| body(i).bounding_capsule().is_some());
        self.store((0..count).map(&body), are_long);
        if !self.state.is_stale && self.is_kept(have_stayed) {
            self.set_spines();
            return Ok(false);
        }
        self.rebuild().map_err(|error| {
            self.state.is_stale = true;
            // The error of a body, rather than of its inflated sphere.
            let first = (0..count).find_map(|i| validate(&body(i), i).err());
            first.unwrap_or(error)
        })?;
        Ok(true)
    }

    fn rebuild(&mut self) -> Result<()> {
        let (skin, period) = (self.skin, self.broad_phase.periodic_box());
        let PairListSnapshot {
            spheres, inflated, ..
        } = &mut self.state;
        inflated.clear();
        inflated.extend(spheres.iter().map(|s| with_skin(s, skin, period)));
        let bodies = self.state.bodies_and_rows(&[]).0;
        self.spines.clear();
        self.bounds.clear();
        for i in 0..bodies.long_count() {
            let (spine, bound) = bodies.inflated_capsule(i, skin);
            self.spines.push(spine);
            self.bounds.push(bound);
        }
        self.broad_phase.rebuild(bodies.bounds(&self.bounds))?;
        self.found.clear();
        for chunk in 0..self.broad_phase.chunk_count() {
            append_near(&self.broad_phase, chunk, &self.spines, &mut self.found);
        }
        self.list_found(carry)
    }

    /// Lists the pairs in `found`, of the bodies that the broad phase holds. `carry` is [`carry`] or its parallel form.
    fn list_found(&mut self, carry: impl FnOnce([&[Pair]; 2], [&mut [T]; 2])) -> Result<()> {
        let state = &mut self.state;
        check_pairs(state.body_count, &self.found)?;
        state.periods = self.broad_phase.periodic_box().map(|&period| [period; 2]);
        state.is_stale = false;
        mem::swap(&mut state.pairs, &mut self.old_pairs);
        mem::swap(&mut state.data, &mut self.old_data);
        // One thread: two counting sorts take less time than a comparison sort on few threads.
        self.rows
            .sort_pairs(state.body_count, &self.found, &mut state.pairs);
        state.data.resize_with(state.pairs.len(), T::default);
        carry(
            [&state.pairs, &self.old_pairs],
            [&mut state.data, &mut self.old_data],
        );
        self.set_spines();
        Ok(())
    }

    /// Visits each pair that touched at the last [`update`](Self::update), the lower index first, in ascending
    /// order, with its data.
    ///
    /// The test of spheres is exact ([`Sphere::touches`], [`PeriodicBox::touches`]); capsules are tested to rounding. Cost: about 4 ns for each pair of the
    /// list, 13 ns in a periodic box.
    #[inline]
    pub fn for_each_touching_pair(&mut self, visit: impl FnMut(usize, usize, &mut T)) {
        let (bodies, rows) = self.state.bodies_and_rows(&self.spines);
        for_each_hit(rows, |pairs| bodies.hits_of(pairs), self.resets, visit);
    }

    /// Does the same as [`for_each_touching_pair`](Self::for_each_touching_pair), with the image of each pair.
    ///
    /// In a periodic box the kernel needs body j at its image next to body i. [`ListedPair::shift`] takes it there,
    /// without another search for the nearest image.
    ///
    /// ```
    /// use osculate::{BruteForce, NarrowPhase, PairList, Periodic, PeriodicBox, Skin, Sphere, SphereSphere};
    /// use osculate::glam::DVec3;
    ///
    /// let period = PeriodicBox::orthogonal(DVec3::ZERO, DVec3::splat(10.0), [true; 3])?;
    /// let spheres = [0.5, 9.0].map(|x| Sphere::new(DVec3::X * x, 1.0));
    /// let broad = Periodic::new(BruteForce::new(), period);
    /// let mut list = PairList::<_>::new(broad, Skin::Relative(0.1))?;
    /// list.update(&spheres)?;
    /// let (mut kernel, mut overlaps) = (SphereSphere::new(), Vec::new());
    /// list.for_each_touching_image(|pair, ()| {
    ///     let [first, mut second] = [spheres[pair.i], spheres[pair.j]];
    ///     second.center += pair.shift;
    ///     overlaps.extend(kernel.contact(&first, &second).map(|c| c.overlap));
    /// });
    /// assert_eq!(overlaps, [0.5]);
    /// # Ok::<(), osculate::Error>(())
    /// ```
    #[inline]
    pub fn for_each_touching_image(
        &mut self,
        mut visit: impl FnMut(ListedPair<B::Vector>, &mut T),
    ) {
        let (bodies, rows) = self.state.bodies_and_rows(&self.spines);
        let visit = |i, j, data: &mut _| visit(bodies.listed(i, j), data);
        for_each_hit(rows, |pairs| bodies.hits_of(pairs), self.resets, visit);
    }

    /// Visits all pairs of the list, touching or not, in ascending order. Use it for interactions whose range is within
    /// the skin.
    pub fn for_each_pair(&mut self, mut visit: impl FnMut(usize, usize, &mut T)) {
        let (pairs, data) = self.pairs_and_data_mut();
        for (&[i, j], data) in pairs.iter().zip(data) {
            visit(i as usize, j as usize, data);
        }
    }

    /// Returns the pairs of the list, touching or not, in ascending order.
    pub fn pairs(&self) -> &[Pair] {
        &self.state.pairs[..self.state.count()]
    }

    /// Returns the data of the pairs; `data()[k]` belongs to `pairs()[k]`.
    pub fn data(&self) -> &[T] {
        &self.state.data[..self.state.count()]
    }

    /// Returns the pairs and their data, as slices of the same length.
    pub fn pairs_and_data_mut(&mut self) -> (&[Pair], &mut [T]) {
        self.state.bodies_and_rows(&self.spines).1
    }

    /// Returns the broad phase, with the inflated spheres of the last rebuild.
    pub const fn broad_phase(&self) -> &B {
        &self.broad_phase
    }

    /// Returns the broad phase, for example to set a periodic box. Bodies are replaced at the next rebuild.
    pub const fn broad_phase_mut(&mut self) -> &mut B {
        &mut self.broad_phase
    }

    /// Removes all pairs and their data; the next update rebuilds.
    pub fn clear(&mut self) {
        self.state.is_stale = true;
        self.state.pairs.clear();
        self.state.data.clear();
    }
}

impl<B: BroadPhase, T> PairList<B, T> {
    /// Sets the number of bodies. A list of another number is of no use.
    fn begin_update(&mut self, count: usize) {
        self.state.is_stale |= self.state.body_count != count;
        self.state.body_count = count;
    }

    /// Stores the spheres with half the margin.
    fn store<X: Bounded<Vector = B::Vector>>(
        &mut self,
        bodies: impl ExactSizeIterator<Item = X>,
        are_long: bool,
    ) {
        let (stored, margin) = (&mut self.state.spheres, self.margin);
        stored.clear();
        stored.reserve_exact(bodies.len() << u32::from(are_long));
        if are_long {
            let count = bodies.len();
            stored.resize(2 * count, Sphere::new(B::Vector::ZERO, 0.0));
            for (i, body) in bodies.enumerate() {
                [stored[i], stored[count + i]] =
                    end_spheres(&body).map(|end| extended(end, margin));
            }
        } else {
            let spheres = bodies.map(|body| body.bounding_sphere());
            match margin {
                0.0 => stored.extend(spheres), // a plain copy
                _ => stored.extend(spheres.map(|sphere| extended(sphere, margin))),
            }
        }
    }

    /// Prepares the capsules of long bodies for the tests of their pairs.
    fn set_spines(&mut self) {
        let bodies = self.state.bodies_and_rows(&[]).0;
        let spine = |i| bodies.capsule(i).spine();
        self.spines.clear();
        self.spines.extend((0..bodies.long_count()).map(spine));
    }

    /// Returns whether all spheres have valid radii and are inside their inflated spheres. `have_stayed` is
    /// [`have_stayed`] or its parallel form.
    fn is_kept(
        &mut self,
        have_stayed: impl Fn([&[Sphere<B::Vector>]; 2], Change<'_, B::Vector>) -> bool,
    ) -> bool {
        let state = &mut self.state;
        if state.spheres.len() != state.inflated.len() {
            return false;
        }
        let bodies = [&state.spheres[..], &state.inflated[..]];
        match (&mut state.periods, self.broad_phase.periodic_box()) {
            (None, None) => have_stayed(bodies, None),
            (Some([then, now]), Some(period)) => {
                // Each of the two bodies accounts for half of the change.
                let change = 0.5 * period.change_since(then);
                let is_kept = have_stayed(bodies, Some((period, change)));
                if is_kept {
                    *now = *period;
                }
                is_kept
            }
            _ => false,
        }
    }
}

/// Returns a sphere with half the margin. An invalid radius stays invalid: it becomes NaN.
#[inline]
fn extended<V: Vector>(sphere: Sphere<V>, margin: f64) -> Sphere<V> {
    let Sphere { center, radius } = sphere.inflated(0.5 * margin);
    let is_valid = is_length(sphere.radius);
    Sphere::new(center, if is_valid { radius } else { f64::NAN })
}

/// Returns the spheres at the ends of a body's capsule, or its bounding sphere twice.
fn end_spheres<X: Bounded>(body: &X) -> [Sphere<X::Vector>; 2] {
    body.bounding_capsule().map_or_else(
        || [body.bounding_sphere(); 2],
        |Capsule { ends, radius }| ends.map(|end| Sphere::new(end, radius)),
    )
}

/// Validates the spheres of a body.
fn validate<X: Bounded>(body: &X, index: usize) -> Result<()> {
    let mut spheres = end_spheres(body).into_iter();
    spheres.try_for_each(|sphere| sphere.validate(index))
}

/// Returns a sphere with the skin, wrapped in a periodic box. An invalid one stays invalid: the broad phase refuses it.
#[inline(always)]
fn with_skin<V: Vector>(
    &Sphere { center, radius }: &Sphere<V>,
    skin: Skin,
    period: Option<&PeriodicBox<V>>,
) -> Sphere<V> {
    let center = period.map_or(center, |period| period.wrap_valid(center));
    Sphere::new(center, skin.inflate(radius))
}
