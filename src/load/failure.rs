//! What kind of failure a load ends with.

use crate::net::NetError;

/// Whether what failed may do better when it is tried again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailureKind {
    /// It may not: a refusal, an answer that makes no sense.
    #[default]
    Permanent,
    /// The server has answered, and what was asked for is not there.
    Missing,
    /// The connection died, or the server had no time.
    Transient,
    /// What came is not what was asked for: it may not be gone on with, and is fetched anew.
    ResumeMismatch,
    /// Nobody was reached: the address is wrong, or the network is away.
    Unreachable,
}

impl FailureKind {
    /// The kind of what happened between here and a host.
    pub(super) fn of(error: &NetError) -> Self {
        match error {
            NetError::Late { .. }
            | NetError::Closed { .. }
            | NetError::Cut { .. }
            | NetError::Io { .. } => Self::Transient,
            NetError::Unknown { .. }
            | NetError::Refused { .. }
            | NetError::ProxyAway { .. }
            | NetError::ProxyRefused { .. }
            | NetError::Offline { .. } => Self::Unreachable,
            NetError::Onion { .. }
            | NetError::LongLine { .. }
            | NetError::Unsendable { .. }
            | NetError::NotTls { .. }
            | NetError::OldTls { .. }
            | NetError::Tls { .. }
            | NetError::NoDatagrams { .. }
            | NetError::NoProxy { .. } => Self::Permanent,
        }
    }
}
