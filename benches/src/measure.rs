//! CPU time, peak memory, medians and the name of the machine, from /proc.

use std::fs::read_to_string;

/// CPU seconds of this thread so far. The kernel brings the count up to date at its ticks (some milliseconds):
/// time batches of tenths of a second.
pub(crate) fn cpu_seconds() -> f64 {
    let line = read_to_string("/proc/thread-self/schedstat").expect("/proc/thread-self/schedstat (Linux)");
    let nanoseconds: f64 = line.split(' ').next().and_then(|v| v.parse().ok()).expect("a count of nanoseconds");
    nanoseconds / 1e9
}

/// CPU seconds of all threads of this process so far, in ticks of a hundredth.
pub(crate) fn process_seconds() -> f64 {
    let line = read_to_string("/proc/self/stat").expect("/proc/self/stat (Linux)");
    // The name of the program, in parentheses, may hold spaces.
    let fields: Vec<&str> = line.rsplit(')').next().expect("a line").split_whitespace().collect();
    let ticks = |k: usize| fields[k].parse::<f64>().expect("a count of ticks");
    (ticks(11) + ticks(12)) / 100.0
}

/// Seconds since the machine started, in hundredths.
pub(crate) fn wall_seconds() -> f64 {
    let line = read_to_string("/proc/uptime").expect("/proc/uptime (Linux)");
    line.split(' ').next().and_then(|v| v.parse().ok()).expect("a count of seconds")
}

/// CPU seconds per repetition of `run`, in one batch.
pub(crate) fn batch(repetitions: usize, mut run: impl FnMut()) -> f64 {
    let start = cpu_seconds();
    for _ in 0..repetitions {
        run();
    }
    (cpu_seconds() - start) / repetitions as f64
}

/// How often to run what takes about `seconds`, so that a batch lasts a quarter of a second.
pub(crate) fn repetitions(seconds: f64) -> usize {
    (0.25 / seconds.max(1e-6)).ceil() as usize
}

/// Repetitions for a batch of a quarter of a second: doubled until the clock, which has ticks, sees enough of them.
pub(crate) fn enough(run: impl Fn()) -> usize {
    let mut times = 1;
    loop {
        let seconds = batch(times, &run);
        if seconds * times as f64 > 0.05 {
            return repetitions(seconds);
        }
        times *= 2;
    }
}

/// Memory of the machine, in bytes.
pub(crate) fn memory_bytes() -> u64 {
    size("/proc/meminfo", "MemTotal:")
}

/// Largest resident size of this process so far, in bytes.
pub(crate) fn peak_bytes() -> u64 {
    size("/proc/self/status", "VmHWM:")
}

/// The size in bytes that a file of /proc gives in kB on the line of this name.
fn size(path: &str, name: &str) -> u64 {
    let text = read_to_string(path).unwrap_or_else(|e| panic!("{path} (Linux): {e}"));
    let line = text.lines().find(|l| l.starts_with(name)).unwrap_or_else(|| panic!("a line {name} in {path}"));
    let kibibytes: u64 = line.split_whitespace().nth(1).and_then(|v| v.parse().ok()).expect("a size in kB");
    kibibytes * 1024
}

/// The middle value; panics on none.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { f64::midpoint(sorted[half - 1], sorted[half]) }
}

/// Processor and number of cores.
pub(crate) fn machine() -> String {
    let info = read_to_string("/proc/cpuinfo").expect("/proc/cpuinfo (Linux)");
    let field =
        |name: &str| info.lines().find(|l| l.starts_with(name)).and_then(|l| l.split(": ").nth(1)).unwrap_or("?");
    let cores = info.lines().filter(|l| l.starts_with("processor")).count();
    format!("{} family {} model {}, {cores} cores", field("model name"), field("cpu family"), field("model\t"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
    }

    #[test]
    fn cpu_time_grows_with_work_and_memory_is_counted() {
        let work = |rounds: u64| {
            batch(1, || {
                std::hint::black_box((0..rounds).fold(1u64, |a, k| std::hint::black_box(a ^ k)));
            })
        };
        let (short, long) = (work(20_000_000), work(200_000_000));
        assert!(long > 4.0 * short, "{short} and {long}");
        let before = peak_bytes();
        std::hint::black_box(vec![1u8; 1 << 27]);
        assert!(peak_bytes() >= before.max(1 << 27));
    }
}
