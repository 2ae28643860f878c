//! timing
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::testing::workload;
use osculate::*;
use std::time::Instant;
fn best(name: &str, reps: usize, mut f: impl FnMut() -> f64) {
    let mut b = f64::INFINITY;
    let mut s = 0.0;
    for _ in 0..reps {
        let t = Instant::now();
        s = f();
        b = b.min(t.elapsed().as_secs_f64());
    }
    println!("{name}|{:.4}|{s:.12e}", b * 1e6);
}
fn main() {
    let mut random = workload::Random::new(9);
    let turn = |random: &mut workload::Random| {
        DQuat::from_array([0; 4].map(|_| random.within(-1.0, 1.0))).normalize()
    };
    let shapes = [
        ("rock 1246", workload::rock(625, 0.5, 1), 1.45),
        ("bolt 1968", workload::bolt(24, 41), 1.0),
        ("torus 2000", workload::torus(1.0, 0.3, 50, 20), 1.2),
        ("sphere 320", workload::sphere(2, 1.0), 1.9),
        ("sphere 1280", workload::sphere(3, 1.0), 1.9),
        ("sphere 5120", workload::sphere(4, 1.0), 1.93),
        ("cube", workload::cubes(&[[0, 0, 0]], 1.0), 0.8),
    ];
    for (name, s, d) in shapes {
        let tree = SolidTree::from(s.unwrap());
        let pairs: Vec<_> = (0..10)
            .map(|_| {
                let p = [turn(&mut random), turn(&mut random)];
                let axis = turn(&mut random) * DVec3::X;
                let at = |i: usize, x: f64| Placed {
                    shape: &tree,
                    pose: Pose3::new(p[i], axis * x).unwrap(),
                };
                [at(0, 0.0), at(1, d)]
            })
            .collect();
        for (kind, mut k) in [("new", MeshMesh::new()), ("sep", MeshMesh::separate())] {
            best(&format!("{name} {kind}"), 60, || {
                let mut v = 0.0;
                for [a, b] in &pairs {
                    k.contacts(a, b, &mut (), |c| v += c.volume);
                }
                v
            });
        }
    }
    for (count, least) in [(6, 1.0), (50, 1.0), (50, 0.3), (2000, 1.0)] {
        let corner = |i: u32| {
            let angle = 2.0 * std::f64::consts::PI * f64::from(i) / f64::from(count);
            DVec2::from_angle(angle) * random.within(least, 1.0 + 1e-9)
        };
        let shape = Polygon::new((0..count).map(corner).collect()).unwrap();
        let pairs: Vec<_> = (0..10)
            .map(|_| {
                let mut pose = |distance: f64| {
                    let turn = DVec2::from_angle(random.within(0.0, 6.0));
                    let shift = DVec2::from_angle(random.within(0.0, 6.0)) * distance;
                    Placed {
                        shape: &shape,
                        pose: Pose2::new(turn, shift).unwrap(),
                    }
                };
                let distance = if least == 1.0 { 1.7 } else { 0.2 };
                [pose(0.0), pose(distance)]
            })
            .collect();
        let mut k = PolygonPolygon::new();
        best(&format!("poly {count} {least}"), 300, || {
            let mut v = 0.0;
            for [a, b] in &pairs {
                k.contacts(a, b, &mut (), |c| v += c.volume);
            }
            v
        });
    }
    let corner = |i: u32| {
        DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into()) - DVec3::splat(0.5)
    };
    let cube = convex_hull(&(0..8).map(corner).collect::<Vec<_>>()).unwrap();
    let round = |n: usize| {
        let mut r = workload::Random::new(n as u64);
        convex_hull(&(0..n).map(|_| turn(&mut r) * DVec3::X).collect::<Vec<_>>()).unwrap()
    };
    for (name, shape, d) in [
        ("cube", cube, [0.6, 1.0, 1.6]),
        ("14", round(14), [0.9, 1.4, 2.1]),
        ("50", round(50), [1.2, 1.7, 2.1]),
    ] {
        for d in d {
            let pairs: Vec<_> = (0..20)
                .map(|_| {
                    let p = [turn(&mut random), turn(&mut random)];
                    let axis = turn(&mut random) * DVec3::X;
                    let at = |i: usize, x: f64| Placed {
                        shape: &shape,
                        pose: Pose3::new(p[i], axis * x).unwrap(),
                    };
                    [at(0, 0.0), at(1, d)]
                })
                .collect();
            let mut k = ConvexConvex::new();
            best(&format!("convex {name} {d}"), 400, || {
                let mut v = 0.0;
                for [a, b] in &pairs {
                    k.contacts(a, b, &mut (), |c| v += c.volume);
                }
                v
            });
        }
    }
    let s = workload::sphere(2, 1.0).unwrap();
    let mut vs = s.surface().vertices().to_vec();
    let c = vs.len() as u32;
    vs.push(DVec3::ZERO);
    let t = s
        .surface()
        .facets()
        .map(|f| [c, f.vertices()[0], f.vertices()[1], f.vertices()[2]])
        .collect();
    let m = TetMesh::new(vs, t).unwrap();
    let pairs: Vec<_> = (0..5)
        .map(|_| {
            let p = [turn(&mut random), turn(&mut random)];
            let at = |i: usize, x: f64| Placed {
                shape: &m,
                pose: Pose3::new(p[i], DVec3::X * x).unwrap(),
            };
            [at(0, 0.0), at(1, 1.5)]
        })
        .collect();
    let mut k = TetTet::new();
    best("tets", 30, || {
        let mut v = 0.0;
        for [a, b] in &pairs {
            k.contacts(a, b, &mut (), |c| v += c.volume);
        }
        v
    });
}
