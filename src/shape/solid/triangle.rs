/// A triangle of a [`SolidMesh`](crate::SolidMesh).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Triangle {
    pub(crate) corners: [u32; 3],
    /// The half-edges from corner i to the next. Edge e from its lower to its higher vertex is 2 e,
    /// the opposite direction 2 e + 1.
    pub(crate) sides: [u32; 3],
    pub(crate) facet: u32,
    pub(crate) shell: u32,
}

impl Triangle {
    /// Returns whether welding has folded the triangle onto an edge. It is then not part of the
    /// surface.
    pub(crate) fn is_folded(&self) -> bool {
        let [a, b, c] = self.corners;
        a == b || b == c || c == a
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_two_equal_corners_fold_a_triangle() {
        let is_folded = |corners| {
            let triangle = Triangle {
                corners,
                sides: [0; 3],
                facet: 0,
                shell: 0,
            };
            triangle.is_folded()
        };
        assert!(!is_folded([0, 1, 2]));
        assert!(
            [[0, 0, 1], [1, 0, 0], [0, 1, 0], [1, 1, 1]]
                .into_iter()
                .all(is_folded)
        );
    }
}
