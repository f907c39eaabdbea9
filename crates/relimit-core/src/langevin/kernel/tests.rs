//! The fused kernel: the same bits from every instruction set and whether or not the activity is kept, and the numbers of the
//! plain kernel.

#![allow(unsafe_code, reason = "the vector code is called once the processor is known to have it")]

use super::*;
use crate::num::noise::{Purpose, Stream};

type Kernel<E> = fn(&Sweep<'_, E>, usize, &mut [Row<E>], &mut [<E as Real>::Active], &mut [E]);

const SHAPES: [(usize, usize, usize); 20] = {
    let (d, n) = ([1, 2, 3, 8, 17], [1, 7, 20, 200]);
    let mut all = [(0, 0, 0); 20];
    let mut at = 0;
    while at < 20 {
        // Blocks that are full, with one neuron, and with some.
        all[at] = (d[at / 4], n[at % 4], [45, 64, 33, 100, 1][at % 5]);
        at += 1;
    }
    all
};
/// Blocks before the first of a case.
const FIRST: usize = 5;

/// Neurons in mid-run, on two sets of examples that share some.
struct Case<E> {
    d: usize,
    n: usize,
    width: usize,
    sets: [Rows<E>; 2],
    updates: [Update<E>; 2],
    theta: Vec<Row<E>>,
}

impl<E: Real> Case<E> {
    fn new((d, n, width): (usize, usize, usize)) -> Self {
        let stream = Stream::new((1000 * d + n) as u64, Purpose::Test);
        let numbers =
            |of: u64, count: usize| (0..count as u64).map(|i| E::of(stream.normal(of, i))).collect::<Vec<E>>();
        let x = numbers(0, (n + 3) * d);
        let sets = [0, 3].map(|from| {
            let mut rows = Rows::default();
            rows.gather(&x, d, &(from..from + n).collect::<Vec<_>>());
            rows
        });
        let moving = Rule { keep: E::of(0.99), eta: E::of(0.05), sigma: E::of(0.3) };
        let fixed = Rule { keep: E::of(1.0), eta: E::of(0.0), sigma: E::of(0.0) };
        let updates = [1, 2].map(|step| Update {
            r: numbers(step, n),
            c: if n == 7 { fixed } else { moving },
            w: moving,
            b: if d == 3 { fixed } else { moving },
            keys: Keys::new([d as u32, 7]),
            step,
        });
        let values = numbers(3, width * (d + 2));
        let mut theta = vec![Row([E::default(); BLOCK]); width.div_ceil(BLOCK) * (d + 2)];
        for (at, v) in values.into_iter().enumerate() {
            let (j, p) = (at / (d + 2), at % (d + 2));
            theta[j / BLOCK * (d + 2) + p].0[j % BLOCK] = v;
        }
        Self { d, n, width, sets, updates, theta }
    }

    /// A forward pass and two updates from one set of examples to the other: the outputs of all, and the state.
    fn go(&self, kernel: Kernel<E>, kept: bool) -> (Vec<f64>, Vec<f64>) {
        let mut theta = self.theta.clone();
        let blocks = theta.len() / (self.d + 2);
        let mut active = vec![E::Active::default(); self.n * if kept { blocks } else { 1 }];
        let mut outputs = vec![];
        for round in 0..3 {
            let work = Sweep {
                inputs: self.d,
                outputs: 1,
                width: FIRST * BLOCK + self.width,
                activation: Activation::Relu,
                before: &self.sets[(round + 1) % 2],
                update: round.checked_sub(1).map(|step| &self.updates[step]),
                after: &self.sets[round % 2],
                count: self.n,
                kept,
            };
            let mut out = vec![E::default(); self.n * E::LANES];
            kernel(&work, FIRST, &mut theta, &mut active, &mut out);
            outputs.extend(out.into_iter().map(E::wide));
        }
        let left = theta.chunks(self.d + 2).next_back().expect("a block").iter();
        let used = self.width - (blocks - 1) * BLOCK;
        assert!(left.flat_map(|row| &row.0[used..]).all(|v| *v == E::default()), "the last block is filled with 0");
        (outputs, theta.iter().flat_map(|row| row.0.map(E::wide)).collect())
    }
}

fn bits((outputs, theta): (Vec<f64>, Vec<f64>)) -> Vec<u64> {
    outputs.into_iter().chain(theta).map(f64::to_bits).collect()
}

/// The kernel that is chosen, and every other that this processor can run.
fn kernels<E: Real>() -> Vec<(&'static str, Kernel<E>)> {
    let mut all: Vec<(&str, Kernel<E>)> = vec![("chosen", fused::sweep)];
    #[cfg(target_arch = "x86_64")]
    {
        if fused::has_avx2() {
            // SAFETY: the processor has it.
            all.push(("AVX2", |work, first, theta, active, out| unsafe {
                fused::avx2(work, first, theta, active, out);
            }));
        }
        if fused::has_avx512() {
            // SAFETY: the processor has it.
            all.push(("AVX-512", |work, first, theta, active, out| unsafe {
                fused::avx512(work, first, theta, active, out);
            }));
        }
    }
    all
}

fn all_are_portable<E: Real>() {
    for shape in SHAPES {
        let case = Case::<E>::new(shape);
        for kept in [true, false] {
            let portable = bits(case.go(fused::body::<E::Plain>, kept));
            for (name, kernel) in kernels() {
                assert!(bits(case.go(kernel, kept)) == portable, "{name} {shape:?} {kept}");
            }
        }
    }
}

#[test]
fn the_kernels_of_this_processor_have_the_bits_of_the_portable_one() {
    all_are_portable::<f32>();
    all_are_portable::<f64>();
}

fn kept_is_found_again<E: Real>() {
    for shape in SHAPES {
        let case = Case::<E>::new(shape);
        assert!(bits(case.go(fused::sweep, true)) == bits(case.go(fused::sweep, false)), "{shape:?}");
    }
}

#[test]
fn activity_that_is_kept_is_that_which_is_found_again() {
    kept_is_found_again::<f32>();
    kept_is_found_again::<f64>();
}

/// The plain kernel computes every preactivation twice and the gradient of c from its own formula.
#[test]
fn the_fused_kernel_computes_what_the_plain_one_does() {
    for shape in SHAPES {
        let case = Case::<f64>::new(shape);
        let (outputs, theta) = case.go(fused::sweep, true);
        let (slow_outputs, slow_theta) =
            case.go(|work, first, theta, _, out| plain::sweep(work, first, theta, out), true);
        for (fast, slow) in outputs.iter().chain(&theta).zip(slow_outputs.iter().chain(&slow_theta)) {
            assert!((fast - slow).abs() <= 1e-11 * (1.0 + slow.abs()), "{shape:?}: {fast} for {slow}");
        }
        let moved = theta.iter().zip(&case.theta.iter().flat_map(|r| r.0).collect::<Vec<_>>()).any(|(a, b)| a != b);
        assert!(moved, "{shape:?} moves");
    }
}

/// relu of a line, and the byte or bytes of its first lanes.
#[inline(always)]
fn relu<S: Lanes>(values: &[S::Number]) -> (Vec<u64>, Vec<u8>) {
    let mut out = vec![S::Number::of(9.0); S::WIDTH];
    let mut active = <S::Number as Real>::Active::default();
    S::load(values).relu(0, &mut active).store(&mut out);
    (out.into_iter().map(|v| v.wide().to_bits()).collect(), active.as_ref().to_vec())
}

fn edges_of_relu<E: Real>() {
    let tiny = E::of(f64::from(f32::from_bits(1)));
    let values = [0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1e-40, 1.0].map(E::of);
    let line: Vec<E> = values.into_iter().chain([tiny]).cycle().take(E::LANES).collect();
    let (out, active) = relu::<E::Plain>(&line);
    for (l, v) in line.iter().enumerate() {
        let on = v.wide() > 0.0 || v.wide().is_nan();
        assert_eq!(active[l / E::BITS] >> (l % E::BITS) & 1 == 1, on, "{}", v.wide());
        assert!(if on { f64::from_bits(out[l]).is_nan() || f64::from_bits(out[l]) == v.wide() } else { out[l] == 0 });
    }
    let same = |(wide, bytes): (Vec<u64>, Vec<u8>)| {
        assert_eq!(bytes, active);
        for (a, b) in wide.iter().zip(&out) {
            assert!(a == b || (f64::from_bits(*a).is_nan() && f64::from_bits(*b).is_nan()));
        }
    };
    #[cfg(target_arch = "x86_64")]
    {
        if fused::has_avx2() {
            same(relu::<E::Avx2>(&line));
        }
        if fused::has_avx512() {
            same(relu::<E::Avx512>(&line));
        }
    }
}

#[test]
fn relu_is_silent_at_zero_and_lets_nan_through() {
    edges_of_relu::<f32>();
    edges_of_relu::<f64>();
}
