//! What each change makes of a file, to the octet.

use super::*;

/// A file, the change that is made of it, and what is there then; taken back, it is as it was.
#[track_caller]
fn changes(file: &str, change: impl FnOnce(&Bookmarks) -> Change, then: &str) {
    let before = Bookmarks::parse(file.as_bytes());
    let change = change(&before);
    let applied = before.apply(&change);
    assert_eq!(text(&applied.bookmarks), then);
    assert_eq!(applied.clashes, []);
    assert_eq!(applied.bookmarks, Bookmarks::parse(then.as_bytes()));
    let undone = applied.bookmarks.apply(&applied.back);
    assert_eq!(text(&undone.bookmarks), file);
    assert_eq!(undone.bookmarks, before);
    let redone = undone.bookmarks.apply(&undone.back);
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
fn a_new_bookmark_goes_to_its_folder_or_to_the_end() {
    let tagged = Draft {
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
        &FILE
            .replace(
                "two <URL:news:*>\nlast",
                "two <URL:news:*>\n\n## Mirrors\nDeep <URL:gopher://h/>\nlast",
            )
            .replace("end", "end\n"),
    );
    let noted = Draft {
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
fn what_is_pasted_into_a_new_folder_makes_it_once() {
    let from = Bookmarks::parse(b"a <URL:gopher://a/>\n# F\nf <URL:gopher://f/>\n");
    changes(
        "x <URL:gopher://x/>\n",
        |file| file.pasting(&from, &path(&["N", "M"])),
        "x <URL:gopher://x/>\n\n# N\n## M\na <URL:gopher://a/>\n\n### F\nf <URL:gopher://f/>\n",
    );
}

#[test]
fn the_first_in_no_folder_stands_apart_from_the_first_folder() {
    for place in [Place::Top, Place::Before(0)] {
        changes(
            "words\n# A\na <URL:gopher://a/>\n",
            |file| file.adding(&[draft("N")], &place),
            "words\nN <URL:gopher://h/>\n\n# A\na <URL:gopher://a/>\n",
        );
    }
    // Where one is already, it is as its owner has it.
    changes(
        "top <URL:gopher://top/>\n# A\n",
        |file| file.adding(&[draft("N")], &Place::Top),
        "top <URL:gopher://top/>\nN <URL:gopher://h/>\n# A\n",
    );
}

#[test]
fn a_new_bookmark_goes_before_or_after_another() {
    let new = "N <URL:gopher://h/>\n";
    let places = [
        (Place::Before(0), "top"),
        (Place::After(0), "# A"),
        (Place::Before(1), "# A"),
        (Place::After(1), "a1"),
        (Place::Before(3), "a2"),
        (Place::After(2), "a2"),
        (Place::After(3), "\n## B"),
        (Place::Inside(1), "\n## B"),
        (Place::Top, "# A"),
        (Place::Inside(4), "\n# C"),
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
                &Place::End,
            )
        },
        "# A\r\nx <URL:gopher://h/1>\r\ny <URL:gopher://y/>\r\n  z\r\n",
    );
}

#[test]
fn an_edit_touches_what_is_another_and_nothing_else() {
    let line = "odd  title  <url: gopher://x/ >  words #a  #b words\n";
    let edit = |edit: Edit| move |file: &Bookmarks| file.editing(&[(0, edit)]);
    let words = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect());
    changes(line, edit(Edit::default()), line);
    let same = Edit {
        title: Some("odd  title".to_owned()),
        url: Some(Url::parse("gopher://x/").unwrap()),
        tags: words(&["a", "b"]),
        notes: words(&[]),
        as_written: None,
    };
    changes(line, edit(same), line);
    changes(
        line,
        edit(titled(" new\ntitle ")),
        "new title <url: gopher://x/ >  words #a  #b words\n",
    );
    let url = Edit {
        url: Some(Url::parse("gopher://y/").unwrap()),
        ..Edit::default()
    };
    changes(
        line,
        edit(url),
        "odd  title  <URL:gopher://y/>  words #a  #b words\n",
    );
    let tags = Edit {
        tags: words(&["c", "two words"]),
        ..Edit::default()
    };
    changes(
        line,
        edit(tags.clone()),
        "odd  title  <url: gopher://x/ > words words #c #two_words\n",
    );
    // A line whose URL is never closed.
    changes(
        "x <URL:gopher://x/",
        edit(tags),
        "x <URL:gopher://x/> #c #two_words",
    );
    let notes = Edit {
        notes: words(&["n", "m"]),
        ..Edit::default()
    };
    changes(line, edit(notes.clone()), &format!("{line}  n\n  m\n"));
    changes("x <URL:x>", edit(notes), "x <URL:x>\n  n\n  m\n");
    let none = Edit {
        notes: words(&[]),
        ..Edit::default()
    };
    changes(
        &format!("{line}  n\n  m\nend"),
        edit(none),
        &format!("{line}end"),
    );
}

#[test]
fn several_are_edited_in_one_change() {
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
fn an_edited_bookmark_goes_to_another_folder_with_its_notes() {
    changes(
        SMALL,
        |file| file.revising(2, &titled("A1"), &path(&["A", "B"])).unwrap(),
        &SMALL
            .replace("a1 <URL:gopher://a1/> #t\n  note\n", "")
            .replace("b1/>\n", "b1/>\nA1 <URL:gopher://a1/> #t\n  note\n"),
    );
    changes(
        SMALL,
        |file| file.revising(7, &Edit::default(), &path(&[])).unwrap(),
        &SMALL
            .replace("c1 <URL:gopher://c1/>\n", "")
            .replace("# A", "c1 <URL:gopher://c1/>\n# A"),
    );
}

#[test]
fn what_is_removed_takes_along_what_is_in_it() {
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
    // An indented line is no note on what is above it by then.
    changes(
        "x <URL:gopher://x/>\n# A\n  words\nmore\n",
        |file| file.removing(&[1]),
        "x <URL:gopher://x/>\nmore\n",
    );
}

#[test]
fn what_is_moved_keeps_its_order_and_its_octets() {
    changes(
        SMALL,
        |file| file.moving(&[7, 2], &Place::Inside(4)).unwrap(),
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
        |file| file.moving(&[3], &Place::Before(2)).unwrap(),
        &SMALL
            .replace("a2 <URL:gopher://a2/>\n", "")
            .replace("# A\n", "# A\na2 <URL:gopher://a2/>\n"),
    );
    // The last line has no end, and an indented bookmark would be a note elsewhere.
    changes(
        "words\n  x <URL:gopher://x/>\ny <URL:gopher://y/>",
        |file| file.moving(&[0], &Place::End).unwrap(),
        "words\ny <URL:gopher://y/>\nx <URL:gopher://x/>\n",
    );
    changes(
        "x <URL:gopher://x/>\ny <URL:gopher://y/>",
        |file| file.moving(&[1], &Place::Before(0)).unwrap(),
        "y <URL:gopher://y/>\nx <URL:gopher://x/>\n",
    );
}

#[test]
fn a_folder_is_moved_with_what_is_in_it_and_made_as_deep_as_its_place() {
    changes(
        SMALL,
        |file| file.moving(&[6], &Place::Inside(1)).unwrap(),
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
        |file| file.moving(&[1], &Place::Inside(6)).unwrap(),
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
        |file| file.moving(&[4], &Place::Before(1)).unwrap(),
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
    // Below the bookmarks of the folder: they would fall into it.
    changes(
        "# A\nx <URL:x>\ny <URL:y>\n# B\n",
        |file| file.moving(&[3], &Place::After(1)).unwrap(),
        "# A\nx <URL:x>\ny <URL:y>\n\n## B\n",
    );
    let file = Bookmarks::parse(SMALL.as_bytes());
    for place in [
        Place::Inside(1),
        Place::Inside(4),
        Place::After(3),
        path(&["A", "New"]),
    ] {
        assert_eq!(file.moving(&[0, 1], &place), None, "{place:?}");
    }
}

#[test]
fn folders_are_made_and_renamed() {
    let new = |name, place| move |file: &Bookmarks| file.adding_folder(name, &place).unwrap();
    changes(
        SMALL,
        new(" New\nfolder ", Place::Inside(1)),
        &SMALL.replace("\n# C", "\n## New folder\n\n# C"),
    );
    changes(
        SMALL,
        new("New", path(&["A", "X"])),
        &SMALL.replace("\n# C", "\n## X\n### New\n\n# C"),
    );
    changes("", new("New", Place::End), "# New\n");
    changes(
        SMALL,
        |file| file.renaming(4, "Be <URL:x>").unwrap(),
        &SMALL.replace("## B", "## Be (URL:x>"),
    );
    changes(SMALL, |file| file.renaming(4, "B").unwrap(), SMALL);
    let file = Bookmarks::parse(SMALL.as_bytes());
    assert_eq!(file.renaming(4, " "), None);
    assert_eq!(file.renaming(3, "bookmark"), None);
    assert_eq!(file.adding_folder("", &Place::End), None);
}

#[test]
fn a_copy_is_a_bookmark_file_and_is_put_in_as_one() {
    let file = Bookmarks::parse(SMALL.as_bytes());
    let copy = file.copying(&[2, 4, 7]);
    assert_eq!(
        text(&copy),
        "a1 <URL:gopher://a1/> #t\n  note\nc1 <URL:gopher://c1/>\n# B\nb1 <URL:gopher://b1/>\n\n"
    );
    changes(
        SMALL,
        |file| file.pasting(&copy, &Place::Inside(6)),
        &format!(
            "{SMALL}a1 <URL:gopher://a1/> #t\n  note\nc1 <URL:gopher://c1/>\n\n## B\nb1 <URL:gopher://b1/>\n"
        )
        .replace("c1/>\n\n## B", "c1/>\n\n## B"),
    );
}

#[test]
fn a_title_cannot_become_a_url_or_a_second_line() {
    let change = Bookmarks::default().adding(&[draft("a\n# b <URL:x> <url:y>")], &Place::End);
    let bookmarks = Bookmarks::default().apply(&change).bookmarks;
    assert_eq!(bookmarks.len(), 1);
    let only = bookmarks.bookmark(0).unwrap();
    assert_eq!(only.written().as_str(), "gopher://h/");
}

#[test]
fn a_folder_whose_name_holds_a_slash_is_one_folder() {
    let bookmarks = Bookmarks::parse(b"# TCP/IP\nold <URL:gopher://old/>\n");
    assert_eq!(bookmarks.folder_named("TCP/IP"), ["TCP/IP"]);
    assert_eq!(bookmarks.folder_named(" New / Deep "), ["New", "Deep"]);
    assert_eq!(
        bookmarks.folder_named(&bookmarks.folder_of(1).join("/")),
        ["TCP/IP"]
    );
}

#[test]
fn spellings_of_one_place_are_the_same_bookmark() {
    let file = Bookmarks::parse(
        b"a <URL:gopher://Host/>\nb <URL:gopher://host:70>\nc <URL:gopher://host/0x>\nd <URL:gopher://host/1>\ne <URL:gopher://host/0%78>\nf <URL:bad>\n",
    );
    let url = Url::parse("GOPHER://host").unwrap();
    assert_eq!(file.same_as(&url), [0, 1, 3]);
    assert_eq!(file.doubles(), [vec![0, 1, 3], vec![2, 4]]);
    assert_eq!(file.faults(), 1);
}

#[test]
fn an_edit_leaves_the_octets_of_tags_that_stay() {
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
        let edit = Edit {
            tags: Some(tags),
            ..Edit::default()
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
fn white_space_in_a_url_is_a_fault_that_stays_as_it_is() {
    let line = "x <URL: gopher://h/0/a b.txt > #t\n";
    let file = Bookmarks::parse(line.as_bytes());
    let bookmark = file.bookmark(0).unwrap();
    assert!(bookmark.has_fault);
    assert_eq!(bookmark.written().as_str(), "gopher://h/0/a b.txt");
    assert_eq!(bookmark.url().unwrap_err().at, 14);
    let repaired = geomys::url::forgiven(bookmark.written().as_str()).unwrap();
    assert_eq!(repaired.as_str(), "gopher://h/0/a%20b.txt");
    changes(line, |file| file.editing(&[(0, titled("x"))]), line);
    // What is written into the file is what was written by hand, but for what would end the line or the URL.
    for (written, stored) in [
        ("gopher://h/0/a b.txt", "gopher://h/0/a b.txt"),
        ("gopher://h/0/a>b", "gopher://h/0/a%3Eb"),
        ("gopher://h/0/a\n  b", "gopher://h/0/ab"),
        ("gopher://h/0/a\tb\u{1b}c", "gopher://h/0/a%09b%1Bc"),
    ] {
        let edit = Edit {
            as_written: Some(written.to_owned()),
            ..Edit::default()
        };
        let then = format!("x <URL:{stored}>\n");
        changes("x <URL:y>\n", |file| file.editing(&[(0, edit)]), &then);
        let adding = |file: &Bookmarks| file.adding_as_written(&draft("x"), written, &Place::Top);
        changes("", adding, &then);
    }
}
