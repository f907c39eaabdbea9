//! Slurm: the batch script of a sweep's units, its submission as a job array, and what is left of it in the queue.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::SweepError;
use crate::sweep::Key;
use crate::write::write_atomic;

const SCRIPT: &str = "submit.sh";
const LOGS: &str = "logs";
/// Seconds before the time limit at which Slurm interrupts a unit.
const NOTICE: u32 = 60;

/// What one unit is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// Threads, and processors.
    pub threads: usize,
    /// Partition.
    pub partition: Option<String>,
    /// Time limit, as Slurm writes it: `30`, `2:00:00`, `1-0`.
    pub time: Option<String>,
    /// Memory, as Slurm writes it: `500M`, `2G`.
    pub memory: Option<String>,
    /// More options of sbatch, `account=physics` or `exclusive`.
    pub options: Vec<String>,
}

/// A batch script that stands in the folder of a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    path: PathBuf,
    /// Name of the jobs, from which they are found in the queue.
    pub name: String,
}

impl Script {
    /// Writes the script of a folder; its units run `program`.
    ///
    /// # Errors
    /// An option with a line break; a file that cannot be written.
    pub fn write(dir: &Path, program: &Path, with: &Resources) -> Result<Self, SweepError> {
        let dir = fs::canonicalize(dir).map_err(|e| SweepError::io(dir, e))?;
        let script = Self::of(&dir)?;
        let logs = dir.join(LOGS);
        fs::create_dir_all(&logs).map_err(|e| SweepError::io(&logs, e))?;
        let mut options = vec![format!("cpus-per-task={}", with.threads)];
        let named = [("partition", &with.partition), ("time", &with.time), ("mem", &with.memory)];
        options.extend(named.iter().filter_map(|(name, value)| Some(format!("{name}={}", value.as_ref()?))));
        options.extend(with.options.iter().map(|o| o.trim_start_matches("--").to_owned()));
        if let Some(bad) = options.iter().find(|o| o.contains(char::is_control) || o.is_empty()) {
            let message = "is no option; write account=physics or exclusive".into();
            return Err(SweepError::Question { what: "--sbatch", text: bad.clone(), message });
        }
        let mut text = String::from("#!/bin/sh\n");
        let _ = writeln!(text, "#SBATCH --job-name={}", script.name);
        let _ = writeln!(text, "#SBATCH --requeue\n#SBATCH --open-mode=append\n#SBATCH --signal=B:INT@{NOTICE}");
        let _ = writeln!(text, "#SBATCH --output={}", quoted(&format!("{}/%a.log", logs.display())));
        for option in &options {
            let _ = writeln!(text, "#SBATCH --{option}");
        }
        let program = quoted(&program.display().to_string());
        let at = quoted(&dir.display().to_string());
        let _ = writeln!(text, "echo \"unit $SLURM_ARRAY_TASK_ID, restart ${{SLURM_RESTART_COUNT:-0}}\"");
        // in place of the shell, so that the interrupt reaches it
        let _ = writeln!(text, "exec {program} sweep exec {at} --threads {}", with.threads);
        write_atomic(&script.path, |out| std::io::Write::write_all(out, text.as_bytes()))?;
        Ok(script)
    }

    /// The script that a folder has.
    ///
    /// # Errors
    /// There is none.
    pub fn find(dir: &Path) -> Result<Self, SweepError> {
        let dir = fs::canonicalize(dir).map_err(|e| SweepError::io(dir, e))?;
        let script = Self::of(&dir)?;
        if script.path.is_file() {
            return Ok(script);
        }
        let what = "was not submitted to Slurm; relimit sweep PLAN --engine slurm does that".into();
        Err(SweepError::Foreign { dir: dir.display().to_string(), what })
    }

    fn of(dir: &Path) -> Result<Self, SweepError> {
        let text = dir.to_str().filter(|d| !d.contains(|c: char| c.is_control() || c == '%'));
        let text = text.ok_or_else(|| SweepError::Foreign {
            dir: dir.display().to_string(),
            what: "has a name that a batch script cannot hold; give another folder with --out".into(),
        })?;
        Ok(Self { path: dir.join(SCRIPT), name: format!("relimit-{}", Key::of(text.as_bytes())) })
    }
}

/// Submits units as one job array; its number.
///
/// # Errors
/// sbatch is not there, or refuses.
pub fn submit(script: &Script, units: &BTreeSet<usize>) -> Result<String, SweepError> {
    let array = format!("--array={}", spans(units));
    let said = call("sbatch", Command::new("sbatch").arg("--parsable").arg(array).arg(&script.path))?;
    Ok(said.trim().split(';').next().unwrap_or_default().to_owned())
}

/// Units that wait or run.
///
/// # Errors
/// squeue is not there, or has no answer.
pub fn queued(script: &Script) -> Result<BTreeSet<usize>, SweepError> {
    let name = format!("--name={}", script.name);
    let said = call("squeue", Command::new("squeue").args(["--noheader", "--array", "--me", &name, "--format=%K"]))?;
    Ok(said.lines().filter_map(|line| line.trim().parse().ok()).collect())
}

fn call(program: &'static str, command: &mut Command) -> Result<String, SweepError> {
    let failed = |message: String| SweepError::Scheduler { program, message };
    let done = command
        .output()
        .map_err(|e| failed(format!("does not start: {e}; call this where Slurm is, or leave out --engine slurm")))?;
    if done.status.success() {
        return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err(failed(format!("{}: {}", done.status, said.trim().replace('\n', "; "))))
}

/// `0-3,7`.
fn spans(units: &BTreeSet<usize>) -> String {
    let mut spans: Vec<(usize, usize)> = vec![];
    for unit in units {
        match spans.last_mut() {
            Some((_, last)) if *last + 1 == *unit => *last = *unit,
            _ => spans.push((*unit, *unit)),
        }
    }
    let text = |(a, b): &(usize, usize)| if a == b { a.to_string() } else { format!("{a}-{b}") };
    spans.iter().map(text).collect::<Vec<_>>().join(",")
}

/// One word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_short() {
        assert_eq!(spans(&[0, 1, 2, 3, 7, 9, 10].into()), "0-3,7,9-10");
        assert_eq!(spans(&[5].into()), "5");
    }

    #[test]
    fn the_script_runs_the_unit_in_its_place_and_refuses_broken_options() {
        let dir = std::env::temp_dir().join(format!("relimit-slurm it's {}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let mut with = Resources { threads: 2, time: Some("1-0".into()), ..Resources::default() };
        with.options.push("--account=physics".into());
        let script = Script::write(&dir, Path::new("/bin/re limit"), &with).unwrap();
        assert_eq!(Script::find(&dir).unwrap(), script);
        let text = fs::read_to_string(&script.path).unwrap();
        let lines = ["--requeue", "--open-mode=append", "--signal=B:INT@60", "--time=1-0", "--account=physics"];
        assert!(lines.iter().all(|l| text.contains(&format!("\n#SBATCH {l}\n"))), "{text}");
        // the shell agrees about the words: `exec` of a program that prints them
        let last = text.lines().last().unwrap();
        let shown =
            Command::new("sh").arg("-c").arg(last.replacen("exec '/bin/re limit'", "printf '%s\\n'", 1)).output();
        let at = fs::canonicalize(&dir).unwrap();
        let wanted = format!("sweep\nexec\n{}\n--threads\n2\n", at.display());
        assert_eq!(String::from_utf8(shown.unwrap().stdout).unwrap(), wanted);
        with.options.push("x\nrm -rf".into());
        assert!(Script::write(&dir, Path::new("/bin/relimit"), &with).is_err());
        fs::remove_dir_all(&dir).unwrap();
    }
}
