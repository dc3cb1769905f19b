//! An article: folded quotations and headers, form feeds, ROT13, attachments.

use geomys_page::document::{Document, suffix};
use geomys_wire::text::Text;
use rfc1738::Url;

use crate::action::Action;
use crate::dialogs::text_input::{PathInput, TextInput};
use crate::keymap::KeyContext;
use crate::motion::Motion;
use crate::requester::OpenPage;
use crate::transfers::save::copy;
use crate::view::context::{Outcome, State, ViewContext};
use crate::view::kind::{KeyHint, ViewKind, has_rows};
use crate::view::picture;
use crate::view::text_area::TextArea;
use crate::view::viewport::Viewport;
use crate::{Dialog, Focus, Settings};

/// An article in a pane.
#[derive(Debug)]
pub struct ArticleView {
    /// The document with its cursor.
    pub rows: Viewport,
    /// The article numbers that were marked read because the article was displayed.
    pub(crate) read_extent: ReadExtent,
}

/// The article numbers that were marked read because the article was displayed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReadExtent {
    /// No number: too little of the article was displayed.
    #[default]
    Nothing,
    /// The article's own number; the rest of the article has not arrived yet.
    Part,
    /// The article's numbers in all its groups.
    Whole,
}

impl From<Document> for ArticleView {
    fn from(document: Document) -> Self {
        Self {
            rows: document.into(),
            read_extent: ReadExtent::default(),
        }
    }
}

impl ArticleView {
    /// Returns the chosen attachment: its name and its content.
    pub(crate) fn attachment(&self) -> Option<(String, Document)> {
        self.rows.position.link?;
        self.rows.document.attachment(self.rows.position.cursor)
    }

    /// Opens the chosen attachment if it is a message or a picture, or else asks where to save it.
    fn open_attachment(&self, at: &ViewContext<'_>) -> Outcome {
        let Some((name, file)) = self.attachment() else {
            return Outcome::Ignored;
        };
        let cursor = self.rows.position.cursor;
        if let Some(message) = self.rows.document.attached_message(cursor) {
            let page = OpenPage::made(message.url().clone(), message, None, at.reason.clone());
            return Some(page.titled(Text::of(&name))).into();
        }
        let size = Some(file.raw().len() as u64);
        let mime = suffix::mime(name.as_bytes());
        if mime.is_some() && picture::is_shown(mime, "", size, at.cx) {
            let page = OpenPage::made(at.url.clone(), file.as_picture(), None, at.reason.clone());
            return Some(page.titled(Text::of(&name))).into();
        }
        self.save_attachment(at)
    }

    /// Asks for the path to save the chosen attachment.
    fn save_attachment(&self, at: &ViewContext<'_>) -> Outcome {
        let Some((name, file)) = self.attachment() else {
            return Outcome::Ignored;
        };
        let path = at.cx.settings.downloads.join(&name).display().to_string();
        let input = TextInput::new(PathInput::Attachment(name, Box::new(file)), &path);
        Dialog::input("Save as", input).into()
    }

    /// Returns true if the screen shows the end, without text that a form feed hides.
    pub(crate) fn is_at_end(&self, state: &State, area: TextArea) -> bool {
        *state == State::Whole
            && self.rows.on_screen(area).is_at_end()
            && self.hiding_form_feed(area).is_none()
    }

    /// Returns the first row on the screen that represents text hidden by a form feed.
    fn hiding_form_feed(&self, area: TextArea) -> Option<usize> {
        let rows = &self.rows;
        let (mut row, above) = rows.position.top;
        let mut lines = 0;
        while row < rows.count() && lines < area.height + above {
            if rows.document.is_form_feed(row) {
                return Some(row);
            }
            lines += rows.on_screen(area).height_of(row);
            row += 1;
        }
        None
    }

    /// Returns the `news:` URL of the article; `None` without a Message-ID.
    pub(crate) fn news_url(&self) -> Option<Url> {
        news_url(&self.rows)
    }

    /// Returns true if the screen shows the end of the article, or is full down to a line of its body.
    pub(crate) fn shows_enough(&self, state: &State, area: TextArea) -> bool {
        let rows = &self.rows;
        let (mut row, above) = rows.position.top;
        let mut room = area.height + above;
        while row < rows.count() && room > 0 {
            room = room.saturating_sub(rows.on_screen(area).height_of(row));
            row += 1;
        }
        let is_end = row >= rows.count() && *state == State::Whole;
        is_end || room == 0 && rows.document.body_row().is_some_and(|body| row > body)
    }
}

impl ViewKind for ArticleView {
    has_rows!();

    fn contexts(&self) -> Vec<KeyContext> {
        // The source of an article has its keys too.
        vec![KeyContext::Article, KeyContext::Page]
    }

    fn act(&mut self, action: Action, at: &mut ViewContext<'_>) -> Outcome {
        match action {
            Action::Rot13 => Outcome::of(self.rows.document.toggle_rot13()),
            Action::Download if at.cx.focus == Focus::Panes => self.save_attachment(at),
            // The number of an article means nothing on another server.
            Action::CopyUrl => copy_news_url(&self.rows, at),
            _ => self.rows.act(action, at),
        }
    }

    fn open(&mut self, at: &mut ViewContext<'_>) -> Outcome {
        match self.rows.open(at) {
            Outcome::Ignored => self.open_attachment(at),
            outcome => outcome,
        }
    }

    fn move_by(&mut self, motion: Motion, at: &mut ViewContext<'_>) {
        // A form feed on the screen opens first.
        let row = self
            .hiding_form_feed(at.area)
            .filter(|_| motion == Motion::Screens(1, 1));
        let opened = row.map(|row| {
            let open = |page: &mut Document, _| page.toggle_quotation(row);
            self.rows.refold(open, at.area)
        });
        if !matches!(opened, Some(Outcome::Done)) {
            self.rows.move_by(motion, at.area);
        }
    }

    fn hints(&self, _: &Url, _: &State, _: &Settings) -> Vec<KeyHint> {
        vec![
            (Action::NextUnread, "next"),
            (Action::FollowUp, "follow-up"),
            (Action::ReplyByMail, "mail"),
            (Action::MarkArticle, "mark"),
            (Action::Parent, "parent"),
        ]
    }

    fn more_hints(&self) -> &'static [KeyHint] {
        &[(Action::Pipe, "pipe"), (Action::Save, "save")]
    }
}

/// Copies the `news:` URL of an article that has a Message-ID.
fn copy_news_url(rows: &Viewport, at: &mut ViewContext<'_>) -> Outcome {
    match news_url(rows) {
        Some(url) => {
            copy(&url, at.cx);
            Outcome::Done
        }
        None => Outcome::Ignored,
    }
}

/// Returns the `news:` URL of a shown article.
fn news_url(rows: &Viewport) -> Option<Url> {
    rows.own_document().news_url(rows.position.cursor)
}
