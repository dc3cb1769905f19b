//! Geomys: a keyboard-driven terminal browser for the Internet that RFC 1738 described.
//!
//! A module uses only the layers above its own; `tests/layers.rs` holds it to that.
//!
//! | layer | modules | what it is |
//! |---|---|---|
//! | 1 address | [`url`] | text to `Url` and back; `std` alone |
//! | 2 text | [`text`] | the one door from foreign octets to text |
//! | 3 wire | [`net`], [`protocol`] | sockets, dialogues, parsers; nothing that knows a document |
//! | 4 document | [`document`], [`load`] | octets to rows, some of them links; the only door to the network |
//! | 5 files | [`files`] | what belongs to the user: bookmarks, downloads and transfers, accepted certificates |
//! | 6 app | [`app`], [`keymap`] | state: no input or output, no tasks, no clock |
//! | 7 ui | [`ui`] | `&App` to a frame |
//! | 8 the join | [`config`], [`run`], [`demo`], [`cli`] | configuration, the one loop, the demo, the command line |
//!
//! How a key becomes a page: a key goes through the [`keymap`] to an action; `App::update` turns it into new state and
//! effects; [`run`] carries each effect out in a task; what the task reports is a message to `App::update`; [`ui`]
//! draws what is. There is one writer of state, and nothing ticks when nothing happens.

pub mod app;
pub mod cli;
pub mod config;
pub mod demo;
pub mod document;
pub mod files;
pub mod keymap;
pub mod load;
pub mod net;
pub mod protocol;
pub mod run;
pub mod text;
pub mod ui;
pub mod url;
