//! `relimit check`: a certificate verified again, in exact arithmetic.

use relimit_report::json::json;

use crate::args::CheckArgs;
use crate::exit::{Exit, Failure};
use crate::output;

/// Runs the command: 0 when the claim holds, 1 when it fails, 2 when the file states nothing.
pub(crate) fn run(args: &CheckArgs) -> Result<Exit, Failure> {
    let found = relimit_ask::check(&args.certificate)?;
    if args.json {
        output::print(&json(&found))?;
    } else {
        let fault = found.fault.as_ref().map(|f| format!("Fault: {f}."));
        let claim = format!("The certificate {}: {}.", found.verdict, found.statement);
        let lines: Vec<String> = [Some(claim), found.told.clone(), fault].into_iter().flatten().collect();
        output::print(&format!("{}\n", lines.join("\n")))?;
    }
    Ok(if found.holds() { Exit::Answer } else { Exit::NotMet })
}
