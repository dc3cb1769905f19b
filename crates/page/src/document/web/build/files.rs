//! Files that belong to a page and that no line shows: style sheets, icons, scripts, other sizes of pictures,
//! backgrounds. A check asks for them, and an archive has them.

use super::LayoutBuilder;
use crate::document::web::css::css_references;
use crate::document::web::tag::{StartTag, reference};

/// The relations of a link in the head to a file of the page.
const RELATIONS: [&str; 4] = ["stylesheet", "icon", "apple-touch-icon", "mask-icon"];

impl LayoutBuilder {
    /// Records the files that an element names beside what it shows.
    pub(super) fn files_of(&mut self, element: &StartTag<'_>) {
        let name = element.name();
        let kind = element.value("type").unwrap_or_default();
        let own = match name {
            "link" if is_file(element) => element.value("href"),
            "source" => element.value("src"),
            "video" => element.value("poster"),
            "input" if kind.eq_ignore_ascii_case("image") => element.value("src"),
            _ => None,
        };
        // Pages of the 1990s have pictures behind their texts.
        let behind = element.value("background");
        for file in own.into_iter().chain(behind).map(reference) {
            self.hidden_file(Some(file));
        }
        if matches!(name, "img" | "source") {
            self.sizes(element.value("srcset").unwrap_or_default());
        }
        if let Some(style) = element.value("style") {
            self.style(style);
        }
    }

    /// Records the pictures of `srcset` (HTML Living Standard, section 4.8.4.2.1): `a.png 1x, b.png 2x`.
    fn sizes(&mut self, mut sizes: &str) {
        while let Some(start) = sizes.find(|c: char| !c.is_ascii_whitespace() && c != ',') {
            let rest = sizes.get(start..).unwrap_or_default();
            let end = rest.find(|c: char| c.is_ascii_whitespace());
            let (picture, after) = rest.split_at(end.unwrap_or(rest.len()));
            let whole = picture.trim_end_matches(',');
            self.hidden_file(Some(reference(whole)));
            // A comma at the end of a URL ends the candidate, else the one behind its size does.
            sizes = if whole.len() < picture.len() {
                after
            } else {
                after.split_once(',').map_or("", |(_, next)| next)
            };
        }
    }

    /// Records the files that a style names.
    pub(in crate::document::web) fn style(&mut self, css: &str) {
        for file in css_references(css) {
            self.hidden_file(Some(reference(&file)));
        }
    }

    /// Records the script of an element.
    pub(in crate::document::web) fn script(&mut self, element: &StartTag<'_>) {
        self.has_script = true;
        self.hidden_file(element.value("src").map(reference));
    }

    /// Records a file that belongs to the page, and is not shown: a target without an anchor.
    pub(super) fn hidden_file(&mut self, reference: Option<String>) {
        let is_file = |reference: &String| !reference.is_empty() && !reference.starts_with("data:");
        if let Some(reference) = reference.filter(is_file) {
            self.layout.add_target(reference);
        }
    }
}

/// Returns true for a link to a style sheet or an icon: `<link rel="stylesheet" href="style.css">`.
fn is_file(element: &StartTag<'_>) -> bool {
    let relations = element.value("rel").unwrap_or_default();
    let mut relations = relations.split_ascii_whitespace();
    relations.any(|relation| {
        RELATIONS
            .iter()
            .any(|file| relation.eq_ignore_ascii_case(file))
    })
}
