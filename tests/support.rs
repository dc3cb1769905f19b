//! What several tests stand on.

pub(crate) mod script;
