//! What several tests stand on.

pub mod screen;
pub mod script;
