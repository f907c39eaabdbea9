//! Shares of end states over random starts.

use relimit_core::descent::{Status, Unobserved};

use super::{Job, initial};
use crate::answer::StartShare;

/// Runs `count` random starts and counts their end states (status, and loss to a relative 1e-6), largest share first.
///
/// Intervals are Wilson's 95 % intervals for a share. A start that cannot be made counts nowhere; `stop` leaves the rest out.
pub(super) fn shares(job: &Job<'_>, count: u64, stop: &dyn Fn() -> bool) -> Vec<StartShare> {
    let mut ends: Vec<(Status, f64)> = vec![];
    for k in 0..count {
        if stop() {
            break;
        }
        let Ok(start) = initial(job.question, job.problem, k) else { continue };
        let cap = job.step_budget() / 10;
        let limit = job.simulate(job.problem, &start, job.resolved.eta, cap, &mut Unobserved, stop);
        ends.push((limit.status, job.resolved.loss(job.problem.loss(&limit.z))));
    }
    let mut groups: Vec<(Status, f64, u64)> = vec![];
    for (status, loss) in &ends {
        let size: f64 = 1.0 + job.problem.y().iter().map(|y| y * y).sum::<f64>();
        let same = |g: &&mut (Status, f64, u64)| {
            g.0 == *status && (status != &Status::Converged || (g.1 - loss).abs() <= 1e-6 * (size * 1e-6 + g.1.abs()))
        };
        match groups.iter_mut().find(same) {
            Some(g) => g.2 += 1,
            None => groups.push((*status, *loss, 1)),
        }
    }
    groups.sort_by(|a, b| b.2.cmp(&a.2).then(a.1.total_cmp(&b.1)));
    let total = ends.len() as f64;
    groups
        .into_iter()
        .map(|(status, loss, count)| {
            let (low, high) = wilson(count as f64, total);
            let loss = (status == Status::Converged && loss.is_finite()).then_some(loss);
            StartShare { status, loss, count, share: count as f64 / total, low, high }
        })
        .collect()
}

/// Wilson's 95 % interval for k of n.
pub(crate) fn wilson(k: f64, n: f64) -> (f64, f64) {
    let z2 = 1.959_963_984_540_054_f64.powi(2);
    let p = k / n;
    let middle = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = (z2 * (p * (1.0 - p) / n + z2 / (4.0 * n * n))).sqrt() / (1.0 + z2 / n);
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::wilson;

    #[test]
    fn intervals_are_those_of_wilson_1927() {
        // 10 of 100: published 95 % score interval .0552 to .1744
        let (low, high) = wilson(10.0, 100.0);
        assert!((low - 0.0552).abs() < 1e-4 && (high - 0.1744).abs() < 1e-4, "{low} {high}");
        assert_eq!(wilson(0.0, 5.0).0, 0.0);
        assert!((wilson(5.0, 5.0).1 - 1.0).abs() < 1e-12);
    }
}
