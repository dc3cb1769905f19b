//! Documents: received octets parsed into rows, some of which are links.
//!
//! A [`Document`] holds the received octets ([`LineBuffer`]) and a body that parses line *n* into a [`Row`] on demand. So a
//! page is shown while it arrives, and a page may be huge: memory is the payload and a few octets per line. A malformed
//! row of a menu, a listing or an article is never an error: it is shown unchanged.

mod arrangement;
mod article;
mod articles;
mod attributes;
pub mod binary;
mod body;
mod continuation;
mod dated;
mod facts;
mod filter;
mod filter_query;
pub mod find;
pub mod folds;
mod gemtext;
mod group;
mod groups;
mod header;
mod hits;
mod insertions;
mod listing;
mod mailbox;
pub mod marks;
pub mod menu;
mod model;
mod numbers;
pub mod order;
mod outline;
mod page_charset;
pub mod parallel;
mod people;
pub mod picture;
pub mod plain;
pub mod raw;
mod remark;
pub mod row;
mod rows;
pub mod score;
mod search_text;
mod shape;
pub mod suffix;
mod text_line;
mod threads;
mod visibility;
mod visits;
mod web;
mod xref;
mod zone;

pub use arrangement::Arrangement;
pub use article::{ArticleView, ParentArticle};
pub use articles::{GroupArticle, Relation};
pub use dated::DatedEntry;
pub use facts::facts;
pub use header::text as decoded_header;
pub use listing::ListingTotals;
pub use listing::document::ListingColumns;
pub use mailbox::{Mailbox, mailboxes};
pub use model::{Document, FoundLink};
pub use numbers::ArticleNumbers;
pub use order::{DirectoryPlacement, ListOrder, SortColumn};
pub use outline::OutlineEntry;
pub use raw::LineBuffer;
pub use remark::Remark;
pub use row::{Fold, Kind, Link, LinkForm, Row, RowOrigin, Span};
pub use shape::Shape;
pub use visibility::{ArticleVisibility, HiddenRows, ReadRows, ThreadFolds};
pub use web::{FieldAnswer, FormMethod, WebChoice, WebField, WebFieldKind, WebForm};
pub use xref::CrossPosts;
pub use zone::Zone;
