//! The pages of Geomys: octets to rows and links.

pub mod archive;
pub mod document;
