//! The activation patterns of a 2 x 3 grid of points with a bias, which is degenerate: counted, then listed with witnesses.

use std::ops::ControlFlow;

use relimit_core::num::Mat;
use relimit_core::pattern::{Arrangement, Options, count, for_each_cell};

#[expect(clippy::print_stdout, reason = "an example shows its result")]
fn main() {
    let rows: Vec<[f64; 3]> = (0..6).map(|k| [f64::from(k % 3), f64::from(k / 3), 1.0]).collect();
    let arrangement = Arrangement::new(&Mat::from_rows(&rows));
    let counted = count(&arrangement, &Options::all());
    println!("{} patterns of at most {}", counted.lower, counted.cover_bound);

    let pairs = Options { pairs: true, ..Options::all() };
    for_each_cell(&arrangement, &pairs, &mut |cell| {
        let pattern: String = (0..rows.len()).map(|i| if cell.row_positive(i) { '1' } else { '0' }).collect();
        let u: Vec<String> = cell.witness().iter().map(ToString::to_string).collect();
        println!("  {pattern} and its opposite, by u = ({})", u.join(", "));
        ControlFlow::Continue(())
    });
}
