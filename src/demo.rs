//! Four small servers on loopback behind `geomys demo`, and behind the tests: Gopher, FTP, news and a phone book.
//!
//! They are exact on the wire (RFC 1436 and the Gopher+ paper of 1993, RFC 959 with 2389, 2428 and 3659, RFC 3977, RFC
//! 2378), read-only, and serve the town of Underloam, compiled in from `assets/demo/`. Everything is fixed, dates included, so
//! that a screen looks the same tomorrow. Left out: TLS, uploads, posting, IPv6, and any address but 127.0.0.1.

pub mod ftp;
pub mod gopher;
pub mod nntp;
pub mod ph;
mod wire;
pub mod world;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::task::JoinSet;

use self::world::World;

/// The bookmarks into the demo, with `{gopher}`, `{ftp}` and `{news}` where the addresses go.
const BOOKMARKS: &str = include_str!("../assets/demo/bookmarks.txt");

/// The servers, running; dropping it stops them and closes their connections.
#[derive(Debug)]
pub struct Demo {
    gopher: SocketAddr,
    ftp: SocketAddr,
    news: SocketAddr,
    phone: SocketAddr,
    servers: JoinSet<()>,
}

impl Demo {
    /// Starts the servers on free ports of 127.0.0.1.
    pub async fn start() -> io::Result<Self> {
        Self::start_on([0; 4]).await
    }

    /// Starts the servers on the given ports of 127.0.0.1, in the order gopher, FTP, news, phone book; 0 takes a free
    /// one.
    pub async fn start_on([gopher, ftp, news, phone]: [u16; 4]) -> io::Result<Self> {
        let gopher_listener = TcpListener::bind((Ipv4Addr::LOCALHOST, gopher)).await?;
        let ftp_listener = TcpListener::bind((Ipv4Addr::LOCALHOST, ftp)).await?;
        let news_listener = TcpListener::bind((Ipv4Addr::LOCALHOST, news)).await?;
        let phone_listener = TcpListener::bind((Ipv4Addr::LOCALHOST, phone)).await?;
        let (gopher, ftp, news, phone) = (
            gopher_listener.local_addr()?,
            ftp_listener.local_addr()?,
            news_listener.local_addr()?,
            phone_listener.local_addr()?,
        );
        let world = Arc::new(World::new(gopher, ftp, news, phone));
        let mut servers = JoinSet::new();
        servers.spawn(gopher::serve(gopher_listener, Arc::clone(&world)));
        servers.spawn(ftp::serve(ftp_listener, Arc::clone(&world)));
        servers.spawn(nntp::serve(news_listener, Arc::clone(&world)));
        servers.spawn(ph::serve(phone_listener, world));
        Ok(Self {
            gopher,
            ftp,
            news,
            phone,
            servers,
        })
    }

    /// Where the Gopher server listens.
    pub fn gopher(&self) -> SocketAddr {
        self.gopher
    }

    /// Where the FTP server listens.
    pub fn ftp(&self) -> SocketAddr {
        self.ftp
    }

    /// Where the news server listens.
    pub fn news(&self) -> SocketAddr {
        self.news
    }

    /// Where the phone book listens; a row of the gopher server's menu leads there.
    pub fn phone(&self) -> SocketAddr {
        self.phone
    }

    /// The front doors, as `geomys demo --serve` prints them.
    pub fn urls(&self) -> Vec<String> {
        vec![
            format!("gopher://{}/", self.gopher),
            format!("ftp://{}/", self.ftp),
            format!("nntp://{}/{}", self.news, world::FIRST_GROUP),
        ]
    }

    /// A bookmark file into this demo.
    pub fn bookmarks(&self) -> String {
        BOOKMARKS
            .replace("{gopher}", &self.gopher.to_string())
            .replace("{ftp}", &self.ftp.to_string())
            .replace("{news}", &self.news.to_string())
    }

    /// Serves until the future is dropped (or, which should not happen, until all the servers have ended).
    pub async fn serve(mut self) {
        while self.servers.join_next().await.is_some() {}
    }
}
