//! Text and pictures: pure functions of answers.
