//! Lines of 80 columns, with or without colour.

/// Columns of a line.
pub const WIDTH: usize = 80;

/// Whether text carries terminal colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// No escape sequences.
    Plain,
    /// ANSI colours and weights; the words alone carry the meaning.
    Ansi,
}

impl Style {
    /// Colour on a terminal, unless NO_COLOR is set to something.
    pub fn choose(is_terminal: bool, no_color: Option<&str>) -> Self {
        if is_terminal && no_color.is_none_or(str::is_empty) { Self::Ansi } else { Self::Plain }
    }

    /// The headline.
    pub(crate) fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    /// A verdict word in its colour: green for what is proved, yellow for what is partly known, red for what is not so.
    pub(crate) fn verdict(self, word: &str) -> String {
        let code = match word {
            "certified" | "exact" | "holds" => "32",
            "infeasible" | "fails" => "31",
            _ => "33",
        };
        self.wrap(code, word)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Ansi => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }
}

/// Breaks `text` at spaces into lines of at most [`WIDTH`] columns: `first` before the first line, as many spaces
/// before the others. A word longer than a line is cut.
pub(crate) fn wrap(first: &str, text: &str) -> Vec<String> {
    let indent = first.chars().count();
    let room = WIDTH - indent;
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let mut word: Vec<char> = word.chars().collect();
        while !word.is_empty() {
            let used = line.chars().count();
            let space = usize::from(used > 0);
            if used + space + word.len() <= room {
                if space == 1 {
                    line.push(' ');
                }
                line.extend(word.drain(..));
            } else if used > 0 {
                lines.push(std::mem::take(&mut line));
            } else {
                line.extend(word.drain(..room));
            }
        }
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    let lead = |k: usize| if k == 0 { first.to_owned() } else { " ".repeat(indent) };
    lines.iter().enumerate().map(|(k, l)| format!("{}{l}", lead(k))).collect()
}

/// Keeps the first `most` lines of a wrapped sentence; what is cut shows as `...`.
pub(crate) fn at_most(mut lines: Vec<String>, most: usize) -> Vec<String> {
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            let keep: String = last.chars().take(WIDTH - 4).collect();
            *last = format!("{} ...", keep.trim_end_matches([',', ';', ':']));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapping_keeps_words_and_width() {
        let text = "alpha beta gamma ".repeat(20);
        let lines = wrap("  - ", &text);
        assert!(lines.iter().all(|l| l.chars().count() <= WIDTH));
        let joined = lines.join(" ").replace("  - ", "");
        assert_eq!(joined.split_whitespace().collect::<Vec<_>>(), text.split_whitespace().collect::<Vec<_>>());
        assert!(lines[1].starts_with("    "));
        assert_eq!(wrap("x ", &"y".repeat(200)).len(), 3);
        assert_eq!(at_most(wrap("", &text), 2).len(), 2);
        assert!(at_most(wrap("", &text), 2)[1].ends_with(" ..."));
    }

    #[test]
    fn colour_obeys_terminal_and_no_color() {
        assert_eq!(Style::choose(true, None), Style::Ansi);
        assert_eq!(Style::choose(true, Some("")), Style::Ansi);
        assert_eq!(Style::choose(true, Some("1")), Style::Plain);
        assert_eq!(Style::choose(false, None), Style::Plain);
        assert_eq!(Style::Plain.verdict("certified"), "certified");
        assert!(Style::Ansi.verdict("certified").contains("certified\x1b[0m"));
    }
}
