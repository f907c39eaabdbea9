//! Answers and trajectories to print and draw, made up except where a comment names their source.
#![allow(clippy::assigning_clones, reason = "plain assignments read better in fixtures")]
#![allow(dead_code, reason = "each test file uses its own part")]

use std::collections::BTreeMap;

use relimit_core::descent::{Move, Reason, Status};
use relimit_core::num::Mat;
use relimit_report::figure::{Figure, GapPoint, gap_against_d, preactivations};
use relimit_solve::answer::{
    Certificates, Claim, Clock, CompareSteps, DataFacts, DeadNeuron, DivergenceFacts, EventFact, EventFacts, Gap,
    Hypotheses, Interval, LimitAnswer, LimitFacts, MinNorm, OneStep, ReaderSettings, Settings, SilentPair,
    SilentReason, StartShare, TiePair, Trajectory, Verdict,
};

/// The next number of a splitmix64 stream in [0, 1).
pub(crate) fn uniform(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// X rows (4,0,0,1), (0,4,0,1), (0,0,4,1), y = (1, 2, -1), one positive neuron, C = 2: limit
/// z (1, 2, -.32614379), gap .07936126, |w*| = .53187850, mu = 3/304, certificate .546 < 1.
pub(crate) fn golden() -> LimitAnswer {
    LimitAnswer {
        schema: LimitAnswer::SCHEMA.to_owned(),
        command: "limit".to_owned(),
        settings: Settings {
            reader: ReaderSettings {
                data: Some("golden.csv".to_owned()),
                synthetic: None,
                target: Some("y".to_owned()),
                columns: None,
                drop: None,
                rows: None,
                missing: "error".to_owned(),
                scale: "none".to_owned(),
                target_scale: "none".to_owned(),
            },
            bias: "none".to_owned(),
            loss: "half-sum".to_owned(),
            dynamics: "descent".to_owned(),
            signs: "+".to_owned(),
            start: "orthant:0.01".to_owned(),
            relu_at_zero: 0,
            step: Some(1.0 / 34.0),
            step_constant: Some(2.0),
            stable_step: Some(2.0 / 19.0),
            seed: None,
            starts: None,
            gap: 1e-8,
            max_nodes: None,
            max_steps: None,
            budget: None,
            threads: Some(1),
            compare_steps: None,
            sources: BTreeMap::from([("loss".to_owned(), "default".to_owned())]),
        },
        data: DataFacts {
            name: "golden.csv".to_owned(),
            n: 3,
            d: 4,
            dim: 4,
            rank: Some(3),
            tau: Some(17.0),
            d2: Some(2.979_381_443_298_969),
            d_inf: Some(51.0 / 19.0),
            d2_population: Some(Interval { value: Some(289.0), low: Some(289.0), high: Some(289.0) }),
            d2_exact: None,
            rows: vec![2, 3, 4],
            labels: vec![1.0, 2.0, -1.0],
            notices: vec![],
        },
        limit: LimitFacts {
            status: Status::Converged,
            reason: Reason::ClosedForm,
            message: "no mask can change after step 1; the limit is a closed form".to_owned(),
            loss: Some(0.5),
            loss_scaling: "half-sum".to_owned(),
            fitted: vec![2, 3],
            balanced: vec![],
            silent: vec![SilentPair {
                row: 4,
                neuron: Some(0),
                since: Some(1.0),
                reason: SilentReason::NoNeuronOfSign,
                evidence: Some("with signs +- it is fitted".to_owned()),
            }],
            dead: vec![],
            ties: vec![],
            alpha: Some(vec![vec![0.053_704_42, 0.116_204_42, -0.029_179_57]]),
            preactivations: vec![vec![1.0, 2.0, -0.326_143_79]],
            masks: vec![vec![1, 1, 0]],
            norm: Some(0.544_093),
            offset_norm: Some(0.0),
            radius: Some(0.0),
            contraction: Some(0.558_823_529),
            divergence: None,
            stationary: None,
        },
        events: EventFacts {
            count: 1,
            last_step: Some(1),
            last_time: None,
            shown: vec![EventFact { at: 1.0, neuron: 0, row: 4, to: Move::Off }],
            truncated: false,
        },
        min_norm: MinNorm {
            status: Claim::Certified,
            norm: Some(0.531_878_50),
            lower: Some(0.531_878_50),
            upper: Some(0.531_878_50 + 2e-16),
            reason: None,
            nodes: Some(1),
            multipliers: Some(vec![vec![0.0, 0.0, 3.0 / 304.0]]),
            mixed_patterns: Some(vec![]),
        },
        gap: Gap {
            absolute: Some(0.079_361_26),
            relative: Some(0.079_361_26 / 0.531_878_50),
            bound: Some(0.097_55),
            predicted: Some(0.121_267_8),
            identity_error: Some(3e-15),
        },
        certificates: Certificates {
            one_step: OneStep {
                rho: Some(2.0 / 17.0),
                left: Some(0.546),
                right: Some(1.0),
                holds: Some(true),
                why_not: None,
            },
        },
        hypotheses: Hypotheses {
            verdict: Verdict::Holds,
            why: "rho = 0.1176 is small enough: masks equal the label signs from step 1 on".to_owned(),
        },
        starts: None,
        compare_steps: None,
    }
}

/// Shaped like glucose spectra, raw, C = 30, two neurons.
pub(crate) fn glucose() -> LimitAnswer {
    let mut a = golden();
    a.settings.reader.data = Some("glucose_spectra.csv".to_owned());
    a.settings.reader.target = Some("glucose".to_owned());
    a.settings.reader.target_scale = "standardise".to_owned();
    a.settings.signs = "+-".to_owned();
    a.settings.start = "orthant:0.001".to_owned();
    a.settings.step_constant = Some(30.0);
    a.settings.step = Some(1.0 / (30.0 * 17_629.73));
    a.settings.stable_step = Some(5.5e-6);
    a.data = DataFacts {
        name: "glucose_spectra.csv".to_owned(),
        n: 21,
        d: 1047,
        dim: 1047,
        rank: Some(21),
        tau: Some(17_629.73),
        d2: Some(1.0453),
        d_inf: Some(1.0225),
        d2_population: Some(Interval { value: Some(1.0453), low: Some(1.021), high: Some(1.0716) }),
        d2_exact: None,
        rows: (2..23).collect(),
        labels: (0..21).map(|i| 1.8 - 0.17 * i as f64).collect(),
        notices: vec!["column Unnamed: 0 looks like an index and was dropped".to_owned()],
    };
    let silent = |row: usize, neuron: usize, reason: SilentReason| SilentPair {
        row,
        neuron: Some(neuron),
        since: Some(2.0),
        reason,
        evidence: Some("with step / 10 it stays active".to_owned()),
    };
    let mut pairs: Vec<SilentPair> = (13..23).map(|r| silent(r, 0, SilentReason::OppositeSign)).collect();
    pairs.extend((13..23).map(|r| silent(r, 1, SilentReason::DeadStart)));
    pairs.push(silent(7, 0, SilentReason::LabelBelowInterference));
    pairs.push(silent(12, 0, SilentReason::LabelBelowInterference));
    a.limit.status = Status::Converged;
    a.limit.message = "no mask can change after step 318,431; the limit is a closed form".to_owned();
    a.limit.loss = Some(5.804_318_934_903);
    a.limit.fitted = vec![2, 3, 4, 5, 6, 8, 9, 10, 11];
    a.limit.silent = pairs;
    a.limit.dead = vec![DeadNeuron {
        neuron: 1,
        since: Some(1.0),
        reason: SilentReason::SilencedByStep,
        evidence: Some("its preactivations stay below 0 on every later step".to_owned()),
    }];
    a.limit.alpha = Some(vec![vec![0.01; 21], vec![-0.001; 21]]);
    a.limit.preactivations = vec![vec![0.3; 21], vec![-0.2; 21]];
    a.limit.masks = vec![vec![1; 21], vec![0; 21]];
    a.limit.norm = Some(3.217_4);
    a.events = EventFacts { count: 76_358, last_step: Some(318_431), last_time: None, shown: vec![], truncated: true };
    a.min_norm = MinNorm {
        status: Claim::Bound,
        norm: Some(1.934),
        lower: Some(1.802_03),
        upper: Some(1.934),
        reason: Some("the search stopped after 100,000 nodes".to_owned()),
        nodes: Some(100_000),
        multipliers: None,
        mixed_patterns: Some(vec![2, 9]),
    };
    a.gap = Gap {
        absolute: Some(2.2),
        relative: Some(1.137_538),
        bound: None,
        predicted: Some(0.0011),
        identity_error: None,
    };
    a.certificates.one_step = OneStep {
        rho: Some(20.7),
        left: Some(1234.5),
        right: Some(0.028_1),
        holds: Some(false),
        why_not: Some("rho is not below 1".to_owned()),
    };
    a.hypotheses = Hypotheses {
        verdict: Verdict::NotMet,
        why: "the population effective dimension 1.045 is far below n = 21: the rows are nearly parallel, and the \
              theory needs d_2 far above n"
            .to_owned(),
    };
    a
}

/// Ten thousand rows of ten features: more rows than weights.
pub(crate) fn large() -> LimitAnswer {
    let mut a = golden();
    let n = 10_000;
    a.settings.signs = "+-+-+-+-+-+-+-+-+-+-+-+-".to_owned();
    a.settings.start = "gaussian:0.001".to_owned();
    a.settings.seed = Some(7);
    a.data.n = n;
    a.data.d = 10;
    a.data.rows = (2..n + 2).collect();
    a.data.labels = (0..n).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
    a.data.name = "a_file_with_quite_a_long_name_that_somebody_exported_from_a_spreadsheet_in_2024.csv".to_owned();
    a.limit.fitted = vec![];
    a.limit.balanced = (2..n + 2).filter(|r| r % 7 != 0).collect();
    let reasons = [SilentReason::DeadStart, SilentReason::SilencedByStep, SilentReason::LabelBelowInterference];
    a.limit.silent = (2..n + 2)
        .filter(|r| r % 7 == 0)
        .map(|row| SilentPair { row, neuron: None, since: None, reason: reasons[row % 3], evidence: None })
        .collect();
    a.limit.dead = (0..24)
        .step_by(2)
        .map(|neuron| DeadNeuron { neuron, since: Some(0.0), reason: SilentReason::DeadStart, evidence: None })
        .collect();
    a.limit.ties = (0..12).map(|k| TiePair { neuron: k, row: 100 + k }).collect();
    a.limit.reason = Reason::Ties;
    a.limit.radius = Some(3.21e-9);
    a.data.notices = (0..9).map(|k| format!("column c{k} is constant; drop it with --drop c{k}")).collect();
    a.min_norm = infeasible().min_norm;
    a.gap = Gap::default();
    a
}

/// Two equal rows with different labels.
pub(crate) fn infeasible() -> LimitAnswer {
    let mut a = golden();
    a.min_norm = MinNorm {
        status: Claim::Infeasible,
        norm: None,
        lower: None,
        upper: None,
        reason: Some("rows 3 and 9 are equal but their labels are 1 and 2".to_owned()),
        nodes: Some(0),
        multipliers: None,
        mixed_patterns: None,
    };
    a.gap = Gap::default();
    a
}

/// A step that is too large.
pub(crate) fn diverged() -> LimitAnswer {
    let mut a = glucose();
    a.limit.status = Status::Diverged;
    a.limit.reason = Reason::Growth;
    a.limit.message = "the residual passed 1e12 times its start at step 23 on masks whose step is too large".to_owned();
    a.limit.loss = Some(f64::INFINITY);
    a.limit.norm = Some(f64::NAN);
    a.limit.fitted = vec![];
    a.limit.silent = vec![];
    a.limit.dead = vec![];
    a.limit.preactivations = vec![vec![f64::INFINITY; 21], vec![f64::NAN; 21]];
    a.limit.alpha = None;
    a.limit.divergence = Some(DivergenceFacts {
        step_times_eigenvalue: Some(10.3),
        stable_below: Some(5.507e-6),
        rows: vec![22, 4, 9, 3, 17],
    });
    a.gap = Gap::default();
    a.min_norm.status = Claim::Undecided;
    a.min_norm.norm = None;
    a
}

/// Nothing decided.
pub(crate) fn undecided() -> LimitAnswer {
    let mut a = golden();
    a.limit.status = Status::Undecided;
    a.limit.reason = Reason::SignUnresolved;
    a.limit.message = String::new();
    a.hypotheses = Hypotheses { verdict: Verdict::Undecided, why: "one row: no pair to estimate from".to_owned() };
    a.certificates.one_step = OneStep {
        rho: None,
        left: None,
        right: None,
        holds: None,
        why_not: Some("the start is not an orthant".to_owned()),
    };
    a.data.d2_population = None;
    a.data.tau = None;
    a.min_norm.status = Claim::Undecided;
    a.min_norm.norm = None;
    a
}

/// Gradient flow that ended by budget.
pub(crate) fn flow() -> LimitAnswer {
    let mut a = golden();
    a.settings.dynamics = "flow".to_owned();
    a.settings.step = None;
    a.settings.step_constant = None;
    a.settings.stable_step = None;
    a.settings.budget = Some(60.0);
    a.limit.status = Status::Budget;
    a.limit.reason = Reason::OutOfBudget;
    a.limit.message = String::new();
    a.events.last_step = None;
    a.events.last_time = Some(0.183_9);
    a
}

/// Shares of end states over 100 random starts, and a comparison with plain steps.
pub(crate) fn many_starts() -> LimitAnswer {
    let mut a = glucose();
    let share = |count: u64, loss: f64, low: f64, high: f64| StartShare {
        status: Status::Converged,
        loss: Some(loss),
        count,
        share: count as f64 / 100.0,
        low,
        high,
    };
    a.starts = Some(vec![share(62, 5.804_3, 0.5221, 0.7090), share(38, 10.5, 0.2910, 0.4779)]);
    a.compare_steps = Some(CompareSteps { steps: 1000, distance: Some(2.7e-15) });
    a
}

/// Every answer above, with a name.
pub(crate) fn all() -> Vec<(&'static str, LimitAnswer)> {
    vec![
        ("golden", golden()),
        ("glucose", glucose()),
        ("large", large()),
        ("infeasible", infeasible()),
        ("diverged", diverged()),
        ("undecided", undecided()),
        ("flow", flow()),
        ("many starts", many_starts()),
    ]
}

/// Preactivations of the golden problem, stepped here: `z += c_j eta G D_j r` with G = 16 I + 1.
pub(crate) fn golden_trajectory(c: &[f64], steps: usize) -> Trajectory {
    let y = [1.0, 2.0, -1.0];
    let eta = 1.0 / 34.0;
    let m = c.len();
    let mut z = Mat::from_fn(m, 3, |_, _| 0.01);
    let mut t = Trajectory {
        clock: Clock::Step,
        at: vec![0.0],
        z: vec![z.clone()],
        rows: vec![2, 3, 4],
        labels: y.to_vec(),
        c: c.to_vec(),
        events: vec![],
    };
    for k in 1..=steps {
        let f: Vec<f64> = (0..3).map(|i| (0..m).map(|j| c[j] * z[(j, i)].max(0.0)).sum()).collect();
        let mut next = z.clone();
        for j in 0..m {
            let u: Vec<f64> = (0..3).map(|i| if z[(j, i)] > 0.0 { c[j] * (y[i] - f[i]) } else { 0.0 }).collect();
            for i in 0..3 {
                next[(j, i)] += eta * (16.0 * u[i] + u.iter().sum::<f64>());
                if (next[(j, i)] > 0.0) != (z[(j, i)] > 0.0) {
                    let to = if next[(j, i)] > 0.0 { Move::On } else { Move::Off };
                    t.events.push(EventFact { at: k as f64, neuron: j, row: 2 + i, to });
                }
            }
        }
        z = next;
        t.at.push(k as f64);
        t.z.push(z.clone());
    }
    t
}

/// n examples and m neurons over a geometric grid up to `last`, with `events` mask changes.
pub(crate) fn made_up(n: usize, m: usize, last: f64, events: usize) -> Trajectory {
    let mut seed = 20_260_305;
    let labels: Vec<f64> =
        (0..n).map(|i| 1.6 * (0.5 - (i as f64 + 0.3 * uniform(&mut seed)) / n as f64) * 2.0).collect();
    let c: Vec<f64> = (0..m).map(|j| if j % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let points = 600;
    let at: Vec<f64> = std::iter::once(0.0)
        .chain((0..points).map(|k| (last.ln() * k as f64 / (points - 1) as f64).exp().round()))
        .collect();
    let rate: Vec<f64> = (0..n).map(|_| 10.0 / last.powf(0.2 + 0.6 * uniform(&mut seed))).collect();
    let depth: Vec<f64> = (0..n * m).map(|_| -0.1 - 0.5 * uniform(&mut seed)).collect();
    let z = at
        .iter()
        .map(|t| {
            Mat::from_fn(m, n, |j, i| {
                let target = if labels[i] * c[j] > 0.15 { labels[i].abs() } else { depth[j * n + i] };
                let ring = 0.4 * (-t * rate[i] * 0.3).exp() * (3.0 * (1.0 + t).ln() + i as f64).sin();
                0.001 + (target + ring) * (1.0 - (-t * rate[i]).exp())
            })
        })
        .collect();
    let mut list: Vec<EventFact> = (0..events)
        .map(|k| {
            let at = (last.ln() * (0.3 + 0.6 * uniform(&mut seed))).exp().round();
            let pick = (uniform(&mut seed) * n as f64) as usize;
            EventFact { at, neuron: k % m, row: pick + 2, to: if k % 2 == 0 { Move::Off } else { Move::On } }
        })
        .collect();
    list.sort_by(|a, b| a.at.total_cmp(&b.at));
    Trajectory { clock: Clock::Step, at, z, rows: (2..n + 2).collect(), labels, c, events: list }
}

/// Pictures of several runs, with a name.
pub(crate) fn figures() -> Vec<(&'static str, Figure)> {
    let mut two = golden();
    two.settings.signs = "+-".to_owned();
    two.limit.fitted = vec![2, 3, 4];
    two.limit.silent = vec![];
    let mut sixty = golden();
    sixty.data.n = 60;
    sixty.data.name = "gaussian:n=60,d=2000".to_owned();
    sixty.limit.fitted = (2..62).collect();
    sixty.limit.silent = vec![];
    sixty.events.count = 30;
    let mut four = large();
    four.data.n = 400;
    let point = |d: f64| GapPoint {
        d,
        gap: 0.687 * d.powf(-0.483),
        low: 0.65 * d.powf(-0.483),
        high: 0.72 * d.powf(-0.483),
        predicted: 0.79 / d.sqrt(),
    };
    let points: Vec<GapPoint> = [1e3, 2e3, 4e3, 8e3, 16e3].map(point).to_vec();
    vec![
        ("golden", preactivations(&golden(), &golden_trajectory(&[1.0], 60))),
        ("golden-two", preactivations(&two, &golden_trajectory(&[1.0, -1.0], 60))),
        ("glucose", preactivations(&glucose(), &made_up(21, 2, 1e6, 76_358))),
        ("glucose-one", preactivations(&glucose(), &made_up(21, 1, 1e6, 120_000))),
        ("sixty", preactivations(&sixty, &made_up(60, 1, 80.0, 30))),
        ("four", preactivations(&four, &made_up(400, 24, 5e4, 5_000))),
        ("diverging", preactivations(&diverged(), &diverging_trajectory())),
        ("gap", gap_against_d(&points, "n = 20, one neuron, C = 2, 8 seeds")),
    ]
}

/// A run that grows by a factor of -4 a step and ends not finite.
pub(crate) fn diverging_trajectory() -> Trajectory {
    let mut t = made_up(21, 1, 40.0, 60);
    t.at = (0..40).map(f64::from).collect();
    t.z = (0..40)
        .map(|k| {
            Mat::from_fn(1, 21, |_, i| if k == 39 { f64::INFINITY } else { (-4f64).powi(k) * 1e-3 * (1.0 + i as f64) })
        })
        .collect();
    t
}
