//! One field of a table as a number, exactly as Rust parses f64.

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell {
    /// A finite number.
    Number(f64),
    /// Empty, `NA` or `?`.
    Missing,
    /// A literal NaN or infinity.
    NotFinite,
    /// A number beyond the range of f64.
    Overflow,
    /// Anything else.
    Text,
}

/// Reads a field; `decimal_comma` also accepts `1,5` for 1.5.
pub(crate) fn cell(field: &str, decimal_comma: bool) -> Cell {
    let field = field.trim();
    if matches!(field, "" | "NA" | "?") {
        return Cell::Missing;
    }
    let parsed = match field.split_once(',') {
        Some((whole, part)) if decimal_comma && !whole.contains('.') && digits(part) => {
            format!("{whole}.{part}").parse::<f64>()
        }
        _ => field.parse::<f64>(),
    };
    match parsed {
        Ok(v) if v.is_finite() => Cell::Number(v),
        Ok(_) if field.contains(|c: char| c.is_ascii_digit()) => Cell::Overflow,
        Ok(_) => Cell::NotFinite,
        Err(_) => Cell::Text,
    }
}

/// Whether what follows a decimal comma may be a fraction with an exponent (so that `1,` and `1,000.5` are refused).
fn digits(part: &str) -> bool {
    part.starts_with(|c: char| c.is_ascii_digit()) && !part.contains([',', '.'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_exactly_and_words_are_not() {
        let table = [
            ("1e300", Cell::Number(1e300)),
            ("1e-300", Cell::Number(1e-300)),
            (" -0.1 ", Cell::Number(-0.1)),
            ("+5.", Cell::Number(5.0)),
            ("1e400", Cell::Overflow),
            ("-1e309", Cell::Overflow),
            ("nan", Cell::NotFinite),
            ("NaN", Cell::NotFinite),
            ("inf", Cell::NotFinite),
            ("-Infinity", Cell::NotFinite),
            ("NA", Cell::Missing),
            ("", Cell::Missing),
            ("?", Cell::Missing),
            ("n/a", Cell::Text),
            ("1,5", Cell::Text),
            ("1_000", Cell::Text),
            ("0x10", Cell::Text),
        ];
        for (text, want) in table {
            assert_eq!(cell(text, false), want, "{text:?}");
        }
    }

    #[test]
    fn decimal_commas_only_on_request_and_never_as_thousands() {
        assert_eq!(cell("-1,25", true), Cell::Number(-1.25));
        assert_eq!(cell("1,5e-3", true), Cell::Number(0.0015));
        assert_eq!(cell("2.5", true), Cell::Number(2.5));
        for thousands in ["1,000.5", "1.000,5", "1,", "1,000,000"] {
            assert_eq!(cell(thousands, true), Cell::Text, "{thousands}");
        }
    }
}
