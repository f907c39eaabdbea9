//! What a sweep costs beside its runs, and what the same grid costs with numpy and joblib.

use relimit_run::sweep::{Grid, Keep, Plan, RunSpec, Saved, Stop, Store, run_local};
use serde_json::Value;

use crate::data::root;
use crate::measure::{batch, median};
use crate::peer::{Peer, number};
use crate::record::Row;

/// Batches of each side.
const ROUNDS: usize = 3;
const DIMENSIONS: [u32; 3] = [500, 1000, 2000];
const SEEDS: usize = 1000;

fn one(spec: &RunSpec, stop: Stop<'_>) -> Result<Value, String> {
    relimit_ask::run(spec.words.clone(), &spec.command, stop)
}

/// Overhead over the runs alone, and the peer.
pub(crate) fn sweep() -> Vec<Row> {
    let text = format!(
        "command = \"limit\"\n[fixed]\nsynthetic = \"gaussian:n=20,d={{d}},labels=sign,seed={{seed}}\"\nsigns = \"+-\"\n\
         start = \"orthant:1e-4\"\nstep_constant = 2\n[axes]\nd = {DIMENSIONS:?}\n[seeds]\ncount = {SEEDS}\n[record]\n\
         gap = \"/gap/absolute\"\nlast_step = \"/events/last_step\"\nstatus_of_limit = \"/limit/status\"\n"
    );
    let folder = root().join("target/bench-data");
    std::fs::create_dir_all(&folder).expect("a folder");
    let plan = Plan::read("bench", &text).expect("a plan");
    let grid = Grid::new(&plan, &folder).expect("a grid");
    let alone = || {
        for run in 0..grid.len() {
            let spec = RunSpec { run, command: plan.command.clone(), words: grid.call(run) };
            std::hint::black_box(one(&spec, &|| false).expect("an answer"));
        }
    };
    let out = folder.join("bench.sweep");
    let swept = || {
        let _ = std::fs::remove_dir_all(&out);
        let mut store = Store::open(&out, &grid, &text, &folder, Keep::default()).expect("a folder");
        run_local(&mut store, &one, 1, &|| false, &mut |_| ()).expect("rows");
        store.finish().expect("rows");
    };
    let runs = grid.len() as f64;
    let mut peer =
        Peer::start("joblib_dual.py", &[DIMENSIONS.map(|d| d.to_string()).join(",").into(), SEEDS.to_string().into()]);
    let (mut loops, mut sweeps, mut theirs) = (vec![], vec![], vec![]);
    let mut figures = peer.batch(1);
    for _ in 0..ROUNDS {
        loops.push(batch(1, alone) / runs);
        sweeps.push(of_process(swept) / runs);
        figures = peer.batch(1);
        theirs.push(number(&figures, "cpu") / runs);
    }
    let over: Vec<f64> = sweeps.iter().zip(&loops).map(|(s, l)| s / l - 1.0).collect();
    let found = Saved::open(&out).and_then(|saved| saved.overview()).expect("a sweep");
    assert_eq!(found.done, grid.len(), "every run has a row");
    vec![
        Row {
            question: format!(
                "sweep of {runs} limits, n = 20, d = {DIMENSIONS:?}, a run, over the same calls in a loop, less 1"
            ),
            ours: Some(median(&sweeps)),
            peer: Some(median(&loops)),
            ratio: Some(median(&over)),
            note: "CPU time of all threads of the sweep, the data set included; the peer is our own loop".into(),
        },
        Row {
            question: format!("sweep of {runs} limits, n = 20, d = {DIMENSIONS:?}, a run, numpy and joblib over ours"),
            ours: Some(median(&sweeps)),
            peer: Some(median(&theirs)),
            ratio: Some(median(&theirs) / median(&sweeps)),
            note: format!(
                "ours proves limit and gap, the peer stops at a loss of 1e-20 after {:.0} steps in the mean; {}",
                number(&figures, "steps"),
                peer.description
            ),
        },
    ]
}

/// CPU seconds of all threads for one call; the clock of a process has ticks of a hundredth.
fn of_process(run: impl Fn()) -> f64 {
    let start = crate::measure::process_seconds();
    run();
    crate::measure::process_seconds() - start
}
