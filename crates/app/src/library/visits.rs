//! The page of visits.

use std::collections::HashSet;
use std::fmt::Write;

use geomys_page::document::{Document, Shape, TODAY, Zone};
use geomys_store::files::history::History;
use geomys_wire::text::{CharsetSetting, Text};
use jiff::Timestamp;
use rfc1738::Url;

/// Returns the heading of a day: its date with its age.
fn heading(date: &str, age: &str) -> String {
    match age {
        TODAY => "Today".to_owned(),
        age if age == date => age.to_owned(),
        age => format!("{date}, {age}"),
    }
}

/// Makes the page of visits, which has this URL: by day, the newest first, each page once a day.
pub fn document(page: Url, history: &History, zone: &Zone) -> Document {
    let mut lines = String::new();
    let (mut day, mut seen) = (String::new(), HashSet::new());
    for visit in history.iter().rev() {
        let time = Timestamp::from_second(visit.second).unwrap_or_default();
        let (age, time) = (zone.by_age(time), zone.written(time));
        let (date, time) = time.split_once(' ').unwrap_or((&time, ""));
        if date != day {
            date.clone_into(&mut day);
            seen.clear();
            lines.push_str(&heading(date, &age));
            lines.push('\n');
        }
        if seen.insert(visit.key()) {
            // No field has a control character: a TAB or a line end would begin another one.
            let (url, title) = (Text::of(visit.url), Text::of(visit.title));
            let kind = visit.kind.word();
            // Writing to a string cannot fail.
            let _ = writeln!(lines, "{kind}\t{time}\t{url}\t{title}");
        }
    }
    let mut document = Document::new(page, Shape::Visits, CharsetSetting::default());
    document.append(lines.as_bytes());
    document
}
