//! The pages of Geomys: octets to rows and links, and the loads, which are the only way to the network.

pub mod archive;
pub mod document;
pub mod load;
