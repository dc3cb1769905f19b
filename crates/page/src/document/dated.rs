//! Dated entries: the posts that a gemlog, a feed, a phlog or a page of the Web lists.
//!
//! ```text
//! gemtext, feed, Web   a row that begins with a day, as 2026-11-23, and has one link
//! menu                 an item whose name contains one day, in any form below
//!
//! day    = year "-" month "-" day | year "/" month "/" day    ; 2026-11-23, and 02026-11-23
//!        | day " " name " " year | day "-" name "-" year      ; 23 Nov 2026
//!        | name " " day [","] " " year                        ; November 23, 2026
//!        | month "/" day "/" year | day "/" month "/" year    ; 11/23/2026, where only one of them is a date
//! ```
//!
//! For gemtext this is the convention for subscriptions of Gemini. A row with several days is a range or a table, and not
//! an entry. Times are ignored. A year has four digits, and is between 1970 and 2100. Other forms are left out, because they
//! are ambiguous (11-12-26) or are usually something else (versions, telephone numbers).

use std::ops::Range;

use geomys_wire::text::{Text, shorten};
use jiff::civil::Date;
use rfc1738::Url;

use super::date::MONTHS;
use super::model::Document;
use super::shape::Shape;

/// The number of rows in which entries are searched.
const ROWS: usize = 10_000;

/// The maximum width of a title, in columns.
const TITLE: usize = 200;

/// The maximum length of the URL of an entry, in octets.
const URL: usize = 1024;

/// The characters between the day and the title.
const SEPARATORS: &[char] = &[
    ' ', '\t', '-', '–', '—', ':', '|', '/', ',', '.', '*', '[', ']', '(', ')',
];

/// A link with a date: a post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatedEntry {
    /// The day of the post, as the page states it.
    pub date: Date,
    /// The title without the day; empty if there is none.
    pub title: String,
    /// The URL of the post.
    pub url: Url,
}

/// Finds the day in a text.
type DayFinder = fn(&str) -> Option<(Range<usize>, Date)>;

impl Document {
    /// Returns the dated entries of a page of which all octets have arrived, in its order. Slow for a long page.
    pub fn dated_entries(self) -> Vec<DatedEntry> {
        let day_of: DayFinder = match self.shape() {
            Shape::Menu => only,
            Shape::Gemtext | Shape::Feed | Shape::Html => first,
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
        let page = self.finished();
        let rows = 0..page.count().min(ROWS);
        rows.filter_map(|row| page.dated_entry(row, day_of))
            .collect()
    }

    fn dated_entry(&self, row: usize, day_of: DayFinder) -> Option<DatedEntry> {
        if self.link_count(row) != 1 {
            return None;
        }
        let text = self.row(row)?.text();
        let text = text.trim();
        let (range, date) = day_of(text)?;
        let url = self.link(row, 0)?.target.ok()?;
        let is_allowed = url.as_str().len() <= URL && self.may_list(&url);
        is_allowed.then(|| DatedEntry {
            date,
            title: title(text, range),
            url,
        })
    }

    /// Returns true if an entry with this URL may be shown apart from its page. A page of a server has no entries on the
    /// disk of the user, and no page has built-in ones.
    fn may_list(&self, url: &Url) -> bool {
        match url.scheme_name().to_ascii_lowercase().as_str() {
            "geomys" => false,
            "file" => self.url().scheme_name().eq_ignore_ascii_case("file"),
            _ => true,
        }
    }
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

/// Returns the day at the beginning of a text, in the form 2026-11-23.
fn first(text: &str) -> Option<(Range<usize>, Date)> {
    let words = words(text);
    let [first, ..] = words.as_slice() else {
        return None;
    };
    let (range, date) = day_at(text, &words, 0)?;
    let is_first = first.start == 0 && text.get(4..5) == Some("-");
    is_first.then_some((range, date))
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
    let [first, second, third] = words.get(number..number + 3)? else {
        return None;
    };
    let gap = |from: &Range<usize>, to: &Range<usize>| text.get(from.end..to.start);
    let word = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default();
    let gaps = (gap(first, second)?, gap(second, third)?);
    let (a, b, c) = (word(first), word(second), word(third));
    let date = match gaps {
        ("-", "-") => year_first(a, b, c).or_else(|| by_name(a, b, c)),
        ("/", "/") => year_first(a, b, c).or_else(|| year_last(a, b, c)),
        (" ", " ") => by_name(a, b, c).or_else(|| by_name(b, a, c)),
        (" ", ", ") => by_name(b, a, c),
        _ => None,
    }?;
    // A longer number, such as 1-2026-11-23, is not a day.
    let is_number = |range: &Range<usize>| word(range).bytes().all(|octet| octet.is_ascii_digit());
    let is_joined = |range: &Range<usize>, between: Option<&str>| {
        is_number(range) && between.is_some_and(|gap| matches!(gap, "-" | "/" | "."))
    };
    let before = number.checked_sub(1).and_then(|number| words.get(number));
    let after = words.get(number + 3);
    let is_part = before.is_some_and(|before| is_joined(before, gap(before, first)))
        || after.is_some_and(|after| is_joined(after, gap(third, after)));
    (!is_part).then_some((first.start..third.end, date))
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
        let line = |entry: DatedEntry| format!("{} {} {}", entry.date, entry.title, entry.url);
        page.dated_entries().into_iter().map(line).collect()
    }

    #[test]
    fn gemlog_has_an_entry_for_each_link_that_begins_with_a_day() {
        let page = "# Log\n=> b.gmi 2026-11-20 The lamp is out.\n=>/c 2026-11-14 - Clouds\n\
            => d 2026-11-13\n=> e About 2026-11-01\n2026-11-02 no link\n=> geomys:history 2026-11-03 a\n\
            => file:///etc/passwd 2026-11-04 b\n=> h 23 Nov 2026 c\n```\n=> i 2026-11-05 d\n```\n";
        assert_eq!(
            entries("gemini://h.example/log/", Shape::Gemtext, page),
            [
                "2026-11-20 The lamp is out. gemini://h.example/log/b.gmi",
                "2026-11-14 Clouds gemini://h.example/c",
                "2026-11-13  gemini://h.example/log/d",
            ]
        );
        // A page of the user's own disk may list files.
        let own = entries("file:///log.gmi", Shape::Gemtext, page);
        assert!(own.contains(&"2026-11-04 b file:///etc/passwd".to_owned()));
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
    fn feed_has_an_entry_for_each_item_with_a_date_and_a_link() {
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
            ("20261123", None),
            ("2026.11.23", None),
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
    fn first_day_is_at_the_beginning_in_the_form_of_iso_8601() {
        for (text, expected) in [
            ("2026-11-23", Some("2026-11-23")),
            ("2026-11-23 - after 2026-11-22", Some("2026-11-23")),
            ("2026/11/23 title", None),
            ("A title 2026-11-23", None),
            ("(2026-11-23)", None),
            ("23 Nov 2026", None),
            ("2026-11-23T10:00", None),
        ] {
            assert_eq!(found(first(text)).as_deref(), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_has_days_within_itself(text in "[0-9a-zA-Z /.,٣é-]{0,40}") {
            for (range, _) in first(&text).into_iter().chain(only(&text)) {
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
