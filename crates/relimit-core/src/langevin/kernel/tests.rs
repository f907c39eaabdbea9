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

/// relu of a whole block, a group after the other, and where its activity then lets a 1 through.
fn edges<S: Lanes>() {
    let tiny = f64::from(f32::from_bits(1));
    let edges = [0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1e-40, 1.0, tiny];
    let block: Vec<S::Number> = edges.iter().cycle().map(|v| S::Number::of(*v)).take(BLOCK).collect();
    let (mut out, mut on) = (vec![S::Number::of(9.0); BLOCK], vec![S::Number::of(9.0); BLOCK]);
    let mut active = <S::Number as Real>::Active::default();
    active.as_mut().fill(0x5a);
    for (group, to) in out.chunks_exact_mut(S::WIDTH).enumerate() {
        S::load(&block[group * S::WIDTH..]).relu(group, &mut active).store(to);
    }
    for (group, to) in on.chunks_exact_mut(S::WIDTH).enumerate() {
        S::masked(S::Number::of(1.0), active, S::select(group)).store(to);
    }
    for (l, v) in block.iter().map(|v| v.wide()).enumerate() {
        let passes = v > 0.0 || v.is_nan();
        assert_eq!(on[l].wide(), f64::from(u8::from(passes)), "lane {l}: {v}");
        let out = out[l].wide();
        assert!(if v.is_nan() { out.is_nan() } else { out.to_bits() == v.max(0.0).abs().to_bits() }, "{out} for {v}");
    }
}

fn edges_of_all<E: Real>() {
    edges::<E::Plain>();
    #[cfg(target_arch = "x86_64")]
    {
        if fused::has_avx2() {
            edges::<E::Avx2>();
        }
        if fused::has_avx512() {
            edges::<E::Avx512>();
        }
    }
}

#[test]
fn relu_is_silent_at_zero_and_lets_nan_through() {
    edges_of_all::<f32>();
    edges_of_all::<f64>();
}
