//! Which kernel for which shapes.

use std::cell::RefCell;

use rapier3d_f64::math::{Pose, Real, Vector};
use rapier3d_f64::parry;

use parry::query::details::{NormalConstraints, ShapeCastOptions};
use parry::query::{
    ClosestPoints, Contact, ContactManifold, ContactManifoldsWorkspace, DefaultQueryDispatcher,
    NonlinearRigidMotion, PersistentQueryDispatcher, QueryDispatcher, ShapeCastHit, Unsupported,
};
use parry::shape::{Ball, Shape};

use crate::manifold::{Kernels, Memory, Sides};
use crate::twin::{Ground, Solid, theirs};

/// Contacts of balls and solids with a ground, and of two solids, by osculate; all else by parry.
///
/// ```
/// use rapier3d_f64::geometry::NarrowPhase;
/// let narrow_phase = NarrowPhase::with_query_dispatcher(osculate_rapier::Osculate);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Osculate;

/// Shapes with a kernel of osculate.
enum Pair<'a> {
    Solids(&'a Solid, &'a Solid),
    Ground(Body<'a>, &'a Ground, Sides),
}

enum Body<'a> {
    Ball(&'a Ball),
    Solid(&'a Solid),
}

impl<'a> Pair<'a> {
    fn of(g1: &'a dyn Shape, g2: &'a dyn Shape) -> Option<Self> {
        let body = |shape: &'a dyn Shape| {
            let ball = shape.as_shape().map(Body::Ball);
            ball.or_else(|| shape.as_shape().map(Body::Solid))
        };
        if let Some(ground) = g1.as_shape() {
            body(g2).map(|body| Self::Ground(body, ground, Sides::WallFirst))
        } else if let Some(ground) = g2.as_shape() {
            body(g1).map(|body| Self::Ground(body, ground, Sides::WallSecond))
        } else {
            Some(Self::Solids(g1.as_shape()?, g2.as_shape()?))
        }
    }
}

thread_local! {
    /// Kernels only have buffers; what lasts from step to step is in the workspace of each pair.
    static KERNELS: RefCell<Kernels> = RefCell::default();
}

impl<M, C> PersistentQueryDispatcher<M, C> for Osculate
where
    M: Clone + Default + Send + Sync,
    C: Copy + Default + Send + Sync,
{
    fn contact_manifolds(
        &self,
        pos12: &Pose,
        g1: &dyn Shape,
        g2: &dyn Shape,
        prediction: Real,
        manifolds: &mut Vec<ContactManifold<M, C>>,
        workspace: &mut Option<ContactManifoldsWorkspace>,
    ) -> Result<(), Unsupported> {
        let Some(pair) = Pair::of(g1, g2) else {
            let (g1, g2) = (theirs(g1), theirs(g2));
            return DefaultQueryDispatcher
                .contact_manifolds(pos12, g1, g2, prediction, manifolds, workspace);
        };
        let memory = Memory::of(workspace);
        KERNELS.with_borrow_mut(|kernels| {
            kernels.set_margin(prediction)?;
            let (patches, pose, sides) = match pair {
                Pair::Solids(first, second) => {
                    let patches = kernels.solids(&first.ours, &second.ours, pos12, memory)?;
                    (patches, *pos12, Sides::Solids)
                }
                Pair::Ground(body, ground, sides) => {
                    let pose = match sides {
                        Sides::WallSecond => pos12.inverse(),
                        _ => *pos12,
                    };
                    let patches = match body {
                        Body::Ball(ball) => kernels.ball(ball.radius, &ground.ours, &pose, memory),
                        Body::Solid(solid) => {
                            kernels.solid(&solid.ours, &ground.ours, &pose, memory)
                        }
                    };
                    (patches?, pose, sides)
                }
            };
            memory.store(&patches, &pose, sides, manifolds)
        })
    }

    fn contact_manifold_convex_convex(
        &self,
        pos12: &Pose,
        g1: &dyn Shape,
        g2: &dyn Shape,
        normal_constraints1: Option<&dyn NormalConstraints>,
        normal_constraints2: Option<&dyn NormalConstraints>,
        prediction: Real,
        manifold: &mut ContactManifold<M, C>,
    ) -> Result<(), Unsupported> {
        DefaultQueryDispatcher.contact_manifold_convex_convex(
            pos12,
            theirs(g1),
            theirs(g2),
            normal_constraints1,
            normal_constraints2,
            prediction,
            manifold,
        )
    }
}

impl QueryDispatcher for Osculate {
    fn intersection_test(
        &self,
        pos12: &Pose,
        g1: &dyn Shape,
        g2: &dyn Shape,
    ) -> Result<parry::query::ShapeIntersection, Unsupported> {
        DefaultQueryDispatcher.intersection_test(pos12, theirs(g1), theirs(g2))
    }

    fn distance(
        &self,
        pos12: &Pose,
        g1: &dyn Shape,
        g2: &dyn Shape,
    ) -> Result<parry::query::ShapeDistance, Unsupported> {
        DefaultQueryDispatcher.distance(pos12, theirs(g1), theirs(g2))
    }

    fn contact(
        &self,
        pos12: &Pose,
        g1: &dyn Shape,
        g2: &dyn Shape,
        prediction: Real,
    ) -> Result<Option<Contact>, Unsupported> {
        DefaultQueryDispatcher.contact(pos12, theirs(g1), theirs(g2), prediction)
    }

    fn closest_points(
        &self,
        pos12: &Pose,
        g1: &dyn Shape,
        g2: &dyn Shape,
        max_dist: Real,
    ) -> Result<ClosestPoints, Unsupported> {
        DefaultQueryDispatcher.closest_points(pos12, theirs(g1), theirs(g2), max_dist)
    }

    fn cast_shapes(
        &self,
        pos12: &Pose,
        local_vel12: Vector,
        g1: &dyn Shape,
        g2: &dyn Shape,
        options: ShapeCastOptions,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        DefaultQueryDispatcher.cast_shapes(pos12, local_vel12, theirs(g1), theirs(g2), options)
    }

    fn cast_shapes_nonlinear(
        &self,
        motion1: &NonlinearRigidMotion,
        g1: &dyn Shape,
        motion2: &NonlinearRigidMotion,
        g2: &dyn Shape,
        start_time: Real,
        end_time: Real,
        stop_at_penetration: bool,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        let (g1, g2) = (theirs(g1), theirs(g2));
        DefaultQueryDispatcher.cast_shapes_nonlinear(
            motion1,
            g1,
            motion2,
            g2,
            start_time,
            end_time,
            stop_at_penetration,
        )
    }
}
