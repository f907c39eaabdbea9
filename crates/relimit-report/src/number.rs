//! Numbers as people read them: four significant digits, outward intervals, gaps, counts, ticks.

/// Four significant digits; scientific outside 1e-3..1e5.
///
/// A number that four digits give exactly is printed without trailing zeros (`0.5`); one that was rounded keeps
/// them (`0.5000`). Infinity and NaN print as `not finite`.
pub fn four(x: f64) -> String {
    digits(x, Round::Nearest)
}

/// Four significant digits, rounded up: never below `x`.
pub fn four_up(x: f64) -> String {
    digits(x, Round::Up)
}

/// Four significant digits, rounded down: never above `x`.
pub fn four_down(x: f64) -> String {
    digits(x, Round::Down)
}

/// [`four`], or `not known`.
pub fn four_or(x: Option<f64>) -> String {
    x.map_or_else(|| "not known".to_owned(), four)
}

/// `[a, b]` rounded outward, so that the printed interval contains the true one.
pub fn interval(low: f64, high: f64) -> String {
    format!("[{}, {}]", four_down(low), four_up(high))
}

/// How far a value may be from the truth: `gap 0`, `gap < 1e-12` (next power of ten) below 1e-6, else four digits.
pub fn gap(width: f64) -> String {
    if !width.is_finite() {
        return "gap not finite".to_owned();
    }
    if width <= 0.0 {
        return "gap 0".to_owned();
    }
    if width < 1e-6 { format!("gap < 1e{}", exponent(width) + 1) } else { format!("gap {}", four_up(width)) }
}

/// A certified value with its gap: `0.05623, gap < 1e-12`.
pub fn certified(value: f64, width: f64) -> String {
    format!("{}, {}", four(value), gap(width))
}

/// A share in percent: `45.59 %`.
pub fn percent(share: f64) -> String {
    format!("{} %", four(100.0 * share))
}

/// A share of lambda_max as it was asked for, without the rounding of the product and the quotient.
pub fn asked(share: f64) -> f64 {
    format!("{share:.9e}").parse().unwrap_or(share)
}

/// A count with thousands separated: `76,358`.
pub fn count(k: u64) -> String {
    separated(&k.to_string())
}

/// A whole number of any size, given in digits: thousands separated, four digits and a power of ten beyond 30 digits.
///
/// The short form is rounded down (`5.423e63`); it stands for a number whose digits are in the JSON output.
pub fn whole(digits: &str) -> String {
    const FULL: usize = 30;
    if digits.len() <= FULL {
        return separated(digits);
    }
    format!("{}.{}e{}", &digits[..1], &digits[1..4], digits.len() - 1)
}

fn separated(plain: &str) -> String {
    let mut out = String::with_capacity(plain.len() + plain.len() / 3);
    for (i, ch) in plain.chars().enumerate() {
        if i > 0 && (plain.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(ch);
    }
    out
}

/// A step number (a count) or a time (four digits).
pub fn instant(at: f64) -> String {
    if at >= 0.0 && at.fract() == 0.0 && at < 9e15 { count(at as u64) } else { four(at) }
}

/// `10^k` with superscript digits, as ticks and axis titles show it: `10\u{207b}\u{b3}`.
pub fn power_of_ten(k: i32) -> String {
    const SUPERSCRIPTS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let mut out = String::from("10");
    if k < 0 {
        out.push('⁻');
    }
    for d in k.unsigned_abs().to_string().bytes() {
        out.push(SUPERSCRIPTS[(d - b'0') as usize]);
    }
    out
}

/// Pads numbers on the left so that their decimal points stand in one column; words stay as they are.
pub fn align(numbers: &[String]) -> Vec<String> {
    let is_number = |s: &str| s.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let point = |s: &str| s.find(['.', 'e']).unwrap_or(s.len());
    let lead = numbers.iter().filter(|s| is_number(s)).map(|s| point(s)).max().unwrap_or(0);
    let pad = |s: &str| if is_number(s) { lead - point(s) } else { 0 };
    numbers.iter().map(|s| format!("{}{s}", " ".repeat(pad(s)))).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    Nearest,
    Up,
    Down,
}

/// Decimal exponent: `10^e <= |x| < 10^(e+1)`.
fn exponent(x: f64) -> i32 {
    let text = format!("{x:e}");
    text.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0)
}

fn digits(x: f64, round: Round) -> String {
    if !x.is_finite() {
        return "not finite".to_owned();
    }
    if x == 0.0 {
        return "0".to_owned();
    }
    let text = format!("{x:.3e}");
    let (mantissa, exp) = text.split_once('e').unwrap_or((&text, "0"));
    let mut k: i32 = mantissa.replace('.', "").parse().unwrap_or(0);
    let mut e: i32 = exp.parse().unwrap_or(0);
    let back: f64 = text.parse().unwrap_or(x);
    let step = match round {
        Round::Up if back < x => 1,
        Round::Down if back > x => -1,
        _ => 0,
    };
    k += step;
    if k.abs() < 1000 {
        k = k.signum() * 9999;
        e -= 1;
    } else if k.abs() > 9999 {
        k = k.signum() * 1000;
        e += 1;
    }
    lay_out(k, e, back == x)
}

/// Writes `k 10^(e-3)` with 1000 <= |k| <= 9999.
fn lay_out(k: i32, e: i32, exact: bool) -> String {
    let sign = if k < 0 { "-" } else { "" };
    let k = k.abs();
    let body = if (-3..=4).contains(&e) {
        let decimals = (3 - e).max(0) as usize;
        let whole = if e > 3 { format!("{}", k * 10_i32.pow((e - 3) as u32)) } else { format!("{k}") };
        if decimals == 0 {
            whole
        } else {
            let padded = format!("{whole:0>width$}", width = decimals + 1);
            let (a, b) = padded.split_at(padded.len() - decimals);
            trim(&format!("{a}.{b}"), exact)
        }
    } else {
        format!("{}e{e}", trim(&format!("{}.{:03}", k / 1000, k % 1000), exact))
    };
    format!("{sign}{body}")
}

fn trim(number: &str, exact: bool) -> String {
    if exact { number.trim_end_matches('0').trim_end_matches('.').to_owned() } else { number.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits() {
        let table = [
            (0.0, "0"),
            (0.5, "0.5"),
            (0.500_01, "0.5000"),
            (1.0, "1"),
            (1.045_3, "1.045"),
            (9.999_6, "10.00"),
            (17_629.73, "17630"),
            (99_994.0, "99990"),
            (99_999.0, "1.000e5"),
            (100_000.0, "1e5"),
            (176_297.3, "1.763e5"),
            (0.056_234, "0.05623"),
            (0.001, "0.001"),
            (0.001_234_4, "0.001234"),
            (0.000_999_94, "9.999e-4"),
            (-2.5e-7, "-2.5e-7"),
            (-0.326_143_79, "-0.3261"),
            (1e300, "1e300"),
            (5e-324, "4.941e-324"),
            (f64::NAN, "not finite"),
            (f64::INFINITY, "not finite"),
            (2.0, "2"),
            (1234.0, "1234"),
            (20.0, "20"),
        ];
        for (x, expected) in table {
            assert_eq!(four(x), expected, "{x:e}");
        }
    }

    #[test]
    fn rounding_outward_never_shrinks() {
        assert_eq!(interval(0.500_01, 0.500_01), "[0.5000, 0.5001]");
        assert_eq!(interval(-0.500_01, 1.0), "[-0.5001, 1]");
        assert_eq!(four_down(0.999_96), "0.9999");
        assert_eq!(four_up(9.999_1), "10.00");
        let mut x = 1.234_567e-9;
        while x < 1e9 {
            let (low, high): (f64, f64) = (four_down(x).parse().unwrap(), four_up(x).parse().unwrap());
            assert!(low <= x && x <= high && (high - low) <= 1.01e-3 * x, "{low:e} {x:e} {high:e}");
            let (low, high): (f64, f64) = (four_down(-x).parse().unwrap(), four_up(-x).parse().unwrap());
            assert!(low <= -x && -x <= high, "{low:e} {x:e} {high:e}");
            x *= 1.618_034;
        }
    }

    #[test]
    fn gaps() {
        assert_eq!(gap(0.0), "gap 0");
        assert_eq!(gap(3e-13), "gap < 1e-12");
        assert_eq!(gap(1e-13), "gap < 1e-12");
        assert_eq!(gap(2.000_1e-3), "gap 0.002001");
        assert_eq!(certified(0.056_234, 4e-13), "0.05623, gap < 1e-12");
        assert_eq!(gap(f64::NAN), "gap not finite");
    }

    #[test]
    fn counts_shares_and_powers() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_000), "1,000");
        assert_eq!(count(76_358), "76,358");
        assert_eq!(count(1_057_954), "1,057,954");
        assert_eq!(whole("1057954"), "1,057,954");
        assert_eq!(whole("7"), "7");
        assert_eq!(whole(&format!("5423{}", "9".repeat(60))), "5.423e63");
        assert_eq!(percent(0.455_94), "45.59 %");
        assert_eq!(power_of_ten(6), "10⁶");
        assert_eq!(power_of_ten(-12), "10⁻¹²");
        assert_eq!(instant(328_282.0), "328,282");
        assert_eq!(instant(0.25), "0.25");
        assert_eq!(align(&["0.5".into(), "17630".into(), "12.25".into()]), ["    0.5", "17630", "   12.25"]);
        assert_eq!(align(&["17630".into(), "none".into(), "1e-7".into()]), ["17630", "none", "    1e-7"]);
    }
}
