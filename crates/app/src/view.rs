//! The views: what a pane shows of a page. Each kind of page has its file, with what only it needs, and answers the
//! questions of `ViewKind`.

mod actions;
pub mod article;
pub mod builtin;
pub mod charset;
pub mod choices;
pub mod context;
pub mod document_view;
pub mod failure;
pub mod find;
pub mod form;
pub mod found;
pub mod group;
pub mod groups;
mod growth;
pub mod gutter;
pub mod hints;
pub mod kind;
pub mod link_numbers;
pub mod listing;
mod marks;
pub mod menu;
pub mod picture;
pub mod position;
pub mod scroll;
pub mod selection;
pub mod terminal;
pub mod text;
pub mod text_area;
pub mod viewport;
pub mod web;
pub mod work;

use geomys_load::Failure;
use geomys_page::document::{Document, Shape};
use rfc1738::Url;

use self::article::ArticleView;
use self::builtin::{BuiltinView, is_builtin};
use self::failure::{DroppedView, FailureView};
use self::form::FormView;
use self::found::FoundView;
use self::group::GroupView;
use self::groups::GroupsView;
use self::kind::ViewKind;
use self::listing::ListingView;
use self::menu::MenuView;
use self::picture::PictureView;
use self::terminal::TerminalView;
use self::text::TextView;
use self::viewport::Viewport;
use self::web::WebView;

/// The half of a page that depends on its kind, which a pane shows.
#[derive(Debug)]
pub enum View {
    /// A plain text, or what is shown like one.
    Text(TextView),
    /// A Gopher menu, or the results of a search.
    Menu(MenuView),
    /// The listing of a directory.
    Listing(ListingView),
    /// A list of newsgroups.
    Groups(GroupsView),
    /// The articles of a newsgroup.
    Group(GroupView),
    /// An article.
    Article(ArticleView),
    /// A page of the Web.
    Web(WebView),
    /// A page of Gemini.
    Gemtext(TextView),
    /// A picture.
    Picture(PictureView),
    /// A form of the server, to be filled in.
    Form(Box<FormView>),
    /// A terminal session.
    Terminal(Box<TerminalView>),
    /// The pages that a search of the stored copies has found.
    Found(FoundView),
    /// A page that Geomys makes itself.
    Builtin(BuiltinView),
    /// The reason why there is no document.
    Failure(Box<FailureView>),
    /// No content: it is loaded again when the page is shown.
    Dropped(DroppedView),
}

impl View {
    /// Creates the view of a document.
    pub fn new(url: &Url, document: Document) -> Self {
        match document.shape() {
            Shape::Found => Self::Found(document.into()),
            _ if is_builtin(url) => Self::Builtin(document.into()),
            Shape::Menu | Shape::Hits => Self::Menu(document.into()),
            Shape::Listing { .. } => Self::Listing(document.into()),
            Shape::Groups => Self::Groups(document.into()),
            Shape::Group => Self::Group(document.into()),
            Shape::Article => Self::Article(document.into()),
            Shape::Picture => Self::Picture(document.into()),
            Shape::Html => Self::Web(document.into()),
            Shape::Gemtext => Self::Gemtext(document.into()),
            Shape::Attributes
            | Shape::People
            | Shape::Visits
            | Shape::Json
            | Shape::Feed
            | Shape::Text => Self::Text(document.into()),
        }
    }

    /// Creates the view of a failed load.
    pub(crate) fn failed(url: &Url, failure: Failure) -> Self {
        Self::Failure(Box::new(FailureView::new(url, failure)))
    }

    /// Returns the view as one of its kinds.
    pub(crate) fn kind(&self) -> &dyn ViewKind {
        match self {
            Self::Text(view) | Self::Gemtext(view) => view,
            Self::Web(view) => view,
            Self::Menu(view) => view,
            Self::Listing(view) => view,
            Self::Groups(view) => view,
            Self::Group(view) => view,
            Self::Article(view) => view,
            Self::Picture(view) => view,
            Self::Form(view) => &**view,
            Self::Terminal(view) => &**view,
            Self::Found(view) => view,
            Self::Builtin(view) => view,
            Self::Failure(view) => &**view,
            Self::Dropped(view) => view,
        }
    }

    /// Returns the view as one of its kinds, to be changed.
    pub(crate) fn kind_mut(&mut self) -> &mut dyn ViewKind {
        match self {
            Self::Text(view) | Self::Gemtext(view) => view,
            Self::Web(view) => view,
            Self::Menu(view) => view,
            Self::Listing(view) => view,
            Self::Groups(view) => view,
            Self::Group(view) => view,
            Self::Article(view) => view,
            Self::Picture(view) => view,
            Self::Form(view) => &mut **view,
            Self::Terminal(view) => &mut **view,
            Self::Found(view) => view,
            Self::Builtin(view) => view,
            Self::Failure(view) => &mut **view,
            Self::Dropped(view) => view,
        }
    }

    /// Returns the document with its cursor, if the view has one.
    pub fn rows(&self) -> Option<&Viewport> {
        self.kind().rows()
    }

    /// Returns the document with its cursor to be changed.
    pub fn rows_mut(&mut self) -> Option<&mut Viewport> {
        self.kind_mut().rows_mut()
    }
}
