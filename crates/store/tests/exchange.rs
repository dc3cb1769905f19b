//! Bookmarks of other programs: read, written, and read back.

mod round_trip;

use std::fmt::Write;
use std::fs;
use std::path::Path;

use geomys_store::bookmarks::Bookmarks;
use geomys_store::bookmarks::exchange::{
    BookmarkFormat, BookmarkTree, Entry, Folder, Item, LossReport, detect,
};
use proptest::prelude::*;

fn sample(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/bookmarks");
    fs::read(path.join(name)).unwrap()
}

/// A readable form of what was read.
fn described(collection: &BookmarkTree) -> String {
    let mut described = String::from_utf8(collection.bookmarks().octets().to_vec()).unwrap();
    for entry in &collection.losses.entries {
        writeln!(described, "left out: {}", entry.sentence()).unwrap();
    }
    for (what, count) in &collection.losses.parts {
        writeln!(described, "not imported: {what} ({count})").unwrap();
    }
    for (name, count) in &collection.losses.fields {
        writeln!(described, "not imported: field “{name}” ({count})").unwrap();
    }
    for (_, entry) in collection.entries() {
        if let Some(added) = entry.added {
            let added = jiff::Timestamp::from_second(added).unwrap();
            writeln!(described, "added {added}: {}", entry.url).unwrap();
        }
    }
    described
}

#[test]
fn sample_formats_are_detected_and_read() {
    let samples = [
        ("firefox.html", BookmarkFormat::Html),
        ("lynx.html", BookmarkFormat::Html),
        ("w3m.html", BookmarkFormat::Html),
        ("buku.html", BookmarkFormat::Html),
        ("buku.xbel", BookmarkFormat::Xbel),
        ("amfora.xml", BookmarkFormat::Xbel),
        ("phetch.gph", BookmarkFormat::Gophermap),
        ("vf1-bookmarks.txt", BookmarkFormat::Gophermap),
        ("notes.txt", BookmarkFormat::Text),
        ("buku.json", BookmarkFormat::Json),
        ("firefox.json", BookmarkFormat::Json),
        ("chromium.json", BookmarkFormat::Json),
        ("raindrop.csv", BookmarkFormat::Csv),
        ("newsboat.opml", BookmarkFormat::Opml),
        ("newsboat.urls", BookmarkFormat::Newsboat),
        ("newsrc", BookmarkFormat::Newsrc),
        ("bombadillo.ini", BookmarkFormat::Bombadillo),
        ("lftp", BookmarkFormat::Lftp),
        ("lagrange.ini", BookmarkFormat::Lagrange),
        ("lagrange.gmi", BookmarkFormat::Gemtext),
        ("links.org", BookmarkFormat::Org),
        ("links.md", BookmarkFormat::Markdown),
        ("mosaic.hotlist", BookmarkFormat::Mosaic),
        ("mosaic.html", BookmarkFormat::Html),
        ("opera.adr", BookmarkFormat::Opera),
        ("elinks", BookmarkFormat::Elinks),
        ("gopherrc", BookmarkFormat::Gopherrc),
        ("pinboard.xml", BookmarkFormat::Pinboard),
        ("filezilla.xml", BookmarkFormat::FileZilla),
        ("pinboard.html", BookmarkFormat::Html),
        ("safari.plist", BookmarkFormat::Safari),
        ("Example Page.url", BookmarkFormat::Shortcut),
        ("karakeep.json", BookmarkFormat::Json),
        ("linkwarden.json", BookmarkFormat::Json),
        ("instapaper.csv", BookmarkFormat::Csv),
        ("pocket.html", BookmarkFormat::Html),
        ("page.html", BookmarkFormat::Html),
        ("headings.urls", BookmarkFormat::Newsboat),
    ];
    let mut all = String::new();
    for (name, format) in samples {
        let octets = sample(name);
        assert_eq!(detect(&octets), format, "{name}");
        let collection = format.read(&octets).unwrap();
        assert!(collection.entries().count() > 0, "{name}");
        writeln!(all, "=== {name}\n{}", described(&collection)).unwrap();
    }
    insta::assert_snapshot!("samples", all);
}

#[test]
fn bookmarks_of_lftp_with_one_odd_line_are_imported_without_it() {
    let list = b"gnu\tftp://ftp.gnu.org/gnu/\nodd line here\nmole\tftp://ftp.example.org/\nsite\tftp://s.example/\n";
    assert_eq!(detect(list), BookmarkFormat::Lftp);
    let tree = BookmarkFormat::Lftp.read(list).unwrap();
    assert_eq!(
        described(&tree),
        "gnu <URL:ftp://ftp.gnu.org/gnu/>\nmole <URL:ftp://ftp.example.org/>\n\
         site <URL:ftp://s.example/>\nleft out: odd line here: it has no URL\n"
    );
}

#[test]
fn link_in_which_a_page_ends_is_reported() {
    let list = "<DL><DT><A HREF=\"http://a.example/\">A</A>\n<DT><A HREF=\"http://b.exam";
    let tree = BookmarkFormat::Html.read(list.as_bytes()).unwrap();
    assert_eq!(
        described(&tree),
        "A <URL:http://a.example/>\nleft out: line 2: an entry: the file ends inside it\n"
    );
    for whole in [
        "<A HREF=\"http://a.example/\">A",
        "<A HREF=\"http://a.example/\">A</A",
        "a <b",
    ] {
        let tree = BookmarkFormat::Html.read(whole.as_bytes()).unwrap();
        assert_eq!(tree.losses, LossReport::default(), "{whole}");
    }
}

/// A collection that the lossless formats can hold.
fn sample_collection() -> BookmarkTree {
    let entry = |title: &str, url: &str, tags: &[&str], note: &str| {
        Item::Entry(Entry {
            title: title.to_owned(),
            url: url.to_owned(),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            note: note.to_owned(),
            added: None,
        })
    };
    let folder = |name: &str, items: Vec<Item>| {
        let name = name.to_owned();
        Item::Folder(Folder { name, items })
    };
    BookmarkTree {
        items: vec![
            entry("", "gopher://untitled.example/", &[], ""),
            entry(
                "Ä “quoted” & <odd> 'title', =",
                "ftp://h/a%20b;type=i",
                &["a", "b-c"],
                "",
            ),
            folder(
                "A/B & \"C\"",
                vec![
                    entry(
                        "noted",
                        "news:comp.infosystems.gopher",
                        &["x"],
                        "one, \"two\"\nthree & <four>",
                    ),
                    folder(
                        "Deep",
                        vec![
                            entry("bad", "gopher://bad~host/", &[], ""),
                            entry("menu", "gopher://h:7070/0/sel%20ector", &[], ""),
                            entry("search", "gopher://h/7/find%09words", &[], ""),
                        ],
                    ),
                ],
            ),
            folder(
                "Last",
                vec![entry("web", "http://example.com/?a=1&b=%22", &[], "")],
            ),
        ],
        losses: LossReport::default(),
    }
}

#[test]
fn folders_of_one_path_are_reported_where_a_format_joins_them() {
    let file = b"# A\n\n## B\none <URL:gopher://a/>\n\n# A\n\n## B\ntwo <URL:gopher://b/>\n";
    let tree = BookmarkFormat::Text.read(file).unwrap();
    for format in [BookmarkFormat::Json, BookmarkFormat::Csv] {
        let (_, losses) = format.write(&tree).unwrap();
        assert_eq!(losses.parts["folders of the same name"], 1, "{format}");
    }
    let (_, losses) = BookmarkFormat::Html.write(&tree).unwrap();
    assert!(losses.is_empty());
}

#[test]
fn lossless_formats_round_trip() {
    for format in [
        BookmarkFormat::Html,
        BookmarkFormat::Xbel,
        BookmarkFormat::Json,
        BookmarkFormat::Csv,
        BookmarkFormat::Opml,
        BookmarkFormat::Text,
    ] {
        let (octets, losses) = format.write(&sample_collection()).unwrap();
        assert!(losses.is_empty(), "{format}: {losses:?}");
        assert_eq!(
            detect(&octets),
            format,
            "{}",
            String::from_utf8_lossy(&octets)
        );
        assert_eq!(
            format.read(&octets).unwrap(),
            sample_collection(),
            "{format}"
        );
    }
}

#[test]
fn lossy_formats_list_what_is_lost() {
    let mut all = String::new();
    for format in [BookmarkFormat::Gophermap, BookmarkFormat::Newsboat] {
        let (octets, losses) = format.write(&sample_collection()).unwrap();
        assert!(!losses.is_empty(), "{format}");
        writeln!(all, "=== {format}\n{}", String::from_utf8_lossy(&octets)).unwrap();
        let read = format.read(&octets).unwrap();
        let left_out = BookmarkTree {
            losses,
            ..BookmarkTree::default()
        };
        writeln!(
            all,
            "{}--- read back\n{}",
            described(&left_out),
            described(&read)
        )
        .unwrap();
    }
    insta::assert_snapshot!("lossy", all);
}

#[test]
fn export_removes_passwords() {
    let file =
        Bookmarks::parse(b"A <URL:ftp://ada:secret@h/>\n<URL:ftp://ada:secret@h~/>\nwords\n");
    for format in BookmarkFormat::written() {
        let collection = BookmarkTree::of(&file);
        assert_eq!(collection.losses.parts.len(), 2, "{:?}", collection.losses);
        let (octets, _) = format.write(&collection).unwrap();
        assert!(
            !String::from_utf8_lossy(&octets).contains("secret"),
            "{format}"
        );
    }
}

#[test]
fn import_merges_into_existing_folders() {
    let file = Bookmarks::parse(
        b"top <URL:gopher://top/>\n\n# A\na1 <URL:gopher://a1/>\n\n## B\nb1 <URL:gopher://b1/>\n\n# Z\nz1 <URL:gopher://z1/>\n",
    );
    let other = b"new <URL:gopher://new/>\n# A\n<URL:GOPHER://a1:70>\na2 <URL:gopher://a2/>\n## B\nb2 <URL:gopher://b2/>\n## N\nn <URL:gopher://n/>\n# Y\n<URL:gopher://z1/>\n";
    let mut collection = BookmarkFormat::Text.read(other).unwrap();
    collection.remove_existing(&file);
    assert_eq!(collection.losses.entries.len(), 2);
    let applied = file.apply(&collection.insert_into(&file, &[]));
    let text = String::from_utf8(applied.bookmarks.octets().to_vec()).unwrap();
    assert_eq!(
        text,
        "top <URL:gopher://top/>\nnew <URL:gopher://new/>\n\n# A\na1 <URL:gopher://a1/>\na2 <URL:gopher://a2/>\n\n\
         ## B\nb1 <URL:gopher://b1/>\nb2 <URL:gopher://b2/>\n\n## N\nn <URL:gopher://n/>\n\n# Z\nz1 <URL:gopher://z1/>\n"
    );
    let back = applied.bookmarks.apply(&applied.undo).bookmarks;
    assert_eq!(back.octets(), file.octets());
    let in_new = file
        .apply(&collection.insert_into(&file, &["New".to_owned()]))
        .bookmarks;
    let text = String::from_utf8_lossy(in_new.octets()).into_owned();
    assert!(text.ends_with("# New\nnew <URL:gopher://new/>\n\n## A\na2 <URL:gopher://a2/>\n\n### B\nb2 <URL:gopher://b2/>\n\n### N\nn <URL:gopher://n/>\n"), "{text}");
}

#[test]
fn folders_of_lagrange_that_are_in_themselves_are_reported() {
    let file = "[1]\nurl = \"\"\ntitle = \"a\"\nparent = 2\n[2]\nurl = \"\"\nparent = 1\n\
                [3]\nurl = \"gemini://h/\"\nparent = 1\n[4]\nurl = \"gemini://i/\"\nparent = 9\n\
                [5]\nurl = \"gemini://j/\"\nparent = 4\n";
    let tree = BookmarkFormat::Lagrange.read(file.as_bytes()).unwrap();
    let urls: Vec<&str> = tree
        .entries()
        .map(|(_, entry)| entry.url.as_str())
        .collect();
    assert_eq!(urls, ["gemini://i/"]);
    assert_eq!(tree.losses.entries.len(), 4, "{:?}", tree.losses);
    let malformed = BookmarkFormat::Lagrange.read(b"[1]\nurl = \"gemini\n");
    assert!(malformed.is_err());
}

#[test]
fn lists_without_whole_urls_are_not_taken_for_links() {
    for (text, format) in [
        (
            "see [[Another page]] and [this](that)",
            BookmarkFormat::Text,
        ),
        ("=> /relative only\n", BookmarkFormat::Text),
        ("x => y\n", BookmarkFormat::Text),
        ("=>gopher://h/\n", BookmarkFormat::Gemtext),
        ("a [[gopher://h/]] b", BookmarkFormat::Org),
        ("a [b](gopher://h/) c", BookmarkFormat::Markdown),
        ("a [b](gopher://h/) <URL:gopher://i/>", BookmarkFormat::Text),
    ] {
        assert_eq!(detect(text.as_bytes()), format, "{text}");
    }
}

#[test]
fn synonyms_of_columns_and_keys_are_read() {
    let csv =
        "Title,URL,Document tags,Saved date\nOne,https://h.example/,\"a,b\",2024-05-01T10:00:00Z\n";
    let json = r#"[{"pageTitle":"One","link":"https://h.example/","labels":["a","b"],"savedAt":1714557600}]"#;
    for text in [csv, json] {
        let tree = detect(text.as_bytes()).read(text.as_bytes()).unwrap();
        let entry = Entry {
            title: "One".to_owned(),
            url: "https://h.example/".to_owned(),
            tags: vec!["a".to_owned(), "b".to_owned()],
            added: Some(1_714_557_600),
            ..Entry::default()
        };
        assert_eq!(tree.items, [Item::Entry(entry)], "{text}");
        assert_eq!(tree.losses, LossReport::default(), "{text}");
    }
}

#[test]
fn inner_addresses_of_browsers_are_counted_and_no_bookmarks() {
    let urls = [
        "place:sort=8",
        "java\nScript:alert(1)",
        "data:,x",
        "about:config",
        "chrome://x/",
        "https://h/",
    ];
    let links = urls.map(|url| format!("<DT><A HREF=\"{url}\">x</A>\n<DD>note\n"));
    let html = format!(
        "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n{}</DL>",
        links.concat()
    );
    let tree = BookmarkFormat::Html.read(html.as_bytes()).unwrap();
    assert_eq!(tree.entries().count(), 1);
    let counts: Vec<usize> = tree.losses.parts.values().copied().collect();
    assert_eq!(counts, [5, 5], "{:?}", tree.losses);
    let text =
        "js <URL:javascript:void(0)>\nview <URL:view-source:https://h/>\nx <URL:https://h/>\n";
    let tree = BookmarkFormat::Text.read(text.as_bytes()).unwrap();
    assert_eq!(tree.entries().count(), 1);
}

#[test]
fn bare_urls_of_org_and_markdown_are_whole() {
    for (format, text) in [
        (
            BookmarkFormat::Org,
            "* Links\n- https://h/bare!\n- [[https://h/x][x]]\n",
        ),
        (
            BookmarkFormat::Markdown,
            "- https://h/bare!\n- [x](https://h/x)\n",
        ),
        (
            BookmarkFormat::Markdown,
            "[1]: https://h/bare! \"T\"\n[x](https://h/x)\n",
        ),
        (
            BookmarkFormat::Markdown,
            "  [1]: <https://h/bare!>\n[x](https://h/x)\n",
        ),
    ] {
        let tree = format.read(text.as_bytes()).unwrap();
        let urls: Vec<&str> = tree
            .entries()
            .map(|(_, entry)| entry.url.as_str())
            .collect();
        assert_eq!(urls, ["https://h/bare!", "https://h/x"], "{text}");
    }
}

#[test]
fn title_that_is_a_url_comes_back() {
    let text = "http://b/x <URL:https://b/y>\n";
    let tree = BookmarkFormat::Text.read(text.as_bytes()).unwrap();
    let entries: Vec<&Entry> = tree.entries().map(|(_, entry)| entry).collect();
    assert_eq!(entries.len(), 1);
    assert_eq!(
        (entries[0].title.as_str(), entries[0].url.as_str()),
        ("http://b/x", "https://b/y")
    );
}

#[test]
fn lists_of_a_name_and_a_url_keep_both() {
    let quickmarks = "yahoo https://h/Yahoo!\nthe other page https://h/a::b\n";
    let urls = "# Links\n\nhttps://h/Yahoo! | yahoo\nhttps://h/a::b the other page #x\n";
    for (text, tags) in [(quickmarks, &[][..]), (urls, &["x"])] {
        let tree = detect(text.as_bytes()).read(text.as_bytes()).unwrap();
        let entries: Vec<&Entry> = tree.entries().map(|(_, entry)| entry).collect();
        let own = entries
            .iter()
            .map(|entry| (entry.title.as_str(), entry.url.as_str()));
        let own: Vec<(&str, &str)> = own.collect();
        assert_eq!(
            own,
            [
                ("yahoo", "https://h/Yahoo!"),
                ("the other page", "https://h/a::b")
            ]
        );
        assert_eq!(entries[1].tags, tags);
        assert_eq!(tree.losses, LossReport::default(), "{text}");
    }
    // Most lines decide.
    let mixed = "; my links\nyahoo https://h/Yahoo!\nlong name https://h/etc.\nq https://h/?q={}\na https://h/a\"b\"\n";
    let tree = detect(mixed.as_bytes()).read(mixed.as_bytes()).unwrap();
    let urls = tree.entries().map(|(_, entry)| entry.url.as_str());
    let urls: Vec<&str> = urls.collect();
    assert_eq!(
        urls,
        [
            "https://h/Yahoo!",
            "https://h/etc.",
            "https://h/?q={}",
            "https://h/a\"b\""
        ]
    );
    // A quotation mark inside of a URL makes no tag of newsboat.
    let plain = "https://h/a\"b\"\nhttps://h/c\n";
    let tree = detect(plain.as_bytes()).read(plain.as_bytes()).unwrap();
    assert_eq!(tree.entries().next().unwrap().1.url, "https://h/a\"b\"");
    // A sentence is running text.
    let tree = BookmarkFormat::Text
        .read(b"See it at https://h/a.\n")
        .unwrap();
    assert_eq!(tree.entries().next().unwrap().1.url, "https://h/a");
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{0,12}",
        "\\PC{0,6}",
        Just("<URL:gopher://h/>".to_owned()),
        Just("# x".to_owned()),
        Just("&amp;&#60;</A>".to_owned()),
    ]
}

/// Lines of a bookmark file: headings of any depth, and bookmarks with their notes.
fn any_file() -> impl Strategy<Value = String> {
    let url = prop_oneof![
        "gopher://[a-z]{1,5}/[01]/[ -~]{0,8}",
        "(ftp|http|news|telnet):[ -~]{1,12}",
        "\\PC{1,9}",
    ];
    let tags = prop::collection::vec("[a-z~!,;]{1,4}", 0..3);
    let item = prop_oneof![
        (1..4usize, word()).prop_map(|(depth, name)| format!("\n{} {name}\n", "#".repeat(depth))),
        (word(), url, tags, word()).prop_map(|(title, url, tags, note)| {
            let tags = tags.iter().map(|tag| format!(" #{tag}"));
            let tags = tags.collect::<Vec<_>>().concat();
            let note = note.lines().map(|line| format!("  {line}\n"));
            let note = note.collect::<Vec<_>>().concat();
            format!("{title} <URL:{url}>{tags}\n{note}")
        }),
    ];
    prop::collection::vec(item, 0..12).prop_map(|items| items.concat())
}

proptest! {
    #[test]
    fn any_octets_are_read_without_panic(octets in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = detect(&octets);
        for format in BookmarkFormat::all() {
            if let Ok(collection) = format.read(&octets) {
                let file = collection.bookmarks();
                prop_assert_eq!(file.bookmarks().count(), collection.entries().count());
            }
        }
    }

    #[test]
    fn any_markup_is_read_without_panic(parts in prop::collection::vec(prop_oneof![
        Just("<".to_owned()), Just("<DL>".to_owned()), Just("</DL>".to_owned()), Just("<H3>".to_owned()),
        Just("<A HREF=\"gopher://h/\">".to_owned()), Just("<DD>".to_owned()), Just("&#x".to_owned()),
        Just("<folder>".to_owned()), Just("</folder>".to_owned()), Just("<xbel>".to_owned()), Just("<outline url='x'>".to_owned()),
        Just("<bookmark href='gopher://h/'/>".to_owned()), Just("<title>".to_owned()), Just("</title>".to_owned()),
        Just("\"".to_owned()), Just("\t".to_owned()), Just("\n".to_owned()), Just("[{\"url\":\"".to_owned()), "\\PC{0,5}",
    ], 0..30)) {
        let text = parts.concat();
        for format in BookmarkFormat::all() {
            if let Ok(collection) = format.read(text.as_bytes()) {
                prop_assert_eq!(collection.bookmarks().bookmarks().count(), collection.entries().count());
            }
        }
    }

    /// Lossless formats write and read back any parsed file unchanged.
    #[test]
    fn written_bookmarks_read_back_the_same(file in any_file()) {
        let file = BookmarkTree::of(&Bookmarks::parse(file.as_bytes()));
        let once = BookmarkFormat::Text.read(&BookmarkFormat::Text.write(&file).unwrap().0).unwrap();
        for format in [BookmarkFormat::Html, BookmarkFormat::Xbel, BookmarkFormat::Json, BookmarkFormat::Csv, BookmarkFormat::Opml] {
            let (octets, losses) = format.write(&once).unwrap();
            if losses.is_empty() {
                let again = format.read(&octets).unwrap();
                prop_assert_eq!(&again.items, &once.items, "{}: {}", format, String::from_utf8_lossy(&octets));
            }
        }
        for format in BookmarkFormat::written() {
            let (octets, _) = format.write(&once).unwrap();
            prop_assert!(format.read(&octets).is_ok() || once.items.is_empty());
        }
    }
}

#[test]
fn import_of_nested_headings_allocates_in_proportion_to_them() {
    let nested = |count: usize| {
        let mut text = String::new();
        for depth in 1..=count {
            writeln!(text, "{} H{depth}", "#".repeat(depth)).unwrap();
        }
        writeln!(text, "x <URL:gopher://h/>").unwrap();
        text
    };
    let allocations = |count: usize| {
        let text = nested(count);
        let counted = allocation_counter::measure(|| {
            let tree = BookmarkFormat::Text.read(text.as_bytes()).unwrap();
            assert_eq!(tree.entries().count(), 1);
        });
        counted.count_total
    };
    let (few, many) = (allocations(250), allocations(1000));
    assert!(many < few * 6, "{few} allocations, then {many}");
}

/// Title and URL of each entry, in order.
fn links(tree: &BookmarkTree) -> Vec<(String, String)> {
    let entries = tree.entries();
    entries
        .map(|(_, entry)| (entry.title.clone(), entry.url.clone()))
        .collect()
}

#[test]
fn quotation_marks_in_urls_of_newsboat_and_titles_of_org_over_two_lines_stay() {
    let list = b"https://x.example/?q=\"a\" tag\nhttps://x.example/c\"d \"~A title\" tag\n";
    let tree = BookmarkFormat::Newsboat.read(list).unwrap();
    let expected = [
        ("", "https://x.example/?q=\"a\""),
        ("A title", "https://x.example/c\"d"),
    ];
    let expected = expected.map(|(title, url)| (title.to_owned(), url.to_owned()));
    assert_eq!(links(&tree), expected);
    let list =
        b"* Places\n- [[https://x.example/b][Two\n  words]] and more\n[[https://y.example/]]\n";
    let tree = BookmarkFormat::Org.read(list).unwrap();
    let expected = [
        ("Two words", "https://x.example/b"),
        ("", "https://y.example/"),
    ];
    let expected = expected.map(|(title, url)| (title.to_owned(), url.to_owned()));
    assert_eq!(links(&tree), expected);
}

#[test]
fn boards_of_syncterm_become_urls() {
    let list = b"SortOrder=2\n\n[Level 29]\nConnectionType=Telnet\nAddress=bbs.fozztexx.com\nPort=23\nComment=retro\n\
        [Odd port]\nConnectionType=RLogin\nAddress=b.example\nPort=1513\nUserName=ada\nPassword=secret\nPalette=7\n\
        [New]\nAddress=2001:db8::1\n\
        [Serial]\nConnectionType=Modem\nAddress=555\n[Empty]\n";
    assert_eq!(detect(list), BookmarkFormat::Syncterm);
    // As SyncTERM writes its keys.
    let written = b"[V]\n\tConnectionType =Telnet\n\tAddress        =v.example\n";
    assert_eq!(detect(written), BookmarkFormat::Syncterm);
    let tree = BookmarkFormat::Syncterm.read(written).unwrap();
    let board = ("V".to_owned(), "telnet://v.example/".to_owned());
    assert_eq!(links(&tree), [board]);
    let tree = BookmarkFormat::Syncterm.read(list).unwrap();
    let expected = [
        ("Level 29", "telnet://bbs.fozztexx.com/"),
        ("Odd port", "rlogin://b.example:1513/"),
        ("New", "telnet://[2001:db8::1]/"),
    ];
    let expected = expected.map(|(title, url)| (title.to_owned(), url.to_owned()));
    assert_eq!(links(&tree), expected);
    assert_eq!(tree.losses.entries.len(), 2, "{:?}", tree.losses);
    assert_eq!(tree.losses.parts["logins of boards"], 2);
    assert_eq!(tree.losses.fields["palette"], 1);
}

#[test]
fn half_a_letter_costs_itself_alone() {
    let json = br#"[{"title":"cut \ud83d","url":"http://a.example/"},{"title":"whole \ud83d\ude00 \\ud800","url":"http://b.example/"},
        {"title":"\ude00\ud83d\ud83d\ude00","url":"http://c.example/"}]"#;
    let tree = BookmarkFormat::Json.read(json).unwrap();
    let titles: Vec<String> = links(&tree).into_iter().map(|(title, _)| title).collect();
    assert_eq!(
        titles,
        [
            "cut \u{fffd}",
            "whole \u{1f600} \\ud800",
            "\u{fffd}\u{fffd}\u{1f600}"
        ]
    );
}

#[test]
fn line_ends_in_titles_keep_words_apart() {
    let html = b"<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF=\"http://a.example/\">One<BR>Two\nThree</A>";
    assert_eq!(
        links(&BookmarkFormat::Html.read(html).unwrap())[0].0,
        "One Two Three"
    );
    let json = br#"[{"title":"One\nTwo\tThree","url":"http://a.example/"}]"#;
    assert_eq!(
        links(&BookmarkFormat::Json.read(json).unwrap())[0].0,
        "One Two Three"
    );
}

#[test]
fn trees_of_several_files_share_their_folders() {
    let mut tree = BookmarkTree::default();
    for (folder, url) in [
        ("a", "http://a.example/"),
        ("b", "http://b.example/"),
        ("a", "http://c.example/"),
    ] {
        let read = BookmarkFormat::Text
            .read(format!("<URL:{url}>").as_bytes())
            .unwrap();
        tree.append(&["Top".to_owned(), folder.to_owned()], read);
    }
    let text = String::from_utf8(tree.bookmarks().octets().to_vec()).unwrap();
    assert_eq!(
        text,
        "# Top\n\n## a\n<URL:http://a.example/>\n<URL:http://c.example/>\n\n## b\n<URL:http://b.example/>\n"
    );
}
