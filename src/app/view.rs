//! How a page is looked at: wrapped or not, in its colours or not, its source; and what a link is.

use super::action::Action;
use super::page::{Colours, Content, Rendered};
use super::{App, Effect, Overlay};
use crate::document::facts;
use crate::text::Text;

/// Columns that a page is scrolled sideways at once.
const SIDEWAYS: usize = 8;

impl App {
    pub(super) fn scroll_sideways(&mut self, right: bool) -> Vec<Effect> {
        let wrap = self.key_of(Action::Wrap);
        let Some(page) = self.page_mut() else {
            return Vec::new();
        };
        if page.wrap {
            self.tell(&format!("lines are wrapped here; {wrap} lets them run on"));
        } else if right {
            page.place.left += SIDEWAYS;
        } else {
            page.place.left = page.place.left.saturating_sub(SIDEWAYS);
        }
        Vec::new()
    }

    pub(super) fn toggle_wrap(&mut self) -> Vec<Effect> {
        if let Some((page, view)) = self.page_view() {
            page.wrap = !page.wrap;
            page.place.left = 0;
            page.place.top.1 = 0;
            page.reveal(view);
            let wrap = page.wrap;
            self.tell(if wrap {
                "long lines are wrapped"
            } else {
                "long lines run on to the right"
            });
        }
        Vec::new()
    }

    pub(super) fn toggle_colours(&mut self) -> Vec<Effect> {
        let Some(page) = self.page_mut() else {
            return Vec::new();
        };
        let (colours, sentence) = match page.colours {
            Colours::Shown => (Colours::Hidden, "the page's own colours are hidden"),
            Colours::Hidden => (Colours::Shown, "the page's own colours are shown"),
        };
        page.colours = colours;
        self.tell(sentence);
        Vec::new()
    }

    pub(super) fn toggle_source(&mut self) -> Vec<Effect> {
        let Some(page) = self.page_mut() else {
            return Vec::new();
        };
        let Content::Document(document) = &mut page.content else {
            return Vec::new();
        };
        if page.state.is_arriving() {
            self.tell("the source can be shown when all of it is here");
            return Vec::new();
        }
        match page.rendered.take() {
            Some(rendered) => {
                *document = rendered.document;
                page.place = rendered.place;
                page.wrap = rendered.wrap;
            }
            None => {
                let source = document.source_view();
                page.rendered = Some(Rendered {
                    document: std::mem::replace(document, source.into()),
                    place: page.place,
                    wrap: page.wrap,
                });
                page.wrap = true;
                page.to_top();
            }
        }
        let source = page.rendered.is_some();
        self.tell(if source {
            "the source, as it came"
        } else {
            "the page"
        });
        Vec::new()
    }

    pub(super) fn show_info(&mut self) -> Vec<Effect> {
        // A link that leads nowhere is told of too: its fault is what is asked for.
        let Some(link) = self.chosen() else {
            self.chosen_url();
            return Vec::new();
        };
        if let Some(about) = link.about {
            return self.open_about(about, link.label);
        }
        let mut lines = vec![(Text::of("title"), link.label)];
        match link.target {
            Ok(url) => {
                lines.extend(facts(&url));
                lines.extend(self.checking.facts(&url));
                lines.extend(
                    crate::load::sends(&url).map(|line| (Text::of("sends"), Text::of(&line))),
                );
            }
            Err(error) => lines.push((Text::of("fault"), Text::of(&error.to_string()))),
        }
        self.overlay = Some(Overlay::Info(lines));
        Vec::new()
    }
}
