//! The widest vector instructions of the processor, for loops that compilers turn into them.

/// Arithmetic on many numbers at once.
pub(crate) trait Wide {
    type Output;

    /// Runs it. `#[inline(always)]` in each implementation, so that it uses the instructions of the caller.
    fn run(self) -> Self::Output;
}

/// Runs arithmetic with the widest vectors of the processor.
///
/// The result is the same with all of them: a product and a sum are two roundings everywhere.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn run_wide<W: Wide>(task: W) -> W::Output {
    #[cfg(all(target_arch = "x86_64", not(osculate_simd = "none")))]
    {
        #[target_feature(enable = "avx2")]
        fn with_avx2<W: Wide>(task: W) -> W::Output {
            task.run()
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            return unsafe { with_avx2(task) };
        }
    }
    task.run()
}
