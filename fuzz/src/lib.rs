//! The address layer by itself, so that a target is built in seconds.
//!
//! `src/url` uses `std` alone. Were the browser a dependency, all of it would be built with the counters of the fuzzer,
//! which takes minutes and finds nothing more.

#[path = "../../src"]
mod geomys {
    pub mod url;
}

pub use geomys::url;
