//! Checks that the shells of a solid do not overlap, and that each is oriented as its place demands.
//!
//! The winding number of all shells together must be 0 or 1 everywhere. So the other shells wind 0 times
//! around a shell that faces outwards, and once around a cavity.

use glam::DVec3;

use crate::error::{Cause, Error, Result};
use crate::math::predicates::{leaves_triangle, triangles_cross};
use crate::math::{Pose3, orient3d};
use crate::shape::winding::way_out;
use crate::shape::{Aabb, BoxTree, SolidMesh};

/// Refuses shells that overlap, or are oriented wrongly.
///
/// The winding number along a shell changes only near other shells. So one vertex of each shell is
/// tested, and all at facets whose boxes touch those of another shell.
pub(super) fn check_shells(solid: &SolidMesh) -> Result<()> {
    if solid.shells().len() < 2 {
        return Ok(());
    }
    let is_near = near_vertices(solid)?;
    let shells = Shells::new(solid);
    let mut is_waiting = is_near.clone();
    let mut is_tested = vec![false; solid.shells().len()];
    for facet in 0..solid.triangles().len() as u32 {
        let triangle = solid.triangle_of(facet);
        for vertex in triangle.corners {
            let id = vertex as usize;
            let is_first = !is_near[id] && !is_tested[triangle.shell as usize];
            if !triangle.is_folded() && (is_waiting[id] || is_first) {
                is_waiting[id] = false;
                is_tested[triangle.shell as usize] |= is_first;
                shells.check_vertex(facet, vertex)?;
            }
        }
    }
    Ok(())
}

/// Returns whether each vertex is a corner of a facet whose box touches one of another shell. Refuses
/// facets that cross one of another shell inside.
fn near_vertices(solid: &SolidMesh) -> Result<Vec<bool>> {
    let mut is_near = vec![false; solid.vertices().len()];
    let first = solid.lowest_pair(|pair| {
        let triangles = pair.map(|facet| solid.triangle_of(facet));
        let [t, u] = triangles;
        if t.shell == u.shell || t.is_folded() || u.is_folded() {
            return false;
        }
        for vertex in triangles.iter().flat_map(|triangle| triangle.corners) {
            is_near[vertex as usize] = true;
        }
        let [a, b] = pair.map(|facet| solid.surface().facet_box(facet));
        // Where boxes only touch, no edge passes through a triangle.
        let only_touch = (a.max.cmpeq(b.min) | b.max.cmpeq(a.min)).any();
        !only_touch && triangles_cross(pair.map(|facet| solid.corners(facet)), |s| s > 0.0)
    });
    match first {
        Some(facets) => Err(Error(Cause::FacetsIntersect { facets })),
        None => Ok(is_near),
    }
}

/// The shells of a solid with their boxes.
struct Shells<'a> {
    solid: &'a SolidMesh,
    boxes: Vec<Aabb<DVec3>>,
    tree: BoxTree<DVec3>,
}

impl<'a> Shells<'a> {
    fn new(solid: &'a SolidMesh) -> Self {
        let at = |vertex: u32| Aabb::enclosing([solid.vertices()[vertex as usize]]);
        let mut boxes: Vec<_> = solid.shells().iter().map(|s| at(s.vertex)).collect();
        for triangle in solid.triangles().iter().filter(|t| !t.is_folded()) {
            let bounds = &mut boxes[triangle.shell as usize];
            *bounds = bounds.union(&solid.surface().facet_box(triangle.facet));
        }
        Self {
            tree: BoxTree::from_good(boxes.clone()),
            solid,
            boxes,
        }
    }

    fn shell_of(&self, facet: u32) -> u32 {
        self.solid.triangle_of(facet).shell
    }

    /// Refuses a vertex of a facet around which the other shells wind too often or too rarely.
    fn check_vertex(&self, facet: u32, vertex: u32) -> Result<()> {
        let shell = self.shell_of(facet);
        let point = self.solid.vertices()[vertex as usize];
        let [own, other] = self.windings(shell, point);
        let volume = self.solid.shells()[shell as usize].volume;
        let expected = i32::from(volume <= 0.0);
        // On another shell the point is shifted, to either side of its own shell.
        let is_right = other == expected
            || (0..=1).contains(&(own + other)) && self.is_on_another(shell, point);
        let facet = facet as usize;
        match other {
            _ if is_right => Ok(()),
            0 => Err(Error(Cause::InsideOut { facet, volume })),
            _ => Err(Error(Cause::ShellsOverlap { facet, vertex })),
        }
    }

    /// Returns how often a shell winds around one of its vertices, and how often all others do.
    fn windings(&self, shell: u32, point: DVec3) -> [i32; 2] {
        let mut bounds = self.boxes[shell as usize];
        let mut count = 0;
        self.tree.for_each_touching(&Aabb::enclosing([point]), |i| {
            bounds = bounds.union(&self.boxes[i as usize]);
            count += 1;
        });
        let mut windings = [0, 0];
        if count == 1 {
            return windings;
        }
        // Only shells whose boxes hold the point wind around it, so the way out leads past these.
        let Some((outside, query)) = way_out(&bounds, &Pose3::IDENTITY, point) else {
            return windings;
        };
        self.solid.tree().for_each_touching(&query, |facet| {
            let of = self.shell_of(facet);
            if self.boxes[of as usize].contains(point) {
                let times = leaves_triangle(self.solid.corners(facet), [point, outside]);
                windings[usize::from(of != shell)] += times;
            }
        });
        windings
    }

    /// Returns whether a point is on another shell, or near it in the plane of one of its facets.
    fn is_on_another(&self, shell: u32, point: DVec3) -> bool {
        let mut is_on = false;
        let tree = self.solid.tree();
        tree.for_each_touching(&Aabb::enclosing([point]), |facet| {
            let [a, b, c] = self.solid.corners(facet);
            let triangle = self.solid.triangle_of(facet);
            let is_other = triangle.shell != shell && !triangle.is_folded();
            is_on |= is_other && orient3d(a, b, c, point) == 0.0;
        });
        is_on
    }
}
