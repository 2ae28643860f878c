//! Which pieces of a wall belong to the same contact.

use glam::DVec3;

use super::field::Field;
use super::wall::{Piece, View};
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
    /// The pieces in ascending order of their places.
    by_place: Vec<((u32, u32), u32)>,
    /// Each piece after the first one of its sheet, sheet by sheet.
    by_sheet: Vec<(u32, u32)>,
    /// Sides without a neighbor that have a part inside the body.
    open: Vec<OpenSide>,
}

/// A side without a neighbor in the mesh, in the frame of the body.
#[derive(Clone, Copy, Debug)]
struct OpenSide {
    piece: u32,
    ends: [DVec3; 2],
    least: f64,
    most: f64,
}

impl Sheets {
    /// Connects the pieces.
    pub(super) fn connect(&mut self, pieces: &[Piece], field: &Field, view: &View, bend: f64) {
        self.sets.reset(pieces.len());
        if pieces.len() > 1 {
            self.connect_some(pieces, field, view, bend);
        }
        self.by_sheet.clear();
        let sheets = (0..pieces.len() as u32).map(|i| (self.sets.root(i), i));
        self.by_sheet.extend(sheets);
        self.by_sheet.sort_unstable();
    }

    /// Returns the pieces, sheet by sheet: the first piece of the sheet, and the piece.
    pub(super) fn pieces(&self) -> &[(u32, u32)] {
        &self.by_sheet
    }

    fn connect_some(&mut self, pieces: &[Piece], field: &Field, view: &View, bend: f64) {
        self.open.clear();
        self.by_place.clear();
        self.by_place
            .extend((0..).zip(pieces).map(|(i, piece)| (piece.place, i)));
        self.by_place.sort_unstable();
        for (i, piece) in (0..).zip(pieces) {
            self.connect_sides(i, piece, pieces, field, view, bend);
        }
        self.open
            .sort_unstable_by(|a, b| a.least.total_cmp(&b.least));
        for (i, a) in self.open.iter().enumerate() {
            let near = self.open[i + 1..].iter();
            for b in near.take_while(|b| b.least <= a.most + view.tolerance) {
                let [p, q] = [a, b].map(|side| pieces[side.piece as usize]);
                let along = a.ends[1] - a.ends[0];
                if self.sets.root(a.piece) != self.sets.root(b.piece)
                    && overlap(a.ends, b.ends, view.tolerance)
                    && is_smooth([p.normal, q.normal], along, bend)
                {
                    self.sets.join(a.piece, b.piece);
                }
            }
        }
    }

    /// Connects a piece with its neighbors in the mesh, and collects its sides without a neighbor.
    fn connect_sides(
        &mut self,
        i: u32,
        piece: &Piece,
        pieces: &[Piece],
        field: &Field,
        view: &View,
        bend: f64,
    ) {
        let (image, slot) = piece.place;
        let wall = view.wall;
        for side in 0..wall.side_count_in(slot) {
            let ends = || wall.ends_in((slot, side)).map(|x| view.place(image, x));
            match wall.across((slot, side)) {
                None => {}
                Some(None) => {
                    let ends = ends();
                    if ends[0] != ends[1] && (piece.is_whole || field.has_part(ends)) {
                        let [x, y] = ends.map(|end| end.x);
                        let (least, most) = (x.min(y), x.max(y));
                        self.open.push(OpenSide {
                            piece: i,
                            ends,
                            least,
                            most,
                        });
                    }
                }
                Some(Some(neighbor)) => {
                    let place = (image, neighbor);
                    let found = self.by_place.binary_search_by_key(&place, |entry| entry.0);
                    let Ok(j) = found.map(|k| self.by_place[k].1) else {
                        continue;
                    };
                    // Each edge once.
                    if j < i && self.sets.root(i) != self.sets.root(j) {
                        let other = &pieces[j as usize];
                        let ends = ends();
                        if (piece.is_whole || other.is_whole || field.has_part(ends))
                            && is_smooth([piece.normal, other.normal], ends[1] - ends[0], bend)
                        {
                            self.sets.join(i, j);
                        }
                    }
                }
            }
        }
    }
}

/// Returns whether an edge is convex, or its bend is small. The side of the first facet runs along the edge.
fn is_smooth([own, other]: [DVec3; 2], along: DVec3, bend: f64) -> bool {
    let inward = own.cross(along);
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
