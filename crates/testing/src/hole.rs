//! A server of one-line requests, as those of Gopher and nex are, that answers as a test says.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A running server.
pub struct Hole {
    /// The address on which the server listens.
    pub address: SocketAddr,
    visits: Arc<Visits>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Visits {
    requests: Mutex<Vec<String>>,
    open: AtomicUsize,
    most: AtomicUsize,
}

impl Hole {
    /// Starts a server that answers a request, which is a line without its end, by `answer`.
    pub async fn start(
        answer: impl Fn(&str, SocketAddr) -> Vec<u8> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (visits, answer) = (Arc::new(Visits::default()), Arc::new(answer));
        let heard = Arc::clone(&visits);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (visits, answer) = (Arc::clone(&heard), Arc::clone(&answer));
                tokio::spawn(async move {
                    let open = visits.open.fetch_add(1, Ordering::SeqCst) + 1;
                    visits.most.fetch_max(open, Ordering::SeqCst);
                    visit(stream, |line| {
                        visits.requests.lock().unwrap().push(line.to_owned());
                        // The client may connect again once it has the answer.
                        visits.open.fetch_sub(1, Ordering::SeqCst);
                        answer(line, address)
                    })
                    .await;
                });
            }
        });
        Self {
            address,
            visits,
            task,
        }
    }

    /// The requests so far, sorted.
    pub fn requests(&self) -> Vec<String> {
        let mut requests = self.visits.requests.lock().unwrap().clone();
        requests.sort();
        requests
    }

    /// The most connections that waited for an answer at once.
    pub fn most(&self) -> usize {
        self.visits.most.load(Ordering::SeqCst)
    }
}

impl Drop for Hole {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A menu of these rows, whose `@` stands for the host and the port of the server, with its final dot.
pub fn menu(rows: &[&str], address: SocketAddr) -> Vec<u8> {
    let here = format!("{}\t{}", address.ip(), address.port());
    let rows = rows.iter().map(|row| row.replace('@', &here) + "\r\n");
    (rows.collect::<String>() + ".\r\n").into_bytes()
}

async fn visit(mut stream: TcpStream, answer: impl FnOnce(&str) -> Vec<u8>) {
    let mut line = Vec::new();
    while !line.ends_with(b"\r\n") {
        match stream.read_u8().await {
            Ok(octet) => line.push(octet),
            Err(_) => return,
        }
    }
    let line = String::from_utf8(line).unwrap();
    let octets = answer(line.trim_end());
    // The client may already have closed.
    let _ = stream.write_all(&octets).await;
    let _ = stream.shutdown().await;
}
