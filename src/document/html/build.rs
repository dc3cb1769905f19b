//! Elements laid out as lines.
//!
//! What is open stands in a stack: lists, quotations, tables. Emphasis and the like leave no trace. A line is made when a
//! block begins or ends; lines of a cell wait until their table is whole.

mod flow;
mod link;

use self::link::reference;
use super::form::Form;
use super::line::{Laid, Line};
use super::read::Element;
use super::table::{Cell, Table};
use crate::document::Kind;

/// Elements that may be open in each other. What is deeper is read as if it were not.
const DEPTH: usize = 120;

/// Octets after which a line ends, at the next blank; and where it ends in any case.
const LINE: (usize, usize) = (8 * 1024, 15 * 1024);

/// Columns of indentation at the most.
const INDENT: usize = 40;

/// Columns that a cell spans at the most.
const SPAN: usize = 24;

/// Columns between tabs.
const TAB: usize = 8;

/// What is open.
#[derive(Debug)]
enum Open {
    /// A list; of a numbered one, the number of its next item.
    List(Option<i64>),
    /// An item of it: its mark, until that is shown, and the columns which that takes.
    Item {
        mark: Option<String>,
        columns: usize,
    },
    Definition,
    Quote,
    /// What is shown as it is written.
    Written,
    Heading(usize),
    Form(Form),
    Table(Table),
    /// A cell, and what stood in the line before it.
    Cell {
        lines: Vec<Line>,
        span: usize,
        is_heading: bool,
    },
}

impl Open {
    /// Whether an end of this name is its own.
    fn is(&self, name: &str) -> bool {
        match self {
            Self::List(_) => matches!(name, "ul" | "ol" | "menu" | "dir" | "dl"),
            Self::Item { .. } => name == "li",
            Self::Definition => name == "dd",
            Self::Quote => name == "blockquote",
            Self::Written => matches!(name, "pre" | "xmp" | "listing" | "plaintext"),
            Self::Heading(_) => matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6"),
            Self::Form(_) => name == "form",
            Self::Table(_) => name == "table",
            Self::Cell { .. } => matches!(name, "td" | "th" | "caption"),
        }
    }
}

/// A page while it is laid out.
#[derive(Debug, Default)]
pub(super) struct Builder {
    laid: Laid,
    open: Vec<Open>,
    /// The line that grows.
    line: Option<Line>,
    /// Columns of it, where it is shown as it is written.
    column: usize,
    /// The link that is open, and where it begins in the line.
    link: Option<(u32, usize)>,
    /// A blank line goes before the next one.
    wants_blank: bool,
    has_words: bool,
    has_script: bool,
}

impl Builder {
    /// A script stands here.
    pub(super) fn script(&mut self) {
        self.has_script = true;
    }

    pub(super) fn title(&mut self, title: &str) {
        if self.laid.title.is_none() {
            let words: Vec<&str> = title.split_whitespace().collect();
            self.laid.title = Some(words.join(" "));
        }
    }

    /// An element begins.
    pub(super) fn start(&mut self, element: &Element<'_>) {
        match element.name() {
            "a" => self.anchor(element),
            "img" => self.image(element),
            "br" => self.line_break(),
            "hr" => {
                self.paragraph();
                self.add(Line::new(Kind::Plain, "-".repeat(40)));
                self.wants_blank = true;
            }
            "p" | "figure" | "fieldset" | "address" => self.paragraph(),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.paragraph();
                let level = element.name().bytes().next_back().unwrap_or(b'1') - b'0';
                self.push(Open::Heading(usize::from(level)));
            }
            "ul" | "menu" | "dir" | "dl" => self.list(None),
            "ol" => {
                let start = element
                    .value("start")
                    .and_then(|start| start.trim().parse().ok());
                self.list(Some(start.unwrap_or(1)));
            }
            "li" => self.item(),
            "dt" => self.close_in_list("dd"),
            "dd" => {
                self.close_in_list("dd");
                self.push(Open::Definition);
            }
            "blockquote" => {
                self.paragraph();
                self.push(Open::Quote);
            }
            "pre" | "xmp" | "listing" | "plaintext" => {
                self.paragraph();
                self.column = 0;
                self.push(Open::Written);
            }
            "table" => self.table(),
            "tr" => self.row(),
            "td" | "th" | "caption" => self.cell(element),
            "form" => {
                self.paragraph();
                self.push(Open::Form(Form::of(element)));
            }
            "input" | "textarea" | "select" => self.field(element),
            "base" => {
                if let (None, Some(base)) = (&self.laid.base, element.value("href")) {
                    self.laid.base = Some(reference(base));
                }
            }
            "frame" | "iframe" | "video" | "audio" | "embed" => self.embedded(element),
            name if is_block(name) => self.flush(),
            _ => {}
        }
    }

    /// An element ends.
    pub(super) fn end(&mut self, name: &str) {
        match name {
            "a" => self.end_link(),
            "p" | "figure" | "fieldset" | "address" => self.paragraph(),
            "br" => self.line_break(),
            "li" | "dd" => self.close_in_list(name),
            "tr" | "td" | "th" | "caption" => self.close_in_table(),
            "ul" | "ol" | "menu" | "dir" | "dl" | "blockquote" | "pre" | "xmp" | "listing"
            | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "form" | "table" => self.close(name),
            name if is_block(name) => self.flush(),
            _ => {}
        }
    }

    /// The page is over.
    pub(super) fn finish(mut self) -> Laid {
        self.flush();
        while !self.open.is_empty() {
            self.pop();
        }
        if !self.has_words && self.has_script {
            self.laid
                .note("[this page shows nothing without its scripts, and Geomys runs none]");
        }
        self.laid
    }

    fn field(&mut self, element: &Element<'_>) {
        let forms = self.open.iter_mut().rev();
        let form = forms.filter_map(|open| match open {
            Open::Form(form) => Some(form),
            _ => None,
        });
        if let Some(form) = form.into_iter().next() {
            form.field(element);
        }
    }

    fn list(&mut self, number: Option<i64>) {
        let is_inner = self.open.iter().any(|open| matches!(open, Open::List(_)));
        self.flush();
        self.wants_blank |= !is_inner;
        self.push(Open::List(number));
    }

    fn item(&mut self) {
        self.close_in_list("li");
        let lists = self.open.iter_mut().rev();
        let list = lists.filter_map(|open| match open {
            Open::List(number) => Some(number),
            _ => None,
        });
        let mark = match list.into_iter().next() {
            Some(Some(number)) => {
                let mark = format!("{number}. ");
                *number = number.saturating_add(1);
                mark
            }
            Some(None) | None => "* ".to_owned(),
        };
        let columns = mark.len();
        let mark = Some(mark);
        self.push(Open::Item { mark, columns });
    }

    fn table(&mut self) {
        self.paragraph();
        for open in &mut self.open {
            if let Open::Table(table) = open {
                table.holds_table = true;
            }
        }
        self.push(Open::Table(Table::default()));
    }

    fn row(&mut self) {
        self.close_in_table();
        if let Some(Open::Table(table)) = self.open.last_mut() {
            table.begin_row();
        }
    }

    fn cell(&mut self, element: &Element<'_>) {
        self.close_in_table();
        if !matches!(self.open.last(), Some(Open::Table(_))) {
            return;
        }
        let span = element
            .value("colspan")
            .and_then(|span| span.trim().parse().ok());
        self.wants_blank = false;
        self.push(Open::Cell {
            lines: Vec::new(),
            span: span.unwrap_or(1_usize).clamp(1, SPAN),
            is_heading: element.name() == "th",
        });
    }

    fn push(&mut self, open: Open) {
        self.flush();
        if self.open.len() < DEPTH {
            self.open.push(open);
        }
    }

    /// Ends the innermost element of this name, and what is open in it; none where a cell stands between.
    fn close(&mut self, name: &str) {
        self.flush();
        let at = self.open.iter().rposition(|open| open.is(name));
        let cell = self
            .open
            .iter()
            .rposition(|open| matches!(open, Open::Cell { .. }));
        match at {
            Some(at) if name == "table" || cell.is_none_or(|cell| cell < at) => {
                while self.open.len() > at {
                    self.pop();
                }
            }
            Some(_) | None => {}
        }
    }

    /// Ends an item, where one is open in the innermost list.
    fn close_in_list(&mut self, name: &str) {
        self.flush();
        let at = self.open.iter().rposition(|open| {
            open.is(name) || matches!(open, Open::List(_) | Open::Cell { .. } | Open::Table(_))
        });
        if let Some(at) = at
            && self.open.get(at).is_some_and(|open| open.is(name))
        {
            while self.open.len() > at {
                self.pop();
            }
        }
    }

    /// Ends what is open in the innermost table.
    fn close_in_table(&mut self) {
        self.flush();
        let table = self
            .open
            .iter()
            .rposition(|open| matches!(open, Open::Table(_)));
        if let Some(table) = table {
            while self.open.len() > table + 1 {
                self.pop();
            }
        }
    }

    /// Ends what is innermost.
    fn pop(&mut self) {
        self.flush();
        match self.open.pop() {
            Some(Open::List(_)) => {
                let is_inner = self.open.iter().any(|open| matches!(open, Open::List(_)));
                self.wants_blank |= !is_inner;
            }
            Some(Open::Quote | Open::Written | Open::Heading(_)) => self.wants_blank = true,
            Some(Open::Form(form)) => {
                self.add(Line::new(Kind::Plain, form.words()));
                self.wants_blank = true;
            }
            Some(Open::Table(table)) => {
                // Its cells have had blank lines of their own.
                self.wants_blank = true;
                for mut line in table.lines() {
                    self.indent(&mut line);
                    self.add(line);
                }
                self.wants_blank = true;
            }
            Some(Open::Cell {
                lines,
                span,
                is_heading,
            }) => {
                self.wants_blank = false;
                if let Some(Open::Table(table)) = self.open.last_mut() {
                    table.push(Cell {
                        lines,
                        span,
                        is_heading,
                    });
                }
            }
            Some(Open::Item { .. } | Open::Definition) | None => {}
        }
    }
}

/// Elements that begin and end a line, and mean nothing else here.
fn is_block(name: &str) -> bool {
    matches!(
        name,
        "div"
            | "section"
            | "article"
            | "header"
            | "footer"
            | "main"
            | "nav"
            | "aside"
            | "center"
            | "figcaption"
            | "details"
            | "summary"
            | "legend"
            | "dialog"
            | "hgroup"
            | "search"
            | "body"
            | "head"
            | "html"
            | "frameset"
            | "noframes"
            | "thead"
            | "tbody"
            | "tfoot"
            | "optgroup"
            | "option"
    )
}
