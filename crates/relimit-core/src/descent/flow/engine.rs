//! The loop over events: closed form, next event, decision.

use std::collections::{BTreeMap, BTreeSet};

use super::covariance::Covariance;
use super::decide::decide;
use super::directions::Directions;
use super::guard::{At, Guard, Kind};
use super::next::next_event;
use super::space::Space;
use super::state::{Mode, State};
use super::stretch::{NoStretch, Stretch};
use crate::descent::{Event, Initial, Limit, Move, Observer, Problem, Reason, Status, Weights, Work};
use crate::num::Mat;
use crate::num::mat::axpy;

/// The end of a run on grouped data.
pub(super) struct End {
    status: Status,
    reason: Reason,
    state: State,
    duals: Mat,
    /// Whether the coordinates were the duals.
    dual: bool,
    last_event: f64,
    work: Work,
}

/// Runs from preactivations `z` (m x groups) to the limit.
pub(super) fn run(
    problem: &Problem,
    directions: &Directions,
    z: Mat,
    max_events: u64,
    observer: &mut dyn Observer,
    stop: &dyn Fn() -> bool,
) -> End {
    let space = Space::new(problem);
    let state = State::new(problem, &space, z);
    let run = Run {
        problem,
        directions,
        space,
        state,
        covariance: None,
        reach: 0.0,
        observer,
        work: Work::default(),
        last_event: 0.0,
    };
    run.go(max_events, stop)
}

struct Run<'a, 'o> {
    problem: &'a Problem,
    directions: &'a Directions,
    space: Space<'a>,
    state: State,
    /// Kept where the examples are many: what a stretch costs is then the passes over them.
    covariance: Option<Covariance>,
    /// Guess of the way of the weights to the next event.
    reach: f64,
    observer: &'o mut dyn Observer,
    work: Work,
    last_event: f64,
}

impl Run<'_, '_> {
    fn go(mut self, max_events: u64, stop: &dyn Fn() -> bool) -> End {
        // masks of the start are no events
        let r = self.state.residual(self.problem);
        for j in 0..self.problem.m() {
            if decide(self.problem, &self.space, &mut self.state, j, &r, &[], &[]).is_err() {
                return self.end(Status::Undecided, Reason::NonUnique);
            }
        }
        let p = self.problem;
        if !self.space.dual() && p.n() >= 4 * p.m() * p.dim() {
            self.covariance = Some(Covariance::new(p, &self.space, &self.state.mode));
        }
        let mut met: BTreeSet<Vec<Vec<Mode>>> = BTreeSet::new();
        loop {
            if stop() {
                return self.end(Status::Interrupted, Reason::Stopped);
            }
            if self.work.events >= max_events {
                return self.end(Status::Budget, Reason::OutOfBudget);
            }
            let stretch = match self.stretch() {
                Ok(s) => s,
                Err(reason) => return self.end(Status::Undecided, reason),
            };
            let next = next_event(&stretch, self.problem, &self.space, &self.state, &mut self.reach);
            let until = next.as_ref().map_or(f64::INFINITY, |h| self.state.t + h.dt);
            self.sample(&stretch, until, stop);
            let Some(next) = next else {
                self.rest(&stretch);
                let moved = !stretch.mu.is_empty() || self.work.events > 0;
                return self.end(Status::Converged, if moved { Reason::ClosedForm } else { Reason::AllSilent });
            };
            let fastest = stretch.mu.iter().fold(0.0f64, |a, b| a.max(*b));
            if next.dt * fastest > 1e-10 {
                met.clear();
            }
            if !met.insert(self.state.mode.clone()) {
                // the same masks again and no time has passed
                return self.end(Status::Undecided, Reason::SignUnresolved);
            }
            let x = At::new(&stretch.mu, next.dt);
            let before = self.state.mode.clone();
            let settled = self.settle(&stretch, &next.guards, &next.violated, &x);
            self.book(&before);
            if let Err(reason) = settled {
                return self.end(Status::Undecided, reason);
            }
            self.report(&before);
        }
    }

    fn stretch(&mut self) -> Result<Stretch, Reason> {
        self.work.eigens += 1;
        self.work.leaps += 1;
        let made = Stretch::new(self.problem, &self.space, &self.state, self.covariance.as_ref());
        made.map_err(|e| match e {
            NoStretch::NotFinite => Reason::NotFinite,
            NoStretch::Dependent => Reason::SignUnresolved,
        })
    }

    /// Moves to the limit. In weight coordinates a second stretch from there takes out what sums of squares, and zeros
    /// that were caught within bounds, have left in it.
    fn rest(&mut self, stretch: &Stretch) {
        let end = |stretch: &Stretch| At::new(&stretch.mu, f64::INFINITY);
        let h = self.covariance.as_ref();
        stretch.advance(self.problem, &self.space, &mut self.state, h, &end(stretch));
        if self.space.dual() || stretch.mu.is_empty() {
            return;
        }
        stretch.pin(self.problem, &self.space, &mut self.state);
        if let Ok(again) = self.stretch() {
            let h = self.covariance.as_ref();
            again.advance(self.problem, &self.space, &mut self.state, h, &end(&again));
        }
    }

    /// Brings what is kept a mask up to date with the changes since `before`.
    fn book(&mut self, before: &[Vec<Mode>]) {
        let after = &self.state.mode;
        if let Some(ledger) = self.state.duals.as_mut() {
            let changed = |i: &usize| before.iter().zip(after).any(|(old, new)| old[*i] != new[*i]);
            let rows: Vec<usize> = (0..self.problem.n()).filter(changed).collect();
            ledger.write(self.problem, before, &rows);
            if let Some(h) = self.covariance.as_mut() {
                h.update(self.problem, &rows, before, after);
            }
        }
    }

    /// Moves to the event and decides the pairs on 0.
    fn settle(&mut self, stretch: &Stretch, guards: &[Guard], violated: &[usize], x: &At) -> Result<(), Reason> {
        let push: Vec<Vec<(usize, f64)>> = (0..self.problem.m()).map(|j| stretch.pushes(j, x)).collect();
        stretch.advance(self.problem, &self.space, &mut self.state, self.covariance.as_ref(), x);
        // simultaneous events: whatever is within rounding of 0 is on 0
        for g in guards.iter().filter(|g| matches!(g.kind, Kind::Fall | Kind::Rise)) {
            if self.state.z[(g.j, g.i)].abs() <= 2.0 * g.err {
                self.state.z[(g.j, g.i)] = 0.0;
            }
        }
        let mut reached: BTreeMap<usize, Vec<(usize, bool)>> = BTreeMap::new();
        for g in violated.iter().map(|&q| &guards[q]) {
            let came = reached.entry(g.j).or_default();
            let mode = &mut self.state.mode[g.j][g.i];
            match g.kind {
                Kind::Fall | Kind::Rise => {
                    self.state.z[(g.j, g.i)] = 0.0;
                    came.push((g.i, g.kind == Kind::Rise));
                    *mode = if g.kind == Kind::Fall { Mode::Silent } else { Mode::Active };
                }
                Kind::Drop => *mode = Mode::Silent,
                Kind::Stick => {
                    // the example's residual crosses 0: active only if a push is left beyond rounding
                    let left = push[g.j].iter().find(|p| p.0 == g.i).map_or(0.0, |p| p.1);
                    if left <= 2.0 * g.err {
                        return Err(Reason::NonUnique);
                    }
                    *mode = Mode::Active;
                }
                Kind::Turn => return Err(Reason::NonUnique),
            }
        }
        let r = self.state.residual(self.problem);
        for (j, came) in reached {
            if self.collapse(j, stretch, x.t, &r)? {
                continue;
            }
            decide(self.problem, &self.space, &mut self.state, j, &r, &push[j], &came)
                .map_err(|_| Reason::NonUnique)?;
        }
        Ok(())
    }

    /// Whether neuron `j` has come to weight 0, where all of its preactivations vanish at once (n > D).
    ///
    /// With every example pulling inwards it stays: whichever mask an outward direction had, the loss would grow along
    /// it. With one pulling outwards, where it leaves, if it does, is not settled by the masks near 0 one at a time
    /// (on a line, D = 1, it is).
    fn collapse(&mut self, j: usize, stretch: &Stretch, t: f64, r: &[f64]) -> Result<bool, Reason> {
        if self.space.dual() || self.problem.n() == 1 {
            return Ok(false);
        }
        if stretch.away(&self.space, &self.state, j, t) {
            return Ok(false);
        }
        self.state.z.row_mut(j).fill(0.0);
        let c = self.problem.c()[j];
        if r.iter().all(|v| c * v < 0.0) {
            self.state.mode[j].fill(Mode::Silent);
            self.state.collapsed[j] = true;
            return Ok(true);
        }
        if self.problem.dim() == 1 { Ok(false) } else { Err(Reason::NonUnique) }
    }

    /// Streams the mask changes since `before`, by neuron and example.
    fn report(&mut self, before: &[Vec<Mode>]) {
        let mut events = vec![];
        for (j, (old, new)) in before.iter().zip(&self.state.mode).enumerate() {
            for (g, (a, b)) in old.iter().zip(new).enumerate() {
                if a == b {
                    continue;
                }
                let to = match b {
                    Mode::Active => Move::On,
                    Mode::Silent => Move::Off,
                    Mode::Sliding => Move::Slide,
                };
                events.extend(self.directions.members(g).iter().map(|&i| Event {
                    at: self.state.t,
                    neuron: j as u32,
                    example: i as u32,
                    to,
                }));
            }
        }
        events.sort_by_key(|e| (e.neuron, e.example));
        for e in &events {
            self.observer.event(e);
            self.last_event = e.at;
        }
        self.work.events += events.len() as u64;
    }

    /// Hands out the preactivations that are wanted before `until`.
    fn sample(&mut self, stretch: &Stretch, until: f64, stop: &dyn Fn() -> bool) {
        let mut at = self.observer.next_sample();
        while at < until && !stop() {
            let x = At::new(&stretch.mu, (at - self.state.t).max(0.0));
            let z = self.directions.scatter(&stretch.preactivations(&self.space, &self.state, &x));
            self.observer.sample(at, &z);
            let next = self.observer.next_sample();
            if next <= at {
                return;
            }
            at = next;
        }
    }

    fn end(mut self, status: Status, reason: Reason) -> End {
        let settled = if status == Status::Converged { self.problem.m() } else { 0 };
        let duals = match self.state.duals.take() {
            Some(ledger) => ledger.finish(self.problem, &self.state.mode),
            None => self.state.moved.clone(),
        };
        for j in 0..settled {
            for i in 0..self.problem.n() {
                // an active pair that rests on 0 (its row depends on sliding rows) has a mask of its own there
                let resting = self.state.z[(j, i)] <= self.space.unit() * self.state.z_scale(&self.space, j, i);
                if self.state.mode[j][i] == Mode::Active && resting {
                    self.state.z[(j, i)] = 0.0;
                    self.state.mode[j][i] = Mode::Sliding;
                }
            }
        }
        End {
            status,
            reason,
            state: self.state,
            duals,
            dual: self.space.dual(),
            last_event: self.last_event,
            work: self.work,
        }
    }
}

impl End {
    /// The limit in terms of the examples.
    pub(super) fn limit(self, problem: &Problem, start: &Initial, directions: &Directions) -> Limit {
        let mut state = self.state;
        let mut alpha = start.alpha.clone();
        axpy(1.0, directions.scatter(&self.duals).as_slice(), alpha.as_mut_slice());
        let w = if self.dual {
            Weights::of_duals(problem, &alpha, &start.offset)
        } else {
            let mut w = start.offset.clone();
            for j in 0..problem.m() {
                axpy(1.0, &problem.x().tmul_vec(start.alpha.row(j)), w.row_mut(j));
                axpy(1.0, state.moved.row(j), w.row_mut(j));
            }
            w.into()
        };
        let mut ties = vec![];
        for (j, modes) in state.mode.iter().enumerate() {
            for (g, mode) in modes.iter().enumerate() {
                if state.collapsed[j] || *mode == Mode::Sliding {
                    ties.extend(directions.members(g).iter().map(|&i| (j, i)));
                } else if *mode == Mode::Silent {
                    state.z[(j, g)] = state.z[(j, g)].min(0.0); // within rounding of 0 if above
                }
            }
        }
        ties.sort_unstable();
        Limit {
            status: self.status,
            reason: self.reason,
            alpha,
            z: directions.scatter(&state.z),
            w,
            ties,
            radius: 0.0,
            last: state.t,
            last_event: self.last_event,
            divergence: None,
            work: self.work,
        }
    }
}
