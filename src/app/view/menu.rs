//! The Gopher+ attributes of the items of a menu.
//!
//! For the first item whose attributes the user opens, only these are requested. For the second one the attributes of
//! the whole menu are requested, once. If the server sends them, no further request is needed.

use geomys_page::document::{Document, Shape};
use geomys_page::load::{GopherAttributes, Request};
use geomys_wire::text::Text;
use rfc1738::{Parts, Url};

use crate::app::requester::Arrival;
use crate::app::requester::OpenPage;
use crate::app::tabs::open::link_title;
use crate::app::tabs::page::{MenuAttributes, State};
use crate::app::{Context, Page, Tabs};

/// The largest number of rows of a menu whose attributes are requested all at once. In a longer menu this would cost
/// more than it saves.
const MAX_ROWS: usize = 256;

impl Tabs {
    /// Opens the attributes of an item of the shown page; `label` is the item's title.
    pub(crate) fn open_attributes(&mut self, about: Url, label: Text, cx: &mut Context) {
        let charset = self.charset_of(&about, cx);
        let Some(page) = self
            .page_mut()
            .filter(|page| can_request_all_attributes(page, &about))
        else {
            let request = self.request_from_page(about);
            return cx.open(OpenPage::from(request).titled(label));
        };
        let directory = match &page.menu_attributes {
            MenuAttributes::Unknown => {
                page.menu_attributes = MenuAttributes::OneRequested;
                None
            }
            MenuAttributes::OneRequested => {
                page.menu_attributes = MenuAttributes::AllRequested;
                Some(page.url.clone())
            }
            MenuAttributes::AllRequested => None,
            MenuAttributes::All(every) => match every.item(&about) {
                Some(item) => {
                    let mut document = Document::new(about.clone(), Shape::Attributes, charset);
                    document.append(item);
                    let title = link_title(Some(label), &about);
                    let page = Page {
                        security: Some(every.security),
                        ..Page::new(about, title, document, State::Whole)
                    };
                    return self.show_page(page, cx);
                }
                None => None,
            },
        };
        let request = Request {
            directory,
            ..self.request_from_page(about)
        };
        cx.open(OpenPage::from(request).titled(label));
    }

    /// Shows an already loaded page, and drops the load in progress.
    pub(crate) fn show_page(&mut self, page: Page, cx: &mut Context) {
        cx.cancel(self.take_incoming().map(|incoming| incoming.load));
        self.arrive(page, Arrival::Append, cx);
        self.finish_page(cx);
        cx.reveal_all();
    }

    /// Stores the attributes of all items of a menu in the pages of that menu.
    pub(crate) fn store_menu_attributes(&mut self, menu: &Url, directory: &GopherAttributes) {
        for page in self.pages_mut() {
            if page.url == *menu && matches!(page.menu_attributes, MenuAttributes::AllRequested) {
                page.menu_attributes = MenuAttributes::All(directory.clone());
            }
        }
    }
}

/// Returns true if the attributes of a whole page may be requested: it is a complete menu, and `about` is on its
/// server.
fn can_request_all_attributes(page: &Page, about: &Url) -> bool {
    let (Parts::Gopher(menu), Parts::Gopher(item)) = (page.url.base_parts(), about.base_parts())
    else {
        return false;
    };
    let is_plain = menu.item_type() == b'1' && menu.search.is_none() && menu.plus.is_none();
    let is_menu = page
        .document()
        .is_some_and(|document| document.shape() == Shape::Menu && document.count() <= MAX_ROWS);
    is_plain
        && is_menu
        // More rows may arrive for an incomplete menu.
        && page.state == State::Whole
        && page.url.scheme_name() == about.scheme_name()
        && menu.is_same_server(&item)
}
