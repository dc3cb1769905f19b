//! The list of the servers.

use std::net::SocketAddr;

/// A value for each of the servers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Servers<T> {
    /// The value of Gopher.
    pub gopher: T,
    /// The value of FTP.
    pub ftp: T,
    /// The value of news.
    pub news: T,
    /// The value of the phone book, which a row of the Gopher server's menu links to.
    pub phone: T,
    /// The value of WAIS.
    pub wais: T,
    /// The value of HTTP.
    pub web: T,
    /// The value of finger.
    pub finger: T,
    /// The value of Gemini.
    pub gemini: T,
    /// The value of Spartan.
    pub spartan: T,
    /// The value of nex.
    pub nex: T,
    /// The value of the telnet host.
    pub telnet: T,
    /// The value of Prospero, which uses datagrams.
    pub prospero: T,
}

/// The ports of the servers; 0 selects a free port.
pub type Ports = Servers<u16>;

/// The addresses of the servers.
pub type Addresses = Servers<SocketAddr>;
