//! Links, and the elements shown as links: areas, frames, feeds.

use super::LayoutBuilder;
use crate::document::web::tag::{StartTag, reference};

/// The maximum number of feeds of a page.
const MAX_FEEDS: usize = 5;

/// An open link.
#[derive(Debug)]
pub(super) struct OpenLink {
    /// Its index among the targets.
    pub(super) target: u32,
    /// Its start in the current line.
    pub(super) start: usize,
    /// The number of characters of the page before it.
    characters: u32,
    /// The name of a picture in it that has no words.
    pub(super) picture: Option<String>,
}

impl LayoutBuilder {
    pub(super) fn anchor(&mut self, element: &StartTag<'_>) {
        self.end_link();
        if let Some(reference) = followed(element) {
            let target = self.layout.add_target(reference);
            self.open_link(target);
        }
    }

    /// Begins a link to a target here.
    pub(super) fn open_link(&mut self, target: u32) {
        self.link = Some(OpenLink {
            target,
            start: self.line.as_ref().map_or(0, |line| line.text.len()),
            characters: self.characters,
            picture: None,
        });
    }

    /// Ends the link. One that has only a picture without words shows the name of its file.
    pub(super) fn end_link(&mut self) {
        let link = self.link.as_mut();
        let picture = link.and_then(|link| {
            let picture = link.picture.take();
            picture.filter(|_| link.characters == self.characters)
        });
        if let Some(picture) = picture {
            self.word(&format!("[{picture}]"));
        }
        self.note_link();
        self.link = None;
    }

    /// Takes a link in the head that names a feed of the page.
    pub(super) fn head_link(&mut self, element: &StartTag<'_>) {
        let value = |name| {
            element
                .value(name)
                .unwrap_or_default()
                .trim()
                .to_ascii_lowercase()
        };
        let is_alternate = value("rel")
            .split_ascii_whitespace()
            .any(|rel| rel == "alternate");
        let is_feed = matches!(
            value("type").as_str(),
            "application/rss+xml" | "application/atom+xml" | "application/feed+json"
        );
        if let Some(href) = element.value("href").filter(|_| is_alternate && is_feed)
            && self.feeds.len() < MAX_FEEDS
        {
            let title = element.value("title").unwrap_or_default();
            let words: Vec<&str> = title.split_whitespace().collect();
            self.feeds.push((words.join(" "), reference(href)));
        }
    }

    /// Adds the feeds of the page below it.
    pub(super) fn add_feeds(&mut self) {
        for (title, reference) in std::mem::take(&mut self.feeds) {
            self.line_break();
            let words = format!("[feed: {title}]");
            self.link(words.replace(": ]", "]").as_str(), reference);
        }
        self.flush();
    }

    /// Records the part of the open link that is in the current line.
    pub(super) fn note_link(&mut self) {
        let (Some(link), Some(line)) = (&self.link, &mut self.line) else {
            return;
        };
        let (target, start) = (link.target, link.start);
        let text = line.text.get(start..).unwrap_or_default();
        let blanks = text.len() - text.trim_start().len();
        let range = start + blanks..start + text.trim_end().len();
        if range.start < range.end {
            line.links.push((range, target));
        }
    }

    /// Adds a link with these words.
    pub(super) fn link(&mut self, words: &str, reference: String) {
        self.end_link();
        let target = self.layout.add_target(reference);
        self.open_link(target);
        self.word(words);
        self.end_link();
    }

    /// Adds the link of an area in an image map.
    pub(super) fn area(&mut self, element: &StartTag<'_>) {
        if let Some(reference) = followed(element) {
            let alt = element.value("alt").map(str::trim);
            let name = alt.filter(|alt| !alt.is_empty());
            let name = name.map_or_else(|| name_in_path(&reference), str::to_owned);
            self.flush();
            self.link(&format!("[area: {name}]"), reference);
            self.flush();
        }
    }

    /// Handles an element that stands for a field of HTTP: `<meta http-equiv="refresh" content="5; url=/next">`.
    pub(super) fn meta(&mut self, element: &StartTag<'_>) {
        let is_refresh = |value: &str| value.trim().eq_ignore_ascii_case("refresh");
        if element.value("http-equiv").is_some_and(is_refresh) {
            self.refresh(element.value("content").unwrap_or_default());
        }
    }

    /// Adds the link of a page that leads on to another, by the field `5; url=/next`.
    pub(in crate::document::web) fn refresh(&mut self, field: &str) {
        let Some((_, rest)) = field.split_once([';', ',']) else {
            return;
        };
        let rest = rest.trim_start();
        let named = rest
            .get(..3)
            .filter(|name| name.eq_ignore_ascii_case("url"));
        let url = named.and_then(|_| rest.get(3..)?.trim_start().strip_prefix('='));
        let url = reference(url.unwrap_or(rest).trim().trim_matches(['"', '\'']));
        if !url.is_empty() && !is_script(&url) {
            self.paragraph();
            self.link(&format!("[this page redirects to {url}]"), url);
            self.paragraph();
        }
    }

    /// Adds a link to an embedded page or file.
    pub(super) fn embedded(&mut self, element: &StartTag<'_>) {
        let Some(source) = element.value("src").map(reference) else {
            return;
        };
        let kind = match element.name() {
            "frame" | "iframe" => "frame",
            name => name,
        };
        let title = element.value("title").or(element.value("name"));
        let name = title.map_or_else(|| name_in_path(&source), str::to_owned);
        self.flush();
        self.link(&format!("[{kind}: {name}]"), source);
        self.flush();
    }
}

/// The reference of an element. A link to the top of the page, as scripts have it, or to a script is plain text.
fn followed(element: &StartTag<'_>) -> Option<String> {
    let reference = element.value("href").map(reference);
    reference.filter(|target| target != "#" && !is_script(target))
}

fn is_script(reference: &str) -> bool {
    let scheme = reference.split(':').next().unwrap_or_default();
    reference.contains(':') && scheme.eq_ignore_ascii_case("javascript")
}

/// The name of a resource by its reference: the last segment of the path.
pub(super) fn name_in_path(reference: &str) -> String {
    let path = reference.split(['?', '#']).next().unwrap_or_default();
    let name = path
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    if name.is_empty() {
        "without a name"
    } else {
        name
    }
    .to_owned()
}
