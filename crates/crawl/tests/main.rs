//! The one test binary.

// .clippy.toml lets `#[test]` functions do this; the functions they share are tests as much as they are.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]
#![allow(unreachable_pub)] // One binary: what is shared in it is `pub`.

mod looks;
mod sync;
mod trees;
mod warc;
mod world;
