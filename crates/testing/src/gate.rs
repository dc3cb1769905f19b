//! A gate before a server: while it is closed connections are refused, though the server runs on.

use std::net::{Ipv4Addr, SocketAddr};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

/// A gate with an address of its own, open at first.
pub struct Gate {
    /// The address at which clients connect.
    pub address: SocketAddr,
    server: SocketAddr,
    state: GateState,
}

enum GateState {
    Open(JoinHandle<()>),
    Closed {
        /// Holds the port.
        _socket: TcpSocket,
    },
}

impl Gate {
    /// Opens a gate before a server.
    pub async fn before(server: SocketAddr) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        Self {
            address: listener.local_addr().unwrap(),
            server,
            state: GateState::Open(tokio::spawn(forward(listener, server))),
        }
    }

    /// Ends all connections, and refuses new ones.
    pub async fn close(&mut self) {
        if let GateState::Open(task) = &mut self.state {
            task.abort();
            // It was cancelled.
            let _ = task.await;
            self.state = GateState::Closed {
                _socket: hold_port_closed(self.address).await,
            };
        }
    }

    /// Lets connections pass again.
    pub async fn open(&mut self) {
        if let GateState::Closed { .. } = self.state {
            self.state = GateState::Open(tokio::spawn(std::future::ready(())));
            let listener = TcpListener::bind(self.address).await.unwrap();
            self.state = GateState::Open(tokio::spawn(forward(listener, self.server)));
        }
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        if let GateState::Open(task) = &self.state {
            task.abort();
        }
    }
}

/// Forwards connections until the task ends.
async fn forward(listener: TcpListener, server: SocketAddr) {
    let mut connections = JoinSet::new();
    while let Ok((mut client, _)) = listener.accept().await {
        connections.spawn(async move {
            if let Ok(mut stream) = TcpStream::connect(server).await {
                // Either side may close at any time.
                let _ = copy_bidirectional(&mut client, &mut stream).await;
            }
        });
    }
}

/// Returns a port that refuses connections, and the socket that keeps it from others.
pub fn closed_port() -> (SocketAddr, TcpSocket) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    (socket.local_addr().unwrap(), socket)
}

/// Binds the port without listening: connections are refused, and no other process takes the port.
pub async fn hold_port_closed(closed_port: SocketAddr) -> TcpSocket {
    loop {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_reuseaddr(true).unwrap();
        // A dropped server closes its port a little later.
        if socket.bind(closed_port).is_ok() {
            return socket;
        }
        tokio::task::yield_now().await;
    }
}
