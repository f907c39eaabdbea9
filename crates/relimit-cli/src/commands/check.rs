//! `relimit check`: a certificate verified again, in exact arithmetic.

use relimit_run::read::{self, Certificate};
use serde_json::json as object;

use crate::args::CheckArgs;
use crate::exit::{Exit, Failure};
use crate::output;

/// Runs the command: 0 when the claim holds, 1 when it fails, 2 when the file states nothing.
pub(crate) fn run(args: &CheckArgs) -> Result<Exit, Failure> {
    let file = args.certificate.display();
    let Certificate::Equality(certificate) = read::certificate(&args.certificate)?;
    let checked =
        certificate.check().map_err(|e| Failure::usage(format!("{file}: {e}; write the certificate again")))?;
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
