//! A Gopher server that speaks TLS, with certificates made for the test.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use geomys_wire::net::Fingerprint;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, date_time_ymd,
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
pub struct Identity {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl Identity {
    /// A self-signed certificate.
    pub fn self_signed(name: &str) -> Self {
        Self::of(&parameters(name), None)
    }

    /// A certificate issued by an authority.
    pub fn by(authority: &Authority, name: &str) -> Self {
        Self::of(&parameters(name), Some(authority))
    }

    /// An expired certificate issued by an authority.
    pub fn expired(authority: &Authority, name: &str) -> Self {
        let mut parameters = parameters(name);
        parameters.not_before = date_time_ymd(1994, 12, 1);
        parameters.not_after = date_time_ymd(1995, 1, 31);
        Self::of(&parameters, Some(authority))
    }

    /// A certificate for clients, not for servers, issued by an authority.
    pub fn for_clients(authority: &Authority, name: &str) -> Self {
        let mut parameters = parameters(name);
        parameters.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
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

    /// The fingerprint by which users pin the certificate.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.certificate)
    }

    /// The certificate in DER.
    pub fn certificate(&self) -> &[u8] {
        &self.certificate
    }

    /// What accepts TLS with this certificate.
    pub fn acceptor(&self) -> TlsAcceptor {
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

/// A certificate authority.
pub struct Authority {
    certificate: Vec<u8>,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    /// An authority under a name of its own.
    pub fn new() -> Self {
        Self::named("An authority")
    }

    /// An authority under this name.
    pub fn named(called: &str) -> Self {
        let mut parameters = CertificateParams::new(Vec::<String>::new()).unwrap();
        // Otherwise it would have the name of the certificates that it issues.
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

    /// The certificate in DER.
    pub fn certificate(&self) -> Vec<u8> {
        self.certificate.clone()
    }
}

/// Certificate parameters with fixed dates, valid for many years.
fn parameters(name: &str) -> CertificateParams {
    let mut parameters = CertificateParams::new(vec![name.to_owned()]).unwrap();
    parameters.not_before = date_time_ymd(2020, 2, 29);
    parameters.not_after = date_time_ymd(2093, 3, 1);
    parameters
}

/// The outcome of one connection.
#[derive(Debug, PartialEq, Eq)]
pub enum ConnectionOutcome {
    /// The request line.
    Request(String),
    /// The connection ended without a request.
    NoRequest,
}

/// A running server.
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    shown: Arc<Mutex<TlsAcceptor>>,
    outcomes: mpsc::UnboundedReceiver<ConnectionOutcome>,
    task: JoinHandle<()>,
}

impl Server {
    /// Starts a server with this certificate.
    pub async fn start(identity: &Identity) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let shown = Arc::new(Mutex::new(identity.acceptor()));
        let (sender, outcomes) = mpsc::unbounded_channel();
        let showing = Arc::clone(&shown);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = showing.lock().unwrap().clone();
                let outcomes = visit(acceptor, stream, address).await;
                if sender.send(outcomes).is_err() {
                    return;
                }
            }
        });
        Self {
            address,
            shown,
            outcomes,
            task,
        }
    }

    /// Replaces the server's certificate.
    pub fn show(&self, identity: &Identity) {
        *self.shown.lock().unwrap() = identity.acceptor();
    }

    /// The outcome of the next connection.
    pub async fn next_outcome(&mut self) -> ConnectionOutcome {
        timeout(DEADLINE, self.outcomes.recv())
            .await
            .expect("no client connected")
            .unwrap()
    }

    /// The URL `gophers://host:port` and `rest`.
    pub fn url(&self, rest: &str) -> String {
        format!("gophers://{}{rest}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn visit(acceptor: TlsAcceptor, stream: TcpStream, address: SocketAddr) -> ConnectionOutcome {
    let Ok(Ok(mut stream)) = timeout(DEADLINE, acceptor.accept(stream)).await else {
        return ConnectionOutcome::NoRequest;
    };
    let mut line = Vec::new();
    while !line.ends_with(b"\r\n") {
        match timeout(DEADLINE, stream.read_u8()).await {
            Ok(Ok(octet)) => line.push(octet),
            Ok(Err(_)) | Err(_) => return ConnectionOutcome::NoRequest,
        }
    }
    let request = String::from_utf8(line).unwrap().trim_end().to_owned();
    answer(&mut stream, &request, address).await;
    ConnectionOutcome::Request(request)
}

async fn answer(stream: &mut TlsStream<TcpStream>, request: &str, address: SocketAddr) {
    let (host, port) = (address.ip(), address.port());
    let menu = format!(
        "iA door of steel\t\t\t\r\n\
         0A letter\t/letter\t{host}\t{port}\r\n\
         hA sealed letter\tURL:gophers://{address}/0/letter\t{host}\t{port}\r\n\
         7Ask the guard\t/ask\t{host}\t{port}\r\n.\r\n"
    );
    let plain_port =
        format!("0A letter\t/letter\t{host}\t70\r\n0Another\t/another\t{host}\t70\r\n.\r\n");
    let (octets, is_ended) = match request {
        "" => (menu, true),
        "/plain-port" => (plain_port, true),
        "caps.txt" => (format!("CAPS\nServerTLSPort={port}\n"), true),
        "/letter" => ("Read in secret.\r\n.\r\n".to_owned(), true),
        "/letter-without-end" => ("Read in secret.\r\n.\r\n".to_owned(), false),
        "/cut" => ("Read in".to_owned(), false),
        "/octets" => ("\u{1}octets\u{2}".to_owned(), true),
        selector => (format!("iYou asked {selector:?}\t\t\t\r\n.\r\n"), true),
    };
    // The client may already have closed.
    let _ = stream.write_all(octets.as_bytes()).await;
    let _ = stream.flush().await;
    if is_ended {
        let _ = stream.shutdown().await;
    }
}
