//! The model of a page: the received octets, the body that makes rows of them, and the arrangement of these rows.

use std::ops::Range;
use std::sync::Arc;

use geomys_wire::text::{Charset, CharsetSetting, Text};
use rfc1738::Url;

use super::body::Body;
use super::continuation::ContinuationRows;
use super::conversion::Conversion;
use super::filter::RowFilter;
use super::link_numbers::LinkNumbers;
use super::listing::ListingTotals;
use super::page_charset::PageCharset;
use super::plain::{LineLengths, TextBody};
use super::raw::LineBuffer;
use super::row::{Kind, Link, Row};
use super::rows::{RowProvider, RowSource};
use super::shape::Shape;
use super::text_line;
use super::web::{self, FieldAnswer, WebWidget};

/// The content of a page, complete or still arriving. A clone is cheap and can be read on another thread.
///
/// ```
/// use geomys_page::document::{Document, Shape};
/// use geomys_wire::text::CharsetSetting;
/// use rfc1738::Url;
///
/// let url = Url::parse("gopher://h.example/1/").unwrap();
/// let mut menu = Document::new(url, Shape::Menu, CharsetSetting::default());
/// menu.append(b"1Library\t/library\th.example\t70\r\n");
/// assert_eq!(menu.row(0).unwrap().text(), "Library");
/// let link = menu.link(0, 0).unwrap();
/// assert_eq!(link.target.unwrap().as_str(), "gopher://h.example/1/library");
/// ```
#[derive(Clone, Debug)]
pub struct Document {
    /// The URL of the page. References in its rows are relative to it.
    pub(super) url: Url,
    pub(super) shape: Shape,
    pub(super) raw: LineBuffer,
    pub(super) body: Body,
    pub(super) page_charset: PageCharset,
    pub(super) conversion: Conversion,
    /// The octets as they were sent, where those of `raw` were converted from another charset.
    pub(super) sent: Option<Box<LineBuffer>>,
    /// True if octets have arrived that may be escapes of an undeclared charset.
    pub(super) may_have_escapes: bool,
    pub(super) filter: Option<Arc<RowFilter>>,
    pub(super) continuations: ContinuationRows,
    pub(super) numbers: LinkNumbers,
}

/// The octets searched for the next link at one key press, so that no key takes long; and the octets counted for each
/// row besides its own.
const LINK_SCAN: usize = 1024 * 1024;
const ROW: usize = 80;

/// The number of octets at the beginning of a text among which the first element of a feed is searched.
pub(super) const FEED_HEAD: usize = 4096;

/// The result of the search for a row with a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundLink {
    /// The number of the first row with a link.
    Row(usize),
    /// No row has a link.
    None,
    /// No row before this one has a link. The search stopped here because the limit was reached.
    Beyond(usize),
}

impl Document {
    /// Returns an empty document of this shape, to be filled by [`Document::append`].
    pub fn new(url: Url, shape: Shape, charset_setting: CharsetSetting) -> Self {
        let body = Body::new(shape, &url);
        Self {
            url,
            shape,
            raw: body.line_buffer(),
            body,
            page_charset: PageCharset::new(charset_setting),
            conversion: Conversion::new(shape, PageCharset::new(charset_setting).charset()),
            sent: None,
            may_have_escapes: false,
            filter: None,
            continuations: ContinuationRows::default(),
            numbers: LinkNumbers::default(),
        }
    }

    /// Returns true if [`Document::laid_out`] is worth its time: the page is laid out, and has grown since, or its pane
    /// has other columns.
    pub fn wants_layout(&self) -> bool {
        match &self.body {
            Body::Web(web) => web.wants_layout(self.raw.len()),
            Body::Article(article) => article.is_resized(),
            _ => false,
        }
    }

    /// Returns true if the rows depend on the columns of the pane, and were not made for these.
    pub fn is_resized(&self, columns: usize) -> bool {
        match &self.body {
            Body::Web(web) => web.pane_columns() != columns,
            Body::Article(article) => article.pane_columns() != Some(columns),
            _ => false,
        }
    }

    /// Sets the columns of the pane that shows the page. Tables are laid out for it: see [`Document::wants_layout`].
    pub fn set_columns(&mut self, columns: usize) {
        match &mut self.body {
            Body::Web(web) => web.set_columns(columns),
            Body::Article(article) => article.set_columns(columns),
            _ => {}
        }
    }

    /// The columns of the longest line of a text that is wrapped by hand; 0 for other pages. A pane wraps no line of
    /// such a text that it has room for.
    pub fn hard_wrapped_columns(&self) -> usize {
        let lengths = match &self.body {
            Body::Text(text) => Some(text.line_lengths()),
            Body::Article(article) => article.line_lengths(),
            _ => None,
        };
        lengths.map_or(0, LineLengths::hard_wrapped_columns)
    }

    /// The columns of the longest row that is never wrapped.
    pub fn preformatted_columns(&self) -> usize {
        match &self.body {
            Body::Web(web) => web.preformatted_columns(),
            Body::Gemtext(gemtext) => gemtext.preformatted_columns(),
            Body::Article(article) => article.preformatted_columns(),
            _ => 0,
        }
    }

    /// Gives the answer to a field of a form of the page, which its rows show, with the line and the column of the
    /// cursor while it is edited. Returns false if the page has no such field.
    pub fn answer(
        &mut self,
        widget: WebWidget,
        answer: FieldAnswer,
        caret: Option<(usize, usize)>,
    ) -> bool {
        match &mut self.body {
            Body::Web(web) => web.answer(widget, answer, caret),
            _ => false,
        }
    }

    /// Undoes the answers to a form of the page. Returns false if the page has no such form.
    pub fn reset_form(&mut self, form: usize) -> bool {
        match &mut self.body {
            Body::Web(web) => web.reset(form),
            _ => false,
        }
    }

    /// Takes the layout of `other`, which was a clone of this document.
    pub fn adopt_layout(&mut self, other: &Self) {
        match (&mut self.body, &other.body) {
            (Body::Web(web), Body::Web(other)) => web.adopt(other),
            (Body::Article(article), Body::Article(other)) => article.adopt(other),
            _ => {}
        }
        self.numbers = other.numbers.clone();
    }

    /// The totals of a complete listing.
    pub fn totals(&self) -> Option<ListingTotals> {
        self.body.listing()?.totals()
    }

    /// The source view: the received octets as lines of text.
    #[must_use]
    pub fn source_view(&self) -> Self {
        let mut source = Self {
            shape: Shape::Text,
            body: Body::Text(TextBody::default()),
            filter: None,
            continuations: ContinuationRows::default(),
            numbers: LinkNumbers::default(),
            ..self.clone()
        };
        source.number_folded_links();
        source
    }

    /// The title in the content: the subject of an article, once it is complete.
    pub fn title(&self) -> Option<Text> {
        self.rows().title(self.source())
    }

    /// The URL of the page.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The charset by which octets that are not UTF-8 are decoded.
    pub fn charset(&self) -> Charset {
        let converted = self.conversion.charset();
        converted.unwrap_or_else(|| self.page_charset.charset())
    }

    /// The charset of the octets that are not UTF-8; nothing where all are UTF-8.
    pub fn non_utf8_charset(&self) -> Option<Charset> {
        let converted = self.conversion.charset();
        if converted.is_some() {
            return converted;
        }
        (self.shape != Shape::Picture && self.page_charset.has_non_utf8(&self.raw))
            .then(|| self.charset())
    }

    /// The selected charset, or automatic detection.
    pub fn charset_setting(&self) -> CharsetSetting {
        self.page_charset.charset_setting
    }

    /// Sets the charset of the page that led here, for a page with too few octets to detect its own.
    pub fn expect_charset(&mut self, prior: Option<Charset>) {
        self.page_charset.prior = prior;
    }

    /// The charset that pages below this one are expected to have: nothing where no page has told it.
    pub fn expected_charset(&self) -> Option<Charset> {
        self.non_utf8_charset().or(self.page_charset.prior)
    }

    /// Returns the charset that the page was sent with.
    pub fn declared_charset(&self) -> Option<Charset> {
        self.page_charset.declared()
    }

    /// Copies the charset state from `other`, of which this document is the source view.
    pub fn copy_charset_from(&mut self, other: &Self) {
        self.page_charset = other.page_charset.clone();
    }

    /// The format of the octets, as the protocol stated it.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The received octets; those of a page in a charset whose lines cannot be found in its octets as UTF-8.
    pub fn raw(&self) -> &LineBuffer {
        &self.raw
    }

    /// Returns true if further octets change no row: a page is laid out up to a limit.
    pub fn is_full(&self) -> bool {
        matches!(self.body, Body::Web(_)) && self.raw.len() > web::LAYOUT_LIMIT
    }

    /// The approximate memory use, in octets.
    pub fn memory(&self) -> usize {
        let sent = self.sent.as_ref().map_or(0, |sent| sent.memory());
        sent + self.raw.memory() + self.rows().memory() + self.continuations.memory()
    }

    /// The number of visible rows so far.
    pub fn count(&self) -> usize {
        let records = match &self.filter {
            Some(filter) => filter.count(),
            None => self.rows().count(self.source()),
        };
        records + self.continuations.count()
    }

    /// Returns row `number`, counted from 0.
    pub fn row(&self, number: usize) -> Option<Row> {
        match self.row_in_body(number)? {
            (row, None) => {
                let made = self.rows().row(self.source(), row)?;
                let number = made.number.or_else(|| self.numbers.first_in(row));
                Some(Row { number, ..made })
            }
            (_, Some(piece)) => {
                let octets = self.raw.piece(piece)?;
                Some(text_line::painted(Kind::Plain, octets, self.charset()))
            }
        }
    }

    /// Returns true if row `number` continues the line of the row before it, which is too long for one row.
    pub fn continues(&self, number: usize) -> bool {
        match self.row_in_body(number) {
            Some((row, None)) => self.rows().continues(self.source(), row),
            Some((_, Some(_))) => true,
            None => false,
        }
    }

    /// The properties of row `number` that it does not show, by name.
    pub fn details(&self, number: usize) -> Vec<(&'static str, Text)> {
        let row = self.unfiltered(number);
        row.map_or_else(Vec::new, |row| self.rows().details(self.source(), row))
    }

    /// The links of row `number`.
    pub fn links(&self, number: usize) -> Vec<Link> {
        self.links_in(number, 0..usize::MAX)
    }

    /// The links that begin in row `number`.
    pub fn starting_links(&self, number: usize) -> Vec<Link> {
        match self.first_link(number) {
            Some(first) => self.links_in(number, first..usize::MAX),
            None => Vec::new(),
        }
    }

    /// Link `index` of row `number`. No other link is built.
    pub fn link(&self, number: usize, index: usize) -> Option<Link> {
        self.links_in(number, index..index + 1).into_iter().next()
    }

    /// The number of links in row `number`.
    pub fn link_count(&self, number: usize) -> usize {
        self.unfiltered(number)
            .map_or(0, |row| self.rows().link_count(self.source(), row))
    }

    fn links_in(&self, number: usize, indices: Range<usize>) -> Vec<Link> {
        self.unfiltered(number)
            .map(|row| self.rows().links(self.source(), row, indices))
            .unwrap_or_default()
    }

    /// Returns true if the first link of row `number` began in a row before: a URL in brackets over several lines.
    pub fn continues_link(&self, number: usize) -> bool {
        self.unfiltered(number)
            .is_some_and(|row| self.rows().continues_link(self.source(), row))
    }

    /// The index of the first link that begins in row `number`; `None` if none does.
    pub fn first_link(&self, number: usize) -> Option<usize> {
        let is_link = self.is_link(number);
        let first = usize::from(is_link && self.continues_link(number));
        (is_link && (first == 0 || self.link_count(number) > first)).then_some(first)
    }

    /// Finds the first of these rows in which a link begins.
    pub fn find_link(&self, rows: impl Iterator<Item = usize>) -> FoundLink {
        let mut octets = 0;
        for row in rows {
            if octets > LINK_SCAN {
                return FoundLink::Beyond(row);
            }
            if self.first_link(row).is_some() {
                return FoundLink::Row(row);
            }
            let line = self.raw.line(row).map_or(0, <[u8]>::len);
            octets += line + ROW;
        }
        FoundLink::None
    }

    /// Returns true if row `number` has a link.
    pub fn is_link(&self, number: usize) -> bool {
        self.unfiltered(number)
            .is_some_and(|row| self.rows().is_link(self.source(), row))
    }

    /// Returns true if the cursor moves from row to row (a menu, a listing), false if the page scrolls (a text).
    pub fn is_list(&self) -> bool {
        self.shape.is_list()
    }

    pub(super) fn octets_of(&self, number: usize) -> Option<&[u8]> {
        match self.row_in_body(number)? {
            (row, None) => self.rows().octets(self.source(), row),
            (_, Some(piece)) => self.raw.piece(piece),
        }
    }

    /// The row of the body that visible row `number` is; nothing where it continues a record.
    pub(super) fn unfiltered(&self, number: usize) -> Option<usize> {
        let (row, piece) = self.row_in_body(number)?;
        piece.is_none().then_some(row)
    }

    pub(super) fn source(&self) -> RowSource<'_> {
        RowSource {
            url: &self.url,
            raw: &self.raw,
            charset: self.line_charset(),
            converted_from: self.conversion.charset(),
            is_detected: self.page_charset.is_detected(),
        }
    }

    /// The charset of lines that are not UTF-8.
    fn line_charset(&self) -> Charset {
        match self.conversion.charset() {
            Some(_) => Charset::utf_8(),
            None => self.page_charset.charset(),
        }
    }

    pub(super) fn rows(&self) -> &dyn RowProvider {
        self.body.rows()
    }

    pub(super) fn rows_mut(&mut self) -> (&mut dyn RowProvider, RowSource<'_>) {
        let (body, source) = self.body_mut();
        (body.rows_mut(), source)
    }

    /// The body, and the octets that it makes rows of.
    pub(super) fn body_mut(&mut self) -> (&mut Body, RowSource<'_>) {
        let source = RowSource {
            url: &self.url,
            raw: &self.raw,
            charset: self.line_charset(),
            converted_from: self.conversion.charset(),
            is_detected: self.page_charset.is_detected(),
        };
        (&mut self.body, source)
    }
}
