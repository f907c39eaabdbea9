//! The noise itself: draws read off single steps from 0, where nothing else moves; and the first of them made again.

use relimit_core::langevin::{Options, Particles, Plan, Precision, Unobserved, run};
use relimit_core::num::Mat;
use relimit_core::num::noise::{Purpose, Stream};

/// Noise of one neuron at a step: c, two weights and a bias. With eta = 1 and beta = 2 its scale sqrt(2 eta / beta) is 1,
/// and at theta = 0, with labels 0, there is no drift.
const NUMBERS: usize = 4;

fn plan(width: usize, seed: u64, precision: Precision) -> Plan {
    let o = Options::new(Mat::zeros(1, 2), Mat::zeros(1, 1), 0.5, 2.0, 1.0);
    Plan::new(Options { width, seed, precision, ..o }).expect("a plan")
}

/// The draws of a step, neuron after neuron.
fn draws(plan: &Plan, step: u64) -> Vec<f64> {
    let width = plan.options().width;
    let mut particles = Particles::from_values(plan, vec![0.0; NUMBERS * width], &[0.0]);
    run(plan, &mut particles, step..step + 1, 1, &mut Unobserved, &|| false);
    particles.values().collect()
}

/// Sums whose means and variances are known for independent standard normals.
#[derive(Default)]
struct Sums {
    count: f64,
    /// Of z, z^2 - 1, z^3, z^4 - 3.
    powers: [f64; 4],
    /// Numbers beyond 2, 3, 4, 5 in size.
    beyond: [f64; 4],
    /// Products of pairs: number of pairs and sum, by name.
    products: Vec<(String, f64, f64)>,
}

impl Sums {
    fn add(&mut self, z: &[f64]) {
        self.count += z.len() as f64;
        for v in z {
            let square = v * v;
            self.powers[0] += v;
            self.powers[1] += square - 1.0;
            self.powers[2] += v * square;
            self.powers[3] += square * square - 3.0;
            if square > 4.0 {
                let size = v.abs();
                for (beyond, edge) in self.beyond.iter_mut().zip([2.0, 3.0, 4.0, 5.0]) {
                    *beyond += f64::from(u8::from(size > edge));
                }
            }
        }
    }

    /// Pairs of z with itself `lag` numbers on, or with `other` in the same places.
    fn pair(&mut self, name: &str, a: impl Iterator<Item = f64>, b: impl Iterator<Item = f64>) {
        let (mut count, mut sum) = (0.0, 0.0);
        for (a, b) in a.zip(b) {
            count += 1.0;
            sum += a * b;
        }
        match self.products.iter_mut().find(|p| p.0 == name) {
            Some(p) => (p.1, p.2) = (p.1 + count, p.2 + sum),
            None => self.products.push((name.into(), count, sum)),
        }
    }

    /// Every figure within five standard deviations of its sampling error.
    fn check(&self, what: &str) {
        let within = |name: &str, sum: f64, count: f64, variance: f64| {
            let sigmas = sum / (count * variance).sqrt();
            assert!(sigmas.abs() < 5.0, "{what}, {name}: {sigmas} standard deviations");
        };
        // var z^p = E z^2p - (E z^p)^2
        for (name, sum, variance) in [
            ("mean", self.powers[0], 1.0),
            ("variance", self.powers[1], 2.0),
            ("skewness", self.powers[2], 15.0),
            ("kurtosis", self.powers[3], 96.0),
        ] {
            within(name, sum, self.count, variance);
        }
        for (beyond, edge) in self.beyond.iter().zip([2.0, 3.0, 4.0, 5.0]) {
            let chance = libm::erfc(edge / std::f64::consts::SQRT_2);
            let expected = self.count * chance;
            within(&format!("beyond {edge}"), beyond - expected, self.count, chance * (1.0 - chance));
            // The count itself, as a Poisson number, where the normal approximation is poor.
            assert!(expected < 1.0 || *beyond > 0.0, "{what}: none beyond {edge}, {expected} expected");
        }
        for (name, count, sum) in &self.products {
            within(name, *sum, *count, 1.0);
        }
    }
}

/// Ten million draws, a thousand million under RELIMIT_SOAK: moments, tails to 5, and correlations over steps, neurons,
/// parameters and seeds.
#[test]
fn the_noise_is_standard_normal_and_uncorrelated() {
    let width = 1 << 16;
    let steps = if std::env::var_os("RELIMIT_SOAK").is_some() { 1900 } else { 20 };
    for precision in [Precision::F32, Precision::F64] {
        let (plan, other) = (plan(width, 11, precision), plan(width, 12, precision));
        let mut sums = Sums::default();
        let mut before = draws(&plan, 0);
        // Steps on both sides of 2^32, where the counter carries.
        for step in (1..=steps / 2).chain((1 << 32) - steps / 4..(1 << 32) + steps / 4) {
            let z = draws(&plan, step);
            sums.add(&z);
            sums.pair("steps", before.iter().copied(), z.iter().copied());
            if step % 5 == 0 {
                sums.pair("seeds", draws(&other, step).into_iter(), z.iter().copied());
            }
            for lag in [1, 2, 4, 7, 8, 16, 24, 31, 32, 64, 4096] {
                let ahead = z[NUMBERS * lag..].iter().copied();
                sums.pair(&format!("neurons {lag} apart"), z.iter().copied(), ahead);
            }
            let parameter = |p: usize| z.iter().copied().skip(p).step_by(NUMBERS);
            for p in 0..NUMBERS {
                for q in 0..p {
                    sums.pair(&format!("parameters {p} and {q}"), parameter(p), parameter(q));
                    let squares = |p: usize| parameter(p).map(|v| (v * v - 1.0) / std::f64::consts::SQRT_2);
                    sums.pair(&format!("squares of parameters {p} and {q}"), squares(p), squares(q));
                }
            }
            before = z;
        }
        assert!(sums.count >= 5.2e6, "{} draws", sums.count);
        sums.check(&format!("{precision:?}"));
    }
}

/// Philox-4x32-10 from its definition.
fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let (mut c, mut k) = (counter, key);
    for _ in 0..10 {
        let (p, q) = (0xD251_1F53_u64 * u64::from(c[0]), 0xCD9E_8D57_u64 * u64::from(c[2]));
        let (high, low) = ([(p >> 32) as u32, (q >> 32) as u32], [p as u32, q as u32]);
        c = [high[1] ^ c[1] ^ k[0], low[1], high[0] ^ c[3] ^ k[1], low[0]];
        k = [k[0].wrapping_add(0x9E37_79B9), k[1].wrapping_add(0xBB67_AE85)];
    }
    c
}

/// Box and Muller by the standard library: `uniform` in (0, 1) gives the length, `turn` in quarters of pi the angle; the
/// last bits of the angle's word choose the sign of the cosine and whether cosine or sine comes first.
fn pair(uniform: f64, turn: f64, bits: u64) -> [f64; 2] {
    let length = (-2.0 * uniform.ln()).sqrt();
    let (sin, cos) = (turn * std::f64::consts::FRAC_PI_4).sin_cos();
    let cos = if bits & 1 == 1 { -cos } else { cos };
    if bits & 2 == 2 { [length * sin, length * cos] } else { [length * cos, length * sin] }
}

/// The noise of one parameter of a block of 32 neurons. f32: 8 counters of two pairs, for neurons l, l + 8 and l + 16,
/// l + 24; f64: 16 counters of one pair, for neurons l and l + 16.
fn block(precision: Precision, key: [u32; 2], step: u64, block: u32, p: u32) -> [f64; 32] {
    let mut out = [0.0; 32];
    let words = |lane: u32| philox([step as u32, (step >> 32) as u32, lane, p], key);
    if precision == Precision::F32 {
        for l in 0..8 {
            let w = words(8 * block + l as u32);
            for half in 0..2 {
                let (first, second) = (w[2 * half], w[2 * half + 1]);
                let uniform = (f64::from(first >> 1) + 0.5) / 2f64.powi(31);
                let turn = f64::from(second.cast_signed()) / 2f64.powi(31);
                [out[l + 16 * half], out[l + 16 * half + 8]] = pair(uniform, turn, u64::from(second));
            }
        }
    } else {
        for l in 0..16 {
            let w = words(16 * block + l as u32).map(u64::from);
            let (first, second) = (w[0] << 32 | w[1], w[2] << 32 | w[3]);
            let uniform = ((first >> 12) as f64 + 0.5) / 2f64.powi(52);
            let turn = (second >> 12) as f64 / 2f64.powi(51) - 1.0;
            [out[l], out[l + 16]] = pair(uniform, turn, second);
        }
    }
    out
}

#[test]
fn the_first_draws_are_those_of_an_independent_transform() {
    // The known answers of Random123 for this generator.
    assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
    assert_eq!(philox([u32::MAX; 4], [u32::MAX; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
    for (precision, most) in [(Precision::F32, 1e-6), (Precision::F64, 1e-14)] {
        let (width, seed) = (1000, 9);
        let plan = plan(width, seed, precision);
        // The key is half a block: counter (seed, purpose), key 0.
        let key = philox([seed as u32, 0, Purpose::Noise as u32, 0], [0; 2]);
        assert_eq!(Stream::new(seed, Purpose::Noise).key(), [key[0], key[1]]);
        for step in [0, 1, 7, (1 << 32) + 3] {
            let z = draws(&plan, step);
            for (neuron, theta) in z.chunks(NUMBERS).enumerate() {
                for (p, found) in theta.iter().enumerate() {
                    let made = block(precision, [key[0], key[1]], step, neuron as u32 / 32, p as u32)[neuron % 32];
                    let apart = (found - made).abs();
                    assert!(
                        apart < most * made.abs().max(1.0),
                        "{precision:?} {step} {neuron} {p}: {found} for {made}"
                    );
                }
            }
        }
    }
}
