//! Link checks: by command, in the browser, and the titles that they find.

mod command;
mod local;
mod session;
mod titles;
