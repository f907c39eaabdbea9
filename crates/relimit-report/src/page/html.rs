//! Pieces that every page is made of: words of certainty, tables, figures.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::figure::Figure;

/// The look of every page.
const STYLE: &str = include_str!("style.css");

/// One HTML file without anything to load; the same bytes for the same title and body.
pub(super) fn document(title: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " - relimit" }
                style { (PreEscaped(STYLE)) }
            }
            body { (body) }
        }
    };
    page.into_string() + "\n"
}

/// A word of certainty in its colour; the word itself says it.
pub(super) fn word(word: &str) -> Markup {
    html! { span class={ "word " (word) } { (word) } }
}

/// A table that scrolls inside itself; columns whose title begins with `#` hold numbers.
pub(super) fn table(label: &str, titles: &[&str], rows: &[Vec<Markup>]) -> Markup {
    let number = |k: usize| titles[k].starts_with('#');
    html! {
        section.wide tabindex="0" aria-label=(label) {
            table {
                thead { tr { @for (k, title) in titles.iter().enumerate() {
                    th scope="col" class=[number(k).then_some("number")] { (title.trim_start_matches('#')) }
                } } }
                tbody { @for row in rows {
                    tr { @for (k, cell) in row.iter().enumerate() {
                        td class=[number(k).then_some("number")] { (cell) }
                    } }
                } }
            }
        }
    }
}

/// A cell of plain text.
pub(super) fn cell(text: impl AsRef<str>) -> Markup {
    html! { (text.as_ref()) }
}

/// A figure inside the page. `name` makes its identifiers differ from those of the other figures.
pub(super) fn figure(name: &str, figure: &Figure) -> Markup {
    let svg = figure
        .svg
        .replace("id=\"title\"", &format!("id=\"{name}-title\""))
        .replace("id=\"desc\"", &format!("id=\"{name}-desc\""))
        .replace("aria-labelledby=\"title desc\"", &format!("aria-labelledby=\"{name}-title {name}-desc\""));
    html! { figure { section.wide tabindex="0" aria-label={ "Figure: " (name) } { (PreEscaped(svg)) } figcaption { (figure.caption) } } }
}
