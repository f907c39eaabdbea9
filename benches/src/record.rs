//! benches/RECORD.md: one row a question and machine, the newest figures only (history is in version control).

use std::fmt;
use std::path::PathBuf;

use crate::data::root;
use crate::measure::machine;

/// The answer to one question.
pub(crate) struct Row {
    /// What was compared, with sizes.
    pub(crate) question: String,
    /// Our CPU seconds (median), if this side exists.
    pub(crate) ours: Option<f64>,
    /// The peer's CPU seconds (median), if there is a peer.
    pub(crate) peer: Option<f64>,
    /// Ours over peer (median of the ratios of neighbouring batches), or another ratio that the question names.
    pub(crate) ratio: Option<f64>,
    /// What the peer is, and other figures.
    pub(crate) note: String,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |v: Option<f64>| v.map_or("-".to_owned(), |v| format!("{v:.3e}"));
        let ratio = self.ratio.map_or("-".to_owned(), |v| format!("{v:.3}"));
        write!(f, "{} | {} | {} | {ratio} | {}", self.question, seconds(self.ours), seconds(self.peer), self.note)
    }
}

/// The rows of the file, as text.
pub(crate) struct Record {
    path: PathBuf,
    date: String,
    rows: Vec<String>,
}

const HEAD: &str = "\
# Benchmark record

CPU seconds of one thread, medians of interleaved batches unless a row says otherwise; the ratio (ours / peer unless the question says otherwise) comes from
one run on one machine. Written by `cargo run --release -p relimit-bench -- limit DATE`; run it again to renew a row.

| machine | question | ours, s | peer, s | ratio | peer and notes | date |
|---|---|---|---|---|---|---|
";

impl Record {
    /// Reads the rows that are there.
    pub(crate) fn read(date: &str) -> Self {
        let path = root().join("benches/RECORD.md");
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        Self { path, date: date.to_owned(), rows: rows(&text) }
    }

    /// Replaces the row of this machine and question, or adds it.
    pub(crate) fn put(&mut self, row: &Row) {
        let line = format!("| {} | {row} | {} |", machine(), self.date);
        put(&mut self.rows, line);
    }

    /// Writes the file.
    pub(crate) fn write(&self) {
        let text = format!("{HEAD}{}\n", self.rows.join("\n"));
        std::fs::write(&self.path, text).unwrap_or_else(|e| panic!("{}: {e}", self.path.display()));
    }
}

fn rows(text: &str) -> Vec<String> {
    text.lines().filter(|l| l.starts_with("| ")).skip(1).map(str::to_owned).collect()
}

fn put(rows: &mut Vec<String>, line: String) {
    let key = |l: &str| l.split(" | ").take(2).map(str::to_owned).collect::<Vec<_>>();
    match rows.iter_mut().find(|r| key(r) == key(&line)) {
        Some(old) => *old = line,
        None => rows.push(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_figure_replaces_the_row_of_its_question() {
        let mut all = rows(&format!("{HEAD}| m | a | 1 | 2 |\n| m | b | 3 | 4 |\n"));
        assert_eq!(all, ["| m | a | 1 | 2 |", "| m | b | 3 | 4 |"]);
        put(&mut all, "| m | b | 5 | 6 |".to_owned());
        put(&mut all, "| other | a | 7 | 8 |".to_owned());
        assert_eq!(all, ["| m | a | 1 | 2 |", "| m | b | 5 | 6 |", "| other | a | 7 | 8 |"]);
    }
}
