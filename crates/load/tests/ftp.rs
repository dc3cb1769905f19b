//! FTP from a URL to a page: transcripts on loopback, and the demo server.

mod active;
mod cancel;
mod demo;
mod dialogue;
mod ending;
mod hidden;
mod hostile;
mod paths;
mod plain_login;
mod refusal;
mod resume;
mod server_behavior;
mod shown_names;
mod telnet_escape;
mod tls;
mod unanswered;
mod unchanged;
