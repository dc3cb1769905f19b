//! The calls of the system with which the binary changes its files, and faults at one of them, by strace.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};

/// The calls that write, name or sync a file.
const CALLS: &str = "write,writev,pwrite64,pwritev,fsync,fdatasync,ftruncate,rename,renameat,renameat2,link,linkat,unlink,\
     unlinkat,mkdir,mkdirat";

/// The forms of a time in the names of files: of a state of the bookmarks, and of a draft.
const STAMPS: [(&str, &str); 2] = [("{time}", "%Y%m%dT%H%M%SZ"), ("{draft}", "%Y%m%d-%H%M%S")];

/// The seconds after the start of a run in which it may name a file by the time.
const STAMP_SECONDS: i64 = 20;

/// What happens at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The program is killed before the call.
    Stop,
    /// The call fails: the disk is full, or broken.
    Failure,
}

/// A call that changes a file of the profile.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Point {
    call: String,
    /// The path of the file, below the profile, without its time.
    path: String,
    /// The number among such calls for the file by one thread.
    nth: usize,
}

impl Point {
    /// Returns the error of the system that the call fails with, and its name.
    pub(super) fn error(&self) -> (&'static str, &'static str) {
        match self.call.as_str() {
            "fsync" | "fdatasync" | "unlink" | "unlinkat" => ("EIO", "Input/output error"),
            _ => ("ENOSPC", "No space left on device"),
        }
    }

    /// Returns true for the call that writes the names of a directory to the disk.
    pub(super) fn syncs_directory(&self, profile: &Path) -> bool {
        self.call == "fsync" && (self.path.is_empty() || profile.join(&self.path).is_dir())
    }

    /// Returns true for a call, with its path, that contains this.
    pub(super) fn is_of(&self, words: &str) -> bool {
        format!("{} {}", self.call, self.path).contains(words)
    }

    /// The words before the program and its arguments that make this fault happen; the log says whether it has.
    pub(super) fn strace(&self, fault: Fault, profile: &Path, log: &Path) -> Vec<String> {
        let (call, nth) = (&self.call, self.nth);
        let how = match fault {
            Fault::Stop => "signal=KILL".to_owned(),
            Fault::Failure => format!("error={}", self.error().0),
        };
        let mut words = strace(call, log);
        words.extend(["-e".to_owned(), format!("inject={call}:{how}:when={nth}")]);
        for path in self.paths() {
            let path = profile.join(path);
            let path = path.to_str().unwrap().trim_end_matches('/');
            words.extend(["-P".to_owned(), path.to_owned()]);
        }
        words
    }

    /// The names that the file may have in a run from now on.
    fn paths(&self) -> Vec<String> {
        let Some((name, form)) = STAMPS.iter().find(|(name, _)| self.path.contains(name)) else {
            return vec![self.path.clone()];
        };
        let now = Timestamp::now();
        let seconds = (0..STAMP_SECONDS).map(|second| now + second.seconds());
        let named = seconds.map(|time| time.to_zoned(TimeZone::UTC).strftime(form).to_string());
        named.map(|time| self.path.replace(name, &time)).collect()
    }
}

impl std::fmt::Display for Point {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} #{}", self.call, self.path, self.nth)
    }
}

fn strace(calls: &str, log: &Path) -> Vec<String> {
    let words = [
        "strace",
        "-f",
        "--quiet=attach,path-resolution,personality",
        "-y",
        "-s",
        "0",
        "-o",
    ];
    let mut words: Vec<String> = words.map(str::to_owned).into();
    words.push(log.to_str().unwrap().to_owned());
    words.extend(["-e".to_owned(), format!("trace={calls}")]);
    words
}

/// The words before the program and its arguments that log its calls.
pub(super) fn record(log: &Path) -> Vec<String> {
    strace(&format!("{CALLS},execve"), log)
}

/// Returns true if the log says that the fault has happened.
pub(super) fn happened(log: &Path) -> bool {
    let log = fs::read(log).unwrap();
    let log = String::from_utf8_lossy(&log);
    log.contains("(INJECTED)") || log.contains("+++ killed by SIGKILL +++")
}

/// The points that strace can reach, and the number of those that it cannot: it counts the calls of each thread by
/// themselves, so of two threads with the same count only the first meets the fault.
pub(super) fn points(log: &Path, profile: &Path) -> (Vec<Point>, usize) {
    let log = fs::read(log).unwrap();
    let log = String::from_utf8_lossy(&log);
    let profile = profile.to_str().unwrap();
    let (mut found, mut unreachable) = (Vec::new(), 0);
    let mut counts = BTreeMap::new();
    let mut others = BTreeSet::new();
    let mut lines = log.lines();
    // The program itself.
    assert!(lines.next().unwrap().contains("execve("));
    for line in lines {
        let (thread, line) = line.split_once(' ').unwrap();
        let line = line.trim_start();
        if line.starts_with("execve(") {
            // An editor.
            others.insert(thread);
        }
        // A call that failed by itself has changed nothing.
        if line.starts_with("<...") || line.contains(" = -1 ") || others.contains(thread) {
            continue;
        }
        let Some((call, rest)) = line.split_once('(') else {
            continue;
        };
        // strace takes the first path of a call too: that of the file that is renamed.
        let Some((_, path)) = rest.split_once(profile) else {
            continue;
        };
        let path = path
            .split(['>', '"'])
            .next()
            .unwrap()
            .trim_start_matches('/');
        let path = timeless(path);
        let nth = counts.entry((thread, call, path.clone())).or_insert(0);
        *nth += 1;
        let point = Point {
            call: call.to_owned(),
            path,
            nth: *nth,
        };
        if found.contains(&point) {
            unreachable += 1;
        } else {
            found.push(point);
        }
    }
    (found, unreachable)
}

/// Replaces the times in the name of a file.
pub(super) fn timeless(path: &str) -> String {
    let mut timeless = String::new();
    let mut rest = path;
    while let Some(first) = rest.chars().next() {
        let stamp = STAMPS.iter().find_map(|(name, form)| {
            let length = Timestamp::UNIX_EPOCH.strftime(form).to_string().len();
            let stamp = rest.get(..length)?;
            let is_stamp = jiff::civil::DateTime::strptime(form, stamp).is_ok();
            is_stamp.then_some((*name, length))
        });
        let length = stamp.map_or(first.len_utf8(), |stamp| stamp.1);
        timeless.push_str(stamp.map_or(&rest[..length], |stamp| stamp.0));
        rest = &rest[length..];
    }
    timeless
}
