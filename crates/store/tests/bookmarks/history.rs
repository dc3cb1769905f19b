//! Stored earlier states, and the files after a crash.

use std::process::Command;

use geomys_store::bookmarks::{Difference, MAX_DAYS, MAX_STATES};
use jiff::{SignedDuration, Timestamp};

use super::*;

#[test]
fn last_state_of_each_of_thirty_days_with_a_change_is_stored_whatever_the_clock_says() {
    // The last of the days was yesterday, or years ago, or lies ahead of the clock.
    for last_day in [1, 2000, -2000] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("bookmarks.txt");
        let states = directory.path().join("states");
        fs::write(&path, FILE).unwrap();
        fs::create_dir(&states).unwrap();
        // Two states on each of 50 days, at three and four o'clock.
        let today = Timestamp::now().strftime("%Y-%m-%dT00:00:00Z").to_string();
        let today: Timestamp = today.parse().unwrap();
        for number in 1..=100_i64 {
            let (days, hour) = (last_day + 49 - (number - 1) / 2, 3 + (number - 1) % 2);
            let until = today - SignedDuration::from_hours(24 * days - hour);
            let name = format!("{number}-{}.txt", until.strftime("%Y%m%dT%H%M%SZ"));
            fs::write(states.join(name), format!("{number}\n")).unwrap();
        }
        let store = Store::new(&path, "").with_history(&states);
        let now = store.load().unwrap();
        store.save(&now, &adding(&now, draft("new"), &[])).unwrap();
        // The last ten with the new one, and before them the last one of each day.
        let mut kept: Vec<u32> = (92..=101).collect();
        let days = (1..=91).rev().filter(|number| number % 2 == 0);
        kept.extend(days.take(MAX_DAYS));
        kept.sort_unstable();
        let stored = store.states().unwrap();
        let numbers: Vec<u32> = stored.iter().map(|state| state.number).collect();
        assert_eq!(numbers, kept, "{last_day}");
        assert_eq!(numbers.len(), MAX_STATES + MAX_DAYS);
    }
}

#[test]
fn earlier_states_are_stored_and_restored() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bookmarks.txt");
    fs::write(&path, FILE).unwrap();
    let store = Store::new(&path, "").with_history(directory.path().join("states"));
    for number in 0..MAX_STATES + 3 {
        let now = store.load().unwrap();
        store
            .save(&now, &adding(&now, draft(&format!("n{number}")), &[]))
            .unwrap();
    }
    let states = store.states().unwrap();
    let numbers: Vec<u32> = states.iter().map(|state| state.number).collect();
    assert_eq!(numbers, (4..=13).collect::<Vec<u32>>());
    let fourth = states[0].load().unwrap();
    assert!(
        text(&fourth).ends_with("n2 <URL:gopher://h/>\n"),
        "{fourth:?}"
    );
    let mode = fs::metadata(directory.path().join("states"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o077, 0);

    let before = fs::read(&path).unwrap();
    store.restore(&states[0]).unwrap();
    assert_eq!(fs::read(&path).unwrap(), fourth.octets());
    let last = store.states().unwrap().pop().unwrap();
    assert_eq!(
        (last.number, last.load().unwrap().octets()),
        (14, &before[..])
    );
    // Restoring the current state is no change.
    store.restore(&last).unwrap();
    let newest = || store.states().unwrap().last().unwrap().number;
    assert_eq!(newest(), 15);
    store.restore(&last).unwrap();
    assert_eq!(newest(), 15);
    assert!(matches!(store.state(99), Err(Error::NoState(99))));
}

#[test]
fn change_without_effect_writes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bookmarks.txt");
    fs::write(&path, FILE).unwrap();
    let store = Store::new(&path, "").with_history(directory.path().join("states"));
    let read = store.load().unwrap();
    let change = read.removing(&[1]);
    // Another program has edited the line: it stays, and nothing is inserted.
    fs::write(&path, FILE.replace("Floodgap", "The flood gap")).unwrap();
    let applied = store.save(&read, &change).unwrap();
    assert_eq!(applied.conflicts.len(), 1);
    assert_eq!(store.states().unwrap(), []);
    assert!(!directory.path().join("states").exists());
}

#[test]
fn unwritable_history_stops_the_change() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bookmarks.txt");
    fs::write(&path, FILE).unwrap();
    fs::write(directory.path().join("states"), "a file in the way").unwrap();
    let store = Store::new(&path, "").with_history(directory.path().join("states"));
    let read = store.load().unwrap();
    let error = store
        .save(&read, &adding(&read, draft("new"), &[]))
        .unwrap_err();
    assert!(matches!(error, Error::StoreState { .. }), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), FILE);
}

#[test]
fn difference_lists_added_removed_and_changed() {
    let between = |one: &str, other: &str| {
        let (one, other) = (
            Bookmarks::parse(one.as_bytes()),
            Bookmarks::parse(other.as_bytes()),
        );
        Difference::between(&one, &other).to_string()
    };
    let file = "a <URL:gopher://a/>\n  note\nb <URL:gopher://b/>\n# F\nc <URL:gopher://c/>\n";
    assert_eq!(between(file, file), "nothing");
    assert_eq!(
        between(file, &format!("\n{file}")),
        "folders, order or other lines"
    );
    assert_eq!(
        between(
            file,
            "x <URL:GOPHER://a>\nb <URL:gopher://z/>\nnew <URL:gopher://new/>\nmore <URL:gopher://more/>\n"
        ),
        "2 added (new, …), 1 removed (c), 2 edited (x, …)"
    );
    assert_eq!(
        between(file, &file.replace("  note", "  other")),
        "1 edited (a)"
    );
    assert_eq!(between(file, &file.replace("# F", "# G")), "1 edited (c)");
}

#[test]
fn two_threads_writing_a_thousand_lines_lose_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bookmarks.txt");
    // Two processes would not differ from two threads: the lock is on the open directory.
    let writers: Vec<_> = (0..2)
        .map(|writer| {
            let store = Store::new(&path, "").with_history(directory.path().join("states"));
            std::thread::spawn(move || {
                let mut loaded = store.load().unwrap();
                for number in 0..1000 {
                    let title = format!("w{writer}n{number}");
                    let change = adding(&loaded, draft(&title), &[]);
                    loaded = store.save(&loaded, &change).unwrap().bookmarks;
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().unwrap();
    }
    let file = Store::new(&path, "").load().unwrap();
    let mut titles: Vec<String> = file
        .bookmarks()
        .map(|one| one.title().to_string())
        .collect();
    titles.sort_unstable();
    titles.dedup();
    assert_eq!(titles.len(), 2000);
    assert_eq!(file.line_count(), 2000);
}

#[test]
fn unwritable_directory_leaves_file_and_fails() {
    if rustix::process::geteuid().is_root() {
        // Root may write anywhere: a path below a file stands in.
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("file"), FILE).unwrap();
        let store = Store::new(directory.path().join("file").join("bookmarks.txt"), "");
        let none = Bookmarks::default();
        let error = store
            .save(&none, &adding(&none, draft("x"), &[]))
            .unwrap_err();
        assert!(error.to_string().contains("not saved"), "{error}");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bookmarks.txt");
    fs::write(&path, FILE).unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o555)).unwrap();
    let store = Store::new(&path, "");
    let read = store.load().unwrap();
    let error = store
        .save(&read, &adding(&read, draft("x"), &[]))
        .unwrap_err();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(matches!(error, Error::Write { .. }), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), FILE);
}

#[test]
fn full_disk_leaves_file_and_fails() {
    let disk = tempfile::tempdir().unwrap();
    let mount = |arguments: &[&str]| {
        let mounted = Command::new(arguments[0])
            .args(&arguments[1..])
            .arg(disk.path())
            .output();
        mounted.is_ok_and(|output| output.status.success())
    };
    if !mount(&["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs"]) {
        // Another test limits the size of files instead.
        let sentence = b"full_disk_leaves_file_and_fails: skipped, as no disk can be mounted\n";
        std::io::Write::write_all(&mut std::io::stderr(), sentence).unwrap();
        return;
    }
    let path = disk.path().join("bookmarks.txt");
    let file = format!("{}\n", "x <URL:gopher://h/>\n".repeat(2000));
    fs::write(&path, &file).unwrap();
    let states = tempfile::tempdir().unwrap();
    let elsewhere = Store::new(&path, "").with_history(states.path());
    let here = Store::new(&path, "").with_history(disk.path().join("states"));
    let errors = [elsewhere, here].map(|store| {
        let read = store.load().unwrap();
        store
            .save(&read, &adding(&read, draft("new"), &[]))
            .unwrap_err()
    });
    let now = fs::read_to_string(&path).unwrap();
    assert!(mount(&["umount"]));
    assert!(now == file);
    assert!(matches!(errors[0], Error::Write { .. }), "{}", errors[0]);
    assert!(
        matches!(errors[1], Error::StoreState { .. }),
        "{}",
        errors[1]
    );
    for error in errors {
        assert!(error.to_string().contains("No space left"), "{error}");
    }
}

#[test]
fn ten_megabyte_line_and_crlf_stay_unchanged() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bookmarks.txt");
    let long = "x".repeat(10 << 20);
    let file = format!(
        "one <URL:gopher://one/>\r\n{long} <URL:gopher://long/>\r\n\r\nlast <URL:gopher://last/>"
    );
    fs::write(&path, &file).unwrap();
    let store = Store::new(&path, "");
    let read = store.load().unwrap();
    assert_eq!(read.bookmarks().count(), 3);
    let applied = store
        .save(&read, &adding(&read, draft("new"), &[]))
        .unwrap();
    let now = fs::read_to_string(&path).unwrap();
    assert!(now == format!("{file}\r\nnew <URL:gopher://h/>\r\n"));
    store.save(&applied.bookmarks, &applied.undo).unwrap();
    assert!(fs::read_to_string(&path).unwrap() == file);
}
