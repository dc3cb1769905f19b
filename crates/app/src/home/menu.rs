//! The text of a page of rows, as the home page: a Gopher menu, which no text of others can add rows or links to.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;

use geomys_load::Reason;

use geomys_page::document::menu::{BARE, HEADINGS, MASCOT};
use geomys_wire::text::{self, Charset, Text};
use rfc1738::{Parts, Url};

use crate::action::Action;

/// The least columns of an age before a row.
const AGE_COLUMNS: usize = 6;

/// The text of a Gopher menu, and the titles of the pages that its rows lead to.
#[derive(Default)]
pub(crate) struct Menu {
    pub(crate) text: String,
    pub(crate) titles: HashMap<Url, Text>,
    pub(crate) reasons: HashMap<Url, Reason>,
    /// The keys that stand in rows, by the number of the row.
    pub(crate) keys: HashMap<usize, Vec<KeyInRow>>,
}

/// A key with what it does, as a part of a line of keys.
pub(crate) struct PageKey {
    key: String,
    label: &'static str,
    action: Action,
}

impl PageKey {
    /// The gap between two keys.
    pub(crate) const GAP: &'static str = "  ";

    /// Creates the part for a key as in keys.toml.
    pub(crate) fn new(key: &str, label: &'static str, action: Action) -> Self {
        Self {
            key: Text::of(key).to_string(),
            label,
            action,
        }
    }

    /// Returns the width in columns.
    pub(crate) fn width(&self) -> usize {
        text::width(&self.key) + 1 + text::width(self.label)
    }
}

/// A key in the text of a row, which can be pressed there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyInRow {
    /// The octets of its name in the text of the row.
    pub name: Range<usize>,
    /// The columns of its name and of what it does, from the beginning of the text on.
    pub columns: Range<usize>,
    /// What it does.
    pub action: Action,
}

impl Menu {
    /// Adds the rows of another menu.
    pub(crate) fn append(&mut self, other: Self) {
        let above = self.rows();
        let below = other.keys.into_iter();
        self.keys
            .extend(below.map(|(row, keys)| (above + row, keys)));
        self.text.push_str(&other.text);
        self.titles.extend(other.titles);
        self.reasons.extend(other.reasons);
    }

    /// Sets the title of the page that a row leads to; the first one counts.
    pub(crate) fn title(&mut self, title: &str, url: &Url) {
        let title = || Text::of(title);
        self.titles.entry(url.clone()).or_insert_with(title);
    }

    /// Sets the reason to request the page that a row leads to; the first one counts.
    pub(crate) fn reason(&mut self, url: &Url, reason: Reason) {
        self.reasons.entry(url.clone()).or_insert(reason);
    }

    /// Adds a line without a link.
    pub(crate) fn info(&mut self, line: &str) {
        // Writing to a string cannot fail.
        let _ = write!(self.text, "i{}\t\tnull.host\t1\r\n", Text::of(line));
    }

    /// Adds a line of keys.
    pub(crate) fn keys(&mut self, keys: &[PageKey]) {
        let (mut line, mut in_row) = (String::new(), Vec::new());
        for PageKey { key, label, action } in keys {
            if !line.is_empty() {
                line.push_str(PageKey::GAP);
            }
            let (name, column) = (line.len(), text::width(&line));
            line.push_str(key);
            let name = name..line.len();
            line.push(' ');
            line.push_str(label);
            in_row.push(KeyInRow {
                name,
                columns: column..text::width(&line),
                action: *action,
            });
        }
        self.keys.insert(self.rows(), in_row);
        self.info(&line);
    }

    /// Adds a line of the mascot.
    pub(crate) fn mascot(&mut self, line: &str) {
        // Writing to a string cannot fail.
        let _ = write!(self.text, "i{line}\t{MASCOT}\tnull.host\t1\r\n");
    }

    /// Adds a heading of this level.
    pub(crate) fn heading(&mut self, line: &str, level: usize) {
        let selector = HEADINGS.get(level.saturating_sub(1)).unwrap_or(&"");
        // Writing to a string cannot fail.
        let _ = write!(
            self.text,
            "i{}\t{selector}\tnull.host\t1\r\n",
            Text::of(line)
        );
    }

    /// Returns the number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.text.lines().count()
    }

    /// Adds a row with a link; an item of Gopher with its type.
    pub(crate) fn row(&mut self, label: &str, url: &Url) {
        let label = Text::of(label);
        // Writing to a string cannot fail.
        let _ = match url.base_parts() {
            Parts::Gopher(gopher) => {
                let (gtype, address) = (char::from(gopher.item_type()), gopher.address);
                let selector = Text::new(&gopher.selector.octets(), Charset::default());
                let (host, port) = (address.node(), address.port());
                write!(self.text, "{gtype}{label}\t{selector}\t{host}\t{port}\r\n")
            }
            _ => return self.link(label.as_str(), url),
        };
    }

    /// Adds a row with a link to exactly this URL.
    pub(crate) fn link(&mut self, label: &str, url: &Url) {
        // Writing to a string cannot fail.
        let _ = write!(
            self.text,
            "h{}\tURL:{url}\tnull.host\t70\r\n",
            Text::of(label)
        );
    }

    /// Adds a heading and its rows (age, label, target), if there are any.
    pub(crate) fn section(&mut self, heading: &str, rows: Vec<(String, String, Url)>) {
        if rows.is_empty() {
            return;
        }
        self.heading(heading, 2);
        let ages = rows.iter().map(|(age, ..)| age.len());
        let width = ages.max().unwrap_or_default().max(AGE_COLUMNS);
        for (age, label, url) in rows {
            self.title(&label, &url);
            let label = Text::of(&label);
            // Writing to a string cannot fail.
            let _ = write!(
                self.text,
                "h{age:>width$}  {label}\tURL:{url}\tnull.host\t{BARE}\r\n"
            );
        }
        self.info("");
    }
}

#[cfg(test)]
mod tests {
    use geomys_page::document::{Document, Shape};
    use rfc1738::Dialect;

    use super::*;

    #[test]
    fn labels_of_a_section_stand_below_each_other() {
        let row = |age: &str| {
            let url = Dialect::Extended.parse("gopher://h.example/").unwrap();
            (age.to_owned(), "label".to_owned(), url)
        };
        let mut menu = Menu::default();
        menu.section(
            "New entries",
            vec![row("today"), row("2026-04-01"), row("9 d")],
        );
        let rows = menu.text.lines().filter_map(|line| line.find("label"));
        assert_eq!(rows.collect::<Vec<_>>(), [13; 3]);
    }

    #[test]
    fn no_text_adds_rows_or_links_to_the_menu() {
        let url = Dialect::Extended.parse("gopher://h.example/").unwrap();
        let mut menu = Menu::default();
        let name = "a\tb\t/selector\th\t70\r\n1c\t/d\th\t70\n1e\rf";
        menu.info(name);
        menu.section(name, vec![(String::new(), name.to_owned(), url.clone())]);
        let mut document = Document::new(
            url.clone(),
            Shape::Menu,
            geomys_wire::text::CharsetSetting::default(),
        );
        document.append(menu.text.as_bytes());
        let targets = (0..document.count()).filter_map(|row| document.link(row, 0));
        let targets: Vec<_> = targets.map(|link| link.target.unwrap()).collect();
        assert_eq!((document.count(), targets), (4, vec![url]));
    }
}
