use glam::DVec3;

use crate::shape::Face;

/// The planes of faces by component, so that several are evaluated at a time.
#[derive(Clone, Debug, Default)]
pub(super) struct Planes {
    normals: [Vec<f64>; 3],
    offsets: Vec<f64>,
}

impl Planes {
    pub(super) fn len(&self) -> usize {
        self.offsets.len()
    }

    pub(super) fn clear(&mut self) {
        self.normals.iter_mut().for_each(Vec::clear);
        self.offsets.clear();
    }

    pub(super) fn push(&mut self, face: &Face) {
        for (axis, components) in self.normals.iter_mut().enumerate() {
            components.push(face.normal[axis]);
        }
        self.offsets.push(face.offset);
    }

    pub(super) fn set(&mut self, faces: &[Face]) {
        self.clear();
        faces.iter().for_each(|face| self.push(face));
    }

    pub(super) fn normal(&self, i: usize) -> DVec3 {
        DVec3::from_array(self.normals.each_ref().map(|components| components[i]))
    }

    pub(super) fn offset(&self, i: usize) -> f64 {
        self.offsets[i]
    }

    /// Sets `values` to `normal . x - offset` for all planes. Returns the first with the largest.
    pub(super) fn largest(&self, point: DVec3, values: &mut Vec<f64>) -> (usize, f64) {
        let [x, y, z] = &self.normals;
        let terms = x.iter().zip(y).zip(z.iter().zip(&self.offsets));
        values.clear();
        values.extend(
            terms.map(|((x, y), (z, offset))| x * point.x + y * point.y + z * point.z - offset),
        );
        let larger = |a: f64, b: f64| if b > a { b } else { a };
        // Four maxima at a time.
        let (fours, rest) = values.as_chunks::<4>();
        let mut maxima = [f64::NEG_INFINITY; 4];
        for four in fours {
            for (maximum, &value) in maxima.iter_mut().zip(four) {
                *maximum = larger(*maximum, value);
            }
        }
        let maximum = maxima.iter().chain(rest).copied();
        let maximum = maximum.fold(f64::NEG_INFINITY, larger);
        let first = values.iter().position(|value| *value == maximum);
        (first.unwrap_or(0), maximum)
    }
}
