//! The lines of listings that other clients test, with the entry that they agree on, and the orders of day and month.

use geomys_wire::protocol::ftp::listing::{Date, DateRules, Day, Entry, Format, Kind, Line};
use proptest::prelude::*;
use serde_json::Value;

/// The day on which the cases were written down.
const DAY: Day = Day {
    year: 2026,
    month: 11,
    day: 26,
};

/// The octets of a case, which are Latin-1.
fn octets(value: &Value) -> Vec<u8> {
    let text = value.as_str().expect("a text");
    text.chars()
        .map(|letter| u8::try_from(letter).expect("Latin-1"))
        .collect()
}

/// The entries of a listing, in the format that is given or guessed.
fn entries<'a>(lines: &[&'a [u8]], format: Option<Format>) -> Vec<Option<Entry<'a>>> {
    let format = format.unwrap_or_else(|| Format::guess(lines.iter().copied()));
    let mut rules = DateRules::from(DAY);
    for line in lines {
        format.learn(line, &mut rules);
    }
    let line = |number: usize| lines.get(number).copied();
    let parse = |number: usize| {
        let before = number.checked_sub(1).and_then(line);
        match format.joined(before, lines[number], line(number + 1), rules) {
            Line::Entry(entry) => Some(entry),
            Line::Metadata | Line::Unrecognized => None,
        }
    };
    (0..lines.len()).map(parse).collect()
}

/// Why an entry is not the one of a case; `None` if it is.
fn difference(case: &Value, entry: &Entry<'_>) -> Option<&'static str> {
    if entry.name != octets(&case["name"]) {
        return Some("name");
    }
    let kind = match entry.kind {
        Kind::Directory => "d",
        Kind::File => "f",
        Kind::Symlink(_) => "l",
        Kind::Other | Kind::Unknown => "o",
    };
    if !matches!(case["kind"].as_str(), None | Some("o")) && case["kind"] != kind {
        return Some("kind");
    }
    // A size that is unknown, of a directory or an estimate, is right.
    let size = case["size"].as_f64();
    #[expect(
        clippy::cast_precision_loss,
        reason = "the sizes of the cases are exact in it"
    )]
    let own = entry.size.map(|size| size as f64);
    if own.is_some() && size.is_some() && own != size {
        return Some("size");
    }
    if own.is_none() && size.is_some() && kind == "f" && case["group"] != "MVS" {
        return Some("no size");
    }
    let date = case["date"].as_array()?;
    // A day that nothing in the listing determines is unknown.
    let Some(Date { day, time, .. }) = entry.date else {
        return (case["group"] != "OS/400").then_some("no date");
    };
    let time = time.map_or([0; 3], |time| [time.hour, time.minute, time.second]);
    let own = [u64::from(day.year), day.month.into(), day.day.into()];
    let own = own.into_iter().chain(time.map(u64::from));
    let is_same = date
        .iter()
        .zip(own)
        .all(|(expected, own)| expected.as_u64() == Some(own));
    (!is_same).then_some("date")
}

#[test]
fn lines_that_other_clients_test_are_read_as_they_read_them() {
    let cases = include_str!("../data/listings.jsonl");
    let (mut right, mut wrong) = (0, Vec::new());
    for case in cases.lines() {
        let case: Value = serde_json::from_str(case).expect("an object");
        let octets = octets(&case["line"]);
        let lines: Vec<&[u8]> = octets
            .split(|&octet| octet == b'\n')
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
            .collect();
        let format = (case["mode"] == "mlsd").then_some(Format::Facts);
        let entries: Vec<Entry<'_>> = entries(&lines, format).into_iter().flatten().collect();
        let why = match &entries[..] {
            [] => Some("not read"),
            [entry] => difference(&case, entry),
            _ => Some("several entries"),
        };
        match why {
            None => right += 1,
            Some(why) => wrong.push(format!("{why}: {}", case["line"])),
        }
    }
    let all = right + wrong.len();
    assert_eq!(all, 254);
    let is_name = |line: &&String| line.starts_with("name") || line.starts_with("several");
    assert_eq!(wrong.iter().find(is_name), None);
    assert!(
        right * 100 >= all * 96,
        "{right} of {all}:\n{}",
        wrong.join("\n")
    );
}

/// The days and the sizes of a listing, a line each.
fn days(lines: &str) -> Vec<String> {
    let lines: Vec<&[u8]> = lines.lines().map(str::as_bytes).collect();
    let written = |entry: &Entry<'_>| {
        let day = entry.date.map_or("-".to_owned(), |Date { day, time, .. }| {
            let time = time.map_or(String::new(), |time| {
                format!(" {:02}:{:02}", time.hour, time.minute)
            });
            format!("{}-{:02}-{:02}{time}", day.year, day.month, day.day)
        });
        let size = entry.size.map_or("-".to_owned(), |size| size.to_string());
        format!("{} {size} {day}", String::from_utf8_lossy(entry.name))
    };
    entries(&lines, None)
        .iter()
        .flatten()
        .map(written)
        .collect()
}

#[test]
fn one_first_number_over_12_decides_the_order_of_the_whole_listing() {
    for (lines, expected) in [
        (
            "01-02-26  10:00AM  5 a\n25-06-26  10:00AM  5 b",
            ["a 5 2026-02-01 10:00", "b 5 2026-06-25 10:00"],
        ),
        (
            "01-02-26  10:00AM  5 a\n06-25-26  10:00AM  5 b",
            ["a 5 2026-01-02 10:00", "b 5 2026-06-25 10:00"],
        ),
        // In dots the day is first, on the evidence of nothing else.
        (
            "01.02.26  10:00AM  5 a\n03.04.26  10:00AM  5 b",
            ["a 5 2026-02-01 10:00", "b 5 2026-04-03 10:00"],
        ),
        // The order is decided; what cannot have it is unknown.
        (
            "25-06-26  10:00AM  5 a\n06-25-26  10:00AM  5 b",
            ["a 5 2026-06-25 10:00", "b 5 -"],
        ),
        (
            "    7      A          04-02-97  15:15  A\n    7      A          31-12-97  15:15  B",
            ["A 7 1997-02-04 15:15", "B 7 1997-12-31 15:15"],
        ),
        (
            "-rw-r--r-- 1 a b 5 01-02-2026 10:00 a\n-rw-r--r-- 1 a b 5 25-06-2026 10:00 b",
            ["a 5 2026-02-01 10:00", "b 5 2026-06-25 10:00"],
        ),
        (
            "PEP  5 04/03/18 18:58:16 *STMF  a\nPEP  5 04/24/18 18:58:16 *STMF  b",
            ["a 5 2018-04-03 18:58", "b 5 2018-04-24 18:58"],
        ),
        (
            "PEP  5 04/03/18 18:58:16 *STMF  a\nPEP  5 98/12/24 18:58:16 *STMF  b",
            ["a 5 2004-03-18 18:58", "b 5 1998-12-24 18:58"],
        ),
        (
            "PEP  5 04/03/18 18:58:16 *STMF  a\nPEP  5 05/03/18 18:58:16 *STMF  b",
            ["a 5 -", "b 5 -"],
        ),
    ] {
        assert_eq!(days(lines), expected, "{lines}");
    }
}

#[test]
fn order_is_learnt_from_the_last_line_of_a_long_listing() {
    let mut lines = "01-02-26  10:00AM  5 a\n".repeat(200);
    lines.push_str("25-06-26  10:00AM  5 b");
    assert_eq!(days(&lines)[0], "a 5 2026-02-01 10:00");
    let page = super::page("ftp://example.org/", lines.as_bytes(), None).finished();
    let row = page.row(1).expect("a row");
    assert_eq!(
        row.aside.expect("columns").as_str().trim(),
        "5 B  2026-02-01 10:00"
    );
}

#[test]
fn order_is_learnt_after_many_days_that_are_their_own_months() {
    let mut lines = "05-05-26  10:00AM  5 a\n".repeat(200);
    lines.push_str("01-02-26  10:00AM  5 b\n25-06-26  10:00AM  5 c");
    let days = days(&lines);
    assert_eq!(
        days[200..],
        ["b 5 2026-02-01 10:00", "c 5 2026-06-25 10:00"]
    );
}

/// The name in a line of a listing, and the target of a link after a `|`; empty if the line cannot be read.
fn name_in(line: &str, format: Option<Format>) -> String {
    let entries = entries(&[line.as_bytes()], format);
    let Some(Some(entry)) = entries.first() else {
        return String::new();
    };
    let name = String::from_utf8_lossy(entry.name);
    match entry.kind {
        Kind::Symlink(Some(target)) => format!("{name}|{}", String::from_utf8_lossy(target)),
        _ => name.into_owned(),
    }
}

#[test]
fn name_that_begins_with_a_date_or_a_time_is_whole() {
    for (facts, name) in [
        // `ls` pads a year to the width of a time.
        ("-rw-r--r-- 1 a b 5 Oct  5  2008", "10:30 notes"),
        ("-rw-r--r-- 1 a b 5 Oct  5 2008", "10:30.txt of all"),
        ("-rw-r--r-- 1 a b 5 Oct  5 2008", "10:30"),
        ("-rw-r--r-- 1 a b 5 Oct  5 10:30:00", "2008"),
        ("-rw-r--r-- 1 a b 5 2008-10-05", "10:30"),
        ("-rw-r--r-- 1 a b 5 2008-10-05", "10:30.log of all"),
        ("-rw-r--r-- 1 a b 5 2008-10-05 10:30", "+0200"),
        ("-rw-r--r-- 1 a b 5 05-oct-08", "10:30"),
        ("-rw-r--r-- 1 a b 5 Oct  5 10:30", "2008"),
        ("-rw-r--r-- 1 a b 5 Oct  5 10:30", "2008 Oct 5 2008 x"),
        ("-rw-r--r-- 1 a b 5 Oct  5 10:30", "7 2001-03-05 holiday"),
        // The same without links, group or owner.
        ("-rw-r--r-- 1 a 5 Oct  5  2008", "2001-03-05 holiday"),
        ("-rw-r--r-- a 5 Oct  5  2008", "2001-03-05 holiday"),
        ("-rw-r--r-- a 5 Oct  5  2008", "Mar 5 2001 holiday"),
        ("-rw-r--r-- a 5 2008-10-05 10:30", "7 2001-03-05 holiday"),
        ("-rw-r--r-- 5 Oct  5 10:30", "7 2001-03-05 holiday"),
    ] {
        assert_eq!(name_in(&format!("{facts} {name}"), None), name, "{facts}");
    }
    // A date in an unknown language is none: what is like one in the name does not take its place.
    for name in ["Mar 5 2011 photos", "2001-03-05 holiday"] {
        let line = format!("-rw-r--r-- 1 a b 512 Xyz 8 2004 {name}");
        assert_eq!(name_in(&line, None), "", "{name}");
    }
}

/// Names that look like columns of a listing.
fn names() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "a",
        "7",
        "31",
        "2008",
        "Oct",
        "5",
        "10:30",
        "10:30:00",
        "2001-03-05",
        "05-03-01",
        "1.2.10",
        "01-jun-99",
        "->",
        "<DIR>",
        "[b]",
        "a;1",
        "*DIR",
        "-rw-r--r--",
        "total",
        "AM",
        "folder",
        "(RWED)",
        "\"oooo\"",
        "type=dir;",
    ]);
    prop::collection::vec(words, 1..6).prop_map(|words| words.join(" "))
}

/// The columns before a name, in each format whose names may be any octets.
const COLUMNS: [(Format, &str); 24] = [
    (Format::Unix, "-rw-r--r-- 1 a b 5 Oct  5 10:30 "),
    (Format::Unix, "-rw-r--r-- 1 a b 5 Oct  5  2008 "),
    (Format::Unix, "-rw-r--r-- 1 a b 5 5 Oct 10:30 "),
    (Format::Unix, "-rw-r--r-- 1 a b 5 5. Okt. 10:30 "),
    (Format::Unix, "-rw-r--r-- 1 a b 5 2008-10-05 10:30 "),
    (
        Format::Unix,
        "-rw-r--r-- 1 a b 5 2008-10-05 10:30:00.0 +0200 ",
    ),
    (Format::Unix, "-rw-r--r-- 1 a b 5 10-05 10:30 "),
    (Format::Unix, "-rw-r--r-- 1 a 5 Oct  5  2008 "),
    (Format::Unix, "-rw-r--r-- a 5 Oct  5 10:30 "),
    (Format::Unix, "-rw-r--r-- 5 Oct  5 10:30 "),
    (Format::Unix, "-rw-r--r-- 1 a b c 5 Oct  5  2008 "),
    (Format::Unix, "-rw-r--r-- 1 a b c d 5 Oct  5 10:30 "),
    (Format::Unix, "crw-r--r-- 1 a b 8, 1 Oct  5 10:30 "),
    (Format::Unix, " 77 8 drwxr-xr-x+ 1 a b 5 Oct  5 10:30 "),
    (Format::Dos, "10-05-08  10:30AM  5 "),
    (Format::Dos, "2008-10-05  10:30  <DIR>  "),
    (Format::Mac, "-rw-r--r-- 1 2 3 Oct  5  2008 "),
    (Format::NetWare, "- [RWCEAFMS] a b 5 Oct  5 10:30 "),
    (Format::Os2, "5  A  10-05-08  10:30  "),
    (Format::Os400, "A  5 10/05/08 10:30:00 *STMF  "),
    (Format::Rare, "0100644  1  2  5  1223195400  "),
    (Format::Rare, "5  Oct 05, 2008 10:30 "),
    (Format::Facts, "type=file;size=5; "),
    (Format::Eplf, "+r,s5,\t"),
];

proptest! {
    #[test]
    fn no_name_that_looks_like_columns_is_cut(name in names()) {
        for (format, columns) in COLUMNS {
            let read = name_in(&format!("{columns}{name}"), Some(format));
            prop_assert_eq!(&read, &name, "{}", columns);
            // LIST has no facts as a rule: a name in them may look like another format.
            if format != Format::Facts {
                let guessed = name_in(&format!("{columns}{name}"), None);
                prop_assert_eq!(&guessed, &name, "guessed {}", columns);
            }
        }
    }
}

#[test]
fn link_is_split_at_the_arrow_before_a_target_of_its_size() {
    for (line, expected) in [
        ("lrwxrwxrwx 1 a b 1 Oct  5 10:30 a -> b -> c", "a -> b|c"),
        ("lrwxrwxrwx 1 a b 6 Oct  5 10:30 a -> b -> c", "a|b -> c"),
        ("lrwxrwxrwx 1 a b 0 Oct  5 10:30 a -> b -> c", "a|b -> c"),
        ("lrwxrwxrwx 1 a b 1 Oct  5 10:30 a -> b", "a|b"),
        ("lrwxrwxrwx 1 a b 9 Oct  5 10:30 a", "a"),
        ("-rw-r--r-- 1 a b 9 Oct  5 10:30 a -> b", "a -> b"),
        (r"10-05-26  10:30AM  <SYMLINK>  a [b] [C:\c]", r"a [b]|C:\c"),
        (r"10-05-26  10:30AM  <SYMLINK>  a [C:\b [c]]", r"a|C:\b [c]"),
    ] {
        assert_eq!(name_in(line, None), expected, "{line}");
    }
}

#[test]
fn facts_with_a_blank_in_the_name_of_a_group_end_after_it() {
    for (line, expected) in [
        ("type=file;UNIX.groupname=domain users; a b", "a b"),
        ("type=file;UNIX.owner=Ada L;size=5; a; b", "a; b"),
        ("type=file;UNIX.group=1000 a; b", "a; b"),
        ("type=file;UNIX.group=staff a b", "a b"),
        ("type=file a; b", "a; b"),
        ("type=OS.unix=slink:/x y; a", "a|/x y"),
    ] {
        assert_eq!(name_in(line, Some(Format::Facts)), expected, "{line}");
    }
}

#[test]
fn size_that_the_line_does_not_tell_exactly_is_unknown() {
    for (line, expected) in [
        (
            "-rw-r--r-- 1 a b ****** Nov 20 10:00 stars",
            "stars - 2026-11-20 10:00",
        ),
        (
            "-rw-r--r-- 1 a b 33.5k Nov 20 10:00 unit",
            "unit - 2026-11-20 10:00",
        ),
        (
            "-rw-r--r-- 1 a b 1.2M Nov 20 10:00 unit",
            "unit - 2026-11-20 10:00",
        ),
        (
            "-rw-r--r-- a group123456 Nov 20 10:00 glued",
            "glued - 2026-11-20 10:00",
        ),
        (
            "11-20-26  10:00AM  ********** stars",
            "stars - 2026-11-20 10:00",
        ),
        (
            "-rw-r--r-- 1 a b 0 Nov 20 10:00 empty",
            "empty 0 2026-11-20 10:00",
        ),
        (
            "11-20-26  00:34AM  7 after midnight",
            "after midnight 7 2026-11-20 00:34",
        ),
        (
            "-rw-r--r-- 1 a b 7 Nov 20 2025 09:47 year and time",
            "year and time 7 2025-11-20 09:47",
        ),
        (
            "-rw-r--r-- 1 a b 7 Nov 20  2025 09:47",
            "09:47 7 2025-11-20",
        ),
        ("-rw-r--r-- 1 a b 7 Xyz 20  2025 no month", ""),
    ] {
        assert_eq!(days(line).concat(), expected, "{line}");
    }
}
