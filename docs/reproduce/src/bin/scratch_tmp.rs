use osculate::glam::{DQuat, DVec3};
use osculate::narrow::PressureField;
use osculate::*;
use reproduce::random::SplitMix64;
fn main() {
    let mut random = SplitMix64::new(3);
    let octa = ConvexPolyhedron::from_convex_hull(&[DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z]).unwrap();
    let floor = [(-4.0, -4.0), (4.0, -4.0), (4.0, 4.0), (-4.0, 4.0)].map(|(x, y)| DVec3::new(x, y, 0.0));
    let wall = Wall::new(SurfaceMesh::new(floor.to_vec(), [[0, 1, 2], [0, 2, 3]]).unwrap());
    let b = Placed::new(&octa, Pose3::from_translation(DVec3::new(0.25, 0.5, 0.9375)).unwrap());
    let c = PressureField::new().with_points().contact(&b, &wall).unwrap();
    println!("octahedron {:?} {:?}", c.overlap, c.points.unwrap().corners);
    let slab = ConvexPolyhedron::from_convex_hull(&(0..8).map(|i: u32| DVec3::new(8.0,8.0,2.0)*(DVec3::new((i&1).into(), (i>>1&1).into(), (i>>2).into())-0.5)).collect::<Vec<_>>()).unwrap();
    let a = Placed::new(&slab, Pose3::from_translation(DVec3::NEG_Z).unwrap());
    for pair in [false, true] {
        let (mut few, mut all, mut worst) = (0, 0, 1.0_f64);
        let mut counts = [0; 5];
        for _ in 0..20000 {
            let points: Vec<_> = (0..8).map(|_| random.in_ball().normalize()).collect();
            let Ok(rock) = ConvexPolyhedron::from_convex_hull(&points) else { continue };
            let q = DQuat::from_scaled_axis(random.in_ball() * 3.0);
            let low = points.iter().map(|&x| (q * x).z).fold(f64::INFINITY, f64::min);
            let depth = random.range(0.001, 0.02);
            let b = Placed::new(&rock, Pose3::new_normalize(q, DVec3::Z * (-low - depth)).unwrap());
            let kernel = &mut PressureField::new().with_points();
            let found = if pair { kernel.contact(&a, &b) } else { kernel.contact(&b, &wall) };
            let Some(c) = found else { continue };
            let corners = c.points.unwrap().corners;
            let best = corners.iter().map(|k| k.overlap).fold(0.0, f64::max);
            all += 1;
            few += usize::from(best < 0.9 * c.overlap);
            worst = worst.min(best / c.overlap);
            counts[corners.iter().filter(|k| k.overlap > 0.1 * c.overlap).count()] += 1;
        }
        println!("pair {pair}: {few} of {all} lack 0.9 of the overlap; least {worst}; corners with depth {counts:?}");
    }
    let cube = ConvexPolyhedron::from_convex_hull(&(0..8).map(|i: u32| DVec3::new((i&1).into(), (i>>1&1).into(), (i>>2).into())-0.5).collect::<Vec<_>>()).unwrap();
    let b = Placed::new(&cube, Pose3::new_normalize(DQuat::from_rotation_z(0.3), DVec3::Z * 0.49).unwrap());
    for c in [PressureField::new().with_points().contact(&a, &b).unwrap(), PressureField::new().with_points().contact(&b, &wall).unwrap()] {
        println!("cube on face {:?}", c.points.unwrap().corners.map(|k| (k.point - c.point, k.overlap)));
    }
}
