//! The arrangement in as many coordinates as its rank, and the generic flag that the enumeration follows.

use std::sync::{Arc, OnceLock};

use dashu_int::IBig;
use dashu_int::ops::{Gcd, UnsignedAbs};

use super::arrangement::{Arrangement, Role, gcd_of};
use super::basis::bits;
use crate::num::noise::philox;

/// Philox key of the flags, beside the seed.
const FLAG_STREAM: u32 = 0x666c_6167;

/// Binary digits of rows that may keep the whole search within integers of 53 digits.
const SHORT: usize = 20;

/// Rows of full rank in the smallest integers, and flags.
///
/// The columns of a minor of full rank suffice: leaving out the others is one-to-one on the span of the rows. Factors
/// common to a column or a row are divided out, which changes no sign and keeps later minors short.
///
/// A flag is a row drawn at random. The enumeration asks for signs of minors that involve flags, and none of them may be
/// 0. Each flag is `f 2^K + g` with f of moderate and g of large random entries, where `2^K` exceeds every sum of the
/// minors below it: such a minor has the sign of the one with f alone unless that is 0. So arithmetic runs on f (level
/// 0), and only an exact 0 sends a question to the whole flag (level 1). No redrawing: an answer never changes.
#[derive(Clone, Debug)]
pub(super) struct Space {
    /// Rank of the arrangement.
    pub(super) rank: usize,
    /// rank - 1 flags at level 0.
    pub(super) flags: Vec<Vec<IBig>>,
    /// The same flags at level 1, made when a question needs them.
    fine_flags: OnceLock<Vec<Vec<IBig>>>,
    /// Whether every row of the data is a class of its own.
    pub(super) plain: bool,
    reduced: Arc<Reduced>,
    flag: Flag,
}

/// The rows of an arrangement in the columns of a minor of full rank, in the smallest integers.
#[derive(Debug)]
pub(super) struct Reduced {
    /// n rows of `rank` entries.
    rows: Vec<Vec<IBig>>,
    /// What each column was divided by.
    divisors: Vec<IBig>,
    /// Length of the longest entry of each column.
    heights: Vec<usize>,
}

impl Reduced {
    /// O(n r) divisions.
    pub(super) fn new(a: &Arrangement) -> Self {
        let columns = a.columns();
        let mut rows: Vec<Vec<IBig>> =
            (0..a.classes()).map(|i| columns.iter().map(|&c| a.row(i)[c].clone()).collect()).collect();
        let divisors: Vec<IBig> = (0..columns.len()).map(|c| gcd_of(rows.iter().map(|r| &r[c]))).collect();
        for row in &mut rows {
            for (v, g) in row.iter_mut().zip(&divisors) {
                *v = &*v / g;
            }
            let g = gcd_of(row.iter());
            for v in row.iter_mut() {
                *v = &*v / &g;
            }
        }
        let heights = (0..columns.len()).map(|c| rows.iter().map(|r| bits(&r[c])).max().unwrap_or(0)).collect();
        Self { rows, divisors, heights }
    }
}

impl Space {
    /// The flags are a function of the seed.
    pub(super) fn new(a: &Arrangement, seed: u64) -> Self {
        Self::with_flags(a, seed, None)
    }

    /// With flags of so many binary digits at level 0; `None` for what suits the rows.
    pub(super) fn with_flags(a: &Arrangement, seed: u64, flag_bits: Option<usize>) -> Self {
        let reduced = Arc::clone(a.reduced());
        let rank = reduced.heights.len();
        let longest = reduced.heights.iter().max().copied().unwrap_or(0);
        // Short rows: short flags, so that products of minors stay below 2^53 for longer. Else flags as long as the rows
        // in each column, so that doubles hold both.
        let heights = if longest <= SHORT { vec![0; rank] } else { reduced.heights.clone() };
        let bits = flag_bits.unwrap_or(if longest <= SHORT { 18 } else { 40 });
        let flag = Flag { heights, bits, longest, seed };
        let plain =
            a.classes() == a.n() && a.roles().iter().all(|r| matches!(r, Role::Multiple { negative: false, .. }));
        Self { rank, flags: flag.coarse(), fine_flags: OnceLock::new(), plain, reduced, flag }
    }

    /// n rows of `rank` entries.
    pub(super) fn rows(&self) -> &[Vec<IBig>] {
        &self.reduced.rows
    }

    /// Binary digits of the longest entry.
    pub(super) fn longest(&self) -> usize {
        self.flag.longest
    }

    /// Number of classes.
    pub(super) fn n(&self) -> usize {
        self.rows().len()
    }

    /// Words of a packed pattern.
    pub(super) fn words(&self) -> usize {
        self.n().div_ceil(64)
    }

    /// Row i of the arrangement, or flag i - n.
    pub(super) fn row(&self, i: usize, fine: bool) -> &[IBig] {
        let n = self.n();
        if i < n {
            &self.rows()[i]
        } else if fine {
            &self.fine_flags.get_or_init(|| self.flag.fine(&self.flags))[i - n]
        } else {
            &self.flags[i - n]
        }
    }

    /// The primitive integer point in the D coordinates of the data on the ray of a point in the reduced ones.
    pub(super) fn lift(&self, a: &Arrangement, point: &[IBig]) -> Vec<IBig> {
        let mut common = IBig::ONE;
        for g in &self.reduced.divisors {
            let shared: IBig = (&common).gcd(g).into();
            common = &common / shared * g;
        }
        let mut out = vec![IBig::ZERO; a.dim()];
        for ((&c, g), v) in a.columns().iter().zip(&self.reduced.divisors).zip(point) {
            out[c] = v * (&common / g);
        }
        let divisor = gcd_of(out.iter());
        if !divisor.is_zero() {
            for v in &mut out {
                *v = &*v / &divisor;
            }
        }
        out
    }
}

/// What the flags are drawn from.
#[derive(Clone, Debug)]
struct Flag {
    /// Digits by which the columns differ.
    heights: Vec<usize>,
    /// Digits of a random entry at level 0.
    bits: usize,
    /// Digits of the longest entry of a row.
    longest: usize,
    seed: u64,
}

impl Flag {
    /// Digits of a random entry of g.
    const FINE: usize = 128;

    /// f: the flags at level 0.
    fn coarse(&self) -> Vec<Vec<IBig>> {
        let least = self.heights.iter().min().copied().unwrap_or(0);
        let mut flags = self.drawn(0, self.bits);
        for flag in &mut flags {
            for (v, h) in flag.iter_mut().zip(&self.heights) {
                *v <<= h - least;
            }
        }
        flags
    }

    /// `f 2^K + g`.
    fn fine(&self, coarse: &[Vec<IBig>]) -> Vec<Vec<IBig>> {
        let rank = self.heights.len();
        // A minor of order r has r! products of r entries; there are 2^r ways to choose which flags give their g.
        let order = usize::BITS as usize - rank.leading_zeros() as usize;
        let least = self.heights.iter().min().copied().unwrap_or(0);
        let tallest = self.heights.iter().map(|h| h - least).max().unwrap_or(0);
        let shift = rank * (self.longest.max(tallest + self.bits).max(Self::FINE) + order + 2) + 1;
        let fine = self.drawn(1, Self::FINE);
        coarse.iter().zip(&fine).map(|(f, g)| f.iter().zip(g).map(|(f, g)| (f << shift) + g).collect()).collect()
    }

    fn drawn(&self, part: u32, keep: usize) -> Vec<Vec<IBig>> {
        let random = |k: usize, c: usize| {
            let word = |block: u32| {
                let key = [self.seed as u32 ^ FLAG_STREAM, (self.seed >> 32) as u32];
                let [a, b, c, d] = philox([k as u32, c as u32, part, block], key);
                u128::from(a) | u128::from(b) << 32 | u128::from(c) << 64 | u128::from(d) << 96
            };
            let size = IBig::from(word(0) >> (128 - keep));
            if word(1) & 1 == 1 { -size } else { size }
        };
        let rank = self.heights.len();
        (1..rank).map(|k| (0..rank).map(|c| random(k, c)).collect()).collect()
    }
}

/// A sign that is not 0 for a generic flag. Panics on 0, which for flags of 128 random digits has odds below 2^-100.
pub(super) fn generic(sign: i8) -> i8 {
    assert!(sign != 0, "a minor vanishes for the random flag: an error in this program");
    sign
}

/// Magnitude as an `IBig`.
pub(super) fn magnitude(v: &IBig) -> IBig {
    v.unsigned_abs().into()
}
