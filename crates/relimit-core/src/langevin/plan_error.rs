//! Plans that are refused: what is wrong, its value, and the cure.

/// Why a plan was refused. Rows and columns count from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// Nothing to learn from, or nothing to learn.
    #[error("{n} examples with {d} features and {k} outputs: there must be one of each at least")]
    Empty {
        /// Examples.
        n: usize,
        /// Features.
        d: usize,
        /// Outputs.
        k: usize,
    },
    /// A network without neurons.
    #[error("a network of width 0 computes nothing: give 1 neuron or more (--width)")]
    NoNeurons,
    /// A number that is not finite, or too large for the precision.
    #[error(
        "entry ({row}, {column}) of {part} is {value}: not finite, or beyond the range of the state (use f64, or scale the data)"
    )]
    OutOfRange {
        /// x or y.
        part: &'static str,
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// A weight decay that is none.
    #[error("weight decay lambda = {lambda} must be 0 or more, and finite (--lambda)")]
    Lambda {
        /// The value.
        lambda: f64,
    },
    /// An inverse temperature that is none.
    #[error(
        "inverse temperature beta = {beta} must be positive (infinity: no noise), and stages must begin at step 0 and be \
         in order (--beta, --anneal)"
    )]
    Beta {
        /// The value; NaN for a schedule that is out of order.
        beta: f64,
    },
    /// A step that is none.
    #[error("step {step} must be positive and finite, and stages must begin at 0 and be in order (--step)")]
    Step {
        /// The value; NaN for a schedule that is out of order.
        step: f64,
    },
    /// Noise without weight decay.
    #[error(
        "noise without weight decay has no stationary law: the weights diffuse without end. Give a positive --lambda, \
         or --beta inf for noise-free descent"
    )]
    NoDecay,
    /// Noise on a bias that nothing holds.
    #[error(
        "noise with unpenalised hidden biases has no stationary law: the bias of a silent neuron diffuses without end. \
         Use --bias penalised or --bias none, or --beta inf for noise-free descent"
    )]
    FreeBias,
    /// Noise with an output offset.
    #[error("an output offset is trained without noise: use --offset none, or --beta inf for noise-free descent")]
    NoisyOffset,
    /// A batch that cannot be formed.
    #[error("batches of {size} out of {n} examples: give 1 to {n} (--batch)")]
    Batch {
        /// Size of a batch.
        size: usize,
        /// Examples.
        n: usize,
    },
    /// A smooth unit that is none.
    #[error("the smooth unit needs a positive sharpness and a cap above 1/sharpness: cap {cap}, sharpness {sharpness}")]
    Smooth {
        /// Truncation.
        cap: f64,
        /// Sharpness.
        sharpness: f64,
    },
    /// A tolerance that is none.
    #[error("gradient tolerance {tolerance} must be 0 or more")]
    Tolerance {
        /// The value.
        tolerance: f64,
    },
    /// The scale of a start.
    #[error("scale {scale} of the start must be positive and finite")]
    StartScale {
        /// The value.
        scale: f64,
    },
    /// A given start of another shape.
    #[error("the starting network has {found:?} (neurons, inputs, outputs), the plan {expected:?}")]
    StartShape {
        /// Neurons, inputs, outputs of the network.
        found: (usize, usize, usize),
        /// Those of the plan.
        expected: (usize, usize, usize),
    },
    /// A given start with a bias or an offset that the plan does not have.
    #[error(
        "the starting network has a nonzero {part}, which the plan leaves out: allow it (--bias, --offset), or set it to 0"
    )]
    StartPart {
        /// Hidden bias or output offset.
        part: &'static str,
    },
    /// A given start that is not finite (in the precision of the state).
    #[error("weight {value} of neuron {neuron} of the start is not a finite number of the state's precision")]
    StartNotFinite {
        /// The neuron.
        neuron: usize,
        /// The weight.
        value: f64,
    },
}
