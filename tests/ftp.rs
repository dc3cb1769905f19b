//! FTP from a URL to a page: transcripts on loopback, and the demo server.

mod demo;
mod dialogue;
mod paths;
mod trouble;
