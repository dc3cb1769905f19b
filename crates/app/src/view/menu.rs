//! A menu, and the Gopher+ attributes of its items; or the results of a search.
//!
//! For the first item whose attributes the user opens, only these are requested. For the second one the attributes of
//! the whole menu are requested, once. If the server sends them, no further request is needed.

use geomys_load::{GopherAttributes, GopherRequest, Reason, Request, similar_documents};
use geomys_page::document::{Document, Shape};
use geomys_wire::text::Text;
use rfc1738::{Parts, Url};

use crate::action::Action;
use crate::requester::OpenPage;
use crate::view::context::{Outcome, State, ViewContext};
use crate::view::kind::{KeyHint, ViewKind, has_rows};
use crate::view::viewport::Viewport;
use crate::{Focus, Settings};

/// The hints of a list of links.
pub(super) const MENU_HINTS: [KeyHint; 2] =
    [(Action::Hints, "pick"), (Action::BookmarkPage, "bookmark")];

/// The further hints of a page with links.
pub(super) const MORE_OF_LINKS: [KeyHint; 4] = [
    (Action::OpenTab, "tab"),
    (Action::OpenBeside, "beside"),
    (Action::CopyLink, "copy"),
    (Action::SaveForLater, "keep"),
];

/// The largest number of rows of a menu whose attributes are requested all at once. In a longer menu this would cost
/// more than it saves.
const MAX_ROWS: usize = 256;

/// A menu in a pane.
#[derive(Debug)]
pub struct MenuView {
    /// The document with its cursor.
    pub rows: Viewport,
    attributes: MenuAttributes,
}

/// The Gopher+ attributes of the items of a menu, as far as they were requested.
#[derive(Clone, Debug, Default)]
enum MenuAttributes {
    /// No attributes were requested yet.
    #[default]
    Unknown,
    /// The attributes of one item were requested.
    OneRequested,
    /// The attributes of all items were requested at once. Unless that succeeds, later requests are for one item each.
    AllRequested,
    /// The attributes of all items.
    All(GopherAttributes),
}

impl From<Document> for MenuView {
    fn from(document: Document) -> Self {
        Self {
            rows: document.into(),
            attributes: MenuAttributes::default(),
        }
    }
}

impl MenuView {
    /// Opens the attributes of the item under the cursor.
    fn open_attributes(&mut self, at: &ViewContext<'_>) -> Outcome {
        let item = self
            .rows
            .link()
            .and_then(|link| Some((link.attributes?, link.label)));
        let Some((about, label)) = item else {
            return Outcome::Ignored;
        };
        let mut directory = None;
        if self.can_request_all(&about, at) {
            match &self.attributes {
                MenuAttributes::Unknown => self.attributes = MenuAttributes::OneRequested,
                MenuAttributes::OneRequested => {
                    self.attributes = MenuAttributes::AllRequested;
                    directory = Some(at.url.clone());
                }
                MenuAttributes::AllRequested => {}
                MenuAttributes::All(every) => {
                    if let Some(page) = made_page(every, &about, label.clone(), at) {
                        return Some(page).into();
                    }
                }
            }
        }
        let request = Request {
            gopher: GopherRequest {
                directory,
                ..GopherRequest::default()
            },
            ..Request::show(about, Reason::Link(at.url.clone()))
        };
        Some(OpenPage::link(request).titled(label)).into()
    }

    /// Returns true if the attributes of the whole menu may be requested: it is complete, and `about` is on its server.
    fn can_request_all(&self, about: &Url, at: &ViewContext<'_>) -> bool {
        let (Parts::Gopher(menu), Parts::Gopher(item)) = (at.url.base_parts(), about.base_parts())
        else {
            return false;
        };
        let is_plain = menu.item_type() == b'1' && menu.search.is_none() && menu.plus.is_none();
        let is_menu = self.rows.document.shape() == Shape::Menu && self.rows.count() <= MAX_ROWS;
        is_plain
            && is_menu
            // More rows may arrive for an incomplete menu.
            && *at.state == State::Whole
            && at.url.scheme_name() == about.scheme_name()
            && menu.is_same_server(&item)
    }

    /// Stores the attributes of all items, if they were requested.
    pub(crate) fn store_attributes(&mut self, directory: &GopherAttributes) {
        if matches!(self.attributes, MenuAttributes::AllRequested) {
            self.attributes = MenuAttributes::All(directory.clone());
        }
    }

    /// Searches again for documents that are similar to the one under the cursor.
    fn search_similar(&self, at: &ViewContext<'_>) -> Outcome {
        let target = self.rows.link().and_then(|link| link.target.ok());
        let request = target.and_then(|document| similar_documents(at.url, &document));
        request.into()
    }
}

/// Returns the page with the attributes of one item, if they are among those of the menu.
fn made_page(
    every: &GopherAttributes,
    about: &Url,
    label: Text,
    at: &ViewContext<'_>,
) -> Option<OpenPage> {
    let charset = at.choices.charset_of(about, at.cx);
    let mut document = Document::new(about.clone(), Shape::Attributes, charset);
    document.append(every.item(about)?);
    let reason = Reason::Link(at.url.clone());
    let page = OpenPage::made(about.clone(), document, Some(every.security), reason);
    Some(page.titled(label))
}

impl ViewKind for MenuView {
    has_rows!();

    fn act(&mut self, action: Action, at: &mut ViewContext<'_>) -> Outcome {
        match action {
            Action::Info if at.cx.focus == Focus::Panes => self.open_attributes(at),
            Action::SearchSimilar => self.search_similar(at),
            _ => self.rows.act(action, at),
        }
    }

    fn hints(&self, _: &Url, _: &State, _: &Settings) -> Vec<KeyHint> {
        MENU_HINTS.to_vec()
    }

    fn more_hints(&self) -> &'static [KeyHint] {
        &MORE_OF_LINKS
    }
}
