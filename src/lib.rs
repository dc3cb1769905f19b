//! Geomys.
pub mod url;
