//! The root certificates of the system, and additional ones.

use std::sync::Arc;

use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use tokio::sync::OnceCell;

use crate::task::blocking;

/// The root certificates that verify server certificates.
#[derive(Clone, Default)]
pub(in crate::net) struct RootCertificates {
    /// Additional root certificates.
    own: Vec<CertificateDer<'static>>,
    /// The verifier with all root certificates; holds `None` if the system has none.
    verifier: Arc<OnceCell<Option<Arc<dyn ServerCertVerifier>>>>,
}

impl RootCertificates {
    pub(in crate::net) fn add(&mut self, certificate: Vec<u8>) {
        self.own.push(CertificateDer::from(certificate));
    }

    /// The verifier with these root certificates; `None` if there are none.
    pub(super) async fn verifier(
        &self,
        provider: &Arc<CryptoProvider>,
    ) -> Option<Arc<dyn ServerCertVerifier>> {
        let verifier = self.verifier.get_or_init(|| async {
            let (own, provider) = (self.own.clone(), Arc::clone(provider));
            // Hundreds of certificates are read from the disk.
            let reading = blocking(move || {
                let new = rustls_platform_verifier::Verifier::new_with_extra_roots;
                new(own, provider).ok()
            });
            let verifier = reading.await?;
            Some(Arc::new(verifier) as Arc<dyn ServerCertVerifier>)
        });
        verifier.await.clone()
    }
}
