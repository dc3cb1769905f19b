//! The store of Geomys: the bookmark file and its formats, downloads and their queue, the small files of the user,
//! and the sync that uses them all.

pub mod bookmarks;
pub mod files;
pub mod sync;
pub mod transfer;
