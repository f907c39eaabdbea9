//! Runs and their data, written down by hand from closed forms.

use relimit_core::certify::{Claim, OneStep};
use relimit_core::descent::{Event, Move, Status};
use relimit_core::num::Mat;
use relimit_core::theory::{DataFacts, EffectiveDimension, Evidence, Family, GapFacts, MinNormFacts, RunFacts};

/// Rows (4,0,0,1), (0,4,0,1), (0,0,4,1), labels (1,2,-1), C = 2, start .01: G is 17 on and 1 beside the diagonal.
pub(crate) fn golden_data() -> DataFacts {
    DataFacts {
        n: 3,
        dim: 4,
        tau: 17.0,
        d2: None,
        orthogonal: Some(false),
        lengths: vec![17f64.sqrt(); 3],
        labels: vec![1.0, 2.0, -1.0],
        family: None,
    }
}

/// The one-step certificate there; `m` neurons: (2/17) 2 (2 + m/100) / (15/17) + (.01 or .02) < 1.
pub(crate) fn golden_certificate(m: usize) -> OneStep {
    let radius = 2.0 + 0.01 * m as f64;
    OneStep {
        tau: 17.0,
        step_constant: 2.0,
        rho: Some(2.0 / 17.0),
        eps: Some(0.01),
        radius: Some(radius),
        left: Some(4.0 / 15.0 * radius + 0.01 * m as f64),
        right: 1.0,
        holds: true,
        contraction: Some(1.0 - 15.0 / 34.0),
        obstacle: None,
    }
}

fn off(neuron: u32, example: u32) -> Event {
    Event { at: 1.0, neuron, example, to: Move::Off }
}

/// A recorded change of a mask.
pub(crate) fn event(at: f64, neuron: u32, example: u32, to: Move) -> Event {
    Event { at, neuron, example, to }
}

/// `|v|` of one neuron on the golden data: |alpha_N + mu| with alpha_N = .01/19 - 1.01/34 and mu = 3/304.
pub(crate) fn golden_v() -> f64 {
    1.01 / 34.0 - 0.01 / 19.0 - 3.0 / 304.0
}

/// One neuron on the golden data: example 2 is silent after step 1, the limit is in closed form.
pub(crate) fn golden_one() -> Evidence {
    Evidence {
        data: Some(golden_data()),
        descent: Some(RunFacts {
            c: vec![1.0],
            at_zero: false,
            eta: Some(1.0 / 34.0),
            status: Status::Converged,
            start_z: Mat::from_rows(&[[0.01, 0.01, 0.01]]),
            z: Mat::from_rows(&[[1.0, 2.0, -0.32614379]]),
            fitted: vec![true, true, false],
            loss: 0.5,
            events: vec![off(0, 2)],
            events_complete: true,
            last_event: 1.0,
            distance: None,
            offset: 0.0,
            radius: 0.0,
        }),
        min_norm: Some(certified(0.53187850)),
        gap: Some(GapFacts {
            absolute: (152.0f64 / 9.0).sqrt() * golden_v(),
            relative: Some(0.07936126 / 0.53187850),
            // nu = 1.01/34 - .01/19, |z| = .32614379
            bound: Some(((1.01 / 34.0 - 0.01 / 19.0) * 0.32614379f64).sqrt()),
            v_norm: Some(golden_v()),
        }),
        one_step: Some(golden_certificate(1)),
        ..Evidence::default()
    }
}

/// Two neurons on the golden data, started alike.
pub(crate) fn golden_two() -> Evidence {
    let one = golden_one();
    let Some(run) = one.descent else { panic!("no run") };
    Evidence {
        descent: Some(RunFacts {
            c: vec![1.0, -1.0],
            start_z: Mat::from_rows(&[[0.01; 3]; 2]),
            z: Mat::from_rows(&[[1.0, 2.0, -0.32117649], [-0.48539794, -0.95598614, 1.0]]),
            fitted: vec![true; 3],
            loss: 0.0,
            events: vec![off(0, 2), off(1, 0), off(1, 1)],
            ..run
        }),
        min_norm: Some(certified(0.58489765)),
        gap: Some(GapFacts { absolute: 0.26668088, relative: Some(0.45594445), bound: None, v_norm: None }),
        one_step: Some(golden_certificate(2)),
        ..one
    }
}

/// A certified minimum norm.
pub(crate) fn certified(norm: f64) -> MinNormFacts {
    MinNormFacts { status: Claim::Certified, norm: Some(norm), lower: Some(norm), upper: Some(norm) }
}

/// Three neurons of signs +, +, - on rows (10,0,0), (0,10,0), (0,0,10), each active at the start for its own row alone,
/// silent by .1 on the others; labels (1,2,-1). Orthogonal rows: nothing but the own preactivation moves.
pub(crate) fn disjoint() -> Evidence {
    let start = Mat::from_fn(3, 3, |j, i| if i == j { 0.01 } else { -0.1 });
    let limit = Mat::from_fn(3, 3, |j, i| if i == j { [1.0, 2.0, 1.0][i] } else { -0.1 });
    Evidence {
        data: Some(DataFacts {
            n: 3,
            dim: 3,
            tau: 100.0,
            // as if the rows were a sample of a population with this effective dimension
            d2: Some(exactly(10_000.0)),
            orthogonal: Some(true),
            lengths: vec![10.0; 3],
            labels: vec![1.0, 2.0, -1.0],
            family: None,
        }),
        descent: Some(RunFacts {
            c: vec![1.0, 1.0, -1.0],
            at_zero: false,
            eta: Some(1.0 / 200.0),
            status: Status::Converged,
            start_z: start,
            z: limit,
            fitted: vec![true; 3],
            loss: 0.0,
            events: Vec::new(),
            events_complete: true,
            last_event: 0.0,
            distance: None,
            offset: 0.0,
            radius: 0.0,
        }),
        ..Evidence::default()
    }
}

/// An effective dimension that is known.
pub(crate) fn exactly(value: f64) -> EffectiveDimension {
    EffectiveDimension { value, low: value, high: value }
}

/// Gradient flow from 0 on rows (3,-1,0), (4,2,0), (0,1,1) with labels (16,18,0): it ends at (5,-1,s), s = -.040773; the
/// minimum-norm solution is (5,-1,0).
pub(crate) fn vardi_shamir() -> Evidence {
    let s = -0.040773;
    Evidence {
        data: Some(DataFacts {
            n: 3,
            dim: 3,
            tau: 32.0 / 3.0,
            d2: None,
            orthogonal: Some(false),
            lengths: vec![10f64.sqrt(), 20f64.sqrt(), 2f64.sqrt()],
            labels: vec![16.0, 18.0, 0.0],
            family: Some(Family::VardiShamir { gamma: 1.0 }),
        }),
        flow: Some(RunFacts {
            c: vec![1.0],
            at_zero: true,
            eta: None,
            status: Status::Converged,
            start_z: Mat::zeros(1, 3),
            z: Mat::from_rows(&[[16.0, 18.0, s - 1.0]]),
            fitted: vec![true; 3],
            loss: 0.0,
            events: vec![event(0.169651, 0, 2, Move::Off)],
            events_complete: true,
            last_event: 0.169651,
            distance: Some((26.0 + s * s).sqrt()),
            offset: 0.0,
            radius: 1e-12,
        }),
        min_norm: Some(certified(26f64.sqrt())),
        flow_gap: Some(GapFacts { absolute: -s, relative: Some(-s / 26f64.sqrt()), bound: None, v_norm: None }),
        ..Evidence::default()
    }
}

/// Rows (2,0), (0,3), labels (4,-6), one neuron, start .01 on both rows: the flow carries row 0 to w_1 = 2 and row 1 down to
/// its kink, where it freezes; the minimum-norm solution is (2,0), the same point.
pub(crate) fn orthogonal() -> Evidence {
    Evidence {
        data: Some(DataFacts {
            n: 2,
            dim: 2,
            tau: 6.5,
            d2: None,
            orthogonal: Some(true),
            lengths: vec![2.0, 3.0],
            labels: vec![4.0, -6.0],
            family: None,
        }),
        flow: Some(RunFacts {
            c: vec![1.0],
            at_zero: false,
            eta: None,
            status: Status::Converged,
            start_z: Mat::from_rows(&[[0.01, 0.01]]),
            z: Mat::from_rows(&[[4.0, 0.0]]),
            fitted: vec![true, false],
            loss: 18.0,
            // z' = 9 (-6 - z): z reaches 0 at ln(1 + .01/6)/9
            events: vec![event((0.01f64 / 6.0).ln_1p() / 9.0, 0, 1, Move::Off)],
            events_complete: true,
            last_event: (0.01f64 / 6.0).ln_1p() / 9.0,
            distance: Some(((2.0 - 0.005f64).powi(2) + (0.01f64 / 3.0).powi(2)).sqrt()),
            offset: 0.0,
            radius: 0.0,
        }),
        min_norm: Some(certified(2.0)),
        flow_gap: Some(GapFacts::default()),
        ..Evidence::default()
    }
}

/// Evidence with its run of descent changed.
pub(crate) fn descent(mut e: Evidence, change: impl FnOnce(&mut RunFacts)) -> Evidence {
    change(e.descent.as_mut().unwrap_or_else(|| panic!("no descent")));
    e
}

/// Evidence with its run of the flow changed.
pub(crate) fn flow(mut e: Evidence, change: impl FnOnce(&mut RunFacts)) -> Evidence {
    change(e.flow.as_mut().unwrap_or_else(|| panic!("no flow")));
    e
}

/// Evidence with its data changed.
pub(crate) fn data(mut e: Evidence, change: impl FnOnce(&mut DataFacts)) -> Evidence {
    change(e.data.as_mut().unwrap_or_else(|| panic!("no data")));
    e
}

/// Evidence with anything changed.
pub(crate) fn with(mut e: Evidence, change: impl FnOnce(&mut Evidence)) -> Evidence {
    change(&mut e);
    e
}
