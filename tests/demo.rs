//! The demo servers over real loopback sockets.
