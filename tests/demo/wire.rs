//! A client that sends octets and reads octets, each read by a deadline.

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

    /// One line without its CRLF, which must be there.
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

    /// One line that is text.
    pub(super) async fn text(&mut self) -> String {
        String::from_utf8(self.line().await).expect("UTF-8")
    }

    /// The lines up to a dot by itself, dots undoubled.
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

    /// Everything until the server closes.
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
