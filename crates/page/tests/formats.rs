//! What a page is by its octets and its name, where no media type tells it.

use geomys_page::document::{Document, Shape, Zone};
use geomys_wire::text::{Charset, CharsetSetting};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use rfc1738::{Dialect, Url};

fn rows(url: &str, shape: Shape, octets: &[u8], setting: CharsetSetting) -> Vec<String> {
    let url: Url = Dialect::Extended.parse(url).unwrap();
    let mut document = Document::new(url, shape, setting);
    document.append(octets);
    let document = document.finished();
    let rows = (0..document.count()).map(|row| document.row(row).unwrap().text());
    rows.collect()
}

#[test]
fn file_of_json_is_indented_from_anywhere() {
    let json = b"{\"a\":[1,2]}";
    for url in [
        "gopher://h.example/0/a.json",
        "ftp://h.example/pub/A.JSON",
        "file:///tmp/a.json",
    ] {
        let shown = rows(url, Shape::Text, json, CharsetSetting::default());
        assert!(shown.len() > 3, "{url}: {shown:?}");
    }
    for (url, octets) in [
        ("gopher://h.example/0/a.txt", json.as_slice()),
        ("gopher://h.example/0/a.json", b"no JSON"),
        ("http://h.example/a.json", json),
    ] {
        assert_eq!(
            rows(url, Shape::Text, octets, CharsetSetting::default()).len(),
            1,
            "{url}"
        );
    }
}

#[test]
fn menu_with_escapes_is_decoded_by_them() {
    let menu = "1日本語のメニュー\t/a\th.example\t70\r\ni案内です\t\th.example\t70\r\n0Plain\t/b\th.example\t70\r\n";
    let expected = ["日本語のメニュー", "案内です", "Plain"];
    for name in ["iso-2022-jp", "hz-gb-2312"] {
        let Some(charset) = Charset::named(name) else {
            continue;
        };
        let octets = charset.encode(menu);
        let is_whole = charset.decode(&octets) == menu;
        for setting in [CharsetSetting::default(), CharsetSetting::Set(charset)] {
            let shown = rows("gopher://h.example/1/", Shape::Menu, &octets, setting);
            assert!(!is_whole || shown == expected, "{name}: {shown:?}");
        }
    }
    let octets = b"1\x1b$BF|K\\8l\x1b(B\t/a\th.example\t70\r\n";
    let shown = rows(
        "gopher://h.example/1/",
        Shape::Menu,
        octets,
        CharsetSetting::default(),
    );
    assert_eq!(shown, ["日本語"]);
}

#[test]
fn entries_of_a_feed_have_their_age_where_there_is_a_clock() {
    let entry = |day: &str| {
        format!(
            "<entry><title>Post</title><link href='{day}'/><updated>{day}T10:00:00Z</updated></entry>"
        )
    };
    let days = ["2026-11-22", "2026-11-20", "2026-10-01"]
        .map(entry)
        .concat();
    let shown = |zone: Zone| {
        let url = Url::parse("http://h.example/feed").unwrap();
        let mut document = Document::new(url, Shape::Feed, CharsetSetting::default());
        document.set_zone(zone);
        document.append(format!("<feed>{days}</feed>").as_bytes());
        let document = document.finished();
        let rows = (0..3).map(|row| document.row(row).unwrap());
        let bold = |row: &geomys_page::document::Row| row.spans.iter().any(|span| span.is_key);
        rows.map(|row| (row.text(), bold(&row))).collect::<Vec<_>>()
    };
    let clock = || Timestamp::constant(1_795_376_400, 0); // 2026-11-22 21:00 UTC
    let printed = Zone::new(|| TimeZone::UTC);
    let expect = |rows: [(&str, bool); 3]| rows.map(|(text, bold)| (text.to_owned(), bold));
    let aged = [
        ("today       Post", true),
        ("2 d         Post", false),
        ("2026-10-01  Post", false),
    ];
    assert_eq!(shown(printed.clone().with_clock(clock)), expect(aged));
    let dates = [
        ("2026-11-22  Post", false),
        ("2026-11-20  Post", false),
        ("2026-10-01  Post", false),
    ];
    assert_eq!(shown(printed), expect(dates));
}
