//! FTP: MLST where the server knows it, else CWD, SIZE and MDTM. No data connection is made.

use super::Verdict;
use crate::load::ftp::{FtpTarget, reach};
use crate::load::{Request, Stop};
use crate::net::Net;
use crate::protocol::ftp::{FtpError, Look, Reply, Session, Walk, joined};
use crate::text::{Charset, Text};
use crate::url::{Ftp, FtpType};

pub(super) async fn check(net: &Net, request: &Request, url: &Ftp<'_>) -> Result<Verdict, Stop> {
    // What may not be sent is refused before anything is dialled.
    let target = FtpTarget::of(url)?;
    let (mut session, way) = reach(net, request, url).await?;
    let looked = look(&mut session, &target, url.kind).await;
    let verdict = looked.map_err(|error| way.stop(error))?;
    way.keep(net, session);
    Ok(verdict)
}

async fn look(
    session: &mut Session,
    target: &FtpTarget,
    kind: Option<FtpType>,
) -> Result<Verdict, FtpError> {
    if kind == Some(FtpType::Directory) || kind.is_none() && target.name.is_empty() {
        return Ok(match session.walk(&target.path()).await? {
            Walk::Arrived { .. } => Verdict::Alive,
            Walk::Stopped { reply, .. } => of_reply(&reply),
        });
    }
    // Where the directory may not be entered, the file may still be had by its whole path.
    let (name, stopped) = match session.walk(&target.directories).await? {
        Walk::Arrived { .. } => (target.name.clone(), None),
        Walk::Stopped { at, reply } => {
            let path = target.path();
            (joined(path.get(at..).unwrap_or_default()), Some(reply))
        }
    };
    let other = match session.look(&name).await? {
        Look::Directory(_) => return Ok(Verdict::Alive),
        Look::Other(reply) => reply,
    };
    if other.is_done() {
        return Ok(Verdict::Alive);
    }
    let Err(said) = session.size(&name).await? else {
        return Ok(Verdict::Alive);
    };
    if session.modified(&name).await?.is_some() {
        return Ok(Verdict::Alive);
    }
    Ok(match (said.is_unknown_command(), stopped) {
        (false, _) => of_reply(&said),
        // The directory is not there, so neither is what was in it.
        (true, Some(reply)) => of_reply(&reply),
        (true, None) => Verdict::Refused(
            "the server tells nothing of a file without sending it (no MLST, SIZE or MDTM)"
                .to_owned(),
        ),
    })
}

/// What a refusal means (RFC 959, section 4.2). 550 is both for what is not there and for what is not for us.
fn of_reply(reply: &Reply) -> Verdict {
    let last = reply.lines().last().unwrap_or_default();
    let words = Text::new(last, Charset::default())
        .as_str()
        .trim()
        .to_owned();
    let small = words.to_ascii_lowercase();
    let is_forbidden = ["permission", "denied", "not allowed", "forbidden"]
        .iter()
        .any(|word| small.contains(word));
    match reply.code() {
        421 | 425 | 426 | 450 | 451 => Verdict::NoAnswer(words),
        530 | 532 | 534 => Verdict::Refused(words),
        _ if is_forbidden || reply.is_unknown_command() => Verdict::Refused(words),
        _ => Verdict::Gone(words),
    }
}
