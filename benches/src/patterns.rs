//! How fast sign patterns are enumerated, against one linear program a branch, and in how much memory.

use std::ops::ControlFlow;
use std::process::Command;

use relimit_core::num::Mat;
use relimit_core::pattern::{Arrangement, Enumeration, Options, cover, fold_cells, for_each_cell};
use relimit_core::zoo::arrangements::resonance;

use crate::data::{gaussian, write_npy};
use crate::measure::{batch, enough, median, process_seconds, wall_seconds};
use crate::peer::{Peer, number};
use crate::record::Row;

/// Batches of our side.
const ROUNDS: usize = 5;

/// CPU seconds that the peer may take for one set; it is then judged by the cells that it reached.
const PEER_SECONDS: &str = "2";

/// Cells per second and core, memory at 10^6 cells (and at 10^8 with RELIMIT_SOAK=1), and the cost of a second thread.
pub(crate) fn patterns() -> Vec<Row> {
    let mut out = vec![];
    for (n, dim) in [(20, 3), (40, 4), (20, 6), (30, 5), (100, 3), (60, 4), (200, 4)] {
        let x = gaussian(n, dim, 5);
        let expected = u64::try_from(cover(n, dim)).expect("small counts");
        out.push(speed(&format!("{n} x {dim}"), &x, expected));
    }
    let known = resonance(6);
    let x = Mat::from_fn(known.n(), known.dim, |i, c| known.rows[i * known.dim + c] as f64);
    out.push(speed("resonance 6", &x, known.cells));
    out.extend(threads());
    out.push(memory(200, 4, 1_000_000));
    if std::env::var_os("RELIMIT_SOAK").is_some() {
        out.push(memory(200, 5, 100_000_000));
    }
    out
}

/// Every cell, or one of each pair, with a fold of the pattern words.
fn all(a: &Arrangement, pairs: bool) -> Enumeration {
    let mut fold = 0u64;
    let seen = for_each_cell(a, &Options { pairs, ..Options::all() }, &mut |cell| {
        for &w in cell.signs() {
            fold = fold.rotate_left(7) ^ w;
        }
        ControlFlow::Continue(())
    });
    std::hint::black_box(fold);
    seen
}

fn speed(name: &str, x: &Mat, expected: u64) -> Row {
    let a = Arrangement::new(x);
    let seen = all(&a, false);
    assert_eq!((seen.cells, all(&a, true).cells), (expected, expected), "{name}");
    let seconds = |pairs: bool| {
        let run = || {
            std::hint::black_box(all(&a, pairs));
        };
        let times = enough(run);
        median(&(0..ROUNDS).map(|_| batch(times, run)).collect::<Vec<_>>())
    };
    let (ours, both) = (seconds(true), seconds(false));
    let file = write_npy("patterns-x", &[x.rows(), x.cols()], x.as_slice());
    let mut peer = Peer::start("enum_lp.py", &[file.into_os_string(), PEER_SECONDS.into()]);
    let figures = peer.batch(1);
    let (cells, seconds) = (number(&figures, "cells"), number(&figures, "cpu"));
    let whole = figures["stopped"] == false;
    assert!(!whole || cells == expected as f64, "{name}: the peer found {cells} cells");
    let rate = expected as f64 / ours;
    let note = format!(
        "{:.2} M cells/s, one of each pair visited and both counted ({:.2} M visiting both); HiGHS {:.0} cells/s \
         ({cells:.0} of {expected} cells, {:.0} programs); {} signs in integers",
        rate / 1e6,
        expected as f64 / both / 1e6,
        cells / seconds,
        number(&figures, "programs"),
        seen.fallbacks
    );
    let question = format!("patterns of {name}, cells a CPU second over those by one linear program a branch");
    Row { question, ours: Some(ours), peer: Some(seconds), ratio: Some(rate / (cells / seconds)), note }
}

/// CPU time of all threads together and time on the wall, two threads over one.
fn threads() -> [Row; 2] {
    let a = Arrangement::new(&gaussian(200, 4, 5));
    let time = |threads| {
        let (start, wall) = (process_seconds(), wall_seconds());
        for _ in 0..4 {
            let (count, _) = fold_cells(
                &a,
                &Options { threads, ..Options::all() },
                || 0u64,
                |t, cell| *t += cell.signs()[0] & 1,
                |a, b| a + b,
            );
            assert_eq!(count, 2_627_200 / 2);
        }
        [(process_seconds() - start) / 4.0, (wall_seconds() - wall) / 4.0]
    };
    let pairs: Vec<_> = (0..ROUNDS).map(|_| (time(2), time(1))).collect();
    ["CPU time", "time on the wall"].map(|what| {
        let k = usize::from(what != "CPU time");
        let (two, one): (Vec<f64>, Vec<f64>) = pairs.iter().map(|(two, one)| (two[k], one[k])).unzip();
        Row {
            question: format!("patterns of 200 x 4, {what} of two threads over one"),
            ours: Some(median(&two)),
            peer: Some(median(&one)),
            ratio: Some(median(&two.iter().zip(&one).map(|(two, one)| two / one).collect::<Vec<_>>())),
            note: "no shared state but one counter; 199 prefixes".into(),
        }
    })
}

fn memory(n: usize, dim: usize, cells: u64) -> Row {
    let peak = |most: u64| -> f64 {
        let program = std::env::current_exe().expect("a path");
        let words = ["cells".to_owned(), n.to_string(), dim.to_string(), most.to_string()];
        let out = Command::new(program).args(words).output().expect("a child of this program");
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8_lossy(&out.stdout).trim().parse().expect("bytes")
    };
    let (few, many) = (peak(1000), peak(cells));
    Row {
        question: format!("patterns of {n} x {dim}, peak memory at {cells} cells over that at 1000"),
        ours: None,
        peer: None,
        ratio: Some(many / few),
        note: format!("{:.1} MB, the program itself included", many / 1e6),
    }
}

/// The child of the memory question: visits so many cells and returns how many it saw.
pub(crate) fn visit(n: usize, dim: usize, most: u64) -> u64 {
    let a = Arrangement::new(&gaussian(n, dim, 5));
    let o = Options { max_cells: Some(most), ..Options::all() };
    let mut fold = 0u64;
    let seen = for_each_cell(&a, &o, &mut |cell| {
        fold ^= cell.signs()[0];
        ControlFlow::Continue(())
    });
    std::hint::black_box(fold);
    seen.cells
}
