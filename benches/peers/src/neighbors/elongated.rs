//! Pairs of overlapping boxes: rods, plates and cubes at random poses, roughly in spatial order.
//!
//! A step takes new poses, finds candidates, and tests their boxes along the 15 axes that may separate them. Candidates
//! are the pairs of capsules or spheres here, and of boxes along the axes of the world in parry's rebuilt tree.

use osculate::glam::{DMat3, DVec3};
use osculate::testing::workload::SplitMix64;
use osculate::{
    BroadPhase, ConvexPolyhedron, HierarchicalGrid, Placed, Pose3, broad::Covered,
};
use parry3d_f64::bounding_volume::Aabb as ParryBox;
use parry3d_f64::math::Vector;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};

use super::{Pairs, difference};
use crate::report::{OURS, Report, runner, seconds};

/// The name, the sides of a box, and the fraction of the volume of a cube that the boxes have.
const CASES: [(&str, [f64; 3], f64); 5] = [
    ("cubes-0.5", [1.0, 1.0, 1.0], 0.5),
    ("rods-10-0.5", [1.0, 1.0, 10.0], 0.5),
    ("rods-30-0.5", [1.0, 1.0, 30.0], 0.5),
    ("rods-30-0.17", [1.0, 1.0, 30.0], 0.17),
    ("plates-10-0.5", [10.0, 10.0, 1.0], 0.5),
];

const PARRY: &str = "parry-bvh-rebuilt";

/// Equal boxes.
struct Boxes<'a> {
    half: DVec3,
    bodies: Vec<Placed<&'a ConvexPolyhedron>>,
    /// The axes of the bodies, a buffer of a step.
    axes: Vec<DMat3>,
}

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
        poses.sort_by_key(|pose| [2, 1, 0].map(|axis| (pose.translation()[axis] / width) as i64));
        Self {
            half: 0.5 * DVec3::from(sides),
            bodies: poses.into_iter().map(|pose| Placed::new(shape, pose)).collect(),
            axes: Vec::new(),
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
    }

    /// Returns whether two boxes overlap (S. Gottschalk et al., 1996).
    fn overlap(&self, i: usize, j: usize) -> bool {
        let [a, b] = [&self.axes[i], &self.axes[j]];
        let place = |i: usize| self.bodies[i].pose.translation();
        let half = self.half;
        let apart = a.transpose() * (place(j) - place(i));
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
        if (relative.transpose() * apart).abs().cmpgt(half + seen).any() {
            return false;
        }
        (0..3).all(|k| {
            let (axis, sizes) = (columns[k], [absolute.x_axis, absolute.y_axis, absolute.z_axis][k]);
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

/// Finds all pairs of overlapping boxes.
fn ours<B: BroadPhase<Vector = DVec3>>(
    broad: &mut B,
    boxes: &mut Boxes,
    mut visit: impl FnMut(usize, usize, bool),
) {
    boxes.update_axes();
    broad.rebuild(&boxes.bodies).unwrap();
    broad.for_each_pair(|i, j| visit(i, j, boxes.overlap(i, j)));
}

fn parry(
    workspace: &mut BvhWorkspace,
    boxes: &mut Boxes,
    mut visit: impl FnMut(usize, usize, bool),
) {
    boxes.update_axes();
    let corner = |c: DVec3| Vector::new(c.x, c.y, c.z);
    let bounds = boxes.bodies.iter().zip(&boxes.axes).map(|(body, axes)| {
        let center = body.pose.translation();
        let half = DMat3::from_cols(axes.x_axis.abs(), axes.y_axis.abs(), axes.z_axis.abs())
            * boxes.half;
        ParryBox::new(corner(center - half), corner(center + half))
    });
    let tree = Bvh::from_iter(BvhBuildStrategy::Binned, bounds.enumerate());
    let visit = &mut |i: u32, j: u32| {
        let [i, j] = [i.min(j), i.max(j)].map(|i| i as usize);
        visit(i, j, boxes.overlap(i, j));
    };
    tree.traverse_bvtt_single_tree::<false>(workspace, visit);
}

/// Returns the pairs of overlapping boxes in ascending order, and the number of candidates.
fn sorted(search: impl FnOnce(&mut dyn FnMut(usize, usize, bool))) -> (Pairs, usize) {
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

pub fn run(report: &mut Report) {
    let count = report.either(50_000, 5_000);
    for (name, sides, fraction) in CASES.into_iter().filter(|c| std::env::var("ONLY").map_or(true, |o| c.0 == o)) {
        let case = format!("neighbors/{name}");
        let shape = shape(sides);
        let mut boxes = Boxes::new(&shape, sides, fraction, count);
        let mut covered = Covered::new(HierarchicalGrid::new());
        let mut workspace = BvhWorkspace::default();
        let (exact, candidates) = sorted(|visit| parry(&mut workspace, &mut boxes, visit));
        let (found, own_candidates) = sorted(|visit| ours(&mut covered, &mut boxes, visit));
        let each = |pairs: usize| pairs as f64 / count as f64;
        println!(
            "{case}: a body has {:.1} pairs; candidates {:.1}, of parry {:.1}",
            each(exact.len()),
            each(own_candidates),
            each(candidates)
        );
        report.wrong(&case, OURS, difference(&found, &exact), exact.len());
        let mut theirs = Boxes::new(&shape, sides, fraction, count);
        let own = runner(OURS, || {
            let mut overlaps = 0;
            seconds(|| {
                ours(&mut covered, &mut boxes, |_, _, overlap| overlaps += usize::from(overlap));
                overlaps
            })
        });
        let peer = runner(PARRY, || {
            let mut overlaps = 0;
            seconds(|| {
                let visit = |_, _, overlap| overlaps += usize::from(overlap);
                parry(&mut workspace, &mut theirs, visit);
                overlaps
            })
        });
        report.race(&case, count, own, vec![peer]);
    }
}
