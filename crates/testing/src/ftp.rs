//! An FTP server that follows a script: it sends lines, and requires exactly the expected commands.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use rustls::HandshakeKind;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

const DEADLINE: Duration = Duration::from_secs(10);

async fn soon<T>(what: impl Future<Output = T>) -> T {
    timeout(DEADLINE, what).await.expect("in time")
}

/// A server that is running its script.
pub struct Server {
    address: SocketAddr,
    script: JoinHandle<()>,
}

impl Server {
    /// Starts a script, which gets the listener to accept clients from.
    pub async fn start<F, Fut>(script: F) -> Self
    where
        F: FnOnce(FtpListener) -> Fut,
        Fut: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
        Self::at(listener.await.expect("a port"), script)
    }

    /// Starts a script on an existing listener.
    pub fn at<F, Fut>(listener: TcpListener, script: F) -> Self
    where
        F: FnOnce(FtpListener) -> Fut,
        Fut: Future<Output = ()> + Send + 'static,
    {
        let address = listener.local_addr().expect("an address");
        let script = tokio::spawn(script(FtpListener(listener)));
        Self { address, script }
    }

    /// The URL `ftp://host:port` and `rest`.
    pub fn url(&self, rest: &str) -> String {
        format!("ftp://{}{rest}", self.address)
    }

    /// The URL with a user before the host.
    pub fn url_of(&self, user: &str, rest: &str) -> String {
        format!("ftp://{user}@{}{rest}", self.address)
    }

    /// The host and the port.
    pub fn place(&self) -> String {
        self.address.to_string()
    }

    /// Waits for the end of the script, and fails if it was not followed.
    pub async fn done(self) {
        soon(self.script).await.expect("the script was followed");
    }
}

/// The listening side, which accepts clients.
pub struct FtpListener(TcpListener);

impl FtpListener {
    /// The next connection, greeted by nobody.
    pub async fn accept(&self) -> Peer {
        let (stream, _) = soon(self.0.accept()).await.expect("a client");
        Peer(BufReader::new(Box::new(stream)))
    }

    /// A client with implicit TLS.
    pub async fn accept_tls(&self, acceptor: &TlsAcceptor) -> Peer {
        self.accept().await.accept_tls(acceptor).await
    }

    /// A client, greeted and logged in as anonymous, at a server without extensions whose login directory is `/`.
    pub async fn accept_anonymous(&self) -> Peer {
        let mut peer = self.accept().await;
        peer.say("220 Welcome").await;
        peer.log_in("anonymous", "geomys@").await;
        peer
    }
}

/// A connection, with or without TLS.
trait Wire: AsyncRead + AsyncWrite + Unpin + Send {}
impl<W: AsyncRead + AsyncWrite + Unpin + Send> Wire for W {}

/// The control connection of a client.
pub struct Peer(BufReader<Box<dyn Wire>>);

impl Peer {
    /// Continues over TLS.
    pub async fn accept_tls(self, acceptor: &TlsAcceptor) -> Self {
        assert!(self.0.buffer().is_empty(), "more was said before TLS");
        let stream = soon(acceptor.accept(self.0.into_inner())).await;
        Self(BufReader::new(Box::new(stream.expect("a handshake"))))
    }

    /// Completes the TLS handshake, reads a command, and then replies unencrypted.
    pub async fn reply_plain_after_handshake(self, acceptor: &TlsAcceptor, octets: &[u8]) {
        let stream = soon(acceptor.accept(self.0.into_inner())).await;
        let mut stream = stream.expect("a handshake");
        stream.read_u8().await.expect("a command");
        let (stream, _) = stream.get_mut();
        soon(stream.write_all(octets)).await.expect("sent");
    }

    /// Tries a TLS handshake that the client refuses.
    pub async fn expect_failed_handshake(self, acceptor: &TlsAcceptor) {
        let Ok(mut stream) = soon(acceptor.accept(self.0.into_inner())).await else {
            return;
        };
        // In TLS 1.3 the server completes before the client's refusal arrives.
        let mut octets = Vec::new();
        assert!(soon(stream.read_to_end(&mut octets)).await.is_err());
    }

    /// Sends a line.
    pub async fn say(&mut self, line: impl AsRef<[u8]>) {
        self.write(&[line.as_ref(), b"\r\n"].concat()).await;
    }

    /// Sends octets.
    pub async fn write(&mut self, octets: &[u8]) {
        soon(self.0.write_all(octets)).await.expect("sent");
    }

    /// Expects this line as the next one. A question for the system that is not expected is not understood.
    pub async fn expect_line(&mut self, expected: impl AsRef<[u8]>) {
        let mut line = self.next_line().await;
        if line == b"SYST\r\n" && expected.as_ref() != b"SYST" {
            self.say("500 What?").await;
            line = self.next_line().await;
        }
        let expected = [expected.as_ref(), b"\r\n"].concat();
        assert_eq!(
            line.escape_ascii().to_string(),
            expected.escape_ascii().to_string()
        );
    }

    async fn next_line(&mut self) -> Vec<u8> {
        let mut line = Vec::new();
        soon(self.0.read_until(b'\n', &mut line))
            .await
            .expect("read");
        line
    }

    /// Expects a line and replies to it.
    pub async fn answer(&mut self, expected: impl AsRef<[u8]>, line: impl AsRef<[u8]>) {
        self.expect_line(expected).await;
        self.say(line).await;
    }

    /// Expects EPRT or PORT with this beginning, replies, and returns the port.
    pub async fn expect_port(&mut self, begin: &str, line: &str) -> u16 {
        let mut heard = String::new();
        soon(self.0.read_line(&mut heard)).await.expect("read");
        let numbers = heard.trim_end().strip_prefix(begin).expect(begin);
        self.say(line).await;
        match numbers.trim_end_matches('|').split_once(',') {
            Some((high, low)) => {
                u16::from_be_bytes([high, low].map(|number| number.parse().expect("an octet")))
            }
            None => numbers.trim_end_matches('|').parse().expect("a port"),
        }
    }

    /// Expects a login, and accepts it.
    pub async fn log_in(&mut self, user: &str, password: &str) {
        self.answer(format!("USER {user}"), "331 Password?").await;
        self.answer(format!("PASS {password}"), "230 In").await;
        self.answer("FEAT", "500 What?").await;
        self.answer("PWD", "257 \"/\" is where you are").await;
    }

    /// Expects EPSV and opens a data port.
    pub async fn open_data_port(&mut self) -> TcpListener {
        let data = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .await
            .expect("a port");
        let port = data.local_addr().expect("an address").port();
        self.answer("EPSV", format!("229 Extended (|||{port}|)"))
            .await;
        data
    }

    /// Expects EPSV and `command`, sends `octets` over a data connection, and closes it. 226 is still to be sent.
    pub async fn serve(&mut self, command: impl AsRef<[u8]>, octets: impl AsRef<[u8]>) {
        let data = self.open_data_port().await;
        let (mut data, _) = soon(data.accept()).await.expect("a data connection");
        self.answer(command, "150 Here it comes").await;
        soon(data.write_all(octets.as_ref())).await.expect("sent");
    }

    /// Sends octets over the data connection that comes to `data`, and closes it.
    pub async fn send(&mut self, data: &TcpListener, octets: &[u8]) {
        let (mut data, _) = soon(data.accept()).await.expect("a data connection");
        soon(data.write_all(octets)).await.expect("sent");
    }

    /// Like [`Peer::serve`], and resets the data connection instead of closing it.
    pub async fn serve_and_reset(&mut self, command: impl AsRef<[u8]>, octets: impl AsRef<[u8]>) {
        let data = self.open_data_port().await;
        let (mut data, _) = soon(data.accept()).await.expect("a data connection");
        self.answer(command, "150 Here it comes").await;
        soon(data.write_all(octets.as_ref())).await.expect("sent");
        data.set_zero_linger().expect("set");
    }

    /// Like [`Peer::serve`], over TLS; returns true if the session of another connection was resumed.
    pub async fn serve_tls(
        &mut self,
        command: impl AsRef<[u8]>,
        octets: impl AsRef<[u8]>,
        acceptor: &TlsAcceptor,
    ) -> bool {
        let data = self.open_data_port().await;
        let (data, _) = soon(data.accept()).await.expect("a data connection");
        self.answer(command, "150 Here it comes").await;
        let mut data = soon(acceptor.accept(data)).await.expect("a handshake");
        soon(data.write_all(octets.as_ref())).await.expect("sent");
        soon(data.shutdown()).await.expect("closed");
        data.get_ref().1.handshake_kind() == Some(HandshakeKind::Resumed)
    }

    /// Like [`Peer::serve_tls`], without the `close_notify` of TLS.
    pub async fn serve_tls_truncated(
        &mut self,
        command: impl AsRef<[u8]>,
        octets: impl AsRef<[u8]>,
        acceptor: &TlsAcceptor,
    ) {
        let data = self.open_data_port().await;
        let (data, _) = soon(data.accept()).await.expect("a data connection");
        self.answer(command, "150 Here it comes").await;
        let mut data = soon(acceptor.accept(data)).await.expect("a handshake");
        soon(data.write_all(octets.as_ref())).await.expect("sent");
        soon(data.flush()).await.expect("sent");
        let (mut data, _) = data.into_inner();
        soon(data.shutdown()).await.expect("closed");
    }

    /// Waits until the client closes, whatever it sends before.
    pub async fn wait_for_close(&mut self) {
        let mut sent = Vec::new();
        // A reset counts as closed.
        soon(self.0.read_to_end(&mut sent)).await.ok();
    }

    /// Checks that the client closes without sending a command.
    pub async fn expect_close(&mut self) {
        let mut rest = Vec::new();
        // A reset counts as closed.
        soon(self.0.read_to_end(&mut rest)).await.ok();
        assert_eq!(rest.escape_ascii().to_string(), "");
    }
}
