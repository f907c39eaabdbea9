//! Who sees whom: neurons that no row or every row activates, rows that no neuron sees.

use serde::{Deserialize, Serialize};

use super::patterns::sign;
use crate::net::Network;
use crate::num::Mat;

/// Activity of the units of a network on n rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Neurons that are active on no row: descent never moves them.
    pub dead: Vec<usize>,
    /// Neurons that are active on every row: affine on the data.
    pub always_on: Vec<usize>,
    /// Rows on which no neuron with an output weight is active: they get the output bias alone.
    pub unseen: Vec<usize>,
    /// Active rows of each neuron, m x n.
    pub active: Vec<Vec<bool>>,
}

/// Signs are exact. O(m n d).
pub fn seen(net: &Network, x: &Mat) -> Seen {
    let (m, n) = (net.width(), x.rows());
    let active: Vec<Vec<bool>> = (0..m).map(|j| (0..n).map(|i| sign(net, j, x.row(i)) > 0).collect()).collect();
    let speaks = |j: usize| (0..net.outputs()).any(|o| net.c[(o, j)] != 0.0);
    Seen {
        dead: (0..m).filter(|&j| active[j].iter().all(|a| !a)).collect(),
        always_on: (0..m).filter(|&j| active[j].iter().all(|a| *a)).collect(),
        unseen: (0..n).filter(|&i| (0..m).all(|j| !active[j][i] || !speaks(j))).collect(),
        active,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_not_active_and_silent_neurons_see_nothing() {
        // at x = 0, 1, 2: relu(x - 1) sees the last, relu(-x) none (0 is its kink), relu(x + 1) all but says nothing
        let w = Mat::from_rows(&[[1.0], [-1.0], [1.0]]);
        let net = Network::scalar(w, vec![-1.0, 0.0, 1.0], vec![1.0, 1.0, 0.0], 0.5);
        let got = seen(&net, &Mat::from_rows(&[[0.0], [1.0], [2.0]]));
        assert_eq!((got.dead, got.always_on, got.unseen), (vec![1], vec![2], vec![0, 1]));
        assert_eq!(got.active[0], [false, false, true]);
    }
}
