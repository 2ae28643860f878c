//! Work in chunks, by one thread or, with the feature `rayon`, by several.

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

pub(crate) struct Team {
    #[cfg(feature = "rayon")]
    pool: Option<rayon::ThreadPool>,
}

impl Team {
    pub(crate) fn new(threads: usize) -> Result<Self> {
        #[cfg(feature = "rayon")]
        if threads > 1 {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()?;
            return Ok(Self { pool: Some(pool) });
        }
        if threads != 1 {
            return Err(format!("{threads} threads need the feature rayon").into());
        }
        Ok(Self {
            #[cfg(feature = "rayon")]
            pool: None,
        })
    }

    /// Does the work on each chunk, which comes with its index.
    pub(crate) fn each<T: Send>(&self, parts: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
        #[cfg(feature = "rayon")]
        if let Some(pool) = &self.pool {
            use rayon::prelude::*;
            pool.install(|| {
                let parts = parts.par_iter_mut().enumerate();
                parts.for_each(|(i, part)| work(i, part));
            });
            return;
        }
        for (i, part) in parts.iter_mut().enumerate() {
            work(i, part);
        }
    }
}
