//! Loads ahead of use.

/// Starts to load a value into the caches, on processors with an instruction for it. It changes no result.
///
/// Use it where addresses are known long before the values are needed. Otherwise each cache miss waits for the one before.
#[inline]
#[allow(unsafe_code)]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..size_of::<T>()).step_by(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the address is within the value, all processors of this target have SSE, and a prefetch has no effect
        // on memory.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast::<i8>().add(line)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
