//! The one test binary.

mod demo;
