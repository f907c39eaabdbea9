//! Events as CSV, one line a change of a mask.

use std::io::{self, Write};

use relimit_core::descent::{Event, Move};

/// What the first column counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Steps of descent: the index of the first iterate that carries the new mask.
    Step,
    /// Time of the flow.
    Time,
}

/// Writes `step,neuron,row,direction` (or `time,...`): neurons from 0 as in the arrays of a result, rows as in the
/// file; direction `on`, `off` or `slide`. Give it a buffered writer.
#[derive(Debug)]
pub struct EventWriter<'a, W: Write> {
    out: W,
    rows: &'a [usize],
}

impl<'a, W: Write> EventWriter<'a, W> {
    /// Writes the header; `rows[i]` is the file row of example i.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn new(mut out: W, unit: Unit, rows: &'a [usize]) -> io::Result<Self> {
        writeln!(out, "{},neuron,row,direction", if unit == Unit::Step { "step" } else { "time" })?;
        Ok(Self { out, rows })
    }

    /// Writes one event; panics if its example has no row.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn push(&mut self, event: &Event) -> io::Result<()> {
        let example = event.example as usize;
        assert!(example < self.rows.len(), "example {example} of {}", self.rows.len());
        let direction = match event.to {
            Move::On => "on",
            Move::Off => "off",
            Move::Slide => "slide",
        };
        writeln!(self.out, "{},{},{},{direction}", event.at, event.neuron, self.rows[example])
    }

    /// Gives the writer back.
    pub fn into_inner(self) -> W {
        self.out
    }
}
