//! Visited pages: stored, pruned and removed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::thread;

use proptest::prelude::*;
use rfc1738::Dialect;

use geomys_load::PrivateHosts;
use geomys_store::files::history::*;
use jiff::Timestamp;
use std::path::Path;

fn visit(second: i64, url: &str, title: &str) -> Visit {
    let time = Timestamp::from_second(second).unwrap();
    Visit::new(
        time,
        &Dialect::Extended.parse(url).unwrap(),
        title,
        VisitKind::Menu,
    )
}

fn all(path: &Path) -> Vec<Visit> {
    let history = load(path, &HistorySettings::default(), Timestamp::now()).unwrap();
    history.iter().map(VisitRef::to_visit).collect()
}

#[test]
fn visit_is_stored_without_its_password_in_a_private_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data/history.jsonl");
    append(
        &path,
        &visit(1_795_376_580, "ftp://ada:s3cret@h/", "An \"FTP\" server\n"),
    )
    .unwrap();
    let line = "{\"time\":\"2026-11-22T19:43:00Z\",\"url\":\"ftp://ada@h/\",\
                \"title\":\"An \\\"FTP\\\" server\\n\",\"kind\":\"menu\"}\n";
    assert_eq!(fs::read_to_string(&path).unwrap(), line);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    assert_eq!(all(&path).len(), 1);
}

#[test]
fn torn_last_line_costs_only_itself() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("history.jsonl");
    append(&path, &visit(1, "gopher://a/", "A")).unwrap();
    let whole = fs::read(&path).unwrap();
    let torn = [&whole[..], &whole[..whole.len() / 2]].concat();
    fs::write(&path, torn).unwrap();
    append(&path, &visit(2, "gopher://b/", "B")).unwrap();
    let urls: Vec<String> = all(&path).into_iter().map(|visit| visit.url).collect();
    assert_eq!(urls, ["gopher://a/", "gopher://b/"]);
}

#[test]
fn appends_and_removals_at_the_same_time_lose_no_line() {
    let directory = tempfile::tempdir().unwrap();
    let path = Arc::new(directory.path().join("history.jsonl"));
    let writers = (0..4).map(|writer| {
        let path = Arc::clone(&path);
        thread::spawn(move || {
            for number in 0..50 {
                let url = format!("gopher://h{writer}/{number}");
                append(&path, &visit(number, &url, "")).unwrap();
                if number % 10 == 9 {
                    let last = url.clone();
                    assert_eq!(remove(&path, |visit| visit.url == last).unwrap(), 1);
                }
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    for writer in writers {
        writer.join().unwrap();
    }
    assert_eq!(all(&path).len(), 4 * 45);
}

#[test]
fn history_is_bounded_in_number_and_age() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("history.jsonl");
    let day = 24 * 60 * 60;
    for number in 0..40 {
        append(
            &path,
            &visit(number * day, &format!("gopher://h/{number}"), ""),
        )
        .unwrap();
    }
    let now = Timestamp::from_second(40 * day).unwrap();
    let bounded = |size, days| {
        let settings = HistorySettings {
            size,
            days,
            ..HistorySettings::default()
        };
        let history = prune(&path, &settings, now).unwrap();
        let first = history.iter().next().map(|visit| visit.url.to_owned());
        (history.len(), first.unwrap())
    };
    // Less than a tenth too many: the file is written when it is worth it.
    assert_eq!(bounded(38, 0), (38, "gopher://h/2".to_owned()));
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 40);
    assert_eq!(bounded(1000, 30), (30, "gopher://h/10".to_owned()));
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 30);
    assert_eq!(bounded(10, 30), (10, "gopher://h/30".to_owned()));
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 10);
}

#[test]
fn visits_are_removed_by_an_age_that_was_set_and_by_no_other() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("history.jsonl");
    let day = 24 * 60 * 60;
    for number in 0..40 {
        let url = format!("gopher://h/{number}");
        append(&path, &visit(number * day, &url, "")).unwrap();
    }
    let pruned = |days, now: i64| {
        let settings = HistorySettings {
            days,
            ..HistorySettings::default()
        };
        let now = Timestamp::from_second(now * day).unwrap();
        // Reading alone never writes.
        let before = fs::read(&path).unwrap();
        let read = load(&path, &settings, now).unwrap().len();
        assert_eq!(fs::read(&path).unwrap(), before);
        assert_eq!(prune(&path, &settings, now).unwrap().len(), read);
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), read);
        read
    };
    assert_eq!(HistorySettings::default().days, 0);
    assert_eq!(pruned(0, 20_000), 40);
    // One visit too old is enough, and leaves no copy.
    assert_eq!(pruned(39, 40), 39);
    assert_eq!(pruned(7, 40), 7);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    assert_eq!(pruned(7, 100), 0);
}

#[test]
fn hosts_can_be_left_out() {
    let mut except = PrivateHosts::default();
    except.add("secret.example").unwrap();
    let settings = HistorySettings {
        except: Arc::new(except),
        ..HistorySettings::default()
    };
    let includes =
        |settings: &HistorySettings, url| settings.includes(&Dialect::Extended.parse(url).unwrap());
    assert!(includes(&settings, "gopher://public.example/"));
    assert!(!includes(&settings, "gopher://SECRET.example:7070/1"));
    let off = HistorySettings {
        is_on: false,
        ..settings
    };
    assert!(!includes(&off, "gopher://public.example/"));
    let unreadable = HistorySettings {
        except: Arc::new(PrivateHosts::unreadable()),
        ..HistorySettings::default()
    };
    assert!(!includes(&unreadable, "gopher://public.example/"));
    let long = format!("gopher://h/0{}", "x".repeat(8 * 1024));
    assert!(!includes(&HistorySettings::default(), &long));
}

#[test]
fn very_long_line_is_ignored_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("history.jsonl");
    append(&path, &visit(1, "gopher://a/", "A")).unwrap();
    let mut octets = fs::read(&path).unwrap();
    octets.extend(vec![b'x'; 200_000]);
    octets.push(b'\n');
    fs::write(&path, octets).unwrap();
    append(&path, &visit(2, "gopher://b/", "B")).unwrap();
    assert_eq!(all(&path).len(), 2);
}

#[test]
fn hundred_thousand_visits_take_less_than_thirty_mebibytes() {
    let mut history = History::default();
    for number in 0..100_000 {
        let url = format!(
            "gopher://host{}.example.org:70/1/a/directory/{number}",
            number % 999
        );
        history.push(&visit(
            number,
            &url,
            &format!("The title of the page with number {number}"),
        ));
    }
    assert_eq!(history.len(), 100_000);
    assert!(history.memory() < 30 << 20, "{}", history.memory());
}

proptest! {
    #[test]
    fn any_visits_come_back_as_they_were_written(
        visits in proptest::collection::vec((0..1_i64 << 33, "gopher://[a-c]{1,3}/0[!-~&&[^%<>\"]]{0,9}", any::<String>()), 0..12)
    ) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("history.jsonl");
        let visits: Vec<Visit> = visits
            .iter()
            .filter(|(_, url, _)| Dialect::Extended.parse(url).is_ok())
            .map(|(second, url, title)| visit(*second, url, title))
            .collect();
        for visit in &visits {
            append(&path, visit).unwrap();
        }
        prop_assert_eq!(all(&path), visits);
    }

    #[test]
    fn any_bytes_are_a_file(bytes: Vec<u8>) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("history.jsonl");
        fs::write(&path, &bytes).unwrap();
        append(&path, &visit(1, "gopher://a/", "A")).unwrap();
        let found = all(&path);
        prop_assert_eq!(found.last().map(|visit| visit.url.as_str()), Some("gopher://a/"));
    }
}
