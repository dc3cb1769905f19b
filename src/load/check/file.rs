//! Files of this machine: a look at the name, by the path that a load would open.

use std::io;

use super::Verdict;
use crate::load::file::{inside, path};
use crate::load::{Failure, Stop};
use crate::text::Text;
use crate::url::File;

pub(super) async fn check(url: &File<'_>) -> Result<Verdict, Stop> {
    let path = path(url)?;
    // A disk of the network may never answer.
    let looking = tokio::task::spawn_blocking(move || match path.metadata() {
        // A message of a mailbox, as the loads of files name it.
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            inside(&path).map(drop).ok_or(error)
        }
        looked => looked.map(drop),
    });
    let Ok(looked) = looking.await else {
        return Err(Failure::new("looking at the file broke off").into());
    };
    Ok(match looked {
        Ok(()) => Verdict::Alive,
        Err(error) => {
            let words = Text::of(&error.to_string()).to_string();
            match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Verdict::Gone(words),
                io::ErrorKind::PermissionDenied => Verdict::Refused(words),
                _ => Verdict::NoAnswer(words),
            }
        }
    })
}
