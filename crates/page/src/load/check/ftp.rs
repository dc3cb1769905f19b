//! FTP checks: MLST if the server supports it, else CWD, SIZE and MDTM, without a data connection.

use geomys_wire::net::Net;
use geomys_wire::protocol::ftp::{FtpConnection, FtpError, NameProbe, PathOutcome, Reply, joined};
use rfc1738::{Ftp, FtpType};

use super::status::LinkStatus;
use crate::load::ftp::{FtpTarget, connect};
use crate::load::words::trimmed;
use crate::load::{Request, Stop};

pub(in crate::load) async fn check(
    net: &Net,
    request: &Request,
    url: &Ftp<'_>,
) -> Result<LinkStatus, Stop> {
    // A path that may not be sent is refused before connecting.
    let target = FtpTarget::of(url)?;
    let (mut connection, context) = connect(net, request, url).await?;
    let looked = look(&mut connection, &target, url.kind).await;
    let verdict = looked.map_err(|error| context.stop(error))?;
    context.store(net, connection);
    Ok(verdict)
}

async fn look(
    connection: &mut FtpConnection,
    target: &FtpTarget,
    kind: Option<FtpType>,
) -> Result<LinkStatus, FtpError> {
    if kind == Some(FtpType::Directory) || kind.is_none() && target.name.is_empty() {
        return Ok(match connection.enter_path(&target.path()).await? {
            PathOutcome::Entered { .. } => LinkStatus::Alive,
            PathOutcome::Refused { reply, .. } => reply_status(&reply),
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
        NameProbe::Directory(_) | NameProbe::Other(_) => return Ok(LinkStatus::Alive),
    }
    let Err(said) = connection.size(&name).await? else {
        return Ok(LinkStatus::Alive);
    };
    if connection.modified(&name).await?.is_some() {
        return Ok(LinkStatus::Alive);
    }
    Ok(match (said.is_unknown_command(), stopped) {
        (false, _) => reply_status(&said),
        // The directory does not exist, so neither does the file in it.
        (true, Some(reply)) => reply_status(&reply),
        (true, None) => LinkStatus::Refused(
            "the server reports nothing about a file (no MLST, SIZE or MDTM)".to_owned(),
        ),
    })
}

/// Converts a refusal to a status (RFC 959, section 4.2). 550 means both that a file is missing and that access is
/// denied.
fn reply_status(reply: &Reply) -> LinkStatus {
    let words = trimmed(reply.lines().last().unwrap_or_default());
    let lower = words.to_ascii_lowercase();
    let is_forbidden = ["permission", "denied", "not allowed", "forbidden"]
        .iter()
        .any(|word| lower.contains(word));
    match reply.code() {
        421 | 425 | 426 | 450 | 451 => LinkStatus::Unreachable(words),
        530 | 532 | 534 => LinkStatus::Refused(words),
        _ if is_forbidden || reply.is_unknown_command() => LinkStatus::Refused(words),
        _ => LinkStatus::Dead(words),
    }
}
