//! Facts that only the numbers of the data show: families that theorems name, orthogonality, differences of duals.

use crate::num::Mat;
use crate::num::outward::gamma;
use crate::problem::Problem;

/// A family of data sets that a theorem speaks about, without bias column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Family {
    /// Rows (3,-1,0), (4,2,0), (0,gamma,gamma), labels alpha (16,18,0).
    VardiShamir {
        /// gamma >= 0.
        gamma: f64,
    },
    /// Rows x and -x with labels (y, -y) or (y, y), y other than 0.
    TwoPoints {
        /// |x|.
        position: f64,
        /// |y|.
        label: f64,
        /// Whether the labels are equal.
        even: bool,
    },
}

impl Family {
    /// The family that n x d inputs and n labels belong to, entry for entry.
    pub fn of(x: &Mat, y: &[f64]) -> Option<Self> {
        assert_eq!(x.rows(), y.len(), "{} rows and {} labels", x.rows(), y.len());
        Self::vardi_shamir(x, y).or_else(|| Self::two_points(x, y))
    }

    fn vardi_shamir(x: &Mat, y: &[f64]) -> Option<Self> {
        if (x.rows(), x.cols()) != (3, 3) {
            return None;
        }
        let gamma = x[(2, 1)];
        let rows = x.row(0) == [3.0, -1.0, 0.0] && x.row(1) == [4.0, 2.0, 0.0] && x.row(2) == [0.0, gamma, gamma];
        // 18 y_1 = 16 y_2 is exact for labels alpha (16, 18) whenever alpha has a few bits to spare.
        (rows && gamma >= 0.0 && y[0] > 0.0 && 18.0 * y[0] == 16.0 * y[1] && y[2] == 0.0)
            .then_some(Self::VardiShamir { gamma })
    }

    fn two_points(x: &Mat, y: &[f64]) -> Option<Self> {
        if x.rows() != 2 {
            return None;
        }
        let opposite = x.row(0).iter().zip(x.row(1)).all(|(a, b)| *a == -b);
        let position = crate::num::mat::norm2(x.row(0));
        (opposite && position > 0.0 && y[0] != 0.0 && y[0].abs() == y[1].abs()).then_some(Self::TwoPoints {
            position,
            label: y[0].abs(),
            even: y[0] == y[1],
        })
    }
}

/// Whether all rows are orthogonal up to the rounding of their inner products: `|x_i . x_l| <= gamma_D |x_i| |x_l|`.
///
/// O(n^2) from the Gram matrix of rows with `dim` entries.
pub fn orthogonal_rows(gram: &Mat, dim: usize) -> bool {
    let unit = 2.0 * gamma(dim);
    (0..gram.rows()).all(|i| {
        (0..i).all(|l| gram[(i, l)].abs() <= unit * gram[(i, i)].max(0.0).sqrt() * gram[(l, l)].max(0.0).sqrt())
    })
}

/// `|v|`, where v collects `alpha_ji - a_ji` over the examples whose label is not of neuron j's sign.
///
/// `alpha` are the duals of a limit and `a` those of the minimum-norm solution, both m x n.
pub fn rejected_difference(problem: &Problem, alpha: &Mat, a: &Mat) -> f64 {
    let shape = (problem.m(), problem.n());
    for (name, duals) in [("alpha", alpha), ("a", a)] {
        assert_eq!(
            (duals.rows(), duals.cols()),
            shape,
            "{name} is {}x{}, expected {shape:?}",
            duals.rows(),
            duals.cols()
        );
    }
    let mut v = Vec::new();
    for j in 0..problem.m() {
        for i in 0..problem.n() {
            if !(problem.y()[i] * problem.c()[j] > 0.0) {
                v.push(alpha[(j, i)] - a[(j, i)]);
            }
        }
    }
    crate::num::mat::norm2(&v)
}
