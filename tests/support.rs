//! What several tests stand on.

pub mod ftp;
pub mod loading;
pub mod screen;
pub mod script;
