//! FTP beside curl, in one run: `cargo bench --bench ftp`.
//!
//! A directory of 100,000 entries in the real binary on a real pseudo-terminal: the time from launch until all rows are
//! sorted on the screen, compared with curl fetching the raw listing; and a file of 1 GiB. From the demo server, and
//! from vsftpd if it is installed and this runs as root.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    dead_code,
    reason = "a bench prints, rounds, may stop at the first thing that is not as it should be, and shares files"
)]

#[path = "figures.rs"]
mod figures;
#[path = "screen/screen.rs"]
mod pseudo;
#[path = "vsftpd.rs"]
mod vsftpd;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use geomys_demo::Demo;

use self::figures::{beside, curl, header, median, ms, plain, ratio, row};
use self::pseudo::Screen;
use self::vsftpd::Vsftpd;

/// The deadline of every step.
const DEADLINE: Duration = Duration::from_mins(1);

const RUNS: usize = 5;

/// The number of entries of the directory.
const ENTRIES: usize = 100_000;

const GEOMYS: &str = env!("CARGO_BIN_EXE_geomys");

fn main() {
    let directory = tempfile::tempdir().unwrap();
    header();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let demo = runtime.block_on(Demo::start()).unwrap();
    let url = format!("ftp://{}/big/{ENTRIES}/", demo.addresses.ftp);
    listing("the demo", &url, directory.path());
    match Vsftpd::start(directory.path(), ENTRIES) {
        Some(server) => {
            listing("vsftpd", &server.url("many/"), directory.path());
            download(&server.url("large"), directory.path());
        }
        None => println!("| vsftpd: not installed, or this is not root | | | | | |"),
    }
}

/// Measures a directory until all of it is sorted on the screen.
fn listing(server: &str, url: &str, home: &Path) {
    let (mut shown, mut whole, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let arguments = ["--config".as_ref(), home.as_os_str(), url.as_ref()];
        let mut screen = Screen::start(Path::new(GEOMYS), &arguments, home);
        shown.push(screen.wait(|text| text.contains("entry-")) - screen.started);
        let is_whole = |text: &str| {
            let status = text.trim_end().lines().last().unwrap_or_default();
            status.contains("/100,00")
        };
        whole.push(screen.wait(is_whole) - screen.started);
        others.push(curl(url));
    }
    let (whole, curl) = (median(whole), median(others));
    plain(
        &format!("{server}, 100,000 entries: launch to first rows"),
        median(shown),
    );
    row(
        &format!("{server}, 100,000 entries: launch to whole, sorted"),
        whole,
        &format!("curl, raw {}", ms(curl)),
        Some((ratio(whole, curl), Some(1.4))),
    );
}

/// Measures a file of 1 GiB, to the disk and to `/dev/null`.
fn download(url: &str, directory: &Path) {
    let saved = directory.join("saved");
    for (what, path) in [
        ("the disk", saved.as_path()),
        ("/dev/null", "/dev/null".as_ref()),
    ] {
        let command = |program: &str, arguments: &[&str]| {
            let _ = fs::remove_file(&saved);
            let mut command = Command::new(program);
            command.args(arguments).arg(url).arg("-o").arg(path);
            command
        };
        let (ours, curl) = (|_| command(GEOMYS, &["get"]), |_| command("curl", &["-s"]));
        let what = format!("vsftpd, 1 GiB to {what}");
        beside(&what, RUNS, &ours, ("curl", &curl), Some(1.0));
    }
}
