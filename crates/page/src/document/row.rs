//! Rows: the displayed lines of a document, made on demand; the facts about a URL, and the remarks of a server on a
//! directory.

use std::sync::Arc;

use geomys_wire::text;
use geomys_wire::text::{StyledRanges, Text};
use rfc1738::{Departure, ParseError, Url};

use super::web::form::{WebForm, WebWidget};

/// A displayed row of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The kind of the row. It determines the glyph and the colour.
    pub kind: Kind,
    /// The number of its link, where links are numbered.
    pub number: Option<usize>,
    /// The depth of an article below the first of its thread.
    pub indent: usize,
    /// The levels of the thread that go on below the row, a bit each: the lowest for the article's own level, the next
    /// one for that of its parent.
    pub branches: u64,
    /// The text of the left column: an author.
    pub lead: Option<Text>,
    /// The text, in spans.
    pub spans: Vec<Span>,
    /// The text of the right column: a size, a date, the target of a link.
    pub aside: Option<Text>,
    /// A remark behind the right column, as far as there is room: the description of a file.
    pub note: Option<Text>,
    /// The text of the right column where the whole has no room: the unread articles of a folded thread.
    pub short_aside: Option<Text>,
    /// The indentation of continued lines, in columns, as to the first word of an item.
    pub hang: usize,
    /// False if the text is never wrapped, as that of a drawing or a table.
    pub wraps: bool,
    /// The cursor in a field of a form that is edited: its octet in the text.
    pub caret: Option<usize>,
}

impl Row {
    /// Returns a row with one span.
    pub fn new(kind: Kind, text: Text) -> Self {
        Self::with_spans(kind, vec![Span::new(text)])
    }

    /// Returns a row with these spans.
    pub(super) fn with_spans(kind: Kind, spans: Vec<Span>) -> Self {
        Self {
            kind,
            number: None,
            indent: 0,
            branches: 0,
            lead: None,
            spans,
            aside: None,
            note: None,
            short_aside: None,
            hang: 0,
            wraps: kind != Kind::Preformatted,
            caret: None,
        }
    }

    /// The indentation of continued lines in a pane of this many columns; 0 in a narrow pane.
    pub fn hang_in(&self, columns: usize) -> usize {
        if self.hang * 2 > columns {
            0
        } else {
            self.hang
        }
    }

    /// The text before a continued line in a pane of this many columns: the marks of a quotation, else blanks.
    pub fn hang_text(&self, columns: usize) -> String {
        let hang = self.hang_in(columns);
        match self.kind {
            Kind::Quote(_) => {
                let before = text::columns(&self.text(), 0, hang);
                // The mark of a list item is not repeated.
                before.replace(|c| c != '>', " ")
            }
            _ => " ".repeat(hang),
        }
    }

    /// The offsets of the links in the text, in octets, each with the index of the link.
    pub fn link_starts(&self) -> impl Iterator<Item = (usize, usize)> {
        let mut at = 0;
        self.spans.iter().filter_map(move |span| {
            let start = at;
            at += span.text.as_str().len();
            span.link.map(|link| (start, link))
        })
    }

    /// The index of the span behind each link's text, and the index of the link. With `continues` the last link ends in
    /// a row below.
    pub fn link_ends(&self, continues: bool) -> Vec<(usize, usize)> {
        let next = self.spans.iter().skip(1).map(|span| span.link);
        let next = next.chain(std::iter::once(None));
        let ends = self.spans.iter().zip(next).enumerate();
        let ends = ends.filter_map(|(at, (span, next))| {
            let link = span.link.filter(|_| span.link != next)?;
            Some((at + 1, link))
        });
        let mut ends: Vec<_> = ends.collect();
        if continues {
            ends.pop();
        }
        ends
    }

    /// Returns true if a link of the row is a part of a form.
    pub fn is_field(&self, link: usize) -> bool {
        let mut spans = self.spans.iter();
        spans.any(|span| span.is_field && span.link == Some(link))
    }

    /// The whole text, without the left and right columns.
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }
}

/// A span of a row's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The text of this span.
    pub text: Text,
    /// The index of the row's link in this span, where links are inside the text.
    pub link: Option<usize>,
    /// True if that is a part of a form, which leads to no page.
    pub is_field: bool,
    /// True for the name of a key, a text to type, or the date of today.
    pub is_key: bool,
    /// True for a word that a search has found.
    pub is_match: bool,
    /// The colours and attributes of its parts, where the server sent them.
    pub sgr_styles: StyledRanges,
}

impl Span {
    /// Returns a span without a link and colours.
    pub fn new(text: Text) -> Self {
        Self {
            text,
            link: None,
            is_field: false,
            is_key: false,
            is_match: false,
            sgr_styles: StyledRanges::new(),
        }
    }
}

/// The part of the document that a row shows. It stays the same when rows are sorted or filtered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowOrigin {
    /// The link to the parent directory.
    Up,
    /// The link to the tree of the whole site.
    Tree,
    /// A remark, by its number: its title, or the line with this number.
    Remark(usize, Option<usize>),
    /// The line with this number.
    Line(usize),
}

impl RowOrigin {
    /// Returns the number of the line, if the row shows one.
    pub fn line(self) -> Option<usize> {
        match self {
            Self::Line(line) => Some(line),
            Self::Up | Self::Tree | Self::Remark(..) => None,
        }
    }
}

/// A link of a row, made on demand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The name of the link: the title of a bookmark, the subject of a prompt.
    pub label: Text,
    /// The target, or the error in the URL that the server sent.
    pub target: Result<Url, ParseError>,
    /// The URLs of alternates, to be used if the target fails.
    pub alternates: Vec<Url>,
    /// The URL of the attributes of a Gopher+ item.
    pub attributes: Option<Url>,
    /// The form whose answers the target receives.
    pub form: Option<LinkForm>,
    /// The part of the form that the link is.
    pub widget: Option<WebWidget>,
    /// The fault of the reference on the page, even where the target is its repair.
    pub fault: Option<Box<ReferenceFault>>,
}

/// A reference that is not as RFC 1738 and the documents after it have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferenceFault {
    /// The reference as the page has it; for an item of a menu, the URL of its fields.
    pub written: String,
    /// The error, with its place in it.
    pub error: ParseError,
}

/// A form that opens before a link is followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkForm {
    /// The form of a page of the Web.
    Web(Arc<WebForm>),
    /// A text or a file, as a `=:` line of Spartan asks for.
    Input,
}

impl Link {
    /// Returns a link without alternates and attributes.
    pub fn new(label: Text, target: Result<Url, ParseError>) -> Self {
        Self {
            label,
            target,
            alternates: Vec::new(),
            attributes: None,
            form: None,
            widget: None,
            fault: None,
        }
    }
}

/// The kind of a row. It determines the glyph and the colour, and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Text without a link: an information row, a line of a text.
    Plain,
    /// A line that is shown as it was written, as a picture made of characters.
    Preformatted,
    /// A menu or a directory.
    Menu,
    /// The link to the parent directory.
    Up,
    /// A text file.
    Text,
    /// A search.
    Search,
    /// A file to save.
    Binary,
    /// A compressed file or an archive, which opens.
    Archive,
    /// A picture.
    Image,
    /// A sound.
    Sound,
    /// A moving picture.
    Movie,
    /// A document in a format of its own.
    Document,
    /// A web page, or any URL of another protocol.
    Web,
    /// A terminal session.
    Session,
    /// A phone book (CSO).
    PhoneBook,
    /// Messages.
    Mail,
    /// A calendar.
    Calendar,
    /// The alternate of the row above.
    Alternate,
    /// An error message of the server.
    Error,
    /// An unknown type.
    Unknown,
    /// A symbolic link.
    Symlink,
    /// A news group.
    Group,
    /// A subscribed group without unread articles.
    Subscribed,
    /// A subscribed group with unread articles.
    SubscribedUnread,
    /// An article.
    Article,
    /// An unread article.
    Unread,
    /// A read article.
    Read,
    /// An unread article that is marked by a rule.
    Marked,
    /// An article that is hidden by a rule.
    Hidden,
    /// A heading, with its level from 1; 0 for the subject of an article, a name, and the head of a table.
    Heading(u8),
    /// A header of an article.
    Header,
    /// A quotation, with its depth.
    Quote(u8),
    /// A signature.
    Signature,
    /// The title of a remark above a listing.
    Remark(Fold),
    /// A malformed line, shown unchanged.
    Malformed,
}

/// The fold state of a row: whether its content is visible below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fold {
    /// The content is hidden.
    #[default]
    Closed,
    /// The content is visible.
    Open,
}

impl Fold {
    /// Returns the other state.
    #[must_use]
    pub fn toggled(self) -> Self {
        match self {
            Self::Closed => Self::Open,
            Self::Open => Self::Closed,
        }
    }
}

impl Kind {
    /// Returns true for a row that is a link as a whole.
    pub(super) fn is_link(self) -> bool {
        match self {
            Self::Plain
            | Self::Preformatted
            | Self::Error
            | Self::Heading(_)
            | Self::Header
            | Self::Quote(_)
            | Self::Signature
            | Self::Remark(_)
            | Self::Malformed => false,
            Self::Menu
            | Self::Up
            | Self::Text
            | Self::Search
            | Self::Binary
            | Self::Archive
            | Self::Image
            | Self::Sound
            | Self::Movie
            | Self::Document
            | Self::Web
            | Self::Session
            | Self::PhoneBook
            | Self::Mail
            | Self::Calendar
            | Self::Alternate
            | Self::Unknown
            | Self::Symlink
            | Self::Group
            | Self::Subscribed
            | Self::SubscribedUnread
            | Self::Article
            | Self::Unread
            | Self::Read
            | Self::Marked
            | Self::Hidden => true,
        }
    }

    /// The displayed name of the kind, for the status line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain | Self::Preformatted | Self::Malformed => "text without a link",
            Self::Menu => "menu",
            Self::Up => "the level above",
            Self::Text => "text",
            Self::Search => "search",
            Self::Binary => "binary file",
            Self::Archive => "archive",
            Self::Image => "image",
            Self::Sound => "sound",
            Self::Movie => "movie",
            Self::Document => "document",
            Self::Web => "link",
            Self::Session => "terminal session",
            Self::PhoneBook => "phone book",
            Self::Mail => "mail",
            Self::Calendar => "calendar",
            Self::Alternate => "mirror of the row above",
            Self::Error => "error",
            Self::Unknown => "unknown type",
            Self::Symlink => "symbolic link",
            Self::Group => "news group",
            Self::Subscribed | Self::SubscribedUnread => "subscribed news group",
            Self::Article => "article",
            Self::Unread => "unread article",
            Self::Read => "read article",
            Self::Marked => "unread article, marked by a rule",
            Self::Hidden => "article, hidden by a rule",
            Self::Heading(_) => "heading",
            Self::Header => "header",
            Self::Quote(_) => "quotation",
            Self::Signature => "signature",
            Self::Remark(_) => "remark",
        }
    }
}

/// The names and values of a URL: the URL itself, its parts, its departures from RFC 1738, and its hazards. The
/// password is masked.
pub fn facts(url: &Url) -> Vec<(Text, Text)> {
    let fact = |name: &str, value: &str| (Text::of(name), Text::of(value));
    let mut facts = vec![fact("URL", &url.masked())];
    let parts = url.explanation();
    facts.extend(parts.iter().map(|(name, value)| fact(name, value)));
    let departures = url.departures();
    let sentences = departures.iter().map(Departure::sentence);
    facts.extend(sentences.map(|sentence| fact("beyond", sentence)));
    let hazards = url.hazards();
    let sentences = hazards.iter().map(|hazard| hazard.sentence());
    facts.extend(sentences.map(|sentence| fact("hazard", sentence)));
    facts
}

/// The beginning of the title of a server's messages, whose folded row shows nothing of them.
pub const SERVER_MESSAGES: &str = "Server messages";

/// A text that is shown folded above the entries of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The title in a few words: `welcome`, `note on this directory`, the name of a file.
    pub title: Text,
    /// The received lines.
    pub octets: Vec<u8>,
}
