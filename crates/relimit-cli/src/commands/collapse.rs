//! `relimit collapse`: the narrowest network that computes the same function.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use relimit_ask::{CollapseOptions, Collapsed, NetworkGiven, collapse};
use relimit_core::net::{InputBox, Network};
use relimit_report::json::json;
use relimit_report::text::{self, Style};
use relimit_run::read::NetworkFile;
use relimit_run::write::{self, write_atomic};

use crate::args::CollapseArgs;
use crate::exit::{Exit, Failure};
use crate::output;
use crate::progress::Progress;
use crate::stop::{Cause, Stop};

/// Runs the command.
pub(crate) fn run(args: &CollapseArgs) -> Result<Exit, Failure> {
    let stop = Stop::listen(None)?;
    let progress = Progress::start("reading");
    let given = NetworkGiven::read(&args.net)?;
    let no_box = match args.r#box.as_deref() {
        Some(text) => ["rows", "everywhere"].contains(&text),
        None => args.data.is_none(),
    };
    if args.bounds.is_some() && no_box {
        return Err(Failure::usage("--bounds: preactivations are bounded on a box alone; give DATA or --box LO:HI"));
    }
    progress.say("comparing kinks");
    let words = args.select.words(args.data.as_deref());
    let options = CollapseOptions { r#box: args.r#box.clone(), tolerance: args.tolerance };
    let Collapsed { outcome, on } = collapse(&given, &words, &options, &|| stop.now())?;
    let file = given.file;
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
    use relimit_core::num::Mat;
    use relimit_run::read::NetworkFile;

    fn file() -> NetworkFile {
        let network = Network::scalar(Mat::from_rows(&[[1.0, 0.0], [0.0, -1.0]]), vec![0.5, 2.0], vec![1.0; 2], 0.0);
        NetworkFile { network, features: Some(vec!["a".into(), "b".into()]), target: None }
    }

    #[test]
    fn bounds_name_the_state() {
        let on = InputBox::new(vec![0.0, 2.0], vec![1.0, 5.0]);
        let text = bounds(&[("given", &file().network)], &on);
        assert_eq!(text, "network,neuron,lower,upper,state\ngiven,0,0.5,1.5,on\ngiven,1,-3.0,0.0,off\n");
    }
}
