//! Which end levels are reached from many starts, and how often.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use relimit_core::langevin::{Options, Particles, Plan, Status, Unobserved, measure, run, start};

use crate::answer::{Census, Level};
use crate::limit::shares::wilson;

/// Objectives that differ by less than this share of the largest are one level.
const SAME: f64 = 1e-3;

/// One end.
#[derive(Clone, Copy)]
struct Ended {
    seed: u64,
    objective: f64,
    loss: f64,
    alive: usize,
}

/// Runs the plan from starts with seeds `seed, seed + 1, ...`; the result does not depend on the threads. Runs that
/// `stop` cuts count nowhere.
pub(super) fn census(plan: &Plan, steps: u64, starts: u64, threads: usize, stop: &(dyn Fn() -> bool + Sync)) -> Census {
    let next = AtomicU64::new(0);
    let mut found: Vec<(u64, Run)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1))
            .map(|_| {
                scope.spawn(|| {
                    let mut mine = vec![];
                    loop {
                        let k = next.fetch_add(1, Ordering::Relaxed);
                        if k >= starts || stop() {
                            return mine;
                        }
                        mine.push((k, one(plan, plan.options().seed.wrapping_add(k), steps, stop)));
                    }
                })
            })
            .collect();
        workers.into_iter().flat_map(|w| w.join().expect("a worker that does not panic")).collect()
    });
    found.sort_by_key(|f| f.0);
    let diverged = found.iter().filter(|f| matches!(f.1, Run::Diverged)).count() as u64;
    let end = |f: (u64, Run)| if let Run::Ended(end) = f.1 { Some(end) } else { None };
    let mut ends: Vec<Ended> = found.into_iter().filter_map(end).collect();
    ends.sort_by(|a, b| a.objective.total_cmp(&b.objective).then(a.seed.cmp(&b.seed)));
    let largest = ends.last().map_or(0.0, |e| e.objective.abs());
    let mut levels: Vec<Vec<Ended>> = vec![];
    for end in &ends {
        match levels.last_mut() {
            Some(level) if end.objective - level[level.len() - 1].objective <= SAME * largest => level.push(*end),
            _ => levels.push(vec![*end]),
        }
    }
    let all = ends.len() as u64 + diverged;
    Census {
        starts: all,
        diverged,
        ended: ends.len() as u64,
        levels: levels.iter().map(|level| fact(level, all)).collect(),
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
    let end = run(&plan, &mut particles, 0..steps, 1, &mut Unobserved, stop);
    match end.status {
        Status::Interrupted => Run::Cut,
        Status::Diverged(_) => Run::Diverged,
        Status::Completed | Status::Converged { .. } => {
            let m = measure(&plan, &particles, end.step);
            Run::Ended(Ended { seed, objective: m.objective, loss: m.loss, alive: alive(&plan, &particles) })
        }
    }
}

/// Neurons that are active on some row and have an output weight.
fn alive(plan: &Plan, particles: &Particles) -> usize {
    let net = particles.network(plan);
    let x = &plan.options().x;
    let active = |j: usize| (0..x.rows()).any(|i| relimit_core::net::mask(net.preactivation(j, x.row(i)), false));
    (0..net.width()).filter(|j| (0..net.outputs()).any(|a| net.c[(a, *j)] != 0.0) && active(*j)).count()
}

fn fact(level: &[Ended], all: u64) -> Level {
    let runs = level.len();
    let (low, high) = wilson(runs as f64, all as f64);
    let mean = |of: fn(&Ended) -> f64| level.iter().map(of).sum::<f64>() / runs as f64;
    let mut alive: Vec<usize> = level.iter().map(|e| e.alive).collect();
    alive.sort_unstable();
    Level {
        objective: mean(|e| e.objective),
        loss: mean(|e| e.loss),
        runs: runs as u64,
        share: runs as f64 / all as f64,
        low,
        high,
        alive: alive[runs / 2],
        seed: level.iter().map(|e| e.seed).min().unwrap_or(0),
    }
}
