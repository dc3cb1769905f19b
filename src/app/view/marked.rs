//! Marked rows of a list, for commands on several rows at once.

use geomys_page::document::{Link, RowOrigin};
use geomys_page::load::{GopherItem, NameHints, Request};

use crate::app::{Context, Focus, Page, Tabs};

impl Tabs {
    /// Marks the row of the cursor, or removes its mark, and moves one row down.
    pub(crate) fn toggle_mark(&mut self, cx: &mut Context) {
        let Some((page, view)) = self.page_view(cx) else {
            return;
        };
        let Some(line) = page.line_with_link(page.position.cursor) else {
            return cx.notify("no link on this row");
        };
        if !page.marked.remove(&line) {
            page.marked.insert(line);
        }
        page.step(1, view);
        let marked = match page.marked.len() {
            1 => "1 row is marked".to_owned(),
            count => format!("{count} rows are marked"),
        };
        cx.notify(&marked);
    }

    /// Removes all marks of the page. Returns `None` if there is none.
    pub(crate) fn unmark(&mut self) -> Option<()> {
        let marked = std::mem::take(&mut self.page_mut()?.marked);
        (!marked.is_empty()).then_some(())
    }
}

impl Page {
    /// Returns true if a row is marked.
    pub fn is_marked(&self, row: usize) -> bool {
        !self.marked.is_empty()
            && self
                .line_with_link(row)
                .is_some_and(|line| self.marked.contains(&line))
    }

    /// Returns the line of a row in a list, if the row has a link.
    fn line_with_link(&self, row: usize) -> Option<usize> {
        let document = self.document()?;
        let line = document.origin(row)?.line()?;
        (document.is_list() && document.is_link(row)).then_some(line)
    }

    /// Returns the links of the marked rows, in the order of the rows. Rows that are hidden now are left out.
    pub(crate) fn marked_links(&self) -> Vec<Link> {
        let Some(document) = self.document() else {
            return Vec::new();
        };
        let lines = self.marked.iter();
        let rows = lines.filter_map(|line| document.row_of(RowOrigin::Line(*line)));
        // The row of a hidden article may be that of its thread.
        let mut rows: Vec<usize> = rows.filter(|row| self.is_marked(*row)).collect();
        rows.sort_unstable();
        rows.dedup();
        rows.into_iter()
            .filter_map(|row| document.link(row, 0))
            .collect()
    }
}

impl Tabs {
    /// Returns a request for each marked row of the page with the focus; `None` if no row is marked.
    pub(crate) fn marked_requests(&self, cx: &Context) -> Option<Vec<Request>> {
        let page = self.page().filter(|_| cx.focus == Focus::Panes)?;
        let links = Some(page.marked_links()).filter(|links| !links.is_empty())?;
        let document = page.document()?;
        let (charset, prior) = (document.charset_setting(), document.expected_charset());
        let request = |link: Link| {
            let url = link.target.ok()?;
            // A local file on a remote page is saved only by itself, after a question.
            if self.remote_page_to_file(&url, cx).is_some() {
                return None;
            }
            Some(Request {
                alternates: link.alternates,
                gopher_item: if link.attributes.is_some() {
                    GopherItem::Plus
                } else {
                    GopherItem::Plain
                },
                name_hints: NameHints {
                    title: Some(link.label),
                    charset,
                    prior,
                    ..NameHints::default()
                },
                ..self.request_from_page(url)
            })
        };
        Some(links.into_iter().filter_map(request).collect())
    }
}
