//! Display of a page: wrapping, colours, source; and the info about a link.

use rfc1738::Url;

use crate::app::action::Action;
use crate::app::settings::Colours;
use crate::app::tabs::choices::host;
use crate::app::tabs::page::RenderedPage;
use crate::app::{Context, Tabs};

/// The number of columns of one step of sideways scrolling.
const SIDEWAYS: usize = 8;

impl Tabs {
    pub(crate) fn scroll_sideways(&mut self, right: bool, cx: &mut Context) {
        if self.pan_picture_sideways(right, cx).is_some() {
            return;
        }
        let wrap = cx.key_of(Action::Wrap);
        let Some(page) = self.page_mut() else {
            return;
        };
        if page.wrap {
            cx.notify(&format!("lines are wrapped ({wrap} unwrap)"));
        } else if right {
            page.position.left += SIDEWAYS;
        } else {
            page.position.left = page.position.left.saturating_sub(SIDEWAYS);
        }
    }

    pub(crate) fn toggle_wrap(&mut self, cx: &mut Context) {
        if let Some((page, view)) = self.page_view(cx) {
            page.wrap = !page.wrap;
            page.position.left = 0;
            page.position.top.1 = 0;
            page.reveal(view);
            cx.notify(if page.wrap {
                "wrapping on"
            } else {
                "wrapping off"
            });
        }
    }

    pub(crate) fn toggle_colours(&mut self, cx: &mut Context) {
        let Some(page) = self.page() else {
            return;
        };
        let (colours, sentence) = match page.colours {
            Colours::Shown => (Colours::Hidden, "page colours off"),
            Colours::Hidden => (Colours::Shown, "page colours on"),
        };
        let is_stored = self.stores_visits(&page.url, cx);
        let Some(shown_host) = host(&page.url) else {
            if let Some(page) = self.page_mut() {
                page.colours = colours;
            }
            return cx.notify(sentence);
        };
        for page in self.pages_mut() {
            if host(&page.url).as_ref() == Some(&shown_host) {
                page.colours = colours;
            }
        }
        self.colours.set(shown_host, colours, is_stored);
        cx.notify(&format!("{sentence}, for all pages of this host"));
    }

    /// Returns the display of colours for the pages of a URL's host.
    pub(crate) fn colours_of(&self, url: &Url, cx: &Context) -> Colours {
        let chosen = host(url).and_then(|host| self.colours.get(&host).copied());
        chosen.unwrap_or(cx.settings.colours)
    }

    pub(crate) fn toggle_source(&mut self, cx: &mut Context) {
        let Some(page) = self.page_mut() else {
            return;
        };
        let Some(document) = page.content.document_mut() else {
            return;
        };
        if page.state.is_arriving() {
            cx.notify("wait until the page is loaded to show the source");
            return;
        }
        match page.rendered.take() {
            Some(rendered) => {
                *document = rendered.document;
                page.position = rendered.position;
                page.wrap = rendered.wrap;
                cx.notify("the page");
            }
            None => {
                let source = document.source_view();
                page.rendered = Some(RenderedPage {
                    document: std::mem::replace(document, source.into()),
                    position: page.position,
                    wrap: page.wrap,
                });
                page.wrap = true;
                page.to_top();
                cx.notify("the source, as it came");
            }
        }
    }
}
