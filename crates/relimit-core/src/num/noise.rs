//! Reproducible noise: Philox-4x32-10, addressed by (seed, purpose) and (step, index), never by order of use.
//!
//! Any number can be asked for alone, in any order and on any number of threads. Only IEEE operations and `libm`
//! enter, so the bits are the same on every machine.
//!
//! Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.

use super::quantile::normal_quantile;

/// What a number is for; equal seeds give independent streams for different purposes. Values never change meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Purpose {
    /// Features of generated data.
    Features = 1,
    /// Labels of generated data.
    Labels = 2,
    /// Starting weights of a run.
    Start = 3,
    /// Weights of a teacher network.
    Teacher = 4,
    /// Noise of stochastic dynamics.
    Noise = 5,
    /// Choice of mini-batches.
    Batch = 6,
    /// Directions and points that probe a function or an arrangement.
    Probe = 7,
    /// Choices of a search (restarts, branching, tie-breaking).
    Search = 8,
    /// Orders and subsets of examples.
    Shuffle = 9,
    /// Random problems in tests and benchmarks.
    Test = 10,
}

/// Multipliers of a round of Philox.
pub(crate) const MULTIPLIER: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

/// The keys of the ten rounds.
#[inline]
pub(crate) fn schedule(key: [u32; 2]) -> [[u32; 2]; 10] {
    std::array::from_fn(|round| std::array::from_fn(|k| key[k].wrapping_add(WEYL[k].wrapping_mul(round as u32))))
}

/// One block of Philox-4x32-10: four 32-bit words from a 128-bit counter and a 64-bit key.
#[inline]
pub fn philox(mut counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    for key in schedule(key) {
        let a = u64::from(MULTIPLIER[0]) * u64::from(counter[0]);
        let b = u64::from(MULTIPLIER[1]) * u64::from(counter[2]);
        counter = [(b >> 32) as u32 ^ counter[1] ^ key[0], b as u32, (a >> 32) as u32 ^ counter[3] ^ key[1], a as u32];
    }
    counter
}

/// The noise of one (seed, purpose): its key, computed once.
///
/// The 64-bit key is the first half of the Philox block with counter (seed, purpose) and key 0, so every bit of the
/// seed counts and no two small seeds share a stream. Counter layout: (step low, step high, block, lane); the numbers
/// of one (step, lane) are 0, 1, 2, ... with two 64-bit words a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    key: [u32; 2],
}

impl Stream {
    /// The stream of a seed and a purpose.
    pub fn new(seed: u64, purpose: Purpose) -> Self {
        let b = philox([seed as u32, (seed >> 32) as u32, purpose as u32, 0], [0, 0]);
        Self { key: [b[0], b[1]] }
    }

    /// The Philox key, for kernels that form their counters themselves.
    pub fn key(&self) -> [u32; 2] {
        self.key
    }

    /// Two 64-bit words of a block: words 2 block and 2 block + 1 of (step, lane).
    #[inline]
    pub fn block(&self, step: u64, lane: u32, block: u32) -> [u64; 2] {
        let w = philox([step as u32, (step >> 32) as u32, block, lane], self.key);
        [u64::from(w[1]) << 32 | u64::from(w[0]), u64::from(w[3]) << 32 | u64::from(w[2])]
    }

    /// The 64-bit word `index` of `step`; the lane is the part of `index / 2` above 32 bits.
    #[inline]
    pub fn word(&self, step: u64, index: u64) -> u64 {
        let pair = index >> 1;
        self.block(step, (pair >> 32) as u32, pair as u32)[(index & 1) as usize]
    }

    /// Uniform in (0, 1), see [`unit()`].
    #[inline]
    pub fn uniform(&self, step: u64, index: u64) -> f64 {
        unit(self.word(step, index))
    }

    /// Standard normal by the inverse distribution function of [`Stream::uniform`].
    #[inline]
    pub fn normal(&self, step: u64, index: u64) -> f64 {
        normal_quantile(self.uniform(step, index))
    }

    /// -1 or +1 with equal chance: the top bit of the word (the sign of the normal with the same address).
    #[inline]
    pub fn sign(&self, step: u64, index: u64) -> f64 {
        if self.word(step, index) >> 63 == 1 { 1.0 } else { -1.0 }
    }

    /// Uniform in 0..bound by multiplication (bias below bound / 2^64); panics for bound 0.
    #[inline]
    pub fn below(&self, bound: usize, step: u64, index: u64) -> usize {
        assert!(bound > 0, "a choice among 0");
        ((u128::from(self.word(step, index)) * bound as u128) >> 64) as usize
    }

    /// Fills `out` with the normals 0, 1, 2, ... of `step`; equal to one call of [`Stream::normal`] each.
    pub fn fill_normal(&self, step: u64, out: &mut [f64]) {
        for (pair, chunk) in out.chunks_mut(2).enumerate() {
            let words = self.block(step, (pair as u64 >> 32) as u32, pair as u32);
            for (v, w) in chunk.iter_mut().zip(words) {
                *v = normal_quantile(unit(w));
            }
        }
    }

    /// A random order of 0..n (Fisher-Yates on the words of `step`).
    pub fn permutation(&self, n: usize, step: u64) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i + 1, step, i as u64));
        }
        order
    }
}

/// Uniform in the open interval (0, 1) from a 64-bit word: `(k + 1/2) / 2^52` with the top 52 bits k, exact.
///
/// The complement of a word gives exactly 1 minus the number.
#[inline]
pub fn unit(word: u64) -> f64 {
    ((word >> 12) as f64 + 0.5) * (1.0 / (1u64 << 52) as f64)
}

/// Standard normal number `index` of `step` for a seed and a purpose. For many of one stream use [`Stream`].
pub fn normal(seed: u64, purpose: Purpose, step: u64, index: u64) -> f64 {
    Stream::new(seed, purpose).normal(step, index)
}

/// Uniform number in (0, 1), `index` of `step`, for a seed and a purpose.
pub fn uniform(seed: u64, purpose: Purpose, step: u64, index: u64) -> f64 {
    Stream::new(seed, purpose).uniform(step, index)
}

/// -1 or +1, `index` of `step`, for a seed and a purpose.
pub fn sign(seed: u64, purpose: Purpose, step: u64, index: u64) -> f64 {
    Stream::new(seed, purpose).sign(step, index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random123_vectors() {
        assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(philox([u32::MAX; 4], [u32::MAX; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        assert_eq!(
            philox([0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344], [0xa409_3822, 0x299f_31d0]),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
    }

    #[test]
    fn unit_is_open_and_symmetric() {
        assert_eq!(unit(0), 0.5f64.powi(53));
        assert_eq!(unit(u64::MAX), 1.0 - 0.5f64.powi(53));
        for i in 0..1000 {
            let w = Stream::new(3, Purpose::Test).word(0, i);
            assert_eq!(unit(!w), 1.0 - unit(w));
        }
    }

    #[test]
    fn address_decides_not_order() {
        let s = Stream::new(7, Purpose::Start);
        let mut out = [0.0; 9];
        s.fill_normal(5, &mut out);
        for i in (0..9).rev() {
            assert_eq!(out[i].to_bits(), normal(7, Purpose::Start, 5, i as u64).to_bits());
            assert_eq!(s.sign(5, i as u64), out[i].signum());
        }
        assert_ne!(out[0], normal(7, Purpose::Labels, 5, 0));
        assert_ne!(out[0], normal(7 + (1 << 32), Purpose::Start, 5, 0));
        assert_ne!(out[0], normal(7, Purpose::Start, 5 + (1 << 32), 0));
        assert_eq!(s.word(1, 9), s.block(1, 0, 4)[1]);
        assert_eq!(s.word(1, (3 << 33) | 8), s.block(1, 3, 4)[0]);
    }

    /// Sample moments against their exact sampling errors (five standard deviations).
    #[test]
    fn moments_of_normal_and_uniform() {
        let n = 200_000;
        let s = Stream::new(1, Purpose::Test);
        let mut z = vec![0.0; n];
        s.fill_normal(0, &mut z);
        let mean = |p: i32| z.iter().map(|v| v.powi(p)).sum::<f64>() / n as f64;
        // var(z^p) = E z^2p - (E z^p)^2 with E z^2, z^4, z^6, z^8 = 1, 3, 15, 105
        for (p, exact, variance) in [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)] {
            assert!((mean(p) - exact).abs() < 5.0 * (variance / n as f64).sqrt(), "moment {p}: {}", mean(p));
        }
        let lag: f64 = z.windows(2).map(|w| w[0] * w[1]).sum::<f64>() / n as f64;
        assert!(lag.abs() < 5.0 / (n as f64).sqrt());
        let u: f64 = (0..n as u64).map(|i| s.uniform(1, i)).sum::<f64>() / n as f64;
        assert!((u - 0.5).abs() < 5.0 / (12.0 * n as f64).sqrt());
        let plus = (0..n as u64).filter(|&i| s.sign(2, i) > 0.0).count() as f64 / n as f64;
        assert!((plus - 0.5).abs() < 2.5 / (n as f64).sqrt());
    }

    #[test]
    fn permutations_are_permutations() {
        let s = Stream::new(1, Purpose::Shuffle);
        let mut first = [0usize; 5];
        for k in 0..5000 {
            let mut p = s.permutation(5, k);
            first[p[0]] += 1;
            p.sort_unstable();
            assert_eq!(p, [0, 1, 2, 3, 4]);
        }
        assert!(first.iter().all(|&c| (c as f64 - 1000.0).abs() < 5.0 * 800f64.sqrt()), "{first:?}");
    }
}
