//! What is fetched without a reader, beside the tools that people use for it, in one run: `cargo bench --bench fetch`.
//!
//! A sync of pages and of a mirror beside wget, of articles beside slrnpull, a directory by FTP beside lftp, an archive
//! beside `wget --warc-file`, and the check of a site beside linkchecker. The servers are threads of this process.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    clippy::indexing_slicing,
    dead_code,
    reason = "a bench prints, rounds, may stop at the first thing that is not as it should be, and shares files"
)]

#[path = "fetch/distance.rs"]
mod distance;
#[path = "figures.rs"]
mod figures;
#[path = "fetch/site.rs"]
mod site;
#[path = "vsftpd.rs"]
mod vsftpd;

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use geomys_demo::Demo;
use geomys_demo::world;

use self::figures::{beside, header};
use self::site::Site;
use self::vsftpd::Vsftpd;

/// Runs of each job with 1,000 pages, of which the median counts; those with 10,000 run once.
const RUNS: usize = 3;

/// The number of pages of the site whose links are checked.
const CHECKED: usize = 100;

/// The number of articles of a group, and the time of a round trip to its server.
const ARTICLES: usize = 1000;
const ROUND_TRIP: Duration = Duration::from_millis(100);

/// The address of the news server: slrnpull knows no other port.
const NEWS: (&str, u16) = ("127.0.0.119", 119);

fn main() {
    let directory = tempfile::tempdir().unwrap();
    let home = directory.path();
    header();
    for (pages, runs) in [(1000, RUNS), (10_000, 1)] {
        let site = Site::start(pages);
        sync(&site, pages, runs, home);
        mirror(&site, pages, runs, home);
        archive(&site, pages, runs, home);
        files(pages, runs, home);
    }
    check(&Site::start(CHECKED), home);
    articles(home);
}

/// A command of Geomys with a profile.
fn geomys(profile: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_geomys"));
    command.arg("--config").arg(profile);
    command
}

/// A directory that no run has used.
fn fresh(home: &Path, name: &str, pages: usize, run: usize) -> PathBuf {
    let directory = home.join(format!("{name}-{pages}-{run}"));
    fs::create_dir(&directory).unwrap();
    directory
}

/// The pages of a list of bookmarks, each of them followed.
fn sync(site: &Site, pages: usize, runs: usize, home: &Path) {
    let urls = (0..pages).map(|number| format!("http://{}/{number}.html\n", site.web));
    let list = home.join(format!("urls-{pages}"));
    fs::write(&list, urls.collect::<String>()).unwrap();
    let ours = |run| {
        let profile = fresh(home, "sync", pages, run);
        let urls = fs::read_to_string(&list).unwrap();
        let bookmarks = urls.lines().map(|url| format!("<URL:{url}>\n"));
        fs::write(profile.join("bookmarks.txt"), bookmarks.collect::<String>()).unwrap();
        let follow = [
            "bookmarks",
            "edit",
            "--matching",
            "html",
            "--add-tag",
            "follow",
        ];
        let status = geomys(&profile).args(follow).output().unwrap().status;
        assert!(status.success(), "{status}");
        let mut command = geomys(&profile);
        command.args(["sync", "--quiet"]);
        command
    };
    let wget = |run| {
        let mut command = Command::new("wget");
        command.arg("-q").arg("-i").arg(&list);
        command.arg("-P").arg(fresh(home, "wget", pages, run));
        command
    };
    beside(
        &format!("sync of {pages} pages"),
        runs,
        &ours,
        ("wget -i", &wget),
        None,
    );
}

/// The pages of a site as files, over HTTP and over Gopher.
fn mirror(site: &Site, pages: usize, runs: usize, home: &Path) {
    let profile = fresh(home, "mirror-profile", pages, 0);
    let ours = |scheme: &'static str, address| {
        let profile = &profile;
        move |run| {
            let mut command = geomys(profile);
            command.args(["mirror", "--pages", "20000"]);
            command.arg(format!("{scheme}://{address}/"));
            command.arg(fresh(home, scheme, pages, run));
            command
        }
    };
    let url = format!("http://{}/", site.web);
    let wget = |name: &'static str| {
        let url = &url;
        move |run| {
            let mut command = Command::new("wget");
            command.args(["-q", "-r", "-l", "inf", url]);
            command.arg("-P").arg(fresh(home, name, pages, run));
            command
        }
    };
    let what = format!("mirror of {pages} pages");
    let (http, gopher) = (ours("http", site.web), ours("gopher", site.gopher));
    let over_http = format!("{what} over HTTP");
    beside(&over_http, runs, &http, ("wget -r", &wget("wget-r")), None);
    // Nothing else mirrors a Gopher site: the same pages over HTTP are the measure.
    let over_gopher = format!("{what} over Gopher");
    let peer: (_, &dyn Fn(usize) -> Command) = ("wget -r over HTTP", &wget("wget-g"));
    beside(&over_gopher, runs, &gopher, peer, None);
}

/// The pages of a site in a WARC file.
fn archive(site: &Site, pages: usize, runs: usize, home: &Path) {
    let profile = fresh(home, "archive-profile", pages, 0);
    let url = format!("http://{}/", site.web);
    let ours = |run| {
        let mut command = geomys(&profile);
        command.args(["archive", "-r", "--pages", "20000", &url]);
        command.arg(fresh(home, "archive", pages, run).join("site.warc.gz"));
        command
    };
    let wget = |run| {
        let directory = fresh(home, "wget-warc", pages, run);
        let mut command = Command::new("wget");
        command.args(["-q", "-r", "-l", "inf", "--delete-after", &url]);
        command.arg("--warc-file").arg(directory.join("site"));
        command.arg("-P").arg(directory);
        command
    };
    beside(
        &format!("archive of {pages} pages"),
        runs,
        &ours,
        ("wget --warc-file", &wget),
        None,
    );
}

/// Every link of a site, once: linkchecker waits up to half a second before each request to a host.
fn check(site: &Site, home: &Path) {
    let profile = fresh(home, "check-profile", CHECKED, 0);
    let url = format!("http://{}/", site.web);
    let ours = |_| {
        let mut command = geomys(&profile);
        command.args(["check", "-r", &url]);
        command
    };
    // It would ask for ten pages a second, and gives its rights up, so others must be able to read its settings.
    let settings = std::env::temp_dir().join(format!("linkchecker-{}", std::process::id()));
    fs::write(
        &settings,
        "[checking]\nmaxrequestspersecond=1000000\nrobotstxt=0\n",
    )
    .unwrap();
    let linkchecker = |_| {
        let mut command = Command::new("linkchecker");
        command.arg("-f").arg(&settings);
        command.args(["-q", "--no-status", &url]);
        command
    };
    beside(
        &format!("check of {CHECKED} pages"),
        1,
        &ours,
        ("linkchecker", &linkchecker),
        None,
    );
    fs::remove_file(settings).unwrap();
}

/// Small files by FTP.
fn files(count: usize, runs: usize, home: &Path) {
    let what = format!("mirror of {count} files over FTP");
    let directory = fresh(home, "ftp", count, 0);
    let Some(server) = Vsftpd::start(&directory, count) else {
        return println!("| {what} | vsftpd is not installed, or this is not root | | | | |");
    };
    let profile = fresh(home, "ftp-profile", count, 0);
    let url = server.url("many/");
    let ours = |run| {
        let mut command = geomys(&profile);
        command.args(["mirror", "-P", "4", &url]);
        command.arg(fresh(home, "ftp-mirror", count, run));
        command
    };
    let lftp = |run| {
        let target = fresh(home, "lftp", count, run);
        let mut command = Command::new("lftp");
        let script = format!(
            "open {}; mirror -P4 many {}",
            server.url(""),
            target.display()
        );
        command.args(["-c", &script]);
        command
    };
    beside(
        &what,
        runs,
        &ours,
        ("lftp mirror -P4", &lftp),
        (count > 1000).then_some(1.2),
    );
}

/// The newest articles of a group whose server is far away, in two runs: one fetches at most 500 of a group.
fn articles(home: &Path) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let demo = runtime.block_on(Demo::start()).unwrap();
    let what = format!("sync of {ARTICLES} articles at a round trip of 100 ms");
    let Ok(listener) = TcpListener::bind(NEWS) else {
        return println!("| {what} | slrnpull needs port 119, which only root may open | | | | |");
    };
    distance::relay(listener, demo.addresses.news, ROUND_TRIP);
    let ours = |run| {
        let profile = fresh(home, "news", ARTICLES, run);
        fs::create_dir(profile.join("newsrc")).unwrap();
        let newsrc = profile.join(format!("newsrc/{}_{}", NEWS.0, NEWS.1));
        let read = world::BIG_GROUP_ARTICLES - ARTICLES as u64;
        fs::write(newsrc, format!("{}: 1-{read}\n", world::BIG_GROUP)).unwrap();
        let mut command = Command::new("sh");
        let script = "\"$0\" --config \"$1\" sync --quiet; \"$0\" --config \"$1\" sync --quiet";
        command.args(["-c", script, env!("CARGO_BIN_EXE_geomys")]);
        command.arg(profile);
        command
    };
    let slrnpull = |run| {
        let spool = fresh(home, "slrnpull", ARTICLES, run);
        let groups = format!("{} {ARTICLES} 0\n", world::BIG_GROUP);
        fs::write(spool.join("slrnpull.conf"), groups).unwrap();
        let mut command = Command::new("slrnpull");
        command
            .arg("-d")
            .arg(spool)
            .args(["-h", NEWS.0, "--no-post"]);
        command
    };
    beside(&what, 1, &ours, ("slrnpull", &slrnpull), None);
}
