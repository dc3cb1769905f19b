//! The content of a reply: by the item's type, by the Gopher+ request, or by the type of a view.

use geomys_wire::protocol::gopher::PlusRequest;

use crate::document::{Kind, Shape, menu, suffix};

/// The content of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReplyContent {
    /// The rows of a menu.
    Menu,
    /// A text.
    Text,
    /// A page of the Web, by the type of its view.
    Html,
    /// The attributes of Gopher+.
    Attributes,
    /// A file to save, and the name of its kind.
    File(&'static str),
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
        Some(Self::File(suffix::kind_words(kind)))
    }

    fn of_type(gtype: u8) -> Self {
        match menu::kind(gtype) {
            Kind::Menu | Kind::Search | Kind::PhoneBook => Self::Menu,
            kind @ (Kind::Image | Kind::Sound | Kind::Movie | Kind::Document | Kind::Binary) => {
                Self::File(suffix::kind_words(kind))
            }
            Kind::Session => Self::File("a terminal session, which Geomys does not support"),
            Kind::Alternate | Kind::Unknown => Self::Unknown,
            // The last ones belong to other protocols, or to internal pages.
            Kind::Text
            | Kind::Preformatted
            | Kind::Web
            | Kind::Mail
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
            | Kind::Heading
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
            Self::Text | Self::File(_) | Self::Unknown => Shape::Text,
        }
    }

    /// Returns true for content with lines, which may end in CR as on an old Mac.
    pub(super) fn is_lines(self) -> bool {
        match self {
            Self::Menu | Self::Text | Self::Html | Self::Attributes => true,
            Self::File(_) | Self::Unknown => false,
        }
    }
}
