//! A Python peer in a process of its own: started once, asked for a batch whenever it is its turn.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::data::root;

/// Figures that a peer prints: a flat JSON object.
pub(crate) type Figures = serde_json::Map<String, serde_json::Value>;

pub(crate) struct Peer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// What runs: library, version and processor kernel.
    pub(crate) description: String,
}

impl Peer {
    /// Starts benches/peers/SCRIPT with the Python of target/bench-venv, one BLAS thread, the kernel left to OpenBLAS.
    pub(crate) fn start(script: &str, arguments: &[OsString]) -> Self {
        Self::start_in("bench-venv", "cargo xtask bench optimum", script, arguments)
    }

    /// The same with the packages of the heavy peers (torch), which `--peers` asks for.
    pub(crate) fn start_heavy(script: &str, arguments: &[OsString]) -> Self {
        Self::start_in("bench-venv-torch", "cargo xtask bench optimum --peers", script, arguments)
    }

    /// The same with the environment of the Python package's tests, this package in it.
    pub(crate) fn start_package(script: &str, arguments: &[OsString]) -> Self {
        Self::start_in("py-venv", "cargo xtask python", script, arguments)
    }

    fn start_in(venv: &str, maker: &str, script: &str, arguments: &[OsString]) -> Self {
        let python = root().join("target").join(venv).join("bin/python");
        assert!(python.exists(), "no {}: `{maker}` makes it", python.display());
        let mut child = Command::new(python)
            .arg(root().join("benches/peers").join(script))
            .args(arguments)
            .env_remove("OPENBLAS_CORETYPE")
            .env_remove("OPENBLAS_L2_SIZE")
            .env("OPENBLAS_NUM_THREADS", "1")
            .env("OMP_NUM_THREADS", "1")
            .env("MKL_NUM_THREADS", "1")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a Python process");
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let mut peer = Self { child, input, output, description: String::new() };
        let facts = peer.line();
        let fact = |name: &str| facts[name].as_str().expect("text").to_owned();
        let note = if fact("note").is_empty() { String::new() } else { format!("{}, ", fact("note")) };
        peer.description = format!("{note}{}, {} kernel, numpy {}", fact("blas"), fact("kernel"), fact("numpy"));
        peer
    }

    /// Runs one batch; the figures hold `cpu`, the CPU seconds per repetition.
    pub(crate) fn batch(&mut self, repetitions: usize) -> Figures {
        writeln!(self.input, "{repetitions}").expect("a peer that listens");
        self.line()
    }

    fn line(&mut self) -> Figures {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line of text");
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("the peer said {line:?}: {e}"))
    }
}

impl Drop for Peer {
    /// The peer ends when its input does; a busy one is stopped.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A number out of a peer's figures.
pub(crate) fn number(figures: &Figures, name: &str) -> f64 {
    figures[name].as_f64().unwrap_or_else(|| panic!("no number {name} in {figures:?}"))
}
