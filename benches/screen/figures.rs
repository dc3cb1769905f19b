//! Figures in a table: medians, ratios to other programs in the same run, goals.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The number of runs of curl.
const RUNS: usize = 5;

/// Returns the time of curl for a URL, from its start to its end.
pub(crate) fn curl(url: &str) -> Duration {
    let times = (0..RUNS).map(|_| {
        let started = Instant::now();
        let status = Command::new("curl")
            .args(["--silent", "--output", "/dev/null", url])
            .stdin(Stdio::null())
            .status();
        assert!(status.unwrap().success(), "curl did not get {url}");
        started.elapsed()
    });
    median(times.collect())
}

/// Describes the machine; a busy machine distorts even the ratios.
pub(crate) fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split_whitespace().next().unwrap_or("?");
    format!("{cores} cores, load {load} before the first run")
}

pub(crate) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

pub(crate) fn ratio(ours: Duration, theirs: Duration) -> f64 {
    ours.as_secs_f64() / theirs.as_secs_f64()
}

pub(crate) fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}

pub(crate) fn verdict(is_met: bool) -> &'static str {
    if is_met { "met" } else { "missed" }
}

pub(crate) fn plain(what: &str, ours: Duration) {
    row(what, ours, "", None);
}

pub(crate) fn under(what: &str, ours: Duration, goal: Duration) {
    let result = verdict(ours <= goal);
    println!(
        "| {what} | {} | | | ≤ {} ms | {result} |",
        ms(ours),
        goal.as_millis()
    );
}

pub(crate) fn row(what: &str, ours: Duration, beside: &str, compared: Option<(f64, Option<f64>)>) {
    let ratio = compared.map_or(String::new(), |(ratio, _)| format!("{ratio:.2}"));
    let goal = compared.and_then(|(ratio, goal)| Some((ratio, goal?)));
    let (goal, result) = goal.map_or((String::new(), ""), |(ratio, goal)| {
        (format!("≤ {goal}"), verdict(ratio <= goal))
    });
    println!(
        "| {what} | {} | {beside} | {ratio} | {goal} | {result} |",
        ms(ours)
    );
}
