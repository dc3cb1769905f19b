//! Geomys: a keyboard-driven terminal browser for the Internet that RFC 1738 described.
//!
//! A module may only use the layers above its own; `tests/layers.rs` checks this. Layers 1 to 5 are the package
//! [`geomys_store`], whose modules have the same paths here.
//!
//! | layer | modules | contents |
//! |---|---|---|
//! | 1 address | [`url`] | text to `Url` and back; `std` alone |
//! | 2 text | [`text`], [`task`] | the only conversion of foreign octets to text; tasks, and work that blocks |
//! | 3 wire | [`net`], [`protocol`] | sockets, dialogues, parsers; no document types |
//! | 4 document | [`document`], [`load`] | octets to rows and links; all network access by URL |
//! | 5 storage | [`bookmarks`], [`transfer`], [`files`] | the bookmark file and its formats; downloads and their queue; the user's small files |
//! | 6 app | [`app`], [`keymap`] | state, without input, output, tasks or clock |
//! | 7 ui | [`ui`] | `&App` to a frame |
//! | 8 integration | [`config`], [`run`], [`demo`], [`cli`] | configuration, the main loop, the demo, the command line |
//!
//! From a key to a page: the [`keymap`] maps the key to an action; `App::update` turns it into new state and effects;
//! [`run`] executes each effect in a task; the result of the task is a message to `App::update`; [`ui`] draws the
//! state. Only `App::update` changes the state, and no timer runs while nothing happens.

pub mod app;
pub mod cli;
pub mod config;
pub mod keymap;
pub mod run;
pub mod ui;
