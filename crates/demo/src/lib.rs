//! Twelve small servers on loopback for `geomys demo` and for the tests: Gopher, FTP, news, a phone book, WAIS, HTTP,
//! finger, Gemini, Spartan, nex, telnet and Prospero.
//!
//! They follow the protocols exactly (RFC 1436 and the Gopher+ paper of 1993, RFC 959 with 2389, 2428 and 3659, RFC
//! 3977, RFC 2378, RFC 1625, RFC 9112, RFC 1288, RFC 854), are read-only, and serve the town of Underloam, compiled
//! in from `assets/demo/`. Everything is constant, dates included, so that screens do not change. Some files of the
//! town are in a local directory while the servers run. Not implemented: TLS but of Gemini, uploads, posting, IPv6, and
//! any address but 127.0.0.1.

mod assets;
mod finger;
mod ftp;
mod gemini;
mod gopher;
mod http;
mod nntp;
mod ph;
mod prospero;
mod spartan;
mod telnet;
pub mod wais;
mod wire;
pub mod world;

use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::{fs, io};

use futures_util::FutureExt;
use rfc1738::encoded;
use tempfile::TempDir;
use tokio::net::{TcpListener, UdpSocket};
use tokio::task::JoinSet;

use self::assets::Placeholders;
use self::wire::accept;
use self::world::World;

/// A draft of an unwritten message.
const LETTER: &str =
    "mailto:dibble@underloam.example?subject=The%20lamp&body=It%20is%20out%20again.";

/// The local files of the town.
const FILES: [&str; 3] = ["notes.txt", "gophermap", "letters.mbox"];

/// The running servers. Dropping the value stops them, closes their connections and removes their files.
#[derive(Debug)]
pub struct Demo {
    /// The addresses of the servers.
    pub addresses: Addresses,
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
        let gopher = listen(ports.gopher).await?;
        let ftp = listen(ports.ftp).await?;
        let news = listen(ports.news).await?;
        let phone = listen(ports.phone).await?;
        let wais = listen(ports.wais).await?;
        let web = listen(ports.web).await?;
        let finger = listen(ports.finger).await?;
        let gemini = listen(ports.gemini).await?;
        let spartan = listen(ports.spartan).await?;
        let nex = listen(ports.nex).await?;
        let telnet = listen(ports.telnet).await?;
        let prospero = UdpSocket::bind((Ipv4Addr::LOCALHOST, ports.prospero)).await?;
        let addresses = Addresses {
            gopher: gopher.local_addr()?,
            ftp: ftp.local_addr()?,
            news: news.local_addr()?,
            phone: phone.local_addr()?,
            wais: wais.local_addr()?,
            web: web.local_addr()?,
            finger: finger.local_addr()?,
            gemini: gemini.local_addr()?,
            spartan: spartan.local_addr()?,
            nex: nex.local_addr()?,
            telnet: telnet.local_addr()?,
            prospero: prospero.local_addr()?,
        };
        let acceptor = gemini::acceptor()?;
        let world = Arc::new(World::new(&addresses, crowd));
        let mut servers = JoinSet::new();
        servers.spawn(accept(gopher, Arc::clone(&world), gopher::converse));
        servers.spawn(accept(ftp, Arc::clone(&world), ftp::converse));
        servers.spawn(accept(news, Arc::clone(&world), nntp::converse));
        servers.spawn(accept(phone, Arc::clone(&world), ph::converse));
        servers.spawn(accept(wais, Arc::clone(&world), wais::converse));
        servers.spawn(accept(web, Arc::clone(&world), http::converse));
        servers.spawn(accept(finger, Arc::clone(&world), finger::converse));
        servers.spawn(accept(gemini, Arc::clone(&world), move |stream, world| {
            gemini::converse(acceptor.clone(), stream, world)
        }));
        servers.spawn(accept(spartan, Arc::clone(&world), spartan::converse));
        servers.spawn(accept(nex, Arc::clone(&world), spartan::converse_nex));
        servers.spawn(accept(telnet, Arc::clone(&world), telnet::converse));
        servers.spawn(prospero::serve(prospero, world).boxed());
        Ok(Self {
            addresses,
            files: files(&addresses)?,
            servers,
        })
    }

    /// The directory of the local files.
    pub fn files(&self) -> &Path {
        self.files.path()
    }

    /// The start URLs, one of each scheme, as `geomys demo --serve` prints them.
    pub fn urls(&self) -> Vec<String> {
        vec![
            format!("gopher://{}/", self.addresses.gopher),
            format!("ftp://{}/", self.addresses.ftp),
            format!("nntp://{}/{}", self.addresses.news, world::FIRST_GROUP),
            format!("news:{}", world::FIRST_GROUP),
            format!("http://{}/", self.addresses.web),
            format!("wais://{}/{}", self.addresses.wais, wais::DATABASE),
            format!("finger://{}/", self.addresses.finger),
            format!("gemini://{}/", self.addresses.gemini),
            format!("spartan://{}/", self.addresses.spartan),
            format!("nex://{}/", self.addresses.nex),
            format!("telnet://{}/", self.addresses.telnet),
            format!("prospero://{}//", self.addresses.prospero),
            format!("{}/", self.file_url()),
            LETTER.to_owned(),
        ]
    }

    /// A bookmark file for this demo.
    pub fn bookmarks(&self) -> String {
        let filled = Placeholders::new(&self.addresses).fill(assets::file("bookmarks.txt"));
        String::from_utf8_lossy(&filled).replace("{files}", &self.file_url())
    }

    /// The template of a gateway for URLs of unsupported schemes: a web page that shows its requests.
    pub fn gateway(&self) -> String {
        format!("http://{}/gateway?%U", self.addresses.web)
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

/// A listener on 127.0.0.1.
async fn listen(port: u16) -> io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await
}

/// Writes the files of the town into a directory that is removed when it is dropped.
fn files(addresses: &Addresses) -> io::Result<TempDir> {
    let directory = tempfile::Builder::new().prefix("geomys-demo").tempdir()?;
    let placeholders = Placeholders::new(addresses);
    for name in FILES {
        let content = placeholders.fill(assets::file(&format!("files/{name}")));
        fs::write(directory.path().join(name), content)?;
    }
    Ok(directory)
}

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
