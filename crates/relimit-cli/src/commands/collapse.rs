//! `relimit collapse`: the narrowest network that computes the same function.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;

use relimit_core::net::{InputBox, Network};
use relimit_core::num::Mat;
use relimit_report::json::json;
use relimit_report::text::{self, Style};
use relimit_run::read::{self, NetworkFile, ReadOptions, Source};
use relimit_run::write::{self, write_atomic};
use relimit_solve::answer::CollapseSettings;
use relimit_solve::collapse::{CollapseQuestion, Domain, collapse};

use super::data::{options, short_name};
use crate::args::{CollapseArgs, MissingWord};
use crate::exit::{Exit, Failure};
use crate::output;
use crate::progress::Progress;
use crate::stop::{Cause, Stop};

/// Runs the command.
pub(crate) fn run(args: &CollapseArgs) -> Result<Exit, Failure> {
    let tolerance = args.tolerance.unwrap_or(0.0);
    if !(0.0..f64::INFINITY).contains(&tolerance) {
        return Err(Failure::usage(format!("--tolerance {tolerance}: give a number from 0 on, for example 0.01")));
    }
    let stop = Stop::listen(None)?;
    let progress = Progress::start("reading");
    let options = options(&args.select, &[])?;
    let (file, mut notices) = read::network(&args.net)?;
    let table = match &args.data {
        None => None,
        Some(path) => {
            let source = Source::from_arg(path);
            let (table, more) = read::features(&source, file.features.as_deref(), file.network.inputs(), &options)?;
            notices.extend(more);
            Some(table)
        }
    };
    let data = table.as_ref().map(|t| &t.x);
    let (name, on) = match (&args.r#box, data) {
        (Some(text), data) if text == "rows" => (text.clone(), rows(data, tolerance)?),
        (Some(text), _) => (text.clone(), parse_box(text, &file, &options)?.map_or(Domain::Everywhere, Domain::Box)),
        (None, Some(x)) => ("data".to_owned(), Domain::Box(InputBox::of_rows(x))),
        (None, None) => ("everywhere".to_owned(), Domain::Everywhere),
    };
    if args.bounds.is_some() && on.as_box().is_none() {
        return Err(Failure::usage("--bounds: preactivations are bounded on a box alone; give DATA or --box LO:HI"));
    }
    progress.say("comparing kinks");
    let list = |names: &[String]| (!names.is_empty()).then(|| names.join(","));
    let question = CollapseQuestion {
        network: &file.network,
        name: short_name(&args.net),
        on: on.clone(),
        data,
        settings: CollapseSettings {
            net: args.net.display().to_string(),
            data: args.data.as_ref().map(|p| p.display().to_string()),
            columns: list(&args.select.columns),
            drop: list(&args.select.drop),
            rows: args.select.rows.clone(),
            missing: if matches!(args.select.missing, Some(MissingWord::Drop)) { "drop" } else { "error" }.into(),
            r#box: name,
            tolerance,
        },
        notices: notices.iter().map(ToString::to_string).collect(),
    };
    let outcome = collapse(question, &|| stop.now());
    progress.finish();
    if let (Some(path), Some(on)) = (&args.bounds, on.as_box()) {
        let text = bounds(&[("given", &file.network), ("narrow", &outcome.network)], on);
        write_atomic(path, |out| out.write_all(text.as_bytes()))?;
    }
    if let Some(path) = &args.certificate {
        write_atomic(path, |out| out.write_all(json(&outcome.certificate).as_bytes()))?;
    }
    if let Some(path) = &args.save {
        let NetworkFile { features, target, .. } = file;
        write::network(path, &NetworkFile { network: outcome.network.clone(), features, target })?;
    }
    if args.json {
        output::print(&json(&outcome.answer))?;
    } else {
        let no_colour = std::env::var("NO_COLOR").ok();
        let style = Style::choose(io::IsTerminal::is_terminal(&io::stdout()), no_colour.as_deref());
        output::print(&text::collapse(&outcome.answer, style))?;
    }
    // an interrupt leaves a network that is equal, and perhaps not the narrowest: a partial answer
    Ok(if stop.cause() == Some(Cause::Interrupted) { Exit::Cut } else { Exit::Answer })
}

/// `--box rows`: the rows of DATA alone.
fn rows(data: Option<&Mat>, tolerance: f64) -> Result<Domain, Failure> {
    if data.is_none() {
        return Err(Failure::usage("--box rows: there are no rows; name a file after the network"));
    }
    if tolerance > 0.0 {
        return Err(Failure::usage(format!(
            "--tolerance {tolerance}: merges on a box or everywhere; with --box rows leave it out"
        )));
    }
    Ok(Domain::Rows)
}

/// `--box`: ranges, a file whose range it is, or `everywhere`.
fn parse_box(text: &str, file: &NetworkFile, options: &ReadOptions) -> Result<Option<InputBox>, Failure> {
    let d = file.network.inputs();
    if text == "everywhere" {
        return Ok(None);
    }
    if Path::new(text).is_file() || !text.contains(':') {
        let source = Source::from_arg(text);
        let (table, _) = read::features(&source, file.features.as_deref(), d, options)?;
        return Ok(Some(InputBox::of_rows(&table.x)));
    }
    let bad = |part: &str, why: &str| {
        Failure::usage(format!(
            "--box {text}: '{part}' {why}; write LO:HI, for example -1:1, one for all inputs or one each"
        ))
    };
    let mut sides = vec![];
    for part in text.split(',') {
        let (low, high) = part.split_once(':').ok_or_else(|| bad(part, "is no range"))?;
        let number = |v: &str| v.trim().parse::<f64>().ok().filter(|v| v.is_finite());
        let (Some(low), Some(high)) = (number(low), number(high)) else {
            return Err(bad(part, "is no range of numbers"));
        };
        if low > high {
            return Err(bad(part, "ends before it begins"));
        }
        sides.push((low, high));
    }
    if sides.len() == 1 {
        sides = vec![sides[0]; d];
    }
    if sides.len() != d {
        let names = file.features.as_ref().map_or_else(String::new, |f| format!(" ({})", f.join(", ")));
        return Err(Failure::usage(format!(
            "--box {text}: {} ranges for {d} inputs{names}; give one for all or one each",
            sides.len()
        )));
    }
    let (low, high) = sides.into_iter().unzip();
    Ok(Some(InputBox::new(low, high)))
}

/// `network,neuron,lower,upper,state`: the exact range of each preactivation, rounded outward.
fn bounds(networks: &[(&str, &Network)], on: &InputBox) -> String {
    let mut text = "network,neuron,lower,upper,state\n".to_owned();
    for (name, net) in networks {
        for j in 0..net.width() {
            let (low, high) = on.bounds(net.w.row(j), net.b[j]);
            let state = if low >= 0.0 {
                "on"
            } else if high <= 0.0 {
                "off"
            } else {
                "both"
            };
            let _ = writeln!(text, "{name},{j},{low:?},{high:?},{state}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> NetworkFile {
        let network = Network::scalar(Mat::from_rows(&[[1.0, 0.0], [0.0, -1.0]]), vec![0.5, 2.0], vec![1.0; 2], 0.0);
        NetworkFile { network, features: Some(vec!["a".into(), "b".into()]), target: None }
    }

    #[test]
    fn boxes_are_read_and_refused_in_words() {
        let read = |text: &str| parse_box(text, &file(), &ReadOptions::default());
        assert_eq!(read("everywhere").ok().unwrap(), None);
        assert_eq!(read("-1:2.5").ok().unwrap(), Some(InputBox::new(vec![-1.0; 2], vec![2.5; 2])));
        assert_eq!(read("0:1,-3:-2").ok().unwrap(), Some(InputBox::new(vec![0.0, -3.0], vec![1.0, -2.0])));
        let says = |text: &str, part: &str| {
            let message = read(text).err().unwrap().to_string();
            assert!(message.contains(part), "{message}");
        };
        says("1:0", "'1:0' ends before it begins");
        says("0:x", "'0:x' is no range of numbers");
        says("0:inf", "no range of numbers");
        says("0:1,2", "'2' is no range");
        says("0:1,0:1,0:1", "3 ranges for 2 inputs (a, b)");
        says("gone.csv", "no such file");
    }

    #[test]
    fn bounds_name_the_state() {
        let on = InputBox::new(vec![0.0, 2.0], vec![1.0, 5.0]);
        let text = bounds(&[("given", &file().network)], &on);
        assert_eq!(text, "network,neuron,lower,upper,state\ngiven,0,0.5,1.5,on\ngiven,1,-3.0,0.0,off\n");
    }
}
