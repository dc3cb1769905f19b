//! The octets of a document: converted as they arrive, and again when their charset turns out to be another; and what
//! follows when all have arrived.

use std::borrow::Cow;
use std::sync::Arc;

use geomys_wire::text::{Charset, CharsetSetting};
use memchr::{memchr, memmem};

use super::article::ArticleBody;
use super::body::Body;
use super::continuation::ContinuationRows;
use super::conversion::{Conversion, converts};
use super::filter::RowFilter;
use super::model::{Document, FEED_HEAD};
use super::raw::LineBuffer;
use super::rows::RowProvider;
use super::shape::Shape;
use super::web;

/// The octets at the beginning of a page among which the escapes of an undeclared charset are searched.
const ESCAPES_HEAD: usize = 1024 * 1024;

impl Document {
    /// Appends received octets. A text in UTF-16, UTF-32 or a charset with shift states becomes UTF-8.
    pub fn append(&mut self, octets: &[u8]) {
        let octets = self.converted(Cow::Borrowed(octets));
        self.append_converted(&octets);
    }

    /// Appends received octets as [`Document::append`] does, and stores a large buffer without copying it.
    pub fn take(&mut self, octets: Vec<u8>) {
        let octets = self.converted(Cow::Owned(octets)).into_owned();
        let (before, is_ascii) = (self.raw.len(), octets.is_ascii());
        self.note_escapes(&octets);
        self.raw.take(octets);
        self.on_append(before, is_ascii);
    }

    /// Appends octets that [`Document::convert`] has returned.
    pub fn append_converted(&mut self, octets: &[u8]) {
        let (before, is_ascii) = (self.raw.len(), octets.is_ascii());
        self.note_escapes(octets);
        self.raw.append(octets);
        self.on_append(before, is_ascii);
    }

    /// Converts the next octets as [`Document::append`] does, for [`Document::piece`].
    pub fn convert(&mut self, octets: Vec<u8>) -> Vec<u8> {
        self.conversion.push(Cow::Owned(octets)).into_owned()
    }

    /// Converts the octets that wait at the end of a page, as [`Document::convert`] does.
    pub fn convert_rest(&mut self) -> Vec<u8> {
        self.conversion.finish()
    }

    /// Returns a document of the same kind with these octets, which [`Document::convert`] has returned.
    #[must_use]
    pub fn piece(&self, converted: &[u8]) -> Self {
        let mut piece = self.clone();
        if piece.conversion.charset().is_some() {
            piece.page_charset.declare_instead(Charset::utf_8());
        }
        piece.conversion = Conversion::done();
        piece.append_converted(converted);
        piece
    }

    /// The octets as they were sent.
    pub fn sent(&self) -> &LineBuffer {
        self.sent.as_deref().unwrap_or(&self.raw)
    }

    /// Returns the document after all octets have arrived: sorted, decoded, and with its charset detected. Slow: call
    /// it on a clone, on a blocking task, when [`Document::needs_finish`] returns true.
    #[must_use]
    pub fn finished(mut self) -> Self {
        self.append_rest();
        self.open_member();
        let charset = self.charset();
        self.declare_own_charset();
        self.convert_escapes();
        self.append_rest();
        self.page_charset.finish(&self.raw, &self.url);
        let (rows, source) = self.rows_mut();
        if rows.needs_finish() {
            rows.finish(source);
        }
        if let Some(decoded) = self.body.article().and_then(ArticleBody::decoded) {
            self.page_charset.finish_decoded(decoded, &self.url);
        }
        let filter = self.filter.take();
        self.filter = filter.map(|filter| {
            let query = filter.query.clone();
            Arc::new(RowFilter::new(query, self.rows(), self.source()))
        });
        self.find_continuations();
        // Where links begin in a text that has arrived depends on its charset only.
        let is_text = matches!(self.body, Body::Text(_));
        if !is_text || self.charset() != charset || self.has_unnumbered_links() {
            self.number_all_links();
        }
        self
    }

    /// Returns the document with a layout of the octets that have arrived. Slow for a long page: call it on a clone, on
    /// a blocking task, when [`Document::wants_layout`] returns true.
    #[must_use]
    pub fn laid_out(mut self) -> Self {
        self.declare_own_charset();
        match self.body_mut() {
            (Body::Web(web), source) => web.lay_out(source),
            (Body::Article(article), source) => article.finish(source),
            _ => {}
        }
        self.number_all_links();
        self
    }

    /// Sets the field of HTTP by which a page of the Web leads on to another: `5; url=/next`.
    pub fn refresh_by(&mut self, field: Option<Box<str>>) {
        if let Body::Web(web) = &mut self.body {
            web.refresh_by(field);
        }
    }

    /// The field of HTTP by which a page of the Web leads on to another.
    pub fn refresh_field(&self) -> Option<&str> {
        match &self.body {
            Body::Web(web) => web.refresh_field(),
            _ => None,
        }
    }

    /// Declares the charset that a page of the Web states at its beginning.
    fn declare_own_charset(&mut self) {
        if let Body::Web(_) = &self.body {
            self.declare(web::charset(&self.raw));
        }
    }

    /// Returns true if [`Document::finished`] would change anything.
    pub fn needs_finish(&self) -> bool {
        let is_text = self.shape != Shape::Picture;
        self.rows().needs_finish()
            || self.conversion.is_waiting()
            || self.may_have_escapes
            || is_text && !self.page_charset.is_settled(&self.raw)
            || self.has_unnumbered_links()
            || self.shape.has_records() && !self.continuations.is_complete(&self.raw)
    }

    /// Sets the charset of octets that are not UTF-8. Finish the document again when [`Document::needs_finish`] returns
    /// true.
    pub fn set_charset_setting(&mut self, charset_setting: impl Into<CharsetSetting>) {
        self.page_charset.charset_setting = charset_setting.into();
        self.convert_again();
        if let Body::Web(web) = &mut self.body {
            web.invalidate();
        }
    }

    /// Declares the charset that the page was sent with. It has priority over the detected charset, and the user's
    /// selection has priority over it. Only the first declaration counts.
    pub fn declare(&mut self, charset: Option<Charset>) {
        self.page_charset.declare(charset);
        self.convert_again();
    }

    fn converted<'a>(&mut self, octets: Cow<'a, [u8]>) -> Cow<'a, [u8]> {
        self.conversion.decide(&octets);
        if self.conversion.changes(&octets) {
            let raw = &self.raw;
            let sent = self.sent.get_or_insert_with(|| Box::new(raw.clone()));
            sent.append(&octets);
        }
        let converted = self.conversion.push(octets);
        if !self.conversion.has_changed() {
            self.sent = None;
        }
        converted
    }

    fn on_append(&mut self, before: usize, is_ascii: bool) {
        if self.shape == Shape::Text && before < FEED_HEAD {
            self.detect_format();
        }
        self.page_charset.on_append(&self.raw, is_ascii, &self.url);
        let (rows, source) = self.rows_mut();
        rows.on_append(source);
        self.number_new_links();
    }

    /// Reads a text that begins like a feed as one, and a file of JSON by its name. On the Web the media type tells.
    fn detect_format(&mut self) {
        if self.url.is_web() {
            return;
        }
        let head = self.raw.beginning(FEED_HEAD);
        let path = self
            .url
            .base_parts()
            .title_path()
            .octets()
            .to_ascii_lowercase();
        let is_json = || {
            let start = head.trim_ascii_start().first();
            path.ends_with(b".json") && matches!(start, Some(b'{' | b'['))
        };
        let shape = if web::looks_like_feed(&head) {
            Shape::Feed
        } else if is_json() {
            Shape::Json
        } else {
            return;
        };
        self.shape = shape;
        self.body = Body::new(self.shape, &self.url);
    }

    /// Appends what waits for more octets, at the end of the page.
    pub(super) fn append_rest(&mut self) {
        if !self.conversion.has_changed() {
            self.sent = None;
        }
        let rest = self.conversion.finish();
        if !rest.is_empty() {
            self.append_converted(&rest);
        }
    }

    /// Converts the octets again if the page is in another charset now. The rows have to be finished afterwards.
    pub(super) fn convert_again(&mut self) {
        let charset = self.page_charset.charset();
        if !self.conversion.is_changed_by(self.shape, charset) {
            return;
        }
        self.conversion = Conversion::new(self.shape, charset);
        let sent = self.sent.take().map(|sent| *sent);
        let sent = sent.unwrap_or_else(|| self.raw.clone());
        if sent.is_empty() {
            return;
        }
        match &mut self.body {
            Body::Web(web) => web.invalidate(),
            body => *body = Body::new(self.shape, &self.url),
        }
        self.raw = self.body.line_buffer();
        self.page_charset.forget_lines();
        self.continuations = ContinuationRows::default();
        self.forget_numbers();
        self.prepare_for_output();
        for block in sent.blocks() {
            self.append(block);
        }
    }

    /// Notes escapes that may be those of an undeclared charset.
    fn note_escapes(&mut self, octets: &[u8]) {
        let is_searched = self.page_charset.is_detected() && self.conversion.charset().is_none();
        // The rows of a menu are decoded one by one.
        let is_text = converts(self.shape) || self.shape == Shape::Menu;
        if is_searched && is_text && !self.may_have_escapes {
            let has_hz = || octets.ends_with(b"~") || memmem::find(octets, b"~{").is_some();
            self.may_have_escapes = memchr(0x1b, octets).is_some() || has_hz();
        }
    }

    /// Converts the octets from the charset whose escapes they have, if none is declared.
    pub(super) fn convert_escapes(&mut self) {
        if std::mem::take(&mut self.may_have_escapes) && self.page_charset.is_detected() {
            let head = self.raw.beginning(ESCAPES_HEAD);
            // All of these charsets are seven bits wide.
            let found = Charset::with_escapes(&head).filter(|_| head.is_ascii());
            if let Some(charset) = found {
                self.page_charset.detected_as(charset);
                self.convert_again();
            }
        }
    }
}
