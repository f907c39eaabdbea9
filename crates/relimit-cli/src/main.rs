//! The relimit command line.

fn main() {}
