//! The outline of a page, its headings, and the row that the fragment of a URL names.

use std::collections::HashSet;

use geomys_wire::text::Text;
use rfc1738::Encoded;

use super::body::Body;
use super::model::Document;
use super::row::{Kind, Link};

/// A heading of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineEntry {
    /// The row of the heading.
    pub row: usize,
    /// The level, from 1 for the highest.
    pub level: usize,
    /// The text of the heading, without its marks.
    pub text: Text,
}

impl Document {
    /// The headings of a page in gemtext or of the Web, in their order; empty for other pages and while rows are
    /// filtered.
    pub fn outline(&self) -> Vec<OutlineEntry> {
        if self.filter.is_some() {
            return Vec::new();
        }
        match &self.body {
            Body::Gemtext(gemtext) => {
                let rows = gemtext.headings(self.source());
                rows.filter_map(|row| self.gemtext_heading(row)).collect()
            }
            Body::Web(web) => {
                let entry = |(row, level)| {
                    let text = self.row(row)?.text();
                    let text = Text::of(text.trim());
                    Some(OutlineEntry { row, level, text })
                };
                web.headings().filter_map(entry).collect()
            }
            Body::Menu(_)
            | Body::Attributes(_)
            | Body::People(_)
            | Body::Hits(_)
            | Body::Visits(_)
            | Body::Found(_)
            | Body::Text(_)
            | Body::Groups(_)
            | Body::Group(_)
            | Body::Article(_)
            | Body::Picture(_)
            | Body::Listing(_) => Vec::new(),
        }
    }

    /// The heading that a row of gemtext is.
    fn gemtext_heading(&self, row: usize) -> Option<OutlineEntry> {
        let heading = self.row(row)?;
        let Kind::Heading(level) = heading.kind else {
            return None;
        };
        Some(OutlineEntry {
            row,
            level: level.into(),
            text: Text::of(heading.text().trim()),
        })
    }

    /// Folds all preformatted blocks of gemtext, or unfolds them if one is folded; unfolds all hidden parts of a page
    /// of the Web, or folds them if one is unfolded. Returns the new row of row `number`; nothing where there are none.
    pub fn toggle_blocks(&mut self, number: usize) -> Option<usize> {
        let origin = self.rows().origin(self.unfiltered(number)?)?;
        let is_toggled = match self.body_mut() {
            (Body::Gemtext(gemtext), source) => gemtext.toggle_all(source),
            (Body::Web(web), source) => web.toggle_all(source),
            _ => return None,
        };
        if let Body::Web(_) = &self.body {
            self.number_folded_links();
        }
        self.rows().row_of(origin).filter(|_| is_toggled)
    }

    /// Folds or unfolds the preformatted block that row `number` opens, or the hidden part whose row it is; `None` for
    /// a document without such rows.
    pub(super) fn toggle_preformatted(&mut self, number: usize) -> Option<bool> {
        let row = self.unfiltered(number);
        let is_toggled = match self.body_mut() {
            (Body::Gemtext(gemtext), source) => row.is_some_and(|row| gemtext.toggle(source, row)),
            (Body::Web(web), source) => row.is_some_and(|row| web.toggle(source, row)),
            _ => return None,
        };
        if is_toggled && let Body::Web(_) = &self.body {
            self.number_folded_links();
        }
        Some(is_toggled)
    }
}

/// The highest number of rows that are searched for a text.
const MAX_ROWS: usize = 20_000;

impl Document {
    /// The row that a fragment names: the element of a Web page with this id or name, else the heading with this text,
    /// else the first row with this text. Letter case and the signs between words do not count in a text. `None` if
    /// there is none, and while rows are filtered.
    pub fn row_of_fragment(&self, fragment: Encoded<'_>) -> Option<usize> {
        if self.filter.is_some() {
            return None;
        }
        if self.is_member() {
            return Some(0);
        }
        let octets = fragment.octets();
        let name = String::from_utf8_lossy(&octets);
        if let Body::Web(web) = &self.body
            && let Some(row) = web
                .row_of_id(&name)
                .or_else(|| web.row_of_id(fragment.as_str()))
        {
            return Some(row);
        }
        let wanted = words(&name);
        if wanted.is_empty() {
            return None;
        }
        let is_wanted = |heading: &OutlineEntry| words(heading.text.as_str()) == wanted;
        let heading = self.outline().into_iter().find(is_wanted);
        let has_text = |row: &usize| {
            let row = self.row(*row);
            row.is_some_and(|row| words(row.text().as_str()).contains(&wanted))
        };
        let row = heading.map(|heading| heading.row);
        row.or_else(|| (0..self.count().min(MAX_ROWS)).find(has_text))
    }
}

/// The parts of a page that the fragments of links may name: the elements of HTML by their ids and names, the headings
/// of gemtext by their words.
#[derive(Clone, Debug)]
pub enum FragmentNames {
    /// The ids and names of elements.
    Elements(HashSet<String>),
    /// The words of the headings.
    Headings(HashSet<String>),
}

impl FragmentNames {
    /// Returns the names of a page; `None` for one of another kind, whose fragments name nothing that can be looked up.
    pub fn of(document: &Document) -> Option<Self> {
        match &document.body {
            Body::Web(web) => Some(Self::Elements(web.ids()?)),
            Body::Gemtext(_) => {
                let headings = document.outline().into_iter();
                let words = headings.map(|heading| words(heading.text.as_str()));
                Some(Self::Headings(words.collect()))
            }
            Body::Menu(_)
            | Body::Attributes(_)
            | Body::People(_)
            | Body::Hits(_)
            | Body::Visits(_)
            | Body::Found(_)
            | Body::Text(_)
            | Body::Groups(_)
            | Body::Group(_)
            | Body::Article(_)
            | Body::Picture(_)
            | Body::Listing(_) => None,
        }
    }

    /// Returns true if a fragment names a part of the page, or its top. What follows `:~:` is for the program that
    /// shows the page.
    pub fn include(&self, fragment: Encoded<'_>) -> bool {
        let written = fragment.as_str();
        let written = written.split_once(":~:").map_or(written, |(part, _)| part);
        let octets = fragment.octets();
        let name = String::from_utf8_lossy(&octets);
        let name = name.split_once(":~:").map_or(&*name, |(part, _)| part);
        match self {
            Self::Elements(names) => {
                let is_top = name.is_empty() || name.eq_ignore_ascii_case("top");
                is_top || names.contains(name) || names.contains(written)
            }
            Self::Headings(names) => name.is_empty() || names.contains(&words(name)),
        }
    }

    /// Returns what a fragment that names no part is missing.
    pub const fn missing(&self) -> &'static str {
        match self {
            Self::Elements(_) => "no element has this id or name",
            Self::Headings(_) => "no heading has these words",
        }
    }
}

impl Document {
    /// Returns the links of a page of the Web that no row shows: style sheets, scripts, icons, images inside links,
    /// links without words.
    pub fn hidden_links(&self) -> Vec<Link> {
        match &self.body {
            Body::Web(web) => web.hidden_links(self.source()),
            _ => Vec::new(),
        }
    }
}

/// The letters and digits of a text in lower case, with one blank between words.
fn words(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join(" ")
}
