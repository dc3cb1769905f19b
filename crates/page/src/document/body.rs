//! The body of a document: the parser of its rows, by its shape.

use rfc1738::Url;

use super::article::ArticleBody;
use super::attributes::AttributesBody;
use super::found::FoundBody;
use super::gemtext::GemtextBody;
use super::group::GroupBody;
use super::groups::GroupListBody;
use super::hits::SearchHitsBody;
use super::listing::ListingBody;
use super::menu::{MenuBody, is_link};
use super::picture::PictureBody;
use super::plain::PhoneBookBody;
use super::plain::TextBody;
use super::raw::LineBuffer;
use super::rows::RowProvider;
use super::shape::Shape;
use super::visits::VisitsBody;
use super::web::{PageFormat, WebBody};

/// The parser that makes rows from lines.
#[derive(Clone, Debug)]
pub(super) enum Body {
    Menu(MenuBody),
    Attributes(AttributesBody),
    People(PhoneBookBody),
    Hits(SearchHitsBody),
    Visits(VisitsBody),
    Found(FoundBody),
    Web(WebBody),
    Gemtext(GemtextBody),
    Text(TextBody),
    Groups(Box<GroupListBody>),
    Group(Box<GroupBody>),
    Article(ArticleBody),
    Picture(PictureBody),
    Listing(Box<ListingBody>),
}

impl Body {
    /// Returns the body of an empty document from `url`.
    pub(super) fn new(shape: Shape, url: &Url) -> Self {
        match shape {
            Shape::Menu => Self::Menu(MenuBody),
            Shape::Attributes => Self::Attributes(AttributesBody::new(url)),
            Shape::People => Self::People(PhoneBookBody),
            Shape::Hits => Self::Hits(SearchHitsBody::default()),
            Shape::Visits => Self::Visits(VisitsBody),
            Shape::Found => Self::Found(FoundBody::default()),
            Shape::Html => Self::Web(WebBody::new(PageFormat::Html)),
            Shape::Json => Self::Web(WebBody::new(PageFormat::Json)),
            Shape::Feed => Self::Web(WebBody::new(PageFormat::Feed)),
            Shape::Gemtext => Self::Gemtext(GemtextBody::default()),
            Shape::Text => Self::Text(TextBody::default()),
            Shape::Groups => Self::Groups(Box::default()),
            Shape::Group => Self::Group(Box::default()),
            Shape::Article => Self::Article(ArticleBody::new(url)),
            Shape::Picture => Self::Picture(PictureBody::default()),
            Shape::Listing {
                format,
                today,
                place,
            } => Self::Listing(Box::new(ListingBody::new(url, format, today, place))),
        }
    }

    /// Returns the empty buffer for the lines of this body.
    pub(super) fn line_buffer(&self) -> LineBuffer {
        match self {
            Self::Menu(_) => LineBuffer::flagging(is_link),
            _ => LineBuffer::default(),
        }
    }

    pub(super) fn rows(&self) -> &dyn RowProvider {
        match self {
            Self::Menu(menu) => menu,
            Self::Attributes(attributes) => attributes,
            Self::People(people) => people,
            Self::Hits(hits) => hits,
            Self::Visits(visits) => visits,
            Self::Found(found) => found,
            Self::Web(web) => web,
            Self::Gemtext(gemtext) => gemtext,
            Self::Text(plain) => plain,
            Self::Groups(groups) => groups.as_ref(),
            Self::Group(group) => group.as_ref(),
            Self::Article(article) => article,
            Self::Picture(picture) => picture,
            Self::Listing(listing) => listing.as_ref(),
        }
    }

    pub(super) fn rows_mut(&mut self) -> &mut dyn RowProvider {
        match self {
            Self::Menu(menu) => menu,
            Self::Attributes(attributes) => attributes,
            Self::People(people) => people,
            Self::Hits(hits) => hits,
            Self::Visits(visits) => visits,
            Self::Found(found) => found,
            Self::Web(web) => web,
            Self::Gemtext(gemtext) => gemtext,
            Self::Text(plain) => plain,
            Self::Groups(groups) => groups.as_mut(),
            Self::Group(group) => group.as_mut(),
            Self::Article(article) => article,
            Self::Picture(picture) => picture,
            Self::Listing(listing) => listing.as_mut(),
        }
    }

    /// The listing, if the body is one.
    pub(super) fn listing(&self) -> Option<&ListingBody> {
        if let Self::Listing(listing) = self {
            Some(listing)
        } else {
            None
        }
    }

    /// The list of groups, if the body is one.
    pub(super) fn groups(&self) -> Option<&GroupListBody> {
        if let Self::Groups(groups) = self {
            Some(groups)
        } else {
            None
        }
    }

    /// The group, if the body is one.
    pub(super) fn group(&self) -> Option<&GroupBody> {
        if let Self::Group(group) = self {
            Some(group)
        } else {
            None
        }
    }

    /// The article, if the body is one.
    pub(super) fn article(&self) -> Option<&ArticleBody> {
        if let Self::Article(article) = self {
            Some(article)
        } else {
            None
        }
    }

    /// The picture, if the body is one, to be changed.
    pub(super) fn picture_mut(&mut self) -> Option<&mut PictureBody> {
        if let Self::Picture(picture) = self {
            Some(picture)
        } else {
            None
        }
    }

    /// The picture, if the body is one.
    pub(super) fn picture(&self) -> Option<&PictureBody> {
        if let Self::Picture(picture) = self {
            Some(picture)
        } else {
            None
        }
    }
}
