//! Nine small servers on loopback for `geomys demo` and for the tests: Gopher, FTP, news, a phone book, WAIS, HTTP,
//! finger, telnet and Prospero.
//!
//! They follow the protocols exactly (RFC 1436 and the Gopher+ paper of 1993, RFC 959 with 2389, 2428 and 3659, RFC
//! 3977, RFC 2378, RFC 1625, RFC 9112, RFC 1288, RFC 854), are read-only, and serve the town of Underloam, compiled
//! in from `assets/demo/`. Everything is constant, dates included, so that screens do not change. Some files of the
//! town are in a local directory while the servers run. Not implemented: TLS, uploads, posting, IPv6, and any address
//! but 127.0.0.1.

mod finger;
pub mod ftp;
pub mod gopher;
pub mod http;
pub mod nntp;
pub mod ph;
mod prospero;
mod telnet;
pub mod wais;
mod wire;
pub mod world;

use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::{fs, io};

use tempfile::TempDir;
use tokio::net::{TcpListener, UdpSocket};
use tokio::task::JoinSet;

use self::world::World;
use crate::url::encoded;

/// The bookmarks of the demo, with `{gopher}`, `{ftp}` and so on as placeholders for addresses.
const BOOKMARKS: &str = include_str!("../assets/demo/bookmarks.txt");

/// A draft of an unwritten message.
const LETTER: &str =
    "mailto:dibble@underloam.example?subject=The%20lamp&body=It%20is%20out%20again.";

/// The local files of the town.
const FILES: [(&str, &str); 3] = [
    ("notes.txt", include_str!("../assets/demo/files/notes.txt")),
    ("gophermap", include_str!("../assets/demo/files/gophermap")),
    (
        "letters.mbox",
        include_str!("../assets/demo/files/letters.mbox"),
    ),
];

/// The ports of the servers; 0 selects a free port.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ports {
    /// The port of Gopher.
    pub gopher: u16,
    /// The port of FTP.
    pub ftp: u16,
    /// The port of news.
    pub news: u16,
    /// The port of the phone book.
    pub phone: u16,
    /// The port of WAIS.
    pub wais: u16,
    /// The port of HTTP.
    pub web: u16,
    /// The port of finger.
    pub finger: u16,
    /// The port of the telnet host.
    pub telnet: u16,
    /// The port of Prospero, for datagrams.
    pub prospero: u16,
}

/// The running servers. Dropping the value stops them, closes their connections and removes their files.
#[derive(Debug)]
pub struct Demo {
    gopher: SocketAddr,
    ftp: SocketAddr,
    news: SocketAddr,
    phone: SocketAddr,
    wais: SocketAddr,
    web: SocketAddr,
    finger: SocketAddr,
    telnet: SocketAddr,
    prospero: SocketAddr,
    files: TempDir,
    servers: JoinSet<()>,
}

impl Demo {
    /// Starts the servers on free ports of 127.0.0.1.
    pub async fn start() -> io::Result<Self> {
        Self::start_on(Ports::default()).await
    }

    /// Starts the servers with this many additional computed groups in the lists of the news server, to measure
    /// newsreaders on long lists. These groups are in the lists alone.
    pub async fn crowded(groups: u64) -> io::Result<Self> {
        Self::start_with(Ports::default(), groups).await
    }

    /// Starts the servers on the given ports of 127.0.0.1.
    pub async fn start_on(ports: Ports) -> io::Result<Self> {
        Self::start_with(ports, 0).await
    }

    async fn start_with(ports: Ports, crowd: u64) -> io::Result<Self> {
        let (gopher_listener, gopher) = listen(ports.gopher).await?;
        let (ftp_listener, ftp) = listen(ports.ftp).await?;
        let (news_listener, news) = listen(ports.news).await?;
        let (phone_listener, phone) = listen(ports.phone).await?;
        let (wais_listener, wais) = listen(ports.wais).await?;
        let (web_listener, web) = listen(ports.web).await?;
        let (finger_listener, finger) = listen(ports.finger).await?;
        let (telnet_listener, telnet) = listen(ports.telnet).await?;
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, ports.prospero)).await?;
        let prospero = socket.local_addr()?;
        let world = World::new(gopher, ftp, news, phone).with_crowd(crowd);
        let world = Arc::new(world);
        let mut servers = JoinSet::new();
        servers.spawn(gopher::serve(gopher_listener, Arc::clone(&world)));
        servers.spawn(ftp::serve(ftp_listener, Arc::clone(&world)));
        servers.spawn(nntp::serve(news_listener, Arc::clone(&world)));
        servers.spawn(ph::serve(phone_listener, Arc::clone(&world)));
        servers.spawn(wais::serve(wais_listener, Arc::clone(&world)));
        servers.spawn(finger::serve(finger_listener, Arc::clone(&world)));
        servers.spawn(telnet::serve(telnet_listener, Arc::clone(&world)));
        servers.spawn(http::serve(web_listener, world));
        let authorities = prospero::ServerAuthorities { gopher, ftp, wais };
        servers.spawn(prospero::serve(socket, authorities));
        Ok(Self {
            gopher,
            ftp,
            news,
            phone,
            wais,
            web,
            finger,
            telnet,
            prospero,
            files: files(gopher)?,
            servers,
        })
    }

    /// The address of the Gopher server.
    pub fn gopher(&self) -> SocketAddr {
        self.gopher
    }

    /// The address of the FTP server.
    pub fn ftp(&self) -> SocketAddr {
        self.ftp
    }

    /// The address of the news server.
    pub fn news(&self) -> SocketAddr {
        self.news
    }

    /// The address of the phone book, which a row of the Gopher server's menu links to.
    pub fn phone(&self) -> SocketAddr {
        self.phone
    }

    /// The address of the WAIS server.
    pub fn wais(&self) -> SocketAddr {
        self.wais
    }

    /// The address of the HTTP server.
    pub fn web(&self) -> SocketAddr {
        self.web
    }

    /// The address of the finger server.
    pub fn finger(&self) -> SocketAddr {
        self.finger
    }

    /// The address of the telnet host.
    pub fn telnet(&self) -> SocketAddr {
        self.telnet
    }

    /// The address of the Prospero server, for datagrams.
    pub fn prospero(&self) -> SocketAddr {
        self.prospero
    }

    /// The directory of the local files.
    pub fn files(&self) -> &Path {
        self.files.path()
    }

    /// The start URLs, one of each scheme, as `geomys demo --serve` prints them.
    pub fn urls(&self) -> Vec<String> {
        vec![
            format!("gopher://{}/", self.gopher),
            format!("ftp://{}/", self.ftp),
            format!("nntp://{}/{}", self.news, world::FIRST_GROUP),
            format!("news:{}", world::FIRST_GROUP),
            format!("http://{}/", self.web),
            format!("wais://{}/{}", self.wais, wais::DATABASE),
            format!("finger://{}/", self.finger),
            format!("telnet://{}/", self.telnet),
            format!("prospero://{}//", self.prospero),
            format!("{}/", self.file_url()),
            LETTER.to_owned(),
        ]
    }

    /// A bookmark file for this demo.
    pub fn bookmarks(&self) -> String {
        let authorities = [
            ("{gopher}", self.gopher),
            ("{ftp}", self.ftp),
            ("{news}", self.news),
            ("{wais}", self.wais),
            ("{web}", self.web),
            ("{finger}", self.finger),
            ("{telnet}", self.telnet),
            ("{prospero}", self.prospero),
        ];
        let filled = authorities
            .into_iter()
            .fold(BOOKMARKS.to_owned(), |text, (sign, authority)| {
                text.replace(sign, &authority.to_string())
            });
        filled.replace("{files}", &self.file_url())
    }

    /// The template of a gateway for URLs of unsupported schemes: a web page that shows its requests.
    pub fn gateway(&self) -> String {
        format!("http://{}/gateway?%U", self.web)
    }

    /// The URL of [`Demo::files`], without a slash at its end.
    fn file_url(&self) -> String {
        let path = self.files.path().as_os_str().as_bytes();
        let segments = path.split(|&octet| octet == b'/').map(encoded);
        format!("file://{}", segments.collect::<Vec<_>>().join("/"))
    }

    /// Runs the servers until the future is dropped, or until all of them have ended, which should not happen.
    pub async fn serve(mut self) {
        while self.servers.join_next().await.is_some() {}
    }
}

/// A listener on 127.0.0.1, and its address.
async fn listen(port: u16) -> io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let here = listener.local_addr()?;
    Ok((listener, here))
}

/// Writes the files of the town into a directory that is removed when it is dropped.
fn files(gopher: SocketAddr) -> io::Result<TempDir> {
    let directory = tempfile::Builder::new().prefix("geomys-demo").tempdir()?;
    for (name, text) in FILES {
        let text = text
            .replace("{gopher}", &gopher.to_string())
            .replace("{host}", &gopher.ip().to_string())
            .replace("{port}", &gopher.port().to_string());
        fs::write(directory.path().join(name), text)?;
    }
    Ok(directory)
}
