//! Best-first search over sign trees: batches of fixed size, so that the answer does not depend on the number of threads.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::ascend::{Climber, direction};
use super::chords::{Bounder, Left, Means};
use super::node::Node;
use super::rows::{Rows, dot, unit};
use super::{End, SupOptions};
use crate::num::noise::{Purpose, Stream};

/// Nodes that are split together; part of the meaning of a run, like a seed.
const BATCH: usize = 16;

/// Nodes of a batch below which threads cost more than they save.
const WORTH_THREADS: usize = 4;

/// Directions above the target that are kept.
const KEPT: usize = 64;

/// Stack of a worker: a few D x D arrays for the largest D.
const STACK: usize = 16 << 20;

/// What a search over one set of rows found, in its own units.
pub(super) struct Found<const D: usize> {
    pub(super) upper: f64,
    pub(super) argmax: [f64; D],
    pub(super) incumbents: Vec<(f64, [f64; D])>,
    pub(super) nodes: u64,
    pub(super) end: End,
}

/// An open node in the order of the heap: largest bound first, then the one made first.
struct Entry<const D: usize> {
    node: Node<D>,
    order: u64,
}

impl<const D: usize> PartialEq for Entry<D> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl<const D: usize> Eq for Entry<D> {}
impl<const D: usize> PartialOrd for Entry<D> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<const D: usize> Ord for Entry<D> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.node.bound.total_cmp(&other.node.bound).then(other.order.cmp(&self.order))
    }
}

/// The local maxima met: the best, and those above the target, without repetition.
struct Incumbents<const D: usize> {
    best: f64,
    argmax: [f64; D],
    above: Vec<(f64, [f64; D])>,
}

impl<const D: usize> Incumbents<D> {
    fn offer(&mut self, value: f64, u: &[f64; D], target: f64) {
        if value > self.best {
            self.best = value;
            self.argmax = *u;
        }
        let same = |w: &[f64; D]| dot(w, u) > 1.0 - 1e-13;
        if value > target && !self.above.iter().any(|(_, w)| same(w)) {
            self.above.push((value, *u));
            if self.above.len() > KEPT {
                self.above.sort_by(|a, b| b.0.total_cmp(&a.0));
                self.above.truncate(KEPT);
            }
        }
    }
}

/// What one worker hands back for one split: the open children, and the best direction of each.
struct Split<const D: usize> {
    children: Vec<Node<D>>,
    tried: Vec<(f64, [f64; D])>,
}

/// Bounds `sup q` over the unit ball; `target` and values are in the units of the rows, `dim` counts real coordinates.
pub(super) fn search<const D: usize>(
    rows: &Rows<D>,
    dim: usize,
    target: f64,
    starts: &[[f64; D]],
    budget: u64,
    options: &SupOptions<'_>,
) -> Found<D> {
    // q = 0 at u = 0: no bound below 0 is true.
    let mut target = target.max(0.0);
    let mut met = Incumbents { best: 0.0, argmax: [0.0; D], above: Vec::new() };
    let mut climber = Climber::new(rows);
    let stream = Stream::new(options.seed, Purpose::Search);
    let random = (0..options.random_starts as u64).map(|k| direction(stream, k, dim));
    for u in starts.iter().copied().chain(random) {
        let (value, u) = climber.ascend(&u);
        met.offer(value, &u, target);
    }
    let end;
    // Where the target follows what is found, it stays above the rounding of the bounds.
    let sizes: f64 = rows.r.iter().zip(&rows.length).map(|(r, l)| r.abs() * l).sum();
    let floor = 16.0 * rows.g * sizes + 2.0 * rows.slack;
    let raise = |target: f64, best: f64| match options.rise {
        Some(rise) if best > target => (best * (1.0 + rise)).max(target).max(floor),
        Some(_) => target.max(floor),
        None => target,
    };
    target = raise(target, met.best);
    let mut nodes = 0;
    let mut order = 0;
    let mut heap: BinaryHeap<Entry<D>> = BinaryHeap::new();
    // Bounds of nodes that cannot be split, above the target.
    let mut stuck = 0.0f64;
    let mut fresh = {
        let mut root = Node::root(rows);
        nodes += 1;
        let left = Bounder::new(rows, target, Means::ALL).bound(&mut root);
        if left == Left::Open { vec![root] } else { vec![] }
    };
    let upper = loop {
        for node in fresh.drain(..) {
            if node.branch.is_none() {
                let (value, u) = climber.ascend(&node.v);
                met.offer(value, &u, target);
                stuck = stuck.max(node.bound);
            } else {
                heap.push(Entry { node, order });
                order += 1;
            }
        }
        target = raise(target, met.best);
        let open = heap.peek().map_or(0.0, |e| e.node.bound).max(stuck);
        let reached = open.max(target);
        if met.best > target && options.rise.is_none() {
            end = End::Exceeded;
            break reached.max(met.best);
        }
        if heap.peek().is_none_or(|e| e.node.bound <= target) {
            end = if stuck > target { End::Stuck } else { End::Proved };
            break reached;
        }
        if nodes >= budget {
            end = End::Nodes;
            break reached;
        }
        if (options.stop)() {
            end = End::Stopped;
            break reached;
        }
        let room = ((budget - nodes).div_ceil(2)).min(BATCH as u64) as usize;
        let mut batch = Vec::with_capacity(room);
        while batch.len() < room && heap.peek().is_some_and(|e| e.node.bound > target) {
            batch.extend(heap.pop().map(|e| e.node));
        }
        nodes += 2 * batch.len() as u64;
        for split in split_all(rows, target, &batch, options.threads) {
            for (value, u) in split.tried {
                if value > 0.9 * met.best {
                    let (value, u) = climber.ascend(&u);
                    met.offer(value, &u, target);
                }
            }
            fresh.extend(split.children);
        }
    };
    met.above.sort_by(|a, b| b.0.total_cmp(&a.0));
    Found { upper, argmax: met.argmax, incumbents: met.above, nodes, end }
}

/// Splits every node of a batch, on up to `threads` threads; the results are in the order of the batch.
fn split_all<const D: usize>(rows: &Rows<D>, target: f64, batch: &[Node<D>], threads: usize) -> Vec<Split<D>> {
    let work = |part: &[Node<D>]| -> Vec<Split<D>> {
        let mut bounder = Bounder::new(rows, target, Means::ALL);
        part.iter().map(|node| split(&mut bounder, node)).collect()
    };
    let threads = threads.clamp(1, batch.len().max(1));
    if threads == 1 || batch.len() < WORTH_THREADS {
        return work(batch);
    }
    std::thread::scope(|scope| {
        let handles: Vec<_> = batch
            .chunks(batch.len().div_ceil(threads))
            .map(|part| {
                let spawned = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || work(part));
                (part, spawned)
            })
            .collect();
        handles
            .into_iter()
            .flat_map(|(part, handle)| match handle {
                Ok(handle) => handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                // No thread to be had: the same work here.
                Err(_) => work(part),
            })
            .collect()
    })
}

/// Both halves of a node, bounded; closed ones are left out.
fn split<const D: usize>(bounder: &mut Bounder<'_, D>, node: &Node<D>) -> Split<D> {
    let row = node.branch.expect("only nodes with a branching row are split");
    let mut out = Split { children: Vec::with_capacity(2), tried: Vec::with_capacity(2) };
    for sign in [1, -1] {
        let mut child = node.child(row, sign);
        if bounder.bound(&mut child) == Left::Open {
            let u = unit(&child.v);
            bounder.rows.products(&u, &mut bounder.z);
            out.tried.push((bounder.rows.value(&bounder.z), u));
            out.children.push(child);
        }
    }
    out
}
