//! Dates of imported and exported bookmarks, through the command.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use serde_json::Value;

use super::command::Profile;

/// The date of each bookmark by its URL.
fn dates(profile: &Profile) -> BTreeMap<String, String> {
    let (_, lines, _) = profile.run(&["list", "--json"]);
    let objects = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let text = |value: &Value| value.as_str().unwrap_or("none").to_owned();
    objects
        .map(|object| (text(&object["url"]), text(&object["added"])))
        .collect()
}

#[test]
fn a_thousand_dates_survive_export_and_import_in_each_format() {
    let mut list = String::new();
    for number in 0..1000 {
        let added = 1_000_000_000 + number * 100_000;
        // One in a hundred has a fragment, another one a fault.
        let url = match number % 100 {
            0 => format!("http://h.example/page#{number}"),
            1 => format!("gopher://bad~host/{number}"),
            _ => format!("gopher://h.example/1/{number}"),
        };
        writeln!(list, "{{\"url\":\"{url}\",\"dateAdded\":{added}000000}}").unwrap();
    }
    let first = Profile::new("");
    let (status, _, said) = first.fed(&["import", "-"], &list);
    assert_eq!(status, 0, "{said}");
    let expected = dates(&first);
    assert_eq!(expected.len(), 1000);
    assert_eq!(expected["gopher://h.example/1/2"], "2001-09-11T09:20:00Z");
    for format in ["html", "json", "csv", "xbel", "opml"] {
        let (_, exported, _) = first.run(&["export", "--to", format]);
        let second = Profile::new("");
        let (status, said, noted) = second.fed(&["import", "-"], &exported);
        assert_eq!(
            (status, said),
            (0, format!("- ({format}): 1,000 imported\n")),
            "{noted}"
        );
        assert_eq!(dates(&second), expected, "{format}");
    }
}

#[test]
fn dates_of_other_programs_are_kept_and_todays_only_where_there_is_none() {
    let day = |number: u32| format!("2024-05-0{number}T10:00:00Z");
    for (format, file) in [
        (
            "html",
            "<DL><DT><A HREF=\"gopher://h/\" ADD_DATE=\"1714557600\">x</A></DL>",
        ),
        (
            "html",
            "<ul><li><a href=\"gopher://h/\" time_added=\"1714557600\">x</a></ul>",
        ),
        ("csv", "url,created\ngopher://h/,2024-05-01T10:00:00.000Z\n"),
        (
            "csv",
            "title,url,time_added,tags,status\nx,gopher://h/,1714557600,,unread\n",
        ),
        (
            "json",
            "[{\"href\":\"gopher://h/\",\"description\":\"x\",\"time\":\"2024-05-01T10:00:00Z\"}]",
        ),
        (
            "json",
            "{\"url\":\"gopher://h/\",\"date_added\":\"13359031200000000\"}",
        ),
        (
            "lagrange",
            "[1]\nurl = \"gopher://h/\"\ncreated = 1714557600\n",
        ),
        (
            "xbel",
            "<xbel><bookmark href=\"gopher://h/\" added=\"2024-05-01T10:00:00\"/></xbel>",
        ),
        (
            "opml",
            "<opml><outline url=\"gopher://h/\" created=\"Wed, 01 May 2024 10:00:00 GMT\"/></opml>",
        ),
    ] {
        let profile = Profile::new("");
        let (_, said, noted) = profile.fed(&["import", "-"], file);
        assert_eq!(said, format!("- ({format}): 1 imported\n"), "{noted}");
        assert!(!noted.contains("date"), "{format}: {noted}");
        assert_eq!(dates(&profile)["gopher://h/"], day(1), "{format}");
    }
    let profile = Profile::new("written <URL:gopher://written/>\n");
    let list = |day: &str| format!("url,added\ngopher://written/,{day}\ngopher://new/,\n");
    let (_, _, noted) = profile.fed(&["import", "-"], &list(&day(2)));
    assert!(noted.contains("already in the bookmarks"), "{noted}");
    // A date that was unknown is added, one that is known stays.
    let first = dates(&profile);
    assert_eq!(first["gopher://written/"], day(2));
    assert!(first["gopher://new/"].as_str() > "2025", "{first:?}");
    profile.fed(&["import", "--again", "-"], &list(&day(3)));
    assert_eq!(dates(&profile), first);
    let (_, _, noted) = profile.fed(&["import", "-"], "url,added\ngopher://odd/,yesterday\n");
    assert!(
        noted.contains("not imported: dates in an unknown form (1)"),
        "{noted}"
    );
}

#[test]
fn a_removed_bookmark_is_imported_with_the_date_of_the_file() {
    let profile = Profile::new("");
    profile.run(&["add", "gopher://h/"]);
    let (_, table, _) = profile.run(&["export", "--to", "csv"]);
    let today = dates(&profile)["gopher://h/"].clone();
    profile.run(&["remove", "gopher://h/"]);
    profile.fed(&["import", "-"], &table);
    assert_eq!(dates(&profile)["gopher://h/"], today);
    profile.run(&["remove", "gopher://h/"]);
    profile.fed(&["import", "-"], "url,added\ngopher://h/,2001-01-01\n");
    assert_eq!(dates(&profile)["gopher://h/"], "2001-01-01T00:00:00Z");
}

#[test]
fn a_shortcut_has_the_name_of_its_file_as_title() {
    let profile = Profile::new("");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("A page.url");
    fs::write(&path, "[InternetShortcut]\r\nURL=http://h.example/\r\n").unwrap();
    let (status, said, _) = profile.run(&["import", path.to_str().unwrap()]);
    assert_eq!(status, 0);
    assert!(
        said.ends_with("A page.url (shortcut): 1 imported\n"),
        "{said}"
    );
    assert_eq!(profile.file(), "A page <URL:http://h.example/>\n");
}

#[test]
fn files_of_no_bookmarks_are_named_and_change_nothing() {
    let profile = Profile::new("");
    for (file, words) in [
        ("bplist00\u{1}", "`plutil -convert xml1`"),
        (
            "<?xml version=\"1.0\"?>\n<playlist><track>http://h.example/x</track></playlist>",
            "XML of another kind",
        ),
        (
            "{\"name\":\"x\",\"dependencies\":{\"a\":\"http://h.example/\"}}",
            "no bookmarks in it (json)",
        ),
        (
            "[InternetShortcut]\nURL=\n",
            "no bookmarks in it (shortcut)",
        ),
    ] {
        let (status, _, said) = profile.fed(&["import", "-"], file);
        assert_eq!(status, 1, "{file}: {said}");
        assert!(said.contains(words), "{file}: {said}");
        assert_eq!(profile.file(), "");
    }
}
