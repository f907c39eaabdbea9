//! A certificate verified again, in exact arithmetic.

use std::path::Path;

use relimit_core::certify::equality::{EqualityCertificate, Malformed};
use relimit_core::certify::limit::LimitCertificate;
use relimit_run::read::{self, Certificate};
use serde::Serialize;
use serde_json::{Value, json as object};

use crate::AskError;

/// What a certificate claims, and whether it follows.
#[derive(Clone, Debug, Serialize)]
pub struct CheckAnswer {
    /// Format of the JSON answer.
    pub schema: &'static str,
    /// `check`.
    pub command: &'static str,
    /// The file.
    pub certificate: String,
    /// What the certificate is about.
    pub kind: &'static str,
    /// `holds` or `fails`.
    pub verdict: &'static str,
    /// The claim in words.
    pub statement: String,
    /// The numbers of the claim.
    pub claimed: Value,
    /// The same numbers found again, where they are compared.
    pub found: Value,
    /// Why the claim fails, where the certificate is not merely wrong.
    pub fault: Option<String>,
    /// What was found, in words.
    #[serde(skip)]
    pub told: Option<String>,
}

impl CheckAnswer {
    /// Whether the claim follows from the certificate.
    pub fn holds(&self) -> bool {
        self.verdict == "holds"
    }
}

/// Verifies the certificate of a file; nothing of how it was found is used.
///
/// # Errors
/// A file that cannot be read or states nothing.
pub fn check(path: &Path) -> Result<CheckAnswer, AskError> {
    let file = path.display().to_string();
    let claimed = claims(read::certificate(path)?)
        .map_err(|e| AskError::Usage(format!("{file}: {e}; write the certificate again")))?;
    Ok(CheckAnswer {
        schema: "relimit/check/1",
        command: "check",
        certificate: file,
        kind: claimed.kind,
        verdict: if claimed.holds { "holds" } else { "fails" },
        statement: claimed.statement,
        claimed: claimed.numbers,
        found: claimed.found,
        fault: claimed.fault,
        told: claimed.told,
    })
}

#[derive(Default)]
struct Claimed {
    kind: &'static str,
    statement: String,
    holds: bool,
    fault: Option<String>,
    numbers: Value,
    found: Value,
    told: Option<String>,
}

fn claims(certificate: Certificate) -> Result<Claimed, Malformed> {
    Ok(match certificate {
        Certificate::Equality(c) => equality(&c)?,
        Certificate::Rows(c) => {
            let (holds, found) = c.check()?;
            let differ = if c.identical { "not at all".into() } else { format!("by at most {:?}", c.max_difference) };
            let other = "the fingerprint or the statement is that of other data";
            let apart = format!("they differ by {:?}", found.max_difference);
            let fault = if found.max_difference <= c.max_difference { other.to_owned() } else { apart };
            Claimed {
                kind: "equality on rows",
                statement: format!("on {} rows the outputs of the two networks differ {differ}", c.x.len()),
                holds,
                fault: (!holds).then_some(fault),
                numbers: object!({"identical": c.identical, "max_difference": c.max_difference}),
                ..Claimed::default()
            }
        }
        Certificate::Pattern(c) => {
            let is = if c.possible { "a pattern of" } else { "no pattern of" };
            let statement = format!("{} is {is} the {} rows", c.pattern, c.x.len());
            Claimed { kind: "pattern", statement, holds: c.check()?, ..Claimed::default() }
        }
        Certificate::List(c) => {
            let statement = format!("the {} rows have exactly {} patterns", c.x.len(), c.patterns);
            Claimed { kind: "patterns", statement, holds: c.check()?, ..Claimed::default() }
        }
        Certificate::Optimum(c) => {
            let fault = c.check()?.map(|f| f.to_string());
            let lower = format!("no network of any width has an objective below {:?}", c.lower_bound);
            let (kind, statement) = match (c.objective, c.gap) {
                (Some(objective), Some(gap)) => (
                    "optimum",
                    format!("the network has an objective of at most {objective:?}, and {lower}: gap {gap:e}"),
                ),
                _ => ("lower bound", lower),
            };
            let numbers = object!({"objective": c.objective, "lower_bound": c.lower_bound, "gap": c.gap});
            Claimed { kind, statement, holds: fault.is_none(), fault, numbers, ..Claimed::default() }
        }
        Certificate::Limit(c) => {
            let fault = c.check()?.map(|f| f.to_string());
            Claimed { holds: fault.is_none(), fault, ..limit(&c) }
        }
    })
}

fn equality(c: &EqualityCertificate) -> Result<Claimed, Malformed> {
    let checked = c.check()?;
    let found = &checked.found;
    let place = if found.on.is_some() { "on the box" } else { "for inputs within [-1, 1]" };
    let same = if found.identical { "the same function" } else { "not the same function" };
    Ok(Claimed {
        kind: "equality",
        statement: c.statement.clone(),
        holds: checked.holds,
        numbers: object!({
            "identical": c.identical,
            "max_difference": c.max_difference,
            "constant": c.constant,
            "slope": c.slope,
        }),
        found: object!({
            "identical": found.identical,
            "max_difference": found.max_difference,
            "constant": found.constant,
            "slope": found.slope,
        }),
        told: Some(format!(
            "Found again in exact arithmetic: {same}, largest difference {:?} {place}, {:?} claimed.",
            found.max_difference, c.max_difference
        )),
        ..Claimed::default()
    })
}

/// What a limit certificate claims, in words and numbers.
fn limit(c: &LimitCertificate) -> Claimed {
    let (mut parts, mut kinds) = (vec![], vec![]);
    if let Some(p) = &c.min_norm {
        kinds.push("minimum norm");
        let near = p.distance.map_or(String::new(), |d| format!(", within {d:e} of the weights given"));
        parts.push(format!(
            "the least norm among networks of least loss is between {:?} and {:?}{near}",
            p.lower, p.upper
        ));
    }
    if let Some(p) = &c.one_step {
        kinds.push("one step");
        parts.push(format!(
            "from step 1 on each neuron is active exactly on the rows whose label has its sign, because {:?} < {:?}",
            p.left, p.right
        ));
    }
    let numbers = object!({
        "min_norm": c.min_norm.as_ref().map(|p| object!({"lower": p.lower, "upper": p.upper, "distance": p.distance})),
        "one_step": c.one_step.as_ref().map(|p| {
            object!({"rho": p.rho, "left": p.left, "right": p.right, "contraction": p.contraction})
        }),
    });
    let kind = if kinds.len() == 2 { "minimum norm, one step" } else { kinds.first().copied().unwrap_or("limit") };
    Claimed { kind, statement: parts.join("; "), numbers, ..Claimed::default() }
}
