//! The page of a study: the answer in words, then section by section with pictures, tables and the commands behind them.

use maud::{Markup, html};
use relimit_core::net::mask;
use relimit_core::num::Mat;
use relimit_core::theory::{Finding, Verdict};
use relimit_solve::answer::{Claim, Fitted, Followed, Section, StudyAnswer};

use super::html::{cell, document, figure, table, word};
use super::story::{Told, labels, objective, size, story};
use crate::figure;
use crate::number::{asked, count, four, four_or, gap, percent, whole};
use crate::text::{capital, changes, degenerate};

/// Degeneracies that are listed.
const DEGENERATE: usize = 6;
/// Kinks that are listed.
const KINKS: usize = 8;

/// One HTML file without anything to load; the same bytes for the same answer.
pub fn study(answer: &StudyAnswer) -> String {
    let told = story(answer);
    let title = format!("What training does on {}", answer.data.name);
    let body = html! {
        header {
            h1 { (title) }
            p.note { (size(answer)) ", " (labels(answer)) ". Two-layer ReLU networks, squared loss." }
            ul.lead { @for t in &told { li { (t.sentence) } } }
            nav aria-label="Contents" { ul {
                li { a href="#data" { "Data and choices" } }
                @for t in &told { li { a href={ "#" (t.section.name()) } { (name(t.section)) } } }
                @if !answer.ledger.is_empty() { li { a href="#ledger" { "Theorems" } } }
                li { a href="#again" { "Commands" } }
            } }
        }
        main {
            (data(answer))
            @for t in &told { (section(answer, t)) }
            (ledger(&answer.ledger))
            (again(answer))
        }
        footer { p { "Made by relimit " (env!("CARGO_PKG_VERSION")) ". Every number of this page is in result.json beside it." } }
    };
    document(&title, &body)
}

fn name(section: Section) -> &'static str {
    match section {
        Section::Patterns => "Activation patterns",
        Section::Limit => "Where gradient descent ends",
        Section::Flow => "Where gradient flow ends",
        Section::Optimum => "The best network",
        Section::Law => "Noisy training",
    }
}

fn data(answer: &StudyAnswer) -> Markup {
    let facts = answer.limit.as_ref().or(answer.flow.as_ref()).map(|f| &f.answer.data);
    html! {
        section aria-labelledby="data" {
            h2 id="data" { "Data and choices" }
            @if !answer.data.notices.is_empty() { ul { @for n in &answer.data.notices { li { (capital(n)) @if !n.ends_with('.') { "." } } } } }
            @if let Some(f) = facts {
                p { "Rank " (f.rank.map_or_else(|| "not known".into(), |r| r.to_string())) " of " (f.dim) " inputs of a neuron; mean squared length of a row tau = "
                    (four_or(f.tau)) "; effective dimensions of the sample d2 = " (four_or(f.d2)) ", d_inf = " (four_or(f.d_inf)) " (at most the number of rows)." }
            }
            p { "What was chosen without being asked, and the flag that overrides it:" }
            dl { @for c in &answer.choices { dt { code { (c.flag) } " " (c.value) } dd { (c.reason) } } }
        }
    }
}

fn section(answer: &StudyAnswer, told: &Told) -> Markup {
    let id = told.section.name();
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (name(told.section)) " " small { (word(told.status.name())) } }
            p.lead { (told.sentence) }
            @if let Some(why) = &told.why { p.note { (capital(why)) "." } }
            @match told.section {
                Section::Patterns => (patterns(answer)),
                Section::Limit => (followed("limit", answer.limit.as_ref())),
                Section::Flow => (followed("flow", answer.flow.as_ref())),
                Section::Optimum => (optimum(answer)),
                Section::Law => (law(answer)),
            }
        }
    }
}

/// Features for the pictures: those read, or none of interest where pictures do not show them.
fn points(answer: &StudyAnswer) -> Mat {
    match &answer.data.points {
        Some(points) => Mat::from_rows(points),
        None => Mat::zeros(answer.data.n, answer.data.d),
    }
}

fn patterns(answer: &StudyAnswer) -> Markup {
    let Some(p) = &answer.patterns else { return html! {} };
    // without a bias the patterns belong to the scaled features, which the page does not have
    let drawable = p.settings.bias != "none" || p.settings.reader.scale == "none" || answer.data.d > 2;
    let drawn = if drawable { figure::patterns(p, &points(answer)) } else { None };
    let known = p.patterns_text.as_deref().map_or_else(|| format!("{} to {}", whole(&p.lower), whole(&p.upper)), whole);
    html! {
        p { "Rows in general position would give " (whole(&p.cover_bound_text)) ". A network at rest needs at most " (whole(&p.ray_bound_text)) " different neurons (2P - 1)." }
        @if !p.degeneracies.is_empty() { ul { @for line in p.degeneracies.iter().take(DEGENERATE) { li { (degenerate(p, line)) } } } }
        @if let Some(drawn) = &drawn { (figure("patterns", drawn)) }
        p.note { "P = " (known) "; status " (word(p.status.name())) "." }
    }
}

fn followed(name: &str, found: Option<&Followed>) -> Markup {
    let Some(Followed { answer, trajectory, .. }) = found else { return html! {} };
    let (limit, min) = (&answer.limit, &answer.min_norm);
    let rows = |k: usize| format!("{} of {}", count(k as u64), count(answer.data.n as u64));
    let facts = vec![
        vec![cell("end"), html! { (word(&format!("{:?}", limit.status).to_lowercase())) " " (changes(answer)) }],
        vec![cell("loss (half-mean)"), cell(four_or(limit.loss))],
        vec![cell("rows fitted"), cell(rows(limit.fitted.len()))],
        vec![cell("rows that no neuron is active on"), cell(rows(unseen(answer)))],
        vec![cell("neurons silent everywhere"), cell(limit.dead.len().to_string())],
        vec![cell("weight norm"), cell(four_or(limit.norm))],
        vec![
            cell("minimum norm that fits"),
            html! { (word(claim(min.status))) " " (min.norm.map_or_else(|| min.reason.clone().unwrap_or_default(), four)) },
        ],
        vec![
            cell("distance between the two"),
            cell(answer.gap.absolute.map_or_else(
                || "not known".to_owned(),
                |g| {
                    let share = answer
                        .gap
                        .relative
                        .map_or_else(String::new, |r| format!(" ({} of the minimum norm)", percent(r)));
                    format!("{}{share}", four(g))
                },
            )),
        ],
        vec![cell("high-dimensional theory"), html! { (answer.hypotheses.why) }],
    ];
    html! {
        @if !limit.message.is_empty() { p { (capital(&limit.message)) "." } }
        @if let Some(run) = trajectory { (figure(name, &figure::preactivations(answer, run))) }
        (table(&format!("Facts of the {name}"), &["fact", "value"], &facts))
    }
}

fn unseen(answer: &relimit_solve::answer::LimitAnswer) -> usize {
    let at_zero = answer.settings.relu_at_zero == 1;
    (0..answer.data.n).filter(|i| !answer.limit.preactivations.iter().any(|z| mask(z[*i], at_zero))).count()
}

fn claim(claim: relimit_solve::answer::Claim) -> &'static str {
    crate::text::word(claim)
}

fn optimum(answer: &StudyAnswer) -> Markup {
    if answer.optimum.is_empty() {
        return html! {};
    }
    let several = answer.data.further_targets.is_some();
    let last = if several { "#rank over all cells" } else { "unique" };
    let titles = ["#lambda", "#of lambda_max", "#objective", "certainty", "#loss", "#neurons", last];
    let rows: Vec<Vec<Markup>> = answer
        .optimum
        .iter()
        .map(|Fitted { answer: a, .. }| {
            vec![
                cell(four(a.lambda)),
                cell(if a.lambda_max > 0.0 { percent(asked(a.lambda / a.lambda_max)) } else { "-".into() }),
                cell(objective(a)),
                html! { (word(claim(a.status))) @if a.status == Claim::Certified { ", " (gap(a.gap)) } },
                cell(four(a.loss)),
                cell(a.width.to_string()),
                match &a.cells {
                    Some(cells) => cell(cells.iter().map(|c| c.rank).sum::<usize>().to_string()),
                    None => cell(a.unique.map_or("not known", |u| if u { "yes" } else { "no" })),
                },
            ]
        })
        .collect();
    let shown: Vec<(usize, &Fitted)> =
        answer.optimum.iter().enumerate().skip(answer.optimum.len().saturating_sub(2)).collect();
    let x = points(answer);
    html! {
        (table("Optima", &titles, &rows))
        @if several { p.note { "Neurons and their number are not determined by several targets, as rays of one target are: a whole arc of directions can be best at once. The rank on each cell of inputs is." } }
        @for (lambda, told) in kinks(answer) { p.note { "Kinks at lambda " (lambda) ": " (told) "." } }
        @for (k, fitted) in shown {
            @let fit = figure::Fit { x: &x, y: &answer.data.labels, features: &answer.data.features, target: &answer.data.target, network: &fitted.network, output: 0 };
            (figure(&format!("optimum{k}"), &figure::optimum(&fitted.answer, &fit)))
        }
    }
}

/// Where the functions of one feature bend, for each lambda at which they do.
fn kinks(answer: &StudyAnswer) -> Vec<(String, String)> {
    let told = |Fitted { answer: a, .. }: &Fitted| {
        let kinks = a.kinks.as_ref().filter(|k| !k.is_empty())?;
        let mut told: Vec<String> = kinks.iter().take(KINKS).map(|k| four(*k)).collect();
        if kinks.len() > KINKS {
            told.push(format!("and {} more", count((kinks.len() - KINKS) as u64)));
        }
        Some((four(a.lambda), told.join(", ")))
    };
    answer.optimum.iter().filter_map(told).collect()
}

fn law(answer: &StudyAnswer) -> Markup {
    let Some(law) = &answer.law else { return html! {} };
    let rows: Vec<Vec<Markup>> = law
        .path
        .iter()
        .map(|p| {
            vec![
                cell(four(p.beta)),
                cell(four(p.free_energy)),
                cell(four(p.objective)),
                cell(p.effective_width.to_string()),
                cell(percent(p.covered)),
                cell(four(p.outputs_error)),
                word(&format!("{:?}", p.status).to_lowercase()),
            ]
        })
        .collect();
    let titles = [
        "#beta",
        "#free energy",
        "#objective",
        "#effective width",
        "#coefficient covered",
        "#error of the outputs",
        "status",
    ];
    html! {
        p { "Weight decay lambda = " (four(law.lambda)) "; beta is the inverse temperature; directions within "
            (four(law.settings.angle)) " degrees count as one neuron, and neurons count by coefficient, never by number of particles." }
        (table("Temperatures", &titles, &rows))
        @if let Some(drawn) = figure::gibbs(law, (&points(answer), &answer.data.labels), (&answer.data.features[0], &answer.data.target)) { (figure("law", &drawn)) }
    }
}

/// Every theorem with its verdict on these data; those that decide something first.
fn ledger(findings: &[Finding]) -> Markup {
    if findings.is_empty() {
        return html! {};
    }
    let order = [Verdict::Fails, Verdict::Holds, Verdict::Undecided, Verdict::NotMet];
    let of = |v: Verdict| findings.iter().filter(move |f| f.verdict == v);
    let tally: Vec<String> = order.iter().map(|v| format!("{} {}", of(*v).count(), v.words())).collect();
    html! {
        section aria-labelledby="ledger" {
            h2 id="ledger" { "What the theorems say about these data" }
            p.lead { (findings.len()) " claims from the literature and from this project: " (tally.join(", ")) "." }
            p.note { "A claim about a rate is never decided by one data set. Claims are worded as their source's where its text was read." }
            @for verdict in order { @for f in of(verdict) { (finding(f)) } }
        }
    }
}

fn finding(f: &Finding) -> Markup {
    let class = if f.verdict == Verdict::NotMet { "skipped" } else { f.verdict.words() };
    let year = format!("{} ({})", f.source.authors, f.source.year);
    html! {
        details {
            summary { span class={ "word " (class) } { (f.verdict.words()) } " " (capital(&f.claim)) span.note { " - " (year) } }
            p { (capital(&f.why)) @if !f.why.ends_with('.') { "." } }
            @if f.measured.is_some() || f.bound.is_some() {
                p { "Measured " (four_or(f.measured)) ", claim " (four_or(f.bound)) @if let Some(s) = f.slack { ", slack " (percent(s)) }
                    @if !f.meaning.is_empty() { " (" (f.meaning) ")" } "." }
            }
            @if !f.hypotheses.is_empty() { ul { @for h in &f.hypotheses {
                li { (h.met.map_or("not known: ", |m| if m { "met: " } else { "not met: " })) (h.what) @if !h.evidence.is_empty() { " - " (h.evidence) } }
            } } }
            p.note { cite { (f.source.title) } ", " (f.source.where_) ". Key " code { (f.theorem) } "." }
        }
    }
}

/// The commands that give each section again.
fn again(answer: &StudyAnswer) -> Markup {
    let s = &answer.settings;
    let more = answer.data.further_targets.as_deref().unwrap_or_default();
    let targets: Vec<&str> =
        std::iter::once(&answer.data.target).chain(more.iter().map(|t| &t.name)).map(String::as_str).collect();
    let mut shared = reader(answer, &targets, &[]);
    // patterns take one target; the others are no features
    let read = reader(answer, &targets[..1], &targets[1..]);
    if s.reader.scale != "none" {
        shared = format!("{shared} --scale {}", s.reader.scale);
    }
    // with a bias the patterns are those of the rows as read
    let patterns =
        if s.bias == "none" && s.reader.scale != "none" { format!("{read} --scale {}", s.reader.scale) } else { read };
    let labelled = if s.reader.target_scale == "none" {
        shared.clone()
    } else {
        format!("{shared} --target-scale {}", s.reader.target_scale)
    };
    let mut lines = vec![format!("relimit patterns {patterns} --bias {}", s.bias)];
    if more.is_empty() {
        let limit = format!("relimit limit {labelled} --bias {} --loss half-mean --signs {}", s.bias, quoted(&s.signs));
        lines.extend([limit.clone(), format!("{limit} --flow")]);
    }
    lines.extend(s.lambda.iter().map(|l| format!("relimit optimum {labelled} --bias {} --lambda {l}", s.bias)));
    if let Some(law) = &answer.law {
        let beta: Vec<String> = law.path.iter().map(|p| p.beta.to_string()).collect();
        lines.push(format!(
            "relimit gibbs {labelled} --bias {} --lambda {} --beta {}",
            s.bias,
            law.lambda,
            beta.join(",")
        ));
    }
    html! {
        section aria-labelledby="again" {
            h2 id="again" { "Commands" }
            p { "Each section alone, with all its flags (add --help for more):" }
            pre tabindex="0" { (lines.join("\n")) }
        }
    }
}

/// Where the data are and how they are read, with these targets and without those columns.
fn reader(answer: &StudyAnswer, targets: &[&str], without: &[&str]) -> String {
    let s = &answer.settings.reader;
    let Some(file) = &s.data else {
        return format!("--synthetic {}", quoted(s.synthetic.as_deref().unwrap_or_default()));
    };
    let mut out = quoted(file);
    let mut add = |flag: &str, value: &str| out = format!("{out} --{flag} {}", quoted(value));
    for name in targets {
        add("target", name);
    }
    let dropped: Vec<&str> = s.drop.as_deref().into_iter().chain(without.iter().copied()).collect();
    match &s.columns {
        Some(columns) => add("columns", columns),
        None if dropped.is_empty() => {}
        None => add("drop", &dropped.join(",")),
    }
    if let Some(rows) = &s.rows {
        add("rows", rows);
    }
    if s.missing == "drop" {
        add("missing", "drop");
    }
    out
}

/// A word for a shell.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-+/,:=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}
