//! The exact engine against step-by-step runs on random small problems.

mod common;

use std::collections::BTreeMap;

use common::{Rng, distance, from_weights, mu_max, slow_gram};
use relimit_core::descent::{
    DescentOptions, Event, EventLog, Initial, Problem, Status, Unobserved, descend, reference,
};
use relimit_core::num::Mat;
use relimit_core::num::linalg::Cholesky;

struct Case {
    problem: Problem,
    start: Initial,
    eta: f64,
}

fn case(rng: &mut Rng) -> Case {
    let (n, d, m) = (2 + rng.below(11), 1 + rng.below(40), 1 + rng.below(4));
    let x = rng.normals(n, d);
    let y: Vec<f64> = (0..n).map(|_| rng.sign() * (0.3 + rng.uniform())).collect();
    let c: Vec<f64> = (0..m).map(|j| (if j % 2 == 1 { -1.0 } else { 1.0 }) * (0.5 + rng.uniform())).collect();
    let cc: f64 = c.iter().map(|v| v * v).sum();
    let g = slow_gram(&x);
    let tau = (0..n).map(|i| g[(i, i)]).sum::<f64>() / n as f64;
    let share = [1.9, 1.5, 1.0, 0.7, 0.3, 0.1, 0.02][rng.below(7)];
    let eta = share / (cc * mu_max(&g));
    let start = if d >= n && rng.uniform() < 0.5 {
        let a = Cholesky::new(&g).expect("independent rows").solve(&vec![1e-3; n]);
        let z = g.mul_vec(&a);
        Initial { alpha: Mat::from_fn(m, n, |_, i| a[i]), z: Mat::from_fn(m, n, |_, i| z[i]), offset: Mat::zeros(m, d) }
    } else {
        let scale = [1e-3, 0.1, 1.0][rng.below(3)];
        let w = Mat::from_fn(m, d, |_, _| scale * rng.normal() / tau.sqrt());
        from_weights(&x, w)
    };
    Case { problem: Problem::new(x, y, c, false), start, eta }
}

/// Plain steps until nothing moves any more (or the cap): None when it does not settle.
fn settle(case: &Case, cap: u64) -> Option<(u64, Mat)> {
    let mut k = 512;
    let mut before: Option<Mat> = None;
    while k <= cap {
        let at = |k| reference(&case.problem, &case.start, case.eta, k, &mut Unobserved).z;
        let z = at(k);
        let rests = |b: &Mat| distance(b, &z, 1.0) <= 1e-12;
        if before.is_some_and(|b| rests(&b)) && rests(&at(k + 1)) {
            return Some((k, z));
        }
        before = Some(z);
        k *= 2;
    }
    None
}

/// How a limit run and step-by-step runs compare on one problem.
#[derive(Default, Debug)]
struct Tally {
    converging: u32,
    open: u32,
    within_rounding: u32,
    ties: u32,
    outcomes: BTreeMap<String, u32>,
}

fn compare(seed: u64, tally: &mut Tally) {
    let mut rng = Rng(seed);
    let case = case(&mut rng);
    let (p, eta) = (&case.problem, case.eta);
    let settled = settle(&case, 1 << 17);
    let mut exact = EventLog::with_cap(1 << 20);
    let options = DescentOptions { max_steps: 300_000, ..DescentOptions::to_limit(eta) };
    let limit = descend(p, &case.start, &options, &mut exact, &|| false);
    let outcome = format!("{} / {:?}", if settled.is_some() { "settles" } else { "moves" }, limit.reason);
    *tally.outcomes.entry(outcome).or_default() += 1;
    tally.ties += u32::from(limit.status == Status::Converged && !limit.ties.is_empty());

    // every event of the limit run is one of the plain run's, in order, until a sign is decided inside its rounding
    let steps = limit.last.min(2e5) as u64;
    let mut plain = EventLog::with_cap(1 << 20);
    let end = reference(p, &case.start, eta, steps, &mut plain);
    let size = end.z.max_abs().max(1.0);
    let exact: Vec<Event> = exact.events.iter().copied().filter(|e| e.at <= steps as f64).collect();
    let agree = plain.events.iter().zip(&exact).take_while(|(a, b)| a == b).count();
    let events_equal = agree == plain.events.len() && agree == exact.len();
    if !events_equal {
        let next = |events: &[Event]| events.get(agree).map_or(f64::INFINITY, |e| e.at);
        let first = if next(&plain.events) <= next(&exact) { plain.events[agree] } else { exact[agree] };
        let z = |k: f64| {
            let at = reference(p, &case.start, eta, k as u64, &mut Unobserved);
            at.z[(first.neuron as usize, first.example as usize)].abs()
        };
        let margin = z(first.at).min(z(first.at - 1.0));
        // every step rounds each preactivation a few times at its own size
        let rounding = 4.0 * f64::EPSILON * (p.n() as f64 + first.at) * size;
        assert!(margin <= rounding, "seed {seed}: event {first:?} decided by {margin:.1e}, not by rounding");
        tally.within_rounding += 1;
    }

    // the same iterate, when no sign was decided inside its rounding
    let options = DescentOptions { horizon: Some(steps), ..DescentOptions::to_limit(eta) };
    let here = descend(p, &case.start, &options, &mut Unobserved, &|| false);
    if events_equal && here.last == steps as f64 && limit.status == Status::Converged {
        let d = distance(&end.z, &here.z, 1.0);
        assert!(d <= 1e-10, "seed {seed}: iterate {steps} differs by {d:.1e}");
    }

    // the limit
    if let Some((k, z)) = &settled {
        tally.converging += 1;
        if limit.status != Status::Converged {
            tally.open += 1;
            return;
        }
        let (d, loss) = (distance(z, &limit.z, 1.0), (p.loss(z) - p.loss(&limit.z)).abs());
        let bound = if events_equal && limit.ties.is_empty() { 1e-10 } else { 1e-8 };
        assert!(
            d <= bound && loss <= bound,
            "seed {seed}: limit differs by {d:.1e}, loss by {loss:.1e} after {k} steps"
        );
        let fitted = |z: &Mat| p.residual(z).iter().map(|r| r.abs() < 1e-7).collect::<Vec<_>>();
        assert_eq!(fitted(z), fitted(&limit.z), "seed {seed}: fitted examples");
    } else if limit.status == Status::Converged {
        // the plain runs are not at rest yet: they must be nearer to the limit later
        let at = |k| distance(&reference(p, &case.start, eta, k, &mut Unobserved).z, &limit.z, 1.0);
        let (early, late) = (at(1 << 13), at(1 << 17));
        assert!(late <= early.max(1e-9), "seed {seed}: {early:.1e} from the limit, then {late:.1e}");
    }
}

/// 200 problems in the ordinary run, 2,000 with RELIMIT_SOAK=1.
#[test]
fn the_engine_equals_plain_steps() {
    let count = if std::env::var_os("RELIMIT_SOAK").is_some() { 2000 } else { 200 };
    let mut tally = Tally::default();
    for seed in 0..count {
        compare(seed, &mut tally);
    }
    println!("{count} problems: {tally:#?}");
    assert!(tally.within_rounding * 20 < count as u32, "{} runs split inside rounding", tally.within_rounding);
    assert!(tally.open * 50 < tally.converging, "{} of {} converging runs left open", tally.open, tally.converging);
    assert!(tally.ties > 0);
}
