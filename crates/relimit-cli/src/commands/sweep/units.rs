//! Sweeps on other machines: units handed out, submitted to Slurm, followed to their end, collected.

use std::collections::BTreeSet;
use std::path::Path;
use std::thread;
use std::time::Duration;

use relimit_report::number::count;
use relimit_run::clock::Stopwatch;
use relimit_run::sweep::{Grid, Keep, Manifest, Resources, Saved, Script, Store, queued, submit};

use crate::args::{SweepResubmitArgs, SweepRunArgs};
use crate::exit::{Exit, Failure};
use crate::output;
use crate::progress::Progress;
use crate::stop::Stop;

/// Without --unit a sweep has at most so many units.
const UNITS: usize = 200;
/// Between two looks at the queue.
const LOOK: Duration = Duration::from_secs(2);
/// Looks at a queue without our units before those that are not done count as lost: a scheduler may take a moment to
/// requeue, and a network file system to show a file.
const LOST: u32 = 5;

/// Hands out the runs that are missing; units that have been handed out stay as they are. The manifest, if anything is
/// left to do.
pub(super) fn hand_out(
    dir: &Path,
    grid: &Grid<'_>,
    store: &Store<'_>,
    unit: Option<usize>,
) -> Result<Manifest, Failure> {
    if unit == Some(0) {
        return Err(Failure::usage("--unit 0: a unit without runs; give at least 1"));
    }
    if let Some(there) = Manifest::read(dir)? {
        return Ok(there);
    }
    let todo = store.todo();
    let size = unit.unwrap_or_else(|| todo.len().div_ceil(UNITS).max(1));
    Ok(Manifest::write(dir, grid, todo, size)?)
}

/// Says how units are run by something else than Slurm.
pub(super) fn tell(dir: &Path, manifest: &Manifest) -> Result<(), Failure> {
    let (units, done) = (manifest.units.len(), manifest.done()?.len());
    output::note(&format!(
        "{done} of {units} units are done; relimit sweep exec {} --index I runs unit I, 0 to {}; then the same command \
         collects the rows",
        dir.display(),
        units - 1
    ));
    Ok(())
}

/// Writes the batch script, submits what is not done and not in the queue, and follows it.
pub(super) fn slurm(args: &SweepRunArgs, dir: &Path, manifest: &Manifest, threads: usize) -> Result<(), Failure> {
    let with = Resources {
        threads,
        partition: args.partition.clone(),
        time: args.time.clone(),
        memory: args.mem.clone(),
        options: args.sbatch.clone(),
    };
    let program = std::env::current_exe()
        .map_err(|e| Failure::usage(format!("where this program lies is not known: {e}; install it")))?;
    let script = Script::write(dir, &program, &with)?;
    send(&script, manifest)?;
    if args.no_wait {
        output::note("submitted; the same command follows the units and collects their rows");
        return Ok(());
    }
    follow(&script, manifest)
}

/// `relimit sweep resubmit`: sends the units that are neither done nor in the queue, and follows them.
pub(super) fn resubmit(args: &SweepResubmitArgs) -> Result<Exit, Failure> {
    let saved = Saved::open(&args.dir)?;
    let grid = Grid::new(&saved.plan, &saved.folder)?;
    if let Some(manifest) = Manifest::read(&args.dir)? {
        let script = Script::find(&args.dir)?;
        send(&script, &manifest)?;
        if !args.no_wait {
            follow(&script, &manifest)?;
        }
    }
    let keep = Keep { units: true, ..Keep::default() };
    let store = Store::open(&args.dir, &grid, &saved.text, &saved.folder, keep)?;
    store.notes().iter().for_each(|note| output::note(note));
    let counts = store.finish()?;
    output::print(&super::local::told(counts, &args.dir.display().to_string()))?;
    Ok(super::local::exit(counts))
}

fn send(script: &Script, manifest: &Manifest) -> Result<(), Failure> {
    let mut missing: BTreeSet<usize> = (0..manifest.units.len()).collect();
    for other in [manifest.done()?, queued(script)?] {
        missing.retain(|unit| !other.contains(unit));
    }
    if missing.is_empty() {
        output::note("every unit is done or in the queue: nothing is submitted");
        return Ok(());
    }
    let job = submit(script, &missing)?;
    output::note(&format!("job {job}: {} units submitted", count(missing.len() as u64)));
    Ok(())
}

/// Waits until all units are done, or none of ours is left in the queue.
fn follow(script: &Script, manifest: &Manifest) -> Result<(), Failure> {
    let (stop, watch) = (Stop::listen(None)?, Stopwatch::start());
    let progress = Progress::start("waiting for the queue");
    let all = manifest.units.len();
    let mut absent = 0;
    let lost = loop {
        let done = manifest.done()?.len();
        progress.units(done, all, manifest.claimed()?.len(), watch.seconds());
        if done == all {
            break 0;
        }
        absent = if queued(script)?.is_empty() { absent + 1 } else { 0 };
        if absent >= LOST {
            break all - done;
        }
        if stop.now() {
            output::note("the units go on without this program; the same command follows them again");
            break 0;
        }
        thread::sleep(LOOK);
    };
    progress.finish();
    if lost > 0 {
        output::note(&format!(
            "{lost} units are not done and not in the queue; relimit sweep resubmit sends them again"
        ));
    }
    Ok(())
}
