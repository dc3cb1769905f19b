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

mod archive;
mod check;
mod declared;
mod demo;
mod dialogues;
mod file;
mod finger;
mod ftp;
mod gemini;
mod gopher;
mod hazards;
mod http;
mod news;
mod nex;
mod prospero;
mod socks;
mod spartan;
mod titan;
mod tls;
mod wais;
