//! The client certificate for a connection, from the store.

use std::sync::Arc;

use super::identity::{ClientIdentity, IdentityStore};
use super::{Net, NetError};
use crate::task::blocking;

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
