//! The figures of the 2004 paper, drawn from the kernels: sixteen pairs in 2D, and the speed ratio to
//! the conventional search.

use std::fs;
use std::path::Path;

use cpu_time::ThreadTime;
use osculate::glam::DVec2;
use osculate::reference::cundall_common_plane;
use osculate::{
    CommonPlane, ConvexPolygon, Feature, NarrowPhase, Placed, Pose2, reference::FastCommonPlane,
};
use plotters::prelude::*;

use crate::shapes::KINDS;
use crate::{Result, stages, tables};
use reproduce::random::SplitMix64;

/// A name, a color, and points in the order of x.
type Line<'a> = (&'a str, RGBColor, Vec<(f64, f64)>);
type Flat<'a> = Placed<&'a ConvexPolygon, DVec2>;

/// Seconds of a stage and of a step, as in the paper.
const TIMES: [f64; 2] = [0.5, 2.5e-5];
pub(crate) const A: RGBColor = RGBColor(86, 180, 233);
pub(crate) const B: RGBColor = RGBColor(230, 159, 0);

pub(crate) fn write(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    sixteen_pairs(&folder.join("common-planes-2d.svg"))?;
    let mut runs = Vec::new();
    for count in [180, 270, 360, 450, 540] {
        runs.push((count, stages(count, None, TIMES, None)?));
    }
    println!("{}", tables(&runs));
    let (mut box_ratios, mut flow_ratios) = ([const { Vec::new() }; 2], [const { Vec::new() }; 2]);
    for (count, costs) in runs {
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
    for (kind, vertices) in KINDS.into_iter().enumerate() {
        let [costs, _] = stages(243, Some(kind), TIMES, None)?;
        let [fast, exact] =
            [costs.fast, costs.exact].map(|cost| costs.nanoseconds(cost.to_the_end));
        println!(
            "time, {vertices} vertices: paper's search {fast:.0} ns, exact kernel {exact:.0} ns"
        );
    }
    Ok(())
}

/// Polygons side by side, with the common plane: eight pairs of type a, then eight of type b.
fn sixteen_pairs(path: &Path) -> Result<()> {
    let root = SVGBackend::new(path, (880, 880)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut random = SplitMix64::new(16);
    let mut pairs = [const { Vec::new() }; 2];
    while pairs.iter().any(|pairs| pairs.len() < 8) {
        let mut polygon = || {
            let point = |_| DVec2::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0));
            ConvexPolygon::from_convex_hull(&[0; 7].map(point))
        };
        let shapes = [polygon()?, polygon()?];
        let offset = DVec2::new(random.range(1.0, 2.0), random.range(-1.5, 1.5));
        let pose = Pose2::from_translation(offset)?;
        let (gap, is_side, _) = fast(&shapes, pose);
        if (0.05..0.6).contains(&gap) && pairs[usize::from(is_side)].len() < 8 {
            pairs[usize::from(is_side)].push((shapes, pose));
        }
    }
    println!("type, gap, passes");
    let mut ratios = Vec::new();
    for (i, cell) in root.split_evenly((4, 4)).iter().enumerate() {
        let (shapes, pose) = &pairs[i / 8][i % 8];
        let (plane, ratio) = compare(shapes, *pose)?;
        let (gap, is_side, passes) = fast(shapes, *pose);
        let kind = if is_side { 'b' } else { 'a' };
        println!("{kind} {gap:.4} {passes}");
        ratios.push(format!("{ratio:.1}"));
        draw(cell, shapes, *pose, plane)?;
        let label = format!("type {kind}, R = {ratio:.1}");
        let style = ("sans-serif", 15).into_font().color(&BLACK);
        cell.draw(&Text::new(label, (12, 198), style))?;
    }
    println!(
        "time of the conventional search / the paper's: {}\n",
        ratios.join(" ")
    );
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

/// Runs all three searches, which must agree. Returns the exact plane, a point and its normal, and the time of the
/// conventional search relative to the paper's.
fn compare(shapes: &[ConvexPolygon; 2], pose: Pose2) -> Result<([DVec2; 2], f64)> {
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
    let (gap, ..) = fast(shapes, pose);
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
    Ok(([exact.point, exact.normal], conventional / paper))
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

pub(crate) fn chart(path: &Path, x: &str, y: &str, lines: &[Line]) -> Result<()> {
    let points = || lines.iter().flat_map(|line| &line.2);
    let range = |value: fn(&(f64, f64)) -> f64| {
        points()
            .map(value)
            .fold((f64::INFINITY, 0.0_f64), |(a, b), x| (a.min(x), b.max(x)))
    };
    let ((left, right), (low, high)) = (range(|p| p.0), range(|p| p.1));
    let root = SVGBackend::new(path, (680, 420)).into_drawing_area();
    root.fill(&WHITE)?;
    // With room for the legend above.
    let y_range = low / 1.5..high * 3.0;
    let ticks = (-1..5).flat_map(|k| [1.0, 2.0, 5.0].map(|tick| tick * 10_f64.powi(k)));
    let ticks: Vec<f64> = ticks.filter(|tick| y_range.contains(tick)).collect();
    let plain = |x: &f64| format!("{x}");
    let mut chart = ChartBuilder::on(&root)
        .margin(14)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(left..right, y_range.log_scale().with_key_points(ticks))?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_labels(6)
        .x_label_formatter(&plain)
        .y_label_formatter(&plain)
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
            .label(name.to_owned())
            .legend(move |(x, y)| {
                PathElement::new(vec![(x, y), (x + 18, y)], color.stroke_width(2))
            });
        chart.draw_series(points.iter().map(|&p| Circle::new(p, 3, color.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE)
        .border_style(RGBColor(200, 200, 200))
        .label_font(("sans-serif", 14))
        .draw()?;
    root.present()?;
    Ok(())
}
