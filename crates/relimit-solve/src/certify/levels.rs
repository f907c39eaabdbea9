//! Losses at which training of these data gets stuck: nothing, a constant, an affine map, the active rows as they are.

use relimit_core::certify::optimum::Offset;
use relimit_core::collapse::Seen;
use relimit_core::num::Mat;
use relimit_core::num::mat::{dot, norm2};
use relimit_core::num::row_basis::RowBasis;

use crate::answer::{LevelFact, LevelName};
use crate::optimum::VectorObjective;

/// A level counts as met when loss and level differ by this share of the loss of the best constant.
const NEAR: f64 = 1e-3;
/// Levels whose distances differ by less than this share are equally near.
const EQUAL: f64 = 1e-9;
/// Multiplications that the level of the active rows may take.
const WORK: f64 = 4e8;

/// The level that a network stands at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Met {
    pub(super) level: LevelName,
    /// Its outputs are such a function, at another loss: that of the decay.
    pub(super) shrunk: bool,
}

/// What functions are compared with: data, whether a constant is within reach, factor of the loss.
pub(super) struct Levels<'a> {
    pub(super) x: &'a Mat,
    /// Labels, n x k.
    pub(super) y: &'a Mat,
    /// Whether hidden biases or an offset make constants.
    pub(super) constants: bool,
    /// Whether an offset gives every row a constant, seen or not.
    pub(super) offset: bool,
    /// Whether neurons have biases.
    pub(super) biased: bool,
    /// The loss is `factor / 2` times the sum of squares.
    pub(super) factor: f64,
}

impl<'a> Levels<'a> {
    /// Those of an objective.
    pub(super) fn of(objective: &'a VectorObjective) -> Self {
        let one = &objective.one;
        let offset = one.offset != Offset::None;
        let biased = one.dim() > one.features.cols();
        Self {
            x: &one.features,
            y: &objective.y,
            constants: offset || biased,
            offset,
            biased,
            factor: one.omega.first().copied().unwrap_or(0.0),
        }
    }

    /// The levels of the data, and that of the network's own active rows where it is not too much work.
    pub(super) fn all(&self, seen: &Seen) -> Vec<LevelFact> {
        let n = self.y.rows();
        let level = |name, basis: &RowBasis| LevelFact { name, loss: self.beside(basis, self.y) };
        let mut basis = RowBasis::new(n);
        let mut out = vec![level(LevelName::Zero, &basis)];
        if self.constants {
            basis.push(&vec![1.0; n]);
            out.push(level(LevelName::Constant, &basis));
        }
        self.push_columns(&mut basis, &vec![true; n], false);
        out.push(level(LevelName::Affine, &basis));
        out.extend(self.own(seen).map(|basis| level(LevelName::ActiveSets, &basis)));
        out
    }

    /// The loss that training without penalty cannot leave nearby: the best constant, or 0 where there is none.
    pub(super) fn scale(&self) -> f64 {
        self.beside(&self.flat(), self.y)
    }

    /// The level that the network stands at: the nearest within 1e-3 of the loss of the best constant (the simplest of
    /// equal ones), else the simplest whose kind of function its outputs are.
    ///
    /// The second matters with weight decay, which shrinks a function without changing its kind.
    pub(super) fn met(&self, levels: &[LevelFact], loss: f64, outputs: &Mat, decay: bool) -> Option<Met> {
        let scale = self.scale();
        let apart = |l: &LevelFact| (l.loss - loss).abs();
        let mut near: Option<&LevelFact> = None;
        for level in levels.iter().filter(|l| apart(l) <= NEAR * scale) {
            // rounding does not decide between levels of equal loss
            if near.is_none_or(|best| apart(level) < apart(best) - EQUAL * scale) {
                near = Some(level);
            }
        }
        if let Some(level) = near {
            return Some(Met { level: level.name, shrunk: false });
        }
        let kind = |name: LevelName| {
            let mut basis = match name {
                LevelName::Zero => RowBasis::new(self.y.rows()),
                LevelName::Constant | LevelName::Affine => self.flat(),
                LevelName::ActiveSets => return false,
            };
            if name == LevelName::Affine {
                self.push_columns(&mut basis, &vec![true; self.y.rows()], false);
            }
            self.beside(&basis, outputs) <= NEAR * NEAR * scale
        };
        let shrunk = levels.iter().find(|l| decay && kind(l.name));
        shrunk.map(|l| Met { level: l.name, shrunk: true })
    }

    fn flat(&self) -> RowBasis {
        let mut basis = RowBasis::new(self.y.rows());
        if self.constants {
            basis.push(&vec![1.0; self.y.rows()]);
        }
        basis
    }

    /// The loss of what a span leaves of some columns, all outputs together.
    fn beside(&self, basis: &RowBasis, columns: &Mat) -> f64 {
        let square = |l: usize| {
            let column: Vec<f64> = (0..columns.rows()).map(|i| columns[(i, l)]).collect();
            let rest = basis.project(&column).1;
            dot(&rest, &rest)
        };
        0.5 * self.factor * (0..columns.cols()).map(square).sum::<f64>()
    }

    /// The features on the given rows, 0 on the others, and their constant.
    fn push_columns(&self, basis: &mut RowBasis, on: &[bool], constant: bool) {
        let pick = |i: usize, v: f64| if on[i] { v } else { 0.0 };
        if constant {
            basis.push(&(0..on.len()).map(|i| pick(i, 1.0)).collect::<Vec<f64>>());
        }
        for k in 0..self.x.cols() {
            let column: Vec<f64> = (0..on.len()).map(|i| pick(i, self.x[(i, k)])).collect();
            if norm2(&column) > 0.0 {
                basis.push(&column);
            }
        }
    }

    /// The span of what neurons with these active rows compute.
    fn own(&self, seen: &Seen) -> Option<RowBasis> {
        let mut masks: Vec<&Vec<bool>> = seen.active.iter().filter(|m| m.iter().any(|a| *a)).collect();
        masks.sort();
        masks.dedup();
        let (n, columns) = (self.y.rows(), masks.len() * (self.x.cols() + 1));
        if (n * columns) as f64 * n.min(columns) as f64 > WORK {
            return None;
        }
        let mut basis = RowBasis::new(n);
        if self.offset {
            basis.push(&vec![1.0; n]);
        }
        for mask in masks {
            self.push_columns(&mut basis, mask, self.biased);
        }
        Some(basis)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use relimit_core::collapse::seen;
    use relimit_core::net::Network;

    /// The corners of the square with exclusive or: mean 1/2, no affine map does better.
    #[test]
    fn levels_of_exclusive_or() {
        let x = Mat::from_rows(&[[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]);
        let y = Mat::from_vec(4, 1, vec![0.0, 1.0, 1.0, 0.0]);
        let levels = Levels { x: &x, y: &y, constants: true, offset: true, biased: true, factor: 0.5 };
        // one neuron on the last corner alone: it is fitted, the others share 2/3
        let net = Network::scalar(Mat::from_rows(&[[1.0, 1.0]]), vec![-1.5], vec![-4.0 / 3.0], 2.0 / 3.0);
        let all = levels.all(&seen(&net, &x));
        let expected = [0.5, 0.25, 0.25, 1.0 / 6.0];
        for (level, value) in all.iter().zip(expected) {
            assert!((level.loss - value).abs() < 1e-15, "{all:?}");
        }
        let met = |loss: f64| levels.met(&all, loss, &y, true).map(|m| (m.level, m.shrunk));
        assert_eq!(met(0.2501), Some((LevelName::Constant, false)), "the simpler of two equal ones");
        assert_eq!((met(0.1667), met(0.2)), (Some((LevelName::ActiveSets, false)), None));
        let shrunk = Some(Met { level: LevelName::Constant, shrunk: true });
        let constant = Mat::from_vec(4, 1, vec![0.4; 4]);
        assert_eq!(levels.met(&all, 0.3, &constant, true), shrunk, "by decay");
        assert_eq!(levels.met(&all, 0.3, &constant, false), None);
    }

    /// Beside exclusive or a second output x1: losses add up, 1/4 (2) more for 0, 1/4 (1) more for a constant, none for an
    /// affine map.
    #[test]
    fn levels_of_two_outputs_are_sums() {
        let x = Mat::from_rows(&[[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]);
        let y = Mat::from_rows(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
        let levels = Levels { x: &x, y: &y, constants: true, offset: true, biased: true, factor: 0.5 };
        let none = Network::new(Mat::zeros(1, 2), vec![0.0], Mat::zeros(2, 1), vec![0.0; 2]);
        let all: Vec<f64> = levels.all(&seen(&none, &x)).iter().map(|l| l.loss).collect();
        for (loss, value) in all.iter().zip([1.0, 0.5, 0.25]) {
            assert!((loss - value).abs() < 1e-15, "{all:?}");
        }
    }

    /// A slope that explains little: both levels are near, the nearer one is meant. Labels of mean 5 keep 0 away.
    #[test]
    fn the_nearest_level_is_named() {
        let x = Mat::from_rows(&[[-1.0], [0.0], [1.0]]);
        let y = Mat::from_vec(3, 1, vec![6.0 - 1.0 / 32.0, 3.0, 6.0 + 1.0 / 32.0]);
        let levels = Levels { x: &x, y: &y, constants: true, offset: true, biased: true, factor: 1.0 };
        let all = levels.all(&seen(&Network::scalar(Mat::zeros(1, 1), vec![0.0], vec![1.0], 0.0), &x));
        // 1/2 (sum of squares) = 3 + 1/1024, less 1/1024 with the slope: 3.3e-4 of the scale apart
        let met = |loss: f64| levels.met(&all, loss, &y, false).map(|m| m.level);
        assert_eq!((met(3.0), met(3.0 + 1.0 / 1024.0)), (Some(LevelName::Affine), Some(LevelName::Constant)));
    }
}
