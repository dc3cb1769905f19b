//! The kinds of failure of a load.

use crate::net::NetError;

/// The kind of a failure, which says if a retry makes sense.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailureKind {
    /// A retry will fail too: a refusal, or a malformed answer.
    #[default]
    Permanent,
    /// The server answered that the requested object does not exist.
    Missing,
    /// The connection broke, or the server was busy.
    Transient,
    /// The data that came is not the requested part: the transfer cannot resume, and starts again.
    ResumeMismatch,
    /// No server was reached: the address is wrong, or the network is down.
    Unreachable,
}

impl FailureKind {
    /// Returns the kind of a network error.
    pub(super) fn of(error: &NetError) -> Self {
        match error {
            NetError::Timeout { .. }
            | NetError::Closed { .. }
            | NetError::TlsTruncated { .. }
            | NetError::Io { .. } => Self::Transient,
            NetError::HostNotFound { .. }
            | NetError::Refused { .. }
            | NetError::ProxyUnreachable { .. }
            | NetError::ProxyRefused { .. }
            | NetError::Offline { .. } => Self::Unreachable,
            NetError::Onion { .. }
            | NetError::LongLine { .. }
            | NetError::Unsendable { .. }
            | NetError::NotTls { .. }
            | NetError::OldTls { .. }
            | NetError::Tls { .. }
            | NetError::NoDatagrams { .. }
            | NetError::InvalidProxy { .. } => Self::Permanent,
        }
    }
}
