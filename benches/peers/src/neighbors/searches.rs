//! All touching pairs by each crate, as its user would write it.
//!
//! Crates that search around points find each pair from its larger body, for which twice its radius
//! suffices. (From any body it would be its own radius plus the largest, up to 40 times as slow.)
//! Cells have one size for all. Pairs that do not touch are dropped. Buffers are kept from step to
//! step if the crate can.

use bvh::aabb::{Aabb, Bounded};
use bvh::bounding_hierarchy::BHShape;
use kiddo::{ImmutableKdTree, SquaredEuclidean};
use nalgebra::Point3;
use osculate::glam::DVec3;
use osculate::{BroadPhase, HierarchicalGrid, Sphere};
use parry3d_f64::bounding_volume::Aabb as ParryBox;
use parry3d_f64::math::Vector;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use rstar::RTree;
use rstar::primitives::GeomWithData;
use zelll::CellGrid;

pub(super) type Body = Sphere<DVec3>;

/// A body and its index.
pub(super) type Item<'a> = (u32, &'a Body);

/// Takes the present bodies, and finds the pairs.
pub(super) trait Search: Default + 'static {
    const NAME: &str;
    /// Whether the pairs are exactly those that touch; otherwise there are others among them.
    const IS_EXACT: bool = false;

    /// Visits each touching pair once.
    fn search(&mut self, bodies: &[Body], visit: impl FnMut(Item, Item)) -> Result<(), String>;
}

/// Whether the pair is to be found from the first body: it is larger, or equal and first.
fn is_found_from((i, a): (u32, f64), (j, b): (u32, f64)) -> bool {
    a > b || a == b && i < j
}

fn largest_radius(bodies: &[Body]) -> f64 {
    bodies.iter().fold(0.0, |most: f64, b| most.max(b.radius))
}

#[derive(Default)]
pub(super) struct Osculate(HierarchicalGrid<DVec3>);

impl Search for Osculate {
    const NAME: &str = crate::report::OURS;
    const IS_EXACT: bool = true;

    fn search(&mut self, bodies: &[Body], mut visit: impl FnMut(Item, Item)) -> Result<(), String> {
        self.0.rebuild(bodies).map_err(|e| e.to_string())?;
        let item = |i: usize| (i as u32, &bodies[i]);
        self.0.for_each_pair(|i, j| visit(item(i), item(j)));
        Ok(())
    }
}

type Particle = ((u32, f64), [f64; 3]);

#[derive(Default)]
pub(super) struct Zelll(Option<CellGrid<Particle, 3, f64>>);

impl Search for Zelll {
    const NAME: &str = "zelll";

    fn search(&mut self, bodies: &[Body], mut visit: impl FnMut(Item, Item)) -> Result<(), String> {
        let cutoff = 2.0 * largest_radius(bodies);
        let all = (0..).zip(bodies);
        let particles = all.map(|(i, b)| ((i, b.radius), b.center.to_array()));
        match &mut self.0 {
            Some(grid) => grid.rebuild_mut(particles, Some(cutoff)),
            None => self.0 = Some(CellGrid::new(particles, cutoff)),
        }
        let body = |radius, center| Sphere::new(DVec3::from_array(center), radius);
        for (&((i, radius_i), p), &((j, radius_j), q)) in
            self.0.iter().flat_map(|g| g.particle_pairs())
        {
            visit((i, &body(radius_i, p)), (j, &body(radius_j, q)));
        }
        Ok(())
    }
}

#[derive(Default)]
pub(super) struct Kiddo(Vec<[f64; 3]>);

impl Search for Kiddo {
    const NAME: &str = "kiddo";

    fn search(&mut self, bodies: &[Body], mut visit: impl FnMut(Item, Item)) -> Result<(), String> {
        self.0.clear();
        self.0.extend(bodies.iter().map(|b| b.center.to_array()));
        let tree = ImmutableKdTree::new_from_slice(&self.0).map_err(|e| e.to_string())?;
        for ((i, body), point) in (0..).zip(bodies).zip(&self.0) {
            let reach = 2.0 * body.radius;
            let within = tree
                .query(point)
                .within::<SquaredEuclidean<f64>>(reach * reach);
            for near in within.unsorted().execute() {
                let (j, other) = (near.item, &bodies[near.item as usize]);
                if is_found_from((i, body.radius), (j, other.radius)) {
                    visit((i, body), (j, other));
                }
            }
        }
        Ok(())
    }
}

#[derive(Default)]
pub(super) struct Rstar;

impl Search for Rstar {
    const NAME: &str = "rstar";

    fn search(&mut self, bodies: &[Body], mut visit: impl FnMut(Item, Item)) -> Result<(), String> {
        let all = (0_u32..).zip(bodies);
        let point = |(i, b): (u32, &Body)| GeomWithData::new(b.center.to_array(), (i, b.radius));
        let tree = RTree::bulk_load(all.map(point).collect());
        for (i, body) in (0..).zip(bodies) {
            let reach = 2.0 * body.radius;
            for near in tree.locate_within_distance(body.center.to_array(), reach * reach) {
                let (j, radius) = near.data;
                let other = Sphere::new(DVec3::from_array(*near.geom()), radius);
                if is_found_from((i, body.radius), near.data) {
                    visit((i, body), (j, &other));
                }
            }
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
struct Shape {
    body: Body,
    id: u32,
    node: usize,
}

impl Bounded<f64, 3> for Shape {
    fn aabb(&self) -> Aabb<f64, 3> {
        let Sphere { center, radius } = self.body;
        let corner = |c: DVec3| Point3::new(c.x, c.y, c.z);
        Aabb::with_bounds(corner(center - radius), corner(center + radius))
    }
}

impl BHShape<f64, 3> for Shape {
    fn set_bh_node_index(&mut self, node: usize) {
        self.node = node;
    }
    fn bh_node_index(&self) -> usize {
        self.node
    }
}

#[derive(Default)]
pub(super) struct BvhCrate(Vec<Shape>);

impl Search for BvhCrate {
    const NAME: &str = "bvh";

    fn search(&mut self, bodies: &[Body], mut visit: impl FnMut(Item, Item)) -> Result<(), String> {
        self.0.clear();
        let shape = |(id, &body): (u32, &Body)| Shape { body, id, node: 0 };
        self.0.extend((0..).zip(bodies).map(shape));
        let tree = bvh::bvh::Bvh::build(&mut self.0);
        for shape in &self.0 {
            for other in tree.traverse_iterator(&shape.aabb(), &self.0) {
                if shape.id < other.id {
                    visit((shape.id, &shape.body), (other.id, &other.body));
                }
            }
        }
        Ok(())
    }
}

fn parry_box(body: &Body) -> ParryBox {
    let corner = |c: DVec3| Vector::new(c.x, c.y, c.z);
    ParryBox::new(
        corner(body.center - body.radius),
        corner(body.center + body.radius),
    )
}

#[derive(Default)]
pub(super) struct ParryRebuilt(BvhWorkspace);

impl Search for ParryRebuilt {
    const NAME: &str = "parry-bvh-rebuilt";

    fn search(&mut self, bodies: &[Body], mut visit: impl FnMut(Item, Item)) -> Result<(), String> {
        let boxes = bodies.iter().map(parry_box).enumerate();
        let tree = Bvh::from_iter(BvhBuildStrategy::Binned, boxes);
        let item = |i: u32| (i, &bodies[i as usize]);
        let visit = &mut |i, j| visit(item(i), item(j));
        tree.traverse_bvtt_single_tree::<false>(&mut self.0, visit);
        Ok(())
    }
}

/// A tree that is kept, and refitted each step as its documentation says. (Boxes larger than the
/// bodies, for which few leaves change in a step, make it slower, because more pairs are tested.)
pub(super) struct ParryKept {
    tree: Bvh,
    workspace: BvhWorkspace,
}

impl ParryKept {
    pub(super) fn new(bodies: &[Body]) -> Self {
        let boxes = bodies.iter().map(parry_box).enumerate();
        let tree = Bvh::from_iter(BvhBuildStrategy::Binned, boxes);
        let workspace = BvhWorkspace::default();
        Self { tree, workspace }
    }

    pub(super) fn step(&mut self, bodies: &[Body], mut visit: impl FnMut(&Body, &Body)) {
        for (i, body) in (0..).zip(bodies) {
            self.tree
                .insert_or_update_partially(parry_box(body), i, 0.0);
        }
        self.tree.refit(&mut self.workspace);
        self.tree.optimize_incremental(&mut self.workspace);
        let visit = &mut |i, j| visit(&bodies[i as usize], &bodies[j as usize]);
        self.tree
            .traverse_bvtt_single_tree::<false>(&mut self.workspace, visit);
    }
}
