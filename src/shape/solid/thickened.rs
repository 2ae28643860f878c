//! Solids from open walls, by adding a back behind the front.

use crate::math::tolerance::two_to;
use glam::{DMat3, DVec3};

use super::closed::connected;
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::math::predicates::triangles_cross;
use crate::math::{angle, check_positive_length, diagonalized, outer};
use crate::shape::surface::triangulate;
use crate::shape::{Polygon, SegmentMesh, SolidMesh, SurfaceMesh, names};

/// The least eigenvalue of a mean of products n n^T of unit normals at which their planes intersect in a
/// direction: bends of 2e-3 rad. The rounding of single-precision files bends planes by about 1e-7.
const SMALL_BEND: f64 = two_to(-20);

/// The least thickness under any facet, as a share of the requested thickness.
const LEAST_SHARE: f64 = 0.5;

impl SurfaceMesh {
    /// Returns the solid of this wall and a layer of a given thickness behind its facets. O(n log n), plus the pairs of
    /// triangles around the same vertex, O(n^2) for a disc cut into a fan.
    ///
    /// Use it with [`MeshMesh`](crate::MeshMesh) in place of the open wall: energy is then conserved even if bodies
    /// slide over the rim. The thickness must exceed the largest penetration, because a body that reaches the back is
    /// pushed out there.
    ///
    /// The front keeps its vertices and their ids, and facets are cut into triangles. With n vertices, vertex n + i is
    /// behind vertex i. It lies where the planes of its facets, moved back by the thickness, intersect. So corners are
    /// mitered: behind a bend by an angle a, the corner is thickness / cos(a / 2) away. More than three different
    /// planes have no common point; the best fit is then used. The layer is nowhere thinner than half of `thickness`.
    /// Rims are closed by a strip from front to back. Closed surfaces get a second shell.
    ///
    /// # Errors
    /// Ids refer to this mesh. Returns, in this order:
    /// - [`ErrorKind::Length`] if the thickness is not a positive length;
    /// - [`ErrorKind::Facet`] for a facet without area;
    /// - [`ErrorKind::NonManifold`] for a vertex at the position of another one (see [`welded`](SurfaceMesh::welded));
    /// - [`ErrorKind::Intersection`] for a vertex inside an open edge (T-junction);
    /// - [`ErrorKind::Degenerate`] if there are no facets, and [`ErrorKind::NonManifold`] for a vertex that is not used;
    /// - for the lowest edge [`ErrorKind::NonManifold`] if it has three facets, and [`ErrorKind::Orientation`] if two
    ///   facets run along it in the same direction;
    /// - [`ErrorKind::NonManifold`] for parts that meet only at a vertex;
    /// - [`ErrorKind::Intersection`] for the lowest facet whose back folds over, where the sheet is bent too sharply
    ///   for this thickness. Also for the lowest facets at which the surface of the solid intersects itself. Surfaces
    ///   that only touch are not detected.
    ///
    /// ```
    /// use osculate::{SurfaceMesh, glam::DVec3};
    ///
    /// let plate = [(0.0, 0.0), (4.0, 0.0), (4.0, 2.0), (0.0, 2.0)];
    /// let plate = plate.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec();
    /// let table = SurfaceMesh::new(plate, [[0, 1, 2, 3]])?.thickened(0.5)?;
    /// assert_eq!(table.volume(), 4.0);
    /// assert_eq!(table.surface().vertices()[6], DVec3::new(4.0, 2.0, -0.5));
    /// # Ok::<(), osculate::Error>(())
    /// ```
    pub fn thickened(&self, thickness: f64) -> Result<SolidMesh> {
        check_positive_length("thickness", thickness)?;
        check_sheet(self)?;
        let back = back_vertices(self, thickness);
        for facet in self.facets() {
            let corners = facet.vertices().iter().map(|&id| id as usize);
            let corners: Vec<_> = corners.map(|id| [self.vertices()[id], back[id]]).collect();
            if is_folded(&corners, facet.normal(), thickness) {
                let facet = facet.index() as usize;
                return Err(Error(Cause::FoldedBack { facet, thickness }));
            }
        }
        let (triangles, facets) = layer(self);
        let vertices = self.vertices().iter().chain(&back).copied();
        let solid = SolidMesh::new(vertices.collect(), triangles)?;
        match lowest_intersection(&solid) {
            None => Ok(solid),
            Some(pair) => {
                let facets = pair.map(|triangle| facets[triangle as usize]);
                let facets = [facets[0].min(facets[1]), facets[0].max(facets[1])];
                Err(Error(Cause::FacetsIntersect { facets }))
            }
        }
    }
}

/// Checks that a mesh is a manifold without T-junctions, open or closed.
fn check_sheet(mesh: &SurfaceMesh) -> Result<()> {
    let report = mesh.report();
    if let Some(&facet) = report.degenerate_facets.first() {
        let facet = facet as usize;
        return Err(Error(Cause::NoArea { facet }));
    }
    if let Some(&[vertex, other]) = report.duplicate_vertices.first() {
        return Err(Error(Cause::SamePosition { vertex, other }));
    }
    if let Some(&(vertex, edge)) = report.hanging_vertices.first() {
        return Err(Error(Cause::TJunction { vertex, edge }));
    }
    connected(mesh, true).map(|_| ())
}

/// Returns the vertices of the back.
fn back_vertices(mesh: &SurfaceMesh, thickness: f64) -> Vec<DVec3> {
    let mut planes = vec![Planes::NONE; mesh.vertices().len()];
    for facet in mesh.facets() {
        let ids = facet.vertices();
        let corner = |i: usize| mesh.vertices()[ids[i % ids.len()] as usize];
        for (i, &id) in ids.iter().enumerate() {
            let (u, v) = (
                corner(i + 1) - corner(i),
                corner(i + ids.len() - 1) - corner(i),
            );
            // Angles add up to the same sum for all meshes of a surface.
            planes[id as usize].add(facet.normal(), angle(u.cross(v).length(), u.dot(v)));
        }
    }
    let pairs = mesh.vertices().iter().zip(&planes);
    pairs
        .map(|(&v, planes)| v + planes.offset() * thickness)
        .collect()
}

/// The planes of the facets at a vertex: sums over their unit normals, weighted by the angles there.
#[derive(Clone, Copy)]
struct Planes {
    /// sum w n n^T
    tensor: DMat3,
    /// sum w n
    normal: DVec3,
    /// sum w
    weight: f64,
}

impl Planes {
    const NONE: Self = Self {
        tensor: DMat3::ZERO,
        normal: DVec3::ZERO,
        weight: 0.0,
    };

    fn add(&mut self, normal: DVec3, weight: f64) {
        self.tensor += outer(normal * weight, normal);
        self.normal += normal * weight;
        self.weight += weight;
    }

    /// Returns the offset d with `n.d = -1` for all normals n, or the best approximation.
    ///
    /// Minimizes `sum w (n.d + 1)^2`. Nearly parallel planes leave d undetermined along their intersection.
    /// There d stays the offset of the mean normal.
    fn offset(&self) -> DVec3 {
        let mean = -self.normal.normalize_or_zero();
        let rest = self.normal + self.tensor * mean;
        let (values, axes) = diagonalized(self.tensor);
        let is_known = |i: &usize| values[*i] > SMALL_BEND * self.weight;
        let parts = (0..3).filter(is_known).map(|i| {
            let axis = axes.col(i);
            axis * (axis.dot(rest) / values[i])
        });
        mean - parts.sum::<DVec3>()
    }
}

/// Returns whether the layer under a facet is too thin, inverted or reversed along an edge. `corners` holds the corners
/// of front and back.
fn is_folded(corners: &[[DVec3; 2]], normal: DVec3, thickness: f64) -> bool {
    let next = corners.iter().cycle().skip(1);
    let mut area = DVec3::ZERO;
    let origin = corners[0][1];
    let is_bad = corners.iter().zip(next).any(|(&[p, back], &[q, next])| {
        area += (back - origin).cross(next - origin);
        let depth = normal.dot(p - back);
        // Also true for NaN.
        let is_deep = depth >= LEAST_SHARE * thickness;
        !is_deep || (q - p).dot(next - back) <= 0.0
    });
    is_bad || area.dot(normal) <= 0.0
}

/// Returns the triangles of front, back and strip, each with its facet.
fn layer(mesh: &SurfaceMesh) -> (Vec<[u32; 3]>, Vec<u32>) {
    let count = mesh.vertices().len() as u32;
    let (mut triangles, mut of_facets) = (Vec::new(), Vec::new());
    for facet in mesh.facets() {
        triangles.extend(triangulate(facet.vertices(), mesh.vertices()));
        of_facets.resize(triangles.len(), facet.index());
    }
    for i in 0..triangles.len() {
        let [a, b, c] = triangles[i];
        triangles.push([a, c, b].map(|id| count + id));
        of_facets.push(of_facets[i]);
    }
    let (facets, edges) = mesh.topology();
    for (_, sides) in edges.iter() {
        if let [side] = *sides {
            let [a, b] = [side, facets.next(side)].map(|side| facets.corner(side));
            triangles.extend([[b, a, count + a], [b, count + a, count + b]]);
            of_facets.extend([facets.facet_of(side); 2]);
        }
    }
    (triangles, of_facets)
}

impl SegmentMesh {
    /// Returns the polygon of this wall and a layer of a given thickness behind it. O(n log n).
    ///
    /// The wall must be one open chain of segments. Its vertices come first, in the order of the chain, and
    /// the vertices of the back follow in reverse. Corners are mitered, as in
    /// [`SurfaceMesh::thickened`].
    ///
    /// # Errors
    /// Returns, in this order:
    /// - [`ErrorKind::Length`] if the thickness is not a positive length;
    /// - [`ErrorKind::Degenerate`] if there are no segments;
    /// - [`ErrorKind::NonManifold`] with a segment that does not follow in the chain of the first one, or
    ///   closes it;
    /// - [`ErrorKind::Intersection`] with a segment whose back folds over;
    /// - the errors of [`Polygon::new`].
    ///
    /// ```
    /// use osculate::{glam::DVec2, shape::SegmentMesh};
    ///
    /// let bend = [(2.0, 0.0), (0.0, 0.0), (0.0, 2.0)].map(DVec2::from).to_vec();
    /// let angle = SegmentMesh::new(bend, vec![[0, 1], [1, 2]])?.thickened(0.5)?;
    /// assert_eq!(angle.area(), 2.25);
    /// assert_eq!(angle.vertices()[4], DVec2::new(-0.5, -0.5));
    /// # Ok::<(), osculate::Error>(())
    /// ```
    pub fn thickened(&self, thickness: f64) -> Result<Polygon> {
        check_positive_length("thickness", thickness)?;
        let chain = chain(self)?;
        let normal = |i: usize| self.line(chain[i]).0;
        let front = |i: usize| {
            let (segment, end) = (chain[i.min(chain.len() - 1)], i / chain.len());
            self.vertices()[self.segments()[segment as usize][end] as usize]
        };
        let back = |i: usize| {
            let [before, after] = [i.max(1) - 1, i.min(chain.len() - 1)].map(normal);
            front(i) - (before + after) * (thickness / (1.0 + before.dot(after)))
        };
        let count = chain.len();
        for (i, &segment) in chain.iter().enumerate() {
            let along = (front(i + 1) - front(i)).dot(back(i + 1) - back(i));
            // Also true for NaN.
            let is_open = along > 0.0;
            if !is_open {
                let facet = segment as usize;
                return Err(Error(Cause::FoldedBack { facet, thickness }));
            }
        }
        Polygon::new(
            (0..=count)
                .map(front)
                .chain((0..=count).rev().map(back))
                .collect(),
        )
    }
}

/// Returns the segments of an open chain in their order, without segments of length 0.
fn chain(mesh: &SegmentMesh) -> Result<Vec<u32>> {
    let names = names(mesh.vertices()).0;
    let ends = |segment: u32| mesh.segments()[segment as usize].map(|id| names[id as usize]);
    let all = || (0..mesh.facet_count()).filter(|&segment| ends(segment)[0] != ends(segment)[1]);
    let (mut from, mut into) = (vec![None; names.len()], vec![None; names.len()]);
    for segment in all() {
        let [a, b] = ends(segment).map(|end| end as usize);
        if from[a].replace(segment).is_some() || into[b].replace(segment).is_some() {
            return Err(Error(Cause::NotInChain { segment }));
        }
    }
    let Some(any) = all().next() else {
        return Err(Error(Cause::NoFacets));
    };
    let mut first = any;
    while let Some(before) = into[ends(first)[0] as usize] {
        first = before;
        if first == any {
            return Err(Error(Cause::NotInChain { segment: first }));
        }
    }
    let next = |&segment: &u32| from[ends(segment)[1] as usize];
    let chain: Vec<u32> = std::iter::successors(Some(first), next).collect();
    let mut is_in_chain = vec![false; mesh.segments().len()];
    for &segment in &chain {
        is_in_chain[segment as usize] = true;
    }
    match all().find(|&segment| !is_in_chain[segment as usize]) {
        None => Ok(chain),
        Some(segment) => Err(Error(Cause::NotInChain { segment })),
    }
}

/// Returns the lowest pair of triangles such that an edge of one crosses the other.
///
/// Exact signs decide. The ends of the edge must be on different sides of the other triangle's plane.
/// Triangles that share a vertex or overlap in a plane therefore do not count.
pub(super) fn lowest_intersection(solid: &SolidMesh) -> Option<[u32; 2]> {
    solid.lowest_pair(|pair| triangles_cross(pair.map(|facet| solid.corners(facet)), |s| s >= 0.0))
}
