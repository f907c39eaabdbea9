//! Several outputs: the singular values of the map on each cell of inputs, which say its rank.

use relimit_solve::answer::{TrainCell, TrainCells};

use crate::figure::canvas::{At, Canvas, Group, ink};
use crate::figure::plot::{MARGIN, Plot, TEXT};
use crate::figure::scale::Scale;
use crate::number::{count, percent};

/// Cells that are drawn.
const MOST: usize = 8;
/// Right of the marks: share, active rows, rank.
const WORDS: f64 = 250.0;

/// Draws the panel and says what it shows.
pub(super) fn draw(canvas: &mut Canvas, page: Plot, cells: &TrainCells) -> String {
    let shown = &cells.list[..cells.list.len().min(MOST)];
    let height = ((page.bottom - page.top) / shown.len().max(1) as f64).min(46.0);
    // the axis right below the last cell
    let bottom = page.top + height * shown.len() as f64;
    let plot = Plot { left: MARGIN + 24.0, right: page.right - WORDS + super::NAMES, bottom, ..page };
    let most = shown.iter().map(|c| c.singular_values[0]).fold(f64::MIN_POSITIVE, f64::max);
    let x = Scale::linear(0.0, 1.06 * most, plot.left, plot.right);
    canvas.group(Group::class("ink"), |pen| {
        pen.segment((plot.left, plot.bottom), (plot.right, plot.bottom), ink::DATA, 1.0);
        for (value, text) in x.ticks(5) {
            let at = x.pixel(value);
            pen.segment((at, plot.bottom), (at, plot.bottom + 4.0), ink::DATA, 1.0);
            pen.text((at, plot.bottom + 13.0), At::Middle, TEXT, ink::DATA, &text);
        }
        let middle = 0.5 * (plot.left + plot.right);
        pen.text((middle, plot.bottom + 33.0), At::Middle, TEXT, ink::DATA, "singular values of the map on the cell");
        pen.text((plot.right + 12.0, plot.top - 18.0), At::Left, TEXT, ink::DATA, "coefficient, active rows, rank");
        let left = cells.list.len() - shown.len();
        let more = if left == 0 { String::new() } else { format!(", the largest {MOST} of {}", MOST + left) };
        pen.text((MARGIN, plot.top - 18.0), At::Left, TEXT, ink::DATA, &format!("cells{more}"));
    });
    for (k, cell) in shown.iter().enumerate() {
        let y = plot.top + (k as f64 + 0.5) * height;
        let words = words(cell);
        canvas.group(Group::class("ink"), |pen| {
            pen.segment((plot.left, y), (plot.right, y), ink::MUTED_TEXT, 0.5);
            pen.text((plot.right + 12.0, y), At::Left, TEXT, ink::DATA, &words);
        });
        canvas.group(Group { class: "pos", dash: None, title: Some(&words) }, |pen| {
            for (at, value) in cell.singular_values.iter().enumerate() {
                let place = (x.pixel(*value), y);
                if at < cell.rank { pen.dot(place, 5.0, ink::POSITIVE) } else { pen.ring(place, 4.0, ink::POSITIVE) }
            }
        });
    }
    let optimum = if cells.optimum.is_some() { "; in brackets the rank of the optimum there" } else { "" };
    format!(
        "On each cell of inputs the neurons add up to one linear map: filled marks are the singular values that count in its \
         rank, rings those below {} of the largest{optimum}.",
        percent(cells.rank_from)
    )
}

fn words(cell: &TrainCell) -> String {
    let active = cell.pattern.iter().filter(|s| **s > 0).count();
    let optimum = cell.optimum_rank.map_or_else(String::new, |r| format!(" ({r})"));
    format!(
        "{}, {} of {}, {}{optimum}",
        percent(cell.share),
        count(active as u64),
        count(cell.pattern.len() as u64),
        count(cell.rank as u64)
    )
}
