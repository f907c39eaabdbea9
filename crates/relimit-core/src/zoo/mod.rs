//! Problems with known answers.
