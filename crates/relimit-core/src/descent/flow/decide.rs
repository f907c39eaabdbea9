//! The joint decision for all pairs of a neuron whose preactivation is 0: silent, active or sliding.

use super::space::{Pull, Space};
use super::state::{Mode, State};
use crate::descent::Problem;
use crate::num::linalg::Cholesky;
use crate::num::mat::dot;

/// No continuation, or more than one, is consistent with the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unsettled;

/// Decides every pair of neuron `j` with preactivation 0.
///
/// Pairs T that their own pull `c_j r_i < 0` draws back to 0 are decided together. With v = p - G_TT phi the
/// velocity of their preactivations, p the pull of the active examples outside T,
///
/// ```text
/// phi = argmin over 0 <= phi <= h of 1/2 phi' G_TT phi - p' phi,    h_i = -c_j r_i
/// phi_i = 0, v_i <= 0: silent;   phi_i = h_i, v_i >= 0: active;   between: sliding with mask phi_i / h_i
/// ```
///
/// The velocity is unique. Where rows are dependent phi is not, and the answer is a basic one: the rows that slide
/// are independent, the others stay on a side with velocity 0, which moves the neuron in the same way. The start
/// of the search is the present side of each pair, so a pair changes side only when its velocity says so beyond
/// rounding. Pairs with `c_j r_i >= 0` cross: they keep the mode that the caller gave them unless their velocity
/// contradicts it.
///
/// `push` holds the present phi of the pairs that slide, `reached` the pairs whose preactivation has just come to 0
/// (true: from below). One of these that would go back where it came from with a velocity within rounding of 0
/// slides with mask 0 or 1 instead: its motion is better evidence than such a velocity, and its guards see when it
/// really leaves.
pub(super) fn decide(
    problem: &Problem,
    space: &Space,
    state: &mut State,
    j: usize,
    r: &[f64],
    push: &[(usize, f64)],
    reached: &[(usize, bool)],
) -> Result<(), Unsettled> {
    let zeros: Vec<usize> = (0..problem.n()).filter(|&i| state.z[(j, i)] == 0.0).collect();
    if zeros.is_empty() {
        return Ok(());
    }
    let c = problem.c()[j];
    let drawn = |i: &usize| -c * r[*i] > space.unit() * c.abs() * state.residual_scale(problem, space, *i);
    let (held, crossing): (Vec<usize>, Vec<usize>) = zeros.iter().partition(|i| drawn(i));
    if crossing.iter().any(|&i| state.mode[j][i] == Mode::Sliding) {
        return Err(Unsettled);
    }
    let mut turns = 0;
    loop {
        let mut v: Vec<f64> = r.iter().zip(&state.mode[j]).map(|(r, mode)| c * r * mode.share()).collect();
        for &i in &held {
            v[i] = 0.0;
        }
        let mut boxed = BoxQp {
            space,
            base: space.pull(v),
            rows: &held,
            cap: held.iter().map(|&i| -c * r[i]).collect(),
            side: held.iter().map(|&i| state.mode[j][i]).collect(),
            phi: vec![0.0; held.len()],
        };
        for (q, &i) in held.iter().enumerate() {
            boxed.phi[q] = match boxed.side[q] {
                Mode::Silent => 0.0,
                Mode::Active => boxed.cap[q],
                Mode::Sliding => push.iter().find(|p| p.0 == i).map_or(0.0, |p| p.1.clamp(0.0, boxed.cap[q])),
            };
        }
        boxed.solve()?;
        let pull = boxed.pull();
        boxed.hold_back(&pull, reached);
        for (q, &i) in held.iter().enumerate() {
            state.mode[j][i] = boxed.side[q];
        }
        let scale = space.sum_unit() * space.speed_scale(&pull);
        let mut turned = false;
        for &i in &crossing {
            let s = space.speed(&pull, i);
            let mode = &mut state.mode[j][i];
            if s.abs() > scale * space.row_norm(i) && (s > 0.0) != (*mode == Mode::Active) {
                *mode = if s > 0.0 { Mode::Active } else { Mode::Silent };
                turned = true;
            }
        }
        if !turned {
            return Ok(());
        }
        turns += 1;
        if turns > 2 * crossing.len() + 2 {
            return Err(Unsettled);
        }
    }
}

/// `min 1/2 phi' G phi - p' phi` on a box, by an active set that starts from given sides.
struct BoxQp<'a> {
    space: &'a Space<'a>,
    /// The pull of all other examples.
    base: Pull,
    rows: &'a [usize],
    cap: Vec<f64>,
    side: Vec<Mode>,
    phi: Vec<f64>,
}

impl BoxQp<'_> {
    /// Frees the pair whose velocity contradicts its side most, moves to the minimum on the free pairs, and fixes
    /// those that reach a bound on the way: each round lowers the objective, so the search ends. A pair whose row
    /// depends on the free rows has velocity 0 there and is never freed.
    fn solve(&mut self) -> Result<(), Unsettled> {
        for _ in 0..20 * self.rows.len() + 20 {
            self.descend()?;
            let pull = self.pull();
            let scale = self.space.sum_unit() * self.space.speed_scale(&pull);
            let mut worst: Option<(f64, usize)> = None;
            for (q, &i) in self.rows.iter().enumerate() {
                let against = match self.side[q] {
                    Mode::Silent => self.space.speed(&pull, i),
                    Mode::Active => -self.space.speed(&pull, i),
                    Mode::Sliding => continue,
                };
                let excess = against / self.space.row_norm(i);
                let real = against > scale * self.space.row_norm(i);
                if real && worst.is_none_or(|w| excess > w.0) {
                    worst = Some((excess, q));
                }
            }
            match worst {
                None => return Ok(()),
                Some((_, q)) => self.side[q] = Mode::Sliding,
            }
        }
        Err(Unsettled)
    }

    /// Lets a pair slide that has just reached 0 and would return with no velocity to speak of, if its row is
    /// independent of those that slide.
    fn hold_back(&mut self, pull: &Pull, reached: &[(usize, bool)]) {
        let scale = self.space.sum_unit() * self.space.speed_scale(pull);
        for &(i, rose) in reached {
            let Some(q) = self.rows.iter().position(|&k| k == i) else { continue };
            let back = self.side[q] == if rose { Mode::Silent } else { Mode::Active };
            if !back || self.space.speed(pull, i).abs() >= scale * self.space.row_norm(i) {
                continue;
            }
            let others: Vec<usize> =
                (0..self.rows.len()).filter(|&k| self.side[k] == Mode::Sliding).map(|k| self.rows[k]).collect();
            let own = self.space.block(&[i], &[i])[(0, 0)];
            let cross = self.space.block(&[i], &others);
            let explained = if others.is_empty() {
                0.0
            } else {
                let factor = Cholesky::new(&self.space.block(&others, &others));
                factor.map_or(own, |f| dot(cross.row(0), &f.solve(cross.row(0))))
            };
            if own - explained > 1e3 * self.space.unit() * own {
                self.side[q] = Mode::Sliding;
            }
        }
    }

    /// Moves to the minimum over the sliding pairs, fixing those that reach a bound.
    fn descend(&mut self) -> Result<(), Unsettled> {
        loop {
            let free: Vec<usize> = (0..self.rows.len()).filter(|&q| self.side[q] == Mode::Sliding).collect();
            if free.is_empty() {
                return Ok(());
            }
            let pull = self.pull();
            let rows: Vec<usize> = free.iter().map(|&q| self.rows[q]).collect();
            let factor = Cholesky::new(&self.space.block(&rows, &rows)).ok_or(Unsettled)?;
            let step = factor.solve(&rows.iter().map(|&i| self.space.speed(&pull, i)).collect::<Vec<_>>());
            let mut share = 1.0f64;
            for (&q, s) in free.iter().zip(&step) {
                let room = if *s < 0.0 { -self.phi[q] } else { self.cap[q] - self.phi[q] };
                if s.abs() > room.abs() {
                    share = share.min(room / s);
                }
            }
            let mut fixed = false;
            for (&q, s) in free.iter().zip(&step) {
                let to = self.phi[q] + share * s;
                let tiny = 4.0 * f64::EPSILON * self.cap[q];
                let out = share < 1.0 || to <= 0.0 || to >= self.cap[q];
                if out && *s < 0.0 && to <= tiny {
                    (self.phi[q], self.side[q], fixed) = (0.0, Mode::Silent, true);
                } else if out && *s > 0.0 && to >= self.cap[q] - tiny {
                    (self.phi[q], self.side[q], fixed) = (self.cap[q], Mode::Active, true);
                } else {
                    self.phi[q] = to.clamp(0.0, self.cap[q]);
                }
            }
            if !fixed {
                return Ok(());
            }
        }
    }

    /// The pull of all examples at the present phi.
    fn pull(&self) -> Pull {
        let mut pull = self.base.clone();
        for (phi, &i) in self.phi.iter().zip(self.rows) {
            self.space.add(&mut pull, i, -phi);
        }
        pull
    }
}
