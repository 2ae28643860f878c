//! The planes of the faces of a convex polyhedron, in groups for vector instructions.

use glam::DVec3;

use super::boundary::Face;
use crate::math::{Wide, run_wide};

/// Planes of faces. One of them is repeated to fill the last group.
#[derive(Clone, Debug, Default)]
pub(crate) struct FacePlanes {
    /// The planes, if there are few.
    pairs: Vec<Planes<2>>,
    /// The planes otherwise: wide vector instructions take less time from about ten faces on.
    eights: Vec<Planes<8>>,
}

/// Planes of faces: x, y, z of the normals, and the offsets.
type Planes<const N: usize> = [[f64; N]; 4];

/// The values of faces at three points, and the largest for each face.
#[derive(Clone, Debug, Default)]
pub(crate) struct CornerValues {
    pub(crate) of: [Vec<f64>; 3],
    pub(crate) tops: Vec<f64>,
}

impl FacePlanes {
    const FEW: usize = 8;

    pub(super) fn new(faces: &[Face]) -> Self {
        let is_small = faces.len() <= Self::FEW;
        Self {
            pairs: groups(if is_small { faces } else { &[] }),
            eights: groups(if is_small { &[] } else { faces }),
        }
    }

    /// Replaces the planes by those of some faces. In the last group the first face is repeated.
    pub(crate) fn set<'a>(&mut self, faces: impl Iterator<Item = &'a Face>) {
        self.pairs.clear();
        self.eights.clear();
        for (i, face) in faces.enumerate() {
            let plane = [face.normal.x, face.normal.y, face.normal.z, face.offset];
            match (i % 8, self.eights.last_mut()) {
                (1.., Some(group)) => {
                    for (numbers, number) in group.iter_mut().zip(plane) {
                        numbers[i % 8] = number;
                    }
                }
                _ => self.eights.push(plane.map(|number| [number; 8])),
            }
        }
    }

    /// Computes `normal . x - offset` for all faces and returns the largest. The last face is repeated to fill groups
    /// of two or eight.
    #[inline]
    pub(crate) fn values(&self, at: DVec3, values: &mut Vec<f64>) -> f64 {
        if self.pairs.is_empty() {
            values_of(&self.eights, at, values)
        } else {
            values_of(&self.pairs, at, values)
        }
    }

    /// Computes for each face the largest value of `normal . x - offset` at some points, with the last face repeated as
    /// in [`values`](Self::values), and returns the largest of the least values: `Ok(-depth)` if no point of the hull of
    /// the points is deeper. Returns `Err(face)` for the first face that has all points in front by `enough`.
    #[inline]
    pub(crate) fn tops(
        &self,
        at: &[DVec3],
        enough: f64,
        tops: &mut Vec<f64>,
    ) -> Result<f64, usize> {
        if self.pairs.is_empty() {
            tops_of(&self.eights, at, enough, tops)
        } else {
            tops_of(&self.pairs, at, enough, tops)
        }
    }

    /// As [`tops`](Self::tops) for three points, with all values and `enough` = 0.
    #[inline]
    pub(crate) fn values_at_corners(
        &self,
        at: &[DVec3; 3],
        values: &mut CornerValues,
    ) -> Result<f64, usize> {
        if self.pairs.is_empty() {
            run_wide(AtCorners(&self.eights, at, values))
        } else {
            AtCorners(&self.pairs, at, values).run()
        }
    }
}

/// Returns `normal . x - offset` for planes.
#[inline(always)]
fn heights<const N: usize>([x, y, z, offset]: &Planes<N>, at: DVec3) -> [f64; N] {
    // An array by itself, which compilers turn into vector instructions.
    let mut heights = [0.0; N];
    for k in 0..N {
        heights[k] = x[k] * at.x + y[k] * at.y + z[k] * at.z - offset[k];
    }
    heights
}

/// Keeps the smaller of two numbers each, of which the first is not NaN.
#[inline(always)]
fn keep_smaller<const N: usize>(least: &mut [f64; N], values: &[f64; N]) {
    for k in 0..N {
        least[k] = if values[k] < least[k] {
            values[k]
        } else {
            least[k]
        };
    }
}

/// Keeps the larger of two numbers each, of which the first is not NaN.
#[inline(always)]
fn keep_larger<const N: usize>(most: &mut [f64; N], values: &[f64; N]) {
    for k in 0..N {
        most[k] = if values[k] > most[k] {
            values[k]
        } else {
            most[k]
        };
    }
}

/// Returns the first plane that has all points in front by `enough`.
#[inline(always)]
fn first_in_front<const N: usize>(least: &[f64; N], enough: f64) -> Option<usize> {
    let is_in_front = |&least: &f64| least >= enough;
    let is_any = least.iter().any(is_in_front);
    is_any.then(|| least.iter().position(is_in_front))?
}

/// As [`FacePlanes::values`], for planes.
#[inline]
fn values_of<const N: usize>(planes: &[Planes<N>], at: DVec3, values: &mut Vec<f64>) -> f64 {
    values.resize(N * planes.len(), 0.0);
    let mut most = [f64::NEG_INFINITY; N];
    for (planes, values) in planes.iter().zip(values.as_chunks_mut::<N>().0) {
        *values = heights(planes, at);
        keep_larger(&mut most, values);
    }
    most.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

/// As [`FacePlanes::tops`], for planes.
fn tops_of<const N: usize>(
    planes: &[Planes<N>],
    at: &[DVec3],
    enough: f64,
    tops: &mut Vec<f64>,
) -> Result<f64, usize> {
    tops.resize(N * planes.len(), 0.0);
    let mut bound = [f64::NEG_INFINITY; N];
    let groups = planes.iter().zip(tops.as_chunks_mut::<N>().0);
    for (i, (planes, tops)) in groups.enumerate() {
        let mut least = [f64::INFINITY; N];
        *tops = [f64::NEG_INFINITY; N];
        for &at in at {
            let values = heights(planes, at);
            keep_smaller(&mut least, &values);
            keep_larger(tops, &values);
        }
        if let Some(k) = first_in_front(&least, enough) {
            return Err(N * i + k);
        }
        keep_larger(&mut bound, &least);
    }
    Ok(bound.into_iter().fold(f64::NEG_INFINITY, f64::max))
}

/// [`FacePlanes::values_at_corners`], for planes.
struct AtCorners<'a, const N: usize>(&'a [Planes<N>], &'a [DVec3; 3], &'a mut CornerValues);

impl<const N: usize> Wide for AtCorners<'_, N> {
    type Output = Result<f64, usize>;

    #[inline(always)]
    fn run(self) -> Result<f64, usize> {
        let Self(
            planes,
            at,
            CornerValues {
                of: [a, b, c],
                tops,
            },
        ) = self;
        let count = N * planes.len();
        if (c.len(), tops.len()) != (count, count) {
            for values in [&mut *a, b, c, tops] {
                values.resize(count, 0.0);
            }
        }
        let [a, b, c] = [a, b, c].map(|values| values.as_chunks_mut::<N>().0);
        let mut bound = [f64::NEG_INFINITY; N];
        let groups = planes
            .iter()
            .zip(a)
            .zip(b)
            .zip(c)
            .zip(tops.as_chunks_mut::<N>().0);
        for (i, ((((planes, a), b), c), tops)) in groups.enumerate() {
            let at_a = heights(planes, at[0]);
            let at_b = heights(planes, at[1]);
            let at_c = heights(planes, at[2]);
            let (mut least, mut most) = (at_a, at_a);
            for values in [&at_b, &at_c] {
                keep_smaller(&mut least, values);
                keep_larger(&mut most, values);
            }
            if let Some(k) = first_in_front(&least, 0.0) {
                return Err(N * i + k);
            }
            (*a, *b, *c, *tops) = (at_a, at_b, at_c, most);
            keep_larger(&mut bound, &least);
        }
        Ok(bound.into_iter().fold(f64::NEG_INFINITY, f64::max))
    }
}

/// Returns the planes of faces in groups of `N`; the last face is repeated to fill its group.
fn groups<const N: usize>(faces: &[Face]) -> Vec<Planes<N>> {
    let some = |faces: &[Face]| {
        let of: [Face; N] = std::array::from_fn(|k| faces[k.min(faces.len() - 1)]);
        let normal = |axis: usize| of.map(|face| face.normal[axis]);
        [normal(0), normal(1), normal(2), of.map(|face| face.offset)]
    };
    faces.chunks(N).map(some).collect()
}
