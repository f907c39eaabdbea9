//! The project's own commands: test, bench, tidy.

fn main() {}
