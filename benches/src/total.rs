//! What the whole answer of `limit` costs over the Gram product that it cannot do without, in time and in memory.

use std::path::Path;
use std::process::Command;

use relimit_core::certify::gap::{Outlook, Reached, gap};
use relimit_core::certify::one_step;
use relimit_core::data::Dataset;
use relimit_core::data::scale::{Scale, Scaled, scale};
use relimit_core::data::spectrum::spectrum;
use relimit_core::descent::{
    DescentOptions, Problem, Start, Status, Unobserved, descend, settled_spectrum, start as start_at,
};
use relimit_core::num::Mat;
use relimit_core::num::linalg::gram;
use relimit_solve::answer::{LimitAnswer, Settings};
use relimit_solve::limit::{LimitQuestion, limit};
use relimit_solve::min_norm::{MinNormOptions, min_norm};
use relimit_solve::plan::{LimitOptions, LimitPlan};

use crate::data::{gaussian, root, write_npy};
use crate::measure::{batch, repetitions};
use crate::record::Row;

/// Batches of each side; the least of each counts, as other programs on the machine only ever add to it.
const ROUNDS: usize = 15;

/// Everything that `limit` answers from data in memory over the Gram product alone, with where the rest goes.
pub(crate) fn total() -> Vec<Row> {
    let mut out = vec![];
    for (n, d) in [(100, 10_000), (500, 20_000)] {
        for signs in ["+", "+-"] {
            out.push(over_gram(n, d, signs));
        }
    }
    out
}

fn over_gram(n: usize, d: usize, signs: &str) -> Row {
    let scaled = data(n, d);
    let plan = plan(signs);
    let x: &Mat = &scaled.dataset.x;
    let answer = || ask(&scaled, &plan);
    let checked = answer();
    assert_eq!(checked.limit.status, Status::Converged, "{n} x {d}, {signs}");
    assert!(checked.gap.absolute.is_some(), "{n} x {d}, {signs}: no gap");
    let alone = || {
        std::hint::black_box(gram(std::hint::black_box(x)));
    };
    let times = repetitions(batch(3, alone));
    let (mut ours, mut product) = (vec![], vec![]);
    for _ in 0..ROUNDS {
        ours.push(batch(times, || {
            std::hint::black_box(answer());
        }));
        product.push(batch(times, alone));
    }
    let (ours, product) = (least(&ours), least(&product));
    let parts: Vec<String> =
        parts(&scaled, &plan, times, product).into_iter().map(|(name, share)| format!("{name} {share:.2}")).collect();
    Row {
        question: format!("limit {n} x {d}, signs {signs}, everything over the Gram product"),
        ours: Some(ours),
        peer: Some(product),
        ratio: Some(ours / product),
        note: format!(
            "least of {ROUNDS} batches; weights not formed, as without --save and --out; min-norm {:?}; parts over the product: {}",
            checked.min_norm.status,
            parts.join(", ")
        ),
    }
}

fn least(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}

/// CPU time of the parts, one by one, over that of the Gram product.
fn parts(scaled: &Scaled, plan: &LimitPlan, times: usize, product: f64) -> Vec<(&'static str, f64)> {
    let data = &scaled.dataset;
    let make = || Problem::new(data.x.clone(), data.y.clone(), plan.signs.weights().to_vec(), false);
    let p = make();
    let tau = spectrum(p.x(), p.gram()).tau;
    let eta = 1.0 / (2.0 * tau);
    let rule = Start::Orthant(1e-3);
    let initial = start_at(&p, &rule, None).expect("independent rows");
    let options = DescentOptions::to_limit(eta);
    let end = descend(&p, &initial, &options, &mut Unobserved, &|| false);
    let search = MinNormOptions::for_size(p.n(), 1e-8);
    let best = min_norm(&p, &search, &|| false);
    let reached = Reached { alpha: &end.alpha, z: &end.z, w: &end.w, offset: &initial.offset };
    let outlook = Outlook { eta, d2: None };
    let times = times.div_ceil(2);
    let mut out = vec![];
    let mut time = |name, run: &dyn Fn()| out.push((name, batch(times, run) / product));
    time("problem", &|| drop(std::hint::black_box(make())));
    time("spectrum", &|| {
        std::hint::black_box(spectrum(p.x(), p.gram()));
    });
    time("start", &|| drop(std::hint::black_box(start_at(&p, &rule, None))));
    time("descend", &|| drop(std::hint::black_box(descend(&p, &initial, &options, &mut Unobserved, &|| false))));
    time("settled spectrum", &|| {
        std::hint::black_box(settled_spectrum(&p, &end.z));
    });
    time("min-norm", &|| drop(std::hint::black_box(min_norm(&p, &search, &|| false))));
    time("gap", &|| drop(std::hint::black_box(gap(&p, &reached, &best.duals, &outlook))));
    time("one step", &|| {
        std::hint::black_box(one_step(&p, &initial, eta, Some(tau)));
    });
    time("X' alpha", &|| drop(std::hint::black_box(p.x().tmul_vec(end.alpha.row(0)))));
    out
}

/// Gaussian rows with labels -1 and 1 in turn.
fn data(n: usize, d: usize) -> Scaled {
    let x = gaussian(n, d, 1);
    let y = (0..n).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let features = (0..d).map(|k| format!("x{k}")).collect();
    let dataset = Dataset { x: x.into(), y, features, target: "y".into(), rows: (1..=n).collect() };
    scale(&dataset, Scale::None, Scale::None).expect("nothing to scale")
}

fn plan(signs: &str) -> LimitPlan {
    let options = LimitOptions { signs: Some(signs.into()), step_constant: Some(2.0), ..Default::default() };
    options.check().expect("a plan")
}

fn ask(scaled: &Scaled, plan: &LimitPlan) -> LimitAnswer {
    let question = LimitQuestion {
        plan,
        scaled,
        centred_from: None,
        weights: None,
        population: None,
        name: "gaussian".into(),
        notices: vec![],
        settings: Settings::default(),
    };
    limit(&question, &mut Unobserved, &|| false).expect("a start that exists").answer
}

/// Peak memory of `relimit limit` on a file of 500 x 20,000 inputs, over the size of its numbers.
pub(crate) fn memory() -> Vec<Row> {
    let (n, d) = (500, 20_000);
    let program = root().join("target/release/relimit");
    assert!(program.exists(), "no {}: cargo build --release", program.display());
    let s = data(n, d);
    let with_labels = Mat::from_fn(n, d + 1, |i, k| if k < d { s.dataset.x[(i, k)] } else { s.dataset.y[i] });
    drop(s);
    let file = write_npy("memory", &[n, d + 1], with_labels.as_slice());
    drop(with_labels);
    let bytes = (n * (d + 1) * size_of::<f64>()) as f64;
    let calls: [(&str, &[&str]); 3] = [("+", &[]), ("+-", &[]), ("+-", &["--bias", "penalised"])];
    calls.iter().map(|(signs, more)| peak(&program, &file, d, signs, more, bytes)).collect()
}

fn peak(program: &Path, file: &Path, d: usize, signs: &str, more: &[&str], bytes: f64) -> Row {
    let child = Command::new(root().join("target/bench-venv/bin/python"))
        .arg(root().join("benches/peers/peak.py"))
        .arg(program)
        .args(["limit".as_ref(), file.as_os_str()])
        .args(["--target", &format!("x{d}"), "--signs", signs, "--step-constant", "2"])
        .args(more)
        .output()
        .expect("a Python process");
    let text = String::from_utf8_lossy(&child.stdout);
    let top: f64 = text.trim().parse().unwrap_or_else(|_| panic!("{text}{}", String::from_utf8_lossy(&child.stderr)));
    Row {
        question: format!(
            "relimit limit on a .npy of 500 x {d}, m = {}{}, peak memory over data",
            signs.len(),
            if more.is_empty() { "" } else { ", with a bias" }
        ),
        ours: None,
        peer: None,
        ratio: Some(top / bytes),
        note: format!("{:.1} MB over {:.1} MB", top / 1e6, bytes / 1e6),
    }
}
