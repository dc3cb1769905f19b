//! Attributes of Gopher+ items as rows (Gopher+, section 2.5): the parts of the URL, then the attribute blocks.
//!
//! The parts of the URL are shown first, before the server answers and even if it does not. Each block begins with its
//! name, with a blank row before it. Views are links that open the item in that view, an ASK block links to its form, a
//! block stored elsewhere links there. Unrecognised blocks are shown unchanged.

use geomys_wire::protocol::gopher::attributes::{Attributes as Item, Field, View, items};
use geomys_wire::protocol::gopher::{self, PlusRequest, attributes::Block};
use geomys_wire::text::{self, Charset, Text};
use rfc1738::{Encoded, Parts, Url};

use super::menu;
use super::row::facts;
use super::row::{Kind, Link, Row};
use super::rows::{RowProvider, RowSource};
use super::text_line::{self, TextLine, TextLinks};

/// The width of the column for names, before their values.
const NAME: usize = 12;

/// The body of a reply to `!` or `$`.
#[derive(Clone, Debug)]
pub(super) struct AttributesBody {
    /// The names and values above the blocks.
    facts: Vec<(Text, Text)>,
    /// The URL of the attributes of all items, when the item is a menu.
    all_items: Option<Url>,
    /// The URL of the item, when the reply describes only one. It is preferred to the address that the server states.
    item: Option<Url>,
    sections: Vec<AttributeBlock>,
    /// The number of lines that were scanned.
    scanned: usize,
    /// True when all lines have arrived and were scanned.
    is_complete: bool,
}

/// The position of an attribute block.
#[derive(Clone, Copy, Debug)]
struct AttributeBlock {
    /// The line of its name.
    line: usize,
    /// The blank row before the block, counted from the first row that shows a line.
    row: usize,
    kind: BlockKind,
    /// The line of the +INFO block to which this block belongs.
    info: Option<usize>,
}

/// The kind of an attribute block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockKind {
    Info,
    Admin,
    Views,
    Ask,
    Other,
}

/// The content of a row.
enum AttributeRow {
    Fact(usize),
    AllItems,
    Blank,
    Line(usize),
}

impl AttributesBody {
    pub(super) fn new(url: &Url) -> Self {
        let item = url.without_plus();
        let plus = match url.base_parts() {
            Parts::Gopher(gopher) => gopher.plus.map(Encoded::octets),
            _ => None,
        };
        let is_one = !matches!(
            plus.as_deref().map(PlusRequest::parse),
            Some(PlusRequest::EveryAttribute(_))
        );
        let is_menu =
            matches!(url.base_parts(), Parts::Gopher(gopher) if gopher.item_type() == b'1');
        let all_items = item.as_ref().and_then(|item| item.with_plus(b"$").ok());
        Self {
            facts: item.as_ref().map(about).unwrap_or_default(),
            all_items: all_items.filter(|_| is_one && is_menu),
            item: item.filter(|_| is_one),
            sections: Vec::new(),
            scanned: 0,
            is_complete: false,
        }
    }

    /// The number of rows above the first line.
    fn above(&self) -> usize {
        self.facts.len() + usize::from(self.all_items.is_some())
    }

    /// The content of row `number`. Each block has a blank row before it.
    fn row_content(&self, number: usize) -> AttributeRow {
        let Some(below) = number.checked_sub(self.above()) else {
            return match self.facts.get(number) {
                Some(_) => AttributeRow::Fact(number),
                None => AttributeRow::AllItems,
            };
        };
        let begun = self
            .sections
            .partition_point(|section| section.row <= below);
        let last = begun
            .checked_sub(1)
            .and_then(|last| self.sections.get(last));
        match last {
            Some(section) if section.row == below => AttributeRow::Blank,
            Some(_) | None => AttributeRow::Line(below.saturating_sub(begun)),
        }
    }

    /// The item that a block describes.
    fn item(&self, source: RowSource<'_>, section: &AttributeBlock) -> Option<Url> {
        self.item.clone().or_else(|| {
            let info = source.raw.line(section.info?)?;
            let item = block(info)?.descriptor()?;
            let url = menu::target_on_page(&item, item.gtype, source.url).ok()?;
            url.without_plus().or(Some(url))
        })
    }

    fn scan(&mut self, source: RowSource<'_>, lines: usize) {
        while self.scanned < lines {
            let line = source
                .raw
                .line(self.scanned)
                .filter(|line| line.starts_with(b"+"));
            if let Some(block) = line.and_then(block) {
                let kind = block_kind(block.name);
                let before = self.sections.last().and_then(|section| section.info);
                self.sections.push(AttributeBlock {
                    line: self.scanned,
                    row: self.scanned + self.sections.len(),
                    kind,
                    info: if kind == BlockKind::Info {
                        Some(self.scanned)
                    } else {
                        before
                    },
                });
            }
            self.scanned += 1;
        }
    }

    /// The block that contains a line, and true if the line is its heading.
    fn section_of(&self, line: usize) -> Option<(&AttributeBlock, bool)> {
        let after = self
            .sections
            .partition_point(|section| section.line <= line);
        let section = self.sections.get(after.checked_sub(1)?)?;
        Some((section, section.line == line))
    }

    /// The line in row `number`, unless the row is a fact, a heading or a view.
    fn body_line<'a>(&self, source: RowSource<'a>, number: usize) -> Option<TextLine<'a>> {
        let line = source.raw.line(number)?;
        let Some((section, is_heading)) = self.section_of(number) else {
            return Some(TextLine::new(Kind::Plain, line, TextLinks::None));
        };
        let line = body(line);
        match section.kind {
            _ if is_heading => None,
            BlockKind::Admin => Some(admin(line, source.charset)),
            BlockKind::Views => None,
            BlockKind::Info | BlockKind::Ask | BlockKind::Other => {
                Some(TextLine::new(Kind::Plain, line, TextLinks::UrlsOrMail))
            }
        }
    }

    /// The link of a heading or a view.
    fn line_link(&self, source: RowSource<'_>, number: usize) -> Option<Link> {
        let line = source.raw.line(number)?;
        let (section, is_heading) = self.section_of(number)?;
        let to = |label: &[u8], target| Some(Link::new(Text::new(label, source.charset), target));
        let item = || self.item(source, section);
        match section.kind {
            BlockKind::Ask if is_heading => to(b"form", item()?.with_plus(b"?")),
            BlockKind::Views if !is_heading => {
                let (view, item) = View::parse(body(line)).zip(item())?;
                to(view.name, item.with_plus(&[b"+", view.name].concat()))
            }
            kind => {
                let other = block(line).filter(|_| is_heading)?.descriptor()?;
                let own = item().filter(|_| kind == BlockKind::Info);
                let target =
                    own.map_or_else(|| menu::target_on_page(&other, other.gtype, source.url), Ok);
                to(other.name.trim_ascii(), target)
            }
        }
    }
}

impl RowProvider for AttributesBody {
    fn count(&self, source: RowSource<'_>) -> usize {
        self.above() + self.sections.len() + source.raw.lines()
    }

    fn text_line<'a>(&'a self, source: RowSource<'a>, number: usize) -> Option<TextLine<'a>> {
        match self.row_content(number) {
            AttributeRow::Line(line) => self.body_line(source, line),
            AttributeRow::Fact(_) | AttributeRow::AllItems | AttributeRow::Blank => None,
        }
    }

    fn row(&self, source: RowSource<'_>, number: usize) -> Option<Row> {
        match self.row_content(number) {
            AttributeRow::Fact(at) => {
                let (name, value) = self.facts.get(at)?;
                let mut row = Row::new(Kind::Plain, value.clone());
                row.spans.insert(0, text_line::column(name, NAME));
                Some(row)
            }
            AttributeRow::AllItems => Some(Row::new(
                Kind::Menu,
                Text::of("What the server says about each item"),
            )),
            AttributeRow::Blank => Some(Row::new(Kind::Plain, Text::default())),
            AttributeRow::Line(line) => {
                if let Some(text) = self.body_line(source, line) {
                    return Some(text.row(source.charset));
                }
                let octets = source.raw.line(line)?;
                let (section, is_heading) = self.section_of(line)?;
                Some(if is_heading {
                    heading(octets, section.kind, source.charset)
                } else {
                    view(body(octets), source.charset)
                })
            }
        }
    }

    /// Returns nothing, as most rows differ from the octets.
    fn octets<'a>(&'a self, _: RowSource<'a>, _: usize) -> Option<&'a [u8]> {
        None
    }

    fn record(&self, _: RowSource<'_>, number: usize) -> Vec<usize> {
        match self.row_content(number) {
            AttributeRow::Line(line) => vec![line],
            AttributeRow::Fact(_) | AttributeRow::AllItems | AttributeRow::Blank => Vec::new(),
        }
    }

    fn link(&self, source: RowSource<'_>, number: usize) -> Option<Link> {
        match self.row_content(number) {
            AttributeRow::Fact(_) | AttributeRow::Blank => None,
            AttributeRow::AllItems => {
                let all_items = self.all_items.clone()?;
                Some(Link::new(Text::of("every item"), Ok(all_items)))
            }
            AttributeRow::Line(line) => self.line_link(source, line),
        }
    }

    fn link_count(&self, source: RowSource<'_>, number: usize) -> usize {
        match self.text_line(source, number) {
            Some(line) => line.link_count(source.charset),
            None => usize::from(self.link(source, number).is_some()),
        }
    }

    fn on_append(&mut self, source: RowSource<'_>) {
        // The last line may be incomplete.
        self.scan(source, source.raw.lines().saturating_sub(1));
    }

    fn finish(&mut self, source: RowSource<'_>) {
        self.scan(source, source.raw.lines());
        self.is_complete = true;
    }

    fn needs_finish(&self) -> bool {
        !self.is_complete
    }
}

/// The text of a line in a block.
fn body(line: &[u8]) -> &[u8] {
    line.strip_prefix(b" ").unwrap_or(line)
}

/// Parses a line as the first line of a block.
fn block(line: &[u8]) -> Option<Block<'_>> {
    items(line)
        .next()
        .as_ref()
        .and_then(|item: &Item<'_>| item.blocks().next())
}

/// The facts of an item's URL, and the request that is sent for it.
fn about(url: &Url) -> Vec<(Text, Text)> {
    let mut about = facts(url);
    if let Parts::Gopher(gopher) = url.base_parts()
        && let Ok(line) = gopher::request(&gopher)
    {
        let line = line.escape_ascii().to_string();
        about.push((Text::of("sends"), Text::of(&line)));
    }
    about
}

fn block_kind(name: &[u8]) -> BlockKind {
    match name.to_ascii_uppercase().as_slice() {
        b"INFO" => BlockKind::Info,
        b"ADMIN" => BlockKind::Admin,
        b"VIEWS" => BlockKind::Views,
        b"ASK" => BlockKind::Ask,
        _ => BlockKind::Other,
    }
}

/// The heading of a block: its name, the item of a +INFO block, or the name of a block stored elsewhere.
fn heading(line: &[u8], kind: BlockKind, charset: Charset) -> Row {
    let Some(block) = block(line) else {
        return Row::new(Kind::Plain, Text::new(line, charset));
    };
    let name = Text::new(block.name, charset);
    match (kind, block.descriptor()) {
        (BlockKind::Info, Some(item)) => {
            Row::new(menu::kind(item.gtype), Text::new(item.name, charset))
        }
        (_, Some(other)) => Row {
            aside: Some(Text::of("stored elsewhere")),
            ..Row::new(
                menu::kind(other.gtype),
                Text::of(&format!("{name}: {}", Text::new(other.name, charset))),
            )
        },
        (BlockKind::Ask, None) => Row {
            aside: Some(Text::of("form")),
            ..Row::new(Kind::Search, name)
        },
        (_, None) => {
            let value = Text::new(block.value, charset);
            let words = if value.is_blank() {
                name
            } else {
                Text::of(&format!("{name}  {value}"))
            };
            Row::new(Kind::Heading(2), words)
        }
    }
}

/// The row of an ADMIN field. `Mod-Date: text <YYYYMMDDhhmmss>` is shown as one readable date.
fn admin(line: &[u8], charset: Charset) -> TextLine<'_> {
    let field = Field::parse(line);
    let moment = field.bracketed().and_then(moment);
    let text = match moment {
        Some(moment) => TextLine::new(Kind::Plain, moment.into_bytes(), TextLinks::None),
        None => TextLine::new(Kind::Plain, field.value, TextLinks::UrlsOrMail),
    };
    TextLine {
        name: Some(text_line::column(&Text::new(field.name, charset), NAME)),
        ..text
    }
}

/// Formats `19941220092600` as `1994-12-20 09:26`.
fn moment(digits: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(digits).ok()?;
    let is_date = text.len() >= 12 && text.bytes().all(|octet| octet.is_ascii_digit());
    let part = |range| text.get(range).filter(|_| is_date);
    Some(format!(
        "{}-{}-{} {}:{}",
        part(0..4)?,
        part(4..6)?,
        part(6..8)?,
        part(8..10)?,
        part(10..12)?
    ))
}

/// The row of a view: its type and its language, its size beside them.
fn view(line: &[u8], charset: Charset) -> Row {
    let Some(view) = View::parse(line) else {
        return Row::new(Kind::Plain, Text::new(line, charset));
    };
    let size = match (view.octets(), view.size) {
        // Sizes are rounded: `<0k>` may be up to 1 kB.
        (Some(0), Some(size)) if size.ends_with(b"k") => "under 1 kB".to_owned(),
        (Some(octets), _) => text::octets(octets),
        (None, Some(size)) => Text::new(size, charset).to_string(),
        (None, None) => String::new(),
    };
    let comment = Text::new(view.comment.trim_ascii(), charset);
    let mut words = Text::new(view.mime, charset).to_string();
    if let Some(language) = view.language {
        words = format!("{words:<24} {}", Text::new(language, charset));
    }
    if !comment.is_blank() {
        words = format!("{words}  {comment}");
    }
    Row {
        aside: Some(Text::of(&size)).filter(|size| !size.is_blank()),
        ..Row::new(kind(view.mime), Text::of(&words))
    }
}

fn kind(mime: &[u8]) -> Kind {
    let mime = mime.to_ascii_lowercase();
    let starts = |with: &[u8]| mime.starts_with(with);
    match mime.as_slice() {
        b"application/gopher-menu" | b"application/gopher+-menu" => Kind::Menu,
        b"application/postscript" | b"application/pdf" => Kind::Document,
        b"text/html" => Kind::Web,
        _ if starts(b"text/") => Kind::Text,
        _ if starts(b"image/") => Kind::Image,
        _ if starts(b"audio/") => Kind::Sound,
        _ if starts(b"video/") => Kind::Movie,
        _ if starts(b"directory/") => Kind::Menu,
        _ => Kind::Binary,
    }
}
