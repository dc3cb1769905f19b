//! Words of a query about hosts, folders, dates and what a bookmark lacks: in the pane and on the command line.

use std::fmt::Write as _;
use std::fs;

use super::command::Profile;
use crate::support::screen::Browser;

const LIST: &str = "\
Item A <URL:gopher://sdf.org/> #unix
# Work
Item B <URL:gopher://tilde.sdf.org/~b>
## Old
Item C <URL:http://c.example/>
<URL:http://d.example/>
";

const DATES: &str = "{\"url\":\"gopher://sdf.org/\",\"added\":\"2019-03-01T08:00:00Z\"}\n\
    {\"url\":\"gopher://tilde.sdf.org/~b\",\"added\":\"2021-03-01T08:00:00Z\"}\n";

#[test]
fn command_line_lists_by_host_folder_date_and_pattern() {
    let profile = Profile::new(LIST);
    fs::write(profile.directory().join("added.jsonl"), DATES).unwrap();
    for (query, expected) in [
        (&["host:sdf.org"][..], "AB"),
        (&["host:sdf.org", "is:untagged"], "B"),
        (&["folder:Work/Old"], "CD"),
        (&["is:untitled"], "D"),
        (&["since:2019", "until:2020"], "A"),
        (&["since:2020"], "B"),
        (&["host:c.example", "OR", "#unix"], "AC"),
        (&["/^item\\s[bc]$/"], "BC"),
        (
            &["--sort", "host", "host:example", "OR", "host:org"],
            "CDAB",
        ),
    ] {
        let arguments = [&["list"], query].concat();
        let (status, lines, said) = profile.run(&arguments);
        assert_eq!(status, 0, "{said}");
        let letters = lines.lines().map(|line| match line.split_once('\t') {
            Some(("", _)) => 'D',
            Some((title, _)) => title.chars().last().unwrap(),
            None => panic!("{line}"),
        });
        assert_eq!(letters.collect::<String>(), expected, "{query:?}");
    }
    let (status, _, said) = profile.run(&["list", "until:soon"]);
    assert_eq!(status, 2);
    assert!(
        said.contains("until: takes 2w, 3d, 1y, 2019, 2026-11 or 2026-11-02"),
        "{said}"
    );
    let (status, _, _) = profile.run(&["remove", "--yes", "--matching", "until:2019"]);
    assert_eq!(status, 0);
    assert!(!profile.file().contains("Item A"));
}

#[tokio::test(flavor = "multi_thread")]
async fn palette_and_prompt_find_bookmarks_by_the_words_of_the_filter() {
    let session = Browser::new()
        .bookmarks(LIST)
        .file("added.jsonl", DATES)
        .start();
    session.wait("geomys:home").await;
    for (query, expected) in [
        ("host:sdf.org", "AB"),
        ("since:2020", "B"),
        ("#unix OR /item.c/", "AC"),
        ("item -folder:work", "A"),
    ] {
        for key in [":", "o"] {
            session.press(key);
            session.type_in(query);
            session
                .wait_until(query, |_| {
                    let shown = session.dialog();
                    let items = shown.split("Item ").skip(1);
                    let letters: String = items.filter_map(|item| item.chars().next()).collect();
                    letters == expected
                })
                .await;
            session.press("Esc");
        }
    }
    // A row completes the word, and the first match is opened by Enter.
    session.press(":");
    session.type_in("is:untag");
    session.wait("is:untagged").await;
    session.press("Enter");
    session.wait("Item C").await;
    session.type_in("folder:old #");
    session.wait("#unix").await;
    session.press("Esc");
}

/// The files of dates and checks are read while the first keys are typed, and other programs write the bookmarks.
#[tokio::test(flavor = "multi_thread")]
async fn open_palette_and_prompt_find_bookmarks_that_are_read_later() {
    let session = Browser::new().bookmarks(LIST).start();
    session.wait("geomys:home").await;
    let mut list = LIST.to_owned();
    for (key, tag) in [(":", "#fresh"), ("o", "#later")] {
        session.press(key);
        session.type_in(tag);
        session
            .screen_when(tag, |screen| screen.contains(&format!(" {tag} ")))
            .await;
        assert!(!session.dialog().contains("Item"), "{}", session.screen());
        writeln!(list, "Item of {tag} <URL:gopher://d.example/> {tag}").unwrap();
        std::fs::write(session.path().join("bookmarks.txt"), &list).unwrap();
        let is_found = |_: &str| session.dialog().contains(&format!("Item of {tag}"));
        session.wait_until(tag, is_found).await;
        session.press("Esc");
    }
}

#[test]
fn titles_are_fetched_for_those_without_one_unless_named() {
    let profile = Profile::new("Item A <URL:gopher://127.0.0.1:1/>\n");
    let (status, out, said) = profile.run(&["fetch-titles", "--matching", "item"]);
    assert_eq!((status, out.as_str()), (0, ""));
    assert!(said.contains("all these bookmarks have a title"), "{said}");
    // The port is closed: the named bookmark is asked for.
    let (status, ..) = profile.run(&["fetch-titles", "1"]);
    assert_eq!(status, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn pane_filters_by_words_that_right_completes() {
    let session = Browser::new()
        .bookmarks(LIST)
        .file("added.jsonl", DATES)
        .start();
    session.wait("geomys:home").await;
    session.press("B");
    session.wait("Item C").await;
    session.press("/");
    session.wait("host:, since:2019").await;
    session.type_in("is:unta");
    session.wait("Right completes: is:untagged").await;
    session.press("Right");
    session.wait("3 of 4").await;
    session.wait_until_absent("Item A").await;
    session.press("Ctrl-U");
    session.type_in("host:sdf.org since:2020");
    session.wait("1 of 4").await;
    session.wait("Item B").await;
    for (typed, word) in [
        ("folder:w", "folder:Work"),
        ("folder:Work/", "folder:Work/Old"),
        ("Item -host:ti", "host:tilde.sdf.org"),
    ] {
        session.press("Ctrl-U");
        session.type_in(typed);
        session.wait(&format!("Right completes: {word}")).await;
    }
    session.press("Right");
    session.wait("-host:tilde.sdf.org").await;
    session.press("Ctrl-U");
    session.type_in("#unix OR folder:old");
    session.wait("3 of 4").await;
    session.press("Ctrl-U");
    session.type_in("/a(/");
    session.wait("invalid pattern: unclosed group").await;
    session.press("Esc");
    session.wait("Item C").await;
}
