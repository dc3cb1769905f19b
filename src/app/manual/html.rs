//! The manual as HTML, which the browser shows as it shows other pages.

use std::fmt::Write as _;

use quick_xml::escape::escape;

use super::{ManualBlock, ManualSpan, TOPICS, Topic};
use crate::keymap::Keymap;

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
        for block in self.blocks(keymap) {
            let is_item = matches!(block, ManualBlock::Item(_));
            if is_item != is_in_list {
                html.push_str(if is_item { "<ul>" } else { "</ul>" });
                is_in_list = is_item;
            }
            match block {
                ManualBlock::Heading { level, text } => {
                    let _ = writeln!(html, "<h{level}>{}</h{level}>", escape(&text));
                }
                ManualBlock::Paragraph(spans) => write_spans("p", &spans, prefix, &mut html),
                ManualBlock::Item(spans) => write_spans("li", &spans, prefix, &mut html),
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

fn write_spans(element: &str, spans: &[ManualSpan], prefix: &str, html: &mut String) {
    let _ = write!(html, "<{element}>");
    let mut is_reference = false;
    for span in spans {
        let text = escape(span.text());
        let element = match span {
            ManualSpan::Code(name) if is_reference && Topic::named(name).is_some() => {
                format!("<a href=\"{prefix}{name}\">{text}</a>")
            }
            ManualSpan::Plain(_) => text.to_string(),
            ManualSpan::Code(_) | ManualSpan::Bold(_) => format!("<b>{text}</b>"),
        };
        html.push_str(&element);
        is_reference = span.text().ends_with("topic ") || span.text().ends_with("see ");
    }
    let _ = writeln!(html, "</{element}>");
}
