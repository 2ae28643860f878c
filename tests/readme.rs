//! What the README offers for pasting is a test, and this one. (Its other examples are doctests.)

#[path = "support/readme.rs"]
#[rustfmt::skip]
mod pasted;

#[test]
fn readme_has_the_test_above() {
    let readme = include_str!("../README.md");
    assert!(readme.contains(include_str!("support/readme.rs")));
}
