//! Pages for a browser: one HTML file, nothing to load, pictures inside.

mod gallery;
mod html;
pub(crate) mod story;
mod study;

pub use gallery::{ClaimPage, Compared, Shown, claim, claims};
pub use study::study;
