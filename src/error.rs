//! The error type of the crate.

/// The reason why an input was refused.
///
/// [`kind`](Error::kind) is its class, and [`index`](Error::index) is the lowest offending element. The
/// message (`Display`) has all numbers. A structure that returns an error keeps its previous contents,
/// unless its docs say otherwise. Kernels do not fail.
///
/// ```
/// use osculate::{ErrorKind, Sphere, glam::DVec2};
///
/// let error = Sphere::new(DVec2::ZERO, -1.0).validate(4).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Radius);
/// assert_eq!(error.index(), Some(4));
/// let message = "body 4: radius -1.0 is neither 0 nor within [2^-150, 2^150]";
/// assert_eq!(error.to_string(), message);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(transparent)]
pub struct Error(pub(crate) Cause);

impl Error {
    /// Returns the class of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.classify().0
    }

    /// Returns the index of the lowest offending element, the first that the message names.
    ///
    /// The message names the elements that the index counts: bodies, boxes, points, vertices, corners,
    /// facets, edges, tetrahedra, levels, axes or entries of a list. `None` if no single element is at
    /// fault.
    pub fn index(&self) -> Option<usize> {
        self.0.classify().1
    }
}

/// The classes of [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A coordinate is NaN, infinite or beyond [`MAX_LENGTH`](crate::math::MAX_LENGTH).
    Coordinate,
    /// A radius is negative, NaN or out of range.
    Radius,
    /// A margin, skin, tolerance or cell size is negative, NaN or out of range.
    Length,
    /// Another number is NaN or out of range, or a rotation is not unit.
    Parameter,
    /// There are more elements than [`MAX_COUNT`](crate::math::MAX_COUNT).
    TooMany,
    /// A body is larger than the given cells, or level sizes are missing or do not increase.
    CellSize,
    /// A side or tilt of a periodic box is not valid, or too short for the bodies.
    PeriodicBox,
    /// A lower bound of a box exceeds the upper one.
    Bounds,
    /// An index is repeated or out of range, or the number of elements has changed.
    Index,
    /// A facet or polygon has too few corners, or a shape that is not valid.
    Facet,
    /// A surface that must be closed has an open edge.
    NotClosed,
    /// A surface is not manifold, or a vertex of a body is not used.
    NonManifold,
    /// Facets are oriented inconsistently, or a body is inside out.
    Orientation,
    /// A solid that must be convex is not.
    NotConvex,
    /// Edges of a polygon, facets or tetrahedra of a mesh intersect, or shells of a solid overlap.
    Intersection,
    /// A body or point set is empty or flat.
    Degenerate,
}

/// The contents of an [`Error`]. Axes are 0, 1, 2 for x, y, z; the vertices of edges and faces ascend.
///
/// There is no `From<Cause> for Error`: even a private second `From` would leave the error type of `?`
/// in a user's closure ambiguous.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub(crate) enum Cause {
    /// `index` counts the elements named `name`; `None` if there is only one.
    #[error(
        "{name}{}: coordinate {axis} is {value:?}, not within [-2^150, 2^150]",
        index.map_or(String::new(), |index| format!(" {index}"))
    )]
    Coordinate {
        name: &'static str,
        index: Option<usize>,
        axis: usize,
        value: f64,
    },
    #[error("body {index}: radius {value:?} is neither 0 nor within [2^-150, 2^150]")]
    Radius { index: usize, value: f64 },
    #[error(
        "body {index}: reaches {value:?} from its center, farther than the copies of the periodic wall"
    )]
    Reach { index: usize, value: f64 },
    #[error("{count} elements exceed the limit of {}", crate::math::MAX_COUNT)]
    TooMany { count: usize },
    #[error("{name} {value:?} is not {range}")]
    Length {
        name: &'static str,
        value: f64,
        range: &'static str,
    },
    /// The list would lose contacts.
    #[error("the list has the margin {margin:?}, less than {needed:?} of the kernel")]
    SmallMargin { margin: f64, needed: f64 },
    #[error("{name} {value:?} is not within {range}")]
    Parameter {
        name: &'static str,
        value: f64,
        range: &'static str,
    },
    #[error("{name} {index}: not in ascending order")]
    NotAscending { name: &'static str, index: usize },
    /// Smaller cells would lose pairs.
    #[error("body {index}: diameter {diameter:?} exceeds the cell size {cell_size:?}")]
    CellTooSmall {
        index: usize,
        diameter: f64,
        cell_size: f64,
    },
    #[error("level {level}: size {size:?} does not exceed the size of the level below")]
    LevelSize { level: usize, size: f64 },
    #[error("no level sizes are given")]
    NoLevels,
    /// A body could touch two images of another.
    #[error(
        "axis {axis}: the periodic box has width {width:?}, less than twice the cut-off {cut_off:?}"
    )]
    PeriodTooShort {
        axis: usize,
        width: f64,
        cut_off: f64,
    },
    #[error("axis {axis}: {value:?} is not {valid}")]
    PeriodicSide {
        axis: usize,
        value: f64,
        valid: &'static str,
    },
    #[error("box {index}: on axis {axis} the lower bound {min:?} exceeds the upper bound {max:?}")]
    EmptyBox {
        index: usize,
        axis: usize,
        min: f64,
        max: f64,
    },
    #[error("body {index} does not exist: the number of bodies is {count}")]
    NoSuchBody { index: usize, count: usize },
    #[error("body {index} gets the new index {new_index}, as body {other} does")]
    SameNewIndex {
        index: usize,
        other: usize,
        new_index: usize,
    },
    /// A refit only moves elements.
    #[error("the number of elements is {count}, not {expected} as before")]
    CountChanged { count: usize, expected: usize },
    #[error(
        "facet {facet}: vertex {vertex} does not exist, the number of vertices is {vertex_count}"
    )]
    VertexOutOfRange {
        facet: usize,
        vertex: u32,
        vertex_count: usize,
    },
    #[error("entry {index}: facet {facet} does not exist, the number of facets is {facet_count}")]
    FacetOutOfRange {
        index: usize,
        facet: u32,
        facet_count: usize,
    },
    #[error("facet {facet}: vertex {vertex} is repeated")]
    RepeatedVertex { facet: usize, vertex: u32 },
    #[error("tetrahedron {tetrahedron}: vertex {vertex} is repeated or does not exist")]
    TetrahedronVertex { tetrahedron: usize, vertex: u32 },
    #[error("facet {facet}: {count} corners are fewer than 3")]
    TooFewCorners { facet: usize, count: usize },
    #[error("facet {facet}: the edge from vertex {vertex} has length {length:?}, below 2^-150")]
    SideTooShort {
        facet: usize,
        vertex: u32,
        length: f64,
    },
    #[error("facet {facet}: vertex {vertex} is {distance:?} off its plane")]
    NotPlanar {
        facet: usize,
        vertex: u32,
        distance: f64,
    },
    #[error("facet {facet}: not convex and counter-clockwise at vertex {vertex}")]
    FacetNotConvex { facet: usize, vertex: u32 },
    #[error("facet {facet}: the area is zero")]
    NoArea { facet: usize },
    #[error(
        "facet {facet}: {count} corners, but a solid consists of triangles; use SurfaceMesh::triangulated"
    )]
    NotTriangle { facet: usize, count: usize },
    #[error("facet {facet}: edge {edge:?} is open")]
    OpenEdge { edge: [u32; 2], facet: u32 },
    /// An open edge with an end where another vertex is, too.
    #[error(
        "facet {facet}: edge {edge:?} is open, and vertices coincide there; weld them (SurfaceMesh::welded, from_triangles)"
    )]
    NotWelded { edge: [u32; 2], facet: u32 },
    #[error("edge {edge:?} is shared by {facet_count} facets")]
    NonManifoldEdge { edge: [u32; 2], facet_count: usize },
    /// The facets around it form more than one fan.
    #[error("vertex {vertex}: parts of the surface meet that share no edge there")]
    NonManifoldVertex { vertex: u32 },
    #[error("vertex {vertex}: at the position of vertex {other}; weld the mesh")]
    SamePosition { vertex: u32, other: u32 },
    #[error("segment {segment}: it closes the chain or is not part of it")]
    NotInChain { segment: u32 },
    #[error("vertex {vertex}: not used")]
    UnusedVertex { vertex: usize },
    #[error("facets {} and {} run along edge {edge:?} in the same direction", facets[0], facets[1])]
    Orientation { edge: [u32; 2], facets: [u32; 2] },
    /// `facet` is the lowest of the surface, of the largest cavity or of a shell outside all others.
    #[error(
        "facet {facet}: volume {volume:?}; its surface is inverted (reverse the corners of all its facets) or flat, or cavities are too large"
    )]
    InsideOut { facet: usize, volume: f64 },
    #[error("the polygon has signed area {area:?}; its corners are counter-clockwise")]
    PolygonOrientation { area: f64 },
    #[error("facet {facet}: vertex {vertex} lies {distance:?} in front of its plane")]
    NotConvex {
        facet: usize,
        vertex: usize,
        distance: f64,
    },
    /// Side i starts at corner i.
    #[error("edges {} and {} of the polygon intersect", sides[0], sides[1])]
    SelfIntersection { sides: [u32; 2] },
    #[error("tetrahedra {} and {} overlap at face {face:?}", tetrahedra[0], tetrahedra[1])]
    NotConforming {
        face: [u32; 3],
        tetrahedra: [u32; 2],
    },
    /// Neighbors do not share the face.
    #[error("vertex {vertex}: it lies on face {face:?} but is not a corner of it")]
    HangingVertex { vertex: u32, face: [u32; 3] },
    /// A T-junction.
    #[error("vertex {vertex}: it lies on the open edge {edge:?} but is not an end of it")]
    TJunction { vertex: u32, edge: [u32; 2] },
    #[error("facet {facet}: its back folds over at thickness {thickness:?}")]
    FoldedBack { facet: usize, thickness: f64 },
    #[error("facets {} and {}: the surface of the solid intersects itself", facets[0], facets[1])]
    FacetsIntersect { facets: [u32; 2] },
    #[error(
        "facet {facet}: at vertex {vertex} its shell is inside another one; shells must not overlap, and cavities face inwards"
    )]
    ShellsOverlap { facet: usize, vertex: u32 },
    #[error("tetrahedron {tetrahedron}: volume {volume:?}; it is inverted or flat")]
    FlatTetrahedron { tetrahedron: usize, volume: f64 },
    #[error("the mesh is empty")]
    NoFacets,
    #[error("the point set is empty")]
    NoPoints,
    /// In 2D and for points on one line some of `points` are repeated.
    #[error("the points have no hull: all {count} lie in the line or plane of points {points:?}")]
    Flat { count: usize, points: [usize; 3] },
}

impl Cause {
    /// Returns the class, and the index that the message names first.
    fn classify(&self) -> (ErrorKind, Option<usize>) {
        use ErrorKind as Kind;
        let id = |id: u32| Some(id as usize);
        match *self {
            Self::Coordinate { index, .. } => (Kind::Coordinate, index),
            Self::Radius { index, .. } | Self::Reach { index, .. } => (Kind::Radius, Some(index)),
            Self::TooMany { .. } => (Kind::TooMany, None),
            Self::Length { .. } | Self::SmallMargin { .. } => (Kind::Length, None),
            Self::Parameter { .. } => (Kind::Parameter, None),
            Self::NotAscending { index, .. } => (Kind::Parameter, Some(index)),
            Self::CellTooSmall { index, .. } => (Kind::CellSize, Some(index)),
            Self::LevelSize { level, .. } => (Kind::CellSize, Some(level)),
            Self::NoLevels => (Kind::CellSize, None),
            Self::PeriodTooShort { axis, .. } => (Kind::PeriodicBox, Some(axis)),
            Self::PeriodicSide { axis, .. } => (Kind::PeriodicBox, Some(axis)),
            Self::EmptyBox { index, .. } => (Kind::Bounds, Some(index)),
            Self::NoSuchBody { index, .. } => (Kind::Index, Some(index)),
            Self::SameNewIndex { index, .. } => (Kind::Index, Some(index)),
            Self::CountChanged { .. } => (Kind::Index, None),
            Self::VertexOutOfRange { facet, .. } => (Kind::Index, Some(facet)),
            Self::FacetOutOfRange { index, .. } => (Kind::Index, Some(index)),
            Self::RepeatedVertex { facet, .. } => (Kind::Index, Some(facet)),
            Self::TetrahedronVertex { tetrahedron, .. } => (Kind::Index, Some(tetrahedron)),
            Self::TooFewCorners { facet, .. }
            | Self::SideTooShort { facet, .. }
            | Self::NotPlanar { facet, .. }
            | Self::FacetNotConvex { facet, .. }
            | Self::NoArea { facet }
            | Self::NotTriangle { facet, .. } => (Kind::Facet, Some(facet)),
            Self::OpenEdge { facet, .. } | Self::NotWelded { facet, .. } => {
                (Kind::NotClosed, id(facet))
            }
            Self::NonManifoldEdge { edge, .. } => (Kind::NonManifold, id(edge[0])),
            Self::NonManifoldVertex { vertex } => (Kind::NonManifold, id(vertex)),
            Self::SamePosition { vertex, .. } => (Kind::NonManifold, id(vertex)),
            Self::NotInChain { segment } => (Kind::NonManifold, id(segment)),
            Self::UnusedVertex { vertex } => (Kind::NonManifold, Some(vertex)),
            Self::Orientation { facets, .. } => (Kind::Orientation, id(facets[0])),
            Self::InsideOut { facet, .. } => (Kind::Orientation, Some(facet)),
            Self::PolygonOrientation { .. } => (Kind::Orientation, None),
            Self::NotConvex { facet, .. } => (Kind::NotConvex, Some(facet)),
            Self::SelfIntersection { sides } => (Kind::Intersection, id(sides[0])),
            Self::NotConforming { tetrahedra, .. } => (Kind::Intersection, id(tetrahedra[0])),
            Self::HangingVertex { vertex, .. } => (Kind::Intersection, id(vertex)),
            Self::TJunction { vertex, .. } => (Kind::Intersection, id(vertex)),
            Self::FoldedBack { facet, .. } => (Kind::Intersection, Some(facet)),
            Self::FacetsIntersect { facets } => (Kind::Intersection, id(facets[0])),
            Self::ShellsOverlap { facet, .. } => (Kind::Intersection, Some(facet)),
            Self::FlatTetrahedron { tetrahedron, .. } => (Kind::Degenerate, Some(tetrahedron)),
            Self::NoFacets | Self::NoPoints | Self::Flat { .. } => (Kind::Degenerate, None),
        }
    }
}

pub(crate) type Result<T> = std::result::Result<T, Error>;

#[cfg(test)]
mod tests;
