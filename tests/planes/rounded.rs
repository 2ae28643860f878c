//! Balls, capsules, rounded and sharp polyhedra, any two: against the oracle, in ties, with states, swapped and scaled.

use std::sync::Arc;

use crate::support::cases;
use crate::support::convex::{cube_times, polygon, polyhedron, random, vector};
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::shape::RoundedPolygon;
use osculate::testing::oracle::{
    distance_to_polyhedron, gap_of_polygons, gap_of_polygons_along, gap_of_polyhedra,
    gap_of_polyhedra_along,
};
use osculate::testing::properties::kernel;
use osculate::testing::workload::SplitMix64;
use osculate::{
    Bounded, CommonPlane, CommonPlaneContact, CommonPlaneState, ConvexPolyhedron, Feature,
    NarrowPhase, Placed, Pose2, Pose3, Rounded, Sphere,
};

type Body = Placed<Rounded>;

/// What a shape is made of, so that it can be made again at another scale.
#[derive(Clone)]
enum Core {
    Point(DVec3),
    Segment([DVec3; 2]),
    Body(Arc<ConvexPolyhedron>),
}

impl Core {
    fn shape(&self, radius: f64, scale: f64) -> Rounded {
        let shape = match self {
            Self::Point(center) => Rounded::capsule([*center * scale; 2], radius * scale),
            Self::Segment(ends) => Rounded::capsule(ends.map(|x| x * scale), radius * scale),
            Self::Body(body) if scale == 1.0 => Rounded::polyhedron(body.clone(), radius),
            Self::Body(body) => {
                let points: Vec<_> = body.vertices().iter().map(|&v| v * scale).collect();
                let body = ConvexPolyhedron::from_convex_hull(&points).unwrap();
                Rounded::polyhedron(body, radius * scale)
            }
        };
        shape.unwrap()
    }
}

fn lattice(random: &mut SplitMix64) -> DVec3 {
    DVec3::from_array([0; 3].map(|_| random.below(9) as f64 * 0.5 - 2.0))
}

/// A core of kind 0 to 2; on the lattice if `is_tied`.
fn core(random: &mut SplitMix64, kind: usize, is_tied: bool) -> Core {
    let center = [DVec3::ZERO, vector(random)][random.below(2)];
    match (kind, is_tied) {
        (0, true) => Core::Point([DVec3::ZERO, DVec3::X][random.below(2)]),
        (0, false) => Core::Point(center),
        (1, true) => {
            let half = [DVec3::X, DVec3::Y, DVec3::ONE][random.below(3)];
            Core::Segment([-half, half])
        }
        (1, false) => {
            let half = vector(random) * [1.0, 1.0, 0.01, 30.0][random.below(4)];
            Core::Segment([center - half, center + half])
        }
        (_, true) => Core::Body(Arc::new(cube_times(DVec3::new(2.0, 1.0, 1.0)))),
        _ => Core::Body(Arc::new(polyhedron(random, 1.0))),
    }
}

/// How far a point of a core is off a feature of the core.
fn off(core: &Core, point: DVec3, feature: Feature) -> f64 {
    let (vertices, surface) = match core {
        Core::Point(center) => (&[*center][..], None),
        Core::Segment(ends) => (&ends[..], None),
        Core::Body(body) => (body.vertices(), Some(body.surface())),
    };
    let offset = |id: u32| point - vertices[id as usize];
    match feature {
        Feature::Vertex(id) => offset(id).length(),
        Feature::Edge(a, b) => {
            let along = offset(a) - offset(b);
            offset(a).cross(along.normalize()).length()
        }
        Feature::Facet(id) => {
            let facet = surface.unwrap().facet(id).unwrap();
            facet.normal().dot(offset(facet.vertices()[0])).abs()
        }
    }
}

/// Two bodies of given kinds: anywhere near each other, with a gap of the cores near 0, or on the lattice.
fn pair(random: &mut SplitMix64, kinds: [usize; 2], case: usize) -> ([Core; 2], [Body; 2]) {
    let is_tied = case.is_multiple_of(4);
    let cores = kinds.map(|kind| core(random, kind, is_tied));
    let radius = [0.0, 0.25, 0.5, 3.0];
    let mut shapes = cores
        .each_ref()
        .map(|core| core.shape(radius[random.below(4)], 1.0));
    // A core without radius nearly always misses another one.
    if kinds[0] < 2 && kinds[1] < 2 && shapes[0].radius() == 0.0 {
        shapes[0] = cores[0].shape(0.5, 1.0);
    }
    let place = |random: &mut SplitMix64, shape: &Rounded| {
        let turns = [DQuat::IDENTITY, DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5)];
        let pose = if is_tied {
            Pose3::new(turns[random.below(2)], lattice(random))
        } else {
            Pose3::new_normalize(random.rotation(), vector(random) * 2.0)
        };
        Placed::new(shape.clone(), pose.unwrap())
    };
    let [a, mut b] = shapes.each_ref().map(|shape| place(random, shape));
    if case % 4 == 1 {
        let found = cold(&a, &b);
        let radii = a.shape.radius() + b.shape.radius();
        let gap = [0.0, 1e-16, -1e-16, 1e-12, -1e-9, 1e-6, -0.01][random.below(7)];
        let moved = b.pose.translation() + found.normal * (found.overlap - radii + gap);
        b.pose = Pose3::new(b.pose.rotation(), moved).unwrap();
    }
    (cores, [a, b])
}

fn wide() -> CommonPlane {
    CommonPlane::new().with_margin(1e3).unwrap()
}

fn cold(a: &Body, b: &Body) -> CommonPlaneContact {
    wide().contact(a, b).unwrap()
}

fn scaled(core: &Core, body: &Body, scale: f64) -> Body {
    let shape = core.shape(body.shape.radius(), scale);
    let pose = Pose3::new(body.pose.rotation(), body.pose.translation() * scale);
    Placed::new(shape, pose.unwrap())
}

/// All pairs of kinds: the gap and the supports to the error bound, witnesses on their bodies, swap, state and scale to
/// the bit.
#[test]
fn pairs_of_cores() {
    let mut random = random(1);
    for kinds in [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]] {
        let mut state = CommonPlaneState::default();
        let mut worst = [0.0_f64; 4];
        for case in 0..cases(4000) {
            let (cores, [a, b]) = pair(&mut random, kinds, case);
            let found = cold(&a, &b);
            let context = || format!("{kinds:?} {case}: {a:?} {b:?} {found:?}");
            let spheres = [a.bounding_sphere(), b.bounding_sphere()];
            let size = spheres[0].radius + spheres[1].radius + found.overlap.abs();
            let gap = gap_of_polyhedra(&a, &b);
            let error = (found.overlap + gap).abs();
            assert!(error <= found.error_bound, "{error:e} {gap} {}", context());
            worst[0] = worst[0].max(error / found.error_bound);
            worst[1] = worst[1].max(found.error_bound / size);
            let along = gap_of_polyhedra_along(&a, &b, found.normal);
            let error = (found.overlap + along).abs();
            assert!(
                error <= found.error_bound,
                "{error:e} {along} {}",
                context()
            );
            assert!((found.normal.length() - 1.0).abs() < 1e-15, "{}", context());
            for (body, point) in [(&a, found.point_a), (&b, found.point_b)] {
                let off = distance_to_polyhedron(body, point).abs() / size;
                assert!(off * size <= found.error_bound, "{off:e} {}", context());
                worst[2] = worst[2].max(off);
            }
            let points = [
                found.point_a - found.normal * a.shape.radius(),
                found.point_b + found.normal * b.shape.radius(),
            ];
            for (i, feature) in [found.feature_a, found.feature_b].into_iter().enumerate() {
                let on_core = [&a, &b][i].pose.inverse_transform_point(points[i]);
                let off = off(&cores[i], on_core, feature);
                assert!(off <= found.error_bound, "{off:e} {}", context());
                worst[3] = worst[3].max(off / size);
            }
            let warm = wide().contact_with(&a, &b, &mut state).unwrap();
            assert_eq!(warm, found, "{}", context());
            if a != b {
                kernel::swap_negates(&mut wide(), &a, &b).unwrap();
            }
            let scale = 2.0_f64.powi([-100, 60][case % 2]);
            let [a, b] = [scaled(&cores[0], &a, scale), scaled(&cores[1], &b, scale)];
            let kernel = &mut CommonPlane::new().with_margin(1e40).unwrap();
            let other = kernel.contact(&a, &b).unwrap();
            assert_eq!(
                (other.overlap, other.normal, other.error_bound, other.point),
                (
                    found.overlap * scale,
                    found.normal,
                    found.error_bound * scale,
                    found.point * scale
                ),
                "{}",
                context()
            );
        }
        println!(
            "{kinds:?}: error / bound {:.2}, bound / size {:.1e}, off the body {:.1e}, the feature {:.1e}",
            worst[0], worst[1], worst[2], worst[3]
        );
    }
}

/// A rod, or the hull of more points than two, and another hull, from numbers: the points of the first body, a rotation and a
/// translation for each body, the points of the second.
fn pair_from(count: usize, radius: f64, numbers: &str) -> [Body; 2] {
    let numbers = numbers.split_whitespace().map(|x| x.parse().unwrap());
    let numbers: Vec<f64> = numbers.collect();
    let (first, numbers) = numbers.split_at(3 * count);
    let shape = |points: &[f64], radius: f64| {
        let points: Vec<_> = points.chunks(3).map(DVec3::from_slice).collect();
        match points[..] {
            [a, b] => Rounded::capsule([a, b], radius).unwrap(),
            _ => Rounded::polyhedron(ConvexPolyhedron::from_convex_hull(&points).unwrap(), radius)
                .unwrap(),
        }
    };
    let pose = |x: &[f64]| Pose3::new(DQuat::from_slice(x), DVec3::from_slice(&x[4..])).unwrap();
    let [a, b] = [shape(first, radius), shape(&numbers[14..], 0.0)];
    [
        Placed::new(a, pose(numbers)),
        Placed::new(b, pose(&numbers[7..])),
    ]
}

/// Gaps and witness points that were wrong.
#[test]
fn pairs_that_failed() {
    let pairs = [
        // A long rod 1e-12 in front of the tip of a needle, which the rounding of the planes beside the tip hides.
        (
            2,
            3.0,
            "-18.326471851009526 -24.193829148393007 -22.857819870785562 19.147621672727336 25.992877852447265 \
             23.78723627396257 0.3669078487465088 -0.24947301922654222 -0.7765937351799796 -0.44726280158918885 \
             -1.2554676269710296 1.75715878383176 -0.6533429805826723 -0.7340061392065613 -0.3507880421186215 \
             0.2390053816675112 -0.5301501340635782 -0.294518399299241 0.563061065948057 0.0019009689901097193 \
             0.5947011063084413 0.0061766176333423045 0.00514611057275653 0.9731376317720369 0.002171740777184282 \
             0.0007641053328083469 0.21968006458065376 -0.009388667710010793 -0.002650846195761778 -0.6035901657208128 \
             -0.004687146134298663 0.006449693969502838 -0.6326504690739725 0.007711844785798819 0.0007090757348801556 \
             -0.3198499055304928 -0.004287779781241041 -0.008448937704871188",
        ),
        // The closest point of a short rod to an edge is near its end: the witness points are there, not at the end.
        (
            2,
            3.0,
            "-0.29952602968375075 0.5634236123607594 -0.9534052532669871 -0.2851347322577382 0.5720735081151391 \
             -0.9449688736737144 -0.3788666127386766 0.367506041785701 0.586165645749424 0.6146618865246886 \
             0.629251595181032 -0.77032813839836 1.9486696634452443 0.9328632717899775 0.09101478802183481 \
             0.07781844226650378 -0.33974507288532363 -0.9451854097000718 -1.5516547112809196 1.801331609486989 \
             -0.9116880548967825 0.35232560192355744 0.211403786124384 0.9272161935762391 0.37447929620574494 \
             -0.005948704332921378 0.04150298028930828 -0.28962410021806656 0.9562402329958622 -0.17704267636511622 \
             0.6511417676198791 0.7380178109004796",
        ),
        // A vertex 1e-12 in front of an edge of a needle. The gap along normals that are tilted by 0.1 rad is the same to rounding, but
        // the witness points are at the ends of the gap.
        (
            5,
            0.25,
            "-0.5 -0.5 -0.5 0.5 0.5 -0.5 -0.5 0.5 0.5 0 0 1 0 0 -1 \
             0.20273621155437463 -0.3846243866405151 -0.7432559693291305 0.5084610838428067 -0.8560685570631259 \
             1.996733963796133 0.16542741655914295 0.053726235970372536 0.7447848755379255 0.6162873289744939 \
             0.2501977395659215 -0.9479964830103731 1.9862620777175297 -0.7325118607699859 -0.06096444439181226 \
             -0.006488287794384312 0.007584883331287523 -0.7555313366798317 -0.0014646783397086482 0.006385292263527725 \
             -0.2831029171461451 0.009545301008647051 0.0009340784146183331 -0.9042127977637755 -0.0016394562823935001 \
             -0.003943615693008264 -0.6092492004126411 0.00360748556133837 -0.007061698740699074 0.6248550626216399 \
             -0.0026987503007479914 -0.007326142360466609",
        ),
        // A short rod touches a vertex with its end. The nearest triangle of the difference is so narrow there that rounding takes the
        // origin beyond a side of it.
        (
            2,
            0.0,
            "0.0005706059960720222 0.0017179637104963509 0.0001710245286737666 -0.0005706059960720222 -0.0017179637104963509 \
             -0.0001710245286737666 -0.7613295607072851 -0.5369745044817681 -0.35415553023935026 -0.08129908935957794 \
             -0.9538749408076832 -0.44617997311189983 1.3917739452104239 -0.5446160933199204 -0.4089539655543402 \
             0.27453195597618446 -0.6788093768520126 -1.480710075009524 -0.4136080538924156 0.5404909347702493 \
             -0.18199988497477013 -0.9784891044546026 -0.09713451669103038 -0.18844871974912328 -0.8868295470553769 \
             -0.4219246786980723 0.7800736152158267 0.5569564426036892 0.2851046753147935 -0.4582735139489312 \
             0.8592577939383065 0.22729150879250568",
        ),
    ];
    for (count, radius, numbers) in pairs {
        let [a, b] = pair_from(count, radius, numbers);
        let found = cold(&a, &b);
        assert!((found.overlap + gap_of_polyhedra(&a, &b)).abs() <= found.error_bound);
        for (body, point) in [(&a, found.point_a), (&b, found.point_b)] {
            assert!(distance_to_polyhedron(body, point).abs() <= found.error_bound);
        }
    }
}

type Flat = Placed<RoundedPolygon, DVec2>;

/// The vertices of a core of kind 0 to 2 in the plane; on the lattice if `is_tied`.
fn flat_core(random: &mut SplitMix64, kind: usize, is_tied: bool) -> Vec<DVec2> {
    let mut point = || vector(random).truncate();
    let square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(DVec2::from);
    match (kind, is_tied) {
        (0, true) => vec![DVec2::ZERO],
        (0, false) => vec![point()],
        (1, true) => vec![-DVec2::X, DVec2::X],
        (1, false) => vec![point(), point()],
        (_, true) => square.to_vec(),
        _ => polygon(random, 1.0).vertices().to_vec(),
    }
}

fn scaled_flat(body: &Flat, scale: f64) -> Flat {
    let vertices = body.shape.core_vertices().iter().map(|&v| v * scale);
    let core = (vertices.collect::<Vec<_>>(), body.shape.radius() * scale);
    let pose = Pose2::new(body.pose.rotation(), body.pose.translation() * scale);
    Placed::new(RoundedPolygon::try_from(core).unwrap(), pose.unwrap())
}

/// The same in the plane, where two crossing segments overlap.
#[test]
fn pairs_of_flat_cores() {
    let mut random = random(2);
    for kinds in [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]] {
        let mut state = CommonPlaneState::<DVec2>::default();
        for case in 0..cases(20_000) {
            let is_tied = case.is_multiple_of(4);
            let [a, mut b] = [0, 1].map(|i| {
                let core = flat_core(&mut random, kinds[i], is_tied);
                let mut radius = [0.0, 0.25, 0.5, 3.0][random.below(4)];
                // A core without area needs a radius to overlap another one.
                if i == 0 && kinds[1] < 2 {
                    radius = 0.5;
                }
                let (turn, at) = match is_tied {
                    true => ([DVec2::X, DVec2::Y][random.below(2)], lattice(&mut random)),
                    false => (vector(&mut random).truncate(), vector(&mut random) * 2.0),
                };
                let shape = RoundedPolygon::try_from((core, radius)).unwrap();
                Placed::new(shape, Pose2::new_normalize(turn, at.truncate()).unwrap())
            });
            let kernel = &mut wide();
            if case % 4 == 1 {
                let found = kernel.contact(&a, &b).unwrap();
                let radii = a.shape.radius() + b.shape.radius();
                let gap = [0.0, 1e-16, -1e-16, 1e-12, -1e-9, 1e-6, -0.01][random.below(7)];
                let moved = b.pose.translation() + found.normal * (found.overlap - radii + gap);
                b.pose = Pose2::new(b.pose.rotation(), moved).unwrap();
            }
            let found = kernel.contact(&a, &b).unwrap();
            let context = || format!("{kinds:?} {case}: {a:?} {b:?} {found:?}");
            let along = gap_of_polygons_along(&a, &b, found.normal);
            for gap in [gap_of_polygons(&a, &b), along] {
                let error = (found.overlap + gap).abs();
                assert!(error <= found.error_bound, "{error:e} {gap} {}", context());
            }
            for (body, point) in [(&a, found.point_a), (&b, found.point_b)] {
                let point = Placed::new(Sphere::new(point, 0.0), Pose2::IDENTITY);
                let off = gap_of_polygons(&point, body).abs();
                assert!(off < 1e-12, "{off:e} {}", context());
            }
            let warm = kernel.contact_with(&a, &b, &mut state);
            assert_eq!(warm.as_ref(), Some(&found), "{}", context());
            if a != b {
                kernel::swap_negates(kernel, &a, &b).unwrap();
            }
            let scale = 2.0_f64.powi([-100, 60][case % 2]);
            let kernel = &mut CommonPlane::new().with_margin(1e40).unwrap();
            let other = kernel.contact(&scaled_flat(&a, scale), &scaled_flat(&b, scale));
            let mut expected = found;
            expected.point *= scale;
            expected.point_a *= scale;
            expected.point_b *= scale;
            expected.overlap *= scale;
            expected.error_bound *= scale;
            assert_eq!(other, Some(expected), "{}", context());
        }
    }
}
