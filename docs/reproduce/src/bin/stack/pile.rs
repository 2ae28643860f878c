//! Blocks that press on each other: a spring and a dashpot at each point of a manifold, and friction with a
//! spring that the point keeps from step to step.

use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{ElasticBedState, PointFeature};
use osculate::{
    ContactManifold, ConvexPolyhedron, ElasticBed, Error, HierarchicalGrid, NarrowPhase, PairList,
    Skin,
};

use reproduce::{bed_law::Law, rigid};

pub(crate) type Shape = rigid::Shape<ConvexPolyhedron>;
pub(crate) type Block<'a> = rigid::Body<'a, ConvexPolyhedron>;

pub(crate) struct Pile<'a> {
    pub blocks: Vec<Block<'a>>,
    pub gravity: DVec3,
    /// A force on the last block.
    pub push: DVec3,
    pub law: Law,
    pub counts: Counts,
    list: PairList<HierarchicalGrid, (ElasticBedState, Springs)>,
    bed: ElasticBed,
}

/// What changed from step to step.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    /// The number of points with a feature that no point of the previous step had.
    pub renamed: usize,
    /// The largest change of a pair's elastic force in a step, N.
    pub jump: f64,
}

/// What a pair keeps: the springs of its points, in the order of the manifold.
#[derive(Clone, Copy, Default)]
struct Springs {
    normal: DVec3,
    force: f64,
    points: [Spring; 8],
}

#[derive(Clone, Copy, Default)]
struct Spring {
    feature: PointFeature,
    /// How far the second body has moved along the first, in the world.
    slip: DVec3,
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
            bed: ElasticBed::new(),
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
        let mut impulses = Vec::new();
        self.list.update(&placed)?;
        self.list.for_each_touching_pair(|i, j, (state, springs)| {
            let Some(manifold) = self.bed.contact_with(&placed[i], &placed[j], state) else {
                return;
            };
            springs.follow(&manifold, self.law.stiffness, &mut self.counts);
            for (point, spring) in manifold.points().iter().zip(&mut springs.points) {
                let slip_rate =
                    blocks[j].velocity_at(point.point) - blocks[i].velocity_at(point.point);
                let force =
                    self.law
                        .force(point, manifold.normal, slip_rate, &mut spring.slip, time);
                impulses.push((i, -force * time, point.point));
                impulses.push((j, force * time, point.point));
            }
        });
        for (i, impulse, point) in impulses {
            blocks[i].push(impulse, point);
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

impl Springs {
    /// Gives each point the spring of the point that it continues, rotated with the normal.
    fn follow(&mut self, manifold: &ContactManifold, stiffness: f64, counts: &mut Counts) {
        let old = *self;
        (self.normal, self.force) = (manifold.normal, stiffness * manifold.volume);
        for (spring, point) in self.points.iter_mut().zip(manifold.points()) {
            let before = point.previous.map(|k| old.points[usize::from(k)]);
            let slip = before.map_or(DVec3::ZERO, |before| {
                let turn = DQuat::from_rotation_arc(old.normal, self.normal);
                (turn * before.slip).reject_from_normalized(self.normal)
            });
            counts.renamed += usize::from(before.is_some_and(|b| b.feature != point.feature));
            *spring = Spring {
                feature: point.feature,
                slip,
            };
        }
        if manifold
            .points()
            .iter()
            .any(|point| point.previous.is_some())
        {
            counts.jump = counts.jump.max((self.force - old.force).abs());
        }
    }
}
