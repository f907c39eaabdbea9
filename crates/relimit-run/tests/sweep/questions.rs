//! Filters, groups and sums of a sweep's rows.

use std::fs;

use relimit_run::sweep::{Aggregate, CellRef, Comparison, Question, Saved, Summed};

use super::common::{folder, some, sweep, text};

fn question(filter: &str) -> Question {
    let columns = ["run", "d", "step-constant", "status", "gap", "word"];
    Question {
        filter: vec![Comparison::read("--where", filter, &columns).unwrap()],
        by: vec!["step-constant".into()],
        of: vec![
            Aggregate::slope("gap ~ d", &columns).unwrap(),
            Aggregate::Mean("d".into()),
            Aggregate::Median("gap".into()),
            Aggregate::Share(Comparison::read("--share", "status == failed", &columns).unwrap()),
        ],
    }
}

#[test]
fn slopes_shares_and_means_are_those_of_the_made_up_command() {
    let dir = folder("questions");
    sweep(&dir, &text(), 2).unwrap();
    let saved = Saved::open(&dir).unwrap();
    let question = question("d >= 10");
    let (table, notes) = saved.table(&question.columns()).unwrap();
    assert!(notes.is_empty() && table.rows == 240 && table.columns.len() == 4);
    let groups = question.answer(&table);
    assert_eq!(groups.len(), 2);
    // C = 1.5: 40 runs at each d; C = 2: those with d = 30 failed and have no gap
    for (group, (c, share)) in groups.iter().zip([(1.5, 0.0), (2.0, 1.0 / 3.0)]) {
        assert_eq!((group.by[0], group.count), (CellRef::Number(c), 120));
        let [Summed::Slope(Some(slope)), Summed::Mean(mean), Summed::Median(Some([low, median, high])), s] =
            group.values[..]
        else {
            panic!("{:?}", group.values)
        };
        // gap = (1 + up to 9 %)/(C sqrt d)
        assert!((slope.slope + 0.5).abs() < 0.02 && slope.half_width.unwrap() < 0.02, "{slope:?}");
        assert_eq!(slope.points, if share > 0.0 { 80 } else { 120 });
        // d = 10, 20, 30, forty times each: variance 200/3 * 120/119
        let (m, se) = mean.unwrap();
        assert!(m == 20.0 && (se.unwrap() - (200.0 / 3.0 / 119.0_f64).sqrt()).abs() < 1e-12);
        assert!(low < median && median < high && median * c > 20.0_f64.sqrt().recip());
        assert_eq!(s, Summed::Share(share));
    }
    assert_eq!(super::questions::question("status == nothing").answer(&table).len(), 0);
    fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn an_unfinished_sweep_answers_with_the_rows_that_it_has() {
    let dir = folder("unfinished");
    some(&dir, &text(), 50);
    let saved = Saved::open(&dir).unwrap();
    let (table, _) = saved.table(&["run".into(), "word".into(), "gap".into()]).unwrap();
    let over = saved.overview().unwrap();
    assert_eq!((table.rows as u64, over.runs), (over.done + over.failed, 240));
    assert_eq!(over.done, 50);
    assert_eq!(table.column("run").unwrap().at(49), CellRef::Number(49.0));
    assert_eq!(table.column("word").unwrap().at(0), CellRef::Text("C=1.5"));
    fs::remove_dir_all(&dir).unwrap();
}
