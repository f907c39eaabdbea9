//! Gradient flow with sliding modes, event by event in closed form.
//!
//! ```text
//! dw_j/dt = c_j X' Theta_j r,   r = y - sum_j c_j relu(X w_j),   theta_ji = 1, 0, or between while z_ji = 0
//! ```
//!
//! A preactivation that its own example pushes below 0 while the other examples push it back up is held at 0 by a
//! mask between 0 and 1 (the Filippov solution of the flow): it *slides*. Between events the flow is linear and
//! solved by one eigendecomposition (`stretch`); the next event is the earliest time at which a sign is lost, with
//! every earlier time excluded (`guard`); at an event all pairs of a neuron that sit on 0 are decided together
//! (`decide`). After the last event the closed form at infinite time is the limit.
//!
//! # The limit of small steps
//!
//! Descent with step eta approaches this limit linearly in eta, but how small eta has to be depends on the run. A
//! slide that ends because the residual of its example changes sign, `r_i -> 0`, ends *active* as soon as
//! `|c_j r_i|` is below the push phi that holds the pair, however small phi has become by then. Descent sees the
//! pair jump between about `-eta |c_j r_i| |x_i|^2` and 0; it follows only when these jumps are smaller than the
//! way `phi / mu` that is left to the push. In one random problem (n = 10, d = 30, three neurons: `far_case` in the
//! tests) phi has decayed to 1.5e-7 when r_i crosses 0 at t = .20932, and descent goes silent for good, .010 away,
//! at C = 256, 1,024, 4,096 and 16,384 steps per unit of 1/d; at C = 65,536 one of the two sliding neurons follows;
//! from C = 262,144 on both do, at the time that the flow states. When phi is within rounding of 0 at such a
//! crossing, neither continuation is certain and the run ends `Undecided` with `Reason::NonUnique`.
//!
//! # Neurons that come to weight 0
//!
//! With n > D a neuron can slide into w_j = 0, where all of its preactivations vanish at once. With the residuals that it
//! finds there it moves, until it is away again, by the gradient of a function of its direction alone:
//!
//! ```text
//! w_j' = grad phi(w_j),    phi(u) = c_j sum_i r_i relu(x_i.u),    d/dt |w_j|^2 / 2 = phi(w_j)
//! ```
//!
//! If every example pulls inwards (c_j r_i < 0) phi is nowhere positive, |w_j| cannot grow, and the neuron stays: it is
//! listed with all of its pairs as ties. If phi is positive somewhere, there is no one continuation: with u the unit
//! vector of largest phi, `w_j(t) = phi(u) (t - s) u` from any time s on solves the equation, and so does staying, as
//! long as masks between 0 and 1 make the pulls add up to 0; in which direction and when a descent with small steps leaves
//! depends on the steps. So a neuron at 0 with a pull outwards (or one that turns outwards) ends the run
//! `Undecided` with `Reason::NonUnique` at that state. (It is cautious: phi can be nowhere positive although one example
//! pulls outwards.) A rule that goes by the masks one at a time was tried on random problems with n = 6, D = 2: it
//! disagreed with descent in 14 of 35 such runs, and in 0 of 122 runs without. How often it happens depends on the
//! data: with a bias column and 20 random starts at each of three scales, never for one to three neurons on mcycle, trees,
//! cars and stackloss (n = 21 to 133), for 12 of 20 starts at worst with sixteen neurons on cars (D = 2) and 13 of 20
//! on trees (D = 3), and in about a third of random problems with n = 6, D = 2 and two to eight neurons.
//!
//! # Many examples
//!
//! With n > D no n x n matrix is formed. From n = 4 m D on an event costs a few passes over X and the decomposition of
//! one m D x m D matrix: second moments of the active examples change by a rank one with each mask (`covariance`), the
//! pairs that can take part in the next event are those whose distance from 0 is within the way that the weights still
//! go (`next`), and duals are written when a mask changes (`ledger`). Where the moments do not resolve what moves, as with
//! spectra, rates come from the singular values of the active examples, as for smaller n. 10,000 Gaussian rows with
//! D = 10 and random signs as labels have about 6,800 events for one neuron and 4,600 to 10,300 for two, at 0.4 and
//! 0.7 ms each (before: 10 and 25 ms).

mod covariance;
mod decide;
mod directions;
mod engine;
mod guard;
mod hold;
mod ledger;
mod modes;
mod next;
mod space;
mod state;
mod stretch;

use std::borrow::Cow;

use super::{Initial, Limit, Observer, Problem};
use directions::Directions;

/// Limits of a flow run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowOptions {
    /// Mask changes after which the run ends with status `Budget`.
    pub max_events: u64,
}

impl Default for FlowOptions {
    /// A million mask changes: far above what data of a few hundred examples need (about 10 a pair at most).
    fn default() -> Self {
        Self { max_events: 1_000_000 }
    }
}

/// The limit of the gradient flow of the half-sum loss from `start`, with every event on the way.
///
/// `ties` lists the pairs that rest on 0 for ever, with a mask between 0 and 1. `radius` is 0:
/// the limit is a closed form, exact up to rounding. Examples whose rows are positive multiples of each other move
/// as one (their masks are equal at all times); rows of zeros never move.
///
/// `observer.sample` is called for every requested time in increasing order, also after the last event, until
/// `next_sample` returns infinity or fails to increase. `stop` is polled once an event.
///
/// # Shapes
/// `start.alpha`, `start.z` m x n, `start.offset` m x D.
///
/// # Statuses
/// `Converged`; `Undecided` when the state does not determine its continuation (`NonUnique`), a sign cannot be told
/// from 0 (`SignUnresolved`) or numbers overflow (`NotFinite`); `Budget`; `Interrupted`.
///
/// # Cost
/// One eigendecomposition an event, of order min(n, m D), and O(m n^2 min(n, m D)) for n <= D, O(n (m D)^2) else; from
/// n = 4 m D on about 5 passes over X and 20 (m D)^3 instead. Memory: a transposed copy of X and a few m x n arrays.
///
/// # Panics
/// If shapes disagree.
///
/// # Source
/// Filippov 1988, section 4; the worst case of Vardi and Shamir 2021, Theorem 3, is the example below.
///
/// # Example
/// ```
/// use relimit_core::descent::{FlowOptions, Initial, Problem, Status, Unobserved, flow};
/// use relimit_core::num::Mat;
///
/// let x = Mat::from_rows(&[[3.0, -1.0, 0.0], [4.0, 2.0, 0.0], [0.0, 5.0, 5.0]]);
/// let problem = Problem::new(x, vec![16.0, 18.0, 0.0], vec![1.0], true);
/// let zero = Initial { alpha: Mat::zeros(1, 3), z: Mat::zeros(1, 3), offset: Mat::zeros(1, 3) };
/// let limit = flow(&problem, &zero, &FlowOptions::default(), &mut Unobserved, &|| false);
/// assert_eq!(limit.status, Status::Converged);
/// assert!((limit.w[(0, 2)] + 0.209049).abs() < 1e-6); // not the minimum-norm solution (5, -1, 0)
/// ```
pub fn flow(
    problem: &Problem,
    start: &Initial,
    options: &FlowOptions,
    observer: &mut dyn Observer,
    stop: &dyn Fn() -> bool,
) -> Limit {
    let shape = (problem.m(), problem.n());
    for (name, a) in [("alpha", &start.alpha), ("z", &start.z)] {
        assert_eq!((a.rows(), a.cols()), shape, "start.{name} is {}x{}, not {shape:?}", a.rows(), a.cols());
    }
    let offset = (start.offset.rows(), start.offset.cols());
    assert_eq!(offset, (problem.m(), problem.dim()), "start.offset is {offset:?}");
    let directions = Directions::of(problem.x());
    let (reduced, z) = if directions.trivial() {
        (Cow::Borrowed(problem), start.z.clone())
    } else {
        (Cow::Owned(directions.reduce(problem)), directions.gather(&start.z))
    };
    let end = engine::run(&reduced, &directions, z, options.max_events, observer, stop);
    end.limit(problem, start, &directions)
}
