//! Integrals over the part of a disc beyond a chord, by the angle at the center of the disc.
//!
//! A sector minus a triangle, or a cap minus a pyramid, loses all digits where the part is thin. A quadrature loses
//! none: its integrand vanishes at the rim without cancellation.

use crate::math::angle;

/// Half-lengths below this part of the distance to the nearest pole are integrated with ten nodes. The error of the
/// Gauss-Legendre rule is then (3 + sqrt 8)^-20 = 2^-50.
const SHORT: f64 = 1.0 / 3.0;
/// The same with four nodes: 128^-8 = 2^-56.
const TINY: f64 = 1.0 / 64.0;

const FOUR: [(f64, f64); 2] = [
    (0.339_981_043_584_856_26, 0.652_145_154_862_546_1),
    (0.861_136_311_594_052_6, 0.347_854_845_137_453_85),
];
const TEN: [(f64, f64); 5] = [
    (0.148_874_338_981_631_22, 0.295_524_224_714_752_9),
    (0.433_395_394_129_247_2, 0.269_266_719_309_996_35),
    (0.679_409_568_299_024_4, 0.219_086_362_515_982_04),
    (0.865_063_366_688_984_5, 0.149_451_349_150_580_6),
    (0.973_906_528_517_171_7, 0.066_671_344_308_688_14),
];

/// A part of a line that passes the center of a disc at the distance `height`, positive if the center is
/// on its left. Positions along the line are relative to the projection of the center.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub(super) height: f64,
    pub(super) from: f64,
    pub(super) to: f64,
}

impl Stretch {
    pub(super) fn length(&self) -> f64 {
        self.to - self.from
    }

    /// Returns the part with a squared distance from the projection of at most `half_squared`.
    pub(super) fn within(&self, half_squared: f64) -> Option<Self> {
        let half = half_squared.max(0.0).sqrt();
        let (from, to) = (self.from.max(-half), self.to.min(half));
        (from < to).then_some(Self { from, to, ..*self })
    }

    /// Returns the angle at the center.
    pub(super) fn angle(&self) -> f64 {
        let cosine = self.height * self.height + self.from * self.to;
        angle(self.height * self.length(), cosine)
    }

    /// Returns the squared distance of the middle from the center.
    pub(super) fn distance_squared(&self) -> f64 {
        let middle = 0.5 * (self.from + self.to);
        self.height * self.height + middle * middle
    }

    /// Returns whether functions without a pole closer to the middle can be [integrated](Self::integral).
    pub(super) fn is_short(&self, pole_squared: f64) -> bool {
        self.is_shorter(SHORT, pole_squared)
    }

    fn is_shorter(&self, part: f64, pole_squared: f64) -> bool {
        let half = 0.5 * self.length();
        half * half <= part * part * pole_squared
    }

    /// Returns the integrals of two functions along a [short](Self::is_short) stretch.
    #[inline]
    pub(super) fn integral(
        &self,
        pole_squared: f64,
        function: impl Fn(f64) -> [f64; 2],
    ) -> [f64; 2] {
        let is_tiny = self.is_shorter(TINY, pole_squared);
        let nodes: &[(f64, f64)] = if is_tiny { &FOUR } else { &TEN };
        let (middle, half) = (0.5 * (self.from + self.to), 0.5 * self.length());
        let sum = nodes.iter().fold([0.0; 2], |sum, &(node, weight)| {
            let (low, high) = (
                function(middle - half * node),
                function(middle + half * node),
            );
            [0, 1].map(|k| sum[k] + weight * (low[k] + high[k]))
        });
        sum.map(|sum| sum * half)
    }
}

/// Returns the area between a stretch of a chord and the rim of its disc, within their common angle at the center. It
/// is positive if the center is on the left.
pub(super) fn area_beyond(chord: &Stretch, radius: f64, half_squared: f64) -> f64 {
    let pole_squared = chord.distance_squared();
    if chord.is_short(pole_squared) {
        let height = chord.height;
        let area = |x: f64| 0.5 * (half_squared - x * x) * height / (height * height + x * x);
        chord.integral(pole_squared, |x| [area(x), 0.0])[0]
    } else {
        0.5 * (radius * radius * chord.angle() - chord.height * chord.length())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The integrals of polynomials, and a thin segment by its series.
    #[test]
    fn rules_and_a_thin_segment() {
        let stretch = Stretch {
            height: 1.0,
            from: -0.25,
            to: 0.75,
        };
        for (pole, power) in [(9.0, 18), (9e9, 6)] {
            let [found, area] = stretch.integral(pole, |x| [x.powi(power), 1.0]);
            let exact = |x: f64| x.powi(power + 1) / f64::from(power + 1);
            assert!(
                (found - exact(0.75) + exact(-0.25)).abs() < 1e-16 && (area - 1.0).abs() < 1e-15
            );
        }
        // (2 t - sin 2 t) / 2 = (2 t)^3 / 12 - (2 t)^5 / 240 at the half angle t.
        for exponent in 5..30 {
            let t = 2.0_f64.powi(-exponent);
            let (height, half) = (t.cos(), t.sin());
            let chord = Stretch {
                height,
                from: -half,
                to: half,
            };
            let angle = 2.0 * t;
            let exact = angle.powi(3) / 12.0 - angle.powi(5) / 240.0 + angle.powi(7) / 10080.0
                - angle.powi(9) / 725_760.0;
            let found = area_beyond(&chord, 1.0, half * half);
            assert!((found / exact - 1.0).abs() < 1e-14, "{t} {found} {exact}");
        }
    }
}
