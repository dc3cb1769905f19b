//! What belongs to the user: the bookmark file, downloads. Each file is read and written here and nowhere else.

pub mod bookmarks;
pub mod command;
pub mod download;
pub mod mailcap;
pub mod upload;
pub mod view;
