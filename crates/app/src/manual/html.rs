//! The manual as HTML, which the browser shows as it shows other pages.

use std::fmt::Write as _;

use quick_xml::escape::escape;

use super::{ManualBlock, ManualSpan, TOPICS, Topic};
use crate::keymap::{Keymap, parse_keys};

/// Returns the list of all topics as HTML, with links to their pages.
pub(crate) fn topics(prefix: &str) -> String {
    let mut html = "<h1>Help</h1><ul>".to_owned();
    for topic in TOPICS {
        let (name, subject) = (topic.name, escape(topic.subject));
        let _ = write!(
            html,
            "<li><a href=\"{prefix}{name}\">{name}</a>: {subject}</li>"
        );
    }
    html.push_str("</ul>");
    html
}

impl Topic {
    /// Returns the text as HTML, with the keys of a keymap. The names of topics are links to their pages.
    pub(crate) fn html(self, keymap: &Keymap, prefix: &str) -> String {
        let mut html = String::new();
        let mut is_in_list = false;
        let mut table = String::new();
        for block in self.blocks(keymap) {
            let is_item = matches!(block, ManualBlock::Item(_));
            if is_item != is_in_list {
                html.push_str(if is_item { "<ul>" } else { "</ul>" });
                is_in_list = is_item;
            }
            match block {
                ManualBlock::Heading { level, text } => {
                    let name = text
                        .strip_prefix('[')
                        .and_then(|text| text.strip_suffix(']'));
                    table = name.map_or(String::new(), |name| format!("{name}."));
                    let _ = writeln!(html, "<h{level}>{}</h{level}>", escape(&text));
                }
                ManualBlock::Paragraph(spans) => write_spans("p", None, &spans, prefix, &mut html),
                ManualBlock::Item(spans) => {
                    let id = setting_of(&spans).map(|name| format!("{table}{name}"));
                    write_spans("li", id, &spans, prefix, &mut html);
                }
                ManualBlock::Code(lines) => {
                    let _ = writeln!(html, "<pre>{}</pre>", escape(lines.join("\n")));
                }
            }
        }
        if is_in_list {
            html.push_str("</ul>");
        }
        html
    }
}

/// Returns the name of the setting that an item of a list describes.
fn setting_of(spans: &[ManualSpan]) -> Option<&str> {
    match spans.first()? {
        ManualSpan::Code(code) => Some(code.split_once(" = ")?.0),
        ManualSpan::Plain(_) | ManualSpan::Bold(_) => None,
    }
}

/// Returns true for keys, and for a command of the palette.
fn is_key(code: &str) -> bool {
    code.starts_with(':') || parse_keys(code).is_some()
}

/// Appends an element with spans; `id` is its name for fragments.
fn write_spans(
    element: &str,
    id: Option<String>,
    spans: &[ManualSpan],
    prefix: &str,
    html: &mut String,
) {
    let id = id.map_or(String::new(), |id| format!(" id=\"{}\"", escape(id)));
    let _ = write!(html, "<{element}{id}>");
    let mut is_reference = false;
    for span in spans {
        let text = escape(span.text());
        let element = match span {
            ManualSpan::Code(name) if is_reference && Topic::named(name).is_some() => {
                format!("<a href=\"{prefix}{name}\">{text}</a>")
            }
            ManualSpan::Plain(_) => text.to_string(),
            ManualSpan::Code(code) if is_key(code) => format!("<kbd>{text}</kbd>"),
            ManualSpan::Code(_) | ManualSpan::Bold(_) => format!("<b>{text}</b>"),
        };
        html.push_str(&element);
        is_reference = span.text().ends_with("topic ") || span.text().ends_with("see ");
    }
    let _ = writeln!(html, "</{element}>");
}
