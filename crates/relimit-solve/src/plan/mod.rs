//! Plans: what is asked for, checked once; everything downstream cannot fail for reasons of configuration.
//!
//! Options hold what a person gave (command line or keyword arguments); `check` turns them into a plan, with every
//! default filled in. Defaults stand in this module and nowhere else.

mod choice;
mod data;
mod duration;
mod error;
mod limit;
mod signs;
mod start;

pub use choice::{Bias, Loss, Missing, Require, Scale};
pub use data::{DataOptions, DataPlan, RowRange, Source};
pub use duration::parse_duration;
pub use error::PlanError;
pub use limit::{DEFAULT_GAP, DEFAULT_MAX_NODES, LimitOptions, LimitPlan, Pace, Picture};
pub use signs::Signs;
pub use start::StartRule;
