//! The page of a claim of the gallery: what is claimed and by whom, and every number beside the expected one.

use maud::{Markup, PreEscaped, html};

use super::html::{cell, document, table, word};

/// A claim and what its calls gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClaimPage {
    /// Name of its folder.
    pub name: String,
    /// A headline.
    pub title: String,
    /// What is claimed.
    pub claim: String,
    /// Who claims it, and where the expected numbers are from.
    pub source: String,
    /// The calls, in order.
    pub runs: Vec<Shown>,
    /// A picture as SVG, by this program.
    pub picture: Option<String>,
}

/// One call and its numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shown {
    /// Arguments of the program.
    pub call: String,
    /// For a call that is made many times: what stands in its places.
    pub with: String,
    /// What it gave.
    pub compared: Vec<Compared>,
}

/// A number beside the expected one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compared {
    /// Where in the answer.
    pub at: String,
    /// What is there.
    pub found: String,
    /// What should be.
    pub expected: String,
    /// Largest distance; empty for equality.
    pub within: String,
    /// Whether it is as expected.
    pub right: bool,
}

impl ClaimPage {
    /// Numbers as expected, and all of them.
    pub fn score(&self) -> (usize, usize) {
        let all = self.runs.iter().flat_map(|r| &r.compared);
        all.fold((0, 0), |(right, all), c| (right + usize::from(c.right), all + 1))
    }

    fn verdict(&self) -> &'static str {
        let (right, all) = self.score();
        if right == all { "holds" } else { "fails" }
    }
}

/// One HTML file without anything to load; the same bytes for the same numbers.
pub fn claim(page: &ClaimPage) -> String {
    let (right, all) = page.score();
    let body = html! {
        header {
            h1 { (page.title) }
            p.note { (page.name) ": " (right) " of " (all) " numbers reproduced, " (word(page.verdict())) }
        }
        main {
            p.lead { (page.claim) }
            p { (page.source) }
            @if let Some(svg) = &page.picture {
                figure { section.wide tabindex="0" aria-label="Figure" { (PreEscaped(svg)) } }
            }
            @for (k, run) in page.runs.iter().enumerate() {
                h2 { "Call " (k + 1) }
                pre { "relimit " (run.call) }
                @if !run.with.is_empty() { p { (run.with) } }
                @if !run.compared.is_empty() { (numbers(&format!("Numbers of call {}", k + 1), &run.compared)) }
            }
        }
        (footer())
    };
    // a tab has room for a name, not for a sentence
    document(&page.name, &body)
}

/// The page that leads to those of all claims.
pub fn claims(pages: &[ClaimPage]) -> String {
    let row = |p: &ClaimPage| {
        let (right, all) = p.score();
        let link = html! { a href={ (p.name) ".html" } { (p.title) } };
        vec![link, cell(format!("{right} of {all}")), word(p.verdict())]
    };
    let rows: Vec<Vec<Markup>> = pages.iter().map(row).collect();
    let body = html! {
        header { h1 { "Claims with their numbers" } }
        main { (table("Claims", &["claim", "#numbers", "verdict"], &rows)) }
        (footer())
    };
    document("Claims with their numbers", &body)
}

fn numbers(label: &str, compared: &[Compared]) -> Markup {
    let row = |c: &Compared| {
        let verdict = if c.right { word("holds") } else { word("fails") };
        vec![html! { code { (c.at) } }, cell(&c.found), cell(&c.expected), cell(&c.within), verdict]
    };
    let rows: Vec<Vec<Markup>> = compared.iter().map(row).collect();
    table(label, &["in the answer", "#found", "#expected", "#within", "verdict"], &rows)
}

fn footer() -> Markup {
    html! { footer { p { "Made by relimit " (env!("CARGO_PKG_VERSION")) "." } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_counts_its_numbers_and_says_which_is_off() {
        let number = |found: &str, right| Compared {
            at: "/objective".into(),
            found: found.into(),
            expected: "0.5".into(),
            within: "1e-9".into(),
            right,
        };
        let page = ClaimPage {
            name: "00-two".into(),
            title: "a < b".into(),
            runs: vec![Shown {
                call: "optimum a.csv".into(),
                with: String::new(),
                compared: vec![number("0.5", true), number("0.7", false), number("0.5", true)],
            }],
            ..ClaimPage::default()
        };
        assert_eq!(page.score(), (2, 3));
        let text = claim(&page);
        assert!(text.contains("<h1>a &lt; b</h1>") && text.contains("2 of 3 numbers reproduced"), "{text}");
        assert_eq!(text.matches(">fails<").count(), 2, "the number and the claim: {text}");
        let all = claims(&[page]);
        assert!(all.contains("href=\"00-two.html\"") && all.contains("2 of 3"), "{all}");
    }
}
