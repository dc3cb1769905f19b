//! Documents: received octets parsed into rows, some of which are links.
//!
//! A [`Document`] holds the received octets ([`LineBuffer`]) and a body that parses line *n* into a [`Row`] on demand.
//! So a page is shown while it arrives, and a page may be huge: memory is the payload and a few octets per line. A
//! malformed row of a menu, a listing or an article is never an error: it is shown unchanged.

mod arrangement;
mod article;
mod articles;
mod attributes;
pub mod binary;
mod body;
mod continuation;
mod conversion;
mod date;
mod dated;
mod entry;
mod filter;
pub mod find;
pub mod folds;
pub mod found;
mod gemtext;
mod group;
mod groups;
mod header;
mod hits;
mod line_ends;
mod link_numbers;
mod listing;
pub mod marks;
pub mod menu;
mod model;
mod numbers;
mod octets;
pub mod order;
mod outline;
mod page_charset;
pub mod parallel;
pub mod picture;
mod pieces;
pub mod plain;
pub mod raw;
pub mod row;
mod rows;
pub mod score;
mod shape;
mod subject;
pub mod suffix;
mod text_line;
mod threads;
mod visits;
mod web;

pub use arrangement::Arrangement;
pub use article::uu_line;
pub use article::{ArticleState, ParentArticle, attachment_at};
pub(crate) use article::{Attachment, uu_files, uu_start};
pub use articles::{GroupArticle, Relation};
pub use date::{TODAY, Zone};
pub use entry::{PageEntry, identity, is_tracking};
pub use folds::{ArticleVisibility, HiddenRows, ReadRows, ThreadFolds};
pub use gemtext::kind_of;
pub use header::{Mailbox, mailboxes, text as decoded_header};
pub use line_ends::LineEnding;
pub use listing::ListingTotals;
pub use listing::document::ListingColumns;
pub use model::{Document, FoundLink};
pub use numbers::{ArticleNumbers, CrossPosts};
pub use order::{DirectoryPlacement, ListOrder, SortColumn};
pub use outline::{FragmentNames, OutlineEntry};
pub use page_charset::country;
pub use pieces::pieces;
pub use raw::LineBuffer;
pub use row::{
    Fold, Kind, Link, LinkForm, ReferenceFault, Remark, Row, RowOrigin, SERVER_MESSAGES, Span,
    facts,
};
pub use shape::{ListingPlace, Shape};
pub use subject::{forward_subject, reply_subject};
pub use web::{FieldAnswer, FormMethod, WebChoice, WebField, WebFieldKind, WebForm, WebWidget};
pub use web::{css_references, looks_like_feed};
