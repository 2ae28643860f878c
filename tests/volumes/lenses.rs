//! The lens of two spheres or discs: equations 47 to 51 of Feng (2021), against values of 80 digits.

use std::f64::consts::PI;

use osculate::glam::{DVec2, DVec3};
use osculate::math::Vector;
use osculate::narrow::{IntersectionKind, SphereVolume};
use osculate::testing::properties::volume;
use osculate::testing::workload::{self, SplitMix64};
use osculate::{ContactVolume, MeshMesh, NarrowPhase, Placed, Pose3, Sphere};

/// Two spheres, and V, |S| and the distance of the circle's plane from the first center.
type Lens<V> = (V, f64, V, f64, [f64; 3]);

fn contact<V: Vector>(a: V, r: f64, b: V, s: f64) -> Option<ContactVolume<V>> {
    SphereVolume::new().contact(&Sphere::new(a, r), &Sphere::new(b, s))
}

/// An ulp of overlap, almost nested, ratios of radii up to 1e12, sizes down to 1e-40.
#[test]
fn lenses_with_eighty_digits() {
    let spheres = [
        (
            DVec3::new(0.0, 0.0, 0.0),
            2.0000000000000004,
            DVec3::new(3.0, 4.0, 0.0),
            3.0,
            [7.434838873639575e-31, 3.348353758088287e-15, 2.0],
        ),
        (
            DVec3::new(0.0, 0.0, 0.0),
            2.0000000000001,
            DVec3::new(3.0, 4.0, 0.0),
            3.0,
            [
                3.7638871797801183e-26,
                7.533795955698783e-13,
                2.00000000000004,
            ],
        ),
        (
            DVec3::new(0.1, 0.2, 0.3),
            0.7,
            DVec3::new(0.5, 0.6, 1.3),
            0.449,
            [
                6.574854154532586e-09,
                0.00015033044386691044,
                0.699965819403721,
            ],
        ),
        (
            DVec3::new(1.0, 1.0, 1.0),
            1.0,
            DVec3::new(2.0, 2.0, 2.0),
            0.7320508075688774,
            [1.9663784604196567e-32, 3.231683229574686e-16, 1.0],
        ),
        (
            DVec3::new(0.0, 0.0, 0.0),
            1.0,
            DVec3::new(1000000.999999999, 0.0, 0.0),
            1000000.0,
            [
                3.448694649938545e-18,
                6.583124770128757e-09,
                0.9999999989522631,
            ],
        ),
        (
            DVec3::new(0.0, 0.0, 0.0),
            1.0,
            DVec3::new(1000000000000.0, 0.0, 0.0),
            1000000000000.0,
            [2.09439510239241, PI, 5e-13],
        ),
        (
            DVec3::new(0.0, 0.0, 0.0),
            1.0,
            DVec3::new(1000000000000.9995, 0.0, 0.0),
            1000000000000.0,
            [
                7.488921467440981e-07,
                0.003067212561711632,
                0.9995117187500004,
            ],
        ),
        (
            DVec3::new(0.0, 0.0, 0.0),
            1.0,
            DVec3::new(0.3, 0.4, 1.2),
            2.2999999999999994,
            [4.188790204786391, 6.503120495399522e-15, -0.999999999999999],
        ),
        (
            DVec3::new(0.0, 0.0, 0.0),
            1.0,
            DVec3::new(0.3, 0.4, 1.2),
            2.2,
            [4.136611572956576, 0.9933660202733979, -0.8269230769230773],
        ),
        (
            DVec3::new(0.0, 0.0, 0.0),
            1.0,
            DVec3::new(1e-09, 0.0, 0.0),
            1.0,
            [4.188790201644799, PI, 5e-10],
        ),
        (
            DVec3::new(0.0, 0.0, 0.0),
            1e-40,
            DVec3::new(0.0, 3e-41, 1e-40),
            2e-41,
            [
                1.0221704337588874e-122,
                1.1348643186706248e-81,
                9.8177194235168e-41,
            ],
        ),
        (
            DVec3::new(7.0, 8.0, 9.0),
            1.5,
            DVec3::new(7.25, 8.5, 8.0),
            1.75,
            [8.674084639327484, 6.918983820406092, 0.2182178902359924],
        ),
        (
            DVec3::new(0.0, 0.0, 0.0),
            1.0,
            DVec3::new(3.0, 4.0, 0.0),
            5.999999999999999,
            [
                4.188790204786391,
                6.696707516176569e-15,
                -0.9999999999999989,
            ],
        ),
        (
            DVec3::new(0.0, 0.0, 0.0),
            1.0,
            DVec3::new(3.0, 4.0, 0.0),
            5.5,
            [3.4459344419063043, 2.5741424805351367, -0.425],
        ),
    ];
    let discs = [
        (
            DVec2::new(0.0, 0.0),
            2.0000000000000004,
            DVec2::new(3.0, 4.0),
            3.0,
            [1.9330793840052662e-23, 6.529361695112779e-08, 2.0],
        ),
        (
            DVec2::new(0.0, 0.0),
            2.0000000000001,
            DVec2::new(3.0, 4.0),
            3.0,
            [
                6.524142921017848e-20,
                9.794042542669258e-07,
                2.00000000000004,
            ],
        ),
        (
            DVec2::new(0.1, 0.2),
            0.7,
            DVec2::new(0.5, 0.6),
            0.449,
            [0.391046829162225, 0.8962607335462572, 0.5377538232088929],
        ),
        (
            DVec2::new(1.0, 1.0),
            1.0,
            DVec2::new(2.0, 2.0),
            0.7320508075688774,
            [0.21279780389640549, 0.9818867628895681, 0.8711914807983152],
        ),
        (
            DVec2::new(0.0, 0.0),
            1.0,
            DVec2::new(1000000.999999999, 0.0),
            1000000.0,
            [
                6.394881423395967e-14,
                9.155268857468639e-05,
                0.9999999989522631,
            ],
        ),
        (
            DVec2::new(0.0, 0.0),
            1.0,
            DVec2::new(1000000000000.0, 0.0),
            1000000000000.0,
            [1.5707963267945633, 2.0, 5e-13],
        ),
        (
            DVec2::new(0.0, 0.0),
            1.0,
            DVec2::new(1000000000000.9995, 0.0),
            1000000000000.0,
            [
                2.0343561902233704e-05,
                0.06249237013971938,
                0.9995117187500004,
            ],
        ),
        (
            DVec2::new(0.0, 0.0),
            1.0,
            DVec2::new(1e-09, 0.0),
            1.0,
            [3.1415926515897934, 2.0, 5e-10],
        ),
        (
            DVec2::new(7.0, 8.0),
            1.5,
            DVec2::new(7.25, 8.5),
            1.75,
            [6.349584661516358, 2.8635642126552705, -0.4472135954999579],
        ),
        (
            DVec2::new(0.0, 0.0),
            1.0,
            DVec2::new(3.0, 4.0),
            5.999999999999999,
            [PI, 9.23391186286787e-08, -0.9999999999999989],
        ),
        (
            DVec2::new(0.0, 0.0),
            1.0,
            DVec2::new(3.0, 4.0),
            5.5,
            [2.485108882130283, 1.8103866990231672, -0.425],
        ),
    ];
    let mut worst = [0.0_f64; 3];
    check(&spheres, &mut worst);
    check(&discs, &mut worst);
    println!(
        "largest errors, in eps: V {:.1}, S {:.1}, plane {:.1} of a radius",
        worst[0], worst[1], worst[2]
    );
    assert!(
        worst[0] < 16.0 && worst[1] < 8.0 && worst[2] < 4.0,
        "{worst:?}"
    );
}

fn check<V: Vector>(lenses: &[Lens<V>], worst: &mut [f64; 3]) {
    for &(a, r, b, s, [volume, area, plane]) in lenses {
        for (found, sign) in [(contact(a, r, b, s), 1.0), (contact(b, s, a, r), -1.0)] {
            let found = found.unwrap();
            assert_eq!(found.kind, IntersectionKind::Crossing);
            let to_plane = (found.point - a).dot(b - a) / (b - a).length();
            let errors = [
                found.volume / volume - 1.0,
                found.area() / area - 1.0,
                // Positions round to the coordinates of the world.
                (to_plane - plane) / (r + a.length()),
            ];
            for (worst, error) in worst.iter_mut().zip(errors) {
                *worst = worst.max(error.abs() / f64::EPSILON);
            }
            let along = found.area_vector.dot(b - a) * sign;
            assert!(along > 0.999 * found.area() * (b - a).length());
        }
    }
}

/// Exact signs decide: touching from outside is no contact, touching from inside is nested, and an ulp
/// changes either.
#[test]
fn kinds_change_at_the_ulp() {
    let far = DVec3::new(3.0, 4.0, 0.0);
    let kind = |r: f64, s: f64| contact(DVec3::ZERO, r, far, s).map(|c| c.kind);
    assert_eq!(kind(2.0, 3.0), None);
    assert_eq!(
        kind(2.0_f64.next_up(), 3.0),
        Some(IntersectionKind::Crossing)
    );
    assert_eq!(kind(2.0_f64.next_down(), 3.0), None);
    assert_eq!(kind(1.0, 6.0), Some(IntersectionKind::Nested));
    assert_eq!(
        kind(1.0, 6.0_f64.next_down()),
        Some(IntersectionKind::Crossing)
    );
    assert_eq!(kind(1.0, 6.0_f64.next_up()), Some(IntersectionKind::Nested));
    assert_eq!(kind(0.0, 6.0), None);
    let same = |offset: f64| contact(DVec3::ZERO, 1.0, DVec3::X * offset, 1.0).unwrap();
    assert_eq!(same(0.0).kind, IntersectionKind::Nested);
    // The squares of these underflow.
    for offset in [1e-20, 1e-150, 1e-160, 1e-200, 5e-324] {
        let contact = same(offset);
        assert!((contact.volume - 4.0 / 3.0 * PI).abs() < 1e-14);
        assert!(contact.area() <= PI && contact.point.length() < 1e-15);
    }
}

/// S is the slope of V for any overlap and ratio of radii.
#[test]
fn area_is_the_slope_of_the_volume() {
    let mut random = SplitMix64::new(5);
    for _ in 0..2000 {
        let r = 1.0;
        let s = 2.0_f64.powf(random.range(0.0, 30.0));
        let direction = random.in_ball().normalize();
        let overlap = 2.0 * r * 2.0_f64.powf(random.range(-20.0, -0.1));
        let at = |overlap: f64| {
            let found = contact(DVec3::ZERO, r, direction * (r + s - overlap), s).unwrap();
            (found.volume, found.area())
        };
        let h = 2.0_f64.powi(-7) * overlap.min(2.0 * r - overlap);
        let slope = (at(overlap + h).0 - at(overlap - h).0) / (2.0 * h);
        // A cubic: the rest is h^2 times a third derivative of at most 2 pi. Positions round.
        let area = at(overlap).1;
        let bound = 7.0 * h * h + 1e-15 * s / h * area;
        assert!(
            (slope - area).abs() < bound,
            "{s} {overlap}: {slope} {area}"
        );
    }
}

/// Meshes of spheres converge to the lens.
#[test]
fn meshes_of_spheres() {
    let (r, s, at) = (1.0, 0.75, DVec3::new(0.5, 1.0, 0.75));
    let lens = contact(DVec3::ZERO, r, at, s).unwrap();
    let mut last = f64::INFINITY;
    for level in [3, 4, 5] {
        let [a, b] = [r, s].map(|radius| workload::sphere(level, radius).unwrap());
        let [a, b] = [(&a, DVec3::ZERO), (&b, at)]
            .map(|(ball, at)| Placed::new(ball, Pose3::from_translation(at).unwrap()));
        let mesh: ContactVolume<DVec3> = MeshMesh::new().contact(&a, &b).unwrap();
        let error = (mesh.volume / lens.volume - 1.0).abs();
        assert!(error < 0.3 * last && (mesh.area() / lens.area() - 1.0).abs() < error);
        assert!(mesh.point.distance(lens.point) < 0.1 * error.sqrt());
        last = error;
    }
    assert!(last < 0.006, "{last}");
}

/// The squares of distances below 2^-537 underflow; the circle is not wider than the spheres.
#[test]
fn centers_closer_than_the_root_of_the_smallest_number() {
    for k in 500..1074 {
        let distance = 1.75 * 0.5_f64.powi(k / 2) * 0.5_f64.powi(k - k / 2);
        let lens = contact(DVec3::ZERO, 0.75, DVec3::X * distance, 0.75).unwrap();
        let (volume, area) = (4.0 / 3.0 * PI * 0.75_f64.powi(3), PI * 0.75 * 0.75);
        assert!((lens.volume / volume - 1.0).abs() < 1e-15, "{k}: {lens:?}");
        assert!(lens.area() <= area * (1.0 + 1e-15), "{k}: {lens:?}");
    }
}

/// Against the textbook formula and a series, by finite differences, and swapped.
#[test]
fn lenses_and_discs() {
    let kernel = &mut SphereVolume::new();
    let mut random = SplitMix64::new(3);
    for _ in 0..500 {
        let (r, s) = (random.range(0.1, 2.0), random.range(0.1, 2.0));
        let d = random.range((r - s).abs() + 0.01, r + s - 0.01);
        let a = Sphere::new(DVec3::ZERO, r);
        let b = Sphere::new(DVec3::X * d, s);
        let lens = kernel.contact(&a, &b).unwrap();
        let squares = d * d + 2.0 * d * (r + s) - 3.0 * (r - s) * (r - s);
        let exact = PI * (r + s - d).powi(2) * squares / (12.0 * d);
        assert!((lens.volume - exact).abs() < 1e-13);
        volume::gradient_matches(
            kernel,
            |motions| {
                let [p, q] = motions.map(|m| m.transform_point(DVec3::ZERO));
                (Sphere::new(p, r), Sphere::new(q + DVec3::X * d, s))
            },
            [1.0, 1e-4],
            1e-6,
        )
        .unwrap();
        volume::swap_negates(kernel, &a, &b).unwrap();
        let [p, q] = [&a, &b].map(|s| Sphere::new(s.center.truncate(), s.radius));
        let flat = kernel.contact(&p, &q).unwrap();
        let x = (d * d + r * r - s * s) / (2.0 * d);
        let cap = |r: f64, x: f64| r * r * (x / r).acos() - x * (r * r - x * x).max(0.0).sqrt();
        assert!((flat.volume - cap(r, x) - cap(s, d - x)).abs() < 1e-6 * (r + s));
        volume::swap_negates(kernel, &p, &q).unwrap();
    }
    // A shallow lens keeps its digits.
    for exponent in 2..40 {
        let e = 2.0_f64.powi(-exponent);
        let [a, b] = [0.0, 2.0 - e].map(|x| Sphere::new(DVec2::X * x, 1.0));
        let flat = kernel.contact(&a, &b).unwrap();
        // 2 (t - sin t cos t), 1 - cos t = e / 2.
        let t = 2.0 * (0.5 * e.sqrt()).asin();
        let u = 2.0 * t;
        let series = u.powi(3) / 6.0
            * (1.0
                - u * u / 20.0
                    * (1.0 - u * u / 42.0 * (1.0 - u * u / 72.0 * (1.0 - u * u / 110.0))));
        let tolerance = if exponent < 8 { 1e-7 } else { 1e-13 };
        assert!((flat.volume / series - 1.0).abs() < tolerance);
    }
    let inside = kernel.contact(&Sphere::new(DVec3::X, 3.0), &Sphere::new(DVec3::ZERO, 1.0));
    assert_eq!(inside.unwrap().kind, IntersectionKind::Nested);
    let touching = kernel.contact(
        &Sphere::new(DVec3::X * 2.0, 1.0),
        &Sphere::new(DVec3::ZERO, 1.0),
    );
    assert_eq!(touching, None);
}
