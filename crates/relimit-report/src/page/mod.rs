//! Pages for a browser: one HTML file, nothing to load, pictures inside.

mod html;
pub(crate) mod story;
mod study;

pub use study::study;
