//! Equal bits for any number of threads and however a run is cut.

use relimit_core::langevin::{
    Activation, Batch, Grid, Options, Particles, Plan, Precision, Recorder, Schedule, Smooth, Status, Unobserved, run,
    start,
};

use crate::reference::options;

fn plans() -> Vec<Plan> {
    let beta = Schedule::Geometric { from: 50.0, to: 5000.0, steps: 60 };
    let step = Schedule::Harmonic { from: 0.05, half: 40 };
    let base = Options { width: 1001, beta, step, ..options(20, 2, 1) };
    let smooth = Activation::Smooth(Smooth { cap: 2.0, sharpness: 10.0 });
    let all = [
        base.clone(),
        Options { precision: Precision::F32, ..base.clone() },
        Options { batch: Batch::Shuffled(6), ..base.clone() },
        Options { batch: Batch::Drawn(7), precision: Precision::F32, ..base.clone() },
        Options { beta: base.beta.clone(), width: 1001, ..options(7, 3, 2) },
        Options { activation: smooth, ..base },
    ];
    all.into_iter().map(|o| Plan::new(o).expect("a plan")).collect()
}

#[test]
fn threads_and_cuts_do_not_change_a_bit() {
    for plan in plans() {
        let mut whole = start(&plan);
        let end = run(&plan, &mut whole, 0..97, 1, &mut Unobserved, &|| false);
        assert_eq!((end.status, end.step), (Status::Completed, 97));
        for threads in [2, 3, 7] {
            let mut other = start(&plan);
            run(&plan, &mut other, 0..97, threads, &mut Unobserved, &|| false);
            assert_eq!(other.fingerprint(), whole.fingerprint(), "{threads} threads");
        }
        // Cut, saved as numbers, taken up again, watched on a grid, on other numbers of threads.
        let mut parts = start(&plan);
        let mut watch = Recorder::new(Grid { per_decade: 4 }, 0, 31);
        run(&plan, &mut parts, 0..31, 2, &mut watch, &|| false);
        assert_eq!(watch.record.iter().map(|m| m.step).collect::<Vec<_>>(), [0, 1, 2, 3, 6, 10, 18, 31]);
        let mut parts = Particles::from_values(&plan, parts.values(), parts.offset());
        run(&plan, &mut parts, 31..32, 1, &mut Unobserved, &|| false);
        run(&plan, &mut parts, 32..97, 3, &mut Unobserved, &|| false);
        assert_eq!(parts, whole);
        let mut other = start(&Plan::new(Options { seed: 1, ..plan.options().clone() }).unwrap());
        run(&plan, &mut other, 0..97, 1, &mut Unobserved, &|| false);
        assert_ne!(other.fingerprint(), whole.fingerprint());
    }
}

#[test]
fn an_interrupted_run_goes_on_where_it_stopped() {
    for threads in [1, 2, 3] {
        let plan = &plans()[0];
        let mut whole = start(plan);
        run(plan, &mut whole, 0..50, 1, &mut Unobserved, &|| false);
        let asked = std::cell::Cell::new(0);
        let mut parts = start(plan);
        let stop = || {
            asked.set(asked.get() + 1);
            asked.get() == 17
        };
        let end = run(plan, &mut parts, 0..50, threads, &mut Unobserved, &stop);
        assert_eq!((end.status, end.step), (Status::Interrupted, 17));
        run(plan, &mut parts, end.step..50, threads, &mut Unobserved, &|| false);
        assert_eq!(parts, whole);
    }
}
