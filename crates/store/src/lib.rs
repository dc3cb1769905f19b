//! The store of Geomys: the bookmark file and its formats, downloads and their queue, the small files of the user,
//! the outbox, and the search of all copies.

pub mod bookmarks;
pub mod files;
pub mod outbox;
pub mod search;
pub mod transfer;
