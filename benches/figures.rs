//! Figures in a table: medians, ratios to other programs in the same run, goals.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Prints the head of the table, below a line about the machine.
pub(crate) fn header() {
    println!("{}", machine());
    println!();
    println!("| what | geomys | compared with | ratio | goal | |");
    println!("|---|---|---|---|---|---|");
}

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
fn machine() -> String {
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
    let (goal, result) = compared.map_or((String::new(), ""), |(ratio, goal)| judged(ratio, goal));
    println!(
        "| {what} | {} | {beside} | {ratio} | {goal} | {result} |",
        ms(ours)
    );
}

/// What a program took.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) time: Duration,
    /// The peak of resident memory, in octets.
    pub(crate) memory: usize,
}

/// Runs a program to its end. `None` if it is not installed.
pub(crate) fn cost(command: &mut Command) -> Option<Cost> {
    let started = Instant::now();
    let output = (Stdio::null(), Stdio::null());
    let child = command
        .stdin(Stdio::null())
        .stdout(output.0)
        .stderr(output.1);
    let mut child = match child.spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => panic!("{command:?}: {error}"),
    };
    let file = format!("/proc/{}/status", child.id());
    let mut memory = 0;
    let exit_status = loop {
        let status = std::fs::read_to_string(&file).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<usize>().ok());
        memory = memory.max(kib.unwrap_or_default() * 1024);
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let time = started.elapsed();
    assert!(exit_status.success(), "{command:?}: {exit_status}");
    Some(Cost { time, memory })
}

/// Runs Geomys and another program alternately, as the speed of a machine varies, and prints the medians of both with
/// their ratio. Each run gets a number, for directories of its own.
pub(crate) fn beside(
    what: &str,
    runs: usize,
    ours: &dyn Fn(usize) -> Command,
    (name, theirs): (&str, &dyn Fn(usize) -> Command),
    goal: Option<f64>,
) {
    let (mut own, mut other) = (Vec::new(), Vec::new());
    for run in 0..runs {
        own.push(cost(&mut ours(run)).unwrap());
        other.extend(cost(&mut theirs(run)));
    }
    let own = typical(&own).unwrap();
    let Some(other) = typical(&other) else {
        return println!("| {what} | {} | {name}: not installed | | | |", told(own));
    };
    let ratio = ratio(own.time, other.time);
    let (goal, result) = judged(ratio, goal);
    println!(
        "| {what} | {} | {name}: {} | {ratio:.2} | {goal} | {result} |",
        told(own),
        told(other)
    );
}

/// The goal of a ratio, and whether it is met; both empty without a goal.
fn judged(ratio: f64, goal: Option<f64>) -> (String, &'static str) {
    goal.map_or((String::new(), ""), |goal| {
        (format!("≤ {goal}"), verdict(ratio <= goal))
    })
}

/// The median of the times, with the most memory of all runs.
fn typical(costs: &[Cost]) -> Option<Cost> {
    let memory = costs.iter().map(|cost| cost.memory).max()?;
    let time = median(costs.iter().map(|cost| cost.time).collect());
    Some(Cost { time, memory })
}

fn told(cost: Cost) -> String {
    let memory = cost.memory as f64 / 1e6;
    format!("{}, {memory:.0} MB", ms(cost.time))
}
