//! hoomd-microstate on an [`OsculateGrid`], compared with the same on its own `VecCell`.

use hoomd_geometry::shape::Rectangle;
use hoomd_microstate::boundary::Periodic;
use hoomd_microstate::property::Point;
use hoomd_microstate::{Body, Microstate, SiteKey};
use hoomd_spatial::{IndexFromPosition, PointUpdate, PointsNearBall, VecCell, WithSearchRadius};
use hoomd_vector::Cartesian;
use osculate::{glam::DVec2, testing::workload::SplitMix64};
use osculate_hoomd_spatial::OsculateGrid;

const CUT_OFF: f64 = 1.25;
const SIDE: f64 = 8.0;

/// Inserts, removes and moves bodies in a periodic square. From time to time returns the neighbors
/// of each body: tag and position of the body or its ghost.
fn simulate<X>() -> Vec<(usize, [f64; 2])>
where
    X: PointUpdate<Cartesian<2>, SiteKey>
        + PointsNearBall<Cartesian<2>, SiteKey>
        + WithSearchRadius
        + IndexFromPosition<Cartesian<2>>
        + Clone,
{
    let mut random = SplitMix64::new(1);
    let square = Rectangle::with_equal_edges(SIDE.try_into().unwrap());
    let mut state = Microstate::builder()
        .spatial_data(X::with_search_radius(CUT_OFF.try_into().unwrap()))
        .boundary(Periodic::new(CUT_OFF, square).unwrap())
        .try_build()
        .unwrap();
    let mut seen = Vec::new();
    for step in 0..600 {
        let place = [0; 2].map(|_| random.range(-0.5 * SIDE, 0.5 * SIDE));
        let index = random.below(state.bodies().len().max(1));
        match random.below(10) {
            0..5 => _ = state.add_body(Body::point(Cartesian::from(place))).unwrap(),
            5..7 if !state.bodies().is_empty() => state.remove_body(index),
            _ if !state.bodies().is_empty() => {
                let to = Point::new(Cartesian::from(place));
                state.update_body_properties(index, to).unwrap();
            }
            _ => {}
        }
        if step % 100 == 99 {
            state.sort_sites();
            for body in state.iter_bodies_tag_order() {
                let center = body.item.properties.position;
                let mut near: Vec<_> = state
                    .iter_sites_near(&center, CUT_OFF)
                    .map(|site| (site.site_tag, site.properties.position.coordinates))
                    .filter(|(_, [x, y])| {
                        let [dx, dy] = [x - center[0], y - center[1]];
                        dx * dx + dy * dy <= CUT_OFF * CUT_OFF
                    })
                    .collect();
                near.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap());
                seen.extend(near);
            }
        }
    }
    seen
}

#[test]
fn the_same_neighbors() {
    let ours = simulate::<OsculateGrid<SiteKey, DVec2>>();
    assert!(ours.len() > 1000);
    assert_eq!(ours, simulate::<VecCell<SiteKey, 2>>());
}
