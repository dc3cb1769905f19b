//! A small HTTP server with replies given as octets.

use std::io::{BufRead, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::tls::Identity;

/// A reply with these header fields and a body of the announced length.
pub fn ok(fields: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!(
        "HTTP/1.1 200 OK\r\n{fields}Content-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// The head of a request.
#[derive(Clone, Debug)]
pub struct HttpRequest {
    /// The first line and the fields.
    pub head: String,
    /// The server that was asked.
    pub address: SocketAddr,
    /// The octets after the head.
    pub body: String,
}

impl HttpRequest {
    /// The request target behind the method.
    pub fn path(&self) -> &str {
        let first = self.head.lines().next().unwrap();
        first.split(' ').nth(1).unwrap()
    }

    /// The value of a field, by its name in lower case.
    pub fn field(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .find(|(label, _)| *label == name)
            .map(|(_, value)| value)
    }
}

/// A running server.
pub struct Web {
    /// The address on which the server listens.
    pub address: SocketAddr,
    requests: Arc<Mutex<Vec<HttpRequest>>>,
    task: JoinHandle<()>,
}

impl Web {
    /// Starts a server that answers every request with `answer`, and closes.
    pub async fn start<A: AsRef<[u8]>>(
        answer: impl Fn(&HttpRequest) -> A + Send + Sync + 'static,
    ) -> Self {
        Self::listen(None, answer).await
    }

    /// Starts a server likewise, over TLS.
    pub async fn start_tls<A: AsRef<[u8]>>(
        identity: &Identity,
        answer: impl Fn(&HttpRequest) -> A + Send + Sync + 'static,
    ) -> Self {
        Self::listen(Some(identity.acceptor()), answer).await
    }

    async fn listen<A: AsRef<[u8]>>(
        acceptor: Option<tokio_rustls::TlsAcceptor>,
        answer: impl Fn(&HttpRequest) -> A + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&requests);
        let answer = Arc::new(move |request: &HttpRequest| answer(request).as_ref().to_vec());
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    let (log, answer) = (&*log, &*answer);
                    match acceptor {
                        None => visit(stream, address, log, answer).await,
                        // A client that does not trust the certificate disconnects.
                        Some(acceptor) => {
                            if let Ok(stream) = acceptor.accept(stream).await {
                                visit(stream, address, log, answer).await;
                            }
                        }
                    }
                });
            }
        });
        Self {
            address,
            requests,
            task,
        }
    }

    /// The URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The methods and paths of the requests so far; empties the list.
    pub fn take_lines(&self) -> Vec<String> {
        let requests = self.take_requests().into_iter();
        let lines = requests.map(|request| request.head.lines().next().unwrap().to_owned());
        lines.map(|line| line.replace(" HTTP/1.1", "")).collect()
    }

    /// The requests so far; empties the list.
    pub fn take_requests(&self) -> Vec<HttpRequest> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn visit<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    address: SocketAddr,
    log: &Mutex<Vec<HttpRequest>>,
    answer: &(dyn Fn(&HttpRequest) -> Vec<u8> + Send + Sync),
) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(octet) => head.push(octet),
            Err(_) => return,
        }
    }
    let head = String::from_utf8(head).unwrap();
    let mut request = HttpRequest {
        head,
        address,
        body: String::new(),
    };
    let length = request
        .field("content-length")
        .map(|length| length.parse().unwrap());
    let mut body = vec![0; length.unwrap_or(0)];
    if stream.read_exact(&mut body).await.is_err() {
        return;
    }
    request.body = String::from_utf8(body).unwrap();
    log.lock().unwrap().push(request.clone());
    // The client may already have closed.
    let _ = stream.write_all(&answer(&request)).await;
    let _ = stream.shutdown().await;
}

/// Answers one request with a body whose second half waits for a message.
pub fn in_halves(body: &[u8]) -> (SocketAddr, Sender<()>) {
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, second) = mpsc::channel();
    let reply = ok("", body);
    let middle = reply.len() - body.len() / 2;
    std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut stream = std::io::BufReader::new(stream);
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            stream.read_line(&mut line).unwrap();
        }
        let stream = stream.get_mut();
        Write::write_all(stream, &reply[..middle]).unwrap();
        // A test that fails sends no message.
        if second.recv().is_ok() {
            Write::write_all(stream, &reply[middle..]).unwrap();
        }
    });
    (address, sender)
}
