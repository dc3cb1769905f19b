//! Geomys.

pub mod demo;
