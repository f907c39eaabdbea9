//! What changes with the step: inverse temperature, step size, and the examples that a step sees.

use crate::num::noise::{Purpose, Stream};

/// A positive number as a function of the step; a pure function, so that a resumed run continues it exactly.
#[derive(Clone, Debug, PartialEq)]
pub enum Schedule {
    /// The same at every step.
    Constant(f64),
    /// The value of the last stage whose first step is at most the step; the first stage begins at 0.
    Stages(Vec<(u64, f64)>),
    /// `from (to / from)^(min(t, steps) / steps)`.
    Geometric {
        /// Value at step 0.
        from: f64,
        /// Value from step `steps` on.
        to: f64,
        /// Steps of the change.
        steps: u64,
    },
    /// `from / (1 + t / half)`: half of it at step `half`.
    Harmonic {
        /// Value at step 0.
        from: f64,
        /// Step at which half is left.
        half: u64,
    },
}

impl Schedule {
    /// The value at a step.
    pub fn at(&self, step: u64) -> f64 {
        match self {
            Self::Constant(v) => *v,
            Self::Stages(stages) => stages[stages.partition_point(|s| s.0 <= step).saturating_sub(1)].1,
            Self::Geometric { from, to, steps } => {
                if step >= *steps {
                    *to
                } else {
                    from * libm::pow(to / from, step as f64 / *steps as f64)
                }
            }
            Self::Harmonic { from, half } => from / (1.0 + step as f64 / *half as f64),
        }
    }

    /// The first value that is not positive (or, without `infinite`, not finite); NaN for a schedule without stages or
    /// with stages out of order.
    pub(super) fn wrong(&self, infinite: bool) -> Option<f64> {
        let values = match self {
            Self::Constant(v) => vec![*v],
            Self::Stages(stages) => {
                if stages.first().is_none_or(|s| s.0 != 0) || stages.windows(2).any(|w| w[0].0 >= w[1].0) {
                    return Some(f64::NAN);
                }
                stages.iter().map(|s| s.1).collect()
            }
            // An infinite end has no geometric path to it.
            Self::Geometric { from, to, .. } => {
                return [*from, *to].into_iter().find(|v| !(*v > 0.0 && v.is_finite()));
            }
            Self::Harmonic { from, half } => {
                let half = if *half > 0 { 1.0 } else { f64::NAN };
                return [*from, half].into_iter().find(|v| !(*v > 0.0 && v.is_finite()));
            }
        };
        values.into_iter().find(|v| !(*v > 0.0 && (infinite || v.is_finite())))
    }

    /// Whether the value is finite at some step.
    pub(super) fn ever_finite(&self) -> bool {
        match self {
            Self::Constant(v) => v.is_finite(),
            Self::Stages(stages) => stages.iter().any(|s| s.1.is_finite()),
            Self::Geometric { .. } | Self::Harmonic { .. } => true,
        }
    }
}

/// Which examples a step sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Batch {
    /// All of them.
    Full,
    /// This many, in a fresh random order each epoch; what is left at the end of an epoch (fewer than a batch) is
    /// skipped, as most libraries do on request.
    Shuffled(usize),
    /// This many, each drawn from all.
    Drawn(usize),
}

impl Batch {
    /// Number of examples of a step, out of n.
    pub fn size(self, n: usize) -> usize {
        match self {
            Self::Full => n,
            Self::Shuffled(size) | Self::Drawn(size) => size,
        }
    }

    /// The examples of a step, out of n, a function of seed and step alone; `cached` holds the order of the last epoch.
    pub(super) fn examples(self, n: usize, seed: u64, step: u64, cached: &mut Epoch, out: &mut Vec<usize>) {
        out.clear();
        match self {
            Self::Full => out.extend(0..n),
            Self::Shuffled(size) => {
                let batches = (n / size) as u64;
                let (epoch, batch) = (step / batches, (step % batches) as usize);
                if cached.order.is_empty() || cached.epoch != epoch {
                    *cached = Epoch { epoch, order: Stream::new(seed, Purpose::Shuffle).permutation(n, epoch) };
                }
                out.extend_from_slice(&cached.order[batch * size..(batch + 1) * size]);
            }
            Self::Drawn(size) => {
                let draw = Stream::new(seed, Purpose::Batch);
                out.extend((0..size as u64).map(|i| draw.below(n, step, i)));
            }
        }
    }
}

/// The order of the examples in one epoch.
#[derive(Clone, Debug, Default)]
pub(super) struct Epoch {
    epoch: u64,
    order: Vec<usize>,
}
