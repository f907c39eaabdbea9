//! The answers of the commands as plain data: what text, JSON and figures are made from.
//!
//! Keys are those of the JSON output. An absent number is `None` and prints as `null`; its key never goes missing.
//! A number that is not finite also prints as `null` and reads back as NaN (or `None` where it is optional).
//!
//! `row` is always the row of the file (the header is row 1); `neuron` counts from 0, as in `alpha[neuron]`.

mod cells;
mod certify;
mod claims;
mod collapse;
mod data;
mod gibbs;
mod limit;
mod optimum;
mod patterns;
mod rays;
mod reader;
mod run;
mod settings;
mod study;
mod train;
mod trajectory;

mod finite;

pub use relimit_core::certify::Claim;
pub use relimit_core::theory::Verdict;

pub use crate::optimum::TracePoint;
pub use cells::{CellsOptimum, TrainCell, TrainCells};
pub use certify::{
    CertifyAnswer, CertifyNeuron, CertifySettings, FloorFact, Judgement, LevelFact, LevelName, StationaryFact,
};
pub use claims::{Certificates, Gap, Hypotheses, MinNorm, OneStep};
pub use collapse::{CollapseAnswer, CollapseSettings, Growth, Narrowest, NetworkFacts, NeuronRole};
pub use data::{DataFacts, Interval};
pub use gibbs::{
    Drawn, GibbsAnswer, GibbsGrid, GibbsPoint, GibbsSettings, GibbsStatus, GroupFact, LimitRay, MeasuredPoint, NearLaw,
    VanishingNoise,
};
pub use limit::{CompareSteps, LimitAnswer, StartShare};
pub use optimum::{
    CellFact, Ended, ExactFitFact, FurtherTarget, KinkFact, NeuronFact, OptimumAnswer, OptimumSettings, PathPoint,
    PerTarget, SelectedFact,
};
pub use patterns::{
    CheckFacts, Covectors, Degeneracy, DegeneracyKind, ListFacts, Multiplier, PatternsAnswer, PatternsData,
    PatternsSettings, PatternsStatus, Stopped,
};
pub use rays::{NearRays, PointGroup, TrainGroup, TrainRay, TrainRays};
pub use reader::ReaderSettings;
pub use run::{
    DeadNeuron, DivergenceFacts, EventFact, EventFacts, LimitFacts, SilentPair, SilentReason, Stationary, TiePair,
};
pub use settings::Settings;
pub use study::{
    Choice, Fitted, Followed, Part, RunState, Section, SectionFact, SectionStatus, StudyAnswer, StudyData,
    StudySettings,
};
pub use train::{Census, DeadStart, Level, TrainAnswer, TrainPoint, TrainSettings, TrainStatus, Trait, TraitFact};
pub use trajectory::{Clock, Trajectory, instants, spread};
