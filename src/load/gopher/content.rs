//! What a reply holds: by the item's type, by what Gopher+ is asked for, by the type of a view.

use crate::document::{Kind, Shape, menu};
use crate::protocol::gopher::Want;

/// What a reply holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Rows of a menu.
    Menu,
    /// A text.
    Text,
    /// Attributes of Gopher+.
    Attributes,
    /// Something to save, and the word for it.
    File(&'static str),
    /// What nobody knows.
    Unknown,
}

impl Content {
    /// Of an item of this type, asked for as `want` says.
    pub(super) fn of(gtype: u8, want: Option<&Want<'_>>) -> Self {
        let view = match want {
            Some(Want::Attributes(_) | Want::EveryAttribute(_)) => return Self::Attributes,
            Some(Want::View(view)) => view,
            Some(Want::Filled(filled)) => filled.view,
            Some(Want::Form | Want::Odd(_)) | None => b"",
        };
        Self::of_view(view).unwrap_or_else(|| Self::of_type(gtype))
    }

    /// By the MIME type of a view, which a language may follow; nothing where that says nothing.
    fn of_view(view: &[u8]) -> Option<Self> {
        let name = view.split(|&octet| octet == b' ').next()?;
        let name = name.to_ascii_lowercase();
        let (main, sub) = name.split_at_checked(memchr::memchr(b'/', &name)?)?;
        match (main, sub) {
            (b"text", _) => Some(Self::Text),
            (b"image", _) => Some(Self::File("an image")),
            (b"audio", _) => Some(Self::File("a sound")),
            (b"video", _) => Some(Self::File("a movie")),
            (b"application", b"/gopher-menu" | b"/gopher+-menu") | (b"directory", _) => {
                Some(Self::Menu)
            }
            (b"application", b"/postscript" | b"/pdf" | b"/rtf" | b"/msword") => {
                Some(Self::File("a document"))
            }
            (b"application", _) => Some(Self::File("a binary file")),
            _ => None,
        }
    }

    fn of_type(gtype: u8) -> Self {
        match menu::kind(gtype) {
            Kind::Menu | Kind::Search | Kind::PhoneBook => Self::Menu,
            Kind::Text | Kind::Web | Kind::Mail | Kind::Calendar | Kind::Plain | Kind::Error => {
                Self::Text
            }
            Kind::Image => Self::File("an image"),
            Kind::Sound => Self::File("a sound"),
            Kind::Movie => Self::File("a movie"),
            Kind::Document => Self::File("a document"),
            Kind::Binary => Self::File("a binary file"),
            Kind::Session => Self::File("a terminal session, which Geomys does not hold"),
            Kind::Mirror | Kind::Unknown => Self::Unknown,
            // These are of other protocols, or of pages of ours.
            Kind::Up
            | Kind::Symlink
            | Kind::Group
            | Kind::Article
            | Kind::Heading
            | Kind::Header
            | Kind::Quote(_)
            | Kind::Signature
            | Kind::Remark(_)
            | Kind::Odd => Self::Text,
        }
    }

    /// The page that it makes.
    pub(super) fn shape(self) -> Shape {
        match self {
            Self::Menu => Shape::Menu,
            Self::Attributes => Shape::Attributes,
            Self::Text | Self::File(_) | Self::Unknown => Shape::Text,
        }
    }

    /// Whether its lines may be those of an old Mac, which end in CR.
    pub(super) fn is_lines(self) -> bool {
        match self {
            Self::Menu | Self::Text | Self::Attributes => true,
            Self::File(_) | Self::Unknown => false,
        }
    }
}
