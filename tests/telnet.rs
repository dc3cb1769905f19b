//! Telnet sessions in a pane: keys, sizes, scrollback, character sets.

mod charset;
mod control;
mod session;
