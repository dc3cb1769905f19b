//! A small server of the Web, whose answers are octets.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::tls::Identity;

/// What was asked: the head of a request.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) head: String,
    pub(crate) address: SocketAddr,
}

impl Asked {
    /// What stands behind the method.
    pub(crate) fn path(&self) -> &str {
        let first = self.head.lines().next().unwrap();
        first.split(' ').nth(1).unwrap()
    }

    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }
}

pub(crate) struct Web {
    pub(crate) address: SocketAddr,
    heard: Arc<Mutex<Vec<Asked>>>,
    task: JoinHandle<()>,
}

impl Web {
    /// Answers every request with what `answer` makes of it, and closes.
    pub(crate) async fn start<A: AsRef<[u8]>>(
        answer: impl Fn(&Asked) -> A + Send + Sync + 'static,
    ) -> Self {
        Self::listen(None, answer).await
    }

    /// The same over TLS.
    pub(crate) async fn sealed<A: AsRef<[u8]>>(
        identity: &Identity,
        answer: impl Fn(&Asked) -> A + Send + Sync + 'static,
    ) -> Self {
        Self::listen(Some(identity.acceptor()), answer).await
    }

    async fn listen<A: AsRef<[u8]>>(
        acceptor: Option<tokio_rustls::TlsAcceptor>,
        answer: impl Fn(&Asked) -> A + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&heard);
        let answer = Arc::new(move |asked: &Asked| answer(asked).as_ref().to_vec());
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (told, answer) = (Arc::clone(&told), Arc::clone(&answer));
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    let (told, answer) = (&*told, &*answer);
                    match acceptor {
                        None => visit(stream, address, told, answer).await,
                        // Who does not trust it goes away.
                        Some(acceptor) => {
                            if let Ok(stream) = acceptor.accept(stream).await {
                                visit(stream, address, told, answer).await;
                            }
                        }
                    }
                });
            }
        });
        Self {
            address,
            heard,
            task,
        }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// What was asked so far.
    pub(crate) fn heard(&self) -> Vec<Asked> {
        std::mem::take(&mut *self.heard.lock().unwrap())
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
    told: &Mutex<Vec<Asked>>,
    answer: &(dyn Fn(&Asked) -> Vec<u8> + Send + Sync),
) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(octet) => head.push(octet),
            Err(_) => return,
        }
    }
    let head = String::from_utf8(head).unwrap();
    let asked = Asked { head, address };
    told.lock().unwrap().push(asked.clone());
    // The other end may have heard enough and closed.
    let _ = stream.write_all(&answer(&asked)).await;
    let _ = stream.shutdown().await;
}
