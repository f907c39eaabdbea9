//! Comparisons of columns with values and with each other: `d >= 2*n`, `status == diverged`.

use std::cmp::Ordering;
use std::fmt;

use relimit_core::data::suggest::nearest;

use super::SweepError;

/// A value of a row, borrowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CellRef<'a> {
    /// Nothing.
    Null,
    /// A truth value.
    Flag(bool),
    /// A number.
    Number(f64),
    /// A text.
    Text(&'a str),
}

/// One comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    left: Operand,
    relation: Relation,
    right: Operand,
}

#[derive(Clone, Debug, PartialEq)]
enum Operand {
    Number(f64),
    Text(String),
    /// `factor * column`; a factor other than 1 makes it a number.
    Column {
        factor: f64,
        name: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Less,
    AtMost,
    Equal,
    Different,
    AtLeast,
    More,
}

/// Longer ones first, so that `<=` is not read as `<`.
const RELATIONS: [(&str, Relation); 6] = [
    ("<=", Relation::AtMost),
    (">=", Relation::AtLeast),
    ("==", Relation::Equal),
    ("!=", Relation::Different),
    ("<", Relation::Less),
    (">", Relation::More),
];

impl Comparison {
    /// Reads `LEFT op RIGHT`; a side is a number, a column, or a number times a column. A word on the right that is no
    /// column is a text; so is what stands in quotes.
    ///
    /// # Errors
    /// [`SweepError::Question`] for a text without comparison or a name that is unknown.
    pub fn read(what: &'static str, text: &str, columns: &[&str]) -> Result<Self, SweepError> {
        let wrong = |message: String| SweepError::Question { what, text: text.to_owned(), message };
        let at = |(sign, relation): &(&'static str, Relation)| text.find(sign).map(|at| (at, *sign, *relation));
        let found = RELATIONS.iter().filter_map(at).min_by_key(|(at, sign, _)| (*at, 2 - sign.len()));
        let (at, sign, relation) =
            found.ok_or_else(|| wrong("has no comparison; write for example d >= 100 or status == done".into()))?;
        let left = operand(text[..at].trim(), columns, false).map_err(&wrong)?;
        let right = operand(text[at + sign.len()..].trim(), columns, true).map_err(&wrong)?;
        Ok(Self { left, relation, right })
    }

    /// Columns that it looks at.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        [&self.left, &self.right].into_iter().filter_map(|side| match side {
            Operand::Column { name, .. } => Some(name.as_str()),
            _ => None,
        })
    }

    /// Whether it holds; where a side is missing, or the sides are of different kinds, only `!=` does.
    pub fn holds<'a>(&'a self, value: &dyn Fn(&str) -> CellRef<'a>) -> bool {
        let side = |operand: &'a Operand| match operand {
            Operand::Number(v) => CellRef::Number(*v),
            Operand::Text(text) => CellRef::Text(text),
            Operand::Column { factor, name } => match value(name) {
                CellRef::Number(v) => CellRef::Number(factor * v),
                other => other,
            },
        };
        let order = match (side(&self.left), side(&self.right)) {
            (CellRef::Number(a), CellRef::Number(b)) => a.partial_cmp(&b),
            (CellRef::Text(a), CellRef::Text(b)) => Some(a.cmp(b)),
            (CellRef::Flag(a), CellRef::Flag(b)) => Some(a.cmp(&b)),
            (CellRef::Flag(a), CellRef::Text(b)) => (b == "true" || b == "false").then(|| a.cmp(&(b == "true"))),
            _ => None,
        };
        match (order, self.relation) {
            (None, relation) => relation == Relation::Different,
            (Some(order), Relation::Less) => order == Ordering::Less,
            (Some(order), Relation::AtMost) => order != Ordering::Greater,
            (Some(order), Relation::Equal) => order == Ordering::Equal,
            (Some(order), Relation::Different) => order != Ordering::Equal,
            (Some(order), Relation::AtLeast) => order != Ordering::Less,
            (Some(order), Relation::More) => order == Ordering::Greater,
        }
    }
}

fn operand(text: &str, columns: &[&str], may_be_text: bool) -> Result<Operand, String> {
    let unquoted = ['"', '\''].iter().find_map(|q| text.strip_prefix(*q)?.strip_suffix(*q));
    if let Some(inner) = unquoted {
        return Ok(Operand::Text(inner.to_owned()));
    }
    if columns.contains(&text) {
        return Ok(Operand::Column { factor: 1.0, name: text.to_owned() });
    }
    if let Ok(number) = text.parse::<f64>() {
        return Ok(Operand::Number(number));
    }
    if let Some((factor, name)) = text.split_once('*') {
        let (factor, name) = (factor.trim().parse().ok(), name.trim());
        if let (Some(factor), true) = (factor, columns.contains(&name)) {
            return Ok(Operand::Column { factor, name: name.to_owned() });
        }
    }
    if may_be_text && !text.is_empty() && !text.contains(['*', '<', '>', '=']) {
        return Ok(Operand::Text(text.to_owned()));
    }
    Err(unknown(text, columns))
}

/// What is said of a name that is no column.
pub(super) fn unknown(name: &str, columns: &[&str]) -> String {
    let hint = nearest(name, columns)
        .map_or_else(|| format!("columns are {}", columns.join(", ")), |near| format!("did you mean '{near}'?"));
    format!("'{name}' is no column; {hint}")
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = RELATIONS.iter().find(|(_, r)| *r == self.relation).map_or("", |(sign, _)| sign);
        write!(f, "{} {sign} {}", self.left, self.right)
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(v) => write!(f, "{v}"),
            Self::Text(text) => write!(f, "'{text}'"),
            Self::Column { factor, name } if *factor == 1.0 => f.write_str(name),
            Self::Column { factor, name } => write!(f, "{factor}*{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(text: &str) -> bool {
        let read = Comparison::read("--where", text, &["n", "d", "status", "ok", "gap"]).unwrap();
        read.holds(&|name| match name {
            "n" => CellRef::Number(20.0),
            "d" => CellRef::Number(50.0),
            "status" => CellRef::Text("done"),
            "ok" => CellRef::Flag(true),
            _ => CellRef::Null,
        })
    }

    #[test]
    fn numbers_texts_and_flags_compare_with_their_kind() {
        for (text, right) in [
            ("d >= 2*n", true),
            ("d>=3*n", false),
            ("2*n<d", true),
            ("d <= 50", true),
            ("d < 50", false),
            ("d != 50.0", false),
            ("n > -1e3", true),
            ("status == done", true),
            ("status != 'done'", false),
            ("status == 20", false),
            ("ok == true", true),
            ("ok != true", false),
            ("gap >= 0", false),
            ("gap < 0", false),
            ("gap != 0", true),
        ] {
            assert_eq!(holds(text), right, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let error = |text: &str| Comparison::read("--where", text, &["gap", "d"]).unwrap_err().to_string();
        assert_eq!(error("gpa > 1"), "--where 'gpa > 1': 'gpa' is no column; did you mean 'gap'?");
        assert!(error("d").contains("has no comparison"));
        assert!(error("d > 2*e").contains("'2*e' is no column; columns are gap, d"));
        let read = Comparison::read("--where", "2*d<=gap", &["gap", "d"]).unwrap();
        assert_eq!(read.to_string(), "2*d <= gap");
    }
}
