//! The one error type of the crate.

/// Why an input was refused.
///
/// Constructors and rebuilds return the lowest bad index; the structure they were called on is
/// then as it was before. Kernels do not fail.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A coordinate is NaN, infinite or beyond [`MAX_LENGTH`](crate::math::MAX_LENGTH).
    #[error("position {index}: coordinate {axis} is {value:?}, not a number within ±2^150")]
    Coordinate {
        /// Index of the body, vertex or point.
        index: usize,
        /// 0, 1, 2 for x, y, z.
        axis: usize,
        /// The coordinate.
        value: f64,
    },
    /// A radius is negative, NaN, infinite, or neither 0 nor within [2^-150, 2^150].
    #[error("body {index}: radius {value:?} is not 0 or within [2^-150, 2^150]")]
    Radius {
        /// Index of the body.
        index: usize,
        /// The radius.
        value: f64,
    },
    /// More bodies, vertices or facets than `u32` ids can name.
    #[error(
        "{count} elements are more than u32 ids can name ({})",
        crate::math::MAX_COUNT
    )]
    TooMany {
        /// How many there are.
        count: usize,
    },
    /// A margin, skin, tolerance or cell size is negative, NaN or out of the domain of lengths.
    #[error("{name} {value:?} is not a length (0 or within [2^-150, 2^150])")]
    Length {
        /// Which argument.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A number that is not a length (a density, a cost) is negative, NaN or too large.
    #[error("{name} {value:?} is negative or too large, or no number")]
    Parameter {
        /// Which argument.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// Cells smaller than the largest diameter would lose pairs.
    #[error("cell size {cell_size:?} is smaller than the diameter {diameter:?} of body {index}")]
    CellTooSmall {
        /// The first body that does not fit.
        index: usize,
        /// Its diameter.
        diameter: f64,
        /// The cell size asked for.
        cell_size: f64,
    },
    /// An update names a body that is not there.
    #[error("there is no body {index}: the bodies are {count}")]
    NoSuchBody {
        /// The index asked for.
        index: usize,
        /// How many bodies there are.
        count: usize,
    },
    /// The cell sizes of levels do not increase, or are none.
    #[error("level {level}: size {size:?} does not exceed that of the level below")]
    LevelSize {
        /// The level, counted from the smallest; 0 also if there are none.
        level: usize,
        /// Its size (NaN if there are none).
        size: f64,
    },
    /// A periodic box is shorter than two interaction distances between opposite faces, so that a
    /// body could touch two images of another.
    #[error("axis {axis}: the periodic box is {width:?} wide, less than 2 cut-offs of {cut_off:?}")]
    PeriodTooShort {
        /// 0, 1, 2 for x, y, z.
        axis: usize,
        /// The distance between its faces across the axis.
        width: f64,
        /// The largest distance at which bodies interact.
        cut_off: f64,
    },
    /// A side of a periodic box is not a length above 0, or a tilt is out of the domain.
    #[error("axis {axis}: {value:?} is no side of a periodic box")]
    PeriodicSide {
        /// 0, 1, 2 for x, y, z.
        axis: usize,
        /// The side or tilt.
        value: f64,
    },
    /// A box whose lower corner is not below its upper one.
    #[error("box {index}, axis {axis}: the lower bound {min:?} is above the upper one {max:?}")]
    EmptyBox {
        /// Index of the box (0 for a single one).
        index: usize,
        /// 0, 1, 2 for x, y, z.
        axis: usize,
        /// Lower bound.
        min: f64,
        /// Upper bound.
        max: f64,
    },
    /// A refit changes positions only: there must be as many boxes or facets as before.
    #[error("{count} elements are to take the place of {expected}")]
    CountChanged {
        /// How many there are now.
        count: usize,
        /// How many there were.
        expected: usize,
    },
    /// A rotation is not unit: | |q|^2 - 1 | > 2^-40.
    #[error("rotation is not unit: its squared norm is {norm_squared:?}")]
    Rotation {
        /// The squared norm |q|^2.
        norm_squared: f64,
    },
    /// A facet or polygon has fewer corners than a polygon needs.
    #[error("facet {facet} has {count} corners, fewer than 3")]
    TooFewCorners {
        /// Index of the facet (0 for a single polygon).
        facet: usize,
        /// Its number of corners.
        count: usize,
    },
    /// A facet names a vertex that does not exist.
    #[error("facet {facet} names vertex {vertex} of {vertex_count}")]
    VertexOutOfRange {
        /// Index of the facet.
        facet: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many vertices there are.
        vertex_count: usize,
    },
    /// A list of facets names one that does not exist.
    #[error("entry {index} names facet {facet} of {facet_count}")]
    FacetOutOfRange {
        /// Index in the list.
        index: usize,
        /// The facet it names.
        facet: u32,
        /// How many facets there are.
        facet_count: usize,
    },
    /// A facet names a vertex twice.
    #[error("facet {facet} names vertex {vertex} twice")]
    RepeatedVertex {
        /// Index of the facet (0 for a single polygon).
        facet: usize,
        /// The vertex.
        vertex: u32,
    },
    /// A side of a facet is shorter than 2^-150, yet not zero.
    #[error("facet {facet}: the side from vertex {vertex} is {length:?} long, below 2^-150")]
    SideTooShort {
        /// Index of the facet.
        facet: usize,
        /// The vertex where the side starts.
        vertex: u32,
        /// Its length.
        length: f64,
    },
    /// A facet's vertices do not lie in one plane.
    #[error("facet {facet} is not planar: vertex {vertex} is {distance:?} off its plane")]
    NotPlanar {
        /// Index of the facet.
        facet: usize,
        /// The first vertex off the plane.
        vertex: u32,
        /// Its distance from the plane.
        distance: f64,
    },
    /// A facet or polygon is not convex, or not counter-clockwise where that is required.
    #[error("facet {facet} is not convex (and counter-clockwise) at vertex {vertex}")]
    FacetNotConvex {
        /// Index of the facet (0 for a single polygon).
        facet: usize,
        /// A vertex on the wrong side of one of the facet's edges.
        vertex: u32,
    },
    /// The boundary of a polygon meets itself.
    #[error("sides {} and {} of the polygon have a point in common", sides[0], sides[1])]
    SelfIntersection {
        /// The lowest side that meets another one, and the lowest of those it meets. Side i starts
        /// at corner i.
        sides: [u32; 2],
    },
    /// A polygon is clockwise, or encloses nothing to rounding.
    #[error("the polygon encloses the area {area:?}: it is clockwise or flat")]
    Clockwise {
        /// Its signed area.
        area: f64,
    },
    /// A face of a convex polyhedron has no area, and so no normal.
    #[error("facet {facet} has no area")]
    NoArea {
        /// Index of the facet.
        facet: usize,
    },
    /// A closed mesh takes triangles only.
    #[error("facet {facet} has {count} corners; a solid takes triangles only")]
    NotTriangle {
        /// Index of the facet.
        facet: usize,
        /// Its number of corners.
        count: usize,
    },
    /// A mesh without facets where at least one is needed.
    #[error("the mesh has no facets")]
    NoFacets,
    /// An edge of a mesh that must be closed has one facet only.
    #[error("edge {edge:?} is open: only facet {facet} has it")]
    OpenEdge {
        /// The edge's vertices, lower first.
        edge: [u32; 2],
        /// The one facet.
        facet: u32,
    },
    /// An edge has more than two facets.
    #[error("edge {edge:?} is shared by {facet_count} facets")]
    NonManifoldEdge {
        /// The edge's vertices, lower first.
        edge: [u32; 2],
        /// How many facets share it.
        facet_count: usize,
    },
    /// The facets around a vertex form more than one fan.
    #[error("vertex {vertex} joins parts of the surface that share no edge there")]
    NonManifoldVertex {
        /// The vertex.
        vertex: u32,
    },
    /// Two facets run along their common edge in the same direction.
    #[error("facets {} and {} are oriented against each other at edge {edge:?}", facets[0], facets[1])]
    Orientation {
        /// The edge's vertices, lower first.
        edge: [u32; 2],
        /// The two facets.
        facets: [u32; 2],
    },
    /// The facets of a closed surface face inwards, or enclose nothing; or cavities take off all the
    /// volume there is.
    #[error(
        "the volume at facet {facet} is {volume:?}: a surface is inside out or flat, or cavities are too large"
    )]
    InsideOut {
        /// The lowest facet of the surface, or of the largest cavity.
        facet: usize,
        /// Its signed volume; for cavities that of the whole solid.
        volume: f64,
    },
    /// A solid that must be convex is not.
    #[error("vertex {vertex} lies {distance:?} outside the plane of facet {facet}")]
    NotConvex {
        /// The facet.
        facet: usize,
        /// The vertex in front of it.
        vertex: usize,
        /// How far in front.
        distance: f64,
    },
    /// A vertex belongs to no facet of a polyhedron.
    #[error("vertex {vertex} belongs to no facet")]
    UnusedVertex {
        /// The vertex.
        vertex: usize,
    },
    /// A tetrahedron names a vertex that does not exist, or names it twice.
    #[error("tetrahedron {tetrahedron} names vertex {vertex} twice, or there is none")]
    TetrahedronVertex {
        /// Index of the tetrahedron.
        tetrahedron: usize,
        /// The vertex.
        vertex: u32,
    },
    /// A tetrahedron is flat or inside out.
    #[error("tetrahedron {tetrahedron} has the volume {volume:?}: it is inside out or flat")]
    FlatTetrahedron {
        /// Index of the tetrahedron.
        tetrahedron: usize,
        /// Its signed volume.
        volume: f64,
    },
    /// A face belongs to more than two tetrahedra, or to two on the same side of it.
    #[error("tetrahedra {} and {} overlap at face {face:?}", tetrahedra[0], tetrahedra[1])]
    NotConforming {
        /// The face's vertices, in ascending order.
        face: [u32; 3],
        /// The two lowest of the tetrahedra.
        tetrahedra: [u32; 2],
    },
    /// A vertex lies on a face without being one of its corners: neighbours do not share the face.
    #[error("vertex {vertex} lies on face {face:?}, which does not have it for a corner")]
    HangingVertex {
        /// The vertex.
        vertex: u32,
        /// The face's vertices.
        face: [u32; 3],
    },
    /// Points that span no area (2D) or no volume (3D) have no hull.
    #[error("{count} points lie in the line or plane of points {points:?} and have no hull")]
    Flat {
        /// How many points there are.
        count: usize,
        /// Three points (in 2D, and for points on one line, with repetitions) that span them.
        points: [usize; 3],
    },
}

pub(crate) type Result<T> = std::result::Result<T, Error>;
