//! A server of FTP that follows a script: it says lines, and hears exactly the lines that it expects.

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
pub(crate) struct Server {
    address: SocketAddr,
    script: JoinHandle<()>,
}

impl Server {
    /// Starts a script, which is given the listener to accept visitors from.
    pub(crate) async fn start<F, Fut>(script: F) -> Self
    where
        F: FnOnce(Door) -> Fut,
        Fut: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
        Self::at(listener.await.expect("a port"), script)
    }

    /// The same at a port that is open already.
    pub(crate) fn at<F, Fut>(listener: TcpListener, script: F) -> Self
    where
        F: FnOnce(Door) -> Fut,
        Fut: Future<Output = ()> + Send + 'static,
    {
        let address = listener.local_addr().expect("an address");
        let script = tokio::spawn(script(Door(listener)));
        Self { address, script }
    }

    /// `ftp://host:port` and `rest`.
    pub(crate) fn url(&self, rest: &str) -> String {
        format!("ftp://{}{rest}", self.address)
    }

    /// The same with a user before the host.
    pub(crate) fn url_of(&self, user: &str, rest: &str) -> String {
        format!("ftp://{user}@{}{rest}", self.address)
    }

    pub(crate) fn place(&self) -> String {
        self.address.to_string()
    }

    /// That the script came to its end, with everything as it expected.
    pub(crate) async fn done(self) {
        soon(self.script).await.expect("the script was followed");
    }
}

/// Where visitors come in.
pub(crate) struct Door(TcpListener);

impl Door {
    pub(crate) async fn visitor(&self) -> Peer {
        let (stream, _) = soon(self.0.accept()).await.expect("a visitor");
        Peer(BufReader::new(Box::new(stream)))
    }

    /// A visitor who speaks TLS from the first octet.
    pub(crate) async fn sealed(&self, acceptor: &TlsAcceptor) -> Peer {
        self.visitor().await.sealed(acceptor).await
    }

    /// A visitor, greeted and logged in without a name, at a server of no extensions whose login directory is `/`.
    pub(crate) async fn guest(&self) -> Peer {
        let mut peer = self.visitor().await;
        peer.say("220 Welcome").await;
        peer.log_in("anonymous", "geomys@").await;
        peer
    }
}

/// A connection, plain or not.
trait Wire: AsyncRead + AsyncWrite + Unpin + Send {}
impl<W: AsyncRead + AsyncWrite + Unpin + Send> Wire for W {}

/// The control connection of a visitor.
pub(crate) struct Peer(BufReader<Box<dyn Wire>>);

impl Peer {
    /// Goes on over TLS.
    pub(crate) async fn sealed(self, acceptor: &TlsAcceptor) -> Self {
        assert!(self.0.buffer().is_empty(), "more was said before TLS");
        let stream = soon(acceptor.accept(self.0.into_inner())).await;
        Self(BufReader::new(Box::new(stream.expect("a handshake"))))
    }

    /// Shakes hands, hears a command, and then says this in the clear.
    pub(crate) async fn sealed_once(self, acceptor: &TlsAcceptor, octets: &[u8]) {
        let stream = soon(acceptor.accept(self.0.into_inner())).await;
        let mut stream = stream.expect("a handshake");
        stream.read_u8().await.expect("a command");
        let (stream, _) = stream.get_mut();
        soon(stream.write_all(octets)).await.expect("sent");
    }

    /// Tries to, and the visitor does not.
    pub(crate) async fn fails_to_seal(self, acceptor: &TlsAcceptor) {
        let Ok(mut stream) = soon(acceptor.accept(self.0.into_inner())).await else {
            return;
        };
        // In TLS 1.3 the server is ready before it hears of it.
        let mut octets = Vec::new();
        assert!(soon(stream.read_to_end(&mut octets)).await.is_err());
    }

    pub(crate) async fn say(&mut self, line: impl AsRef<[u8]>) {
        self.write(&[line.as_ref(), b"\r\n"].concat()).await;
    }

    pub(crate) async fn write(&mut self, octets: &[u8]) {
        soon(self.0.write_all(octets)).await.expect("sent");
    }

    /// The next line is this one.
    pub(crate) async fn hear(&mut self, expected: impl AsRef<[u8]>) {
        let mut line = Vec::new();
        soon(self.0.read_until(b'\n', &mut line))
            .await
            .expect("read");
        let expected = [expected.as_ref(), b"\r\n"].concat();
        assert_eq!(
            line.escape_ascii().to_string(),
            expected.escape_ascii().to_string()
        );
    }

    /// Hears a line and answers it.
    pub(crate) async fn answer(&mut self, expected: impl AsRef<[u8]>, line: impl AsRef<[u8]>) {
        self.hear(expected).await;
        self.say(line).await;
    }

    /// Hears EPRT or PORT, which begins so, and answers it; the port.
    pub(crate) async fn hear_port(&mut self, begin: &str, line: &str) -> u16 {
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

    pub(crate) async fn log_in(&mut self, user: &str, password: &str) {
        self.answer(format!("USER {user}"), "331 Password?").await;
        self.answer(format!("PASS {password}"), "230 In").await;
        self.answer("FEAT", "500 What?").await;
        self.answer("PWD", "257 \"/\" is where you are").await;
    }

    /// Hears EPSV and opens a port for the data.
    pub(crate) async fn extended(&mut self) -> TcpListener {
        let data = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .await
            .expect("a port");
        let port = data.local_addr().expect("an address").port();
        self.answer("EPSV", format!("229 Extended (|||{port}|)"))
            .await;
        data
    }

    /// Hears EPSV and `command`, sends `octets` over a data connection, and closes that. 226 is still to say.
    pub(crate) async fn serve(&mut self, command: impl AsRef<[u8]>, octets: impl AsRef<[u8]>) {
        let data = self.extended().await;
        let (mut data, _) = soon(data.accept()).await.expect("a data connection");
        self.answer(command, "150 Here it comes").await;
        soon(data.write_all(octets.as_ref())).await.expect("sent");
    }

    /// Sends octets over the data connection that comes to `data`, and closes it.
    pub(crate) async fn send(&mut self, data: &TcpListener, octets: &[u8]) {
        let (mut data, _) = soon(data.accept()).await.expect("a data connection");
        soon(data.write_all(octets)).await.expect("sent");
    }

    /// As [`Peer::serve`], over TLS; whether the session of another connection was resumed.
    pub(crate) async fn serve_sealed(
        &mut self,
        command: impl AsRef<[u8]>,
        octets: impl AsRef<[u8]>,
        acceptor: &TlsAcceptor,
    ) -> bool {
        let data = self.extended().await;
        let (data, _) = soon(data.accept()).await.expect("a data connection");
        self.answer(command, "150 Here it comes").await;
        let mut data = soon(acceptor.accept(data)).await.expect("a handshake");
        soon(data.write_all(octets.as_ref())).await.expect("sent");
        soon(data.shutdown()).await.expect("closed");
        data.get_ref().1.handshake_kind() == Some(HandshakeKind::Resumed)
    }

    /// The same, and TLS is not ended.
    pub(crate) async fn serve_cut(
        &mut self,
        command: impl AsRef<[u8]>,
        octets: impl AsRef<[u8]>,
        acceptor: &TlsAcceptor,
    ) {
        let data = self.extended().await;
        let (data, _) = soon(data.accept()).await.expect("a data connection");
        self.answer(command, "150 Here it comes").await;
        let mut data = soon(acceptor.accept(data)).await.expect("a handshake");
        soon(data.write_all(octets.as_ref())).await.expect("sent");
        soon(data.flush()).await.expect("sent");
        let (mut data, _) = data.into_inner();
        soon(data.shutdown()).await.expect("closed");
    }

    /// The visitor closes, and says nothing before.
    pub(crate) async fn is_left(&mut self) {
        let mut rest = Vec::new();
        // A reset is a way to close as well.
        soon(self.0.read_to_end(&mut rest)).await.ok();
        assert_eq!(rest.escape_ascii().to_string(), "");
    }
}
