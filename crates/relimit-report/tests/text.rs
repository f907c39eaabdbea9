//! The screenful: what it says, where it says it, and that it fits.

mod common;

use relimit_core::descent::{Reason, Status};
use relimit_report::text::{Style, limit};
use relimit_solve::answer::{Claim, DeadNeuron, SilentReason, TiePair, Verdict};

/// Text without line breaks inside sentences.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn fits_a_screen_of_80_columns() {
    for (name, answer) in common::all() {
        let text = limit(&answer, Style::Plain);
        if std::env::var_os("RELIMIT_SHOW").is_some() {
            println!("=== {name}\n{text}");
        }
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{name}: {} columns: {line}", line.chars().count());
            assert_eq!(line.trim_end(), line, "{name}: trailing space");
        }
        assert!(text.lines().count() <= 40, "{name}: {} lines", text.lines().count());
        assert!(text.ends_with('\n') && !text.contains("\n\n\n"), "{name}: blank lines");
        assert!(!text.contains("NaN") && !text.contains("None") && !text.contains(" inf "), "{name}: {text}");
        assert!(text.lines().filter(|l| l.starts_with("Try ")).count() <= 1, "{name}: more than one hint");
    }
}

#[test]
fn the_first_lines_are_answer_number_certainty() {
    let text = limit(&common::golden(), Style::Plain);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "Gradient descent converges and fits 2 of 3 rows.");
    assert_eq!(lines[1], "Loss 0.5 (half-sum), weight norm 0.5441, after one mask change at step 1.");
    assert!(lines[2].starts_with("Certainty: certified. "));
    for (name, answer) in common::all() {
        let text = limit(&answer, Style::Plain);
        let block: Vec<&str> = text.lines().take_while(|l| !l.is_empty()).collect();
        assert!(block[1].starts_with("Loss "), "{name}");
        let certainty: Vec<&&str> = block.iter().filter(|l| l.starts_with("Certainty: ")).collect();
        assert_eq!(certainty.len(), 1, "{name}: the certainty stands in the first block");
    }
}

#[test]
fn certified_numbers_carry_their_gap_and_bounds_their_interval() {
    let golden = limit(&common::golden(), Style::Plain);
    assert!(golden.contains("0.5319   certified, gap < 1e-15"), "{golden}");
    assert!(golden.contains("0.07936  14.92 % of the minimum norm"), "{golden}");
    let glucose = flat(&limit(&common::glucose(), Style::Plain));
    assert!(glucose.contains("bound: the true one lies in [1.802, 1.934]; both signs active on 2 rows"), "{glucose}");
    let infeasible = flat(&limit(&common::infeasible(), Style::Plain));
    assert!(infeasible.contains("none infeasible: rows 3 and 9 are equal but their labels are 1 and 2"));
}

#[test]
fn culprits_are_named_by_file_row_and_sign() {
    let text = flat(&limit(&common::glucose(), Style::Plain));
    assert!(
        text.contains("rows 7 and 12 are never fitted: their labels are too small against the pull of the other rows for step 1.891e-6"),
        "{text}"
    );
    assert!(text.contains("the negative neuron is dead, silent on every row from step 1 on"), "{text}");
    assert!(text.contains("the positive neuron is silent on 10 rows with negative labels, by right"), "{text}");
    assert!(
        text.contains("Settings signs +-, start orthant:0.001, step 1.891e-6 (C 30, stable below 5.5e-6)"),
        "{text}"
    );

    let mut tied = common::golden();
    tied.limit.reason = Reason::Ties;
    tied.limit.radius = Some(3.2e-9);
    tied.limit.ties = vec![TiePair { neuron: 0, row: 3 }];
    let text = flat(&limit(&tied, Style::Plain));
    assert!(
        text.contains("Certainty: bound.") && text.contains("The weights are within 3.2e-9 of the limit"),
        "{text}"
    );
    assert!(
        text.contains("row 3 never settles for the neuron: it crosses 0 for ever with vanishing amplitude"),
        "{text}"
    );

    let text = flat(&limit(&common::large(), Style::Plain));
    assert!(text.contains("neurons 0, 2, 4, 6, 8, 10, 12, 14 + 4 more are dead"), "{text}");
    assert!(text.contains("rows 21, 42, 63, 84, 105, 126, 147, 168 + 468 more are never fitted"), "{text}");
}

#[test]
fn each_outcome_has_its_sentence_and_hint() {
    let diverged = flat(&limit(&common::diverged(), Style::Plain));
    assert!(diverged.starts_with("Gradient descent diverges: the residual grows without bound. Loss not finite"));
    assert!(diverged.contains("Certainty: undecided."));
    assert!(
        diverged.contains("rows 3, 4, 9, 17 and 22 carry the growing direction (step times eigenvalue 10.3, limit 2)")
    );
    let mut large_step = common::diverged();
    large_step.settings.step = Some(2.84e-5);
    let text = flat(&limit(&large_step, Style::Plain));
    assert!(text.contains("Try --step 2.753e-6 (half the largest stable step"), "{text}");

    let flow = flat(&limit(&common::flow(), Style::Plain));
    assert!(flow.starts_with("The budget ended before gradient flow did; the state reached fits 2 of 3 rows."));
    assert!(flow.contains("after one mask change at time 0.1839") && flow.contains("Try --budget 600s"));

    let undecided = flat(&limit(&common::undecided(), Style::Plain));
    assert!(undecided.starts_with("Where gradient descent ends is undecided; the state reached fits 2 of 3 rows."));
    assert!(undecided.contains("High-dimensional theory: undecided") && undecided.contains("tau not known"));

    let mut silent = common::golden();
    silent.limit.reason = Reason::AllSilent;
    silent.limit.fitted = vec![];
    silent.limit.dead =
        vec![DeadNeuron { neuron: 0, since: Some(2.0), reason: SilentReason::SilencedByStep, evidence: None }];
    let text = flat(&limit(&silent, Style::Plain));
    assert!(text.starts_with(
        "Gradient descent stops: every neuron is silent, nothing moves any more, and it fits none of 3 rows."
    ));
    assert!(
        text.contains("the neuron is dead, silent on every row from step 2 on: a step threw it below 0 everywhere"),
        "{text}"
    );
    assert!(text.contains("Try --step 0.002941 (a tenth of this step: this one silenced every neuron)"), "{text}");

    let mut open = common::golden();
    open.limit.silent.truncate(1);
    open.limit.silent[0].reason = SilentReason::Undecided;
    open.limit.silent[0].neuron = None;
    open.limit.silent[0].evidence = Some("the runs that would tell are beyond the budget".to_owned());
    let row = open.limit.silent[0].row;
    let text = flat(&limit(&open, Style::Plain));
    let told =
        format!("row {row} is never fitted: the reason is undecided (the runs that would tell are beyond the budget)");
    assert!(text.contains(&told), "{text}");

    let mut all = common::golden();
    all.limit.fitted = vec![2, 3, 4];
    all.limit.silent = vec![];
    let text = flat(&limit(&all, Style::Plain));
    assert!(text.starts_with("Gradient descent converges and fits all 3 rows."));
    assert!(text.contains("Try --step-constant 4 (half the step about halves the gap)"), "{text}");

    let mut cycle = common::golden();
    cycle.limit.status = Status::Cycle;
    cycle.min_norm.status = Claim::Undecided;
    cycle.hypotheses.verdict = Verdict::Fails;
    let text = flat(&limit(&cycle, Style::Plain));
    assert!(
        text.starts_with("Gradient descent ends in a cycle") && text.contains("High-dimensional theory: fails"),
        "{text}"
    );
}

#[test]
fn starts_and_comparison_are_shown() {
    let text = limit(&common::many_starts(), Style::Plain);
    assert!(text.contains("End states over 100 random starts (95 % intervals)"), "{text}");
    assert!(text.contains("rows 7 and 12 are never fitted"), "culprits stay: {text}");
    assert!(text.contains("      62 %  [52.21 %, 70.90 %]    converged, loss 5.804"), "{text}");
    assert!(text.contains("Against 1,000 plain steps: relative distance of the weights 2.7e-15\n"));
}

#[test]
fn colour_adds_nothing_but_colour() {
    for (name, answer) in common::all() {
        let mut coloured = limit(&answer, Style::Ansi);
        assert!(coloured.contains("\x1b["), "{name}");
        for code in ["\x1b[0m", "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[33m"] {
            coloured = coloured.replace(code, "");
        }
        assert_eq!(coloured, limit(&answer, Style::Plain), "{name}");
        assert!(!limit(&answer, Style::Plain).contains('\x1b'), "{name}");
    }
}
