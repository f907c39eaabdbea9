//! A TOML document whose every complaint names its line.

use std::borrow::Cow;
use std::ops::Range;

use relimit_core::data::suggest::nearest;
use serde_json::{Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::sweep::SweepError;

/// A key and its value, with their places.
pub(super) type Entry<'t, 'd> = (&'t Spanned<Cow<'d, str>>, &'t Spanned<DeValue<'d>>);

/// The text that places point into.
#[derive(Clone, Copy)]
pub(super) struct Document<'d> {
    /// The name that errors give.
    pub(super) file: &'d str,
    /// The content.
    pub(super) text: &'d str,
}

impl<'d> Document<'d> {
    /// The table of the whole document.
    pub(super) fn table(self) -> Result<Spanned<DeTable<'d>>, SweepError> {
        DeTable::parse(self.text).map_err(|e| self.wrong(e.span().unwrap_or(0..0), e.message().to_owned()))
    }

    /// An error at a place.
    pub(super) fn wrong(self, place: Range<usize>, message: impl Into<String>) -> SweepError {
        let before = &self.text.as_bytes()[..place.start.min(self.text.len())];
        let line = 1 + before.split(|b| *b == b'\n').count() - 1;
        SweepError::Plan { file: self.file.to_owned(), line, message: message.into() }
    }

    /// Entries of a table in the order of the file.
    pub(super) fn entries<'t>(table: &'t DeTable<'d>) -> Vec<Entry<'t, 'd>> {
        let mut entries: Vec<Entry<'t, 'd>> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        entries
    }

    /// A value that must be a table, with no key but the `known`; `name` ends with a colon and a blank.
    pub(super) fn known<'t>(
        self,
        name: &str,
        value: &'t Spanned<DeValue<'d>>,
        known: &[&str],
    ) -> Result<Vec<Entry<'t, 'd>>, SweepError> {
        let DeValue::Table(table) = value.get_ref() else {
            return Err(self.wrong(value.span(), format!("{name}is no table; write {{ {} = ... }}", known[0])));
        };
        let entries = Self::entries(table);
        self.only(name, &entries, known)?;
        Ok(entries)
    }

    /// Refuses keys that are not `known`, with the nearest one.
    pub(super) fn only(self, name: &str, entries: &[Entry<'_, 'd>], known: &[&str]) -> Result<(), SweepError> {
        match entries.iter().find(|(key, _)| !known.contains(&key.get_ref().as_ref())) {
            None => Ok(()),
            Some((key, _)) => {
                let word = key.get_ref();
                let hint = nearest(word, known).map_or_else(
                    || format!("known are {}", known.join(", ")),
                    |near| format!("did you mean '{near}'?"),
                );
                Err(self.wrong(key.span(), format!("{name}unknown key '{word}'; {hint}")))
            }
        }
    }

    /// A value that must be text.
    pub(super) fn text<'t>(self, name: &str, value: &'t Spanned<DeValue<'d>>) -> Result<&'t str, SweepError> {
        match value.get_ref() {
            DeValue::String(text) => Ok(text),
            _ => Err(self.wrong(value.span(), format!("{name}: is not text; put it in quotes"))),
        }
    }

    /// A value that must be a whole number from `least` on.
    pub(super) fn whole(self, name: &str, value: &Spanned<DeValue<'d>>, least: u64) -> Result<u64, SweepError> {
        let wrong = || self.wrong(value.span(), format!("{name}: give a whole number, at least {least}"));
        let number = self.value(name, value)?.as_u64().ok_or_else(wrong)?;
        if number < least { Err(wrong()) } else { Ok(number) }
    }

    /// A value that must be a list.
    pub(super) fn list<'t>(
        self,
        name: &str,
        value: &'t Spanned<DeValue<'d>>,
    ) -> Result<&'t [Spanned<DeValue<'d>>], SweepError> {
        match value.get_ref() {
            DeValue::Array(list) => Ok(list),
            _ => Err(self.wrong(value.span(), format!("{name}: is no list; write {name} = [ ... ]"))),
        }
    }

    /// Text, number, truth value or list of them as JSON; a whole number is an integer, however it is written.
    pub(super) fn value(self, name: &str, value: &Spanned<DeValue<'d>>) -> Result<Value, SweepError> {
        let number = |text: &str| format!("{name}: {text} is no number that can be kept; give a finite one");
        Ok(match value.get_ref() {
            DeValue::String(text) => Value::from(text.as_ref()),
            DeValue::Boolean(flag) => Value::from(*flag),
            DeValue::Integer(whole) => {
                let parsed = i64::from_str_radix(whole.as_str(), whole.radix());
                Value::from(parsed.map_err(|_| self.wrong(value.span(), number(whole.as_str())))?)
            }
            DeValue::Float(float) => {
                let parsed: Option<f64> = float.as_str().parse().ok();
                let finite = parsed.and_then(plain);
                finite.ok_or_else(|| self.wrong(value.span(), number(float.as_str())))?
            }
            DeValue::Array(list) => {
                let items: Result<Vec<Value>, _> = list.iter().map(|item| self.value(name, item)).collect();
                Value::from(items?)
            }
            DeValue::Datetime(_) | DeValue::Table(_) => {
                let message = format!("{name}: give text, a number, true, false or a list");
                return Err(self.wrong(value.span(), message));
            }
        })
    }
}

/// A finite number in its one form: an integer where it is whole and below 2^53, so that 1 and 1.0 are the same run.
pub(super) fn plain(number: f64) -> Option<Value> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT {
        return Some(Value::from(number as i64));
    }
    Number::from_f64(number).map(Value::Number)
}
