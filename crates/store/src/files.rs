//! Small files of the user: accepted certificates, read articles, drafts, logins, viewers, charsets of hosts, visited
//! pages, cached pages. Each file is read and written here and nowhere else.

pub(crate) mod age;
pub mod atomic;
pub mod cache;
pub mod charsets;
pub mod command;
pub mod draft;
pub mod history;
pub mod identities;
pub mod later;
pub mod locked_file;
pub mod logins;
pub mod mailcap;
pub mod news;
pub mod newsrc;
pub mod read_messages;
pub mod regular;
pub mod session;
pub mod tls_offers;
pub mod trust;
pub mod user_file;
