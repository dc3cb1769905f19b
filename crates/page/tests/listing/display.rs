//! The display of a listing: dates in the user's zone, remarks, filters, totals.

use geomys_page::document::find::{FilterQuery, SearchText};
use geomys_page::document::{
    Arrangement, DirectoryPlacement, Document, Fold, Kind, ListOrder, ListingPlace, ListingTotals,
    Remark, Shape, SortColumn, Zone,
};
use geomys_testing::loading::{find_below, texts, url};
use geomys_wire::protocol::ftp::listing::Format;
use geomys_wire::text::{CharsetSetting, Text};
use jiff::tz::{TimeZone, offset};
use proptest::prelude::*;

use super::page;

const LINES: &[u8] = b"total 4\r\n\
    -rw-r--r-- 1 a b 30 Mar 14 1994 Linux.iso\r\n\
    surprise\r\n\
    drwxr-xr-x 2 a b 40 Mar 15 1994 isos\r\n\
    -rw-r--r-- 1 iso b 10 Mar 16 1994 README\r\n\
    lrwxrwxrwx 1 a b 10 Mar 16 1994 latest -> Linux.iso\r\n\
    -rw-r--r-- 1 a b 20 Mar 17 09:15 netbsd.ISO\r\n";

fn whole() -> Document {
    page("ftp://h.example/pub/", LINES, None).finished()
}

fn remark(title: &str, octets: &[u8]) -> Remark {
    Remark {
        title: Text::of(title),
        octets: octets.to_vec(),
    }
}

fn filtered(document: &Document, words: &str) -> Document {
    document.clone().arranged(Arrangement {
        filter: FilterQuery::new(words),
        ..document.arrangement()
    })
}

fn date(document: &Document, row: usize) -> String {
    let aside = document.row(row).unwrap().aside.unwrap();
    aside.as_str().get(11..).unwrap().trim().to_owned()
}

#[test]
fn dates_are_shown_in_the_users_zone() {
    let east = || Zone::new(|| TimeZone::fixed(offset(2)));
    let facts = b"type=file;modify=20261120233000; x\n";
    let mut document = page("ftp://h.example", facts, Some(Format::Facts)).finished();
    assert_eq!(date(&document, 0), "2026-11-20 23:30");
    document.set_zone(east());
    assert_eq!(date(&document, 0), "2026-11-21 01:30");
    // A full ISO date includes its zone.
    let iso = b"-rw-r--r-- 1 a b 30 2026-11-20 18:45:07.0 +0530 x\n";
    let mut document = page("ftp://h.example", iso, None).finished();
    document.set_zone(east());
    assert_eq!(date(&document, 0), "2026-11-20 15:15");
    // Other dates are in the server's zone until its clock offset is measured.
    let mut document = page(
        "ftp://h.example",
        b"-rw-r--r-- 1 a b 30 Nov 20 18:45 x\n-rw-r--r-- 1 a b 30 Nov 20 1994 y\n",
        None,
    )
    .finished();
    document.set_zone(east());
    assert_eq!(date(&document, 0), "2026-11-20 18:45");
    document.set_clock(-300);
    assert_eq!(date(&document, 0), "2026-11-21 01:45");
    // A day without its time is that day everywhere.
    assert_eq!(date(&document, 1), "1994-11-20");
}

#[test]
fn dates_are_sorted_by_instant() {
    let lines = b"-rw-r--r-- 1 a b 3 2026-11-20 12:00:00 +0200 ten\n\
        -rw-r--r-- 1 a b 3 2026-11-20 09:00:00 -0500 fourteen\n\
        -rw-r--r-- 1 a b 3 2026-11-20 11:30:00 +0000 eleven\n";
    let document = page("ftp://h.example", lines, None).finished();
    let sorted = document.sorted(ListOrder::new(SortColumn::Date));
    assert_eq!(texts(&sorted), ["fourteen", "eleven", "ten"]);
}

#[test]
fn remarks_are_folded_below_the_parent_row() {
    let mut document = page("ftp://h.example/pub/", LINES, None);
    let before = texts(&document);
    document.add_remark(remark(
        "welcome",
        b"\r\n  Hello there\r\nsee ftp://h.example/x\r\n\r\n",
    ));
    document.add_remark(remark("README", b"one line"));
    let rows = texts(&document);
    assert_eq!(
        rows[..3],
        ["..", "welcome: Hello there", "README: one line"]
    );
    assert_eq!(rows[3..], before[1..]);
    let title = document.row(1).unwrap();
    assert_eq!(title.kind, Kind::Remark(Fold::Closed));
    assert_eq!(title.aside.unwrap().as_str(), "3 lines");
    assert!(!document.is_link(1));
    // They stay when it is sorted; unfolded they show their lines, whose addresses can be opened.
    let mut document = document.finished();
    assert!(
        document.toggle_remark(1)
            && !document.toggle_remark(0)
            && !document.toggle_remark(2)
            && !document.toggle_remark(99)
    );
    let rows = texts(&document);
    assert_eq!(
        rows[1..6],
        [
            "welcome",
            "",
            "  Hello there",
            "see ftp://h.example/x",
            "README: one line"
        ]
    );
    assert_eq!(document.row(1).unwrap().kind, Kind::Remark(Fold::Open));
    assert_eq!(document.links(4).len(), 1);
    assert_eq!(document.count(), rows.len());
    assert!(document.toggle_remark(5) && document.toggle_remark(1));
    assert_eq!(
        texts(&document)[1..4],
        ["welcome: Hello there", "README", "one line"]
    );
    assert_eq!(document.totals().unwrap().files, 3);
}

#[test]
fn messages_of_a_server_show_their_number_until_they_are_unfolded() {
    let mut document = page("ftp://h.example/pub/", LINES, None);
    document.add_remark(remark("Server messages (3)", b"Hello there\n\nRules"));
    assert_eq!(texts(&document)[1], "Server messages (3)");
    assert!(document.toggle_remark(1));
    assert_eq!(
        texts(&document)[1..5],
        ["Server messages (3)", "Hello there", "", "Rules"]
    );
}

#[test]
fn find_searches_unfolded_remarks() {
    let mut document = page("ftp://h.example/pub/", LINES, None).finished();
    document.add_remark(remark("welcome", b"first\r\nto the gopher hole"));
    let at = |document: &Document| {
        let needle = SearchText::new("gopher hole").unwrap();
        find_below(document, &needle, 0)
    };
    assert_eq!(at(&document), None);
    document.toggle_remark(1);
    assert_eq!(at(&document), Some(3));
}

#[test]
fn remark_on_a_menu_is_ignored() {
    let mut document = Document::new(
        url("gopher://h.example"),
        Shape::Menu,
        CharsetSetting::default(),
    );
    document.append(b"iwords\t\t\t\r\n");
    document.add_remark(remark("welcome", b"hello"));
    assert_eq!(document.count(), 1);
    assert!(!document.toggle_remark(0));
}

#[test]
fn filter_matches_entry_names() {
    let mut document = whole();
    document.add_remark(remark("iso", b"iso"));
    // Neither the owner `iso` nor the link's target counts, nor what is above the entries.
    let shown = filtered(&document, "ISO");
    assert_eq!(texts(&shown), ["isos", "Linux.iso", "netbsd.ISO"]);
    assert_eq!(shown.filter_summary(), Some(("iso", 3, 6)));
    assert_eq!(texts(&filtered(&shown, "iso.")), [""; 0]);
    assert_eq!(
        texts(&filtered(&shown, ".iso")),
        ["Linux.iso", "netbsd.ISO"]
    );
    assert_eq!(texts(&filtered(&shown, "sur")), ["surprise"]);
    assert_eq!(texts(&filtered(&shown, "")), texts(&document));
    // It works with sorting.
    let order = ListOrder {
        directories: DirectoryPlacement::Mixed,
        ..ListOrder::new(SortColumn::Size)
    };
    let sorted = shown.clone().sorted(order);
    assert_eq!(texts(&sorted), ["Linux.iso", "netbsd.ISO", "isos"]);
    assert_eq!(sorted.filter_summary(), Some(("iso", 3, 6)));
    assert_eq!(sorted.links(0)[0].label.as_str(), "Linux.iso");
    assert!(sorted.row(3).is_none() && sorted.links(3).is_empty() && !sorted.is_link(3));
    // The cursor goes to the next row that is shown, and back to its entry.
    let all = texts(&document);
    let readme = all.iter().position(|row| row == "README").unwrap();
    assert_eq!(document.moved_to(readme, &shown), Some(3));
    let netbsd = all.iter().position(|row| row == "netbsd.ISO");
    assert_eq!(shown.moved_to(2, &document), netbsd);
    // Find searches the shown rows only.
    let needle = SearchText::new("readme").unwrap();
    assert_eq!(find_below(&shown, &needle, 0), None);
}

#[test]
fn filter_applies_to_menus() {
    let mut menu = Document::new(
        url("gopher://h.example"),
        Shape::Menu,
        CharsetSetting::default(),
    );
    menu.append(
        "iWords\t\t\t\r\n1Süd\t/iso\th\t70\r\n0NORD\t/n\th\t70\r\n0Süden\t/s\th\t70\r\n".as_bytes(),
    );
    let menu = menu.finished();
    let shown = filtered(&menu, "SÜD");
    assert_eq!(texts(&shown), ["Süd", "Süden"]);
    assert_eq!(shown.filter_summary(), Some(("süd", 2, 4)));
    assert_eq!(
        (
            shown.row_of_link(1),
            shown.row_of_link(2),
            shown.row_of_link(3)
        ),
        (Some(0), None, Some(1))
    );
    assert_eq!(shown.row(1).unwrap().number, Some(3));
    // Hidden text is not part of the name.
    assert_eq!(filtered(&menu, "iso").count(), 0);
    assert_eq!(shown.source_view().count(), 4);
}

#[test]
fn totals_leave_out_sizes_that_are_uncertain() {
    let totals = |lines: &[u8], format| {
        let document = page("ftp://h.example", lines, format).finished();
        let totals = document.totals().unwrap();
        (totals.octets, totals.is_at_least)
    };
    let known = "-rw-r--r-- 1 a b 10 Mar 16 1994 a\r\n";
    for (line, expected) in [
        ("-rw-r--r-- 1 a b 20 Mar 16 1994 b\r\n", (30, false)),
        ("-rw-r--r-- 1 a b 0 Mar 16 1994 b\r\n", (10, true)),
        ("-rw-r--r-- 1 a b ****** Mar 16 1994 b\r\n", (10, true)),
        ("-rw-r--r-- 1 a b 1.2K Mar 16 1994 b\r\n", (10, true)),
        ("drwxr-xr-x 1 a b 0 Mar 16 1994 b\r\n", (10, false)),
    ] {
        let lines = format!("{known}{line}");
        assert_eq!(totals(lines.as_bytes(), None), expected, "{line}");
    }
    let facts = b"type=file;size=0; a\r\ntype=file;size=5; b\r\n";
    assert_eq!(totals(facts, Some(Format::Facts)), (5, false));
    // Blocks are a capacity.
    let blocks = b"A.TXT;1  3/4  19-NOV-2026 10:23:45 [owner] (RWED,RWED,RE,)\r\n";
    assert_eq!(totals(blocks, Some(Format::Vms)), (0, true));
}

#[test]
fn totals_count_entries_and_octets() {
    assert_eq!(page("ftp://h.example", LINES, None).totals(), None);
    let totals = ListingTotals {
        directories: 1,
        links: 1,
        files: 3,
        octets: 60,
        is_at_least: false,
        malformed: 1,
        hidden: 0,
    };
    assert_eq!(whole().totals(), Some(totals));
    assert_eq!(filtered(&whole(), "iso").totals(), Some(totals));
}

#[test]
fn directories_sort_first_or_mixed() {
    let document = whole();
    let turned = document.order().unwrap().with_directories_toggled();
    let mixed = document.clone().sorted(turned);
    assert_eq!(
        texts(&mixed),
        [
            "..",
            "isos",
            "latest → Linux.iso",
            "Linux.iso",
            "netbsd.ISO",
            "README",
            "surprise"
        ]
    );
    let by_size = turned.by(SortColumn::Size);
    assert_eq!(by_size.directories, DirectoryPlacement::Mixed);
    assert_eq!(texts(&document.sorted(by_size)).last().unwrap(), "surprise");
}

#[test]
fn symlink_url_has_no_type() {
    let document = whole();
    let row = texts(&document)
        .iter()
        .position(|row| row == "latest → Linux.iso")
        .unwrap();
    let links = document.links(row);
    // Its URL has no type: the load determines it.
    assert_eq!(
        links[0].target.as_ref().unwrap().as_str(),
        "ftp://h.example/pub/latest"
    );
}

#[test]
fn listing_format_that_begins_late_is_detected_at_the_end() {
    let mut octets = b"-rw-r--r-- 1 a b 30 Mar 14 1994 not really\r\n".to_vec();
    octets.extend(b"a word of welcome\r\n".repeat(120));
    octets.extend(b"10-11-26  03:15PM       7 entry.txt\r\n".repeat(300));
    let document = page("ftp://h.example", &octets, None);
    assert!(document.clone().totals().is_none());
    let totals = document.finished().totals().unwrap();
    assert_eq!((totals.files, totals.malformed), (300, 121));
}

#[test]
fn two_line_entry_is_one_row_in_any_chunks() {
    let octets = b"\r\nDirectory X:[Y]\r\n\r\nA_LONG_NAME.TXT;12\r\n     7/9  19-NOV-2026 10:24  [SYSTEM]\r\nB.DIR;1  1/3  19-NOV-2026 10:24\r\n";
    for size in [1, 7, 37, 1000] {
        let shape = Shape::Listing {
            format: None,
            today: super::TODAY,
            place: ListingPlace::Server,
        };
        let mut document = Document::new(url("ftp://h.example"), shape, CharsetSetting::default());
        octets.chunks(size).for_each(|piece| document.append(piece));
        let document = document.finished();
        assert_eq!(texts(&document), ["B", "A_LONG_NAME.TXT;12"]);
        assert_eq!(date(&document, 1), "2026-11-19 10:24");
        assert_eq!(document.row(1).unwrap().kind, Kind::Text);
        assert_eq!(
            document.links(0)[0].target.as_ref().unwrap().as_str(),
            "ftp://h.example/B;type=d"
        );
    }
}

proptest! {
    /// A filter shows exactly the matching rows, in the same order; more words match fewer rows.
    #[test]
    fn filter_shows_exactly_the_matching_entries(
        names in prop::collection::vec("[a-cA-C]{1,6}", 0..40),
        words in "[a-c]{1,3}",
        more in "[a-c]{0,2}",
        column in prop::sample::select(vec![SortColumn::Name, SortColumn::Size, SortColumn::Date, SortColumn::Kind]),
    ) {
        let lines = names.iter().enumerate();
        let lines = lines.map(|(size, name)| format!("-rw-r--r-- 1 a b {size} Mar 14 1994 {name}"));
        let lines = lines.collect::<Vec<_>>().join("\r\n");
        let document = page("ftp://h.example", lines.as_bytes(), None).finished();
        let document = document.sorted(ListOrder::new(column));
        let expected = |words: &str| -> Vec<String> {
            texts(&document).into_iter().filter(|name| name.to_lowercase().contains(words)).collect()
        };
        let shown = filtered(&document, &words);
        prop_assert_eq!(texts(&shown), expected(&words));
        let longer = format!("{words}{more}");
        prop_assert_eq!(texts(&filtered(&shown, &longer)), expected(&longer));
        for row in 0..document.count() {
            let moved = document.moved_to(row, &shown).unwrap();
            prop_assert!(moved <= shown.count());
            if document.row(row).unwrap().text().to_lowercase().contains(&words) {
                prop_assert_eq!(shown.row(moved), document.row(row));
                prop_assert_eq!(shown.moved_to(moved, &document), Some(row));
            }
        }
    }
}
