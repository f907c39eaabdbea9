//! From the data flags to a scaled data set: file or generator, columns, rows, scaling.

use std::path::Path;
use std::sync::Arc;

use relimit_core::data::Dataset;
use relimit_core::data::scale::{Scale, Scaled, scale, scale_weighted};
use relimit_core::data::spectrum::Dimensions;
use relimit_core::data::synthetic::synthetic;
use relimit_core::num::Mat;
use relimit_run::key;
use relimit_run::read::{self, Missing, NetworkFile, Notice, ReadOptions, Source, parse_rows};

use relimit_solve::answer::{PatternsData, PatternsSettings, Settings};
use relimit_solve::optimum::FurtherLabels;

use crate::args::{DataArgs, MissingWord, ScaleWord, SelectArgs};
use crate::exit::Failure;

/// Data ready for a run.
pub(crate) struct Loaded {
    /// File name without its folder, or the generator.
    pub(crate) name: String,
    /// Data as read, before scaling.
    pub(crate) raw: Dataset,
    /// Scaled data with the maps that led to them.
    pub(crate) scaled: Scaled,
    /// Exact effective dimensions of the population, for generators that have them.
    pub(crate) population: Option<Dimensions>,
    /// What was dropped, converted or noticed, one sentence each.
    pub(crate) notices: Vec<String>,
}

/// Reads or generates the data and scales them.
pub(crate) fn load(args: &DataArgs) -> Result<Loaded, Failure> {
    loaded(args, false)
}

/// As [`load`], also where all labels are equal, which is a notice then.
pub(crate) fn load_any(args: &DataArgs) -> Result<Loaded, Failure> {
    loaded(args, true)
}

fn loaded(args: &DataArgs, constant: bool) -> Result<Loaded, Failure> {
    let (name, raw, population, notices) = match (&args.data, &args.synthetic) {
        (Some(path), _) => {
            let source = Source::from_arg(path);
            let options = ReadOptions { constant, ..options(&args.select, &args.target)? };
            let (data, notices) = read::dataset(&source, &options)?;
            (short_name(path), data, None, notices.iter().map(ToString::to_string).collect())
        }
        (None, Some(text)) => {
            refuse_selection(args)?;
            let made = synthetic(text)?;
            let population = made.dimensions();
            (text.clone(), made.dataset, population, Vec::new())
        }
        (None, None) => {
            return Err(Failure::usage("no data: name a file (- for standard input), or give --synthetic SPEC"));
        }
    };
    let scaled = scale(&raw, core_scale(args.scale), core_scale(args.target_scale))?;
    Ok(Loaded { name, raw, scaled, population, notices })
}

/// What belongs to the rows besides features and first target.
#[derive(Default)]
pub(crate) struct Beside {
    /// Further targets.
    pub(crate) further: Vec<FurtherLabels>,
    /// Sample weights.
    pub(crate) weights: Option<Vec<f64>>,
}

impl Beside {
    /// A name of the data and of all labels: what a result depends on.
    pub(crate) fn key(&self, data: &Loaded) -> String {
        let dataset = &data.scaled.dataset;
        let more = self.further.iter().map(|t| Dataset { y: t.y.clone(), target: t.name.clone(), ..dataset.clone() });
        let keys = std::iter::once(key::of_dataset(dataset)).chain(more.map(|t| key::of_dataset(&t)));
        keys.collect::<Vec<_>>().join(" ")
    }
}

/// As [`load`], with any number of targets, and the column of sample weights that is named.
pub(crate) fn load_labelled(args: &DataArgs, weight: Option<&str>) -> Result<(Loaded, Beside), Failure> {
    let Some(path) = &args.data else {
        if weight.is_some() {
            return Err(Failure::usage(format!("--weight: {NO_FILE}")));
        }
        return Ok((load(args)?, Beside::default()));
    };
    let options = ReadOptions { weight: weight.map(Into::into), ..options(&args.select, &args.target)? };
    let (read, notices) = read::labelled(&Source::from_arg(path), &options)?;
    let raw = read.data;
    let weights = read.weights.as_deref();
    let scaled = scale_weighted(&raw, core_scale(args.scale), core_scale(args.target_scale), weights)?;
    let further = further(args, &raw, read.more, weights)?;
    let notices = notices.iter().map(ToString::to_string).collect();
    let loaded = Loaded { name: short_name(path), raw, scaled, population: None, notices };
    Ok((loaded, Beside { further, weights: read.weights }))
}

/// Scales the targets after the first.
fn further(
    args: &DataArgs,
    first: &Dataset,
    more: Vec<(String, Vec<f64>)>,
    weights: Option<&[f64]>,
) -> Result<Vec<FurtherLabels>, Failure> {
    let scaled = more.into_iter().map(|(name, y)| {
        let column = Dataset { y, target: name, ..first.clone() };
        let Scaled { dataset, target, .. } =
            scale_weighted(&column, Scale::None, core_scale(args.target_scale), weights)?;
        Ok(FurtherLabels { name: dataset.target, y: dataset.y, map: target })
    });
    scaled.collect()
}

/// Reads what a network is judged on, in the order of its inputs, or generates it, and scales it.
pub(crate) fn load_examples(args: &DataArgs, file: &NetworkFile) -> Result<(Loaded, Vec<FurtherLabels>), Failure> {
    let Some(path) = &args.data else { return Ok((judged(load(args)?, file)?, vec![])) };
    let source = Source::from_arg(path);
    let (names, target, inputs) = (file.features.as_deref(), file.target.as_deref(), file.network.inputs());
    let (read, notices) = read::examples(&source, names, target, inputs, &options(&args.select, &args.target)?)?;
    let raw = read.data;
    let further = further(args, &raw, read.more, None)?;
    let net = &file.network;
    let constant = net.b.iter().chain(&net.offset).any(|b| *b != 0.0);
    // rows of zeros matter to networks without biases alone
    let told = notices.iter().filter(|notice| !(constant && matches!(notice, Notice::ZeroRows { .. })));
    let notices = told.map(ToString::to_string).collect();
    let scaled = scale(&raw, core_scale(args.scale), core_scale(args.target_scale))?;
    Ok((Loaded { name: short_name(path), raw, scaled, population: None, notices }, further))
}

/// Refuses generated data of another number of features than the network has inputs.
fn judged(data: Loaded, file: &NetworkFile) -> Result<Loaded, Failure> {
    let (d, inputs) = (data.raw.d(), file.network.inputs());
    if d != inputs {
        return Err(Failure::usage(format!(
            "{}: {d} features for a network of {inputs} inputs; set d={inputs}",
            data.name
        )));
    }
    Ok(data)
}

/// Features ready for a run that needs no labels.
pub(crate) struct Features {
    /// Scaled features, n x d.
    pub(crate) x: Arc<Mat>,
    /// Names, rows and notices.
    pub(crate) facts: PatternsData,
}

/// Reads or generates features, without a target unless one is named, and scales them.
pub(crate) fn features(args: &DataArgs) -> Result<Features, Failure> {
    let (name, x, features, rows, notices) = if let Some(path) = &args.data {
        let (table, notices) = read::inputs(&Source::from_arg(path), &options(&args.select, &args.target)?)?;
        let notices = notices.iter().map(ToString::to_string).collect();
        (short_name(path), Arc::new(table.x), table.features, table.rows, notices)
    } else {
        let Loaded { name, raw, notices, .. } = load(&DataArgs { scale: None, ..args.clone() })?;
        (name, raw.x, raw.features, raw.rows, notices)
    };
    let unlabelled = Dataset { y: vec![0.0; x.rows()], x, features, target: String::new(), rows };
    let Dataset { x, features, rows, .. } = scale(&unlabelled, core_scale(args.scale), Scale::None)?.dataset;
    Ok(Features { x, facts: PatternsData { name, features, rows, notices } })
}

/// The reader's settings as the answer of `patterns` echoes them.
pub(crate) fn feature_settings(args: &DataArgs) -> PatternsSettings {
    let Settings { data, synthetic, target, columns, drop, rows, missing, scale, .. } = settings(args);
    PatternsSettings { data, synthetic, target, columns, drop, rows, missing, scale, ..PatternsSettings::default() }
}

/// The reader's settings as the answer echoes them; plan and data decide the rest.
pub(crate) fn settings(args: &DataArgs) -> Settings {
    let list = |names: &[String]| (!names.is_empty()).then(|| names.join(","));
    Settings {
        data: args.data.as_ref().map(|p| p.display().to_string()),
        synthetic: args.synthetic.clone(),
        target: list(&args.target),
        columns: list(&args.select.columns),
        drop: list(&args.select.drop),
        rows: args.select.rows.clone(),
        missing: if matches!(args.select.missing, Some(MissingWord::Drop)) { "drop" } else { "error" }.into(),
        scale: scale_word(args.scale).into(),
        target_scale: scale_word(args.target_scale).into(),
        ..Settings::default()
    }
}

fn scale_word(word: Option<ScaleWord>) -> &'static str {
    match word {
        None | Some(ScaleWord::None) => "none",
        Some(ScaleWord::Centre) => "centre",
        Some(ScaleWord::Standardise) => "standardise",
    }
}

/// The reader's options.
pub(crate) fn options(select: &SelectArgs, target: &[String]) -> Result<ReadOptions, Failure> {
    Ok(ReadOptions {
        target: target.to_vec(),
        weight: None,
        columns: select.columns.clone(),
        drop: select.drop.clone(),
        rows: select.rows.as_deref().map(parse_rows).transpose()?,
        missing: match select.missing {
            Some(MissingWord::Drop) => Missing::Drop,
            Some(MissingWord::Error) | None => Missing::Error,
        },
        constant: false,
    })
}

const NO_FILE: &str = "chooses from a file, and --synthetic has none; leave it out";

/// Generated data are whole: flags that choose columns or rows of a file would be ignored in silence.
fn refuse_selection(args: &DataArgs) -> Result<(), Failure> {
    let given = [
        ("--target", !args.target.is_empty()),
        ("--columns", !args.select.columns.is_empty()),
        ("--drop", !args.select.drop.is_empty()),
        ("--rows", args.select.rows.is_some()),
        ("--missing", args.select.missing.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((flag, _)) => Err(Failure::usage(format!("{flag}: {NO_FILE}"))),
        None => Ok(()),
    }
}

fn core_scale(word: Option<ScaleWord>) -> Scale {
    match word {
        None | Some(ScaleWord::None) => Scale::None,
        Some(ScaleWord::Centre) => Scale::Centre,
        Some(ScaleWord::Standardise) => Scale::Standardise,
    }
}

/// The file name without its folder.
pub(crate) fn short_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generated(spec: &str) -> DataArgs {
        DataArgs { synthetic: Some(spec.into()), ..Default::default() }
    }

    #[test]
    fn a_generator_gives_data_with_its_population() {
        let loaded = load(&generated("gaussian:n=20,d=400,seed=1")).ok().unwrap();
        assert_eq!((loaded.raw.n(), loaded.raw.d()), (20, 400));
        assert_eq!(loaded.population.unwrap().d2, 400.0, "isotropic: d_2 = d");
        assert_eq!(loaded.scaled.dataset, loaded.raw, "no scaling by default");
    }

    #[test]
    fn scaling_is_that_of_the_flags() {
        let args = DataArgs { scale: Some(ScaleWord::Centre), ..generated("gaussian:n=20,d=5,seed=1") };
        let x = load(&args).ok().unwrap().scaled.dataset.x;
        for k in 0..5 {
            assert!((0..20).map(|i| x[(i, k)]).sum::<f64>().abs() < 1e-12, "column {k}");
        }
    }

    #[test]
    fn what_a_generator_cannot_do_is_refused() {
        let args = DataArgs { target: vec!["y".into()], ..generated("gaussian:n=20,d=5") };
        let message = load(&args).err().unwrap().to_string();
        assert!(message.starts_with("--target: chooses from a file"), "{message}");
        let message = load(&DataArgs::default()).err().unwrap().to_string();
        assert!(message.starts_with("no data: name a file"), "{message}");
        let message = load(&generated("gausian:n=20,d=5")).err().unwrap().to_string();
        assert!(message.contains("gaussian"), "{message}");
    }
}
