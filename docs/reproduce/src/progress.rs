//! A progress bar for the long examples.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar over `steps` on stderr, hidden unless stderr is a terminal.
pub fn bar(steps: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len}, {eta} left {msg}");
    ProgressBar::new(steps).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
