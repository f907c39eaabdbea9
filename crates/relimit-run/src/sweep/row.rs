//! What a run leaves: its key, how it ended, what was recorded; and its line in a journal.

use std::fmt;

use serde_json::{Value, json};

use super::{CellRef, Record};
use crate::key::{Sha256, hex};

/// 96 bits that stand for all that determines a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key([u8; 12]);

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// With an answer.
    Done,
    /// Without one: an error or a panic, with its message.
    Failed,
    /// Its own budget ended it; what it had reached is recorded.
    Budget,
    /// The training diverged.
    Diverged,
    /// The training goes round in a cycle.
    Cycle,
    /// The answer says that it could not decide.
    Undecided,
}

/// A recorded value.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing was there.
    Null,
    /// A truth value.
    Flag(bool),
    /// A number.
    Number(f64),
    /// A text.
    Text(Box<str>),
}

/// One run's result.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The run.
    pub key: Key,
    /// How it ended.
    pub status: Status,
    /// Why it failed; else empty.
    pub message: Box<str>,
    /// A value for each record of the plan.
    pub values: Box<[Cell]>,
}

impl Key {
    /// The hash of a description.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let hash = Sha256::of(bytes);
        Self(*hash.first_chunk().expect("32 bytes"))
    }

    /// From its 24 hexadecimal digits.
    pub fn read(text: &str) -> Option<Self> {
        let bytes = (text.len() == 24 && text.is_ascii()).then_some(text)?;
        let mut out = [0; 12];
        for (k, byte) in out.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&bytes[2 * k..2 * k + 2], 16).ok()?;
        }
        Some(Self(out))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Done, Self::Failed, Self::Budget, Self::Diverged, Self::Cycle, Self::Undecided];

    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Budget => "budget",
            Self::Diverged => "diverged",
            Self::Cycle => "cycle",
            Self::Undecided => "undecided",
        }
    }

    /// From its word.
    pub fn read(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.name() == word)
    }

    /// How an answer says that its run ended: its `status`, or that of its `limit`; other words are claims about a run
    /// that is done.
    fn of_answer(answer: &Value) -> Self {
        let word = answer.pointer("/limit/status").or_else(|| answer.get("status")).and_then(Value::as_str);
        match word.unwrap_or_default() {
            "budget" | "interrupted" => Self::Budget,
            "diverged" => Self::Diverged,
            "cycle" => Self::Cycle,
            "undecided" => Self::Undecided,
            _ => Self::Done,
        }
    }
}

impl Cell {
    /// A value of an answer; of a list or an object its length.
    fn of(value: Option<&Value>) -> Self {
        match value {
            None | Some(Value::Null) => Self::Null,
            Some(Value::Bool(flag)) => Self::Flag(*flag),
            Some(Value::Number(number)) => number.as_f64().map_or(Self::Null, Self::Number),
            Some(Value::String(text)) => Self::Text(text.as_str().into()),
            Some(Value::Array(list)) => Self::Number(list.len() as f64),
            Some(Value::Object(map)) => Self::Number(map.len() as f64),
        }
    }

    /// Borrowed.
    pub fn by_ref(&self) -> CellRef<'_> {
        match self {
            Self::Null => CellRef::Null,
            Self::Flag(flag) => CellRef::Flag(*flag),
            Self::Number(v) => CellRef::Number(*v),
            Self::Text(text) => CellRef::Text(text),
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Flag(flag) => Value::from(*flag),
            Self::Number(v) => Value::from(*v),
            Self::Text(text) => Value::from(&**text),
        }
    }
}

impl Row {
    /// The row of a run that gave an answer or failed.
    pub fn of(key: Key, record: &[Record], answer: &Result<Value, String>) -> Self {
        match answer {
            Ok(answer) => Self {
                key,
                status: Status::of_answer(answer),
                message: "".into(),
                values: record.iter().map(|r| Cell::of(answer.pointer(&r.at))).collect(),
            },
            Err(message) => Self {
                key,
                status: Status::Failed,
                message: message.as_str().into(),
                values: record.iter().map(|_| Cell::Null).collect(),
            },
        }
    }

    /// Bytes that it takes in a journal.
    pub fn size(&self) -> usize {
        // checksum, blank and newline
        self.line().len() + 18
    }

    /// Its line in a journal, without checksum.
    pub(super) fn line(&self) -> String {
        let values: Vec<Value> = self.values.iter().map(Cell::json).collect();
        json!([self.key.to_string(), self.status.name(), self.message, values]).to_string()
    }

    /// From its line.
    pub(super) fn read(line: &str) -> Option<Self> {
        let (key, status, message, values): (String, String, String, Vec<Value>) = serde_json::from_str(line).ok()?;
        Some(Self {
            key: Key::read(&key)?,
            status: Status::read(&status)?,
            message: message.into(),
            values: values.iter().map(|v| Cell::of(Some(v))).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Vec<Record> {
        ["/gap", "/status", "/neurons", "/none"]
            .map(|at| Record { name: at[1..].into(), at: at.into(), unit: None })
            .into()
    }

    #[test]
    fn a_row_keeps_what_the_answer_says_and_reads_back_bit_for_bit() {
        let answer = json!({ "gap": 0.1 + 0.2, "status": "certified", "neurons": [1, 2, 3] });
        let row = Row::of(Key::of(b"run"), &record(), &Ok(answer));
        assert_eq!(row.status, Status::Done);
        let expected = [Cell::Number(0.1 + 0.2), Cell::Text("certified".into()), Cell::Number(3.0), Cell::Null];
        assert_eq!(*row.values, expected);
        assert_eq!(Row::read(&row.line()), Some(row));
        let tiny = Row::of(Key::of(b"run"), &record(), &Ok(json!({ "gap": f64::MIN_POSITIVE / 8.0 })));
        assert_eq!(Row::read(&tiny.line()), Some(tiny));
    }

    #[test]
    fn failures_and_statuses_are_told_apart() {
        let status = |answer: Value| Row::of(Key::of(b""), &[], &Ok(answer)).status;
        assert_eq!(status(json!({ "limit": { "status": "diverged" } })), Status::Diverged);
        assert_eq!(status(json!({ "status": "budget" })), Status::Budget);
        assert_eq!(status(json!({ "status": "bound" })), Status::Done);
        let failed = Row::of(Key::of(b""), &record(), &Err("no \"file\"\n".into()));
        assert_eq!((failed.status, failed.values.len()), (Status::Failed, 4));
        assert_eq!(Row::read(&failed.line()), Some(failed));
        assert_eq!(Row::read("[\"00\",\"done\",\"\",[]]"), None);
    }
}
