//! Figures: well-formed, complete, small, and the same on every machine.

mod common;

use relimit_report::csv;
use relimit_report::figure::{MOST_MARKS, MOST_POINTS, preactivations};
use relimit_solve::answer::Clock;

/// Elements of an SVG in order; panics where tags do not nest or an attribute is not quoted.
fn elements(svg: &str) -> Vec<String> {
    let mut open: Vec<String> = Vec::new();
    let mut all = Vec::new();
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        assert!(!rest[..start].contains('>'), "a bare > before {}", &rest[start..rest.len().min(start + 40)]);
        let end = start + rest[start..].find('>').expect("a tag ends");
        let tag = &rest[start + 1..end];
        assert_eq!(tag.matches('"').count() % 2, 0, "unbalanced quotes in {tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "tags nest");
        } else {
            let name = tag.split([' ', '/', '\n']).next().unwrap_or_default().to_owned();
            if !tag.ends_with('/') {
                open.push(name.clone());
            }
            all.push(name);
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty(), "unclosed: {open:?}");
    all
}

fn count(svg: &str, element: &str) -> usize {
    elements(svg).iter().filter(|e| *e == element).count()
}

/// Numbers of all polylines together, in points.
fn points(svg: &str) -> usize {
    svg.split("points=\"").skip(1).map(|p| p.split('"').next().unwrap_or("").split_whitespace().count()).sum()
}

#[test]
fn documents_are_well_formed_and_say_what_they_show() {
    for (name, figure) in common::figures() {
        let all = elements(&figure.svg);
        assert_eq!(all[0], "svg", "{name}");
        assert!(figure.svg.contains("<title id=\"title\">") && figure.svg.contains("<desc id=\"desc\">"), "{name}");
        assert!(figure.svg.contains("role=\"img\" aria-labelledby=\"title desc\""), "{name}");
        assert!(figure.svg.contains("prefers-color-scheme: dark"), "{name}");
        for bad in ["NaN", "inf\"", "not finite\""] {
            assert!(!figure.svg.contains(bad), "{name}: {bad}");
        }
        assert!(figure.svg.len() < 1_500_000, "{name}: {} bytes", figure.svg.len());
        assert!(!figure.title.is_empty() && figure.caption.len() > 60, "{name}");
        if let Some(dir) = std::env::var_os("RELIMIT_FIGURES") {
            std::fs::write(std::path::PathBuf::from(dir).join(format!("{name}.svg")), &figure.svg).unwrap();
        }
    }
}

#[test]
fn one_line_an_example_and_neuron() {
    let run = common::golden_trajectory(&[1.0, -1.0], 60);
    let figure = preactivations(&common::golden(), &run);
    for row in 2..=4 {
        let titles = figure.svg.matches(&format!("<title>row {row}, label ")).count();
        assert_eq!(titles, 2, "row {row} has a line for each of two neurons");
    }
    // Six lines, six label leaders, two legend samples; dashed groups are the negative label's two lines and its sample.
    assert_eq!(count(&figure.svg, "polyline"), 14);
    assert_eq!(figure.svg.matches("stroke-dasharray").count(), 3);
    assert_eq!(count(&figure.svg, "circle"), 3, "each label is a ring for the neuron of its sign");
    assert!(figure.svg.contains(">gradient-descent step</text>") || figure.svg.contains("gradient-descent step\n"));
    assert!(figure.caption.contains("golden.csv") && figure.caption.contains("C = 2"), "{}", figure.caption);
    // The limit of the golden example: row 4 of the positive neuron ends at -0.32614379, silent.
    assert!(
        (run.z[60][(0, 2)] + 0.326_143_79).abs() < 0.05 && figure.svg.contains("row 4, label -1, silent at the end")
    );
}

#[test]
fn a_long_run_stays_a_small_picture() {
    let run = common::made_up(21, 2, 1e6, 120_000);
    let figure = preactivations(&common::glucose(), &run);
    assert!(count(&figure.svg, "line") <= MOST_MARKS + 200, "{} marks", count(&figure.svg, "line"));
    assert!(figure.svg.len() < 700_000, "{} bytes", figure.svg.len());
    assert!(figure.svg.contains("60,000 mask changes"), "each panel counts all of its events");
    for k in ["10⁰", "10³", "10⁶"] {
        assert!(figure.svg.contains(k), "tick {k}");
    }
    let crowd = preactivations(&common::large(), &common::made_up(2_000, 6, 1e4, 50_000));
    assert!(points(&crowd.svg) <= MOST_POINTS + MOST_POINTS / 10, "{} points", points(&crowd.svg));
    assert!(crowd.svg.contains("200 of 2,000 rows drawn; 4 of 6 neurons"));
}

#[test]
fn odd_runs_still_have_a_picture() {
    let mut start_only = common::golden_trajectory(&[1.0], 0);
    assert_eq!(start_only.at.len(), 1);
    elements(&preactivations(&common::golden(), &start_only).svg);
    start_only.z[0].as_mut_slice().fill(f64::NAN);
    assert!(!preactivations(&common::golden(), &start_only).svg.contains("NaN"));
    let mut flow = common::golden_trajectory(&[1.0], 60);
    flow.clock = Clock::Time;
    flow.at = (0..=60).map(|k| if k == 0 { 0.0 } else { 1e-4 * 1.25f64.powi(k) }).collect();
    flow.events.iter_mut().for_each(|e| e.at = 2e-4);
    let figure = preactivations(&common::flow(), &flow);
    assert!(figure.svg.contains("gradient-flow time") && figure.svg.contains("10⁻³"));
}

#[test]
fn the_numbers_of_a_figure_are_csv() {
    let run = common::golden_trajectory(&[1.0], 2);
    let text = csv::trajectory(&run);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "at,neuron,row,z");
    assert_eq!(lines.len(), 1 + 3 * 3);
    // Step 1 of the golden example: z = (.53382353, 1.00441176, -.40735294).
    for (line, z) in lines[4..7].iter().zip([0.533_823_53, 1.004_411_76, -0.407_352_94]) {
        let cells: Vec<&str> = line.split(',').collect();
        assert!((cells[3].parse::<f64>().unwrap() - z).abs() < 1e-8, "{line}");
    }
    assert_eq!(csv::events(&run.events), "at,neuron,row,to\n1,0,4,off\n");
}

#[cfg(feature = "png")]
#[test]
fn png_has_the_size_asked_for_and_the_font() {
    use relimit_report::figure::png;
    for (name, figure) in common::figures() {
        let bytes = png(&figure.svg, 1.5).expect("renders");
        assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n", "{name}");
        let side = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        assert_eq!(side(16), 1200, "{name}");
        assert!([600, 630, 900].contains(&side(20)), "{name}: height {}", side(20));
        if let Some(dir) = std::env::var_os("RELIMIT_FIGURES").map(std::path::PathBuf::from) {
            std::fs::write(dir.join(format!("{name}.png")), &bytes).unwrap();
            let dark =
                figure.svg.replace("@media (prefers-color-scheme: dark) {", "").replace("}\n}</style>", "}</style>");
            std::fs::write(dir.join(format!("{name}-dark.png")), png(&dark, 1.5).unwrap()).unwrap();
        }
    }
    let word = |text: &str| {
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"80\" height=\"20\"><text x=\"2\" y=\"14\" \
             font-family=\"sans-serif\" font-size=\"12\">{text}</text></svg>"
        );
        png(&svg, 1.0).expect("renders")
    };
    assert_ne!(word("row 7"), word(""), "text is drawn");
    assert_eq!(word("row 7"), word("row 7"));
    assert!(png("<svg", 1.0).is_err());
    assert!(png("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"80\" height=\"20\"/>", 1e-9).is_err());
}
