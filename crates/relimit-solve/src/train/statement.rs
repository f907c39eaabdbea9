//! The labels and the choices of a plan, as the core and the solvers of the convex problem take them.

use relimit_core::certify::optimum::{Bias as CoreBias, Loss as CoreLoss, Offset};
use relimit_core::num::Mat;

use crate::optimum::FurtherLabels;
use crate::plan::{Bias, Loss};

/// Labels of all targets, n x k.
pub(super) fn labels(first: &[f64], further: &[FurtherLabels]) -> Mat {
    let columns: Vec<&[f64]> = std::iter::once(first).chain(further.iter().map(|t| &t.y[..])).collect();
    Mat::from_fn(first.len(), columns.len(), |i, l| columns[l][i])
}

pub(super) fn loss(loss: Loss) -> CoreLoss {
    match loss {
        Loss::HalfSum => CoreLoss::HalfSum,
        Loss::HalfMean => CoreLoss::HalfMean,
        Loss::Mean => CoreLoss::Mean,
    }
}

pub(super) fn bias(bias: Bias) -> CoreBias {
    match bias {
        Bias::None => CoreBias::None,
        Bias::Penalised => CoreBias::Penalised,
        Bias::Free => CoreBias::Free,
    }
}

pub(super) fn offset(offset: Bias) -> Offset {
    match offset {
        Bias::None => Offset::None,
        Bias::Penalised => Offset::Penalised,
        Bias::Free => Offset::Free,
    }
}
