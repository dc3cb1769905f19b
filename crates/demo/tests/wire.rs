//! A client that sends and reads octets, with a timeout for each read.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

pub(super) const DEADLINE: Duration = Duration::from_secs(20);

pub(super) struct Client(BufReader<TcpStream>);

impl Client {
    pub(super) async fn connect(address: SocketAddr) -> Self {
        let stream = timeout(DEADLINE, TcpStream::connect(address))
            .await
            .expect("in time")
            .expect("connected");
        Self(BufReader::new(stream))
    }

    pub(super) async fn send(&mut self, octets: impl AsRef<[u8]>) {
        timeout(DEADLINE, self.0.write_all(octets.as_ref()))
            .await
            .expect("in time")
            .expect("sent");
    }

    /// Reads one line, checks its CRLF and removes it.
    pub(super) async fn line(&mut self) -> Vec<u8> {
        let mut line = Vec::new();
        timeout(DEADLINE, self.0.read_until(b'\n', &mut line))
            .await
            .expect("in time")
            .expect("read");
        assert!(
            line.ends_with(b"\r\n"),
            "no CRLF at the end of {:?}",
            String::from_utf8_lossy(&line)
        );
        line.truncate(line.len() - 2);
        line
    }

    /// Reads one line as text.
    pub(super) async fn text(&mut self) -> String {
        String::from_utf8(self.line().await).expect("UTF-8")
    }

    /// Reads the lines up to a lone dot, with dots unstuffed.
    pub(super) async fn block(&mut self) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        loop {
            let line = self.line().await;
            match line.strip_prefix(b".") {
                Some(b"") => return lines,
                Some(rest) => lines.push(rest.to_vec()),
                None => lines.push(line),
            }
        }
    }

    /// Reads everything until the server closes.
    pub(super) async fn rest(&mut self) -> Vec<u8> {
        let mut octets = Vec::new();
        timeout(DEADLINE, self.0.read_to_end(&mut octets))
            .await
            .expect("in time")
            .expect("read");
        octets
    }

    /// Reads `count` octets and no more.
    pub(super) async fn octets(&mut self, count: usize) -> Vec<u8> {
        let mut octets = vec![0; count];
        timeout(DEADLINE, self.0.read_exact(&mut octets))
            .await
            .expect("in time")
            .expect("read");
        octets
    }

    /// Sends a command and returns the one line that answers it.
    pub(super) async fn ask(&mut self, command: &str) -> String {
        self.send(format!("{command}\r\n")).await;
        self.text().await
    }
}
