//! The project's own commands: `cargo xtask test`, `tidy`, `bench` and `soak`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that talks to developers")]

mod bench;
mod call;
mod cargo;
mod clock;
mod cluster;
mod examples;
mod pages;
mod python;
mod readme;
mod stage;
mod tidy;
mod workspace;

use std::process::ExitCode;

use stage::{Outcome, Stage};
use workspace::Workspace;

const HELP: &str = "\
Usage: cargo xtask COMMAND

  test [--all]     every check: format, lints, docs, tests, tidy, examples, README commands, pages in a
                   browser, the Python package, Slurm; with --all a stage that cannot run here is a failure
  pages            the pages of studies in a browser alone (needs node and chromium)
  python           the Python package alone: formatting, types, its tests, the examples of docs/python.md
  torch            networks of PyTorch alone, with Debian's python3-torch
  cluster          a sweep on Slurm alone, two nodes on this host, one of which dies (needs root)
  wheel            its source distribution and wheel in target/wheels, tried in a bare virtual environment
  tidy             layering, module order and text habits alone (seconds)
  bench [NAME...]  benchmarks against numpy and scipy in the same run, into benches/RECORD.md (needs python3);
                   --peers adds the peers that need torch
  soak             the tests with full counts (RELIMIT_SOAK=1)
";

/// The stages of `cargo xtask test`, in order. A new stage is one line here and one function.
const STAGES: &[Stage] = &[
    Stage { name: "format", run: cargo::format },
    Stage { name: "clippy", run: cargo::clippy },
    Stage { name: "docs", run: cargo::docs },
    Stage { name: "tests", run: cargo::tests },
    Stage { name: "tidy", run: tidy::stage },
    Stage { name: "examples", run: examples::stage },
    Stage { name: "readme", run: readme::stage },
    Stage { name: "python", run: python::stage },
    Stage { name: "torch", run: python::torch },
    Stage { name: "wheel", run: python::wheel },
    Stage { name: "cluster", run: cluster::stage },
    Stage { name: "pages", run: pages::stage },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let workspace = match Workspace::read(workspace::root()) {
        Ok(workspace) => workspace,
        Err(message) => return stop(&message),
    };
    let passed = match words.as_slice() {
        ["test"] => stage::run_all(STAGES, &workspace, false),
        ["test", "--all"] => stage::run_all(STAGES, &workspace, true),
        ["pages"] => stage::run_all(&STAGES[STAGES.len() - 1..], &workspace, true),
        ["cluster"] => stage::run_all(&[Stage { name: "cluster", run: cluster::stage }], &workspace, true),
        ["python"] => stage::run_all(&[Stage { name: "python", run: python::stage }], &workspace, true),
        ["torch"] => stage::run_all(&[Stage { name: "torch", run: python::torch }], &workspace, true),
        ["wheel"] => stage::run_all(&[Stage { name: "wheel", run: python::wheel }], &workspace, true),
        ["tidy"] => matches!(tidy::stage(&workspace), Outcome::Passed(_)),
        ["bench", questions @ ..] => bench::run(&workspace, questions),
        ["soak"] => matches!(cargo::soak(&workspace), Outcome::Passed(_)),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            true
        }
        _ => return stop(&format!("unknown arguments: {}\n\n{HELP}", words.join(" "))),
    };
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn stop(message: &str) -> ExitCode {
    eprintln!("xtask: {message}");
    ExitCode::from(2)
}
