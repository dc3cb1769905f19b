//! The content and the body of a reply. The item's type, the Gopher+ request or the type of a view give the content; of
//! the body the framing is removed, the line ends are converted, and the end is checked.

use std::borrow::Cow;

use geomys_wire::protocol::gopher;
use geomys_wire::protocol::gopher::{DotUnstuffer, Extent, Header, PlusRequest, Reply, ReplyEnd};

use crate::Purpose;
use geomys_page::document::{Kind, LineEnding, Shape, menu, suffix};

/// The most octets of an unfinished row that are stored.
const ROW: usize = 64 * 1024;

/// The most octets of a text that are buffered for a page while it is unknown if its dots are doubled.
const MAX_BUFFERED_BYTES: usize = 64 * 1024;

/// The framing of a reply.
enum ReplyFraming {
    /// No framing.
    Bare,
    /// A text of plain Gopher, with doubled dots.
    Text(DotUnstuffer),
    /// A reply of Gopher+.
    Plus(Reply),
}

/// The decoder for the content of a reply.
pub(super) struct GopherBody {
    frame: ReplyFraming,
    /// The line end conversion, for lines of a page.
    ends: Option<LineEnding>,
    /// The last incomplete row of a menu, cut at the longest length of a row.
    tail: Option<Vec<u8>>,
}

impl GopherBody {
    /// Creates the decoder for a reply of plain Gopher.
    pub(super) fn plain(content: ReplyContent, purpose: Purpose) -> Self {
        let dots = match purpose {
            Purpose::Show => DotUnstuffer::default().with_max_buffer(MAX_BUFFERED_BYTES),
            Purpose::Save | Purpose::Picture | Purpose::Check => DotUnstuffer::default(),
        };
        let frame = match content {
            ReplyContent::Text
            | ReplyContent::Html
            | ReplyContent::Message
            | ReplyContent::Attributes => ReplyFraming::Text(dots),
            ReplyContent::Menu
            | ReplyContent::File(_)
            | ReplyContent::Binary
            | ReplyContent::Picture
            | ReplyContent::Unknown => ReplyFraming::Bare,
        };
        Self::new(frame, content, purpose)
    }

    /// Keeps the line ends and the dots of a text in a charset whose octets are no lines.
    pub(super) fn without_lines(self) -> Self {
        Self {
            ends: None,
            ..self.with_dots()
        }
    }

    /// Keeps the dots of a text of plain Gopher.
    pub(super) fn with_dots(self) -> Self {
        let frame = match self.frame {
            ReplyFraming::Text(_) => ReplyFraming::Bare,
            frame @ (ReplyFraming::Bare | ReplyFraming::Plus(_)) => frame,
        };
        Self { frame, ..self }
    }

    /// Creates the decoder for a reply of Gopher+, whose header has arrived.
    pub(super) fn plus(reply: Reply, content: ReplyContent, purpose: Purpose) -> Self {
        let reply = match purpose {
            Purpose::Show => reply.with_max_buffer(MAX_BUFFERED_BYTES),
            Purpose::Save | Purpose::Picture | Purpose::Check => reply,
        };
        Self::new(ReplyFraming::Plus(reply), content, purpose)
    }

    fn new(frame: ReplyFraming, content: ReplyContent, purpose: Purpose) -> Self {
        let is_page = purpose == Purpose::Show;
        Self {
            frame,
            ends: (is_page && content.is_lines()).then(LineEnding::default),
            tail: (content == ReplyContent::Menu).then(Vec::new),
        }
    }

    /// Decodes the next octets.
    pub(super) fn push(&mut self, octets: Vec<u8>) -> Vec<u8> {
        let octets = match &mut self.frame {
            ReplyFraming::Bare | ReplyFraming::Text(_) => octets,
            ReplyFraming::Plus(reply) => reply.push(&octets),
        };
        self.lines(octets)
    }

    /// Converts line ends, and removes dots at the beginnings of lines. It decodes the data after a header, which has
    /// lost its framing with it, and the beginning of a plain reply.
    pub(super) fn lines(&mut self, octets: Vec<u8>) -> Vec<u8> {
        let octets = match &mut self.ends {
            Some(ends) => ends.push(Cow::Owned(octets)).into_owned(),
            None => octets,
        };
        let octets = match &mut self.frame {
            ReplyFraming::Text(dots) => dots.push(&octets),
            ReplyFraming::Bare | ReplyFraming::Plus(_) => octets,
        };
        if let Some(tail) = &mut self.tail {
            update_tail(tail, &octets);
        }
        octets
    }

    pub(super) fn is_whole(&self) -> bool {
        match &self.frame {
            ReplyFraming::Bare | ReplyFraming::Text(_) => false,
            ReplyFraming::Plus(reply) => reply.is_whole(),
        }
    }

    pub(super) fn may_be_whole(&self) -> bool {
        match &self.frame {
            ReplyFraming::Bare | ReplyFraming::Text(_) => false,
            ReplyFraming::Plus(reply) => reply.may_be_whole(),
        }
    }

    /// Returns the rest at the end of the connection, and what is missing then.
    pub(super) fn finish(self) -> (Vec<u8>, Option<String>) {
        let buffered = self.ends.as_ref().map(LineEnding::finish);
        let buffered = buffered.unwrap_or_default();
        let (octets, end) = match self.frame {
            ReplyFraming::Bare => (buffered, ReplyEnd::Whole),
            ReplyFraming::Text(mut dots) => {
                let octets = dots.push(&buffered);
                ([octets, dots.finish()].concat(), ReplyEnd::Whole)
            }
            ReplyFraming::Plus(reply) => {
                let (octets, end) = reply.finish();
                ([octets, buffered].concat(), end)
            }
        };
        let missing = match end {
            ReplyEnd::Short(left) => Some(format!("too early: {left} bytes are missing")),
            ReplyEnd::NoDot => Some("before the final dot: the page may be incomplete".to_owned()),
            ReplyEnd::Whole => {
                let row = self.tail.map(|tail| [tail.as_slice(), &octets].concat());
                row.filter(|row| !row.is_empty() && !row.ends_with(b"\n") && !is_row(row))
                    .map(|_| "in the middle of a row".to_owned())
            }
        };
        (octets, missing)
    }
}

/// Returns the size of a reply, when the header gives a count.
pub(super) fn size(header: Header) -> Option<u64> {
    match header.extent {
        Extent::Octets(count) => Some(count),
        Extent::UntilDot | Extent::UntilClose => None,
    }
}

fn update_tail(tail: &mut Vec<u8>, octets: &[u8]) {
    let last = match memchr::memrchr(b'\n', octets) {
        Some(end) => {
            tail.clear();
            octets.get(end + 1..).unwrap_or_default()
        }
        None => octets,
    };
    if tail.len() < ROW {
        tail.extend_from_slice(last);
    }
}

/// Returns true if a last row without a line end is complete, or is the final dot.
fn is_row(row: &[u8]) -> bool {
    gopher::is_final_dot(row) || memchr::memchr_iter(b'\t', row).count() > 2
}

/// The content of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReplyContent {
    /// The rows of a menu.
    Menu,
    /// A text.
    Text,
    /// A page of the Web, by the type of its view.
    Html,
    /// A mail, with its headers.
    Message,
    /// The attributes of Gopher+.
    Attributes,
    /// A file to save, and the name of its kind.
    File(&'static str),
    /// A file that may be an archive.
    Binary,
    /// A picture whose type declared a page.
    Picture,
    /// An unknown type of content.
    Unknown,
}

impl ReplyContent {
    /// Returns the content of an item of this type, for this Gopher+ request.
    pub(super) fn of(gtype: u8, want: Option<&PlusRequest<'_>>) -> Self {
        let view = match want {
            Some(PlusRequest::Attributes(_) | PlusRequest::EveryAttribute(_)) => {
                return Self::Attributes;
            }
            Some(PlusRequest::View(view)) => view,
            Some(PlusRequest::FilledForm(filled)) => filled.view,
            Some(PlusRequest::Form | PlusRequest::Other(_)) | None => b"",
        };
        Self::of_view(view).unwrap_or_else(|| Self::of_type(gtype))
    }

    /// Returns the content by the MIME type of a view, which a language may follow; None for an unknown type.
    fn of_view(view: &[u8]) -> Option<Self> {
        let name = view.split(|&octet| octet == b' ').next()?;
        let name = name.to_ascii_lowercase();
        let (main, sub) = name.split_at_checked(memchr::memchr(b'/', &name)?)?;
        let kind = match (main, sub) {
            (b"text", b"/html") => return Some(Self::Html),
            (b"message", b"/rfc822" | b"/news") => return Some(Self::Message),
            (b"text", _) => return Some(Self::Text),
            (b"application", b"/gopher-menu" | b"/gopher+-menu") | (b"directory", _) => {
                return Some(Self::Menu);
            }
            (b"image", _) => Kind::Image,
            (b"audio", _) => Kind::Sound,
            (b"video", _) => Kind::Movie,
            (b"application", b"/postscript" | b"/pdf" | b"/rtf" | b"/msword") => Kind::Document,
            (b"application", _) => Kind::Binary,
            _ => return None,
        };
        Some(Self::file(kind))
    }

    fn file(kind: Kind) -> Self {
        match kind {
            Kind::Binary => Self::Binary,
            kind => Self::File(suffix::kind_words(kind)),
        }
    }

    fn of_type(gtype: u8) -> Self {
        match menu::kind(gtype) {
            Kind::Menu | Kind::Search | Kind::PhoneBook => Self::Menu,
            kind @ (Kind::Image
            | Kind::Sound
            | Kind::Movie
            | Kind::Document
            | Kind::Binary
            | Kind::Archive) => Self::file(kind),
            Kind::Mail => Self::Message,
            Kind::Session => Self::File("a terminal session, which Geomys does not support"),
            Kind::Alternate | Kind::Unknown => Self::Unknown,
            // The last ones belong to other protocols, or to internal pages.
            Kind::Text
            | Kind::Preformatted
            | Kind::Web
            | Kind::Calendar
            | Kind::Plain
            | Kind::Error
            | Kind::Up
            | Kind::Symlink
            | Kind::Group
            | Kind::Subscribed
            | Kind::SubscribedUnread
            | Kind::Article
            | Kind::Unread
            | Kind::Read
            | Kind::Marked
            | Kind::Hidden
            | Kind::Heading(_)
            | Kind::Header
            | Kind::Quote(_)
            | Kind::Signature
            | Kind::Remark(_)
            | Kind::Malformed => Self::Text,
        }
    }

    /// Returns the shape of the page.
    pub(super) fn shape(self) -> Shape {
        match self {
            Self::Menu => Shape::Menu,
            Self::Attributes => Shape::Attributes,
            Self::Html => Shape::Html,
            Self::Message => Shape::Article,
            Self::Text | Self::File(_) | Self::Binary | Self::Picture | Self::Unknown => {
                Shape::Text
            }
        }
    }

    /// Returns true for content with lines, which may end in CR as on an old Mac.
    pub(super) fn is_lines(self) -> bool {
        match self {
            Self::Menu | Self::Text | Self::Html | Self::Message | Self::Attributes => true,
            Self::File(_) | Self::Binary | Self::Picture | Self::Unknown => false,
        }
    }
}
