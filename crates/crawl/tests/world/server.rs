//! The server of the test world, its log, and a clock that waits for nobody.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use geomys_testing::tls::Identity;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::answer::{Answer, End, Sent, answer};
use super::fault::{Phase, Wire};

static IDENTITY: LazyLock<Identity> = LazyLock::new(|| Identity::self_signed("127.0.0.1"));

/// A request, and what came of it.
#[derive(Clone, Debug)]
pub struct Asked {
    pub path: String,
    pub sent: Sent,
}

/// A running server.
pub struct Server {
    pub wire: Wire,
    pub address: SocketAddr,
    state: Arc<State>,
    tasks: Vec<JoinHandle<()>>,
}

struct State {
    phase: Mutex<Phase>,
    log: Mutex<Vec<Asked>>,
    /// Is told of each request.
    asked: Notify,
    /// Is told of each thing that happens.
    busy: Notify,
}

impl Server {
    /// Starts a server, and the clock.
    pub async fn start(wire: Wire, phase: Phase) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(State {
            phase: Mutex::new(phase),
            log: Mutex::new(Vec::new()),
            asked: Notify::new(),
            busy: Notify::new(),
        });
        let serving = tokio::spawn(serve(listener, wire, Arc::clone(&state)));
        let clock = tokio::spawn(run_clock(Arc::clone(&state)));
        Self {
            wire,
            address,
            state,
            tasks: vec![serving, clock],
        }
    }

    /// Changes the answers.
    pub fn set(&self, phase: &Phase) {
        *self.state.phase.lock().unwrap() = phase.clone();
    }

    pub fn phase(&self) -> Phase {
        self.state.phase.lock().unwrap().clone()
    }

    /// The URL of a path.
    pub fn url(&self, path: &str) -> String {
        let address = self.address;
        match self.wire {
            Wire::Http => format!("http://{address}{path}"),
            Wire::Gemini => format!("gemini://{address}{path}"),
            Wire::Gopher if path == "/" => format!("gopher://{address}/"),
            Wire::Gopher => format!("gopher://{address}/1{path}"),
        }
    }

    /// The requests so far; empties the list.
    pub fn take_log(&self) -> Vec<Asked> {
        std::mem::take(&mut *self.state.log.lock().unwrap())
    }

    /// Waits until so many requests have come.
    pub async fn asked(&self, count: usize) {
        loop {
            let asked = self.state.asked.notified();
            if self.state.log.lock().unwrap().len() >= count {
                return;
            }
            asked.await;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

/// Moves the clock while nothing happens, in steps that grow. The clock of tokio alone moves to the next deadline as
/// soon as all tasks wait, though octets may be on their way through a socket.
async fn run_clock(state: Arc<State>) {
    const FIRST: Duration = Duration::from_millis(1);
    let (mut step, mut idle) = (FIRST, 0);
    loop {
        tokio::select! {
            biased;
            () = state.busy.notified() => (step, idle) = (FIRST, 0),
            () = sleep(step) => {
                std::thread::yield_now();
                idle += 1;
                if idle % 8 == 0 {
                    step = (step * 2).min(Duration::from_secs(1));
                }
            }
        }
    }
}

async fn serve(listener: TcpListener, wire: Wire, state: Arc<State>) {
    let here = listener.local_addr().unwrap();
    let acceptor = (wire == Wire::Gemini).then(|| IDENTITY.acceptor());
    while let Ok((stream, _)) = listener.accept().await {
        state.busy.notify_one();
        let (state, acceptor) = (Arc::clone(&state), acceptor.clone());
        tokio::spawn(async move {
            match acceptor {
                None => visit(stream, (wire, here), &state).await,
                Some(acceptor) => {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        state.busy.notify_one();
                        visit(stream, (wire, here), &state).await;
                    }
                }
            }
        });
    }
}

/// Reads a request: the path, and the version that the client has.
async fn read_request(
    stream: &mut (impl AsyncRead + Unpin),
    wire: Wire,
) -> Option<(String, Option<String>)> {
    let end: &[u8] = match wire {
        Wire::Http => b"\r\n\r\n",
        Wire::Gemini | Wire::Gopher => b"\r\n",
    };
    let mut octets = Vec::new();
    while !octets.ends_with(end) {
        octets.push(stream.read_u8().await.ok()?);
    }
    let text = String::from_utf8(octets).unwrap();
    let line = text.lines().next().unwrap();
    let path = match wire {
        Wire::Http => line.split(' ').nth(1).unwrap().to_owned(),
        Wire::Gopher => line.to_owned(),
        Wire::Gemini => {
            let rest = line.strip_prefix("gemini://").unwrap();
            rest.find('/').map_or("", |at| &rest[at..]).to_owned()
        }
    };
    let known = text.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        let is_tag = name.eq_ignore_ascii_case("if-none-match");
        is_tag.then(|| value.to_owned())
    });
    let path = if path.is_empty() {
        "/".to_owned()
    } else {
        path
    };
    Some((path, known))
}

async fn visit(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    (wire, here): (Wire, SocketAddr),
    state: &State,
) {
    let Some((path, known)) = read_request(&mut stream, wire).await else {
        return;
    };
    let Answer { octets, end, sent } = {
        let phase = state.phase.lock().unwrap();
        answer(wire, &phase, (&path, known.as_deref()), here)
    };
    state.log.lock().unwrap().push(Asked { path, sent });
    state.busy.notify_one();
    state.asked.notify_waiters();
    // The client may leave at any time.
    let _ = stream.write_all(&octets).await;
    let _ = stream.flush().await;
    match end {
        End::Close => {
            let _ = stream.shutdown().await;
        }
        End::Abort => {}
        End::Stall => {
            let _ = stream.read_u8().await;
        }
        End::Drip => {
            while stream.write_all(b"x").await.is_ok() && stream.flush().await.is_ok() {
                sleep(Duration::from_secs(20)).await;
            }
        }
    }
    state.busy.notify_one();
}
