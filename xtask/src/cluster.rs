//! Stage `cluster`: a sweep on Slurm, two nodes on this host. One node dies in the middle, and one unit's process alone;
//! the rows are those of this machine, to the byte.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::call::{output, run};
use crate::cargo::cargo;
use crate::stage::{Outcome, Tally};
use crate::workspace::Workspace;

const NODES: [(&str, u16); 2] = [("n1", 16_821), ("n2", 16_822)];
const PATH: &str = "/usr/sbin:/usr/bin:/sbin:/bin";
/// Units of six seconds or so.
const PLAN: &str = r#"
command = "train"
[fixed]
synthetic = "gaussian:n=30,d={d},labels=sign,seed={seed}"
width = 2000
steps = 1500
lambda = 0.05
beta = 100
[axes]
d = [2, 3, 4]
[seeds]
count = 40
[record]
loss = "/loss"
objective = "/objective"
"#;

/// Runs the checks, or says what this machine lacks.
pub(crate) fn stage(workspace: &Workspace) -> Outcome {
    match tools() {
        Ok(true) => {}
        Ok(false) => return Outcome::NotRun("needs root for slurm".into()),
        Err(message) => return Outcome::Failed(Tally::default(), message),
    }
    Outcome::of_tests(check(workspace).map(|passed| Tally { passed, failed: 0 }))
}

/// Whether Slurm and munge are there and this is root, after an installation if they were not.
fn tools() -> Result<bool, String> {
    let there = || ["slurmctld", "slurmd", "munged"].iter().all(|p| Path::new("/usr/sbin").join(p).exists());
    if output(Command::new("id").arg("-u"))?.trim() != "0" {
        return Ok(false);
    }
    if !there() {
        run(Command::new("apt-get").args(["update", "-qq"]))?;
        let words = ["install", "-y", "-qq", "--no-install-recommends", "slurm-wlm", "munge"];
        run(Command::new("apt-get").args(words).env("DEBIAN_FRONTEND", "noninteractive"))?;
    }
    if there() { Ok(true) } else { Err("apt installed slurm-wlm and munge, but not into /usr/sbin".into()) }
}

fn check(workspace: &Workspace) -> Result<usize, String> {
    cargo(workspace, &["build", "--release", "--workspace", "--bins"], &[])?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.root.join("target"), PathBuf::from);
    let program = target.join("release/relimit");
    let place = workspace.root.join("target/cluster");
    if place.exists() {
        fs::remove_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
    }
    fs::create_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
    let plan = place.join("plan.toml");
    write(&plan, PLAN)?;
    let mut cluster = Cluster::start(&place)?;
    let relimit = |words: &[&str], folder: &str| {
        let mut command = with_cluster(&program, &place);
        command.arg("sweep").args(words).current_dir(&place);
        if !folder.is_empty() {
            command.arg("--out").arg(folder);
        }
        command
    };
    run(&mut relimit(&["plan.toml"], "local"))?;
    let words = ["plan.toml", "--engine", "slurm", "--unit", "10", "--threads", "1", "--time", "10"];
    let mut sweep = relimit(&words, "slurm").spawn().map_err(|e| format!("relimit does not start: {e}"))?;
    let (first, second) = Cluster::both_at_work()?;
    println!("node n2 dies with its daemons and task {second}; task {first} on n1 is killed alone");
    kill(first);
    cluster.kill_node(1, second)?;
    sleep(Duration::from_secs(2));
    cluster.start_node(1)?;
    cluster.hurry()?;
    let ended = sweep.wait().map_err(|e| format!("relimit: {e}"))?;
    // the unit whose process alone was killed is not done, and Slurm does not repeat it
    if ended.code() != Some(3) {
        return Err(format!("the sweep with a killed task ended with {ended}"));
    }
    let restarts = restarts(&place.join("slurm/logs"))?;
    if restarts == 0 {
        return Err("no unit was requeued by Slurm".into());
    }
    println!("{restarts} units were requeued; the lost one is sent again");
    run(&mut relimit(&["resubmit", "slurm"], ""))?;
    if rows(&place.join("local"))? != rows(&place.join("slurm"))? {
        return Err("the rows of the cluster differ from those of this machine".into());
    }
    // completed; killed node; killed task; equal bytes
    Ok(4)
}

/// Slurm's daemons with files of their own.
struct Cluster {
    place: PathBuf,
    daemons: Vec<Child>,
    nodes: Vec<Option<Child>>,
}

impl Cluster {
    fn start(place: &Path) -> Result<Self, String> {
        let host = output(&mut Command::new("hostname"))?;
        write(&place.join("slurm.conf"), &configuration(place, host.trim()))?;
        for folder in ["state", "spool/n1", "spool/n2", "log"] {
            fs::create_dir_all(place.join(folder)).map_err(|e| format!("{folder}: {e}"))?;
        }
        let mut cluster = Self { place: place.to_owned(), daemons: vec![], nodes: vec![None, None] };
        // a key and a socket of our own: the host's munge, if it has one, is left alone
        fs::write(place.join("munge.key"), [7u8; 128]).map_err(|e| format!("munge.key: {e}"))?;
        run(Command::new("chmod").args(["0600", "munge.key"]).current_dir(place))?;
        let mut munged = cluster.command("munged");
        munged.args(["--foreground", "--force"]);
        for (flag, file) in [
            ("key-file", "munge.key"),
            ("socket", "munge.sock"),
            ("pid-file", "munge.pid"),
            ("seed-file", "munge.seed"),
        ] {
            munged.arg(format!("--{flag}={}", place.join(file).display()));
        }
        cluster.daemons.push(daemon(&mut munged)?);
        wait("munge", || place.join("munge.sock").exists())?;
        let mut control = cluster.command("slurmctld");
        cluster.daemons.push(daemon(control.args(["-D", "-f"]).arg(place.join("slurm.conf")))?);
        cluster.start_node(0)?;
        cluster.start_node(1)?;
        let idle = || {
            let said = output(cluster.command("sinfo").args(["-h", "-N", "-o", "%T"])).unwrap_or_default();
            said.lines().filter(|l| *l == "idle").count() == 2
        };
        wait("two idle nodes", idle)?;
        Ok(cluster)
    }

    fn command(&self, program: &str) -> Command {
        with_cluster(Path::new(program), &self.place)
    }

    fn start_node(&mut self, k: usize) -> Result<(), String> {
        let mut node = self.command("slurmd");
        node.args(["-D", "-N", NODES[k].0, "-f"]).arg(self.place.join("slurm.conf"));
        self.nodes[k] = Some(daemon(&mut node)?);
        Ok(())
    }

    /// The processes of a unit on each node, once both work.
    fn both_at_work() -> Result<(u32, u32), String> {
        let mut found = (None, None);
        wait("a unit on each node", || {
            found = (task(NODES[0].0), task(NODES[1].0));
            found.0.is_some() && found.1.is_some()
        })?;
        Ok((found.0.unwrap_or_default(), found.1.unwrap_or_default()))
    }

    /// Lets units that were requeued begin now: Slurm would hold them back for two minutes.
    fn hurry(&self) -> Result<(), String> {
        wait("a requeued unit", || {
            let words = ["-h", "-r", "-t", "PD", "-o", "%F_%K %r"];
            let said = output(self.command("squeue").args(words)).unwrap_or_default();
            let held = said.lines().filter_map(|line| line.strip_suffix(" BeginTime"));
            let begun = held.map(|job| {
                let words = ["update".into(), format!("jobid={job}"), "starttime=now".into()];
                run(self.command("scontrol").args(words)).is_ok()
            });
            begun.filter(|ok| *ok).count() > 0
        })
    }

    /// Kills a node's daemon, the daemon of its step, and the task.
    fn kill_node(&mut self, k: usize, task: u32) -> Result<(), String> {
        let step = parent(task).ok_or("a task without a parent")?;
        if let Some(mut node) = self.nodes[k].take() {
            node.kill().map_err(|e| format!("slurmd: {e}"))?;
            let _ = node.wait();
        }
        kill(step);
        kill(task);
        Ok(())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = output(self.command("scancel").args(["-u", "root"]));
        sleep(Duration::from_secs(1));
        for child in self.nodes.iter_mut().flatten().chain(&mut self.daemons) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A program that finds this cluster.
fn with_cluster(program: &Path, place: &Path) -> Command {
    let mut command = Command::new(program);
    command.env("SLURM_CONF", place.join("slurm.conf")).env("PATH", PATH);
    command
}

fn configuration(place: &Path, host: &str) -> String {
    let place = place.display();
    let text = format!(
        "ClusterName=relimit\nSlurmctldHost={host}(127.0.0.1)\nSlurmUser=root\nSlurmdUser=root\nAuthType=auth/munge\n\
         AuthInfo=socket={place}/munge.sock\nProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\n\
         SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nStateSaveLocation={place}/state\n\
         SlurmdSpoolDir={place}/spool/%n\nSlurmctldLogFile={place}/log/ctld.log\nSlurmdLogFile={place}/log/%n.log\n\
         SlurmctldPidFile={place}/ctld.pid\nSlurmdPidFile={place}/%n.pid\nSlurmctldPort=16817\n\
         JobAcctGatherType=jobacct_gather/none\nAccountingStorageType=accounting_storage/none\nReturnToService=2\n\
         SlurmdTimeout=10\nMpiDefault=none\nJobRequeue=1\n"
    );
    let nodes = NODES.map(|(name, port)| {
        let more = "CPUs=1 RealMemory=1000 State=UNKNOWN";
        format!("NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} {more}\n")
    });
    text + &nodes.concat() + "PartitionName=main Nodes=n1,n2 Default=YES MaxTime=60 State=UP\n"
}

/// The process of a unit on a node.
fn task(node: &str) -> Option<u32> {
    let name = format!("SLURMD_NODENAME={node}");
    fs::read_dir("/proc").ok()?.flatten().find_map(|entry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        let words = fs::read(entry.path().join("cmdline")).ok()?;
        let words: Vec<&[u8]> = words.split(|b| *b == 0).collect();
        let environ = fs::read(entry.path().join("environ")).ok()?;
        let here = environ.split(|b| *b == 0).any(|v| v == name.as_bytes());
        (here && words.get(1..3)? == [&b"sweep"[..], b"exec"]).then_some(pid)
    })
}

fn parent(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok())
}

fn kill(pid: u32) {
    let _ = Command::new("kill").args(["-9", &pid.to_string()]).status();
}

/// Units whose logs tell of a restart.
fn restarts(logs: &Path) -> Result<usize, String> {
    let entries = fs::read_dir(logs).map_err(|e| format!("{}: {e}", logs.display()))?;
    let texts = entries.flatten().filter_map(|e| fs::read_to_string(e.path()).ok());
    Ok(texts.filter(|t| t.lines().any(|l| l.contains(", restart ") && !l.ends_with(", restart 0"))).count())
}

/// Names and bytes of the rows of a sweep.
fn rows(dir: &Path) -> Result<Vec<(PathBuf, Vec<u8>)>, String> {
    let folder = dir.join("rows.parquet");
    let files = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files: Vec<PathBuf> = files.flatten().map(|f| f.path()).collect();
    files.sort();
    let read = |f: PathBuf| {
        let bytes = fs::read(&f).map_err(|e| format!("{}: {e}", f.display()))?;
        Ok((f.file_name().unwrap_or_default().into(), bytes))
    };
    files.into_iter().map(read).collect()
}

/// Waits for something, at most a minute.
fn wait(what: &str, mut there: impl FnMut() -> bool) -> Result<(), String> {
    for _ in 0..600 {
        if there() {
            return Ok(());
        }
        sleep(Duration::from_millis(100));
    }
    Err(format!("waited for {what} in vain; see target/cluster/log"))
}

fn daemon(command: &mut Command) -> Result<Child, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().map_err(|e| format!("{name} does not start: {e}"))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
