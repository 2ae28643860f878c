/// The part of a body or wall that a contact is on, named so that all facets that share it agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Feature {
    /// The interior of a facet.
    Facet(u32),
    /// The interior of an edge, named by its two vertices, the lower first.
    Edge(u32, u32),
    /// A vertex.
    Vertex(u32),
}

impl Feature {
    /// Returns the edge between two vertices, given in any order.
    pub fn edge(a: u32, b: u32) -> Self {
        Self::Edge(a.min(b), a.max(b))
    }
}
