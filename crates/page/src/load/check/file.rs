//! Local files: the path that a load would open is checked.

use std::io;

use geomys_wire::task::blocking;
use geomys_wire::text::{Text, without_error_numbers};
use rfc1738::File;

use super::status::LinkStatus;
use crate::load::Stop;
use crate::load::file::{inside, path};

pub(in crate::load) async fn check(url: &File<'_>) -> Result<LinkStatus, Stop> {
    let path = path(url)?;
    // A network disk may never answer.
    let probing = blocking(move || match path.metadata() {
        // The path of a message in a mailbox.
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            inside(&path).map(drop).ok_or(error)
        }
        probed => probed.map(drop),
    });
    Ok(match probing.await {
        Ok(()) => LinkStatus::Alive,
        Err(error) => {
            let words = Text::of(&without_error_numbers(&error.to_string())).to_string();
            match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => LinkStatus::Dead(words),
                io::ErrorKind::PermissionDenied => LinkStatus::Refused(words),
                _ => LinkStatus::Unreachable(words),
            }
        }
    })
}
