//! Stage `pages`: pages of `relimit study` and of the gallery in a browser: valid, accessible, nothing overflows or overlaps, small.
//!
//! The checks are `tools/web/check.mjs` (html-validate, axe-core, and Chromium through playwright-core), installed into
//! `target/web` at first use. Chromium is the system's; where it is missing and this is root, apt installs it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::call::{output, run};
use crate::cargo::cargo;
use crate::stage::{Outcome, Tally};
use crate::workspace::{Workspace, children, read};

/// Names and arguments of the studies: one feature, two, many, missing values, two rows, a constant label, many rows.
const STUDIES: [(&str, &[&str]); 8] = [
    ("mcycle", &["examples/data/mcycle.csv", "--target", "accel"]),
    ("trees", &["examples/data/trees.csv", "--target", "Volume"]),
    ("meats", &["examples/data/meats.csv", "--target", "water", "--drop", "fat,protein"]),
    ("glucose", &["examples/data/glucose_spectra.csv", "--target", "glucose"]),
    ("airquality", &["examples/data/airquality.csv", "--target", "Ozone"]),
    ("two", &["target/pages/two.csv", "--target", "y"]),
    ("constant", &["target/pages/constant.csv", "--target", "y"]),
    ("sine", &["target/pages/sine.csv", "--target", "y"]),
];
/// Time of a study; one that it cuts has a page too.
const BUDGET: &str = "5s";
const BROWSERS: [&str; 2] = ["/usr/bin/chromium", "/usr/bin/chromium-browser"];

/// Makes the pages and checks them.
pub(crate) fn stage(workspace: &Workspace) -> Outcome {
    match tools(workspace) {
        Ok(Ok((web, browser))) => match check(workspace, &web, &browser) {
            Ok(pages) => Outcome::Passed(Tally { passed: pages, failed: 0 }),
            Err(message) => Outcome::Failed(Tally::default(), message),
        },
        Ok(Err(lacking)) => Outcome::NotRun(lacking),
        Err(message) => Outcome::Failed(Tally::default(), message),
    }
}

/// The installed checks and the browser, or what this machine lacks.
fn tools(workspace: &Workspace) -> Result<Result<(PathBuf, PathBuf), String>, String> {
    for program in ["node", "npm"] {
        if run(Command::new(program).arg("--version").stdout(Stdio::null())).is_err() {
            return Ok(Err("needs node 20 and npm".into()));
        }
    }
    let Some(browser) = browser()? else { return Ok(Err("needs root for chromium".into())) };
    Ok(Ok((install(workspace)?, browser)))
}

/// The system's Chromium, installed if this is root.
fn browser() -> Result<Option<PathBuf>, String> {
    let there = || BROWSERS.iter().map(PathBuf::from).find(|p| p.exists());
    if let Some(path) = there() {
        return Ok(Some(path));
    }
    if output(Command::new("id").arg("-u"))?.trim() != "0" {
        return Ok(None);
    }
    run(Command::new("apt-get").args(["update", "-qq"]))?;
    run(Command::new("apt-get").args(["install", "-y", "-qq", "--no-install-recommends", "chromium"]))?;
    there().map(Some).ok_or_else(|| "apt installed chromium, but it is not in /usr/bin".into())
}

/// `target/web` with what `tools/web` asks for; installed again when its lock file has changed.
fn install(workspace: &Workspace) -> Result<PathBuf, String> {
    let (from, web) = (workspace.root.join("tools/web"), workspace.root.join("target/web"));
    let lock = read(&from.join("package-lock.json"))?;
    let installed =
        web.join("node_modules").exists() && fs::read_to_string(web.join("installed")).is_ok_and(|l| l == lock);
    fs::create_dir_all(&web).map_err(|e| format!("{}: {e}", web.display()))?;
    for file in children(&from)?.into_iter().filter(|p| p.is_file()) {
        fs::copy(&file, web.join(file.file_name().unwrap_or_default()))
            .map_err(|e| format!("{}: {e}", file.display()))?;
    }
    if !installed {
        run(Command::new("npm").args(["ci", "--ignore-scripts"]).current_dir(&web))?;
        fs::write(web.join("installed"), lock).map_err(|e| format!("{}: {e}", web.display()))?;
    }
    Ok(web)
}

/// Writes the pages and lets the browser judge them; the number of pages.
fn check(workspace: &Workspace, web: &Path, browser: &Path) -> Result<usize, String> {
    cargo(workspace, &["build", "--release", "--workspace", "--bins"], &[])?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.root.join("target"), PathBuf::from);
    let place = workspace.root.join("target/pages");
    if place.exists() {
        fs::remove_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
    }
    fs::create_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
    for (name, text) in [("two", two()), ("constant", constant()), ("sine", sine())] {
        fs::write(place.join(format!("{name}.csv")), text).map_err(|e| format!("{}: {e}", place.display()))?;
    }
    let mut node = Command::new("node");
    node.current_dir(&workspace.root).arg(web.join("check.mjs")).arg("--chromium").arg(browser);
    for (name, arguments) in STUDIES {
        let out = place.join(name);
        let mut study = Command::new(target.join("release/relimit"));
        study.current_dir(&workspace.root).arg("study").args(arguments).args(["--budget", BUDGET, "--out"]).arg(&out);
        println!("study {name}");
        let status = study.stdout(Stdio::null()).status().map_err(|e| format!("relimit does not start: {e}"))?;
        // 3: the budget ended it
        if !matches!(status.code(), Some(0 | 3)) {
            return Err(format!("study {name}: {status}"));
        }
        node.arg(out.join("report.html"));
    }
    println!("gallery");
    let gallery = place.join("gallery");
    let mut claims = Command::new(target.join("release/relimit"));
    claims.current_dir(&workspace.root).args(["reproduce", "--all", "--quick", "--out"]).arg(&gallery);
    run(claims.stdout(Stdio::null()))?;
    let names = ["index", "06-two-points", "08-collapse-on-a-line"];
    node.args(names.map(|name| gallery.join(format!("{name}.html"))));
    run(&mut node)?;
    Ok(STUDIES.len() + names.len())
}

fn two() -> String {
    "x,y\n-2,-1\n2,1\n".into()
}

fn constant() -> String {
    "a,b,y\n1,2,3\n2,1,3\n5,0,3\n".into()
}

/// 10,000 rows of one period.
fn sine() -> String {
    let row = |k: u32| {
        let x = f64::from(k) / 10_000.0;
        format!("{x},{}\n", (std::f64::consts::TAU * x).sin())
    };
    std::iter::once("x,y\n".to_owned()).chain((0..10_000).map(row)).collect()
}
