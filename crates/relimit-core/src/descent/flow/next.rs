//! The next event of a stretch, looking only at the pairs that can take part in it.

use super::guard::{At, Guard, first_violation};
use super::space::Space;
use super::state::State;
use super::stretch::Stretch;
use crate::descent::Problem;

/// Pairs looked at first.
const FEW: usize = 48;

/// An event: its time since the start of the stretch, the guards looked at, and which of them are violated then.
pub(super) struct Next<'a> {
    pub(super) dt: f64,
    pub(super) guards: Vec<Guard<'a>>,
    pub(super) violated: Vec<usize>,
}

/// The earliest event of the stretch; `None`: there is none, ever.
///
/// In weight coordinates a preactivation stays on its side until the weights have gone a way of length
/// `|z_ji| / |x_i|`, so pairs are taken in by growing length of the way: those within reach first, up to the time at which
/// the weights have gone that far, then those within four times that reach, and so on. `reach` is the guess to begin
/// with; it is left where a few dozen pairs were within it.
pub(super) fn next_event<'a>(
    stretch: &'a Stretch,
    problem: &Problem,
    space: &Space,
    state: &State,
    reach: &mut f64,
) -> Option<Next<'a>> {
    let search = |pairs: &[(usize, usize)], from: f64, to: f64| {
        let end = At::new(&stretch.mu, to);
        let mut guards = stretch.pair_guards(space, state, pairs, &end);
        guards.extend(stretch.push_guards(problem, space, state, &end));
        let hit = first_violation(&guards, &stretch.mu, from, to);
        hit.map(|(dt, violated)| Next { dt, guards, violated })
    };
    if space.dual() {
        let pairs: Vec<(usize, usize)> = (0..problem.m()).flat_map(|j| (0..problem.n()).map(move |i| (j, i))).collect();
        return search(&pairs, 0.0, f64::INFINITY);
    }
    let whole = stretch.way(&At::new(&stretch.mu, f64::INFINITY));
    let (mut from, mut within) = (0.0, reach.max(1e-12 * whole));
    *reach = within;
    loop {
        let pairs = stretch.within_reach(space, state, within.min(whole));
        let to = time_of(stretch, within, whole);
        if from == 0.0 && to.is_finite() && pairs.len() < FEW {
            *reach = 1.5 * within;
        } else if from == 0.0 && pairs.len() > 4 * FEW {
            *reach = 0.5 * within.min(whole);
        }
        if let Some(next) = search(&pairs, from, to) {
            return Some(next);
        }
        if to.is_infinite() {
            return None;
        }
        from = to;
        within *= 4.0;
    }
}

/// The latest time up to which the way is no longer than `reach`, from below.
fn time_of(stretch: &Stretch, reach: f64, whole: f64) -> f64 {
    if whole <= reach {
        return f64::INFINITY;
    }
    let slowest = stretch.mu.iter().fold(f64::INFINITY, |a, b| a.min(*b));
    let fastest = stretch.mu.iter().fold(0.0f64, |a, b| a.max(*b));
    let (mut low, mut high) = (1e-30 / fastest, 60.0 / slowest);
    if stretch.way(&At::new(&stretch.mu, low)) > reach {
        return 0.0;
    }
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        if stretch.way(&At::new(&stretch.mu, middle)) <= reach {
            low = middle;
        } else {
            high = middle;
        }
        if high < 1.01 * low {
            break;
        }
    }
    low
}
