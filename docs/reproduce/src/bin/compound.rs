//! Compound bodies: clusters of four spheres and hooks of two convex blocks fall on a floor and come to rest.
//!
//! Each part is a body of the broad phase. A filter leaves out the pairs of parts of the same body, and the pair list
//! keeps a history for each pair of parts.
//!
//! `cargo reproduce compound`

use osculate::glam::{DMat3, DQuat, DVec3};
use osculate::narrow::{PressureField, PressureState};
use osculate::{
    Aabb, Bounded, BroadPhase, CommonPlane, CommonPlaneState, Contact, ConvexPolyhedron, Error,
    Filtered, HierarchicalGrid, MassProperties, NarrowPhase, PairList, Placed, Pose3, Skin, Sphere,
    SphereSphere,
};
use reproduce::law::Law;
use reproduce::random::SplitMix64;
use reproduce::rigid::{self, Shape};

type Body<'a> = rigid::Body<'a, Vec<Part>>;

const DENSITY: f64 = 1000.0;
const GRAVITY: f64 = 9.81;
const RADIUS: f64 = 0.1;
/// Of the contacts of spheres, N/m and N s/m: a damping ratio of about 0.2.
const STIFFNESS: f64 = 1e6;
const DAMPING: f64 = 1e3;

#[expect(clippy::large_enum_variant, reason = "there are few shapes")]
enum Form {
    Ball(f64),
    Block(ConvexPolyhedron),
}

/// A part of a body, at a pose in the principal axes of the body.
struct Part {
    form: Form,
    pose: Pose3,
}

impl Bounded for Form {
    type Vector = DVec3;

    fn bounding_sphere(&self) -> Sphere {
        match self {
            Self::Ball(radius) => Sphere::new(DVec3::ZERO, *radius),
            Self::Block(block) => block.bounding_sphere(),
        }
    }

    fn bounding_box(&self) -> Aabb {
        match self {
            Self::Ball(_) => self.bounding_sphere().into(),
            Self::Block(block) => block.bounding_box(),
        }
    }
}

impl Form {
    fn cuboid(sides: DVec3) -> Result<Self, Error> {
        let corner = |i: u32| {
            sides * (DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into()) - 0.5)
        };
        let corners: Vec<_> = (0..8).map(corner).collect();
        Ok(Self::Block(ConvexPolyhedron::from_convex_hull(&corners)?))
    }

    fn mass_properties(&self) -> MassProperties {
        match self {
            Self::Ball(radius) => Sphere::new(DVec3::ZERO, *radius).mass_properties(DENSITY),
            Self::Block(block) => block.mass_properties(DENSITY),
        }
    }
}

/// Builds a body from parts at places. Where parts overlap, the mass counts twice.
fn compound(parts: Vec<(Form, DVec3)>) -> Result<Shape<Vec<Part>>, Error> {
    let mass = |(form, place): &(Form, DVec3)| {
        let pose = Pose3::from_translation(*place)?;
        Ok(form.mass_properties().transformed(&pose))
    };
    let masses: Vec<MassProperties> = parts.iter().map(mass).collect::<Result<_, Error>>()?;
    let whole: MassProperties = masses.into_iter().sum();
    let (moments, axes): (DVec3, DMat3) = whole.principal();
    let to_principal = DQuat::from_mat3(&axes).conjugate();
    let parts = parts.into_iter().map(|(form, place)| {
        let place = to_principal * (place - whole.center_of_mass);
        let pose = Pose3::new_normalize(to_principal, place)?;
        Ok(Part { form, pose })
    });
    Ok(Shape::principal(
        parts.collect::<Result<_, Error>>()?,
        whole.mass,
        moments,
    ))
}

/// What a pair of parts keeps.
#[derive(Default)]
struct History {
    field: PressureState,
    sphere: CommonPlaneState,
    /// The tangential springs of the contact of spheres, or of the shares.
    springs: Vec<DVec3>,
}

/// One part in the world, and the index of its body.
type PlacedPart<'a> = (Placed<&'a Form>, usize);

/// The parts of all bodies, one body after another.
fn place<'a>(bodies: &[Body<'a>]) -> Result<Vec<PlacedPart<'a>>, Error> {
    let mut parts = Vec::new();
    for (i, body) in bodies.iter().enumerate() {
        let pose = body.placed()?.pose;
        parts.extend(
            body.shape
                .solid
                .iter()
                .map(|part| (Placed::new(&part.form, pose * part.pose), i)),
        );
    }
    Ok(parts)
}

struct Kernels {
    field: PressureField,
    common_plane: CommonPlane,
}

impl Kernels {
    /// Visits the forces on the second part, each with a couple and its point. `slip_rate` is the velocity of the second at a point, relative to the first.
    fn for_each_force(
        &mut self,
        [a, b]: [&Placed<&Form>; 2],
        history: &mut History,
        law: &Law,
        time: f64,
        slip_rate: impl Fn(DVec3) -> DVec3,
        mut visit: impl FnMut(DVec3, DVec3, DVec3),
    ) {
        let ball = |part: &Placed<&Form>, radius: f64| Sphere::new(part.pose.translation(), radius);
        let contact: Option<Contact<DVec3>> = match (a.shape, b.shape) {
            (Form::Ball(r), Form::Ball(s)) => {
                SphereSphere::new().contact(&ball(a, *r), &ball(b, *s))
            }
            (Form::Ball(r), Form::Block(block)) => {
                let block = Placed::new(block, b.pose);
                let contact =
                    self.common_plane
                        .contact_with(&ball(a, *r), &block, &mut history.sphere);
                contact.map(Into::into)
            }
            (Form::Block(block), Form::Ball(r)) => {
                let block = Placed::new(block, a.pose);
                let contact =
                    self.common_plane
                        .contact_with(&ball(b, *r), &block, &mut history.sphere);
                contact.map(|contact| Contact {
                    normal: -contact.normal,
                    ..contact.into()
                })
            }
            (Form::Block(p), Form::Block(q)) => {
                let (p, q) = (Placed::new(p, a.pose), Placed::new(q, b.pose));
                let contact = self.field.contact_with(&p, &q, &mut history.field);
                let springs = &mut history.springs;
                law.for_each_force(contact.as_slice(), springs, slip_rate, time, visit);
                return;
            }
        };
        let Some(Contact {
            point,
            normal,
            overlap,
        }) = contact
        else {
            history.springs.clear();
            return;
        };
        history.springs.resize(1, DVec3::ZERO);
        let rate = slip_rate(point);
        let push = (STIFFNESS * overlap - DAMPING * rate.dot(normal)).max(0.0);
        let along = rate.reject_from_normalized(normal);
        let slip = history.springs[0].reject_from_normalized(normal) + along * time;
        let hold =
            (slip * (0.5 * STIFFNESS) + along * DAMPING).clamp_length_max(law.friction * push);
        history.springs[0] = (hold - along * DAMPING) / (0.5 * STIFFNESS);
        visit(normal * push - hold, DVec3::ZERO, point);
    }
}

fn main() -> Result<(), Error> {
    // Four spheres that just touch, and a hook of two blocks.
    let tetrahedron = [
        [1.0, 1.0, 1.0],
        [1.0, -1.0, -1.0],
        [-1.0, 1.0, -1.0],
        [-1.0, -1.0, 1.0],
    ];
    let spheres = tetrahedron.map(|x| {
        (
            Form::Ball(RADIUS),
            DVec3::from(x) * (RADIUS / 2.0_f64.sqrt()),
        )
    });
    let long = (Form::cuboid(DVec3::new(0.5, 0.15, 0.15))?, DVec3::ZERO);
    let short = (
        Form::cuboid(DVec3::new(0.15, 0.15, 0.2))?,
        DVec3::new(0.175, 0.0, 0.175),
    );
    let shapes = [compound(spheres.into())?, compound(vec![long, short])?];
    let mut floor = compound(vec![(
        Form::cuboid(DVec3::new(20.0, 20.0, 1.0))?,
        DVec3::ZERO,
    )])?;
    floor.mass = f64::INFINITY;
    floor.inertia = DVec3::INFINITY;

    let mut random = SplitMix64::new(6);
    let mut bodies = vec![Body::new(&floor, DQuat::IDENTITY, DVec3::Z * -0.5)];
    bodies.extend((0..36).map(|i| {
        let turn = DQuat::from_array([0; 4].map(|_| random.range(-1.0, 1.0))).normalize();
        let place = DVec3::from_array([i % 3, i / 3 % 3, i / 9].map(|k| 0.55 * k as f64));
        Body::new(&shapes[i % 2], turn, place + DVec3::Z * 0.5)
    }));

    let owners: Vec<usize> = place(&bodies)?.iter().map(|&(_, body)| body).collect();
    let owner = owners.clone();
    let of_other_bodies = move |i: usize, j: usize| owner[i] != owner[j];
    let broad_phase = Filtered::new(HierarchicalGrid::new(), of_other_bodies);
    let mut list: PairList<_, History> = PairList::new(broad_phase, Skin::Absolute(0.03))?;
    let mut kernels = Kernels {
        field: PressureField::new().with_points(),
        common_plane: CommonPlane::new(),
    };
    let law = Law::new(1e8, DENSITY * 0.15);
    let time = law.time_step();
    let steps = (6.0 / time) as usize;
    for _ in 0..steps {
        bodies.iter_mut().for_each(|body| body.drift(0.5 * time));
        let parts = place(&bodies)?;
        let placed: Vec<_> = parts.iter().map(|(part, _)| *part).collect();
        let mut impulses = Vec::new();
        list.update(&placed)?;
        list.for_each_touching_pair(|i, j, history| {
            let [a, b] = [owners[i], owners[j]];
            let slip_rate = |x| bodies[b].velocity_at(x) - bodies[a].velocity_at(x);
            let pair = [&placed[i], &placed[j]];
            let visit = |force, couple, point| impulses.push(([a, b], force, couple, point));
            kernels.for_each_force(pair, history, &law, time, slip_rate, visit);
        });
        for ([a, b], force, couple, point) in impulses {
            bodies[a].push_and_turn(-force * time, -couple * time, point);
            bodies[b].push_and_turn(force * time, couple * time, point);
        }
        for body in &mut bodies[1..] {
            body.kick(DVec3::Z * (-GRAVITY * body.shape.mass * time), DVec3::ZERO);
        }
        bodies.iter_mut().for_each(|body| body.drift(0.5 * time));
    }

    let parts = place(&bodies)?;
    let placed: Vec<_> = parts.iter().map(|(part, _)| *part).collect();
    list.update(&placed)?;
    let mut touching = 0;
    list.for_each_touching_pair(|_, _, _| touching += 1);
    // The other way: one body of the broad phase for each compound, and all pairs of parts.
    let whole = |i: usize| {
        let own = parts.iter().filter(|&&(_, body)| body == i);
        own.map(|(part, _)| part.bounding_box())
            .reduce(|a, b| a.union(&b))
    };
    let around = |bounds: Aabb| Sphere::new(bounds.center(), 0.5 * bounds.size().length());
    let spheres: Vec<_> = (0..bodies.len()).filter_map(whole).map(around).collect();
    let mut grid = HierarchicalGrid::new();
    grid.rebuild(&spheres)?;
    let mut found = 0;
    grid.for_each_pair(|a, b| {
        let of = |body| parts.iter().filter(move |&&(_, owner)| owner == body);
        let pairs = of(a).flat_map(|(p, _)| of(b).map(move |(q, _)| (p, q)));
        found += pairs
            .filter(|(p, q)| p.bounding_sphere().touches(&q.bounding_sphere()))
            .count();
    });
    let energy: f64 = bodies[1..].iter().flat_map(Body::kinetic).sum();
    let heights = bodies[1..].iter().map(|body| body.position.z);
    let lowest = heights.fold(f64::INFINITY, f64::min);
    println!(
        "{} bodies of {} parts, {touching} touching pairs of parts in the list",
        bodies.len(),
        parts.len()
    );
    println!("kinetic energy {energy:.1e} J, lowest center at {lowest:.3} m");
    assert_eq!(touching, found);
    assert!(energy < 1e-2 && lowest > 0.07);
    Ok(())
}
