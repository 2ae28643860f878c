//! The ways to choose level sizes.

use osculate::glam::{DVec2, DVec3};
use osculate::reference::{
    constant_count_level_sizes, exponential_level_sizes, linear_level_sizes, optimal_level_sizes,
};
use osculate::{
    broad::{LevelSizes, SearchDirection},
    reference::{GridCost, GridCostModel, RadiusDistribution},
};

use crate::Result;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rule {
    Linear,
    Exponential,
    ConstantCount,
    Optimal,
}

impl Rule {
    pub(crate) const ALL: [Self; 4] = [
        Self::Linear,
        Self::Exponential,
        Self::ConstantCount,
        Self::Optimal,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Exponential => "exponential",
            Self::ConstantCount => "constant count",
            Self::Optimal => "optimal",
        }
    }
}

/// Radii, with everything that their cost depends on.
pub(crate) struct Case<'a> {
    pub radii: &'a RadiusDistribution,
    pub dim: usize,
    pub model: GridCostModel<'a>,
}

impl<'a> Case<'a> {
    pub(crate) fn new(
        radii: &'a RadiusDistribution,
        dim: usize,
        nu: f64,
        direction: SearchDirection,
        cost: GridCost,
    ) -> Result<Self> {
        let model = if dim == 2 {
            GridCostModel::new::<DVec2>(radii, radii.density::<DVec2>(nu), direction, cost)
        } else {
            GridCostModel::new::<DVec3>(radii, radii.density::<DVec3>(nu), direction, cost)
        };
        let model = model?;
        Ok(Self { radii, dim, model })
    }

    pub(crate) fn sizes(&self, rule: Rule, levels: usize) -> LevelSizes {
        match rule {
            Rule::Linear => linear_level_sizes(self.radii, levels),
            Rule::Exponential => exponential_level_sizes(self.radii, levels),
            Rule::ConstantCount if self.dim == 2 => {
                constant_count_level_sizes::<DVec2>(self.radii, levels)
            }
            Rule::ConstantCount => constant_count_level_sizes::<DVec3>(self.radii, levels),
            Rule::Optimal => optimal_level_sizes(&self.model, Some(levels)),
        }
    }

    /// The lowest cost of a rule over all numbers of levels, and that number.
    pub(crate) fn best(&self, rule: Rule) -> (f64, usize) {
        if rule == Rule::Optimal {
            let sizes = optimal_level_sizes(&self.model, None);
            return (self.model.time(&sizes), sizes.as_slice().len());
        }
        let (mut best, mut levels) = ((f64::INFINITY, 0), 1);
        // Every number at first, then in steps of 5 %, because the cost is flat there.
        while levels <= 2 * best.1 + 20 {
            let time = self.model.time(&self.sizes(rule, levels));
            if time < best.0 {
                best = (time, levels);
            }
            levels += 1 + levels.saturating_sub(20) / 20;
        }
        best
    }
}
