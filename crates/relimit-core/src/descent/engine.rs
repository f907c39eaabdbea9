//! The exact engine: plain steps while masks change, leaps while they do not, a certificate to end with.

use std::collections::BTreeMap;

use super::close::{Closing, Pair, close};
use super::dynamics::{Dynamics, State};
use super::leap::{First, Leap, row_norms};
use super::modes::Modes;
use super::recurrence::Recurrence;
use super::{Divergence, Event, Initial, Limit, Observer, Problem, Reason, Status, Work};
use crate::num::Mat;
use crate::num::mat::max_abs;

/// What a run of gradient descent may do.
#[derive(Clone, Debug, PartialEq)]
pub struct DescentOptions {
    /// Step of the half-sum loss, > 0.
    pub eta: f64,
    /// Plain steps allowed (leaps are free).
    pub max_steps: u64,
    /// Stop at this iterate instead of the limit.
    pub horizon: Option<u64>,
    /// Largest radius accepted for a limit with ties, in preactivations, relative to max |y|.
    pub tolerance: f64,
}

impl DescentOptions {
    /// Runs to the limit: 10^8 plain steps, ties to 1e-9.
    pub fn to_limit(eta: f64) -> Self {
        Self { eta, max_steps: 100_000_000, horizon: None, tolerance: 1e-9 }
    }
}

/// The limit of gradient descent, exactly.
///
/// ```text
/// w_j <- w_j + eta c_j X' D_j r,     r = y - sum_j c_j relu(X w_j)
/// ```
///
/// Plain steps are taken in the reference's arithmetic; a stretch without a change of mask is crossed in one leap
/// when bounds on every preactivation allow it; the run ends with the closed form once no mask can change any more,
/// or with a ball that holds the limit when some pairs keep crossing 0 (`Limit::ties`).
///
/// # Shapes
/// `start` has m neurons and n examples, as `problem`.
/// # Returns
/// Always a `Limit`; `stop` returning true ends it with `Status::Interrupted`.
/// # Cost
/// m n |active| per plain step, about 9 n^3 per new set of masks that is leapt over (n <= D); m n D and 9 (m D)^3 otherwise.
/// # Source
/// Leaps and ties: derived for this project, see ARCHITECTURE.md. Update equations: Lai, Wang, Tao, Muthukumar 2026 (arXiv 2603.04895).
pub fn descend(
    problem: &Problem,
    start: &Initial,
    options: &DescentOptions,
    observer: &mut dyn Observer,
    stop: &dyn Fn() -> bool,
) -> Limit {
    let dynamics = Dynamics::new(problem, start, options.eta);
    Run::new(&dynamics, options, observer).drive(stop)
}

/// `steps` plain steps without any cleverness: the slow reference of the engine, in duals when n <= D.
///
/// Status `converged` is never claimed: the state reached is reported as `budget`.
pub fn reference(problem: &Problem, start: &Initial, eta: f64, steps: u64, observer: &mut dyn Observer) -> Limit {
    let dynamics = Dynamics::new(problem, start, eta);
    let mut s = dynamics.state();
    let mut count = Counting { observer, last: 0.0, events: 0 };
    while s.step < steps {
        dynamics.step(&mut s, &mut count);
    }
    let work = Work { events: count.events, steps, ..Work::default() };
    finish(&dynamics, &s, Status::Budget, Reason::OutOfBudget, work, count.last)
}

/// Passes events on and counts them.
struct Counting<'a> {
    observer: &'a mut dyn Observer,
    last: f64,
    events: u64,
}

impl Observer for Counting<'_> {
    fn event(&mut self, event: &Event) {
        self.last = event.at;
        self.events += 1;
        self.observer.event(event);
    }
}

/// Passes events on, counts them, and notes which pairs changed within a window.
struct Watch<'a> {
    inner: Counting<'a>,
    changed: Vec<u32>,
    n: usize,
}

impl Observer for Watch<'_> {
    fn event(&mut self, event: &Event) {
        self.changed[event.neuron as usize * self.n + event.example as usize] += 1;
        self.inner.event(event);
    }
}

struct Run<'a> {
    dynamics: &'a Dynamics<'a>,
    options: &'a DescentOptions,
    watch: Watch<'a>,
    s: State,
    row_norm: Vec<f64>,
    work: Work,
    cache: BTreeMap<Vec<u64>, Modes>,
    next_sample: f64,
}

/// Why the loop ended, with the limit's extras.
struct End {
    status: Status,
    reason: Reason,
    ties: Vec<Pair>,
    radius: f64,
    divergence: Option<Divergence>,
}

impl End {
    fn new(status: Status, reason: Reason) -> Self {
        Self { status, reason, ties: vec![], radius: 0.0, divergence: None }
    }
}

impl<'a> Run<'a> {
    fn new(dynamics: &'a Dynamics<'a>, options: &'a DescentOptions, observer: &'a mut dyn Observer) -> Self {
        let s = dynamics.state();
        let next_sample = observer.next_sample();
        Self {
            row_norm: row_norms(dynamics),
            watch: Watch {
                inner: Counting { observer, last: 0.0, events: 0 },
                changed: vec![0; dynamics.m * dynamics.n],
                n: dynamics.n,
            },
            dynamics,
            options,
            s,
            work: Work::default(),
            cache: BTreeMap::new(),
            next_sample,
        }
    }

    fn drive(mut self, stop: &dyn Fn() -> bool) -> Limit {
        self.sample_here();
        let end = self.run(stop);
        self.work.events = self.watch.inner.events;
        let last_event = self.watch.inner.last;
        let mut limit = finish(self.dynamics, &self.s, end.status, end.reason, self.work, last_event);
        limit.ties = end.ties;
        limit.radius = end.radius;
        limit.divergence = end.divergence;
        limit
    }

    fn run(&mut self, stop: &dyn Fn() -> bool) -> End {
        let n = self.dynamics.n as u64;
        let m = self.dynamics.m as u64;
        let horizon = self.options.horizon.unwrap_or(u64::MAX);
        let r0 = max_abs(&self.dynamics.residual(&self.s)).max(f64::MIN_POSITIVE);
        let mut recurrence = Recurrence::new(&self.s.z);
        // prices in plain steps: closing n / (6 m), decomposition 4 n (measured 6 to 8.5 n, halved to leap early)
        let (closing_price, eigen_price) = ((n / (6 * m)).max(2), 4 * n);
        let (mut next_closing, mut closing_factor) = (closing_price, 1);
        let mut last_eigen = 0;
        let (mut wait, wait_cap) = (2u64, (4 * n).max(4));
        let mut quiet = 0u64;
        let (mut window_start, mut window) = (0u64, 512u64);
        let mut must_try = true;
        // a change of mask this close to 0 is likely a tie at its end
        let tiny = 0.1 * self.options.tolerance * max_abs(self.dynamics.problem.y());
        let (mut next_tie, mut tie_pause) = (0u64, 4 * closing_price);
        loop {
            if self.s.step >= horizon {
                return End::new(Status::Budget, Reason::OutOfBudget);
            }
            if self.work.steps >= self.options.max_steps {
                return self.out_of_budget();
            }
            if self.work.steps.is_multiple_of(4096) && stop() {
                return End::new(Status::Interrupted, Reason::Stopped);
            }
            if quiet == 0 && !self.s.on.iter().any(|on| *on) {
                return End::new(Status::Converged, Reason::AllSilent);
            }
            if must_try && self.options.horizon.is_none() && quiet >= 2 && self.work.steps >= next_closing {
                if let Some(end) = self.try_close(vec![]) {
                    return end;
                }
                closing_factor = (closing_factor * 2).min(1024);
                next_closing = self.work.steps + closing_price * closing_factor;
                must_try = closing_factor < 1024;
            }
            if quiet >= wait && (self.cache.contains_key(&self.key()) || self.work.steps >= last_eigen + eigen_price) {
                let eigens = self.work.eigens;
                match self.leap(horizon) {
                    Leapt::End(end) => return *end,
                    Leapt::By(steps) => {
                        if steps > wait_cap {
                            wait = (wait / 2).max(2);
                        } else {
                            wait = (wait * 2).min(wait_cap);
                        }
                        if steps > 0 {
                            recurrence.restart(&self.s.z, self.work.steps);
                        }
                        if self.work.eigens > eigens {
                            last_eigen = self.work.steps;
                        }
                        quiet = 0;
                    }
                }
                if stop() {
                    return End::new(Status::Interrupted, Reason::Stopped);
                }
                continue;
            }
            let flips = self.dynamics.step(&mut self.s, &mut self.watch);
            self.work.steps += 1;
            quiet += 1;
            if flips > 0 {
                quiet = 0;
                recurrence.flipped(flips as u64);
                must_try = true;
                closing_factor = closing_factor.min(64);
            }
            self.sample_here();
            if self.work.steps % 16 == 7 {
                recurrence.swing(&self.s.z);
            }
            if self.work.steps.is_multiple_of(16) {
                let size = max_abs(&self.dynamics.residual(&self.s));
                if size > 1e12 * r0
                    && let Some(end) = self.diverged(size)
                {
                    return end;
                }
                if recurrence.look(&self.s.z, self.work.steps) {
                    return End::new(Status::Cycle, Reason::Recurrence);
                }
            }
            if self.options.horizon.is_some() {
                continue;
            }
            let ends = flips > 0 && self.s.flip_size < tiny && self.work.steps >= next_tie;
            if ends {
                next_tie = self.work.steps + tie_pause;
                tie_pause += tie_pause / 4;
            }
            if ends || self.work.steps >= window_start + window {
                let ties = self.changed_pairs();
                if !ties.is_empty()
                    && ties.len() <= 64
                    && let Some(end) = self.try_close(ties)
                {
                    return end;
                }
            }
            if self.work.steps >= window_start + window {
                self.watch.changed.fill(0);
                window_start = self.work.steps;
                window += window / 4;
            }
        }
    }

    fn key(&self) -> Vec<u64> {
        let mut key = vec![0u64; self.s.on.len().div_ceil(64)];
        for (p, on) in self.s.on.iter().enumerate() {
            key[p / 64] |= u64::from(*on) << (p % 64);
        }
        key
    }

    fn changed_pairs(&self) -> Vec<Pair> {
        let n = self.dynamics.n;
        (0..self.watch.changed.len()).filter(|&p| self.watch.changed[p] > 0).map(|p| (p / n, p % n)).collect()
    }

    /// Ends the run if the state closes with these ties, or with them and the pairs they leave open.
    fn try_close(&mut self, ties: Vec<Pair>) -> Option<End> {
        let mut ties = ties;
        for _ in 0..3 {
            self.work.closings += 1;
            match close(self.dynamics, &self.s, &ties, &self.row_norm) {
                Closing::Closed { state, radius } => {
                    let reach = radius * max_abs(&self.row_norm);
                    if !ties.is_empty() && reach > self.options.tolerance * max_abs(self.dynamics.problem.y()) {
                        return None;
                    }
                    if ties.is_empty() {
                        self.sample_to_limit();
                    }
                    let step = self.s.step;
                    self.s = *state;
                    self.s.step = step;
                    for &(j, i) in &ties {
                        self.s.on[j * self.dynamics.ld + i] = false;
                    }
                    let reason = if ties.is_empty() { Reason::ClosedForm } else { Reason::Ties };
                    return Some(End { ties, radius, ..End::new(Status::Converged, reason) });
                }
                // without ties an open pair is simply not settled yet
                Closing::Open(pairs) if !ties.is_empty() && pairs.len() <= 8 => {
                    ties.extend(pairs);
                    ties.sort_unstable();
                }
                _ => return None,
            }
        }
        None
    }

    fn leap(&mut self, horizon: u64) -> Leapt {
        let key = self.key();
        if !self.cache.contains_key(&key) {
            let held: usize = self.cache.values().map(Modes::size).sum();
            let room = (1usize << 20).max(self.dynamics.n * self.dynamics.problem.dim() / 8);
            if held > room || self.cache.len() >= 256 {
                self.cache.clear();
            }
            self.work.eigens += 1;
            self.cache.insert(key.clone(), Modes::new(self.dynamics, &self.s.on));
        }
        let modes = &self.cache[&key];
        self.work.leaps += 1;
        let mut leap = Leap::new(self.dynamics, modes, &self.s, &self.row_norm);
        let left = if horizon == u64::MAX { f64::INFINITY } else { (horizon - self.s.step) as f64 };
        let (steps, end) = match leap.first_flip(left) {
            First::At(k) => ((k - 1) as f64, None),
            First::Never if leap.unresolved_growth => {
                return Leapt::End(Box::new(End::new(Status::Undecided, Reason::GrowingModeUnresolved)));
            }
            First::Never if left.is_finite() => (left, Some(End::new(Status::Budget, Reason::OutOfBudget))),
            First::Never if leap.has_period_two() => (0.0, Some(End::new(Status::Cycle, Reason::Recurrence))),
            First::Never => (f64::INFINITY, Some(End::new(Status::Converged, Reason::ClosedForm))),
            First::Touch => {
                let ties = leap.touching();
                if let Some(end) = self.try_close(ties.clone()) {
                    return Leapt::End(Box::new(end));
                }
                let modes = &self.cache[&key];
                let leap = Leap::new(self.dynamics, modes, &self.s, &self.row_norm);
                leap.apply(&mut self.s, f64::INFINITY);
                self.dynamics.reread(&mut self.s);
                return Leapt::End(Box::new(End { ties, ..End::new(Status::Undecided, Reason::SignUnresolved) }));
            }
        };
        let from = self.s.step as f64;
        let reach = if steps.is_finite() { steps } else { settling_time(modes, self.dynamics.eta) };
        while self.next_sample <= from + reach {
            let z = Mat::from_vec(self.dynamics.m, self.dynamics.n, leap.values(self.next_sample - from));
            self.watch.inner.observer.sample(self.next_sample, &z);
            self.next_sample = self.watch.inner.observer.next_sample();
        }
        if steps > 0.0 {
            leap.apply(&mut self.s, steps);
            if end.is_some() && steps.is_infinite() {
                self.dynamics.reread(&mut self.s);
            } else {
                self.dynamics.refresh(&mut self.s, &mut self.watch);
            }
        }
        match end {
            Some(end) => Leapt::End(Box::new(end)),
            None => Leapt::By(steps as u64),
        }
    }

    fn sample_here(&mut self) {
        while self.next_sample <= self.s.step as f64 {
            self.watch.inner.observer.sample(self.s.step as f64, &self.dynamics.z_matrix(&self.s));
            self.next_sample = self.watch.inner.observer.next_sample();
        }
    }

    /// Serves the samples still wanted between here and the limit on settled masks.
    fn sample_to_limit(&mut self) {
        if self.next_sample.is_infinite() {
            return;
        }
        let modes = Modes::new(self.dynamics, &self.s.on);
        self.work.eigens += 1;
        let leap = Leap::new(self.dynamics, &modes, &self.s, &self.row_norm);
        let from = self.s.step as f64;
        let reach = settling_time(&modes, self.dynamics.eta);
        while self.next_sample <= from + reach {
            let z = Mat::from_vec(self.dynamics.m, self.dynamics.n, leap.values(self.next_sample - from));
            self.watch.inner.observer.sample(self.next_sample, &z);
            self.next_sample = self.watch.inner.observer.next_sample();
        }
    }

    /// The residual passed 1e12 times its start: diverged if the present masks make the step too large.
    fn diverged(&mut self, size: f64) -> Option<End> {
        if !size.is_finite() {
            return Some(End::new(Status::Diverged, Reason::Growth));
        }
        let modes = Modes::new(self.dynamics, &self.s.on);
        self.work.eigens += 1;
        let growth = self.dynamics.eta * modes.mu_max();
        (growth > 2.0).then(|| End {
            divergence: Some(Divergence {
                step_times_eigenvalue: growth,
                stable_below: 2.0 / modes.mu_max(),
                examples: modes.carriers(modes.len() - 1),
            }),
            ..End::new(Status::Diverged, Reason::Growth)
        })
    }

    /// Plain steps ran out: still a limit if the recent flips close as ties within a wider radius.
    fn out_of_budget(&mut self) -> End {
        End { ties: self.changed_pairs(), ..End::new(Status::Budget, Reason::OutOfBudget) }
    }
}

enum Leapt {
    /// This many steps, then the deciding plain step.
    By(u64),
    End(Box<End>),
}

/// Steps until the slowest mode has decayed to 1e-3.
fn settling_time(modes: &Modes, eta: f64) -> f64 {
    let slowest = modes.mu.iter().map(|mu| (1.0 - eta * mu).abs()).filter(|f| *f < 1.0).fold(0.0, f64::max);
    if slowest == 0.0 { 1.0 } else { (1e-3f64.ln() / slowest.ln()).ceil() }
}

fn finish(dynamics: &Dynamics, s: &State, status: Status, reason: Reason, work: Work, last_event: f64) -> Limit {
    Limit {
        status,
        reason,
        alpha: dynamics.alpha_matrix(s),
        z: dynamics.z_matrix(s),
        w: dynamics.end_weights(s),
        ties: vec![],
        radius: 0.0,
        last: s.step as f64,
        last_event,
        divergence: None,
        work,
    }
}
