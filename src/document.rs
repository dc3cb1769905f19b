//! Documents: octets turned into rows, some of them links.
//!
//! A [`Document`] is the octets as they came ([`Raw`]) and a body that turns line *n* into a [`Row`] when somebody
//! looks. So a page is shown while it arrives, and a page may be huge: memory is the payload and a few octets a line.
//! A row of a menu, a listing or an article can be odd but never a fault: it is shown as it came.

mod arrangement;
mod article;
mod articles;
mod attributes;
mod facts;
pub mod find;
mod group;
mod groups;
mod header;
mod hits;
mod html;
mod listing;
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
pub use listing::Totals;
pub use numbers::Numbers;
pub use order::{Column, Directories, Order};
pub use raw::Raw;
pub use remark::Remark;
pub use row::{Fold, Kind, Link, Row, Span};
pub use shown::{Folds, HiddenRows, ReadRows, Shown};
pub use zone::Zone;

use std::sync::Arc;

use crate::protocol::ftp::listing as ftp;
use crate::text::{self, Charset, ReadAs, Text};
use crate::url::Url;
use arrangement::Filter;
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

#[derive(Clone, Debug)]
enum Body {
    Menu(menu::Menu),
    Attributes(attributes::Attributes),
    People(people::People),
    Hits(hits::Hits),
    Html(html::Html),
    Text(plain::Plain),
    Groups(Box<groups::Groups>),
    Group(Box<group::Group>),
    Article(article::Article),
    Listing(Box<listing::Listing>),
}

impl Document {
    /// An empty document of this shape, to be filled by [`Document::append`].
    pub fn new(url: Url, shape: Shape, read_as: impl Into<ReadAs>) -> Self {
        let body = match shape {
            Shape::Menu => Body::Menu(menu::Menu::default()),
            Shape::Attributes => Body::Attributes(attributes::Attributes::new(&url)),
            Shape::People => Body::People(people::People),
            Shape::Hits => Body::Hits(hits::Hits),
            Shape::Html => Body::Html(html::Html::default()),
            Shape::Text => Body::Text(plain::Plain),
            Shape::Groups => Body::Groups(Box::default()),
            Shape::Group => Body::Group(Box::default()),
            Shape::Article => Body::Article(article::Article::default()),
            Shape::Listing { format, today } => {
                Body::Listing(Box::new(listing::Listing::new(&url, format, today)))
            }
        };
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
        if let Body::Article(article) = &self.body
            && let Some(decoded) = article.decoded()
        {
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
        match &self.body {
            Body::Listing(listing) => listing.totals(),
            Body::Menu(_)
            | Body::Attributes(_)
            | Body::People(_)
            | Body::Hits(_)
            | Body::Html(_)
            | Body::Text(_)
            | Body::Groups(_)
            | Body::Group(_)
            | Body::Article(_) => None,
        }
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

    /// Shows these headers of an article, in this order, once it is whole; none for the usual ones.
    pub fn show_headers(&mut self, headers: Arc<[String]>) {
        if let Body::Article(article) = &mut self.body {
            article.show_headers(headers);
        }
    }

    /// Folds the quotation of an article that row `number` belongs to, or opens it, or what a form feed hides there. Gives
    /// the row where its first line is then; nothing where there is none.
    pub fn turn_quotation(&mut self, number: usize) -> Option<usize> {
        let row = self.unfiltered(number)?;
        let origin = self.rows().origin(row)?;
        let Body::Article(article) = &mut self.body else {
            return None;
        };
        if article.turn_quotation(row) {
            self.rows().row_of(origin)
        } else {
            None
        }
    }

    /// Whether row `number` stands for a folded quotation of an article, or for what a form feed hides in it.
    pub fn is_folded(&self, number: usize) -> bool {
        let row = self.unfiltered(number);
        self.own_article()
            .is_some_and(|article| row.is_some_and(|row| article.is_folded(row)))
    }

    /// Whether row `number` stands for what a form feed hides in an article.
    pub fn is_form_feed(&self, number: usize) -> bool {
        let row = self.unfiltered(number);
        self.own_article()
            .is_some_and(|article| row.is_some_and(|row| article.is_form_feed(row)))
    }

    /// Opens all that is folded in an article, as where nobody could open it later.
    pub fn unfold(&mut self) {
        if let Body::Article(article) = &mut self.body {
            article.unfold();
        }
    }

    fn own_article(&self) -> Option<&article::Article> {
        match &self.body {
            Body::Article(article) => Some(article),
            Body::Menu(_)
            | Body::Attributes(_)
            | Body::People(_)
            | Body::Hits(_)
            | Body::Html(_)
            | Body::Text(_)
            | Body::Groups(_)
            | Body::Group(_)
            | Body::Listing(_) => None,
        }
    }

    /// Folds all long and deep quotations of an article, or opens all. Gives the row where row `number` is then; nothing
    /// where there are none.
    pub fn turn_quotations(&mut self, number: usize) -> Option<usize> {
        let origin = self.rows().origin(self.unfiltered(number)?)?;
        let Body::Article(article) = &mut self.body else {
            return None;
        };
        if article.turn_quotations() {
            self.rows().row_of(origin)
        } else {
            None
        }
    }

    /// Reads the text of an article by ROT13, or as it is again; whether it is an article.
    pub fn turn_script(&mut self) -> bool {
        let Body::Article(article) = &mut self.body else {
            return false;
        };
        article.turn_script();
        true
    }

    /// The file in an article that row `number` tells of: a name that is safe on this machine, and its octets as a document
    /// to be saved.
    pub fn attachment(&self, number: usize) -> Option<(String, Self)> {
        let Body::Article(article) = &self.body else {
            return None;
        };
        let file = article.attachment(self.unfiltered(number)?)?;
        let mut octets = Self::new(self.url.clone(), Shape::Text, Charset::default());
        octets.append(&file.octets);
        Some((text::file_name(&file.name, "attachment"), octets))
    }

    /// What an answer to an article takes from it; nothing before it is whole, and for everything else.
    pub fn parent(&self) -> Option<Parent> {
        match &self.body {
            Body::Article(article) => article.parent(self.source()),
            Body::Menu(_)
            | Body::Attributes(_)
            | Body::People(_)
            | Body::Hits(_)
            | Body::Html(_)
            | Body::Text(_)
            | Body::Groups(_)
            | Body::Group(_)
            | Body::Listing(_) => None,
        }
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

    /// The links of row `number`.
    pub fn links(&self, number: usize) -> Vec<Link> {
        self.unfiltered(number)
            .map(|row| self.rows().links(self.source(), row))
            .unwrap_or_default()
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
        match &self.body {
            Body::Menu(menu) => menu,
            Body::Attributes(attributes) => attributes,
            Body::People(people) => people,
            Body::Hits(hits) => hits,
            Body::Html(html) => html,
            Body::Text(plain) => plain,
            Body::Groups(groups) => groups.as_ref(),
            Body::Group(group) => group.as_ref(),
            Body::Article(article) => article,
            Body::Listing(listing) => listing.as_ref(),
        }
    }

    fn rows_mut(&mut self) -> (&mut dyn Rows, Source<'_>) {
        let source = Source {
            url: &self.url,
            raw: &self.raw,
            charset: self.reading.charset(),
        };
        let rows: &mut dyn Rows = match &mut self.body {
            Body::Menu(menu) => menu,
            Body::Attributes(attributes) => attributes,
            Body::People(people) => people,
            Body::Hits(hits) => hits,
            Body::Html(html) => html,
            Body::Text(plain) => plain,
            Body::Groups(groups) => groups.as_mut(),
            Body::Group(group) => group.as_mut(),
            Body::Article(article) => article,
            Body::Listing(listing) => listing.as_mut(),
        };
        (rows, source)
    }
}
