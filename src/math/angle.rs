/// Returns the angle of the vector `(x, y)`, within ±pi, to about one ulp.
///
/// Computes `f64::atan2`, but with the same bits on all platforms. The reduction and the polynomial
/// come from fdlibm (Sun Microsystems, 1993).
pub(crate) fn angle(y: f64, x: f64) -> f64 {
    /// Pi minus the double nearest to it.
    const PI_LOW: f64 = 1.224_646_799_147_353_2e-16;
    if y == 0.0 && x == 0.0 {
        return 0.0;
    }
    let acute = arc_tangent((y / x).abs());
    let angle = if x < 0.0 {
        std::f64::consts::PI - (acute - PI_LOW)
    } else {
        acute
    };
    angle.copysign(y)
}

/// Returns the arc tangent of a number that is not negative.
fn arc_tangent(x: f64) -> f64 {
    const EVEN: [f64; 6] = [
        3.333_333_333_333_293e-1,
        1.428_571_427_250_346_6e-1,
        9.090_887_133_436_507e-2,
        6.661_073_137_387_531e-2,
        4.976_877_994_615_932e-2,
        1.628_582_011_536_578_2e-2,
    ];
    const ODD: [f64; 5] = [
        -1.999_999_999_987_648_3e-1,
        -1.111_111_040_546_235_6e-1,
        -7.691_876_205_044_83e-2,
        -5.833_570_133_790_573_5e-2,
        -3.653_157_274_421_691_5e-2,
    ];
    // The arc tangents of 0, 1/2, 1, 3/2 and infinity, each as a rounded number and the rest.
    let (high, low, t) = if x < 0.4375 {
        (0.0, 0.0, x)
    } else if x < 0.6875 {
        let t = (2.0 * x - 1.0) / (2.0 + x);
        (4.636_476_090_008_061e-1, 2.269_877_745_296_168_7e-17, t)
    } else if x < 1.1875 {
        let t = (x - 1.0) / (x + 1.0);
        (std::f64::consts::FRAC_PI_4, 3.061_616_997_868_383e-17, t)
    } else if x < 2.4375 {
        let t = (x - 1.5) / (1.0 + 1.5 * x);
        (9.827_937_232_473_29e-1, 1.390_331_103_123_099_8e-17, t)
    } else {
        let low = 6.123_233_995_736_766e-17;
        (std::f64::consts::FRAC_PI_2, low, -1.0 / x)
    };
    let square = t * t;
    let fourth = square * square;
    let sum = |terms: &[f64]| {
        terms
            .iter()
            .rev()
            .fold(0.0, |sum, term| sum * fourth + term)
    };
    let rest = t * (square * sum(&EVEN) + fourth * sum(&ODD));
    high - ((rest - low) - t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::workload::SplitMix64;

    /// As the platform's, to two ulps, in all quadrants, at all sizes, and at zeros and infinities.
    #[test]
    fn angles_of_the_platform() {
        let mut random = SplitMix64::new(1);
        let special = [0.0, -0.0, 1.0, -1.0, 1e-300, f64::INFINITY];
        for round in 0..100_000 {
            let mut number = || {
                let size = 2.0_f64.powi([0, 3, 40, -40][round % 4]);
                random.range(-size, size)
            };
            let (mut y, mut x) = (number(), number());
            if round % 10 == 0 {
                (y, x) = (special[round / 10 % 6], special[round / 60 % 6]);
            }
            if (x == 0.0 && y == 0.0) || (x.is_infinite() && y.is_infinite()) {
                continue;
            }
            let (found, expected) = (angle(y, x), y.atan2(x));
            let error = (found - expected).abs();
            assert!(
                error <= 2.0 * f64::EPSILON * expected.abs(),
                "{y:e} {x:e} {found} {expected}"
            );
            assert_eq!(found.is_sign_negative(), expected.is_sign_negative());
        }
        assert_eq!(angle(0.0, 0.0), 0.0);
    }
}
