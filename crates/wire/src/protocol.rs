//! Protocol dialogues over any stream, and parsers over octets: the wire formats of the RFCs.

pub mod ftp;
pub mod gemini;
pub mod gopher;
pub mod http;
pub mod nntp;
pub mod octets;
pub mod parameters;
pub mod ph;
pub mod prospero;
pub mod reply;
pub mod spartan;
pub mod telnet;
pub mod wais;
