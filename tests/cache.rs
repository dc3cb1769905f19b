//! Cached pages in the browser and for commands, when their server is unreachable.

mod copies;
mod network;
mod offline_links;
pub(crate) mod reading;
mod saved_for_later;
mod schemes;
