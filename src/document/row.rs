//! A row: one line of a document as it is shown, made when somebody looks.

use crate::text::{Paints, Text};
use crate::url::{ParseError, Url};

/// What is shown of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What it is: its glyph and its colour.
    pub kind: Kind,
    /// The number by which its link is opened, where links are numbered.
    pub number: Option<usize>,
    /// How far below the first of its thread it stands.
    pub indent: usize,
    /// A column of its own on the left: an author.
    pub lead: Option<Text>,
    /// The text, in parts.
    pub spans: Vec<Span>,
    /// A column of its own on the right: a size, a date, where a link leads.
    pub aside: Option<Text>,
    /// Columns that its continued lines stand further in, as below the first word of an item.
    pub hang: usize,
}

impl Row {
    /// A row that is one text.
    pub fn new(kind: Kind, text: Text) -> Self {
        Self {
            kind,
            number: None,
            indent: 0,
            lead: None,
            spans: vec![Span::new(text)],
            aside: None,
            hang: 0,
        }
    }

    /// How far in its continued lines stand where lines have this many columns: where they are few, not at all.
    pub fn hang_in(&self, columns: usize) -> usize {
        if self.hang * 2 > columns {
            0
        } else {
            self.hang
        }
    }

    /// Where links begin in its text, in octets, and which of its links each is.
    pub fn link_starts(&self) -> impl Iterator<Item = (usize, usize)> {
        let mut at = 0;
        self.spans.iter().filter_map(move |span| {
            let start = at;
            at += span.text.as_str().len();
            span.link.map(|link| (start, link))
        })
    }

    /// All its text, the columns left out.
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }
}

/// A part of a row's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The text of this part.
    pub text: Text,
    /// Which of the row's links it is, where links stand inside text.
    pub link: Option<usize>,
    /// How parts of it want to look, where it came with colours.
    pub paints: Paints,
}

impl Span {
    /// A part that is no link and has no colours.
    pub fn new(text: Text) -> Self {
        Self {
            text,
            link: None,
            paints: Paints::new(),
        }
    }
}

/// A link of a row, built when somebody looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The text that names it: a bookmark's title, a question's subject.
    pub label: Text,
    /// Where it leads, or why what the server wrote is no URL.
    pub target: Result<Url, ParseError>,
    /// Where the same is to be had when that place fails.
    pub mirrors: Vec<Url>,
    /// Where its server tells of it: the attributes of a Gopher+ item.
    pub about: Option<Url>,
}

impl Link {
    /// A link of which no more is known.
    pub fn new(label: Text, target: Result<Url, ParseError>) -> Self {
        Self {
            label,
            target,
            mirrors: Vec::new(),
            about: None,
        }
    }
}

/// What a row is. It decides the glyph and the colour, and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Text without a link: an information row, a line of a text.
    Plain,
    /// A menu or a directory.
    Menu,
    /// The way up.
    Up,
    /// A text file.
    Text,
    /// A search.
    Search,
    /// A file to save.
    Binary,
    /// A picture.
    Image,
    /// A sound.
    Sound,
    /// A moving picture.
    Movie,
    /// A document in a format of its own.
    Document,
    /// A page of the Web, or any URL of another protocol.
    Web,
    /// A terminal session.
    Session,
    /// A phone book (CSO).
    PhoneBook,
    /// Messages.
    Mail,
    /// A calendar.
    Calendar,
    /// The mirror of the row above.
    Mirror,
    /// What the server says went wrong.
    Error,
    /// A type that nobody has told us of.
    Unknown,
    /// A symbolic link.
    Symlink,
    /// A news group.
    Group,
    /// A group that is subscribed to, all of it read.
    Subscribed,
    /// A group that is subscribed to, with articles that are unread.
    SubscribedUnread,
    /// An article.
    Article,
    /// An article that is unread.
    Unread,
    /// An article that was read.
    Read,
    /// An unread article that rules of the reader mark.
    Marked,
    /// An article that rules of the reader hide.
    Hidden,
    /// The name of what follows.
    Heading,
    /// A header of an article.
    Header,
    /// A quotation, and how deep.
    Quote(u8),
    /// A signature.
    Signature,
    /// The title of a remark above a listing.
    Remark(Fold),
    /// A line that did not fit its format, as it came.
    Odd,
}

/// Whether what belongs to a row is shown below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fold {
    /// It is not.
    #[default]
    Closed,
    /// It is.
    Open,
}

impl Fold {
    /// The other one.
    #[must_use]
    pub fn turned(self) -> Self {
        match self {
            Self::Closed => Self::Open,
            Self::Open => Self::Closed,
        }
    }
}

impl Kind {
    /// The word for it, for the line that tells what is under the cursor.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain | Self::Odd => "text without a link",
            Self::Menu => "menu",
            Self::Up => "the level above",
            Self::Text => "text",
            Self::Search => "search",
            Self::Binary => "binary file",
            Self::Image => "image",
            Self::Sound => "sound",
            Self::Movie => "movie",
            Self::Document => "document",
            Self::Web => "link",
            Self::Session => "terminal session",
            Self::PhoneBook => "phone book",
            Self::Mail => "mail",
            Self::Calendar => "calendar",
            Self::Mirror => "mirror of the row above",
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
            Self::Heading => "heading",
            Self::Header => "header",
            Self::Quote(_) => "quotation",
            Self::Signature => "signature",
            Self::Remark(_) => "remark",
        }
    }
}
