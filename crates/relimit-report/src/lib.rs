//! What a person sees: text for a terminal, JSON, figures. Pure functions of answers.

pub mod csv;
pub mod figure;
pub mod json;
pub mod number;
pub mod page;
pub mod text;
