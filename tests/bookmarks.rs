//! Bookmarks by command and in the browser.

mod command;
mod history;
mod imported;
mod queries;
mod sorted;
mod typed;
