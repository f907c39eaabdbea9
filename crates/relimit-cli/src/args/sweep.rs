//! Arguments of `sweep`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// Runs a plan of many runs, continues one that was interrupted, and answers questions to its rows.
#[derive(Args, Clone, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "Examples:\n  \
    relimit sweep plan.toml --dry-run\n  \
    relimit sweep plan.toml --out phase\n  \
    relimit sweep query phase --where \"status == done\" --by C --slope gap~d\n\n\
    The rows are a Parquet data set, DIR/rows.parquet. Exit code 1 when runs have failed.")]
pub(crate) struct SweepArgs {
    #[command(subcommand)]
    pub(crate) what: Option<SweepCommand>,
    #[command(flatten)]
    pub(crate) run: SweepRunArgs,
}

/// What else can be done with a sweep.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum SweepCommand {
    /// What a sweep has reached, and why runs have failed
    Status(SweepStatusArgs),
    /// Rows that satisfy comparisons, in groups, summed up
    Query(SweepQueryArgs),
    /// One unit of a sweep that was handed out, for Slurm, HyperQueue, GNU parallel, Kubernetes or a shell
    Exec(SweepExecArgs),
    /// Send the units to Slurm again that are neither done nor in its queue
    Resubmit(SweepResubmitArgs),
    /// The JSON schema of a plan
    Schema,
}

/// Arguments of `sweep PLAN`.
#[derive(Args, Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct SweepRunArgs {
    /// Plan, a TOML file
    #[arg(value_name = "PLAN", required = true)]
    pub(crate) plan: Option<PathBuf>,
    /// Folder of the rows, new or that of the same plan [default: the name of the plan with .sweep]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Count the runs, time a few of them and stop
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Run failed runs again
    #[arg(long)]
    pub(crate) retry: bool,
    /// Drop rows of runs that the plan no longer has
    #[arg(long)]
    pub(crate) prune: bool,
    /// Stop after this time, to be continued: 250ms, 60s, 5m, 1h [default: none]
    #[arg(long, value_name = "TIME")]
    pub(crate) budget: Option<String>,
    /// Runs at a time; each uses one thread, and no row depends on it [default: all processors]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Where runs go: this machine, units that workers take by `sweep exec`, or the same submitted to Slurm
    #[arg(long, value_enum, default_value_t = Engine::Local)]
    pub(crate) engine: Engine,
    /// Runs of a unit [default: so that there are at most 200 units]
    #[arg(long, value_name = "N", help_heading = "Units and Slurm")]
    pub(crate) unit: Option<usize>,
    /// Partition
    #[arg(long, value_name = "NAME", help_heading = "Units and Slurm")]
    pub(crate) partition: Option<String>,
    /// Time limit of a unit, as Slurm writes it: 30, 2:00:00, 1-0
    #[arg(long, value_name = "TIME", help_heading = "Units and Slurm")]
    pub(crate) time: Option<String>,
    /// Memory of a unit, as Slurm writes it: 500M, 2G
    #[arg(long, value_name = "SIZE", help_heading = "Units and Slurm")]
    pub(crate) mem: Option<String>,
    /// Further options of sbatch, as account=physics; several are possible
    #[arg(long, value_name = "OPTION", help_heading = "Units and Slurm")]
    pub(crate) sbatch: Vec<String>,
    /// Submit and return; the same command collects the rows later
    #[arg(long, help_heading = "Units and Slurm")]
    pub(crate) no_wait: bool,
    /// One JSON object on standard output instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// Where the runs of a sweep go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// Threads of this machine.
    Local,
    /// Units for workers started by hand or by any scheduler.
    Units,
    /// Units as a job array of Slurm.
    Slurm,
}

impl Engine {
    /// Its word on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Units => "units",
            Self::Slurm => "slurm",
        }
    }
}

/// Arguments of `sweep exec`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Done units end at once; a unit that another worker has is left to it (exit code 3). Killed at any\n\
    moment, the same command goes on where it was. See docs/sweeps.md for the schedulers."
)]
pub(crate) struct SweepExecArgs {
    /// Folder of the sweep
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// Number of the unit, from 0 [default: SLURM_ARRAY_TASK_ID, HQ_TASK_ID or JOB_COMPLETION_INDEX]
    #[arg(long, value_name = "I")]
    pub(crate) index: Option<usize>,
    /// Runs at a time; no row depends on it [default: all processors]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// One JSON object on standard output instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `sweep resubmit`.
#[derive(Args, Clone, Debug)]
pub(crate) struct SweepResubmitArgs {
    /// Folder of the sweep
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// Submit and return
    #[arg(long)]
    pub(crate) no_wait: bool,
}

/// Arguments of `sweep status`.
#[derive(Args, Clone, Debug)]
pub(crate) struct SweepStatusArgs {
    /// Folder of the sweep
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// One JSON object on standard output instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `sweep query`.
#[derive(Args, Clone, Debug)]
pub(crate) struct SweepQueryArgs {
    /// Folder of the sweep
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// Rows that count, as "d >= 2*n" or "status == done"; several all have to hold
    #[arg(long = "where", value_name = "COMPARISON")]
    pub(crate) filter: Vec<String>,
    /// Columns whose values make the groups, separated by commas [default: one group]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub(crate) by: Vec<String>,
    /// Mean of a column, with its standard error
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    pub(crate) mean: Vec<String>,
    /// Median of a column, with the quartiles
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    pub(crate) median: Vec<String>,
    /// Share of the rows for which a comparison holds
    #[arg(long, value_name = "COMPARISON")]
    pub(crate) share: Vec<String>,
    /// Slope of log Y against log X, with its 95 % interval
    #[arg(long, value_name = "Y~X")]
    pub(crate) slope: Vec<String>,
    /// One JSON object on standard output instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}
