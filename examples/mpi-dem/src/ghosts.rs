//! Ghosts: copies of the bodies of other ranks, and periodic images.

use osculate::broad::RankBody;
use osculate::glam::DVec3;

use crate::bisection::Bisection;
use crate::exchange::{Result, Route};
use crate::model::Model;
use crate::simulation::Simulation;

pub const NO_IMAGE: [i32; 3] = [0; 3];

/// Where a ghost comes from.
#[derive(Clone, Copy)]
pub struct Ghost {
    pub owner: usize,
    /// The index of the body among those of its owner.
    pub home: u32,
    /// The periods by which it is shifted from its owner's copy.
    pub image: [i32; 3],
}

impl<M: Model> Simulation<'_, M> {
    /// Sends each body to all ranks whose bodies may be its partners, once for each image that may.
    pub fn add_ghosts(&mut self, parts: &Bisection) -> Result<()> {
        let radii = self.owned().iter().map(|body| body.radius);
        let radii = self.team.all(radii.fold(0.0, f64::max));
        let widest = radii.iter().copied().fold(0.0, f64::max);
        let mut lists = self.team.outboxes();
        let mut outboxes = self.team.outboxes();
        for (home, body) in (0..).zip(self.owned()) {
            // A little more, so that rounding loses no ghost.
            let reach = |radius: f64| (body.radius + radius + self.skin) * (1.0 + 1e-9);
            for image in self.images(body.reference, reach(widest)) {
                let center = body.reference + self.period.lattice_vector(image);
                parts.for_each_part_near(center, reach(widest), |rank, distance_squared| {
                    let is_near = distance_squared <= reach(radii[rank]).powi(2);
                    if is_near && (rank != self.team.rank || image != NO_IMAGE) {
                        lists[rank].push(home);
                        outboxes[rank].push((home, image, *body));
                    }
                });
            }
        }
        let inboxes = self.team.swap(outboxes)?;
        self.lists.halo = Route::new(lists, inboxes.iter().map(Vec::len));
        self.lists.ghosts.clear();
        for (owner, inbox) in inboxes.into_iter().enumerate() {
            for (home, image, body) in inbox {
                self.lists.ghosts.push(Ghost { owner, home, image });
                self.bodies.push(body);
            }
        }
        Ok(())
    }

    /// Returns the images of a position that are within reach of the box.
    fn images(&self, position: DVec3, reach: f64) -> impl Iterator<Item = [i32; 3]> {
        let (min, sides) = (self.period.min(), self.period.lengths());
        let is_periodic = self.period.is_periodic();
        let [xs, ys, zs] = [0, 1, 2].map(|axis| {
            if !is_periodic[axis] {
                return 0..=0;
            }
            let (from, side) = (position[axis] - min[axis], sides[axis]);
            ((-reach - from) / side).ceil() as i32..=(1.0 + (reach - from) / side).floor() as i32
        });
        let plane = ys.flat_map(move |y| zs.clone().map(move |z| (y, z)));
        xs.flat_map(move |x| plane.clone().map(move |(y, z)| [x, y, z]))
    }

    /// Returns the owner of a body or ghost, and its index there.
    pub fn home(&self, i: u32) -> (usize, u32) {
        match self.ghost(i) {
            Some(ghost) => (ghost.owner, ghost.home),
            None => (self.team.rank, i),
        }
    }

    fn ghost(&self, i: u32) -> Option<&Ghost> {
        let place = (i as usize).checked_sub(self.owned_count)?;
        self.lists.ghosts.get(place)
    }

    /// Returns a body or ghost as the rule for pairs takes it.
    pub fn seen(&self, i: u32) -> RankBody {
        let ghost = self.ghost(i);
        RankBody {
            id: self.bodies[i as usize].id,
            is_owned: ghost.is_none(),
            image: ghost.map_or(NO_IMAGE, |ghost| ghost.image),
        }
    }
}
