//! `relimit gibbs`: plan, then read, solve and report.

use std::io;

use relimit_core::data::Dataset;
use relimit_report::figure;
use relimit_report::json::json;
use relimit_report::text::{self, Style};
use relimit_solve::answer::{GibbsAnswer, GibbsSettings, GibbsStatus};
use relimit_solve::gibbs::{GibbsQuestion, gibbs_answer};
use relimit_solve::plan::{GibbsPlan, Picture};

use super::data::{load, settings};
use super::picture;
use crate::args::GibbsArgs;
use crate::exit::{Exit, Failure};
use crate::output;
use crate::progress::Progress;
use crate::stop::{Cause, Stop};

/// Runs the command.
pub(crate) fn run(args: &GibbsArgs) -> Result<Exit, Failure> {
    let plan = args.plan()?;
    let stop = Stop::listen(plan.budget)?;
    let progress = Progress::start("reading");
    let data = load(&args.data)?;
    progress.say("solving for the law, temperature by temperature");
    let question = GibbsQuestion {
        plan: &plan,
        scaled: &data.scaled,
        name: data.name.clone(),
        notices: data.notices.clone(),
        settings: reader_settings(args),
    };
    let mut answer = gibbs_answer(&question, &|| stop.now())?;
    if answer.status == GibbsStatus::Interrupted && stop.cause() == Some(Cause::Budget) {
        answer.status = GibbsStatus::Budget;
    }
    progress.finish();
    if let Some(picture) = &plan.plot {
        plot(picture, &answer, &data.raw)?;
    }
    say(args, &answer)?;
    Ok(exit(&answer, &plan))
}

/// The reader's settings as the answer echoes them.
fn reader_settings(args: &GibbsArgs) -> GibbsSettings {
    let s = settings(&args.data);
    GibbsSettings {
        data: s.data,
        synthetic: s.synthetic,
        target: s.target,
        columns: s.columns,
        drop: s.drop,
        rows: s.rows,
        missing: s.missing,
        scale: s.scale,
        target_scale: s.target_scale,
        ..GibbsSettings::default()
    }
}

fn plot(to: &Picture, answer: &GibbsAnswer, raw: &Dataset) -> Result<(), Failure> {
    let names = [raw.features.first().map_or("", String::as_str), &raw.target];
    let Some(drawn) = figure::gibbs(answer, &raw.x, &raw.y, names) else {
        output::note("--plot: there is no law to draw");
        return Ok(());
    };
    picture::write(to, &drawn.svg, None)
}

fn exit(answer: &GibbsAnswer, plan: &GibbsPlan) -> Exit {
    match answer.status {
        GibbsStatus::Budget | GibbsStatus::Interrupted => Exit::Cut,
        GibbsStatus::Undecided if plan.require.is_some() => Exit::NotMet,
        GibbsStatus::Undecided | GibbsStatus::Converged => Exit::Answer,
    }
}

fn say(args: &GibbsArgs, answer: &GibbsAnswer) -> Result<(), Failure> {
    if args.json {
        return output::print(&json(answer));
    }
    let no_colour = std::env::var("NO_COLOR").ok();
    let style = Style::choose(io::IsTerminal::is_terminal(&io::stdout()), no_colour.as_deref());
    output::print(&text::gibbs(answer, style))
}
