//! Actions of the real binary that are stopped, and that fail, at each write, rename and sync of theirs, one after the
//! other, by strace: nothing of the user is lost or doubled, a failure is said, and the next run ends like an
//! undisturbed one.
//!
//! `cargo test --test main faults -- --ignored --nocapture` runs them, and says how many points each action has. Each
//! point has one of the two faults, in turn; with [`ALL`] in the environment each has both.

mod actions;
mod strace;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use strace::{Fault, Point};

/// The files of a profile by their paths, without what differs between two runs.
type Files = BTreeMap<String, String>;

/// The words that the editor writes into a draft.
const DRAFT: &str = "It rains.";

/// The variable of the environment for both faults at each point.
const ALL: &str = "GEOMYS_ALL_FAULTS";

/// The faults at a point, which has this number.
#[expect(
    clippy::disallowed_methods,
    reason = "the environment chooses how much is tested"
)]
fn faults_at(number: usize) -> &'static [Fault] {
    match (std::env::var_os(ALL), number % 2) {
        (Some(_), _) => &[Fault::Stop, Fault::Failure],
        (None, 0) => &[Fault::Stop],
        (None, _) => &[Fault::Failure],
    }
}

/// What the user saw of a run.
struct Seen {
    /// Whether the run did all that it was to do.
    is_done: bool,
    /// The output, or the last screen.
    said: String,
}

/// Does an action in a profile, with words before the program and its arguments.
type Act<'a> = Box<dyn Fn(&Path, &[&str]) -> Seen + 'a>;

/// An action of the user in a profile.
struct Action<'a> {
    name: &'static str,
    /// Writes the profile before the action.
    prepare: Box<dyn Fn(&Path) + 'a>,
    /// Does it, with these words before the program and its arguments.
    act: Act<'a>,
    /// Does it after a fault, unless the user sees that it is done.
    again: Box<dyn Fn(&Path) -> Seen + 'a>,
    /// Says what is wrong after that, outside of the files.
    check: Box<dyn Fn() -> Option<String> + 'a>,
    /// The files that hold what the action is about: those whose paths begin so.
    results: &'static [&'static str],
    /// The files whose loss costs the user nothing, so that nothing is said: those whose paths contain this.
    quiet: &'static [&'static str],
}

impl Action<'_> {
    /// Returns true for a point whose failure costs the user nothing.
    fn is_quiet(&self, point: &Point, profile: &Path) -> bool {
        point.syncs_directory(profile) || self.quiet.iter().any(|path| point.is_of(path))
    }
}

/// Returns true for the files that have their old content or their new one after each fault. The others are caches,
/// logs that grow by lines, and records of a step, which have forms between.
fn is_whole(name: &str) -> bool {
    let others = [
        "cache/",
        "synced/",
        "history.jsonl",
        "session.json",
        "cancel-secret",
        "sync-state.txt",
        "transfers.txt",
    ];
    // A draft is the form that the editor gets, until the editor has ended.
    let is_draft = name.starts_with("drafts/");
    let is_page = name.starts_with("later/") && name != "later/queue";
    let is_step = [".state", ".part", ".part.geomys", ".geomys-new"]
        .iter()
        .any(|end| name.ends_with(end));
    !is_draft && !is_page && !is_step && !others.iter().any(|other| name.starts_with(other))
}

/// Reads the files of a profile.
fn files(profile: &Path) -> Files {
    let mut files = Files::new();
    let mut directories = vec![profile.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
                continue;
            }
            let mut octets = fs::read(&path).unwrap();
            let name = path.strip_prefix(profile).unwrap().to_str().unwrap();
            if octets.starts_with(b"geomys page") {
                // The checksum, which the time is part of.
                octets.truncate(octets.len().saturating_sub(32));
            }
            if name == "posted.txt" {
                // Message-IDs, which are different ones each time.
                let lines = octets.split_inclusive(|octet| *octet == b'\n');
                octets = b"<id>\n".repeat(lines.count());
            }
            let text = String::from_utf8_lossy(&octets);
            let is_marks = name.starts_with("newsrc/");
            let text = if is_marks {
                text.into_owned()
            } else {
                numberless(&text)
            };
            let name = strace::timeless(name);
            // The form of a draft that was stopped has the same name without its time.
            if !files.get(&name).is_some_and(|other| other.contains(DRAFT)) {
                files.insert(name, text);
            }
        }
    }
    files
}

/// Replaces each number by `0`: times, ids and sizes that depend on them.
fn numberless(text: &str) -> String {
    let mut numberless = String::new();
    for letter in text.chars() {
        match letter {
            '0'..='9' if numberless.ends_with('0') => {}
            '0'..='9' => numberless.push('0'),
            _ => numberless.push(letter),
        }
    }
    numberless
}

/// Does an action undisturbed, and then once for each point and fault.
fn disturb(action: &Action<'_>) {
    let base = tempfile::tempdir().unwrap();
    let base = base.path().canonicalize().unwrap();
    let (profile, log) = (base.join("profile"), base.join("log"));
    let prepare = || {
        let _ = fs::remove_dir_all(&profile);
        fs::create_dir(&profile).unwrap();
        (action.prepare)(&profile);
    };
    let act = |outer: &[String]| {
        let outer: Vec<&str> = outer.iter().map(String::as_str).collect();
        (action.act)(&profile, &outer)
    };
    prepare();
    let before = files(&profile);
    let seen = act(&strace::record(&log));
    assert!(seen.is_done, "{}: {}", action.name, seen.said);
    let after = files(&profile);
    let (points, unreachable) = strace::points(&log, &profile);
    let (mut stops, mut failures, mut missed, mut faults) = (0, 0, 0, String::new());
    for (number, point) in points.iter().enumerate() {
        for &fault in faults_at(number) {
            prepare();
            let seen = act(&point.strace(fault, &profile, &log));
            if !strace::happened(&log) {
                missed += 1;
                continue;
            }
            *match fault {
                Fault::Stop => &mut stops,
                Fault::Failure => &mut failures,
            } += 1;
            let mut complain =
                |what: &str| writeln!(faults, "{fault:?} at {point}: {what}").unwrap();
            for (name, content) in files(&profile) {
                let versions = [before.get(&name), after.get(&name)];
                // The name of a new file is reserved at first.
                let is_reserved = content.is_empty() && !before.contains_key(&name);
                if is_whole(&name) && !versions.contains(&Some(&content)) && !is_reserved {
                    complain(&format!("{name} is\n{content}\n"));
                }
            }
            for name in before.keys().filter(|name| after.contains_key(*name)) {
                if !profile.join(name).exists() && !name.contains('{') {
                    complain(&format!("{name} is lost"));
                }
            }
            if fault == Fault::Failure && !action.is_quiet(point, &profile) {
                let said = [
                    point.error().1,
                    "the disk is full",
                    "no space is left",
                    "could not be moved",
                    // A line of the screen has no room for a long path and the reason.
                    "cannot be ",
                    "could not be ",
                    "was not",
                    "1 failed",
                ];
                if !said.iter().any(|said| seen.said.contains(said)) {
                    complain(&format!("is not said: {}", seen.said));
                }
            }
            let seen = (action.again)(&profile);
            if !seen.is_done {
                complain(&format!("the next run: {}", seen.said));
            }
            if let Some(wrong) = (action.check)() {
                complain(&wrong);
            }
            let is_result = |name: &str| {
                // A backup is of the run before; a download that was stopped before its first octet leaves an empty
                // part.
                let others = [".geomys-backup", ".part", ".part.geomys", ".geomys-new"];
                !others.iter().any(|other| name.ends_with(other))
                    && action.results.iter().any(|result| name.starts_with(result))
            };
            let results = |files: &Files| -> Files {
                let results = files.iter().filter(|file| is_result(file.0));
                results
                    // A draft that was stopped before the editor is the form that the editor gets.
                    .filter(|(name, content)| {
                        !name.starts_with("drafts/") || content.contains(DRAFT)
                    })
                    .map(|(name, content)| (name.replace("{draft}-2", "{draft}"), content.clone()))
                    .collect()
            };
            let (found, expected) = (results(&files(&profile)), results(&after));
            if found != expected {
                complain(&format!(
                    "the next run leaves\n{found:#?}\nand not\n{expected:#?}"
                ));
            }
        }
    }
    let points = points.len() + unreachable;
    let counts = format!(
        "{}: {points} points, {stops} stops, {failures} failures; {unreachable} out of reach, {missed} missed\n",
        action.name
    );
    std::io::stderr().write_all(counts.as_bytes()).unwrap();
    assert!(faults.is_empty(), "{}:\n{faults}", action.name);
}
