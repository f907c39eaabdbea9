//! Steps without interruption on several threads: fixed chunks of blocks, sums folded in chunk order.
//!
//! Every thread owns its chunks and folds all partial sums itself, so one barrier a step is enough and every thread
//! holds the same outputs, bit for bit.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::gaussian::Keys;
use super::kernel::{Real, Rows, Rule, Sweep, Update, fold, fuses, sweep};
use super::particles::{BLOCK, Row};
use super::plan::{Bias, Layers, Offset, Plan};
use super::schedule::Epoch;
use crate::num::noise::{Purpose, Stream};

/// Most chunks of a state, and the fewest blocks of one: functions of N alone, whatever the threads.
const CHUNKS: usize = 64;
const SMALLEST: usize = 8;
/// The activity of the neurons is kept between two steps within so many bytes, or this part of the state.
const KEPT: usize = 1 << 18;
const KEPT_SHARE: usize = 8;
/// Rounds of the barrier before a waiting thread gives its core away.
const SPINS: u32 = 1000;

/// How a segment ended, and after which step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reached {
    /// All steps are done.
    All,
    /// The caller asked to stop.
    Stopped(u64),
    /// An output is no longer finite.
    NotFinite(u64),
}

/// Hears the outputs after every step, on the calling thread.
pub(super) type Hear<'a> = &'a mut dyn FnMut(u64, &[f64]);

/// The data in the precision of the state, and the rules of each step.
struct Steps<'a, E> {
    plan: &'a Plan,
    x: Vec<E>,
    keys: Keys,
    kept: bool,
}

impl<E: Real> Steps<'_, E> {
    /// The rows and labels of a step's examples; `None` for all of them.
    fn gather(&self, step: u64, batch: &mut Examples<E>) {
        let (n, d, _) = self.plan.shape();
        let o = self.plan.options();
        o.batch.examples(n, o.seed, step, &mut batch.epoch, &mut batch.which);
        batch.rows.gather(&self.x, d, &batch.which);
    }

    /// Rules and residuals (in the room of `r`) of a step from the outputs (examples x k) on its examples; also moves the
    /// offset.
    fn update(&self, step: u64, which: &[usize], f: &[f64], offset: &mut [f64], mut r: Vec<E>) -> Update<E> {
        let o = self.plan.options();
        let (n, _, k) = self.plan.shape();
        let (eta, beta) = (o.step.at(step), o.beta.at(step));
        let sigma = if beta.is_finite() { (2.0 * eta / beta).sqrt() } else { 0.0 };
        let weight = self.plan.omega() * (n as f64 / which.len() as f64);
        let residual = |(i, f): (&usize, &[f64]), out: usize| weight * (o.y[(*i, out)] - f[out]);
        let examples = || which.iter().zip(f.chunks_exact(k));
        if o.offset != Offset::None {
            let keep = if o.offset == Offset::Penalised { 1.0 - eta * o.lambda } else { 1.0 };
            for (out, v) in offset.iter_mut().enumerate() {
                let push: f64 = examples().map(|example| residual(example, out)).sum();
                *v = keep * *v + eta * push;
            }
        }
        r.clear();
        for example in examples() {
            r.extend((0..k).map(|out| E::of(residual(example, out))));
        }
        let moving = Rule { keep: E::of(1.0 - eta * o.lambda), eta: E::of(eta), sigma: E::of(sigma) };
        let fixed = Rule { keep: E::of(1.0), eta: E::of(0.0), sigma: E::of(0.0) };
        Update {
            r,
            c: if o.layers == Layers::Both { moving } else { fixed },
            w: moving,
            b: match o.bias {
                Bias::Penalised => moving,
                Bias::Free => Rule { keep: E::of(1.0), ..moving },
                Bias::None => fixed,
            },
            keys: self.keys,
            step,
        }
    }
}

/// The examples of a step.
#[derive(Clone, Debug, Default)]
struct Examples<E> {
    which: Vec<usize>,
    rows: Rows<E>,
    epoch: Epoch,
}

/// Partial sums of two steps, chunks x numbers each, as bits: written by their owners before a barrier, read after it.
struct Partials {
    numbers: usize,
    bits: Vec<AtomicU64>,
}

impl Partials {
    fn put(&self, side: usize, chunk: usize, chunks: usize, sums: &[f64]) {
        for (bits, v) in self.bits[(side * chunks + chunk) * self.numbers..].iter().zip(sums) {
            bits.store(v.to_bits(), Ordering::Relaxed);
        }
    }
    fn sum(&self, side: usize, chunks: usize, at: usize) -> f64 {
        let part = |chunk: usize| &self.bits[(side * chunks + chunk) * self.numbers + at];
        (0..chunks).fold(0.0, |sum, chunk| sum + f64::from_bits(part(chunk).load(Ordering::Relaxed)))
    }
}

/// A thread's share of the state: chunks with their index and first block.
struct Share<'a, E> {
    chunks: Vec<(usize, usize, &'a mut [Row<E>])>,
}

/// Takes the steps `steps` on at most `threads` threads.
pub(super) fn segment<E: Real>(
    plan: &Plan,
    theta: &mut [Row<E>],
    offset: &mut [f64],
    steps: Range<u64>,
    threads: usize,
    hear: Hear<'_>,
    stop: &dyn Fn() -> bool,
) -> Reached {
    let o = plan.options();
    let (n, d, k) = plan.shape();
    let x = o.x.as_slice().iter().map(|v| E::of(*v)).collect();
    let blocks = o.width.div_ceil(BLOCK);
    let size = blocks.div_ceil(CHUNKS).max(SMALLEST.min(blocks));
    let chunks = blocks.div_ceil(size);
    let workers = threads.clamp(1, chunks);
    let count = o.batch.size(n);
    let kept = blocks * count * size_of::<E::Active>() <= KEPT.max(size_of_val(theta) / KEPT_SHARE);
    let rules = Steps { plan, x, keys: Keys::new(Stream::new(o.seed, Purpose::Noise).key()), kept };
    let mut shares: Vec<Share<'_, E>> = (0..workers).map(|_| Share { chunks: Vec::new() }).collect();
    for (chunk, part) in theta.chunks_mut(size * (k + d + 1)).enumerate() {
        shares[chunk * workers / chunks].chunks.push((chunk, chunk * size, part));
    }
    let numbers = count * k;
    let partials = Partials { numbers, bits: (0..2 * chunks * numbers).map(|_| AtomicU64::new(0)).collect() };
    let gate = Gate { arrived: AtomicUsize::new(0), last: AtomicU64::new(steps.end), workers };
    let job = Job { rules: &rules, chunks, partials: &partials, gate: &gate, steps };
    let mut shares = shares.into_iter();
    let mine = shares.next().expect("one share a worker");
    let start: Vec<f64> = offset.to_vec();
    let (reached, end) = std::thread::scope(|scope| {
        for share in shares {
            let (job, start) = (&job, &start);
            scope.spawn(move || job.work(share, start, None));
        }
        job.work(mine, &start, Some((hear, stop)))
    });
    offset.copy_from_slice(&end);
    reached
}

impl<E: Real> Steps<'_, E> {
    /// Numbers of a neuron.
    fn numbers(&self) -> usize {
        let (_, d, k) = self.plan.shape();
        d + k + 1
    }

    /// Words that hold the activity of some blocks between a forward pass and the next update.
    fn activity(&self, blocks: usize) -> usize {
        let (n, d, k) = self.plan.shape();
        let o = self.plan.options();
        if fuses(o.activation, d, k) { o.batch.size(n) * if self.kept { blocks } else { 1 } } else { 0 }
    }

    fn sweep<'s>(&self, update: Option<&'s Update<E>>, before: &'s Rows<E>, after: &'s Rows<E>) -> Sweep<'s, E> {
        let (n, d, k) = self.plan.shape();
        let o = self.plan.options();
        let count = o.batch.size(n);
        Sweep {
            inputs: d,
            outputs: k,
            width: o.width,
            activation: o.activation,
            before,
            update,
            after,
            count,
            kept: self.kept,
        }
    }
}

/// Where threads wait for each other, and the step after which all end.
struct Gate {
    arrived: AtomicUsize,
    last: AtomicU64,
    workers: usize,
}

impl Gate {
    /// Returns when all threads have come `round` times.
    fn wait(&self, round: usize) {
        if self.workers == 1 {
            return;
        }
        self.arrived.fetch_add(1, Ordering::AcqRel);
        let mut spins = 0;
        while self.arrived.load(Ordering::Acquire) < round * self.workers {
            spins += 1;
            if spins > SPINS {
                std::thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
    }
}

/// What all threads share.
struct Job<'a, E: Real> {
    rules: &'a Steps<'a, E>,
    chunks: usize,
    partials: &'a Partials,
    gate: &'a Gate,
    steps: Range<u64>,
}

impl<E: Real> Job<'_, E> {
    /// All steps on one thread's share; returns how it ended, and the offset. The calling thread has `ears`.
    fn work(
        &self,
        mut share: Share<'_, E>,
        offset: &[f64],
        mut ears: Option<(Hear<'_>, &dyn Fn() -> bool)>,
    ) -> (Reached, Vec<f64>) {
        let mut offset = offset.to_vec();
        let (mut before, mut after) = (Examples::default(), Examples::default());
        let mut lanes = vec![E::default(); self.partials.numbers * E::LANES];
        let mut f = vec![0.0; self.partials.numbers];
        let mut sums = f.clone();
        let blocks: usize = share.chunks.iter().map(|(_, _, theta)| theta.len()).sum::<usize>() / self.rules.numbers();
        let mut active = vec![E::Active::default(); self.rules.activity(blocks)];
        let full = self.rules.plan.options().batch == super::schedule::Batch::Full;
        self.rules.gather(self.steps.start, &mut after);
        // Round 0 is a forward pass alone; round t takes step start + t - 1.
        let mut round = 0;
        let mut moved: Option<Update<E>> = None;
        loop {
            let work = self.rules.sweep(moved.as_ref(), if full { &after.rows } else { &before.rows }, &after.rows);
            let mut begin = 0;
            for (chunk, first, theta) in &mut share.chunks {
                lanes.fill(E::default());
                let words = self.rules.activity(theta.len() / work.rows());
                sweep(&work, *first, theta, &mut active[begin..begin + words], &mut lanes);
                begin += if self.rules.kept { words } else { 0 };
                fold(&lanes, &mut sums);
                self.partials.put(round % 2, *chunk, self.chunks, &sums);
            }
            let done = self.steps.start + round as u64;
            if round > 0
                && let Some((_, stop)) = &ears
                && stop()
            {
                // Threads that are late read this after the next barrier at the earliest, and stop there too.
                self.gate.last.fetch_min(done, Ordering::AcqRel);
            }
            self.gate.wait(round + 1);
            let scale = self.rules.plan.scale();
            for (at, v) in f.iter_mut().enumerate() {
                *v = scale * self.partials.sum(round % 2, self.chunks, at) + offset[at % offset.len()];
            }
            if round > 0
                && let Some((hear, _)) = &mut ears
            {
                hear(done, &f);
            }
            if !f.iter().all(|v| v.is_finite()) {
                return (Reached::NotFinite(done), offset);
            }
            let last = self.gate.last.load(Ordering::Acquire);
            if done >= last {
                return (if done >= self.steps.end { Reached::All } else { Reached::Stopped(done) }, offset);
            }
            let room = moved.map_or_else(Vec::new, |update| update.r);
            moved = Some(self.rules.update(done, &after.which, &f, &mut offset, room));
            if !full {
                std::mem::swap(&mut before, &mut after);
                std::mem::swap(&mut before.epoch, &mut after.epoch);
                self.rules.gather(done + 1, &mut after);
            }
            round += 1;
        }
    }
}
