//! Geomys: a terminal browser for the Internet that RFC 1738 described.

pub mod demo;
pub mod url;
