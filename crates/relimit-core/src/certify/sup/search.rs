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

/// What a search over some sets of rows found, in their units; trees are named by their position.
pub(super) struct Found<const D: usize> {
    pub(super) upper: f64,
    pub(super) argmax: Direction<D>,
    pub(super) incumbents: Vec<Direction<D>>,
    pub(super) nodes: u64,
    pub(super) end: End,
}

/// A direction of one tree and the value of its q there, as computed.
#[derive(Clone, Copy)]
pub(super) struct Direction<const D: usize> {
    pub(super) tree: usize,
    pub(super) value: f64,
    pub(super) u: [f64; D],
}

/// An open node in the order of the heap: largest bound first, then the one made first.
struct Entry<const D: usize> {
    tree: usize,
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
    best: Direction<D>,
    above: Vec<Direction<D>>,
}

impl<const D: usize> Incumbents<D> {
    fn offer(&mut self, found: Direction<D>, target: f64) {
        if found.value > self.best.value {
            self.best = found;
        }
        let same = |w: &Direction<D>| w.tree == found.tree && dot(&w.u, &found.u) > 1.0 - 1e-13;
        if found.value > target && !self.above.iter().any(same) {
            self.above.push(found);
            if self.above.len() > KEPT {
                self.above.sort_by(|a, b| b.value.total_cmp(&a.value));
                self.above.truncate(KEPT);
            }
        }
    }
}

/// What one worker hands back for one split: the open children, and the direction of each.
struct Split<const D: usize> {
    children: Vec<(usize, Node<D>)>,
    tried: Vec<Direction<D>>,
}

/// Ascents of every tree from the directions given and from random ones.
fn climb<const D: usize>(
    climbers: &mut [Climber<'_, D>],
    dim: usize,
    target: f64,
    starts: &[[f64; D]],
    options: &SupOptions<'_>,
) -> Incumbents<D> {
    let nowhere = Direction { tree: 0, value: 0.0, u: [0.0; D] };
    let mut met = Incumbents { best: nowhere, above: Vec::new() };
    let stream = Stream::new(options.seed, Purpose::Search);
    for (tree, climber) in climbers.iter_mut().enumerate() {
        let random = (0..options.random_starts as u64).map(|k| direction(stream, k, dim));
        for u in starts.iter().copied().chain(random) {
            let (value, u) = climber.ascend(&u);
            met.offer(Direction { tree, value, u }, target);
        }
    }
    met
}

/// The local maxima of one tree above the target that ascents reach, best first: the start of [`search`] without a bound.
pub(super) fn maxima<const D: usize>(
    rows: &Rows<D>,
    dim: usize,
    target: f64,
    starts: &[[f64; D]],
    options: &SupOptions<'_>,
) -> Vec<Direction<D>> {
    let mut above = climb(&mut [Climber::new(rows)], dim, target.max(0.0), starts, options).above;
    above.sort_by(|a, b| b.value.total_cmp(&a.value));
    above
}

/// Bounds the largest `sup q` of some trees over the unit ball; `target` and values are in the units of the rows, `dim`
/// counts real coordinates, `starts` are directions for every tree.
pub(super) fn search<const D: usize>(
    trees: &[Rows<D>],
    dim: usize,
    target: f64,
    starts: &[[f64; D]],
    options: &SupOptions<'_>,
) -> Found<D> {
    // q = 0 at u = 0: no bound below 0 is true.
    let asked = target.max(0.0);
    let mut target = asked;
    let mut climbers: Vec<Climber<'_, D>> = trees.iter().map(Climber::new).collect();
    let mut met = climb(&mut climbers, dim, target, starts, options);
    // Where the target follows what is found, it stays above the rounding of the bounds.
    let floor = trees.iter().map(Rows::rounding).fold(0.0, f64::max);
    let raise = |target: f64, best: f64| match options.rise {
        Some(rise) if best > target => (best * (1.0 + rise)).max(target).max(floor),
        Some(_) => target.max(floor),
        None => target,
    };
    target = raise(target, met.best.value);
    let (mut nodes, mut order) = (0, 0);
    let mut heap: BinaryHeap<Entry<D>> = BinaryHeap::new();
    // Bounds of nodes that cannot be split, above the target.
    let mut stuck = 0.0f64;
    let mut fresh = Vec::new();
    for (tree, rows) in trees.iter().enumerate() {
        let mut root = Node::root(rows);
        nodes += 1;
        if Bounder::new(rows, target, Means::ALL).bound(&mut root) == Left::Open {
            fresh.push((tree, root));
        }
    }
    let end;
    let upper = loop {
        for (tree, node) in fresh.drain(..) {
            if node.branch.is_none() {
                let (value, u) = climbers[tree].ascend(&node.v);
                met.offer(Direction { tree, value, u }, target);
                stuck = stuck.max(node.bound);
            } else {
                heap.push(Entry { tree, node, order });
                order += 1;
            }
        }
        target = raise(target, met.best.value);
        let open = heap.peek().map_or(0.0, |e| e.node.bound).max(stuck);
        let reached = open.max(target);
        if met.best.value > asked && (options.rise.is_none() || nodes <= options.back) {
            end = End::Exceeded;
            break reached.max(met.best.value);
        }
        if heap.peek().is_none_or(|e| e.node.bound <= target) {
            end = if stuck > target { End::Stuck } else { End::Proved };
            break reached;
        }
        if nodes >= options.max_nodes {
            end = End::Nodes;
            break reached;
        }
        if (options.stop)() {
            end = End::Stopped;
            break reached;
        }
        let room = ((options.max_nodes - nodes).div_ceil(2)).min(BATCH as u64) as usize;
        let mut batch = Vec::with_capacity(room);
        while batch.len() < room && heap.peek().is_some_and(|e| e.node.bound > target) {
            batch.extend(heap.pop().map(|e| (e.tree, e.node)));
        }
        nodes += 2 * batch.len() as u64;
        for split in split_all(trees, target, &batch, options.threads) {
            for found in split.tried {
                if found.value > 0.9 * met.best.value {
                    let (value, u) = climbers[found.tree].ascend(&found.u);
                    met.offer(Direction { value, u, ..found }, target);
                }
            }
            fresh.extend(split.children);
        }
    };
    met.above.sort_by(|a, b| b.value.total_cmp(&a.value));
    Found { upper, argmax: met.best, incumbents: met.above, nodes, end }
}

/// Splits every node of a batch, on up to `threads` threads; the results are in the order of the batch.
fn split_all<const D: usize>(
    trees: &[Rows<D>],
    target: f64,
    batch: &[(usize, Node<D>)],
    threads: usize,
) -> Vec<Split<D>> {
    let work = |part: &[(usize, Node<D>)]| -> Vec<Split<D>> {
        let mut bounders: Vec<Option<Bounder<'_, D>>> = trees.iter().map(|_| None).collect();
        part.iter()
            .map(|(tree, node)| {
                let new = || Bounder::new(&trees[*tree], target, Means::ALL);
                split(bounders[*tree].get_or_insert_with(new), *tree, node)
            })
            .collect()
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
fn split<const D: usize>(bounder: &mut Bounder<'_, D>, tree: usize, node: &Node<D>) -> Split<D> {
    let row = node.branch.expect("only nodes with a branching row are split");
    let mut out = Split { children: Vec::with_capacity(2), tried: Vec::with_capacity(2) };
    for sign in [1, -1] {
        let mut child = node.child(row, sign);
        if bounder.bound(&mut child) == Left::Open {
            let u = unit(&child.v);
            bounder.rows.products(&u, &mut bounder.z);
            out.tried.push(Direction { tree, value: bounder.rows.value(&bounder.z), u });
            out.children.push((tree, child));
        }
    }
    out
}
