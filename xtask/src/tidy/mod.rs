//! Stage `tidy`: the layering that ARCHITECTURE.md lists, and habits of text that no other tool checks.

mod layers;
mod lists;
mod modules;
mod text;

use crate::stage::Outcome;
use crate::workspace::{Workspace, read};

/// Prints every finding; any finding but a warning fails the stage.
pub(crate) fn stage(workspace: &Workspace) -> Outcome {
    let findings = match findings(workspace) {
        Ok(findings) => findings,
        Err(message) => return Outcome::from_check(Err(message)),
    };
    for finding in &findings {
        println!("{finding}");
    }
    let errors = findings.iter().filter(|f| !f.starts_with("warning: ")).count();
    Outcome::from_check(if errors == 0 { Ok(()) } else { Err(format!("{errors} findings")) })
}

fn findings(workspace: &Workspace) -> Result<Vec<String>, String> {
    let document = read(&workspace.root.join("ARCHITECTURE.md"))?;
    let arrows = lists::arrows(&document)?;
    let order = lists::modules(&document)?;
    let mut findings = layers::check(&workspace.members, &arrows);
    findings.extend(modules::check(workspace, &order)?);
    findings.extend(text::check(&workspace.root)?);
    Ok(findings)
}
