//! The one test binary.

// .clippy.toml lets `#[test]` functions do this; the functions they share are tests as much as they are.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]
#![allow(unreachable_pub)] // One binary: what is shared in it is `pub`.

mod accent;
mod app;
mod archive_here;
mod archives;
mod argument_secrets;
mod bookmark_editing;
mod bookmarks;
mod cache;
mod card;
mod certificate;
mod charsets;
mod check;
mod circles;
mod colours;
mod command;
mod configuration;
mod cookies;
mod demo;
mod desktop;
mod error_sentences;
mod excepted_hosts;
mod failure_page;
mod faults;
mod find;
mod follow;
mod fragment;
mod ftp;
mod gateway;
mod gemini;
mod gopher;
mod gopher_attributes;
mod gopher_plus;
mod history;
mod home;
mod hostile;
mod http;
mod images;
mod international;
mod key_hints;
mod keyring;
mod keys;
#[cfg(target_os = "linux")]
mod launch;
mod links;
mod listing;
mod live_config;
mod local_addresses;
mod log;
mod long_lines;
mod mailto;
mod manual;
mod memory;
mod memory_limits;
mod mouse;
mod news;
mod outline;
mod output;
mod palette;
mod panes;
mod picture;
mod private_tabs;
mod profile;
mod questions;
mod queue;
mod queued_answers;
mod reading;
mod readme;
mod request_reasons;
mod restored_tabs;
mod run;
mod schemes;
mod search;
mod secrets;
mod sentences;
mod servers;
mod session;
mod site;
mod socks;
mod subscriptions;
mod support;
mod sync;
mod tasks;
mod telnet;
mod terminal;
mod text_width;
mod tls;
mod tour;
mod transfers;
mod url_prompt;
mod user_files;

mod whole_rows;
mod writing;
