//! How to use the crate, a page for each task.
//!
#![doc = include_str!("guide_links.md")]
#![doc = include_str!("../docs/guide/README.md")]

/// A page, which is also a file of the repository with the definitions of its links at its end.
///
/// Here the earlier definitions win: those of `guide_links.md` lead to items, those in `docs/figures/embedded` contain the
/// figures.
macro_rules! page {
    ($name:ident $($figure:literal)*) => {
        #[doc = include_str!("guide_links.md")]
        $(#[cfg_attr(doc, doc = include_str!(concat!("../docs/figures/embedded/", $figure, ".md")))])*
        #[doc = include_str!(concat!("../docs/guide/", stringify!($name), ".md"))]
        pub mod $name {}
    };
}

page!(simulation);
page!(neighbors "guide-grid");
page!(walls "guide-walls");
page!(common_plane "guide-common-plane");
page!(stacks "guide-pressure" "guide-piles" "guide-ridge" "guide-heap");
page!(impulses);
page!(contact_volume "guide-contact-area" "guide-contact-curve");
page!(pairs);
page!(compound);
page!(periodic "guide-periodic");
page!(history "guide-skin");
page!(embedding);
page!(degenerate);
page!(tuning);
page!(own_kernels);
page!(gallery "gallery-hopper" "gallery-blocks" "gallery-piles" "gallery-drum"
    "gallery-mixer" "gallery-mill" "gallery-fruit" "gallery-terrain");
