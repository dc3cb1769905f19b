//! Files that a hand has touched: a damaged entry costs itself, and every other one is still read.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use geomys_page::document::Shape;
use geomys_store::bookmarks::{checks, watch};
use geomys_store::files::cache::{Cache, CacheLimits, PageHeader};
use geomys_store::files::draft::list_stored;
use geomys_store::files::history::{self, HistorySettings};
use geomys_store::files::newsrc::Newsrc;
use geomys_store::files::tls_offers::OfferFile;
use geomys_store::files::{charsets, later, trust};
use geomys_store::transfer::queue;
use geomys_wire::net::OfferStore;
use jiff::Timestamp;
use proptest::prelude::*;
use rfc1738::{Dialect, Url};

/// Names that no change of one octet makes equal.
const NAMES: [&str; 4] = ["alpha", "bravo-two", "charlie", "delta-four"];

/// Damage of one line.
#[derive(Clone, Debug)]
enum Damage {
    Replace(Vec<u8>),
    SetOctet(usize, u8),
    Delete,
    InsertBefore(Vec<u8>),
    InsertInside(usize, Vec<u8>),
}

fn damage() -> impl Strategy<Value = Damage> {
    let octets =
        || proptest::collection::vec(any::<u8>().prop_filter("one line", |&o| o != b'\n'), 0..40);
    prop_oneof![
        octets().prop_map(Damage::Replace),
        (any::<usize>(), any::<u8>()).prop_map(|(at, octet)| Damage::SetOctet(at, octet)),
        Just(Damage::Delete),
        octets().prop_map(Damage::InsertBefore),
        (any::<usize>(), octets()).prop_map(|(at, octets)| Damage::InsertInside(at, octets)),
    ]
}

impl Damage {
    fn apply(&self, line: &[u8]) -> Vec<u8> {
        let mut damaged = line.to_vec();
        match self {
            Self::Replace(octets) => damaged.clone_from(octets),
            Self::SetOctet(at, octet) => {
                if !line.is_empty() {
                    damaged[at % line.len()] = *octet;
                }
            }
            Self::Delete => return Vec::new(),
            Self::InsertBefore(octets) => {
                damaged = [octets.as_slice(), b"\n", line].concat();
            }
            Self::InsertInside(at, octets) => {
                let at = at % (line.len() + 1);
                damaged.splice(at..at, octets.iter().copied());
            }
        }
        damaged.push(b'\n');
        damaged
    }
}

fn url(name: &str) -> Url {
    Dialect::Extended
        .parse(&format!("gopher://{name}.example/1/x"))
        .unwrap()
}

/// A file with an entry on each line: its name, the line of a name, and the names whose entries are read.
type LineFile = (&'static str, fn(&str) -> String, fn(&Path) -> Vec<String>);

const FILES: [LineFile; 9] = [
    (
        "trust.txt",
        |name| format!("{name}.example:1965 sha256:{} 2026-01-02", "0a".repeat(32)),
        |path| {
            let pins = trust::load(path).unwrap();
            named(|name| pins.of(&format!("{name}.example:1965")).is_some())
        },
    ),
    (
        "tls-offers.txt",
        |name| format!("{name}.example:21 2026-01-02 accepted"),
        |path| {
            let offers = OfferFile::new(path);
            named(|name| {
                offers
                    .find(&format!("{name}.example:21"))
                    .unwrap()
                    .is_some()
            })
        },
    ),
    (
        "charsets.txt",
        |name| format!("{name}.example koi8-r"),
        |path| {
            let chosen = charsets::load(path).unwrap();
            named(|name| chosen.contains_key(&format!("{name}.example")))
        },
    ),
    (
        "transfers.txt",
        |name| format!("running from=gopher://h/1 free gopher://{name}.example/1/x /tmp/{name}"),
        |path| {
            let transfers = queue::load(path).unwrap();
            named(|name| transfers.iter().any(|transfer| transfer.url == url(name)))
        },
    ),
    (
        "history.jsonl",
        |name| {
            format!(
                "{{\"time\":\"2026-11-22T21:03:00Z\",\"url\":\"{}\"}}",
                url(name)
            )
        },
        |path| {
            let settings = HistorySettings::default();
            let visits = history::load(path, &settings, Timestamp::now()).unwrap();
            named(|name| visits.iter().any(|visit| visit.url == url(name).as_str()))
        },
    ),
    (
        "newsrc",
        |name| format!("comp.{name}: 1-5,7"),
        |path| {
            let groups = Newsrc::load(path).unwrap();
            named(|name| groups.group(format!("comp.{name}").as_bytes()).is_some())
        },
    ),
    (
        "queue",
        |name| format!("2026-11-22T21:03:00Z {} A title", url(name)),
        |path| {
            let pages = Cache::new(path.parent().unwrap().to_owned(), CacheLimits::default());
            let entries = later::entries(&pages).unwrap();
            named(|name| entries.iter().any(|entry| entry.url == url(name)))
        },
    ),
    (
        "checks.jsonl",
        |name| {
            let times = "\"at\":\"2026-11-22T21:03:00Z\",\"since\":\"2026-11-22T21:03:00Z\",\"listed\":\"2026-11-22T21:03:00Z\"";
            format!(
                "{{\"url\":\"{}\",\"state\":\"alive\",\"words\":\"\",\"ms\":3,{times}}}",
                url(name)
            )
        },
        |path| {
            // What is read is what a change writes back.
            let now = Timestamp::now();
            let checks = checks::save(path, &[], &BTreeSet::new(), now).unwrap();
            assert_eq!(checks::load(path).unwrap(), checks);
            named(|name| checks.of(&url(name)).is_some())
        },
    ),
    (
        "watched.jsonl",
        |name| {
            format!(
                "{{\"url\":\"{}\",\"at\":\"2026-11-22T21:03:00Z\"}}",
                url(name)
            )
        },
        |path| {
            let watched = watch::load(path).unwrap();
            named(|name| watched.of(&url(name)).is_some())
        },
    ),
];

fn named(is_there: impl Fn(&str) -> bool) -> Vec<String> {
    let names = NAMES.into_iter().filter(|name| is_there(name));
    names.map(str::to_owned).collect()
}

proptest! {
    #[test]
    fn damaged_line_costs_itself_at_most(
        file in 0..FILES.len(), at in 0..NAMES.len(), damage in damage(), ends_in_line_end: bool
    ) {
        let (file, line, read) = FILES[file];
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(file);
        let lines = NAMES.map(|name| format!("{}\n", line(name)).into_bytes());
        fs::write(&path, lines.concat()).unwrap();
        prop_assert_eq!(read(&path), NAMES, "{} as it was", file);
        let damaged = NAMES.iter().enumerate().map(|(number, name)| {
            let line = line(name).into_bytes();
            if number == at { damage.apply(&line) } else { [line.as_slice(), b"\n"].concat() }
        });
        let mut damaged = damaged.collect::<Vec<_>>().concat();
        if !ends_in_line_end {
            damaged.pop();
        }
        fs::write(&path, &damaged).unwrap();
        let found = read(&path);
        for (number, name) in NAMES.iter().enumerate() {
            let is_found = found.iter().any(|found| found == name);
            let shown = String::from_utf8_lossy(&damaged).into_owned();
            prop_assert!(number == at || is_found, "{file}: {name} is lost in {shown}");
        }
    }

    #[test]
    fn damaged_draft_costs_itself_at_most(
        at in 0..NAMES.len(), suffix in "eml|state|why", octets in proptest::collection::vec(any::<u8>(), 0..300)
    ) {
        let directory = tempfile::tempdir().unwrap();
        for name in NAMES {
            let path = |suffix: &str| directory.path().join(format!("{name}.{suffix}"));
            let draft = format!("Newsgroups: comp.{name}\nSubject: {name}\n\nText\n");
            fs::write(path("eml"), draft).unwrap();
            fs::write(path("state"), "Server: h\nAttempts: 1\nState: queued\n").unwrap();
        }
        let list = || {
            let mut drafts = list_stored(directory.path()).unwrap();
            drafts.sort_by(|one, other| one.path.cmp(&other.path));
            drafts
        };
        let before = list();
        fs::write(directory.path().join(format!("{}.{suffix}", NAMES[at])), &octets).unwrap();
        let after = list();
        prop_assert_eq!(before.len(), NAMES.len());
        prop_assert_eq!(after.len(), NAMES.len());
        for (number, (before, after)) in before.iter().zip(&after).enumerate() {
            prop_assert!(number == at || before == after, "{before:?} {after:?}");
        }
        // Nothing that cannot be read is sent.
        prop_assert!(suffix != "state" || after[at].state.is_queued() == octets_are_queued(&octets));
    }

    #[test]
    fn damaged_page_or_sum_of_the_cache_costs_itself_at_most(
        at in 0..=NAMES.len(), octets in proptest::collection::vec(any::<u8>(), 0..300), is_appended: bool
    ) {
        let directory = tempfile::tempdir().unwrap();
        let limits = CacheLimits { size: 1 << 20, ..CacheLimits::default() };
        let cache = || Cache::new(directory.path().to_owned(), limits);
        let store = |name: &str| {
            let head = PageHeader::new(url(name), Shape::Menu);
            let page = std::iter::once(name.as_bytes());
            cache().store(&head, Timestamp::now(), page).unwrap();
        };
        NAMES.into_iter().for_each(store);
        let mut files: Vec<_> = fs::read_dir(directory.path()).unwrap().map(|it| it.unwrap().path()).collect();
        files.retain(|path| path.extension().is_none());
        files.sort();
        let damaged = &files[at];
        let before = fs::read(damaged).unwrap();
        let content = if is_appended { [before, octets].concat() } else { octets };
        fs::write(damaged, content).unwrap();
        let lost = NAMES.into_iter().filter(|name| cache().page(&url(name)).is_none());
        prop_assert!(lost.count() <= usize::from(at < NAMES.len()));
        // Another page is stored, and those that were read stay.
        store("echo-fifth");
        let lost = NAMES.into_iter().filter(|name| cache().page(&url(name)).is_none());
        prop_assert!(lost.count() <= usize::from(at < NAMES.len()));
        prop_assert!(cache().page(&url("echo-fifth")).is_some());
    }
}

/// Returns true for a record whose state is that of a draft in the outbox.
fn octets_are_queued(octets: &[u8]) -> bool {
    let text = String::from_utf8_lossy(octets);
    let mut states = text.lines().filter_map(|line| line.strip_prefix("State: "));
    matches!(states.next_back(), Some("queued" | "sending"))
}
