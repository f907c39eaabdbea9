//! Sweeps: a plan of many runs, the rows that they leave, and the engines that work through them.
//!
//! A plan (TOML) names a command, its fixed words and axes; [`Grid`] counts its runs and gives the words of each. A run
//! is asked through a closure, so that nothing here knows what a command computes. Its row has a key made from all that
//! determines it: rows are reused wherever the key is the same. While runs go on, rows are lines of a journal; when all
//! are there, they become one data set of Parquet parts, in the order of the plan, whatever the order of the runs was.

mod error;
mod plan;

mod compare;
mod grid;

mod row;

mod journal;

mod dataset;
mod store;

mod local;

mod query;
mod saved;

mod slurm;
mod units;

pub use compare::{CellRef, Comparison};
pub use dataset::{Column, Table};
pub use error::SweepError;
pub use grid::{Grid, Point};
pub use journal::{Journal, read_journal};
pub use local::{Ask, Keeper, Progress, RunSpec, Stop, WORKER, run_local, work};
pub use plan::{Axis, COMMANDS, Plan, Record, SCHEMA, Seeds};
pub use query::{Aggregate, Group, Question, Summed};
pub use row::{Cell, Key, Row, Status};
pub use saved::{Overview, Saved};
pub use slurm::{Resources, Script, queued, submit};
pub use store::{Counts, Keep, Store};
pub use units::{Executed, Manifest, Pace, Unit, exec};
