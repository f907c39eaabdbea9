//! A run: steps from one to another, what is seen on the way, and how it ended.

use std::fmt;
use std::ops::Range;

use super::gradient::{gradient, stable_step};
use super::observe::Observer;
use super::particles::{Particles, Store};
use super::plan::Plan;
use super::schedule::Batch;
use super::segment::{Reached, segment};

/// Steps between two looks at the gradient of a noise-free run: at multiples of it, however the run is cut.
pub const LOOK: u64 = 1024;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Status {
    /// All steps asked for are done.
    Completed,
    /// The gradient is within the plan's tolerance (noise-free full batch only). Observed, not certified.
    Converged {
        /// Root mean square over neurons of `|grad Psi|`.
        gradient: f64,
    },
    /// A number left the range of the state, or became NaN.
    Diverged(Remedy),
    /// The caller asked to stop.
    Interrupted,
}

/// What to do about a divergence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Remedy {
    /// The step in force.
    pub step: f64,
    /// A step that is stable at the start of the plan: `1/(lambda + trace of the tangent kernel)`.
    pub stable: f64,
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.step > self.stable {
            write!(
                f,
                "the step {} is too large: one below {:.2e} is stable at the start (--step)",
                self.step, self.stable
            )
        } else {
            write!(
                f,
                "the step {} is stable at the start but not where the run went: divide it by 10, or scale the data (--step, \
                 --scale standardise)",
                self.step
            )
        }
    }
}

/// The end of a run; the state is in the particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct End {
    /// How it ended.
    pub status: Status,
    /// Steps done since the start of the plan: the next run goes on from here.
    pub step: u64,
}

/// Takes the steps `steps` of the plan, on at most `threads` threads, and leaves the state in `particles`.
///
/// Step t uses noise, batch, beta and eta of number t, so that `0..a` followed by `a..b` gives the bits of `0..b`, for
/// any number of threads. `stop` is asked after every step.
///
/// # Cost
/// About `6 n N (d + 1)` flops a step for k = 1, and a normal for every parameter; memory: the state, and
/// 2 n k numbers for each of at most 64 chunks.
///
/// # Panics
/// When the particles are not of the plan's shape, or the step range is backwards.
///
/// # Example
/// ```
/// use relimit_core::langevin::{Options, Plan, Status, Unobserved, run, start};
/// use relimit_core::num::Mat;
/// let (x, y) = (Mat::from_rows(&[[0.5], [-1.5]]), Mat::from_rows(&[[1.0], [-0.5]]));
/// let plan = Plan::new(Options { width: 64, ..Options::new(x, y, 0.05, 100.0, 0.05) }).unwrap();
/// let mut particles = start(&plan);
/// let end = run(&plan, &mut particles, 0..100, 1, &mut Unobserved, &|| false);
/// assert_eq!((end.status, end.step), (Status::Completed, 100));
/// ```
pub fn run(
    plan: &Plan,
    particles: &mut Particles,
    steps: Range<u64>,
    threads: usize,
    observer: &mut dyn Observer,
    stop: &dyn Fn() -> bool,
) -> End {
    let (_, d, k) = plan.shape();
    let found = (particles.width(), particles.inputs(), particles.outputs());
    assert_eq!(found, (plan.options().width, d, k), "neurons, inputs and outputs of the state and of the plan");
    assert!(steps.start <= steps.end, "steps {steps:?}");
    let mut at = steps.start;
    loop {
        if !particles.all_finite() {
            return diverged(plan, at);
        }
        if observer.next_sample() <= at {
            observer.sample(at, plan, particles);
        }
        if let Some(status) = converged(plan, particles, at) {
            return End { status, step: at };
        }
        if at >= steps.end {
            return End { status: Status::Completed, step: at };
        }
        let look = if watches(plan) { (at / LOOK + 1) * LOOK } else { u64::MAX };
        let until = steps.end.min(look).min(observer.next_sample().max(at + 1));
        let mut hear = |step: u64, f: &[f64]| observer.outputs(step, f);
        let offset = &mut particles.offset;
        let reached = match &mut particles.store {
            Store::F32(theta) => segment(plan, theta, offset, at..until, threads, &mut hear, stop),
            Store::F64(theta) => segment(plan, theta, offset, at..until, threads, &mut hear, stop),
        };
        match reached {
            Reached::All => at = until,
            Reached::Stopped(step) => return End { status: Status::Interrupted, step },
            Reached::NotFinite(step) => return diverged(plan, step),
        }
    }
}

fn diverged(plan: &Plan, at: u64) -> End {
    let step = plan.options().step.at(at.saturating_sub(1));
    End { status: Status::Diverged(Remedy { step, stable: stable_step(plan) }), step: at }
}

/// Whether convergence can be spoken of: no noise, all examples, and a tolerance.
fn watches(plan: &Plan) -> bool {
    let o = plan.options();
    o.gradient_tolerance > 0.0 && !o.beta.ever_finite() && o.batch == Batch::Full
}

fn converged(plan: &Plan, particles: &Particles, at: u64) -> Option<Status> {
    if !watches(plan) || !at.is_multiple_of(LOOK) {
        return None;
    }
    let size = gradient(plan, particles).size;
    (size <= plan.options().gradient_tolerance).then_some(Status::Converged { gradient: size })
}
