//! Sign patterns: one that exists has a witness, one that does not has multipliers, and a list is complete by a tree.

mod certificate;
mod decide;
mod decimal;
mod list;
mod list_verify;
mod motzkin;
mod scaled;
mod witness;

pub use certificate::{ListCertificate, PatternCertificate};
pub use decide::{Decision, decide};
pub use list::{ListEnd, ListNode, PatternList, list_patterns};
pub use list_verify::Refusal;
pub use motzkin::Motzkin;
pub use witness::Witness;
