//! Bodies and walls, drawn from the back to the front.

use osculate::glam::{DVec2, DVec3};
use osculate::narrow::PressureContact;
use osculate::shape::Facet;
use osculate::{
    CommonPlane, ConvexPolygon, ConvexPolyhedron, Error, NarrowPhase, Placed, Pose2, Wall,
};

use crate::svg::{BLUE, RED, Svg};

/// A view from a direction, with z upward on the page.
#[derive(Clone, Copy)]
pub struct Eye(pub DVec3);

impl Eye {
    /// Returns the position on the page.
    pub fn flat(self, x: DVec3) -> DVec2 {
        let eye = self.0.normalize();
        let right = DVec3::Z.cross(eye).normalize();
        DVec2::new(right.dot(x), eye.cross(right).dot(x))
    }

    /// Returns a color of a surface in the light.
    fn shade(normal: DVec3, color: [f64; 3]) -> String {
        let light = 0.62
            + 0.38
                * normal
                    .dot(DVec3::new(-0.35, -0.5, 0.8).normalize())
                    .max(0.0);
        let [r, g, b] = color.map(|part| (part * light) as u8);
        format!("#{r:02x}{g:02x}{b:02x}")
    }

    pub fn wall(self, svg: &mut Svg, wall: &Wall) {
        let eye = self.0;
        let mut facets: Vec<_> = wall.mesh().facets().collect();
        let depth = |corners: &[DVec3]| {
            corners.iter().map(|x| x.dot(eye)).sum::<f64>() / corners.len() as f64
        };
        let corners = |facet: &Facet| facet.corners().collect::<Vec<_>>();
        facets.sort_by(|a, b| depth(&corners(a)).total_cmp(&depth(&corners(b))));
        svg.open("stroke=\"#bbb\" stroke-width=\".4\"");
        for facet in facets {
            let fill = Self::shade(facet.normal(), [232.0, 232.0, 222.0]);
            let flat: Vec<_> = facet.corners().map(|x| self.flat(x)).collect();
            svg.polygon(&flat, &format!("fill=\"{fill}\""));
        }
        svg.close();
    }

    /// Draws bodies with an opacity.
    pub fn bodies(
        self,
        svg: &mut Svg,
        bodies: &[Placed<&ConvexPolyhedron>],
        color: impl Fn(usize) -> [f64; 3],
        opacity: f64,
    ) -> Result<(), Error> {
        svg.open(&format!(
            "fill-opacity=\"{opacity}\" stroke=\"#444\" stroke-width=\".5\""
        ));
        for i in self.back_to_front(bodies)? {
            let body = &bodies[i];
            for face in body.shape.surface().facets() {
                let normal = body.pose.transform_vector(face.normal());
                if normal.dot(self.0) > 0.0 {
                    let corners = face
                        .corners()
                        .map(|x| self.flat(body.pose.transform_point(x)));
                    let fill = Self::shade(normal, color(i));
                    svg.polygon(&corners.collect::<Vec<_>>(), &format!("fill=\"{fill}\""));
                }
            }
        }
        svg.close();
        Ok(())
    }

    /// Draws the shares as discs with an area in proportion to the load.
    pub fn shares(self, svg: &mut Svg, contacts: &[PressureContact], radius_of_load: f64) {
        let points = contacts.iter().filter_map(|contact| contact.points);
        svg.open(&format!("fill=\"{RED}\" fill-opacity=\".75\""));
        for share in points.flat_map(|points| points.shares) {
            let radius = radius_of_load * share.load.max(0.0).sqrt();
            svg.circle(self.flat(share.point), radius, "");
        }
        svg.close();
    }

    /// Draws the corners as small rings.
    pub fn corners(self, svg: &mut Svg, contacts: &[PressureContact]) {
        let points = contacts.iter().filter_map(|contact| contact.points);
        for corner in points.flat_map(|points| points.corners) {
            svg.ring(self.flat(corner.point), 2.5, BLUE);
        }
    }

    /// Orders bodies so that none hides a later one.
    ///
    /// The common plane of two bodies tells which one is in front, that of their outlines whether they overlap on the page.
    fn back_to_front(self, placed: &[Placed<&ConvexPolyhedron>]) -> Result<Vec<usize>, Error> {
        let outline = |body: &Placed<&ConvexPolyhedron>| {
            let corners = body.shape.vertices().iter();
            let corners: Vec<_> = corners
                .map(|&x| self.flat(body.pose.transform_point(x)))
                .collect();
            Ok(Placed::new(
                ConvexPolygon::from_convex_hull(&corners)?,
                Pose2::IDENTITY,
            ))
        };
        let outlines: Vec<_> = placed.iter().map(outline).collect::<Result<_, Error>>()?;
        let mut kernel = CommonPlane::new().with_margin(100.0)?;
        let mut hides = |i: usize, j: usize| {
            let apart = CommonPlane::new()
                .contact(&outlines[i], &outlines[j])
                .is_none();
            let plane = kernel.contact(&placed[j], &placed[i]);
            i != j && !apart && plane.is_some_and(|plane| plane.normal.dot(self.0) > 0.0)
        };
        let mut rest: Vec<usize> = (0..placed.len()).collect();
        let mut order = Vec::new();
        while !rest.is_empty() {
            let is_last = |&k: &usize| !rest.iter().any(|&i| hides(rest[k], i));
            let last = (0..rest.len()).find(is_last).unwrap_or(0);
            order.push(rest.swap_remove(last));
        }
        Ok(order)
    }
}
