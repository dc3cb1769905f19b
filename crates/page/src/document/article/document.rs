//! The operations of a document that apply to articles only; among them folding: quotations, headers, text behind form
//! feeds.

use std::sync::Arc;

use geomys_wire::text;
use geomys_wire::text::{Charset, CharsetSetting, Text};
use jiff::Timestamp;

use super::decode::DecodedArticle;
use super::fold::{ArticleRow, FoldedRuns};
use super::fold::{LineRun, RunKind};
use super::head::MAX_HEAD_BYTES;
use super::{ArticleBody, ParentArticle, TextCipher};
use crate::document::Zone;
use crate::document::body::Body;
use crate::document::model::Document;
use crate::document::page_charset::PageCharset;
use crate::document::raw::LineBuffer;
use crate::document::shape::Shape;

impl Document {
    /// Sets the headers of an article to show, in this order, once it is complete; empty for the default ones.
    pub fn show_headers(&mut self, headers: Arc<[String]>) {
        if let Body::Article(article) = &mut self.body {
            article.headers = headers;
        }
    }

    /// Folds the headers below the subject and the author of an article, once it is complete.
    pub fn fold_headers(&mut self) {
        if let Body::Article(article) = &mut self.body {
            article.folds_headers = true;
        }
    }

    /// Reads an article by this charset instead of the ones that its parts declare; with automatic detection by those.
    /// Finish the document again when [`Document::needs_finish`] returns true.
    pub fn read_article_as(&mut self, charset: CharsetSetting) {
        if let Body::Article(article) = &mut self.body {
            article.charset = match charset {
                CharsetSetting::Set(charset) => Some(charset),
                CharsetSetting::Detected => None,
            };
        }
    }

    /// Toggles the quotation of an article that contains row `number`, or the text that a form feed hides there.
    /// Returns the new row of its first line; nothing where there is nothing to fold.
    pub fn toggle_quotation(&mut self, number: usize) -> Option<usize> {
        self.toggle_in_article(number, ArticleBody::toggle_quotation)
    }

    /// Toggles a fold of an article. Returns the new row of row `number`; nothing if `toggle` finds nothing to fold.
    fn toggle_in_article(
        &mut self,
        number: usize,
        toggle: impl FnOnce(&mut ArticleBody, usize) -> bool,
    ) -> Option<usize> {
        let row = self.unfiltered(number)?;
        let origin = self.rows().origin(row)?;
        let Body::Article(article) = &mut self.body else {
            return None;
        };
        let is_toggled = toggle(article, row);
        self.number_folded_links();
        self.rows().row_of(origin).filter(|_| is_toggled)
    }

    /// Returns true if row `number` represents a folded quotation of an article, or text hidden by a form feed.
    pub fn is_folded(&self, number: usize) -> bool {
        let row = self.unfiltered(number);
        self.body
            .article()
            .is_some_and(|article| row.is_some_and(|row| article.is_folded(row)))
    }

    /// Returns true if row `number` represents text that a form feed hides in an article.
    pub fn is_form_feed(&self, number: usize) -> bool {
        let row = self.unfiltered(number);
        self.body
            .article()
            .is_some_and(|article| row.is_some_and(|row| article.is_form_feed(row)))
    }

    /// Unfolds everything in an article, for output in which nothing can be unfolded later.
    pub fn unfold(&mut self) {
        if let Body::Article(article) = &mut self.body {
            article.unfold();
            self.number_folded_links();
        }
    }

    /// Toggles all long and deep quotations of an article. Returns the new row of row `number`; nothing where there are
    /// none.
    pub fn toggle_quotations(&mut self, number: usize) -> Option<usize> {
        self.toggle_in_article(number, |article, _| article.toggle_quotations())
    }

    /// Toggles the folded headers of an article. Returns the new row of row `number`; nothing where there are none.
    pub fn toggle_headers(&mut self, number: usize) -> Option<usize> {
        self.toggle_in_article(number, |article, _| article.toggle_headers())
    }

    /// The folds and the cipher of a complete article; nothing for other documents.
    pub fn article_view(&self) -> Option<ArticleState> {
        self.body.article()?.view()
    }

    /// Applies the folds and the cipher of another copy of a complete article.
    pub fn restore_article_view(&mut self, view: &ArticleState) {
        if let Body::Article(article) = &mut self.body {
            article.set_view(view);
            self.number_folded_links();
        }
    }

    /// Toggles ROT13 decoding of an article's text. Returns true if the document is an article.
    pub fn toggle_rot13(&mut self) -> bool {
        let Body::Article(article) = &mut self.body else {
            return false;
        };
        article.toggle_rot13();
        self.number_folded_links();
        true
    }

    /// The attachment that row `number` of an article describes: a name that is safe on this machine, and its octets as
    /// a document to be saved.
    pub fn attachment(&self, number: usize) -> Option<(String, Self)> {
        let article = self.body.article()?;
        let file = article.attachment(self.unfiltered(number)?)?;
        let mut octets = Self::new(self.url.clone(), Shape::Text, CharsetSetting::default());
        octets.raw.append(&file.octets);
        Some((text::file_name(&file.name, "attachment"), octets))
    }

    /// The message that row `number` of an article describes, as a page of its own. Finish it before it is shown.
    pub fn attached_message(&self, number: usize) -> Option<Self> {
        let article = self.body.article()?;
        let number = self.unfiltered(number)?;
        let file = article
            .attachment(number)
            .filter(|file| file.is_message())?;
        let url = article.attachment_url(&self.url, number)?;
        let body = ArticleBody {
            is_member: true,
            headers: Arc::clone(&article.headers),
            folds_headers: article.folds_headers,
            zone: article.zone.clone(),
            ..ArticleBody::default()
        };
        let mut message = Self::new(url, Shape::Article, self.charset_setting());
        message.body = Body::Article(body);
        message.append(&file.octets);
        Some(message)
    }

    /// True for a message inside the article of the URL, which the fragment names.
    pub fn is_member(&self) -> bool {
        self.body.article().is_some_and(|article| article.is_member)
    }

    /// Replaces a complete article by the message inside it that the fragment of the URL names, if it has one.
    pub(in crate::document) fn open_member(&mut self) {
        let charset = self.charset();
        while let Body::Article(article) = &mut self.body
            && let Some(name) = article.member.pop_front()
        {
            let shown = (article.headers.as_ref(), &article.zone);
            let decoded = DecodedArticle::new(&self.raw, charset, article.charset, shown, None);
            let message = decoded.member(&name).filter(|file| file.is_message());
            let Some(message) = message else {
                return article.member.clear();
            };
            self.raw = LineBuffer::from_octets(&message.octets);
            article.is_member = true;
            self.page_charset = PageCharset::new(self.page_charset.charset_setting);
        }
    }

    /// The first row of the body of an article, in its source view too; nothing where the body has not arrived yet.
    pub fn body_row(&self) -> Option<usize> {
        if let Some(article) = self.body.article() {
            return article.body_row().or_else(|| article.source_body());
        }
        // Asked for at each key, so a head without end is not searched.
        let mut octets = 0;
        let is_in_limit = |line: &&[u8]| {
            octets += line.len() + 1;
            octets <= MAX_HEAD_BYTES
        };
        let mut lines = self.raw.pieces_from(0).take_while(is_in_limit);
        Some(lines.position(<[u8]>::is_empty)? + 1)
    }

    /// The author with the address, and the date, as the head of an article has them; nothing for other documents.
    pub(in crate::document) fn author_and_date(&self) -> (Option<Text>, Option<Timestamp>) {
        match &self.body {
            Body::Article(_) => ArticleBody::author_and_date(self.source()),
            _ => (None, None),
        }
    }

    /// The data of an article that a reply needs; nothing before the article is complete, and for other documents.
    pub fn parent(&self) -> Option<ParentArticle> {
        self.body.article()?.parent(self.source())
    }
}

/// The octets of the attachment of a message that a path names, through messages inside messages; `None` if there is
/// none.
pub fn attachment_at(message: &[u8], path: &[Vec<u8>]) -> Option<Vec<u8>> {
    let (charset, zone) = (Charset::default(), Zone::default());
    let mut octets = None;
    for name in path {
        let raw = LineBuffer::from_octets(octets.as_deref().unwrap_or(message));
        let decoded = DecodedArticle::new(&raw, charset, None, (&[], &zone), None);
        let file = decoded.member(&String::from_utf8_lossy(name))?;
        octets = Some(file.octets.clone());
    }
    octets
}

/// The folds and the cipher of an article, to be applied again after a reload.
#[derive(Clone, Debug)]
pub struct ArticleState {
    folded: FoldedRuns,
    cipher: TextCipher,
}

impl ArticleBody {
    /// Toggles the quotation that contains row `number`, or the text behind a form feed there. Returns true if there is
    /// one.
    pub(super) fn toggle_quotation(&mut self, number: usize) -> bool {
        match self.folded.row(number) {
            ArticleRow::Run(run) => {
                self.folded = FoldedRuns::new(self.folded.runs().filter(|folded| *folded != run));
                true
            }
            ArticleRow::Line(line) => {
                let Some(decoded) = &self.decoded else {
                    return false;
                };
                let mut runs = decoded.quotations.iter().chain(&decoded.headers);
                let found = runs.find(|run| run.contains(line)).copied();
                self.folded = FoldedRuns::new(self.folded.runs().chain(found));
                found.is_some()
            }
        }
    }

    /// Returns true if row `number` represents a folded run.
    pub(super) fn is_folded(&self, number: usize) -> bool {
        matches!(self.folded.row(number), ArticleRow::Run(_))
    }

    /// Returns true if row `number` represents text hidden by a form feed.
    pub(super) fn is_form_feed(&self, number: usize) -> bool {
        match self.folded.row(number) {
            ArticleRow::Run(run) => run.kind == RunKind::FormFeed,
            ArticleRow::Line(_) => false,
        }
    }

    /// Unfolds everything.
    pub(super) fn unfold(&mut self) {
        self.folded = FoldedRuns::default();
    }

    /// Toggles all quotations that are long or deep. Where there is none, toggles the text behind form feeds. Returns
    /// true if there is anything to fold.
    pub(super) fn toggle_quotations(&mut self) -> bool {
        let Some(decoded) = &self.decoded else {
            return false;
        };
        let (kind, runs) = if decoded.quotations.is_empty() {
            (RunKind::FormFeed, &decoded.form_feeds)
        } else {
            (RunKind::Quotation, &decoded.quotations)
        };
        let others = self.folded.runs().filter(|run| run.kind != kind);
        let others = FoldedRuns::new(others);
        self.folded = if self.folded.has(kind) {
            others
        } else {
            let is_visible = |run: &&LineRun| others.holding(run.first).is_none();
            let visible = runs.iter().filter(is_visible).copied();
            FoldedRuns::new(others.runs().chain(visible))
        };
        !runs.is_empty()
    }

    /// Toggles the headers below the subject, the author and the date. Returns true if there are any.
    pub(super) fn toggle_headers(&mut self) -> bool {
        let headers = self.decoded.as_ref().and_then(|decoded| decoded.headers);
        let is_folded = self.folded.has(RunKind::Headers);
        let others = self.folded.runs();
        let others = others.filter(|run| run.kind != RunKind::Headers);
        self.folded = FoldedRuns::new(others.chain(headers.filter(|_| !is_folded)));
        headers.is_some()
    }

    /// The folds and the cipher, once the article is complete.
    pub(super) fn view(&self) -> Option<ArticleState> {
        self.decoded.as_ref()?;
        Some(ArticleState {
            folded: self.folded.clone(),
            cipher: self.cipher,
        })
    }

    /// Applies the folds and the cipher of another copy of the article. Folds that this copy does not have are ignored.
    pub(super) fn set_view(&mut self, view: &ArticleState) {
        let Some(decoded) = &self.decoded else {
            return;
        };
        let is_here = |folded: LineRun| {
            let runs = decoded.quotations.iter().chain(&decoded.form_feeds);
            let mut runs = runs.chain(&decoded.headers);
            runs.any(|run| *run == folded)
        };
        if view.folded.runs().all(is_here) {
            self.folded = view.folded.clone();
        }
        self.cipher = view.cipher;
    }
}
