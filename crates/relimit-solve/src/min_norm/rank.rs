//! More labels to fit than weights: a dependence of the rows to working precision, by orthogonal factorisation.

use relimit_core::certify::min_norm::{Evidence, Node, Sides};
use relimit_core::descent::Problem;
use relimit_core::num::mat::{axpy, dot, norm2};

/// For neurons of one sign: multipliers of D + 8 of the fitted rows that cancel to rounding level and exclude their
/// labels; `None` when no more than D labels are to be fitted.
///
/// The labels are projected on the complement of the columns of X_P, orthogonalised twice (Gram-Schmidt), so that
/// `|X' v|` is at the level of eps, where a Gram matrix only reaches its square root. O(D^3).
pub(super) fn dependence(problem: &Problem, targets: &[f64], norms: &[f64], sides: Sides) -> Option<Evidence> {
    let d = problem.dim();
    let fitted: Vec<usize> = (0..problem.n()).filter(|&i| targets[i] != 0.0).collect();
    if sides.both() || fitted.len() <= d {
        return None;
    }
    let most = (d + 8).min(fitted.len());
    let rows: Vec<usize> = (0..most).map(|k| fitted[k * fitted.len() / most]).collect();
    // Columns of the row-scaled X_P; v = u / |x_i| in terms of a combination u of unit rows.
    let mut basis: Vec<Vec<f64>> = Vec::with_capacity(d);
    let reduce = |v: &mut [f64], basis: &[Vec<f64>]| {
        for _ in 0..2 {
            for q in basis {
                axpy(-dot(q, v), q, v);
            }
        }
    };
    for k in 0..d {
        let mut column: Vec<f64> = rows.iter().map(|&i| problem.x()[(i, k)] / norms[i]).collect();
        let before = norm2(&column);
        reduce(&mut column, &basis);
        let after = norm2(&column);
        if after > 1e-13 * before {
            basis.push(column.iter().map(|v| v / after).collect());
        }
    }
    let mut v: Vec<f64> = rows.iter().map(|&i| targets[i].abs() / norms[i]).collect();
    reduce(&mut v, &basis);
    let v = rows.iter().zip(&v).flat_map(|(&i, u)| [u / norms[i], 0.0]).collect();
    Some(Evidence::Tree { examples: rows, nodes: vec![Node::Leaf { v }] })
}
