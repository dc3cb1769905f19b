//! A SOCKS5 proxy that records every requested connection. Every name leads to loopback.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// The answer of the proxy to a CONNECT request.
#[derive(Clone, Copy)]
pub enum Rule {
    /// Connects.
    Open,
    /// Connects clients with this user and password.
    Members(&'static str, &'static str),
    /// Connects, and closes every connection except those to the first port after this many octets from the server.
    Cut(u64),
    /// Refuses with this code (RFC 1928, section 6).
    Refuse(u8),
}

/// A running proxy.
pub struct Proxy {
    /// The address on which the server listens.
    pub address: SocketAddr,
    connections: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Proxy {
    /// Starts a proxy that answers by `rule`.
    pub async fn start(rule: Rule) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&connections);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(visit(stream, rule, Arc::clone(&list)));
            }
        });
        Self {
            address,
            connections,
            task,
        }
    }

    /// The requested targets so far: `name host:port`, or `address ip:port`.
    pub fn connections(&self) -> Vec<String> {
        self.connections.lock().unwrap().clone()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Serves one client; `None` when the client has closed.
async fn visit(
    mut stream: TcpStream,
    rule: Rule,
    connections: Arc<Mutex<Vec<String>>>,
) -> Option<()> {
    assert_eq!(stream.read_u8().await.ok()?, 5);
    let methods = text(&mut stream).await?;
    match rule {
        Rule::Open | Rule::Cut(_) | Rule::Refuse(_) => {
            assert!(methods.contains(&0));
            stream.write_all(&[5, 0]).await.ok()?;
        }
        Rule::Members(..) if !methods.contains(&2) => {
            stream.write_all(&[5, 0xff]).await.ok()?;
            return None;
        }
        Rule::Members(user, password) => {
            stream.write_all(&[5, 2]).await.ok()?;
            assert_eq!(stream.read_u8().await.ok()?, 1);
            let given = (text(&mut stream).await?, text(&mut stream).await?);
            let good = given == (user.as_bytes().to_vec(), password.as_bytes().to_vec());
            stream.write_all(&[1, u8::from(!good)]).await.ok()?;
            if !good {
                return None;
            }
        }
    }
    let mut head = [0; 4];
    stream.read_exact(&mut head).await.ok()?;
    assert_eq!(head[..3], [5, 1, 0], "CONNECT");
    let target = match head[3] {
        1 => {
            let mut octets = [0; 4];
            stream.read_exact(&mut octets).await.ok()?;
            format!("address {}", Ipv4Addr::from(octets))
        }
        3 => {
            let name = text(&mut stream).await?;
            format!("name {}", String::from_utf8(name).unwrap())
        }
        other => panic!("an address of kind {other}"),
    };
    let port = stream.read_u16().await.ok()?;
    let is_first = {
        let mut connections = connections.lock().unwrap();
        connections.push(format!("{target}:{port}"));
        connections
            .first()
            .is_some_and(|first| first.ends_with(&format!(":{port}")))
    };
    let code = match rule {
        Rule::Open | Rule::Cut(_) | Rule::Members(..) => 0,
        Rule::Refuse(code) => code,
    };
    let mut there = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await;
    let code = if there.is_err() && code == 0 { 5 } else { code };
    let reply = [5, code, 0, 1, 0, 0, 0, 0, 0, 0];
    stream.write_all(&reply).await.ok()?;
    match (code, &mut there, rule) {
        (0, Ok(there), Rule::Cut(octets)) if !is_first => {
            copy(&mut there.take(octets), &mut stream).await.ok()?;
        }
        (0, Ok(there), _) => {
            copy_bidirectional(&mut stream, there).await.ok()?;
        }
        (_, _, _) => {}
    }
    Some(())
}

/// Reads a length octet, and that many octets.
async fn text(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let length = stream.read_u8().await.ok()?;
    let mut octets = vec![0; usize::from(length)];
    stream.read_exact(&mut octets).await.ok()?;
    Some(octets)
}
