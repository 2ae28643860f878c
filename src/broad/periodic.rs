use super::{BroadPhase, IncrementalBroadPhase, PeriodicBox, Result, Sphere, check_body};
#[cfg(doc)]
use crate::ErrorKind;
use crate::math::{Vector, check_count};
use crate::shape::Bounded;

/// How many bodies a chunk of images has.
const CHUNK: usize = 1024;

/// Any broad phase made periodic: it holds the bodies wrapped into the box, finds their pairs, and
/// is asked for the bodies near those images of a body that reach into the box.
///
/// Two bodies i and j touch if the wrapped ones do, or x_i + S (rounded) touches x_j or x_j + S
/// touches x_i for a lattice vector S whose image vector is lexicographically positive; see
/// [`PeriodicBox::touches`]. So each pair is found once, without ghosts in memory, and the search
/// inside the box is as fast as without periods. Pairs are (i, j):
/// [`PeriodicBox::nearest`] tells which images of the two touch.
///
/// The sides must be at least two cut-offs, four times the largest radius.
///
/// The pairs of the inner broad phase come first, then those across the faces, by the index of the
/// body that has an image. The images cost about 2 ns for a body amid the box, else a query.
///
/// ```
/// use osculate::{BroadPhase, LinkedCells, Periodic, PeriodicBox, Sphere, glam::DVec3};
///
/// let period = PeriodicBox::orthogonal(DVec3::ZERO, DVec3::splat(10.0), [true; 3])?;
/// let mut broad = Periodic::new(period, LinkedCells::new());
/// let spheres = [0.5, 5.0, 9.0].map(|x| Sphere::new(DVec3::new(x, 1.0, 1.0), 1.0));
/// broad.rebuild(&spheres)?;
/// let mut pairs = Vec::new();
/// broad.collect_pairs(&mut pairs);
/// assert_eq!(pairs, [[0, 2]]);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Periodic<V, B> {
    inner: B,
    /// The box of the next rebuild.
    next: PeriodicBox<V>,
    /// The box that the bodies are wrapped into.
    period: PeriodicBox<V>,
    /// No body is larger.
    max_radius: f64,
}

impl<V: Vector, B: BroadPhase<V>> Periodic<V, B> {
    /// Makes a broad phase periodic. Bodies that it holds are dropped.
    pub fn new(period: PeriodicBox<V>, mut inner: B) -> Self {
        // No bodies, no error.
        let _ = inner.rebuild_with(0, |_| Sphere::new(V::ZERO, 0.0));
        Self {
            inner,
            next: period,
            period,
            max_radius: 0.0,
        }
    }

    /// Gives the box for the next rebuild; until then bodies and pairs are those of the box
    /// before. For boxes that are sheared or change their size.
    pub const fn set_box(&mut self, period: PeriodicBox<V>) {
        self.next = period;
    }

    /// The broad phase inside, with the wrapped bodies.
    pub const fn inner(&self) -> &B {
        &self.inner
    }

    fn wrapped(&self, sphere: Sphere<V>) -> Sphere<V> {
        Sphere::new(self.period.wrap(sphere.center), sphere.radius)
    }

    /// Whether bodies may touch two images of another: only if the sides are two cut-offs to
    /// within rounding.
    fn is_tight(&self, reach: f64) -> bool {
        reach >= self.period.unique_within()
    }

    /// Whether a pair that touches at `image` of body `i` has been found before: as it is, at an
    /// earlier image, or as an image of `j`, whose turn comes first if its index is lower.
    #[cold]
    fn is_repeated(&self, i: u32, image: [i32; 3], j: u32) -> bool {
        let (a, b) = (&self.spheres()[i as usize], &self.spheres()[j as usize]);
        a.touches(b)
            || self
                .period
                .image_touches(a, b, |other| other > [0; 3] && other < image)
            || j < i && self.period.image_touches(b, a, |other| other > [0; 3])
    }

    /// Visits the pairs across faces of the bodies of one chunk.
    fn for_each_image_pair_in(&self, chunk: usize, mut visit: impl FnMut(u32, u32)) {
        let is_tight = self.is_tight(2.0 * self.max_radius);
        let first = chunk.saturating_mul(CHUNK).min(self.len());
        let bodies = self.spheres()[first..].iter().take(CHUNK);
        for (i, body) in (first as u32..).zip(bodies) {
            let reach = body.radius + self.max_radius;
            let Some(bounds) = self.period.reach_of_images(body.center, reach) else {
                continue;
            };
            self.period.any_image(body.center, bounds, |image, center| {
                if image > [0; 3] {
                    self.inner
                        .for_each_touching(&Sphere::new(center, body.radius), |j| {
                            let is_new = j != i && !(is_tight && self.is_repeated(i, image, j));
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

impl<V: Vector, B: BroadPhase<V>> BroadPhase<V> for Periodic<V, B> {
    /// # Errors
    /// Returns [`ErrorKind::PeriodicBox`] also if the largest body is too large for the box.
    fn rebuild_with(&mut self, count: usize, sphere: impl Fn(usize) -> Sphere<V>) -> Result<()> {
        check_count(count)?;
        let mut radius = 0.0;
        for i in 0..count {
            let sphere = sphere(i);
            sphere.validate(i)?;
            radius = sphere.radius.max(radius);
        }
        let period = self.next;
        period.check_radius(radius)?;
        let result = self.inner.rebuild_with(count, |i| {
            let Sphere { center, radius } = sphere(i);
            Sphere::new(period.wrap(center), radius)
        });
        if result.is_ok() {
            self.period = period;
        }
        self.max_radius = max_radius(self.inner.spheres());
        result
    }

    /// The wrapped ones.
    fn spheres(&self) -> &[Sphere<V>] {
        self.inner.spheres()
    }

    fn chunk_count(&self) -> usize {
        self.inner.chunk_count() + self.len().div_ceil(CHUNK)
    }

    fn for_each_pair_in(&self, chunk: usize, visit: impl FnMut(u32, u32)) {
        match chunk.checked_sub(self.inner.chunk_count()) {
            None => self.inner.for_each_pair_in(chunk, visit),
            Some(chunk) => self.for_each_image_pair_in(chunk, visit),
        }
    }

    /// Each body that touches an image of the wrapped query, x + S (rounded), for any S. A query
    /// that may touch two images of a body is compared with all bodies, O(n).
    fn for_each_touching(&self, query: &impl Bounded<V>, mut visit: impl FnMut(u32)) {
        let query = query.bounding_sphere();
        if query.validate(0).is_err() {
            return;
        }
        let query = self.wrapped(query);
        let reach = query.radius + self.max_radius;
        if self.is_tight(reach) {
            for (i, body) in (0..).zip(self.spheres()) {
                if query.touches(body) || self.period.image_touches(&query, body, |_| true) {
                    visit(i);
                }
            }
            return;
        }
        self.inner.for_each_touching(&query, &mut visit);
        if let Some(bounds) = self.period.reach_of_images(query.center, reach) {
            self.period
                .any_image(query.center, bounds, |image, center| {
                    if image != [0; 3] {
                        self.inner
                            .for_each_touching(&Sphere::new(center, query.radius), &mut visit);
                    }
                    false
                });
        }
    }

    fn periodic_box(&self) -> Option<&PeriodicBox<V>> {
        Some(&self.next)
    }

    fn accepts_pair(&self, i: u32, j: u32) -> bool {
        self.inner.accepts_pair(i, j)
    }
}

/// Bodies that are too large for the box are refused: [`ErrorKind::PeriodicBox`].
impl<V: Vector, B: IncrementalBroadPhase<V>> IncrementalBroadPhase<V> for Periodic<V, B> {
    fn insert(&mut self, sphere: Sphere<V>) -> Result<u32> {
        let body = self.len();
        check_count(body + 1)?;
        sphere.validate(body)?;
        self.period.check_radius(sphere.radius)?;
        let body = self.inner.insert(self.wrapped(sphere))?;
        self.max_radius = self.max_radius.max(sphere.radius);
        Ok(body)
    }

    fn remove(&mut self, body: u32) -> Result<()> {
        self.inner.remove(body)
    }

    fn relocate(&mut self, body: u32, sphere: Sphere<V>) -> Result<()> {
        check_body(body, self.len())?;
        sphere.validate(body as usize)?;
        self.period.check_radius(sphere.radius)?;
        self.inner.relocate(body, self.wrapped(sphere))?;
        self.max_radius = self.max_radius.max(sphere.radius);
        Ok(())
    }
}

fn max_radius<V>(spheres: &[Sphere<V>]) -> f64 {
    spheres
        .iter()
        .fold(0.0, |max, sphere| sphere.radius.max(max))
}
