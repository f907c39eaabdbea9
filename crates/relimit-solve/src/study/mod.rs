//! `study`: everything that the engines say about one data set, section by section.

mod choices;
mod ledger;
mod sections;

pub use choices::{choose_scale, choose_target_scale};
pub use ledger::ledger;
pub use sections::{Found, StudyQuestion, Until};
