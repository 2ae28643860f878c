//! The linked lists of single updates: lengths that are too large to count, and crowded lists.

use super::super::lists::CellLists;
use super::*;

/// A list stops counting at 65,535 bodies; it still holds all of them.
#[test]
fn lists_that_stop_counting() {
    const COUNT: u32 = 70_000;
    const MOST: u64 = u16::MAX as u64;
    let point = Sphere::new(DVec3::ZERO, 0.0);
    let mut lists = CellLists::default();
    lists.reset(COUNT as usize, [1.0].into_iter());
    (0..COUNT).for_each(|body| lists.link(body, 0, &point));
    assert_eq!(lists.squares, MOST * MOST);
    assert_eq!(lists.lengths.iter().copied().max(), Some(u16::MAX));
    let mut body = lists.heads.iter().copied().find(|&head| head < COUNT);
    let mut found = 0;
    while let Some(id) = body.filter(|&id| id < COUNT) {
        found += 1;
        body = Some(lists.next[id as usize]);
    }
    assert_eq!(found, COUNT);
    (0..COUNT).for_each(|body| lists.unlink(body, 0, &point));
    assert!(lists.heads.iter().all(|&head| head >= COUNT));
}

/// Bodies that are inserted one by one do not crowd the cells of a given size that is too large.
#[test]
fn lists_of_a_size_that_is_too_large() {
    let spheres = random_spheres::<DVec3>(3000, 0.3, 2.0, 1);
    let sizes = LevelSizes::new([1e4]).unwrap();
    let mut grid = HierarchicalGrid::new().with_level_sizes(sizes);
    for &sphere in &spheres {
        grid.insert(sphere).unwrap();
    }
    let crowding = grid.lists.squares as f64 / spheres.len() as f64;
    assert!(crowding < 16.0, "{crowding}");
    let mut brute = BruteForce::new();
    brute.rebuild(&spheres).unwrap();
    assert_eq!(sorted(&grid), pairs(&brute));
}
