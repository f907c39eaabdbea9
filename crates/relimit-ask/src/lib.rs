//! One question, one answer: the words of the command line and the data in, the JSON of the command out.
//!
//! The program, sweeps and the Python package all ask here, so that they have the same words, defaults and numbers.

mod answer;
mod check;
mod collapse;
mod error;
pub mod load;
mod meter;
mod network;
mod patience;
mod study;
mod words;

use std::path::Path;

use relimit_run::read::nearest;
use relimit_solve::plan::{
    CertifyOptions, GibbsOptions, LimitOptions, OptimumOptions, PatternsOptions, StudyOptions, TrainOptions,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use answer::{Asked, Caller};
pub use check::{CheckAnswer, check};
pub use collapse::{CollapseOptions, Collapsed, collapse};
pub use error::AskError;
pub use meter::Meter;
pub use network::NetworkGiven;
pub use study::{Keeper, Kept, Study};
pub use words::{DataWords, scale_name, short_name};

/// The commands that can be asked in a program.
pub const COMMANDS: [&str; 9] =
    ["limit", "patterns", "optimum", "gibbs", "train", "certify", "collapse", "study", "check"];

/// What a caller holds in memory, instead of files.
#[derive(Clone, Debug, Default)]
pub struct Held {
    /// A table, instead of `data`.
    pub table: Option<std::sync::Arc<relimit_run::read::Held>>,
    /// A network, instead of `net`.
    pub network: Option<NetworkGiven>,
}

/// Asks `command` with the words of its flags, `_` or `-` between them, as text, numbers, truth values or lists.
///
/// Files (`--out`, `--save`, `--plot`, `--list`, `--certificate`) are the program's: nothing is written here.
///
/// # Errors
/// An unknown command or word, with the nearest that there is; what the plan, the reader or the engine refuses.
pub fn ask(command: &str, words: &Map<String, Value>, held: &Held, caller: Caller<'_>) -> Result<Asked, AskError> {
    let mut words: Map<String, Value> = words.iter().map(|(k, v)| (k.replace('-', "_"), v.clone())).collect();
    if command == "check" {
        let file = text(&mut words, "certificate")?
            .ok_or_else(|| AskError::Usage("no certificate: name a file as certificate".into()))?;
        options::<NoOptions>(command, words, &["certificate"])?;
        return Ok(Asked { answer: answer::value(&check(Path::new(&file))?), network: None });
    }
    let mut data = DataWords::take(&mut words)?;
    data.held.clone_from(&held.table);
    match command {
        "limit" => answer::limit(&data, &options::<LimitOptions>(command, words, &[])?, caller),
        "patterns" => answer::patterns_of(&data, &options::<PatternsOptions>(command, words, &[])?, caller),
        "optimum" => {
            let weight = text(&mut words, "weight")?;
            let options = options::<OptimumOptions>(command, words, &["weight"])?;
            answer::optimum(&data, weight.as_deref(), &options, caller)
        }
        "gibbs" => answer::gibbs(&data, &options::<GibbsOptions>(command, words, &[])?, caller),
        "train" => answer::train(&data, &options::<TrainOptions>(command, words, &[])?, caller),
        "certify" => {
            let given = network(&mut words, held)?;
            answer::certify(&given, &data, &options::<CertifyOptions>(command, words, &["net"])?, caller)
        }
        "collapse" => {
            let given = network(&mut words, held)?;
            answer::collapse(&given, &data, &options::<CollapseOptions>(command, words, &["net"])?, caller)
        }
        "study" => answer::study(&data, &options::<StudyOptions>(command, words, &[])?, caller),
        other => {
            let known = COMMANDS.map(str::to_owned);
            let near = nearest(other, &known).map(str::to_owned);
            Err(AskError::Command { name: other.to_owned(), near, known: known.join(", ") })
        }
    }
}

/// One run of a sweep: asks with one thread unless the words say otherwise; why there is no answer in a sentence.
///
/// # Errors
/// As [`ask`].
pub fn run(mut words: Map<String, Value>, command: &str, stop: &(dyn Fn() -> bool + Sync)) -> Result<Value, String> {
    const WITH_THREADS: [&str; 5] = ["limit", "patterns", "optimum", "train", "certify"];
    if WITH_THREADS.contains(&command) && !words.contains_key("threads") {
        words.insert("threads".into(), 1.into());
    }
    let caller = Caller { stop, network: false, meter: None };
    ask(command, &words, &Held::default(), caller).map(|asked| asked.answer).map_err(|e| e.to_string())
}

/// The options of a command that has none.
#[derive(Default, Serialize, Deserialize)]
struct NoOptions {}

/// The options of a command; every word must be one of them.
fn options<T: Serialize + DeserializeOwned + Default>(
    command: &str,
    words: Map<String, Value>,
    besides: &[&str],
) -> Result<T, AskError> {
    let Ok(Value::Object(all)) = serde_json::to_value(T::default()) else { unreachable!("options have named fields") };
    if let Some(word) = words.keys().find(|word| !all.contains_key(*word)) {
        let own = all.keys().map(String::as_str).chain(besides.iter().copied());
        let known: Vec<String> = words::KEYS.into_iter().chain(own).map(str::to_owned).collect();
        let near = nearest(word, &known).map(str::to_owned);
        let (command, word) = (command.to_owned(), word.clone());
        return Err(AskError::Word { command, word, near, known: known.join(", ") });
    }
    // one at a time first, so that the message names the word
    for (word, value) in &words {
        let one = Map::from_iter([(word.clone(), value.clone())]);
        if let Err(e) = serde_json::from_value::<T>(Value::Object(one)) {
            return Err(AskError::value(word, value, &e.to_string()));
        }
    }
    serde_json::from_value(Value::Object(words)).map_err(|e| AskError::Usage(e.to_string()))
}

fn text(words: &mut Map<String, Value>, key: &str) -> Result<Option<String>, AskError> {
    match words.remove(key).unwrap_or_default() {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        other => Err(AskError::value(key, &other, "give text")),
    }
}

/// The network that is held, or that of the file `net`.
fn network(words: &mut Map<String, Value>, held: &Held) -> Result<NetworkGiven, AskError> {
    let path = text(words, "net")?;
    match (&held.network, path) {
        (Some(given), _) => Ok(given.clone()),
        (None, Some(path)) => NetworkGiven::read(Path::new(&path)),
        (None, None) => Err(AskError::Usage("no network: name a file as net".into())),
    }
}
