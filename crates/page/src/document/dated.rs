//! Dated entries: the posts that a gemlog, a feed, a phlog or a page of the Web lists.
//!
//! ```text
//! gemtext, feed, Web   a row that begins with a day, as 2026-11-23, and has one link
//! menu                 an item whose name contains one day, see `day`
//! ```
//!
//! For gemtext this is the convention for subscriptions of Gemini. A row with several days is a range or a table, and not
//! an entry. Times are ignored.

mod day;

use std::ops::Range;

use geomys_wire::text::{Text, shorten};
use jiff::civil::Date;
use rfc1738::Url;

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
            Shape::Menu => day::only,
            Shape::Gemtext | Shape::Feed | Shape::Html => day::first,
            Shape::Attributes
            | Shape::People
            | Shape::Hits
            | Shape::Visits
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

#[cfg(test)]
mod tests {
    use geomys_wire::text::Charset;
    use rfc1738::Dialect;

    use super::*;

    /// The entries of a page, as lines of date, title and URL.
    fn entries(url: &str, shape: Shape, octets: &str) -> Vec<String> {
        let url = Dialect::Extended.parse(url).unwrap();
        let mut page = Document::new(url, shape, Charset::utf_8());
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
}
