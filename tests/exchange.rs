//! Bookmarks of other programs: read, written, and read back.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use geomys::files::bookmarks::Bookmarks;
use geomys::files::exchange::{Entry, Format, Item, Lost, Shelf, detect};
use proptest::prelude::*;

fn sample(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/bookmarks");
    fs::read(path.join(name)).unwrap()
}

/// What was read, for eyes.
fn told(shelf: &Shelf) -> String {
    let mut told = String::from_utf8(shelf.bookmarks().octets().to_vec()).unwrap();
    for (what, why) in &shelf.lost.wholes {
        writeln!(told, "left out: {what}: {why}").unwrap();
    }
    for (what, count) in &shelf.lost.parts {
        writeln!(told, "not kept: {what} ({count})").unwrap();
    }
    told
}

#[test]
fn samples_are_known_for_what_they_are_and_read() {
    let samples = [
        ("firefox.html", Format::Html),
        ("lynx.html", Format::Html),
        ("w3m.html", Format::Html),
        ("buku.html", Format::Html),
        ("buku.xbel", Format::Xbel),
        ("amfora.xml", Format::Xbel),
        ("phetch.gph", Format::Gophermap),
        ("vf1-bookmarks.txt", Format::Gophermap),
        ("notes.txt", Format::Text),
        ("buku.json", Format::Json),
        ("firefox.json", Format::Json),
        ("chromium.json", Format::Json),
        ("raindrop.csv", Format::Csv),
        ("newsboat.opml", Format::Opml),
        ("newsboat.urls", Format::Newsboat),
        ("newsrc", Format::Newsrc),
        ("bombadillo.ini", Format::Bombadillo),
        ("lftp", Format::Lftp),
    ];
    let mut all = String::new();
    for (name, format) in samples {
        let octets = sample(name);
        assert_eq!(detect(&octets), format, "{name}");
        let shelf = format.read(&octets).unwrap();
        assert!(shelf.entries().count() > 0, "{name}");
        writeln!(all, "=== {name}\n{}", told(&shelf)).unwrap();
    }
    insta::assert_snapshot!("samples", all);
}

/// Nothing but what a format that holds all can hold.
fn shelf() -> Shelf {
    let entry = |title: &str, url: &str, tags: &[&str], note: &str| Entry {
        title: title.to_owned(),
        url: url.to_owned(),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        note: note.to_owned(),
        added: None,
    };
    let folder = |depth, name: &str| Item::Folder {
        depth,
        name: name.to_owned(),
    };
    let at = |depth, entry| Item::Entry { depth, entry };
    Shelf {
        items: vec![
            at(0, entry("", "gopher://untitled.example/", &[], "")),
            at(
                0,
                entry(
                    "Ä “quoted” & <odd> 'title', =",
                    "ftp://h/a%20b;type=i",
                    &["a", "b-c"],
                    "",
                ),
            ),
            folder(1, "A/B & \"C\""),
            at(
                1,
                entry(
                    "noted",
                    "news:comp.infosystems.gopher",
                    &["x"],
                    "one, \"two\"\nthree & <four>",
                ),
            ),
            folder(2, "Deep"),
            at(2, entry("bad", "gopher://bad~host/", &[], "")),
            at(2, entry("menu", "gopher://h:7070/0/sel%20ector", &[], "")),
            at(2, entry("search", "gopher://h/7/find%09words", &[], "")),
            folder(1, "Last"),
            at(1, entry("web", "http://example.com/?a=1&b=%22", &[], "")),
        ],
        lost: Lost::default(),
    }
}

#[test]
fn what_a_format_can_hold_comes_back() {
    for format in [
        Format::Html,
        Format::Xbel,
        Format::Json,
        Format::Csv,
        Format::Opml,
        Format::Text,
    ] {
        let (octets, lost) = format.write(&shelf());
        assert!(lost.is_nothing(), "{format}: {lost:?}");
        assert_eq!(
            detect(&octets),
            format,
            "{}",
            String::from_utf8_lossy(&octets)
        );
        assert_eq!(format.read(&octets).unwrap(), shelf(), "{format}");
    }
}

#[test]
fn what_a_format_cannot_hold_is_told() {
    let mut all = String::new();
    for format in [
        Format::Gophermap,
        Format::Newsboat,
        Format::Newsrc,
        Format::Bombadillo,
        Format::Lftp,
    ] {
        let (octets, lost) = format.write(&shelf());
        assert!(!lost.is_nothing(), "{format}");
        writeln!(all, "=== {format}\n{}", String::from_utf8_lossy(&octets)).unwrap();
        let read = format.read(&octets).unwrap();
        let gone = Shelf {
            lost,
            ..Shelf::default()
        };
        writeln!(all, "{}--- read back\n{}", told(&gone), told(&read)).unwrap();
    }
    insta::assert_snapshot!("lossy", all);
}

#[test]
fn articles_of_a_group_are_not_the_group() {
    for range in [
        "news:a.b/1-9",
        "nntp://h.example/a.b/1-9",
        "nntp://h.example/a.b/7",
    ] {
        let entry = Entry {
            title: String::new(),
            url: range.to_owned(),
            tags: Vec::new(),
            note: String::new(),
            added: None,
        };
        let shelf = Shelf {
            items: vec![Item::Entry { depth: 0, entry }],
            ..Shelf::default()
        };
        let (octets, lost) = Format::Newsrc.write(&shelf);
        assert!(octets.is_empty() && !lost.is_nothing(), "{range}");
    }
}

#[test]
fn bookmarks_are_written_without_passwords() {
    let file =
        Bookmarks::parse(b"A <URL:ftp://ada:secret@h/>\n<URL:ftp://ada:secret@h~/>\nwords\n");
    for format in Format::ALL {
        let shelf = Shelf::of(&file);
        assert_eq!(shelf.lost.parts.len(), 2, "{:?}", shelf.lost);
        let (octets, _) = format.write(&shelf);
        assert!(
            !String::from_utf8_lossy(&octets).contains("secret"),
            "{format}"
        );
    }
}

#[test]
fn what_is_put_among_bookmarks_goes_into_the_folders_that_are_there() {
    let file = Bookmarks::parse(
        b"top <URL:gopher://top/>\n\n# A\na1 <URL:gopher://a1/>\n\n## B\nb1 <URL:gopher://b1/>\n\n# Z\nz1 <URL:gopher://z1/>\n",
    );
    let other = b"new <URL:gopher://new/>\n# A\n<URL:GOPHER://a1:70>\na2 <URL:gopher://a2/>\n## B\nb2 <URL:gopher://b2/>\n## N\nn <URL:gopher://n/>\n# Y\n<URL:gopher://z1/>\n";
    let mut shelf = Format::Text.read(other).unwrap();
    shelf.leave_out(&file);
    assert_eq!(shelf.lost.wholes.len(), 2);
    let applied = file.apply(&shelf.going_into(&file, &[]));
    let text = String::from_utf8(applied.bookmarks.octets().to_vec()).unwrap();
    assert_eq!(
        text,
        "top <URL:gopher://top/>\nnew <URL:gopher://new/>\n\n# A\na1 <URL:gopher://a1/>\na2 <URL:gopher://a2/>\n\n\
         ## B\nb1 <URL:gopher://b1/>\nb2 <URL:gopher://b2/>\n\n## N\nn <URL:gopher://n/>\n\n# Z\nz1 <URL:gopher://z1/>\n"
    );
    let back = applied.bookmarks.apply(&applied.back).bookmarks;
    assert_eq!(back.octets(), file.octets());
    let in_new = file
        .apply(&shelf.going_into(&file, &["New".to_owned()]))
        .bookmarks;
    let text = String::from_utf8_lossy(in_new.octets()).into_owned();
    assert!(text.ends_with("# New\nnew <URL:gopher://new/>\n\n## A\na2 <URL:gopher://a2/>\n\n### B\nb2 <URL:gopher://b2/>\n\n### N\nn <URL:gopher://n/>\n"), "{text}");
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

fn any_shelf() -> impl Strategy<Value = Shelf> {
    let url = prop_oneof![
        "gopher://[a-z]{1,5}/[01]/[ -~]{0,8}",
        "(ftp|http|news|telnet):[ -~]{1,12}",
        "\\PC{1,9}",
    ];
    let tags = prop::collection::vec("[a-z~!,;]{1,4}", 0..3);
    let entry = (0..4usize, word(), url, tags, word());
    let item = prop_oneof![
        (1..4usize, word()).prop_map(|(depth, name)| Item::Folder { depth, name }),
        entry.prop_map(|(depth, title, url, tags, note)| Item::Entry {
            depth,
            entry: Entry {
                title,
                url,
                tags,
                note,
                added: None
            },
        }),
    ];
    prop::collection::vec(item, 0..12).prop_map(|items| Shelf {
        items,
        lost: Lost::default(),
    })
}

proptest! {
    #[test]
    fn no_octets_are_too_odd_to_be_read(octets in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = detect(&octets);
        for format in Format::ALL {
            if let Ok(shelf) = format.read(&octets) {
                let file = shelf.bookmarks();
                prop_assert_eq!(file.bookmarks().count(), shelf.entries().count());
            }
        }
    }

    #[test]
    fn nor_is_any_markup(parts in prop::collection::vec(prop_oneof![
        Just("<".to_owned()), Just("<DL>".to_owned()), Just("</DL>".to_owned()), Just("<H3>".to_owned()),
        Just("<A HREF=\"gopher://h/\">".to_owned()), Just("<DD>".to_owned()), Just("&#x".to_owned()),
        Just("<folder>".to_owned()), Just("</folder>".to_owned()), Just("<xbel>".to_owned()), Just("<outline url='x'>".to_owned()),
        Just("<bookmark href='gopher://h/'/>".to_owned()), Just("<title>".to_owned()), Just("</title>".to_owned()),
        Just("\"".to_owned()), Just("\t".to_owned()), Just("\n".to_owned()), Just("[{\"url\":\"".to_owned()), "\\PC{0,5}",
    ], 0..30)) {
        let text = parts.concat();
        for format in Format::ALL {
            if let Ok(shelf) = format.read(text.as_bytes()) {
                prop_assert_eq!(shelf.bookmarks().bookmarks().count(), shelf.entries().count());
            }
        }
    }

    /// Whatever a file is read into, is written and read back as it is by the formats that hold all.
    #[test]
    fn what_was_read_once_stays(shelf in any_shelf()) {
        let file = Shelf::of(&shelf.bookmarks());
        let once = Format::Text.read(&Format::Text.write(&file).0).unwrap();
        for format in [Format::Html, Format::Xbel, Format::Json, Format::Csv, Format::Opml] {
            let (octets, lost) = format.write(&once);
            if lost.is_nothing() {
                let again = format.read(&octets).unwrap();
                prop_assert_eq!(&again.items, &once.items, "{}: {}", format, String::from_utf8_lossy(&octets));
            }
        }
        for format in Format::ALL {
            let (octets, _) = format.write(&once);
            prop_assert!(format.read(&octets).is_ok() || once.items.is_empty());
        }
    }
}
