//! Examples whose inputs point the same way: they share a mask, so the flow sees them as one example.

use crate::descent::Problem;
use crate::num::Mat;
use crate::num::mat::{max_abs, norm2};

/// The rows of X grouped by direction; rows of zeros belong to no group.
///
/// For rows `x_i = s_i u` (s_i > 0) the losses add up to that of one example and a constant:
///
/// ```text
/// sum_i (y_i - s_i f(u))^2 = (Y - S f(u))^2 + const,   S = sqrt(sum_i s_i^2),   Y = sum_i s_i y_i / S
/// ```
///
/// so the flow of the grouped data is the flow of the data, and no two of its masks are tied to each other.
/// (Left apart, two equal rows with different labels would get masks of their own while they slide.)
pub(super) struct Directions {
    groups: Vec<Vec<usize>>,
    /// `s_i / S` of every example in its group; 0 for rows of zeros.
    share: Vec<f64>,
}

impl Directions {
    /// Groups the rows of `x`. O(n log n D) at worst.
    pub(super) fn of(x: &Mat) -> Self {
        let n = x.rows();
        let scale: Vec<f64> = (0..n).map(|i| max_abs(x.row(i))).collect();
        let unit = |i: usize, k: usize| x[(i, k)] / scale[i];
        let order = |a: usize, b: usize| {
            (0..x.cols())
                .map(|k| unit(a, k).partial_cmp(&unit(b, k)).expect("finite rows"))
                .find(|o| o.is_ne())
                .unwrap_or(std::cmp::Ordering::Equal)
        };
        let mut sorted: Vec<usize> = (0..n).filter(|&i| scale[i] > 0.0).collect();
        sorted.sort_by(|&a, &b| order(a, b).then(a.cmp(&b)));
        let mut groups: Vec<Vec<usize>> = vec![];
        for i in sorted {
            match groups.last_mut() {
                Some(g) if order(g[0], i).is_eq() => g.push(i),
                _ => groups.push(vec![i]),
            }
        }
        groups.sort_by_key(|g| g[0]);
        let mut share = vec![0.0; n];
        for g in &groups {
            let total = norm2(&g.iter().map(|&i| scale[i]).collect::<Vec<_>>());
            for &i in g {
                share[i] = if g.len() == 1 { 1.0 } else { scale[i] / total };
            }
        }
        Self { groups, share }
    }

    /// Whether every row is a group of its own.
    pub(super) fn trivial(&self) -> bool {
        self.groups.len() == self.share.len()
    }

    /// The examples of group `g`.
    pub(super) fn members(&self, g: usize) -> &[usize] {
        &self.groups[g]
    }

    /// The grouped data: row `x_i / (s_i / S)` and label `sum_i (s_i / S) y_i` a group.
    pub(super) fn reduce(&self, problem: &Problem) -> Problem {
        let x = Mat::from_fn(self.groups.len(), problem.dim(), |g, k| {
            let i = self.groups[g][0];
            problem.x()[(i, k)] / self.share[i]
        });
        let label = |g: &Vec<usize>| g.iter().map(|&i| self.share[i] * problem.y()[i]).sum();
        let y = self.groups.iter().map(label).collect();
        Problem::new(x, y, problem.c().to_vec(), problem.at_zero())
    }

    /// Preactivations of the groups from those of the examples (m x n).
    pub(super) fn gather(&self, z: &Mat) -> Mat {
        Mat::from_fn(z.rows(), self.groups.len(), |j, g| {
            let i = self.groups[g][0];
            z[(j, i)] / self.share[i]
        })
    }

    /// Preactivations, or duals, of the examples from those of the groups (m x groups).
    pub(super) fn scatter(&self, v: &Mat) -> Mat {
        let mut out = Mat::zeros(v.rows(), self.share.len());
        for j in 0..v.rows() {
            for (g, members) in self.groups.iter().enumerate() {
                for &i in members {
                    out[(j, i)] = self.share[i] * v[(j, g)];
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_rows_of_one_direction_and_keeps_the_loss_up_to_a_constant() {
        let x = Mat::from_rows(&[[1.0, 2.0], [0.0, 0.0], [3.0, 6.0], [-1.0, -2.0], [1.0, 2.0]]);
        let y = vec![1.0, 7.0, -2.0, 0.5, 3.0];
        let problem = Problem::new(x.clone(), y.clone(), vec![2.0], false);
        let d = Directions::of(&x);
        assert_eq!(d.groups, [vec![0, 2, 4], vec![3]]);
        let small = d.reduce(&problem);
        let gap = |w: [f64; 2]| {
            let of = |p: &Problem| p.loss(&Mat::from_vec(1, p.n(), p.x().mul_vec(&w)));
            of(&problem) - of(&small)
        };
        assert!((gap([0.3, 0.1]) - gap([-2.0, 5.0])).abs() < 1e-12);
        assert!((gap([0.3, 0.1]) - gap([-1.0, -0.2])).abs() < 1e-12);
        let z = Mat::from_vec(1, 5, x.mul_vec(&[0.3, 0.1]));
        assert!((d.scatter(&d.gather(&z)).row(0)[2] - z[(0, 2)]).abs() < 1e-15);
    }
}
