//! Geomys: a keyboard-driven terminal browser for the Internet that RFC 1738 described.
//!
//! What is below the program are crates, so that the compiler keeps the layers apart:
//!
//! | layer | crate or modules | contents |
//! |---|---|---|
//! | 1 address | [`rfc1738`] | text to `Url` and back; `std` alone |
//! | 2 wire | [`geomys_wire`] | the only conversion of remote octets to text; sockets, dialogues, parsers; no document types |
//! | 3 page | [`geomys_page`] | octets to rows and links |
//! | 4 load | [`geomys_load`] | a URL to the octets of a page; all network access |
//! | 5 store | [`geomys_store`] | the bookmark file and its formats; downloads and their queue; the user's small files |
//! | demo | [`geomys_demo`] | demo servers on loopback |
//! | 6 app | [`geomys_app`] | state, without input, output, tasks or clock |
//! | 7 program | [`ui`], [`config`], [`run`], [`cli`] | `&App` to a frame; configuration, the main loop, the command line |
//!
//! From a key to a page: the keymap maps the key to an action; `App::update` turns it into new state and effects;
//! [`run`] executes each effect in a task; the result of the task is a message to `App::update`; [`ui`] draws the
//! state. Only `App::update` changes the state, and no timer runs while nothing happens.

pub mod cli;
pub mod config;
pub mod run;
mod site_report;
pub mod ui;
