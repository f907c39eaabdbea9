//! Without weight decay: the loss that equal inputs with different labels force on every network, and a network's distance to it.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::objective::{Bias, Objective, Offset};
use super::vector::value_vector;
use crate::certify::Claim;
use crate::net::Network;
use crate::num::Mat;
use crate::num::outward::{add_down, add_up, div_up, gamma, mul_down, mul_up, sub_down, sub_up};

/// The loss below which no network gets, whatever its width and weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Floor {
    /// Lower bound of the loss.
    pub value: f64,
    /// Groups of rows with equal inputs and labels that differ, each increasing.
    pub conflicts: Vec<Vec<usize>>,
    /// Whether some network reaches it: with hidden biases distinct inputs can have any outputs.
    pub attained: bool,
}

/// The loss of a network against the floor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fitted {
    /// Upper bound of the network's loss.
    pub objective: f64,
    /// Its distance to the floor, rounded up.
    pub gap: f64,
    /// `certified` when the gap is at most the share asked for of the loss of the best constant (of 0 without biases);
    /// `bound` when the floor says something: it is above 0, or some network reaches it; else `undecided`.
    pub status: Claim,
    /// The floor.
    pub floor: Floor,
}

/// The floor of the loss: what remains when every distinct input gets the mean of its labels, output by output.
///
/// ```text
/// sum over groups of equal inputs of  (omega/2) sum |y_i - mean|^2;   without any bias, inputs 0 get the output 0
/// ```
///
/// # Shapes
/// `x` n x d, `y` n x k. Panics on sample weights, which no command has yet.
///
/// # Cost
/// O(n (log n d + k)).
pub fn floor(objective: &Objective, x: &Mat, y: &Mat) -> Floor {
    assert_eq!(x.rows(), y.rows(), "{} rows and labels of {}", x.rows(), y.rows());
    assert!(objective.weights.is_none(), "a floor with sample weights");
    let omega = objective.factor_bounds(y.rows());
    let mut order: Vec<usize> = (0..y.rows()).collect();
    order.sort_by(|a, b| compare(x.row(*a), x.row(*b)).then(a.cmp(b)));
    let through_zero = objective.bias == Bias::None && objective.offset == Offset::None;
    let (mut value, mut conflicts) = (0.0, vec![]);
    for group in order.chunk_by(|a, b| compare(x.row(*a), x.row(*b)) == Ordering::Equal) {
        let zero = through_zero && x.row(group[0]).iter().all(|v| *v == 0.0);
        let mut differ = false;
        for l in 0..y.cols() {
            let labels: Vec<f64> = group.iter().map(|i| y[(*i, l)]).collect();
            let squares = if zero { squares_down(&labels) } else { spread_down(&labels) };
            value = add_down(value, mul_down(mul_down(0.5, omega[group[0]].lo), squares)).max(0.0);
            differ |= labels.iter().any(|v| *v != labels[0]);
        }
        if differ {
            conflicts.push(group.to_vec());
        }
    }
    Floor { value, conflicts, attained: objective.bias != Bias::None }
}

/// Rows in the order of their numbers; 0 and -0 are equal.
fn compare(a: &[f64], b: &[f64]) -> Ordering {
    let unlike = a.iter().zip(b).map(|(u, v)| (u + 0.0).total_cmp(&(v + 0.0))).find(|o| o.is_ne());
    unlike.unwrap_or(Ordering::Equal)
}

/// Lower bound of `sum y_i^2`.
fn squares_down(labels: &[f64]) -> f64 {
    labels.iter().fold(0.0, |s: f64, v| add_down(s, mul_down(*v, *v)).max(0.0))
}

/// Lower bound of `sum (y_i - mean)^2 = sum e_i^2 - (sum e_i)^2 / k`, `e_i = y_i - m` for any m.
fn spread_down(labels: &[f64]) -> f64 {
    let k = labels.len() as f64;
    let mean = labels[0] + labels.iter().map(|v| (v - labels[0]) / k).sum::<f64>();
    if labels.iter().all(|v| *v == labels[0]) || !mean.is_finite() {
        return 0.0;
    }
    let (mut squares, mut sum, mut size) = (0.0, 0.0, 0.0);
    for v in labels {
        let (low, high) = (sub_down(*v, mean), sub_up(*v, mean));
        let least = if low > 0.0 { low } else { (-high).max(0.0) };
        squares = add_down(squares, mul_down(least, least)).max(0.0);
        sum += v - mean;
        size = add_up(size, low.abs().max(high.abs()));
    }
    let sum = add_up(sum.abs(), mul_up(2.0 * gamma(labels.len() + 2), size));
    sub_down(squares, div_up(mul_up(sum, sum), k)).max(0.0)
}

/// Bounds the distance of a network's loss to the [`floor`], without weight decay.
///
/// `certified` means a distance of at most `gap` times the loss of the best constant: a share of the loss itself would say
/// nothing about a network whose loss is nearly 0.
///
/// # Shapes
/// `x` n x d, `y` n x k.
///
/// # Panics
/// As [`value_vector`].
pub fn certify_loss(objective: &Objective, x: &Mat, y: &Mat, net: &Network, gap: f64) -> Fitted {
    let v = value_vector(objective, x, y, net);
    let floor = floor(objective, x, y);
    let factor = objective.factor_bounds(y.rows()).first().map_or(0.0, |b| 0.5 * b.lo);
    let free = objective.bias != Bias::None || objective.offset != Offset::None;
    let labels = y.transpose();
    let squares = (0..labels.rows()).fold(0.0, |sum, l| {
        let column = labels.row(l);
        add_down(sum, if free { spread_down(column) } else { squares_down(column) }).max(0.0)
    });
    let scale = mul_down(factor, squares);
    let distance = sub_up(v.loss, floor.value).max(0.0);
    let status = if distance <= mul_down(gap, scale) {
        Claim::Certified
    } else if floor.value > 0.0 || floor.attained {
        Claim::Bound
    } else {
        Claim::Undecided
    };
    Fitted { objective: v.loss, gap: distance, status, floor }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(y: &[f64]) -> Mat {
        Mat::from_vec(y.len(), 1, y.to_vec())
    }

    #[test]
    fn equal_inputs_force_the_spread_of_their_labels() {
        // half-mean over 5 rows: labels 1, 2, 6 at one input have mean 3 and squares 4 + 1 + 9
        let x = Mat::from_rows(&[[0.0], [1.0], [0.0], [-0.0], [2.0]]);
        let objective = Objective::half_mean(0.0);
        let got = floor(&objective, &x, &one(&[1.0, 5.0, 2.0, 6.0, 5.0]));
        assert!(got.value <= 1.4 && got.value > 1.4 - 1e-14, "{}", got.value);
        assert_eq!((got.conflicts, got.attained), (vec![vec![0, 2, 3]], true));
        let none = floor(&objective, &x, &one(&[1.0, 5.0, 1.0, 1.0, 5.0]));
        assert_eq!((none.value, none.conflicts.len()), (0.0, 0));
        // a second output: labels -1, -1, 2 there have mean 0 and squares 1 + 1 + 4
        let two = Mat::from_rows(&[[1.0, -1.0], [5.0, 0.0], [2.0, -1.0], [6.0, 2.0], [5.0, 3.0]]);
        let got = floor(&objective, &x, &two);
        assert!(got.value <= 2.0 && got.value > 2.0 - 1e-14 && got.conflicts.len() == 1, "{got:?}");
        // no bias of any kind: 1 + 4 + 36 over 10
        let bare = Objective { bias: Bias::None, ..objective };
        let got = floor(&bare, &x, &one(&[1.0, 5.0, 2.0, 6.0, 5.0]));
        assert!(got.value <= 4.1 && got.value > 4.1 - 1e-14 && !got.attained, "{}", got.value);
    }

    /// Sums of integers are exact, so that the floor of scaled integers is known as a fraction.
    #[test]
    fn the_floor_is_never_above_the_exact_value() {
        let mut random = crate::num::test_random::Random(3);
        for trial in 0..200 {
            let k = 2 + random.below(6);
            let whole: Vec<i64> =
                (0..k).map(|_| i64::try_from(random.below(2_000_001)).expect("small") - 1_000_000).collect();
            let labels: Vec<f64> = whole.iter().map(|v| *v as f64).collect();
            let count = i64::try_from(k).expect("small");
            let exact =
                (count * whole.iter().map(|v| v * v).sum::<i64>() - whole.iter().sum::<i64>().pow(2)) as f64 / k as f64;
            let got = spread_down(&labels);
            assert!(got <= exact * (1.0 + 1e-15) && got >= exact * (1.0 - 1e-13), "trial {trial}: {got} {exact}");
        }
    }

    #[test]
    fn a_network_at_the_floor_is_certified() {
        // relu(x + 1) - 1 = x for x >= -1; labels of the middle input differ by 2
        let x = Mat::from_rows(&[[-1.0], [0.5], [0.5], [2.0]]);
        let y = [-1.0, -0.5, 1.5, 2.0];
        let objective = Objective { offset: Offset::Free, ..Objective::half_mean(0.0) };
        let net = |c: f64| Network::scalar(Mat::from_rows(&[[1.0]]), vec![1.0], vec![c], -1.0);
        let best = certify_loss(&objective, &x, &one(&y), &net(1.0), 1e-8);
        assert_eq!((best.status, best.floor.conflicts.len()), (Claim::Certified, 1));
        assert!((best.objective - 0.25).abs() < 1e-14 && best.gap < 1e-14, "{best:?}");
        let worse = certify_loss(&objective, &x, &one(&y), &net(1.001), 1e-8);
        assert_eq!(worse.status, Claim::Bound);
        assert!(worse.gap > 1e-7, "{worse:?}");
    }

    #[test]
    fn a_floor_of_0_is_a_bound_where_some_network_reaches_it() {
        let x = Mat::from_rows(&[[1.0], [2.0], [-1.0]]);
        let net = Network::scalar(Mat::from_rows(&[[1.0]]), vec![0.0], vec![1.0], 0.0);
        let at = |bias: Bias| {
            let objective = Objective { bias, ..Objective::half_mean(0.0) };
            certify_loss(&objective, &x, &one(&[1.0, 3.0, 0.0]), &net, 1e-8).status
        };
        // without biases the rows 1 and 2 are on one ray: labels 1 and 3 are out of reach, and 0 says nothing
        assert_eq!((at(Bias::Penalised), at(Bias::None)), (Claim::Bound, Claim::Undecided));
    }
}
