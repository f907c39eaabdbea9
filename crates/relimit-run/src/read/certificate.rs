//! A certificate from its JSON file.

use std::fs;
use std::path::Path;

use relimit_core::certify::equality::{EqualityCertificate, RowsCertificate};
use relimit_core::certify::limit::LimitCertificate;
use relimit_core::certify::optimum::certificate::OptimumCertificate;
use relimit_core::certify::pattern::{ListCertificate, PatternCertificate};
use serde::Deserialize;

use super::ReadError;
use super::source::open;

/// A certificate of a kind that can be checked.
#[derive(Clone, Debug, PartialEq)]
pub enum Certificate {
    /// Two networks differ by at most a bound.
    Equality(Box<EqualityCertificate>),
    /// Two networks differ by at most a bound on some rows.
    Rows(Box<RowsCertificate>),
    /// A pattern that exists, or does not.
    Pattern(Box<PatternCertificate>),
    /// A list of patterns that is complete.
    List(Box<ListCertificate>),
    /// A network's gap to the global optimum, or a lower bound alone.
    Optimum(Box<OptimumCertificate>),
    /// The minimum norm, or the one-step inequality, or both.
    Limit(Box<LimitCertificate>),
}

/// Reads a certificate; its schema says of which kind it is.
///
/// # Errors
/// `ReadError::Format` for a file that is no JSON, another schema, absent or unknown keys, by line and column.
pub fn certificate(path: &Path) -> Result<Certificate, ReadError> {
    #[derive(Deserialize)]
    struct Head {
        schema: String,
    }
    let file = path.display().to_string();
    drop(open(path)?);
    let text = fs::read_to_string(path).map_err(|source| ReadError::Io { file: file.clone(), source })?;
    let format = |found: String| ReadError::Format {
        file: file.clone(),
        found,
        cure: "give a file as written by --certificate".into(),
    };
    let head: Head = serde_json::from_str(&text).map_err(|e| format(format!("no certificate ({e})")))?;
    let damaged = |e: serde_json::Error| format(format!("damaged certificate ({e})"));
    match head.schema.as_str() {
        EqualityCertificate::SCHEMA | EqualityCertificate::FIRST => {
            serde_json::from_str(&text).map(Certificate::Equality).map_err(damaged)
        }
        RowsCertificate::SCHEMA => serde_json::from_str(&text).map(Certificate::Rows).map_err(damaged),
        PatternCertificate::SCHEMA | PatternCertificate::FIRST => {
            serde_json::from_str(&text).map(Certificate::Pattern).map_err(damaged)
        }
        ListCertificate::SCHEMA | ListCertificate::FIRST => {
            serde_json::from_str(&text).map(Certificate::List).map_err(damaged)
        }
        OptimumCertificate::SCHEMA => serde_json::from_str(&text).map(Certificate::Optimum).map_err(damaged),
        LimitCertificate::SCHEMA => serde_json::from_str(&text).map(Certificate::Limit).map_err(damaged),
        other => Err(format(format!("schema '{other}' is no certificate that can be checked"))),
    }
}
