//! Calls the four copies in turn; microseconds per pair, the median of the rounds of each shape.

use std::time::Duration;

use cpu_time::ThreadTime;

const ROUNDS: usize = 60;

type Pose = ([f64; 4], [f64; 3]);

macro_rules! variant {
    ($name:ident) => {
        mod $name {
            use $name::glam::{DQuat, DVec3};
            use $name::testing::workload::{self, SplitMix64};
            use $name::{Bounded as _, MeshMesh, NarrowPhase as _, Placed, Pose3, SolidMesh};

            use super::Pose;

            pub(crate) fn shape(name: &str) -> SolidMesh {
                let solid = match name {
                    "rock 1246" => workload::rock(625, 0.5, 1),
                    "bolt 1968" => workload::bolt(24, 41),
                    "torus 2000" => workload::torus(1.0, 0.3, 50, 20),
                    "sphere 320" => workload::sphere(2, 1.0),
                    _ => workload::sphere(4, 1.0),
                };
                solid.unwrap()
            }

            fn volume(kernel: &mut MeshMesh, shape: &SolidMesh, poses: &[Pose; 2]) -> [f64; 2] {
                let [a, b] = poses.map(|(turn, shift)| {
                    let pose = Pose3::new(DQuat::from_array(turn), DVec3::from_array(shift));
                    Placed::new(shape, pose.unwrap())
                });
                let mut sum = [0.0; 2];
                kernel.for_each_contact(&a, &b, &mut (), |c| {
                    sum[0] += c.volume;
                    sum[1] += c.area();
                });
                sum
            }

            /// Ten pairs that share the given part of one's volume, as in `benches/volumes.rs`.
            #[allow(dead_code)]
            pub(crate) fn pairs(shape: &SolidMesh, part: f64) -> Vec<[Pose; 2]> {
                let (mut random, mut kernel) = (SplitMix64::new(9), MeshMesh::new());
                let turn = |random: &mut SplitMix64| {
                    DQuat::from_array([0; 4].map(|_| random.range(-1.0, 1.0))).normalize()
                };
                let mut pair = |_| {
                    let turns = [turn(&mut random), turn(&mut random)].map(|turn| turn.to_array());
                    let axis = turn(&mut random) * DVec3::X;
                    let place = |x: f64| [(turns[0], [0.0; 3]), (turns[1], (axis * x).to_array())];
                    let wanted = part * shape.volume();
                    let (mut near, mut far) = (0.0, 2.5 * shape.bounding_sphere().radius);
                    for _ in 0..60 {
                        let middle = 0.5 * (near + far);
                        let is_more = volume(&mut kernel, shape, &place(middle))[0] > wanted;
                        *(if is_more { &mut near } else { &mut far }) = middle;
                    }
                    place(near)
                };
                (0..10).map(&mut pair).collect()
            }

            #[inline(never)]
            pub(crate) fn sum(kernel: &mut MeshMesh, shape: &SolidMesh, pairs: &[[Pose; 2]]) -> [f64; 2] {
                let sums = pairs.iter().map(|poses| volume(kernel, shape, poses));
                sums.fold([0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]])
            }
        }
    };
}
variant!(whole);
variant!(no_volume);
variant!(plain);
variant!(neither);

fn main() {
    let shapes = [
        ("rock 1246", 0.002),
        ("torus 2000", 0.01),
        ("bolt 1968", 0.01),
        ("sphere 320", 0.002),
        ("sphere 5120", 0.002),
    ];
    for (name, part) in shapes {
        let tree = whole::shape(name);
        let pairs = whole::pairs(&tree, part);
        let expected = part * tree.volume() * pairs.len() as f64;
        // Short runs on all pairs, repeated for half a millisecond.
        let mut times: [Vec<Duration>; 4] = Default::default();
        let mut repeat = 1;
        macro_rules! time {
            ($name:ident, $i:literal, $state:ident, $round:ident) => {{
                let (kernel, shape) = &mut $state;
                let start = ThreadTime::now();
                let mut sum = [0.0; 2];
                for _ in 0..repeat {
                    sum = $name::sum(kernel, shape, &pairs);
                }
                times[$i].push(start.elapsed() / repeat);
                assert!(sum[1] > 0.0);
                // Copies without V return none.
                assert!($i % 2 == 1 || (sum[0] / expected - 1.0).abs() < 1e-3);
            }};
        }
        let mut a = (::whole::MeshMesh::new(), tree.clone());
        let mut b = (::no_volume::MeshMesh::new(), no_volume::shape(name));
        let mut c = (::plain::MeshMesh::new(), plain::shape(name));
        let mut d = (::neither::MeshMesh::new(), neither::shape(name));
        for round in 0..ROUNDS {
            if round == 3 {
                let once = times[0][2].as_nanos().max(1) as u32;
                repeat = (500_000 / once).max(1);
                times.iter_mut().for_each(Vec::clear);
            }
            time!(whole, 0, a, round);
            time!(no_volume, 1, b, round);
            time!(plain, 2, c, round);
            time!(neither, 3, d, round);
        }
        let medians = times.map(|mut list| {
            list.sort();
            list[list.len() / 2].as_secs_f64() * 1e6 / pairs.len() as f64
        });
        let [a, b, c, d] = medians;
        println!("{name},{a},{b},{c},{d}");
    }
}
