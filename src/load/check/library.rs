//! WAIS and Prospero: a search for one row or one octet of a document, a directory or what is said of an object.

use super::Verdict;
use crate::load::{Stop, prospero, wais};
use crate::net::Net;
use crate::text::{Charset, Text};
use crate::url::{Prospero, Wais};

/// A `wais:` URL (RFC 1625).
pub(super) async fn wais(net: &Net, url: &Wais<'_>) -> Result<Verdict, Stop> {
    let said = wais::is_there(net, url).await?;
    let Some(said) = said.first() else {
        return Ok(Verdict::Alive);
    };
    let words = Text::new(&said.text, Charset::default());
    let words = words.as_str().trim();
    let words = match said.meaning() {
        Some(meaning) if words.is_empty() => meaning.to_owned(),
        Some(_) | None => words.to_owned(),
    };
    Ok(match &said.code {
        b"S2" | b"T2" => Verdict::NoAnswer(words),
        b"SH" => Verdict::Refused(words),
        // Who finds fault with the words has looked into the database, and who finds nothing there into the document.
        b"S3" | b"S5" | b"SD" | b"SF" | b"SG" => Verdict::Alive,
        _ => Verdict::Gone(words),
    })
}

/// A `prospero:` URL.
pub(super) async fn prospero(net: &Net, url: &Prospero<'_>) -> Result<Verdict, Stop> {
    prospero::is_there(net, url).await?;
    Ok(Verdict::Alive)
}
