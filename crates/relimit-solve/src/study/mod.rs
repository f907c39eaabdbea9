//! `study`: everything that the engines say about one data set, section by section.

mod choices;
mod sections;

pub use choices::{choose_scale, choose_target_scale};
pub use sections::{Found, StudyQuestion, Until};
