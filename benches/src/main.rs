//! Benchmarks against what a user would run today, one thread each, CPU time, both sides in one run.
//!
//! ```text
//! python3 -m venv target/bench-venv && target/bench-venv/bin/pip install -r benches/peers/requirements.txt
//! cargo run --release -p relimit-bench -- limit 2026-01-31 [gram] [dual] [glucose] [total] [memory] [patterns] [optimum] [real] [train] [python] [sweep] [--peers]
//! ```
//! The date goes into benches/RECORD.md beside the figures; without names every question is asked. `--peers` adds the peers that
//! need torch (see benches/peers/requirements-torch.txt); `python` needs the environment of `cargo xtask python`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

mod data;
mod flops;
mod growth;
mod limit;
mod measure;
mod optimum;
mod patterns;
mod peer;
mod python;
mod real;
mod record;
mod sweep;
mod total;
mod train;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["limit", date, ref questions @ ..] if looks_like_a_date(date) => {
            let mut record = record::Record::read(date);
            let heavy = questions.contains(&"--peers");
            let questions: Vec<&str> = questions.iter().copied().filter(|q| *q != "--peers").collect();
            for (name, ask) in limit::QUESTIONS {
                if questions.is_empty() || questions.contains(&name) {
                    for row in ask(heavy) {
                        println!("{row}");
                        record.put(&row);
                    }
                    record.write();
                }
            }
            ExitCode::SUCCESS
        }
        ["peak", n, d] => {
            // A child of the gram question: the peak memory of one process that does nothing else.
            let (n, d) = (n.parse().expect("rows"), d.parse().expect("columns"));
            let x = data::gaussian(n, d, 1);
            std::hint::black_box(relimit_core::num::linalg::gram(&x));
            println!("{}", measure::peak_bytes());
            ExitCode::SUCCESS
        }
        ["cells", n, dim, most] => {
            // A child of the patterns question.
            let (n, dim) = (n.parse().expect("rows"), dim.parse().expect("columns"));
            let most = most.parse().expect("a number of cells");
            assert_eq!(patterns::visit(n, dim, most), most, "cells of {n} x {dim}");
            println!("{}", measure::peak_bytes());
            ExitCode::SUCCESS
        }
        ["particles", d, n, width, precision, steps] => {
            // A child of the train question.
            println!("{}", train::particles([d, n, width, precision, steps]));
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!(
                "usage: relimit-bench limit YYYY-MM-DD [gram] [dual] [glucose] [total] [memory] [patterns] [optimum] \
                       [real] [train] [python] [sweep] [--peers]"
            );
            ExitCode::from(2)
        }
    }
}

fn looks_like_a_date(word: &str) -> bool {
    word.len() == 10
        && word.bytes().enumerate().all(|(i, b)| if i == 4 || i == 7 { b == b'-' } else { b.is_ascii_digit() })
}
