//! FTP checks: MLST if the server supports it, else CWD, SIZE and MDTM, without a data connection.

use geomys_wire::net::{Net, TransferEnd};
use geomys_wire::protocol::ftp::{FtpConnection, FtpError, NameProbe, PathOutcome, Reply, joined};
use rfc1738::{Ftp, FtpType};

use super::error::refused;
use super::{FtpTarget, connect_for};
use crate::load::words::trimmed;
use crate::load::{Failure, FailureKind, Request, Stop};

/// Checks that the target of a URL exists.
pub(in crate::load) async fn check(
    net: &Net,
    request: &Request,
    url: &Ftp<'_>,
) -> Result<TransferEnd, Stop> {
    // A path that may not be sent is refused before connecting.
    let target = FtpTarget::of(url)?;
    let (mut connection, context) = connect_for(net, request, url, None, None).await?;
    let looked = look(&mut connection, &target, url.kind).await;
    let refusal = looked.map_err(|error| context.stop(error))?;
    context.store(net, connection);
    match refusal {
        Some(failure) => Err(failure.into()),
        None => Ok(TransferEnd::Confirmed),
    }
}

/// Looks for a target. Returns the failure if it does not exist, or is refused.
async fn look(
    connection: &mut FtpConnection,
    target: &FtpTarget,
    kind: Option<FtpType>,
) -> Result<Option<Failure>, FtpError> {
    if kind == Some(FtpType::Directory) || kind.is_none() && target.name.is_empty() {
        return Ok(match connection.enter_path(&target.path()).await? {
            PathOutcome::Entered { .. } => None,
            PathOutcome::Refused { reply, .. } => Some(missing(connection, target, &reply)),
        });
    }
    // If the directory cannot be entered, the file may still be available by its whole path.
    let (name, stopped) = match connection.enter_path(&target.directories).await? {
        PathOutcome::Entered { .. } => (target.name.clone(), None),
        PathOutcome::Refused { at, reply } => {
            let path = target.path();
            (joined(path.get(at..).unwrap_or_default()), Some(reply))
        }
    };
    match connection.probe_name(&name).await? {
        NameProbe::Other(reply) if !reply.is_done() => {}
        NameProbe::Directory(_) | NameProbe::Other(_) => return Ok(None),
    }
    let Err(said) = connection.size(&name).await? else {
        return Ok(None);
    };
    if connection.modified(&name).await?.is_some() {
        return Ok(None);
    }
    Ok(Some(match (said.is_unknown_command(), stopped) {
        (false, _) => missing(connection, target, &said),
        // The directory does not exist, so neither does the file in it.
        (true, Some(reply)) => missing(connection, target, &reply),
        (true, None) => {
            Failure::new("the server reports nothing about a file (no MLST, SIZE or MDTM)")
        }
    }))
}

/// Returns the failure for a refused target. 550 means both that a file is missing and that access is denied.
fn missing(connection: &FtpConnection, target: &FtpTarget, reply: &Reply) -> Failure {
    let words = trimmed(reply.lines().last().unwrap_or_default());
    let lower = words.to_ascii_lowercase();
    let is_forbidden = ["permission", "denied", "not allowed", "forbidden"]
        .iter()
        .any(|word| lower.contains(word));
    let failure = refused(connection.authority(), &target.title(), reply).with_brief(&words);
    let is_refusal =
        is_forbidden || reply.is_unknown_command() || matches!(reply.code(), 530 | 532 | 534);
    match failure.kind {
        FailureKind::Permanent if !is_refusal => failure.with_kind(FailureKind::Missing),
        _ => failure,
    }
}
