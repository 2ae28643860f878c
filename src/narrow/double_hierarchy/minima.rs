//! Selects the minima of the whole surface from those of single facets.

use std::cmp::Ordering;

use super::contact::Seen;
use super::mesh::WallIndex;
use super::search_result::{Ball, Minimum, View, view_of};
use crate::math::Vector;
use crate::math::tolerance::{SAME_CONTACT, two_to};
use crate::shape::{BoxTree, Feature};

/// Steps of a finer precision displace a contact, by up to sqrt(2 reach precision), by less than
/// [`SAME_CONTACT`].
const FINE_PRECISION: f64 = two_to(-46);

/// With more facets than this a tree is faster than a loop over all.
const MANY: usize = 64;

/// Orders minima by distance, then by position, then by feature: facet order has no influence.
pub(super) fn order<V: Vector>(a: &Minimum<V>, b: &Minimum<V>) -> Ordering {
    let by = |axis: usize| a.offset[axis].total_cmp(&b.offset[axis]);
    let by_position = || (0..V::DIM).map(by).find(|order| order.is_ne());
    (a.distance_squared.total_cmp(&b.distance_squared))
        .then_with(|| by_position().unwrap_or(Ordering::Equal))
        .then_with(|| (a.part.feature, a.facet).cmp(&(b.part.feature, b.facet)))
}

/// A contact point, and its uncertainty due to the precision of the mesh.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<V> {
    /// From the center.
    pub(super) offset: V,
    pub(super) distance: f64,
    /// The angle by which its feature may be rotated.
    pub(super) angle: f64,
    pub(super) slack: f64,
}

/// The facets around a center and its images.
pub(super) struct Vicinity<'a, I: WallIndex> {
    pub(super) index: &'a I,
    pub(super) tree: &'a BoxTree<I::Vector>,
    pub(super) reach: f64,
    pub(super) views: &'a [View<I::Vector>],
    /// The slots of the facets within reach, view by view.
    pub(super) near: &'a [u32],
}

impl<I: WallIndex> Vicinity<'_, I> {
    /// Returns whether an edge or vertex lies on a facet that it is not part of and that comes closer elsewhere.
    #[inline]
    pub(super) fn passes(&self, minimum: &Minimum<I::Vector>) -> bool {
        !matches!(minimum.part.feature, Feature::Facet(_)) && self.passes_corner(minimum)
    }

    fn passes_corner(&self, minimum: &Minimum<I::Vector>) -> bool {
        let (index, reach) = (self.index, self.reach);
        let same = self.noise().max(SAME_CONTACT * reach);
        let comes_closer = |slot: u32, center: I::Vector| {
            let (closest, part) = index.closest(slot, center);
            let is_elsewhere = (closest.offset - minimum.offset).length_squared() > same * same;
            let is_closer = closest.distance_squared < minimum.distance_squared;
            closest.distance_squared < reach * reach
                && is_elsewhere
                && (is_closer || matches!(part.feature, Feature::Facet(_)))
        };
        let mut is_passed = false;
        let is_other = |slot, view| view != minimum.view || !index.has(slot, minimum.part);
        self.for_each_at(minimum.offset, is_other, |slot, _, center| {
            is_passed = is_passed || comes_closer(slot, center);
        });
        is_passed
    }

    /// Returns the point of the facets that is closest to the center.
    #[cold]
    pub(super) fn nearest(&self) -> Option<Minimum<I::Vector>> {
        let views = (0..self.views.len()).map(|view| (view, view_of(self.views, self.near, view)));
        let nearest = views.flat_map(|(view, (center, near))| {
            near.iter().map(move |&slot| {
                let (closest, part) = self.index.closest(slot, center);
                Minimum {
                    part,
                    facet: self.index.id(slot),
                    offset: closest.offset,
                    distance_squared: closest.distance_squared,
                    view: view as u32,
                }
            })
        });
        nearest.min_by(order)
    }

    /// Returns a contact point with its uncertainty: the error of the angle times the distance.
    ///
    /// The angle is that of the normal at a facet, and that of the sides at an edge or vertex.
    pub(super) fn place(&self, seen: &Seen<I::Vector>) -> Place<I::Vector> {
        let (offset, index) = (seen.contact.offset, self.index);
        let distance = offset.length();
        let same = 0.5 * SAME_CONTACT * self.reach;
        let mut angle = 0.0_f64;
        match seen.contact.feature {
            Feature::Facet(_) => angle = index.normal_error(seen.at.0),
            _ => {
                if self.has_error(distance, same) {
                    self.for_each_at(
                        offset,
                        |_, _| true,
                        |slot, _, _| {
                            angle = angle.max(index.normal_error(slot));
                        },
                    );
                }
            }
        }
        let slack = same + 2.0 * index.precision() + angle * distance;
        Place {
            offset,
            distance,
            angle,
            slack,
        }
    }

    /// Returns whether the normal of a facet whose box is within reach may be off by more than `same` at a distance.
    /// Other facets do not count, because the kind of search decides which of them are found.
    fn has_error(&self, distance: f64, same: f64) -> bool {
        let index = self.index;
        (0..self.views.len()).any(|view| {
            let (center, near) = view_of(self.views, self.near, view);
            let is_near = |slot: u32| {
                index.facet_box(slot).distance_squared(center) <= self.reach * self.reach
            };
            let has_error = |slot: u32| index.normal_error(slot) * distance > same;
            (near.iter()).any(|&slot| has_error(slot) && is_near(slot))
        })
    }

    /// Returns whether noise can keep two contacts of a flat wall farther apart than [`SAME_CONTACT`].
    ///
    /// A step of height p comes closer than the surface beside it up to sqrt(2 reach p) away. With
    /// p = 2^-46 of the reach, that is 2^-22.5 of it.
    pub(super) fn is_coarse(&self) -> bool {
        self.index.precision() > FINE_PRECISION * self.reach
    }

    /// Collects the slots of the facets, each with its view, that agree with a contact up to noise.
    ///
    /// These are the facets that contain the contact point. If the closest point of such a facet is no farther than
    /// noise, the facets that contain this point follow, and so on.
    pub(super) fn facets_from(
        &self,
        Seen { contact, view, at }: &Seen<I::Vector>,
        points: &mut Vec<I::Vector>,
        facets: &mut Vec<(u32, u32)>,
    ) {
        facets.clear();
        if let Feature::Facet(_) = contact.feature {
            facets.push((at.0, *view));
            return;
        }
        let limit = (contact.offset.length() + self.noise()).powi(2);
        points.clear();
        points.push(contact.offset);
        let mut next = 0;
        while let Some(&point) = points.get(next) {
            next += 1;
            // A point has each facet once, and facets around a vertex have one point.
            let known = facets.len();
            self.for_each_at(
                point,
                |_, _| true,
                |slot, view, center| {
                    if facets[..known].contains(&(slot, view)) {
                        return;
                    }
                    facets.push((slot, view));
                    let (closest, _) = self.index.closest(slot, center);
                    if closest.distance_squared <= limit && !points.contains(&closest.offset) {
                        points.push(closest.offset);
                    }
                },
            );
        }
    }

    /// Returns the largest gap between facets that should touch. Between them may be a facet thinner than noise.
    fn noise(&self) -> f64 {
        4.0 * self.index.precision()
    }

    /// Visits the slots of the facets that contain a point, each with its view and the image of the center there. The
    /// point is relative to the center. `is_wanted` selects facets by slot and view.
    fn for_each_at(
        &self,
        offset: I::Vector,
        is_wanted: impl Fn(u32, u32) -> bool,
        mut visit: impl FnMut(u32, u32, I::Vector),
    ) {
        let index = self.index;
        let same = (2.0 * self.noise()).max(SAME_CONTACT * self.reach);
        for view in 0..self.views.len() {
            let (center, near) = view_of(self.views, self.near, view);
            let point = center + offset;
            let ball = Ball {
                center: point,
                reach: same,
            };
            let probe = index.probe(ball);
            let mut visit = |slot: u32| {
                // Beyond a sharp corner a point can be close to all sides, but far from the facet.
                if index.may_hold(slot, &probe)
                    && is_wanted(slot, view as u32)
                    && index.holds(slot, center, offset, same)
                    && index.facet_box(slot).distance_squared(point) <= 4.0 * same * same
                {
                    visit(slot, view as u32, center);
                }
            };
            if near.len() > MANY {
                self.tree
                    .for_each_leaf_within(2.0 * same, point, |slots| slots.for_each(&mut visit));
            } else {
                near.iter().copied().for_each(visit);
            }
        }
    }
}
