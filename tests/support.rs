//! What several tests share: a scripted FTP server, and a load carried to its end.

pub(crate) mod ftp;
pub(crate) mod loading;
