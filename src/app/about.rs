//! What a server tells of the items of a menu.
//!
//! The first item that somebody wants to know about is asked about by itself. At the second one there may be a third,
//! so the server is asked about all of the menu, once, and from then on nobody is asked.

use super::browse::Where;
use super::page::{Page, State, Told};
use super::pane::{Arrival, Pane};
use super::tab::Tab;
use super::{App, Effect, title_of};
use crate::document::{Document, Shape};
use crate::load::{Directory, Request, is_same_place};
use crate::text::Text;
use crate::url::{Parts, Url};

/// Rows of a menu beyond which asking about all of them costs more than it saves.
const ROWS: usize = 256;

impl App {
    /// Opens the attributes of an item of the shown page, which `label` names.
    pub(super) fn open_about(&mut self, about: Url, label: Text) -> Vec<Effect> {
        let charset = self.charset_of(&about);
        let Some(page) = self.page_mut().filter(|page| may_tell(page, &about)) else {
            return self.open(about, Some(label), Where::Here);
        };
        let directory = match &page.told {
            Told::Nothing => {
                page.told = Told::One;
                None
            }
            Told::One => {
                page.told = Told::Asked;
                Some(page.url.clone())
            }
            Told::Asked => None,
            Told::Every(every) => {
                if let Some(item) = every.item(&about) {
                    let mut document = Document::new(about.clone(), Shape::Attributes, charset);
                    document.append(item);
                    let security = Some(every.security);
                    let title = Some(label).filter(|label| !label.is_blank());
                    let title = title.unwrap_or_else(|| title_of(&about));
                    let page = Page {
                        security,
                        ..Page::new(about, title, document, State::Whole)
                    };
                    return self.show_page(page);
                }
                None
            }
        };
        let request = Request {
            directory,
            ..self.request_from_page(about)
        };
        self.open_request(request, Some(label), Where::Here)
    }

    /// Shows a page that is here already, instead of anything that is on its way.
    pub(super) fn show_page(&mut self, page: Page) -> Vec<Effect> {
        let incoming = self.pane_mut().and_then(|pane| pane.incoming.take());
        let mut effects: Vec<Effect> = incoming
            .map(|incoming| Effect::Drop(incoming.load))
            .into_iter()
            .collect();
        effects.extend(self.arrive(page, Arrival::Next));
        effects.extend(self.finish_page());
        self.reveal_all();
        effects
    }

    /// Keeps what came of asking about every item of a menu with the page that it was asked for.
    pub(super) fn keep_told(&mut self, menu: &Url, directory: &Directory) {
        let panes = self.tabs.iter_mut().flat_map(Tab::panes_mut);
        for page in panes.flat_map(Pane::pages_mut) {
            if page.url == *menu && matches!(page.told, Told::Asked) {
                page.told = Told::Every(directory.clone());
            }
        }
    }
}

/// Whether a page is a menu that may be asked about as a whole, and an item is of the same server.
fn may_tell(page: &Page, about: &Url) -> bool {
    let (Parts::Gopher(menu), Parts::Gopher(item)) = (page.url.reading(), about.reading()) else {
        return false;
    };
    let is_plain = menu.item_type() == b'1' && menu.search.is_none() && menu.plus.is_none();
    let is_menu = page
        .document()
        .is_some_and(|document| document.shape() == Shape::Menu && document.count() <= ROWS);
    is_plain
        && is_menu
        // More rows may come of a menu that is not whole.
        && page.state == State::Whole
        && page.url.scheme_name() == about.scheme_name()
        && is_same_place(&menu, &item)
}
