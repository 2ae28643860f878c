#[cfg(feature = "rayon")]
use super::source::SyncSource;
use super::source::{BATCH, Source, copies};
use super::{BroadPhase, IncrementalBroadPhase, Pair, PeriodicBox, Result, Sphere, check_index};
#[cfg(doc)]
use crate::ErrorKind;
use crate::math::{Vector, check_count};
#[cfg(feature = "rayon")]
use crate::parallel::PART;
use crate::shape::Bounded;

/// The number of bodies whose images a chunk searches.
const CHUNK: usize = 1024;

/// A broad phase in a periodic box.
///
/// The inner broad phase holds the bodies wrapped into the box. Queries with the images of bodies that reach into the
/// box find the pairs across its faces. No ghosts are stored, and the search inside the box takes as long as without
/// periodicity.
///
/// Let S be a lattice vector with a lexicographically positive image index. Bodies i and j touch if the
/// wrapped spheres touch. They also touch if, for any S, x_i + S (rounded) touches x_j or x_j + S touches
/// x_i ([`PeriodicBox::touches`]). [`PeriodicBox::nearest_image`] gives the image of j that is nearest to i.
///
/// Each periodic side must be at least four times the largest radius (two cut-offs).
///
/// The pairs of the inner broad phase come first, then those across the faces, by the index of the larger body. Cost:
/// about 2 ns for a body inside the box. A body within two of its radii of a face takes a query or two: large bodies
/// search for small ones, never the other way round. A rebuild wraps the bodies into a buffer of 32 bytes each (24 in 2D).
///
/// ```
/// use osculate::{BroadPhase, LinkedCells, Periodic, PeriodicBox, Sphere, glam::DVec3};
///
/// let period = PeriodicBox::orthogonal(DVec3::ZERO, DVec3::splat(10.0), [true; 3])?;
/// let mut broad = Periodic::new(LinkedCells::new(), period);
/// let spheres = [0.5, 5.0, 9.0].map(|x| Sphere::new(DVec3::new(x, 1.0, 1.0), 1.0));
/// broad.rebuild(&spheres)?;
/// let mut pairs = Vec::new();
/// broad.collect_pairs(&mut pairs);
/// assert_eq!(pairs, [[0, 2]]);
/// // Body 2 beyond the lower face, next to body 0.
/// let image = period.nearest_image(spheres[2].center, spheres[0].center);
/// assert_eq!(image, DVec3::new(-1.0, 1.0, 1.0));
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Periodic<B: BroadPhase> {
    inner: B,
    /// The box of the next rebuild.
    next: PeriodicBox<B::Vector>,
    /// The box that the bodies are wrapped into.
    period: PeriodicBox<B::Vector>,
    /// A lower and an upper bound of the radii.
    radii: [f64; 2],
    /// A buffer: the bodies of the last rebuild, in the box. The inner broad phase reads them faster than it wraps them.
    wrapped: Vec<Sphere<B::Vector>>,
}

/// The bounds of no radii.
const NO_RADII: [f64; 2] = [f64::INFINITY, 0.0];

impl<B: BroadPhase> Periodic<B> {
    /// Wraps a broad phase; bodies that it holds are dropped.
    pub fn new(mut inner: B, period: PeriodicBox<B::Vector>) -> Self {
        // A rebuild without bodies cannot fail.
        let _ = inner.rebuild_with(0, |_| Sphere::new(B::Vector::ZERO, 0.0));
        Self {
            inner,
            next: period,
            period,
            radii: NO_RADII,
            wrapped: Vec::new(),
        }
    }

    /// Sets the box of the next rebuild, for boxes that are sheared or change their size. Until then bodies and pairs
    /// belong to the previous box.
    pub const fn set_box(&mut self, period: PeriodicBox<B::Vector>) {
        self.next = period;
    }

    /// Returns the inner broad phase, with the wrapped bodies.
    pub const fn inner(&self) -> &B {
        &self.inner
    }

    /// Returns whether a body may touch two images of another body. This needs a side of two cut-offs, to rounding.
    fn is_tight(&self, reach: f64) -> bool {
        reach >= self.period.unique_within()
    }

    /// Returns whether an image of body `i` touches body `j`. A larger body has all images of the pair; of two equal ones
    /// each has its positive images.
    fn image_touches(&self, i: usize, image: [i32; 3], j: usize) -> bool {
        let (a, b) = (&self.spheres()[i], &self.spheres()[j]);
        let moved = |body: &Sphere<B::Vector>, image| {
            Sphere::new(body.center + self.period.lattice_vector(image), body.radius)
        };
        if image > [0; 3] {
            b.radius <= a.radius && j != i && moved(a, image).touches(b)
        } else {
            b.radius < a.radius && moved(b, image.map(i32::wrapping_neg)).touches(a)
        }
    }

    /// Returns whether the pair that touches at `image` of body `i` was already visited.
    ///
    /// It was visited if the pair also touches without a shift, at an earlier image, or, if the bodies are equally large,
    /// as an image of `j` with the lower index `j`.
    #[cold]
    fn is_repeated(&self, i: usize, image: [i32; 3], j: usize) -> bool {
        let (a, b) = (&self.spheres()[i], &self.spheres()[j]);
        let period = &self.period;
        let is_earlier = |other: [i32; 3]| match b.radius < a.radius {
            true => other.map(i32::wrapping_neg) < image,
            false => j < i,
        };
        a.touches(b)
            || period.image_touches(a, b, |other| other > [0; 3] && other < image)
            || period.image_touches(b, a, |other| other > [0; 3] && is_earlier(other))
    }

    /// Visits the pairs across faces of the bodies of one chunk with images of these bodies.
    fn for_each_image_pair_in(&self, chunk: usize, mut visit: impl FnMut(usize, usize)) {
        let [min_radius, max_radius] = self.radii;
        let is_tight = self.is_tight(2.0 * max_radius);
        // So that the search also finds those which only the exact test of the other image finds: of any position in the box.
        let slack = 1.25 * self.period.rounding(self.period.min());
        let bodies = self.spheres().iter().enumerate();
        for (i, body) in bodies.skip(chunk.saturating_mul(CHUNK)).take(CHUNK) {
            let radius = body.radius + slack;
            let bounds = self.period.reach_of_images(body.center, 2.0 * radius);
            let Some(bounds) = bounds else { continue };
            let has_negative = body.radius > min_radius;
            self.period
                .any_image(body.center, bounds, &mut |image, center| {
                    if image > [0; 3] || has_negative && image != [0; 3] {
                        let query = Sphere::new(center, radius);
                        self.inner.for_each_touching(&query, |j| {
                            let is_new = self.image_touches(i, image, j)
                                && !(is_tight && self.is_repeated(i, image, j));
                            let pair = (i.min(j), i.max(j));
                            if is_new && self.inner.accepts_pair(pair.0, pair.1) {
                                visit(pair.0, pair.1);
                            }
                        });
                    }
                    false
                });
        }
    }
}

impl<B: BroadPhase> BroadPhase for Periodic<B> {
    type Vector = B::Vector;

    /// # Errors
    /// Returns [`ErrorKind::PeriodicBox`] also if the largest body is too large for the box.
    fn rebuild_with(
        &mut self,
        count: usize,
        sphere: impl Fn(usize) -> Sphere<B::Vector>,
    ) -> Result<()> {
        check_count(count)?;
        super::resize(&mut self.wrapped, count);
        let radii = wrap(0, &mut self.wrapped, &copies(sphere), &self.next)?;
        self.next.check_radius(radii[1])?;
        self.inner.rebuild(&self.wrapped)?;
        (self.period, self.radii) = (self.next, radii);
        Ok(())
    }

    #[cfg(feature = "rayon")]
    fn par_rebuild_with(
        &mut self,
        count: usize,
        sphere: impl Fn(usize) -> Sphere<B::Vector> + Sync,
    ) -> Result<()> {
        check_count(count)?;
        super::resize(&mut self.wrapped, count);
        let radii = par_wrap(&mut self.wrapped, &copies(sphere), &self.next)?;
        self.next.check_radius(radii[1])?;
        self.inner.par_rebuild(&self.wrapped)?;
        (self.period, self.radii) = (self.next, radii);
        Ok(())
    }

    /// Returns the wrapped spheres.
    fn spheres(&self) -> &[Sphere<B::Vector>] {
        self.inner.spheres()
    }

    fn chunk_count(&self) -> usize {
        self.inner.chunk_count() + self.len().div_ceil(CHUNK)
    }

    fn for_each_pair_in(&self, chunk: usize, visit: impl FnMut(usize, usize)) {
        match chunk.checked_sub(self.inner.chunk_count()) {
            None => self.inner.for_each_pair_in(chunk, visit),
            Some(chunk) => self.for_each_image_pair_in(chunk, visit),
        }
    }

    fn append_pairs_in(&self, chunk: usize, pairs: &mut Vec<Pair>) {
        match chunk.checked_sub(self.inner.chunk_count()) {
            None => self.inner.append_pairs_in(chunk, pairs),
            Some(chunk) => self.for_each_image_pair_in(chunk, |i, j| {
                pairs.push([i as u32, j as u32]);
            }),
        }
    }

    /// Visits each body that touches an image of the wrapped query, x + S (rounded), for any S. A query that
    /// may touch two images of a body is compared with all bodies, O(n).
    fn for_each_touching(
        &self,
        query: &impl Bounded<Vector = B::Vector>,
        mut visit: impl FnMut(usize),
    ) {
        let query = query.bounding_sphere();
        if query.validate(0).is_err() {
            return;
        }
        let query = wrapped(query, &self.period);
        let reach = query.radius + self.radii[1];
        if self.is_tight(reach) {
            for (i, body) in self.spheres().iter().enumerate() {
                if query.touches(body) || self.period.image_touches(&query, body, |_| true) {
                    visit(i);
                }
            }
            return;
        }
        self.inner.for_each_touching(&query, &mut visit);
        if let Some(bounds) = self.period.reach_of_images(query.center, reach) {
            self.period
                .any_image(query.center, bounds, &mut |image, center| {
                    if image != [0; 3] {
                        let image = Sphere::new(center, query.radius);
                        self.inner.for_each_touching(&image, &mut visit);
                    }
                    false
                });
        }
    }

    fn periodic_box(&self) -> Option<&PeriodicBox<B::Vector>> {
        Some(&self.next)
    }

    fn accepts_pair(&self, i: usize, j: usize) -> bool {
        self.inner.accepts_pair(i, j)
    }
}

/// Bodies that are too large for the box are refused with [`ErrorKind::PeriodicBox`].
impl<B: IncrementalBroadPhase> IncrementalBroadPhase for Periodic<B> {
    fn insert(&mut self, sphere: Sphere<B::Vector>) -> Result<usize> {
        let body = self.len();
        check_count(body + 1)?;
        sphere.validate(body)?;
        self.period.check_radius(sphere.radius)?;
        let body = self.inner.insert(wrapped(sphere, &self.period))?;
        self.radii = union(self.radii, [sphere.radius; 2]);
        Ok(body)
    }

    fn swap_remove(&mut self, body: usize) -> Result<()> {
        self.inner.swap_remove(body)
    }

    fn replace(&mut self, body: usize, sphere: Sphere<B::Vector>) -> Result<()> {
        check_index(body, self.len())?;
        sphere.validate(body)?;
        self.period.check_radius(sphere.radius)?;
        self.inner.replace(body, wrapped(sphere, &self.period))?;
        self.radii = union(self.radii, [sphere.radius; 2]);
        Ok(())
    }
}

fn wrapped<V: Vector>(sphere: Sphere<V>, period: &PeriodicBox<V>) -> Sphere<V> {
    Sphere::new(period.wrap(sphere.center), sphere.radius)
}

/// Validates the bodies from `first` on, copies them into the box, and returns the bounds of their radii.
fn wrap<V: Vector>(
    first: usize,
    copies: &mut [Sphere<V>],
    source: &Source<'_, V>,
    period: &PeriodicBox<V>,
) -> Result<[f64; 2]> {
    let mut radii = NO_RADII;
    for (first, copies) in (first..).step_by(BATCH).zip(copies.chunks_mut(BATCH)) {
        source(first, copies);
        for (i, sphere) in (first..).zip(copies) {
            sphere.validate(i)?;
            *sphere = wrapped(*sphere, period);
            radii = union(radii, [sphere.radius; 2]);
        }
    }
    Ok(radii)
}

/// Does the same for all bodies, in parallel.
#[cfg(feature = "rayon")]
fn par_wrap<V: Vector>(
    copies: &mut [Sphere<V>],
    source: &SyncSource<'_, V>,
    period: &PeriodicBox<V>,
) -> Result<[f64; 2]> {
    use rayon::prelude::*;
    let parts = copies.par_chunks_mut(PART).enumerate();
    let radii = parts.map(|(part, copies)| wrap(part * PART, copies, source, period));
    // In order, so that the error is that of the first invalid body.
    radii.reduce(|| Ok(NO_RADII), |a, b| Ok(union(a?, b?)))
}

/// Returns the bounds of two sets of radii.
const fn union(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0].min(b[0]), a[1].max(b[1])]
}
