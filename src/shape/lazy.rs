use std::sync::{Arc, OnceLock};

/// A value computed at its first use, and then shared by clones. Comparisons ignore it.
#[derive(Clone, Debug)]
pub(crate) struct Lazy<T>(OnceLock<Arc<T>>);

impl<T> Lazy<T> {
    pub(crate) fn get_or_init(&self, build: impl FnOnce() -> T) -> &T {
        self.0.get_or_init(|| Arc::new(build()))
    }
}

impl<T> Default for Lazy<T> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<T> PartialEq for Lazy<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
