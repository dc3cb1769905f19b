//! The client certificate for a connection, from the store.

use std::io;
use std::sync::Arc;

use super::identity::{ClientIdentity, IdentityStore};
use super::{Net, NetError};

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
        let found = tokio::task::spawn_blocking(move || match name {
            Some(name) => store.choose(&authority, &path, &name).map(Some),
            None => store.find(&authority, &path),
        });
        let found = found.await.map_err(io::Error::other).flatten();
        found.map_err(|source| NetError::Identity { source })
    }

    /// Returns the names of the stored client certificates.
    ///
    /// # Errors
    /// [`NetError::Identity`].
    pub async fn identity_names(&self) -> Result<Vec<String>, NetError> {
        let Some(store) = self.identities.clone() else {
            return Ok(Vec::new());
        };
        let names = tokio::task::spawn_blocking(move || store.names()).await;
        let names = names.map_err(io::Error::other).flatten();
        names.map_err(|source| NetError::Identity { source })
    }
}
