//! A Gemini server that answers as a test says.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use crate::tls::Identity;

const DEADLINE: Duration = Duration::from_secs(20);

/// The octets of a response, and true if TLS is closed after them as it should be.
pub type Response = (Vec<u8>, bool);

/// A running server.
pub struct Capsule {
    /// The address on which the server listens.
    pub address: SocketAddr,
    shown: Arc<Mutex<TlsAcceptor>>,
    requests: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Capsule {
    /// Starts a server that answers a request, which is a path with its query, by `answer`.
    pub async fn start(
        identity: &Identity,
        answer: impl Fn(&str) -> Response + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let shown = Arc::new(Mutex::new(identity.acceptor()));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (showing, heard) = (Arc::clone(&shown), Arc::clone(&requests));
        let answer = Arc::new(answer);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = showing.lock().unwrap().clone();
                let (answer, heard) = (Arc::clone(&answer), Arc::clone(&heard));
                tokio::spawn(visit(acceptor, stream, address, answer, heard));
            }
        });
        Self {
            address,
            shown,
            requests,
            task,
        }
    }

    /// Replaces the server's certificate.
    pub fn show(&self, identity: &Identity) {
        *self.shown.lock().unwrap() = identity.acceptor();
    }

    /// The requests so far: paths with their queries.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// The URL with a path.
    pub fn url(&self, path: &str) -> String {
        format!("gemini://{}{path}", self.address)
    }
}

impl Drop for Capsule {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn visit(
    acceptor: TlsAcceptor,
    stream: TcpStream,
    address: SocketAddr,
    answer: Arc<impl Fn(&str) -> Response>,
    heard: Arc<Mutex<Vec<String>>>,
) {
    let Ok(Ok(mut stream)) = timeout(DEADLINE, acceptor.accept(stream)).await else {
        return;
    };
    let mut line = Vec::new();
    while !line.ends_with(b"\r\n") {
        match timeout(DEADLINE, stream.read_u8()).await {
            Ok(Ok(octet)) => line.push(octet),
            Ok(Err(_)) | Err(_) => return,
        }
    }
    let line = String::from_utf8(line).unwrap();
    // The port may be that of a gate.
    let line = line.trim_end();
    let host = [address.ip().to_string(), "localhost".to_owned()];
    // The source of a page is asked for by its URL of Titan.
    let rest = ["gemini://", "titan://"]
        .iter()
        .find_map(|scheme| line.strip_prefix(scheme));
    let rest = rest.expect("a URL of Gemini or Titan");
    let mut paths = host
        .iter()
        .filter_map(|host| rest.strip_prefix(&format!("{host}:")));
    let path = paths.next().expect("a URL of this host");
    let path = path.find('/').map_or("", |at| &path[at..]).to_owned();
    let (octets, is_closed) = answer(&path);
    heard.lock().unwrap().push(path);
    // The client may already have closed.
    let _ = stream.write_all(&octets).await;
    let _ = stream.flush().await;
    if is_closed {
        let _ = stream.shutdown().await;
    }
}
