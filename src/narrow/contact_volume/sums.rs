use glam::DVec3;

/// Sums over the segments of a curve, in any order: with `a` and `b` the ends of a segment,
/// relative to an origin near the curve, `D = b - a` and `S_i = a x b / 2`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    /// 6 V.
    pub(super) volume: f64,
    /// 2 S.
    pub(super) area: DVec3,
    /// -6 G.
    moment: DVec3,
    /// For the contact point: D x 2 S_i, D D^T (three columns), D^2 and the middle, each by |D|,
    /// so that it does not matter how the curve is cut.
    swept: DVec3,
    tensor: [DVec3; 3],
    pub(super) length: f64,
    middle: DVec3,
}

/// What is known of a contact in its common frame, relative to the origin of the sums.
pub(super) struct Gradient {
    pub(super) area: DVec3,
    pub(super) moment: DVec3,
    pub(super) point: DVec3,
}

impl Sums {
    #[inline]
    pub(super) fn add_segment(&mut self, a: DVec3, b: DVec3) {
        let d = b - a;
        let swept = a.cross(d);
        self.area += swept;
        self.moment += d * (a.length_squared() + a.dot(b) + b.length_squared());
        let length = d.length();
        if length > 0.0 {
            let unit = d * (1.0 / length);
            self.swept += unit.cross(swept);
            for axis in 0..3 {
                self.tensor[axis] += d * unit[axis];
            }
            self.length += length;
            self.middle += (a + b) * (0.5 * length);
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.volume += other.volume;
        self.area += other.area;
        self.moment += other.moment;
        self.swept += other.swept;
        for axis in 0..3 {
            self.tensor[axis] += other.tensor[axis];
        }
        self.length += other.length;
        self.middle += other.middle;
    }

    /// S, G and the contact point (equation 77, corrected).
    pub(super) fn gradient(&self) -> Gradient {
        let (area, moment) = (self.area * 0.5, self.moment * (-1.0 / 6.0));
        let squared = area.length_squared();
        let mut point = if self.length > 0.0 {
            self.middle * (1.0 / self.length)
        } else {
            DVec3::ZERO
        };
        if squared > 0.0 {
            let axis = area.cross(moment) * (1.0 / squared);
            let n = area * (1.0 / squared.sqrt());
            // D_n D summed is the tensor times n.
            let [x, y, z] = self.tensor;
            let along = x * n.x + y * n.y + z * n.z;
            let below = self.length - n.dot(along);
            let above = n.dot(self.swept) - axis.dot(n * self.length - along);
            let lambda = if below > 0.0 {
                above / below
            } else {
                n.dot(point)
            };
            point = axis + n * lambda;
        }
        Gradient {
            area,
            moment,
            point,
        }
    }
}
