//! A Gopher server that speaks TLS, with certificates made for the test.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use geomys_wire::net::Fingerprint;
use rcgen::{
    BasicConstraints, CertificateParams, CustomExtension, DistinguishedName, DnType,
    ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, date_time_ymd,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{ServerConfig, SupportedProtocolVersion};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

static TLS12: &[&SupportedProtocolVersion] = &[&rustls::version::TLS12];

const DEADLINE: Duration = Duration::from_secs(20);

/// A certificate and its key.
#[derive(Clone)]
pub struct Identity {
    certificate: Vec<u8>,
    key: Vec<u8>,
    versions: &'static [&'static SupportedProtocolVersion],
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

    /// A certificate that claims to be valid up to the end of January 1995.
    pub fn self_signed_and_expired(name: &str) -> Self {
        let mut parameters = parameters(name);
        parameters.not_before = date_time_ymd(1994, 12, 1);
        parameters.not_after = date_time_ymd(1995, 1, 31);
        Self::of(&parameters, None)
    }

    /// A self-signed certificate of version 1, which has no extensions. Its signature is that of another one: only
    /// those of authorities are checked.
    pub fn version_one(name: &str) -> Self {
        Self::self_signed(name).edited(|fields| {
            fields.pop();
            fields.remove(0);
        })
    }

    /// A self-signed certificate with a critical extension that nobody knows.
    pub fn with_critical_extension(name: &str) -> Self {
        let mut parameters = parameters(name);
        let mut extension = CustomExtension::from_oid_content(&[1, 3, 6, 1, 4, 1, 99], vec![5, 0]);
        extension.set_criticality(true);
        parameters.custom_extensions.push(extension);
        Self::of(&parameters, None)
    }

    /// A self-signed certificate whose subjectAltName is this content, in DER or not.
    pub fn with_names(content: &[u8]) -> Self {
        let mut parameters = parameters("h.example");
        parameters.subject_alt_names.clear();
        let names = CustomExtension::from_oid_content(&[2, 5, 29, 17], content.to_vec());
        parameters.custom_extensions.push(names);
        Self::of(&parameters, None)
    }

    /// Certificates that are good keys, though their version, their extensions or their names are faulty.
    pub fn faulty(name: &str) -> Vec<Self> {
        vec![
            Self::version_one(name),
            Self::version_one(name).over_tls12(),
            Self::with_critical_extension(name),
            Self::with_critical_extension(name).over_tls12(),
            // A name that is none, an address of three octets, and no DER at all.
            Self::with_names(&element(0x30, &element(0x82, b"my host!"))),
            Self::with_names(&element(0x30, &element(0x87, &[127, 0, 1]))),
            Self::with_names(b"names"),
        ]
    }

    /// A self-signed certificate for a key of another kind, as a subjectPublicKeyInfo in DER. Its server signs with
    /// another key.
    pub fn with_key(name: &str, info: &[u8]) -> Self {
        Self::self_signed(name).edited(|fields| {
            if let Some(key) = fields.get_mut(6) {
                *key = info.to_vec();
            }
        })
    }

    /// The certificate of another one with the key of this one.
    #[must_use]
    pub fn showing(mut self, other: &Self) -> Self {
        self.certificate.clone_from(&other.certificate);
        self
    }

    /// The same, for a server that speaks only TLS 1.2.
    #[must_use]
    pub fn over_tls12(mut self) -> Self {
        self.versions = TLS12;
        self
    }

    /// Changes the fields of the certificate: version, serial number, algorithm, issuer, times, subject, key,
    /// extensions.
    fn edited(mut self, edit: impl FnOnce(&mut Vec<Vec<u8>>)) -> Self {
        let mut parts = elements(content(&self.certificate));
        let mut fields = elements(content(&parts[0]));
        edit(&mut fields);
        parts[0] = element(0x30, &fields.concat());
        self.certificate = element(0x30, &parts.concat());
        self
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
            versions: rustls::ALL_VERSIONS,
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

    /// Returns an acceptor of TLS with this certificate.
    pub fn acceptor(&self) -> TlsAcceptor {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(self.key.clone()));
        let chain = vec![CertificateDer::from(self.certificate.clone())];
        let key = provider.key_provider.load_private_key(key).unwrap();
        // Unlike the usual way, this does not read the certificate.
        let shown = SingleCertAndKey::from(CertifiedKey::new(chain, key));
        let config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(self.versions)
            .unwrap()
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(shown));
        TlsAcceptor::from(Arc::new(config))
    }
}

/// A DER element with this tag and content.
pub fn element(tag: u8, content: &[u8]) -> Vec<u8> {
    let head = match u16::try_from(content.len()).unwrap().to_be_bytes() {
        [0, low @ 0..0x80] => vec![tag, low],
        [0, low] => vec![tag, 0x81, low],
        [high, low] => vec![tag, 0x82, high, low],
    };
    [&head, content].concat()
}

/// The header's length and the content's length of the DER element at the beginning.
fn lengths(octets: &[u8]) -> (usize, usize) {
    match octets[1] {
        0x81 => (3, octets[2].into()),
        0x82 => (4, usize::from(octets[2]) << 8 | usize::from(octets[3])),
        length => (2, length.into()),
    }
}

/// The content of a DER element.
fn content(element: &[u8]) -> &[u8] {
    let (head, length) = lengths(element);
    &element[head..head + length]
}

/// The DER elements one after the other.
fn elements(mut octets: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    while !octets.is_empty() {
        let (head, length) = lengths(octets);
        let (element, rest) = octets.split_at(head + length);
        found.push(element.to_vec());
        octets = rest;
    }
    found
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
    /// The address on which the server listens.
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
