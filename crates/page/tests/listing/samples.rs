//! Samples: the lines of a listing, and below them their rows. `\xNN` stands for an octet.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use geomys_wire::protocol::ftp::listing::{Clock, Date, Entry, Format, Kind, Line};

use super::TODAY;

/// The samples, and the format of each.
pub(super) const SAMPLES: [(&str, Format); 18] = [
    ("unix", Format::Unix),
    ("unix-columns", Format::Unix),
    ("unix-dates", Format::Unix),
    ("dos", Format::Dos),
    ("facts", Format::Facts),
    ("eplf", Format::Eplf),
    ("names", Format::Names),
    ("paths", Format::Paths),
    ("vms", Format::Vms),
    ("os400", Format::Os400),
    ("mvs", Format::DataSets),
    ("members", Format::Members),
    ("modules", Format::Members),
    ("jobs", Format::Jobs),
    ("netware", Format::NetWare),
    ("mac", Format::Mac),
    ("os2", Format::Os2),
    ("rare", Format::Rare),
];

/// A sample: its lines, and its rows as they are written.
fn sample(name: &str) -> (Vec<Vec<u8>>, String) {
    let path = format!(
        "{}/tests/data/listing/{name}.txt",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = fs::read_to_string(&path).expect(&path);
    let (lines, rows) = text.split_once("====\n").expect("lines and rows");
    (lines.lines().map(octets).collect(), rows.to_owned())
}

/// The lines of a sample.
pub(super) fn lines_of(name: &str) -> Vec<Vec<u8>> {
    sample(name).0
}

/// Octets in the notation of the rows: text where they are UTF-8, `\xNN` elsewhere.
fn escaped(octets: &[u8]) -> String {
    let mut escaped = String::new();
    for chunk in octets.utf8_chunks() {
        for letter in chunk.valid().chars() {
            if letter.is_control() {
                write!(escaped, "\\x{:02x}", u32::from(letter)).unwrap();
            } else {
                escaped.push(letter);
            }
        }
        for octet in chunk.invalid() {
            write!(escaped, "\\x{octet:02x}").unwrap();
        }
    }
    escaped
}

/// The octets of an escaped line.
fn octets(line: &str) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find("\\x") {
        let (before, from) = rest.split_at(at);
        octets.extend_from_slice(before.as_bytes());
        let escaped = from.get(2..4).map(|digits| u8::from_str_radix(digits, 16));
        let (octet, length) = match escaped {
            Some(Ok(octet)) => (octet, 4),
            _ => (b'\\', 1),
        };
        octets.push(octet);
        rest = &from[length..];
    }
    octets.extend_from_slice(rest.as_bytes());
    octets
}

fn written(entry: &Entry<'_>) -> String {
    let kind = match entry.kind {
        Kind::Directory => "dir".to_owned(),
        Kind::File => "file".to_owned(),
        Kind::Symlink(Some(target)) => format!("link to {}", escaped(target)),
        Kind::Symlink(None) => "link".to_owned(),
        Kind::Other => "other".to_owned(),
        Kind::Unknown => "unsaid".to_owned(),
    };
    let size = entry.size.map_or("-".to_owned(), |size| size.to_string());
    let date = entry.date.map_or("-".to_owned(), |date| {
        let Date { day, time, clock } = date;
        let time = time.map_or(String::new(), |time| {
            format!(" {:02}:{:02}:{:02}", time.hour, time.minute, time.second)
        });
        let clock = match clock {
            Clock::Server => String::new(),
            Clock::UTC => " UTC".to_owned(),
            Clock::Ahead(minutes) => format!(" UTC{minutes:+}"),
        };
        format!(
            "{:04}-{:02}-{:02}{time}{clock}",
            day.year, day.month, day.day
        )
    });
    format!("{kind} | {} | {size} | {date}", escaped(entry.name))
}

/// Checks that a sample's lines parse into the rows below them, and that its format is detected.
#[test]
fn every_sample_parses_into_its_rows() {
    for (name, format) in SAMPLES {
        let (lines, expected) = sample(name);
        let mut rows = String::new();
        for (number, line) in lines.iter().enumerate() {
            let before = number.checked_sub(1).map(|at| lines[at].as_slice());
            let after = lines.get(number + 1).map(Vec::as_slice);
            match format.joined(before, line, after, TODAY) {
                Line::Entry(entry) => rows.push_str(&written(&entry)),
                Line::Unrecognized => write!(rows, "odd: {}", escaped(line)).unwrap(),
                Line::Metadata => continue,
            }
            rows.push('\n');
        }
        assert_eq!(rows, expected, "{name}");
        if !matches!(format, Format::Names | Format::Paths) {
            assert_eq!(
                Format::guess(lines.iter().map(Vec::as_slice)),
                format,
                "{name}"
            );
        }
    }
}

/// Every sample file is listed, and every format has one.
#[test]
fn every_listing_format_has_a_sample() {
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/listing");
    let mut files: Vec<String> = fs::read_dir(files)
        .expect("samples")
        .map(|file| {
            file.expect("a file")
                .file_name()
                .into_string()
                .expect("a name")
        })
        .collect();
    files.sort();
    let mut samples: Vec<String> = SAMPLES.map(|(name, _)| format!("{name}.txt")).to_vec();
    samples.sort();
    assert_eq!(files, samples);
    for format in Format::ALL {
        assert!(SAMPLES.iter().any(|(_, sample)| *sample == format));
    }
}

#[test]
fn parsing_a_line_allocates_nothing() {
    for (name, format) in SAMPLES {
        let lines = lines_of(name);
        let measured = allocation_counter::measure(|| {
            for line in &lines {
                std::hint::black_box(format.line(line, TODAY));
            }
        });
        assert_eq!(measured.count_total, 0, "{name}");
    }
}
