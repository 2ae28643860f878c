//! A hull and an open wall, by volume: at any triangles a valid contact, the same with any state; at a rough floor
//! the volume of the floor closed below.
#![no_main]
use libfuzzer_sys::fuzz_target;
use osculate::glam::DVec3;
use osculate::narrow::{IntersectionKind, MeshWall, MeshWallContact, WallSides};
use osculate::testing::properties::volume;
use osculate::*;
use osculate_fuzz::{Body, body, vector};

fn top(heights: &[i8; 16]) -> [DVec3; 16] {
    std::array::from_fn(|i| {
        let [x, y] = [i % 4, i / 4].map(|i| 128.0 * i as f64 - 192.0);
        DVec3::new(x, y, heights[i].into())
    })
}

/// The triangles of the floor, then those of the sides and the bottom.
fn triangles() -> (Vec<[u32; 3]>, Vec<[u32; 3]>) {
    let cells = (0..9).map(|c| c / 3 * 4 + c % 3);
    let floor: Vec<[u32; 3]> = cells
        .flat_map(|a| [[a, a + 1, a + 5], [a, a + 5, a + 4]])
        .collect();
    let mut rest: Vec<_> = floor
        .iter()
        .map(|t| [t[0] + 16, t[2] + 16, t[1] + 16])
        .collect();
    let rim = [0, 1, 2, 3, 7, 11, 15, 14, 13, 12, 8, 4, 0];
    for pair in rim.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        rest.extend([[b, a, a + 16], [b, a + 16, b + 16]]);
    }
    (floor, rest)
}

fuzz_target!(|input: (Body, Vec<[[i8; 3]; 3]>, [i8; 16], bool)| {
    let (hull, soup, heights, is_front) = input;
    let Some(owner) = body(&hull) else {
        return;
    };
    let body = Placed::new(&owner.shape, owner.pose);
    let sides = if is_front {
        WallSides::Front
    } else {
        WallSides::Both
    };
    let mut kernel = MeshWall::new().with_sides(sides);
    let soup: Vec<_> = soup.iter().map(|t| t.map(vector)).collect();
    if let Ok(mesh) = SurfaceMesh::from_triangles(&soup) {
        let (wall, mut state) = (Wall::new(mesh), Default::default());
        let first = kernel.contact_with(&body, &wall, &mut state);
        assert_eq!(kernel.contact_with(&body, &wall, &mut state), first);
        if let Some(contact) = first {
            assert!(contact.area_vector().is_finite() && contact.point().is_finite());
            assert!(contact.parted().is_none_or(|c| c.volume >= 0.0));
        }
    }
    let (floor, rest) = triangles();
    let top = top(&heights);
    let bottom = top.map(|v| DVec3::new(v.x, v.y, -4096.0));
    let all = floor.iter().chain(&rest).copied();
    let closed = SolidMesh::new([top, bottom].concat(), all).unwrap();
    let closed = Placed::new(&closed, Pose3::IDENTITY);
    let wall = Wall::new(SurfaceMesh::new(top.to_vec(), floor).unwrap());
    let mut kernel = MeshWall::new().with_sides(WallSides::Front);
    let bounds = body.bounding_box();
    let reach = bounds.min.abs().max(bounds.max.abs());
    // Beside the floor, the body may be behind the wall but not in the closed floor. A body that the floor touches from
    // above has no volume.
    if reach.x.max(reach.y) < 192.0
        && let Some(MeshWallContact::Parted(contact)) = kernel.contact(&body, &wall)
        && contact.kind != IntersectionKind::Touching
    {
        volume::equals(&mut MeshMesh::new(), &body, &closed, contact.volume, 1e-6).unwrap();
    }
});
