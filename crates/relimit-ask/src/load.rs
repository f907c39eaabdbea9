//! From the words about data to a scaled data set: file, table in memory or generator, columns, rows, scaling.

use std::sync::Arc;

use relimit_core::data::Dataset;
use relimit_core::data::scale::{Scale, Scaled, fold, scale, scale_weighted};
use relimit_core::data::spectrum::Dimensions;
use relimit_core::data::synthetic::synthetic;
use relimit_core::net::Network;
use relimit_core::num::Mat;
use relimit_run::key;
use relimit_run::read::{self, NetworkFile, Notice, ReadOptions};
use relimit_solve::answer::PatternsData;
use relimit_solve::optimum::{FurtherLabels, target_maps};

use crate::{AskError, DataWords};

/// Data ready for a run.
pub struct Loaded {
    /// File name without its folder, or the generator.
    pub name: String,
    /// Data as read, before scaling.
    pub raw: Dataset,
    /// Scaled data with the maps that led to them.
    pub scaled: Scaled,
    /// Exact effective dimensions of the population, for generators that have them.
    pub population: Option<Dimensions>,
    /// What was dropped, converted or noticed, one sentence each.
    pub notices: Vec<String>,
}

/// Reads or generates the data and scales them.
///
/// # Errors
/// What the reader, the generator or the scaling refuses.
pub fn load(args: &DataWords) -> Result<Loaded, AskError> {
    loaded(args, false)
}

/// As [`load`], also where all labels are equal, which is a notice then.
///
/// # Errors
/// What the reader, the generator or the scaling refuses.
pub fn load_any(args: &DataWords) -> Result<Loaded, AskError> {
    loaded(args, true)
}

fn loaded(args: &DataWords, constant: bool) -> Result<Loaded, AskError> {
    let (name, raw, population, notices) = match (args.source(), &args.synthetic) {
        (Some(source), _) => {
            let options = ReadOptions { constant, ..args.options()? };
            let (data, notices) = read::dataset(&source, &options)?;
            (args.name(), data, None, notices.iter().map(ToString::to_string).collect())
        }
        (None, Some(text)) => {
            refuse_selection(args)?;
            let made = synthetic(text)?;
            let population = made.dimensions();
            (text.clone(), made.dataset, population, Vec::new())
        }
        (None, None) => return Err(AskError::NoData),
    };
    let scaled = scale(&raw, of(args.scale), of(args.target_scale))?;
    Ok(Loaded { name, raw, scaled, population, notices })
}

/// What belongs to the rows besides features and first target.
#[derive(Default)]
pub struct Beside {
    /// Further targets.
    pub further: Vec<FurtherLabels>,
    /// Sample weights.
    pub weights: Option<Vec<f64>>,
}

impl Beside {
    /// A name of the data and of all labels: what a result depends on.
    pub fn key(&self, data: &Loaded) -> String {
        let dataset = &data.scaled.dataset;
        let more = self.further.iter().map(|t| Dataset { y: t.y.clone(), target: t.name.clone(), ..dataset.clone() });
        let keys = std::iter::once(key::of_dataset(dataset)).chain(more.map(|t| key::of_dataset(&t)));
        keys.collect::<Vec<_>>().join(" ")
    }

    /// A network of the scaled data as one for raw inputs and labels.
    pub fn raw(&self, net: Network, data: &Loaded) -> Network {
        let target = target_maps(&data.scaled.target, &self.further);
        let identity = data.scaled.inputs.is_identity() && target.is_identity();
        if identity { net } else { fold(&net, &data.scaled.inputs, &target) }
    }
}

/// As [`load`], with any number of targets, and the column of sample weights that is named.
///
/// # Errors
/// What the reader, the generator or the scaling refuses.
pub fn load_labelled(args: &DataWords, weight: Option<&str>) -> Result<(Loaded, Beside), AskError> {
    let Some(source) = args.source() else {
        return if weight.is_some() {
            Err(AskError::NoFile { word: "weight" })
        } else {
            Ok((load(args)?, Beside::default()))
        };
    };
    let options = ReadOptions { weight: weight.map(Into::into), constant: true, ..args.options()? };
    let (read, notices) = read::labelled(&source, &options)?;
    let raw = read.data;
    let weights = read.weights.as_deref();
    let scaled = scale_weighted(&raw, of(args.scale), of(args.target_scale), weights)?;
    let further = further(args, &raw, read.more, weights)?;
    let notices = notices.iter().map(ToString::to_string).collect();
    let loaded = Loaded { name: args.name(), raw, scaled, population: None, notices };
    Ok((loaded, Beside { further, weights: read.weights }))
}

/// Scales the targets after the first.
fn further(
    args: &DataWords,
    first: &Dataset,
    more: Vec<(String, Vec<f64>)>,
    weights: Option<&[f64]>,
) -> Result<Vec<FurtherLabels>, AskError> {
    let scaled = more.into_iter().map(|(name, y)| {
        let column = Dataset { y, target: name, ..first.clone() };
        let Scaled { dataset, target, .. } = scale_weighted(&column, Scale::None, of(args.target_scale), weights)?;
        Ok(FurtherLabels { name: dataset.target, y: dataset.y, map: target })
    });
    scaled.collect()
}

/// Reads what a network is judged on, in the order of its inputs, or generates it, and scales it.
///
/// # Errors
/// What the reader, the generator or the scaling refuses.
pub fn load_examples(args: &DataWords, file: &NetworkFile) -> Result<(Loaded, Vec<FurtherLabels>), AskError> {
    let Some(source) = args.source() else { return Ok((judged(load(args)?, file)?, vec![])) };
    let (names, target, inputs) = (file.features.as_deref(), file.target.as_deref(), file.network.inputs());
    let (read, notices) = read::examples(&source, names, target, inputs, &args.options()?)?;
    let raw = read.data;
    let further = further(args, &raw, read.more, None)?;
    let net = &file.network;
    let constant = net.b.iter().chain(&net.offset).any(|b| *b != 0.0);
    // rows of zeros matter to networks without biases alone
    let told = notices.iter().filter(|notice| !(constant && matches!(notice, Notice::ZeroRows { .. })));
    let notices = told.map(ToString::to_string).collect();
    let scaled = scale(&raw, of(args.scale), of(args.target_scale))?;
    Ok((Loaded { name: args.name(), raw, scaled, population: None, notices }, further))
}

/// Refuses generated data of another number of features than the network has inputs.
fn judged(data: Loaded, file: &NetworkFile) -> Result<Loaded, AskError> {
    let (d, inputs) = (data.raw.d(), file.network.inputs());
    if d != inputs {
        return Err(AskError::Inputs { name: data.name, d, inputs });
    }
    Ok(data)
}

/// Features ready for a run that needs no labels.
pub struct Features {
    /// Scaled features, n x d.
    pub x: Arc<Mat>,
    /// Names, rows and notices.
    pub facts: PatternsData,
}

/// Reads or generates features, without a target unless one is named, and scales them.
///
/// # Errors
/// What the reader, the generator or the scaling refuses.
pub fn features(args: &DataWords) -> Result<Features, AskError> {
    let (name, x, features, rows, notices) = if let Some(source) = args.source() {
        let (table, notices) = read::inputs(&source, &args.options()?)?;
        let notices = notices.iter().map(ToString::to_string).collect();
        (args.name(), Arc::new(table.x), table.features, table.rows, notices)
    } else {
        let Loaded { name, raw, notices, .. } = load(&DataWords { scale: None, ..args.clone() })?;
        (name, raw.x, raw.features, raw.rows, notices)
    };
    let unlabelled = Dataset { y: vec![0.0; x.rows()], x, features, target: String::new(), rows };
    let Dataset { x, features, rows, .. } = scale(&unlabelled, of(args.scale), Scale::None)?.dataset;
    Ok(Features { x, facts: PatternsData { name, features, rows, notices } })
}

/// Generated data are whole: flags that choose columns or rows of a file would be ignored in silence.
fn refuse_selection(args: &DataWords) -> Result<(), AskError> {
    let given = [
        ("target", !args.target.is_empty()),
        ("columns", !args.columns.is_empty()),
        ("drop", !args.drop.is_empty()),
        ("rows", args.rows.is_some()),
        ("missing", args.missing.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((word, _)) => Err(AskError::NoFile { word }),
        None => Ok(()),
    }
}

fn of(scale: Option<Scale>) -> Scale {
    scale.unwrap_or(Scale::None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generated(spec: &str) -> DataWords {
        DataWords { synthetic: Some(spec.into()), ..Default::default() }
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
        let args = DataWords { scale: Some(Scale::Centre), ..generated("gaussian:n=20,d=5,seed=1") };
        let x = load(&args).ok().unwrap().scaled.dataset.x;
        for k in 0..5 {
            assert!((0..20).map(|i| x[(i, k)]).sum::<f64>().abs() < 1e-12, "column {k}");
        }
    }

    #[test]
    fn what_a_generator_cannot_do_is_refused() {
        let args = DataWords { target: vec!["y".into()], ..generated("gaussian:n=20,d=5") };
        let message = load(&args).err().unwrap().to_string();
        assert!(message.starts_with("--target: chooses from a file"), "{message}");
        let message = load(&DataWords::default()).err().unwrap().to_string();
        assert!(message.starts_with("no data: name a file"), "{message}");
        let message = load(&generated("gausian:n=20,d=5")).err().unwrap().to_string();
        assert!(message.contains("gaussian"), "{message}");
    }
}
