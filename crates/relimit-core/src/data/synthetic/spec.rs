//! The one-line specification of a generated data set: its grammar, defaults and error messages.

use thiserror::Error;

use crate::data::suggest::nearest;

/// What is generated.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// Features.
    pub kind: Kind,
    /// Seed of features and labels.
    pub seed: u64,
}

/// The kinds of data.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Independent features `sqrt(lambda_k) z`.
    Random {
        /// Number of examples.
        n: usize,
        /// Number of features.
        d: usize,
        /// Law of z.
        features: Features,
        /// a in `lambda_k = k^-a` (0: isotropic).
        power: f64,
        /// Replaces lambda_1.
        spike: Option<f64>,
        /// Labels.
        labels: Labels,
    },
    /// Axis-aligned rows `norm_i e_i`, norm_i uniform in [lo, hi].
    Orthogonal {
        /// Number of examples.
        n: usize,
        /// Number of features, at least n.
        d: usize,
        /// Range of the lengths of the rows.
        norm: (f64, f64),
        /// Labels.
        labels: Labels,
    },
    /// The Vardi-Shamir family.
    VardiShamir {
        /// Its parameter.
        gamma: f64,
        /// Scale of the labels.
        alpha: f64,
    },
    /// The golden example.
    Golden,
}

/// Law of one standardised feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Features {
    /// N(0, 1).
    Gaussian,
    /// -1 or +1.
    Rademacher,
}

/// How labels are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Labels {
    /// +1 for the first ceil(n/2) examples, -1 for the others.
    Sign,
    /// -1 or +1 at random.
    SignRandom,
    /// |y| uniform in [lo, hi], random sign.
    Uniform(f64, f64),
    /// y uniform in [lo, hi], all positive.
    Positive(f64, f64),
    /// N(0, 1).
    Normal,
    /// A ReLU network with `width` random unit-scale neurons of alternating sign: `sum_j (-1)^j relu(w_j . x)`, `w_j . x` of variance 1.
    Teacher(usize),
}

/// A specification that cannot be generated.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SpecError {
    /// The word before the colon.
    #[error("unknown kind of synthetic data '{found}'{}; known are {}", hint(*suggestion), KINDS.join(", "))]
    Kind {
        /// What was given.
        found: String,
        /// The nearest known kind.
        suggestion: Option<&'static str>,
    },
    /// A key that the kind does not have.
    #[error("'{kind}' has no key '{found}'{}; its keys are {}", hint(*suggestion), list(allowed))]
    Key {
        /// The kind.
        kind: &'static str,
        /// What was given.
        found: String,
        /// Keys of this kind.
        allowed: &'static [&'static str],
        /// The nearest known key.
        suggestion: Option<&'static str>,
    },
    /// A key given twice.
    #[error("'{key}' is given twice")]
    Twice {
        /// The key.
        key: String,
    },
    /// A piece without `=`.
    #[error("'{found}' is not of the form key=value (as in gaussian:n=20,d=4000,labels=sign,seed=1)")]
    NoValue {
        /// The piece.
        found: String,
    },
    /// A key that must be given.
    #[error("'{kind}' needs {key}=... (as in {kind}:n=20,d=4000)")]
    Missing {
        /// The kind.
        kind: &'static str,
        /// The key.
        key: &'static str,
    },
    /// A value outside its range.
    #[error("{key}={found}: expected {expected}")]
    Value {
        /// The key.
        key: &'static str,
        /// What was given.
        found: String,
        /// What is allowed.
        expected: &'static str,
    },
    /// More orthogonal rows than dimensions.
    #[error("{n} orthogonal rows do not fit into d={d} dimensions: d must be at least n")]
    TooManyRows {
        /// Number of examples.
        n: usize,
        /// Number of features.
        d: usize,
    },
    /// More numbers than 8 GiB hold.
    #[error("n={n} times d={d} is more than 2^30 numbers (8 GiB)")]
    TooLarge {
        /// Number of examples.
        n: usize,
        /// Number of features.
        d: usize,
    },
}

const KINDS: [&str; 5] = ["gaussian", "rademacher", "orthogonal", "vardi-shamir", "golden"];
const RANDOM_KEYS: &[&str] = &["n", "d", "power", "spike", "labels", "seed"];
const ORTHOGONAL_KEYS: &[&str] = &["n", "d", "norm", "labels", "seed"];
const VARDI_SHAMIR_KEYS: &[&str] = &["gamma", "alpha"];
const LABELS: [&str; 6] = ["sign", "sign-random", "uniform", "positive", "normal", "teacher"];

fn hint(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(String::new, |s| format!(" (did you mean '{s}'?)"))
}

fn list(allowed: &[&str]) -> String {
    if allowed.is_empty() { "none".into() } else { allowed.join(", ") }
}

/// Reads a specification; see the module for the grammar.
///
/// # Errors
/// See [`SpecError`].
pub fn parse(text: &str) -> Result<Spec, SpecError> {
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    let name = name.trim();
    let Some(&kind) = KINDS.iter().find(|k| **k == name) else {
        return Err(SpecError::Kind { found: name.into(), suggestion: nearest(name, &KINDS) });
    };
    let allowed = match kind {
        "gaussian" | "rademacher" => RANDOM_KEYS,
        "orthogonal" => ORTHOGONAL_KEYS,
        "vardi-shamir" => VARDI_SHAMIR_KEYS,
        _ => &[],
    };
    let fields = Fields::split(kind, allowed, rest)?;
    let seed = fields.read("seed", "a whole number from 0 to 2^64 - 1", |v| v.parse().ok())?.unwrap_or(0);
    let kind = match kind {
        "gaussian" | "rademacher" => {
            let (n, d) = fields.size()?;
            let features = if kind == "gaussian" { Features::Gaussian } else { Features::Rademacher };
            let power =
                fields.read("power", "a number of 0 or more", |v| finite(v).filter(|a| *a >= 0.0))?.unwrap_or(0.0);
            let spike = fields.read("spike", "a positive number, 'd' or 'sqrtd'", |v| match v {
                "d" => Some(d as f64),
                "sqrtd" => Some((d as f64).sqrt()),
                _ => finite(v).filter(|a| *a > 0.0),
            })?;
            Kind::Random { n, d, features, power, spike, labels: fields.labels()? }
        }
        "orthogonal" => {
            let (n, d) = fields.size()?;
            if n > d {
                return Err(SpecError::TooManyRows { n, d });
            }
            let norm =
                fields.read("norm", "a positive number or a range lo:hi with 0 < lo <= hi", |v| range(v, true))?;
            Kind::Orthogonal { n, d, norm: norm.unwrap_or((1.0, 1.0)), labels: fields.labels()? }
        }
        "vardi-shamir" => {
            let gamma = fields.read("gamma", "a number of 0 or more", |v| finite(v).filter(|g| *g >= 0.0))?;
            let alpha = fields.read("alpha", "a positive number", |v| finite(v).filter(|a| *a > 0.0))?;
            Kind::VardiShamir { gamma: gamma.unwrap_or(1.0), alpha: alpha.unwrap_or(1.0) }
        }
        _ => Kind::Golden,
    };
    Ok(Spec { kind, seed })
}

fn finite(v: &str) -> Option<f64> {
    v.parse::<f64>().ok().filter(|x| x.is_finite())
}

/// `lo:hi`, or one number where `single` allows it, with 0 < lo <= hi.
fn range(v: &str, single: bool) -> Option<(f64, f64)> {
    let (lo, hi) = match v.split_once(':') {
        Some((lo, hi)) => (finite(lo)?, finite(hi)?),
        None if single => (finite(v)?, finite(v)?),
        None => return None,
    };
    (0.0 < lo && lo <= hi).then_some((lo, hi))
}

struct Fields<'a> {
    kind: &'static str,
    values: Vec<(&'static str, &'a str)>,
}

impl<'a> Fields<'a> {
    fn split(kind: &'static str, allowed: &'static [&'static str], rest: &'a str) -> Result<Self, SpecError> {
        let mut values: Vec<(&'static str, &'a str)> = Vec::new();
        for piece in rest.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            let (key, value) = piece.split_once('=').ok_or_else(|| SpecError::NoValue { found: piece.into() })?;
            let (key, value) = (key.trim(), value.trim());
            let Some(&known) = allowed.iter().find(|k| **k == key) else {
                return Err(SpecError::Key { kind, found: key.into(), allowed, suggestion: nearest(key, allowed) });
            };
            if values.iter().any(|(k, _)| *k == known) {
                return Err(SpecError::Twice { key: key.into() });
            }
            values.push((known, value));
        }
        Ok(Self { kind, values })
    }

    fn read<T>(
        &self,
        key: &'static str,
        expected: &'static str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, SpecError> {
        let Some((_, value)) = self.values.iter().find(|(k, _)| *k == key) else { return Ok(None) };
        let wrong = || SpecError::Value { key, found: (*value).into(), expected };
        parse(value).ok_or_else(wrong).map(Some)
    }

    fn size(&self) -> Result<(usize, usize), SpecError> {
        let read = |key: &'static str| {
            let value = self.read(key, "a whole number of 1 or more", |v| v.parse().ok().filter(|n: &usize| *n > 0))?;
            value.ok_or(SpecError::Missing { kind: self.kind, key })
        };
        let (n, d) = (read("n")?, read("d")?);
        if n.checked_mul(d).is_none_or(|size| size > 1 << 30) {
            return Err(SpecError::TooLarge { n, d });
        }
        Ok((n, d))
    }

    fn labels(&self) -> Result<Labels, SpecError> {
        const EXPECTED: &str =
            "sign, sign-random, uniform[:lo:hi], positive[:lo:hi] (0 < lo <= hi), normal or teacher[:width]";
        let read = |v: &str| {
            let (name, rest) = v.split_once(':').map_or((v, None), |(a, b)| (a, Some(b)));
            let span = || rest.map_or(Some((0.5, 1.5)), |r| range(r, false));
            match (name, rest) {
                ("sign", None) => Some(Labels::Sign),
                ("sign-random", None) => Some(Labels::SignRandom),
                ("normal", None) => Some(Labels::Normal),
                ("uniform", _) => span().map(|(lo, hi)| Labels::Uniform(lo, hi)),
                ("positive", _) => span().map(|(lo, hi)| Labels::Positive(lo, hi)),
                ("teacher", None) => Some(Labels::Teacher(4)),
                ("teacher", Some(w)) => w.parse().ok().filter(|w| (1..=100_000).contains(w)).map(Labels::Teacher),
                _ => None,
            }
        };
        let value = self.read("labels", EXPECTED, read);
        if let Err(SpecError::Value { found, .. }) = &value {
            let name = found.split(':').next().unwrap_or(found);
            if !LABELS.contains(&name)
                && let Some(suggestion) = nearest(name, &LABELS)
            {
                let found = format!("{found} (did you mean '{suggestion}'?)");
                return Err(SpecError::Value { key: "labels", found, expected: EXPECTED });
            }
        }
        Ok(value?.unwrap_or(Labels::Sign))
    }
}
