//! Of broad phases.

use super::{Violation, expect_equal};
use crate::broad::{BroadPhase, BruteForce, IncrementalBroadPhase, Pair, RankBody};
use crate::error::Cause;
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

/// Exactly the pairs of [`BruteForce`], each once, with the lower index first; the chunks and
/// `collect_pairs` give the same sequence.
///
/// # Errors
/// [`Violation`] with the first difference in words; so all laws.
pub fn each_pair_once<V: Vector>(
    broad: &mut impl BroadPhase<Vector = V>,
    spheres: &[Sphere<V>],
) -> Result<(), Violation> {
    let mut reference = BruteForce::new();
    reference.rebuild(spheres)?;
    broad.rebuild(spheres)?;
    expect_equal("body count", &broad.len(), &spheres.len())?;
    let found = pairs(broad);
    expect_equal("pairs", &sorted(found.clone()), &pairs(&reference))?;
    let mut collected = vec![[9, 9]];
    broad.collect_pairs(&mut collected);
    expect_equal("collected pairs", &collected, &found)?;
    broad.for_each_pair_in(broad.chunk_count(), |i, j| {
        collected.push([i as u32, j as u32])
    });
    expect_equal("pairs beyond the last chunk", &collected, &found)
}

/// A query finds each body whose sphere touches it, once.
///
/// # Errors
/// [`Violation`].
pub fn each_near_once<V: Vector>(
    broad: &mut impl BroadPhase<Vector = V>,
    spheres: &[Sphere<V>],
    query: Sphere<V>,
) -> Result<(), Violation> {
    broad.rebuild(spheres)?;
    let mut found = Vec::new();
    broad.for_each_touching(&query, |body| found.push(body));
    found.sort_unstable();
    let touches = |&i: &usize| spheres[i].touches(&query);
    let expected = (0..spheres.len()).filter(touches).collect();
    expect_equal("bodies near", &found, &expected)
}

/// The pairs and their order depend on the spheres only: not on bodies that were there before,
/// nor on a rebuild that failed.
///
/// # Errors
/// [`Violation`].
pub fn independent_of_history<V: Vector>(
    broad: &mut impl BroadPhase<Vector = V>,
    spheres: &[Sphere<V>],
    others: &[Sphere<V>],
) -> Result<(), Violation> {
    broad.rebuild(spheres)?;
    let expected = pairs(broad);
    let bad = others.len() / 2;
    let result = broad.rebuild_with(others.len() + 1, |i| match i.cmp(&bad) {
        std::cmp::Ordering::Less => others[i],
        std::cmp::Ordering::Equal => Sphere::new(V::ZERO, -1.0),
        std::cmp::Ordering::Greater => Sphere::new(V::splat(f64::NAN), 1.0),
    });
    let refusal = Cause::Radius {
        index: bad,
        value: -1.0,
    }
    .into();
    expect_equal("a bad radius", &result, &Err(refusal))?;
    expect_equal("pairs after an error", &pairs(broad), &expected)?;
    broad.rebuild(others)?;
    broad.rebuild(spheres)?;
    expect_equal("pairs of a second rebuild", &pairs(broad), &expected)
}

/// The same pairs, renamed, if the bodies come in another order.
///
/// # Errors
/// [`Violation`].
pub fn independent_of_order<V: Vector>(
    broad: &mut impl BroadPhase<Vector = V>,
    spheres: &[Sphere<V>],
    seed: u64,
) -> Result<(), Violation> {
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
    expect_equal("pairs of the permuted bodies", &sorted(renamed), &expected)
}

/// The same pairs in the same order if all lengths are multiplied by 2^`exponent` and a
/// translation of the scaled lattice is added. For spheres to which both can be done exactly.
///
/// # Errors
/// [`Violation`].
pub fn scales<V: Vector>(
    broad: &mut impl BroadPhase<Vector = V>,
    spheres: &[Sphere<V>],
    exponent: i32,
    translation: V,
) -> Result<(), Violation> {
    broad.rebuild(spheres)?;
    let expected = pairs(broad);
    let scale = 2.0_f64.powi(exponent);
    broad.rebuild_with(spheres.len(), |i| {
        let Sphere { center, radius } = spheres[i];
        Sphere::new((center + translation) * scale, radius * scale)
    })?;
    expect_equal("pairs of the scaled bodies", &pairs(broad), &expected)
}

/// After any single-body update, bodies, pairs and bodies near are those of a rebuild; an update
/// that is refused changes nothing.
///
/// Half of the spheres are there from the start; then bodies come, go and move, at random, to
/// places among the given.
///
/// # Errors
/// [`Violation`].
pub fn updates_equal_a_rebuild<V: Vector, B: IncrementalBroadPhase<Vector = V>>(
    new: impl Fn() -> B,
    spheres: &[Sphere<V>],
    seed: u64,
) -> Result<(), Violation> {
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
                expect_equal("index of an inserted body", &index, &body)?;
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
        let (index, count) = (bodies.len(), bodies.len());
        let missing = Err(Cause::NoSuchBody { index, count }.into());
        expect_equal("removing nobody", &broad.swap_remove(index), &missing)?;
        let moved = broad.replace(index, sphere);
        expect_equal("moving nobody", &moved, &missing)?;
        let bad = Sphere::new(sphere.center, -1.0);
        let refusal = |index| Cause::Radius { index, value: -1.0 }.into();
        expect_equal("a bad body", &broad.insert(bad), &Err(refusal(count)))?;
        if count > 0 {
            expect_equal("a bad move", &broad.replace(0, bad), &Err(refusal(0)))?;
        }
        rebuilt.rebuild(&bodies)?;
        expect_equal("bodies", &broad.spheres(), &rebuilt.spheres())?;
        let expected = sorted(pairs(&rebuilt));
        expect_equal("pairs after an update", &sorted(pairs(&broad)), &expected)?;
        let (found, expected) = (near(&broad, sphere), near(&rebuilt, sphere));
        expect_equal("bodies near after an update", &found, &expected)?;
    }
    Ok(())
}

/// The pairs that a list has kept hold all that touch after any moves by less than half its skin,
/// towards each other above all.
///
/// `list` gives the pairs kept for some spheres: of a [`PairList`](crate::PairList), or a list of
/// one's own.
///
/// # Errors
/// [`Violation`].
pub fn list_outlasts_moves<V: Vector>(
    list: impl FnOnce(&[Sphere<V>]) -> Vec<Pair>,
    spheres: &[Sphere<V>],
    skin: f64,
    seed: u64,
) -> Result<(), Violation> {
    let kept = sorted(list(spheres));
    let mut random = SplitMix64::new(seed);
    let mut reference = BruteForce::new();
    for step in 0..8 {
        let mut moved = spheres.to_vec();
        for body in &mut moved {
            let other = spheres[random.below(spheres.len())].center;
            let any = V::from_fn(|_| random.within(-1.0, 1.0));
            let way = if step % 2 == 0 {
                other - body.center
            } else {
                any
            };
            // Not for bodies at one place, nor quite as far as it may.
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
        expect_equal("pairs that touch and are not kept", &lost, &Vec::new())?;
    }
    Ok(())
}

/// The same pairs if all is reflected and the axes are swapped.
///
/// # Errors
/// [`Violation`].
pub fn independent_of_axes<V: Vector>(
    broad: &mut impl BroadPhase<Vector = V>,
    spheres: &[Sphere<V>],
) -> Result<(), Violation> {
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
    expect_equal("pairs of the reflected bodies", &found, &expected)
}

/// Each pair is kept by one rank, once, if body i lives on rank `owners[i]`, and ranks have as
/// ghosts all bodies that touch one of theirs; `keeps` is [`rank_owns_pair`](crate::rank_owns_pair) or a
/// rule of one's own.
///
/// # Errors
/// [`Violation`].
pub fn ranks_keep_each_pair_once<V: Vector>(
    keeps: impl Fn(RankBody, RankBody) -> bool,
    spheres: &[Sphere<V>],
    owners: &[u32],
) -> Result<(), Violation> {
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
            expect_equal(
                "either way",
                &keeps(body(j), body(i)),
                &keeps(body(i), body(j)),
            )?;
            if keeps(body(i), body(j)) {
                kept.push([i, j]);
            }
        }
    }
    expect_equal("pairs kept by the ranks", &kept, &pairs(&reference))
}
