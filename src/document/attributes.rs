//! Attributes of Gopher+ items as rows (Gopher+, section 2.5): what the address itself says, then the blocks.
//!
//! Above stand the parts of the URL, which are there before the server has spoken and when it says nothing. Each block
//! begins with its name, a blank row before it; views are links that open the item in that view, a form leads to where it
//! is filled, a block that stands elsewhere leads there. Blocks that nobody knows are shown as they came.

use std::ops::Range;

use super::rows::only;
use super::{Kind, Link, Row, Rows, Source, facts, menu, plain};
use crate::protocol::gopher::attributes::{Attributes as Item, Field, View, items};
use crate::protocol::gopher::{self, Want, attributes::Block};
use crate::text::{self, Charset, Text};
use crate::url::{Encoded, Parts, Url};

/// Columns for names before their values.
const NAME: usize = 12;

/// The body of a reply to `!` or `$`.
#[derive(Clone, Debug)]
pub(super) struct Attributes {
    /// What stands above the blocks.
    facts: Vec<(Text, Text)>,
    /// Where every item of the menu is told of, when it is a menu.
    every: Option<Url>,
    /// The item, when the reply is of one alone: its own address is better than the one it was given by its server.
    item: Option<Url>,
    sections: Vec<Section>,
    /// Lines that have been looked at.
    seen: usize,
    /// All of them have come and were looked at.
    is_whole: bool,
}

/// A block, where it stands.
#[derive(Clone, Copy, Debug)]
struct Section {
    /// The line of its name.
    line: usize,
    /// The blank row before that, counted from the first row that is made of a line.
    row: usize,
    of: Of,
    /// The line of the +INFO that it belongs to.
    info: Option<usize>,
}

/// Which block it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Info,
    Admin,
    Views,
    Ask,
    Other,
}

/// What a row is made of.
enum Place {
    Fact(usize),
    Every,
    Blank,
    Line(usize),
}

impl Attributes {
    pub(super) fn new(url: &Url) -> Self {
        let item = url.without_plus();
        let plus = match url.reading() {
            Parts::Gopher(gopher) => gopher.plus.map(Encoded::octets),
            _ => None,
        };
        let is_one = !matches!(
            plus.as_deref().map(Want::parse),
            Some(Want::EveryAttribute(_))
        );
        let is_menu = matches!(url.reading(), Parts::Gopher(gopher) if gopher.item_type() == b'1');
        let every = item.as_ref().and_then(|item| item.with_plus(b"$").ok());
        Self {
            facts: item.as_ref().map(about).unwrap_or_default(),
            every: every.filter(|_| is_one && is_menu),
            item: item.filter(|_| is_one),
            sections: Vec::new(),
            seen: 0,
            is_whole: false,
        }
    }

    /// Rows above the first line.
    fn above(&self) -> usize {
        self.facts.len() + usize::from(self.every.is_some())
    }

    /// What row `number` is made of. Each section has a blank row before it.
    fn place(&self, number: usize) -> Place {
        let Some(below) = number.checked_sub(self.above()) else {
            return match self.facts.get(number) {
                Some(_) => Place::Fact(number),
                None => Place::Every,
            };
        };
        let begun = self
            .sections
            .partition_point(|section| section.row <= below);
        let last = begun
            .checked_sub(1)
            .and_then(|last| self.sections.get(last));
        match last {
            Some(section) if section.row == below => Place::Blank,
            Some(_) | None => Place::Line(below.saturating_sub(begun)),
        }
    }

    /// The block in which a line stands.
    fn section(&self, line: usize) -> Option<&Section> {
        let after = self
            .sections
            .partition_point(|section| section.line <= line);
        self.sections.get(after.checked_sub(1)?)
    }

    /// The item that a block is about.
    fn item(&self, source: Source<'_>, section: &Section) -> Option<Url> {
        self.item.clone().or_else(|| {
            let info = source.raw.line(section.info?)?;
            let item = block(info)?.descriptor()?;
            without_plus_or(menu::target(&item, item.gtype).ok()?)
        })
    }

    fn look(&mut self, source: Source<'_>, lines: usize) {
        while self.seen < lines {
            let line = source
                .raw
                .line(self.seen)
                .filter(|line| line.starts_with(b"+"));
            if let Some(block) = line.and_then(block) {
                let of = of(block.name);
                let before = self.sections.last().and_then(|section| section.info);
                self.sections.push(Section {
                    line: self.seen,
                    row: self.seen + self.sections.len(),
                    of,
                    info: if of == Of::Info {
                        Some(self.seen)
                    } else {
                        before
                    },
                });
            }
            self.seen += 1;
        }
    }

    fn line_row(&self, source: Source<'_>, number: usize) -> Option<Row> {
        let line = source.raw.line(number)?;
        let Some(section) = self.section(number) else {
            return Some(Row::new(Kind::Plain, Text::new(line, source.charset)));
        };
        if section.line == number {
            return Some(heading(line, section.of, source.charset));
        }
        let line = line.strip_prefix(b" ").unwrap_or(line);
        Some(match section.of {
            Of::Admin => admin(line, source.charset),
            Of::Views => view(line, source.charset),
            Of::Info | Of::Ask | Of::Other => {
                plain::row_with_mail(Kind::Plain, line, source.charset)
            }
        })
    }

    fn line_links(&self, source: Source<'_>, number: usize, which: Range<usize>) -> Vec<Link> {
        let (Some(line), Some(section)) = (source.raw.line(number), self.section(number)) else {
            return Vec::new();
        };
        let to = |label: &[u8], target| Link::new(Text::new(label, source.charset), target);
        let item = || self.item(source, section);
        let body = line.strip_prefix(b" ").unwrap_or(line);
        match (section.line == number, section.of) {
            (true, Of::Ask) => only(&which, || {
                item().map(|item| to(b"form", item.with_plus(b"?")))
            }),
            (true, Of::Info | Of::Admin | Of::Views | Of::Other) => only(&which, || {
                let other = block(line).and_then(|block| block.descriptor())?;
                let own = item().filter(|_| section.of == Of::Info);
                let target = own.map_or_else(|| menu::target(&other, other.gtype), Ok);
                Some(to(other.name.trim_ascii(), target))
            }),
            (false, Of::Views) => only(&which, || {
                let (view, item) = View::parse(body).zip(item())?;
                Some(to(view.name, item.with_plus(&[b"+", view.name].concat())))
            }),
            (false, Of::Admin) => {
                plain::links_with_mail(Field::parse(body).value, source.charset, which)
            }
            (false, Of::Info | Of::Ask | Of::Other) => {
                plain::links_with_mail(body, source.charset, which)
            }
        }
    }

    fn line_link_count(&self, source: Source<'_>, number: usize) -> usize {
        let (Some(line), Some(section)) = (source.raw.line(number), self.section(number)) else {
            return 0;
        };
        let body = line.strip_prefix(b" ").unwrap_or(line);
        match (section.line == number, section.of) {
            (true, Of::Ask) => usize::from(self.item(source, section).is_some()),
            (true, Of::Info | Of::Admin | Of::Views | Of::Other) => {
                let elsewhere = block(line).and_then(|block| block.descriptor());
                usize::from(elsewhere.is_some())
            }
            (false, Of::Views) => {
                let view = View::parse(body).zip(self.item(source, section));
                usize::from(view.is_some())
            }
            (false, Of::Admin) => {
                plain::link_count_with_mail(Field::parse(body).value, source.charset)
            }
            (false, Of::Info | Of::Ask | Of::Other) => {
                plain::link_count_with_mail(body, source.charset)
            }
        }
    }
}

impl Rows for Attributes {
    fn count(&self, source: Source<'_>) -> usize {
        self.above() + self.sections.len() + source.raw.lines()
    }

    fn row(&self, source: Source<'_>, number: usize) -> Option<Row> {
        match self.place(number) {
            Place::Fact(at) => {
                let (name, value) = self.facts.get(at)?;
                let mut row = Row::new(Kind::Plain, value.clone());
                row.spans.insert(0, plain::column(name, NAME));
                Some(row)
            }
            Place::Every => Some(Row::new(
                Kind::Menu,
                Text::of("What its server tells of every item in it"),
            )),
            Place::Blank => Some(Row::new(Kind::Plain, Text::default())),
            Place::Line(line) => self.line_row(source, line),
        }
    }

    /// Little here stands in the octets as it is shown.
    fn octets<'a>(&'a self, _: Source<'a>, _: usize) -> Option<&'a [u8]> {
        None
    }

    fn links(&self, source: Source<'_>, number: usize, which: Range<usize>) -> Vec<Link> {
        match self.place(number) {
            Place::Fact(_) | Place::Blank => Vec::new(),
            Place::Every => only(&which, || {
                let every = self.every.clone()?;
                Some(Link::new(Text::of("every item"), Ok(every)))
            }),
            Place::Line(line) => self.line_links(source, line, which),
        }
    }

    fn link_count(&self, source: Source<'_>, number: usize) -> usize {
        match self.place(number) {
            Place::Fact(_) | Place::Blank => 0,
            Place::Every => usize::from(self.every.is_some()),
            Place::Line(line) => self.line_link_count(source, line),
        }
    }

    fn arrived(&mut self, source: Source<'_>) {
        // The last line may still grow.
        self.look(source, source.raw.lines().saturating_sub(1));
    }

    fn finish(&mut self, source: Source<'_>) {
        self.look(source, source.raw.lines());
        self.is_whole = true;
    }

    fn wants_finish(&self) -> bool {
        !self.is_whole
    }

    fn is_list(&self) -> bool {
        true
    }
}

/// The block whose name a line is.
fn block(line: &[u8]) -> Option<Block<'_>> {
    items(line)
        .next()
        .as_ref()
        .and_then(|item: &Item<'_>| item.blocks().next())
}

/// What an item says of itself, and what is sent for it.
fn about(url: &Url) -> Vec<(Text, Text)> {
    let mut about = facts(url);
    if let Parts::Gopher(gopher) = url.reading()
        && let Ok(line) = gopher::request(&gopher)
    {
        let line = line.escape_ascii().to_string();
        about.push((Text::of("sends"), Text::of(&line)));
    }
    about
}

fn without_plus_or(url: Url) -> Option<Url> {
    url.without_plus().or(Some(url))
}

fn of(name: &[u8]) -> Of {
    match name.to_ascii_uppercase().as_slice() {
        b"INFO" => Of::Info,
        b"ADMIN" => Of::Admin,
        b"VIEWS" => Of::Views,
        b"ASK" => Of::Ask,
        _ => Of::Other,
    }
}

/// A block's name; of +INFO the item, of one that stands elsewhere what it is called there.
fn heading(line: &[u8], of: Of, charset: Charset) -> Row {
    let Some(block) = block(line) else {
        return Row::new(Kind::Plain, Text::new(line, charset));
    };
    let name = Text::new(block.name, charset);
    match (of, block.descriptor()) {
        (Of::Info, Some(item)) => Row::new(menu::kind(item.gtype), Text::new(item.name, charset)),
        (_, Some(other)) => Row {
            aside: Some(Text::of("kept elsewhere")),
            ..Row::new(
                menu::kind(other.gtype),
                Text::of(&format!("{name}: {}", Text::new(other.name, charset))),
            )
        },
        (Of::Ask, None) => Row {
            aside: Some(Text::of("a form to fill")),
            ..Row::new(Kind::Search, name)
        },
        (_, None) => {
            let value = Text::new(block.value, charset);
            let words = if value.is_blank() {
                name
            } else {
                Text::of(&format!("{name}  {value}"))
            };
            Row::new(Kind::Heading, words)
        }
    }
}

/// `Mod-Date: text <YYYYMMDDhhmmss>`: the date is told once, as people read it.
fn admin(line: &[u8], charset: Charset) -> Row {
    let field = Field::parse(line);
    let moment = field.bracketed().and_then(moment);
    let mut row = match moment {
        Some(moment) => Row::new(Kind::Plain, Text::of(&moment)),
        None => plain::row_with_mail(Kind::Plain, field.value, charset),
    };
    row.spans
        .insert(0, plain::column(&Text::new(field.name, charset), NAME));
    row
}

/// `19941220092600` as `1994-12-20 09:26`.
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

/// A view: its type and its language, its size beside them.
fn view(line: &[u8], charset: Charset) -> Row {
    let Some(view) = View::parse(line) else {
        return Row::new(Kind::Plain, Text::new(line, charset));
    };
    let size = match (view.octets(), view.size) {
        // Sizes are rounded: `<0k>` is not nothing.
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
