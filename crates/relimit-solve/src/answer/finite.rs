//! Numbers that may be infinite or NaN, written as `null` and read back as NaN.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

fn keep(v: f64) -> Option<f64> {
    v.is_finite().then_some(v)
}

/// `#[serde(with = "finite::table")]` for a list of lists of f64.
pub(super) mod table {
    use super::{Deserialize, Deserializer, Serialize, Serializer, keep};

    pub(in super::super) fn serialize<S: Serializer>(rows: &[Vec<f64>], s: S) -> Result<S::Ok, S::Error> {
        let rows: Vec<Vec<Option<f64>>> = rows.iter().map(|r| r.iter().map(|v| keep(*v)).collect()).collect();
        rows.serialize(s)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<Vec<f64>>, D::Error> {
        let rows: Vec<Vec<Option<f64>>> = Vec::deserialize(d)?;
        Ok(rows.into_iter().map(|r| r.into_iter().map(|v| v.unwrap_or(f64::NAN)).collect()).collect())
    }
}

/// `#[serde(with = "finite::optional_table")]` for an optional list of lists of f64.
pub(super) mod optional_table {
    use super::{Deserialize, Deserializer, Serialize, Serializer, keep};

    #[expect(clippy::ref_option, reason = "serde passes the field by reference")]
    pub(in super::super) fn serialize<S: Serializer>(rows: &Option<Vec<Vec<f64>>>, s: S) -> Result<S::Ok, S::Error> {
        let nulls = |r: &Vec<f64>| r.iter().map(|v| keep(*v)).collect::<Vec<_>>();
        rows.as_ref().map(|rows| rows.iter().map(nulls).collect::<Vec<_>>()).serialize(s)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Vec<Vec<f64>>>, D::Error> {
        let rows: Option<Vec<Vec<Option<f64>>>> = Option::deserialize(d)?;
        let numbers = |r: Vec<Option<f64>>| r.into_iter().map(|v| v.unwrap_or(f64::NAN)).collect();
        Ok(rows.map(|rows| rows.into_iter().map(numbers).collect()))
    }
}

/// `#[serde(with = "finite::list")]` for a list of f64.
pub(super) mod list {
    use super::{Deserialize, Deserializer, Serialize, Serializer, keep};

    pub(in super::super) fn serialize<S: Serializer>(values: &[f64], s: S) -> Result<S::Ok, S::Error> {
        values.iter().map(|v| keep(*v)).collect::<Vec<_>>().serialize(s)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<f64>, D::Error> {
        let values: Vec<Option<f64>> = Vec::deserialize(d)?;
        Ok(values.into_iter().map(|v| v.unwrap_or(f64::NAN)).collect())
    }
}
