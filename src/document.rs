//! Documents: octets turned into rows, some of them links.
//!
//! A [`Document`] is the octets as they came ([`Raw`]) and a body that turns line *n* into a [`Row`] when somebody
//! looks. So a page is shown while it arrives, and a page may be huge: memory is the payload and a few octets a line.
//! A row of a menu, a listing or an article can be odd but never a fault: it is shown as it came.

mod arrangement;
mod article;
mod articles;
mod attributes;
mod body;
mod facts;
pub mod find;
pub mod folds;
mod group;
mod groups;
mod header;
mod hits;
mod html;
mod listing;
mod mailbox;
pub mod marks;
pub(crate) mod menu;
mod numbers;
pub mod order;
mod people;
pub mod plain;
pub mod raw;
mod reading;
mod remark;
pub mod row;
mod rows;
pub mod score;
mod shown;
pub mod suffix;
mod threads;
mod xref;
mod zone;

pub use self::article::Parent;
pub use self::facts::facts;
pub use arrangement::{Arrangement, Origin};
pub use articles::{Listed, Relation};
pub use header::text as decoded_header;
pub use listing::Totals;
pub use mailbox::{Mailbox, mailboxes};
pub use numbers::Numbers;
pub use order::{Column, Directories, Order};
pub use raw::Raw;
pub use remark::Remark;
pub use row::{Fold, Kind, Link, Row, Span};
pub use shown::{Folds, HiddenRows, ReadRows, Shown};
pub use zone::Zone;

use std::ops::Range;
use std::sync::Arc;

use crate::protocol::ftp::listing as ftp;
use crate::text::{Charset, ReadAs, Text};
use crate::url::Url;
use arrangement::Filter;
use article::Article;
use body::Body;
use reading::Reading;
use rows::{Rows, Source};

/// A page's content, complete or still arriving. A clone is cheap and can be read on another thread.
#[derive(Clone, Debug)]
pub struct Document {
    /// Where it came from: what its rows are relative to.
    url: Url,
    shape: Shape,
    raw: Raw,
    body: Body,
    reading: Reading,
    filter: Option<Arc<Filter>>,
}

/// How far a key looks for the next link, in octets, so that no key takes long; and what a row counts besides its own.
const LINK_SCAN: usize = 1024 * 1024;
const ROW: usize = 80;

/// What was found by looking for a row with a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundLink {
    /// This row has one.
    Row(usize),
    /// No row has one.
    None,
    /// No row before this one has one; there was too much to look at to go on.
    Beyond(usize),
}

/// What the octets are, as the protocol said it: the first thing a load reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A Gopher menu.
    Menu,
    /// Attributes of Gopher+ items.
    Attributes,
    /// Entries of a phone book.
    People,
    /// What a search of a WAIS database found.
    Hits,
    /// A page of the Web.
    Html,
    /// Lines of text.
    Text,
    /// A list of news groups, and their descriptions.
    Groups,
    /// The overview of a news group.
    Group,
    /// A news article.
    Article,
    /// A directory of FTP.
    Listing {
        /// Its form, when the command that asked for it tells; else its first lines do.
        format: Option<ftp::Format>,
        /// The day it was asked for: it settles the year of dates that have none.
        today: ftp::Day,
    },
}

impl Document {
    /// An empty document of this shape, to be filled by [`Document::append`].
    pub fn new(url: Url, shape: Shape, read_as: impl Into<ReadAs>) -> Self {
        let body = Body::new(shape, &url);
        Self {
            url,
            shape,
            raw: Raw::default(),
            body,
            reading: Reading::new(read_as.into()),
            filter: None,
        }
    }

    /// Takes octets as they arrive.
    pub fn append(&mut self, octets: &[u8]) {
        let is_ascii = octets.is_ascii();
        self.raw.append(octets);
        self.arrived(is_ascii);
    }

    /// Takes octets as they arrive, and keeps a large arrival without copying it.
    pub fn take(&mut self, octets: Vec<u8>) {
        let is_ascii = octets.is_ascii();
        self.raw.take(octets);
        self.arrived(is_ascii);
    }

    fn arrived(&mut self, is_ascii: bool) {
        self.reading.arrived(&self.raw, is_ascii, &self.url);
        let (rows, source) = self.rows_mut();
        rows.arrived(source);
    }

    /// The same document once all has come: what needs the whole (sorting, decoding, its charset) is done here. Long:
    /// call it on a clone, on a blocking task, when [`Document::wants_finish`] says so.
    #[must_use]
    pub fn finished(mut self) -> Self {
        if let Body::Html(_) = &self.body {
            self.declare(html::charset(&self.raw));
        }
        self.reading.ended(&self.raw, &self.url);
        let (rows, source) = self.rows_mut();
        if rows.wants_finish() {
            rows.finish(source);
        }
        if let Some(decoded) = self.body.article().and_then(Article::decoded) {
            self.reading.decoded(decoded, &self.url);
        }
        let filter = self.filter.take();
        self.filter = filter.map(|filter| {
            let needle = filter.needle().clone();
            Arc::new(Filter::new(needle, self.rows(), self.source()))
        });
        self
    }

    /// What a whole listing holds.
    pub fn totals(&self) -> Option<Totals> {
        self.body.listing()?.totals()
    }

    /// Whether [`Document::finished`] would change anything.
    pub fn wants_finish(&self) -> bool {
        self.rows().wants_finish() || !self.reading.is_settled(&self.raw)
    }

    /// The octets it was made of, as lines of text: the source view.
    #[must_use]
    pub fn source_view(&self) -> Self {
        Self {
            shape: Shape::Text,
            body: Body::Text(plain::Plain),
            filter: None,
            ..self.clone()
        }
    }

    /// What the content calls itself: the subject of an article, once it is whole.
    pub fn title(&self) -> Option<Text> {
        self.rows().title(self.source())
    }

    /// Where it came from.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// How its octets are read that are not UTF-8.
    pub fn charset(&self) -> Charset {
        self.reading.charset()
    }

    /// The charset of its octets that are not UTF-8, where there are any.
    pub fn foreign(&self) -> Option<Charset> {
        self.reading.matters(&self.raw).then(|| self.charset())
    }

    /// What is wanted of its charset.
    pub fn read_as(&self) -> ReadAs {
        self.reading.read_as()
    }

    /// Reads its octets that are not UTF-8 so from now on. To be finished again when [`Document::wants_finish`] says so.
    pub fn set_read_as(&mut self, read_as: impl Into<ReadAs>) {
        self.reading.change(read_as.into());
        if let Body::Html(html) = &mut self.body {
            html.unsettle();
        }
    }

    /// Takes a charset that the page comes with: before what its octets suggest, and behind what somebody wants. The first
    /// counts.
    pub fn declare(&mut self, charset: Option<Charset>) {
        self.reading.declare(charset);
    }

    /// Reads its octets as `other` does, of which it is the source.
    pub fn read_like(&mut self, other: &Self) {
        self.reading = other.reading.clone();
    }

    /// What the protocol said its octets are.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The octets as they came.
    pub fn raw(&self) -> &Raw {
        &self.raw
    }

    /// Octets of memory that it takes, about.
    pub fn memory(&self) -> usize {
        self.raw.memory() + self.rows().memory()
    }

    /// Rows so far that are shown.
    pub fn count(&self) -> usize {
        match &self.filter {
            Some(filter) => filter.count(),
            None => self.rows().count(self.source()),
        }
    }

    /// Row `number` from 0.
    pub fn row(&self, number: usize) -> Option<Row> {
        self.rows().row(self.source(), self.unfiltered(number)?)
    }

    /// Whether row `number` continues the line of the row before it, which is too long for one row.
    pub fn continues(&self, number: usize) -> bool {
        self.unfiltered(number)
            .is_some_and(|row| self.rows().continues(self.source(), row))
    }

    /// The links of row `number`.
    pub fn links(&self, number: usize) -> Vec<Link> {
        self.links_in(number, 0..usize::MAX)
    }

    /// Link `index` of row `number`; no other is built.
    pub fn link(&self, number: usize, index: usize) -> Option<Link> {
        self.links_in(number, index..index + 1).into_iter().next()
    }

    /// How many links row `number` has.
    pub fn link_count(&self, number: usize) -> usize {
        self.unfiltered(number)
            .map_or(0, |row| self.rows().link_count(self.source(), row))
    }

    fn links_in(&self, number: usize, which: Range<usize>) -> Vec<Link> {
        self.unfiltered(number)
            .map(|row| self.rows().links(self.source(), row, which))
            .unwrap_or_default()
    }

    /// The first of these rows that has a link.
    pub fn find_link(&self, rows: impl Iterator<Item = usize>) -> FoundLink {
        let mut octets = 0;
        for row in rows {
            if octets > LINK_SCAN {
                return FoundLink::Beyond(row);
            }
            if self.is_link(row) {
                return FoundLink::Row(row);
            }
            let line = self.raw.line(row).map_or(0, <[u8]>::len);
            octets += line + ROW;
        }
        FoundLink::None
    }

    /// Whether row `number` has a link.
    pub fn is_link(&self, number: usize) -> bool {
        self.unfiltered(number)
            .is_some_and(|row| self.rows().is_link(self.source(), row))
    }

    /// The row whose link has this number, where links are numbered.
    pub fn numbered(&self, number: usize) -> Option<usize> {
        let row = self.rows().numbered(self.source(), number)?;
        match &self.filter {
            Some(filter) => filter.place(row),
            None => Some(row),
        }
    }

    /// The highest number that a link has so far; 0 where links are not numbered.
    pub fn numbers(&self) -> usize {
        self.rows().numbers(self.source())
    }

    /// Whether its rows are walked one by one (a menu, a listing) or scrolled (a text).
    pub fn is_list(&self) -> bool {
        self.rows().is_list()
    }

    fn octets_of(&self, number: usize) -> Option<&[u8]> {
        self.rows().octets(self.source(), self.unfiltered(number)?)
    }

    fn source(&self) -> Source<'_> {
        Source {
            url: &self.url,
            raw: &self.raw,
            charset: self.reading.charset(),
        }
    }

    fn rows(&self) -> &dyn Rows {
        self.body.rows()
    }

    fn rows_mut(&mut self) -> (&mut dyn Rows, Source<'_>) {
        let source = Source {
            url: &self.url,
            raw: &self.raw,
            charset: self.reading.charset(),
        };
        (self.body.rows_mut(), source)
    }
}
