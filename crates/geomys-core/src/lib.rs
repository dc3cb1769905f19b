//! Geomys without its screen: addresses, text, protocols, documents, and the user's files.
//!
//! A module may only use the layers above its own.
//!
//! | layer | modules | contents |
//! |---|---|---|
//! | 1 address | [`url`] | text to `Url` and back; `std` alone |
//! | 2 text | [`text`], [`task`] | the only conversion of foreign octets to text; tasks, and work that blocks |
//! | 3 wire | [`net`], [`protocol`] | sockets, dialogues, parsers; no document types |
//! | 4 document | [`document`], [`load`] | octets to rows and links; all network access by URL |
//! | 5 storage | [`bookmarks`], [`transfer`], [`files`] | the bookmark file and its formats; downloads and their queue; the user's small files |
//!
//! The package `geomys` adds the layers of the program. They are built apart, so that a change of the screen does not
//! compile these again.

pub mod bookmarks;
pub mod files;
pub mod transfer;
