//! Comparison with the oracle: all families, sizes and depths, cold and warm.

use super::*;
use crate::testing::oracle::gap_of_polyhedra_along;

/// Gaps, relative to the smaller body.
const GAPS: [f64; 12] = [
    2.0, 0.3, 0.01, 1e-6, 1e-12, 0.0, -1e-12, -1e-6, -1e-3, -0.02, -0.2, -0.6,
];

/// How far a witness point may be off its feature, relative to the place.
///
/// A normal whose gap differs from the gap g by d encloses an angle of up to sqrt(2 d / g) with the segment
/// between the closest points, so points along it are off by sqrt(2 d g). With the 32 u of [`GAP_BOUNDS`] this is
/// 1e-13 at a gap of 1.4e-12, where [`STRICT`] resolves ties. Longer gaps are those of the pair that carries them. The
/// corners of almost parallel faces are off by as much as the error bound.
///
/// [`GAP_BOUNDS`]: crate::math::tolerance::GAP_BOUNDS
/// [`STRICT`]: crate::math::tolerance::STRICT
const OFF: f64 = 1e-13;

#[derive(Debug, Default)]
struct Errors {
    /// The largest, relative to the sum of the bodies' sizes.
    worst: f64,
    /// The largest share of the residual that an error took.
    worst_of_residual: f64,
    /// How far an end of a gap is outside its body, or from its vertex, relative to the place.
    worst_off: f64,
    wrong: usize,
}

/// How far a point is outside a body, or off the feature that it is said to be on.
pub(super) fn off(body: &Body, point: DVec3, feature: Feature) -> f64 {
    let local = body.pose.inverse_transform_point(point);
    let surface = body.shape.surface();
    let above = |facet: crate::shape::Facet| {
        let corner = facet.corners().next().unwrap_or_default();
        facet.normal().dot(local - corner)
    };
    let corner = |id: u32| surface.vertices()[id as usize];
    let outside = surface.facets().map(above).fold(0.0, f64::max);
    outside.max(match feature {
        Feature::Vertex(v) => local.distance(corner(v)),
        Feature::Edge(a, b) => {
            let along = (corner(b) - corner(a)).normalize();
            (local - corner(a)).cross(along).length()
        }
        Feature::Facet(facet) => above(surface.facet(facet).unwrap()).abs(),
    })
}

impl Errors {
    fn check(&mut self, what: &str, a: &Body, b: &Body, found: &CommonPlaneContact<DVec3>) {
        let size = a.bounding_sphere().radius + b.bounding_sphere().radius;
        let error = (found.overlap + gap_of_polyhedra(a, b)).abs();
        self.worst = self.worst.max(error / size);
        self.worst_of_residual = self.worst_of_residual.max(error / found.error_bound);
        // If the ends of a short gap are edges or vertices, the lower bound is inaccurate.
        let is_sound = error <= found.error_bound && found.error_bound < 1e-7 * size;
        let point_a = found.point + found.normal * (0.5 * found.overlap);
        let place = a.pose.translation().length() + b.pose.translation().length() + size;
        let is_halfway = found.point_a.distance(point_a) <= 1e-15 * place;
        let off =
            off(a, found.point_a, found.feature_a).max(off(b, found.point_b, found.feature_b));
        self.worst_off = self.worst_off.max(off / place);
        // Along the normal the bodies are apart by the gap.
        let along = (found.overlap + gap_of_polyhedra_along(a, b, found.normal)).abs();
        let is_sound = is_sound && along <= found.error_bound;
        let is_on_both = off <= (OFF * place).max(found.error_bound);
        if !(error <= 1e-12 * size && is_sound && is_halfway && is_on_both) {
            self.wrong += 1;
            println!("{what}: error {error:e}, off {off:e} of {size}: {found:?}");
        }
    }
}

/// Size and size ratio of a pair, and how far from the origin it is, relative to the size.
fn scales(case: usize, random: &mut SplitMix64) -> ([f64; 2], f64) {
    let size = [1.0, 1e-9, 1e9, 1e-4][random.below(4)] * random.range(0.5, 2.0);
    let ratio = [1.0, 0.1, 1e-2, 1e-3][random.below(4)];
    let far = if random.below(4) == 0 {
        1e6 * size
    } else {
        0.0
    };
    let sizes = [size, size * ratio];
    let sizes = [sizes, [sizes[1], sizes[0]]];
    (sizes[case % 2], far)
}

/// A cold start, then a warm start after a small motion, then one at rest.
fn cold_and_warm(
    kernel: &mut CommonPlane,
    errors: &mut Errors,
    [a, mut b]: [Body; 2],
    random: &mut SplitMix64,
    what: &str,
) {
    let mut memory = CommonPlaneState::default();
    let small = a.bounding_sphere().radius.min(b.bounding_sphere().radius);
    let step = [0.0, 1e-9, 1e-4, 1e-2][random.below(4)];
    for _ in 0..2 {
        let found = contact(kernel, &a, &b, &mut memory).expect("within the margin");
        errors.check(what, &a, &b, &found);
        let turn = DQuat::from_vec4((vector(random) * step).extend(1.0)) * b.pose.rotation();
        let translation = b.pose.translation() + vector(random) * (step * small);
        b.pose = Pose3::new_normalize(turn, translation).unwrap();
    }
}

#[test]
fn random_pairs() {
    let mut random = SplitMix64::new(seed(71));
    let (mut errors, mut kernel) = (Errors::default(), wide());
    for case in 0..cases(3000) {
        let families = [0; 2].map(|_| SMALL[random.below(SMALL.len())]);
        let (sizes, far) = scales(case, &mut random);
        let shapes = [0, 1].map(|i| scaled(families[i], sizes[i], &mut random));
        let gap = sizes[0].min(sizes[1]) * GAPS[random.below(GAPS.len())];
        let pair = near_pair(&mut random, shapes.each_ref(), gap);
        let offset = vector(&mut random) * far;
        let pair = pair.map(|body| at(&body, body.pose.translation() + offset));
        let what = format!("case {case}, {families:?}, gap {gap:e}");
        cold_and_warm(&mut kernel, &mut errors, pair, &mut random, &what);
    }
    println!("{errors:?}");
    assert_eq!(errors.wrong, 0);
}

/// The witness points of touching bodies lie on the features that are named: at faces whose corners are rounded more than
/// the smaller body, and where two vertices meet.
#[test]
fn touching_bodies() {
    let mut random = SplitMix64::new(seed(75));
    let (mut errors, mut kernel) = (Errors::default(), wide());
    for case in 0..cases(4000) {
        let families = [Rock, Sliver][case % 2];
        let families = [families, SMALL[random.below(SMALL.len())]];
        let shapes = families.map(|family| shape(family, &mut random));
        let gap = [0.0, -1e-12][random.below(2)];
        let [a, mut b] = near_pair(&mut random, shapes.each_ref(), gap);
        let meet = random.below(2) == 0;
        if meet {
            let along = vector(&mut random);
            let highest = |body: &Body, n: DVec3| {
                let vertices = body.shape.vertices().iter();
                let placed = vertices.map(|v| body.pose.transform_point(*v));
                let highest = placed.max_by(|v, w| v.dot(n).total_cmp(&w.dot(n)));
                highest.unwrap()
            };
            let apart = highest(&a, along) - highest(&b, -along);
            b = at(&b, b.pose.translation() + apart);
        }
        let what = format!("case {case}, {families:?}, gap {gap:e}, {meet}");
        cold_and_warm(&mut kernel, &mut errors, [a, b], &mut random, &what);
    }
    println!("{errors:?}");
    assert_eq!(errors.wrong, 0);
}

/// 50 and 500 vertices, with each other and with the small ones.
#[test]
fn pairs_of_many_vertices() {
    let mut random = SplitMix64::new(seed(72));
    let (mut errors, mut kernel) = (Errors::default(), wide());
    for case in 0..cases(3000) / 100 {
        let many = if case % 10 == 9 { FiveHundred } else { Fifty };
        let other = [SMALL[random.below(SMALL.len())], Fifty][random.below(2)];
        let other = if case % 60 == 59 { FiveHundred } else { other };
        let families = [many, other];
        let (sizes, _) = scales(case, &mut random);
        let shapes = [0, 1].map(|i| scaled(families[i], sizes[i], &mut random));
        let gap = sizes[0].min(sizes[1]) * GAPS[random.below(GAPS.len())];
        let pair = near_pair(&mut random, shapes.each_ref(), gap);
        let what = format!("case {case}, {families:?}, gap {gap:e}");
        cold_and_warm(&mut kernel, &mut errors, pair, &mut random, &what);
    }
    println!("{errors:?}");
    assert_eq!(errors.wrong, 0);
}

/// Equal bodies at places where faces, edges and vertices of both are in line.
#[test]
fn bodies_in_line() {
    let mut random = SplitMix64::new(seed(70));
    let (mut errors, mut kernel) = (Errors::default(), wide());
    for case in 0..cases(3000) / 5 {
        let family = [Cube, Pyramid, Fourteen][case % 3];
        let body = shape(family, &mut random);
        // Right angles, or a turn about an axis only.
        let turn = [
            DQuat::IDENTITY,
            DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5),
            DQuat::from_rotation_z(random.range(0.0, 6.0)),
        ][random.below(3)];
        let lattice =
            |random: &mut SplitMix64| DVec3::from_array([0; 3].map(|_| random.below(9) as f64));
        let translation = lattice(&mut random) * 0.25;
        // All in any orientation, so that ties hold to rounding only.
        let all = [DQuat::IDENTITY, rotation(&mut random).normalize()][random.below(2)];
        let a = Placed {
            shape: &body,
            pose: Pose3::new(all, DVec3::ZERO).unwrap(),
        };
        let b = Placed {
            shape: &body,
            pose: Pose3::new_normalize(all * turn, all * translation).unwrap(),
        };
        let what = format!("case {case}, {family:?} at {translation}, turned {turn}");
        cold_and_warm(&mut kernel, &mut errors, [a, b], &mut random, &what);
    }
    println!("{errors:?}");
    assert_eq!(errors.wrong, 0);
}

/// Small bodies at edges of large ones, from directions between the normals of both faces, up to ties.
#[test]
fn small_bodies_at_edges_of_large_ones() {
    let mut random = SplitMix64::new(seed(67));
    let (mut errors, mut kernel) = (Errors::default(), wide());
    for case in 0..cases(3000) {
        let family = [Tetrahedron, Pyramid, Cube, Sliver][random.below(4)];
        let large = shape(family, &mut random);
        let ratio = 10.0_f64.powf(-random.range(1.0, 3.5));
        let family = [Eight, Rock, Needle, Tetrahedron][random.below(4)];
        let small = scaled(family, ratio, &mut random);
        let a = Placed {
            shape: &large,
            pose: Pose3::new_normalize(rotation(&mut random), DVec3::ZERO).unwrap(),
        };
        let surface = large.surface();
        let [from, to] = &surface.edges()[random.below(surface.edges().len())];
        let mut normals = surface.facets().filter_map(|facet| {
            let ids = facet.vertices();
            (ids.contains(from) && ids.contains(to)).then_some(facet.normal())
        });
        let normals = [(); 2].map(|()| normals.next().unwrap());
        let share = [0.0, 1e-12, random.range(0.0, 1.0)][random.below(3)];
        let normal = (normals[0] + (normals[1] - normals[0]) * share).normalize();
        let normal = a.pose.transform_vector(normal);
        let ends = [from, to].map(|id| large.vertices()[*id as usize]);
        let on_edge = ends[0] + (ends[1] - ends[0]) * random.range(0.1, 0.9);
        let turn = Pose3::new_normalize(rotation(&mut random), DVec3::ZERO).unwrap();
        let height = |v: &DVec3| turn.transform_vector(*v).dot(normal);
        let lowest = small
            .vertices()
            .iter()
            .min_by(|v, w| height(v).total_cmp(&height(w)));
        let gap = [0.0, 1e-14, 1e-12, 1e-9, 1e-5][random.below(5)] * random.range(-1.0, 1.0);
        let translation = a.pose.transform_point(on_edge) + normal * gap
            - turn.transform_vector(*lowest.unwrap());
        let b = Placed {
            shape: &small,
            pose: Pose3::new(turn.rotation(), translation).unwrap(),
        };
        let pair = if case % 2 == 0 { [a, b] } else { [b, a] };
        let what = format!("case {case}, {family:?} of {ratio:e}, share {share}, gap {gap:e}");
        cold_and_warm(&mut kernel, &mut errors, pair, &mut random, &what);
    }
    println!("{errors:?}");
    assert_eq!(errors.wrong, 0);
}

/// Two ridges that cross at a small angle, their faces almost as flat: the normal is inaccurate, the gap
/// is not.
#[test]
fn almost_parallel_edges() {
    let mut random = SplitMix64::new(seed(69));
    let (mut errors, mut kernel) = (Errors::default(), wide());
    for _ in 0..cases(3000) / 5 {
        let slope = [1.0, 0.1, 1e-3][random.below(3)];
        let wedge = |up: f64| {
            let ridge = [-1.0, 1.0].map(|x| DVec3::new(x, 0.0, 0.0));
            let base = [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)];
            let base = base.map(|(x, y)| DVec3::new(x, y, up * slope));
            ConvexPolyhedron::from_convex_hull(&[&ridge[..], &base[..]].concat()).unwrap()
        };
        let shapes = [wedge(-1.0), wedge(1.0)];
        let angle = slope * 10.0_f64.powf(-random.range(1.0, 9.0));
        let turn = DQuat::from_vec4((DVec3::Z * angle).extend(2.0));
        let depth = slope * angle * random.range(-0.1, 0.1);
        let offset = DVec3::new(
            random.range(-0.2, 0.2),
            angle * random.range(-0.2, 0.2),
            -depth,
        );
        let a = Placed {
            shape: &shapes[0],
            pose: Pose3::new_normalize(rotation(&mut random), DVec3::ZERO).unwrap(),
        };
        let b = Placed {
            shape: &shapes[1],
            pose: a.pose * Pose3::new_normalize(turn, offset).unwrap(),
        };
        let what = format!("angle {angle:e}, slope {slope}, depth {depth:e}");
        cold_and_warm(&mut kernel, &mut errors, [a, b], &mut random, &what);
    }
    println!("{errors:?}");
    assert_eq!(errors.wrong, 0);
}

/// Where nothing is tied, the pair of features at the end of a search carries the plane.
#[test]
fn ties_are_rare() {
    let mut random = SplitMix64::new(seed(68));
    let (mut kernel, mut steps) = (wide(), Steps::default());
    let count = cases(3000) / 10;
    for case in 0..count {
        let families = [Eight, Fourteen, Rock, Fifty];
        let shapes = [0; 2].map(|_| shape(families[random.below(4)], &mut random));
        let gap = [0.1, -1e-3, -0.02, -0.3][case % 4];
        let [a, b] = near_pair(&mut random, shapes.each_ref(), gap);
        steps.count(|| cold(&mut kernel, &a, &b));
    }
    println!("{steps:?}");
    assert!(steps.tied as usize <= count / 50, "{steps:?}");
}

/// A small body at an edge of a large one: the nearest triangle of the polytope is small and its normal inaccurate. The
/// pair of edges at it has the smaller depth.
#[test]
fn small_body_at_an_edge_of_a_large_one() {
    let pose = |[x, y, z, w]: [f64; 4], at: [f64; 3]| {
        Pose3::new(DQuat::from_xyzw(x, y, z, w), DVec3::from_array(at)).unwrap()
    };
    let large = [
        [
            1.520114018742973e-11,
            8.325698130868189e-10,
            8.411863014127865e-10,
        ],
        [
            5.624289613763928e-10,
            1.0414713348178507e-9,
            -3.013995477393566e-12,
        ],
        [
            6.895845350321362e-10,
            -5.823047337789509e-10,
            -7.657625794422704e-10,
        ],
        [
            8.363850717485896e-10,
            -8.159969744843325e-10,
            1.8869793692423922e-10,
        ],
    ];
    let at_large = pose(
        [
            0.652688313787672,
            0.6546068087017963,
            -0.3540252109831324,
            0.1419649288895108,
        ],
        [
            -0.0006502134805554116,
            6.878346930776864e-5,
            0.0008169312054667492,
        ],
    );
    let small = [
        [
            3.97992819979094e-13,
            4.281411408249157e-13,
            1.0292205015394756e-12,
        ],
        [
            8.191582250556999e-13,
            -2.1152045342162286e-13,
            8.27790349133673e-13,
        ],
        [
            -8.753525589524196e-13,
            2.186500516178372e-14,
            7.964155831572281e-13,
        ],
        [
            7.064741024428818e-13,
            -9.47453684115947e-13,
            -6.499093047176354e-14,
        ],
    ];
    let at_small = pose(
        [
            -0.29124956601667934,
            0.6239679845538749,
            -0.34781250036755,
            -0.6362893281636463,
        ],
        [
            -0.0006502129192120122,
            6.878285072655675e-5,
            0.0008169303679868204,
        ],
    );
    let [a, b] = [(large, at_large), (small, at_small)].map(|(corners, pose)| {
        let hull = ConvexPolyhedron::from_convex_hull(&corners.map(DVec3::from_array)).unwrap();
        Placed::new(hull, pose)
    });
    let (a, b) = (Placed::new(&a.shape, a.pose), Placed::new(&b.shape, b.pose));
    let found = wide().contact(&a, &b).unwrap();
    // It was wrong by 6.3 times the error bound.
    let error = (found.overlap + gap_of_polyhedra(&a, &b)).abs();
    assert!(
        error <= found.error_bound,
        "{error:e} {:e}",
        found.error_bound
    );
}
