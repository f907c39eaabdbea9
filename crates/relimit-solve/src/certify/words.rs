//! The verdict in words.

use super::STUCK;
use crate::answer::{CertifyAnswer, Judgement};

/// One sentence without a full stop.
pub(super) fn verdict(answer: &CertifyAnswer) -> String {
    let loss = number(answer.loss);
    match answer.judgement {
        Judgement::StoppedEarly => {
            let close = match answer.gap_relative {
                Some(share) if answer.lambda > 0.0 && share <= STUCK => {
                    format!("; it is within {} of the best possible already (certified)", percent(share))
                }
                _ => String::new(),
            };
            format!(
                "stopped early: descent still moves it, its gradient is {} of its scale{close}",
                number(answer.stationarity.relative)
            )
        }
        Judgement::Stuck => match answer.level {
            Some(level) => {
                let shrunk = if answer.level_shrunk { ", shrunk by the decay" } else { "" };
                format!("stuck at the level of {}{shrunk}: {} loss {loss}", level.words(), answer.settings.loss)
            }
            None => format!("stuck at {} loss {loss}, a level without a name", answer.settings.loss),
        },
        Judgement::Open => match answer.gap_relative {
            Some(share) => format!(
                "descent does not move it; it is proved to be within {} of the best possible, and no better network is known",
                percent(share)
            ),
            None => "descent does not move it; no bound was reached, and no better network is known".to_owned(),
        },
        Judgement::Best if answer.lambda > 0.0 => {
            format!("within {} of the best possible (certified)", percent(answer.gap_relative.unwrap_or(0.0)))
        }
        Judgement::Best => format!(
            "within {} of the best possible (certified), as a share of the loss of a constant",
            percent(answer.gap_relative.unwrap_or(0.0))
        ),
    }
}

/// Four digits.
fn number(v: f64) -> String {
    if v == 0.0 {
        return "0".to_owned();
    }
    let text = if (1e-3..1e6).contains(&v.abs()) {
        let digits = usize::try_from(3 - exponent_of(v)).unwrap_or(0);
        format!("{v:.digits$}")
    } else {
        return format!("{v:.3e}");
    };
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The exponent of the first digit.
fn exponent_of(v: f64) -> i32 {
    let text = format!("{v:e}");
    text.rsplit('e').next().and_then(|e| e.parse().ok()).unwrap_or(0)
}

/// A share as a percentage, rounded up to two digits.
fn percent(share: f64) -> String {
    let value = 100.0 * share;
    if value == 0.0 {
        return "0 %".to_owned();
    }
    let digits = usize::try_from(1 - exponent_of(value)).unwrap_or(0);
    let show = |v: f64| if exponent_of(v) < -3 { format!("{v:.1e}") } else { format!("{v:.digits$}") };
    let text = show(value);
    let shown: f64 = text.parse().unwrap_or(value);
    // what rounding of the share itself adds is not shown
    if shown >= value * (1.0 - 1e-12) {
        return format!("{text} %");
    }
    let step: f64 = format!("1e-{digits}").parse().unwrap_or(0.0);
    format!("{} %", show(shown + step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_rounded_up() {
        let all: Vec<String> =
            [0.0, 0.00372, 0.0100001, 0.25, 0.999, 3.2e-9, 1.93e-9].iter().map(|v| percent(*v)).collect();
        assert_eq!(all, ["0 %", "0.38 %", "1.1 %", "25 %", "100 %", "3.2e-7 %", "2.0e-7 %"]);
    }

    #[test]
    fn numbers_have_four_digits() {
        let all: Vec<String> = [0.25, 0.166_666, 22.02559, 5.675e-6, 0.0, 1.0].iter().map(|v| number(*v)).collect();
        assert_eq!(all, ["0.25", "0.1667", "22.03", "5.675e-6", "0", "1"]);
    }
}
