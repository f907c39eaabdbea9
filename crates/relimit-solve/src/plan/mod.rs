//! Plans: what is asked for, checked once; everything downstream cannot fail for reasons of configuration.
//!
//! Which data are meant is the reader's business; here stand model, dynamics, start and effort.
//! Options hold what a person gave (command line or keyword arguments); `check` turns them into a plan, with every
//! default filled in. Defaults stand in this module and nowhere else.

mod certify;
mod choice;
mod duration;
mod error;
mod gibbs;
mod lambda;
mod limit;
mod optimum;
mod patterns;
mod signs;
mod start;
mod study;
mod train;
mod words;

pub use certify::{CertifyOptions, CertifyPlan, Library, Units};
pub use choice::{Bias, Loss, Require};
pub use duration::parse_duration;
pub use error::PlanError;
pub use gibbs::{GibbsOptions, GibbsPlan};
pub use lambda::Lambda;
pub use limit::{DEFAULT_GAP, DEFAULT_MAX_NODES, LimitOptions, LimitPlan, Pace, Picture};
pub use optimum::{OptimumOptions, OptimumPlan};
pub use patterns::{CheckPattern, ListTarget, PatternsOptions, PatternsPlan};
pub use signs::Signs;
pub use start::StartRule;
pub use study::{StudyOptions, StudyPlan};
pub use train::{TrainOptions, TrainPlan};
