//! Bookmarks by command and in the browser.

mod add;
mod command;
mod history;
mod import_dates;
mod import_files;
mod json;
mod moves;
mod queries;
mod similar;
mod sort;
mod words;
