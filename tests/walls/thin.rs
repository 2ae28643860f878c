//! Narrow facets of single-precision files: contacts that are real, and contacts that noise makes.

use crate::support::wall::contacts_by;
use osculate::glam::DVec3;
use osculate::{DoubleHierarchy, Sphere, SurfaceMesh, Wall, narrow::ContactSelection};

/// The prism of a profile in the x-z plane, along y from -64 to 64.
fn extruded(profile: &[(f64, f64)]) -> Wall {
    let corners = |&(x, z): &(f64, f64)| [-64.0, 64.0].map(|y| DVec3::new(x, y, z));
    let vertices = profile.iter().flat_map(corners).collect();
    let strips = (0..profile.len() as u32 - 1).map(|i| [2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1]);
    Wall::new(SurfaceMesh::new(vertices, strips).unwrap())
}

fn overlaps(wall: &Wall, sphere: Sphere, selection: ContactSelection) -> Vec<f64> {
    let mut kernel = DoubleHierarchy::new().with_selection(selection);
    let found = contacts_by(&mut kernel, wall, &sphere);
    found.iter().map(|contact| contact.overlap).collect()
}

/// Two ridges with flat tops, and a valley as deep as they are apart: two contacts, however narrow the tops are.
#[test]
fn ridges_with_narrow_tops() {
    let sphere = Sphere::new(DVec3::Z * 0.75, 1.0);
    for (gap, top) in [(-5, -10), (-5, -13), (-4, -13)].map(|(a, b)| (2f64.powi(a), 2f64.powi(b))) {
        let half = 0.5 * gap;
        let teeth = extruded(&[
            (-64.0, -64.0),
            (-half - top, 0.0),
            (-half, 0.0),
            (0.0, -gap),
            (half, 0.0),
            (half + top, 0.0),
            (64.0, -64.0),
        ]);
        let found = overlaps(&teeth, sphere, ContactSelection::all());
        assert_eq!(found.len(), 2, "{gap} {top} {found:?}");
        assert_eq!(found[0], found[1]);
    }
}

/// A low step with a chamfer of 8 precisions, beside a sphere on the floor: its edge pushes sideways.
#[test]
fn step_with_a_narrow_chamfer() {
    let (height, chamfer) = (2f64.powi(-5), 2f64.powi(-13));
    let step = extruded(&[
        (-64.0, 0.0),
        (0.5, 0.0),
        (0.5, height - chamfer),
        (0.5 + chamfer, height),
        (64.0, height),
    ]);
    let sphere = Sphere::new(DVec3::Z * 0.5, 1.0);
    for selection in [ContactSelection::all(), ContactSelection::half_space()] {
        let found = overlaps(&step, sphere, selection);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[0], 0.5);
        assert!((found[1] - 0.3146).abs() < 1e-4);
    }
}

/// Pairs of facets of public meshes. The second contact stays if the vertices move within the precision.
#[test]
fn facets_of_public_meshes() {
    let wall = |vertices: &[[f64; 3]], facets: [[u32; 3]; 2], precision: f64| {
        let vertices = vertices.iter().map(|&v| DVec3::from_array(v)).collect();
        let mesh = SurfaceMesh::new(vertices, facets).unwrap();
        Wall::new(mesh.with_precision(precision).unwrap())
    };
    let rack = [
        [55.5, -17.60099983215332, 5.000999927520752],
        [56.83940124511719, -10.699999809265137, 5.000999927520752],
        [56.83943176269531, -9.699999809265137, 5.0],
        [60.0, -9.699999809265137, 5.000999927520752],
        [56.83940124511719, -9.699999809265137, 5.000999927520752],
    ];
    let other_rack = [
        [9.0, -21.701000213623047, 0.0],
        [9.0, -21.701000213623047, 5.000999927520752],
        [9.0, -21.700000762939453, 5.000999927520752],
        [9.0, -21.700000762939453, 0.0],
        [51.0, -21.700000762939453, 5.0],
    ];
    let shaft = [
        [6.991567611694336, 0.3434668183326721, -47.03459930419922],
        [6.9928154945373535, 0.2926342785358429, -47.050018310546875],
        [6.9662933349609375, 0.6861141324043274, -44.25293731689453],
        [-6.97456169128418, 0.5740256905555725, -44.193023681640625],
        [-6.992815971374512, 0.2926342785358429, -47.050018310546875],
        [-6.94813346862793, 0.8333558440208435, -44.33163833618164],
    ];
    let ball = |center: [f64; 3], radius: f64| Sphere::new(DVec3::from_array(center), radius);
    let cases = [
        (
            wall(&rack, [[4, 3, 2], [3, 1, 0]], 1.8120050299330615e-5),
            ball(
                [58.70530088918619, -10.7424489379726, 0.27609695664544365],
                5.359179354541016,
            ),
            [0.6342763836657079, 0.5210458865572107],
        ),
        (
            wall(&other_rack, [[2, 3, 4], [1, 0, 2]], 1.8120050299330615e-5),
            ball(
                [25.547174388435586, -38.664907531848, 16.18375021733047],
                39.266182140868935,
            ),
            [18.94696028728325, 13.062422185723872],
        ),
        (
            wall(&shaft, [[3, 5, 2], [4, 1, 0]], 1.2352327757980675e-5),
            ball(
                [27.140598674212214, 0.8444660238349231, -44.13137594776903],
                36.98890390053318,
            ),
            [16.81361088136427, 16.62562423296622],
        ),
    ];
    for (wall, sphere, expected) in cases {
        let found = overlaps(&wall, sphere, ContactSelection::half_space());
        assert_eq!(found, expected);
    }
    // A sliver between coplanar facets, half a precision high.
    let flat = [
        [6.992815971374512, -0.2926352024078369, -44.107662200927734],
        [7.0, -4.887832801614422e-6, -44.07884216308594],
        [7.0, 4.4030252865923103e-7, -44.07884216308594],
        [-6.992815971374512, -0.2926352024078369, -44.107662200927734],
        [-7.0, 4.1733187572390307e-7, -44.07884216308594],
    ];
    let flat = wall(&flat, [[1, 0, 3], [3, 4, 2]], 1.2352327757980675e-5);
    let sphere = ball(
        [6.117063923680418, -0.9638861850757181, -33.82933906655469],
        12.677748473374391,
    );
    let found = overlaps(&flat, sphere, ContactSelection::all());
    assert_eq!(found, [2.3830220977200103]);
}
