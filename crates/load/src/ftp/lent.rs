//! The connection of a load. To cancel is not to close: if the load is dropped in the middle of a reply, that is read
//! to its end, and the connection is used again.

use std::sync::Arc;

use geomys_wire::net::Net;
use geomys_wire::protocol::ftp::FtpConnection;
use tokio::sync::{Mutex, OwnedMutexGuard};

/// A connection that a job has; it is dropped after the job.
pub(super) struct LentFtp {
    net: Net,
    key: String,
    connection: Option<Arc<Mutex<FtpConnection>>>,
}

/// The connection as its job has it.
pub(super) type JobConnection = OwnedMutexGuard<FtpConnection>;

impl LentFtp {
    /// Lends a connection to a job.
    pub(super) async fn new(
        net: &Net,
        key: &str,
        connection: FtpConnection,
    ) -> (Self, JobConnection) {
        let connection = Arc::new(Mutex::new(connection));
        let job = Arc::clone(&connection).lock_owned().await;
        let lent = Self {
            net: net.clone(),
            key: key.to_owned(),
            connection: Some(connection),
        };
        (lent, job)
    }

    /// Takes the connection back from a job that has ended: from here on it is closed when it is dropped.
    pub(super) fn take(&mut self) -> Option<FtpConnection> {
        let connection = Arc::into_inner(self.connection.take()?)?;
        Some(connection.into_inner())
    }
}

impl Drop for LentFtp {
    fn drop(&mut self) {
        if let Some(connection) = self.take() {
            drop(self.net.lend(&self.key, connection));
        }
    }
}
