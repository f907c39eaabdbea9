//! The search cut at fixed prefixes, worked on by several threads, handed over in the order of the prefixes.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
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
    let next = AtomicUsize::new(0);
    let halted = AtomicBool::new(false);
    let work = |cap: u64| {
        let mut walker = Walker::new(Arc::clone(&space));
        let mut block = Block::new(&space);
        let mut done = vec![];
        let mut total = 0;
        loop {
            let p = next.fetch_add(1, Ordering::Relaxed);
            if p >= parts.len() || halted.load(Ordering::Relaxed) {
                return done;
            }
            let (mut value, mut seen) = (init(), Enumeration::start(&space));
            let before = (walker.fallbacks(), walker.lines());
            walker.seek(&parts[p]);
            while walker.next_block(&mut block) {
                if (o.stop)() {
                    seen.end = End::Stopped;
                    break;
                }
                let mut each = |cell: &Cell| {
                    visit(&mut value, cell);
                    ControlFlow::Continue(())
                };
                if seen.visit_block(a, &space, &block, cap - total, &mut each).is_break() {
                    seen.end = End::Limit;
                    break;
                }
            }
            total += seen.cells;
            (seen.fallbacks, seen.lines) = (walker.fallbacks() - before.0, walker.lines() - before.1);
            let ended = seen.end;
            done.push((p, value, seen));
            if ended != End::Complete {
                halted.store(true, Ordering::Relaxed);
                return done;
            }
        }
    };
    // A cap on the cells means the first ones in order: one thread, unless it cannot bind.
    let cap = o.max_cells.unwrap_or(u64::MAX);
    let threads = if o.max_cells.is_some() { 1 } else { o.threads.clamp(1, parts.len()) };
    let mut done = if threads == 1 {
        work(cap)
    } else {
        std::thread::scope(|s| {
            let workers: Vec<_> = (0..threads).map(|_| s.spawn(|| work(cap))).collect();
            workers.into_iter().flat_map(|w| w.join().unwrap_or_else(|p| std::panic::resume_unwind(p))).collect()
        })
    };
    done.sort_by_key(|d| d.0);
    let mut total = Enumeration::start(&space);
    let mut folded = None;
    for (_, value, seen) in done {
        total.add(&seen);
        folded = Some(match folded {
            None => value,
            Some(so_far) => merge(so_far, value),
        });
    }
    (folded.unwrap_or_else(init), total)
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
    let mut block = Block::new(space);
    while walker.next_block(&mut block) {
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
