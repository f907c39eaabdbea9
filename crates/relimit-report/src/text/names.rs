//! Rows and neurons in words.

/// Rows of the file in words, shortened: `row 7`, `rows 7 and 19`, `rows 2-11, 14, 20 + 13 more`.
///
/// Runs of three or more become ranges; after eight items the rest is counted.
pub fn rows(list: &[usize]) -> String {
    listed(list, "row")
}

/// Neurons in words, shortened as [`rows`]; numbers count from 0, as in the JSON output.
pub fn neurons(list: &[usize]) -> String {
    listed(list, "neuron")
}

fn listed(list: &[usize], thing: &str) -> String {
    const ITEMS: usize = 8;
    let mut sorted = list.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let items = runs(&sorted);
    let plural = if sorted.len() == 1 { "" } else { "s" };
    let names: Vec<String> =
        items.iter().map(|(a, b)| if a == b { a.to_string() } else { format!("{a}-{b}") }).collect();
    let names = match names.as_slice() {
        [] => return format!("no {thing}s"),
        [one] => one.clone(),
        [head @ .., last] if names.len() <= ITEMS => format!("{} and {last}", head.join(", ")),
        _ => {
            let shown: usize = items[..ITEMS].iter().map(|(a, b)| b - a + 1).sum();
            format!("{} + {} more", names[..ITEMS].join(", "), sorted.len() - shown)
        }
    };
    format!("{thing}{plural} {names}")
}

/// Runs of three or more consecutive numbers as (first, last), the others as (k, k).
fn runs(sorted: &[usize]) -> Vec<(usize, usize)> {
    let mut items = Vec::new();
    let mut k = 0;
    while k < sorted.len() {
        let mut end = k;
        while end + 1 < sorted.len() && sorted[end + 1] == sorted[end] + 1 {
            end += 1;
        }
        if end - k < 2 {
            end = k;
        }
        items.push((sorted[k], sorted[end]));
        k = end + 1;
    }
    items
}

/// A neuron in words: `the neuron`, `the positive neuron`, or `neuron 2 (-)` when its sign does not single it out.
///
/// `signs` has one `+` or `-` a neuron; numbers count from 0, as in the JSON output.
pub fn neuron_name(signs: &str, j: usize) -> String {
    let signs: Vec<char> = signs.chars().collect();
    let sign = signs.get(j).copied().unwrap_or('+');
    if signs.len() == 1 {
        return "the neuron".to_owned();
    }
    if signs.iter().filter(|s| **s == sign).count() == 1 {
        return format!("the {} neuron", if sign == '-' { "negative" } else { "positive" });
    }
    format!("neuron {j} ({sign})")
}

/// A name of at most `most` characters: the middle of a longer one becomes `...`.
pub(crate) fn short(name: &str, most: usize) -> String {
    let chars: Vec<char> = name.chars().collect();
    if chars.len() <= most {
        return name.to_owned();
    }
    let tail = (most - 3) / 2;
    let head: String = chars[..most - 3 - tail].iter().collect();
    let end: String = chars[chars.len() - tail..].iter().collect();
    format!("{head}...{end}")
}

/// `1 row`, `21 rows`.
pub(crate) fn many(k: usize, thing: &str) -> String {
    format!("{} {thing}{}", crate::number::count(k as u64), if k == 1 { "" } else { "s" })
}

/// Features of a sentence: named where they are few, else counted.
pub(crate) fn features(names: &[String]) -> String {
    /// Longest list that is written out.
    const LONGEST: usize = 80;
    let all = names.join(", ");
    if all.chars().count() <= LONGEST { all } else { many(names.len(), "feature") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_features_are_named_and_many_counted() {
        let names: Vec<String> = (428..1475).map(|nm| format!("nm{nm}")).collect();
        assert_eq!(features(&names[..3]), "nm428, nm429, nm430");
        assert_eq!(features(&names), "1,047 features");
    }

    #[test]
    fn rows_are_shortened() {
        assert_eq!(rows(&[]), "no rows");
        assert_eq!(rows(&[7]), "row 7");
        assert_eq!(rows(&[19, 7]), "rows 7 and 19");
        assert_eq!(rows(&[2, 3]), "rows 2 and 3");
        assert_eq!(rows(&[2, 3, 4]), "rows 2-4");
        assert_eq!(rows(&[2, 3, 4, 9, 7]), "rows 2-4, 7 and 9");
        let odd: Vec<usize> = (0..21).map(|k| 2 * k + 1).collect();
        assert_eq!(rows(&odd), "rows 1, 3, 5, 7, 9, 11, 13, 15 + 13 more");
    }

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(short("glucose.csv", 40), "glucose.csv");
        assert_eq!(short("abcdefghijklmnopqrstuvwxyz", 11), "abcd...wxyz");
    }

    #[test]
    fn neurons_are_named_by_sign_where_that_suffices() {
        assert_eq!(neuron_name("+", 0), "the neuron");
        assert_eq!(neuron_name("+-", 1), "the negative neuron");
        assert_eq!(neurons(&[0, 2, 4]), "neurons 0, 2 and 4");
        assert_eq!(neuron_name("++-", 0), "neuron 0 (+)");
        assert_eq!(neuron_name("++-", 2), "the negative neuron");
    }
}
