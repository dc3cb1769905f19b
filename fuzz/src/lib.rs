//! The address layer by itself, so that a target is built in seconds.
//!
//! `src/url` uses `std` alone, and `tests/layers.rs` holds it to that. As a dependency the whole browser would have to be
//! built with the fuzzer's counters in it, which takes minutes and finds nothing more.

#[path = "../../src"]
mod geomys {
    pub mod url;
}

pub use geomys::url;
