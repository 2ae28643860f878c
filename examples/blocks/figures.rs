//! The figures of the 2004 paper, drawn from the kernels: sixteen pairs in 2D, the speed ratio to
//! the conventional search, and the cost by vertex count.

use std::fs;
use std::path::Path;

use cpu_time::ThreadTime;
use osculate::glam::DVec2;
use osculate::reference::cundall_common_plane;
use osculate::{
    CommonPlane, ConvexPolygon, Feature, NarrowPhase, Placed, Pose2, reference::FastCommonPlane,
};
use plotters::prelude::*;

use crate::random::SplitMix64;
use crate::shapes::KINDS;
use crate::{HEADER, Result, row, stages};

/// A name, a color, and points in the order of x.
type Line = (&'static str, RGBColor, Vec<(f64, f64)>);
type Flat<'a> = Placed<&'a ConvexPolygon, DVec2>;

/// The results of each stage.
const SECONDS: f64 = 0.3;
const A: RGBColor = RGBColor(86, 180, 233);
const B: RGBColor = RGBColor(230, 159, 0);

pub(crate) fn write(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    sixteen_pairs(&folder.join("common-planes-2d.svg"))?;
    let counts = [180, 270, 360, 450, 540];
    println!("{HEADER}");
    let (mut box_ratios, mut flow_ratios) = ([const { Vec::new() }; 2], [const { Vec::new() }; 2]);
    for count in counts {
        let costs = stages(count, None, SECONDS, None)?;
        for (stage, costs) in ["box", "flow"].iter().zip(&costs) {
            println!("{}", row(count, stage, costs));
        }
        for (costs, ratios) in costs.iter().zip([&mut box_ratios, &mut flow_ratios]) {
            for (ratio, list) in costs.ratios().into_iter().zip(ratios) {
                list.push((count as f64, ratio));
            }
        }
    }
    let [box_all, box_skipping] = box_ratios;
    let [flow_all, flow_skipping] = flow_ratios;
    let lines = [
        ("box, to the end", A, box_all),
        ("flow, to the end", B, flow_all),
        ("box, skipping", BLUE, box_skipping),
        ("flow, skipping", RED, flow_skipping),
    ];
    chart(
        &folder.join("common-plane-ratio.svg"),
        "blocks",
        "time of the conventional search / fast common plane",
        &lines,
    )?;
    let (mut fast, mut exact) = (Vec::new(), Vec::new());
    for (kind, vertices) in KINDS.into_iter().enumerate() {
        let [costs, _] = stages(243, Some(kind), SECONDS, None)?;
        fast.push((vertices as f64, costs.nanoseconds(costs.fast.to_the_end)));
        exact.push((vertices as f64, costs.nanoseconds(costs.exact.to_the_end)));
        println!(
            "{vertices} vertices: {:?} ns {:?} ns",
            fast[kind].1, exact[kind].1
        );
    }
    let lines = [
        ("fast common plane", B, fast),
        ("exact kernel", BLACK, exact),
    ];
    chart(
        &folder.join("common-plane-vertices.svg"),
        "vertices of each block",
        "ns a query",
        &lines,
    )
}

/// Polygons side by side, with the common plane.
fn sixteen_pairs(path: &Path) -> Result<()> {
    let root = SVGBackend::new(path, (880, 880)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut random = SplitMix64::new(16);
    // Eight pairs of each type, in the order drawn at random.
    let mut wanted = [8, 8];
    println!("type  gap       passes  conventional / fast, time");
    for cell in root.split_evenly((4, 4)) {
        let (shapes, pose, is_side) = loop {
            let mut polygon = || {
                let point = |_| DVec2::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0));
                ConvexPolygon::from_convex_hull(&[0; 7].map(point))
            };
            let shapes = [polygon()?, polygon()?];
            let offset = DVec2::new(random.range(1.0, 2.0), random.range(-1.5, 1.5));
            let pose = Pose2::from_translation(offset)?;
            let (gap, is_side, _) = fast(&shapes, pose);
            if (0.05..0.6).contains(&gap) && wanted[usize::from(is_side)] > 0 {
                wanted[usize::from(is_side)] -= 1;
                break (shapes, pose, is_side);
            }
        };
        let normal = compare(&shapes, pose, is_side)?;
        draw(&cell, &shapes, pose, normal)?;
    }
    root.present()?;
    Ok(())
}

fn placed(shapes: &[ConvexPolygon; 2], pose: Pose2) -> [Flat<'_>; 2] {
    [
        Placed::new(&shapes[0], Pose2::IDENTITY),
        Placed::new(&shapes[1], pose),
    ]
}

/// Gap, whether the plane is along a side (type b), and passes.
fn fast(shapes: &[ConvexPolygon; 2], pose: Pose2) -> (f64, bool, u32) {
    let [a, b] = placed(shapes, pose);
    let mut kernel = FastCommonPlane::new().with_margin(1e3).unwrap_or_default();
    let mut found = (f64::NAN, false, 0);
    kernel.for_each_contact(&a, &b, &mut Default::default(), |contact| {
        let is_side = [contact.feature_a, contact.feature_b];
        let is_side = is_side.iter().any(|f| matches!(f, Feature::Edge(..)));
        found = (-contact.overlap, is_side, contact.iterations);
    });
    found
}

/// Runs all three searches, which must agree. Returns the exact plane: a point and its normal.
fn compare(shapes: &[ConvexPolygon; 2], pose: Pose2, is_side: bool) -> Result<[DVec2; 2]> {
    let [a, b] = placed(shapes, pose);
    let mut exact = None;
    CommonPlane::new().with_margin(1e3)?.for_each_contact(
        &a,
        &b,
        &mut Default::default(),
        |contact| exact = Some(contact),
    );
    let exact = exact.ok_or("no plane")?;
    let [v, w] = [a, b].map(|body| body.shape.vertices());
    let turn = || cundall_common_plane(v, w, &pose, pose.translation(), [0.087, 1.7e-4], 1e3);
    let (gap, _, passes) = fast(shapes, pose);
    let turned = turn();
    let is_same = (gap + exact.overlap).abs() < 1e-14
        && turned.normal.dot(exact.normal) > 1.0 - 1e-6
        && (turned.gap - gap).abs() < 1e-3;
    if !is_same {
        return Err(format!("the planes differ: {gap}, {exact:?}, {turned:?}").into());
    }
    let time = |run: &dyn Fn() -> f64| {
        let start = ThreadTime::now();
        let sum: f64 = (0..2000).map(|_| std::hint::black_box(run())).sum();
        (start.elapsed().as_secs_f64(), sum)
    };
    let (conventional, _) = time(&|| turn().gap);
    let (paper, _) = time(&|| fast(shapes, pose).0);
    let kind = if is_side { 'b' } else { 'a' };
    println!(
        "{kind}     {gap:.4}    {passes}       {:.1}",
        conventional / paper
    );
    Ok([exact.point, exact.normal])
}

fn draw(
    cell: &DrawingArea<SVGBackend, plotters::coord::Shift>,
    shapes: &[ConvexPolygon; 2],
    pose: Pose2,
    [point, normal]: [DVec2; 2],
) -> Result<()> {
    let area = cell.margin(8, 8, 8, 8);
    let middle = pose.translation() * 0.5;
    let pixel = |v: DVec2| {
        let v = (v - middle) * 52.0;
        (102 + v.x as i32, 102 - v.y as i32)
    };
    for ((shape, pose), color) in shapes.iter().zip([Pose2::IDENTITY, pose]).zip([A, B]) {
        let corners: Vec<_> = shape
            .vertices()
            .iter()
            .map(|&v| pixel(pose.transform_point(v)))
            .collect();
        area.draw(&Polygon::new(corners, color.filled()))?;
    }
    let along = normal.perp() * 1.6;
    let ends = vec![pixel(point - along), pixel(point + along)];
    area.draw(&PathElement::new(ends, BLACK.stroke_width(2)))?;
    Ok(())
}

fn chart(path: &Path, x: &str, y: &str, lines: &[Line]) -> Result<()> {
    let points = || lines.iter().flat_map(|line| &line.2);
    let range = |value: fn(&(f64, f64)) -> f64| {
        points()
            .map(value)
            .fold((f64::INFINITY, 0.0_f64), |(a, b), x| (a.min(x), b.max(x)))
    };
    let ((left, right), (low, high)) = (range(|p| p.0), range(|p| p.1));
    let root = SVGBackend::new(path, (680, 420)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .margin(14)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(left..right, (low / 1.5..high * 1.5).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc(x)
        .y_desc(y)
        .label_style(("sans-serif", 14))
        .draw()?;
    for (name, color, points) in lines {
        let color = *color;
        chart
            .draw_series(LineSeries::new(
                points.iter().copied(),
                color.stroke_width(2),
            ))?
            .label(*name)
            .legend(move |(x, y)| {
                PathElement::new(vec![(x, y), (x + 18, y)], color.stroke_width(2))
            });
        chart.draw_series(points.iter().map(|&p| Circle::new(p, 3, color.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::MiddleMiddle)
        .background_style(WHITE)
        .border_style(RGBColor(200, 200, 200))
        .label_font(("sans-serif", 14))
        .draw()?;
    root.present()?;
    Ok(())
}
