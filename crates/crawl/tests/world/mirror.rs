//! Mirrors and archives of the test world.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use geomys_crawl::archive::Archive;
use geomys_crawl::tree::{
    DirectoryOrder, MirrorOptions, NameFilter, TreeSummary, VanishedFiles, tree,
};
use geomys_crawl::warc::{WarcFile, WarcInfo};
use geomys_load::{Purpose, Reason, Request};
use geomys_store::transfer::records::DirectoryRecords;
use geomys_store::transfer::retry::RetryPolicy;
use geomys_wire::net::Net;
use rfc1738::Dialect;
use tokio::time::sleep;

use super::answer::{Sent, number};
use super::fault::{Fault, Phase, Rules, Wire, World};
use super::server::{Asked, Server};
use super::{closure, is_content, is_content_in_part, linked};

/// The files of a mirror by their paths below it.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// A run that came to its end.
struct Ended {
    summary: Result<TreeSummary, String>,
    log: Vec<Asked>,
}

/// A run: ended, or killed after these requests.
type Run = Result<Ended, Vec<Asked>>;

/// Mirrors the world into `here` below a directory, to its end or to so many requests.
async fn mirror(
    server: &Server,
    root: &Path,
    (vanished, kill): (VanishedFiles, Option<usize>),
) -> Run {
    let filter = NameFilter {
        exclude: vec!["excepted*".to_owned()],
        ..NameFilter::default()
    };
    let mirror = MirrorOptions {
        vanished,
        filter,
        ..MirrorOptions::default()
    };
    let order = DirectoryOrder {
        mirror,
        ..DirectoryOrder::new(request(server), root.join("here"))
    };
    run(server, root, order, kill).await
}

fn request(server: &Server) -> Request {
    let url = Dialect::Extended.parse(&server.url("/")).unwrap();
    Request {
        purpose: Purpose::Save,
        ..Request::show(url, Reason::CommandLine)
    }
}

async fn run(server: &Server, root: &Path, order: DirectoryOrder, kill: Option<usize>) -> Run {
    let once = RetryPolicy {
        initial_delay: Duration::from_secs(1),
        max_delay: Duration::from_secs(1),
        max_attempts: 1,
        max_elapsed: Duration::from_hours(1),
        retries_silence: true,
    };
    let (net, sources) = (Net::default(), DirectoryRecords::new(root.join(".sources")));
    server.take_log();
    let mut report = |_: &_| {};
    let summary = tokio::select! {
        biased;
        () = async { match kill {
            Some(requests) => server.asked(requests).await,
            None => std::future::pending().await,
        }} => None,
        summary = Box::pin(tree(&net, order, &sources, &once, &mut report)) => Some(summary),
    };
    let Some(summary) = summary else {
        // The clock stands until files are written that were begun.
        sleep(Duration::from_secs(1)).await;
        return Err(server.take_log());
    };
    Ok(Ended {
        summary: summary.map_err(|error| error.to_string()),
        log: server.take_log(),
    })
}

/// The files of a mirror, without the records and the parts of files.
fn files(root: &Path) -> Files {
    let (mut files, mut waiting) = (Files::new(), vec![root.join("here")]);
    while let Some(directory) = waiting.pop() {
        let Ok(entries) = fs::read_dir(&directory) else {
            continue;
        };
        for entry in entries.map(Result::unwrap) {
            let path = entry.path();
            let name = entry.file_name().into_string().unwrap();
            if path.is_dir() {
                waiting.push(path);
            } else if !name.starts_with('.') {
                let below = path.strip_prefix(root).unwrap().to_owned();
                files.insert(below, fs::read(&path).unwrap());
            }
        }
    }
    files
}

/// The number of the page of a file: the first page has the name of an index, the others their own.
fn page_of(path: &Path) -> Option<usize> {
    let below = path.strip_prefix("here").unwrap().to_str().unwrap();
    let first = below.split('/').next().unwrap();
    if first.starts_with("index.") {
        return Some(0);
    }
    let digits: String = first
        .strip_prefix('p')?
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
}

/// Returns the pages that are here.
fn pages(files: &Files) -> BTreeMap<usize, &Vec<u8>> {
    let whole = files
        .iter()
        .filter(|(path, _)| !path.to_str().unwrap().contains(".part"));
    let pages = whole.filter_map(|(path, octets)| Some((page_of(path)?, octets)));
    pages.collect()
}

/// Law 1: a file is as before, or as a page that was sent; it is deleted only if the server said so.
fn judge_files(before: &Files, after: &Files, ended: &Ended, phase: &Phase) {
    let (before, after) = (pages(before), pages(after));
    let log = &ended.log;
    let what = format!("{:?} {log:?} {phase:?}", ended.summary);
    for page in before.keys().filter(|page| !after.contains_key(page)) {
        let is_gone =
            |asked: &&Asked| number(&asked.path) == Some(*page) && asked.sent == Sent::Gone;
        assert!(
            log.iter().any(|asked| is_gone(&asked)),
            "page {page} was deleted: {what}"
        );
    }
    for (page, octets) in &after {
        let is_old = before.get(page) == Some(octets);
        let is_sent = log.iter().any(|asked| match &asked.sent {
            Sent::Whole(sent) => number(&asked.path) == Some(*page) && is_content(octets, sent),
            Sent::Unconfirmed(sent) => {
                is_content_in_part(octets, sent, before.get(page).map(|copy| copy.as_slice()))
            }
            // The rule is for copies that nobody asked for.
            Sent::Unstorable => phase.faults[*page] == Fault::NoStore,
            _ => false,
        });
        let shown = String::from_utf8_lossy(octets);
        assert!(is_old || is_sent, "page {page} is now {shown}: {what}");
    }
}

/// No part of a file stays beside the whole one.
fn judge_parts(files: &Files) {
    for path in files.keys() {
        let name = path.to_str().unwrap();
        let base = name.trim_end_matches(".geomys").strip_suffix(".part");
        let is_beside = base.is_some_and(|base| files.contains_key(Path::new(base)));
        assert!(!is_beside, "{name}");
    }
}

/// Law 2: nothing that a rule forbids is requested.
fn judge_rules(server: &Server, log: &[Asked]) {
    let rules = server.phase().rules;
    let asked = |name: &str| log.iter().any(|asked| asked.path.starts_with(name));
    assert!(!asked("/excepted"), "{log:?}");
    assert!(!asked("/search"), "{log:?}");
    let is_known = matches!(rules, Rules::Hidden | Rules::Marked);
    assert!(!is_known || !asked("/hidden"), "{log:?}");
    let is_nothing =
        rules == Rules::Missing || server.wire == Wire::Gopher && rules == Rules::Broken;
    let pages = log.iter().filter(|asked| number(&asked.path).is_some());
    assert!(is_known || is_nothing || pages.count() == 0, "{log:?}");
}

/// Law 3: each page that is known was requested, or the run failed, or has its number. A page of which all octets came
/// before a kill may take its name without another request.
fn judge_count(killed: &[Asked], ended: &Ended, after: &Files, phase: &Phase) {
    let Ok(summary) = &ended.summary else { return };
    let here = pages(after);
    let linked = |page: usize| {
        let leads_away = |asked: &&Asked| {
            number(&asked.path) == Some(page) && matches!(asked.sent, Sent::Gone | Sent::Redirect)
        };
        let is_elsewhere = ended.log.iter().any(|asked| leads_away(&asked));
        let copy = here.get(&page).filter(|_| !is_elsewhere);
        copy.map(|copy| linked(copy)).unwrap_or_default()
    };
    let known = closure(linked, 99);
    let came = killed
        .iter()
        .filter(|asked| matches!(asked.sent, Sent::Whole(_)))
        .filter_map(|asked| number(&asked.path))
        .filter(|page| here.contains_key(page));
    let asked = ended.log.iter().filter_map(|asked| number(&asked.path));
    let asked: BTreeSet<usize> = asked.chain(came).collect();
    let missed: Vec<&usize> = known.difference(&asked).collect();
    let left_out = &summary.left_out;
    let told = summary.failures + left_out.pages + left_out.silent + summary.unlinked;
    assert!(
        missed.len() <= told,
        "{missed:?} not asked: {summary:?} {:?} {phase:?}",
        ended.log
    );
}

/// Law 5: one link, one request; what is busy or was cut is asked again once.
fn judge_requests(log: &[Asked]) {
    let mut requests: BTreeMap<&str, usize> = BTreeMap::new();
    for asked in log {
        *requests.entry(&asked.path).or_default() += 1;
    }
    for (path, count) in requests {
        // Of Gemini a load asks once more itself, and a file that waits for another is begun again.
        let most = if path.ends_with("robots.txt") { 1 } else { 6 };
        assert!(count <= most, "{path} was asked for {count} times: {log:?}");
    }
}

/// A host that was silent twice is left, with the number of its pages.
fn judge_silence(ended: &Ended, phase: &Phase) {
    let others = &phase.faults[1..];
    if others.iter().any(|fault| *fault != Fault::Silent) {
        return;
    }
    let pages = ended.log.iter().filter_map(|asked| number(&asked.path));
    let pages: BTreeSet<usize> = pages.filter(|page| *page > 0).collect();
    assert!(pages.len() <= 3, "{:?}", ended.log);
}

/// Runs and judges a mirror, after a run that was killed after these requests.
async fn step(server: &Server, root: &Path, vanished: VanishedFiles, killed: &[Asked]) -> Ended {
    let before = files(root);
    let ended = mirror(server, root, (vanished, None)).await.ok().unwrap();
    let after = files(root);
    judge_files(&before, &after, &ended, &server.phase());
    judge_parts(&after);
    judge_rules(server, &ended.log);
    judge_count(killed, &ended, &after, &server.phase());
    judge_requests(&ended.log);
    judge_silence(&ended, &server.phase());
    ended
}

/// Writes an archive of the world so many times: all records are whole, and each answer is in it once.
async fn judge_archive(server: &Server, root: &Path, runs: usize) {
    let path = root.join("a.warc.gz");
    fs::create_dir_all(root).unwrap();
    let mut whole = BTreeSet::new();
    for _ in 0..runs {
        let info = WarcInfo {
            honours_robots: true,
            description: "a test",
        };
        let file = WarcFile::open(&path, info).unwrap();
        let temporary = tempfile::tempdir().unwrap();
        let order = DirectoryOrder {
            archive: Some(Archive::new(file)),
            ..DirectoryOrder::new(request(server), temporary.path().join("here"))
        };
        let ended = run(server, temporary.path(), order, None)
            .await
            .ok()
            .unwrap();
        let sent = ended
            .log
            .iter()
            .filter(|asked| matches!(asked.sent, Sent::Whole(_)));
        let sent = sent.filter(|asked| number(&asked.path).is_some());
        whole.extend(sent.map(|asked| server.url(&asked.path)));
    }
    if !path.exists() {
        return;
    }
    let records = geomys_testing::warc::read(&path);
    let responses = records.iter().filter(|record| record.kind() == "response");
    let targets: BTreeSet<String> = responses.map(|record| record.target().to_owned()).collect();
    for url in whole {
        let url = Dialect::Extended.parse(&url).unwrap().canonical();
        assert!(
            targets.contains(url.as_str()),
            "{url} is not in {targets:?}"
        );
    }
}

/// Runs mirrors of a world, and judges them by the laws.
pub async fn judge(world: &World) {
    let server = Server::start(world.wire, world.now.clone()).await;
    let directory = tempfile::tempdir().unwrap();
    let root = |name: &str| directory.path().join(name);
    let (keep, delete) = (root("keep"), root("delete"));
    step(&server, &keep, VanishedFiles::Keep, &[]).await;
    // Law 6: killed, and run again.
    let killing = (VanishedFiles::Delete, Some(world.kill));
    let killed = mirror(&server, &delete, killing).await;
    let killed = killed.err().unwrap_or_default();
    step(&server, &delete, VanishedFiles::Delete, &killed).await;
    let is_same = pages(&files(&delete)) == pages(&files(&keep));
    let is_ordered = !world.now.may_be_left(world.wire);
    assert!(!is_ordered || is_same, "{:?}", world.now);
    let runs = if world.is_even() { 2 } else { 1 };
    judge_archive(&server, &root("archive"), runs).await;
    server.set(&world.later);
    if !world.is_even() {
        step(&server, &keep, VanishedFiles::Keep, &[]).await;
    }
    let before = files(&delete);
    let killed = mirror(&server, &delete, killing).await;
    if killed.is_err() {
        let cut = files(&delete);
        let is_lost = |page: &&usize| !pages(&cut).contains_key(page);
        let lost = pages(&before).keys().filter(is_lost).count();
        assert_eq!(lost, 0, "a killed run deletes nothing");
    }
    let killed = killed.err().unwrap_or_default();
    step(&server, &delete, VanishedFiles::Delete, &killed).await;
    // What is well again is here, as it is.
    server.set(&world.later.healed());
    let ended = step(&server, &keep, VanishedFiles::Keep, &[]).await;
    assert_eq!(
        ended.summary.as_ref().map(|summary| summary.failures),
        Ok(0)
    );
    let all = files(&keep);
    let here = pages(&all);
    let links = |page: usize| world.later.links[page].clone();
    for page in closure(links, 99) {
        let copy = here.get(&page);
        let copy = copy.unwrap_or_else(|| panic!("page {page} is not here: {all:?}"));
        let shown = String::from_utf8_lossy(copy);
        assert!(
            shown.contains(&format!("page {page} The")),
            "{page} is {shown}"
        );
    }
}
