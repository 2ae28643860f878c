//! Helpers shared by several tests.
#![allow(dead_code, reason = "each test uses a part")]

use osculate::NarrowPhase;

pub(crate) mod bad;
pub(crate) mod convex;
pub(crate) mod families;
pub(crate) mod lattice;
pub(crate) mod lattice_scene;
pub(crate) mod oracle;
pub(crate) mod rational;
pub(crate) mod solids;
pub(crate) mod tets;
pub(crate) mod wall;

/// Returns the number of random cases of a test: `OSCULATE_CASES`, or a number that suits CI.
pub(crate) fn cases(usual: usize) -> usize {
    number("OSCULATE_CASES").unwrap_or(usual)
}

/// Returns `OSCULATE_SEED`, or 0: other seeds give other random cases.
pub(crate) fn seed() -> usize {
    number("OSCULATE_SEED").unwrap_or(0)
}

/// Returns the contacts of two bodies, from a new state.
pub(crate) fn all_contacts<A, B, K>(kernel: &mut K, a: &A, b: &B) -> Vec<K::Contact>
where
    K: NarrowPhase<A, B>,
{
    let mut found = Vec::new();
    kernel.for_each_contact(a, b, &mut K::State::default(), |contact| {
        found.push(contact)
    });
    found
}

/// Runs a function on pools of 1, 2, 3 and 8 threads.
#[cfg(feature = "rayon")]
pub(crate) fn on_threads(mut run: impl FnMut(usize) + Send) {
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| run(threads));
    }
}

/// Returns what is read from the text of a value.
#[cfg(feature = "serde")]
pub(crate) fn read_back<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

fn number(variable: &str) -> Option<usize> {
    std::env::var(variable).ok()?.parse().ok()
}
