//! The nearest known name to a mistyped one.

/// The candidate within a third of its length (at least one) in edits, swaps of neighbours counted once; the first of equals.
pub fn nearest<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    candidates
        .iter()
        .map(|c| (distance(&name.to_lowercase(), &c.to_lowercase()), *c))
        .filter(|(edits, c)| *edits <= (c.chars().count() / 3).max(1))
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, c)| c)
}

/// Number of insertions, deletions, replacements and swaps of neighbours between two words. O(|a| |b|).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for k in 0..=b.len() {
            rows[i][k] = if i == 0 || k == 0 {
                i + k
            } else {
                let swap = i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1];
                let replaced = rows[i - 1][k - 1] + usize::from(a[i - 1] != b[k - 1]);
                let best = replaced.min(rows[i - 1][k] + 1).min(rows[i][k - 1] + 1);
                if swap { best.min(rows[i - 2][k - 2] + 1) } else { best }
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_are_recognised() {
        let names = ["gaussian", "rademacher", "orthogonal", "n", "seed"];
        assert_eq!(nearest("gausian", &names), Some("gaussian"));
        assert_eq!(nearest("Rademahcer", &names), Some("rademacher"));
        assert_eq!(nearest("sede", &names), Some("seed"));
        assert_eq!(nearest("N", &names), Some("n"));
        assert_eq!(nearest("uniform", &names), None);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("ab", "ba"), 1);
    }
}
