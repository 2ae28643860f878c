//! Contact manifolds: the bed of two prisms, and the points of a cube on a cube.

use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::{
    ConvexPolyhedron, ElasticBed, NarrowPhase as _, Placed, Pose2, Pose3, narrow::PointFeature,
};

use crate::Result;
use reproduce::svg::{BLUE, DARK, GRAY, GREEN, ORANGE, RED, Svg, dashed, filled, stroked};

pub(crate) fn points() -> Result<String> {
    let mut svg = Svg::new(
        780.0,
        330.0,
        "The elastic bed of two bodies, and its points",
    );
    bed(&mut svg)?;
    seen_from_above(&mut svg)?;
    svg.caption("Arrows and discs are in proportion to the volume, which is the load per unit of stiffness.");
    Ok(svg.finish())
}

/// Two prisms seen along their axes, with springs between the sides that face each other.
fn bed(svg: &mut Svg) -> Result<()> {
    let lower = [
        (-1.6, -0.9),
        (1.5, -0.9),
        (1.7, -0.1),
        (1.2, 0.15),
        (-1.3, 0.35),
    ];
    let upper = [
        (-0.9, -0.35),
        (0.3, -0.5),
        (1.1, -0.15),
        (1.2, 0.8),
        (-0.9, 0.9),
    ];
    let at = Pose2::from_angle(0.12, DVec2::new(-0.1, 0.55))?;
    let a = lower.map(DVec2::from);
    let b = upper.map(|corner| at.transform_point(DVec2::from(corner)));
    let prism = |corners: &[DVec2; 5]| {
        let ends = [-0.5, 0.5].map(|z| corners.map(|corner| corner.extend(z)));
        let prism = ConvexPolyhedron::from_convex_hull(&ends.concat())?;
        Ok::<_, osculate::Error>(Placed::new(prism, Pose3::IDENTITY))
    };
    let manifold = ElasticBed::new().contact(&prism(&a)?, &prism(&b)?);
    let manifold = manifold.ok_or("no contact")?;
    svg.view([200.0, 195.0], DVec2::ZERO, 100.0);
    for (body, color) in [(&a, BLUE), (&b, ORANGE)] {
        svg.polygon(body, &filled(color, 0.2));
    }
    let m = manifold.normal.truncate();
    let across = m.perp();
    // The ends of a body along m at a distance from the origin.
    let ends = |corners: &[DVec2], at: f64| {
        let mut ends = Vec::new();
        for (i, &from) in corners.iter().enumerate() {
            let to = corners[(i + 1) % corners.len()];
            let [s, t] = [from, to].map(|x| across.dot(x) - at);
            if (s > 0.0) != (t > 0.0) {
                ends.push(m.dot(from + (to - from) * (s / (s - t))));
            }
        }
        ends.sort_by(f64::total_cmp);
        ends
    };
    let mut springs = Vec::new();
    for k in -60..60 {
        let at = 0.03 * f64::from(k);
        if let ([.., top], [bottom, ..]) = (&ends(&a, at)[..], &ends(&b, at)[..])
            && top > bottom
        {
            springs.push([*bottom, *top].map(|height| across * at + m * height));
        }
    }
    svg.lines(&springs, &stroked(GRAY, 1.0));
    for point in manifold.points() {
        // Each at one end of the prism; the shares of both ends are equal.
        let at = point.point.truncate();
        svg.arrow(at, at + m * (point.volume * 10.0), RED);
        svg.dot(at, RED);
    }
    let center = manifold.point.truncate();
    svg.dot(center, DARK);
    svg.label(center, [0.0, 36.0], DARK, "center of pressure");
    svg.write(
        [200.0, 26.0],
        "middle",
        DARK,
        "the bed: springs along S / |S|",
    );
    Ok(())
}

/// A cube on a cube: the shares of the points, and the features that name them.
fn seen_from_above(svg: &mut Svg) -> Result<()> {
    let corner = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into()) - 0.5;
    let cube = ConvexPolyhedron::from_convex_hull(&(0..8).map(corner).collect::<Vec<_>>())?;
    let a = Placed::new(&cube, Pose3::IDENTITY);
    let place = DVec3::new(0.3, 0.25, 0.98);
    let b = Placed::new(&cube, Pose3::new(DQuat::from_rotation_z(0.4), place)?);
    let manifold = ElasticBed::new().contact(&a, &b).ok_or("no contact")?;
    svg.view([540.0, 170.0], DVec2::new(0.15, 0.1), 140.0);
    let square = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].map(DVec2::from);
    for (body, color) in [(&a, BLUE), (&b, ORANGE)] {
        let corners = square.map(|x| body.pose.transform_point(x.extend(0.0)).truncate());
        svg.polygon(&corners, &filled(color, 0.2));
    }
    for point in manifold.points() {
        let vertex = |body: &Placed<&ConvexPolyhedron>, id: u32| {
            let local = body.shape.vertices()[id as usize];
            body.pose.transform_point(local).truncate()
        };
        let (color, feature) = match point.feature {
            PointFeature::FirstVertex(id) => (BLUE, vertex(&a, id)),
            PointFeature::SecondVertex(id) => (ORANGE, vertex(&b, id)),
            PointFeature::Edges(e, f) => {
                let [p, q] = e.map(|id| vertex(&a, id));
                let [r, s] = f.map(|id| vertex(&b, id));
                let t = (s - r).perp_dot(r - p) / (s - r).perp_dot(q - p);
                (GREEN, p + (q - p) * t)
            }
            _ => continue,
        };
        let center = point.point.truncate();
        svg.line(center, feature, &dashed(color));
        svg.circle(center, (point.volume * 2.0).sqrt(), &filled(color, 0.5));
        svg.dot(feature, color);
    }
    svg.dot(manifold.point.truncate(), DARK);
    svg.write(
        [560.0, 26.0],
        "middle",
        DARK,
        "seen along the normal: each point and its feature",
    );
    let words = [
        ("vertex of the first body", BLUE),
        ("vertex of the second body", ORANGE),
        ("edges that cross", GREEN),
    ];
    for (i, (words, color)) in words.into_iter().enumerate() {
        svg.write([610.0, 246.0 + 18.0 * i as f64], "start", color, words);
    }
    Ok(())
}
