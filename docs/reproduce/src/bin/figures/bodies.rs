//! Bodies and their contacts: common planes, contact areas, the intersection curve of two meshes.

use std::f64::consts::FRAC_PI_2;

use osculate::glam::{DMat3, DQuat, DVec2, DVec3};
use osculate::{
    CommonPlane, ContactVolume, ConvexPolygon, MeshMesh, NarrowPhase, Placed, Pose2, Pose3,
    narrow::{CurveSegment, PolygonPolygon},
    shape::Polygon,
};

use crate::Result;
use reproduce::solids::{bolt, torus};
use reproduce::svg::{BLUE, DARK, GRAY, GREEN, ORANGE, RED, Svg, dashed, filled, stroked};

/// Two convex polygons, separated and overlapping.
pub(crate) fn common_planes() -> Result<String> {
    let hull = |points: &[(f64, f64)]| -> Result<ConvexPolygon> {
        let points: Vec<DVec2> = points.iter().map(|&p| p.into()).collect();
        Ok(ConvexPolygon::from_convex_hull(&points)?)
    };
    let a = hull(&[
        (-1.4, -0.8),
        (-0.2, -1.0),
        (0.75, -0.1),
        (0.1, 0.9),
        (-1.0, 0.8),
    ])?;
    let b = hull(&[
        (-0.8, -0.5),
        (0.5, -0.9),
        (1.3, 0.2),
        (0.6, 1.0),
        (-0.5, 0.7),
    ])?;
    let mut svg = Svg::new(780.0, 300.0, "Common planes of two convex polygons");
    for (left, x, angle) in [(200.0, 1.95, 0.25), (580.0, 1.3, -0.05)] {
        let at = |x: f64, angle: f64| Pose2::from_angle(angle, DVec2::new(x, 0.12));
        let a = Placed::new(&a, at(-0.45, 0.0)?);
        let b = Placed::new(&b, at(-0.45 + x, angle)?);
        let found = CommonPlane::new().with_margin(1.0)?.contact(&a, &b);
        let c = found.ok_or("no common plane")?;

        svg.view([left, 140.0], DVec2::new(0.3, 0.1), 88.0);
        for (body, color) in [(&a, BLUE), (&b, ORANGE)] {
            let corners = body
                .shape
                .vertices()
                .iter()
                .map(|&v| body.pose.transform_point(v));
            svg.polygon(&corners.collect::<Vec<_>>(), &filled(color, 0.25));
        }
        let along = c.normal.perp() * 1.35;
        svg.line(c.point - along, c.point + along, &dashed(DARK));
        svg.arrow(c.point, c.point + c.normal * 0.7, RED);
        svg.line(c.point_a, c.point_b, &stroked(DARK, 1.5));
        svg.dot(c.point_a, BLUE);
        svg.dot(c.point_b, ORANGE);
        svg.label(c.point + c.normal * 0.7, [10.0, 16.0], RED, "normal");
        // Inside the bodies, or outside of both with a line to the point.
        let (shift_a, shift_b) = if c.overlap > 0.0 {
            let lines = [
                [c.point_a, DVec2::new(0.06, -0.8)],
                [c.point_b, DVec2::new(-0.12, 0.9)],
            ];
            let ends = lines.map(|[point, by]| [point, point + by]);
            svg.lines(&ends, &stroked(GRAY, 1.0));
            ([6.0, 84.0], [-10.0, -84.0])
        } else {
            ([-40.0, 4.0], [33.0, -8.0])
        };
        svg.label(c.point_a, shift_a, BLUE, "point_a");
        svg.label(c.point_b, shift_b, ORANGE, "point_b");
        let words = if c.overlap > 0.0 {
            format!(
                "overlap {:.3}: the shortest translation that parts them",
                c.overlap
            )
        } else {
            format!("gap {:.3}: the distance", -c.overlap)
        };
        svg.write([left, 24.0], "middle", DARK, &words);
    }
    svg.caption("The common plane is half way between the witness points; blue is the first body.");
    Ok(svg.finish())
}

/// Two polygons whose intersection has two parts.
pub(crate) fn areas() -> Result<String> {
    let polygon = |points: &[(f64, f64)]| -> Result<Polygon> {
        Ok(Polygon::new(points.iter().map(|&p| p.into()).collect())?)
    };
    let crown = polygon(&[
        (-2.0, -1.2),
        (2.0, -1.2),
        (2.3, 1.1),
        (1.2, 0.2),
        (0.3, -0.3),
        (-0.7, 0.1),
        (-1.7, 1.3),
    ])?;
    let stone = polygon(&[
        (-2.2, -0.5),
        (-1.2, -0.75),
        (0.1, -0.4),
        (1.3, -0.8),
        (2.2, -0.4),
        (2.3, 0.7),
        (-2.1, 0.8),
    ])?;
    let a = Placed::new(&crown, Pose2::IDENTITY);
    let b = Placed::new(&stone, Pose2::from_translation(DVec2::new(0.1, 1.25))?);
    let mut parts: Vec<ContactVolume<DVec2>> = Vec::new();
    PolygonPolygon::new()
        .with_separate_regions(true)
        .for_each_contact(&a, &b, &mut Default::default(), |c| parts.push(c));

    let mut svg = Svg::new(
        780.0,
        330.0,
        "The area that two polygons share, in two parts",
    );
    svg.view([350.0, 158.0], DVec2::new(0.1, 0.42), 82.0);
    for (body, color) in [(&a, BLUE), (&b, ORANGE)] {
        let corners = body
            .shape
            .vertices()
            .iter()
            .map(|&v| body.pose.transform_point(v));
        svg.polygon(&corners.collect::<Vec<_>>(), &filled(color, 0.3));
    }
    for part in &parts {
        // With two crossings the point is halfway between them, and |S| is their distance.
        let half = part.area_vector.perp() * 0.5;
        svg.line(part.point - half, part.point + half, &stroked(DARK, 2.0));
        svg.arrow(part.point, part.point + part.area_vector, RED);
        svg.dot(part.point, RED);
        let at = part.point + part.area_vector;
        svg.label(at, [0.0, -9.0], RED, &format!("S, {:.2} long", part.area()));
        let words = format!("V = {:.3}", part.volume);
        svg.label(
            part.point,
            [part.point.x.signum() * 105.0, 24.0],
            DARK,
            &words,
        );
    }
    svg.write([350.0, 262.0], "middle", BLUE, "first body");
    svg.write([350.0, 60.0], "middle", ORANGE, "second body");
    svg.caption(
        "Black: the contact line. Moving the first body along S makes V grow fastest: dV = S . dx.",
    );
    Ok(svg.finish())
}

/// A bolt on a torus, with the intersection curve.
pub(crate) fn curve() -> Result<String> {
    let trees = [torus(1.25, 0.42, 28, 13)?, bolt(12, 22)?];
    let lying = DQuat::from_rotation_y(FRAC_PI_2);
    let a = Placed::new(&trees[0], Pose3::IDENTITY);
    let b = Placed::new(
        &trees[1],
        Pose3::new_normalize(lying, DVec3::new(-1.55, 0.1, 0.62))?,
    );
    let (mut contacts, mut segments): (Vec<ContactVolume<DVec3>>, Vec<CurveSegment>) =
        Default::default();
    let mut kernel = MeshMesh::new().with_separate_regions(true);
    kernel.for_each_contact_and_segment(&a, &b, |c| contacts.push(c), |s| segments.push(s));

    // Seen from above and in front; z points to the viewer.
    let view = DMat3::from_rotation_x(-0.75) * DMat3::from_rotation_z(0.5);
    let mut faces: Vec<(f64, Vec<DVec2>, &str)> = Vec::new();
    for (body, color) in [(&a, BLUE), (&b, ORANGE)] {
        let surface = body.shape.surface();
        for facet in surface.facets() {
            let normal = view * body.pose.transform_vector(facet.normal());
            if normal.z > 0.0 {
                let corners: Vec<DVec3> = facet
                    .corners()
                    .map(|c| view * body.pose.transform_point(c))
                    .collect();
                let depth = corners.iter().map(|c| c.z).sum::<f64>();
                faces.push((depth, corners.iter().map(|c| c.truncate()).collect(), color));
            }
        }
    }
    faces.sort_by(|p, q| p.0.total_cmp(&q.0));
    let mut svg = Svg::new(
        780.0,
        400.0,
        "The closed curves in which the surfaces of a torus and a bolt cross",
    );
    svg.view([400.0, 190.0], DVec2::new(0.45, 0.45), 98.0);
    for run in faces.chunk_by(|p, q| p.2 == q.2) {
        let color = run[0].2;
        let tint = if color == BLUE { "#dfe8f2" } else { "#f7e3d3" };
        let style = format!("fill=\"{tint}\" stroke=\"{color}\" stroke-width=\".4\"");
        svg.polygons(run.iter().map(|face| &face.1[..]), &style);
    }
    let project = |x: DVec3| (view * x).truncate();
    let curve: Vec<_> = segments
        .iter()
        .map(|s| s.ends.map(|end| project(end.position)))
        .collect();
    svg.lines(
        &curve,
        &format!("{} stroke-linecap=\"round\"", stroked(RED, 2.5)),
    );
    for contact in &contacts {
        let point = project(contact.point);
        let tip = project(contact.point + contact.area_vector);
        if contact.area() > 0.1 {
            svg.arrow(point, tip, GREEN);
        }
        svg.dot(point, GREEN);
    }
    let words = format!("{} contacts, {} segments", contacts.len(), segments.len());
    svg.write([20.0, 28.0], "start", DARK, &words);
    svg.write([20.0, 50.0], "start", RED, "the curve, front and back");
    svg.write([20.0, 72.0], "start", GREEN, "contact points and S");
    svg.caption("Each segment ends where exactly one other starts, for any poses.");
    Ok(svg.finish())
}
