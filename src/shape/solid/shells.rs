//! Checks that the shells of a solid do not overlap, and that each is oriented as its place demands.
//!
//! The winding number of all shells together must be 0 or 1 everywhere. So the other shells wind 0 times
//! around a shell that faces outwards, and once around a cavity.

use glam::DVec3;

use super::intersections::cross;
use super::triangulation::Triangulation;
use crate::error::{Cause, Error, Result};
use crate::math::{Pose3, orient3d};
use crate::shape::{Aabb, leaves_triangle, winding_around};

/// Refuses shells that overlap, or are oriented wrongly.
///
/// The winding number along a shell changes only near other shells. So one vertex of each shell is
/// tested, and all at facets whose boxes touch those of another shell.
pub(super) fn check_shells(solid: &Triangulation) -> Result<()> {
    if solid.shells().len() < 2 {
        return Ok(());
    }
    let mut is_waiting = near_vertices(solid)?;
    let mut is_tested = vec![false; solid.shells().len()];
    let is_near = is_waiting.clone();
    for facet in 0..solid.triangles().len() as u32 {
        let triangle = &solid.triangles()[solid.slot(facet) as usize];
        for vertex in triangle.corners {
            let id = vertex as usize;
            let is_first = !is_near[id] && !is_tested[triangle.shell as usize];
            if !triangle.is_folded() && (is_waiting[id] || is_first) {
                is_waiting[id] = false;
                is_tested[triangle.shell as usize] |= is_first;
                check_vertex(solid, triangle.shell, facet, vertex)?;
            }
        }
    }
    Ok(())
}

/// Returns whether each vertex is a corner of a facet whose box touches one of another shell. Refuses
/// facets that cross one of another shell inside.
fn near_vertices(solid: &Triangulation) -> Result<Vec<bool>> {
    let mut is_near = vec![false; solid.vertices().len()];
    let mut first: Option<[u32; 2]> = None;
    let tree = solid.tree();
    tree.for_each_pair(tree, &Pose3::IDENTITY, |i, j| {
        let triangles = [i, j].map(|facet| &solid.triangles()[solid.slot(facet) as usize]);
        let [t, u] = triangles;
        if i >= j || t.shell == u.shell || t.is_folded() || u.is_folded() {
            return;
        }
        for vertex in triangles.iter().flat_map(|triangle| triangle.corners) {
            is_near[vertex as usize] = true;
        }
        let [a, b] = [i, j].map(|facet| solid.surface().facet_box(facet));
        // Where boxes only touch, no edge passes through a triangle.
        let only_touch = (a.max.cmpeq(b.min) | b.max.cmpeq(a.min)).any();
        let is_lower = first.is_none_or(|first| [i, j] < first);
        if is_lower && !only_touch && cross([i, j].map(|facet| solid.corners(facet)), |s| s > 0.0) {
            first = Some([i, j]);
        }
    });
    match first {
        Some(facets) => Err(Error(Cause::FacetsIntersect { facets })),
        None => Ok(is_near),
    }
}

/// Refuses a vertex of a shell around which the other shells wind too often or too rarely.
fn check_vertex(solid: &Triangulation, shell: u32, facet: u32, vertex: u32) -> Result<()> {
    let point = solid.vertices()[vertex as usize];
    let (mut own, mut other) = (0, 0);
    winding_around(solid.tree(), &Pose3::IDENTITY, point, |facet, segment| {
        let times = leaves_triangle(solid.corners(facet), segment);
        if solid.triangles()[solid.slot(facet) as usize].shell == shell {
            own += times;
        } else {
            other += times;
        }
        times
    });
    let volume = solid.shells()[shell as usize].volume;
    let expected = i32::from(volume <= 0.0);
    // On another shell the point is shifted, to either side of its own shell.
    if other == expected || (0..=1).contains(&(own + other)) && is_on_another(solid, shell, point) {
        return Ok(());
    }
    let facet = facet as usize;
    Err(Error(if other == 0 {
        Cause::InsideOut { facet, volume }
    } else {
        Cause::ShellsOverlap { facet, vertex }
    }))
}

/// Returns whether a point is on another shell, or near it in the plane of one of its facets.
fn is_on_another(solid: &Triangulation, shell: u32, point: DVec3) -> bool {
    let mut is_on = false;
    let query = Aabb {
        min: point,
        max: point,
    };
    solid.tree().for_each_touching(&query, |facet| {
        let [a, b, c] = solid.corners(facet);
        let triangle = &solid.triangles()[solid.slot(facet) as usize];
        let is_other = triangle.shell != shell && !triangle.is_folded();
        is_on |= is_other && orient3d(a, b, c, point) == 0.0;
    });
    is_on
}
