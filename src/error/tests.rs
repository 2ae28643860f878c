use std::collections::HashSet;
use std::mem::discriminant;

use super::*;

/// One of each cause, with its kind, index and message.
fn all() -> Vec<(Cause, ErrorKind, Option<usize>, &'static str)> {
    vec![
        (
            Cause::Coordinate {
                name: "vertex",
                index: Some(7),
                axis: 12,
                value: -13.5,
            },
            ErrorKind::Coordinate,
            Some(7),
            "vertex 7: coordinate 12 is -13.5, not within [-2^150, 2^150]",
        ),
        (
            Cause::Radius {
                index: 7,
                value: -12.5,
            },
            ErrorKind::Radius,
            Some(7),
            "body 7: radius -12.5 is neither 0 nor within [2^-150, 2^150]",
        ),
        (
            Cause::Reach {
                index: 7,
                value: 12.5,
            },
            ErrorKind::Radius,
            Some(7),
            "body 7: reaches 12.5 from its center, farther than the copies of the periodic wall",
        ),
        (
            Cause::TooMany { count: 12 },
            ErrorKind::TooMany,
            None,
            "12 elements exceed the limit of 4294967294",
        ),
        (
            Cause::Length {
                name: "margin",
                value: -13.5,
                range: "a length",
            },
            ErrorKind::Length,
            None,
            "margin -13.5 is not a length",
        ),
        (
            Cause::SmallMargin {
                margin: 0.25,
                needed: 0.5,
            },
            ErrorKind::Length,
            None,
            "the list has the margin 0.25, less than 0.5 of the kernel",
        ),
        (
            Cause::Parameter {
                name: "margin",
                value: -13.5,
                range: "[0, 1]",
            },
            ErrorKind::Parameter,
            None,
            "margin -13.5 is not within [0, 1]",
        ),
        (
            Cause::NotAscending {
                name: "pair",
                index: 7,
            },
            ErrorKind::Parameter,
            Some(7),
            "pair 7: not in ascending order",
        ),
        (
            Cause::CellTooSmall {
                index: 7,
                diameter: -12.5,
                cell_size: -13.5,
            },
            ErrorKind::CellSize,
            Some(7),
            "body 7: diameter -12.5 exceeds the cell size -13.5",
        ),
        (
            Cause::LevelSize {
                level: 7,
                size: -12.5,
            },
            ErrorKind::CellSize,
            Some(7),
            "level 7: size -12.5 does not exceed the size of the level below",
        ),
        (
            Cause::NoLevels,
            ErrorKind::CellSize,
            None,
            "no level sizes are given",
        ),
        (
            Cause::PeriodTooShort {
                axis: 7,
                width: -12.5,
                cut_off: -13.5,
            },
            ErrorKind::PeriodicBox,
            Some(7),
            "axis 7: the periodic box has width -12.5, less than twice the cut-off -13.5",
        ),
        (
            Cause::PeriodicSide {
                axis: 7,
                value: -12.5,
                valid: "a side",
            },
            ErrorKind::PeriodicBox,
            Some(7),
            "axis 7: -12.5 is not a side",
        ),
        (
            Cause::EmptyBox {
                index: 7,
                axis: 12,
                min: -13.5,
                max: -14.5,
            },
            ErrorKind::Bounds,
            Some(7),
            "box 7: on axis 12 the lower bound -13.5 exceeds the upper bound -14.5",
        ),
        (
            Cause::NoSuchBody {
                index: 7,
                count: 12,
            },
            ErrorKind::Index,
            Some(7),
            "body 7 does not exist: the number of bodies is 12",
        ),
        (
            Cause::SameNewIndex {
                index: 7,
                other: 12,
                new_index: 13,
            },
            ErrorKind::Index,
            Some(7),
            "body 7 gets the new index 13, as body 12 does",
        ),
        (
            Cause::CountChanged {
                count: 12,
                expected: 13,
            },
            ErrorKind::Index,
            None,
            "the number of elements is 12, not 13 as before",
        ),
        (
            Cause::VertexOutOfRange {
                facet: 7,
                vertex: 12,
                vertex_count: 13,
            },
            ErrorKind::Index,
            Some(7),
            "facet 7: vertex 12 does not exist, the number of vertices is 13",
        ),
        (
            Cause::FacetOutOfRange {
                index: 7,
                facet: 12,
                facet_count: 13,
            },
            ErrorKind::Index,
            Some(7),
            "entry 7: facet 12 does not exist, the number of facets is 13",
        ),
        (
            Cause::RepeatedVertex {
                facet: 7,
                vertex: 12,
            },
            ErrorKind::Index,
            Some(7),
            "facet 7: vertex 12 is repeated",
        ),
        (
            Cause::TetrahedronVertex {
                tetrahedron: 7,
                vertex: 12,
            },
            ErrorKind::Index,
            Some(7),
            "tetrahedron 7: vertex 12 is repeated or does not exist",
        ),
        (
            Cause::TooFewCorners {
                facet: 7,
                count: 12,
            },
            ErrorKind::Facet,
            Some(7),
            "facet 7: 12 corners are fewer than 3",
        ),
        (
            Cause::SideTooShort {
                facet: 7,
                vertex: 12,
                length: -13.5,
            },
            ErrorKind::Facet,
            Some(7),
            "facet 7: the edge from vertex 12 has length -13.5, below 2^-150",
        ),
        (
            Cause::NotPlanar {
                facet: 7,
                vertex: 12,
                distance: -13.5,
            },
            ErrorKind::Facet,
            Some(7),
            "facet 7: vertex 12 is -13.5 off its plane",
        ),
        (
            Cause::FacetNotConvex {
                facet: 7,
                vertex: 12,
            },
            ErrorKind::Facet,
            Some(7),
            "facet 7: not convex and counter-clockwise at vertex 12",
        ),
        (
            Cause::NoArea { facet: 7 },
            ErrorKind::Facet,
            Some(7),
            "facet 7: the area is zero",
        ),
        (
            Cause::NotTriangle {
                facet: 7,
                count: 12,
            },
            ErrorKind::Facet,
            Some(7),
            "facet 7: 12 corners, but a solid consists of triangles; use SurfaceMesh::triangulated",
        ),
        (
            Cause::OpenEdge {
                edge: [12, 32],
                facet: 7,
            },
            ErrorKind::NotClosed,
            Some(7),
            "facet 7: edge [12, 32] is open",
        ),
        (
            Cause::NotWelded {
                edge: [12, 32],
                facet: 7,
            },
            ErrorKind::NotClosed,
            Some(7),
            "facet 7: edge [12, 32] is open, and vertices coincide there; weld them (SurfaceMesh::welded, from_triangles)",
        ),
        (
            Cause::NonManifoldEdge {
                edge: [7, 27],
                facet_count: 12,
            },
            ErrorKind::NonManifold,
            Some(7),
            "edge [7, 27] is shared by 12 facets",
        ),
        (
            Cause::NonManifoldVertex { vertex: 7 },
            ErrorKind::NonManifold,
            Some(7),
            "vertex 7: parts of the surface meet that share no edge there",
        ),
        (
            Cause::UnusedVertex { vertex: 7 },
            ErrorKind::NonManifold,
            Some(7),
            "vertex 7: not used",
        ),
        (
            Cause::Orientation {
                edge: [12, 32],
                facets: [7, 27],
            },
            ErrorKind::Orientation,
            Some(7),
            "facets 7 and 27 run along edge [12, 32] in the same direction",
        ),
        (
            Cause::InsideOut {
                facet: 7,
                volume: -12.5,
            },
            ErrorKind::Orientation,
            Some(7),
            "facet 7: volume -12.5; its surface is inverted (reverse the corners of all its facets) or flat, or cavities are too large",
        ),
        (
            Cause::PolygonOrientation { area: -12.5 },
            ErrorKind::Orientation,
            None,
            "the polygon has signed area -12.5; its corners are counter-clockwise",
        ),
        (
            Cause::NotConvex {
                facet: 7,
                vertex: 12,
                distance: -13.5,
            },
            ErrorKind::NotConvex,
            Some(7),
            "facet 7: vertex 12 lies -13.5 in front of its plane",
        ),
        (
            Cause::SelfIntersection { sides: [7, 27] },
            ErrorKind::Intersection,
            Some(7),
            "edges 7 and 27 of the polygon intersect",
        ),
        (
            Cause::NotConforming {
                face: [12, 32, 42],
                tetrahedra: [7, 27],
            },
            ErrorKind::Intersection,
            Some(7),
            "tetrahedra 7 and 27 overlap at face [12, 32, 42]",
        ),
        (
            Cause::HangingVertex {
                vertex: 7,
                face: [12, 32, 42],
            },
            ErrorKind::Intersection,
            Some(7),
            "vertex 7: it lies on face [12, 32, 42] but is not a corner of it",
        ),
        (
            Cause::SamePosition {
                vertex: 7,
                other: 12,
            },
            ErrorKind::NonManifold,
            Some(7),
            "vertex 7: at the position of vertex 12; weld the mesh",
        ),
        (
            Cause::NotInChain { segment: 7 },
            ErrorKind::NonManifold,
            Some(7),
            "segment 7: it closes the chain or is not part of it",
        ),
        (
            Cause::TJunction {
                vertex: 7,
                edge: [12, 32],
            },
            ErrorKind::Intersection,
            Some(7),
            "vertex 7: it lies on the open edge [12, 32] but is not an end of it",
        ),
        (
            Cause::FoldedBack {
                facet: 7,
                thickness: 12.5,
            },
            ErrorKind::Intersection,
            Some(7),
            "facet 7: its back folds over at thickness 12.5",
        ),
        (
            Cause::FacetsIntersect { facets: [7, 27] },
            ErrorKind::Intersection,
            Some(7),
            "facets 7 and 27: the surface of the solid intersects itself",
        ),
        (
            Cause::ShellsOverlap {
                facet: 7,
                vertex: 12,
            },
            ErrorKind::Intersection,
            Some(7),
            "facet 7: at vertex 12 its shell is inside another one; shells must not overlap, and cavities face inwards",
        ),
        (
            Cause::FlatTetrahedron {
                tetrahedron: 7,
                volume: -12.5,
            },
            ErrorKind::Degenerate,
            Some(7),
            "tetrahedron 7: volume -12.5; it is inverted or flat",
        ),
        (
            Cause::NoFacets,
            ErrorKind::Degenerate,
            None,
            "the mesh is empty",
        ),
        (
            Cause::NoPoints,
            ErrorKind::Degenerate,
            None,
            "the point set is empty",
        ),
        (
            Cause::Flat {
                count: 12,
                points: [13, 33, 43],
            },
            ErrorKind::Degenerate,
            None,
            "the points have no hull: all 12 lie in the line or plane of points [13, 33, 43]",
        ),
    ]
}

fn numbers(text: &str) -> Vec<f64> {
    let words = text.split(|c: char| !(c.is_ascii_digit() || ".-^".contains(c)));
    let words = words.map(|word| word.trim_end_matches(['.', '-']));
    words.filter_map(|word| word.parse().ok()).collect()
}

#[test]
fn every_cause_has_a_kind_an_index_and_a_message() {
    let all = all();
    let variants: HashSet<_> = all.iter().map(|(cause, ..)| discriminant(cause)).collect();
    let declared = include_str!("../error.rs")
        .matches("\n    #[error(")
        .count();
    assert_eq!((variants.len(), all.len()), (declared, declared));
    let kinds: HashSet<_> = all.iter().map(|&(_, kind, ..)| kind).collect();
    assert_eq!(kinds.len(), 16);
    for (cause, kind, index, message) in all {
        let error = Error(cause);
        assert_eq!((error.kind(), error.index()), (kind, index), "{error}");
        assert_eq!(error.to_string(), message);
        // The message holds all numbers, the index first.
        let in_message = numbers(message);
        for number in numbers(&format!("{cause:?}")) {
            assert!(in_message.contains(&number), "{number}: {message}");
        }
        if let Some(index) = index {
            assert_eq!(in_message[0], index as f64, "{message}");
        }
    }
}
