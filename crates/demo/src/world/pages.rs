//! The pages of the Gopher server, by selector.
//!
//! Menus are written as Gopher administrators usually write them: a line without a tab is an information row; a line
//! with tabs has type and title, selector, host and port, and the last two may be left out for this server. Rows of
//! existing pages get the fifth field of Gopher+ (`+`), because each of them has attributes; rows of pages with a
//! form get `?`. Some pages have more of Gopher+: several views, a form before the page, a new location.

use std::net::SocketAddr;

use crate::assets::{Placeholders, text};
use crate::wire::split_once;
use crate::{assets, wire};

/// A page of the Gopher server.
#[derive(Debug)]
pub(crate) struct WorldPage {
    /// The item type of menu rows for this page.
    pub(crate) kind: u8,
    pub(crate) selector: &'static [u8],
    pub(crate) title: &'static str,
    /// The +ABSTRACT of Gopher+.
    pub(crate) summary: &'static str,
    /// The day of its last change: `YYYYMMDD`.
    pub(crate) changed: &'static str,
    /// The rows of a menu as sent, a text with LF, or the octets of a file.
    pub(crate) body: Vec<u8>,
}

/// All pages.
#[derive(Debug)]
pub(crate) struct Pages(Vec<WorldPage>);

impl Pages {
    pub(super) fn new(placeholders: &Placeholders, here: SocketAddr) -> Self {
        let index: Vec<[&[u8]; 6]> = assets::table("gopher/index.txt").collect();
        let known: Vec<&[u8]> = index.iter().map(|[_, selector, ..]| *selector).collect();
        let pages = index
            .iter()
            .map(|&[kind, selector, file, changed, title, summary]| {
                let kind = kind.first().copied().unwrap_or_default();
                let body = assets::file(text(file));
                let body = match kind {
                    b'1' => rows(&placeholders.fill(body), &known, here),
                    b'0' | b'h' => placeholders.fill(body),
                    _ => body.to_vec(),
                };
                WorldPage {
                    kind,
                    selector,
                    title: text(title),
                    summary: text(summary),
                    changed: text(changed),
                    body,
                }
            });
        Self(pages.collect())
    }

    /// The page at `selector`. A leading slash may be missing or extra, as in links written by hand.
    pub(crate) fn at(&self, selector: &[u8]) -> Option<&WorldPage> {
        self.0
            .iter()
            .find(|page| page.selector == selector)
            .or_else(|| {
                let bare = selector.strip_prefix(b"/").unwrap_or(selector);
                self.0
                    .iter()
                    .find(|page| page.selector.strip_prefix(b"/").unwrap_or(page.selector) == bare)
            })
    }

    /// The texts that contain all `words`, in title or body, ignoring ASCII case.
    pub(crate) fn search(&self, words: &[u8]) -> Vec<&WorldPage> {
        let words = words.to_ascii_lowercase();
        let words: Vec<&[u8]> = words
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty())
            .collect();
        let holds = |page: &&WorldPage| {
            let (title, body) = (
                page.title.to_ascii_lowercase(),
                page.body.to_ascii_lowercase(),
            );
            let inside = |text: &[u8], word: &[u8]| memchr::memmem::find(text, word).is_some();
            words
                .iter()
                .all(|word| inside(title.as_bytes(), word) || inside(&body, word))
        };
        if words.is_empty() {
            return Vec::new();
        }
        self.0
            .iter()
            .filter(|page| page.kind == b'0')
            .filter(holds)
            .collect()
    }
}

/// The file of a menu as the rows of RFC 1436, without the final dot.
fn rows(file: &[u8], known: &[&[u8]], here: SocketAddr) -> Vec<u8> {
    let mut menu = Vec::with_capacity(file.len() * 2);
    for line in wire::lines(file) {
        let Some((title, rest)) = split_once(line, b'\t') else {
            menu.push(b'i');
            menu.extend_from_slice(line);
            menu.extend_from_slice(b"\t\tnull.host\t1\r\n");
            continue;
        };
        menu.extend_from_slice(title);
        menu.push(b'\t');
        menu.extend_from_slice(rest);
        // A row with a host is sent as it is, including unusual fields.
        if !rest.contains(&b'\t') {
            menu.extend_from_slice(format!("\t{}\t{}", here.ip(), here.port()).as_bytes());
            if form(rest).is_some() {
                menu.extend_from_slice(b"\t?");
            } else if known.contains(&rest) || moved(rest).is_some() {
                menu.extend_from_slice(b"\t+");
            }
        }
        menu.extend_from_slice(b"\r\n");
    }
    menu
}

/// The views of the page at `selector`, the preferred one first; empty if there is only one. Each has the MIME type and
/// the language, as +VIEWS writes them, and a file of text with LF line ends.
pub(crate) fn views(selector: &[u8]) -> &'static [(&'static str, &'static str)] {
    match selector {
        b"/library/rules.txt" => &[
            ("text/plain En_GB", "gopher/rules.txt"),
            ("text/plain De_DE", "gopher/rules-de.txt"),
            ("text/html En_GB", "gopher/rules.html"),
        ],
        _ => &[],
    }
}

/// The form of the page at `selector`: the lines of its +ASK.
pub(crate) fn form(selector: &[u8]) -> Option<&'static [u8]> {
    (selector == b"/post/telegram").then(|| assets::file("gopher/telegram.ask"))
}

/// The present selector of a page that moved from `selector`.
pub(crate) fn moved(selector: &[u8]) -> Option<&'static [u8]> {
    (selector == b"/library/old-rules.txt").then_some(b"/library/rules.txt")
}
