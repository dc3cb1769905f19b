//! The body of a page of the Web that is laid out: HTML (RFC 1866 and its successors), JSON, and feeds.
//!
//! While a page arrives, the part that has arrived is laid out again and again. A paragraph of HTML is one row of any
//! length, and is wrapped to the pane like a text, so that the layout does not depend on the width. Continued lines of
//! a list item are indented to its first word. Only tables have columns: a page that has any is laid out again where
//! the pane changes its width. Links are inside the text, images are
//! shown by their names, forms by their fields, and scripts are ignored.

mod build;
mod css;
mod feed;
pub(super) mod form;
mod gopher;
mod json;
mod line;
mod read;
mod table;
mod tag;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::sync::Arc;

use geomys_wire::text::{Charset, Text, is_utf8, utf8};
use jiff::civil::Date;
use rfc1738::{ParseError, Parts, Url, repair_reference, split_fragment};

pub use self::css::css_references;
pub use self::feed::looks_like_feed;
pub use self::form::{
    FieldAnswer, FormMethod, WebChoice, WebField, WebFieldKind, WebForm, WebWidget,
};
pub(super) use self::line::PageLayout;
pub(super) use self::read::charset;
use super::date::Zone;
use super::entry::PageEntry;
use super::row::{Kind, Link, LinkForm, ReferenceFault, Row, RowOrigin, Span};
use super::rows::{RowProvider, RowSource};

/// The number of octets of a page that are laid out, at most.
pub(super) const LAYOUT_LIMIT: usize = 8 * 1024 * 1024;

/// The columns of a pane before it is known.
const DEFAULT_COLUMNS: usize = 80;

/// The share of the laid out octets that must arrive before the next layout: a quarter. Up to the size of a beginning,
/// any octet is enough.
const GROWTH: usize = 4;
const BEGINNING: usize = 64 * 1024;

/// The format of a page that is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PageFormat {
    Html,
    Json,
    Feed,
}

/// The line and the column of the cursor in a field.
type Caret = (usize, usize);

/// The body of a page that is laid out. Without a layout its source is shown.
#[derive(Clone, Debug)]
pub(super) struct WebBody {
    format: PageFormat,
    layout: Option<Arc<PageLayout>>,
    /// Its forms, with the answers that were given.
    forms: Vec<Arc<WebForm>>,
    /// The answers that were given, each with the line and the column of the cursor while it is edited.
    answers: Vec<(WebWidget, FieldAnswer, Option<Caret>)>,
    /// The base URL of its references, where it is not the URL of the page.
    base: Option<Url>,
    /// The number of octets in the layout.
    laid_out: usize,
    /// The columns of the pane, and those for which the page is laid out.
    columns: usize,
    laid_out_columns: usize,
    /// The time zone of the displayed dates.
    pub(super) zone: Zone,
    /// True if the page is printed.
    is_output: bool,
    /// The numbers of the hidden parts that are unfolded.
    unfolded: BTreeSet<usize>,
    /// The field of HTTP by which the page leads on to another.
    refresh: Option<Box<str>>,
    /// True if all octets have arrived before the layout, and nothing has changed since.
    is_final: bool,
}

impl WebBody {
    pub(super) fn new(format: PageFormat) -> Self {
        Self {
            format,
            layout: None,
            forms: Vec::new(),
            answers: Vec::new(),
            base: None,
            laid_out: 0,
            columns: DEFAULT_COLUMNS,
            laid_out_columns: DEFAULT_COLUMNS,
            zone: Zone::default(),
            is_output: false,
            unfolded: BTreeSet::new(),
            refresh: None,
            is_final: false,
        }
    }

    pub(super) fn refresh_by(&mut self, field: Option<Box<str>>) {
        self.refresh = field;
    }

    pub(super) fn refresh_field(&self) -> Option<&str> {
        self.refresh.as_deref()
    }

    /// Marks the layout as stale, as after a change of the charset.
    pub(super) fn invalidate(&mut self) {
        self.is_final = false;
    }

    /// The columns of the pane that shows the page.
    pub(super) fn pane_columns(&self) -> usize {
        self.columns
    }

    /// Sets the columns of the pane that shows the page.
    pub(super) fn set_columns(&mut self, columns: usize) {
        self.columns = columns;
    }

    /// The columns of the longest preformatted line.
    pub(super) fn preformatted_columns(&self) -> usize {
        self.layout.as_ref().map_or(0, |layout| layout.preformatted)
    }

    /// Returns true if the pane has other columns than those for which the tables of the page are laid out.
    fn is_resized(&self) -> bool {
        let layout = self.layout.as_ref();
        self.columns != self.laid_out_columns && layout.is_some_and(|layout| layout.has_tables)
    }

    /// Returns true if the pane was resized, or if so much has arrived since the last layout that the next one is worth
    /// its time: all layouts of a growing page take a few times as long as the last.
    pub(super) fn wants_layout(&self, octets: usize) -> bool {
        let growth = if octets > BEGINNING {
            self.laid_out / GROWTH
        } else {
            0
        };
        let has_grown = octets.min(LAYOUT_LIMIT) > self.laid_out + growth;
        !self.is_final && has_grown || self.is_resized()
    }

    /// Lays out the octets that have arrived.
    pub(super) fn lay_out(&mut self, source: RowSource<'_>) {
        let octets = source.raw.beginning(LAYOUT_LIMIT);
        let (text, charset) = decoded(&octets, source.charset);
        // Forms are answered in the charset of the page as it was sent.
        let charset = source.converted_from.unwrap_or(charset);
        let is_cut = octets.len() < source.raw.len();
        let layout = match self.format {
            PageFormat::Html => {
                let mut builder = build::LayoutBuilder::new(charset, self.columns);
                builder.refresh(self.refresh.as_deref().unwrap_or_default());
                let builder = if self.is_output {
                    builder.for_output()
                } else {
                    builder.folding(&self.unfolded)
                };
                let mut layout = read::lay_out_by(builder, &text, is_cut);
                if source.is_detected
                    && !is_utf8(&octets)
                    && let Some(name) = read::unknown_charset(source.raw)
                {
                    layout.note(&format!(
                        "[unknown charset {name}: \"charset\" chooses another]"
                    ));
                }
                layout
            }
            PageFormat::Json => json::lay_out(&text, is_cut),
            PageFormat::Feed => {
                feed::lay_out(&text, source.url, (self.columns, &self.zone), is_cut)
            }
        };
        self.base = layout.base_url(source.url);
        self.forms.clone_from(&layout.forms);
        self.answer_again();
        self.layout = Some(Arc::new(layout));
        self.laid_out = octets.len();
        self.laid_out_columns = self.columns;
    }

    /// Folds or unfolds the hidden part whose row this is. Returns false for another row.
    pub(super) fn toggle(&mut self, source: RowSource<'_>, row: usize) -> bool {
        let number = self
            .layout
            .as_ref()
            .and_then(|layout| layout.hidden_part(row));
        let Some(number) = number else {
            return false;
        };
        if !self.unfolded.remove(&number) {
            self.unfolded.insert(number);
        }
        self.lay_out(source);
        true
    }

    /// Folds all hidden parts, or unfolds them if none is unfolded. Returns false if there are none.
    pub(super) fn toggle_all(&mut self, source: RowSource<'_>) -> bool {
        let parts = self
            .layout
            .as_ref()
            .map_or(0, |layout| layout.hidden_parts());
        if self.unfolded.is_empty() {
            self.unfolded = (0..parts).collect();
        } else {
            self.unfolded.clear();
        }
        self.lay_out(source);
        parts > 0
    }

    /// Shows the texts of fields, and hidden parts.
    pub(super) fn prepare_for_output(&mut self) {
        self.is_output = true;
    }

    /// Gives the answer to a field of a form, with the line and the column of the cursor while it is edited. Returns
    /// false if the page has no such field.
    pub(super) fn answer(
        &mut self,
        widget: WebWidget,
        answer: FieldAnswer,
        caret: Option<(usize, usize)>,
    ) -> bool {
        let is_known = give(&mut self.forms, widget, &answer, caret);
        if is_known {
            let is_other =
                |other: WebWidget| (other.form, other.field) != (widget.form, widget.field);
            self.answers.retain(|(other, ..)| is_other(*other));
            self.answers.push((widget, answer, caret));
        }
        is_known
    }

    /// Undoes the answers to a form. Returns false if the page has no such form.
    pub(super) fn reset(&mut self, form: usize) -> bool {
        self.answers.retain(|(widget, ..)| widget.form != form);
        let first = self
            .layout
            .as_ref()
            .and_then(|layout| layout.forms.get(form));
        let (Some(first), Some(own)) = (first, self.forms.get_mut(form)) else {
            return false;
        };
        own.clone_from(first);
        true
    }

    /// Gives the answers to the forms of a new layout.
    fn answer_again(&mut self) {
        for (widget, answer, caret) in &self.answers {
            give(&mut self.forms, *widget, answer, *caret);
        }
    }

    /// The headings: their rows and their levels.
    pub(super) fn headings(&self) -> impl Iterator<Item = (usize, usize)> {
        self.layout.iter().flat_map(|layout| layout.headings())
    }

    /// The row of the element with this id or name.
    pub(super) fn row_of_id(&self, id: &str) -> Option<usize> {
        self.layout.as_ref()?.line_of_id(id)
    }

    /// The day that an element in a row states for programs (`time`); nothing if there is none.
    pub(super) fn time(&self, row: usize) -> Option<Date> {
        self.layout.as_ref()?.time(row)
    }

    /// The ids and names of all elements; `None` for a page that is no HTML.
    pub(super) fn ids(&self) -> Option<HashSet<String>> {
        let layout = self.layout.as_ref();
        let layout = layout.filter(|_| self.format == PageFormat::Html)?;
        Some(layout.ids().map(str::to_owned).collect())
    }

    /// The links that no line shows.
    pub(super) fn hidden_links(&self, source: RowSource<'_>) -> Vec<Link> {
        let layout = self.layout.as_ref();
        let Some(layout) = layout.filter(|_| self.format == PageFormat::Html) else {
            return Vec::new();
        };
        let base = self.base.as_ref().unwrap_or(source.url);
        let references = layout.hidden_references();
        let links = references.map(|reference| link(Text::default(), reference, base));
        links.collect()
    }

    /// Takes the layout of `other`, of which this body has all octets.
    pub(super) fn adopt(&mut self, other: &Self) {
        if other.laid_out >= self.laid_out {
            self.layout.clone_from(&other.layout);
            self.forms.clone_from(&other.forms);
            self.answer_again();
            self.base.clone_from(&other.base);
            self.laid_out = other.laid_out;
            self.laid_out_columns = other.laid_out_columns;
        }
    }
}

/// Gives the answer to a field of one of the forms. Returns false if they have no such field.
fn give(
    forms: &mut [Arc<WebForm>],
    widget: WebWidget,
    answer: &FieldAnswer,
    caret: Option<Caret>,
) -> bool {
    let Some(form) = forms.get_mut(widget.form).map(Arc::make_mut) else {
        return false;
    };
    let is_known = form.answer(widget.field, answer);
    if is_known {
        form.set_caret(widget.field, caret);
    }
    is_known
}

impl RowProvider for WebBody {
    fn count(&self, source: RowSource<'_>) -> usize {
        match &self.layout {
            None => source.raw.pieces(),
            Some(layout) => layout.raw.lines(),
        }
    }

    fn row(&self, source: RowSource<'_>, number: usize) -> Option<Row> {
        let Some(layout) = &self.layout else {
            let line = source.raw.piece(number)?;
            return Some(Row::new(Kind::Plain, Text::new(line, source.charset)));
        };
        layout.row(number, &self.forms)
    }

    fn octets<'a>(&'a self, source: RowSource<'a>, number: usize) -> Option<&'a [u8]> {
        match &self.layout {
            None => source.raw.piece(number),
            // The answers are not in the line.
            Some(layout) if layout.has_widget(number) => None,
            Some(layout) => layout.raw.line(number),
        }
    }

    fn continues(&self, source: RowSource<'_>, number: usize) -> bool {
        self.layout.is_none() && source.raw.continues(number)
    }

    fn links(&self, source: RowSource<'_>, number: usize, indices: Range<usize>) -> Vec<Link> {
        let Some(layout) = &self.layout else {
            return Vec::new();
        };
        let base = self.base.as_ref().unwrap_or(source.url);
        layout.links(number, base, &self.forms, indices)
    }

    fn link_count(&self, _source: RowSource<'_>, number: usize) -> usize {
        self.layout
            .as_ref()
            .map_or(0, |layout| layout.anchors(number).len())
    }

    fn finish(&mut self, source: RowSource<'_>) {
        self.lay_out(source);
        self.is_final = true;
    }

    fn needs_finish(&self) -> bool {
        !self.is_final
    }

    fn memory(&self) -> usize {
        self.layout.as_ref().map_or(0, |layout| layout.raw.memory())
    }

    fn origin(&self, row: usize) -> Option<RowOrigin> {
        let position = match &self.layout {
            None => row,
            Some(layout) => layout.position(row)?,
        };
        Some(RowOrigin::Line(position))
    }

    fn row_of(&self, origin: RowOrigin) -> Option<usize> {
        let position = origin.line()?;
        let layout = self.layout.as_ref();
        Some(layout.map_or(position, |layout| layout.line_at(position)))
    }

    fn title(&self, _source: RowSource<'_>) -> Option<Text> {
        let title = self.layout.as_ref()?.title.as_deref()?;
        Some(Text::of(title)).filter(|title| !title.is_blank())
    }
}

/// Returns the entries of a feed, in its order.
pub(super) fn feed_entries(source: RowSource<'_>) -> Vec<PageEntry> {
    let octets = source.raw.beginning(LAYOUT_LIMIT);
    let (text, _) = decoded(&octets, source.charset);
    feed::entries(&text, source.url)
}

/// Lays out a page inside another document, up to the limit, for a pane of this many columns.
pub(super) fn lay_out_html(page: &str, columns: Option<usize>) -> PageLayout {
    let end = (0..=LAYOUT_LIMIT.min(page.len())).rev();
    let end = end.take(4).find(|&at| page.is_char_boundary(at));
    let (laid_out, rest) = page
        .split_at_checked(end.unwrap_or(0))
        .unwrap_or((page, ""));
    let columns = columns.unwrap_or(DEFAULT_COLUMNS);
    read::lay_out(laid_out, Charset::utf_8(), columns, !rest.is_empty())
}

impl PageLayout {
    /// Makes the row of a line, with the answers in these forms.
    pub(super) fn row(&self, number: usize, forms: &[Arc<WebForm>]) -> Option<Row> {
        let line = self.raw.line(number)?;
        let style = self.style(number);
        let mut spans = Vec::new();
        let mut push_span = |octets: Option<&[u8]>, link, is_field, is_key| {
            if let Some(octets) = octets.filter(|octets| !octets.is_empty()) {
                spans.push(Span {
                    link,
                    is_field,
                    is_key,
                    ..Span::new(Text::new(octets, Charset::default()))
                });
            }
        };
        let mut keys = self.keys(number).peekable();
        let mut push = |range: Range<usize>, link: Option<(usize, bool)>, answer: Option<&str>| {
            let mut at = range.start;
            if let (Some((link, is_field)), _) = (link, answer) {
                let octets = answer.map_or(line.get(range), |answer| Some(answer.as_bytes()));
                return push_span(octets, Some(link), is_field, false);
            }
            while let Some(key) = keys.next_if(|key| key.start < range.end) {
                push_span(line.get(at..key.start.max(at)), None, false, false);
                at = key.start.max(at);
                push_span(line.get(at..key.end.min(range.end)), None, false, true);
                at = key.end.min(range.end).max(at);
            }
            push_span(line.get(at..range.end), None, false, false);
        };
        let (mut at, mut caret) = (0, None);
        for (index, anchor) in self.anchors(number).iter().enumerate() {
            let range = anchor.range();
            push(at..range.start, None, None);
            let widget = self.widget(anchor);
            let form = widget.and_then(|widget| forms.get(widget.form).zip(Some(widget)));
            let answer = form.and_then(|(form, widget)| form.text_of(widget));
            let is_field = answer.is_some() || widget.is_some();
            push(range.clone(), Some((index, is_field)), answer.as_deref());
            if let (Some((form, widget)), Some(answer)) = (form, &answer) {
                let inside = form.caret_in(widget, answer);
                caret = caret.or(inside.map(|inside| (index, inside)));
            }
            at = range.end;
        }
        push(at..line.len(), None, None);
        let caret = caret.map(|(link, inside)| {
            let before = spans.iter().take_while(|span| span.link != Some(link));
            before.map(|span| span.text.as_str().len()).sum::<usize>() + inside
        });
        Some(Row {
            hang: usize::from(style.hang),
            wraps: !style.is_fixed,
            caret,
            ..Row::with_spans(style.kind, spans)
        })
    }

    /// The links of a line with these indices. References are relative to `base`.
    pub(super) fn links(
        &self,
        number: usize,
        base: &Url,
        forms: &[Arc<WebForm>],
        indices: Range<usize>,
    ) -> Vec<Link> {
        let line = self.raw.line(number).unwrap_or_default();
        let anchors = self.anchors(number).iter().skip(indices.start);
        anchors
            .take(indices.len())
            .map(|anchor| {
                let label = line.get(anchor.range()).unwrap_or_default();
                let label = Text::new(label.trim_ascii(), Charset::default());
                let widget = self.widget(anchor);
                let form = widget.and_then(|widget| Some((forms.get(widget.form)?, widget)));
                let form = form.map(|(form, widget)| match form.sent_by(widget) {
                    Cow::Borrowed(_) => Arc::clone(form),
                    Cow::Owned(form) => Arc::new(form),
                });
                let to = form.as_deref().map(|form| tag::reference(&form.action));
                let to = to.as_deref().unwrap_or_else(|| self.target(anchor));
                Link {
                    form: form.clone().map(LinkForm::Web),
                    widget,
                    ..link(label, to, base)
                }
            })
            .collect()
    }

    /// The base URL of the references, where the page at `url` states one.
    pub(super) fn base_url(&self, url: &Url) -> Option<Url> {
        target(self.base.as_deref()?, url).ok()
    }
}

/// Resolves a reference on a page, with its fragment.
pub(super) fn target(reference: &str, base: &Url) -> Result<Url, ParseError> {
    resolved(reference, base).0
}

/// Returns a link to what a reference on a page resolves to, with the fault of the reference.
pub(super) fn link(label: Text, reference: &str, base: &Url) -> Link {
    let (target, error) = resolved(reference, base);
    let fault = error.map(|error| {
        let written = reference.to_owned();
        Box::new(ReferenceFault { written, error })
    });
    Link {
        fault,
        ..Link::new(label, target)
    }
}

/// Returns the error of a reference that is malformed by the documents after RFC 1738 too: RFC 3986 (section 2.3)
/// allows `~`.
pub(super) fn fault(
    reference: &str,
    error: ParseError,
    parse: impl Fn(&str) -> Result<Url, ParseError>,
) -> Option<ParseError> {
    if !reference.contains('~') {
        return Some(error);
    }
    // The place of another error stays.
    parse(&reference.replace('~', "-")).err()
}

/// Resolves a reference on a page, with its fragment. Returns the error of one that was repaired, too.
fn resolved(reference: &str, base: &Url) -> (Result<Url, ParseError>, Option<ParseError>) {
    let (reference, fragment) = split_fragment(reference);
    let target = match base.base_parts() {
        Parts::Gopher(page) if is_path(reference) => gopher::target(reference, base, &page),
        _ => base.resolve(reference),
    };
    let error = target.as_ref().err();
    let error =
        error.and_then(|error| fault(reference, *error, |reference| base.resolve(reference)));
    let target = target.or_else(|error| repair_reference(reference, base).ok_or(error));
    let with_fragment =
        |url: Url| fragment.map_or_else(|| url.clone(), |fragment| url.with_fragment(fragment));
    (target.map(with_fragment), error)
}

/// Returns true for a reference that is a path: it has no scheme and no host, and is not empty.
fn is_path(reference: &str) -> bool {
    let first = reference.split(['/', '?']).next().unwrap_or_default();
    !reference.is_empty() && !reference.starts_with("//") && !first.contains(':')
}

/// Decodes a page, and returns the charset that it is in. Valid UTF-8 is decoded as UTF-8, unless it contains octets
/// that no UTF-8 page has: the escapes of ISO-2022, the NULs of UTF-16. A page of ASCII alone is in its declared
/// charset.
pub(super) fn decoded(octets: &[u8], charset: Charset) -> (String, Charset) {
    let utf_8 = Charset::utf_8();
    if let Some(rest) = octets.strip_prefix(b"\xef\xbb\xbf") {
        return (String::from_utf8_lossy(rest).into_owned(), utf_8);
    }
    let is_plain = memchr::memchr2(0x1b, 0, octets).is_none();
    match std::str::from_utf8(octets) {
        Ok(text) if is_plain => {
            let is_declared = text.is_ascii() && charset != Charset::default();
            (text.to_owned(), if is_declared { charset } else { utf_8 })
        }
        // The last letter may be truncated. Behind ASCII alone it is one of another charset.
        Err(error)
            if error.error_len().is_none()
                && !octets
                    .get(..error.valid_up_to())
                    .is_none_or(<[u8]>::is_ascii)
                && is_plain =>
        {
            (String::from_utf8_lossy(octets).into_owned(), utf_8)
        }
        Err(_) if is_plain && let Some(text) = utf8(octets) => (text.into_owned(), utf_8),
        Ok(_) | Err(_) => (charset.decode(octets).into_owned(), charset),
    }
}
