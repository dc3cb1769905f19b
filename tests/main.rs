//! All tests are one binary.
mod url;
