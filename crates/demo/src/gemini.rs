//! A small Gemini server, with a certificate of its own: the observatory of the town.
//!
//! It takes uploads by Titan on its slate, and stores none of them.
//!
//! Its pages are those of `gemini/index.txt`, and one for each status that a client has to know: a question, a question
//! whose answer is a secret, redirections on the server and away from it, a pause, a missing page, and a page for
//! those with a client certificate.

use std::io;
use std::sync::Arc;

use geomys_wire::net::Fingerprint;
use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use rfc1738::decode;
use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{DigitallySignedStruct, DistinguishedName, ServerConfig, SignatureScheme};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

use super::assets::{self, Placeholders, text};
use super::wire::{Line, Lines, send};
use super::world::{PASSWORD, World};

/// The most octets of an upload.
const MAX_UPLOAD_BYTES: usize = 4096;

/// Creates the server's side of TLS, with a new certificate.
pub(super) fn acceptor() -> io::Result<TlsAcceptor> {
    let key = KeyPair::generate().map_err(io::Error::other)?;
    let names = vec!["127.0.0.1".to_owned()];
    let mut parameters = CertificateParams::new(names).map_err(io::Error::other)?;
    parameters.not_before = date_time_ymd(2026, 11, 20);
    parameters.not_after = date_time_ymd(2093, 11, 20);
    let certificate = parameters.self_signed(&key).map_err(io::Error::other)?;
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_client_cert_verifier(Arc::new(AnyClient(Arc::clone(&provider))))
        .with_single_cert(vec![certificate.der().clone()], key)
        .map_err(io::Error::other)?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// A verifier that accepts any certificate of a client, and needs none.
#[derive(Debug)]
struct AnyClient(Arc<CryptoProvider>);

impl ClientCertVerifier for AnyClient {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn verify_client_cert(
        &self,
        _certificate: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let algorithms = &self.0.signature_verification_algorithms;
        algorithms.supported_schemes()
    }
}

pub(super) async fn converse(
    acceptor: TlsAcceptor,
    stream: TcpStream,
    world: Arc<World>,
) -> io::Result<()> {
    let stream = acceptor.accept(stream).await?;
    let certificates = stream.get_ref().1.peer_certificates();
    let client = certificates
        .and_then(|all| all.first())
        .map(|first| Fingerprint::of(first));
    let (reading, mut out) = tokio::io::split(stream);
    let mut lines = Lines::new(reading);
    let response = match lines.next().await? {
        Line::Whole(line) if line.starts_with(b"titan:") => {
            let (path, size) = titan_path(&line, &world);
            match size.filter(|size| *size <= MAX_UPLOAD_BYTES) {
                Some(size) => upload(&path, &lines.octets(size).await?, &world),
                None => header("59 A slate takes 4096 bytes, and wants to know their number"),
            }
        }
        Line::Whole(line) if line.len() <= 1024 => response(&line, &world, client),
        Line::Whole(_) | Line::TooLong | Line::End => header("59 A request is a URL of 1024 bytes"),
    };
    send(&mut out, &response).await?;
    out.shutdown().await?;
    lines.linger().await;
    Ok(())
}

/// The path and the size of an upload.
fn titan_path(line: &[u8], world: &World) -> (String, Option<usize>) {
    let own = format!("titan://{}", world.addresses.gemini);
    let path = std::str::from_utf8(line).unwrap_or_default();
    let path = path.strip_prefix(&own).unwrap_or_default();
    let mut parts = path.split(';');
    let path = parts.next().unwrap_or_default().to_owned();
    let size = parts.find_map(|part| part.strip_prefix("size=")?.parse().ok());
    (path, size)
}

/// The response to an upload, of which nothing is stored.
fn upload(path: &str, data: &[u8], world: &World) -> Vec<u8> {
    let here = world.addresses.gemini;
    match path {
        "/slate" => page(&format!(
            "# The slate\nIt says, until the next wipe:\n> {}\n",
            String::from_utf8_lossy(data)
        )),
        "/log/" => header(&format!("30 gemini://{here}/log/")),
        _ => header("51 No slate hangs there"),
    }
}

fn header(line: &str) -> Vec<u8> {
    format!("{line}\r\n").into_bytes()
}

/// The response to a request.
fn response(line: &[u8], world: &World, client: Option<Fingerprint>) -> Vec<u8> {
    let url = std::str::from_utf8(line).unwrap_or_default();
    let here = world.addresses.gemini.to_string();
    let own = url.strip_prefix("gemini://");
    let Some(rest) = own.and_then(|rest| rest.strip_prefix(&here)) else {
        return header("53 The observatory answers for itself alone");
    };
    let (path, query) = match rest.split_once('?') {
        Some((path, query)) => (path, Some(decode(query).into_owned())),
        None => (rest, None),
    };
    let words = query.map(|query| String::from_utf8_lossy(&query).into_owned());
    match (path, words) {
        ("/ask", None) => header("10 Which star do you ask about?"),
        ("/ask", Some(star)) => page(&format!("# {star}\nMiss Speck has it in her book.\n")),
        ("/whisper", Some(word)) if word == PASSWORD => page("# The door\nThe door opens.\n"),
        ("/whisper", _) => header("11 The password of the door"),
        ("/moved", _) => header("31 /log/"),
        ("/away", _) => header(&format!("30 gopher://{}/", world.addresses.gopher)),
        ("/busy", _) => header("44 2"),
        ("/cellar" | "/cellar/shelf", _) => match client {
            Some(key) => page(&format!(
                "# The cellar\nYour key is {key}\n=> /cellar/shelf The shelf\n"
            )),
            None => header("60 The cellar opens to a key of your own"),
        },
        ("/who", _) => page(match client {
            Some(_) => "You have shown a key.\n",
            None => "You have shown no key.\n",
        }),
        (path, _) => file(path, world).unwrap_or_else(|| header("51 Nothing is here but stars")),
    }
}

fn page(body: &str) -> Vec<u8> {
    [header("20 text/gemini"), body.as_bytes().to_vec()].concat()
}

/// The response with a file.
fn file(path: &str, world: &World) -> Option<Vec<u8>> {
    let path = if path.is_empty() { "/" } else { path };
    let mut rows = assets::table::<3>("gemini/index.txt");
    let [_, file, media] = rows.find(|[own, _, _]| *own == path.as_bytes())?;
    let content = assets::file(text(file));
    let content = match text(file).strip_suffix(".gmi") {
        Some(_) => Placeholders::new(&world.addresses).fill(content),
        None => content.to_vec(),
    };
    Some([header(&format!("20 {}", text(media))), content].concat())
}
