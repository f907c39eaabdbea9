//! What the Python package adds to the engines, and what fifty starts of scikit-learn's network reach.

use std::sync::Arc;

use relimit_ask::{Caller, Held, ask};
use relimit_core::num::Mat;
use relimit_run::read::Held as Table;
use serde_json::{Map, Value, json};

use crate::data::{standardised, write_npy};
use crate::measure::{batch, enough, median};
use crate::peer::{Peer, number};
use crate::record::Row;

/// Batches of each side.
const ROUNDS: usize = 9;
/// Calls of one repetition.
const CALLS: usize = 1000;

/// Overhead of a call, import time, and the restarts.
pub(crate) fn python() -> Vec<Row> {
    let mut out = calls();
    out.extend(["trees.csv", "mcycle.csv"].map(restarts));
    out
}

/// Columns in memory, the last the labels where there are two kinds.
fn held(columns: &[&str], x: Mat) -> Held {
    let columns = columns.iter().map(ToString::to_string).collect();
    Held { table: Some(Arc::new(Table { name: "arrays".into(), x, columns })), network: None }
}

fn calls() -> Vec<Row> {
    let three = held(&["x0"], Mat::from_rows(&[[-1.0], [0.0], [1.0]]));
    let words: Map<String, Value> = Map::from_iter([("threads".to_owned(), json!(1))]);
    let caller = Caller { stop: &|| false, network: false, meter: None };
    let run = || {
        for _ in 0..CALLS {
            std::hint::black_box(ask("patterns", &words, &three, caller).expect("an answer"));
        }
    };
    let mut peer = Peer::start_package("calls.py", &["patterns".into()]);
    let (mut ours, mut theirs, mut imports) = (vec![], vec![], (f64::INFINITY, f64::INFINITY));
    for _ in 0..ROUNDS {
        ours.push(batch(2, run) / CALLS as f64);
        let figures = peer.batch(2);
        theirs.push(number(&figures, "cpu") / CALLS as f64);
        imports = (number(&figures, "relimit"), number(&figures, "numpy"));
    }
    let more: Vec<f64> = ours.iter().zip(&theirs).map(|(a, b)| (b - a) * 1e6).collect();
    vec![
        Row {
            question: "patterns of three points, a call from Python less the same question in Rust, microseconds"
                .into(),
            ours: Some(median(&ours)),
            peer: Some(median(&theirs)),
            ratio: Some(median(&more)),
            note: format!("ours is Rust, the peer Python, the ratio their difference; {}", peer.description),
        },
        Row {
            question: "import relimit in a fresh interpreter, milliseconds on the wall".into(),
            ours: None,
            peer: None,
            ratio: Some(imports.0 * 1e3),
            note: format!("least of 9; {:.0} of them are numpy's; {}", imports.1 * 1e3, peer.description),
        },
    ]
}

/// The certified optimum against the best of fifty starts, with free biases as scikit-learn has them.
fn restarts(file: &str) -> Row {
    const ALPHA: f64 = 0.5;
    const WIDTH: usize = 50;
    let (features, label): (&[&str], &str) =
        if file == "trees.csv" { (&["Girth", "Height"], "Volume") } else { (&["times"], "accel") };
    let (x, y) = standardised(file, features, label);
    let (n, d) = (x.rows(), x.cols());
    let all = Mat::from_fn(n, d + 1, |i, k| if k < d { x[(i, k)] } else { y[i] });
    let names: Vec<&str> = features.iter().copied().chain([label]).collect();
    let table = held(&names, all);
    let words = json!({"target": label, "lambda": ALPHA / n as f64, "bias": "free", "threads": 1});
    let Value::Object(words) = words else { unreachable!("an object") };
    let caller = Caller { stop: &|| false, network: true, meter: None };
    let run = || ask("optimum", &words, &table, caller).expect("an answer").answer;
    let answer = run();
    let figure = |key: &str| answer[key].as_f64().unwrap_or(f64::NAN);
    let (objective, gap) = (figure("objective"), figure("gap_relative"));
    let stem = file.trim_end_matches(".csv");
    let (xf, yf) = (write_npy(&format!("{stem}-x"), &[n, d], x.as_slice()), write_npy(&format!("{stem}-y"), &[n], &y));
    let sizes = [ALPHA.to_string(), WIDTH.to_string()];
    let mut peer = Peer::start_package("restarts.py", &[xf.into(), yf.into(), (&sizes[0]).into(), (&sizes[1]).into()]);
    let again = || {
        std::hint::black_box(run());
    };
    let times = enough(again);
    let ours: Vec<f64> = (0..ROUNDS).map(|_| batch(times, again)).collect();
    let figures = peer.batch(1);
    let (best, middle) = (number(&figures, "best"), number(&figures, "median"));
    let cpu = number(&figures, "cpu");
    Row {
        question: format!(
            "{file}: 50 starts of MLPRegressor, {WIDTH} neurons, alpha = {ALPHA}, over the certified optimum"
        ),
        ours: Some(median(&ours)),
        peer: Some(cpu),
        ratio: Some(cpu / median(&ours)),
        note: format!(
            "F = {objective:.8}, relative gap {gap:.1e}; the best start ends {:.1e} (relative) above it, the middle one {:.1e}, \
             {} of 50 within 1e-4 of the best; {}",
            (best - objective) / objective,
            (middle - objective) / objective,
            number(&figures, "within"),
            peer.description
        ),
    }
}
