//! Dialogues over any stream, and parsers over octets: what the RFCs say on the wire.

pub mod ftp;
pub mod gopher;
pub mod http;
pub mod nntp;
pub mod ph;
pub mod prospero;
pub mod telnet;
pub mod wais;
