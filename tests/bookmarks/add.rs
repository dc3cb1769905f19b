//! URLs, tags and folders as a user types them: `geomys bookmarks add`, `edit` and `import`.

use std::fmt::Write;

use super::command::Profile;

#[test]
fn added_url_is_repaired_and_both_are_printed() {
    for (written, stored) in [
        ("http://h.example/~ada", "http://h.example/%7Eada"),
        ("http://h.example/a b", "http://h.example/a%20b"),
        ("gopher://h.example/0/a|b", "gopher://h.example/0/a%7Cb"),
        ("http://h.example/ü", "http://h.example/%C3%BC"),
    ] {
        let profile = Profile::new("");
        let (status, said, noted) = profile.run(&["add", written]);
        assert_eq!(status, 0, "{noted}");
        assert_eq!(said, format!("added line 1: <URL:{stored}>\n"));
        assert_eq!(noted, format!("geomys: repaired {written} to {stored}\n"));
        assert_eq!(profile.file(), format!("<URL:{stored}>\n"));
    }
    let profile = Profile::new("");
    profile.run(&["add", "Ada <URL:http://h.example/~ada> #x"]);
    assert_eq!(profile.file(), "Ada <URL:http://h.example/%7Eada> #x\n");
    let (_, said, _) = profile.run(&["add", "www.h.example/a"]);
    assert_eq!(said, "added line 2: <URL:http://www.h.example/a>\n");
}

#[test]
fn edited_url_is_repaired_and_both_are_printed() {
    let profile = Profile::new("Ada <URL:gopher://h.example/>\n");
    let (status, said, noted) = profile.run(&["edit", "1", "--url", "ftp://a:secret@h/~ada"]);
    assert_eq!(status, 0, "{noted}");
    assert_eq!(said, "edited line 1: Ada <URL:ftp://a:***@h/%7Eada>\n");
    assert_eq!(
        noted,
        "geomys: repaired ftp://a:***@h/~ada to ftp://a:***@h/%7Eada\n"
    );
    assert_eq!(profile.file(), "Ada <URL:ftp://a:secret@h/%7Eada>\n");
}

#[test]
fn malformed_urls_are_repaired_by_a_query() {
    let before = "# A\nAda <URL:gopher://h/1/~ada> #x\nEmpty <URL:gopher://>\nGood <URL:gopher://h/>\n\
                  Secret <URL:ftp://a:b@h/~ada>\n";
    let profile = Profile::new(before);
    let expected = "repaired line 2: Ada <URL:gopher://h/1/~ada> #x in A -> <URL:gopher://h/1/%7Eada>\n\
                    repaired line 5: Secret <URL:ftp://a:***@h/~ada> in A -> <URL:ftp://a:***@h/%7Eada>\n";
    for arguments in [
        ["repair", "--matching", "is:fault", "--dry-run"].as_slice(),
        &["repair", "--matching", "is:fault"],
    ] {
        assert_eq!(profile.file(), before);
        let (status, out, said) = profile.run(arguments);
        assert_eq!((status, out.as_str(), said.as_str()), (0, expected, ""));
    }
    let after = before.replace("~ada", "%7Eada");
    assert_eq!(profile.file(), after);
    let (status, out, said) = profile.run(&["repair", "gopher://h/", "3"]);
    assert_eq!((status, out.as_str()), (1, ""));
    assert_eq!(said, "geomys: no selected bookmark can be repaired\n");
    assert_eq!(profile.file(), after);
}

#[test]
fn list_reports_the_fault_of_a_url_that_add_would_repair() {
    let profile = Profile::new("Ada <URL:http://h.example/~ada>\n");
    let (status, said, _) = profile.run(&["list", "is:fault", "--json"]);
    assert_eq!(status, 0);
    assert!(said.contains("\"at\":17"), "{said}");
    // The repaired spelling finds it too.
    let (status, said, _) = profile.run(&["remove", "http://h.example/~ada"]);
    assert_eq!(
        (status, said.as_str()),
        (0, "removed line 1: Ada <URL:http://h.example/~ada>\n")
    );
}

#[test]
fn probable_mistake_gets_a_hint() {
    let profile = Profile::new("");
    for (written, hint) in [
        ("htp://x", "did you mean http://x ?"),
        ("http://http://x", "did you mean http://x ?"),
    ] {
        let (status, said, noted) = profile.run(&["add", written]);
        assert_eq!(status, 0, "{noted}");
        assert!(said.starts_with("added "), "{said}");
        assert_eq!(noted, format!("geomys: {hint}\n"));
    }
    for path in ["C:\\x", "c:/x"] {
        let (status, _, noted) = profile.run(&["add", path]);
        assert_eq!(status, 2);
        assert!(noted.contains("this looks like a Windows path"), "{noted}");
    }
}

#[test]
fn file_without_a_last_line_end_reports_only_the_new_bookmark() {
    let profile = Profile::new("Last <URL:gopher://last/>");
    let (status, said, _) = profile.run(&["add", "gopher://new/"]);
    assert_eq!(
        (status, said.as_str()),
        (0, "added line 2: <URL:gopher://new/>\n")
    );
    assert_eq!(
        profile.file(),
        "Last <URL:gopher://last/>\n<URL:gopher://new/>\n"
    );
}

#[test]
fn byte_order_mark_is_no_part_of_the_first_line() {
    let profile = Profile::new("\u{feff}# Gopher\nOne <URL:gopher://one/>\n");
    let (_, said, _) = profile.run(&["list"]);
    assert_eq!(said, "One\tgopher://one/\tGopher\t\n");
    let (_, said, _) = profile.run(&["add", "gopher://two/", "--folder", "Gopher"]);
    assert_eq!(said, "added line 3: <URL:gopher://two/> in Gopher\n");
    assert!(profile.file().starts_with("\u{feff}# Gopher\n"));
    let (_, said, _) = profile.run(&["list", "gopher", "--fuzzy"]);
    assert_eq!(said.lines().count(), 2);
    let (_, said, _) = profile.run(&["add", "gopher://top/"]);
    assert_eq!(said, "added line 1: <URL:gopher://top/>\n");
    let start = "\u{feff}<URL:gopher://top/>\n\n# Gopher\n";
    assert!(profile.file().starts_with(start), "{}", profile.file());
}

#[test]
fn typed_tags_are_split_at_commas() {
    let profile = Profile::new("");
    profile.run(&["add", "gopher://h/", "--tag", "a,b", "--tag", "#c, d e,"]);
    assert_eq!(profile.file(), "<URL:gopher://h/> #a #b #c #d_e\n");
    profile.run(&["edit", "1", "--tag", "x, y"]);
    assert_eq!(profile.file(), "<URL:gopher://h/> #x #y\n");
    profile.run(&["edit", "1", "--tag", ""]);
    assert_eq!(profile.file(), "<URL:gopher://h/>\n");
}

#[test]
fn many_faults_of_an_import_are_one_line_with_their_number() {
    let profile = Profile::new("");
    let list = |count: usize| -> String {
        let lines = (0..count).map(|n| format!("B{n} <URL:gopher://bad~host{n}/>\n"));
        lines.collect()
    };
    let (status, said, noted) = profile.fed(&["import", "-"], &list(5000));
    assert_eq!((status, said.as_str()), (0, "- (text): 5,000 imported\n"));
    let expected = "geomys: 5,000 URLs have a fault: `geomys bookmarks list is:fault` lists them\n";
    assert_eq!(noted, expected);
    let (_, _, noted) = profile.fed(&["import", "-"], &list(5000));
    let expected = "geomys: left out: 5,000 entries: already in the bookmarks\n";
    assert_eq!(noted, expected);
    let (_, _, noted) = Profile::new("").fed(&["import", "-"], &list(2));
    assert_eq!(noted.lines().count(), 2, "{noted}");
}

#[test]
fn deeply_nested_headings_are_listed_and_extended() {
    let mut list = String::new();
    for depth in 1..=3000 {
        let hashes = "#".repeat(depth);
        writeln!(list, "{hashes} H{depth}\n<URL:gopher://h{depth}/>").unwrap();
    }
    let profile = Profile::new(&list);
    let (_, said, _) = profile.run(&["list", "h3000"]);
    let folder = said.split('\t').nth(2).unwrap();
    assert!(folder.starts_with("H1/H2/") && folder.ends_with("/H3000"));
    let (status, said, _) = profile.run(&["add", "gopher://new/", "--folder", folder]);
    assert_eq!(status, 0);
    assert!(
        said.starts_with("added line 6001: <URL:gopher://new/> in H1/H2/"),
        "{said}"
    );
}
