//! Layout of data in JSON (RFC 8259): each value on its own line, indented by its depth.
//!
//! Numbers and strings stay as they are written, except that `\/` is a slash. Text that is not JSON is laid out by the
//! brackets, commas and quotation marks in it.

use geomys_wire::text::is_harmful;
use rfc1738::links_in_text;

use super::line::{Line, PageLayout};
use crate::document::row::Kind;

/// The indentation of each level, and the maximum, in columns.
const INDENT: usize = 2;
const MAX_INDENT_COLUMNS: usize = 40;

/// The length in octets after which a line is ended.
const LINE: usize = 8 * 1024;

/// The maximum number of lines: deep data of 8 MiB could take a hundred times as much memory.
const LINES: usize = 500_000;

/// Lays out data. `is_cut` is true if it was truncated before.
pub(super) fn lay_out(data: &str, is_cut: bool) -> PageLayout {
    let mut builder = JsonBuilder::default();
    let mut read = 0;
    let mut rest = data.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        if builder.lines == LINES {
            break;
        }
        read = at + c.len_utf8();
        let next = rest.peek().map(|(_, next)| *next);
        builder.read(c, next);
    }
    builder.end_line();
    let mut layout = builder.layout;
    if is_cut || read < data.len() {
        layout.note_cut(read);
    }
    layout
}

#[derive(Default)]
struct JsonBuilder {
    layout: PageLayout,
    lines: usize,
    line: String,
    depth: usize,
    in_string: bool,
    /// True after a backslash in a string.
    is_escaped: bool,
    /// True directly after an opening bracket.
    is_empty: bool,
}

impl JsonBuilder {
    fn read(&mut self, c: char, next: Option<char>) {
        if self.in_string {
            return self.in_string(c, next);
        }
        if c.is_whitespace() {
            // Several values, one a line.
            if c == '\n' && self.depth == 0 {
                self.end_line();
            }
            return;
        }
        let was_empty = std::mem::take(&mut self.is_empty);
        match c {
            '{' | '[' => {
                self.end_empty(was_empty);
                self.line.push(c);
                self.is_empty = true;
            }
            '}' | ']' => {
                if !was_empty {
                    self.end_line();
                    self.depth = self.depth.saturating_sub(1);
                }
                self.line.push(c);
            }
            ',' => {
                self.end_empty(was_empty);
                self.line.push(c);
                self.end_line();
            }
            ':' => self.line.push_str(": "),
            c => {
                self.end_empty(was_empty);
                self.in_string = c == '"';
                self.put(c);
            }
        }
    }

    /// Reads a character in a string.
    fn in_string(&mut self, c: char, next: Option<char>) {
        let is_escape = c == '\\' && !self.is_escaped;
        self.in_string = c != '"' || self.is_escaped;
        self.is_escaped = is_escape;
        if !(is_escape && next == Some('/')) {
            self.put(c);
        }
    }

    /// Ends the line of an opening bracket that a value follows.
    fn end_empty(&mut self, was_empty: bool) {
        if was_empty {
            self.end_line();
            self.depth += 1;
        }
    }

    fn put(&mut self, c: char) {
        if !is_harmful(c) {
            self.line.push(c);
        }
        if self.line.len() > LINE {
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        let text = std::mem::take(&mut self.line);
        let text = text.trim_end();
        if text.is_empty() {
            return;
        }
        let indent = (self.depth * INDENT).min(MAX_INDENT_COLUMNS);
        let mut line = Line::new(Kind::Plain, text.to_owned());
        let urls = links_in_text(text.as_bytes()).filter(|found| found.result.is_ok());
        for found in urls {
            let target = self.layout.add_target(found.url_text.into_owned());
            line.links.push((found.range, target));
        }
        line.hang = indent + INDENT;
        line.prefix(&" ".repeat(indent));
        self.layout.push(&line);
        self.lines += 1;
    }
}
