//! The built-in pages: the home page, the topics of the manual and the page of the configuration.

use std::fmt::Write as _;

use geomys_page::document::{Document, Shape};
use geomys_wire::text::{Charset, Text};
use rfc1738::Url;

use crate::app::manual::{Topic, topics};
use crate::app::settings::{ConfigReport, Settings};
use crate::keymap::Keymap;

/// The address of the home page. It is made each time.
pub const HOME: &str = "geomys:home";

/// The address of the list of topics.
pub const HELP: &str = "geomys:help";

/// The address of the page of visits.
pub const HISTORY: &str = "geomys:history";

/// The address of the page of the configuration.
pub const CONFIG: &str = "geomys:config";

/// The address of the page of pages to read later. It is made from its file each time.
pub const LATER: &str = "geomys:later";

/// The beginning of the address of a topic.
pub const TOPIC: &str = "geomys:help/";

/// Returns true for the address of a built-in page.
pub(crate) fn is_builtin(url: &Url) -> bool {
    matches!(url.as_str(), HOME | HELP | HISTORY | CONFIG | LATER) || topic(url).is_some()
}

/// Returns the topic with an address.
fn topic(url: &Url) -> Option<Topic> {
    Topic::named(url.before_fragment().strip_prefix(TOPIC)?)
}

/// Returns the built-in page with an address.
pub(crate) fn page(url: &Url, keymap: &Keymap, settings: &Settings) -> Option<Document> {
    let (shape, octets) = match url.as_str() {
        HELP => (Shape::Html, topics(TOPIC)),
        CONFIG => (Shape::Text, configuration(&settings.config)),
        _ => (Shape::Html, topic(url)?.html(keymap, TOPIC)),
    };
    let mut document = Document::new(url.clone(), shape, Charset::default());
    document.append(octets.as_bytes());
    // A short text is laid out at once.
    Some(document.finished())
}

/// Returns the text of the page of the configuration.
fn configuration(report: &ConfigReport) -> String {
    let mut page = "Geomys: the configuration\n\nFiles\n\n".to_owned();
    for file in &report.files {
        let _ = writeln!(page, "  {}", Text::of(&file.to_string_lossy()));
    }
    page.push_str("\nMistakes\n\n");
    if report.mistakes.is_empty() {
        page.push_str("  None\n");
    }
    for mistake in &report.mistakes {
        let _ = writeln!(page, "  {}", Text::of(mistake));
    }
    page.push_str(
        "\nAn edit takes effect when the file is saved; a proxy, time limits and the cache at the next\n\
         start. geomys config show prints the defaults.\n",
    );
    page
}
