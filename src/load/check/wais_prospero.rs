//! WAIS and Prospero checks: a search for one row or one octet of a document, a directory or the attributes of an
//! object.

use super::LinkStatus;
use crate::load::{Stop, prospero, wais};
use crate::net::Net;
use crate::text::{Charset, Text};
use crate::url::{Prospero, Wais};

/// Checks a `wais:` URL (RFC 1625).
pub(super) async fn wais(net: &Net, url: &Wais<'_>) -> Result<LinkStatus, Stop> {
    let said = wais::exists(net, url).await?;
    let Some(said) = said.first() else {
        return Ok(LinkStatus::Alive);
    };
    let words = Text::new(&said.text, Charset::default());
    let words = words.as_str().trim();
    let words = match said.meaning() {
        Some(meaning) if words.is_empty() => meaning.to_owned(),
        Some(_) | None => words.to_owned(),
    };
    Ok(match &said.code {
        b"S2" | b"T2" => LinkStatus::Unreachable(words),
        b"SH" => LinkStatus::Refused(words),
        // An error about the search words means that the database exists, and an empty result that the document exists.
        b"S3" | b"S5" | b"SD" | b"SF" | b"SG" => LinkStatus::Alive,
        _ => LinkStatus::Dead(words),
    })
}

/// Checks a `prospero:` URL.
pub(super) async fn prospero(net: &Net, url: &Prospero<'_>) -> Result<LinkStatus, Stop> {
    prospero::exists(net, url).await?;
    Ok(LinkStatus::Alive)
}
