//! Exit codes, and what is said on standard error when there is no answer.

use std::fmt;
use std::io::{self, Write};
use std::panic::PanicHookInfo;
use std::process::ExitCode;

use relimit_ask::AskError;
use relimit_core::data::scale::ScaleError;
use relimit_core::descent::Status;
use relimit_run::read::ReadError;
use relimit_run::state::StateError;
use relimit_run::write::{RunDirError, WriteError};
use relimit_solve::certify::CertifyError;
use relimit_solve::gibbs::GibbsError;
use relimit_solve::limit::LimitError;
use relimit_solve::optimum::OptimumError;
use relimit_solve::patterns::PatternsError;
use relimit_solve::plan::{PlanError, Require};
use relimit_solve::train::TrainError;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Any answer, also diverged, bound or infeasible.
    Answer = 0,
    /// An answer, but not the one that `--require` asks for.
    NotMet = 1,
    /// Usage, bad input, a start that cannot exist.
    Usage = 2,
    /// Budget or Ctrl-C: a partial answer, labelled so.
    Cut = 3,
    /// A fault of ours.
    Internal = 4,
}

impl Exit {
    /// The code of an answer: cut runs first, then what was required.
    ///
    /// `certified` needs the limit and the certified minimum norm, `converged` the limit alone.
    pub(crate) fn of(status: Status, min_norm_certified: bool, require: Option<Require>) -> Self {
        if matches!(status, Status::Budget | Status::Interrupted) {
            return Self::Cut;
        }
        let converged = status == Status::Converged;
        let met = match require {
            None => true,
            Some(Require::Converged) => converged,
            Some(Require::Certified) => converged && min_norm_certified,
        };
        if met { Self::Answer } else { Self::NotMet }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why there is no answer: one message that says what, which value and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    exit: Exit,
    message: String,
}

impl Failure {
    /// Bad usage or bad input.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into() }
    }

    /// Work that ended before it was complete.
    pub(crate) fn cut(message: impl Into<String>) -> Self {
        Self { exit: Exit::Cut, message: message.into() }
    }

    /// Prints the message on standard error and gives the code.
    pub(crate) fn report(&self) -> Exit {
        let _ = writeln!(io::stderr(), "error: {self}");
        self.exit
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<ScaleError> for Failure {
    fn from(error: ScaleError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<LimitError> for Failure {
    fn from(error: LimitError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<PatternsError> for Failure {
    fn from(error: PatternsError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<OptimumError> for Failure {
    fn from(error: OptimumError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<CertifyError> for Failure {
    fn from(error: CertifyError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<TrainError> for Failure {
    fn from(error: TrainError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<StateError> for Failure {
    fn from(error: StateError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<GibbsError> for Failure {
    fn from(error: GibbsError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<RunDirError> for Failure {
    fn from(error: RunDirError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<AskError> for Failure {
    fn from(error: AskError) -> Self {
        Self::usage(error.to_string())
    }
}

/// The panic hook: what happened, where, and a request for a report.
pub(crate) fn explain_panic(info: &PanicHookInfo<'_>) {
    let payload = info.payload();
    let what = payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let place = info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
    let _ = writeln!(io::stderr(), "{}", internal_message(what.unwrap_or("no message"), &place));
}

fn internal_message(what: &str, place: &str) -> String {
    format!(
        "error: internal: {what} (at {place})\n\
         This is a fault in relimit {}, not in your data. Please report it with these lines, the command line and, if\n\
         you may, the data.",
        env!("CARGO_PKG_VERSION")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_follows_from_status_and_requirement() {
        use Status::{Budget, Converged, Cycle, Diverged, Interrupted, Undecided};
        for status in [Converged, Diverged, Cycle, Undecided] {
            assert_eq!(Exit::of(status, false, None), Exit::Answer);
        }
        for status in [Budget, Interrupted] {
            assert_eq!(Exit::of(status, true, Some(Require::Certified)), Exit::Cut);
        }
        assert_eq!(Exit::of(Diverged, true, Some(Require::Converged)), Exit::NotMet);
        assert_eq!(Exit::of(Converged, false, Some(Require::Converged)), Exit::Answer);
        assert_eq!(Exit::of(Converged, false, Some(Require::Certified)), Exit::NotMet);
        assert_eq!(Exit::of(Undecided, true, Some(Require::Certified)), Exit::NotMet);
        assert_eq!(Exit::of(Converged, true, Some(Require::Certified)), Exit::Answer);
        assert_eq!(
            [Exit::Answer, Exit::NotMet, Exit::Usage, Exit::Cut, Exit::Internal].map(|e| e as u8),
            [0, 1, 2, 3, 4]
        );
    }

    #[test]
    fn a_panic_asks_for_a_report() {
        let text = internal_message("2 rows and 3 labels", "problem.rs:24:9");
        assert!(text.starts_with("error: internal: 2 rows and 3 labels (at problem.rs:24:9)\n"));
        assert!(text.contains("Please report"));
    }
}
