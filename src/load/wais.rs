//! Loading from WAIS servers (RFC 1738, section 3.9; RFC 1625).
//!
//! A database asks for search words, a search is a list of hits, a document comes in pieces until one is short. A
//! source, which describes another database, is a menu with a link to it.

mod cleaner;
mod source;

use self::cleaner::TextCleaner;
use super::{Failure, FailureKind, PageHead, Phase, Purpose, Question, Request, Sink, Stop};
use crate::document::{Kind, Shape, suffix};
use crate::net::{Net, authority};
use crate::protocol::wais::{
    Diagnostic, Dialogue, DocumentPart, Hit, PORT, SearchResponse, WaisError,
};
use crate::text::{Charset, Text, file_name};
use crate::url::{Encoded, Wais, WaisTarget, encoded};

/// The most documents of a search: a few screens.
const MAX_HITS: u16 = 250;

/// The most octets of a document, whose length is unknown.
const MAX_LENGTH: u64 = 4 * 1024 * 1024 * 1024;

/// The most octets of a source: a longer one is not a valid source.
const MAX_SOURCE: usize = 1024 * 1024;

/// The search word for a check of the database only.
const ANY_WORD: &[u8] = b"wais";

type WaisDialogue = Dialogue<tokio::net::TcpStream>;

/// Returns true for a search that has no words yet.
pub(super) fn needs_search_words(url: &Wais<'_>) -> bool {
    match url.target {
        WaisTarget::Database => true,
        WaisTarget::Search(words) => words.is_empty(),
        WaisTarget::Document { .. } | WaisTarget::Fields { .. } => false,
    }
}

/// Loads a `wais:` URL.
pub(super) async fn load(
    net: &Net,
    request: &Request,
    url: Wais<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    match url.target {
        WaisTarget::Database => Err(Stop::Needs(Question::Search)),
        WaisTarget::Search(_) if needs_search_words(&url) => Err(Stop::Needs(Question::Search)),
        WaisTarget::Search(words) => search(net, &url, words, sink).await,
        WaisTarget::Document { wtype, .. } | WaisTarget::Fields { wtype, .. } => {
            let target = DocumentTarget {
                database: url.database.octets().into_owned(),
                wtype: wtype.octets().into_owned(),
                id: url.target.id().unwrap_or_default(),
            };
            document(net, request, &url, &target, sink).await
        }
    }
}

/// Checks that a database, or a document of it, exists: a search requests one row, a document one octet. Returns the
/// server's diagnostics; empty if it exists.
pub(super) async fn exists(net: &Net, url: &Wais<'_>) -> Result<Vec<Diagnostic>, Stop> {
    let (host, port) = (url.address.node(), url.address.port().unwrap_or(PORT));
    let stream = net.connect(host, port).await?;
    let mut dialogue = WaisDialogue::new(stream, &authority(host, port), net.limits());
    dialogue.begin().await.map_err(stop)?;
    let database = url.database.octets();
    let words = match url.target {
        // A database answers only to a search.
        WaisTarget::Database => ANY_WORD.into(),
        WaisTarget::Search(words) if words.is_empty() => ANY_WORD.into(),
        WaisTarget::Search(words) => words.octets(),
        WaisTarget::Document { wtype, .. } | WaisTarget::Fields { wtype, .. } => {
            let (wtype, id) = (wtype.octets(), url.target.id().unwrap_or_default());
            let piece = dialogue.part(&database, &wtype, &id, (0, 1)).await;
            let piece = piece.map_err(stop)?;
            let exists = !piece.octets.is_empty();
            return Ok(if exists {
                Vec::new()
            } else {
                piece.diagnostics
            });
        }
    };
    let found = dialogue.search(&database, &words, 1).await.map_err(stop)?;
    let exists = !found.hits.is_empty();
    Ok(if exists {
        Vec::new()
    } else {
        found.diagnostics
    })
}

/// The target of a document request.
struct DocumentTarget {
    database: Vec<u8>,
    wtype: Vec<u8>,
    id: Vec<u8>,
}

/// The kind of a document.
enum DocumentKind {
    Text,
    Article,
    Source,
    /// A file to save.
    File(Kind),
}

impl DocumentTarget {
    fn kind(&self) -> DocumentKind {
        match self.wtype.to_ascii_uppercase().as_slice() {
            b"TEXT" | b"TEXT-FTP" | b"HTML" | b"CATALOG" | b"WCAT" | b"FIRST-LINE"
            | b"ONE-LINE" | b"PARA" | b"MAIL_DIGEST" | b"" => DocumentKind::Text,
            b"MAIL" | b"RMAIL" | b"NETNEWS" => DocumentKind::Article,
            b"WSRC" => DocumentKind::Source,
            b"GIF" | b"PICT" | b"TIFF" | b"JPEG" | b"XBM" | b"PPM" => {
                DocumentKind::File(Kind::Image)
            }
            b"PS" | b"DVI" | b"PDF" | b"RTF" => DocumentKind::File(Kind::Document),
            _ => DocumentKind::File(Kind::Binary),
        }
    }
}

/// Connects, and initialises the dialogue.
async fn begin(net: &Net, url: &Wais<'_>, sink: &mut Sink) -> Result<(WaisDialogue, String), Stop> {
    let (host, port) = (url.address.node(), url.address.port().unwrap_or(PORT));
    let authority = authority(host, port);
    sink.phase(Phase::Connecting).await?;
    let stream = net.connect(host, port).await?;
    sink.phase(Phase::Negotiating).await?;
    let mut dialogue = WaisDialogue::new(stream, &authority, net.limits());
    dialogue.begin().await.map_err(stop)?;
    sink.phase(Phase::Waiting).await?;
    Ok((dialogue, authority))
}

async fn search(
    net: &Net,
    url: &Wais<'_>,
    words: Encoded<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let (database, words) = (url.database.octets(), words.octets());
    let (mut dialogue, authority) = begin(net, url, sink).await?;
    let found = dialogue
        .search(&database, &words, MAX_HITS)
        .await
        .map_err(stop)?;
    if found.hits.is_empty() && !found.diagnostics.is_empty() {
        let what = Text::new(&words, Charset::default());
        let sentence = format!("{authority} found nothing for “{what}”");
        return Err(refused(sentence, &found.diagnostics).into());
    }
    let title = Text::new(&[&*words, b" in ", &*database].concat(), Charset::default());
    sink.begin(PageHead {
        title: Some(title),
        ..PageHead::new(Shape::Hits)
    })
    .await?;
    sink.octets(rows(&found)).await
}

/// Returns the hits as lines that the document reads.
fn rows(found: &SearchResponse) -> Vec<u8> {
    let mut lines = Vec::new();
    for hit in &found.hits {
        row(hit, &mut lines);
    }
    for said in &found.diagnostics {
        lines.extend_from_slice(&one_line(&said.text));
        lines.extend_from_slice(b"\r\n");
    }
    if lines.is_empty() {
        lines.extend_from_slice(b"Nothing was found.\r\n");
    }
    lines
}

fn row(hit: &Hit, lines: &mut Vec<u8>) {
    let number = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
    let numbers = format!(
        "{}\t{}\t{}\t",
        hit.score,
        number(hit.octets),
        number(hit.lines)
    );
    lines.extend_from_slice(numbers.as_bytes());
    lines.extend_from_slice(&one_line(&hit.date));
    lines.push(b'\t');
    lines.extend_from_slice(&one_line(&hit.headline));
    let text = [b"TEXT".to_vec()];
    let types = if hit.types.is_empty() {
        text.as_slice()
    } else {
        &hit.types
    };
    for wtype in types {
        lines.push(b'\t');
        lines.extend_from_slice(encoded(wtype).as_bytes());
    }
    lines.push(b'\t');
    lines.extend_from_slice(encoded(&hit.id).as_bytes());
    lines.extend_from_slice(b"\r\n");
}

/// Returns octets without those that end a field or a line.
fn one_line(octets: &[u8]) -> Vec<u8> {
    let blank = |&octet: &u8| if octet < b' ' { b' ' } else { octet };
    octets.iter().map(blank).collect()
}

async fn document(
    net: &Net,
    request: &Request,
    url: &Wais<'_>,
    target: &DocumentTarget,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let kind = target.kind();
    let showing = request.purpose == Purpose::Show;
    if let (DocumentKind::File(kind), true) = (&kind, showing) {
        return Err(Stop::Needs(Question::Save {
            what: suffix::kind_words(*kind),
            name: file_name(&name(target), "wais-document"),
            size: None,
        }));
    }
    let (mut dialogue, authority) = begin(net, url, sink).await?;
    let mut clean = TextCleaner::default();
    let mut source = Vec::new();
    let mut at = 0;
    loop {
        let DocumentTarget {
            database,
            wtype,
            id,
        } = target;
        let piece = dialogue
            .piece(database, wtype, id, at)
            .await
            .map_err(stop)?;
        if at == 0 {
            if piece.octets.is_empty() && !piece.diagnostics.is_empty() {
                let sentence = format!("{authority} did not give the document");
                return Err(refused(sentence, &piece.diagnostics).into());
            }
            if let DocumentKind::Source = kind
                && showing
            {
                // It is shown when it is complete.
            } else {
                let shape = match kind {
                    DocumentKind::Article if showing => Shape::Article,
                    _ => Shape::Text,
                };
                sink.begin(PageHead {
                    // The page, and its cache entry, have the URL form of RFC 1738.
                    url: request.url.in_rfc1738_form(),
                    ..PageHead::new(shape)
                })
                .await?;
            }
        }
        let refusal = piece.diagnostics.iter().find(|said| !said.is_end());
        if refusal.is_some() && at > 0 {
            // The octets so far are valid, but not all of them.
            let sentence = format!("{authority} broke off after {at} octets");
            return Err(refused(sentence, &piece.diagnostics).into());
        }
        let is_last = is_last(&piece);
        at += piece.octets.len() as u64;
        if at > MAX_LENGTH {
            return Err(Stop::Truncated(MAX_LENGTH));
        }
        match (&kind, showing) {
            (_, false) => sink.octets(piece.octets).await?,
            (DocumentKind::Source, true) => {
                source.extend(piece.octets);
                if source.len() > MAX_SOURCE {
                    break;
                }
            }
            (DocumentKind::Text | DocumentKind::Article | DocumentKind::File(_), true) => {
                sink.octets(clean.text(&piece.octets)).await?;
            }
        }
        if is_last {
            break;
        }
    }
    if let (DocumentKind::Source, true) = (kind, showing) {
        return self::source::show(&source, sink).await;
    }
    Ok(())
}

/// Returns true for the last piece: it is short, or the server says so.
fn is_last(piece: &DocumentPart) -> bool {
    (piece.octets.len() as u64) < crate::protocol::wais::PIECE
        || piece.diagnostics.iter().any(Diagnostic::is_end)
}

/// Returns a file name for a document: the last word of its id.
fn name(target: &DocumentTarget) -> Vec<u8> {
    let parts = |octet: &u8| !matches!(octet, b'!'..=b'~') || *octet == b'/';
    let last = target.id.split(parts).rfind(|word| !word.is_empty());
    last.unwrap_or_default().to_vec()
}

fn refused(sentence: String, diagnostics: &[Diagnostic]) -> Failure {
    let meaning = diagnostics.first().and_then(Diagnostic::meaning);
    Failure {
        said: diagnostics
            .iter()
            .map(|said| {
                let code = String::from_utf8_lossy(&said.code).into_owned();
                let text = Text::new(&said.text, Charset::default());
                Text::of(&format!("{code} {text}"))
            })
            .collect(),
        kind: if diagnostics
            .iter()
            .any(|said| matches!(&said.code, b"S2" | b"T2"))
        {
            FailureKind::Transient
        } else {
            FailureKind::Permanent
        },
        advice: Some("search again with other words, or look whether the database is still there"),
        ..Failure::new(match meaning {
            Some(meaning) => format!("{sentence}: {meaning}"),
            None => sentence,
        })
    }
}

fn stop(error: WaisError) -> Stop {
    match error {
        WaisError::Net(error) => error.into(),
        WaisError::Malformed(_) => Stop::Failed(Failure {
            advice: Some("another protocol may live on that port"),
            ..Failure::new(error.to_string())
        }),
        WaisError::Rejected(_) | WaisError::TooLong(_) => Failure::new(error.to_string()).into(),
    }
}
