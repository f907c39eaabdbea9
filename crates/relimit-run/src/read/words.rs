//! Words in messages: shortened values, lists of names and rows, and the nearest known name.

/// The known name that `name` most likely stands for, if one is near: equal but for case, or within an edit distance
/// of a third of its length.
pub fn nearest<'a>(name: &str, known: &'a [String]) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    let (distance, best) = known.iter().map(|k| (edits(&wanted, &k.to_lowercase()), k)).min_by_key(|(d, _)| *d)?;
    (distance <= (name.chars().count() / 3).max(1)).then_some(best.as_str())
}

/// Levenshtein distance, one row of the table at a time.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// The value in quotes, control characters escaped, at most 40 characters of it.
pub(crate) fn shown(value: &str) -> String {
    let mut text: String = value.chars().take(40).flat_map(char::escape_debug).collect();
    if value.chars().nth(40).is_some() {
        text.push_str("...");
    }
    format!("'{text}'")
}

/// `a, b, c`; of more than twelve names the first eight and the last, with the count.
pub(crate) fn names(all: &[String]) -> String {
    let cut =
        |n: &String| if n.chars().count() > 40 { n.chars().take(40).collect::<String>() + "..." } else { n.clone() };
    if all.len() <= 12 {
        return all.iter().map(cut).collect::<Vec<_>>().join(", ");
    }
    let first: Vec<String> = all[..8].iter().map(cut).collect();
    format!("{}, ..., {} ({} in all)", first.join(", "), cut(&all[all.len() - 1]), all.len())
}

/// `row 3`, `rows 3 and 7`, `rows 3, 7, 9 and 12 more`.
pub(crate) fn rows(all: &[usize]) -> String {
    match all {
        [one] => format!("row {one}"),
        [head @ .., last] if all.len() <= 8 => {
            let head: Vec<String> = head.iter().map(usize::to_string).collect();
            format!("rows {} and {last}", head.join(", "))
        }
        _ => {
            let head: Vec<String> = all.iter().take(6).map(usize::to_string).collect();
            format!("rows {} and {} more", head.join(", "), all.len().saturating_sub(6))
        }
    }
}

/// `1 row`, `2 rows`.
pub(crate) fn count(n: usize, thing: &str) -> String {
    if n == 1 { format!("1 {thing}") } else { format!("{n} {thing}s") }
}

/// `; did you mean 'x'?`, or nothing.
pub(crate) fn hint(near: Option<&String>) -> String {
    near.map_or_else(String::new, |n| format!("; did you mean '{n}'?"))
}

/// `--drop a --drop b`, quoted for a shell where needed.
pub(crate) fn drops(all: &[String]) -> String {
    let few: Vec<String> = all.iter().take(6).map(|n| format!("--drop {}", quoted(n))).collect();
    let more = if all.len() > 6 { " ..." } else { "" };
    few.join(" ") + more
}

/// The name as a shell word.
pub(crate) fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-+/".contains(c);
    if !name.is_empty() && name.chars().all(plain) {
        name.to_string()
    } else {
        format!("'{}'", name.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_forgives_case_and_typing() {
        let known: Vec<String> = ["glucose", "nm428", "Ozone"].map(String::from).to_vec();
        assert_eq!(nearest("glucoes", &known), Some("glucose"));
        assert_eq!(nearest("OZONE", &known), Some("Ozone"));
        assert_eq!(nearest("protein", &known), None);
    }

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(rows(&[7]), "row 7");
        assert_eq!(rows(&[7, 19]), "rows 7 and 19");
        assert_eq!(rows(&(2..30).collect::<Vec<_>>()), "rows 2, 3, 4, 5, 6, 7 and 22 more");
        let many: Vec<String> = (0..100).map(|i| format!("c{i}")).collect();
        assert_eq!(names(&many), "c0, c1, c2, c3, c4, c5, c6, c7, ..., c99 (100 in all)");
        assert_eq!(shown("a\tb"), "'a\\tb'");
    }
}
