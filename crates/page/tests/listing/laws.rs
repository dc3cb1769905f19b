//! Laws for any octets: no line is lost, no link is made up, and no parser panics.

use geomys_wire::protocol::ftp::listing::{Date, Day, Entry, Format, Line};
use proptest::prelude::*;

use super::samples::{SAMPLES, lines_of};
use super::{TODAY, page};

/// Octets that partly look like listings.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let words = prop::sample::select(vec![
        "-rw-r--r--",
        "drwxr-xr-x",
        "lrwxrwxrwx",
        "crw-rw-rw-",
        "total",
        "1",
        "8,",
        "0",
        "ftp",
        "Mar",
        "Feb",
        "29",
        "14",
        "1994",
        "12:00",
        "2026-10-11",
        "+0200",
        "März",
        "11月20日",
        "11月",
        "10-11-26",
        "10/11/26",
        "03:15PM",
        "<DIR>",
        "<JUNCTION>",
        "[C:\\x]",
        "type=file;",
        "type=cdir;",
        "type=OS.unix=slink:/a b;",
        "size=7;",
        "modify=20261120184500;",
        "+r,s12,m825718503,\t",
        "+/,\t",
        " -> ",
        "/",
        "\n",
        "\n",
        "\r\n",
        " ",
        " ",
        "  ",
        ".",
        "..",
        "name",
        "NAME.TXT;1",
        "SUB.DIR;1",
        "\n    ",
        "3/4",
        "19-NOV-2026",
        "10:23:45",
        "[ANON]",
        "(RWED,)",
        "Directory X:[Y]",
        "Total of 3 files",
        "*DIR",
        "*FILE",
        "[R----F--]",
        "d",
        "-",
        "folder",
        "DIR",
        "PS",
        "PO",
        "Volume",
        "Dsname",
        "Migrated",
        "Name",
        "VV.MM",
        "01.03",
        "000058",
        "JOBNAME",
        "JOBID",
        "JOB00123",
        "OUTPUT",
    ]);
    let piece = prop_oneof![
        8 => words.prop_map(|word| word.as_bytes().to_vec()),
        4 => Just(b" ".to_vec()),
        1 => prop::collection::vec(any::<u8>(), 1..4),
    ];
    prop::collection::vec(piece, 0..80).prop_map(|pieces| pieces.concat())
}

/// Lines of samples, in any order, some of them damaged.
fn shuffled() -> impl Strategy<Value = Vec<u8>> {
    let lines: Vec<Vec<u8>> = SAMPLES
        .iter()
        .flat_map(|(name, _)| lines_of(name))
        .collect();
    let line = (prop::sample::select(lines), any::<(u8, u8, u8)>());
    let line = line.prop_map(|(mut line, (spoil, at, octet))| {
        if spoil < 64 && !line.is_empty() {
            let at = usize::from(at) % line.len();
            line[at] = octet;
        }
        line.push(b'\n');
        line
    });
    prop::collection::vec(line, 0..12).prop_map(|lines| lines.concat())
}

fn is_inside(part: &[u8], whole: &[u8]) -> bool {
    part.is_empty() || whole.windows(part.len()).any(|window| window == part)
}

/// Returns true if a format may skip a line.
fn may_be_aside(format: Format, line: &[u8], before: Option<&[u8]>) -> bool {
    let is_of_names = |name: &[u8]| line.ends_with(name);
    match format {
        Format::Unix | Format::NetWare => line
            .last()
            .is_some_and(|last| b".0123456789KMGT".contains(last)),
        Format::Facts | Format::Paths => {
            let small = line.to_ascii_lowercase();
            is_inside(b"=cdir", &small)
                || is_inside(b"=pdir", &small)
                || line.ends_with(b".")
                || line.ends_with(b"./")
        }
        Format::Vms => {
            let begins = |words: &[u8]| line.starts_with(words);
            begins(b"Directory ") || begins(b"Total of ") || begins(b"Grand total of ")
                || line.trim_ascii().is_empty()
                // The rest of an entry, all of which is in the line before.
                || before.is_some_and(|before| before.contains(&b';'))
                || begins(b".")
        }
        Format::DataSets => line.trim_ascii().starts_with(b"Volume") || is_of_names(b"."),
        Format::Members => line.trim_ascii().starts_with(b"Name"),
        Format::Jobs => line.trim_ascii().starts_with(b"JOBNAME"),
        Format::Names => is_of_names(b".") || is_of_names(b"./"),
        Format::Eplf | Format::Dos | Format::Mac | Format::Os2 | Format::Os400 | Format::Rare => {
            is_of_names(b".")
                || is_of_names(b"./")
                || is_inside(b". [", line)
                || is_inside(b".. [", line)
        }
    }
}

/// Counts entries and odd lines, and checks each.
fn check(format: Format, octets: &[u8]) -> Result<(usize, usize), TestCaseError> {
    let lines: Vec<&[u8]> = octets
        .split(|&octet| octet == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .collect();
    let (mut entries, mut odd) = (0, 0);
    for (number, line) in lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
    {
        let before = number.checked_sub(1).map(|at| lines[at]);
        match format.joined(before, line, lines.get(number + 1).copied(), TODAY) {
            Line::Entry(Entry { name, date, .. }) => {
                entries += 1;
                prop_assert!(!name.is_empty() && is_inside(name, line));
                prop_assert!(name != b"." && name != b"..");
                if let Some(Date { day, .. }) = date {
                    prop_assert_eq!(Day::new(day.year, day.month, day.day), Some(day));
                }
            }
            Line::Unrecognized => odd += 1,
            Line::Metadata => prop_assert!(
                may_be_aside(format, line, before),
                "{:?} passes over {}",
                format,
                line.escape_ascii()
            ),
        }
    }
    Ok((entries, odd))
}

proptest! {
    #[test]
    fn every_line_becomes_a_row_and_links_match_entries(
        octets in prop_oneof![pieces(), shuffled()],
        index in 0..=Format::ALL.len(),
    ) {
        let stated = Format::ALL.get(index).copied();
        let lines = octets.split(|&octet| octet == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let format = stated.unwrap_or_else(|| Format::guess(lines));
        let (entries, odd) = check(format, &octets)?;
        let arriving = page("ftp://h.example/pub;type=d", &octets, stated);
        let document = arriving.clone().finished();
        for document in [&arriving, &document] {
            // The format may still change while the listing loads.
            if stated.is_some() || !document.needs_finish() {
                prop_assert_eq!(document.count(), 1 + entries + odd);
                let links = (1..document.count()).filter(|&row| document.is_link(row)).count();
                prop_assert_eq!(links, entries);
            }
            for row in 0..document.count() {
                prop_assert_eq!(document.links(row).len(), usize::from(document.is_link(row)));
                prop_assert!(document.row(row).is_some());
                prop_assert!(document.links(row).iter().all(|link| link.target.is_ok()));
            }
        }
        let totals = document.totals().unwrap();
        prop_assert_eq!(totals.directories + totals.files + totals.links, entries);
        prop_assert_eq!(totals.malformed, odd);
    }

    /// More lines of a format never change the guess.
    #[test]
    fn guessed_format_is_stable(index in 0..SAMPLES.len(), picks in prop::collection::vec(any::<prop::sample::Index>(), 1..20)) {
        let (name, format) = SAMPLES[index];
        prop_assume!(!matches!(format, Format::Names | Format::Paths));
        let lines = lines_of(name);
        let firm: Vec<&[u8]> = lines
            .iter()
            .map(Vec::as_slice)
            .filter(|line| Format::guess(std::iter::once(*line)) == format)
            .filter(|line| matches!(format.line(line, TODAY), Line::Entry(_)))
            .collect();
        let picked: Vec<&[u8]> = picks.iter().map(|pick| *pick.get(&firm)).collect();
        for count in 1..=picked.len() {
            prop_assert_eq!(Format::guess(picked.iter().take(count).copied()), format);
        }
    }

    /// A date that `ls` writes without a year lies in the year that ends at most a day from now.
    #[test]
    fn missing_year_is_the_latest_possible(year in 1970..2200_u16, month in 1..=12_u8, day in 1..=28_u8, m in 1..=12_u8, d in 1..=28_u8) {
        const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let today = Day::new(year, month, day).unwrap();
        let line = format!("-rw-r--r-- 1 a b 3 {} {d:>2} 12:00 x", MONTHS[usize::from(m) - 1]);
        let Line::Entry(Entry { date: Some(date), .. }) = Format::Unix.line(line.as_bytes(), today) else {
            panic!("{line}");
        };
        let noon = |day| Date::new(day, None).seconds(0) / 86_400;
        let age = noon(today) - noon(date.day);
        prop_assert!((-1..366).contains(&age), "{} days", age);
        prop_assert_eq!((date.day.month, date.day.day), (m, d));
    }

    #[test]
    fn eplf_seconds_match_the_calendar(seconds in 0..4_102_444_800_i64) {
        let line = format!("+m{seconds},r,\tx");
        let Line::Entry(Entry { date: Some(date), .. }) = Format::Eplf.line(line.as_bytes(), TODAY) else {
            panic!("{line}");
        };
        prop_assert_eq!(date.seconds(90), seconds);
    }
}

#[test]
fn listing_whose_first_octets_are_a_mark_of_utf_16_keeps_its_lines() {
    let octets = b"\xff\xfe\n-rw-r--r-- 1 o g 5 Jan 1 2020 name\n";
    let listing = page("ftp://h.example/pub;type=d", octets, Some(Format::Unix)).finished();
    let totals = listing.totals().unwrap();
    assert_eq!((totals.files, totals.malformed), (1, 1));
}

proptest! {
    #[test]
    fn fast_looks_at_a_line_of_facts_agree_with_its_parser(
        octets in pieces(),
        facts in "(type=([cp]?dir|[a-z]{0,4});|TYPE=CDIR;|size=[0-9]{0,2};|;|=|x;){0,3} ?[a/.]{0,3}",
    ) {
        for line in octets.split(|&octet| octet == b'\n').chain([facts.as_bytes()]) {
            let parsed = Format::Facts.line(line, TODAY);
            let is_parsed = parsed != Line::Unrecognized;
            prop_assert!(is_parsed || !Format::Facts.is_readable(line), "{}", line.escape_ascii());
            let is_metadata = Format::Facts.learn(line, &mut TODAY.into());
            prop_assert_eq!(is_metadata, parsed == Line::Metadata, "{}", line.escape_ascii());
        }
        prop_assert!(Format::Facts.is_readable(b"type=file;size=7; name"));
    }
}
