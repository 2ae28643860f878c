//! A slot hopper and a cooling granular gas on soil_core, with linear springs. Mass and diameter of most bodies are 1.

use grass_app::prelude::*;
use grass_scheduler::prelude::*;
use osculate::glam::DVec3;
use osculate_soil::OsculatePlugin;
use soil_core::*;
use soil_verlet::VelocityVerletPlugin;

const STIFFNESS: f64 = 1e4;
const DAMPING: f64 = 10.0;
const TIME_STEP: f64 = 1e-3;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Search {
    Soil,
    Osculate,
}

#[derive(Clone, Copy)]
pub struct Scene {
    pub is_hopper: bool,
    /// The number of bodies along each side at the start.
    pub side: usize,
    pub steps: usize,
    /// Half lists with forces on ghosts, or full lists.
    pub newton: bool,
    /// The diameter of two large bodies, or 1.
    pub ratio: f64,
}

impl Scene {
    pub const fn hopper(side: usize, steps: usize) -> Self {
        Self {
            is_hopper: true,
            side,
            steps,
            newton: true,
            ratio: 1.0,
        }
    }

    pub const fn gas(side: usize, steps: usize) -> Self {
        Self {
            is_hopper: false,
            ..Self::hopper(side, steps)
        }
    }

    /// Returns the scene, not yet run.
    pub fn app(&self, search: Search) -> App {
        let mut app = App::new();
        app.add_resource(Config::from_str(&self.config()));
        app.add_resource(*self)
            .add_plugins(AtomPlugin)
            .add_plugins(CommunicationPlugin)
            .add_plugins(DomainPlugin)
            .add_plugins(NeighborPlugin)
            .add_plugins(RunPlugin)
            .add_plugins(VelocityVerletPlugin::new());
        if search == Search::Osculate {
            app.add_plugins(OsculatePlugin);
        }
        app.add_setup_system(insert, ScheduleSetupSet::Setup);
        app.add_update_system(push_pairs, ParticleSimScheduleSet::Force);
        app.add_update_system(push_by_walls, ParticleSimScheduleSet::PostForce);
        app
    }

    fn config(&self) -> String {
        let width = 1.5 * self.side as f64;
        let (height, is_closed) = if self.is_hopper {
            (4.0 * width, "fixed")
        } else {
            (width, "periodic")
        };
        format!(
            "[domain]
            x_low = 0.0
            x_high = {width}
            y_low = 0.0
            y_high = {width}
            z_low = 0.0
            z_high = {height}
            boundary_x = \"{is_closed}\"
            boundary_y = \"periodic\"
            boundary_z = \"{is_closed}\"
            [neighbor]
            skin_fraction = 1.2
            newton = {newton}
            [run]
            steps = {steps}
            thermo = 1000000000",
            newton = self.newton,
            steps = self.steps,
        )
    }

    /// Returns center and diameter of each body.
    fn bodies(&self) -> Vec<(DVec3, f64)> {
        let width = 1.5 * self.side as f64;
        let bottom = if self.is_hopper { 2.0 * width } else { 0.0 };
        let mut bodies = Vec::new();
        if self.ratio > 1.0 {
            let place = |share: f64| DVec3::new(share * width, 0.5 * width, bottom + share * width);
            bodies.extend([0.25, 0.75].map(|share| (place(share), self.ratio)));
        }
        let large = bodies.clone();
        for i in 0..self.side.pow(3) {
            let place = [i, i / self.side, i / self.side.pow(2)];
            let place = place.map(|x| 0.6 + 1.5 * (x % self.side) as f64);
            let center = DVec3::from(place) + DVec3::Z * bottom;
            let is_free =
                |&(other, diameter): &(DVec3, f64)| center.distance(other) > 0.5 * (diameter + 1.0);
            if large.iter().all(is_free) {
                bodies.push((center, 1.0));
            }
        }
        bodies
    }
}

fn insert(scene: Res<Scene>, mut atoms: ResMut<Atom>, registry: Res<AtomDataRegistry>) {
    let bodies = scene.bodies();
    for (i, (center, diameter)) in bodies.iter().enumerate() {
        let mut store = ParticleStore::new(&mut atoms, &registry);
        store.push_default_local(bodies.len() as u64).unwrap();
        let mass = diameter.powi(3);
        // Spread evenly between -1 and 1.
        let spread = |factor: f64| 2.0 * (factor * (i + 1) as f64).fract() - 1.0;
        atoms.tag[i] = i as u32;
        atoms.pos[i] = center.to_array();
        atoms.vel[i] = [0.819_172, 0.671_043, 0.549_700].map(spread);
        atoms.cutoff_radius[i] = 0.5 * diameter;
        atoms.mass[i] = mass;
        atoms.inv_mass[i] = 1.0 / mass;
    }
    atoms.dt = TIME_STEP;
}

fn push_pairs(mut atoms: ResMut<Atom>, neighbor: Res<Neighbor>) {
    let count = atoms.nlocal() as usize;
    for (i, j) in neighbor.pairs(count) {
        let [a, b] = [i, j].map(|k| DVec3::from(atoms.pos[k]));
        let overlap = atoms.cutoff_radius[i] + atoms.cutoff_radius[j] - a.distance(b);
        if overlap <= 0.0 {
            continue;
        }
        let normal = (b - a).normalize();
        let slip = DVec3::from(atoms.vel[j]) - DVec3::from(atoms.vel[i]);
        let push = normal * (STIFFNESS * overlap - DAMPING * slip.dot(normal));
        atoms.force[i] = (DVec3::from(atoms.force[i]) - push).to_array();
        if neighbor.newton {
            atoms.force[j] = (DVec3::from(atoms.force[j]) + push).to_array();
        }
    }
}

/// Gravity, two sides, the slopes of the funnel, and a blocker of its slot for four fifths of the run. Bodies that
/// fall out of the box are removed by soil_core.
fn push_by_walls(scene: Res<Scene>, mut atoms: ResMut<Atom>, run: Res<RunState>) {
    if !scene.is_hopper {
        return;
    }
    let width = 1.5 * scene.side as f64;
    let (slope, edge) = (DVec3::new(7.0, 0.0, 3.0).normalize(), DVec3::Z * width);
    let mirrored = DVec3::new(-slope.x, 0.0, slope.z);
    for i in 0..atoms.nlocal() as usize {
        let center = DVec3::from(atoms.pos[i]);
        let in_funnel = center.z > 0.3 * width && center.z < 1.1 * width;
        let is_blocked = run.total_cycle < scene.steps / 5 * 4 && center.z > 0.3 * width;
        let planes = [
            (true, DVec3::ZERO, DVec3::X),
            (true, DVec3::X * width, -DVec3::X),
            (in_funnel, edge, slope),
            (in_funnel, edge + DVec3::X * width, mirrored),
            (is_blocked, DVec3::Z * 0.3 * width, DVec3::Z),
        ];
        let mut force = DVec3::from(atoms.force[i]) - DVec3::Z * 10.0 * atoms.mass[i];
        for (is_there, point, normal) in planes {
            let overlap = atoms.cutoff_radius[i] - (center - point).dot(normal);
            if is_there && overlap > 0.0 {
                let speed = DVec3::from(atoms.vel[i]).dot(normal);
                force += normal * (STIFFNESS * overlap - DAMPING * speed);
            }
        }
        atoms.force[i] = force.to_array();
    }
}
