//! The two lists of ARCHITECTURE.md that tidy holds the code to.

/// What one crate may use directly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arrow {
    pub(super) name: String,
    pub(super) may_use: Vec<String>,
}

/// The block fenced as `crates`: one line a crate, `name -> used used ...`, lowest first; `#` begins a remark.
pub(super) fn arrows(document: &str) -> Result<Vec<Arrow>, String> {
    let mut arrows: Vec<Arrow> = Vec::new();
    for line in block(document, "crates")? {
        let (name, used) = line.split_once("->").ok_or(format!("ARCHITECTURE.md: `{line}` has no ->"))?;
        let may_use: Vec<String> = used.split_whitespace().map(str::to_owned).collect();
        if let Some(late) = may_use.iter().find(|u| !arrows.iter().any(|a| a.name == **u)) {
            return Err(format!("ARCHITECTURE.md: {} uses {late}, which is not listed above it", name.trim()));
        }
        arrows.push(Arrow { name: name.trim().to_owned(), may_use });
    }
    Ok(arrows)
}

/// The block fenced as `modules`: the modules of relimit-core, one a line; each may use those above it.
pub(super) fn modules(document: &str) -> Result<Vec<String>, String> {
    Ok(block(document, "modules")?.iter().map(|l| l.split_whitespace().next().unwrap_or_default().to_owned()).collect())
}

/// The lines of the only block fenced as `kind`, remarks and empty lines left out.
fn block(document: &str, kind: &str) -> Result<Vec<String>, String> {
    let fence = format!("```{kind}");
    let lines: Vec<String> = document
        .lines()
        .skip_while(|l| l.trim() != fence)
        .skip(1)
        .take_while(|l| l.trim() != "```")
        .map(|l| l.split('#').next().unwrap_or_default().trim().to_owned())
        .filter(|l| !l.is_empty())
        .collect();
    if lines.is_empty() { Err(format!("ARCHITECTURE.md has no list fenced as {kind}")) } else { Ok(lines) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "\
# Title
```crates
core  ->
solve -> core        # convex problems
cli   -> core solve
```
```modules
num     # matrices
data
```
";

    #[test]
    fn both_lists_are_read() {
        let arrows = arrows(DOCUMENT).unwrap();
        assert_eq!(arrows.len(), 3);
        assert_eq!(arrows[2], Arrow { name: "cli".into(), may_use: vec!["core".into(), "solve".into()] });
        assert!(arrows[0].may_use.is_empty());
        assert_eq!(modules(DOCUMENT).unwrap(), ["num", "data"]);
    }

    #[test]
    fn an_arrow_that_points_up_or_a_missing_list_is_an_error() {
        let upward = DOCUMENT.replace("core  ->", "core  -> cli");
        assert!(arrows(&upward).unwrap_err().contains("core uses cli"));
        assert!(modules("nothing").unwrap_err().contains("modules"));
    }
}
