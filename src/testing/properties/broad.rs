//! Properties of broad phases, pair lists and domain decompositions.

use super::{Rule, Violation};
use crate::broad::{BroadPhase, BruteForce, IncrementalBroadPhase, Pair, RankBody};
use crate::error::{Error, ErrorKind};
use crate::math::Vector;
use crate::shape::Sphere;
use crate::testing::workload::SplitMix64;

fn pairs<V: Vector>(broad: &impl BroadPhase<Vector = V>) -> Vec<Pair> {
    let mut pairs = Vec::new();
    broad.for_each_pair(|i, j| pairs.push([i as u32, j as u32]));
    pairs
}

fn sorted(mut pairs: Vec<Pair>) -> Vec<Pair> {
    pairs.sort_unstable();
    pairs
}

/// Checks that all pairs of touching spheres are found once, with the lower index first.
///
/// The pairs are compared with those of [`BruteForce`]. The chunks and `collect_pairs` must give the same
/// sequence.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn each_pair_once<V: Vector>(
    broad: &mut impl BroadPhase<Vector = V>,
    spheres: &[Sphere<V>],
) -> Result<(), Violation> {
    let rule = Rule("broad::each_pair_once");
    let mut reference = BruteForce::new();
    reference.rebuild(spheres)?;
    broad.rebuild(spheres)?;
    rule.equal("body count", &broad.len(), &spheres.len())?;
    let found = pairs(broad);
    rule.same_list("pairs", &sorted(found.clone()), &pairs(&reference))?;
    let mut collected = vec![[9, 9]];
    broad.collect_pairs(&mut collected);
    rule.same_list("collected pairs", &collected, &found)?;
    broad.for_each_pair_in(broad.chunk_count(), |i, j| {
        collected.push([i as u32, j as u32])
    });
    rule.same_list("pairs beyond the last chunk", &collected, &found)
}

/// Checks that a query finds each body once whose sphere touches it.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn each_touching_once<V: Vector>(
    broad: &mut impl BroadPhase<Vector = V>,
    spheres: &[Sphere<V>],
    query: Sphere<V>,
) -> Result<(), Violation> {
    let rule = Rule("broad::each_touching_once");
    broad.rebuild(spheres)?;
    let mut found = Vec::new();
    broad.for_each_touching(&query, |body| found.push(body));
    found.sort_unstable();
    let touches = |&i: &usize| spheres[i].touches(&query);
    let expected: Vec<usize> = (0..spheres.len()).filter(touches).collect();
    rule.same_list("touching bodies", &found, &expected)
}

/// Checks that pairs and their order depend on the spheres only.
///
/// Neither earlier bodies nor a failed rebuild may have an influence. The failed rebuild must report the
/// lowest bad sphere.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn independent_of_history<V: Vector>(
    broad: &mut impl BroadPhase<Vector = V>,
    spheres: &[Sphere<V>],
    others: &[Sphere<V>],
) -> Result<(), Violation> {
    let rule = Rule("broad::independent_of_history");
    broad.rebuild(spheres)?;
    let expected = pairs(broad);
    let bad = others.len() / 2;
    let result = broad.rebuild_with(others.len() + 1, |i| match i.cmp(&bad) {
        std::cmp::Ordering::Less => others[i],
        std::cmp::Ordering::Equal => Sphere::new(V::ZERO, -1.0),
        std::cmp::Ordering::Greater => Sphere::new(V::splat(f64::NAN), 1.0),
    });
    expect_error(
        rule,
        "rebuild with a bad radius",
        result,
        (ErrorKind::Radius, bad),
    )?;
    rule.same_list("pairs after an error", &pairs(broad), &expected)?;
    // As many bodies as before, in the reverse order: a sort must not start from the old one.
    let last = spheres.len().saturating_sub(1);
    broad.rebuild_with(spheres.len(), |i| spheres[last - i])?;
    broad.rebuild(spheres)?;
    rule.same_list("pairs after the reverse order", &pairs(broad), &expected)?;
    broad.rebuild(others)?;
    broad.rebuild(spheres)?;
    rule.same_list("pairs of a second rebuild", &pairs(broad), &expected)
}

/// Checks that the bodies may come in any order: the pairs stay the same, with other indices.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn independent_of_order<V: Vector>(
    broad: &mut impl BroadPhase<Vector = V>,
    spheres: &[Sphere<V>],
    seed: u64,
) -> Result<(), Violation> {
    let rule = Rule("broad::independent_of_order");
    broad.rebuild(spheres)?;
    let expected = sorted(pairs(broad));
    let mut order: Vec<usize> = (0..spheres.len()).collect();
    SplitMix64::new(seed).shuffle(&mut order);
    broad.rebuild_with(order.len(), |i| spheres[order[i]])?;
    let mut renamed = pairs(broad);
    for pair in &mut renamed {
        *pair = pair.map(|i| order[i as usize] as u32);
        pair.sort_unstable();
    }
    rule.same_list("pairs of the permuted bodies", &sorted(renamed), &expected)
}

/// Checks that scaling by 2^`exponent` after a translation keeps the pairs and their order.
///
/// Both operations must be exact for the given spheres, as on a lattice.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn scales_exactly<V: Vector>(
    broad: &mut impl BroadPhase<Vector = V>,
    spheres: &[Sphere<V>],
    exponent: i32,
    translation: V,
) -> Result<(), Violation> {
    let rule = Rule("broad::scales_exactly");
    broad.rebuild(spheres)?;
    let expected = pairs(broad);
    let scale = 2.0_f64.powi(exponent);
    broad.rebuild_with(spheres.len(), |i| {
        let Sphere { center, radius } = spheres[i];
        Sphere::new((center + translation) * scale, radius * scale)
    })?;
    rule.same_list("pairs of the scaled bodies", &pairs(broad), &expected)
}

/// Checks that single-body updates give the bodies, the sequence of pairs and the query results of a rebuild.
///
/// Starts with half of the spheres, then inserts, removes and replaces bodies at random. A rejected update
/// must change nothing, and report [`ErrorKind::Index`] or [`ErrorKind::Radius`] with the index of the body.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn updates_equal_a_rebuild<V: Vector, B: IncrementalBroadPhase<Vector = V>>(
    new: impl Fn() -> B,
    spheres: &[Sphere<V>],
    seed: u64,
) -> Result<(), Violation> {
    let rule = Rule("broad::updates_equal_a_rebuild");
    let near = |broad: &B, query: Sphere<V>| {
        let mut found = Vec::new();
        broad.for_each_touching(&query, |body| found.push(body));
        found.sort_unstable();
        found
    };
    let mut random = SplitMix64::new(seed);
    let mut bodies = spheres[..spheres.len() / 2].to_vec();
    let (mut broad, mut rebuilt) = (new(), new());
    broad.rebuild(&bodies)?;
    for _ in spheres {
        let sphere = spheres[random.below(spheres.len())];
        let body = random.below(bodies.len() + 1);
        match random.below(3) {
            _ if body == bodies.len() => {
                let index = broad.insert(sphere)?;
                rule.equal("index of an inserted body", &index, &body)?;
                bodies.push(sphere);
            }
            0 => {
                broad.swap_remove(body)?;
                bodies.swap_remove(body);
            }
            _ => {
                broad.replace(body, sphere)?;
                bodies[body] = sphere;
            }
        }
        let count = bodies.len();
        let missing = (ErrorKind::Index, count);
        let removed = broad.swap_remove(count);
        expect_error(rule, "removal of a missing body", removed, missing)?;
        let replaced = broad.replace(count, sphere);
        expect_error(rule, "replacement of a missing body", replaced, missing)?;
        let bad = Sphere::new(sphere.center, -1.0);
        let inserted = broad.insert(bad).map(|_| ());
        expect_error(
            rule,
            "insertion of a bad radius",
            inserted,
            (ErrorKind::Radius, count),
        )?;
        if count > 0 {
            let replaced = broad.replace(0, bad);
            expect_error(
                rule,
                "replacement by a bad radius",
                replaced,
                (ErrorKind::Radius, 0),
            )?;
        }
        rebuilt.rebuild(&bodies)?;
        rule.same_list("bodies", broad.spheres(), rebuilt.spheres())?;
        let expected = pairs(&rebuilt);
        rule.same_list("pairs after an update", &pairs(&broad), &expected)?;
        let (found, expected) = (near(&broad, sphere), near(&rebuilt, sphere));
        rule.same_list("touching bodies after an update", &found, &expected)?;
    }
    Ok(())
}

/// Checks that a Verlet list holds all touching pairs after motions by less than half its skin.
///
/// In half of the steps bodies move towards each other. `list` returns the pairs for the spheres, from a
/// [`PairList`](crate::PairList) or your own list. `skin` is a length.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn list_outlasts_moves<V: Vector>(
    list: impl FnOnce(&[Sphere<V>]) -> Vec<Pair>,
    spheres: &[Sphere<V>],
    skin: f64,
    seed: u64,
) -> Result<(), Violation> {
    let rule = Rule("broad::list_outlasts_moves");
    let kept = sorted(list(spheres));
    let mut random = SplitMix64::new(seed);
    let mut reference = BruteForce::new();
    for step in 0..8 {
        let mut moved = spheres.to_vec();
        for body in &mut moved {
            let other = spheres[random.below(spheres.len())].center;
            let any = V::from_fn(|_| random.range(-1.0, 1.0));
            let way = if step % 2 == 0 {
                other - body.center
            } else {
                any
            };
            // Not for coincident bodies, and by slightly less than the allowed distance.
            let length = way.length();
            if length > 0.0 {
                let far = 0.5 * skin.min(length) * (1.0 - 1e-9);
                body.center = body.center + way * (far / length);
            }
        }
        reference.rebuild(&moved)?;
        let lost = pairs(&reference).into_iter();
        let lost: Vec<Pair> = lost
            .filter(|pair| kept.binary_search(pair).is_err())
            .collect();
        rule.same_list("pairs that touch and are not kept", &lost, &Vec::new())?;
    }
    Ok(())
}

/// Checks that a reflection and a permutation of the axes keep the pairs.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn independent_of_axes<V: Vector>(
    broad: &mut impl BroadPhase<Vector = V>,
    spheres: &[Sphere<V>],
) -> Result<(), Violation> {
    let rule = Rule("broad::independent_of_axes");
    broad.rebuild(spheres)?;
    let expected = sorted(pairs(broad));
    broad.rebuild_with(spheres.len(), |i| {
        let Sphere { center, radius } = spheres[i];
        let component = |axis: usize| {
            let other = center[(axis + 1) % V::DIM];
            if axis == 0 { -other } else { other }
        };
        Sphere::new(V::from_fn(component), radius)
    })?;
    let found = sorted(pairs(broad));
    rule.same_list("pairs of the reflected bodies", &found, &expected)
}

/// Checks that exactly one rank of a domain decomposition owns each pair.
///
/// Body `i` lives on rank `owners[i]`. Each rank has all bodies that touch one of its own as ghosts.
/// `keeps` is [`rank_owns_pair`](crate::broad::rank_owns_pair) or your own rule.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn ranks_keep_each_pair_once<V: Vector>(
    keeps: impl Fn(RankBody, RankBody) -> bool,
    spheres: &[Sphere<V>],
    owners: &[u32],
) -> Result<(), Violation> {
    let rule = Rule("broad::ranks_keep_each_pair_once");
    let mut reference = BruteForce::new();
    reference.rebuild(spheres)?;
    let owner = |i: u32| owners.get(i as usize).copied().unwrap_or(0);
    let mut kept = Vec::new();
    for [i, j] in pairs(&reference) {
        let mut ranks = vec![owner(i), owner(j)];
        ranks.dedup();
        for rank in ranks {
            let body = |i: u32| RankBody {
                id: i.into(),
                is_owned: owner(i) == rank,
                image: [0; 3],
            };
            rule.equal(
                "either way",
                &keeps(body(j), body(i)),
                &keeps(body(i), body(j)),
            )?;
            if keeps(body(i), body(j)) {
                kept.push([i, j]);
            }
        }
    }
    rule.same_list("pairs kept by the ranks", &kept, &pairs(&reference))
}

/// Checks the kind and the index of an error; its message belongs to the implementation.
fn expect_error(
    rule: Rule,
    what: &str,
    result: Result<(), Error>,
    expected: (ErrorKind, usize),
) -> Result<(), Violation> {
    let found = result.map_err(|error| (error.kind(), error.index()));
    let expected = Err((expected.0, Some(expected.1)));
    rule.equal(what, &found, &expected)
}
