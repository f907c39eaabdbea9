//! One input: kinks and slopes of a network, and what any exact fit needs.

use relimit_core::net::Network;

/// A kink of a piecewise linear function of one input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kink {
    /// Where.
    pub at: f64,
    /// Slope to the left.
    pub left: f64,
    /// Slope to the right.
    pub right: f64,
}

/// Changes of slope below this share of the largest cancel: what is left of two equal ones is rounding.
const CANCELS: f64 = 1e-13;

/// Kinks of a network of one input, from left to right; those closer than `merge` are one.
///
/// relu(w x + b) has its kink at -b/w and changes the slope by c |w| there. Kinks whose changes cancel are left out.
pub fn kinks(net: &Network, merge: f64) -> Vec<Kink> {
    assert_eq!(net.inputs(), 1, "kinks of a network of {} inputs", net.inputs());
    let mut changes: Vec<(f64, f64)> = Vec::new();
    let mut slope = 0.0;
    for j in 0..net.width() {
        let (w, b, c) = (net.w[(j, 0)], net.b[j], net.c[(0, j)]);
        if w < 0.0 {
            slope += c * w;
        }
        if w != 0.0 && (b / w).is_finite() {
            changes.push((-b / w, c * w.abs()));
        }
    }
    changes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let top = changes.iter().map(|c| c.1.abs()).fold(0.0, f64::max);
    let mut out: Vec<Kink> = Vec::new();
    let mut k = 0;
    while k < changes.len() {
        let at = changes[k].0;
        let mut change = 0.0;
        while k < changes.len() && changes[k].0 - at <= merge {
            change += changes[k].1;
            k += 1;
        }
        if change.abs() > CANCELS * top {
            out.push(Kink { at, left: slope, right: slope + change });
        }
        slope += change;
    }
    out
}

/// What an exact fit of one input needs, hidden biases being free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExactFit {
    /// Least total slope change `sum |change of the connect-the-dots slope|`.
    pub slope_change: f64,
    /// Fewest kinks among the functions of that slope change.
    pub fewest_kinks: usize,
}

/// Slopes that agree to this share of their terms count as equal: two differences, two quotients and their difference round
/// by a few units each.
const COLLINEAR: f64 = 16.0 * f64::EPSILON;

/// The exact fit of least total slope change; `None` when equal inputs have different labels.
///
/// ```text
/// sum over interior points |s_k - s_(k-1)|;   fewest kinks: sum over maximal runs of one sign of curvature, of length a, of ceil(a/2)
/// ```
///
/// O(n log n). Source: reference cases, one-input facts.
pub fn exact_fit(x: &[f64], y: &[f64]) -> Option<ExactFit> {
    assert_eq!(x.len(), y.len(), "{} inputs and {} labels", x.len(), y.len());
    let mut points: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    points.dedup();
    if points.windows(2).any(|p| p[0].0 == p[1].0) {
        return None;
    }
    let (mut slope_change, mut fewest_kinks) = (0.0, 0);
    let (mut run, mut side) = (0usize, 0.0f64);
    for p in points.windows(3) {
        let left = (p[1].1 - p[0].1) / (p[1].0 - p[0].0);
        let right = (p[2].1 - p[1].1) / (p[2].0 - p[1].0);
        let change = right - left;
        let turn = if change.abs() <= COLLINEAR * (left.abs() + right.abs()) { 0.0 } else { change.signum() };
        slope_change += if turn == 0.0 { 0.0 } else { change.abs() };
        if turn != side {
            fewest_kinks += run.div_ceil(2);
            (run, side) = (0, turn);
        }
        run += usize::from(turn != 0.0);
    }
    Some(ExactFit { slope_change, fewest_kinks: fewest_kinks + run.div_ceil(2) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use relimit_core::num::Mat;

    #[test]
    fn three_points_need_one_kink() {
        // slopes .3677802 and .0481444 by hand
        let fit = exact_fit(&[1.0, -1.0, 0.0], &[0.1713998, -0.2445248, 0.1232554]).unwrap();
        assert!((fit.slope_change - (0.3677802 - 0.0481444)).abs() < 1e-15);
        assert_eq!(fit.fewest_kinks, 1);
        assert_eq!(exact_fit(&[0.0, 0.0, 1.0], &[1.0, 2.0, 0.0]), None);
        assert_eq!(exact_fit(&[0.0, 0.0, 1.0], &[1.0, 1.0, 0.0]).unwrap().fewest_kinks, 0);
    }

    #[test]
    fn runs_of_one_curvature_share_kinks() {
        // slopes 0 1 2 3 1: three turns up share two kinks, one turn down is one
        let (x, y) = ([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [0.0, 0.0, 1.0, 3.0, 6.0, 7.0]);
        assert_eq!(exact_fit(&x, &y).unwrap(), ExactFit { slope_change: 5.0, fewest_kinks: 3 });
        // slopes 0 1 1 2: the collinear point parts two runs
        assert_eq!(exact_fit(&x[..5], &[0.0, 0.0, 1.0, 2.0, 4.0]).unwrap().fewest_kinks, 2);
    }

    #[test]
    fn kinks_of_a_network_are_where_its_slope_changes() {
        // relu(x) - relu(-x) + 2 relu(x - 1): slope 1, a pair that cancels at 0, slope 3 beyond 1
        let w = Mat::from_rows(&[[1.0], [-1.0], [1.0]]);
        let net = Network::scalar(w, vec![0.0, 0.0, -1.0], vec![1.0, -1.0, 2.0], 0.0);
        assert_eq!(kinks(&net, 1e-12), [Kink { at: 1.0, left: 1.0, right: 3.0 }]);
    }
}
