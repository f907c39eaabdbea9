//! `relimit check`: a certificate verified again, in exact arithmetic.

use relimit_core::certify::equality::Malformed;
use relimit_core::certify::limit::LimitCertificate;
use relimit_run::read::{self, Certificate};
use serde_json::{Value, json as object};

use crate::args::CheckArgs;
use crate::exit::{Exit, Failure};
use crate::output;

/// Runs the command: 0 when the claim holds, 1 when it fails, 2 when the file states nothing.
pub(crate) fn run(args: &CheckArgs) -> Result<Exit, Failure> {
    let file = args.certificate.display();
    let malformed = |e: Malformed| Failure::usage(format!("{file}: {e}; write the certificate again"));
    let certificate = match read::certificate(&args.certificate)? {
        Certificate::Equality(certificate) => certificate,
        Certificate::Rows(c) => {
            let (holds, found) = c.check().map_err(malformed)?;
            let differ = if c.identical { "not at all".into() } else { format!("by at most {:?}", c.max_difference) };
            let statement = format!("on {} rows the outputs of the two networks differ {differ}", c.x.len());
            let other = "the fingerprint or the statement is that of other data";
            let apart = format!("they differ by {:?}", found.max_difference);
            let fault = if found.max_difference <= c.max_difference { other.to_owned() } else { apart };
            let fault = (!holds).then_some(fault);
            let numbers = object!({"identical": c.identical, "max_difference": c.max_difference});
            return say(args, &Claimed { kind: "equality on rows", statement, holds, fault, numbers });
        }
        Certificate::Pattern(c) => {
            let is = if c.possible { "a pattern of" } else { "no pattern of" };
            let statement = format!("{} is {is} the {} rows", c.pattern, c.x.len());
            return say(args, &Claimed::plain("pattern", statement, c.check().map_err(malformed)?));
        }
        Certificate::List(c) => {
            let statement = format!("the {} rows have exactly {} patterns", c.x.len(), c.patterns);
            return say(args, &Claimed::plain("patterns", statement, c.check().map_err(malformed)?));
        }
        Certificate::Optimum(c) => {
            let fault = c.check().map_err(malformed)?.map(|f| f.to_string());
            let lower = format!("no network of any width has an objective below {:?}", c.lower_bound);
            let (kind, statement) = match (c.objective, c.gap) {
                (Some(objective), Some(gap)) => (
                    "optimum",
                    format!("the network has an objective of at most {objective:?}, and {lower}: gap {gap:e}"),
                ),
                _ => ("lower bound", lower),
            };
            let numbers = object!({"objective": c.objective, "lower_bound": c.lower_bound, "gap": c.gap});
            return say(args, &Claimed { kind, statement, holds: fault.is_none(), fault, numbers });
        }
        Certificate::Limit(c) => {
            let fault = c.check().map_err(malformed)?.map(|f| f.to_string());
            return say(args, &Claimed { holds: fault.is_none(), fault, ..limit_claims(&c) });
        }
    };
    let checked = certificate.check().map_err(malformed)?;
    let verdict = if checked.holds { "holds" } else { "fails" };
    let found = &checked.found;
    if args.json {
        let answer = object!({
            "schema": "relimit/check/1",
            "command": "check",
            "certificate": file.to_string(),
            "kind": "equality",
            "verdict": verdict,
            "statement": certificate.statement,
            "claimed": {
                "identical": certificate.identical,
                "max_difference": certificate.max_difference,
                "constant": certificate.constant,
                "slope": certificate.slope,
            },
            "found": {
                "identical": found.identical,
                "max_difference": found.max_difference,
                "constant": found.constant,
                "slope": found.slope,
            },
        });
        output::print(&format!("{answer}\n"))?;
    } else {
        let place = if found.on.is_some() { "on the box" } else { "for inputs within [-1, 1]" };
        let same = if found.identical { "the same function" } else { "not the same function" };
        output::print(&format!(
            "The certificate {verdict}: {}.\nFound again in exact arithmetic: {same}, largest difference {:?} {place}, \
             {:?} claimed.\n",
            certificate.statement, found.max_difference, certificate.max_difference
        ))?;
    }
    Ok(if checked.holds { Exit::Answer } else { Exit::NotMet })
}

/// What a limit certificate claims, in words and numbers.
fn limit_claims(c: &LimitCertificate) -> Claimed {
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
    Claimed { kind, statement: parts.join("; "), holds: false, fault: None, numbers }
}

/// What a certificate claims, and whether it follows.
struct Claimed {
    kind: &'static str,
    statement: String,
    holds: bool,
    fault: Option<String>,
    numbers: Value,
}

impl Claimed {
    fn plain(kind: &'static str, statement: String, holds: bool) -> Self {
        Self { kind, statement, holds, fault: None, numbers: Value::Null }
    }
}

/// The verdict on a claim that holds or fails as a whole.
fn say(args: &CheckArgs, found: &Claimed) -> Result<Exit, Failure> {
    let verdict = if found.holds { "holds" } else { "fails" };
    if args.json {
        let certificate = args.certificate.display().to_string();
        let answer = object!({
            "schema": "relimit/check/1",
            "command": "check",
            "certificate": certificate,
            "kind": found.kind,
            "verdict": verdict,
            "statement": found.statement,
            "claimed": found.numbers,
            "found": null,
            "fault": found.fault,
        });
        output::print(&format!("{answer}\n"))?;
    } else {
        let why = found.fault.as_ref().map_or(String::new(), |f| format!("Fault: {f}.\n"));
        output::print(&format!("The certificate {verdict}: {}.\n{why}", found.statement))?;
    }
    Ok(if found.holds { Exit::Answer } else { Exit::NotMet })
}
