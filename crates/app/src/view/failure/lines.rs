//! The lines of a failed page: the address, the error, the server's own message, and the keys that help.

use geomys_load::{Failure, NextReason};
use geomys_wire::net::{shown_address, shown_url};
use geomys_wire::text::{self, Text};
use rfc1738::Url;

use crate::Settings;
use crate::action::Action;
use crate::keymap::Keymap;
use crate::view::context::State;
use crate::view::failure::FailureView;
use crate::view::kind::{ViewKind, with_open};

/// The highest number of lines of a server's message, and of columns in each line.
const SAID: (usize, usize) = (30, 800);

/// What a line of the page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineRole {
    /// Text.
    Text,
    /// The error.
    Fault,
    /// Secondary text.
    Dim,
    /// The URL to go to instead.
    Link,
}

/// The lines so far, wrapped to a width.
struct FailureLines {
    lines: Vec<(String, LineRole)>,
    /// The columns of the text.
    width: usize,
}

impl FailureLines {
    fn add(&mut self, text: &str, role: LineRole, indent: usize) {
        for piece in text::wrap(text, self.width.saturating_sub(indent).max(1)) {
            let line = format!("  {}{piece}", " ".repeat(indent));
            self.lines.push((line, role));
        }
    }

    fn blank(&mut self) {
        self.lines.push((String::new(), LineRole::Text));
    }

    /// Adds what the server said, in a few lines.
    fn add_server_message(&mut self, failure: &Failure) {
        if failure.said.is_empty() {
            return;
        }
        self.blank();
        self.add("The server said:", LineRole::Dim, 0);
        for said in failure.said.iter().take(SAID.0) {
            let said = text::shorten(said.as_str(), SAID.1, "…");
            self.add(&said, LineRole::Text, 2);
        }
        if let Some(more) = failure.said.len().checked_sub(SAID.0 + 1) {
            let more = format!("({} more lines)", text::count(more + 1));
            self.add(&more, LineRole::Dim, 2);
        }
    }

    /// Adds the URL to go to instead.
    fn add_next(&mut self, failure: &Failure) {
        let Some(next) = &failure.next else {
            return;
        };
        let target = match &next.target {
            Ok(url) => shown_url(url).into_owned(),
            Err(error) => error.to_string(),
        };
        self.blank();
        let reason = match failure.next_reason {
            NextReason::Moved | NextReason::MovedForGood => "It is now at:",
            NextReason::Tls => "It answers over TLS:",
        };
        self.add(reason, LineRole::Dim, 0);
        self.add(next.label.as_str(), LineRole::Text, 2);
        self.add(&target, LineRole::Link, 2);
    }
}

impl FailureView {
    /// Returns the lines of the page at `url`, wrapped to this number of columns, with the role of each. The key that
    /// goes back is named if it can.
    pub fn lines(
        &self,
        url: &Url,
        state: &State,
        settings: &Settings,
        keymap: &Keymap,
        columns: u16,
        can_go_back: bool,
    ) -> Vec<(String, LineRole)> {
        let failure = &self.failure;
        let mut page = FailureLines {
            lines: Vec::new(),
            width: usize::from(columns).saturating_sub(4).max(1),
        };
        page.blank();
        let parts = url.base_parts();
        let address = parts.address();
        page.add(&format!("Requested  {}", shown_url(url)), LineRole::Text, 0);
        if let Some(address) = address.as_ref().filter(|address| !address.text.is_empty()) {
            let from = format!("From       {}", Text::of(&shown_address(address)));
            page.add(&from, LineRole::Text, 0);
        }
        page.blank();
        let host = address.as_ref().map_or("", |address| address.node());
        page.add(&capital(&failure.sentence, host), LineRole::Fault, 0);
        if let Some(about) = &failure.about {
            page.blank();
            for line in &about.lines {
                page.add(line.as_str(), LineRole::Text, 2);
            }
        }
        page.add_server_message(failure);
        if let Some(admin) = &failure.admin {
            page.blank();
            page.add(&format!("Contact: {admin}"), LineRole::Dim, 0);
        }
        page.add_next(failure);
        let advice = failure.advice.map(|advice| capital(advice, host));
        for sentence in self.copies(url, settings).into_iter().chain(advice) {
            page.blank();
            page.add(&sentence, LineRole::Text, 0);
        }
        page.blank();
        let link = self.link();
        let hints = with_open(self, link.as_ref(), self.hints(url, state, settings));
        let hints = hints
            .into_iter()
            .filter(|(action, _)| *action != Action::Back || can_go_back);
        let keys =
            hints.filter_map(|(action, label)| Some(format!("{} {label}", keymap.key_of(action)?)));
        let keys: Vec<String> = keys.collect();
        page.add(&keys.join("   "), LineRole::Dim, 0);
        page.lines
    }
}

/// Adds a capital and a full stop to a sentence; the host at its beginning stays as it is.
fn capital(sentence: &str, host: &str) -> String {
    let stop = if sentence.ends_with(['.', '!', '?']) {
        ""
    } else {
        "."
    };
    format!("{}{stop}", text::sentence_case(sentence, host))
}
