//! What guards a certificate's text and data since its second layout: a fixed statement and a fingerprint.

use super::equality::Malformed;

/// The part of a certificate that says what it is and names its data; both are absent in the first layout.
pub(super) struct Seal<'a> {
    /// The schema found.
    pub(super) schema: &'a str,
    /// First and second layout.
    pub(super) layouts: [&'static str; 2],
    /// The statement and the one that the kind has.
    pub(super) statement: (&'a Option<String>, &'a str),
    /// The fingerprint and that of the data.
    pub(super) fingerprint: (&'a Option<String>, String),
}

impl Seal<'_> {
    /// Whether statement and fingerprint are those of kind and data; true in the first layout, which has neither.
    ///
    /// # Errors
    /// `Malformed` for another schema, and for parts that belong to the other layout.
    pub(super) fn holds(&self) -> Result<bool, Malformed> {
        let fault = |part: &'static str, what: &str| Err(Malformed { part, what: what.into() });
        let second = self.schema == self.layouts[1];
        if !second && self.schema != self.layouts[0] {
            return fault("schema", "is of another kind or version");
        }
        match (self.statement.0, &self.fingerprint.0) {
            (Some(statement), Some(print)) if second => {
                Ok(statement == self.statement.1 && *print == self.fingerprint.1)
            }
            (None, None) if !second => Ok(true),
            _ => fault("statement", "and fingerprint belong to the second layout, and only to it"),
        }
    }
}
