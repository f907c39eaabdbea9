//! The search cut at fixed prefixes, worked on by several threads, handed over in the order of the prefixes.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::block::Block;
use super::walk::{Part, Walker};
use super::{End, Enumeration, Options};
use crate::pattern::arrangement::Arrangement;
use crate::pattern::cell::Cell;
use crate::pattern::space::Space;

/// From this number of rows on one row is a prefix; with fewer, two rows are.
const MANY_ROWS: usize = 64;

/// Cells in one message.
const CHUNK: usize = 4096;

/// Messages of one part that may wait.
const WAITING: usize = 8;

/// The parts of the search: they depend on the arrangement and the flag alone.
fn parts(space: &Arc<Space>) -> Vec<Part> {
    let depth = if space.n() >= MANY_ROWS { 1 } else { 2 };
    Walker::new(Arc::clone(space)).parts(depth.min(space.rank.saturating_sub(2)))
}

/// What one thread brings to a fold: its walker and block, and where it folds to.
struct Folder<'a, I, V> {
    a: &'a Arrangement,
    o: &'a Options<'a>,
    space: &'a Arc<Space>,
    init: &'a I,
    visit: &'a V,
    walker: Walker,
    block: Block,
}

/// The value of one part and what its search did.
type Folded<T> = (T, Enumeration);

impl<'a, T, I: Fn() -> T, V: Fn(&mut T, &Cell)> Folder<'a, I, V> {
    fn new(a: &'a Arrangement, o: &'a Options<'a>, space: &'a Arc<Space>, init: &'a I, visit: &'a V) -> Self {
        let (walker, block) = (Walker::new(Arc::clone(space)), Block::new(space, o.pairs));
        Self { a, o, space, init, visit, walker, block }
    }

    /// Folds at most `cap` cells of a part; `enough` may end it earlier, given the cells so far.
    fn part(&mut self, part: &Part, cap: u64, enough: impl Fn(u64) -> bool) -> Folded<T> {
        let (mut value, mut seen) = ((self.init)(), Enumeration::start(self.space));
        let before = (self.walker.fallbacks(), self.walker.lines());
        self.walker.seek(part);
        while self.walker.next_block(&mut self.block, self.o.stop) {
            if (self.o.stop)() {
                seen.end = End::Stopped;
                break;
            }
            let mut each = |cell: &Cell| {
                (self.visit)(&mut value, cell);
                ControlFlow::Continue(())
            };
            if enough(seen.cells) || seen.visit_block(self.a, self.space, &self.block, cap, &mut each).is_break() {
                seen.end = End::Limit;
                break;
            }
        }
        (seen.fallbacks, seen.lines) = (self.walker.fallbacks() - before.0, self.walker.lines() - before.1);
        (value, seen)
    }
}

/// What [`super::fold_cells`] does.
pub(super) fn fold<T: Send>(
    a: &Arrangement,
    o: &Options,
    init: &(impl Fn() -> T + Sync),
    visit: &(impl Fn(&mut T, &Cell) + Sync),
    mut merge: impl FnMut(T, T) -> T,
) -> (T, Enumeration) {
    let space = Arc::new(Space::new(a, o.seed));
    let parts = parts(&space);
    let cap = o.max_cells.unwrap_or(u64::MAX);
    let folder = || Folder::new(a, o, &space, init, visit);
    let mut found: Vec<Option<Folded<T>>> = parts.iter().map(|_| None).collect();
    if o.threads > 1 && parts.len() > 1 {
        for (p, folded) in fold_ahead(&parts, o.threads, cap, folder) {
            found[p] = Some(folded);
        }
    }
    let stopped = found.iter().flatten().any(|f| f.1.end == End::Stopped);
    let mut rest = folder();
    let mut total = Enumeration::start(&space);
    let mut all = None;
    for (part, found) in parts.iter().zip(found) {
        let left = cap - total.cells;
        let whole = |f: &Folded<T>| f.1.end == End::Complete && f.1.cells <= left;
        let (value, seen) = match found {
            Some(folded) if stopped || whole(&folded) => folded,
            None if stopped => continue,
            _ => rest.part(part, left, |_| false),
        };
        total.add(&seen);
        all = Some(match all {
            None => value,
            Some(so_far) => merge(so_far, value),
        });
        if seen.end != End::Complete && !stopped {
            break;
        }
    }
    (all.unwrap_or_else(init), total)
}

/// Folds parts on several threads until all are done or the threads together have found more than `cap` cells.
///
/// A part that was broken off for the cap ends with [`End::Limit`]; its value is of no use.
fn fold_ahead<'a, T: Send, I: Fn() -> T + Sync + 'a, V: Fn(&mut T, &Cell) + Sync + 'a>(
    parts: &[Part],
    threads: usize,
    cap: u64,
    folder: impl Fn() -> Folder<'a, I, V> + Sync,
) -> Vec<(usize, Folded<T>)> {
    let (next, halted, cells) = (AtomicUsize::new(0), AtomicBool::new(false), AtomicU64::new(0));
    let work = || {
        let mut folder = folder();
        let mut done = vec![];
        loop {
            let p = next.fetch_add(1, Ordering::Relaxed);
            if p >= parts.len() || halted.load(Ordering::Relaxed) {
                return done;
            }
            let full = |here: u64| cells.load(Ordering::Relaxed).saturating_add(here) > cap;
            let folded = folder.part(&parts[p], u64::MAX, full);
            cells.fetch_add(folded.1.cells, Ordering::Relaxed);
            if folded.1.end != End::Complete {
                halted.store(true, Ordering::Relaxed);
            }
            done.push((p, folded));
        }
    };
    std::thread::scope(|s| {
        let others: Vec<_> = (1..threads.min(parts.len())).map(|_| s.spawn(work)).collect();
        // the calling thread takes its share: it may be the only one that sees signals
        let mut done = work();
        done.extend(others.into_iter().flat_map(|w| w.join().unwrap_or_else(|p| std::panic::resume_unwind(p))));
        done
    })
}

/// Where the reader is, and whether it has gone away.
#[derive(Default)]
struct Reader {
    state: Mutex<(usize, bool)>,
    moved: Condvar,
}

impl Reader {
    fn lock(&self) -> MutexGuard<'_, (usize, bool)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn move_to(&self, part: usize, gone: bool) {
        *self.lock() = (part, gone);
        self.moved.notify_all();
    }

    /// Waits until the reader is within `window` parts of `part`; false if it has gone away.
    fn wait(&self, part: usize, window: usize) -> bool {
        let mut state = self.lock();
        while !state.1 && part >= state.0 + window {
            state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        !state.1
    }
}

/// What [`super::for_each_cell`] does with several threads: workers search, the calling thread visits in order.
///
/// Memory is bounded: a worker runs at most four parts a thread ahead, and at most eight messages into each.
pub(super) fn visit_in_order(
    a: &Arrangement,
    o: &Options,
    visit: &mut dyn FnMut(&Cell) -> ControlFlow<()>,
) -> Enumeration {
    let space = Arc::new(Space::new(a, o.seed));
    let parts = parts(&space);
    let reader = Reader::default();
    let next = AtomicUsize::new(0);
    let (fallbacks, lines) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (senders, receivers): (Vec<_>, Vec<Receiver<Vec<Block>>>) =
        parts.iter().map(|_| sync_channel::<Vec<Block>>(WAITING)).map(|(s, r)| (Mutex::new(Some(s)), r)).unzip();
    let work = || {
        let mut walker = Walker::new(Arc::clone(&space));
        loop {
            let p = next.fetch_add(1, Ordering::Relaxed);
            if p >= parts.len() || !reader.wait(p, 4 * o.threads) {
                break;
            }
            let sender = senders[p].lock().unwrap_or_else(PoisonError::into_inner).take();
            walker.seek(&parts[p]);
            if sender.is_some_and(|s| !send_all(&mut walker, &space, &s, o)) {
                break;
            }
        }
        fallbacks.fetch_add(walker.fallbacks() as usize, Ordering::Relaxed);
        lines.fetch_add(walker.lines() as usize, Ordering::Relaxed);
    };
    let mut out = Enumeration::start(&space);
    std::thread::scope(|s| {
        for _ in 0..o.threads {
            s.spawn(work);
        }
        let cap = o.max_cells.unwrap_or(u64::MAX);
        'parts: for (p, receiver) in receivers.into_iter().enumerate() {
            reader.move_to(p, false);
            while let Ok(blocks) = receiver.recv() {
                for block in &blocks {
                    if (o.stop)() {
                        out.end = End::Stopped;
                        break 'parts;
                    }
                    if out.visit_block(a, &space, block, cap, visit).is_break() {
                        out.end = End::Limit;
                        break 'parts;
                    }
                }
            }
            if (o.stop)() && p + 1 < parts.len() {
                out.end = End::Stopped;
                break;
            }
        }
        // Receivers are gone: workers notice when they send or wait.
        reader.move_to(0, true);
    });
    out.fallbacks = fallbacks.into_inner() as u64;
    out.lines = lines.into_inner() as u64;
    out
}

/// Sends the blocks of one part; false if the reader has gone away or the run is to stop.
fn send_all(walker: &mut Walker, space: &Space, to: &SyncSender<Vec<Block>>, o: &Options) -> bool {
    let (mut chunk, mut cells) = (vec![], 0);
    let mut block = Block::new(space, o.pairs);
    while walker.next_block(&mut block, o.stop) {
        if (o.stop)() {
            return false;
        }
        cells += block.len();
        chunk.push(block.clone());
        if cells >= CHUNK {
            if to.send(std::mem::take(&mut chunk)).is_err() {
                return false;
            }
            cells = 0;
        }
    }
    chunk.is_empty() || to.send(chunk).is_ok()
}
