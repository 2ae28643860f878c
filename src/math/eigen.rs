use crate::math::tolerance::two_to;
use glam::{DMat3, DVec3};

/// An off-diagonal entry of an inertia tensor below this part of the trace is 0 to rounding: 32 u.
const INERTIA_PRODUCT: f64 = two_to(-48);

/// Returns the eigenvalues of a symmetric matrix, and its eigenvectors as a rotation, by Jacobi's method.
///
/// Each rotation by an angle of at most 45 degrees sets an entry to 0. The entries beside the diagonal
/// decrease quadratically. Those within rounding count as 0, so that a cube keeps its axes.
pub(crate) fn diagonalized(matrix: DMat3) -> (DVec3, DMat3) {
    const MOST_SWEEPS: usize = 16;
    let [mut m, mut axes] = [matrix, DMat3::IDENTITY].map(|m| m.to_cols_array_2d());
    let trace = m[0][0] + m[1][1] + m[2][2];
    let rounding = INERTIA_PRODUCT * trace.abs();
    for _ in 0..MOST_SWEEPS {
        for [i, j, k] in [[0, 1, 2], [0, 2, 1], [1, 2, 0]] {
            if m[i][j].abs() <= rounding {
                continue;
            }
            let cotangent = (m[j][j] - m[i][i]) / (2.0 * m[i][j]);
            let root = (1.0 + cotangent * cotangent).sqrt();
            let tangent = 1.0_f64.copysign(cotangent) / (cotangent.abs() + root);
            let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
            let sine = tangent * cosine;
            // Rutishauser's form: a small rotation changes little, with small errors.
            let half = sine / (1.0 + cosine);
            let rotated = |a: f64, b: f64| (a - sine * (b + half * a), b + sine * (a - half * b));
            let change = tangent * m[i][j];
            m[i][i] -= change;
            m[j][j] += change;
            (m[i][j], m[j][i]) = (0.0, 0.0);
            (m[i][k], m[j][k]) = rotated(m[i][k], m[j][k]);
            (m[k][i], m[k][j]) = (m[i][k], m[j][k]);
            for axis in 0..3 {
                (axes[i][axis], axes[j][axis]) = rotated(axes[i][axis], axes[j][axis]);
            }
        }
    }
    let moments = DVec3::new(m[0][0], m[1][1], m[2][2]);
    (moments, DMat3::from_cols_array_2d(&axes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::workload::SplitMix64;

    #[test]
    fn eigenvectors_of_random_matrices() {
        let mut random = SplitMix64::new(5);
        for case in 0..2000 {
            let mut number = || random.range(-1.0, 1.0);
            let [a, b, c, d, e, f] = [(); 6].map(|()| number());
            // Also of rank one and two, and with equal eigenvalues.
            let v = DVec3::new(a, b, c);
            let outer = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
            let w = DVec3::new(d, e, f);
            let matrix = match case % 4 {
                0 => outer(v),
                1 => outer(v) + outer(w),
                2 => outer(v) + DMat3::IDENTITY,
                _ => DMat3::from_cols(v, DVec3::new(b, d, e), DVec3::new(c, e, f)),
            };
            let (values, axes) = diagonalized(matrix);
            for i in 0..3 {
                let error = matrix * axes.col(i) - axes.col(i) * values[i];
                assert!(error.length() < 4e-14, "{matrix} {error}");
                for j in 0..3 {
                    let expected = f64::from(i == j);
                    assert!((axes.col(i).dot(axes.col(j)) - expected).abs() < 1e-14);
                }
            }
        }
    }
}
