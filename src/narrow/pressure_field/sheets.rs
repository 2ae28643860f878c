//! Which pieces of a wall belong to the same contact.

use glam::DVec3;

use super::field::Field;
use super::polygon::bounds;
use super::wall::Piece;
use crate::narrow::Wall;
use crate::narrow::double_hierarchy::Across;
use crate::shape::UnionFind;

/// The connected pieces of a wall.
///
/// Two pieces are connected over a side of both facets that is partly inside the body, unless the edge is concave with a
/// large bend. Parts of two sides of one line inside a convex body are intervals, as is the part of the line. If the sides
/// overlap, so do these parts (Helly's theorem). So it is enough that each side has a part inside, also where vertices
/// hang on sides.
#[derive(Clone, Debug, Default)]
pub(super) struct Sheets {
    sets: UnionFind,
    /// The pieces in ascending order of their slots.
    by_slot: Vec<(u32, u32)>,
    /// The pieces, sheet by sheet. Within a sheet the order depends on positions only.
    pub(super) order: Vec<u32>,
    /// Sides without a neighbor that have a part inside the body.
    open: Vec<OpenSide>,
}

/// A side without a neighbor in the mesh, about the centroid of the body.
#[derive(Clone, Copy, Debug)]
struct OpenSide {
    piece: u32,
    ends: [DVec3; 2],
}

impl OpenSide {
    /// Returns the least and the largest coordinate x.
    fn bounds(&self) -> [f64; 2] {
        bounds(self.ends.iter().map(|end| end.x))
    }
}

impl Sheets {
    /// Connects the pieces.
    pub(super) fn connect(
        &mut self,
        pieces: &mut [Piece],
        field: &Field,
        wall: &Wall,
        bend: f64,
        tolerance: f64,
    ) {
        self.sets.reset(pieces.len());
        self.open.clear();
        if pieces.len() > 1 {
            self.by_slot.clear();
            let slots = (0..).zip(&*pieces).map(|(i, piece)| (piece.slot, i));
            self.by_slot.extend(slots);
            self.by_slot.sort_unstable();
            for i in 0..pieces.len() as u32 {
                self.connect_sides(i, pieces, field, wall, bend);
            }
            self.connect_open_sides(pieces, wall, bend, tolerance);
        }
        for (i, piece) in (0..).zip(&mut *pieces) {
            piece.sheet = self.sets.root(i);
        }
        self.order.clear();
        self.order.extend(0..pieces.len() as u32);
        self.order
            .sort_unstable_by_key(|&i| (pieces[i as usize].sheet, pieces[i as usize].ranks));
    }

    /// Connects a piece with its neighbors in the mesh, and collects its sides without a neighbor.
    fn connect_sides(&mut self, i: u32, pieces: &[Piece], field: &Field, wall: &Wall, bend: f64) {
        let piece = &pieces[i as usize];
        let slot = piece.slot;
        for side in wall.index.sides_of(slot) {
            let ends = || wall.index.ends_at(side).map(|x| x - piece.center);
            match wall.index.across(side) {
                Across::None => {
                    let ends = ends();
                    if ends[0] != ends[1] && (piece.is_whole || field.has_part(ends)) {
                        self.open.push(OpenSide { piece: i, ends });
                    }
                }
                // Each edge once.
                Across::One(neighbor) if neighbor < slot => {
                    let found = self
                        .by_slot
                        .binary_search_by_key(&neighbor, |entry| entry.0);
                    let Ok(found) = found else { continue };
                    let j = self.by_slot[found].1;
                    if self.sets.root(i) != self.sets.root(j)
                        && (piece.is_whole || pieces[j as usize].is_whole || field.has_part(ends()))
                        && is_smooth([slot, neighbor], ends(), wall, bend)
                    {
                        self.sets.join(i, j);
                    }
                }
                _ => {}
            }
        }
    }

    /// Connects pieces over sides without a neighbor.
    fn connect_open_sides(&mut self, pieces: &[Piece], wall: &Wall, bend: f64, tolerance: f64) {
        let (sets, open) = (&mut self.sets, &mut self.open);
        open.sort_unstable_by(|a, b| a.bounds()[0].total_cmp(&b.bounds()[0]));
        for (i, a) in open.iter().enumerate() {
            let most = a.bounds()[1] + tolerance;
            let near = open[i + 1..].iter();
            for b in near.take_while(|b| b.bounds()[0] <= most) {
                let slots = [a, b].map(|side| pieces[side.piece as usize].slot);
                if sets.root(a.piece) != sets.root(b.piece)
                    && overlap(a.ends, b.ends, tolerance)
                    && is_smooth(slots, a.ends, wall, bend)
                {
                    sets.join(a.piece, b.piece);
                }
            }
        }
    }
}

/// Returns whether the edge of two facets is convex, or its bend is small. The side of the first facet runs along it.
fn is_smooth(slots: [u32; 2], [from, to]: [DVec3; 2], wall: &Wall, bend: f64) -> bool {
    let [own, other] = slots.map(|slot| wall.index.facet(slot).normal);
    let inward = own.cross(to - from);
    inward.dot(other) <= 0.0 || own.dot(other) >= bend
}

/// Returns whether two sides run in opposite directions along one line, to a tolerance, and have a common part.
fn overlap(first: [DVec3; 2], second: [DVec3; 2], tolerance: f64) -> bool {
    let length = |[a, b]: [DVec3; 2]| a.distance_squared(b);
    let (long, short) = if length(first) >= length(second) {
        (first, second)
    } else {
        (second, first)
    };
    let [from, to] = long;
    let axis = (to - from).normalize_or_zero();
    let is_aside = |x: DVec3| (x - from).reject_from_normalized(axis).length() > tolerance;
    if short.into_iter().any(is_aside) {
        return false;
    }
    let [end, start] = short.map(|x| axis.dot(x - from));
    end.min(axis.dot(to - from)) - start.max(0.0) > tolerance
}
