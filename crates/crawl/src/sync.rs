//! `sync`: everything that the user follows is fetched, and stays on the disk until it is shown.

mod budget;
mod copies;
mod fetch;
pub mod groups;
pub mod lock;
mod look;
mod outbox;
pub mod page;
pub mod progress;
pub mod report;
pub mod run;
pub mod sources;
pub mod state;
pub mod unread;
