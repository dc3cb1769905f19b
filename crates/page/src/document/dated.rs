//! The entries of a page: the posts that a gemlog, a feed, a phlog or a page of the Web lists.
//!
//! ```text
//! feed           each item, with a date or without
//! gemtext, Web   a row with one link that begins or ends with a day, or has an element with one (`time`)
//! menu           an item whose name contains one day
//! all but feeds  a link below a row that is a day: up to the next blank row or other text
//!
//! day    = year "-" month "-" day | year "/" month "/" day    ; 2026-11-23, and 02026-11-23
//!        | year "." month "." day | day "." month "." year    ; 23.11.2026
//!        | year month day                                     ; 20261123
//!        | day " " name " " year | day "-" name "-" year      ; 23 Nov 2026
//!        | name " " day [","] " " year                        ; November 23, 2026, and November 23rd, 2026
//!        | month "/" day "/" year | day "/" month "/" year    ; 11/23/2026, where only one of them is a date
//! ```
//!
//! A row with several days is a range or a table, and not an entry, unless it begins with one. Times are ignored. A
//! year has four digits, and is between 1970 and 2100. Other forms are left out, because they are ambiguous (11-12-26)
//! or are usually something else (versions, telephone numbers).

use std::ops::Range;

use geomys_wire::text::{Text, shorten};
use jiff::civil::Date;
use rfc1738::Url;

use super::body::Body;
use super::date::MONTHS;
use super::entry::{PageEntry, identity};
use super::model::Document;
use super::shape::Shape;
use super::web;

/// The number of rows in which entries are searched.
const ROWS: usize = 10_000;

/// The number of entries that make a page look like a log.
const LOG: usize = 3;

/// The number of rows from the top in which they are searched, and of those with a link that are read.
const TOP_ROWS: (usize, usize) = (64, 8);

/// The maximum width of a title, in columns.
const TITLE: usize = 200;

/// The maximum length of the URL of an entry, in octets.
const URL: usize = 1024;

/// The characters between the day and the title.
const SEPARATORS: &[char] = &[
    ' ', '\t', '-', '–', '—', ':', '|', '/', ',', '.', '*', '•', '[', ']', '(', ')',
];

/// Finds the day in a text.
type DayFinder = fn(&str) -> Option<(Range<usize>, Date)>;

impl Document {
    /// Returns the entries of a page of which all octets have arrived, in its order. Slow for a long page.
    pub fn entries(self) -> Vec<PageEntry> {
        let day_of: DayFinder = match self.shape() {
            Shape::Menu => only,
            Shape::Gemtext | Shape::Html => at_edge,
            Shape::Feed => return self.finished().feed_entries(),
            Shape::Attributes
            | Shape::People
            | Shape::Hits
            | Shape::Visits
            | Shape::Found
            | Shape::Json
            | Shape::Text
            | Shape::Groups
            | Shape::Group
            | Shape::Article
            | Shape::Picture
            | Shape::Listing { .. } => return Vec::new(),
        };
        self.finished().dated(day_of)
    }

    /// Returns true if a page probably lists posts: a feed, or one with at least `LOG` rows of a day and a link near
    /// its top. Fast.
    pub fn lists_entries(&self) -> bool {
        let day_of: DayFinder = match self.shape() {
            Shape::Feed => return true,
            Shape::Menu => only,
            Shape::Gemtext | Shape::Html => at_edge,
            _ => return false,
        };
        let is_entry = |row: &usize| {
            let text = self.row(*row).map(|row| row.text());
            text.is_some_and(|text| day_of(text.trim()).is_some())
        };
        let rows = 0..self.count().min(TOP_ROWS.0);
        let linked = rows.filter(|row| self.link_count(*row) == 1);
        let entries = linked.take(TOP_ROWS.1).filter(is_entry);
        entries.take(LOG).count() == LOG
    }

    /// Returns the entries of rows with a day.
    fn dated(&self, day_of: DayFinder) -> Vec<PageEntry> {
        let page = self;
        let mut entries = Vec::new();
        let mut above = DayAbove::default();
        for row in 0..page.count().min(ROWS) {
            let Some(text) = page.row(row).map(|row| row.text()) else {
                continue;
            };
            let text = text.trim();
            let time = match &page.body {
                Body::Web(body) => body.time(row),
                _ => None,
            };
            let own = day_of(text);
            match page.link_count(row) {
                0 => above.read(text, time),
                1 => {
                    let day = match (own, time) {
                        (Some((range, date)), _) => Some((title(text, range), date)),
                        // The time is written in a form of its own.
                        (None, Some(date)) => Some((page.link_words(row), date)),
                        (None, None) => above.take(text).map(|date| (title(text, 0..0), date)),
                    };
                    entries.extend(day.and_then(|(title, date)| page.entry(row, title, date)));
                }
                _ => {}
            }
        }
        entries
    }

    fn feed_entries(&self) -> Vec<PageEntry> {
        let mut entries = web::feed_entries(self.source());
        entries.retain(|entry| self.may_list(&entry.url));
        for entry in &mut entries {
            entry.title = shorten(&entry.title, TITLE, "…");
        }
        entries
    }

    /// The words of the only link in a row.
    fn link_words(&self, row: usize) -> String {
        let row = self.row(row);
        let spans = row.iter().flat_map(|row| &row.spans);
        let words = spans.filter(|span| span.link.is_some());
        let words: String = words.map(|span| span.text.as_str()).collect();
        title(words.trim(), 0..0)
    }

    fn entry(&self, row: usize, title: String, date: Date) -> Option<PageEntry> {
        let url = self.link(row, 0)?.target.ok()?;
        self.may_list(&url).then(|| PageEntry {
            id: identity(None, Some(&url), &title),
            date: Some(date),
            updated: None,
            title,
            url,
            has_text: false,
        })
    }

    /// Returns true if an entry with this URL may be shown apart from its page. A page of a server has no entries on
    /// the disk of the user, and no page has built-in ones.
    fn may_list(&self, url: &Url) -> bool {
        if url.as_str().len() > URL {
            return false;
        }
        match url.scheme_name().to_ascii_lowercase().as_str() {
            "geomys" => false,
            "file" => self.url().scheme_name().eq_ignore_ascii_case("file"),
            _ => true,
        }
    }
}

/// The day in a row above the links of its entries.
#[derive(Default)]
struct DayAbove {
    date: Option<Date>,
    /// True after the first link below it.
    is_taken: bool,
}

impl DayAbove {
    /// Reads a row without links, in which an element states this time.
    fn read(&mut self, text: &str, time: Option<Date>) {
        let words = words(text);
        if !words.is_empty() {
            let is_beside = |day: &Range<usize>, word: &&Range<usize>| {
                (word.end <= day.start || word.start >= day.end)
                    && !is_day_name(text.get((*word).clone()).unwrap_or_default())
            };
            let day = only(text).filter(|(day, _)| !words.iter().any(|word| is_beside(day, &word)));
            self.date = day.map(|(_, date)| date).or(time);
            self.is_taken = false;
        } else if self.is_taken {
            self.date = None;
        }
    }

    /// The day for a link with this text, unless it has days of its own.
    fn take(&mut self, text: &str) -> Option<Date> {
        self.is_taken = true;
        let words = words(text);
        let has_day = (0..words.len()).any(|number| day_at(text, &words, number).is_some());
        self.date.filter(|_| !has_day)
    }
}

/// Returns true for the name of a day of the week in English, whole or in short.
fn is_day_name(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    names.iter().any(|name| word.starts_with(name)) && (word.len() == 3 || word.ends_with("day"))
}

/// Returns the text without the day in this range.
fn title(text: &str, day: Range<usize>) -> String {
    let before = text.get(..day.start).unwrap_or_default();
    let after = text.get(day.end..).unwrap_or_default();
    // The end of a sentence belongs to the title.
    let before = before.trim_end_matches(|c| c != '.' && SEPARATORS.contains(&c));
    let before = before.trim_start_matches(SEPARATORS);
    let after = after.trim_start_matches(SEPARATORS);
    let title = Text::of(format!("{before} {after}").trim()).to_string();
    shorten(&title, TITLE, "…")
}

/// The years of entries.
const YEARS: Range<i16> = 1970..2101;

/// Returns the day at the beginning of a text, or the only one at its end.
fn at_edge(text: &str) -> Option<(Range<usize>, Date)> {
    let words = words(text);
    let is_edge =
        |text: Option<&str>| text.is_some_and(|text| text.trim_matches(SEPARATORS).is_empty());
    let first = day_at(text, &words, 0).filter(|(day, _)| is_edge(text.get(..day.start)));
    first.or_else(|| only(text).filter(|(day, _)| is_edge(text.get(day.end..))))
}

/// Returns the day in a text that has exactly one.
fn only(text: &str) -> Option<(Range<usize>, Date)> {
    let words = words(text);
    let mut days = (0..words.len()).filter_map(|number| day_at(text, &words, number));
    let day = days.next()?;
    days.next().is_none().then_some(day)
}

/// Returns the words of letters and digits.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    for (at, letter) in text.char_indices() {
        let end = at + letter.len_utf8();
        match words.last_mut() {
            _ if !letter.is_alphanumeric() => {}
            Some(word) if word.end == at => word.end = end,
            Some(_) | None => words.push(at..end),
        }
    }
    words
}

/// Returns the day in the word with this number and the two after it.
fn day_at(text: &str, words: &[Range<usize>], number: usize) -> Option<(Range<usize>, Date)> {
    let gap = |from: &Range<usize>, to: &Range<usize>| text.get(from.end..to.start);
    let word = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default();
    // A longer number, such as 1-2026-11-23, is not a day.
    let is_number = |range: &Range<usize>| word(range).bytes().all(|octet| octet.is_ascii_digit());
    let is_joined = |from: &Range<usize>, to: &Range<usize>, other: &Range<usize>| {
        is_number(other) && gap(from, to).is_some_and(|gap| matches!(gap, "-" | "/" | "."))
    };
    let is_part = |first: &Range<usize>, last: &Range<usize>, next: usize| {
        let before = number.checked_sub(1).and_then(|number| words.get(number));
        let after = words.get(next);
        before.is_some_and(|before| is_joined(before, first, before))
            || after.is_some_and(|after| is_joined(last, after, after))
    };
    let first = words.get(number)?;
    // The word of a day and an hour, as 20T10 of 2026-11-20T10:30Z, is a day.
    let day_of = |range: &Range<usize>| match word(range).split_once(['T', 't']) {
        Some((day, hour)) if two_digits(day).is_some() && two_digits(hour).is_some() => {
            range.start..range.start + day.len()
        }
        _ => range.clone(),
    };
    if let Some(date) = compact(word(first)) {
        return (!is_part(first, first, number + 1)).then(|| (first.clone(), date));
    }
    let [second, third] = words.get(number + 1..number + 3)? else {
        return None;
    };
    let third = &day_of(third);
    let gaps = (gap(first, second)?, gap(second, third)?);
    let (a, b, c) = (word(first), word(second), word(third));
    let date = match gaps {
        ("-", "-") => year_first(a, b, c).or_else(|| by_name(a, b, c)),
        ("/", "/") => year_first(a, b, c).or_else(|| year_last(a, b, c)),
        (".", ".") => year_first(a, b, c).or_else(|| year_first(c, b, a)),
        (" ", " ") => by_name(a, b, c).or_else(|| by_name(b, a, c)),
        (" ", ", ") => by_name(b, a, c),
        _ => None,
    }?;
    let end = third.end + time_length(text.get(third.end..).unwrap_or_default());
    let is_in_word = text.get(end..)?.starts_with(char::is_alphanumeric);
    (!is_in_word && !is_part(first, third, number + 3)).then_some((first.start..end, date))
}

/// Returns the length of the time of day with which a text begins behind a day, in octets; 0 without one.
///
/// ```text
/// time = ("T" / " ") hour ":" minute [ ":" second [ "." *digit ] ] [ "Z" / ("+" / "-") hour [":"] minute ]
/// ```
fn time_length(text: &str) -> usize {
    fn digits(rest: &str) -> Option<&str> {
        let (digits, after) = rest.split_at_checked(2)?;
        two_digits(digits).map(|_| after)
    }
    let parts = || {
        let rest = digits(text.strip_prefix(['T', 't', ' '])?)?;
        let mut rest = digits(rest.strip_prefix(':')?)?;
        if let Some(after) = rest.strip_prefix(':').and_then(digits) {
            rest = after;
            if let Some(fraction) = rest.strip_prefix('.') {
                rest = fraction.trim_start_matches(|letter: char| letter.is_ascii_digit());
            }
        }
        let zone = rest.strip_prefix(['Z', 'z']).or_else(|| {
            let hours = digits(rest.strip_prefix(['+', '-'])?)?;
            digits(hours.strip_prefix(':').unwrap_or(hours))
        });
        let rest = zone.unwrap_or(rest);
        (!rest.starts_with(char::is_alphanumeric)).then_some(rest)
    };
    parts().map_or(0, |rest| text.len() - rest.len())
}

/// Returns the day of 20261123.
fn compact(digits: &str) -> Option<Date> {
    let (year, rest) = digits.split_at_checked(4).filter(|_| digits.len() == 8)?;
    let (month, day) = rest.split_at_checked(2)?;
    year_first(year, month, day)
}

fn year_first(year_: &str, month: &str, day: &str) -> Option<Date> {
    let (month, day) = (two_digits(month)?, two_digits(day)?);
    Date::new(year(year_)?, month, day).ok()
}

/// Returns the day of `11/23/2026` or `23/11/2026`; nothing where both readings are dates.
fn year_last(a: &str, b: &str, year_: &str) -> Option<Date> {
    let (a, b, year) = (one_or_two_digits(a)?, one_or_two_digits(b)?, year(year_)?);
    let dates = (Date::new(year, a, b).ok(), Date::new(year, b, a).ok());
    match dates {
        (Some(date), None) | (None, Some(date)) => Some(date),
        (Some(date), Some(other)) => (date == other).then_some(date),
        (None, None) => None,
    }
}

fn by_name(day: &str, name: &str, year_: &str) -> Option<Date> {
    let name = name.to_ascii_lowercase();
    let mut endings = ["st", "nd", "rd", "th"].iter();
    let day = endings
        .find_map(|ending| day.strip_suffix(ending))
        .unwrap_or(day);
    let month = MONTHS.iter().position(|month| {
        let is_short = name.len() == 3 || (name == "sept" && *month == "september");
        *month == name || is_short && month.starts_with(&name)
    })?;
    let month = i8::try_from(month + 1).ok()?;
    Date::new(year(year_)?, month, one_or_two_digits(day)?).ok()
}

/// Returns a year of four digits; a fifth before them is 0.
fn year(digits: &str) -> Option<i16> {
    let digits = match digits.len() {
        5 => digits.strip_prefix('0')?,
        _ => digits,
    };
    let year = number(digits).filter(|_| digits.len() == 4)?;
    YEARS.contains(&year).then_some(year)
}

fn two_digits(digits: &str) -> Option<i8> {
    one_or_two_digits(digits).filter(|_| digits.len() == 2)
}

fn one_or_two_digits(digits: &str) -> Option<i8> {
    let number = number(digits).filter(|_| digits.len() <= 2)?;
    i8::try_from(number).ok()
}

fn number(digits: &str) -> Option<i16> {
    let is_number = digits.bytes().all(|octet| octet.is_ascii_digit());
    is_number.then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use geomys_wire::text::CharsetSetting;
    use proptest::prelude::*;
    use rfc1738::Dialect;

    use super::*;

    /// The entries of a page, as lines of date, title and URL.
    fn entries(url: &str, shape: Shape, octets: &str) -> Vec<String> {
        let url = Dialect::Extended.parse(url).unwrap();
        let mut page = Document::new(url, shape, CharsetSetting::default());
        page.append(octets.as_bytes());
        let line = |entry: PageEntry| {
            let date = entry.date.map_or("-".to_owned(), |date| date.to_string());
            format!("{date} {} {}", entry.title, entry.url)
        };
        page.entries().into_iter().map(line).collect()
    }

    #[test]
    fn gemlog_has_an_entry_for_each_link_that_begins_or_ends_with_a_day() {
        let page = "# Log\n=> b.gmi 2026-11-20 The lamp is out.\n=>/c 2026-11-14 - Clouds\n\
            => d 2026-11-13\n=> e About 2026-11-01\n2026-11-02 no link\n=> geomys:history 2026-11-03 a\n\
            => file:///etc/passwd 2026-11-04 b\n=> h 23 Nov 2026 c\n```\n=> i 2026-11-05 d\n```\n";
        assert_eq!(
            entries("gemini://h.example/log/", Shape::Gemtext, page),
            [
                "2026-11-20 The lamp is out. gemini://h.example/log/b.gmi",
                "2026-11-14 Clouds gemini://h.example/c",
                "2026-11-13  gemini://h.example/log/d",
                "2026-11-01 About gemini://h.example/log/e",
                "2026-11-23 c gemini://h.example/log/h",
            ]
        );
        // A page of the user's own disk may list files.
        let own = entries("file:///log.gmi", Shape::Gemtext, page);
        assert!(own.contains(&"2026-11-04 b file:///etc/passwd".to_owned()));
    }

    #[test]
    fn time_of_day_is_no_part_of_the_title() {
        let page = "=> a 2026-11-20T10:30Z A\n=> b 2026-11-19 10:30 B\n=> c 2026-11-18T10:30:05.5+01:00 - C\n\
            => d D 2026-11-17 10:30\n=> e 2026-11-16 10 ways\n=> f 2026-11-15T10 x\n=> g 2026-11-14 12:000 y\n";
        assert_eq!(
            entries("gemini://h/", Shape::Gemtext, page),
            [
                "2026-11-20 A gemini://h/a",
                "2026-11-19 B gemini://h/b",
                "2026-11-18 C gemini://h/c",
                "2026-11-17 D gemini://h/d",
                "2026-11-16 10 ways gemini://h/e",
                "2026-11-14 12:000 y gemini://h/g",
            ]
        );
    }

    #[test]
    fn time_in_a_post_is_that_of_its_own_link() {
        let post = |name: &str, day: &str| {
            format!(
                "<article><h2><a href=/{name}>{name}</a></h2><p>by <a href=/x>x</a></p>\
                 <time datetime={day}T10:00Z>{day}</time> words</article>"
            )
        };
        let page = [post("A", "2026-11-21"), post("B", "2026-11-20")].concat();
        let found = entries("http://h/", Shape::Html, &page);
        assert_eq!(
            found,
            ["2026-11-21 A http://h/A", "2026-11-20 B http://h/B"]
        );
    }

    #[test]
    fn feed_with_declarations_is_one_and_an_entry_without_words_has_its_link() {
        let feed = "<?xml version='1.0'?><!DOCTYPE rss [<!ENTITY x 'y'>\n<!ENTITY z 'w'>]>\n\
            <rss><channel><item><title>One</title><link>http://h/1</link></item></channel></rss>";
        assert!(web::looks_like_feed(feed.as_bytes()));
        assert!(!web::looks_like_feed(b"<!DOCTYPE html [ ]><html>"));
        assert_eq!(
            entries("http://h/", Shape::Feed, feed),
            ["- One http://h/1"]
        );
        let feed = r#"{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","url":"http://h/2"}]}"#;
        assert_eq!(
            entries("http://h/", Shape::Feed, feed),
            ["- h/2 http://h/2"]
        );
    }

    #[test]
    fn phlog_has_an_entry_for_each_item_with_one_day() {
        let menu = "iSince 2020-01-01\t\th.example\t70\r\n\
            0[2026-11-20] The lamp\t/1\th.example\t70\r\n\
            0A comet (31 Oct 2026)\t/2\th.example\t70\r\n\
            0On 10/30/2026 - a bat.\t/3\th.example\t70\r\n\
            1From 2026-01-01 to 2026-06-30\t/4\th.example\t70\r\n\
            0Maybe 11/12/2026\t/5\th.example\t70\r\n\
            0About\t/6\th.example\t70\r\n.\r\n";
        assert_eq!(
            entries("gopher://h.example/1/phlog", Shape::Menu, menu),
            [
                "2026-11-20 The lamp gopher://h.example/0/1",
                "2026-10-31 A comet gopher://h.example/0/2",
                "2026-10-30 On a bat. gopher://h.example/0/3",
            ]
        );
    }

    #[test]
    fn feed_has_an_entry_for_each_item() {
        let feed = "<feed><title>x</title><link href='/'/><updated>2026-11-30T00:00:00Z</updated>\
            <entry><title>One</title><link href='one'/><published>2026-11-01T09:00:00Z</published>\
            <updated>2026-11-20T00:00:00+01:00</updated></entry>\
            <entry><title>Two</title><link href='two'/><updated>2026-11-02T00:00:00Z</updated></entry>\
            <entry><title>Three</title><link href='three'/></entry>\
            <entry><title>Four</title><updated>2026-11-02T00:00:00Z</updated></entry></feed>";
        assert_eq!(
            entries("http://h.example/feed", Shape::Feed, feed),
            [
                "2026-11-01 One http://h.example/one",
                "2026-11-02 Two http://h.example/two",
                "- Three http://h.example/three",
                "2026-11-02 Four http://h.example/feed#entry-12f5aedc5d39",
            ]
        );
    }

    #[test]
    fn page_of_the_web_has_an_entry_for_each_line_with_a_day_and_one_link() {
        let page = "<p>2026-11-01: <a href='/1'>One</a></p><p>2026-11-02 <a href='/2'>a</a> <a href='/3'>b</a></p>";
        let expected = ["2026-11-01 One http://h.example/1"];
        assert_eq!(entries("http://h.example/", Shape::Html, page), expected);
        assert_eq!(entries("http://h.example/", Shape::Text, page), [""; 0]);
    }

    fn found(day: Option<(Range<usize>, Date)>) -> Option<String> {
        day.map(|(_, date)| date.to_string())
    }

    #[test]
    fn day_is_read_only_where_it_is_certain() {
        for (text, expected) in [
            ("2026-11-23", Some("2026-11-23")),
            ("2026-11-23 A title", Some("2026-11-23")),
            ("A title [2026/11/23]", Some("2026-11-23")),
            ("02026-11-23  A title", Some("2026-11-23")),
            ("post-2026-11-23.txt", Some("2026-11-23")),
            ("23 Nov 2026 - a title", Some("2026-11-23")),
            ("3-nov-2026", Some("2026-11-03")),
            ("A title (November 23, 2026)", Some("2026-11-23")),
            ("Sept 3 2026: a title", Some("2026-09-03")),
            ("11/23/2026", Some("2026-11-23")),
            ("23/11/2026", Some("2026-11-23")),
            ("5/5/2026", Some("2026-05-05")),
            // Month and day, or day and month.
            ("11/12/2026", None),
            ("11-12-2026", None),
            ("11/23/26", None),
            ("26-11-23", None),
            ("2026-13-01", None),
            ("2026-02-30", None),
            ("2026-1-3", None),
            ("20261123", Some("2026-11-23")),
            ("2026.11.23", Some("2026-11-23")),
            ("23.11.2026", Some("2026-11-23")),
            ("November 23rd, 2026", Some("2026-11-23")),
            ("1.2026.11.23", None),
            ("20261323", None),
            ("+49 20261123-4", None),
            ("12026-11-23", None),
            ("1234-11-23", None),
            ("2026-11-23-1", None),
            ("1-2026-11-23", None),
            ("2026-11-23x", None),
            ("٢٠٢٦-١١-٢٣", None),
            ("32 Nov 2026", None),
            ("23 No 2026", None),
            ("May 2026", None),
            // A range.
            ("2026-11-01 - 2026-11-23", None),
            ("", None),
        ] {
            assert_eq!(found(only(text)).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn day_of_a_link_is_at_its_beginning_or_at_its_end() {
        for (text, expected) in [
            ("2026-11-23", Some("2026-11-23")),
            ("2026-11-23 - after 2026-11-22", Some("2026-11-23")),
            ("2026/11/23 title", Some("2026-11-23")),
            ("A title 2026-11-23", Some("2026-11-23")),
            ("[2026-11-23] A title", Some("2026-11-23")),
            ("23 Nov 2026", Some("2026-11-23")),
            ("Since 2026-11-23 only", None),
            ("From 2026-11-01 to 2026-11-23", None),
            ("2026-11-23T10:00", Some("2026-11-23")),
            ("2026-11-23T10", None),
        ] {
            assert_eq!(found(at_edge(text)).as_deref(), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_has_days_within_itself(text in "[0-9a-zA-Z /.,٣é-]{0,40}") {
            for (range, _) in at_edge(&text).into_iter().chain(only(&text)) {
                prop_assert!(text.get(range).is_some());
            }
        }

        #[test]
        fn each_day_is_found_in_each_form(days in 0..47_800_i32, before in "[a-z ]{0,6}") {
            let date = Date::constant(1970, 1, 1) + jiff::Span::new().days(days);
            let name = MONTHS[usize::try_from(date.month() - 1).unwrap()];
            let (year, day) = (date.year(), date.day());
            for written in [
                date.to_string(),
                format!("0{date}"),
                format!("{day} {name} {year}"),
                format!("{} {day}, {year}", name.get(..3).unwrap()),
            ] {
                prop_assert_eq!(found(only(&format!("{before} {written}: x"))), Some(date.to_string()));
            }
        }
    }
}
