//! Downloads to the disk: single files, whole directories, retries, and the stored queue of unfinished transfers.

pub mod download;
mod parts;
pub mod queue;
pub mod retry;
pub mod sources;
pub mod tree;
pub mod view;
