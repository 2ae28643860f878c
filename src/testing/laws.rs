//! What must hold, as functions: inside `proptest!` or a loop over seeds a law is one line.
//!
//! They take any [`BroadPhase`](crate::BroadPhase) or [`NarrowPhase`], so one's own can be tested:
//!
//! ```
//! use osculate::{Contact, LinkedCells, Sphere, glam::DVec2};
//! use osculate::testing::{laws, workload};
//!
//! let discs = workload::random_spheres::<DVec2>(200, 0.5, 3.0, 1);
//! laws::each_pair_once(&mut LinkedCells::new(), &discs)?;
//!
//! // A kernel of one's own, which forgets that the second disc has a size.
//! let mut own = |a: &Sphere<DVec2>, b: &Sphere<DVec2>| {
//!     let ab = b.center - a.center;
//!     let (overlap, normal) = (a.radius - ab.length(), ab.normalize());
//!     let point = a.center + normal * (a.radius - overlap / 2.0);
//!     (overlap > 0.0).then_some(Contact { point, normal, overlap })
//! };
//! let (a, b) = (Sphere::new(DVec2::ZERO, 2.0), Sphere::new(DVec2::X, 1.0));
//! let broken = laws::gap_is(&mut own, &a, &b, -2.0, 0.0, 1e-15, |c| *c);
//! assert_eq!(broken.unwrap_err().to_string(), "gap: -1.0 instead of -2.0");
//! # Ok::<(), laws::Violation>(())
//! ```
//!
//! Laws of narrow phases have a `view`, which makes of the kernel's contact what the law looks at
//! ([`Contact`] or [`ContactVolume`](crate::ContactVolume)): `|c| *c` if it is that already. Closures
//! that give at most one contact are kernels; [`ManyContacts`] makes kernels of those that give more.
//! Where a law has a tolerance, it is a length, area or volume as what it is about.
//!
//! | of | laws |
//! |---|---|
//! | broad phases | [`each_pair_once`], [`each_near_once`], [`independent_of_history`], [`independent_of_order`], [`independent_of_axes`], [`scales`], [`updates_equal_a_rebuild`], [`list_outlasts_moves`], [`ranks_keep_each_pair_once`] |
//! | all kernels | [`moves_rigidly`], [`accurate_at_any_scale`], [`scales_exactly`], [`independent_of_state`] |
//! | kernels with normal and overlap | [`gap_is`], [`overlap_separates`], [`supports_give_overlap`], [`swap_negates`], [`independent_of_labels`] |
//! | spheres at walls | [`independent_of_facets`], [`independent_of_refinement`], [`overlap_follows_center`], [`finds_local_minima`], [`side_changes_at_a_facet`] |
//! | contact volumes | [`volume_is`], [`volume_adds_up`], [`volume_gradient`], [`volume_swap_negates`], [`volume_moves_rigidly`], [`volume_scales_exactly`], [`volume_accurate_at_any_scale`], [`curve_closes`], [`closed_cycle_does_no_work`] |

mod broad;
mod gap;
mod motion;
mod volume;
mod wall;

use std::fmt::Debug;

use crate::error::Error;
use crate::math::Vector;
use crate::narrow::{Contact, NarrowPhase};

pub use broad::{
    each_near_once, each_pair_once, independent_of_axes, independent_of_history,
    independent_of_order, list_outlasts_moves, ranks_keep_each_pair_once, scales,
    updates_equal_a_rebuild,
};
pub use gap::{
    gap_is, independent_of_labels, overlap_separates, supports_give_overlap, swap_negates,
};
pub use motion::{accurate_at_any_scale, independent_of_state, moves_rigidly, scales_exactly};
pub use volume::{
    closed_cycle_does_no_work, curve_closes, volume_accurate_at_any_scale, volume_adds_up,
    volume_gradient, volume_is, volume_moves_rigidly, volume_scales_exactly, volume_swap_negates,
};
pub use wall::{
    finds_local_minima, independent_of_facets, independent_of_refinement, overlap_follows_center,
    side_changes_at_a_facet,
};

/// A law that does not hold, and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Violation {
    /// Input that should have been taken was refused.
    #[error("refused: {0}")]
    Refused(#[from] Error),
    /// What was found, and what was expected.
    #[error("{0}")]
    Found(String),
}

/// A kernel from a closure that gives any number of contacts, say a `Vec` of them.
///
/// ```
/// use osculate::{FacetSubset, NarrowPhase, Sphere, SurfaceMesh, Wall, glam::DVec3, testing::laws::ManyContacts};
///
/// // All facets as they are, whatever the sphere.
/// let mut own = ManyContacts(|_: &Sphere<DVec3>, near: &FacetSubset| near.facets().to_vec());
/// let mesh = SurfaceMesh::from_triangles(&[[DVec3::ZERO, DVec3::X, DVec3::Y]])?;
/// let mut found = Vec::new();
/// let wall = Wall::new(mesh);
/// let near = FacetSubset::new(&wall, &[0])?;
/// own.for_each_contact(&Sphere::new(DVec3::Z, 1.0), &near, &mut (), |facet| found.push(facet));
/// assert_eq!(found, [0]);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ManyContacts<F>(pub F);

impl<A: ?Sized, B: ?Sized, I: IntoIterator, F: FnMut(&A, &B) -> I> NarrowPhase<A, B>
    for ManyContacts<F>
{
    type Contact = I::Item;
    type State = ();

    fn for_each_contact(&mut self, a: &A, b: &B, (): &mut (), report: impl FnMut(I::Item)) {
        (self.0)(a, b).into_iter().for_each(report);
    }
}

/// `Ok` if the two are equal.
fn expect_equal<T: Debug + PartialEq>(
    what: &str,
    found: &T,
    expected: &T,
) -> Result<(), Violation> {
    if found == expected {
        Ok(())
    } else {
        let message = format!("{what}: {found:?} instead of {expected:?}");
        Err(Violation::Found(message))
    }
}

/// `Ok` if the two differ by no more than a tolerance; never for NaN.
fn expect_near(what: &str, found: f64, expected: f64, tolerance: f64) -> Result<(), Violation> {
    expect(
        || what.to_owned(),
        found,
        expected,
        (found - expected).abs() <= tolerance,
    )
}

/// The same of vectors.
fn expect_near_vector<V: Vector>(
    what: &str,
    found: V,
    expected: V,
    tolerance: f64,
) -> Result<(), Violation> {
    let is_near = (found - expected).length() <= tolerance;
    expect(|| what.to_owned(), found, expected, is_near)
}

fn expect<T: Debug>(
    what: impl Fn() -> String,
    found: T,
    expected: T,
    holds: bool,
) -> Result<(), Violation> {
    if holds {
        Ok(())
    } else {
        let message = format!("{}: {found:?} instead of {expected:?}", what());
        Err(Violation::Found(message))
    }
}

/// What a kernel finds without a memory.
fn contacts<A, B, C, T>(
    kernel: &mut impl NarrowPhase<A, B, Contact = C>,
    a: &A,
    b: &B,
    view: impl Fn(&C) -> T,
) -> Vec<T> {
    let mut found = Vec::new();
    kernel.for_each_contact(a, b, &mut Default::default(), |c| found.push(view(&c)));
    found
}

/// The deepest contact.
fn deepest<V: Vector>(contacts: &[Contact<V>]) -> Option<Contact<V>> {
    let by_overlap = |a: &&Contact<V>, b: &&Contact<V>| a.overlap.total_cmp(&b.overlap);
    contacts.iter().max_by(by_overlap).copied()
}
