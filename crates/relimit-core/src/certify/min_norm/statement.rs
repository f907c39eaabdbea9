//! The constraints of a minimum-norm solution, example by example.

use serde::{Deserialize, Serialize};

/// The two groups of neurons by the sign of their output weight, each taken as one neuron of effective weight
/// `C = sqrt(sum_j c_j^2)` (0: no such neuron).
///
/// With `w_j = (|c_j| / C) w` the group computes `C relu(w.x)` and has `sum_j |w_j|^2 = |w|^2`, which is the least
/// norm for neurons that share one pattern (Cauchy-Schwarz).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sides {
    /// Effective weight of the neurons with `c_j > 0`.
    pub pos: f64,
    /// Effective weight of the neurons with `c_j < 0`.
    pub neg: f64,
}

impl Sides {
    /// The groups of output weights c. A group of one keeps its weight exactly.
    pub fn of(c: &[f64]) -> Self {
        let group = |sign: f64| {
            let own: Vec<f64> = c.iter().copied().filter(|v| v * sign > 0.0).collect();
            crate::num::mat::norm2(&own)
        };
        Self { pos: group(1.0), neg: group(-1.0) }
    }

    /// Whether both groups have a neuron, so that an example can be met in two ways.
    pub fn both(&self) -> bool {
        self.pos > 0.0 && self.neg > 0.0
    }

    /// What the network can be asked to output for label y: y, or 0 when no neuron has its sign.
    pub fn target(&self, y: f64) -> f64 {
        if (y > 0.0 && self.pos > 0.0) || (y < 0.0 && self.neg > 0.0) { y } else { 0.0 }
    }
}

/// How an example is met when there is a neuron of each sign. `own` has the sign of the label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Undecided: the convex hull of the other two.
    Open,
    /// The opposite neuron is silent: `C_own own = |y|`, `opp <= 0` (label 0: both silent).
    Apart,
    /// Both are active: `C_own own - C_opp opp = |y|`, `opp >= 0`.
    Both,
}

/// One constraint `pos (x.w_pos) + neg (x.w_neg) >= rhs`, or `=` when `free` (its multiplier then has any sign).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Row {
    /// Coefficient on the positive neuron.
    pub pos: f64,
    /// Coefficient on the negative neuron.
    pub neg: f64,
    /// Right-hand side.
    pub rhs: f64,
    /// Equality.
    pub free: bool,
}

impl Row {
    /// Whether the row says anything.
    pub fn live(&self) -> bool {
        self.pos != 0.0 || self.neg != 0.0
    }
}

/// The two constraints of an example with target `t` in a state; unused ones are all zero.
///
/// ```text
/// a = C_own own, o = C_opp opp:   Open  a >= |t|,  a - o >= |t|      (exactly the hull of the two below)
///                                 Apart a  = |t|,     -o >= 0
///                                 Both  a - o = |t|,   o >= 0
/// t = 0:                          Open  nothing;  Apart -a >= 0, -o >= 0;  Both a - o = 0, o >= 0
/// one sign only:                  a = |t|, or -a >= 0 when t = 0     (whatever the state)
/// ```
pub fn rows(t: f64, state: State, sides: Sides) -> [Row; 2] {
    let positive = if sides.both() { t >= 0.0 } else { sides.pos > 0.0 };
    let row = |own: f64, opp: f64, rhs: f64, free: bool| {
        let (pos, neg) = if positive { (own, opp) } else { (opp, own) };
        Row { pos: pos * sides.pos, neg: neg * sides.neg, rhs, free }
    };
    let y = t.abs();
    if !sides.both() {
        let one = if y > 0.0 { row(1.0, 0.0, y, true) } else { row(-1.0, 0.0, 0.0, false) };
        return [one, Row::default()];
    }
    match (state, y > 0.0) {
        (State::Open, true) => [row(1.0, 0.0, y, false), row(1.0, -1.0, y, false)],
        (State::Open, false) => [Row::default(); 2],
        (State::Apart, true) => [row(1.0, 0.0, y, true), row(0.0, -1.0, 0.0, false)],
        (State::Apart, false) => [row(-1.0, 0.0, 0.0, false), row(0.0, -1.0, 0.0, false)],
        (State::Both, _) => [row(1.0, -1.0, y, true), row(0.0, 1.0, 0.0, false)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether (own, opp) outputs lie in the set that the rows describe.
    fn inside(t: f64, state: State, sides: Sides, pos: f64, neg: f64) -> bool {
        rows(t, state, sides).iter().all(|r| {
            let s = r.pos * pos + r.neg * neg - r.rhs;
            if r.free { s.abs() < 1e-12 } else { s > -1e-12 }
        })
    }

    #[test]
    fn decided_states_are_the_fitting_points_and_the_open_one_is_their_hull() {
        let sides = Sides::of(&[0.5, -2.0]);
        for t in [1.5, -1.5, 0.0] {
            for i in -8..=8 {
                for k in -8..=8 {
                    let (pos, neg) = (f64::from(i) * 0.5, f64::from(k) * 0.125);
                    let f = 0.5 * pos.max(0.0) - 2.0 * neg.max(0.0);
                    let decided = [State::Apart, State::Both].map(|s| inside(t, s, sides, pos, neg));
                    assert_eq!(decided[0] || decided[1], (f - t).abs() < 1e-12, "t {t} at {pos}, {neg}");
                    assert!(inside(t, State::Open, sides, pos, neg) || !(decided[0] || decided[1]));
                }
            }
        }
        // The hull is no larger: midpoints of its corner rays' points are reached, a point short of the label is not.
        assert!(!inside(1.5, State::Open, sides, 2.9, -1.0));
        assert!(inside(1.5, State::Open, sides, 4.0, -1.0));
        assert!(!inside(1.5, State::Open, sides, 4.0, 0.3));
    }

    #[test]
    fn a_label_without_a_neuron_of_its_sign_has_target_zero() {
        let sides = Sides::of(&[3.0, 4.0]);
        assert_eq!((sides.pos, sides.neg), (5.0, 0.0));
        assert_eq!((sides.target(2.0), sides.target(-2.0)), (2.0, 0.0));
        assert_eq!(rows(0.0, State::Open, sides)[0], Row { pos: -5.0, neg: 0.0, rhs: 0.0, free: false });
    }
}
