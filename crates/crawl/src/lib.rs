//! Pages that are fetched without a person who looks at them: the sync of everything that is followed, the mirror and
//! the archive of a directory or site, and the check of its links.

pub mod archive;
mod hosts;
pub mod mirrored;
mod names;
pub mod robots;
pub mod served;
pub mod site;
pub mod sync;
pub mod tree;
pub mod warc;
