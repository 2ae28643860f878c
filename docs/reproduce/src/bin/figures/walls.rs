//! Discs at walls in 2D: the local minima of the distance.

use osculate::glam::DVec2;
use osculate::{
    DoubleHierarchy, NarrowPhase, Sphere, Wall, WallContact, narrow::ContactSelection,
    shape::SegmentMesh,
};

use crate::Result;
use reproduce::svg::{BLUE, DARK, GRAY, RED, Svg, filled, stroked};

/// A line through points, as a wall.
fn wall(points: &[DVec2]) -> Result<Wall<SegmentMesh>> {
    let segments = (1..points.len() as u32).map(|i| [i - 1, i]).collect();
    Ok(Wall::new(SegmentMesh::new(points.to_vec(), segments)?))
}

pub(crate) fn minima() -> Result<String> {
    let mut svg = Svg::new(780.0, 240.0, "Contacts of discs with walls");
    let arc: Vec<(f64, f64)> = (-5..=5)
        .map(|i| (f64::from(i) * 0.2).sin_cos())
        .map(|(sin, cos)| (1.45 * sin, 0.72 - 1.45 * cos))
        .collect();
    let flat: Vec<(f64, f64)> = (-4..=4).map(|i| (f64::from(i) * 0.27, -0.62)).collect();
    let all = ContactSelection::all();
    let cases = [
        ("a flat floor", flat, DVec2::new(0.07, 0.0), all),
        (
            "a convex edge",
            vec![(-1.1, -1.0), (0.0, -0.62), (1.1, -1.0)],
            DVec2::new(0.06, 0.0),
            all,
        ),
        (
            "a concave edge",
            vec![(-1.0, 0.75), (-0.52, -0.62), (1.1, -0.9)],
            DVec2::ZERO,
            all,
        ),
        ("a curved wall", arc.clone(), DVec2::new(0.03, 0.0), all),
        (
            "the same, merged",
            arc,
            DVec2::new(0.03, 0.0),
            ContactSelection::merge_for_indentation(0.1)?,
        ),
    ];
    for (i, (name, points, center, policy)) in cases.into_iter().enumerate() {
        let left = 156.0 * i as f64 + 78.0;
        svg.view([left, 114.0], DVec2::ZERO, 58.0);
        let points: Vec<DVec2> = points.into_iter().map(DVec2::from).collect();
        let sphere = Sphere::new(center, 0.76);
        let mut contacts: Vec<WallContact<DVec2>> = Vec::new();
        let mut kernel = DoubleHierarchy::new().with_selection(policy);
        kernel.for_each_contact(&sphere, &wall(&points)?, &mut Default::default(), |c| {
            contacts.push(c)
        });

        svg.circle(center, sphere.radius, &filled(BLUE, 0.15));
        svg.path(&points, &stroked(DARK, 2.0));
        for &point in &points {
            svg.circle(point, 0.035, &filled(DARK, 1.0));
        }
        for contact in &contacts {
            svg.line(center, contact.point, &stroked(GRAY, 1.0));
            svg.arrow(contact.point, contact.point + contact.normal * 0.4, RED);
            svg.dot(contact.point, RED);
        }
        svg.dot(center, BLUE);
        let found = contacts.len();
        let word = if found == 1 { "contact" } else { "contacts" };
        svg.write([left, 24.0], "middle", DARK, name);
        svg.write([left, 200.0], "middle", RED, &format!("{found} {word}"));
    }
    svg.caption(
        "Contacts are the local minima of the distance from the center to the wall, for any mesh.",
    );
    Ok(svg.finish())
}
