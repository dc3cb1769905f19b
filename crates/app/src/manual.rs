//! The manual: one Markdown file per topic in `assets/manual`, shown by the browser and printed as manual pages.
//!
//! Its Markdown is a subset (see [`parse`]). A text may have placeholders: `{key:ACTION}` is the first key of an
//! action, and on lines of their own, `{keys}` is the list of all keys by context and `{settings}` the list of all
//! settings.

mod generated;
mod html;
pub mod markdown;

pub use self::generated::setting_lines;
pub(crate) use self::html::topics;
pub use self::markdown::{ManualBlock, ManualSpan, parse};

use crate::action::Action;
use crate::keymap::Keymap;

/// A topic of the manual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topic {
    /// The name, as in `geomys-NAME`.
    pub name: &'static str,
    /// The subject, in a few words.
    pub subject: &'static str,
    source: &'static str,
}

macro_rules! topics {
    ($( $name:literal $subject:literal; )*) => {
        &[ $( Topic {
            name: $name,
            subject: $subject,
            source: include_str!(concat!("../assets/manual/", $name, ".md")),
        }, )* ]
    };
}

/// All topics, in the order of the manual.
pub const TOPICS: &[Topic] = topics! {
    "keys" "keys by context, and how to change them";
    "gopher" "Gopher menus, searches, forms and phone books";
    "ftp" "FTP directories, logins and TLS";
    "news" "news groups: read, write, hide by rules";
    "gemini" "Gemini pages, questions and certificates";
    "pictures" "pictures in a pane";
    "web" "web pages as text";
    "telnet" "telnet sessions in a pane";
    "bookmarks" "the bookmark list: find, arrange, check, exchange";
    "history" "visited pages, tabs and sessions";
    "urls" "what can be opened, and the fields of --json";
    "transfers" "downloads, mirrors and their queue";
    "offline" "reading without a network: sync";
    "network" "TLS, certificates, logins, proxies, gateways";
    "config" "settings, files and environment";
    "scripts" "commands without the browser";
};

impl Topic {
    /// Returns the topic with a name.
    pub fn named(name: &str) -> Option<Self> {
        TOPICS.iter().copied().find(|topic| topic.name == name)
    }

    /// Returns the Markdown text, with the keys of a keymap in place of the placeholders.
    pub fn text(self, keymap: &Keymap) -> String {
        let mut text = String::with_capacity(self.source.len());
        for line in self.source.lines() {
            match line {
                "{keys}" => generated::list_keys(keymap, &mut text),
                "{settings}" => generated::settings(&mut text),
                _ => write_line(line, keymap, &mut text),
            }
        }
        text
    }

    /// Returns the blocks of the text.
    pub fn blocks(self, keymap: &Keymap) -> Vec<ManualBlock> {
        parse(&self.text(keymap))
    }
}

/// Appends a line, with keys in place of `{key:ACTION}`.
fn write_line(mut line: &str, keymap: &Keymap, text: &mut String) {
    while let Some((before, rest)) = line.split_once("{key:")
        && let Some((name, after)) = rest.split_once('}')
    {
        text.push_str(before);
        text.push('`');
        match Action::named(name).and_then(|action| keymap.key_of(action)) {
            Some(key) => text.push_str(&key),
            // An action without a key is run by its name in the palette.
            None => text.extend([":", name]),
        }
        text.push('`');
        line = after;
    }
    text.extend([line, "\n"]);
}

#[cfg(test)]
mod tests {
    use geomys_page::document::{Document, Shape};
    use geomys_wire::text::CharsetSetting;
    use rfc1738::Url;

    use super::*;

    #[test]
    fn placeholders_name_actions() {
        for topic in TOPICS {
            for part in topic.source.split("{key:").skip(1) {
                let (name, _) = part.split_once('}').unwrap();
                assert!(Action::named(name).is_some(), "{}: {name}", topic.name);
            }
        }
    }

    #[test]
    fn topics_begin_with_their_title_and_refer_to_topics() {
        for topic in TOPICS {
            let blocks = topic.blocks(&Keymap::default());
            assert!(
                matches!(blocks.first(), Some(ManualBlock::Heading { level: 1, .. })),
                "{}",
                topic.name
            );
            for part in topic.source.split("topic `").skip(1) {
                let (name, _) = part.split_once('`').unwrap();
                assert!(Topic::named(name).is_some(), "{}: {name}", topic.name);
            }
        }
    }

    /// The lines of code in a source, without their indentation: between lines of backquotes, or indented by four
    /// blanks behind a blank line.
    fn code_lines(source: &str) -> Vec<&str> {
        let (mut is_fenced, mut is_indented, mut before) = (false, false, "");
        let mut code = Vec::new();
        for line in source.lines() {
            let is_fence = line.starts_with("```");
            is_fenced ^= is_fence;
            is_indented = line.starts_with("    ") && (is_indented || before.is_empty());
            if is_fenced && !is_fence {
                code.push(line);
            } else if is_indented {
                code.extend(line.get(4..));
            }
            before = line;
        }
        code
    }

    #[test]
    fn every_line_of_code_is_a_row_of_its_topic() {
        let mut count = 0;
        for topic in TOPICS {
            let url = Url::parse("http://h.example/").unwrap();
            let mut page = Document::new(url, Shape::Html, CharsetSetting::default());
            page.append(topic.html(&Keymap::default(), "").as_bytes());
            let page = page.finished();
            let rows: Vec<String> = (0..page.count())
                .map(|row| page.row(row).unwrap().text())
                .collect();
            let keys = topic.text(&Keymap::default());
            for line in code_lines(&keys) {
                count += 1;
                let is_row = rows.iter().any(|row| row.trim_end() == line.trim_end());
                assert!(is_row, "{}: {line}\n{}", topic.name, rows.join("\n"));
            }
        }
        assert!(count > 80, "{count}");
    }

    #[test]
    fn action_without_a_key_is_named() {
        let mut text = String::new();
        write_line(
            "Press {key:download} or {key:save}.",
            &Keymap::default(),
            &mut text,
        );
        assert_eq!(text, "Press `:download` or `:save`.\n");
    }
}
