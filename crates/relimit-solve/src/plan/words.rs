//! Options as a program gives them: a word may come as text, as a number or as a list, where a person would type it.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// What would be typed: text as it is, a number in digits that read back as the same number, a list with commas.
pub(super) fn text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    match Value::deserialize(from)? {
        Value::Null => Ok(None),
        Value::Array(list) => {
            let words: Result<Vec<String>, _> = list.iter().map(|v| word(v).map_err(D::Error::custom)).collect();
            words.map(|w| Some(w.join(",")))
        }
        one => word(&one).map(Some).map_err(D::Error::custom),
    }
}

fn word(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        other => Err(format!("{other} is neither text nor a number")),
    }
}

/// A number, or its text as in `"1e-3"` and `"inf"`.
pub(super) fn number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    match Value::deserialize(from)? {
        Value::Null => Ok(None),
        Value::Number(number) => Ok(number.as_f64()),
        Value::String(text) => {
            let read = text.trim().parse().map_err(|_| D::Error::custom(format!("'{text}' is not a number")));
            read.map(Some)
        }
        other => Err(D::Error::custom(format!("{other} is not a number"))),
    }
}

/// 0 or 1, as a number, text or truth value.
pub(super) fn zero_or_one<'de, D: Deserializer<'de>>(from: D) -> Result<Option<bool>, D::Error> {
    let value = Value::deserialize(from)?;
    match &value {
        Value::Null => Ok(None),
        Value::Bool(flag) => Ok(Some(*flag)),
        Value::Number(v) if v.as_u64() == Some(0) => Ok(Some(false)),
        Value::Number(v) if v.as_u64() == Some(1) => Ok(Some(true)),
        Value::String(text) if text == "0" => Ok(Some(false)),
        Value::String(text) if text == "1" => Ok(Some(true)),
        other => Err(D::Error::custom(format!("{other} is neither 0 nor 1"))),
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::{LimitOptions, OptimumOptions, TrainOptions};
    use serde_json::json;

    #[test]
    fn numbers_lists_and_text_are_what_would_be_typed() {
        let read: OptimumOptions = serde_json::from_value(json!({"lambda": 0.1, "path": true, "gap": "1e-6"})).unwrap();
        assert_eq!((read.lambda.as_deref(), read.path, read.gap), (Some("0.1"), true, Some(1e-6)));
        let read: LimitOptions = serde_json::from_value(json!({"signs": [1, -0.5], "relu_at_zero": 1})).unwrap();
        assert_eq!((read.signs.as_deref(), read.relu_at_zero), (Some("1,-0.5"), Some(true)));
        let read: TrainOptions = serde_json::from_value(json!({"beta": "inf", "batch": 5, "seed": null})).unwrap();
        assert_eq!((read.beta, read.batch.as_deref(), read.seed), (Some(f64::INFINITY), Some("5"), None));
        // 0.1 + 0.2 keeps its bits
        let odd: OptimumOptions = serde_json::from_value(json!({"lambda": 0.1 + 0.2})).unwrap();
        assert_eq!(odd.lambda.unwrap().parse(), Ok(0.1 + 0.2));
    }

    #[test]
    fn what_no_one_would_type_is_refused() {
        let wrong = |words| serde_json::from_value::<OptimumOptions>(words).unwrap_err().to_string();
        assert!(wrong(json!({"lamda": 1})).contains("unknown field `lamda`"));
        assert!(wrong(json!({"lambda": {}})).contains("neither text nor a number"));
        assert!(wrong(json!({"gap": "small"})).contains("'small' is not a number"));
        assert!(wrong(json!({"save": "net.npz"})).contains("unknown field `save`"));
        let wrong = serde_json::from_value::<LimitOptions>(json!({"relu_at_zero": 2})).unwrap_err().to_string();
        assert!(wrong.contains("2 is neither 0 nor 1"));
    }
}
