//! `relimit certify`: a given network against the best possible.

use std::io;

use relimit_ask::load::load_examples;
use relimit_ask::short_name;
use relimit_report::json::json;
use relimit_report::text::{self, Style};
use relimit_run::read;
use relimit_solve::answer::{CertifySettings, Claim, Ended, ReaderSettings};
use relimit_solve::certify::{CertifyOutcome, CertifyQuestion, certify_answer};
use relimit_solve::plan::Require;

use super::optimum::write_optimum;
use crate::args::CertifyArgs;
use crate::exit::{Exit, Failure};
use crate::output;
use crate::progress::Progress;
use crate::stop::{Cause, Stop};

/// Runs the command.
pub(crate) fn run(args: &CertifyArgs) -> Result<Exit, Failure> {
    let plan = args.plan()?;
    let stop = Stop::listen(plan.budget)?;
    let progress = Progress::start("reading");
    let (file, notices) = read::network(&args.net)?;
    let mut notices: Vec<String> = notices.iter().map(ToString::to_string).collect();
    let words = args.data.words();
    let (data, further) = load_examples(&words, &file)?;
    notices.extend(data.notices.iter().cloned());
    progress.say("bounding the network and the best there is");
    let targets: Vec<&str> =
        std::iter::once(&data.raw.target).chain(further.iter().map(|t| &t.name)).map(String::as_str).collect();
    let question = CertifyQuestion {
        plan: &plan,
        network: &file.network,
        network_name: short_name(&args.net),
        scaled: &data.scaled,
        further: &further,
        name: data.name.clone(),
        notices,
        settings: CertifySettings {
            net: args.net.display().to_string(),
            reader: ReaderSettings { target: Some(targets.join(",")), ..words.settings() },
            lambda: args.lambda.clone().unwrap_or_else(|| "0".to_owned()),
            batch: args.batch.clone(),
            ..CertifySettings::default()
        },
    };
    let CertifyOutcome { mut answer, evidence } = certify_answer(&question, &|| stop.now())?;
    // a search that the budget stopped is `budget`, not `interrupted`
    if answer.ended == Ended::Interrupted && stop.cause() == Some(Cause::Budget) {
        answer.ended = Ended::Budget;
    }
    progress.finish();
    if args.json {
        output::print(&json(&answer))?;
    } else {
        let no_colour = std::env::var("NO_COLOR").ok();
        let style = Style::choose(io::IsTerminal::is_terminal(&io::stdout()), no_colour.as_deref());
        output::print(&text::certify(&answer, style))?;
    }
    if let Some(path) = &args.certificate {
        let Some(of) = &evidence else {
            return Err(Failure::usage(
                "--certificate: proves a bound under weight decay, for one output; without decay, read the floor in the answer",
            ));
        };
        write_optimum(path, (&of.objective, None), (&of.dual, of.sup), &data, &|| stop.now())?;
    }
    let met = plan.require != Some(Require::Certified) || answer.status == Claim::Certified;
    Ok(match answer.ended {
        Ended::Budget | Ended::Interrupted => Exit::Cut,
        Ended::Finished | Ended::Nodes if met => Exit::Answer,
        Ended::Finished | Ended::Nodes => Exit::NotMet,
    })
}
