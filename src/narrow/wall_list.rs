//! Lists of the bodies near a wall.

mod edit;
#[cfg(feature = "rayon")]
mod parallel;
mod renumber;
mod snapshot;

use std::collections::VecDeque;
use std::mem;

use self::edit::edit;
pub use self::snapshot::WallListSnapshot;
use super::{Wall, WallMesh};
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Error, Result};
use crate::math::tolerance::MOVED_FACET;
use crate::math::{Vector, check_count, check_length, is_length};
use crate::shape::{Bounded, Skin, Sphere, Stamp};

/// How far facets are searched around a body, relative to its reach.
const SEARCHED: f64 = 8.0;

/// A list of the bodies near a wall, with the state of each.
///
/// Without a list, each body queries the wall even where there is no facet. The list stores the distance of the nearest
/// facet at the last search, and compares it with the displacement relative to the wall since then. It searches again
/// only if the body may have come near. A body away from the wall costs about 4 ns per step. The list visits the bodies
/// that were closer than the [`Skin`] at their last search.
///
/// The data of a body are the state of a kernel ([`WallState`](super::WallState)), a contact history
/// ([`WallHistory`](super::WallHistory)), or a state with your own data. They are created when the body comes near, and
/// dropped when the body is away again. Set the margin of the kernel ([`with_margin`](Self::with_margin)). Contacts are
/// then the same as without a list, bit for bit.
///
/// Use one list per wall. The wall may move, deform and be periodic. The list starts anew if the wall has another mesh,
/// or if its vertices have moved twice since the last update. An update that fails because of a body counts as an
/// update here.
///
/// If the number of bodies changes, bodies keep their indices: additional bodies are new, and missing bodies lose their
/// states. If the indices change, call [`renumber`](Self::renumber).
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
/// list.for_each_body(|i, history| {
///     history.for_each_contact(&mut kernel, &spheres[i], &floor, |contact, _spring| {
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
    /// Tracks by their new indices, after bodies were renumbered.
    renumbered: Vec<(u32, Track<V>)>,
    near: Vec<u32>,
    data: Vec<S>,
    /// Buffers.
    before: Vec<u32>,
    displaced: VecDeque<S>,
    parts: Vec<Part>,
    /// The wall of the last update.
    stamp: Stamp,
    /// How far the vertices of the wall have moved since the first update.
    deformation: f64,
    /// Whether bodies were removed because the wall is another one.
    was_cleared: bool,
}

/// The last search around a body.
#[derive(Clone, Copy, Debug)]
struct Track<V> {
    /// The center when facets were last searched, in the coordinates of the mesh.
    at: V,
    /// How far the body may move before the tree is searched again: the size of this, minus radius, margin and the
    /// deformation of the wall. Positive for a body away from the wall: no facet was closer to `at`. Negative for a body
    /// near the wall, 0 before a search.
    free: f64,
}

/// The bodies near the wall in a part of all bodies.
#[derive(Clone, Debug, Default)]
struct Part {
    near: Vec<u32>,
    has_changed: bool,
    error: Option<Error>,
}

impl<V: Vector> Track<V> {
    /// A body without a search.
    const NEW: Self = Self {
        at: V::ZERO,
        free: 0.0,
    };

    fn is_near(&self) -> bool {
        self.free < 0.0
    }
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
            renumbered: Vec::new(),
            near: Vec::new(),
            data: Vec::new(),
            before: Vec::new(),
            displaced: VecDeque::new(),
            parts: Vec::new(),
            stamp: Stamp::NONE,
            deformation: 0.0,
            was_cleared: false,
        })
    }

    /// Counts bodies up to `margin` from the wall as touching it. Set it to the margin of the kernel. 0 by default.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if the margin is neither 0 nor within [2^-150, 2^150].
    pub fn with_margin(mut self, margin: f64) -> Result<Self> {
        check_length("margin", margin)?;
        self.margin = margin;
        self.look_again();
        Ok(self)
    }

    /// Brings the list up to date with the bodies and the wall, and returns whether it has changed. Call it each step.
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
    /// tree. A deformed wall takes O(vertices). Nothing is allocated once the buffers have grown.
    ///
    /// # Errors
    /// Returns [`ErrorKind::TooMany`]; [`ErrorKind::Coordinate`] or [`ErrorKind::Radius`] for the lowest body out of
    /// range. The list then keeps its bodies and their states.
    pub fn update_with<M: WallMesh<Vector = V>>(
        &mut self,
        count: usize,
        sphere: impl Fn(usize) -> Sphere<V>,
        wall: &Wall<M>,
    ) -> Result<bool> {
        self.begin(count, wall)?;
        let mut parts = mem::take(&mut self.parts);
        parts.resize_with(1, Part::default);
        let mut tracks = mem::take(&mut self.tracks);
        self.scan(0, &mut tracks, &sphere, wall, &mut parts[0]);
        (self.tracks, self.parts) = (tracks, parts);
        self.end()
    }

    /// Prepares the tracks for a number of bodies and a wall.
    fn begin<M: WallMesh<Vector = V>>(&mut self, count: usize, wall: &Wall<M>) -> Result<()> {
        check_count(count)?;
        match wall.deformation_since(self.stamp) {
            Some(moved) => self.deformation += moved,
            None if self.stamp == Stamp::NONE => self.look_again(),
            None => {
                self.was_cleared |= !self.near.is_empty();
                self.clear();
            }
        }
        self.stamp = wall.stamp();
        if !self.renumbered.is_empty() {
            self.tracks.clear();
        }
        self.tracks.resize(count, Track::NEW);
        for (i, track) in self.renumbered.drain(..) {
            if let Some(place) = self.tracks.get_mut(i as usize) {
                *place = track;
            }
        }
        Ok(())
    }

    /// Finds the bodies near the wall among a part of all bodies, from the index `first` on.
    fn scan<M: WallMesh<Vector = V>>(
        &self,
        first: usize,
        tracks: &mut [Track<V>],
        sphere: impl Fn(usize) -> Sphere<V>,
        wall: &Wall<M>,
        part: &mut Part,
    ) {
        part.near.clear();
        (part.has_changed, part.error) = (false, None);
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
        let lost = self.margin + self.deformation + rounding;
        for (i, track) in (first..).zip(tracks) {
            let sphere = sphere(i);
            let at = to_mesh(sphere.center);
            let room = track.free.abs() - sphere.radius - lost;
            let is_settled = (at - track.at).length_squared() < room * room.abs();
            if !(is_settled && is_length(sphere.radius)) {
                let was_near = track.is_near();
                match self.look(i, &sphere, rounding, wall) {
                    Ok(free) => *track = Track { at, free },
                    Err(error) => {
                        part.error = Some(error);
                        return;
                    }
                }
                part.has_changed |= track.is_near() != was_near;
            }
            if track.is_near() {
                part.near.push(i as u32);
            }
        }
    }

    /// Searches the facets around a body, and returns `free` of its track.
    ///
    /// Distances are reduced by the given rounding error and by that of the body's coordinates.
    #[inline(never)]
    fn look<M: WallMesh<Vector = V>>(
        &self,
        i: usize,
        sphere: &Sphere<V>,
        rounding: f64,
        wall: &Wall<M>,
    ) -> Result<f64> {
        sphere.validate(i)?;
        let reach = sphere.radius + self.margin;
        let enough = (reach + self.skin.at_wall(sphere.radius)).min(wall.reach());
        let cap = SEARCHED * enough;
        let local = wall.to_mesh(sphere.center);
        let size = sum_abs(sphere.center) + sum_abs(local) + wall.extent();
        let size = size + 4.0 * cap + self.deformation;
        let slack = rounding + MOVED_FACET * size;
        let cap = cap.max(4.0 * (enough + slack));
        let distance = wall.distance_to_boxes(local, enough + slack, cap);
        Ok(if distance <= enough + slack {
            -(enough + self.deformation).max(f64::MIN_POSITIVE)
        } else {
            distance.min(wall.reach()) - slack + self.deformation
        })
    }

    /// Builds the list from the bodies found, and returns whether it differs from the last list.
    fn end(&mut self) -> Result<bool> {
        if let Some(error) = self.parts.iter_mut().find_map(|part| part.error.take()) {
            // Some tracks belong to this update, others to the previous one, as does the list.
            self.look_again();
            return Err(error);
        }
        let count: usize = self.parts.iter().map(|part| part.near.len()).sum();
        let has_changed = self.parts.iter().any(|part| part.has_changed);
        let was_cleared = mem::take(&mut self.was_cleared);
        if !has_changed && count == self.near.len() {
            return Ok(was_cleared);
        }
        mem::swap(&mut self.near, &mut self.before);
        self.near.clear();
        self.near
            .extend(self.parts.iter().flat_map(|part| &part.near));
        // A search of all bodies may find the same ones.
        if self.near == self.before {
            return Ok(was_cleared);
        }
        edit(
            &self.before,
            &self.near,
            &mut self.data,
            &mut self.displaced,
        );
        Ok(true)
    }

    /// Visits each body near the wall in ascending order, with its state.
    pub fn for_each_body(&mut self, mut visit: impl FnMut(usize, &mut S)) {
        for (&body, state) in self.near.iter().zip(&mut self.data) {
            visit(body as usize, state);
        }
    }

    /// Returns the bodies near the wall in ascending order.
    pub fn bodies(&self) -> &[u32] {
        &self.near
    }

    /// Returns the states of these bodies; `data()[k]` belongs to `bodies()[k]`.
    pub fn data(&self) -> &[S] {
        &self.data
    }

    /// Returns the bodies and their states, as slices of the same length.
    pub fn bodies_and_data_mut(&mut self) -> (&[u32], &mut [S]) {
        (&self.near, &mut self.data)
    }

    /// Forgets all bodies, their states and the wall.
    pub fn clear(&mut self) {
        self.tracks.clear();
        self.renumbered.clear();
        self.near.clear();
        self.data.clear();
        self.deformation = 0.0;
        self.stamp = Stamp::NONE;
    }

    /// Searches the facets around all bodies at the next update.
    fn look_again(&mut self) {
        let tracks = self.tracks.iter_mut();
        let renumbered = self.renumbered.iter_mut().map(|(_, track)| track);
        tracks.chain(renumbered).for_each(|track| track.free = 0.0);
        self.deformation = 0.0;
    }
}

/// Returns the sum of the absolute coordinates.
fn sum_abs<V: Vector>(v: V) -> f64 {
    (0..V::DIM).fold(0.0, |sum, axis| sum + v[axis].abs())
}
