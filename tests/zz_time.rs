//! time
use osculate::glam::*;
use osculate::*;
use std::time::Instant;
fn fib(n: usize) -> ConvexPolyhedron {
    let g = (5f64.sqrt() - 1.0) * std::f64::consts::PI;
    let p: Vec<_> = (0..n)
        .map(|i| {
            let z = 1.0 - (2 * i + 1) as f64 / n as f64;
            let r = (1.0 - z * z).sqrt();
            let a = g * i as f64;
            DVec3::new(r * a.cos(), r * a.sin(), z)
        })
        .collect();
    convex_hull(&p).unwrap()
}
fn sym(n: usize) -> ConvexPolyhedron {
    let h = fib(n);
    let mut p = h.vertices().to_vec();
    let q: Vec<_> = p.iter().map(|v| -*v).collect();
    p.extend(q);
    convex_hull(&p).unwrap()
}
fn globe(n: usize) -> ConvexPolyhedron {
    // meridians and parallels
    let k = (n as f64 / 2.0).sqrt() as usize;
    let mut p = vec![DVec3::Z, -DVec3::Z];
    for i in 1..k {
        let t = std::f64::consts::PI * i as f64 / k as f64;
        for j in 0..2 * k {
            let a = std::f64::consts::PI * j as f64 / k as f64;
            p.push(DVec3::new(t.sin() * a.cos(), t.sin() * a.sin(), t.cos()));
        }
    }
    convex_hull(&p).unwrap()
}
fn prism(n: usize) -> ConvexPolyhedron {
    let mut p = vec![];
    for j in 0..n / 2 {
        let a = 2.0 * std::f64::consts::PI * j as f64 / (n / 2) as f64;
        for z in [-1.0, 1.0] {
            p.push(DVec3::new(a.cos(), a.sin(), z));
        }
    }
    convex_hull(&p).unwrap()
}
fn cone(n: usize) -> ConvexPolyhedron {
    let mut p = vec![DVec3::Z];
    for j in 0..n - 1 {
        let a = 2.0 * std::f64::consts::PI * j as f64 / (n - 1) as f64;
        p.push(DVec3::new(a.cos(), a.sin(), -1.0));
    }
    convex_hull(&p).unwrap()
}
#[test]
fn times() {
    let kinds: [(&str, fn(usize) -> ConvexPolyhedron); 5] = [
        ("fib", fib),
        ("sym", sym),
        ("globe", globe),
        ("prism", prism),
        ("cone", cone),
    ];
    for (name, make) in kinds {
        for n in [500, 2000, 8000] {
            let h = make(n);
            for (what, q, t) in [
                ("same", DQuat::IDENTITY, DVec3::ZERO),
                ("shift z", DQuat::IDENTITY, DVec3::Z * 0.3),
                (
                    "turned",
                    DQuat::from_rotation_x(0.7),
                    DVec3::new(0.1, 0.0, 0.2),
                ),
                (
                    "turned z",
                    DQuat::from_rotation_z(0.7),
                    DVec3::new(0.0, 0.0, 0.0),
                ),
                ("touch", DQuat::IDENTITY, DVec3::Z * 2.0),
                ("touch2", DQuat::IDENTITY, DVec3::Z * 2.0000000000001),
                (
                    "flipped touch",
                    DQuat::from_rotation_x(std::f64::consts::PI),
                    DVec3::Z * 2.0,
                ),
            ] {
                let a = Placed {
                    shape: &h,
                    pose: Pose3::IDENTITY,
                };
                let b = Placed {
                    shape: &h,
                    pose: Pose3::normalizing(q, t).unwrap(),
                };
                let mut k = CommonPlane::with_margin(0.1).unwrap();
                let mut m = Default::default();
                let t0 = Instant::now();
                let c = k.contact(&a, &b, &mut m);
                let d = t0.elapsed();
                let c0 = k.counts();
                let t0 = Instant::now();
                for _ in 0..3 {
                    k.contact(&a, &b, &mut m);
                }
                let d2 = t0.elapsed() / 3;
                println!(
                    "{name:6} {n:5} {what:9} {:9.3} ms, again {:9.3} ms  {:?} exh {} ",
                    d.as_secs_f64() * 1e3,
                    d2.as_secs_f64() * 1e3,
                    c.map(|c| c.overlap),
                    c0.exhaustive
                );
            }
        }
    }
}
