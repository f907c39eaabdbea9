//! Figures as SVG (and PNG, feature `png`): one concept a file, all drawn on one canvas.

mod canvas;
mod gap;
mod gibbs;
mod labels;
mod optimum;
mod patterns;
mod plot;
#[cfg(feature = "png")]
mod png;
mod preactivations;
mod scale;
mod thin;
mod train;

pub use gap::{GapPoint, gap_against_d};
pub use gibbs::gibbs;
pub use optimum::{Fit, View, optimum};
pub use patterns::patterns;
#[cfg(feature = "png")]
pub use png::{PngError, png};
pub use preactivations::preactivations;
pub use thin::{MOST_MARKS, MOST_POINTS};
pub use train::train;

/// A picture with the words that go with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// The picture, a complete SVG document with title and description.
    pub svg: String,
    /// The claim that the picture supports: headline and alt text.
    pub title: String,
    /// A caption that can stand alone.
    pub caption: String,
}
