//! `geomys bookmarks`, run as a user would.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::command::{geomys, text};

/// A directory with a bookmark file.
pub(super) struct Profile(tempfile::TempDir);

impl Profile {
    pub(super) fn new(file: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("bookmarks.txt"), file).unwrap();
        Self(directory)
    }

    /// Exit status, standard output, standard error.
    pub(super) fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        self.fed(arguments, "")
    }

    pub(super) fn fed(&self, arguments: &[&str], input: &str) -> (i32, String, String) {
        let config = self.0.path().to_str().unwrap();
        let all = ["--config", config, "bookmarks"];
        let all: Vec<&str> = all.iter().chain(arguments).copied().collect();
        let output = geomys(&all, input);
        let shown = |octets: &[u8]| text(octets).replace(config, "CONFIG");
        (
            output.status.code().unwrap(),
            shown(&output.stdout),
            shown(&output.stderr),
        )
    }

    pub(super) fn file(&self) -> String {
        fs::read_to_string(self.0.path().join("bookmarks.txt")).unwrap()
    }

    pub(super) fn directory(&self) -> &Path {
        self.0.path()
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }
}

const LIST: &str = "\
top <URL:gopher://top/> #t
# Gopher
Floodgap <URL:gopher://gopher.floodgap.com/> #start #gopher
  the largest
  of all
Bad <URL:gopher://bad~host/>
## Deep
secret <URL:ftp://ada:secret@h/>
Twice <URL:GOPHER://top:70>
";

#[test]
fn list_prints_one_line_or_object_per_bookmark() {
    let profile = Profile::new(LIST);
    let (status, lines, _) = profile.run(&["list"]);
    assert_eq!(status, 0);
    assert_eq!(
        lines,
        "top\tgopher://top/\t\t#t\nFloodgap\tgopher://gopher.floodgap.com/\tGopher\t#start #gopher\n\
         Bad\tgopher://bad~host/\tGopher\t\nsecret\tftp://ada:***@h/\tGopher/Deep\t\nTwice\tGOPHER://top:70\tGopher/Deep\t\n"
    );
    let (_, lines, _) = profile.run(&["list", "DEEP", "tw"]);
    assert_eq!(lines, "Twice\tGOPHER://top:70\tGopher/Deep\t\n");
    let (status, lines, _) = profile.run(&["list", "nothing"]);
    assert_eq!((status, lines.as_str()), (0, ""));
    let (_, lines, _) = profile.run(&["list", "--json", "gopher/"]);
    let objects: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(objects.len(), 2);
    let (_, lines, _) = profile.run(&["list", "--json", "--", "gopher", "a"]);
    let objects: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let keys: Vec<&String> = objects[0].as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "added", "error", "folder", "line", "note", "tags", "title", "url", "visited"
        ]
    );
    assert!(
        lines.starts_with("{\"line\":3,\"title\":\"Floodgap\",\"url\":"),
        "{lines}"
    );
    assert_eq!(objects[0]["note"], "the largest\nof all");
    assert_eq!(objects[1]["error"]["at"], 12);
    assert!(!lines.contains(":secret@"));
}

#[test]
fn fuzzy_list_sorts_best_match_first() {
    let profile = Profile::new(LIST);
    let (_, lines, _) = profile.run(&["list", "--fuzzy", "fgap"]);
    assert!(lines.starts_with("Floodgap\t"), "{lines}");
    assert_eq!(profile.run(&["list", "fgap"]).1, "");
    let (_, lines, _) = profile.run(&["list", "--fuzzy", "is:fault"]);
    assert!(lines.starts_with("Bad\t"), "{lines}");
    assert_eq!(
        profile.run(&["list", "--fuzzy"]).1,
        profile.run(&["list"]).1
    );
}

#[test]
fn list_leaves_out_negated_words_after_two_hyphens() {
    let profile = Profile::new(LIST);
    let titles = |arguments: &[&str]| {
        let (status, lines, error) = profile.run(arguments);
        assert_eq!((status, error.as_str()), (0, ""), "{arguments:?}");
        let titles = lines.lines().map(|line| line.split('\t').next().unwrap());
        titles.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        titles(&["list", "--", "-deep", "-is:fault"]),
        "top Floodgap"
    );
    assert_eq!(titles(&["list", "gopher -deep -is:fault"]), "top Floodgap");
    assert_eq!(titles(&["list", "\"largest\""]), "Floodgap");
    assert_eq!(titles(&["list", "\"the largest of\""]), "");
    assert_eq!(titles(&["list", "is:duplicate"]), "top Twice");
    assert_eq!(
        titles(&["list", "--fuzzy", "is:duplicate", "--", "-#t"]),
        "Twice"
    );
}

#[test]
fn import_without_bookmarks_fails_and_names_the_format() {
    let profile = Profile::new(LIST);
    for (octets, sentence) in [
        (&b"PK\x03\x04rest"[..], "it is a ZIP archive"),
        (b"BZh91AY&SYrest", "it is a bzip2 file"),
        (b"BZh", "no bookmarks in it (text)"),
        (b"\0\x01\x02", "no bookmarks in it (binary data)"),
        (b"", "no bookmarks in it (text)"),
        (b"words\n", "no bookmarks in it (text)"),
        (b"<html><p>words", "no bookmarks in it (html)"),
    ] {
        fs::write(profile.path("other"), octets).unwrap();
        let (status, out, error) = profile.run(&["import", &profile.path("other")]);
        assert_eq!((status, out.as_str()), (1, ""), "{sentence}");
        assert!(
            error.contains(&format!("CONFIG/other is not imported: {sentence}")),
            "{error}"
        );
    }
    assert_eq!(profile.file(), LIST);
    let (status, _, error) = profile.run(&["export", "--to", "lagrange"]);
    assert_eq!(status, 2, "{error}");
    let (status, _, error) = profile.run(&["export", &profile.path("list.org")]);
    assert_eq!(status, 1, "{error}");
    assert!(error.contains("org is only imported"), "{error}");
}

#[test]
fn tags_are_added_and_removed_by_bookmark_or_query() {
    let profile = Profile::new(LIST);
    let edit = |arguments: &[&str]| {
        let all: Vec<&str> = ["edit"].iter().chain(arguments).copied().collect();
        profile.run(&all).0
    };
    assert_eq!(
        edit(&[
            "--matching",
            "gopher -deep -top",
            "--add-tag",
            "new,start",
            "--remove-tag",
            "#gopher"
        ]),
        0
    );
    assert_eq!(
        edit(&[
            "1",
            "--add-tag",
            "u",
            "--remove-tag",
            "t",
            "--remove-tag",
            "absent"
        ]),
        0
    );
    assert_eq!(
        edit(&["--matching", "-gopher", "--matching", "x", "--add-tag", "y"]),
        2
    );
    assert_eq!(edit(&["--matching", "nothing", "--add-tag", "y"]), 1);
    assert_eq!(edit(&["--matching", " ", "--add-tag", "y"]), 1);
    assert_eq!(edit(&["--matching", "gopher", "--title", "y"]), 1);
    assert_eq!(edit(&["1", "--tag", "a", "--add-tag", "b"]), 2);
    assert_eq!(edit(&["--add-tag", "b"]), 2);
    assert_eq!(
        profile.file(),
        LIST.replace("#t\n", "#u\n")
            .replace(" #start #gopher", " #start #new")
            .replace("bad~host/>", "bad~host/> #new #start")
    );
    assert_eq!(edit(&["--matching", "-deep", "--folder", "Gopher/Deep"]), 0);
    assert_eq!(
        edit(&["--matching", "deep", "--folder", "x", "--add-tag", "y"]),
        1
    );
    let (_, lines, _) = profile.run(&["list", "gopher/deep"]);
    assert_eq!(lines.lines().count(), 5, "{}", profile.file());
    let (status, lines, _) = profile.run(&["remove", "--matching", "-is:fault -twice"]);
    assert_eq!((status, lines.lines().count()), (0, 3), "{lines}");
    assert_eq!(profile.run(&["list"]).1.lines().count(), 2);
}

#[test]
fn folders_are_added_renamed_moved_and_removed() {
    let profile = Profile::new("# A\na <URL:gopher://a/>\n## B\nb <URL:gopher://b/>\n# C\n");
    let folder = |arguments: &[&str]| {
        let all: Vec<&str> = ["folder"].iter().chain(arguments).copied().collect();
        let (status, out, error) = profile.run(&all);
        (status, out + &error)
    };
    assert_eq!(
        folder(&["add", "A/D"]),
        (0, "added folder A/D\n".to_owned())
    );
    assert_eq!(folder(&["add", "A/B"]).0, 1);
    assert_eq!(folder(&["add", " / "]).0, 1);
    assert_eq!(
        folder(&["rename", "A/D", "E"]),
        (0, "renamed folder A/D to A/E\n".to_owned())
    );
    assert_eq!(folder(&["rename", "A/E", "B"]).0, 1);
    assert_eq!(folder(&["rename", "A/E", " "]).0, 1);
    assert_eq!(
        folder(&["rename", "X", "B"]),
        (1, "geomys: no folder X\n".to_owned())
    );
    assert_eq!(folder(&["move", "A", "A/B"]).0, 1);
    assert_eq!(
        folder(&["move", "A/B", "C"]),
        (0, "moved folder A/B to C\n".to_owned())
    );
    assert_eq!(
        folder(&["move", "A/E", ""]),
        (0, "moved folder A/E to the top level\n".to_owned())
    );
    let (status, error) = folder(&["remove", "C"]);
    assert!(
        status == 1 && error.contains("is not empty (bookmarks: 1)"),
        "{error}"
    );
    assert_eq!(folder(&["remove", "E"]).0, 0);
    let text: Vec<String> = profile.file().lines().map(str::to_owned).collect();
    let lines: Vec<&str> = text
        .iter()
        .map(String::as_str)
        .filter(|line| !line.is_empty())
        .collect();
    assert_eq!(
        lines,
        [
            "# A",
            "a <URL:gopher://a/>",
            "# C",
            "## B",
            "b <URL:gopher://b/>"
        ]
    );
    assert_eq!(folder(&["remove", "C", "--with-content"]).0, 0);
    assert_eq!(profile.run(&["list"]).1.lines().count(), 1);
}

#[test]
fn list_line_selects_its_bookmark() {
    let profile = Profile::new(LIST);
    let (_, lines, _) = profile.run(&["list"]);
    for (number, line) in lines.lines().enumerate() {
        let (status, said, _) = profile.run(&["edit", line, "--note", "found"]);
        assert_eq!(status, 0, "{line}");
        assert!(said.starts_with("edited line "), "{said}");
        assert_eq!(profile.file().matches("  found").count(), number + 1);
    }
}

#[test]
fn add_reports_the_new_line_and_duplicates() {
    let profile = Profile::new(LIST);
    // A known URL is added on request only.
    let (status, said, noted) = profile.run(&["add", "gopher://top:70/"]);
    assert_eq!((status, said.as_str()), (0, ""));
    assert!(
        noted.starts_with("geomys: already a bookmark, line 1: top <URL:gopher://top/>"),
        "{noted}"
    );
    assert!(
        noted.ends_with("\ngeomys: nothing was added; --again adds it\n"),
        "{noted}"
    );
    assert_eq!(profile.file(), LIST);
    let (status, said, noted) = profile.run(&[
        "add",
        "gopher://top",
        "--again",
        "--title",
        "Again",
        "--folder",
        "Gopher/New",
        "--tag",
        "a",
        "--tag",
        "b",
        "--note",
        "one",
        "--note",
        "two",
    ]);
    assert_eq!(status, 0);
    assert_eq!(
        said,
        "added line 12: Again <URL:gopher://top> #a #b in Gopher/New\n"
    );
    assert!(noted.contains("already a bookmark, line 1: top"), "{noted}");
    assert!(
        profile
            .file()
            .ends_with("\n\n## New\nAgain <URL:gopher://top> #a #b\n  one\n  two\n"),
        "{}",
        profile.file()
    );
}

#[test]
fn remove_takes_a_line_number_or_a_url_in_any_spelling() {
    let profile = Profile::new(LIST);
    let (status, said, _) =
        profile.run(&["remove", "3", "ftp://ada:secret@h/", "gopher://bad~host/"]);
    assert_eq!(status, 0);
    assert_eq!(
        said,
        "removed line 3: Floodgap <URL:gopher://gopher.floodgap.com/> #start #gopher in Gopher\n\
         removed line 8: secret <URL:ftp://ada:***@h/> in Gopher/Deep\nremoved line 6: Bad <URL:gopher://bad~host/> in Gopher\n"
    );
    assert_eq!(
        profile.file(),
        "top <URL:gopher://top/> #t\n# Gopher\n## Deep\nTwice <URL:GOPHER://top:70>\n"
    );
    // One change stores one state.
    let (_, history, _) = profile.run(&["history"]);
    assert_eq!(history.lines().count(), 1);
    assert!(
        history.ends_with("5 bookmarks; then 3 removed (Floodgap, …)\n"),
        "{history}"
    );
}

#[test]
fn ambiguous_or_missing_bookmark_fails_without_change() {
    let profile = Profile::new(LIST);
    let (status, _, said) = profile.run(&["remove", "gopher://top/"]);
    assert_eq!(status, 1);
    assert!(
        said.contains("2 bookmarks match")
            && said.contains("\n  line 1: top")
            && said.contains("\n  line 9: Twice"),
        "{said}"
    );
    for (written, why) in [
        ("2", "is a folder"),
        ("4", "no bookmark on line 4"),
        ("99", "no bookmark"),
        ("gopher://none/", "no bookmark matches gopher://none/"),
    ] {
        let (status, _, said) = profile.run(&["remove", "1", written]);
        assert_eq!(status, 1);
        assert!(said.contains(why), "{said}");
    }
    assert_eq!(profile.file(), LIST);
}

#[test]
fn edit_changes_named_fields_only() {
    let profile = Profile::new(LIST);
    let (status, said, _) = profile.run(&[
        "edit", "3", "--title", "FG", "--tag", "x", "--folder", "Other",
    ]);
    assert_eq!(status, 0);
    assert_eq!(
        said,
        "edited line 9: FG <URL:gopher://gopher.floodgap.com/> #x in Other\n"
    );
    assert!(
        profile.file().ends_with(
            "# Other\nFG <URL:gopher://gopher.floodgap.com/> #x\n  the largest\n  of all\n"
        ),
        "{}",
        profile.file()
    );
    let (status, _, said) = profile.run(&["edit", "1", "--title", "top"]);
    assert_eq!((status, said.as_str()), (0, "geomys: nothing to change\n"));
    let (_, said, _) = profile.run(&["edit", "1", "--tag", "", "--url", "gopher://other"]);
    assert_eq!(said, "edited line 1: top <URL:gopher://other>\n");
    let (status, _, _) = profile.run(&["edit", "1"]);
    assert_eq!(status, 2);
}

#[test]
fn history_lists_shows_and_restores() {
    let profile = Profile::new(LIST);
    profile.run(&["remove", "1"]);
    profile.run(&["add", "gopher://new/", "--title", "New"]);
    let (_, history, _) = profile.run(&["history"]);
    let ends: Vec<&str> = history
        .lines()
        .map(|line| line.split("bookmark").last().unwrap())
        .collect();
    assert_eq!(ends, ["s; then 1 added (New)", "s; then 1 removed (top)"]);
    let (_, shown, _) = profile.run(&["history", "--show", "1"]);
    assert_eq!(shown, LIST);
    let (status, said, _) = profile.run(&["history", "--restore", "1"]);
    assert_eq!(
        (status, said.as_str()),
        (0, "back to state 1: 1 added (top), 1 removed (New)\n")
    );
    assert_eq!(profile.file(), LIST);
    let (_, shown, _) = profile.run(&["history", "--show", "3"]);
    assert!(
        shown.starts_with("New <URL:gopher://new/>\n\n# Gopher\n"),
        "{shown}"
    );
    let (status, _, said) = profile.run(&["history", "--restore", "77"]);
    assert_eq!(status, 1);
    assert!(said.contains("no state 77"), "{said}");
}

#[test]
fn bookmarks_option_uses_any_file() {
    let profile = Profile::new(LIST);
    let other = profile.path("other.txt");
    let (status, _, _) = profile.run(&["--bookmarks", &other, "add", "gopher://first/"]);
    assert_eq!(status, 0);
    // The shipped bookmarks are used for the default file only.
    assert_eq!(
        fs::read_to_string(&other).unwrap(),
        "<URL:gopher://first/>\n"
    );
    profile.run(&["--bookmarks", &other, "add", "gopher://second/"]);
    let (_, path, _) = profile.run(&["--bookmarks", &other, "path"]);
    assert_eq!(path, "CONFIG/other.txt\n");
    let (_, history, _) = profile.run(&["--bookmarks", &other, "history"]);
    assert_eq!(history.lines().count(), 1);
    let (_, history, _) = profile.run(&["history"]);
    assert_eq!(history, "");
    assert_eq!(profile.file(), LIST);
}

#[test]
fn import_reports_added_and_skipped_entries() {
    let profile = Profile::new(&LIST.replace("bad~host", "b~d"));
    let sample = format!(
        "{}/tests/data/bookmarks/firefox.html",
        env!("CARGO_MANIFEST_DIR")
    );
    let (status, said, noted) =
        profile.run(&["import", "--drop-passwords", "--folder", "Web", &sample]);
    assert_eq!(status, 0, "{noted}");
    assert!(
        said.ends_with("firefox.html (html): 3 imported\n"),
        "{said}"
    );
    insta::with_settings!({snapshot_path => "../snapshots"}, {
        insta::assert_snapshot!("import", format!("{}---\n{noted}", profile.file()));
    });
    let before = profile.file();
    let (_, said, noted) = profile.run(&["import", "--drop-passwords", "--folder", "Web", &sample]);
    // The malformed one is not imported again either.
    assert!(said.ends_with(": 0 imported\n"), "{said}");
    assert!(
        noted.contains("left out: Mozilla: already in the bookmarks"),
        "{noted}"
    );
    assert_eq!(profile.file(), before);
    let (status, said, noted) =
        profile.fed(&["import", "-"], "see ftp://u:pw@new.example/ there\n");
    assert_eq!((status, said.as_str()), (0, "- (text): 1 imported\n"));
    assert!(
        noted.contains("--drop-passwords removes it") && !noted.contains("pw@"),
        "{noted}"
    );
    assert!(
        profile
            .file()
            .starts_with("top <URL:gopher://top/> #t\nsee <URL:ftp://u:pw@new.example/>\n"),
        "{}",
        profile.file()
    );
}

#[test]
fn import_reports_why_a_file_is_unreadable() {
    let profile = Profile::new(LIST);
    let (status, _, said) = profile.run(&["import", &profile.path("missing")]);
    assert_eq!(status, 1);
    assert!(said.contains("CONFIG/missing cannot be read"), "{said}");
    let (status, _, said) = profile.fed(&["import", "--from", "json", "-"], "[{]");
    assert_eq!(status, 1);
    assert!(
        said.contains("is not read as json") && said.contains("line 1"),
        "{said}"
    );
    let (status, _, said) = profile.fed(&["import", "--from", "word", "-"], "");
    assert_eq!(status, 2);
    assert!(said.contains("html, xbel"), "{said}");
    assert_eq!(profile.file(), LIST);
}

#[test]
fn export_format_follows_the_file_name() {
    let profile = Profile::new(LIST);
    let (status, page, said) = profile.run(&["export"]);
    assert_eq!(status, 0);
    assert!(
        page.starts_with("<!DOCTYPE NETSCAPE-Bookmark-file-1>"),
        "{page}"
    );
    assert!(said.contains("not exported: passwords"), "{said}");
    let out = profile.path("out.csv");
    let (status, page, _) = profile.run(&["export", &out]);
    assert_eq!((status, page.as_str()), (0, ""));
    let table = fs::read_to_string(&out).unwrap();
    assert!(
        table.starts_with("title,url,folder,tags,note,added\ntop,gopher://top/,,t,,\n"),
        "{table}"
    );
    // It is only imported.
    let (status, _, said) = profile.run(&["export", &profile.path(".newsrc")]);
    assert_eq!(status, 1);
    assert!(
        said.contains("newsrc is only imported; --to takes one of html"),
        "{said}"
    );
    let (status, _, said) =
        profile.run(&["export", "--to", "text", &profile.path("bookmarks.txt")]);
    assert_eq!(status, 1);
    assert!(said.contains("the bookmark file itself"), "{said}");
    assert_eq!(profile.file(), LIST);
}

#[test]
fn second_import_adds_no_malformed_duplicates() {
    let file = "\
spaced <URL:gopher://h/0/a b.txt>
tilde <URL:gopher://h/0/~ada>
no scheme <URL:www.example.org/x>
caf\u{e9} <URL:gopher://h/0/caf\u{e9}>
good <URL:gopher://h/0/good>
";
    let profile = Profile::new("");
    let (_, said, _) = profile.fed(&["import", "-"], file);
    assert_eq!(said, "- (text): 5 imported\n");
    let once = profile.file();
    for _ in 0..2 {
        let (_, said, _) = profile.fed(&["import", "-"], file);
        assert_eq!(said, "- (text): 0 imported\n");
        assert_eq!(profile.file(), once);
    }
    // The list itself is imported: equal spellings are duplicates.
    let profile = Profile::new(file);
    let (_, said, _) = profile.fed(&["import", "-"], file);
    assert_eq!(said, "- (text): 0 imported\n");
    let (_, said, _) = profile.fed(&["import", "--again", "-"], file);
    assert_eq!(said, "- (text): 5 imported\n");
}

#[test]
fn add_without_folder_goes_to_the_top_or_the_inbox() {
    let file = "# Gopher\nA <URL:gopher://a/>\n# News\nB <URL:news:b.b>\n";
    let profile = Profile::new(file);
    profile.run(&["add", "gopher://new/"]);
    assert_eq!(profile.file(), format!("<URL:gopher://new/>\n\n{file}"));
    let profile = Profile::new(file);
    fs::write(
        profile.path("settings.toml"),
        "[bookmarks]\ninbox = \"New/Links\"\n",
    )
    .unwrap();
    let (_, said, _) = profile.run(&["add", "gopher://new/"]);
    assert_eq!(said, "added line 8: <URL:gopher://new/> in New/Links\n");
    let before = profile.file();
    let (_, said, _) = profile.run(&["add", "--folder", "", "gopher://top/"]);
    assert_eq!(said, "added line 1: <URL:gopher://top/>\n");
    assert_eq!(profile.file(), format!("<URL:gopher://top/>\n\n{before}"));
}

#[test]
fn edit_with_empty_folder_moves_to_the_top() {
    let profile = Profile::new("# A\none <URL:gopher://one/>\n# B\ntwo <URL:gopher://two/>\n");
    let (_, said, _) = profile.run(&["edit", "2", "--folder", ""]);
    assert_eq!(said, "edited line 1: one <URL:gopher://one/>\n");
    assert_eq!(
        profile.file(),
        "one <URL:gopher://one/>\n\n# A\n# B\ntwo <URL:gopher://two/>\n"
    );
}

#[test]
fn add_refuses_a_url_without_a_repair() {
    let profile = Profile::new("");
    for faulty in ["gopher://bad~host/", "T <URL:gopher://bad~host/> #t"] {
        let (status, _, said) = profile.run(&["add", faulty]);
        assert_eq!(status, 2, "{faulty}");
        assert!(said.contains("^ \"~\" is not allowed in a host"), "{said}");
        assert_eq!(profile.file(), "");
    }
    // A line break in a URL is removed, as mail may insert one.
    profile.run(&["add", "T <URL:gopher://h/\n  0/a.txt> #t"]);
    assert_eq!(profile.file(), "T <URL:gopher://h/0/a.txt> #t\n");
}

#[test]
fn edit_url_with_masked_password_keeps_the_stored_one() {
    let profile =
        Profile::new("a <URL:ftp://ada:secret@h/old>\nb <URL:gopher://h/hURL:ftp://u:pw@i/>\n");
    let (_, said, _) = profile.run(&["edit", "1", "--url", "ftp://ada:***@h/new"]);
    assert_eq!(said, "edited line 1: a <URL:ftp://ada:***@h/new>\n");
    profile.run(&["edit", "2", "--url", "gopher://h/hURL:ftp://u:***@j/"]);
    let expected = "a <URL:ftp://ada:secret@h/new>\nb <URL:gopher://h/hURL:ftp://u:pw@j/>\n";
    assert_eq!(profile.file(), expected);
    // Without a stored password the mask is not replaced.
    profile.run(&["edit", "1", "--url", "ftp://ada@h/new"]);
    let before = profile.file();
    let (status, _, said) = profile.run(&["edit", "1", "--url", "ftp://ada:***@h/"]);
    assert_eq!(status, 1);
    assert!(said.contains("*** is not a stored password"), "{said}");
    assert_eq!(profile.file(), before);
    let (status, _, said) = profile.run(&["add", "ftp://ada:***@h/"]);
    assert_eq!(status, 1);
    assert!(said.contains("*** is not a stored password"), "{said}");
    assert_eq!(profile.file(), before);
}

#[test]
fn passwords_of_nested_urls_are_neither_listed_nor_exported() {
    let profile = Profile::new(
        "a <URL:gopher://h/hURL:ftp://u:pw@i/>\nb <URL:http://h/?u=ftp%3A%2F%2Fu%3Apw%40i%2F>\n\
         c <URL:gopher://b~d/hURL:ftp://u:pw@i/>\nd <URL:ftp://u:pw@h/>\n",
    );
    for command in [
        vec!["list"],
        vec!["list", "--json"],
        vec!["list", "--fuzzy", "h"],
        vec!["edit", "2", "--tag", "x"],
        vec!["export", "--to", "text"],
        vec!["export", "--to", "json"],
        vec!["export", "--to", "gophermap"],
        vec!["export", "--to", "html"],
        vec!["export", "--to", "csv"],
    ] {
        let (status, out, warnings) = profile.run(&command);
        assert_eq!(status, 0, "{command:?}");
        assert!(
            !out.contains("pw") && !warnings.contains("pw"),
            "{command:?}: {out}{warnings}"
        );
    }
    let (_, out, warnings) = profile.run(&["export", "--to", "text"]);
    assert!(!out.contains("***"), "{out}");
    assert!(
        out.contains("b <URL:http://h/?u=ftp%3A%2F%2Fu%40i%2F>"),
        "{out}"
    );
    assert!(warnings.contains("passwords (4)"), "{warnings}");
    // A search does not match the letters of a password.
    assert_eq!(profile.run(&["list", "pw"]).1, "");
    let output = geomys(
        &["url", "--json", "http://h/?u=ftp%3A%2F%2Fu%3Apw%40i%2F"],
        "",
    );
    assert!(!text(&output.stdout).contains("pw"), "{output:?}");
    let output = geomys(&["url", "gopher://h/hURL:ftp://u:pw@i/"], "");
    assert!(!text(&output.stdout).contains("pw"), "{output:?}");
    let (_, _, warnings) = profile.fed(
        &["import", "--drop-passwords", "-"],
        "<URL:gopher://x/hURL:ftp://u:pw@i/>\n",
    );
    assert!(warnings.contains("password removed"), "{warnings}");
    assert!(
        profile.file().contains("<URL:gopher://x/hURL:ftp://u@i/>"),
        "{}",
        profile.file()
    );
}

#[test]
fn import_drops_watch_tag_without_keep_watch() {
    let file =
        "a <URL:gopher://a/> #Watch #x\nb <URL:gopher://b/> #watch\nc <URL:gopher://c/> #watched\n";
    let profile = Profile::new("");
    let (status, _, said) = profile.fed(&["import", "-"], file);
    assert_eq!(status, 0);
    assert_eq!(
        said,
        "geomys: tags that follow dropped (2): --keep-follow keeps them\n"
    );
    assert_eq!(
        profile.file(),
        "a <URL:gopher://a/> #x\nb <URL:gopher://b/>\nc <URL:gopher://c/> #watched\n"
    );
    let profile = Profile::new("");
    let (_, _, said) = profile.fed(&["import", "--keep-watch", "-"], file);
    assert_eq!(said, "");
    assert_eq!(profile.file(), file);
}

#[test]
fn export_with_query_writes_matches_and_their_folders() {
    let profile = Profile::new(LIST);
    let export = |query| profile.run(&["export", "--to", "text", "--matching", query]);
    let (status, out, said) = export("top -#t");
    assert_eq!((status, said.as_str()), (0, ""));
    assert_eq!(out, "# Gopher\n\n## Deep\nTwice <URL:GOPHER://top:70>\n");
    let (status, out, said) = export("nothing");
    assert_eq!(
        (status, out.as_str(), said.as_str()),
        (1, "", "geomys: no bookmark matches\n")
    );
    let (status, out, said) = export(" ");
    assert_eq!(
        (status, out.as_str(), said.as_str()),
        (1, "", "geomys: --matching needs a word\n")
    );
}

#[test]
fn folder_and_title_for_several_bookmarks_are_refused() {
    let profile = Profile::new(LIST);
    let edit = ["edit", "--matching", "top", "--folder", "New"];
    let (status, _, said) = profile.run(&[&edit[..], &["--add-tag", "x"]].concat());
    assert_eq!(
        (status, said.as_str()),
        (
            1,
            "geomys: with several bookmarks, --folder excludes other edits\n"
        )
    );
    assert_eq!(profile.file(), LIST);
}

#[test]
fn list_is_sorted_by_dates_and_json_has_them() {
    let profile = Profile::new("B old <URL:gopher://old/>\n# F\nC <URL:gopher://c/>\n");
    let visits = concat!(
        "{\"time\":\"2026-11-22T21:03:00Z\",\"url\":\"gopher://c/\"}\n",
        "{\"time\":\"2026-11-20T21:03:00Z\",\"url\":\"gopher://old/\"}\n",
        "{\"time\":\"2026-11-21T21:03:00Z\",\"url\":\"gopher://old/\"}\n",
        "{\"time\":\"2026-11-19T21:03:00Z\",\"url\":\"gopher://h/0/%7Ea\"}\n",
    );
    fs::write(profile.path("history.jsonl"), visits).unwrap();
    // The visit of a bookmark with a fault is that of its repair.
    let faulty = Profile::new("<URL:gopher://h/0/~a>\n");
    fs::write(faulty.path("history.jsonl"), visits).unwrap();
    let (_, out, _) = faulty.run(&["list", "--json"]);
    assert!(
        out.contains("\"visited\":\"2026-11-19T21:03:00Z\""),
        "{out}"
    );
    let (status, ..) = profile.run(&["add", "gopher://a/", "--title", "a new"]);
    assert_eq!(status, 0);
    let titles = |arguments: &[&str]| {
        let (status, out, said) = profile.run(&[&["list"], arguments].concat());
        assert_eq!((status, said.as_str()), (0, ""));
        let titles = out.lines().map(|line| line.split('\t').next().unwrap());
        titles.collect::<Vec<_>>().join(", ")
    };
    let file = profile.file();
    assert_eq!(titles(&["--sort", "added"]), "a new, B old, C");
    assert_eq!(titles(&["--sort", "visited"]), "C, B old, a new");
    assert_eq!(titles(&["--sort", "title"]), "a new, B old, C");
    assert_eq!(titles(&["--sort", "visited", "old"]), "B old");
    assert_eq!(profile.file(), file);
    let (_, out, _) = profile.run(&["list", "--json", "--sort", "visited"]);
    let objects = out.lines().map(|line| serde_json::from_str(line).unwrap());
    let objects: Vec<Value> = objects.collect();
    assert_eq!(objects[0]["visited"], "2026-11-22T21:03:00Z");
    assert_eq!(objects[1]["visited"], "2026-11-21T21:03:00Z");
    assert_eq!(objects[1]["added"], Value::Null);
    assert_eq!(objects[2]["visited"], Value::Null);
    let added: jiff::Timestamp = objects[2]["added"].as_str().unwrap().parse().unwrap();
    assert!(added <= jiff::Timestamp::now());
    // The dates are no part of the bookmark file, and without their file they are unknown.
    fs::remove_file(profile.path("added.jsonl")).unwrap();
    assert_eq!(titles(&["--sort", "added"]), titles(&[]));
}

#[test]
fn sqlite_import_names_the_commands_that_write_html() {
    let profile = Profile::new(LIST);
    fs::write(profile.path("places.sqlite"), b"SQLite format 3\0\x02rest").unwrap();
    let file = profile.path("places.sqlite");
    let sentence = "geomys: CONFIG/places.sqlite is not imported: it is an SQLite database; `buku -e FILE.html`, \
                    or Show all bookmarks, Import and Backup, Export in Firefox, writes it as HTML\n";
    for arguments in [
        &["import", &file][..],
        &["import", "--from", "text", &file],
        &["import", "--from", "json", &file],
    ] {
        let (status, out, error) = profile.run(arguments);
        assert_eq!(
            (status, out.as_str(), error.as_str()),
            (1, "", sentence),
            "{arguments:?}"
        );
    }
    let (status, _, error) = profile.run(&["import", "--from", "buku", &file]);
    assert_eq!(status, 2, "{error}");
    assert_eq!(profile.file(), LIST);
}
