//! A peer that plays a transcript: it sends its lines, and requires the other's, octet for octet.
//!
//! ```text
//! S: line      sent, with CRLF
//! S| octets    sent, without a line end; \r \n \t \\ and \xHH are octets
//! C: line      received, with CRLF; in any other case the test fails
//! silence      nothing more is sent, and nothing may be received, until the other end closes
//! ```
//!
//! At the end of the transcript the peer closes.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// The timeout of a transcript, long enough for a slow machine.
pub const DEADLINE: Duration = Duration::from_mins(2);

/// A stream in memory to a peer that plays `script`; awaiting the handle checks that all of it was played.
pub fn peer(script: &str) -> (DuplexStream, JoinHandle<()>) {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let script = script.to_owned();
    (
        ours,
        tokio::spawn(async move { play(theirs, &script).await }),
    )
}

/// A peer on loopback that plays one script per connection, in this order, and then stops listening.
pub async fn listen(scripts: &[&str]) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let scripts: Vec<String> = scripts.iter().map(|script| (*script).to_owned()).collect();
    let playing = tokio::spawn(async move {
        for script in scripts {
            let (stream, _) = timeout(DEADLINE, listener.accept())
                .await
                .expect("no client connected")
                .unwrap();
            play(stream, &script).await;
        }
    });
    (address, playing)
}

/// A peer likewise, whose connections may be open at the same time.
pub async fn listen_at_once(scripts: &[&str]) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let scripts: Vec<String> = scripts.iter().map(|script| (*script).to_owned()).collect();
    let playing = tokio::spawn(async move {
        let mut connections = Vec::new();
        for script in scripts {
            let (stream, _) = timeout(DEADLINE, listener.accept())
                .await
                .expect("no client connected")
                .unwrap();
            connections.push(tokio::spawn(async move { play(stream, &script).await }));
        }
        for connection in connections {
            connection.await.expect("the transcript was not followed");
        }
    });
    (address, playing)
}

/// Waits for the peer, and fails if the transcript was not played to its end.
pub async fn assert_played(peer: JoinHandle<()>) {
    timeout(DEADLINE, peer)
        .await
        .expect("the transcript was not played to its end")
        .expect("the transcript was not followed");
}

/// Plays `script` over a stream.
pub async fn play<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S, script: &str) {
    for line in script.lines().filter(|line| !line.trim().is_empty()) {
        let line = line.trim_start();
        if let Some(text) = line.strip_prefix("S:") {
            let text = text.strip_prefix(' ').unwrap_or(text);
            say(&mut stream, format!("{text}\r\n").as_bytes()).await;
        } else if let Some(text) = line.strip_prefix("S| ") {
            say(&mut stream, &unescaped(text)).await;
        } else if let Some(text) = line.strip_prefix("C: ") {
            let expected = format!("{text}\r\n");
            let mut heard = vec![0; expected.len()];
            let read = timeout(DEADLINE, stream.read_exact(&mut heard)).await;
            let heard = String::from_utf8_lossy(&heard).into_owned();
            assert!(
                matches!(read, Ok(Ok(_))),
                "waited for {expected:?}, heard {heard:?}: {read:?}"
            );
            assert_eq!(heard, expected);
        } else if line == "silence" {
            let mut heard = Vec::new();
            // A socket closed with unread octets is reset: this counts as closed.
            let _ = timeout(DEADLINE, stream.read_to_end(&mut heard))
                .await
                .expect("the other end does not close");
            assert_eq!(String::from_utf8_lossy(&heard), "");
        } else {
            panic!("no line of a transcript: {line:?}");
        }
    }
}

async fn say<S: AsyncWrite + Unpin>(stream: &mut S, octets: &[u8]) {
    // The client may already have closed.
    let _ = timeout(DEADLINE, stream.write_all(octets)).await;
    let _ = stream.flush().await;
}

fn unescaped(text: &str) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut rest = text.bytes();
    while let Some(octet) = rest.next() {
        octets.push(match octet {
            b'\\' => match rest.next() {
                Some(b'r') => b'\r',
                Some(b'n') => b'\n',
                Some(b't') => b'\t',
                Some(b'x') => {
                    let digits = [rest.next().unwrap(), rest.next().unwrap()];
                    u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
                }
                other => other.unwrap(),
            },
            octet => octet,
        });
    }
    octets
}
