//! Pairs of overlapping boxes: rods, plates and cubes at random poses, roughly in spatial order.
//!
//! A step takes new poses, finds candidates, and tests their boxes: those along the axes of the world (`-boxes`), or along the
//! 15 axes that may separate them. Rebuilt: both searches begin anew in each step. Candidates are pairs of bounding spheres
//! here, and of boxes along the axes of the world in parry's tree. Kept: boxes turn and travel by up to 1 % of half their
//! width a step; parry's tree is refitted or rebuilt, and a pair list is rebuilt when necessary. It keeps capsules of rods; a
//! list of spheres with the same skin is the other peer.

use osculate::glam::{DMat3, DQuat, DVec3};
use osculate::testing::workload::SplitMix64;
use osculate::{
    Bounded, BroadPhase, ConvexPolyhedron, HierarchicalGrid, PairList, Placed, Pose3, Skin,
};
use parry3d_f64::bounding_volume::Aabb as ParryBox;
use parry3d_f64::math::Vector;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};

use crate::neighbors::{Pairs, STEPS, difference};
use crate::report::{OURS, Report, runner, seconds};

/// The name, the sides of a box, and the volume of the boxes in that of a cube.
const CASES: [(&str, [f64; 3], f64); 7] = [
    ("boxes-1-0.5", [1.0, 1.0, 1.0], 0.5),
    ("rods-3-0.5", [1.0, 1.0, 3.0], 0.5),
    ("rods-7-0.5", [1.0, 1.0, 7.0], 0.5),
    ("plates-10-0.5", [10.0, 10.0, 1.0], 0.5),
    ("rods-10-0.5", [1.0, 1.0, 10.0], 0.5),
    ("rods-30-0.5", [1.0, 1.0, 30.0], 0.5),
    ("rods-30-0.17", [1.0, 1.0, 30.0], 0.17),
];

type List = PairList<HierarchicalGrid>;

/// What a search calls for each candidate, with the result of the test of its boxes.
type Visit<'a> = &'a mut dyn FnMut(usize, usize, bool);

/// Equal boxes.
struct Boxes<'a> {
    half: DVec3,
    start: Vec<Pose3>,
    /// Velocity and angular velocity in a step.
    motions: Vec<[DVec3; 2]>,
    bodies: Vec<Placed<&'a ConvexPolyhedron>>,
    /// The axes of the bodies, a buffer of a step.
    axes: Vec<DMat3>,
    /// Half the sides of the boxes of the world around them, another.
    reaches: Vec<DVec3>,
    test: Test,
}

/// Returns whether two boxes may overlap.
type Test = fn(&Boxes, usize, usize) -> bool;

fn shape(sides: [f64; 3]) -> ConvexPolyhedron {
    let half = 0.5 * DVec3::from(sides);
    let corner = |i: u32| [0, 1, 2].map(|axis| if i >> axis & 1 == 0 { -1.0 } else { 1.0 });
    let corners: Vec<_> = (0..8).map(|i| half * DVec3::from(corner(i))).collect();
    ConvexPolyhedron::from_convex_hull(&corners).unwrap()
}

impl<'a> Boxes<'a> {
    fn new(shape: &'a ConvexPolyhedron, sides: [f64; 3], fraction: f64, count: usize) -> Self {
        let mut random = SplitMix64::new(1);
        let side = (count as f64 * shape.volume() / fraction).cbrt();
        let mut place = || {
            let center = [0; 3].map(|_| random.range(0.0, side));
            Pose3::new_normalize(random.rotation(), center.into()).unwrap()
        };
        let mut poses: Vec<Pose3> = (0..count).map(|_| place()).collect();
        let width = side / (count as f64 / 64.0).cbrt();
        // The ends of a rod are as fast as its center.
        let longest = sides.into_iter().fold(0.0, f64::max);
        let motion = |random: &mut SplitMix64| {
            [0.005, 0.005 / longest].map(|speed| random.in_ball() * speed)
        };
        poses.sort_by_key(|pose| [2, 1, 0].map(|axis| (pose.translation()[axis] / width) as i64));
        Self {
            half: 0.5 * DVec3::from(sides),
            motions: poses.iter().map(|_| motion(&mut random)).collect(),
            bodies: poses.iter().map(|&pose| Placed::new(shape, pose)).collect(),
            start: poses,
            axes: Vec::new(),
            reaches: Vec::new(),
            test: |boxes, i, j| boxes.overlap(i, j),
        }
    }

    /// Moves the boxes to a step.
    fn move_to(&mut self, step: usize) {
        let from = self.start.iter().zip(&self.motions);
        for (body, (pose, [travel, spin])) in self.bodies.iter_mut().zip(from) {
            let rotation = DQuat::from_scaled_axis(*spin * step as f64) * pose.rotation();
            let place = pose.translation() + *travel * step as f64;
            body.pose = Pose3::new_normalize(rotation, place).unwrap();
        }
    }

    fn update_axes(&mut self) {
        self.axes.clear();
        let axes = |body: &Placed<&ConvexPolyhedron>| {
            DMat3::from_cols_array_2d(
                &DVec3::AXES.map(|axis| body.pose.transform_vector(axis).to_array()),
            )
        };
        self.axes.extend(self.bodies.iter().map(axes));
        self.reaches.clear();
        let reach = |axes: &DMat3| {
            DMat3::from_cols(axes.x_axis.abs(), axes.y_axis.abs(), axes.z_axis.abs()) * self.half
        };
        self.reaches.extend(self.axes.iter().map(reach));
    }

    fn center(&self, i: usize) -> DVec3 {
        self.bodies[i].pose.translation()
    }

    /// Returns whether the boxes of the world around two boxes overlap.
    fn bounds_overlap(&self, i: usize, j: usize) -> bool {
        let apart = self.center(j) - self.center(i);
        apart.abs().cmple(self.reaches[i] + self.reaches[j]).all()
    }

    /// Returns whether two boxes overlap (S. Gottschalk et al., 1996).
    fn overlap(&self, i: usize, j: usize) -> bool {
        let [a, b] = [&self.axes[i], &self.axes[j]];
        let half = self.half;
        let apart = a.transpose() * (self.center(j) - self.center(i));
        let relative = a.transpose() * *b;
        let columns = [relative.x_axis, relative.y_axis, relative.z_axis];
        let absolute = DMat3::from_cols(
            columns[0].abs() + 1e-12,
            columns[1].abs() + 1e-12,
            columns[2].abs() + 1e-12,
        );
        if apart.abs().cmpgt(half + absolute * half).any() {
            return false;
        }
        let seen = absolute.transpose() * half;
        if (relative.transpose() * apart)
            .abs()
            .cmpgt(half + seen)
            .any()
        {
            return false;
        }
        (0..3).all(|k| {
            let (axis, sizes) = (
                columns[k],
                [absolute.x_axis, absolute.y_axis, absolute.z_axis][k],
            );
            let (l, m) = ((k + 1) % 3, (k + 2) % 3);
            let across = apart.cross(axis).abs();
            (0..3).all(|n| {
                let (p, q) = ((n + 1) % 3, (n + 2) % 3);
                let reach = half[p] * sizes[q]
                    + half[q] * sizes[p]
                    + half[l] * [absolute.x_axis, absolute.y_axis, absolute.z_axis][m][n]
                    + half[m] * [absolute.x_axis, absolute.y_axis, absolute.z_axis][l][n];
                across[n] <= reach
            })
        })
    }
}

/// A search of the crate.
fn ours(grid: &mut HierarchicalGrid, boxes: &mut Boxes, visit: Visit) {
    boxes.update_axes();
    grid.rebuild(&boxes.bodies).unwrap();
    grid.for_each_pair(|i, j| visit(i, j, (boxes.test)(boxes, i, j)));
}

fn ours_kept(list: &mut List, boxes: &mut Boxes, visit: Visit) {
    boxes.update_axes();
    list.update(&boxes.bodies).unwrap();
    list.for_each_touching_pair(|i, j, ()| visit(i, j, (boxes.test)(boxes, i, j)));
}

/// A list that knows nothing of capsules.
fn spheres_kept(list: &mut List, boxes: &mut Boxes, visit: Visit) {
    boxes.update_axes();
    let sphere = |i: usize| boxes.bodies[i].bounding_sphere();
    list.update_with(boxes.bodies.len(), sphere).unwrap();
    list.for_each_touching_pair(|i, j, ()| visit(i, j, (boxes.test)(boxes, i, j)));
}

/// The box of the world around each body.
fn bounds(boxes: &Boxes) -> impl Iterator<Item = ParryBox> {
    let corner = |c: DVec3| Vector::new(c.x, c.y, c.z);
    let bounds = boxes.bodies.iter().zip(&boxes.reaches);
    bounds.map(move |(body, &reach)| {
        let center = body.pose.translation();
        ParryBox::new(corner(center - reach), corner(center + reach))
    })
}

fn traverse(tree: &Bvh, workspace: &mut BvhWorkspace, boxes: &Boxes, visit: Visit) {
    tree.traverse_bvtt_single_tree::<false>(workspace, &mut |i: u32, j: u32| {
        let [i, j] = [i.min(j), i.max(j)].map(|i| i as usize);
        visit(i, j, (boxes.test)(boxes, i, j));
    });
}

fn parry(workspace: &mut BvhWorkspace, boxes: &mut Boxes, visit: Visit) {
    boxes.update_axes();
    let tree = Bvh::from_iter(BvhBuildStrategy::Binned, bounds(boxes).enumerate());
    traverse(&tree, workspace, boxes, visit);
}

fn parry_kept(tree: &mut Bvh, workspace: &mut BvhWorkspace, boxes: &mut Boxes, visit: Visit) {
    boxes.update_axes();
    for (i, bounds) in (0..).zip(bounds(boxes)) {
        tree.insert_or_update_partially(bounds, i, 0.0);
    }
    tree.refit(workspace);
    tree.optimize_incremental(workspace);
    traverse(tree, workspace, boxes, visit);
}

/// Returns the pairs of overlapping boxes in ascending order, and the number of candidates.
fn sorted(search: impl FnOnce(Visit)) -> (Pairs, usize) {
    let (mut pairs, mut count) = (Vec::new(), 0);
    search(&mut |i, j, overlap| {
        count += 1;
        if overlap {
            pairs.push([i as u32, j as u32]);
        }
    });
    pairs.sort_unstable();
    (pairs, count)
}

/// Returns the time of a search and of the tests of its candidates.
fn timed(search: impl FnOnce(Visit)) -> f64 {
    let mut count = 0;
    seconds(|| {
        search(&mut |_, _, overlap| count += usize::from(overlap));
        count
    })
}

fn race(report: &mut Report, case: &str, mut boxes: [Boxes; 4], test: Test) {
    let [own, others, third, fourth] = &mut boxes;
    let count = own.bodies.len();
    let body = own.bodies[0];
    let sphere = || body.bounding_sphere().radius;
    let radius = body.bounding_capsule().map_or_else(sphere, |c| c.radius);
    let new_list = || List::new(HierarchicalGrid::new(), Skin::Absolute(0.3 * radius)).unwrap();
    let (mut grid, mut list, mut plain) = (HierarchicalGrid::new(), new_list(), new_list());
    let mut workspace = BvhWorkspace::default();
    let (exact, candidates) = sorted(|visit| parry(&mut workspace, others, visit));
    let (found, own_candidates) = sorted(|visit| ours(&mut grid, own, visit));
    let (kept, kept_candidates) = sorted(|visit| ours_kept(&mut list, own, visit));
    let each = |pairs: usize| pairs as f64 / count as f64;
    let [pairs, spheres, kept_pairs, theirs] =
        [exact.len(), own_candidates, kept_candidates, candidates].map(each);
    println!(
        "{case}: pairs of a body {pairs:.1}, candidates {spheres:.1}, of the list {kept_pairs:.1}, of parry {theirs:.1}"
    );
    let wrong = difference(&found, &exact) + difference(&kept, &exact);
    report.wrong(case, OURS, wrong, 2 * exact.len());
    for boxes in [&mut *own, &mut *others, &mut *third, &mut *fourth] {
        boxes.test = test;
    }

    let ours = runner(OURS, || timed(|visit| ours(&mut grid, own, visit)));
    let peer = runner("parry-bvh-rebuilt", || {
        timed(|visit| parry(&mut workspace, others, visit))
    });
    report.race(case, count, ours, vec![peer]);

    let mut tree = Bvh::from_iter(BvhBuildStrategy::Binned, bounds(others).enumerate());
    let [mut first, mut second, mut third_step, mut fourth_step] = [0; 4];
    let ours = runner(OURS, || {
        round(own, &mut first, |boxes, visit| {
            ours_kept(&mut list, boxes, visit)
        })
    });
    let refitted = runner("parry-bvh-kept", || {
        round(others, &mut second, |boxes, visit| {
            parry_kept(&mut tree, &mut workspace, boxes, visit);
        })
    });
    let spheres = runner("osculate-spheres-kept", || {
        round(third, &mut third_step, |boxes, visit| {
            spheres_kept(&mut plain, boxes, visit);
        })
    });
    let mut workspace = BvhWorkspace::default();
    let rebuilt = runner("parry-bvh-rebuilt", || {
        round(fourth, &mut fourth_step, |boxes, visit| {
            parry(&mut workspace, boxes, visit);
        })
    });
    report.race(
        &format!("{case}-kept"),
        count * STEPS,
        ours,
        vec![refitted, rebuilt, spheres],
    );
}

/// Returns the time of some steps.
fn round(boxes: &mut Boxes, step: &mut usize, mut search: impl FnMut(&mut Boxes, Visit)) -> f64 {
    let mut time = 0.0;
    for _ in 0..STEPS {
        *step += 1;
        boxes.move_to(*step);
        time += timed(|visit| search(boxes, visit));
    }
    time
}

pub fn run(report: &mut Report) {
    let count = report.either(50_000, 5_000);
    for (name, sides, fraction) in CASES {
        let shape = shape(sides);
        let tests: [(&str, Test); 2] = [
            ("", |boxes, i, j| boxes.overlap(i, j)),
            ("-boxes", |boxes, i, j| boxes.bounds_overlap(i, j)),
        ];
        for (suffix, test) in tests {
            let boxes = [(); 4].map(|()| Boxes::new(&shape, sides, fraction, count));
            race(report, &format!("elongated/{name}{suffix}"), boxes, test);
        }
    }
}
