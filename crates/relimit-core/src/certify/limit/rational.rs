//! Vectors of rationals over one denominator, written as decimal integers.

use std::str::FromStr;

use dashu_int::IBig;
use serde::{Deserialize, Serialize};

use crate::certify::equality::Malformed;
use crate::num::exact::Dyadic;

/// `numerators / denominator`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rational {
    /// Integers as decimal digits.
    pub numerators: Vec<String>,
    /// A positive integer.
    pub denominator: String,
}

/// A whole number with optional minus: nothing else that a parser might take.
fn integer(text: &str, part: &'static str) -> Result<IBig, Malformed> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let fault = || Malformed { part, what: format!("'{text:.40}' is no integer") };
    IBig::from_str(if plain { text } else { "" }).map_err(|_| fault())
}

impl Rational {
    /// Integers over a positive one.
    pub(super) fn new(numerators: &[IBig], denominator: &IBig) -> Self {
        Self { numerators: numerators.iter().map(ToString::to_string).collect(), denominator: denominator.to_string() }
    }

    /// Dyadic numbers, exactly.
    pub(super) fn of_f64(values: &[f64]) -> Self {
        let (numerators, exponent) = Dyadic::common(&values.iter().map(|v| Dyadic::new(*v)).collect::<Vec<_>>());
        Self::shifted(&numerators, &IBig::ONE, exponent)
    }

    /// `numerators / denominator 2^exponent`, the denominator of any sign but not 0.
    pub(super) fn shifted(numerators: &[IBig], denominator: &IBig, exponent: i64) -> Self {
        let sign = if *denominator < IBig::ZERO { -IBig::ONE } else { IBig::ONE };
        let (up, down) = (exponent.max(0) as usize, (-exponent).max(0) as usize);
        let numerators: Vec<IBig> = numerators.iter().map(|v| (v * &sign) << up).collect();
        Self::new(&numerators, &((denominator * &sign) << down))
    }

    /// The numbers, `length` of them.
    pub(super) fn read(&self, length: usize, part: &'static str) -> Result<(Vec<Dyadic>, Dyadic), Malformed> {
        if self.numerators.len() != length {
            let what = format!("{} numerators where {length} are needed", self.numerators.len());
            return Err(Malformed { part, what });
        }
        let denominator = integer(&self.denominator, part)?;
        if denominator <= IBig::ZERO {
            return Err(Malformed { part, what: "a denominator is not positive".into() });
        }
        let whole = |text: &String| integer(text, part).map(|v| Dyadic::scaled(v, 0));
        let numerators = self.numerators.iter().map(whole).collect::<Result<_, _>>()?;
        Ok((numerators, Dyadic::scaled(denominator, 0)))
    }
}
