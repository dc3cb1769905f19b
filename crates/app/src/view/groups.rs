//! A list of the groups of a news server.

use geomys_load::ServerDate;
use geomys_page::document::Document;
use rfc1738::Url;

use crate::Settings;
use crate::action::Action;
use crate::keymap::KeyContext;
use crate::view::context::State;
use crate::view::kind::{KeyHint, ViewKind, has_rows};
use crate::view::viewport::Viewport;

/// A list of groups in a pane.
#[derive(Debug)]
pub struct GroupsView {
    /// The document with its cursor.
    pub rows: Viewport,
    /// The date of the server's clock when the list was requested.
    pub(crate) date: Option<ServerDate>,
}

impl From<Document> for GroupsView {
    fn from(document: Document) -> Self {
        Self {
            rows: document.into(),
            date: None,
        }
    }
}

impl ViewKind for GroupsView {
    has_rows!();

    fn contexts(&self) -> Vec<KeyContext> {
        self.rows.contexts(Some(KeyContext::Groups))
    }

    fn hints(&self, _: &Url, _: &State, _: &Settings) -> Vec<KeyHint> {
        vec![
            (Action::ToggleSubscription, "subscribe"),
            (Action::CatchUp, "catch up"),
        ]
    }
}
