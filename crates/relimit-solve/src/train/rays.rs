//! The run beside the optimum: its certified rays, what of the coefficient is on them, and how many there can be.

use relimit_core::data::scale::Affine;
use relimit_core::langevin::{ANGLE, Particles, Plan, clusters};
use relimit_core::num::mat::norm2;
use relimit_core::pattern::{Arrangement, CountStatus, Options, count};

use super::watch::{weight, whole};
use crate::answer::{NearRays, TrainGroup, TrainPoint, TrainRay, TrainRays};
use crate::optimum::{Effort, Objective, Ray, contact, kink, optimum};

/// Degrees within which a neuron belongs to a ray.
const BELONGS: f64 = 10.0;
/// Angles of the table of shares.
const NEAR: [f64; 3] = [2.0, 5.0, BELONGS];
/// Cells that are counted at most.
const CELLS: u64 = 1 << 20;

/// The optimum at the weight decay of `objective` and its rays, with the state's coefficient assigned to them.
///
/// A neuron belongs to the nearest ray of its sign within 10 degrees. Every share is of `sum |c| |u|`, never of neurons:
/// at low temperature few neurons carry the coefficient.
pub(super) fn rays(
    objective: &Objective,
    effort: &Effort<'_>,
    state: (&Plan, &Particles),
    reached: Option<f64>,
    inputs: &Affine,
) -> TrainRays {
    let found = optimum(objective, vec![], effort);
    let touch = contact(objective, &found.candidate, effort);
    let d = objective.features.cols();
    let sums = assign(state, &touch.rays);
    let all = whole(state.0, state.1);
    let share = |c: f64| if all > 0.0 { c / all } else { 0.0 };
    let listed = touch.rays.iter().zip(&sums.of).map(|(ray, sum)| TrainRay {
        w: ray.u[..d].to_vec(),
        b: ray.u.get(d).copied().unwrap_or(0.0),
        c: ray.c,
        pattern: objective.pattern(ray),
        kink: kink(&ray.u, d, inputs),
        run: sum.coefficient,
        share: share(sum.coefficient.abs()),
        neurons: sum.neurons,
        degrees: (norm2(&sum.mean) > 0.0).then(|| degrees(&ray.u, &sum.mean)),
    });
    let near = NEAR.iter().zip(&sums.near).map(|(angle, (coefficient, neurons))| NearRays {
        degrees: *angle,
        coefficient: share(*coefficient),
        neurons: *neurons as f64 / state.1.width() as f64,
    });
    let cells = count(
        &Arrangement::new(&objective.x),
        &Options { max_cells: Some(CELLS), stop: effort.stop, ..Options::all() },
    );
    let p = (cells.status == CountStatus::Exact).then(|| u64::try_from(&cells.lower).ok()).flatten();
    let biased = objective.dim() > d;
    TrainRays {
        status: found.certified.status,
        objective: found.certified.objective,
        lower_bound: found.certified.lower_bound,
        excess: reached.map(|f| f - found.certified.lower_bound),
        unique: touch.verdict(),
        angle: BELONGS,
        rays: listed.collect(),
        near: near.collect(),
        patterns: p,
        ray_bound: p.map(|p| 2 * p - 1),
        ray_bound_proved: p.filter(|_| biased).map(|p| 2 * (p - 1)),
    }
}

/// What belongs to one ray.
struct Sum {
    coefficient: f64,
    neurons: usize,
    mean: Vec<f64>,
}

struct Sums {
    of: Vec<Sum>,
    /// Coefficient and neurons within each of the angles.
    near: [(f64, usize); NEAR.len()],
}

fn assign((plan, particles): (&Plan, &Particles), rays: &[Ray]) -> Sums {
    let empty = |ray: &Ray| Sum { coefficient: 0.0, neurons: 0, mean: vec![0.0; ray.u.len()] };
    let mut out = Sums { of: rays.iter().map(empty).collect(), near: Default::default() };
    for j in 0..particles.width() {
        let (c, u) = weight(plan, particles, j);
        let Some((at, angle)) = nearest(rays.iter().map(|t| (&t.u[..], t.c)), &u, c) else { continue };
        for (limit, sum) in NEAR.iter().zip(&mut out.near) {
            if angle <= *limit {
                sum.0 += c.abs();
                sum.1 += 1;
            }
        }
        if angle <= BELONGS {
            let (sum, length) = (&mut out.of[at], norm2(&u));
            sum.coefficient += c;
            sum.neurons += 1;
            sum.mean.iter_mut().zip(&u).for_each(|(m, v)| *m += c.abs() * v / length);
        }
    }
    out
}

/// Place and angle in degrees of the nearest ray of the sign of `c`.
fn nearest<'a>(rays: impl Iterator<Item = (&'a [f64], f64)>, u: &[f64], c: f64) -> Option<(usize, f64)> {
    if c == 0.0 || !c.is_finite() {
        return None;
    }
    let same = rays.enumerate().filter(|(_, t)| t.1.is_sign_positive() == (c > 0.0));
    same.map(|(k, t)| (k, degrees(t.0, u))).min_by(|a, b| a.1.total_cmp(&b.1))
}

fn degrees(a: &[f64], b: &[f64]) -> f64 {
    let (la, lb) = (norm2(a), norm2(b));
    // from the chord and its supplement: accurate at every angle
    let chord = |sign: f64| norm2(&a.iter().zip(b).map(|(x, y)| x / la + sign * y / lb).collect::<Vec<f64>>());
    (2.0 * f64::atan2(chord(-1.0), chord(1.0))).to_degrees()
}

/// The groups at the end, each with the nearest ray of its sign where rays are known.
pub(super) fn end_groups(
    (plan, particles): (&Plan, &Particles),
    rays: Option<&TrainRays>,
    inputs: &Affine,
) -> Vec<TrainGroup> {
    let (d, all) = (particles.inputs(), whole(plan, particles));
    let directions = directions(rays, plan.has_bias());
    let found = clusters(plan, particles, ANGLE).groups.into_iter();
    let mut out: Vec<TrainGroup> = found
        .map(|g| {
            let near = nearest(directions.iter().map(|t| (&t.0[..], t.1)), &g.direction, g.coefficient);
            TrainGroup {
                w: g.direction[..d].to_vec(),
                b: g.direction.get(d).copied().unwrap_or(0.0),
                c: g.coefficient,
                share: g.coefficient.abs() / all,
                neurons: g.neurons,
                kink: kink(&g.direction, d, inputs),
                ray: near.map(|n| n.0),
                degrees: near.map(|n| n.1),
            }
        })
        .collect();
    out.sort_by(|a, b| b.share.total_cmp(&a.share));
    out
}

fn directions(rays: Option<&TrainRays>, bias: bool) -> Vec<(Vec<f64>, f64)> {
    let list = rays.map_or(&[][..], |r| &r.rays);
    let u = |t: &TrainRay| t.w.iter().copied().chain(bias.then_some(t.b)).collect();
    list.iter().map(|t| (u(t), t.c)).collect()
}

/// The record with the share of the coefficient in groups whose centre is within 10 degrees of a ray of their sign.
pub(super) fn over_time(record: &[TrainPoint], rays: &TrainRays, bias: bool) -> Vec<TrainPoint> {
    let known = directions(Some(rays), bias);
    let on = |p: &TrainPoint| {
        let near = p.groups.iter().filter(|g| {
            nearest(known.iter().map(|t| (&t.0[..], t.1)), &g.direction, g.c).is_some_and(|n| n.1 <= rays.angle)
        });
        near.map(|g| g.share).sum()
    };
    record.iter().map(|p| TrainPoint { on_rays: Some(on(p)), ..p.clone() }).collect()
}
