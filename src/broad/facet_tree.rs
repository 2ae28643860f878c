//! The facets of a wall near spheres, for kernels of one's own and for many spheres at once; a `Wall`
//! of the narrow phases asks the same [`BoxTree`] itself.
//!
//! A tree of the facets' boxes rather than a grid: facets are of any size, and a grid whose cells
//! suit the largest puts all the small ones into a few of them. docs/BENCHMARKS.md has the numbers.

use glam::DVec3;

#[cfg(doc)]
use crate::ErrorKind;
use crate::error::Result;
use crate::math::tolerance::MOVED_FACET;
use crate::math::{Pose3, check_same_count};
use crate::shape::{Aabb, BoxTree, Sphere, SurfaceMesh};

/// The facets of a [`SurfaceMesh`], to be asked which of them are near a sphere.
///
/// It is built once, in the mesh's own coordinates, in O(n log n). The wall may then move as a rigid
/// body (each question takes its pose) or deform ([`refit`](FacetTree::refit)). The tree holds no
/// reference to the mesh.
///
/// A question takes O(log n + k) for k facets, be they small or large; it allocates nothing. It
/// names each facet once whose distance from the sphere's centre is at most the radius, and others
/// whose boxes are as close. Their order depends on mesh and question only.
///
/// ```
/// use osculate::{DoubleHierarchy, NarrowPhase, Pose3, Sphere, SurfaceMesh, broad::FacetTree, narrow::FacetSubset};
/// use osculate::glam::DVec3;
///
/// let wall = SurfaceMesh::new(
///     [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)]
///         .map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec(),
///     [[0, 1, 2, 3]],
/// )?;
/// let tree = FacetTree::new(&wall);
/// let spheres = [0.5, 9.0, 3.5].map(|x| Sphere::new(DVec3::new(x, 2.0, 1.25), 0.5));
///
/// // The wall has moved up; contacts are found in its own coordinates.
/// let pose = Pose3::from_translation(DVec3::Z)?;
/// let (mut near, mut touching) = (Vec::new(), Vec::new());
/// tree.for_each_body(&spheres, &pose, 0.0, &mut near, |body, facets| {
///     let Sphere { center, radius } = spheres[body as usize];
///     let sphere = Sphere::new(pose.inverse_transform_point(center), radius);
///     let facets = FacetSubset::new(&wall, facets).unwrap();
///     DoubleHierarchy::new().for_each_contact(&sphere, &facets, &mut Default::default(), |c| touching.push((body, c.overlap)));
/// });
/// assert_eq!(touching, [(0, 0.25), (2, 0.25)]);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FacetTree {
    tree: BoxTree<DVec3>,
}

impl FacetTree {
    /// The facets of a mesh. O(n log n).
    pub fn new(mesh: &SurfaceMesh) -> Self {
        let boxes = (0..mesh.facet_count()).map(|i| mesh.facet_box(i)).collect();
        Self {
            tree: BoxTree::from_good(boxes),
        }
    }

    /// Takes in the mesh with its vertices moved. O(n), no allocation.
    ///
    /// If facets that were neighbours no longer are, a new tree is faster to ask.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Index`] if the number of facets differs. The tree keeps its previous
    /// contents.
    pub fn refit(&mut self, mesh: &SurfaceMesh) -> Result<()> {
        check_same_count(self.facet_count(), mesh.facet_count())?;
        self.tree.refit_with(|i| mesh.facet_box(i));
        Ok(())
    }

    /// How many facets there are.
    pub fn facet_count(&self) -> usize {
        self.tree.box_count()
    }

    /// Visits each facet near a sphere of the world, where the wall is at `pose`. For facets
    /// within a margin of the sphere, add it to the radius.
    ///
    /// A sphere out of the domain is near nothing.
    pub fn for_each_touching(&self, sphere: &Sphere<DVec3>, pose: &Pose3, visit: impl FnMut(u32)) {
        if sphere.validate(0).is_err() {
            return;
        }
        let Sphere { center, radius } = *sphere;
        let far = (center.abs() + pose.translation().abs()).element_sum();
        let reach = radius + MOVED_FACET * (radius + far);
        let center = pose.inverse_transform_point(center);
        self.tree.for_each_within(reach, center, visit);
    }

    /// Visits each body near which there are facets, within `margin` of its sphere, with these
    /// facets; bodies come in ascending order. `bodies` are the spheres of a broad phase
    /// ([`BroadPhase::spheres`](super::BroadPhase::spheres)), or a part of them: the first is then
    /// body 0.
    ///
    /// A body away from the wall's box costs about 2 ns, a part of the wall away from the bodies
    /// nothing. `near` is a buffer for the facets; nothing is allocated once it has grown. A body
    /// whose radius and margin do not add up to a length is near nothing.
    pub fn for_each_body(
        &self,
        bodies: &[Sphere<DVec3>],
        pose: &Pose3,
        margin: f64,
        near: &mut Vec<u32>,
        mut visit: impl FnMut(u32, &[u32]),
    ) {
        let Some(bounds) = self.tree.bounds() else {
            return;
        };
        let bounds = bounds.turned(pose);
        for (body, sphere) in (0..=u32::MAX).zip(bodies) {
            let sphere = Sphere::new(sphere.center, sphere.radius + margin);
            // Rounding is monotone: what touches still does.
            let reach = DVec3::splat(sphere.radius);
            let (min, max) = (sphere.center - reach, sphere.center + reach);
            if !bounds.touches(&Aabb { min, max }) {
                continue;
            }
            near.clear();
            self.for_each_touching(&sphere, pose, |facet| near.push(facet));
            if !near.is_empty() {
                visit(body, near);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;
    use crate::error::{Cause, Error};

    /// A strip of squares along x, from 0 to `count`.
    fn strip(count: u32) -> SurfaceMesh {
        let vertex = |i: u32| DVec3::new((i / 2).into(), (i % 2).into(), 0.0);
        let facets = (0..count).map(|i| [2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1]);
        SurfaceMesh::new((0..2 * count + 2).map(vertex).collect(), facets).unwrap()
    }

    fn near(tree: &FacetTree, center: DVec3, radius: f64, pose: &Pose3) -> Vec<u32> {
        let mut found = Vec::new();
        tree.for_each_touching(&Sphere::new(center, radius), pose, |f| found.push(f));
        found.sort_unstable();
        found
    }

    #[test]
    fn wall_that_is_turned_and_moved() {
        let tree = FacetTree::new(&strip(40));
        let center = DVec3::new(10.5, 0.5, 1.0);
        assert_eq!(near(&tree, center, 1.0, &Pose3::IDENTITY), [10]);
        // A quarter turn about z: the strip now runs along y.
        let turn = DQuat::from_xyzw(0.0, 0.0, 1.0, 1.0);
        let pose = Pose3::new_normalize(turn, DVec3::new(5.0, 0.0, 7.0)).unwrap();
        assert!(near(&tree, center, 1.0, &pose).is_empty());
        let center = DVec3::new(4.5, 10.0, 8.0);
        assert_eq!(near(&tree, center, 1.0, &pose), [9, 10]);
        // The centre is out of the domain in the wall's coordinates, but not in the world's.
        let end = 2.0_f64.powi(150);
        let pose = Pose3::from_translation(DVec3::splat(-end)).unwrap();
        let wide = [0.75, 1.0].map(|r| near(&tree, DVec3::new(end, -end, -end), r * end, &pose));
        assert!(wide.iter().all(Vec::is_empty));
        let half = DVec3::new(0.0, -end, -end);
        assert_eq!(near(&tree, half, end, &pose).len(), 40);
    }

    #[test]
    fn bodies_away_from_the_wall_are_left_out() {
        let tree = FacetTree::new(&strip(4));
        let bodies = [(0.5, 1.0), (1.5, 9.0), (2.5, -1.25), (9.0, 0.0), (3.0, 0.0)]
            .map(|(x, z)| Sphere::new(DVec3::new(x, 0.5, z), 1.0));
        let mut found = Vec::new();
        let mut buffer = vec![77];
        let mut collect = |margin: f64| {
            found.clear();
            let pose = Pose3::IDENTITY;
            tree.for_each_body(&bodies, &pose, margin, &mut buffer, |body, facets| {
                let mut facets = facets.to_vec();
                facets.sort_unstable();
                found.push((body, facets));
            });
            found.clone()
        };
        assert_eq!(collect(0.0), [(0, vec![0]), (4, vec![1, 2, 3])]);
        let with_margin = [(0, vec![0, 1]), (2, vec![2]), (4, vec![1, 2, 3])];
        assert_eq!(collect(0.25), with_margin);
        assert!(collect(f64::NAN).is_empty());
        assert!(collect(-2.0).is_empty());
    }

    #[test]
    fn refit_follows_the_vertices() {
        let mut tree = FacetTree::new(&strip(3));
        let error = Err(Error(Cause::CountChanged {
            count: 4,
            expected: 3,
        }));
        assert_eq!(tree.refit(&strip(4)), error);
        let raised = strip(3)
            .vertices()
            .iter()
            .map(|v| *v + DVec3::Z * 5.0)
            .collect();
        let raised = SurfaceMesh::new(raised, strip(3).facets().map(|f| f.vertices().to_vec()));
        tree.refit(&raised.unwrap()).unwrap();
        assert_eq!(
            near(&tree, DVec3::new(0.5, 0.5, 4.5), 0.5, &Pose3::IDENTITY),
            [0]
        );
        assert!(near(&tree, DVec3::new(0.5, 0.5, 0.0), 0.5, &Pose3::IDENTITY).is_empty());
    }
}
