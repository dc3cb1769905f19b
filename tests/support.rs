//! Helpers shared by the tests.

pub mod command;
pub mod files;
pub mod follow;
pub mod hostile;
pub mod screen;
pub mod sources;
pub mod terminal;
