//! The exact effect of each change on a file.

use super::*;

/// Applies a change to a file, checks the result, and checks that undo restores the file.
#[track_caller]
fn changes(file: &str, change: impl FnOnce(&Bookmarks) -> Change, then: &str) {
    let before = Bookmarks::parse(file.as_bytes());
    let change = change(&before);
    let applied = before.apply(&change);
    assert_eq!(text(&applied.bookmarks), then);
    assert_eq!(applied.conflicts, []);
    assert_eq!(applied.bookmarks, Bookmarks::parse(then.as_bytes()));
    let undone = applied.bookmarks.apply(&applied.undo);
    assert_eq!(text(&undone.bookmarks), file);
    assert_eq!(undone.bookmarks, before);
    let redone = undone.bookmarks.apply(&undone.undo);
    assert_eq!(text(&redone.bookmarks), then);
}

const SMALL: &str = "\
top <URL:gopher://top/>
# A
a1 <URL:gopher://a1/> #t
  note
a2 <URL:gopher://a2/>

## B
b1 <URL:gopher://b1/>

# C
c1 <URL:gopher://c1/>
";

#[test]
fn new_bookmark_goes_to_its_folder_or_the_end() {
    let tagged = NewBookmark {
        tags: vec!["a".to_owned()],
        ..draft("New")
    };
    changes(
        FILE,
        |file| adding(file, tagged, &["Gopher"]),
        &FILE.replace(
            "  another note\n",
            "  another note\nNew <URL:gopher://h/> #a\n",
        ),
    );
    changes(
        FILE,
        |file| adding(file, draft("New"), &[]),
        &format!("{FILE}\nNew <URL:gopher://h/>\n"),
    );
    changes(
        &format!("{FILE}\n"),
        |file| adding(file, draft("Deep"), &["FTP", "Mirrors"]),
        &FILE.replace("its end", "its end\n\n## Mirrors\nDeep <URL:gopher://h/>\n"),
    );
    let noted = NewBookmark {
        notes: vec!["one\ntwo".to_owned(), " ".to_owned()],
        ..draft("")
    };
    changes(
        "",
        |file| file.adding(&[noted, draft("x")], &path(&["A", "B"])),
        "# A\n## B\n<URL:gopher://h/>\n  one\n  two\nx <URL:gopher://h/>\n",
    );
}

#[test]
fn paste_into_new_folder_makes_it_once() {
    let from = Bookmarks::parse(b"a <URL:gopher://a/>\n# F\nf <URL:gopher://f/>\n");
    changes(
        "x <URL:gopher://x/>\n",
        |file| file.pasting(&from, &path(&["N", "M"])),
        "x <URL:gopher://x/>\n\n# N\n## M\na <URL:gopher://a/>\n\n### F\nf <URL:gopher://f/>\n",
    );
}

#[test]
fn first_top_level_bookmark_is_separated_from_the_first_folder() {
    for place in [InsertPosition::Top, InsertPosition::Before(0)] {
        changes(
            "words\n# A\na <URL:gopher://a/>\n",
            |file| file.adding(&[draft("N")], &place),
            "words\nN <URL:gopher://h/>\n\n# A\na <URL:gopher://a/>\n",
        );
    }
    // Where a top-level bookmark exists, the blank lines stay as they are.
    changes(
        "top <URL:gopher://top/>\n# A\n",
        |file| file.adding(&[draft("N")], &InsertPosition::Top),
        "top <URL:gopher://top/>\nN <URL:gopher://h/>\n# A\n",
    );
}

#[test]
fn new_bookmark_goes_before_or_after_another() {
    let new = "N <URL:gopher://h/>\n";
    let places = [
        (InsertPosition::Before(0), "top"),
        (InsertPosition::After(0), "# A"),
        (InsertPosition::Before(1), "# A"),
        (InsertPosition::After(1), "a1"),
        (InsertPosition::Before(3), "a2"),
        (InsertPosition::After(2), "a2"),
        (InsertPosition::After(3), "\n## B"),
        (InsertPosition::Inside(1), "\n## B"),
        (InsertPosition::Top, "# A"),
        (InsertPosition::Inside(4), "\n# C"),
    ];
    for (place, below) in places {
        let at = SMALL.find(below).unwrap();
        let (above, below) = SMALL.split_at(at);
        changes(
            SMALL,
            |file| file.adding(&[draft("N")], &place),
            &[above, new, below].concat(),
        );
    }
}

#[test]
fn new_lines_take_the_files_line_ending() {
    changes(
        "# A\r\nx <URL:gopher://h/1>\r\n",
        |file| adding(file, draft("New"), &["B"]),
        "# A\r\nx <URL:gopher://h/1>\r\n\r\n# B\r\nNew <URL:gopher://h/>\r\n",
    );
    changes(
        "# A\r\nx <URL:gopher://h/1>",
        |file| {
            file.pasting(
                &Bookmarks::parse(b"y <URL:gopher://y/>\n  z\n"),
                &InsertPosition::End,
            )
        },
        "# A\r\nx <URL:gopher://h/1>\r\ny <URL:gopher://y/>\r\n  z\r\n",
    );
}

#[test]
fn edit_writes_changed_fields_only() {
    let line = "odd  title  <url: gopher://x/ >  words #a  #b words\n";
    let edit = |edit: BookmarkEdit| move |file: &Bookmarks| file.editing(&[(0, edit)]);
    let words = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect());
    changes(line, edit(BookmarkEdit::default()), line);
    let same = BookmarkEdit {
        title: Some("odd  title".to_owned()),
        url: Some(Url::parse("gopher://x/").unwrap()),
        tags: words(&["a", "b"]),
        notes: words(&[]),
        url_text: None,
    };
    changes(line, edit(same), line);
    changes(
        line,
        edit(titled(" new\ntitle ")),
        "new title <url: gopher://x/ >  words #a  #b words\n",
    );
    let url = BookmarkEdit {
        url: Some(Url::parse("gopher://y/").unwrap()),
        ..BookmarkEdit::default()
    };
    changes(
        line,
        edit(url),
        "odd  title  <URL:gopher://y/>  words #a  #b words\n",
    );
    let tags = BookmarkEdit {
        tags: words(&["c", "two words"]),
        ..BookmarkEdit::default()
    };
    changes(
        line,
        edit(tags.clone()),
        "odd  title  <url: gopher://x/ > words words #c #two_words\n",
    );
    // A line with an unclosed URL.
    changes(
        "x <URL:gopher://x/",
        edit(tags),
        "x <URL:gopher://x/> #c #two_words",
    );
    let notes = BookmarkEdit {
        notes: words(&["n", "m"]),
        ..BookmarkEdit::default()
    };
    changes(line, edit(notes.clone()), &format!("{line}  n\n  m\n"));
    changes("x <URL:x>", edit(notes), "x <URL:x>\n  n\n  m\n");
    let none = BookmarkEdit {
        notes: words(&[]),
        ..BookmarkEdit::default()
    };
    changes(
        &format!("{line}  n\n  m\nend"),
        edit(none),
        &format!("{line}end"),
    );
}

#[test]
fn several_bookmarks_are_edited_in_one_change() {
    changes(
        SMALL,
        |file| {
            file.editing(&[
                (7, titled("C1")),
                (0, titled("")),
                (1, titled("no bookmark")),
            ])
        },
        &SMALL.replace("top ", "").replace("c1 <", "C1 <"),
    );
}

#[test]
fn edited_bookmark_moves_with_its_notes() {
    changes(
        SMALL,
        |file| file.revising(2, &titled("A1"), &path(&["A", "B"])).unwrap(),
        &SMALL
            .replace("a1 <URL:gopher://a1/> #t\n  note\n", "")
            .replace("b1/>\n", "b1/>\nA1 <URL:gopher://a1/> #t\n  note\n"),
    );
    changes(
        SMALL,
        |file| {
            file.revising(7, &BookmarkEdit::default(), &path(&[]))
                .unwrap()
        },
        &SMALL
            .replace("c1 <URL:gopher://c1/>\n", "")
            .replace("# A", "c1 <URL:gopher://c1/>\n# A"),
    );
}

#[test]
fn removed_folder_takes_its_contents() {
    changes(
        SMALL,
        |file| file.removing(&[2, 7]),
        &SMALL
            .replace("a1 <URL:gopher://a1/> #t\n  note\n", "")
            .replace("c1 <URL:gopher://c1/>\n", ""),
    );
    changes(
        SMALL,
        |file| file.removing(&[4, 3, 1, 1]),
        "top <URL:gopher://top/>\n# C\nc1 <URL:gopher://c1/>\n",
    );
    changes(SMALL, |file| file.removing(&[0, 1, 6, 7]), "");
    // An indented line does not become a note on the bookmark that is now above it.
    changes(
        "x <URL:gopher://x/>\n# A\n  words\nmore\n",
        |file| file.removing(&[1]),
        "x <URL:gopher://x/>\nmore\n",
    );
}

#[test]
fn moved_bookmarks_keep_order_and_octets() {
    changes(
        SMALL,
        |file| file.moving(&[7, 2], &InsertPosition::Inside(4)).unwrap(),
        "\
top <URL:gopher://top/>
# A
a2 <URL:gopher://a2/>

## B
b1 <URL:gopher://b1/>
a1 <URL:gopher://a1/> #t
  note
c1 <URL:gopher://c1/>

# C
",
    );
    changes(
        SMALL,
        |file| file.moving(&[3], &InsertPosition::Before(2)).unwrap(),
        &SMALL
            .replace("a2 <URL:gopher://a2/>\n", "")
            .replace("# A\n", "# A\na2 <URL:gopher://a2/>\n"),
    );
    // The last line has no line ending, and an indented bookmark would be a note elsewhere.
    changes(
        "words\n  x <URL:gopher://x/>\ny <URL:gopher://y/>",
        |file| file.moving(&[0], &InsertPosition::End).unwrap(),
        "words\ny <URL:gopher://y/>\nx <URL:gopher://x/>\n",
    );
    changes(
        "x <URL:gopher://x/>\ny <URL:gopher://y/>",
        |file| file.moving(&[1], &InsertPosition::Before(0)).unwrap(),
        "y <URL:gopher://y/>\nx <URL:gopher://x/>\n",
    );
}

#[test]
fn moved_folder_keeps_contents_and_takes_target_depth() {
    changes(
        SMALL,
        |file| file.moving(&[6], &InsertPosition::Inside(1)).unwrap(),
        "\
top <URL:gopher://top/>
# A
a1 <URL:gopher://a1/> #t
  note
a2 <URL:gopher://a2/>

## B
b1 <URL:gopher://b1/>

## C
c1 <URL:gopher://c1/>

",
    );
    changes(
        SMALL,
        |file| file.moving(&[1], &InsertPosition::Inside(6)).unwrap(),
        "\
top <URL:gopher://top/>
# C
c1 <URL:gopher://c1/>

## A
a1 <URL:gopher://a1/> #t
  note
a2 <URL:gopher://a2/>

### B
b1 <URL:gopher://b1/>
",
    );
    changes(
        SMALL,
        |file| file.moving(&[4], &InsertPosition::Before(1)).unwrap(),
        "\
top <URL:gopher://top/>

# B
b1 <URL:gopher://b1/>

# A
a1 <URL:gopher://a1/> #t
  note
a2 <URL:gopher://a2/>

# C
c1 <URL:gopher://c1/>
",
    );
    // A folder goes below its parent's bookmarks: they would fall into it otherwise.
    changes(
        "# A\nx <URL:x>\ny <URL:y>\n# B\n",
        |file| file.moving(&[3], &InsertPosition::After(1)).unwrap(),
        "# A\nx <URL:x>\ny <URL:y>\n\n## B\n",
    );
    let file = Bookmarks::parse(SMALL.as_bytes());
    for place in [
        InsertPosition::Inside(1),
        InsertPosition::Inside(4),
        InsertPosition::After(3),
        path(&["A", "New"]),
    ] {
        assert_eq!(file.moving(&[0, 1], &place), None, "{place:?}");
    }
}

#[test]
fn folder_takes_its_comments_along() {
    let file = "\
About the file.
# A
First of A.
a1 <URL:gopher://a1/>
Above a2.
a2 <URL:gopher://a2/>
End of A.

About B:
two lines.
# B
b1 <URL:gopher://b1/>
";
    let swapped = "\
About the file.

About B:
two lines.
# B
b1 <URL:gopher://b1/>

# A
First of A.
a1 <URL:gopher://a1/>
Above a2.
a2 <URL:gopher://a2/>
End of A.
";
    changes(
        file,
        |file| file.moving(&[3], &InsertPosition::Before(0)).unwrap(),
        &format!("{swapped}\n"),
    );
    changes(
        file,
        |file| file.moving(&[0], &InsertPosition::After(3)).unwrap(),
        swapped,
    );
    // Removing removes no line without a URL outside of a folder's content.
    changes(
        file,
        |file| file.removing(&[3]),
        file.split_once("# B").unwrap().0,
    );
    // A new folder goes below the comments of the one before, and above those of the next one.
    let new = Bookmarks::parse(b"# C\n");
    changes(
        file,
        |file| file.pasting(&new, &InsertPosition::After(0)),
        &file.replace("End of A.\n\n", "End of A.\n\n# C\n\n"),
    );
}

#[test]
fn folders_are_made_and_renamed() {
    let new = |name, place| move |file: &Bookmarks| file.adding_folder(name, &place).unwrap();
    changes(
        SMALL,
        new(" New\nfolder ", InsertPosition::Inside(1)),
        &SMALL.replace("\n# C", "\n## New folder\n\n# C"),
    );
    changes(
        SMALL,
        new("New", path(&["A", "X"])),
        &SMALL.replace("\n# C", "\n## X\n### New\n\n# C"),
    );
    changes("", new("New", InsertPosition::End), "# New\n");
    changes(
        SMALL,
        |file| file.renaming(4, "Be <URL:x>").unwrap(),
        &SMALL.replace("## B", "## Be (URL:x>"),
    );
    changes(SMALL, |file| file.renaming(4, "B").unwrap(), SMALL);
    let file = Bookmarks::parse(SMALL.as_bytes());
    assert_eq!(file.renaming(4, " "), None);
    assert_eq!(file.renaming(3, "bookmark"), None);
    assert_eq!(file.adding_folder("", &InsertPosition::End), None);
}

#[test]
fn copied_entries_are_a_bookmark_file_that_pastes() {
    let file = Bookmarks::parse(SMALL.as_bytes());
    let copy = file.copying(&[2, 4, 7]);
    assert_eq!(
        text(&copy),
        "a1 <URL:gopher://a1/> #t\n  note\nc1 <URL:gopher://c1/>\n# B\nb1 <URL:gopher://b1/>\n\n"
    );
    changes(
        SMALL,
        |file| file.pasting(&copy, &InsertPosition::Inside(6)),
        &format!(
            "{SMALL}a1 <URL:gopher://a1/> #t\n  note\nc1 <URL:gopher://c1/>\n\n## B\nb1 <URL:gopher://b1/>\n"
        )
        .replace("c1/>\n\n## B", "c1/>\n\n## B"),
    );
}

#[test]
fn title_is_sanitized_to_one_line_without_url() {
    let change =
        Bookmarks::default().adding(&[draft("a\n# b <URL:x> <url:y>")], &InsertPosition::End);
    let bookmarks = Bookmarks::default().apply(&change).bookmarks;
    assert_eq!(bookmarks.len(), 1);
    let only = bookmarks.bookmark(0).unwrap();
    assert_eq!(only.url_text().as_str(), "gopher://h/");
}

#[test]
fn folder_name_with_slash_is_one_folder() {
    let bookmarks = Bookmarks::parse(b"# TCP/IP\nold <URL:gopher://old/>\n");
    assert_eq!(bookmarks.folder_named("TCP/IP"), ["TCP/IP"]);
    assert_eq!(bookmarks.folder_named(" New / Deep "), ["New", "Deep"]);
    assert_eq!(
        bookmarks.folder_named(&bookmarks.folder_of(1).join("/")),
        ["TCP/IP"]
    );
}

#[test]
fn equal_urls_are_duplicate_bookmarks() {
    let file = Bookmarks::parse(
        b"a <URL:gopher://Host/>\nb <URL:gopher://host:70>\nc <URL:gopher://host/0x>\nd <URL:gopher://host/1>\ne <URL:gopher://host/0%78>\nf <URL:bad>\n",
    );
    let url = Url::parse("GOPHER://host").unwrap();
    assert_eq!(file.same_as(&url), [0, 1, 3]);
    assert_eq!(file.doubles(), [vec![0, 1, 3], vec![2, 4]]);
    assert_eq!(file.faults(), 1);
}

#[test]
fn edit_keeps_octets_of_unchanged_tags() {
    let file = b"T <URL:gopher://h/> #caf\xe9   see also #x\n";
    let bookmarks = Bookmarks::parse(file);
    let tags: Vec<String> = bookmarks
        .bookmark(0)
        .unwrap()
        .tags()
        .iter()
        .map(ToString::to_string)
        .collect();
    let with = |tags: Vec<String>| {
        let edit = BookmarkEdit {
            tags: Some(tags),
            ..BookmarkEdit::default()
        };
        bookmarks
            .apply(&bookmarks.editing(&[(0, edit)]))
            .bookmarks
            .octets()
            .to_vec()
    };
    assert_eq!(with(tags.clone()), file);
    let more = [tags.clone(), vec!["new".to_owned()]].concat();
    assert_eq!(
        with(more),
        b"T <URL:gopher://h/> #caf\xe9   see also #x #new\n"
    );
    assert_eq!(
        with(vec![tags[0].clone()]),
        b"T <URL:gopher://h/> see also #caf\xe9\n"
    );
}

#[test]
fn white_space_in_url_is_a_fault_and_stays() {
    let line = "x <URL: gopher://h/0/a b.txt > #t\n";
    let file = Bookmarks::parse(line.as_bytes());
    let bookmark = file.bookmark(0).unwrap();
    assert!(bookmark.has_fault);
    assert_eq!(bookmark.url_text().as_str(), "gopher://h/0/a b.txt");
    assert_eq!(bookmark.url().unwrap_err().at, 14);
    let repaired = rfc1738::parse_or_repair(bookmark.url_text().as_str()).unwrap();
    assert_eq!(repaired.as_str(), "gopher://h/0/a%20b.txt");
    changes(line, |file| file.editing(&[(0, titled("x"))]), line);
    // The title is written as typed, except for characters that would end the line or the URL.
    for (written, stored) in [
        ("gopher://h/0/a b.txt", "gopher://h/0/a b.txt"),
        ("gopher://h/0/a>b", "gopher://h/0/a%3Eb"),
        ("gopher://h/0/a\n  b", "gopher://h/0/ab"),
        ("gopher://h/0/a\tb\u{1b}c", "gopher://h/0/a%09b%1Bc"),
    ] {
        let edit = BookmarkEdit {
            url_text: Some(written.to_owned()),
            ..BookmarkEdit::default()
        };
        let then = format!("x <URL:{stored}>\n");
        changes("x <URL:y>\n", |file| file.editing(&[(0, edit)]), &then);
        let adding =
            |file: &Bookmarks| file.adding_url_text(&draft("x"), written, &InsertPosition::Top);
        changes("", adding, &then);
    }
}
