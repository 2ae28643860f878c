use glam::{DVec2, DVec3};

use super::*;
use crate::error::{Cause, Error};

fn square(x: f64, y: f64) -> Aabb<DVec2> {
    let min = DVec2::new(x, y);
    let max = min + DVec2::ONE;
    Aabb { min, max }
}

fn touching<V: Vector>(tree: &BoxTree<V>, query: &Aabb<V>) -> Vec<u32> {
    let mut found = Vec::new();
    tree.for_each_touching(query, |i| found.push(i));
    found.sort_unstable();
    found
}

fn near<V: Vector>(tree: &BoxTree<V>, center: V, radius: f64) -> Vec<u32> {
    let mut found = Vec::new();
    tree.for_each_touching_sphere(&Sphere::new(center, radius), |i| found.push(i));
    found.sort_unstable();
    found
}

/// Levels of nodes.
fn height<V>(tree: &BoxTree<V>, node: usize) -> usize {
    let Node { first, count, .. } = &tree.nodes[node];
    let inner = (0..4).filter(|&child| count[child] == INNER);
    1 + inner
        .map(|child| height(tree, first[child] as usize))
        .max()
        .unwrap_or(0)
}

#[test]
fn chessboard() {
    let boxes: Vec<_> = (0..64)
        .map(|i| square((i % 8).into(), (i / 8).into()))
        .collect();
    let tree = BoxTree::new(&boxes).unwrap();
    assert_eq!(tree.box_count(), 64);
    assert_eq!(tree.bounds().unwrap().size(), DVec2::splat(8.0));
    // Boxes that share a corner only are touched too.
    assert_eq!(touching(&tree, &square(3.0, 0.0)), [2, 3, 4, 10, 11, 12]);
    let inside = Aabb::new(DVec2::splat(0.25), DVec2::splat(0.75)).unwrap();
    assert_eq!(touching(&tree, &inside), [0]);
    assert_eq!(near(&tree, DVec2::new(-3.0, -4.0), 5.0), [0]);
    assert!(near(&tree, DVec2::new(-3.0, -4.0), 5.0 - 1e-12).is_empty());
    assert!(near(&tree, DVec2::splat(7.5), f64::NAN).is_empty());
}

#[test]
fn empty_and_single() {
    let mut tree = BoxTree::<DVec2>::new(&[]).unwrap();
    assert_eq!((tree.bounds(), tree.box_count()), (None, 0));
    tree.refit(&[]).unwrap();
    assert!(touching(&tree, &square(0.0, 0.0)).is_empty());
    assert!(touching(&BoxTree::default(), &square(0.0, 0.0)).is_empty());
    let tree = BoxTree::new(&[square(0.0, 0.0)]).unwrap();
    assert_eq!(touching(&tree, &square(1.0, 1.0)), [0]);
    assert_eq!(near(&tree, DVec2::new(2.0, 0.5), 1.0), [0]);
}

#[test]
fn bad_boxes_are_refused_and_change_nothing() {
    let good = [square(0.0, 0.0), square(4.0, 0.0)];
    let mut tree = BoxTree::new(&good).unwrap();
    let before = tree.clone();
    let (min, max) = (DVec2::ZERO, DVec2::new(1.0, -1.0));
    let error = Err(Error(Cause::EmptyBox {
        index: 1,
        axis: 1,
        min: 0.0,
        max: -1.0,
    }));
    assert_eq!(tree.refit(&[good[0], Aabb { min, max }]), error);
    let nan = Aabb {
        min: DVec2::NAN,
        max,
    };
    assert!(matches!(
        BoxTree::new(&[good[0], nan]),
        Err(Error(Cause::Coordinate {
            index: Some(1),
            axis: 0,
            ..
        }))
    ));
    let error = Err(Error(Cause::CountChanged {
        count: 1,
        expected: 2,
    }));
    assert_eq!(tree.refit(&good[..1]), error);
    assert_eq!(tree, before);
}

/// The stack of a walk is large enough for this depth.
#[test]
fn tree_is_as_flat_as_can_be_for_any_boxes() {
    let point = |p: DVec3| Aabb { min: p, max: p };
    let line = (0..5000).map(|i| point(DVec3::X * f64::from(i).powi(9)));
    for (boxes, levels) in [
        (line.collect(), 6),
        (vec![point(DVec3::ONE); 5000], 6),
        (vec![point(DVec3::ONE); 8], 1),
    ] {
        let tree = BoxTree::new(&boxes).unwrap();
        assert_eq!(height(&tree, 0), levels);
        assert!(touching(&tree, &boxes[1]).contains(&1));
    }
}

/// Neither a box at the end of the domain nor the size of all boxes costs digits.
#[test]
fn nodes_tell_boxes_apart() {
    for (unit, far) in [(1.0, 2.0_f64.powi(150)), (2.0_f64.powi(139), 0.0)] {
        let scaled = |b: Aabb<DVec2>| Aabb {
            min: b.min * unit,
            max: b.max * unit,
        };
        let mut boxes: Vec<_> = (0..1024).map(|i| scaled(square(i.into(), 0.0))).collect();
        boxes[512] = scaled(square(far, 0.0));
        let tree = BoxTree::new(&boxes).unwrap();
        let query = scaled(square(100.25, 0.25));
        let (min, max) = (
            tree.frame.rounded(query.min)[0],
            tree.frame.rounded(query.max)[0],
        );
        let are_near = |node: &Node| {
            let is_near = |i: usize| node.min[0][i] <= max && min <= node.max[0][i];
            (0..4).map(|i| u32::from(is_near(i)) << i).sum()
        };
        let tested = std::cell::Cell::new(0);
        let test = |_: &Aabb<DVec2>| tested.replace(tested.get() + 1) == usize::MAX;
        tree.each_box(are_near, test, |_| ());
        assert!(tested.get() <= 6, "{tested:?}");
    }
}

/// No box is missed if squares underflow in f32.
#[test]
fn small_spheres_touch() {
    let point = |p: DVec3| Aabb { min: p, max: p };
    let boxes = [-1.0, 0.0, 0.0, 0.0, 1.0].map(|x| point(DVec3::X * x));
    let tree = BoxTree::new(&boxes).unwrap();
    for i in 1..500 {
        let center = DVec3::splat(f64::from(i) * 2.0_f64.powi(-141));
        let radius = center.length().next_up();
        assert_eq!(near(&tree, center, radius), [1, 2, 3]);
    }
}
