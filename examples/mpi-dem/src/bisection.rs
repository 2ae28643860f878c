//! Recursive coordinate bisection: cuts space into boxes with equal loads.
//!
//! M. J. Berger, S. H. Bokhari, "A partitioning strategy for nonuniform problems on multiprocessors", IEEE Transactions
//! on Computers C-36 (1987), 570-580. Each cut divides the load of a box in proportion to the parts on its two sides,
//! across the longest side of the box. The points may be spread over ranks: a caller's function adds their counts.

use osculate::glam::DVec3;

/// Intervals of a histogram, and histograms for each cut: cuts are resolved to 2^-24 of the side.
const BINS: usize = 64;
const ROUNDS: usize = 4;
/// The box of a point in a finished part.
const DONE: u32 = u32::MAX;

/// A tree of cuts. Its leaves are the parts, numbered from 0.
pub struct Bisection {
    nodes: Vec<Node>,
    /// The outer faces.
    min: DVec3,
    max: DVec3,
}

enum Node {
    Cut {
        axis: usize,
        at: f64,
        children: [usize; 2],
    },
    Part(usize),
}

/// A box that is still to be cut.
struct Open {
    node: usize,
    min: DVec3,
    max: DVec3,
    first_part: usize,
    part_count: usize,
}

/// The interval that contains a cut.
struct Search {
    axis: usize,
    low: f64,
    high: f64,
    /// The load below the interval, and the load wanted below the cut.
    below: u64,
    wanted: u64,
}

impl Bisection {
    /// Divides all points into parts of about equal loads.
    ///
    /// `bounds` hold the points of all ranks, `faces` are the outer faces of the parts, which may be infinite.
    /// `add_up` replaces counts by their sums over all ranks.
    pub fn new(
        points: &[DVec3],
        loads: &[u64],
        part_count: usize,
        bounds: [DVec3; 2],
        faces: [DVec3; 2],
        mut add_up: impl FnMut(&mut [u64]),
    ) -> Self {
        let ([min, max], [first, last]) = (bounds, faces);
        let mut tree = Self {
            nodes: vec![Node::Part(0)],
            min: first,
            max: last,
        };
        let mut open = vec![Open {
            node: 0,
            min,
            max,
            first_part: 0,
            part_count,
        }];
        open.retain(|all| all.part_count > 1);
        let mut box_of = vec![if open.is_empty() { DONE } else { 0 }; points.len()];
        while !open.is_empty() {
            let cuts = cuts(&open, points, loads, &box_of, &mut add_up);
            let mut next = Vec::new();
            // The boxes on both sides of each cut.
            let mut sides = Vec::new();
            for (all, &(axis, at)) in open.iter().zip(&cuts) {
                sides.push(tree.split(all, axis, at, &mut next));
            }
            for (point, of) in points.iter().zip(&mut box_of) {
                if *of != DONE {
                    let (axis, at) = cuts[*of as usize];
                    *of = sides[*of as usize][usize::from(point[axis] >= at)];
                }
            }
            open = next;
        }
        tree
    }

    /// Adds the two sides of a cut. Returns their places among the boxes that are still to be cut.
    fn split(&mut self, all: &Open, axis: usize, at: f64, next: &mut Vec<Open>) -> [u32; 2] {
        let count = all.part_count / 2;
        let (mut lower_max, mut upper_min) = (all.max, all.min);
        (lower_max[axis], upper_min[axis]) = (at, at);
        let halves = [
            (all.min, lower_max, all.first_part, count),
            (
                upper_min,
                all.max,
                all.first_part + count,
                all.part_count - count,
            ),
        ];
        let children = [self.nodes.len(), self.nodes.len() + 1];
        self.nodes[all.node] = Node::Cut { axis, at, children };
        halves.map(|(min, max, first_part, part_count)| {
            let node = self.nodes.len();
            self.nodes.push(Node::Part(first_part));
            if part_count == 1 {
                return DONE;
            }
            next.push(Open {
                node,
                min,
                max,
                first_part,
                part_count,
            });
            next.len() as u32 - 1
        })
    }

    /// Returns the part of a point.
    pub fn part(&self, point: DVec3) -> usize {
        let mut node = 0;
        loop {
            match self.nodes[node] {
                Node::Cut { axis, at, children } => {
                    node = children[usize::from(point[axis] >= at)];
                }
                Node::Part(part) => return part,
            }
        }
    }

    /// Visits the parts within a distance of a point, each with the square of its distance.
    pub fn for_each_part_near(&self, point: DVec3, reach: f64, mut visit: impl FnMut(usize, f64)) {
        self.descend(0, [self.min, self.max], point, reach, &mut visit);
    }

    fn descend(
        &self,
        node: usize,
        [min, max]: [DVec3; 2],
        point: DVec3,
        reach: f64,
        visit: &mut impl FnMut(usize, f64),
    ) {
        let outside = (min - point).max(point - max).max(DVec3::ZERO);
        if outside.length_squared() > reach * reach {
            return;
        }
        match self.nodes[node] {
            Node::Part(part) => visit(part, outside.length_squared()),
            Node::Cut { axis, at, children } => {
                let (mut lower_max, mut upper_min) = (max, min);
                (lower_max[axis], upper_min[axis]) = (at, at);
                self.descend(children[0], [min, lower_max], point, reach, visit);
                self.descend(children[1], [upper_min, max], point, reach, visit);
            }
        }
    }
}

/// Returns axis and position of the cut of each box.
fn cuts(
    open: &[Open],
    points: &[DVec3],
    loads: &[u64],
    box_of: &[u32],
    mut add_up: impl FnMut(&mut [u64]),
) -> Vec<(usize, f64)> {
    let start = |all: &Open| {
        let axis = (all.max - all.min).max_position();
        Search {
            axis,
            low: all.min[axis],
            high: all.max[axis],
            below: 0,
            wanted: 0,
        }
    };
    let mut searches: Vec<Search> = open.iter().map(start).collect();
    let mut bins = vec![0; BINS * open.len()];
    for round in 0..ROUNDS {
        bins.fill(0);
        for ((point, &load), &of) in points.iter().zip(loads).zip(box_of) {
            let Some(search) = searches.get(of as usize) else {
                continue;
            };
            let x = point[search.axis];
            if round == 0 || (search.low..search.high).contains(&x) {
                // Conversions saturate.
                let bin = (x - search.low) / (search.high - search.low) * BINS as f64;
                bins[of as usize * BINS + (bin as usize).min(BINS - 1)] += load;
            }
        }
        add_up(&mut bins);
        for ((search, bins), all) in searches.iter_mut().zip(bins.chunks(BINS)).zip(open) {
            if round == 0 {
                let share = (all.part_count / 2) as u128;
                let load = bins.iter().sum::<u64>();
                search.wanted = (u128::from(load) * share / all.part_count as u128) as u64;
            }
            search.narrow(bins);
        }
    }
    searches
        .iter()
        .map(|search| (search.axis, search.low))
        .collect()
}

impl Search {
    /// Reduces the interval to the bin in which the load reaches what is wanted.
    fn narrow(&mut self, bins: &[u64]) {
        let mut bin = 0;
        while bin + 1 < BINS && self.below + bins[bin] <= self.wanted {
            self.below += bins[bin];
            bin += 1;
        }
        let width = (self.high - self.low) / BINS as f64;
        self.low += width * bin as f64;
        self.high = self.low + width;
    }
}
