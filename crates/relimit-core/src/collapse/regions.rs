//! How many regions the kinks of a network cut input space into, and the largest number of rays that data ask for.

use dashu_int::UBig;
use serde::{Deserialize, Serialize};

use crate::net::Network;
use crate::num::Mat;
use crate::pattern::{Arrangement, Options, count, cover};

/// Numbers in an arrangement beyond which no cell is visited: the exact set-up alone would take too long.
const LARGE: usize = 20_000;
/// Inputs beyond which no cell is visited.
const DEEP: usize = 12;

/// A number that is exact, or an interval; in digits, since it may be beyond 64 bits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// The number, if it is known and below 2^53.
    pub count: Option<u64>,
    /// At least so many.
    pub lower: String,
    /// At most so many; equal to `lower` when exact.
    pub upper: String,
}

/// Regions of input space in which the same units are active: the cells of the hyperplanes `w_j.x + b_j = 0`.
///
/// ```text
/// cells of {(w_j, b_j)} and (0, 1) through the origin of d + 1 dimensions, divided by 2
/// ```
///
/// Proportional units count once, units with w = 0 not at all. At most `max_cells` cells are visited.
pub fn regions(net: &Network, max_cells: u64, stop: &(dyn Fn() -> bool + Sync)) -> Counted {
    let d = net.inputs();
    let mut rows: Vec<Vec<f64>> = (0..net.width())
        .filter(|j| net.w.row(*j).iter().any(|v| *v != 0.0))
        .map(|j| net.w.row(j).iter().chain([&net.b[j]]).copied().collect())
        .collect();
    rows.push((0..=d).map(|k| if k == d { 1.0 } else { 0.0 }).collect());
    if rows.len() * (d + 1) > LARGE || d > DEEP {
        return counted(&UBig::ONE, &(cover(rows.len(), d + 1) / UBig::from(2u8)));
    }
    let found = count(&Arrangement::new(&Mat::from_rows(&rows)), &options(max_cells, stop));
    let half = |v: &UBig| v / UBig::from(2u8);
    // an odd number of cells seen is one antipode short of a pair: its region has been seen
    counted(&((&found.lower + UBig::ONE) / UBig::from(2u8)), &half(&found.upper))
}

/// `2P - 1`, P being the number of ways in which a unit with bias can be active on the rows of `x`: no more rays are
/// needed for a network of one output that training with weight decay and noise ends in.
///
/// # Source
/// Liang, Jacobs and Montufar (2026), as stated in the project's notes; the count of P is exact.
pub fn ray_bound(x: &Mat, max_cells: u64, stop: &(dyn Fn() -> bool + Sync)) -> Counted {
    let d = x.cols();
    if x.rows() * (d + 1) > LARGE || d > DEEP {
        return counted(&UBig::ONE, &(cover(x.rows(), d + 1) * UBig::from(2u8) - UBig::ONE));
    }
    let with_bias = Mat::from_fn(x.rows(), d + 1, |i, k| if k == d { 1.0 } else { x[(i, k)] });
    let found = count(&Arrangement::new(&with_bias), &options(max_cells, stop));
    let bound = |v: &UBig| v * UBig::from(2u8) - UBig::ONE;
    counted(&bound(&found.lower), &bound(&found.upper))
}

fn options(max_cells: u64, stop: &(dyn Fn() -> bool + Sync)) -> Options<'_> {
    Options { max_cells: Some(max_cells), stop, ..Options::all() }
}

fn counted(lower: &UBig, upper: &UBig) -> Counted {
    let known = (lower == upper).then(|| u64::try_from(lower).ok()).flatten();
    Counted { count: known.filter(|v| *v < 1 << 53), lower: lower.to_string(), upper: upper.to_string() }
}
