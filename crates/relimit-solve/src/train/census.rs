//! Which end levels are reached from many starts, and how often.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use relimit_core::langevin::{Options, Plan, Status, Unobserved, dead_start_chance, measure, run, start};

use super::traits::{Seen, facts, seen};
use crate::answer::{Census, DeadStart, Level};
use crate::limit::shares::wilson;

/// Objectives that differ by less than this share of the largest are one level.
const SAME: f64 = 1e-3;

/// One end.
struct Ended {
    seed: u64,
    objective: f64,
    loss: f64,
    /// Neurons that were active on no row at the start.
    dead: usize,
    seen: Seen,
}

/// Runs the plan from starts with seeds `seed, seed + 1, ...`; the result does not depend on the threads. Runs that
/// `stop` cuts count nowhere. `lower` bounds the objective of every network from below.
pub(super) fn census(
    plan: &Plan,
    lower: Option<f64>,
    (steps, starts): (u64, u64),
    threads: usize,
    stop: &(dyn Fn() -> bool + Sync),
) -> Census {
    let next = AtomicU64::new(0);
    let work = || {
        let mut mine = vec![];
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            if k >= starts || stop() {
                return mine;
            }
            mine.push((k, one(plan, plan.options().seed.wrapping_add(k), steps, stop)));
        }
    };
    let mut found: Vec<(u64, Run)> = thread::scope(|scope| {
        let others: Vec<_> = (1..threads.max(1)).map(|_| scope.spawn(work)).collect();
        // the calling thread takes its share: it may be the only one that sees signals
        let mut found = work();
        found.extend(others.into_iter().flat_map(|w| w.join().expect("a worker that does not panic")));
        found
    });
    found.sort_by_key(|f| f.0);
    let diverged = found.iter().filter(|f| matches!(f.1, Run::Diverged)).count() as u64;
    let end = |f: (u64, Run)| if let Run::Ended(end) = f.1 { Some(end) } else { None };
    let mut ends: Vec<Ended> = found.into_iter().filter_map(end).collect();
    ends.sort_by(|a, b| a.objective.total_cmp(&b.objective).then(a.seed.cmp(&b.seed)));
    let largest = ends.last().map_or(0.0, |e| e.objective.abs());
    let mut levels: Vec<Vec<&Ended>> = vec![];
    for end in &ends {
        match levels.last_mut() {
            Some(level) if end.objective - level[level.len() - 1].objective <= SAME * largest => level.push(end),
            _ => levels.push(vec![end]),
        }
    }
    let all = ends.len() as u64 + diverged;
    let lowest: Vec<&Seen> = levels.first().map_or_else(Vec::new, |level| level.iter().map(|e| &e.seen).collect());
    Census {
        starts: all,
        diverged,
        ended: ends.len() as u64,
        lower_bound: lower,
        dead_start: dead_start(plan, &ends),
        levels: levels.iter().map(|level| fact(level, all, lower, &lowest)).collect(),
    }
}

/// The chance of dead neurons and what was counted.
fn dead_start(plan: &Plan, ends: &[Ended]) -> DeadStart {
    let width = plan.options().width;
    let neuron = dead_start_chance(plan);
    let counted = ends.iter().map(|e| e.dead as f64).sum::<f64>() / (ends.len() * width) as f64;
    DeadStart {
        neuron,
        network: neuron.map(|p| p.powf(width as f64)),
        counted: (!ends.is_empty()).then_some(counted),
        networks: ends.iter().filter(|e| e.dead == width).count() as u64,
    }
}

/// What became of one start.
enum Run {
    Ended(Ended),
    Diverged,
    Cut,
}

fn one(plan: &Plan, seed: u64, steps: u64, stop: &dyn Fn() -> bool) -> Run {
    let plan = Plan::new(Options { seed, ..plan.options().clone() }).expect("a plan that differs in its seed alone");
    let mut particles = start(&plan);
    let dead = plan.options().width - seen(&plan, &particles).alive;
    let end = run(&plan, &mut particles, 0..steps, 1, &mut Unobserved, stop);
    match end.status {
        Status::Interrupted => Run::Cut,
        Status::Diverged(_) => Run::Diverged,
        Status::Completed | Status::Converged { .. } => {
            let m = measure(&plan, &particles, end.step);
            Run::Ended(Ended { seed, objective: m.objective, loss: m.loss, dead, seen: seen(&plan, &particles) })
        }
    }
}

fn fact(level: &[&Ended], all: u64, lower: Option<f64>, lowest: &[&Seen]) -> Level {
    let runs = level.len();
    let (low, high) = wilson(runs as f64, all as f64);
    let mean = |of: fn(&Ended) -> f64| level.iter().map(|e| of(e)).sum::<f64>() / runs as f64;
    let mut alive: Vec<usize> = level.iter().map(|e| e.seen.alive).collect();
    alive.sort_unstable();
    let seen: Vec<&Seen> = level.iter().map(|e| &e.seen).collect();
    let objective = mean(|e| e.objective);
    Level {
        objective,
        loss: mean(|e| e.loss),
        gap: lower.map(|lower| (objective - lower).max(0.0)),
        runs: runs as u64,
        share: runs as f64 / all as f64,
        low,
        high,
        alive: alive[runs / 2],
        dead_at_start: mean(|e| e.dead as f64),
        traits: facts(&seen, lowest),
        seed: level.iter().map(|e| e.seed).min().unwrap_or(0),
    }
}
