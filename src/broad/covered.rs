use super::{BroadPhase, PeriodicBox, Result, Sphere};
#[cfg(doc)]
use crate::ErrorKind;
use crate::math::tolerance::two_to;
use crate::math::{Vector, check_count};
use crate::shape::{Bounded, Capsule};

/// The least ratio of length to width from which several spheres cover a capsule; fewer bodies have one sphere.
const LEAST_ASPECT: f64 = 6.0;
/// The number of covering spheres, relative to the aspect. More spheres fit better, and take longer to search.
const COUNT: f64 = 0.4;
/// The most covering spheres of a body, so that memory is O(bodies).
const MOST: usize = 64;
/// Covering spheres of capsules that touch to rounding must touch. The reach of two covers is at least 2^-7 of the sizes
/// of the pair, of which [`Capsule::meet`] allows 2^-22, and 2^-44 of the squares.
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
/// Cost: 1.1 µs for each rod of 1:10 at a solid fraction of 0.5, 3 µs at 1:30 (docs/BENCHMARKS.md). 150 bytes per
/// body and 8 per sphere, and those of the inner broad phase.
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
    bodies: Vec<Cover<V>>,
    /// The bounding spheres of the bodies.
    spheres: Vec<Sphere<V>>,
    /// The body of each covering sphere.
    owners: Vec<u32>,
    period: Option<PeriodicBox<V>>,
    max_radius: f64,
}

/// Spheres that cover a capsule, at equal distances from one end to the other.
#[derive(Clone, Copy, Debug)]
struct Cover<V> {
    capsule: Capsule<V>,
    /// The index of the first sphere.
    start: usize,
    count: usize,
    radius: f64,
}

impl<V: Vector> Cover<V> {
    /// Covers a capsule with this bounding sphere.
    fn new(capsule: Capsule<V>, sphere: &Sphere<V>, start: usize) -> Self {
        let (half, radius) = (capsule.half_length(), capsule.radius);
        let size = half + radius;
        let (mut count, mut cover) = (1, sphere.radius);
        if size >= LEAST_ASPECT * radius && half > 0.0 {
            count = (COUNT * size / radius).min(MOST as f64).round() as usize;
            // Half of the distance of two centers, and the radius.
            let step = half / (count - 1) as f64;
            let squared = step * step + radius * radius;
            cover = squared.sqrt() * (1.0 + COVER) + capsule.rounding();
        }
        Self {
            capsule,
            start,
            count,
            radius: cover,
        }
    }

    /// Returns a covering sphere.
    fn sphere(&self, index: usize) -> Sphere<V> {
        let [a, b] = self.capsule.ends;
        if self.count == 1 {
            return Sphere::new(self.capsule.center(), self.radius);
        }
        let place = (index - self.start) as f64 / (self.count - 1) as f64;
        Sphere::new(a + (b - a) * place, self.radius)
    }

    /// Returns whether a covering sphere is the nearest to a place between the ends, of two equally near ones the second.
    fn is_nearest(&self, index: usize, place: f64) -> bool {
        self.start + (place * (self.count - 1) as f64 + 0.5) as usize == index
    }
}

impl<V: Vector> Covers<V> {
    const fn new() -> Self {
        Self {
            bodies: Vec::new(),
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
        self.bodies.clear();
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
            let cover = Cover::new(capsule, &sphere, self.owners.len());
            let total = self.owners.len() + cover.count;
            check_count(total)?;
            self.owners.resize(total, index as u32);
            let center = period.map_or(sphere.center, |period| period.wrap(sphere.center));
            self.spheres.push(Sphere::new(center, sphere.radius));
            self.bodies.push(cover);
            self.max_radius = self.max_radius.max(sphere.radius);
        }
        self.period = period.copied();
        period.map_or(Ok(()), |period| period.check_radius(self.max_radius))
    }

    /// Returns a covering sphere.
    fn sphere(&self, index: usize) -> Sphere<V> {
        self.bodies[self.owners[index] as usize].sphere(index)
    }

    /// Returns the pair of bodies that has two covering spheres, for one pair of spheres of each pair of bodies.
    #[inline]
    fn pair(&self, index: usize, other: usize) -> Option<[usize; 2]> {
        let [i, j] = [index, other].map(|index| self.owners[index] as usize);
        if i == j {
            return None;
        }
        let [a, b] = [&self.bodies[i], &self.bodies[j]];
        if a.capsule.is_long() || b.capsule.is_long() {
            let meeting = a.capsule.meet(&b.capsule, self.period.as_ref());
            let [s, t] = meeting.places;
            if !(meeting.touches && a.is_nearest(index, s) && b.is_nearest(other, t)) {
                return None;
            }
        }
        Some([i.min(j), i.max(j)])
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
        self.inner.rebuild_with(self.next.owners.len(), |index| self.next.sphere(index))?;
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
        self.inner.for_each_pair_in(chunk, |index, other| {
            if let Some([i, j]) = self.covers.pair(index, other) {
                visit(i, j);
            }
        });
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
        if let Some(period) = covers.period.filter(|period| reach >= period.unique_within()) {
            for (i, body) in covers.bodies.iter().enumerate() {
                let mut spheres = (body.start..body.start + body.count).map(|k| body.sphere(k));
                if spheres.any(|sphere| period.touches(&sphere, &query)) {
                    visit(i);
                }
            }
            return;
        }
        let point = Capsule::from(query);
        self.inner.for_each_touching(&query, |index| {
            let i = covers.owners[index] as usize;
            let body = &covers.bodies[i];
            let is_found = || {
                let meeting = body.capsule.meet(&point, covers.period.as_ref());
                meeting.touches && body.is_nearest(index, meeting.places[0])
            };
            if !body.capsule.is_long() || is_found() {
                visit(i);
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
        self.inner.par_rebuild_with(self.next.owners.len(), |index| self.next.sphere(index))?;
        std::mem::swap(&mut self.covers, &mut self.next);
        Ok(())
    }
}
