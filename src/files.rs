//! Files of the user: the bookmark file and those of other programs, downloads and unfinished transfers, accepted
//! certificates, cached pages. Each file is read and written here and nowhere else.

mod atomic;
pub mod bookmarks;
pub mod cache;
pub mod checks;
pub mod command;
pub mod download;
pub mod draft;
pub mod exchange;
pub mod folds;
pub mod keyring;
pub mod mailcap;
pub mod netrc;
pub mod newsrc;
pub(crate) mod regular;
pub mod retry;
pub mod score;
pub mod sources;
pub mod tls_offers;
pub mod transfers;
pub mod tree;
pub mod trust;
pub mod upload;
pub mod view;
pub mod watch;
