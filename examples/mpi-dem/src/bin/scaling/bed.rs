//! A bed of spheres in a rotating drum, from repetitions of a small packing.

use std::f64::consts::{FRAC_PI_6, PI};

use osculate::glam::DVec3;
use osculate::{Error, HierarchicalGrid, PairList, Periodic, PeriodicBox, Skin, Sphere};

use crate::radii::power_law_radii;
use crate::random::SplitMix64;

/// Fraction of the volume that the spheres of the small packing fill.
const FRACTION: f64 = 0.6;
/// Largest over smallest radius; their number density is proportional to r^-3.
const SIZE_RATIO: f64 = 4.0;
/// Rounds in which overlapping spheres are pushed apart.
const ROUNDS: usize = 400;

/// The drum, in tiles: its length, its radius, and how far the surface is from the axis.
const LENGTH: i32 = 9;
const RADIUS: f64 = 3.75;
const LEVEL: f64 = -0.95;

pub struct Bed {
    /// The length of the period.
    pub length: f64,
    pub skin: f64,
    pub max_radius: f64,
    pub points: Vec<DVec3>,
    pub radii: Vec<f64>,
    /// The contacts of each sphere.
    pub contacts: Vec<u32>,
    /// Indices of spheres nearer than the skin.
    pub pairs: Vec<[u32; 2]>,
    pub pairs_each: f64,
    pub contacts_each: f64,
    pub overlap: f64,
}

impl Bed {
    /// Repeats a periodic cube of `tile` spheres with sides of 1, and keeps the spheres in the bed.
    pub fn new(tile: usize) -> Result<Self, Error> {
        let (spheres, mut list, period) = packing(tile)?;
        let mut contacts = vec![0_u32; tile];
        let (mut overlap, mut touching) = (0.0, 0);
        list.for_each_touching_pair(|i, j, _| {
            contacts[i] += 1;
            contacts[j] += 1;
            let [a, b] = [&spheres[i], &spheres[j]];
            let distance = period.minimum_image(b.center - a.center).length();
            overlap += (a.radius + b.radius - distance) / (0.5 * (a.radius + b.radius));
            touching += 1;
        });
        let around = -(RADIUS.ceil() as i32)..RADIUS.ceil() as i32;
        let wide = around.len();
        let place = |[x, y, z]: [i32; 3]| {
            let [y, z] = [y, z].map(|i| (i - around.start) as usize);
            ((x.rem_euclid(LENGTH) as usize * wide + y) * wide + z) * tile
        };
        let tiles = (0..LENGTH).flat_map(|x| {
            let across = around
                .clone()
                .flat_map(|y| around.clone().map(move |z| [x, y, z]));
            across.collect::<Vec<_>>()
        });
        let mut bed = Self {
            length: LENGTH.into(),
            skin: 0.25 * spheres[0].radius,
            max_radius: spheres[tile - 1].radius,
            points: Vec::new(),
            radii: Vec::new(),
            contacts: Vec::new(),
            pairs: Vec::new(),
            pairs_each: 0.0,
            contacts_each: 0.0,
            overlap: overlap / f64::from(touching),
        };
        // The index of each sphere of each tile, if it is in the bed.
        let mut index = vec![u32::MAX; LENGTH as usize * wide * wide * tile];
        for of_tile in tiles.clone() {
            let shift = DVec3::from_array(of_tile.map(f64::from));
            for (i, sphere) in spheres.iter().enumerate() {
                let point = sphere.center + shift;
                if is_in_bed(point) {
                    index[place(of_tile) + i] = bed.points.len() as u32;
                    bed.points.push(point);
                    bed.radii.push(sphere.radius);
                    bed.contacts.push(contacts[i]);
                }
            }
        }
        let near = list.pairs().iter().map(|&[i, j]| {
            let [a, b] = [i, j].map(|i| spheres[i as usize].center);
            (
                i as usize,
                j as usize,
                (period.minimum_image(b - a) - (b - a))
                    .round()
                    .to_array()
                    .map(|x| x as i32),
            )
        });
        let near: Vec<_> = near.collect();
        for of_tile in tiles {
            for &(i, j, image) in &near {
                let other: [i32; 3] = std::array::from_fn(|axis| of_tile[axis] + image[axis]);
                if other[1..].iter().all(|i| around.contains(i)) {
                    let pair = [index[place(of_tile) + i], index[place(other) + j]];
                    if !pair.contains(&u32::MAX) {
                        bed.pairs.push(pair);
                    }
                }
            }
        }
        let count = bed.points.len() as f64;
        bed.pairs_each = bed.pairs.len() as f64 / count;
        bed.contacts_each = bed.contacts.iter().map(|&n| f64::from(n)).sum::<f64>() / count;
        Ok(bed)
    }
}

/// In the drum, below a surface with a slope of 30 degrees.
fn is_in_bed(point: DVec3) -> bool {
    let (sin, cos) = FRAC_PI_6.sin_cos();
    point.y.hypot(point.z) < RADIUS && point.z * cos + point.y * sin < LEVEL
}

type List = PairList<Periodic<HierarchicalGrid<DVec3>>>;

/// Returns spheres in a periodic cube, in ascending order of radius, with the list of all pairs within the skin.
fn packing(count: usize) -> Result<(Vec<Sphere<DVec3>>, List, PeriodicBox), Error> {
    let period = PeriodicBox::orthogonal(DVec3::ZERO, DVec3::ONE, [true; 3])?;
    let mut random = SplitMix64::new(11);
    let radii = power_law_radii(count, -3.0, SIZE_RATIO);
    let volume: f64 = radii.iter().map(|r| 4.0 / 3.0 * PI * r.powi(3)).sum();
    let scale = (FRACTION / volume).cbrt();
    let sphere = |r: f64| Sphere::new(DVec3::from([0; 3].map(|_| random.unit())), scale * r);
    let mut spheres: Vec<_> = radii.into_iter().map(sphere).collect();
    let broad = Periodic::new(HierarchicalGrid::new(), period);
    let mut list = List::new(broad, Skin::Absolute(0.25 * scale))?;
    let mut pushes = vec![DVec3::ZERO; count];
    for _ in 0..ROUNDS {
        list.update(&spheres)?;
        pushes.fill(DVec3::ZERO);
        list.for_each_touching_pair(|i, j, _| {
            let [a, b] = [&spheres[i], &spheres[j]];
            let between = period.minimum_image(b.center - a.center);
            let distance = between.length().max(1e-12);
            let push = between * (0.6 * (a.radius + b.radius - distance) / distance);
            // The smaller one gives way.
            let [v, w] = [a, b].map(|sphere| sphere.radius.powi(3));
            pushes[i] -= push * (w / (v + w));
            pushes[j] += push * (v / (v + w));
        });
        for (sphere, push) in spheres.iter_mut().zip(&pushes) {
            sphere.center += push.clamp_length_max(0.5 * sphere.radius);
        }
    }
    for sphere in &mut spheres {
        sphere.center = period.wrap(sphere.center);
    }
    // Exactly the pairs within the skin of where the spheres are now.
    list.clear();
    list.update(&spheres)?;
    Ok((spheres, list, period))
}
