//! Lists of the bodies near a wall.

#[cfg(feature = "rayon")]
mod parallel;
mod snapshot;

use std::mem;

pub use self::snapshot::WallListSnapshot;
use super::double_hierarchy::Ball;
use super::{FacetSubset, Wall, WallMesh};
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::math::tolerance::MOVED_FACET;
use crate::math::{Vector, check_count, check_length, is_length};
use crate::shape::{Bounded, Skin, Sphere, Stamp, check_margin};

/// How far facets are searched around a body, relative to its reach.
const SEARCHED: f64 = 8.0;

/// A list of the bodies near a wall, with the facets near each and its data: a Verlet list.
///
/// Without a list, each body queries the wall even where there is no facet. The list stores the facets within the
/// [`Skin`] of each body near the wall, for the kernels. They last until the body has moved by the skin relative to the
/// wall. For a body away from the wall, it stores the distance of the nearest facet, up to eight times its reach. Such a
/// body costs about 4 ns per step.
///
/// The data of a body are the state of a kernel ([`PressureState`](super::PressureState)), a contact history
/// ([`WallHistory`](super::WallHistory)), or your own. They are created when the body comes near, and
/// dropped when the body is away again. Set the margin of the kernel ([`with_margin`](Self::with_margin)). Contacts are
/// then the same as without a list, bit for bit.
///
/// Use one list per wall. The wall may move, deform and be periodic. After it has deformed, facets are searched around all
/// bodies. For another wall call [`clear`](Self::clear), unless the data stay valid.
///
/// If the number of bodies changes, bodies keep their indices: additional bodies are new, and missing bodies lose their
/// data. If the indices change, call [`renumber`](Self::renumber).
///
/// ```
/// use osculate::narrow::WallHistory;
/// use osculate::{DoubleHierarchy, Skin, Sphere, SurfaceMesh, Wall, WallList, glam::DVec3};
///
/// let corners = [(0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0)].map(|(x, y)| DVec3::new(x, y, 0.0));
/// let floor = Wall::new(SurfaceMesh::new(corners.to_vec(), [[0, 1, 2, 3]])?);
/// let mut list = WallList::<WallHistory<DVec3>>::new(Skin::Relative(0.2))?;
/// let (mut kernel, mut touching) = (DoubleHierarchy::new(), Vec::new());
/// // Each step:
/// let spheres = [0.9, 1.1, 7.0].map(|z| Sphere::new(DVec3::new(4.0, 5.0, z), 1.0));
/// list.update(&spheres, &floor)?;
/// list.for_each_body(&floor, |i, near, history| {
///     history.for_each_contact(&mut kernel, &spheres[i], near, |contact, _spring| {
///         touching.push((i, contact.normal));
///     });
/// });
/// assert_eq!(list.bodies(), [0, 1]);
/// assert_eq!(touching, [(0, -DVec3::Z)]);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct WallList<S, V: Vector = glam::DVec3> {
    skin: Skin,
    margin: f64,
    tracks: Vec<Track<V>>,
    near: NearBodies<V>,
    data: Vec<S>,
    /// The bodies near the wall in each part of all bodies. Those that were not searched have no facets here.
    parts: Vec<NearBodies<V>>,
    /// Buffers.
    found: NearBodies<V>,
    moved: Vec<S>,
    /// The wall of the last update.
    stamp: Stamp,
}

/// The bodies near the wall in ascending order, and the slots of the facets near each.
#[derive(Clone, Debug, Default)]
struct NearBodies<V> {
    bodies: Vec<u32>,
    /// For each body the ball within which all facets were found, and where its slots end. None before an update.
    balls: Vec<(Ball<V>, usize)>,
    slots: Vec<u32>,
}

impl<V: Vector> NearBodies<V> {
    fn clear(&mut self) {
        self.bodies.clear();
        self.balls.clear();
        self.slots.clear();
    }

    fn push(&mut self, body: u32, (ball, slots): (Ball<V>, &[u32])) {
        self.bodies.push(body);
        self.slots.extend_from_slice(slots);
        self.balls.push((ball, self.slots.len()));
    }

    /// Returns the ball and the slots of the `k`-th body.
    fn of(&self, k: usize) -> (Ball<V>, &[u32]) {
        let start = k.checked_sub(1).map_or(0, |before| self.balls[before].1);
        let (ball, end) = self.balls[k];
        (ball, &self.slots[start..end])
    }

    /// Starts to load the facets near the `k`-th body, if there is one.
    fn prefetch<M: WallMesh<Vector = V>>(&self, k: usize, wall: &Wall<M>) {
        if k < self.balls.len() {
            M::prefetch(&wall.index, self.of(k).1.iter().copied());
        }
    }
}

/// The last search around a body.
#[derive(Clone, Copy, Debug, Default)]
struct Track<V> {
    /// The center when facets were last searched, in the coordinates of the mesh.
    at: V,
    /// How far the body may move before facets are searched again: the size of this, minus radius and margin. Positive
    /// for a body away from the wall: no facet was closer to `at`. Negative for a body near the wall, 0 before a search.
    free: f64,
}

impl<S: Default, V: Vector> WallList<S, V> {
    /// Creates an empty list.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if the skin is neither 0 nor within [2^-150, 2^150].
    pub fn new(skin: Skin) -> Result<Self> {
        skin.check()?;
        Ok(Self {
            skin,
            margin: 0.0,
            tracks: Vec::new(),
            near: NearBodies::default(),
            data: Vec::new(),
            parts: Vec::new(),
            found: NearBodies::default(),
            moved: Vec::new(),
            stamp: Stamp::NONE,
        })
    }

    /// Counts bodies up to `margin` from the wall as touching it. 0 by default.
    ///
    /// Take it from the kernel, [`margin`](crate::DoubleHierarchy::margin) or
    /// [`list_margin`](crate::PressureField::list_margin). A list with a smaller margin misses bodies;
    /// [`check_margin`](Self::check_margin) reports it.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if the margin is neither 0 nor within [2^-150, 2^150].
    pub fn with_margin(mut self, margin: f64) -> Result<Self> {
        check_length("margin", margin)?;
        self.margin = margin;
        self.look_again();
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

    /// Brings the list up to date with the bodies and the wall, and returns whether bodies were added or removed. Call it each
    /// step.
    ///
    /// As [`update_with`](Self::update_with), from a slice.
    ///
    /// # Errors
    /// As for [`update_with`](Self::update_with).
    pub fn update<M, X>(&mut self, bodies: &[X], wall: &Wall<M>) -> Result<bool>
    where
        M: WallMesh<Vector = V>,
        X: Bounded<Vector = V>,
    {
        self.update_with(bodies.len(), |i| bodies[i].bounding_sphere(), wall)
    }

    /// Brings the list up to date with `count` bodies and the wall, and returns whether bodies were added or removed.
    ///
    /// Body `i` has the bounding sphere `sphere(i)`.
    ///
    /// Cost: about 4 ns for a body that stays away from the wall or stays near it. Other bodies take a search of the
    /// tree, and after a search the list is written anew. Nothing is allocated once the buffers have grown.
    ///
    /// # Errors
    /// Returns [`ErrorKind::TooMany`]; [`ErrorKind::Coordinate`] or [`ErrorKind::Radius`] for the lowest body out of
    /// range, or larger than the reach of a periodic wall. The list then keeps its bodies and their data.
    pub fn update_with<M: WallMesh<Vector = V>>(
        &mut self,
        count: usize,
        sphere: impl Fn(usize) -> Sphere<V>,
        wall: &Wall<M>,
    ) -> Result<bool> {
        self.update_parts(count, 1, wall, |list, tracks, parts| {
            list.scan(0, tracks, &sphere, wall, &mut parts[0])
        })
    }

    /// Updates the list by `scan`, which finds the bodies near the wall in some parts of all bodies.
    fn update_parts<M: WallMesh<Vector = V>>(
        &mut self,
        count: usize,
        part_count: usize,
        wall: &Wall<M>,
        scan: impl FnOnce(&Self, &mut [Track<V>], &mut [NearBodies<V>]) -> Result<bool>,
    ) -> Result<bool> {
        check_count(count)?;
        if self.stamp != wall.stamp() {
            self.stamp = wall.stamp();
            self.look_again();
        }
        let (mut tracks, mut parts) = (mem::take(&mut self.tracks), mem::take(&mut self.parts));
        tracks.resize(count, Track::default());
        parts.resize_with(part_count, NearBodies::default);
        let has_searched = scan(self, &mut tracks, &mut parts);
        (self.tracks, self.parts) = (tracks, parts);
        if has_searched.is_err() {
            // Some tracks belong to this update, others to the previous one, as does the list.
            self.look_again();
        }
        Ok(self.join_parts(has_searched?))
    }

    /// Finds the bodies near the wall among a part of all bodies, from the index `first` on. Returns whether facets were
    /// searched.
    fn scan<M: WallMesh<Vector = V>>(
        &self,
        first: usize,
        tracks: &mut [Track<V>],
        sphere: impl Fn(usize) -> Sphere<V>,
        wall: &Wall<M>,
        near: &mut NearBodies<V>,
    ) -> Result<bool> {
        near.clear();
        let mut has_searched = false;
        // The columns of the inverse rotation.
        let origin = wall.pose().translation();
        let axes: [V; 3] = std::array::from_fn(|k| {
            let axis = V::from_fn(|axis| if axis == k { 1.0 } else { 0.0 });
            wall.pose().inverse_transform_vector(axis)
        });
        let to_mesh = |x: V| {
            let arm = x - origin;
            (1..V::DIM).fold(axes[0] * arm[0], |sum, k| sum + axes[k] * arm[k])
        };
        // Rounding grows with the distance of the mesh from the world's origin. Tracks include the other errors.
        let rounding = MOVED_FACET * (4.0 * sum_abs(origin));
        let (lost, extent) = (self.margin + rounding, wall.extent());
        for (i, track) in (first..).zip(tracks) {
            let sphere = sphere(i);
            let at = to_mesh(sphere.center);
            let room = track.free.abs() - sphere.radius - lost;
            let is_settled = (at - track.at).length_squared() < room * room.abs();
            if is_settled && is_length(sphere.radius) {
                if track.free < 0.0 {
                    near.push(i as u32, Default::default());
                }
                continue;
            }
            has_searched = true;
            let free = self.look(i, &sphere, [rounding, extent], wall, near)?;
            *track = Track { at, free };
        }
        Ok(has_searched)
    }

    /// Searches the facets around a body, adds them if there are some, and returns `free` of its track.
    ///
    /// Distances are reduced by the given rounding error and by those of the body's coordinates and of the wall's, which
    /// are within the extent.
    #[inline(never)]
    fn look<M: WallMesh<Vector = V>>(
        &self,
        i: usize,
        sphere: &Sphere<V>,
        [rounding, extent]: [f64; 2],
        wall: &Wall<M>,
        near: &mut NearBodies<V>,
    ) -> Result<f64> {
        sphere.validate(i)?;
        let needed = sphere.radius + self.margin;
        if needed > wall.reach() {
            let value = needed;
            return Err(Error(Cause::Reach { index: i, value }));
        }
        let reach = (needed + self.skin.at_wall(sphere.radius)).min(wall.reach());
        let cap = SEARCHED * reach;
        let center = wall.to_mesh(sphere.center);
        let size = sum_abs(sphere.center) + sum_abs(center) + extent;
        let slack = rounding + MOVED_FACET * (size + 4.0 * cap);
        let first = near.slots.len();
        let add = |slot| near.slots.push(slot);
        (wall.index.tree).for_each_slot_within(reach + slack, center, add);
        if near.slots.len() > first {
            near.bodies.push(i as u32);
            near.balls.push((Ball { center, reach }, near.slots.len()));
            return Ok(-reach.max(f64::MIN_POSITIVE));
        }
        let cap = cap.max(4.0 * (reach + slack));
        let distance = wall.index.tree.nearest_within(center, reach + slack, cap);
        Ok(distance.min(wall.reach()) - slack)
    }

    /// Builds the list from those of all parts, and returns whether the bodies differ from those of the last list.
    fn join_parts(&mut self, has_searched: bool) -> bool {
        let count: usize = self.parts.iter().map(|part| part.bodies.len()).sum();
        if !has_searched && count == self.near.bodies.len() {
            return false;
        }
        self.found.clear();
        let (before, mut old) = (&self.near, 0);
        for part in &self.parts {
            for (k, &body) in part.bodies.iter().enumerate() {
                while before.bodies.get(old).is_some_and(|&i| i < body) {
                    old += 1;
                }
                let facets = match part.of(k) {
                    (_, []) => before.of(old),
                    found => found,
                };
                self.found.push(body, facets);
            }
        }
        mem::swap(&mut self.near, &mut self.found);
        let has_changed = self.near.bodies != self.found.bodies;
        if has_changed {
            self.move_data();
        }
        has_changed
    }

    /// Moves the data of the bodies in `found` to those in the list. A new body gets the default.
    fn move_data(&mut self) {
        let (now, before) = (&self.near.bodies, &self.found.bodies);
        let same = now.iter().zip(before).take_while(|(a, b)| a == b).count();
        self.moved.extend(self.data.drain(same..));
        let mut old = before[same..].iter().zip(self.moved.drain(..)).peekable();
        self.data.extend(now[same..].iter().map(|body| {
            while old.next_if(|(i, _)| *i < body).is_some() {}
            let own = old.next_if(|(i, _)| *i == body);
            own.map_or_else(S::default, |(_, data)| data)
        }));
    }

    /// Visits each body near the wall in ascending order, with the facets near it and its data.
    ///
    /// `wall` is that of the last update. With another or deformed one, and after [`renumber`](Self::renumber) or
    /// [`restore`](Self::restore), no body is visited until the next update.
    pub fn for_each_body<M: WallMesh<Vector = V>>(
        &mut self,
        wall: &Wall<M>,
        mut visit: impl FnMut(usize, &FacetSubset<'_, M>, &mut S),
    ) {
        let bodies = self.near.bodies[..self.count_at(wall)].iter();
        for (k, (&body, data)) in bodies.zip(&mut self.data).enumerate() {
            self.near.prefetch(k + 1, wall);
            let near = FacetSubset::within(wall, self.near.of(k));
            visit(body as usize, &near, data);
        }
    }

    /// Returns the number of bodies with facets of a wall: all bodies or none.
    fn count_at<M: WallMesh<Vector = V>>(&self, wall: &Wall<M>) -> usize {
        match self.stamp == wall.stamp() {
            true => self.near.balls.len(),
            false => 0,
        }
    }

    /// Returns the bodies near the wall in ascending order.
    pub fn bodies(&self) -> &[u32] {
        &self.near.bodies
    }

    /// Returns the states of these bodies; `data()[k]` belongs to `bodies()[k]`.
    pub fn data(&self) -> &[S] {
        &self.data
    }

    /// Forgets all bodies, their data and the wall.
    pub fn clear(&mut self) {
        self.tracks.clear();
        self.near.clear();
        self.data.clear();
        self.stamp = Stamp::NONE;
    }

    /// Searches the facets around all bodies at the next update.
    fn look_again(&mut self) {
        self.tracks.iter_mut().for_each(|track| track.free = 0.0);
    }
}

/// Returns the sum of the absolute coordinates.
fn sum_abs<V: Vector>(v: V) -> f64 {
    (0..V::DIM).fold(0.0, |sum, axis| sum + v[axis].abs())
}
