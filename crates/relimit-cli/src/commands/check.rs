//! `relimit check`: a certificate verified again, in exact arithmetic.

use relimit_core::certify::equality::Malformed;
use relimit_run::read::{self, Certificate};
use serde_json::json as object;

use crate::args::CheckArgs;
use crate::exit::{Exit, Failure};
use crate::output;

/// Runs the command: 0 when the claim holds, 1 when it fails, 2 when the file states nothing.
pub(crate) fn run(args: &CheckArgs) -> Result<Exit, Failure> {
    let file = args.certificate.display();
    let malformed = |e: Malformed| Failure::usage(format!("{file}: {e}; write the certificate again"));
    let certificate = match read::certificate(&args.certificate)? {
        Certificate::Equality(certificate) => certificate,
        Certificate::Pattern(c) => {
            let is = if c.possible { "a pattern of" } else { "no pattern of" };
            let statement = format!("{} is {is} the {} rows", c.pattern, c.x.len());
            return say(args, "pattern", &statement, c.check().map_err(malformed)?);
        }
        Certificate::List(c) => {
            let statement = format!("the {} rows have exactly {} patterns", c.x.len(), c.patterns);
            return say(args, "patterns", &statement, c.check().map_err(malformed)?);
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

/// The verdict on a claim that holds or fails as a whole.
fn say(args: &CheckArgs, kind: &str, statement: &str, holds: bool) -> Result<Exit, Failure> {
    let verdict = if holds { "holds" } else { "fails" };
    if args.json {
        let certificate = args.certificate.display().to_string();
        let answer = object!({
            "schema": "relimit/check/1",
            "command": "check",
            "certificate": certificate,
            "kind": kind,
            "verdict": verdict,
            "statement": statement,
            "claimed": null,
            "found": null,
        });
        output::print(&format!("{answer}\n"))?;
    } else {
        output::print(&format!("The certificate {verdict}: {statement}.\n"))?;
    }
    Ok(if holds { Exit::Answer } else { Exit::NotMet })
}
