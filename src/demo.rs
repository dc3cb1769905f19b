//! Six small servers on loopback behind `geomys demo`, and behind the tests: Gopher, FTP, news, a phone book, WAIS and the
//! Web.
//!
//! They are exact on the wire (RFC 1436 and the Gopher+ paper of 1993, RFC 959 with 2389, 2428 and 3659, RFC 3977, RFC
//! 2378, RFC 1625, RFC 9112), read-only, and serve the town of Underloam, compiled in from `assets/demo/`. Everything is fixed, dates included, so
//! that a screen looks the same tomorrow. Left out: TLS, uploads, posting, IPv6, and any address but 127.0.0.1.

pub mod ftp;
pub mod gopher;
pub mod http;
pub mod nntp;
pub mod ph;
pub mod wais;
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
    wais: SocketAddr,
    web: SocketAddr,
    servers: JoinSet<()>,
}

impl Demo {
    /// Starts the servers on free ports of 127.0.0.1.
    pub async fn start() -> io::Result<Self> {
        Self::start_on([0; 6]).await
    }

    /// The same, with so many computed groups more in the lists of the news server: what a reader does with long lists is
    /// measured against it. They are in the lists alone.
    pub async fn crowded(groups: u64) -> io::Result<Self> {
        Self::start_with([0; 6], groups).await
    }

    /// Starts the servers on the given ports of 127.0.0.1, in the order gopher, FTP, news, phone book, WAIS, the Web; 0
    /// takes a free one.
    pub async fn start_on(ports: [u16; 6]) -> io::Result<Self> {
        Self::start_with(ports, 0).await
    }

    async fn start_with(
        [gopher, ftp, news, phone, wais, web]: [u16; 6],
        crowd: u64,
    ) -> io::Result<Self> {
        let gopher_listener = TcpListener::bind((Ipv4Addr::LOCALHOST, gopher)).await?;
        let ftp_listener = TcpListener::bind((Ipv4Addr::LOCALHOST, ftp)).await?;
        let news_listener = TcpListener::bind((Ipv4Addr::LOCALHOST, news)).await?;
        let phone_listener = TcpListener::bind((Ipv4Addr::LOCALHOST, phone)).await?;
        let wais_listener = TcpListener::bind((Ipv4Addr::LOCALHOST, wais)).await?;
        let wais = wais_listener.local_addr()?;
        let web_listener = TcpListener::bind((Ipv4Addr::LOCALHOST, web)).await?;
        let web = web_listener.local_addr()?;
        let (gopher, ftp, news, phone) = (
            gopher_listener.local_addr()?,
            ftp_listener.local_addr()?,
            news_listener.local_addr()?,
            phone_listener.local_addr()?,
        );
        let world = World::new(gopher, ftp, news, phone).with_crowd(crowd);
        let world = Arc::new(world);
        let mut servers = JoinSet::new();
        servers.spawn(gopher::serve(gopher_listener, Arc::clone(&world)));
        servers.spawn(ftp::serve(ftp_listener, Arc::clone(&world)));
        servers.spawn(nntp::serve(news_listener, Arc::clone(&world)));
        servers.spawn(ph::serve(phone_listener, Arc::clone(&world)));
        servers.spawn(wais::serve(wais_listener, Arc::clone(&world)));
        servers.spawn(http::serve(web_listener, world));
        Ok(Self {
            gopher,
            ftp,
            news,
            phone,
            wais,
            web,
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

    /// Where the WAIS server listens.
    pub fn wais(&self) -> SocketAddr {
        self.wais
    }

    /// Where the server of the Web listens.
    pub fn web(&self) -> SocketAddr {
        self.web
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
