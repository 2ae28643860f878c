//! A pressure field: a cube half over the edge of a table, with the shares and the corners of the contact.

use osculate::glam::{DVec2, DVec3};
use osculate::narrow::{PressureContact, PressureField};
use osculate::{ConvexPolyhedron, NarrowPhase as _, Placed, Pose3};

use crate::Result;
use reproduce::svg::{BLUE, DARK, GREEN, ORANGE, RED, Svg, dashed, filled};

const DEPTH: f64 = 0.06;

pub(crate) fn points() -> Result<String> {
    let block = |low: DVec3, high: DVec3| {
        let corner =
            |i: u32| low + (high - low) * DVec3::from([0, 1, 2].map(|k| f64::from(i >> k & 1)));
        ConvexPolyhedron::from_convex_hull(&(0..8).map(corner).collect::<Vec<_>>())
    };
    let table = block(DVec3::new(-1.0, -0.8, -0.7), DVec3::new(0.0, 0.8, 0.0))?;
    let cube = block(
        DVec3::new(-0.5, -0.5, -DEPTH),
        DVec3::new(0.5, 0.5, 1.0 - DEPTH),
    )?;
    let [a, b] = [&table, &cube].map(|shape| Placed::new(shape, Pose3::IDENTITY));
    let contact = PressureField::new().with_points().contact(&a, &b);
    let contact = contact.ok_or("no contact")?;
    let mut svg = Svg::new(
        780.0,
        330.0,
        "A cube half over an edge: the pressure field's shares and corners",
    );
    // Seen from the side and from above, in pixels and units.
    let side = |x: DVec3| DVec2::new(x.x, x.z);
    draw(&mut svg, [220.0, 200.0], side, &contact, [&table, &cube])?;
    draw(
        &mut svg,
        [580.0, 180.0],
        |x| x.truncate(),
        &contact,
        [&table, &cube],
    )?;
    svg.write(
        [200.0, 26.0],
        "middle",
        DARK,
        "from the side: the load of each share",
    );
    svg.write(
        [560.0, 26.0],
        "middle",
        DARK,
        "from above: shares and corners",
    );
    let words = [
        ("share", RED),
        ("corner", GREEN),
        ("center of pressure", DARK),
    ];
    for (i, (words, color)) in words.into_iter().enumerate() {
        svg.write([650.0, 250.0 + 18.0 * i as f64], "start", color, words);
    }
    svg.caption(
        "Discs are in proportion to the area of a share, arrows to its load per unit of stiffness.",
    );
    Ok(svg.finish())
}

/// Draws bodies and contact, seen along an axis.
fn draw(
    svg: &mut Svg,
    at: [f64; 2],
    flat: impl Fn(DVec3) -> DVec2,
    contact: &PressureContact,
    bodies: [&ConvexPolyhedron; 2],
) -> Result<()> {
    svg.view(at, DVec2::ZERO, 120.0);
    for (body, color) in bodies.into_iter().zip([BLUE, ORANGE]) {
        let corners = body.vertices().iter().map(|&x| flat(x));
        let [low, high] = corners.fold([DVec2::INFINITY, DVec2::NEG_INFINITY], |[low, high], x| {
            [low.min(x), high.max(x)]
        });
        let corners = [
            low,
            DVec2::new(high.x, low.y),
            high,
            DVec2::new(low.x, high.y),
        ];
        svg.polygon(&corners, &filled(color, 0.2));
    }
    let points = contact.points.ok_or("no points")?;
    for (share, corner) in points.shares.iter().zip(points.corners) {
        let [center, corner] = [share.point, corner.point].map(&flat);
        svg.line(center, corner, &dashed(GREEN));
        svg.dot(corner, GREEN);
        let force = flat(contact.normal * (share.load * 50.0));
        if flat(DVec3::Z) != DVec2::ZERO {
            svg.arrow(center, center + force, RED);
        } else {
            svg.circle(
                center,
                (share.area / std::f64::consts::PI).sqrt() * 0.5,
                &filled(RED, 0.4),
            );
        }
    }
    svg.dot(flat(contact.point), DARK);
    Ok(())
}
