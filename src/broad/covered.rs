use super::{BroadPhase, Pair, PeriodicBox, Result, Sphere};
#[cfg(doc)]
use crate::ErrorKind;
use crate::math::tolerance::two_to;
use crate::math::{Vector, check_count};
use crate::shape::{Bounded, Capsule, Spine};

/// Half the distance of two covering spheres, relative to the radius of the capsule. More spheres fit better, and take
/// longer to search.
const STEP: f64 = 1.5;
/// A capsule with fewer steps has one sphere.
const FEWEST: f64 = 3.0;
/// The most steps, so that memory is O(bodies).
const MOST: f64 = 63.0;
/// The number of pairs of covering spheres that are tested together.
const BLOCK: usize = 64;
/// Covering spheres of capsules that touch to rounding must touch. The reach of two covers is at least 2^-7 of the sizes
/// of the pair, of which [`Spine::touches`] allows 2^-22, and 2^-44 of the squares.
const COVER: f64 = two_to(-24);

/// A broad phase for elongated bodies: it finds the pairs whose bounding capsules touch.
///
/// A body with a capsule ([`Bounded::bounding_capsule`]) is one for the inner broad phase as well if its length is less
/// than 6 widths. Otherwise it has up to 64 spheres there, in a row along the axis. Two bodies are a pair if the two
/// spheres nearest to their closest points touch, and if the capsules do. So each pair is found once, no pairs are
/// stored, and chunks and order are those of the inner broad phase. Bodies without a capsule are spheres, as elsewhere.
///
/// Capsules touch if the distance of their segments is at most the sum of their radii. No such pair is missed; pairs apart
/// by rounding may be found.
///
/// Inside a [`PairList`](crate::PairList), the skin is that of the capsules. A list of long bodies is kept until an end
/// of a capsule leaves its inflated sphere, so rotations count as they move the ends.
///
/// A periodic box and level sizes belong inside, a [`Filtered`](super::Filtered) outside: inside, indices are those of
/// spheres. A periodic side must be at least four times the radius of the largest bounding sphere.
///
/// Cost: 1.5 µs for each rod of 1:10 at a solid fraction of 0.5, 3 µs at 1:30, for a rebuild and all pairs. Twice 112
/// bytes per body and 8 per sphere, and those of the inner broad phase.
///
/// ```
/// use osculate::{BroadPhase, HierarchicalGrid, broad::Covered, shape::Capsule, glam::DVec3};
///
/// let rod = |y: f64| Capsule::new([DVec3::new(-8.0, y, 0.0), DVec3::new(8.0, y, 0.0)], 0.5);
/// let mut broad = Covered::new(HierarchicalGrid::new());
/// broad.rebuild(&[0.0, 0.9, 2.0].map(rod))?;
/// let mut pairs = Vec::new();
/// broad.collect_pairs(&mut pairs);
/// assert_eq!(pairs, [[0, 1]]);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Covered<B: BroadPhase> {
    inner: B,
    covers: Covers<B::Vector>,
    /// A buffer for the next rebuild.
    next: Covers<B::Vector>,
}

/// The bodies of a rebuild.
#[derive(Clone, Debug)]
struct Covers<V: Vector> {
    rows: Vec<Row<V>>,
    /// The bounding spheres of the bodies.
    spheres: Vec<Sphere<V>>,
    /// The body of each covering sphere, and its place in the row of that body.
    owners: Vec<[u32; 2]>,
    period: Option<PeriodicBox<V>>,
    max_radius: f64,
}

/// Spheres that cover a capsule, at equal distances from one end to the other; one around its center if it is short.
#[derive(Clone, Copy, Debug)]
struct Row<V> {
    spine: Spine<V>,
    /// The radius of the spheres.
    radius: f64,
    /// Half the number of steps between their centers. 0 for one sphere.
    half_steps: f64,
}

impl<V: Vector> Row<V> {
    fn new(spine: Spine<V>) -> Self {
        let (half, radius) = (spine.half.length(), spine.radius);
        let steps = (half / (STEP * radius)).min(MOST).round();
        // Steps are NaN or many for a point. A sphere covers the capsule up to half a step from its center.
        let (cover, steps) = if half == 0.0 {
            (radius, 0.0)
        } else if steps < FEWEST {
            ((half + radius) * (1.0 + COVER), 0.0)
        } else {
            let reach = half / steps;
            let squared = reach * reach + radius * radius;
            (squared.sqrt() * (1.0 + COVER), steps)
        };
        Self {
            spine,
            radius: cover,
            half_steps: 0.5 * steps,
        }
    }

    /// Returns the number of spheres.
    fn count(&self) -> u32 {
        (2.0 * self.half_steps) as u32 + 1
    }

    fn sphere(&self, place: u32) -> Sphere<V> {
        let Spine { center, half, .. } = self.spine;
        let center = match self.half_steps {
            0.0 => center,
            half_steps => center + half * (f64::from(place) / half_steps - 1.0),
        };
        Sphere::new(center, self.radius)
    }

    /// Returns whether a sphere of the row is the nearest to a point of the segment, of two equally near ones the second.
    #[inline]
    fn is_nearest(&self, place: u32, point: f64) -> bool {
        let rest = (point + 1.0) * self.half_steps + 0.5 - f64::from(place);
        (0.0..1.0).contains(&rest)
    }

    fn is_long(&self) -> bool {
        self.spine.half != V::ZERO
    }
}

impl<V: Vector> Covers<V> {
    const fn new() -> Self {
        Self {
            rows: Vec::new(),
            spheres: Vec::new(),
            owners: Vec::new(),
            period: None,
            max_radius: 0.0,
        }
    }

    /// Replaces the bodies. After an error the contents are of no use.
    fn fill<X: Bounded<Vector = V>>(
        &mut self,
        count: usize,
        body: impl Fn(usize) -> X,
        period: Option<&PeriodicBox<V>>,
    ) -> Result<()> {
        check_count(count)?;
        self.rows.clear();
        self.spheres.clear();
        self.owners.clear();
        self.max_radius = 0.0;
        for index in 0..count {
            let body = body(index);
            let capsule = body.bounding_capsule();
            let capsule = capsule.unwrap_or_else(|| body.bounding_sphere().into());
            for end in capsule.ends {
                Sphere::new(end, capsule.radius).validate(index)?;
            }
            let sphere = capsule.bounding_sphere();
            sphere.validate(index)?;
            let mut spine = capsule.spine();
            if let Some(period) = period {
                spine.center = period.wrap(spine.center);
            }
            let row = Row::new(spine);
            check_count(self.owners.len() + row.count() as usize)?;
            let places = 0..row.count();
            self.owners
                .extend(places.map(|place| [index as u32, place]));
            self.spheres.push(Sphere::new(spine.center, sphere.radius));
            self.rows.push(row);
            self.max_radius = self.max_radius.max(sphere.radius);
        }
        self.period = period.copied();
        period.map_or(Ok(()), |period| period.check_radius(self.max_radius))
    }

    /// Returns a covering sphere.
    fn sphere(&self, index: usize) -> Sphere<V> {
        let [body, place] = self.owners[index];
        self.rows[body as usize].sphere(place)
    }

    /// Visits the pairs of bodies of some pairs of covering spheres; for each pair of bodies, one pair of spheres counts.
    ///
    /// In two passes, because the branch of the first test cannot be predicted.
    fn visit_pairs(&self, pairs: &mut [Pair], visit: &mut impl FnMut(usize, usize)) {
        let period = self.period.as_ref();
        let count = match period {
            None => self.keep_nearest(pairs, |a, b| b - a),
            Some(period) => self.keep_nearest(pairs, |a, b| period.minimum_image(b - a)),
        };
        for pair in &pairs[..count] {
            let [i, j] = pair.map(|body| body as usize);
            let [a, b] = [&self.rows[i], &self.rows[j]];
            if !(a.is_long() | b.is_long()) || a.spine.touches(&b.spine, period) {
                visit(i, j);
            }
        }
    }

    /// Replaces pairs of covering spheres that are nearest to the closest points of their bodies by pairs of bodies, at the
    /// front, and returns their number. `between` returns the vector between two centers.
    #[inline(always)]
    fn keep_nearest(&self, pairs: &mut [Pair], between: impl Fn(V, V) -> V) -> usize {
        let mut count = 0;
        for k in 0..pairs.len() {
            let [[i, place], [j, other]] = pairs[k].map(|index| self.owners[index as usize]);
            let [a, b] = [&self.rows[i as usize], &self.rows[j as usize]];
            let [s, t] = a
                .spine
                .closest(&b.spine, between(a.spine.center, b.spine.center));
            let is_nearest = a.is_nearest(place, s) & b.is_nearest(other, t) & (i != j);
            pairs[count] = [i.min(j), i.max(j)];
            count += usize::from(is_nearest);
        }
        count
    }
}

impl<B: BroadPhase> Covered<B> {
    /// Wraps a broad phase; bodies that it holds are dropped.
    pub fn new(mut inner: B) -> Self {
        // A rebuild without bodies cannot fail.
        let _ = inner.rebuild_with(0, |_| Sphere::new(B::Vector::ZERO, 0.0));
        let [covers, next] = [Covers::new(), Covers::new()];
        Self {
            inner,
            covers,
            next,
        }
    }

    /// Returns the inner broad phase, with the covering spheres.
    pub const fn inner(&self) -> &B {
        &self.inner
    }

    /// Returns the inner broad phase, to set a periodic box.
    pub const fn inner_mut(&mut self) -> &mut B {
        &mut self.inner
    }
}

impl<B: BroadPhase> BroadPhase for Covered<B> {
    type Vector = B::Vector;

    /// # Errors
    /// Returns [`ErrorKind::TooMany`] also for too many covering spheres, and [`ErrorKind::PeriodicBox`] if the largest
    /// body is too large for the box. An [`ErrorKind::CellSize`] names a covering sphere.
    fn rebuild_with<X: Bounded<Vector = B::Vector>>(
        &mut self,
        count: usize,
        body: impl Fn(usize) -> X,
    ) -> Result<()> {
        self.next.fill(count, body, self.inner.periodic_box())?;
        self.inner
            .rebuild_with(self.next.owners.len(), |index| self.next.sphere(index))?;
        std::mem::swap(&mut self.covers, &mut self.next);
        Ok(())
    }

    fn spheres(&self) -> &[Sphere<B::Vector>] {
        &self.covers.spheres
    }

    fn chunk_count(&self) -> usize {
        self.inner.chunk_count()
    }

    fn for_each_pair_in(&self, chunk: usize, mut visit: impl FnMut(usize, usize)) {
        let mut pairs = [[0; 2]; BLOCK];
        let mut count = 0;
        self.inner.for_each_pair_in(chunk, |index, other| {
            pairs[count] = [index as u32, other as u32];
            count += 1;
            if count == BLOCK {
                self.covers.visit_pairs(&mut pairs, &mut visit);
                count = 0;
            }
        });
        self.covers.visit_pairs(&mut pairs[..count], &mut visit);
    }

    /// Visits each body whose capsule or sphere touches the bounding sphere of `query`. In a periodic box, a query that
    /// may touch two images of a body is compared with all bodies.
    fn for_each_touching(
        &self,
        query: &impl Bounded<Vector = B::Vector>,
        mut visit: impl FnMut(usize),
    ) {
        let (query, covers) = (query.bounding_sphere(), &self.covers);
        if query.validate(0).is_err() {
            return;
        }
        let reach = query.radius + covers.max_radius;
        if let Some(period) = covers
            .period
            .filter(|period| reach >= period.unique_within())
        {
            let touches = |index: usize| period.touches(&covers.sphere(index), &query);
            let mut last = None;
            for (index, &[body, _]) in covers.owners.iter().enumerate() {
                if last != Some(body) && touches(index) {
                    last = Some(body);
                    visit(body as usize);
                }
            }
            return;
        }
        let (point, period) = (Capsule::from(query).spine(), covers.period.as_ref());
        self.inner.for_each_touching(&query, |index| {
            let [body, place] = covers.owners[index];
            let row = &covers.rows[body as usize];
            let is_first = || {
                row.is_nearest(
                    place,
                    row.spine.closest(&point, row.spine.to(&point, period))[0],
                )
            };
            if !row.is_long() || is_first() && row.spine.touches(&point, period) {
                visit(body as usize);
            }
        });
    }

    fn periodic_box(&self) -> Option<&PeriodicBox<B::Vector>> {
        self.inner.periodic_box()
    }

    fn takes_capsules(&self) -> bool {
        true
    }

    #[cfg(feature = "rayon")]
    fn par_rebuild_with<X: Bounded<Vector = B::Vector>>(
        &mut self,
        count: usize,
        body: impl Fn(usize) -> X + Sync,
    ) -> Result<()> {
        self.next.fill(count, body, self.inner.periodic_box())?;
        self.inner
            .par_rebuild_with(self.next.owners.len(), |index| self.next.sphere(index))?;
        std::mem::swap(&mut self.covers, &mut self.next);
        Ok(())
    }
}
