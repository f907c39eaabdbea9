//! What the decay of PyTorch, scikit-learn and Keras means in this program's objective.
//!
//! ```text
//! objective = 1/(2n) sum r^2 + (lambda/2) (|W|^2 + |C|^2 + biases that are penalised)
//! ```
//!
//! Two layers with decays lambda_1 and lambda_2 act as one lambda = sqrt(lambda_1 lambda_2): moving scale from one layer
//! to the other changes no output.

use crate::plan::Bias;

/// How another library was told to train.
#[derive(Clone, Debug, PartialEq)]
pub enum Convention {
    /// `torch.nn.MSELoss` with `weight_decay` of SGD or Adam.
    PyTorch {
        /// Weight decays of the parameter groups.
        decay: Decay,
        /// `reduction`: `mean`, or `sum` over batches of this many rows.
        reduction: Reduction,
        /// AdamW and other optimisers that decay the weights apart from the gradient.
        decoupled: bool,
    },
    /// `sklearn.neural_network.MLPRegressor` with the squared error.
    Sklearn {
        /// `alpha`.
        alpha: f64,
        /// Rows of a batch, for `sgd` and `adam`; `None` for `lbfgs`.
        batch: Option<BatchSize>,
    },
    /// Keras with loss `mse` and `kernel_regularizer=l2(v)`.
    Keras {
        /// The v of each kernel and bias.
        decay: Decay,
    },
}

/// Decay of each group of parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decay {
    /// Weights of the hidden layer.
    pub hidden: f64,
    /// Biases of the hidden layer.
    pub hidden_bias: f64,
    /// Weights of the output layer.
    pub output: f64,
    /// Biases of the output layer.
    pub output_bias: f64,
}

impl Decay {
    /// One decay for all parameters, as `weight_decay=value` on `model.parameters()`.
    pub fn everywhere(value: f64) -> Self {
        Self { hidden: value, hidden_bias: value, output: value, output_bias: value }
    }

    /// One decay for the weights and none for the biases.
    pub fn weights(value: f64) -> Self {
        Self { hidden: value, hidden_bias: 0.0, output: value, output_bias: 0.0 }
    }
}

/// `reduction` of `MSELoss`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Over rows and outputs.
    Mean,
    /// Sum over a batch of this many rows.
    Sum(usize),
}

/// `batch_size` of scikit-learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchSize {
    /// `'auto'`: min(200, n).
    Auto,
    /// That many rows, at most n.
    Rows(usize),
}

/// The same training in this program's words.
#[derive(Clone, Debug, PartialEq)]
pub struct Translation {
    /// Weight decay of the half-mean objective.
    pub lambda: f64,
    /// This program's objective is `factor` times the library's, at weights balanced between the layers.
    pub factor: f64,
    /// Hidden biases.
    pub bias: Bias,
    /// Value of the bias column when hidden biases are penalised by another decay than the weights: 1 when equal.
    pub bias_column: f64,
    /// Output biases.
    pub offset: Bias,
    /// Weight decay of the output biases; 0 when they are free.
    pub offset_lambda: f64,
    /// What was translated and what follows, one sentence each.
    pub words: Vec<String>,
}

impl Translation {
    /// The decay of the half-sum objective `1/2 sum r^2 + (lambda/2) ...` over n rows.
    pub fn half_sum_lambda(&self, n: usize) -> f64 {
        self.lambda * n as f64
    }
}

/// Why a training has no objective of this form.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ConventionError {
    /// Decay that is no penalty.
    #[error(
        "decoupled weight decay (AdamW) is no penalty: the training minimises no fixed objective; use Adam or SGD with weight_decay, or compare at lambda 0"
    )]
    Decoupled,
    /// A layer without decay.
    #[error(
        "the {layer} layer has no decay: scale moves there for free, so the penalty of the other layer counts for nothing (lambda 0) and the objective has no minimiser; give both layers decay, or compare at lambda 0"
    )]
    OneLayer {
        /// `hidden` or `output`.
        layer: &'static str,
    },
    /// A decay that is negative or not finite.
    #[error("{name} {value} is no decay: it must be finite and at least 0")]
    Value {
        /// Its name in the library.
        name: &'static str,
        /// The value.
        value: f64,
    },
    /// No rows, or batches without rows.
    #[error("{name} is 0; give the number of rows that the training saw")]
    NoRows {
        /// Which count.
        name: &'static str,
    },
}

/// Translates a training on n rows (those left after a validation split) with k outputs.
///
/// # Errors
/// Decoupled decay, a layer without decay while the other has some, values out of range.
///
/// # Source
/// The libraries' documentation and source: torch 1.13 to 2.x, scikit-learn 1.9.1, Keras 3.
pub fn translate(convention: &Convention, n: usize, k: usize) -> Result<Translation, ConventionError> {
    if n == 0 || k == 0 {
        return Err(ConventionError::NoRows {
            name: if n == 0 { "the number of rows" } else { "the number of outputs" },
        });
    }
    match convention {
        Convention::PyTorch { decoupled: true, .. } => Err(ConventionError::Decoupled),
        Convention::PyTorch { decay, reduction, .. } => {
            let (factor, formula) = match *reduction {
                Reduction::Mean => (k as f64 / 2.0, format!("weight_decay times {k}/2 (mean over {k} x n errors)")),
                Reduction::Sum(0) => return Err(ConventionError::NoRows { name: "the batch" }),
                Reduction::Sum(b) => {
                    (0.5 / b as f64, format!("weight_decay / (2 x {b}) (sum over batches of {b} rows)"))
                }
            };
            // (wd/2) |theta|^2 times the factor is (lambda/2) |theta|^2
            let mut out = layers(*decay, factor, factor, "weight_decay")?;
            out.words.insert(0, format!("PyTorch: lambda is {formula}."));
            Ok(out)
        }
        Convention::Keras { decay } => {
            let factor = k as f64 / 2.0;
            // v |w|^2 times the factor is (lambda/2) |w|^2
            let mut out = layers(*decay, 2.0 * factor, factor, "l2")?;
            out.words
                .insert(0, format!("Keras: lambda is {k} v for l2(v) (v|w|^2 beside a mean over {k} x n errors)."));
            Ok(out)
        }
        Convention::Sklearn { alpha, batch } => {
            let (inverse, rows) = inverse_batch(*batch, n)?;
            let mut out = layers(Decay::weights(*alpha), inverse, 1.0, "alpha")?;
            out.words
                .insert(0, format!("scikit-learn: lambda is alpha / {rows}, the rows of a batch, not of the data."));
            if k > 1 {
                out.words.push(format!(
                    "loss_ averages the errors over {k} outputs, the gradient does not: lambda follows the gradient, and \
                     loss_ is not this objective."
                ));
            }
            Ok(out)
        }
    }
}

/// The mean of 1/|batch| over an epoch, and the rows in words.
fn inverse_batch(batch: Option<BatchSize>, n: usize) -> Result<(f64, String), ConventionError> {
    let size = match batch {
        None => n,
        Some(BatchSize::Auto) => n.min(200),
        Some(BatchSize::Rows(0)) => return Err(ConventionError::NoRows { name: "batch_size" }),
        Some(BatchSize::Rows(b)) => b.min(n),
    };
    let (whole, rest) = (n / size, n % size);
    if rest == 0 {
        return Ok((1.0 / size as f64, size.to_string()));
    }
    let mean = (whole as f64 / size as f64 + 1.0 / rest as f64) / (whole + 1) as f64;
    Ok((mean, format!("{:.4} ({whole} batches of {size} and one of {rest}, 1/|batch| averaged)", 1.0 / mean)))
}

/// Decays times `scale` as one lambda and the treatment of the biases.
fn layers(decay: Decay, scale: f64, factor: f64, name: &'static str) -> Result<Translation, ConventionError> {
    let all = [decay.hidden, decay.hidden_bias, decay.output, decay.output_bias];
    if let Some(value) = all.into_iter().find(|v| !(v.is_finite() && *v >= 0.0)) {
        return Err(ConventionError::Value { name, value });
    }
    if (decay.hidden == 0.0) != (decay.output == 0.0) {
        return Err(ConventionError::OneLayer { layer: if decay.hidden == 0.0 { "hidden" } else { "output" } });
    }
    let lambda = if decay.hidden == decay.output {
        scale * decay.hidden
    } else {
        scale * decay.hidden.sqrt() * decay.output.sqrt()
    };
    let mut words = vec![];
    if decay.hidden != decay.output {
        words.push(format!(
            "The layers have decays {} and {}: lambda is their geometric mean, and the weights balance accordingly.",
            decay.hidden, decay.output
        ));
    }
    let treated = |v: f64| if v > 0.0 { Bias::Penalised } else { Bias::Free };
    let (bias, offset) = (treated(decay.hidden_bias), treated(decay.output_bias));
    let bias_column =
        if decay.hidden_bias > 0.0 && decay.hidden > 0.0 { (decay.hidden / decay.hidden_bias).sqrt() } else { 1.0 };
    let word = |b: Bias| if b == Bias::Free { "not penalised" } else { "penalised" };
    words.push(format!("Hidden biases are {}, output biases are {}.", word(bias), word(offset)));
    if bias == Bias::Free {
        words.push("With unpenalised hidden biases the problem is another one than with penalised ones.".into());
    }
    if bias_column != 1.0 {
        words.push(format!("Hidden biases have a decay of their own: the bias column is {bias_column}."));
    }
    let offset_lambda = scale * decay.output_bias;
    Ok(Translation { lambda, factor, bias, bias_column, offset, offset_lambda, words })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sklearn(alpha: f64, batch: Option<BatchSize>, n: usize, k: usize) -> Translation {
        translate(&Convention::Sklearn { alpha, batch }, n, k).unwrap()
    }

    /// Measured with scikit-learn 1.9.1 on 40 rows, alpha 0.4: lambda 0.0100 at batch 40 and 0.0400 at batch 10.
    #[test]
    fn alpha_is_divided_by_the_batch() {
        let rows = |b| Some(BatchSize::Rows(b));
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-16, "{a} {b}");
        close(sklearn(0.4, None, 40, 1).lambda, 0.01);
        close(sklearn(0.4, rows(40), 40, 1).lambda, 0.01);
        close(sklearn(0.4, rows(10), 40, 1).lambda, 0.04);
        close(sklearn(0.4, rows(99), 40, 1).lambda, 0.01);
        assert_eq!(sklearn(1.0, Some(BatchSize::Auto), 1000, 1).lambda, 1.0 / 200.0);
        assert_eq!(sklearn(1.0, Some(BatchSize::Auto), 50, 1).lambda, 1.0 / 50.0);
        // plain sums: alpha for lbfgs, alpha n / B otherwise; halving the batch doubles it
        assert_eq!(sklearn(1.0, None, 50, 1).half_sum_lambda(50), 1.0);
        let (at20, at10) = (sklearn(1.0, rows(20), 40, 1), sklearn(1.0, rows(10), 40, 1));
        assert_eq!((at20.half_sum_lambda(40), at10.half_sum_lambda(40)), (2.0, 4.0));
        // 45 rows in batches of 20, 20 and 5: (2/20 + 1/5) / 3
        assert!((sklearn(1.0, rows(20), 45, 1).lambda - 0.1).abs() < 1e-16);
        let t = sklearn(1.0, None, 50, 2);
        assert_eq!((t.bias, t.offset, t.factor, t.offset_lambda), (Bias::Free, Bias::Free, 1.0, 0.0));
        assert!(t.words.iter().any(|w| w.contains("not penalised")), "{:?}", t.words);
        assert!(t.words.iter().any(|w| w.contains("loss_ averages")), "{:?}", t.words);
    }

    /// The objectives themselves, written out, at one set of balanced numbers.
    #[test]
    fn objectives_agree_up_to_the_factor() {
        // n = 4 rows, k = 3 outputs; squared errors sum to 7.5, |W|^2 = |C|^2 = 2.25, |b|^2 = 0.5, |o|^2 = 0.125
        let (n, k, errors, w, c, b, o) = (4, 3, 7.5, 2.25, 2.25, 0.5, 0.125);
        let ours = |t: &Translation| {
            let bias = if t.bias == Bias::Penalised { b / (t.bias_column * t.bias_column) } else { 0.0 };
            errors / (2.0 * n as f64) + t.lambda / 2.0 * (w + c + bias) + t.offset_lambda / 2.0 * o
        };
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-14, "{a} {b}");
        let torch = |decay, reduction| Convention::PyTorch { decay, reduction, decoupled: false };
        let t = translate(&torch(Decay::everywhere(0.02), Reduction::Mean), n, k).unwrap();
        assert_eq!((t.lambda, t.bias, t.offset), (0.03, Bias::Penalised, Bias::Penalised));
        close(ours(&t), t.factor * (errors / 12.0 + 0.01 * (w + c + b + o)));
        let t = translate(&torch(Decay::everywhere(0.02), Reduction::Sum(4)), n, k).unwrap();
        close(t.lambda, 0.0025);
        close(ours(&t), t.factor * (errors + 0.01 * (w + c + b + o)));
        let keras = Decay { hidden_bias: 0.08, ..Decay::weights(0.02) };
        let t = translate(&Convention::Keras { decay: keras }, n, k).unwrap();
        assert_eq!((t.bias, t.bias_column, t.offset), (Bias::Penalised, 0.5, Bias::Free));
        close(t.lambda, 0.06);
        // a bias b in front of a column of 1 is 2 b in front of one of 1/2
        let t1 = Translation { bias_column: 0.5, ..t.clone() };
        close(ours(&t1), t.factor * (errors / 12.0 + 0.02 * (w + c) + 0.08 * b));
        // Different decays: 0.01 and 0.04 act as 0.02 when the layers are balanced, 4 |C|^2 = |W|^2.
        let two = Decay { hidden: 0.01, output: 0.04, ..Decay::weights(0.0) };
        let t = translate(&torch(two, Reduction::Mean), n, 1).unwrap();
        close(t.lambda, 0.01);
        close(0.01 * 4.0 + 0.04 * 1.0, 0.02 * (2.0 + 2.0));
    }

    #[test]
    fn trainings_without_an_objective_are_refused() {
        let says = |convention: Convention, part: &str| {
            let message = translate(&convention, 10, 1).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        };
        let torch = |decay, decoupled| Convention::PyTorch { decay, reduction: Reduction::Mean, decoupled };
        says(torch(Decay::everywhere(0.1), true), "AdamW");
        says(torch(Decay { output: 0.0, ..Decay::everywhere(0.1) }, false), "the output layer has no decay");
        says(
            Convention::Keras { decay: Decay { hidden: 0.0, ..Decay::weights(0.1) } },
            "the hidden layer has no decay",
        );
        says(Convention::Sklearn { alpha: -1.0, batch: None }, "alpha -1 is no decay");
        says(Convention::Sklearn { alpha: 1.0, batch: Some(BatchSize::Rows(0)) }, "batch_size is 0");
        let none = translate(&torch(Decay::everywhere(0.0), false), 10, 1).unwrap();
        assert_eq!((none.lambda, none.bias), (0.0, Bias::Free));
    }
}
