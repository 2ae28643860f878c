//! Radii of the examples.

#![allow(dead_code, unreachable_pub, reason = "each program uses a part")]

/// Returns radii in [1, `size_ratio`] with a number density of r^`exponent`, in ascending order.
///
/// They are the quantiles at (i + 1/2) / `count`.
pub fn power_law_radii(count: usize, exponent: f64, size_ratio: f64) -> Vec<f64> {
    // F(r) = (r^p - 1) / (size_ratio^p - 1), which tends to ln r / ln size_ratio.
    let p = 1.0 + exponent;
    let all = (p * size_ratio.ln()).exp_m1();
    let quantile = |u: f64| match p {
        0.0 => size_ratio.powf(u),
        _ => ((u * all).ln_1p() / p).exp(),
    };
    let quantiles = (0..count).map(|i| quantile((i as f64 + 0.5) / count as f64));
    quantiles.map(|r| r.max(1.0).min(size_ratio)).collect()
}
