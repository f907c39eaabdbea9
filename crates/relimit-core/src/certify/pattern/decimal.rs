//! Exact integers in a certificate: decimal strings, so that no reader rounds them.

use dashu_int::IBig;
use serde::{Deserialize, Deserializer, Serializer, de};

pub(super) fn serialize<S: Serializer>(values: &[IBig], out: S) -> Result<S::Ok, S::Error> {
    out.collect_seq(values.iter().map(ToString::to_string))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<IBig>, D::Error> {
    let digits = |text: String| {
        let plain = text.strip_prefix('-').unwrap_or(&text);
        let plain = !plain.is_empty() && plain.bytes().all(|b| b.is_ascii_digit());
        plain
            .then(|| text.parse().ok())
            .flatten()
            .ok_or(())
            .map_err(|()| de::Error::invalid_value(de::Unexpected::Str(&text), &"an integer in decimal digits"))
    };
    Vec::<String>::deserialize(input)?.into_iter().map(digits).collect()
}
