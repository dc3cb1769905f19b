//! A Gopher server that speaks TLS, with certificates made for the test.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use geomys::net::Fingerprint;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, Issuer, KeyPair,
    date_time_ymd,
};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

const DEADLINE: Duration = Duration::from_secs(20);

/// A certificate and its key.
#[derive(Clone)]
pub(crate) struct Identity {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl Identity {
    /// One that vouches for itself.
    pub(crate) fn self_signed(name: &str) -> Self {
        Self::of(&parameters(name), None)
    }

    /// One that an authority vouches for.
    pub(crate) fn by(authority: &Authority, name: &str) -> Self {
        Self::of(&parameters(name), Some(authority))
    }

    /// The same, but its days are over.
    pub(crate) fn expired(authority: &Authority, name: &str) -> Self {
        let mut parameters = parameters(name);
        parameters.not_before = date_time_ymd(1994, 12, 1);
        parameters.not_after = date_time_ymd(1995, 1, 31);
        Self::of(&parameters, Some(authority))
    }

    fn of(parameters: &CertificateParams, authority: Option<&Authority>) -> Self {
        let key = KeyPair::generate().unwrap();
        let certificate = match authority {
            None => parameters.self_signed(&key).unwrap(),
            Some(authority) => parameters.signed_by(&key, &authority.issuer).unwrap(),
        };
        Self {
            certificate: certificate.der().to_vec(),
            key: key.serialize_der(),
        }
    }

    pub(crate) fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.certificate)
    }

    pub(crate) fn certificate(&self) -> &[u8] {
        &self.certificate
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(self.key.clone()));
        let chain = vec![CertificateDer::from(self.certificate.clone())];
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        TlsAcceptor::from(Arc::new(config))
    }
}

/// Who vouches for others.
pub(crate) struct Authority {
    certificate: Vec<u8>,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    pub(crate) fn new() -> Self {
        Self::named("An authority")
    }

    pub(crate) fn named(called: &str) -> Self {
        let mut parameters = CertificateParams::new(Vec::<String>::new()).unwrap();
        // Else it would be called as those are that it vouches for.
        let mut name = DistinguishedName::new();
        name.push(DnType::CommonName, called);
        parameters.distinguished_name = name;
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let certificate = parameters.self_signed(&key).unwrap().der().to_vec();
        Self {
            certificate,
            issuer: Issuer::new(parameters, key),
        }
    }

    pub(crate) fn certificate(&self) -> Vec<u8> {
        self.certificate.clone()
    }
}

/// Valid for many years, by days that never change.
fn parameters(name: &str) -> CertificateParams {
    let mut parameters = CertificateParams::new(vec![name.to_owned()]).unwrap();
    parameters.not_before = date_time_ymd(2020, 2, 29);
    parameters.not_after = date_time_ymd(2093, 3, 1);
    parameters
}

/// What became of a visitor.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// The request line.
    Request(String),
    /// The handshake ended; nothing was asked.
    Nothing,
}

/// The server.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    shown: Arc<Mutex<TlsAcceptor>>,
    heard: mpsc::UnboundedReceiver<Heard>,
    task: JoinHandle<()>,
}

impl Server {
    pub(crate) async fn start(identity: &Identity) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let shown = Arc::new(Mutex::new(identity.acceptor()));
        let (sender, heard) = mpsc::unbounded_channel();
        let showing = Arc::clone(&shown);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = showing.lock().unwrap().clone();
                let heard = visit(acceptor, stream, address).await;
                if sender.send(heard).is_err() {
                    return;
                }
            }
        });
        Self {
            address,
            shown,
            heard,
            task,
        }
    }

    /// Shows another certificate from now on.
    pub(crate) fn show(&self, identity: &Identity) {
        *self.shown.lock().unwrap() = identity.acceptor();
    }

    /// What the next visitor said.
    pub(crate) async fn heard(&mut self) -> Heard {
        timeout(DEADLINE, self.heard.recv())
            .await
            .expect("nobody came")
            .unwrap()
    }

    /// Its address over TLS, as `gophers://host:port` and `rest`.
    pub(crate) fn url(&self, rest: &str) -> String {
        format!("gophers://{}{rest}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn visit(acceptor: TlsAcceptor, stream: TcpStream, address: SocketAddr) -> Heard {
    let Ok(Ok(mut stream)) = timeout(DEADLINE, acceptor.accept(stream)).await else {
        return Heard::Nothing;
    };
    let mut line = Vec::new();
    while !line.ends_with(b"\r\n") {
        match timeout(DEADLINE, stream.read_u8()).await {
            Ok(Ok(octet)) => line.push(octet),
            Ok(Err(_)) | Err(_) => return Heard::Nothing,
        }
    }
    let request = String::from_utf8(line).unwrap().trim_end().to_owned();
    answer(&mut stream, &request, address).await;
    Heard::Request(request)
}

async fn answer(stream: &mut TlsStream<TcpStream>, request: &str, address: SocketAddr) {
    let (host, port) = (address.ip(), address.port());
    let menu = format!(
        "iA door of steel\t\t\t\r\n\
         0A letter\t/letter\t{host}\t{port}\r\n\
         hA sealed letter\tURL:gophers://{address}/0/letter\t{host}\t{port}\r\n\
         7Ask the guard\t/ask\t{host}\t{port}\r\n.\r\n"
    );
    let (octets, is_ended) = match request {
        "" => (menu, true),
        "/letter" => ("Read in secret.\r\n.\r\n".to_owned(), true),
        "/letter-without-end" => ("Read in secret.\r\n.\r\n".to_owned(), false),
        "/cut" => ("Read in".to_owned(), false),
        "/octets" => ("\u{1}octets\u{2}".to_owned(), true),
        asked => (format!("iYou asked {asked:?}\t\t\t\r\n.\r\n"), true),
    };
    // The other end may have heard enough and closed.
    let _ = stream.write_all(octets.as_bytes()).await;
    let _ = stream.flush().await;
    if is_ended {
        let _ = stream.shutdown().await;
    }
}
