//! Feasible points: decided patterns improved by single flips until none helps.

use relimit_core::certify::min_norm::State;

use super::system::{Dual, System};

/// A network that attains the least loss, with its pattern.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub states: Vec<State>,
    pub dual: Dual,
}

/// Solves a decided pattern and flips examples on the kink whose multipliers ask for the other state, as long as the
/// norm falls. `None` when no pattern on the way has a point, or the first solve was stopped. Monotone, hence finite; at most `rounds` solves.
pub(super) fn improve(system: &System<'_>, states: Vec<State>, rounds: usize) -> Option<Point> {
    let dual = system.solve(&states, None);
    if dual.ray || dual.stopped {
        return None;
    }
    let mut best = Point { states, dual };
    if !system.sides.both() {
        return Some(best);
    }
    for _ in 1..rounds {
        let flips: Vec<usize> = (0..system.n()).filter(|&i| wants_flip(system, &best, i)).collect();
        if flips.is_empty() {
            break;
        }
        let mut states = best.states.clone();
        for i in flips {
            states[i] = if states[i] == State::Apart { State::Both } else { State::Apart };
        }
        let dual = system.solve(&states, None);
        // The old point meets the new rows, so the norm cannot grow.
        if dual.ray || dual.stopped || dual.norm >= best.dual.norm * (1.0 - 1e-12) {
            break;
        }
        best = Point { states, dual };
    }
    Some(best)
}

/// On the kink (`opp = 0`) both states hold; the multipliers of one, written in the rows of the other, are negative
/// there exactly when the other state lets the norm fall.
fn wants_flip(system: &System<'_>, point: &Point, i: usize) -> bool {
    let (p, q) = (point.dual.v[2 * i], point.dual.v[2 * i + 1]);
    let more = |x: f64, y: f64| x > y + 1e-9 * (x.abs() + y.abs());
    match (point.states[i], system.targets[i] == 0.0) {
        (State::Apart, true) => p > 0.0 && q > 0.0,
        (_, true) => q > 0.0,
        (_, false) => q > 0.0 && more(q, p),
    }
}
