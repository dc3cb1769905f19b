//! WAIS checks: a search for one row, or one octet of a document.

use geomys_wire::net::Net;
use rfc1738::Wais;

use super::status::LinkStatus;
use crate::load::words::trimmed;
use crate::load::{Stop, wais};

/// Checks a `wais:` URL (RFC 1625).
pub(in crate::load) async fn check(net: &Net, url: &Wais<'_>) -> Result<LinkStatus, Stop> {
    let said = wais::exists(net, url).await?;
    let Some(said) = said.first() else {
        return Ok(LinkStatus::Alive);
    };
    let words = trimmed(&said.text);
    let words = match said.meaning() {
        Some(meaning) if words.is_empty() => meaning.to_owned(),
        Some(_) | None => words,
    };
    Ok(match &said.code {
        b"S2" | b"T2" => LinkStatus::Unreachable(words),
        b"SH" => LinkStatus::Refused(words),
        // An error about the search words means that the database exists, and an empty result that the document exists.
        b"S3" | b"S5" | b"SD" | b"SF" | b"SG" => LinkStatus::Alive,
        _ => LinkStatus::Dead(words),
    })
}
