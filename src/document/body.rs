//! What a document is made of besides its octets, by its shape.

use super::Shape;
use super::article::Article;
use super::attributes::Attributes;
use super::group::Group;
use super::groups::Groups;
use super::hits::Hits;
use super::html::Html;
use super::listing::Listing;
use super::menu::Menu;
use super::people::People;
use super::plain::Plain;
use super::rows::Rows;
use crate::url::Url;

/// What turns lines into rows.
#[derive(Clone, Debug)]
pub(super) enum Body {
    Menu(Menu),
    Attributes(Attributes),
    People(People),
    Hits(Hits),
    Html(Html),
    Text(Plain),
    Groups(Box<Groups>),
    Group(Box<Group>),
    Article(Article),
    Listing(Box<Listing>),
}

impl Body {
    /// That of an empty document from `url`.
    pub(super) fn new(shape: Shape, url: &Url) -> Self {
        match shape {
            Shape::Menu => Self::Menu(Menu::default()),
            Shape::Attributes => Self::Attributes(Attributes::new(url)),
            Shape::People => Self::People(People),
            Shape::Hits => Self::Hits(Hits),
            Shape::Html => Self::Html(Html::default()),
            Shape::Text => Self::Text(Plain),
            Shape::Groups => Self::Groups(Box::default()),
            Shape::Group => Self::Group(Box::default()),
            Shape::Article => Self::Article(Article::default()),
            Shape::Listing { format, today } => {
                Self::Listing(Box::new(Listing::new(url, format, today)))
            }
        }
    }

    pub(super) fn rows(&self) -> &dyn Rows {
        match self {
            Self::Menu(menu) => menu,
            Self::Attributes(attributes) => attributes,
            Self::People(people) => people,
            Self::Hits(hits) => hits,
            Self::Html(html) => html,
            Self::Text(plain) => plain,
            Self::Groups(groups) => groups.as_ref(),
            Self::Group(group) => group.as_ref(),
            Self::Article(article) => article,
            Self::Listing(listing) => listing.as_ref(),
        }
    }

    pub(super) fn rows_mut(&mut self) -> &mut dyn Rows {
        match self {
            Self::Menu(menu) => menu,
            Self::Attributes(attributes) => attributes,
            Self::People(people) => people,
            Self::Hits(hits) => hits,
            Self::Html(html) => html,
            Self::Text(plain) => plain,
            Self::Groups(groups) => groups.as_mut(),
            Self::Group(group) => group.as_mut(),
            Self::Article(article) => article,
            Self::Listing(listing) => listing.as_mut(),
        }
    }

    /// The listing that it is, if it is one.
    pub(super) fn listing(&self) -> Option<&Listing> {
        if let Self::Listing(listing) = self {
            Some(listing)
        } else {
            None
        }
    }

    /// The same, to change it.
    pub(super) fn listing_mut(&mut self) -> Option<&mut Listing> {
        if let Self::Listing(listing) = self {
            Some(listing)
        } else {
            None
        }
    }

    /// The list of groups that it is, if it is one.
    pub(super) fn groups(&self) -> Option<&Groups> {
        if let Self::Groups(groups) = self {
            Some(groups)
        } else {
            None
        }
    }

    /// The same, to change it.
    pub(super) fn groups_mut(&mut self) -> Option<&mut Groups> {
        if let Self::Groups(groups) = self {
            Some(groups)
        } else {
            None
        }
    }

    /// The group that it is, if it is one.
    pub(super) fn group(&self) -> Option<&Group> {
        if let Self::Group(group) = self {
            Some(group)
        } else {
            None
        }
    }

    /// The same, to change it.
    pub(super) fn group_mut(&mut self) -> Option<&mut Group> {
        if let Self::Group(group) = self {
            Some(group)
        } else {
            None
        }
    }

    /// The article that it is, if it is one.
    pub(super) fn article(&self) -> Option<&Article> {
        if let Self::Article(article) = self {
            Some(article)
        } else {
            None
        }
    }

    /// The same, to change it.
    pub(super) fn article_mut(&mut self) -> Option<&mut Article> {
        if let Self::Article(article) = self {
            Some(article)
        } else {
            None
        }
    }
}
