//! Whether the optimal network is unique: the features of all directions where |q| = lambda are independent, or not.

use relimit_core::certify::optimum::Offset;
use relimit_core::num::Mat;
use relimit_core::num::linalg::{mul_transposed, symmetric_eigenvalues};
use relimit_core::num::mat::{dot, norm2};

use super::columns::Candidate;
use super::price::Pricer;
use super::{Effort, Objective, Ray};

/// The contact set: every optimal network lives on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// Directions with |q| = lambda, the support first.
    pub rays: Vec<Ray>,
    /// Rank of their features (and of the constant, with an offset).
    pub rank: usize,
    /// Columns that the rank is of.
    pub columns: usize,
    /// Whether every direction of contact was looked for exhaustively, or by local search.
    pub exhaustive: bool,
}

impl Contact {
    /// Whether no other network on the directions found attains the optimum.
    pub fn unique(&self) -> bool {
        self.rank == self.columns
    }

    /// Whether no other network attains the optimum; `None` where directions of contact may have been missed.
    pub fn verdict(&self) -> Option<bool> {
        (self.exhaustive || !self.unique()).then(|| self.unique())
    }
}

/// |q| within this share of lambda is contact: polished optima have |q| = lambda to 1e-12, and a direction beside the contact
/// that local search stops at lies the square of its angle (1e-5) lower.
const TOUCH: f64 = 1e-9;
/// Squared singular values of unit features below this count as 0: the rounding of their products.
const DEPENDENT: f64 = 1e-13;

/// The directions where |q| = lambda at the dual point of an optimum, and the rank of their features.
pub fn contact(objective: &Objective, candidate: &Candidate, effort: &Effort<'_>) -> Contact {
    let pricer = Pricer::new(objective, effort.seed);
    let lowered = objective.with_lambda(objective.lambda * (1.0 - TOUCH));
    let mut rays = candidate.rays.clone();
    if norm2(&candidate.dual) > 0.0 {
        for ray in pricer.find(&lowered, &candidate.dual, &candidate.rays, 2 * effort.starts, 7).0 {
            if !rays.iter().any(|t| same(objective, t, &ray)) {
                rays.push(Ray { c: 0f64.copysign(ray.c), ..ray });
            }
        }
    }
    let offset = usize::from(objective.offset != Offset::None);
    let columns = rays.len() + offset;
    let mut a = Mat::zeros(columns, objective.n());
    for (j, ray) in rays.iter().enumerate() {
        a.row_mut(j).copy_from_slice(&objective.feature(ray));
    }
    if offset == 1 {
        a.row_mut(rays.len()).fill(1.0);
    }
    for j in 0..columns {
        let size = norm2(a.row(j));
        if size > 0.0 {
            a.row_mut(j).iter_mut().for_each(|v| *v /= size);
        }
    }
    let rank = if columns == 0 {
        0
    } else {
        symmetric_eigenvalues(&mul_transposed(&a, &a)).iter().filter(|v| **v > DEPENDENT).count()
    };
    Contact { rays, rank, columns, exhaustive: pricer.complete() }
}

/// Cosine of the angle (4e-5) below which two directions of one closed cell are one: q falls there by the square of the angle,
/// so that a search to rounding, 1e-15, does not place a maximum closer than 3e-8.
const PARALLEL: f64 = 1.0 - 1e-9;

/// Whether two rays are one to what the search resolves: nearly parallel, of one sign, in one closed cell.
fn same(objective: &Objective, a: &Ray, b: &Ray) -> bool {
    let near = dot(&a.u, &b.u) > PARALLEL * norm2(&a.u) * norm2(&b.u);
    near && a.c.is_sign_positive() == b.c.is_sign_positive()
        && objective.pattern(a).iter().zip(&objective.pattern(b)).all(|(s, t)| s * t >= 0)
}
