//! Generated data sets with a known spectrum, named by one line such as `gaussian:n=20,d=4000,power=0.5,labels=sign,seed=1`.
//!
//! ```text
//! gaussian, rademacher   n, d, [power=a: lambda_k = k^-a], [spike=v|d|sqrtd: lambda_1], [labels], [seed]
//! orthogonal             n, d, [norm=v|lo:hi], [labels], [seed]      rows norm_i e_i, exact
//! vardi-shamir           [gamma=1], [alpha=1]                        worst case of the theory
//! golden                                                             three rows, labels 1, 2, -1
//! labels                 sign | sign-random | uniform[:lo:hi] | positive[:lo:hi] | normal | teacher[:width]
//! ```

pub mod designs;
mod generate;
mod spec;

pub use spec::{Features, Kind, Labels, Spec, SpecError, parse};

use super::Dataset;
use super::spectrum::{Dimensions, dimensions};

/// A generated data set and what is known exactly about its population.
#[derive(Clone, Debug, PartialEq)]
pub struct Synthetic {
    /// The data; features x1..xd, label y, rows 1..=n.
    pub dataset: Dataset,
    /// Eigenvalues of the feature covariance, feature by feature; `None` for fixed designs.
    pub spectrum: Option<Vec<f64>>,
    /// The specification, all defaults filled in.
    pub spec: Spec,
}

impl Synthetic {
    /// Exact effective dimensions of the population, where there is one.
    pub fn dimensions(&self) -> Option<Dimensions> {
        self.spectrum.as_deref().and_then(dimensions)
    }
}

/// Generates the data set that `text` names; equal text gives equal bits, and a larger n or d keeps the smaller block.
///
/// # Errors
/// An unknown kind, key or value, a key given twice or missing, or a size that cannot be, each with what is allowed.
///
/// # Example
/// ```
/// let s = relimit_core::data::synthetic::synthetic("gaussian:n=20,d=400,power=0.5,seed=1")?;
/// assert_eq!((s.dataset.n(), s.dataset.d()), (20, 400));
/// assert!(s.dimensions().is_some_and(|k| k.d2 < 400.0));
/// # Ok::<(), relimit_core::data::synthetic::SpecError>(())
/// ```
pub fn synthetic(text: &str) -> Result<Synthetic, SpecError> {
    let spec = parse(text)?;
    Ok(generate::generate(spec))
}

#[cfg(test)]
mod tests;
