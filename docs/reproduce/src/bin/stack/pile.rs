//! Blocks that press on each other, with springs that the shares of a contact keep from step to step.

use osculate::glam::DVec3;
use osculate::narrow::{PressureField, PressureState};
use osculate::{ConvexPolyhedron, Error, HierarchicalGrid, NarrowPhase, PairList, Skin};

use reproduce::{law::Law, rigid};

pub(crate) type Shape = rigid::Shape<ConvexPolyhedron>;
pub(crate) type Block<'a> = rigid::Body<'a, ConvexPolyhedron>;

pub(crate) struct Pile<'a> {
    pub blocks: Vec<Block<'a>>,
    pub gravity: DVec3,
    /// A force on the last block.
    pub push: DVec3,
    pub law: Law,
    pub counts: Counts,
    list: PairList<HierarchicalGrid, Memory>,
    kernel: PressureField,
}

/// What changed from step to step.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    /// The number of shares that continue none, in contacts that go on.
    pub renamed: usize,
    /// The largest change of a pair's elastic force in a step, N.
    pub jump: f64,
}

/// What a pair keeps.
#[derive(Default)]
struct Memory {
    state: PressureState,
    springs: Vec<DVec3>,
    force: DVec3,
}

impl<'a> Pile<'a> {
    pub(crate) fn new(blocks: Vec<Block<'a>>, law: Law) -> Result<Self, Error> {
        Ok(Self {
            blocks,
            gravity: DVec3::Z * -10.0,
            push: DVec3::ZERO,
            law,
            counts: Counts::default(),
            list: PairList::new(HierarchicalGrid::new(), Skin::Absolute(0.1))?,
            kernel: PressureField::new().with_points(),
        })
    }

    /// Simulates a time in seconds.
    pub(crate) fn run(&mut self, seconds: f64) -> Result<(), Error> {
        let steps = (seconds / self.law.time_step()).round();
        for _ in 0..steps as usize {
            self.step(seconds / steps)?;
        }
        Ok(())
    }

    /// Performs half a drift, a kick, half a drift.
    fn step(&mut self, time: f64) -> Result<(), Error> {
        let blocks = &mut self.blocks;
        blocks.iter_mut().for_each(|b| b.drift(0.5 * time));
        let placed: Vec<_> = blocks
            .iter()
            .map(Block::placed)
            .collect::<Result<_, Error>>()?;
        let mut forces = Vec::new();
        self.list.update(&placed)?;
        self.list.for_each_touching_pair(|i, j, memory| {
            let state = &mut memory.state;
            let contact = self.kernel.contact_with(&placed[i], &placed[j], state);
            let force = contact.map_or(DVec3::ZERO, |contact| contact.force * self.law.stiffness);
            if let (Some(points), false) =
                (contact.and_then(|c| c.points), memory.springs.is_empty())
            {
                let new = points
                    .shares
                    .iter()
                    .filter(|share| share.previous.is_none());
                self.counts.renamed += new.count();
                self.counts.jump = self.counts.jump.max(force.distance(memory.force));
            }
            memory.force = force;
            let velocity = |x| blocks[j].velocity_at(x) - blocks[i].velocity_at(x);
            let visit = |force, couple, point| forces.push(([i, j], force, couple, point));
            let springs = &mut memory.springs;
            (self.law).for_each_force(contact.as_slice(), springs, velocity, time, visit);
        });
        for ([i, j], force, couple, point) in forces {
            blocks[i].push_and_turn(-force * time, -couple * time, point);
            blocks[j].push_and_turn(force * time, couple * time, point);
        }
        for block in blocks
            .iter_mut()
            .filter(|block| block.shape.mass.is_finite())
        {
            block.kick(self.gravity * (block.shape.mass * time), DVec3::ZERO);
        }
        if let Some(top) = blocks.last_mut() {
            top.kick(self.push * time, DVec3::ZERO);
        }
        blocks.iter_mut().for_each(|b| b.drift(0.5 * time));
        Ok(())
    }

    pub(crate) fn kinetic(&self) -> f64 {
        let kinetic = |block: &Block| block.kinetic().iter().sum::<f64>();
        self.blocks.iter().map(kinetic).sum()
    }

    pub(crate) fn potential(&self) -> f64 {
        let moving = self.blocks.iter().filter(|b| b.shape.mass.is_finite());
        moving
            .map(|b| -b.shape.mass * self.gravity.dot(b.position))
            .sum()
    }
}
