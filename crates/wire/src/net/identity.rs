//! Client certificates: shown to a server that asks who somebody is, where the user has chosen so.

use std::sync::Arc;
use std::{fmt, io};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::certificate::Fingerprint;
use super::{Net, NetError};
use crate::task::blocking;

/// A client certificate with its key, which no `Debug`, title or log shows.
pub struct ClientIdentity {
    name: String,
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

impl ClientIdentity {
    /// Reads a certificate and its key in PEM, in any order; `None` if one of them is missing or malformed.
    pub fn from_pem(pem: &[u8]) -> Option<Self> {
        let chain: Vec<_> = CertificateDer::pem_slice_iter(pem)
            .collect::<Result<_, _>>()
            .ok()?;
        let key = PrivateKeyDer::from_pem_slice(pem).ok()?;
        let name = String::new();
        (!chain.is_empty()).then_some(Self { name, chain, key })
    }

    /// Returns true if the key is of a kind that a handshake can use: RSA, P-256, P-384 and Ed25519 are.
    pub fn has_usable_key(&self) -> bool {
        rustls::crypto::ring::sign::any_supported_type(&self.key).is_ok()
    }

    /// Sets the name under which it is stored.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        let name = name.to_owned();
        Self { name, ..self }
    }

    /// The name under which it is stored.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The fingerprint of the certificate.
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        self.chain.first().map(|first| Fingerprint::of(first))
    }

    /// The certificates and the key for a handshake.
    pub(super) fn parts(&self) -> (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>) {
        (self.chain.clone(), self.key.clone_key())
    }
}

impl fmt::Debug for ClientIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ClientIdentity({:?})", self.fingerprint())
    }
}

/// A persistent store of client certificates, and of the URLs that each is chosen for. Its methods may block.
pub trait IdentityStore: Send + Sync {
    /// The certificate that is chosen for a path of `authority` (`host:port` in lower case) or a path above it.
    ///
    /// # Errors
    /// Errors of reading the store.
    fn find(&self, authority: &str, path: &str) -> io::Result<Option<ClientIdentity>>;

    /// Chooses the certificate with this name for a path and the paths below it. It is made if there is none.
    ///
    /// # Errors
    /// A name that cannot be one, errors of the store.
    fn choose(&self, authority: &str, path: &str, name: &str) -> io::Result<ClientIdentity>;

    /// The names of all certificates, in order.
    ///
    /// # Errors
    /// Errors of reading the store.
    fn names(&self) -> io::Result<Vec<String>>;
}

impl Net {
    /// Sets the store of client certificates.
    #[must_use]
    pub fn with_identity_store(mut self, store: Arc<dyn IdentityStore>) -> Self {
        self.identities = Some(store);
        self
    }

    /// The client certificate for a path of `authority`; with a name, the certificate of this name is chosen for it
    /// first.
    ///
    /// # Errors
    /// [`NetError::Identity`].
    pub async fn identity(
        &self,
        authority: &str,
        path: &str,
        name: Option<&str>,
    ) -> Result<Option<ClientIdentity>, NetError> {
        let Some(store) = self.identities.clone() else {
            return Ok(None);
        };
        let (authority, path) = (authority.to_ascii_lowercase(), path.to_owned());
        let name = name.map(str::to_owned);
        let found = blocking(move || match name {
            Some(name) => store.choose(&authority, &path, &name).map(Some),
            None => store.find(&authority, &path),
        });
        found.await.map_err(|source| NetError::Identity { source })
    }

    /// Returns the names of the stored client certificates.
    ///
    /// # Errors
    /// [`NetError::Identity`].
    pub async fn identity_names(&self) -> Result<Vec<String>, NetError> {
        let Some(store) = self.identities.clone() else {
            return Ok(Vec::new());
        };
        let names = blocking(move || store.names()).await;
        names.map_err(|source| NetError::Identity { source })
    }
}
