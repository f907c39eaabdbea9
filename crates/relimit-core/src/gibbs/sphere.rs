//! What the integrals run over: the cells of the arrangement, exactly, or weighted points.

use super::cells::Cell;
use super::integral::{Integral, integral, mass};
use super::points::Points;
use crate::num::Mat;

/// The sphere of directions.
#[derive(Clone, Debug)]
pub(super) enum Sphere {
    /// Closed forms on every cell.
    Cells(Vec<Cell>),
    /// Weighted points.
    Points(Points),
}

impl Sphere {
    /// I alone; `None` where |q| reaches 1.
    pub(super) fn mass(&self, x: &Mat, p: &Mat) -> Option<f64> {
        match self {
            Self::Cells(cells) => mass(x, cells, p),
            Self::Points(points) => points.mass(x, p),
        }
    }

    /// I with its gradient, and its Hessian where `curved` is polled and never says stop; `None` where |q| reaches 1 or
    /// when stopped.
    pub(super) fn integral(&self, x: &Mat, p: &Mat, curved: Option<&dyn Fn() -> bool>) -> Option<Integral> {
        match self {
            Self::Cells(cells) => integral(x, cells, p, curved),
            Self::Points(_) if curved.is_some_and(|stop| stop()) => None,
            Self::Points(points) => points.integral(x, p, curved.is_some()),
        }
    }
}
