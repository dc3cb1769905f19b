//! The store of Geomys: the bookmark file and its formats, downloads and their queue, and the small files of the user.

pub mod bookmarks;
pub mod files;
pub mod transfer;
