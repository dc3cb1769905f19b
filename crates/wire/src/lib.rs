//! The wire of Geomys: sockets, dialogues and parsers that know no document, and the only conversion of remote octets
//! to text.

pub mod net;
pub mod protocol;
pub mod task;
pub mod text;
