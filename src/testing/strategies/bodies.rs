//! Generators of bodies and poses.

use glam::{DQuat, DVec2, DVec3};
use proptest::prelude::*;

use super::case::{Case, hull_expression, planar_hull_expression};
use crate::math::{Pose2, Pose3, Vector};
use crate::shape::{ConvexPolygon, ConvexPolyhedron, Facet, Placed, Rounded, SolidMesh, Sphere};
use crate::testing::oracle::LatticePoint;
use crate::testing::workload::{self, SplitMix64};

/// Generates two spheres and their gap, which is exact, at any scale.
///
/// The gap is 0, a multiple of 1/8, or a few ulps of the distance. The unit of length is within 2^-60 and
/// 2^60.
pub fn touching_spheres<V: Vector>() -> impl Strategy<Value = ([Sphere<V>; 2], f64)> {
    let exponent = prop_oneof![3 => Just(0), 1 => -60_i32..=60];
    touching_spheres_at(exponent.prop_map(|k| 2.0_f64.powi(k)))
}

/// Generates [`touching_spheres`] in a given unit of length, for kernels that are not made for any scale.
///
/// For instance `Just(1.0)` or `1.0..1e3`. The gap is exact for powers of two, otherwise to some roundings of the
/// coordinates.
pub fn touching_spheres_at<V: Vector>(
    unit: impl Strategy<Value = f64>,
) -> impl Strategy<Value = ([Sphere<V>; 2], f64)> {
    // Integer vectors of integer length.
    let directions = if V::DIM == 2 {
        vec![
            [1, 0, 0, 1],
            [3, 4, 0, 5],
            [12, 5, 0, 13],
            [8, 15, 0, 17],
            [0, 1, 0, 1],
        ]
    } else {
        vec![
            [1, 0, 0, 1],
            [2, 1, 2, 3],
            [2, 3, 6, 7],
            [4, 1, 8, 9],
            [6, 2, 9, 11],
            [0, 3, 4, 5],
        ]
    };
    let gap = prop_oneof![
        Just(0.0),
        (-2_i32..=2).prop_map(|ulps| f64::from(ulps) * 2.0_f64.powi(-45)),
        (-8_i32..=8).prop_map(|eighths| f64::from(eighths) / 8.0),
    ];
    let signs = prop::array::uniform3(prop::bool::ANY);
    let place = prop::array::uniform3(-8_i32..=8);
    let share = 0_i32..=8;
    let direction = prop::sample::select(directions);
    (direction, signs, place, share, gap, unit).prop_map(
        |(direction, signs, place, share, gap, unit)| {
            let a = V::from_fn(|axis| f64::from(place[axis]));
            let ab = V::from_fn(|axis| {
                let along = f64::from(direction[axis]);
                if signs[axis] { -along } else { along }
            });
            // The distance is an integer below 32: all of this is exact.
            let radii = f64::from(direction[3]) - gap;
            let radius = f64::from(share) / 8.0 * f64::from(direction[3]);
            let radius = radius.clamp(0.0, radii.max(0.0));
            let spheres = [(a, radius), (a + ab, radii - radius)]
                .map(|(center, radius)| Sphere::new(center * unit, radius * unit));
            (spheres, gap * unit)
        },
    )
}

/// Generates a rotation and a translation.
///
/// The rotation is about an axis of the lattice, by an angle with a cosine of 3/5, by almost zero, or any.
/// The translation is a multiple of 1/8, or any within 1 of the origin.
pub fn pose() -> impl Strategy<Value = Pose3> {
    let rotation = prop_oneof![
        2 => prop::sample::select(vec![
            DQuat::IDENTITY,
            DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0),
            DQuat::from_xyzw(0.0, 1.0, 0.0, 1.0),
            DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5),
            DQuat::from_xyzw(0.0, 0.0, 1.0, 2.0),
        ]),
        // Almost no rotation.
        1 => (20_i32..52).prop_map(|k| DQuat::from_xyzw(2.0_f64.powi(-k), 0.0, 0.0, 1.0)),
        2 => super::motion().prop_map(|(rotation, _)| rotation),
    ];
    (rotation, translation()).prop_filter_map("a pose", |(q, t)| {
        Pose3::new_normalize(q, DVec3::from_array(t)).ok()
    })
}

/// Generates a rotation and a translation in the plane, as [`pose`].
pub fn pose_2d() -> impl Strategy<Value = Pose2> {
    let turns = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (3.0, 4.0), (1.0, 1.0)];
    let rotation = prop_oneof![
        2 => prop::sample::select(turns.to_vec()),
        1 => (20_i32..52).prop_map(|k| (1.0, 2.0_f64.powi(-k))),
        2 => (-1.0..1.0, -1.0..1.0),
    ];
    (rotation, translation()).prop_filter_map("a pose", |((cos, sin), [x, y, _])| {
        Pose2::new_normalize(DVec2::new(cos, sin), DVec2::new(x, y)).ok()
    })
}

fn translation() -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3(prop_oneof![
        2 => (-16_i32..=16).prop_map(|i| f64::from(i) / 8.0),
        1 => -1.0..1.0,
    ])
}

/// Generates the points of a convex hull: multiples of 1/8 (ties, parallel faces), or points on an ellipsoid.
///
/// The shortest semi-axis of the ellipsoid may be 1/64.
fn corners() -> impl Strategy<Value = Vec<DVec3>> {
    let lattice = (-8_i32..=8).prop_map(|i| f64::from(i) / 8.0);
    let lattice = prop::array::uniform3(lattice).prop_map(DVec3::from_array);
    let axes = prop::array::uniform3(prop::sample::select(vec![1.0, 1.0, 0.25, 1.0 / 64.0]));
    let ball = prop::array::uniform3(-1.0..1.0).prop_map(DVec3::from_array);
    let ball = ball.prop_filter("not 0", |v| v.length_squared() > 0.01);
    prop_oneof![
        2 => prop::collection::vec(lattice, 4..16),
        1 => (axes, prop::collection::vec(ball, 4..24)).prop_map(|(axes, points)| {
            let place = |p: DVec3| p.normalize() * DVec3::from_array(axes);
            points.into_iter().map(place).collect()
        }),
    ]
}

/// Generates a convex polyhedron within 2 of the origin: with few or many vertices, on the lattice, needles, plates.
pub fn convex_polyhedron() -> impl Strategy<Value = Case<ConvexPolyhedron>> {
    corners().prop_filter_map("not flat", |points| scaled_hull(&points, 1.0))
}

/// Returns the hull of points times a scale factor, unless it is almost flat.
fn scaled_hull(points: &[DVec3], scale: f64) -> Option<Case<ConvexPolyhedron>> {
    let points: Vec<DVec3> = points.iter().map(|&p| p * scale).collect();
    let hull = ConvexPolyhedron::from_convex_hull(&points).ok()?;
    let is_solid = hull.volume() > 1e-6 * scale.powi(3);
    is_solid.then(|| Case::new(hull, hull_expression(&points)))
}

/// Generates a convex polygon within 2 of the origin.
pub fn convex_polygon() -> impl Strategy<Value = Case<ConvexPolygon>> {
    corners().prop_filter_map("not flat", |points| {
        let points: Vec<DVec2> = points.iter().map(|p| p.truncate()).collect();
        let hull = ConvexPolygon::from_convex_hull(&points).ok()?;
        let is_wide = hull.area() > 1e-4;
        is_wide.then(|| Case::new(hull, planar_hull_expression(&points)))
    })
}

/// A polyhedron that owns its shape, at a pose.
pub type PlacedPolyhedron = Placed<Case<ConvexPolyhedron>, DVec3>;

/// Generates a scale factor from 1e-9 to 1e9: often 1, a power of two or a power of ten.
fn scale() -> impl Strategy<Value = f64> {
    prop_oneof![
        2 => Just(1.0),
        1 => (-30_i32..=30).prop_map(|k| 2.0_f64.powi(k)),
        1 => (-9_i32..=9).prop_map(|k| 10.0_f64.powi(k)),
    ]
}

/// Generates two convex polyhedra near each other, at any scale, with the scale factor.
///
/// Shapes and translations of [`convex_polyhedron`] and [`pose`] are multiplied by the factor, so that all
/// coordinates are within 4 times the factor.
pub fn placed_polyhedra() -> impl Strategy<Value = ([PlacedPolyhedron; 2], f64)> {
    placed_polyhedra_at(scale())
}

/// Generates [`placed_polyhedra`] at given scales, for kernels that are not made for any scale.
pub fn placed_polyhedra_at(
    scale: impl Strategy<Value = f64>,
) -> impl Strategy<Value = ([PlacedPolyhedron; 2], f64)> {
    let body = || (corners(), pose());
    (body(), body(), scale).prop_filter_map("not flat", |(a, b, scale)| {
        let place = |(points, pose): (Vec<DVec3>, Pose3)| {
            let shape = scaled_hull(&points, scale)?;
            let pose = Pose3::new(pose.rotation(), pose.translation() * scale).ok()?;
            Some(Placed { shape, pose })
        };
        Some(([place(a)?, place(b)?], scale))
    })
}

/// Generates two balls, capsules or rounded polyhedra near each other.
///
/// Cores are points, segments and [`convex_polyhedron`]. Radii are multiples of 1/8, at most 1; 0 leaves a core as it is.
pub fn placed_rounded() -> impl Strategy<Value = [Placed<Case<Rounded>, DVec3>; 2]> {
    let body = || {
        let parts = (0..3, corners(), pose(), 0_i32..=8);
        parts.prop_filter_map("not flat", |(kind, points, pose, eighths)| {
            let radius = f64::from(eighths) / 8.0;
            let (shape, expression) = match kind {
                0 => (Rounded::ball(radius), format!("Rounded::ball({radius:?})?")),
                1 => {
                    let ends = [points[0], points[1]];
                    let [a, b] = ends.map(|end| format!("DVec3::from_array({:?})", end.to_array()));
                    let expression = format!("Rounded::capsule([{a}, {b}], {radius:?})?");
                    (Rounded::capsule(ends, radius), expression)
                }
                _ => (
                    Rounded::polyhedron(scaled_hull(&points, 1.0)?.into_inner(), radius),
                    format!(
                        "Rounded::polyhedron({}, {radius:?})?",
                        hull_expression(&points)
                    ),
                ),
            };
            let shape = Case::new(shape.ok()?, expression);
            Some(Placed { shape, pose })
        })
    };
    [body(), body()]
}

/// Generates a sphere, a convex polyhedron at a pose, and the gap between them, at any scale.
///
/// The center of the sphere is outside of the polyhedron or on it. Its closest point is on a face, an edge
/// or a vertex. The gap is exact to 1e-13 of the size: the largest of the scale factor, the radius and the
/// gap.
pub fn sphere_and_polyhedron() -> impl Strategy<Value = (Sphere<DVec3>, PlacedPolyhedron, f64)> {
    sphere_and_polyhedron_at(scale())
}

/// Generates [`sphere_and_polyhedron`] at given scales, for kernels that are not made for any scale.
pub fn sphere_and_polyhedron_at(
    scale: impl Strategy<Value = f64>,
) -> impl Strategy<Value = (Sphere<DVec3>, PlacedPolyhedron, f64)> {
    let gap = prop_oneof![
        1 => Just(0.0),
        1 => (1_i32..=40).prop_map(|k| -(2.0_f64.powi(-k))),
        2 => (-8_i32..=8).prop_map(|eighths| f64::from(eighths) / 8.0),
    ];
    let radius = (0_i32..=16).prop_map(|eighths| f64::from(eighths) / 8.0);
    let feature = (0_u8..3, any::<prop::sample::Index>());
    let weights = prop::collection::vec(0.01_f64..1.0, 32);
    let body = (corners(), pose(), scale);
    (body, feature, weights, radius, gap).prop_filter_map(
        "not flat",
        |((points, pose, scale), feature, weights, radius, gap)| {
            let shape = scaled_hull(&points, scale)?;
            let [closest, normal] = closest_point_and_normal(&shape, feature, &weights)?;
            let pose = Pose3::new(pose.rotation(), pose.translation() * scale).ok()?;
            let gap = gap.max(-radius);
            let center = closest + normal * ((radius + gap) * scale);
            let sphere = Sphere::new(pose.transform_point(center), radius * scale);
            Some((sphere, Placed { shape, pose }, gap * scale))
        },
    )
}

/// Returns a point on a face, an edge or a vertex, and a unit vector in the normal cone there.
fn closest_point_and_normal(
    hull: &ConvexPolyhedron,
    (kind, index): (u8, prop::sample::Index),
    weights: &[f64],
) -> Option<[DVec3; 2]> {
    let surface = hull.surface();
    let ids: Vec<u32> = match kind {
        0 => surface
            .facets()
            .nth(index.index(surface.facets().len()))?
            .vertices()
            .to_vec(),
        1 => surface.edges()[index.index(surface.edges().len())].to_vec(),
        _ => vec![index.index(hull.vertices().len()) as u32],
    };
    let holds = |facet: &Facet| ids.iter().all(|id| facet.vertices().contains(id));
    let weights = || weights.iter().cycle();
    let weighted = |vectors: &mut dyn Iterator<Item = DVec3>| {
        let (sum, total) = vectors
            .zip(weights())
            .fold((DVec3::ZERO, 0.0), |(sum, total), (v, w)| {
                (sum + v * *w, total + w)
            });
        sum / total
    };
    let closest = weighted(&mut ids.iter().map(|&id| hull.vertices()[id as usize]));
    let normal = weighted(&mut surface.facets().filter(holds).map(|facet| facet.normal()));
    // Opposite faces of a plate all but cancel at its edges.
    let normal = (normal.length() > 0.01).then(|| normal.normalize())?;
    Some([closest, normal])
}

/// Generates two boxes along the axes, and the gap between them, to one rounding.
///
/// The boxes share a face, an edge or a corner, overlap, are separated, or one is inside the other.
pub fn touching_boxes() -> impl Strategy<Value = ([PlacedPolyhedron; 2], f64)> {
    let sides = || prop::array::uniform3(1_i32..=4);
    let shift = prop::array::uniform3(-5_i32..=5);
    (sides(), sides(), shift).prop_filter_map("boxes", |(a, b, shift)| {
        let place = |sides: [i32; 3], at: [i32; 3]| {
            let corner = |i: usize| {
                DVec3::from_array([0, 1, 2].map(|k| f64::from(sides[k] * (i >> k & 1) as i32)))
            };
            let shape = scaled_hull(&(0..8).map(corner).collect::<Vec<_>>(), 1.0)?;
            let pose = Pose3::from_translation(DVec3::from_array(at.map(f64::from))).ok()?;
            Some(Placed { shape, pose })
        };
        // The gap along each axis, negative for an overlap.
        let gaps = [0, 1, 2].map(|k| (shift[k] - a[k]).max(-shift[k] - b[k]));
        let squared: i32 = gaps.iter().map(|&gap| gap.max(0) * gap.max(0)).sum();
        let least = gaps.into_iter().fold(i32::MIN, i32::max);
        let gap = if least < 0 {
            f64::from(least)
        } else {
            f64::from(squared).sqrt()
        };
        Some(([place(a, [0; 3])?, place(b, shift)?], gap))
    })
}

/// Generates two wedges edge against edge, and the gap between the edges, which is exact.
///
/// The slope of one edge to the other is 1, or as small as 2^-40. The gap is 0, or as small as 2^-40. An
/// overlap is at most 1/16 of the slope; otherwise a translation across the edges is shorter.
pub fn crossing_edges() -> impl Strategy<Value = ([PlacedPolyhedron; 2], f64)> {
    let small = || (0_i32..=40).prop_map(|k| 2.0_f64.powi(-k));
    let gap = prop_oneof![Just(0.0), small(), small().prop_map(|x| -x)];
    let middle = (-3_i32..=3, -3_i32..=3);
    (small(), gap, middle).prop_filter_map("wedges", |(slope, gap, (s, t))| {
        let gap = if gap < 0.0 { gap * slope / 16.0 } else { gap };
        // The edges meet at the origin, along x and along (1, slope).
        let wedge = |along: DVec3, up: f64, shift: f64| {
            let across = DVec3::new(-along.y, along.x, 0.0);
            let ends = [along * (-4.0 + shift), along * (4.0 + shift)];
            let back = DVec3::Z * (4.0 * up);
            let points = ends.map(|e| [e, e + back + across, e + back - across]);
            scaled_hull(&points.concat(), 1.0)
        };
        let (a, b) = (
            wedge(DVec3::X, -1.0, s.into())?,
            wedge(DVec3::new(1.0, slope, 0.0), 1.0, t.into())?,
        );
        let pose = Pose3::from_translation(DVec3::Z * gap).ok()?;
        Some((
            [
                Placed {
                    shape: a,
                    pose: Pose3::IDENTITY,
                },
                Placed { shape: b, pose },
            ],
            gap,
        ))
    })
}

/// Generates a closed mesh of triangles with a radius of about 1, mostly not convex.
///
/// Either unit cubes glued together, with coplanar faces and ties on the lattice, or a
/// [`rock`](workload::rock).
pub fn solid() -> impl Strategy<Value = Case<SolidMesh>> {
    prop_oneof![
        (0_usize..8, any::<u64>()).prop_filter_map("a solid", |(count, seed)| {
            let cubes = connected_cubes(count, &mut SplitMix64::new(seed));
            let solid = workload::cubes(&cubes, 0.5).ok()?;
            Some(Case::new(
                solid,
                format!("workload::cubes(&{cubes:?}, 0.5)?"),
            ))
        }),
        (4_usize..40, 0.0..0.7, any::<u64>()).prop_filter_map("a solid", |(n, roughness, seed)| {
            let solid = workload::rock(n, roughness, seed).ok()?;
            let expression = format!("workload::rock({n}, {roughness:?}, {seed})?");
            Some(Case::new(solid, expression))
        }),
    ]
}

fn connected_cubes(count: usize, random: &mut SplitMix64) -> Vec<LatticePoint> {
    let mut cubes = vec![[0; 3]];
    for _ in 0..count {
        let mut cube = cubes[random.below(cubes.len())];
        let axis = random.below(3);
        cube[axis] = (cube[axis] + if random.unit() < 0.5 { 1 } else { -1 }).clamp(-1, 1);
        if !cubes.contains(&cube) {
            cubes.push(cube);
        }
    }
    cubes
}
