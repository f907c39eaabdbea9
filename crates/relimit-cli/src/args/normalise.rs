//! Two flags that no parser reads as people write them: a bare `--bias`, and `--signs` with a value of hyphens.

use std::ffi::OsString;

/// Words that may follow `--bias`; before anything else it stands for `--bias=penalised`.
const BIAS: [&str; 3] = ["none", "penalised", "free"];

/// Joins `--bias WORD` and `--signs VALUE` with `=`, and fills in a bare `--bias`; stops at `--`.
pub(crate) fn normalise(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments = arguments.into_iter().peekable();
    let mut out = Vec::new();
    while let Some(argument) = arguments.next() {
        let next = arguments.peek().and_then(|a| a.to_str());
        match (argument.to_str(), next) {
            (Some("--"), _) => {
                out.push(argument);
                out.extend(arguments);
                break;
            }
            (Some("--bias"), Some(word)) if BIAS.contains(&word) => {
                out.push(format!("--bias={word}").into());
                arguments.next();
            }
            (Some("--bias"), _) => out.push("--bias=penalised".into()),
            (Some("--signs"), Some(value)) if is_signs(value) => {
                out.push(format!("--signs={value}").into());
                arguments.next();
            }
            _ => out.push(argument),
        }
    }
    out
}

/// Whether the text can only be a value of `--signs`: it begins with a hyphen and has no letter but an exponent.
fn is_signs(text: &str) -> bool {
    text.starts_with('-') && text.chars().all(|c| matches!(c, '+' | '-' | '0'..='9' | '.' | ',' | 'e' | 'E'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        let out = normalise(line.split(' ').map(OsString::from));
        out.into_iter().map(|a| a.into_string().unwrap()).collect()
    }

    #[test]
    fn a_bare_bias_is_penalised_in_either_order() {
        assert_eq!(
            words("limit --bias data.csv --target y"),
            ["limit", "--bias=penalised", "data.csv", "--target", "y"]
        );
        assert_eq!(words("limit data.csv --bias --flow"), ["limit", "data.csv", "--bias=penalised", "--flow"]);
        assert_eq!(words("limit data.csv --bias"), ["limit", "data.csv", "--bias=penalised"]);
        assert_eq!(words("limit data.csv --bias free"), ["limit", "data.csv", "--bias=free"]);
        assert_eq!(words("limit --bias none data.csv"), ["limit", "--bias=none", "data.csv"]);
        assert_eq!(words("limit --bias=none data.csv"), ["limit", "--bias=none", "data.csv"]);
    }

    #[test]
    fn signs_may_begin_with_hyphens() {
        assert_eq!(words("limit --signs -+ a"), ["limit", "--signs=-+", "a"]);
        assert_eq!(words("limit --signs -- a"), ["limit", "--signs=--", "a"]);
        assert_eq!(words("limit --signs -0.5,+1e-3 a"), ["limit", "--signs=-0.5,+1e-3", "a"]);
        assert_eq!(words("limit --signs +- a"), ["limit", "--signs", "+-", "a"]);
        assert_eq!(words("limit --signs --flow"), ["limit", "--signs", "--flow"]);
    }

    #[test]
    fn nothing_changes_after_two_hyphens() {
        assert_eq!(words("limit -- --bias"), ["limit", "--", "--bias"]);
    }
}
