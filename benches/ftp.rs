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

#[path = "screen/figures.rs"]
mod figures;
#[path = "screen/screen.rs"]
mod pseudo;

use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use geomys_demo::Demo;

use self::figures::{curl, machine, median, ms, plain, ratio, row, verdict};
use self::pseudo::Screen;

/// The deadline of every step.
const DEADLINE: Duration = Duration::from_mins(1);

const RUNS: usize = 5;

/// The number of entries of the directory, and the size of the file in octets.
const ENTRIES: usize = 100_000;
const OCTETS: u64 = 1 << 30;

/// The limit of resident memory of a download, in octets.
const MEMORY: usize = 30_000_000;

const GEOMYS: &str = env!("CARGO_BIN_EXE_geomys");

fn main() {
    let directory = tempfile::tempdir().unwrap();
    println!("{}", machine());
    println!();
    println!("| what | geomys | compared with | ratio | goal | |");
    println!("|---|---|---|---|---|---|");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let demo = runtime.block_on(Demo::start()).unwrap();
    let url = format!("ftp://{}/big/{ENTRIES}/", demo.addresses.ftp);
    listing("the demo", &url, directory.path());
    match Vsftpd::start(directory.path()) {
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
            status.contains("100,000")
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
    let path = directory.join("saved");
    let path = path.to_str().unwrap();
    for (what, ours, theirs) in [
        (
            "1 GiB to the disk",
            vec!["get", url, "-o", path],
            vec!["-s", "-o", path, url],
        ),
        (
            "1 GiB to /dev/null",
            vec!["get", url, "-o", "/dev/null"],
            vec!["-s", "-o", "/dev/null", url],
        ),
    ] {
        let (mut times, mut others, mut peak) = (Vec::new(), Vec::new(), 0);
        for _ in 0..RUNS {
            // Alternately, as the speed of the disk varies.
            let _ = fs::remove_file(path);
            let (time, memory) = run(GEOMYS, &ours);
            times.push(time);
            peak = peak.max(memory);
            let _ = fs::remove_file(path);
            others.push(run("curl", &theirs).0);
        }
        let (ours, curl) = (median(times), median(others));
        let beside = format!("curl {}", ms(curl));
        row(
            &format!("vsftpd, {what}"),
            ours,
            &beside,
            Some((ratio(ours, curl), Some(1.0))),
        );
        println!(
            "| vsftpd, {what}: resident memory | {:.0} MB | | | ≤ {} MB | {} |",
            peak as f64 / 1e6,
            MEMORY / 1_000_000,
            verdict(peak <= MEMORY)
        );
    }
}

/// Runs a program to its end; returns the time and the peak of resident memory in octets.
fn run(program: &str, arguments: &[&str]) -> (Duration, usize) {
    let started = Instant::now();
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut peak = 0;
    let exit_status = loop {
        let file = format!("/proc/{}/status", child.id());
        let status = fs::read_to_string(file).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<usize>().ok());
        peak = peak.max(kib.unwrap_or_default() * 1024);
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    assert!(
        exit_status.success(),
        "{program} {arguments:?}: {exit_status}"
    );
    (started.elapsed(), peak)
}

/// A vsftpd on loopback, with a directory of its own.
struct Vsftpd {
    child: Child,
    port: u16,
}

impl Vsftpd {
    fn start(directory: &Path) -> Option<Self> {
        let program = PathBuf::from("/usr/sbin/vsftpd");
        let root = directory.join("vsftpd");
        let many = root.join("many");
        fs::create_dir_all(&many).unwrap();
        let id = Command::new("id").arg("-u").output().ok()?;
        if !program.is_file() || id.stdout.trim_ascii() != b"0" {
            return None;
        }
        for number in 0..ENTRIES {
            File::create(many.join(format!("entry-{number:06}.txt"))).unwrap();
        }
        File::create(root.join("large"))
            .unwrap()
            .set_len(OCTETS)
            .unwrap();
        let empty = directory.join("empty");
        fs::create_dir(&empty).unwrap();
        // The directories must be readable for the server.
        for directory in [directory, &root, &many] {
            let mut mode = fs::metadata(directory).unwrap().permissions();
            std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
            fs::set_permissions(directory, mode).unwrap();
        }
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let conf = directory.join("vsftpd.conf");
        let text = format!(
            "listen=YES\nlisten_address=127.0.0.1\nlisten_port={port}\nbackground=NO\nanonymous_enable=YES\n\
             local_enable=NO\nanon_root={}\nsecure_chroot_dir={}\nseccomp_sandbox=NO\nxferlog_enable=NO\n",
            root.display(),
            empty.display()
        );
        fs::write(&conf, text).unwrap();
        let child = Command::new(program)
            .arg(&conf)
            .stdin(Stdio::null())
            .spawn()
            .ok()?;
        let server = Self { child, port };
        let started = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            assert!(started.elapsed() < DEADLINE, "vsftpd does not answer");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(server)
    }

    fn url(&self, path: &str) -> String {
        format!("ftp://127.0.0.1:{}/{path}", self.port)
    }
}

impl Drop for Vsftpd {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
