//! The growth of a document in its pane: rows that arrive, and its replacement by the finished one. The cursor stays on
//! its entry.

use geomys_page::document::{Document, ListingPlace, Remark, Shape};
use rfc1738::Url;

use crate::view::viewport::Viewport;

/// The highest number of rows that are searched for a link.
const MAX_ROWS: usize = 20_000;

impl Viewport {
    /// Appends octets to the document. Rows of an overview that arrives may come above others: the cursor stays on its
    /// article, except at the top of the page.
    pub(crate) fn append(&mut self, octets: Vec<u8>) {
        let document = &mut *self.document;
        let is_overview = document.shape() == Shape::Group && document.order().is_none();
        let (cursor, top) = (self.position.cursor, self.position.top.0);
        // The cursor of a reloaded page goes back to its article at the end.
        if !is_overview || cursor == 0 && top == 0 || self.saved.is_some() {
            return document.take(octets);
        }
        let [at_cursor, at_top] = [cursor, top].map(|row| document.origin(row));
        document.take(octets);
        let moved = at_cursor.and_then(|origin| document.row_of(origin));
        self.position.cursor = moved.unwrap_or(cursor);
        let moved = at_top.and_then(|origin| document.row_of(origin));
        self.position.top.0 = moved.unwrap_or(top);
    }

    /// Adds a remark above the entries; the visible rows stay at their position on the screen.
    pub(crate) fn remark(&mut self, remark: Remark) {
        let document = &mut *self.document;
        let before = document.count();
        let rests = self.position.cursor == document.initial_row();
        let (cursor, top) = (self.position.cursor, self.position.top.0);
        let origins = [document.origin(cursor), document.origin(top)];
        document.add_remark(remark);
        let more = document.count().saturating_sub(before);
        let [cursor, top] = origins.map(|origin| document.row_of(origin?));
        self.position.cursor = if rests {
            document.initial_row()
        } else {
            cursor.unwrap_or(self.position.cursor.saturating_add(more))
        };
        // At the top the view stays at the top, so that the remark is visible.
        if self.position.top.0 > 0 {
            self.position.top.0 = top.unwrap_or(self.position.top.0);
        }
    }

    /// Replaces the document by the one that was finished or sorted. Returns the number of new groups in it.
    pub(crate) fn replace(&mut self, mut document: Document) -> usize {
        self.finishing = None;
        self.arranging = None;
        self.search.found = None;
        let follows_entry = std::mem::take(&mut self.follows_entry);
        let saved = self.saved.take();
        if let Some(saved) = &saved {
            saved.restore_text(&mut document);
        }
        let saved = saved.filter(|saved| saved.position == self.position);
        // While the source is shown, the rendered page is stored beside it.
        let (shown, position) = match &mut self.rendered {
            Some(rendered) => {
                self.document.copy_charset_from(&document);
                (&mut rendered.document, &mut rendered.position)
            }
            None => (&mut self.document, &mut self.position),
        };
        // The cursor stays on its entry when the order changes; at the top it stays at the top.
        let is_refiltered = shown.arrangement().filter != document.arrangement().filter;
        let is_at_top = position.cursor == shown.initial_row() && position.top == (0, 0);
        if !is_refiltered && !follows_entry && is_at_top {
            position.cursor = document.initial_row();
        } else {
            let last = document.count().saturating_sub(1);
            let moved = shown.moved_to(position.cursor, &document);
            position.cursor = moved.map_or(position.cursor, |moved| moved.min(last));
        }
        if is_refiltered {
            position.top = (0, 0);
        }
        let goes_to = self.goes_to.take();
        if let Some(row) = goes_to.and_then(|line| document.nearest_row(line)) {
            position.cursor = row;
        }
        if let Some(saved) = saved {
            *position = saved.position_in(&document);
        }
        let more = document.new_groups().saturating_sub(shown.new_groups());
        *shown = document.into();
        more
    }

    /// Puts the cursor of an arriving menu or list of visits on the first link on the screen, unless the user has moved
    /// it.
    pub(crate) fn choose_first_link(&mut self, height: usize) {
        let is_menu = matches!(
            self.own_document().shape(),
            Shape::Menu | Shape::Visits | Shape::Found
        );
        let is_at_top = self.position.cursor == 0 && self.position.top == (0, 0);
        if is_menu
            && is_at_top
            && let Some(row) = self.first_link(height)
        {
            self.position.cursor = row;
        }
    }

    /// Returns the first of this number of rows that has a link.
    fn first_link(&self, rows: usize) -> Option<usize> {
        (0..self.count().min(rows)).find(|row| self.document.is_link(*row))
    }

    /// Returns true if the cursor is where it was before the user moved it.
    pub(crate) fn is_at_first_link(&self) -> bool {
        let cursor = self.position.cursor;
        cursor == self.document.initial_row() || self.first_link(cursor + 1) == Some(cursor)
    }

    /// Puts the cursor on the link to a URL, unless the user has moved it.
    pub(crate) fn select_link_to(&mut self, url: &Url) {
        if self.is_at_first_link()
            && let Some(row) = self.row_of(url)
        {
            self.position.cursor = row;
        }
    }

    /// Returns true for the listing of an archive, or of a directory in one.
    pub(crate) fn lists_archive(&self) -> bool {
        let place = ListingPlace::Archive;
        matches!(self.document.shape(), Shape::Listing { place: here, .. } if here == place)
    }

    /// Returns the first row with a link to this entry.
    pub(crate) fn row_of(&self, url: &Url) -> Option<usize> {
        let in_archive = self.lists_archive();
        let entry = |url: &Url| entry(url, in_archive);
        let expected = entry(url);
        let is_expected = |row: &usize| {
            let link = self.document.link(*row, 0);
            link.is_some_and(|link| link.target.is_ok_and(|target| entry(&target) == expected))
        };
        (0..self.count().min(MAX_ROWS)).find(is_expected)
    }
}

/// The URL as text, without the parts in which a link to an entry differs from the page of that entry: the type of an
/// FTP URL, and the slash at its end. The fragment is a part of it in an archive only.
fn entry(url: &Url, in_archive: bool) -> String {
    let url = if in_archive {
        url.canonical()
    } else {
        url.without_fragment().canonical()
    };
    let text = match url.as_str().rsplit_once(";type=") {
        Some((text, kind)) if kind.len() == 1 => text,
        Some(_) | None => url.as_str(),
    };
    text.trim_end_matches('/').to_owned()
}
