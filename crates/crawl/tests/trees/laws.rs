//! Laws of mirrors of sites, in worlds that answer badly: nothing that the server still has is deleted, and no whole
//! copy is replaced by a part of it.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};

use geomys_crawl::tree::{DirectoryOrder, MirrorOptions, TreeSummary, VanishedFiles, tree};
use geomys_store::transfer::records::DirectoryRecords;
use geomys_store::transfer::retry::RetryPolicy;
use geomys_testing::hole::{Hole, menu};
use geomys_testing::web::{HttpRequest, Web, ok};
use geomys_wire::net::Net;
use proptest::prelude::*;

use super::{HASTE, save};

/// Number of pages of a world, without its first one.
const PAGES: usize = 7;

/// How a server answers a request for a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Same,
    Changed,
    /// The page as before, without its links.
    Bare,
    /// The word of the server that the page is gone.
    Gone,
    Broken,
    Forbidden,
    Away,
    /// A redirect to the page of this number.
    Moved(usize),
    /// The beginning of the page only.
    Cut,
    Empty,
    OtherType,
}

fn answers() -> impl Strategy<Value = Answer> {
    prop_oneof![
        4 => Just(Answer::Same),
        2 => Just(Answer::Changed),
        2 => Just(Answer::Bare),
        2 => Just(Answer::Gone),
        1 => Just(Answer::Broken),
        1 => Just(Answer::Forbidden),
        1 => Just(Answer::Away),
        1 => (1..=PAGES).prop_map(Answer::Moved),
        2 => Just(Answer::Cut),
        1 => Just(Answer::Empty),
        1 => Just(Answer::OtherType),
    ]
}

/// The pages of a site: to which each of them links, and how they answer.
#[derive(Clone, Debug)]
struct World {
    links: Vec<Vec<usize>>,
    answers: Vec<Answer>,
}

fn worlds() -> impl Strategy<Value = World> {
    let page = prop::collection::vec(1..=PAGES, 0..4);
    let links = prop::collection::vec(page, PAGES + 1);
    let answers = prop::collection::vec(answers(), PAGES + 1);
    (links, answers).prop_map(|(links, answers)| World { links, answers })
}

impl World {
    /// The links of a page, below this beginning.
    fn html(&self, number: usize, top: &str) -> String {
        let links = self.links[number].iter();
        let links = links.map(|to| format!("<a href='{top}p{to}'>to {to}</a>\r\n"));
        format!("<p>page {number}\r\n{}", links.collect::<String>())
    }

    /// The content with which a page answers, if it comes whole.
    fn content(&self, number: usize, top: &str) -> Option<String> {
        match self.answers[number] {
            Answer::Same | Answer::OtherType => Some(self.html(number, top)),
            Answer::Changed => Some(format!("{}changed\r\n", self.html(number, top))),
            Answer::Bare => Some("<p>Maintenance\r\n".to_owned()),
            Answer::Empty => Some(String::new()),
            _ => None,
        }
    }

    fn over_http(&self, path: &str) -> Vec<u8> {
        let status = |status: &str, field: &str| {
            format!("HTTP/1.1 {status}\r\n{field}Content-Length: 0\r\n\r\n").into_bytes()
        };
        let Some(number) = number(path) else {
            return status("404 Not Found", "");
        };
        let media = match self.answers[number] {
            Answer::OtherType => "text/plain",
            _ => "text/html",
        };
        if let Some(content) = self.content(number, "/") {
            return ok(&format!("Content-Type: {media}\r\n"), content);
        }
        match self.answers[number] {
            Answer::Gone => status("410 Gone", ""),
            Answer::Forbidden => status("403 Forbidden", ""),
            Answer::Away => status("302 Found", "Location: http://example.invalid/\r\n"),
            Answer::Moved(to) => status("302 Found", &format!("Location: /p{to}\r\n")),
            Answer::Cut => {
                let whole = ok("Content-Type: text/html\r\n", self.html(number, "/"));
                whole[..whole.len() - 3].to_vec()
            }
            _ => status("500 Broken", ""),
        }
    }

    fn over_gopher(&self, selector: &str, here: SocketAddr) -> Vec<u8> {
        let Some(number) = number(selector) else {
            return menu(&["3none\t\terror.host\t1"], here);
        };
        let content = if number == 0 {
            let links = self.links[0].iter();
            let mut rows: Vec<String> = links.map(|to| format!("hto {to}\t/p{to}\t@")).collect();
            rows.push("iwords\t\terror.host\t1".to_owned());
            let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
            let rows = menu(&rows, here);
            String::from_utf8(rows).unwrap()
        } else {
            format!("{}.\r\n", self.html(number, &format!("gopher://{here}/h/")))
        };
        match self.answers[number] {
            Answer::Same | Answer::OtherType => content.into_bytes(),
            Answer::Changed if number == 0 => {
                format!("inew\t\terror.host\t1\r\n{content}").into_bytes()
            }
            Answer::Changed => content.replace("<p>", "<p>changed ").into_bytes(),
            Answer::Bare if number == 0 => menu(&["iMaintenance\t\terror.host\t1"], here),
            Answer::Bare => b"<p>Maintenance\r\n.\r\n".to_vec(),
            Answer::Gone => menu(&["3gone\t\terror.host\t1"], here),
            Answer::Broken | Answer::Forbidden | Answer::Away | Answer::Moved(_) => menu(
                &["iMaintenance\t\terror.host\t1", "3later\t\terror.host\t1"],
                here,
            ),
            // At the end of a line, where nothing but the dot tells it.
            Answer::Cut => content.split_inclusive('\n').next().unwrap().into(),
            Answer::Empty => Vec::new(),
        }
    }
}

/// The number of the page of a path.
fn number(path: &str) -> Option<usize> {
    match path {
        "" | "/" => Some(0),
        _ => path.strip_prefix("/p")?.parse().ok(),
    }
}

/// Fetches a site into the directory `here` below `root`.
async fn mirror(url: &str, root: &Path, vanished: VanishedFiles) -> TreeSummary {
    let mirror = MirrorOptions {
        vanished,
        ..MirrorOptions::default()
    };
    let order = DirectoryOrder {
        mirror,
        ..DirectoryOrder::new(save(url), root.join("here"))
    };
    let once = RetryPolicy {
        max_attempts: 0,
        ..HASTE
    };
    let (net, sources) = (Net::default(), DirectoryRecords::new(root.join(".sources")));
    Box::pin(tree(&net, order, &sources, &once, &mut |_| {}))
        .await
        .unwrap()
}

/// Mirrors a world whose pages are all there, and again with its answers; judges the files.
async fn judge(world: World, is_web: bool) {
    let first = World {
        answers: vec![Answer::Same; PAGES + 1],
        ..world.clone()
    };
    let now = Arc::new(Mutex::new(first));
    let answering = Arc::clone(&now);
    let (web, hole, url, index);
    if is_web {
        web = Web::start(move |request: &HttpRequest| {
            answering.lock().unwrap().over_http(request.path())
        })
        .await;
        (url, index) = (web.url("/"), "index.html");
    } else {
        hole = Hole::start(move |selector, here| {
            answering.lock().unwrap().over_gopher(selector, here)
        })
        .await;
        (url, index) = (format!("gopher://{}/", hole.address), "index.gopher");
    }
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    mirror(&url, root, VanishedFiles::Keep).await;
    let read = |number: usize| {
        let name = match number {
            0 => index.to_owned(),
            _ => format!("p{number}"),
        };
        std::fs::read(root.join("here").join(name)).ok()
    };
    let before: Vec<Option<Vec<u8>>> = (0..=PAGES).map(read).collect();
    assert!(before[0].is_some());
    *now.lock().unwrap() = world.clone();
    let summary = mirror(&url, root, VanishedFiles::Delete).await;
    for (number, before) in before.iter().enumerate() {
        let Some(before) = before else { continue };
        let (after, answer) = (read(number), world.answers[number]);
        let what = format!("page {number}: {answer:?}: {summary:?}");
        if answer == Answer::Gone {
            let is_deleted = after.is_none();
            // After two pages without an answer the others that nothing links to are not asked for.
            let is_left = summary.failures > 0 || summary.unlinked > 0;
            assert!(is_deleted || is_left || number == 0, "{what}");
            continue;
        }
        let after = after.unwrap_or_else(|| panic!("deleted: {what}"));
        let is_new = after != *before;
        let may_be_new = matches!(
            answer,
            Answer::Changed | Answer::Bare | Answer::Empty | Answer::OtherType
        );
        assert!(!is_new || may_be_new, "replaced: {what}");
    }
    let left = std::fs::read_dir(root.join("here")).unwrap();
    let parts = left.filter(|entry| {
        let name = entry.as_ref().unwrap().file_name().into_string().unwrap();
        let base = name.trim_end_matches(".geomys").strip_suffix(".part");
        base.is_some_and(|base| root.join("here").join(base).exists())
    });
    assert_eq!(parts.count(), 0, "partial files beside whole ones");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn nothing_that_the_server_has_is_lost(world in worlds(), is_web in any::<bool>()) {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_all().build().unwrap();
        runtime.block_on(judge(world, is_web));
    }
}
