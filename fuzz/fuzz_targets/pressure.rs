//! Two hulls, and a hull at any triangles and at a rough floor: finite contacts that add up, the same bits swapped and with
//! any state, and a force that changes no more than the motion allows.
#![no_main]
use libfuzzer_sys::fuzz_target;
use osculate::glam::DVec3;
use osculate::narrow::{PressureContact, PressureField, PressureState};
use osculate::*;
use osculate_fuzz::{Body, body, vector};

type Triangles = Vec<[[i8; 3]; 3]>;
type Hull<'a> = Placed<&'a ConvexPolyhedron>;

/// All coordinates are smaller.
const SIZE: f64 = 1e3;
/// Of forces, and of moments divided by the size.
const ROUNDING: f64 = 1e-12 * SIZE * SIZE * SIZE;
const MOTION: f64 = 1e-3;

fn floor(heights: &[i8; 16]) -> Vec<[DVec3; 3]> {
    let at = |i: usize, j: usize| {
        let [x, y] = [i, j].map(|i| 64.0 * i as f64 - 96.0);
        DVec3::new(x, y, heights[4 * i + j].into())
    };
    let cells = (0..9).map(|c| (c / 3, c % 3));
    let triangles = cells.flat_map(|(i, j)| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    triangles.collect()
}

fn area(surface: &SurfaceMesh) -> f64 {
    let areas = surface.facets().map(|facet| {
        let x: Vec<_> = facet.corners().collect();
        let pairs = (2..x.len()).map(|i| (x[i - 1] - x[0]).cross(x[i] - x[0]));
        0.5 * pairs.sum::<DVec3>().length()
    });
    areas.sum()
}

fn moved<'a>(body: &Hull<'a>, by: DVec3) -> Hull<'a> {
    let pose = Pose3::new(body.pose.rotation(), body.pose.translation() + by).unwrap();
    Placed::new(body.shape, pose)
}

/// Checks the contacts of a body with another one or a wall. Returns their force.
fn check<'a, B>(kernel: &mut PressureField, a: &Hull<'a>, b: &B, state: &mut PressureState) -> DVec3
where
    PressureField: NarrowPhase<Hull<'a>, B, Contact = PressureContact, State = PressureState>,
{
    let (mut cold, mut warm) = (Vec::new(), Vec::new());
    kernel.for_each_contact(a, b, &mut Default::default(), |c| cold.push(c));
    kernel.for_each_contact(a, b, state, |c| warm.push(c));
    assert_eq!(cold.len(), warm.len());
    for (c, warm) in cold.iter().zip(&warm) {
        let sums = |c: &PressureContact| (c.force, c.torque, c.point, c.load, c.overlap, c.volume);
        assert_eq!(sums(c), sums(warm));
        assert!(c.force.is_finite() && c.torque.is_finite() && c.point.is_finite());
        assert!(c.load >= c.force.length() * (1.0 - 1e-12) && c.overlap > 0.0 && c.area > 0.0);
        let (points, volume) = (warm.points.unwrap(), c.volume.unwrap());
        assert!(volume.energy.is_finite() && volume.volume.is_finite());
        assert!(points.shares.iter().all(|share| share.point.is_finite()));
        assert!(points.corners.iter().all(|corner| corner.point.is_finite()));
        let load: f64 = points.shares.iter().map(|share| share.load).sum();
        let center = points.shares.iter().map(|share| 0.25 * share.point);
        assert!((load - c.load).abs() <= 1e-12 * c.load);
        assert!(center.sum::<DVec3>().distance(c.point) <= 1e-12 * SIZE);
    }
    cold.iter().map(|c| c.force).sum()
}

fuzz_target!(|input: ([Body; 2], Triangles, [i8; 16], [i8; 3])| {
    let (bodies, soup, heights, direction) = input;
    let [Some(a), Some(b)] = [body(&bodies[0]), body(&bodies[1])] else {
        return;
    };
    let [p, q] = [&a, &b].map(|body| Placed::new(&body.shape, body.pose));
    let motion = MOTION * vector(direction).normalize_or_zero();
    let kernel = &mut PressureField::new().with_points().with_volume();
    // `moves` is the area times the motion of its points.
    let is_continuous = |before: DVec3, after: DVec3, moves: f64| {
        let change = before.distance(after);
        assert!(
            change <= moves * (1.0 + 1e-9) + ROUNDING,
            "{change} {moves}"
        );
    };

    let state = &mut PressureState::default();
    let force = check(kernel, &p, &q, state);
    assert_eq!(check(kernel, &p, &q, state), force);
    assert_eq!(-check(kernel, &q, &p, &mut Default::default()), force);
    let both = [&p, &q].map(|body| area(body.shape.surface()));
    let after = check(kernel, &moved(&p, motion), &q, state);
    is_continuous(force, after, 0.5 * (both[0] + both[1]) * motion.length());

    let soup: Vec<_> = soup.iter().map(|t| t.map(vector)).collect();
    for triangles in [soup, floor(&heights)] {
        let Ok(mesh) = SurfaceMesh::from_triangles(&triangles) else {
            continue;
        };
        let area = area(&mesh);
        let wall = Wall::new(mesh);
        let state = &mut PressureState::default();
        let force = check(kernel, &p, &wall, state);
        assert_eq!(check(kernel, &p, &wall, state), force);
        let mut sum = DVec3::ZERO;
        kernel.for_each_facet(&p, &wall, |facet| sum += facet.force);
        assert!(sum.distance(force) <= ROUNDING, "{sum} {force}");
        let after = check(kernel, &moved(&p, motion), &wall, state);
        is_continuous(force, after, area * motion.length());
    }
});
