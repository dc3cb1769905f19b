//! Paths as they are shown: a segment that the server refuses may be typed in UTF-8 where the server has its name in an
//! older charset. The names of the directory tell.

use geomys_wire::net::RequestNet;
use geomys_wire::protocol::ftp::{DataReply, FtpConnection, FtpError, PathOutcome};
use geomys_wire::protocol::octets;
use geomys_wire::text::NameCharset;
use rfc1738::{Ftp, FtpType, Url};

use super::command::TargetError;
use super::target::FtpTarget;
use crate::Failure;

/// The most octets of the names of a directory.
pub(super) const MAX_NAMES_BYTES: usize = 8 * 1024 * 1024;

impl FtpTarget {
    /// Returns true if the server may have the path in another charset.
    pub(super) fn may_be_shown(&self) -> bool {
        let is_empty = |directory: &Vec<u8>| directory.is_empty();
        !self.directories.iter().any(is_empty)
            && (self.path().iter()).any(|segment| NameCharset::may_be_shown(segment))
    }

    /// Returns the target with the octets of the server's names, which are shown as those of this one; None if there
    /// are none, or the login directory is not known. The connection is in that directory then.
    ///
    /// # Errors
    /// The refusal of this target if the names cannot be read: the connection is of no more use. The work begins again
    /// where a command is not answered that is not necessary.
    pub(super) async fn as_shown(
        &self,
        net: &RequestNet,
        connection: &mut FtpConnection,
        charset: &NameCharset,
        refusal: &Failure,
    ) -> Result<Option<Self>, TargetError> {
        let found = self.in_names(net, connection, charset).await;
        found.map_err(|error| match error {
            FtpError::Unanswered { .. } => error.into(),
            _ => TargetError::Load(refusal.clone().into()),
        })
    }

    async fn in_names(
        &self,
        net: &RequestNet,
        connection: &mut FtpConnection,
        charset: &NameCharset,
    ) -> Result<Option<Self>, FtpError> {
        if !self.may_be_shown() || !connection.has_login_directory() {
            return Ok(None);
        }
        connection.enter_login_directory().await?;
        let mut path = self.path();
        let last = path.len().saturating_sub(1);
        let mut is_other = false;
        for (at, segment) in path.iter_mut().enumerate() {
            let is_entered = at < last && enters(connection, segment).await?;
            if is_entered || at == last && !NameCharset::may_be_shown(segment) {
                continue;
            }
            let names = all_names(net, connection).await?;
            let names = octets::lines(&names).map(last_segment);
            let Some(found) = charset.find(names, segment).map(<[u8]>::to_vec) else {
                break;
            };
            *segment = found;
            is_other = true;
            if at < last && !enters(connection, segment).await? {
                break;
            }
        }
        connection.enter_login_directory().await?;
        if !is_other {
            return Ok(None);
        }
        let name = if self.name.is_empty() {
            Vec::new()
        } else {
            path.pop().unwrap_or_default()
        };
        let directories = path;
        Ok(Some(Self { directories, name }))
    }

    /// Returns the URL of the target on the server of `url`.
    pub(super) fn url(&self, url: &Url, ftp: &Ftp<'_>) -> Option<Url> {
        let is_directory = self.name.is_empty();
        let kind = ftp.kind.or(is_directory.then_some(FtpType::Directory));
        let path = self.path();
        let (last, above) = path.split_last()?;
        let mut found = url.root()?;
        for segment in above {
            found = found.child(segment, None).ok()?;
        }
        found.child(last, kind).ok()
    }
}

/// Enters a directory; returns false if the server refuses it.
async fn enters(connection: &mut FtpConnection, name: &[u8]) -> Result<bool, FtpError> {
    let outcome = connection.enter_path(&[name.to_vec()]).await?;
    Ok(matches!(outcome, PathOutcome::Entered { .. }))
}

/// Returns what follows the last slash: some servers put the directory before the name.
fn last_segment(name: &[u8]) -> &[u8] {
    name.rsplit(|&octet| octet == b'/').next().unwrap_or(name)
}

/// Returns the answer to NLST for the connection's directory; nothing when the server sends none.
///
/// # Errors
/// Any [`FtpError`]; the names are too many for [`MAX_NAMES_BYTES`].
pub(super) async fn all_names(
    net: &RequestNet,
    connection: &mut FtpConnection,
) -> Result<Vec<u8>, FtpError> {
    let DataReply::Transfer(mut transfer) = connection.names(net, None).await? else {
        return Ok(Vec::new());
    };
    let mut names = Vec::new();
    loop {
        let more = connection.read(net, &mut transfer).await?;
        if more.is_empty() {
            connection.finish(net, transfer, true).await?;
            return Ok(names);
        }
        names.extend(more);
        if names.len() > MAX_NAMES_BYTES {
            return Err(FtpError::TooLong {
                authority: connection.authority().to_owned(),
                limit: MAX_NAMES_BYTES,
            });
        }
    }
}
