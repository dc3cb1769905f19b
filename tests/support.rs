//! Helpers shared by the tests.

pub mod archive;
pub mod capsule;
pub mod command;
pub mod deflate;
pub mod ftp;
pub mod hostile;
pub mod loading;
pub mod news;
pub mod screen;
pub mod script;
pub mod socks;
pub mod sources;
pub mod terminal;
pub mod tls;
pub mod web;
