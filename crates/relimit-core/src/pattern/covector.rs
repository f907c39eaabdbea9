//! Sign vectors with three values, packed: which rows are not 0, and which of those are positive.
//!
//! ```text
//! s_i = sign(x_i . u) in {-, 0, +},   two bits a row: support (s_i != 0), positive (s_i > 0)
//! ```

use std::cmp::Ordering;
use std::fmt;

/// The signs of n rows at one point: a pattern when none of them is 0 by choice of the point.
///
/// Ordered as support, then positive bits, so that equal vectors are neighbours after sorting.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Covector {
    n: usize,
    support: Vec<u64>,
    positive: Vec<u64>,
}

impl Covector {
    /// The all-zero vector of n signs.
    pub fn zero(n: usize) -> Self {
        let words = n.div_ceil(64);
        Self { n, support: vec![0; words], positive: vec![0; words] }
    }

    /// n signs, each compared with 0: `Greater` is positive.
    pub fn from_signs(signs: impl IntoIterator<Item = Ordering>) -> Self {
        let signs: Vec<Ordering> = signs.into_iter().collect();
        let mut out = Self::zero(signs.len());
        for (i, s) in signs.into_iter().enumerate() {
            out.set(i, s);
        }
        out
    }

    /// Reads `+`, `-` and `0`; `None` for any other character.
    pub fn parse(text: &str) -> Option<Self> {
        let sign = |c| match c {
            '+' => Some(Ordering::Greater),
            '-' => Some(Ordering::Less),
            '0' => Some(Ordering::Equal),
            _ => None,
        };
        text.chars().map(sign).collect::<Option<Vec<_>>>().map(Self::from_signs)
    }

    /// From bit planes, bit i % 64 of word i / 64 for row i. Panics unless both have ceil(n / 64) words, no bit beyond
    /// row n - 1 is set, and positive rows are in the support.
    pub fn from_planes(n: usize, support: &[u64], positive: &[u64]) -> Self {
        let words = n.div_ceil(64);
        assert_eq!((support.len(), positive.len()), (words, words), "planes of {n} signs have {words} words");
        assert!(n.is_multiple_of(64) || support[words - 1] >> (n % 64) == 0, "a bit beyond the {n} signs is set");
        assert!(support.iter().zip(positive).all(|(s, p)| p & !s == 0), "a positive sign outside the support");
        Self { n, support: support.to_vec(), positive: positive.to_vec() }
    }

    /// Number of signs.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Sign of row i. Panics when there is none.
    pub fn get(&self, i: usize) -> Ordering {
        assert!(i < self.n, "sign {i} of {}", self.n);
        let bit = |plane: &[u64]| plane[i / 64] >> (i % 64) & 1 == 1;
        match (bit(&self.support), bit(&self.positive)) {
            (false, _) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (true, true) => Ordering::Greater,
        }
    }

    /// Sets the sign of row i. Panics when there is none.
    pub fn set(&mut self, i: usize, sign: Ordering) {
        assert!(i < self.n, "sign {i} of {}", self.n);
        let (word, bit) = (i / 64, 1 << (i % 64));
        self.support[word] &= !bit;
        self.positive[word] &= !bit;
        if sign != Ordering::Equal {
            self.support[word] |= bit;
        }
        if sign == Ordering::Greater {
            self.positive[word] |= bit;
        }
    }

    /// All signs in order.
    pub fn signs(&self) -> impl Iterator<Item = Ordering> + '_ {
        (0..self.n).map(|i| self.get(i))
    }

    /// The plane of nonzero signs, ceil(n / 64) words.
    pub fn support(&self) -> &[u64] {
        &self.support
    }

    /// The plane of positive signs, ceil(n / 64) words.
    pub fn positive(&self) -> &[u64] {
        &self.positive
    }

    /// Number of signs that are 0.
    pub fn zeros(&self) -> usize {
        self.n - self.support.iter().map(|w| w.count_ones() as usize).sum::<usize>()
    }

    /// The opposite vector.
    pub fn negated(&self) -> Self {
        let positive = self.support.iter().zip(&self.positive).map(|(s, p)| s & !p).collect();
        Self { n: self.n, support: self.support.clone(), positive }
    }

    /// Whether no row has opposite signs in the two: then both lie in one closed cell. Panics on different lengths.
    pub fn conforms(&self, other: &Self) -> bool {
        self.check_length(other);
        (0..self.support.len()).all(|w| {
            let both = self.support[w] & other.support[w];
            (self.positive[w] ^ other.positive[w]) & both == 0
        })
    }

    /// The signs of a step from a point of `self` towards a point of `other`, short enough to change no sign: those of
    /// `self`, and of `other` where `self` is 0. Panics on different lengths.
    pub fn compose(&self, other: &Self) -> Self {
        self.check_length(other);
        let fill = |a: &[u64], b: &[u64]| (0..a.len()).map(|w| a[w] | (b[w] & !self.support[w])).collect();
        Self {
            n: self.n,
            support: fill(&self.support, &other.support),
            positive: fill(&self.positive, &other.positive),
        }
    }

    fn check_length(&self, other: &Self) {
        assert_eq!(self.n, other.n, "sign vectors of {} and {} rows", self.n, other.n);
    }
}

impl fmt::Display for Covector {
    /// One of `+`, `-`, `0` a row.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.signs().try_for_each(|s| {
            f.write_str(match s {
                Ordering::Less => "-",
                Ordering::Equal => "0",
                Ordering::Greater => "+",
            })
        })
    }
}

/// Whether p is a degeneration of q: every nonzero sign of p is that of q, so that p is q or arises from it by moving
/// onto some of the hyperplanes. For covectors of one arrangement this is "the cone of p is a face of the closed cone of
/// q". Panics on different lengths.
pub fn is_degeneration(p: &Covector, q: &Covector) -> bool {
    p.conforms(q) && p.support.iter().zip(&q.support).all(|(a, b)| a & !b == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Covector {
        Covector::parse(text).unwrap()
    }

    #[test]
    fn planes_hold_the_signs() {
        let text: String = (0..131).map(|i| ['+', '-', '0'][i * i % 3 + i % 2 * usize::from(i % 3 == 0)]).collect();
        let s = read(&text);
        assert_eq!(s.to_string(), text);
        assert_eq!(s.zeros(), text.matches('0').count());
        assert_eq!(s.negated().to_string(), text.replace('+', "x").replace('-', "+").replace('x', "-"));
        assert_eq!(Covector::from_planes(131, s.support(), s.positive()), s);
        assert_eq!(Covector::parse("+?"), None);
        assert_eq!(read("").zeros(), 0);
    }

    #[test]
    fn degeneration_is_the_order_of_faces() {
        for (p, q, expected) in [
            ("+0-", "++-", true),
            ("++-", "++-", true),
            ("000", "++-", true),
            ("+0+", "++-", false),
            ("++-", "+0-", false),
        ] {
            assert_eq!(is_degeneration(&read(p), &read(q)), expected, "{p} {q}");
        }
        assert_eq!(read("+00").compose(&read("-+0")), read("++0"));
        assert!(read("+0").conforms(&read("0-")) && !read("+0").conforms(&read("--")));
    }
}
