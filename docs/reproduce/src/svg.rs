//! Drawings as SVG text, with their own light background, readable on any page.

#![allow(dead_code, unreachable_pub, reason = "each program uses a part")]

use std::fmt::Write;

use osculate::glam::DVec2;

pub const BLUE: &str = "#3b6ea8";
pub const ORANGE: &str = "#d9752b";
pub const GREEN: &str = "#3f8f5b";
pub const RED: &str = "#c22f3d";
pub const GRAY: &str = "#9a9a94";
pub const DARK: &str = "#2b2b2b";

/// A drawing with y upward, in the units of its contents; lengths that end in `_px` are pixels of
/// the page.
pub struct Svg {
    text: String,
    size_px: DVec2,
    /// The position of the origin, and the length of 1, in pixels.
    origin_px: DVec2,
    scale: f64,
}

impl Svg {
    /// `title` describes the drawing to screen readers.
    pub fn new(width_px: f64, height_px: f64, title: &str) -> Self {
        // Markdown needs the tag on its own line.
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width_px} {height_px}\" \
             width=\"{width_px}\" height=\"{height_px}\" style=\"max-width:100%\" \
             font-family=\"sans-serif\" font-size=\"13\">\n<title>{title}</title>\n\
             <rect x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"8\" fill=\"#fcfcf9\" \
             stroke=\"#d8d8d2\"/>\n",
            width_px - 1.0,
            height_px - 1.0
        );
        let size_px = DVec2::new(width_px, height_px);
        Self {
            text,
            size_px,
            origin_px: DVec2::ZERO,
            scale: 1.0,
        }
    }

    /// From here on, draws `center` at a position of the page, with so many pixels per unit.
    pub fn view(&mut self, at_px: [f64; 2], center: DVec2, scale: f64) {
        let at = DVec2::from(at_px);
        self.origin_px = at - DVec2::new(center.x, -center.y) * scale;
        self.scale = scale;
    }

    fn place(&self, point: DVec2) -> DVec2 {
        self.origin_px + DVec2::new(point.x, -point.y) * self.scale
    }

    fn add(&mut self, element: std::fmt::Arguments) {
        // Writing to a string cannot fail.
        let _ = self.text.write_fmt(element);
        self.text.push('\n');
    }

    pub fn circle(&mut self, center: DVec2, radius: f64, style: &str) {
        let DVec2 { x, y } = self.place(center);
        let r = radius * self.scale;
        self.add(format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r:.1}\" {style}/>"
        ));
    }

    pub fn dot(&mut self, point: DVec2, color: &str) {
        self.circle(point, 3.5 / self.scale, &format!("fill=\"{color}\""));
    }

    /// A circle without filling, of a radius in pixels.
    pub fn ring(&mut self, center: DVec2, radius_px: f64, color: &str) {
        let style = format!("fill=\"none\" stroke=\"{color}\" stroke-width=\"1.3\"");
        self.circle(center, radius_px / self.scale, &style);
    }

    pub fn line(&mut self, a: DVec2, b: DVec2, style: &str) {
        let (a, b) = (self.place(a), self.place(b));
        self.add(format_args!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" {style}/>",
            a.x, a.y, b.x, b.y
        ));
    }

    fn data(&self, points: &[DVec2]) -> String {
        let place = |point: &DVec2| self.place(*point);
        let places: Vec<_> = points
            .iter()
            .map(place)
            .map(|p| format!("{:.1} {:.1}", p.x, p.y))
            .collect();
        format!("M{}", places.join("L"))
    }

    /// A line through points.
    pub fn path(&mut self, points: &[DVec2], style: &str) {
        let d = self.data(points);
        self.add(format_args!("<path d=\"{d}\" {style}/>"));
    }

    /// Lines of one style, as one element.
    pub fn lines(&mut self, all: &[[DVec2; 2]], style: &str) {
        let d: String = all.iter().map(|ends| self.data(ends)).collect();
        self.add(format_args!("<path d=\"{d}\" {style}/>"));
    }

    /// Polygons of one style, the later ones on top.
    pub fn polygons<'a>(&mut self, all: impl Iterator<Item = &'a [DVec2]>, style: &str) {
        self.open(style);
        all.for_each(|corners| self.polygon(corners, ""));
        self.close();
    }

    /// Begins a group of one style, up to [`close`](Self::close).
    pub fn open(&mut self, style: &str) {
        self.add(format_args!("<g {style}>"));
    }

    pub fn close(&mut self) {
        self.add(format_args!("</g>"));
    }

    pub fn polygon(&mut self, corners: &[DVec2], style: &str) {
        let d = self.data(corners);
        self.add(format_args!("<path d=\"{d}z\" {style}/>"));
    }

    /// A box by its lower and upper corner.
    pub fn rectangle(&mut self, min: DVec2, max: DVec2, style: &str) {
        let corners = [min, DVec2::new(max.x, min.y), max, DVec2::new(min.x, max.y)];
        self.polygon(&corners, style);
    }

    pub fn arrow(&mut self, from: DVec2, to: DVec2, color: &str) {
        let ahead = (to - from).normalize_or_zero() * (8.0 / self.scale);
        let aside = ahead.perp() * 0.45;
        let neck = to - ahead;
        self.line(
            from,
            neck,
            &format!("stroke=\"{color}\" stroke-width=\"2\""),
        );
        self.polygon(
            &[to, neck + aside, neck - aside],
            &format!("fill=\"{color}\""),
        );
    }

    /// Text next to a point of the drawing, its middle shifted by pixels to the right and down.
    pub fn label(&mut self, at: DVec2, shift_px: [f64; 2], color: &str, text: &str) {
        let place = self.place(at) + DVec2::from(shift_px);
        self.write([place.x, place.y], "middle", color, text);
    }

    /// Text at a position of the page, which is its `start`, `middle` or `end`.
    pub fn write(&mut self, at_px: [f64; 2], anchor: &str, color: &str, text: &str) {
        let [x, y] = at_px;
        self.add(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{color}\">{text}</text>"
        ));
    }

    /// A centered line of text below the drawing.
    pub fn caption(&mut self, text: &str) {
        let at = [0.5 * self.size_px.x, self.size_px.y - 12.0];
        self.write(at, "middle", DARK, text);
    }

    pub fn finish(self) -> String {
        self.text + "</svg>\n"
    }
}

pub fn filled(color: &str, opacity: f64) -> String {
    format!("fill=\"{color}\" fill-opacity=\"{opacity}\" stroke=\"{color}\" stroke-width=\"1.5\"")
}

pub fn stroked(color: &str, width: f64) -> String {
    format!("fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\"")
}

pub fn dashed(color: &str) -> String {
    format!("fill=\"none\" stroke=\"{color}\" stroke-dasharray=\"4 3\"")
}
