//! The end of a transfer: what the server, the connection and the frame of the data tell about it.
//!
//! ```text
//! frame of the data            connection            end
//! whole: its length was        closed, or kept open  confirmed
//!   reached, or its terminator
//!   came
//! none: it ends where the      closed                confirmed, if the connection tells its end:
//!   connection does                                  plain, or TLS with close_notify
//!                                                    unconfirmed over TLS without close_notify
//! any, not whole               reset, silent         cut
//! ```
//!
//! A transfer that was cut is an error, so that it cannot be mistaken for one that may be kept. A size that a server
//! tells beside the data, as SIZE and LIST of FTP do, is an estimate and no frame.

use super::NetError;
use crate::text;

/// The end of a transfer whose data may be kept. One that was cut ends with an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TransferEnd {
    /// The server has said that this is all: by a length, a terminator, `close_notify` or a reply.
    #[default]
    Confirmed,
    /// The server has said twice that this is all, though it had announced another size.
    Differs {
        /// The announced size in octets.
        announced: u64,
        /// The received size in octets.
        received: u64,
    },
    /// A menu or a text of plain Gopher has no final dot. Most servers leave it out of texts, and some of menus, so
    /// that this says nothing by itself.
    Undotted,
    /// TLS was closed in order, but without `close_notify`, and nothing else tells that this is all.
    Unconfirmed,
}

impl TransferEnd {
    /// Returns the end of data whose connection gave `closed` last: `Ok` where it was closed. `is_whole` is true if the
    /// frame of the data was complete before.
    ///
    /// # Errors
    /// The error of a connection that has cut the data.
    pub fn of(closed: Result<(), NetError>, is_whole: bool) -> Result<Self, NetError> {
        match closed {
            Ok(()) => Ok(Self::Confirmed),
            Err(_) if is_whole => Ok(Self::Confirmed),
            Err(NetError::TlsTruncated { .. }) => Ok(Self::Unconfirmed),
            Err(error) => Err(error),
        }
    }

    /// Returns true if something may be missing: what does not stand in the data is no reason for anything.
    pub fn is_unconfirmed(self) -> bool {
        self == Self::Unconfirmed
    }

    /// Returns true if something may be missing of data that came whole before.
    pub fn may_be_cut(self) -> bool {
        matches!(self, Self::Undotted | Self::Unconfirmed)
    }

    /// Returns the end as one word, as scripts read it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Confirmed | Self::Differs { .. } | Self::Undotted => "confirmed",
            Self::Unconfirmed => "unconfirmed",
        }
    }

    /// Returns the note on the data; `None` if there is nothing to say.
    pub fn note(self) -> Option<String> {
        match self {
            Self::Confirmed | Self::Undotted => None,
            Self::Differs {
                announced,
                received,
            } => {
                let (announced, received) = (grouped(announced), grouped(received));
                Some(format!(
                    "the server announced {announced} bytes and sent {received}"
                ))
            }
            Self::Unconfirmed => Some("the server did not confirm the end".to_owned()),
        }
    }

    /// Returns the explanation of the note, as one sentence.
    pub fn details(self) -> Option<&'static str> {
        match self {
            Self::Confirmed | Self::Undotted => None,
            Self::Differs { .. } => {
                Some("it was asked again, sent no more, and reported success: this is all")
            }
            Self::Unconfirmed => {
                Some("TLS ended without close_notify: data may have been cut on the way")
            }
        }
    }

    /// Returns the note with its explanation, for one line.
    pub fn sentence(self) -> Option<String> {
        Some(format!("{} ({})", self.note()?, self.details()?))
    }
}

/// Returns a number of octets with its thousands apart.
fn grouped(octets: u64) -> String {
    text::count(usize::try_from(octets).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn closed(kind: usize) -> Result<(), NetError> {
        let authority = "h.example:1".to_owned();
        match kind {
            0 => Ok(()),
            1 => Err(NetError::TlsTruncated { authority }),
            2 => Err(NetError::io(
                &authority,
                std::io::ErrorKind::ConnectionReset.into(),
            )),
            3 => Err(NetError::timeout(
                &authority,
                "sent nothing",
                std::time::Duration::from_secs(1),
            )),
            _ => Err(NetError::closed(&authority, "in the middle of the reply")),
        }
    }

    proptest! {
        #[test]
        fn end_is_confirmed_by_the_frame_or_the_connection_and_by_nothing_else(
            kind in 0..5_usize,
            is_whole: bool,
        ) {
            let end = TransferEnd::of(closed(kind), is_whole);
            match (kind, is_whole) {
                (_, true) | (0, false) => prop_assert_eq!(end.unwrap(), TransferEnd::Confirmed),
                (1, false) => prop_assert_eq!(end.unwrap(), TransferEnd::Unconfirmed),
                _ => prop_assert!(end.is_err()),
            }
        }

        #[test]
        fn every_end_but_a_plain_one_has_one_note(announced: u64, received: u64) {
            for end in [
                TransferEnd::Confirmed,
                TransferEnd::Differs { announced, received },
                TransferEnd::Unconfirmed,
            ] {
                let is_plain = end == TransferEnd::Confirmed;
                prop_assert_eq!(end.note().is_none(), is_plain);
                prop_assert_eq!(end.details().is_none(), is_plain);
                prop_assert_eq!(end.name() == "unconfirmed", end.is_unconfirmed());
            }
        }
    }
}
