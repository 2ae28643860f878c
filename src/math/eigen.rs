use glam::{DMat3, DVec3};

/// Sweeps of the Jacobi method. It converges quadratically: five are enough for 53 bits.
const SWEEPS: usize = 8;

/// Returns the eigenvalues of a symmetric matrix, and unit eigenvectors as the columns of a matrix.
///
/// By the cyclic Jacobi method: each rotation makes one element off the diagonal 0. The eigenvectors are
/// orthogonal to rounding.
pub(crate) fn symmetric_eigen(mut matrix: DMat3) -> (DVec3, DMat3) {
    let mut axes = DMat3::IDENTITY;
    for (p, q) in [(0, 1), (0, 2), (1, 2)]
        .into_iter()
        .cycle()
        .take(3 * SWEEPS)
    {
        let off = matrix.col(q)[p];
        if off == 0.0 {
            continue;
        }
        // The smaller root of t^2 + 2 t h - 1 = 0, t the tangent of the angle.
        let h = (matrix.col(q)[q] - matrix.col(p)[p]) / (2.0 * off);
        let tangent = 1.0_f64.copysign(h) / (h.abs() + h.hypot(1.0));
        let cosine = 1.0 / tangent.hypot(1.0);
        let sine = tangent * cosine;
        let mut rotation = DMat3::IDENTITY;
        rotation.col_mut(p)[p] = cosine;
        rotation.col_mut(q)[q] = cosine;
        rotation.col_mut(q)[p] = sine;
        rotation.col_mut(p)[q] = -sine;
        matrix = rotation.transpose() * matrix * rotation;
        axes *= rotation;
    }
    (DVec3::from_array([0, 1, 2].map(|i| matrix.col(i)[i])), axes)
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
            let (values, axes) = symmetric_eigen(matrix);
            for i in 0..3 {
                let error = matrix * axes.col(i) - axes.col(i) * values[i];
                assert!(error.length() < 1e-14, "{matrix} {error}");
                for j in 0..3 {
                    let expected = f64::from(i == j);
                    assert!((axes.col(i).dot(axes.col(j)) - expected).abs() < 1e-14);
                }
            }
        }
    }
}
