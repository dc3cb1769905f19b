//! Layout of elements as lines.
//!
//! The open elements are on a stack: lists, quotations, tables. Emphasis and the like are ignored. A line is ended when
//! a block begins or ends. The lines of a cell are stored until their table is complete.

mod field;
mod files;
mod flow;
mod hidden;
mod link;
mod list;
mod math;
mod picture;

use geomys_wire::text::Charset;
use jiff::civil::Date;

use self::field::PageForms;
use self::flow::OpenScript;
use self::hidden::{HiddenPart, HiddenParts};
use self::link::OpenLink;
use self::list::Numbering;
use self::math::MathElement;
use super::line::{Line, PageLayout};
use super::table::{Alignment, COLUMNS, Cell, WebTable};
use super::tag::{StartTag, reference};
use crate::document::row::Kind;

/// The maximum depth of open elements. Deeper elements are ignored, but their text is shown.
const DEPTH: usize = 120;

/// The length in octets after which a line ends at the next blank, and the maximum length.
const LINE: (usize, usize) = (8 * 1024, 15 * 1024);

/// The maximum indentation, in columns.
const INDENT: usize = 40;

/// The maximum number of rows that a cell spans.
const ROW_SPAN: usize = 1000;

/// The distance of tab stops, in columns.
const TAB: usize = 8;

/// An open element.
#[derive(Debug)]
enum OpenElement {
    /// A list, and the numbering of its items.
    List(Option<Numbering>),
    /// A list item: its marker, until it is shown, and the width of the marker in columns.
    Item {
        mark: Option<String>,
        columns: usize,
    },
    Definition,
    Quote,
    /// Preformatted text.
    Preformatted,
    /// A heading of this level, from 1.
    Heading(u8),
    Table(WebTable),
    Cell(Cell),
    /// A part that the markup hides.
    Hidden(HiddenPart),
}

impl OpenElement {
    /// Returns true if an end tag with this name ends the element.
    fn is(&self, name: &str) -> bool {
        match self {
            Self::List(_) => matches!(name, "ul" | "ol" | "menu" | "dir" | "dl"),
            Self::Item { .. } => name == "li",
            Self::Definition => name == "dd",
            Self::Quote => name == "blockquote",
            Self::Preformatted => matches!(name, "pre" | "xmp" | "listing" | "plaintext"),
            Self::Heading(_) => matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6"),
            Self::Table(_) => name == "table",
            Self::Cell(_) => matches!(name, "td" | "th" | "caption"),
            Self::Hidden(_) => false,
        }
    }
}

/// A post of a page (`article`).
#[derive(Debug, Default)]
struct Article {
    /// The number of the line with its link.
    link: Option<u32>,
    /// True if that is its heading.
    is_heading: bool,
}

/// The state of a page's layout.
#[derive(Debug, Default)]
pub(super) struct LayoutBuilder {
    layout: PageLayout,
    open: Vec<OpenElement>,
    /// The current line.
    line: Option<Line>,
    /// The width of the current line in preformatted text, in columns.
    column: usize,
    /// The number of characters before preformatted text that has just begun.
    preformatted_at: Option<u32>,
    /// The elements of the open formula.
    math: Vec<MathElement>,
    /// The open link.
    link: Option<OpenLink>,
    /// The start of the open name of a key in the current line.
    key: Option<usize>,
    /// The open superscripts and subscripts.
    scripts: Vec<OpenScript>,
    /// The number of characters so far, without blanks.
    characters: u32,
    /// The columns of the pane.
    columns: usize,
    /// True if a blank line precedes the next line.
    needs_blank: bool,
    /// The ids of elements that begin with the next line.
    ids: Vec<String>,
    /// The day that an element of the next line states for programs.
    time: Option<Date>,
    /// The post that is open (`article`).
    article: Option<Article>,
    /// The feeds of the page: the title and the reference of each.
    feeds: Vec<(String, String)>,
    /// The parts that the markup hides.
    hidden: HiddenParts,
    /// The forms of the page.
    forms: PageForms,
    has_words: bool,
    has_script: bool,
    /// The charset of the page.
    charset: Charset,
}

impl LayoutBuilder {
    pub(super) fn new(charset: Charset, columns: usize) -> Self {
        Self {
            columns,
            charset,
            ..Self::default()
        }
    }

    /// Shows the texts of fields whole.
    #[must_use]
    pub(super) fn for_output(mut self) -> Self {
        self.forms.is_output = true;
        self
    }

    pub(super) fn title(&mut self, title: &str) {
        if self.layout.title.is_none() {
            let words: Vec<&str> = title.split_whitespace().collect();
            self.layout.title = Some(words.join(" "));
        }
    }

    /// Handles a start tag.
    pub(super) fn start(&mut self, element: &StartTag<'_>) {
        self.begin_paragraph(element.name());
        let depth = self.open.len();
        if !self.begin_hidden(element) {
            self.start_element(element);
        }
        self.end_single_hidden(element.name(), depth);
        self.files_of(element);
        let name = element.value("name").filter(|_| element.name() == "a");
        let ids = [element.value("id"), name].into_iter().flatten();
        self.ids.extend(ids.map(str::to_owned));
    }

    fn start_element(&mut self, element: &StartTag<'_>) {
        match element.name() {
            "a" => self.anchor(element),
            "img" => self.image(element),
            "br" => self.line_break(),
            "hr" => {
                self.paragraph();
                self.add(Line::new(Kind::Plain, "-".repeat(40)));
                self.needs_blank = true;
            }
            "p" | "figure" | "address" => self.paragraph(),
            "fieldset" => self.begin_field_set(element),
            "legend" => self.legend(true),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.paragraph();
                let level = element.name().bytes().last().unwrap_or(b'1') - b'0';
                self.push(OpenElement::Heading(level));
            }
            "ul" | "menu" | "dir" | "dl" => self.list(None),
            "ol" => self.numbered_list(element),
            "li" => self.item(element),
            "dt" => self.close_in_list("dd"),
            "dd" => {
                self.close_in_list("dd");
                self.push(OpenElement::Definition);
            }
            "blockquote" => {
                self.paragraph();
                self.push(OpenElement::Quote);
            }
            "pre" | "xmp" | "listing" | "plaintext" => {
                self.paragraph();
                self.preformatted_text();
            }
            "table" => self.table(),
            "tr" => self.row(element),
            "thead" | "tbody" | "tfoot" => {
                self.row_group(element.name() == "thead", Alignment::of(element));
            }
            "colgroup" | "col" => self.column_group(element),
            "td" | "th" | "caption" => self.cell(element),
            "form" => self.begin_form(element),
            "isindex" => self.isindex(element),
            "input" | "textarea" | "select" | "button" => self.field(element),
            "base" => {
                if let (None, Some(base)) = (&self.layout.base, element.value("href")) {
                    self.layout.base = Some(reference(base));
                }
            }
            "frame" | "iframe" | "video" | "audio" | "embed" => self.embedded(element),
            "area" => self.area(element),
            "link" => self.head_link(element),
            "meta" => self.meta(element),
            "time" => {
                let day = element
                    .value("datetime")
                    .and_then(|time| time.trim().get(..10));
                self.state_time(day.and_then(|day| day.parse().ok()));
            }
            "article" => {
                self.article = Some(Article::default());
                self.block();
            }
            name if self.math_start(name) => {}
            name if self.inline_start(name) => {}
            name if is_block(name) => self.block(),
            _ => {}
        }
    }

    /// Handles an end tag.
    pub(super) fn end(&mut self, name: &str) {
        self.end_around_hidden(name);
        self.end_element(name);
        self.end_hidden(name);
    }

    fn end_element(&mut self, name: &str) {
        match name {
            "a" => self.end_link(),
            "article" => {
                self.article = None;
                self.block();
            }
            "p" | "figure" | "address" => self.paragraph(),
            "fieldset" => self.end_field_set(),
            "legend" => self.legend(false),
            "br" => self.line_break(),
            "li" | "dd" => self.close_in_list(name),
            "tr" | "td" | "th" | "caption" => self.close_in_table(),
            "thead" | "tbody" | "tfoot" => self.row_group(false, None),
            "colgroup" => {
                if let Some(OpenElement::Table(table)) = self.open.last_mut() {
                    table.columns.end_group();
                }
            }
            "ul" | "ol" | "menu" | "dir" | "dl" | "blockquote" | "pre" | "xmp" | "listing"
            | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "table" => self.close(name),
            "form" => self.end_form(),
            "button" => self.end_button(),
            name if self.math_end(name) => {}
            name if self.inline_end(name) => {}
            name if is_block(name) => self.block(),
            _ => {}
        }
    }

    /// Ends the page and returns its layout.
    pub(super) fn finish(mut self) -> PageLayout {
        self.end_field();
        self.end_form();
        self.flush();
        self.close_from(0);
        self.append_deferred();
        self.add_feeds();
        self.layout.name_last_line(std::mem::take(&mut self.ids));
        self.layout.forms = self.forms.finish();
        if !self.has_words && self.has_script {
            self.layout
                .note("[this page needs scripts, which Geomys does not run]");
        }
        self.layout
    }

    fn table(&mut self) {
        self.paragraph();
        self.push(OpenElement::Table(WebTable::new(self.place())));
    }

    fn row(&mut self, element: &StartTag<'_>) {
        self.close_in_table();
        if let Some(OpenElement::Table(table)) = self.open.last_mut() {
            table.begin_row(Alignment::of(element));
        }
    }

    /// Begins or ends a part of the table; true for the part that has its heads.
    fn row_group(&mut self, is_head: bool, alignment: Option<Alignment>) {
        self.close_in_table();
        if let Some(OpenElement::Table(table)) = self.open.last_mut() {
            table.begin_group(is_head, alignment);
        }
    }

    /// Takes the alignment of columns.
    fn column_group(&mut self, element: &StartTag<'_>) {
        self.close_in_table();
        if let Some(OpenElement::Table(table)) = self.open.last_mut() {
            table.columns.add(element);
        }
    }

    fn cell(&mut self, element: &StartTag<'_>) {
        self.close_in_table();
        let Some(OpenElement::Table(table)) = self.open.last_mut() else {
            return;
        };
        let alignment = table.alignment_of(element);
        let span = element.count("colspan", COLUMNS);
        let rows = element.count("rowspan", ROW_SPAN);
        let cell = Cell::new(element, span, rows, alignment);
        let is_number = cell.line_number.is_some();
        table.is_code |= is_number;
        let is_code = table.is_code && !is_number;
        self.needs_blank = false;
        self.push(OpenElement::Cell(cell));
        if is_code || is_preformatted(element) {
            self.preformatted_text();
        }
    }

    fn preformatted_text(&mut self) {
        self.column = 0;
        self.push(OpenElement::Preformatted);
        self.preformatted_at = Some(self.characters);
    }

    fn push(&mut self, open: OpenElement) {
        self.flush();
        if self.has_room() {
            self.open.push(open);
        }
    }

    /// Returns true if one more element may be open.
    fn has_room(&self) -> bool {
        self.open.len() < DEPTH
    }

    /// The position of the innermost of these elements on the stack.
    fn innermost(&self, is_one: impl Fn(&OpenElement) -> bool) -> Option<usize> {
        self.open.iter().rposition(is_one)
    }

    fn innermost_cell(&self) -> Option<usize> {
        self.innermost(|open| matches!(open, OpenElement::Cell(_)))
    }

    fn innermost_table(&self) -> Option<usize> {
        self.innermost(|open| matches!(open, OpenElement::Table(_)))
    }

    /// Ends the innermost element with this name, and the elements inside it. Does nothing where a cell is between.
    fn close(&mut self, name: &str) {
        self.flush();
        let at = self.innermost(|open| open.is(name));
        if let Some(at) = at
            && (name == "table" || self.innermost_cell().is_none_or(|cell| cell < at))
        {
            self.close_from(at);
        }
    }

    /// Ends an open item of the innermost list.
    fn close_in_list(&mut self, name: &str) {
        self.flush();
        let is_outer = |open: &OpenElement| {
            matches!(
                open,
                OpenElement::List(_) | OpenElement::Cell(_) | OpenElement::Table(_)
            )
        };
        let at = self.innermost(|open| open.is(name) || is_outer(open));
        if let Some(at) = at
            && self.open.get(at).is_some_and(|open| open.is(name))
        {
            self.close_from(at);
        }
    }

    /// Ends the elements inside the innermost table.
    fn close_in_table(&mut self) {
        self.flush();
        if let Some(table) = self.innermost_table() {
            self.close_from(table + 1);
        }
    }

    /// Ends the elements from this position on the stack on.
    fn close_from(&mut self, at: usize) {
        while self.open.len() > at {
            self.pop();
        }
    }

    /// Ends the innermost element.
    fn pop(&mut self) {
        self.flush();
        match self.open.pop() {
            Some(OpenElement::List(_)) => self.needs_blank |= !self.is_in_list(),
            Some(OpenElement::Quote | OpenElement::Preformatted | OpenElement::Heading(_)) => {
                self.needs_blank = true;
            }
            Some(OpenElement::Table(table)) => {
                self.append_table(table.finish());
            }
            Some(OpenElement::Cell(cell)) => {
                self.needs_blank = false;
                let cell = cell.finish(self.place());
                if let Some(OpenElement::Table(table)) = self.open.last_mut() {
                    table.push(cell);
                }
            }
            Some(OpenElement::Hidden(part)) => self.finish_hidden(part),
            Some(OpenElement::Item { .. } | OpenElement::Definition) | None => {}
        }
    }
}

/// Returns true for an element whose style keeps blanks and line ends.
fn is_preformatted(element: &StartTag<'_>) -> bool {
    let value = element.style("white-space").unwrap_or_default();
    ["pre", "pre-wrap", "break-spaces"]
        .iter()
        .any(|kept| value.eq_ignore_ascii_case(kept))
}

/// Returns true for block elements without a meaning of their own here. They begin and end a line.
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
            | "dialog"
            | "hgroup"
            | "search"
            | "body"
            | "head"
            | "html"
            | "frameset"
            | "noframes"
            | "optgroup"
            | "option"
    )
}
