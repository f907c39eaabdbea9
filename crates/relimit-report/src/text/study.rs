//! The screenful of `relimit study`: one paragraph a section.

use relimit_solve::answer::StudyAnswer;

use super::layout::{Style, at_most, wrap};
use super::limit::capital;
use crate::page::story::{labels, size, story};

/// The answer as text: at most a screen, lines of at most 80 columns, a newline at the end.
pub fn study(answer: &StudyAnswer, style: Style) -> String {
    let title = format!("{}: {}, {}", answer.data.name, size(answer), labels(answer));
    let mut blocks = vec![style.bold(&title)];
    for told in story(answer) {
        let name = told.section.name();
        let word = told.status.name();
        let why = told.why.map_or_else(String::new, |why| format!(" {}.", capital(&why)));
        let lines = at_most(wrap(&format!("{name:<10}{word:<9}"), &format!("{}{why}", told.sentence)), 5);
        blocks.push(lines.join("\n").replacen(word, &style.verdict(word), 1));
    }
    let choices: Vec<String> =
        answer.choices.iter().map(|c| format!("{} {} ({})", c.flag, c.value, c.reason)).collect();
    blocks.push(at_most(wrap("Chosen    ", &choices.join("; ")), 6).join("\n"));
    format!("{}\n", blocks.join("\n\n"))
}
