//! Loading from WAIS servers (RFC 1738, section 3.9; RFC 1625).
//!
//! A database asks for search words, a search is a list of hits, a document comes in pieces until one is short. A
//! source, which describes another database, is a menu with a link to it.

mod document;

use geomys_wire::net::{PromptAcks, RequestNet, authority};
use geomys_wire::protocol::wais::{
    Diagnostic, Dialogue, DocumentPart, Hit, RelevantDocument, SearchResponse, WaisError,
};
use geomys_wire::text::Text;
use rfc1738::{Parts, Url, Wais, WaisTarget, encoded};

use self::document::TextCleaner;
use super::words::one_line;
use super::words::{text, trimmed};
use super::{
    Failure, FailureKind, PageHead, Phase, Purpose, Question, Reason, Request, Sink, Stop,
    file_name_of,
};
use geomys_page::document::{Kind, Shape, suffix};

/// The most documents of a search: a few screens.
const MAX_HITS: u16 = 250;

/// The most octets of a document, whose length is unknown.
const MAX_DOCUMENT_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// The most octets of a source: a longer one is not a valid source.
const MAX_SOURCE_BYTES: usize = 1024 * 1024;

/// The search word for a check of the database only.
const ANY_WORD: &[u8] = b"wais";

type WaisDialogue = Dialogue<PromptAcks>;

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
    net: &RequestNet,
    request: &Request,
    url: Wais<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    match url.target {
        WaisTarget::Search(words) if !words.is_empty() => {
            search(net, request, &url, &words.octets(), sink).await
        }
        // A database answers only to a search.
        WaisTarget::Database | WaisTarget::Search(_) if request.purpose == Purpose::Check => {
            search(net, request, &url, ANY_WORD, sink).await
        }
        WaisTarget::Database | WaisTarget::Search(_) => Err(Stop::Needs(Question::Search)),
        WaisTarget::Document { wtype, .. } | WaisTarget::Fields { wtype, .. } => {
            document(net, request, &url, &wtype.octets(), sink).await
        }
    }
}

/// Returns the request for the documents of a search that are similar to one of them. `None` if the URLs are no search
/// and no document of it.
pub fn similar_documents(search: &Url, document: &Url) -> Option<Request> {
    let (Parts::Wais(search_parts), Parts::Wais(parts)) =
        (search.base_parts(), document.base_parts())
    else {
        return None;
    };
    let wtype = match parts.target {
        WaisTarget::Document { wtype, .. } | WaisTarget::Fields { wtype, .. } => wtype,
        WaisTarget::Database | WaisTarget::Search(_) => return None,
    };
    let is_search = matches!(search_parts.target, WaisTarget::Search(_));
    let relevant = RelevantDocument {
        wtype: wtype.octets().into_owned(),
        id: parts.target.id()?,
    };
    is_search.then(|| Request {
        relevant: Some(Box::new(relevant)),
        ..Request::show(search.clone(), Reason::Link(search.clone()))
    })
}

/// The kind of a document.
enum DocumentKind {
    /// A page of this shape.
    Page(Shape),
    Source,
    /// A file to save.
    File(Kind),
}

impl DocumentKind {
    /// Returns the kind of a document of this type.
    fn of(wtype: &[u8]) -> Self {
        match wtype.to_ascii_uppercase().as_slice() {
            b"TEXT" | b"TEXT-FTP" | b"CATALOG" | b"WCAT" | b"FIRST-LINE" | b"ONE-LINE"
            | b"PARA" | b"MAIL_DIGEST" | b"" => Self::Page(Shape::Text),
            b"HTML" => Self::Page(Shape::Html),
            b"MAIL" | b"RMAIL" | b"NETNEWS" => Self::Page(Shape::Article),
            b"WSRC" => Self::Source,
            b"GIF" | b"PICT" | b"TIFF" | b"JPEG" | b"XBM" | b"PPM" => Self::File(Kind::Image),
            b"PS" | b"DVI" | b"PDF" | b"RTF" => Self::File(Kind::Document),
            _ => Self::File(Kind::Binary),
        }
    }
}

/// Connects, and initialises the dialogue. Also returns the authority.
async fn begin(
    net: &RequestNet,
    url: &Wais<'_>,
    sink: &Sink,
) -> Result<(WaisDialogue, String), Stop> {
    let (host, port) = (url.address.node(), url.address.port());
    let authority = authority(host, port);
    sink.phase(Phase::Connecting).await?;
    let stream = net.connect(host, port).await?;
    sink.phase(Phase::Negotiating).await?;
    let mut dialogue = WaisDialogue::new(PromptAcks(stream), &authority, net.limits());
    dialogue.begin().await.map_err(stop)?;
    sink.phase(Phase::Waiting).await?;
    Ok((dialogue, authority))
}

async fn search(
    net: &RequestNet,
    request: &Request,
    url: &Wais<'_>,
    words: &[u8],
    sink: &mut Sink,
) -> Result<(), Stop> {
    let database = url.database.octets();
    let (mut dialogue, authority) = begin(net, url, sink).await?;
    let relevant = request.relevant.as_deref();
    let is_check = request.purpose == Purpose::Check;
    let max_hits = if is_check { 1 } else { MAX_HITS };
    let found = dialogue.search(&database, words, relevant, max_hits).await;
    let found = found.map_err(stop)?;
    // An error about the words means that the database exists.
    let is_there = is_check && found.diagnostics.iter().any(is_about_words);
    if found.hits.is_empty() && !found.diagnostics.is_empty() && !is_there {
        let sentence = format!("No match for “{}” at {authority}", text(words));
        return Err(refused(sentence, &found.diagnostics).into());
    }
    let similar: &[u8] = match relevant {
        Some(_) => b", and more like one of them",
        None => b"",
    };
    let title = text(&[words, b" in ", &*database, similar].concat());
    sink.begin(PageHead::new(Shape::Hits).with_title(title))
        .await?;
    sink.octets(rows(&found)).await
}

/// Returns the hits as lines that the document reads.
fn rows(found: &SearchResponse) -> Vec<u8> {
    let mut lines: Vec<u8> = found.hits.iter().flat_map(row).collect();
    for said in &found.diagnostics {
        lines.extend(one_line(&said.text));
        lines.extend_from_slice(b"\r\n");
    }
    if lines.is_empty() {
        lines.extend_from_slice(b"Nothing was found.\r\n");
    }
    lines
}

fn row(hit: &Hit) -> Vec<u8> {
    let number = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
    let numbers = [hit.score.to_string(), number(hit.octets), number(hit.lines)];
    let mut fields: Vec<Vec<u8>> = numbers.map(String::into_bytes).into();
    fields.extend([one_line(&hit.date), one_line(&hit.headline)]);
    if hit.types.is_empty() {
        fields.push(b"TEXT".to_vec());
    }
    let rest = hit.types.iter().chain([&hit.id]);
    fields.extend(rest.map(|part| encoded(part).into_bytes()));
    [&fields.join(&b'\t'), b"\r\n".as_slice()].concat()
}

async fn document(
    net: &RequestNet,
    request: &Request,
    url: &Wais<'_>,
    wtype: &[u8],
    sink: &mut Sink,
) -> Result<(), Stop> {
    let id = url.target.id().unwrap_or_default();
    let showing = request.purpose == Purpose::Show;
    let is_file = matches!(DocumentKind::of(wtype), DocumentKind::File(_));
    // A source is shown when it is complete.
    let (shape, mut source) = match DocumentKind::of(wtype) {
        DocumentKind::File(kind) if showing && kind != Kind::Binary => {
            return Err(save_question(request, kind));
        }
        DocumentKind::Source if showing => (Shape::Text, Some(Vec::new())),
        DocumentKind::Page(shape) if showing => (shape, None),
        DocumentKind::Page(_) | DocumentKind::Source | DocumentKind::File(_) => (Shape::Text, None),
    };
    let database = url.database.octets();
    let (mut dialogue, authority) = begin(net, url, sink).await?;
    let mut clean = TextCleaner::default();
    let mut at = 0;
    loop {
        let piece = dialogue.piece(&database, wtype, &id, at).await;
        let piece = piece.map_err(stop)?;
        if at == 0 {
            if piece.octets.is_empty() && !piece.diagnostics.is_empty() {
                let sentence = format!("{authority} refused the document");
                return Err(refused(sentence, &piece.diagnostics).into());
            }
            if source.is_none() {
                let page_head = PageHead {
                    // The page, and its cache entry, have the URL form of RFC 1738.
                    url: request.url.in_rfc1738_form(),
                    ..PageHead::new(shape)
                };
                if is_file && showing {
                    let question = save_question(request, Kind::Binary);
                    sink.begin_or(page_head, question)?;
                } else {
                    sink.begin(page_head).await?;
                }
            }
        }
        if at > 0 && !piece.diagnostics.iter().all(Diagnostic::is_end) {
            // The octets so far are valid, but not all of them.
            let sentence = format!("{authority} closed the connection after {at} bytes");
            return Err(refused(sentence, &piece.diagnostics).into());
        }
        let is_last = is_last(&piece);
        at += piece.octets.len() as u64;
        if at > MAX_DOCUMENT_BYTES {
            return Err(Stop::Truncated(MAX_DOCUMENT_BYTES));
        }
        match &mut source {
            Some(source) => source.extend(piece.octets),
            None if showing && !is_file => sink.octets(clean.text(&piece.octets)).await?,
            None => sink.octets(piece.octets).await?,
        }
        let is_too_long = source
            .as_ref()
            .is_some_and(|source| source.len() > MAX_SOURCE_BYTES);
        if is_last || is_too_long {
            break;
        }
    }
    match source {
        Some(source) => document::show(source, sink).await,
        None => Ok(()),
    }
}

/// Returns the question for a document that cannot be shown.
fn save_question(request: &Request, kind: Kind) -> Stop {
    Stop::Needs(Question::Save {
        what: suffix::kind_words(kind),
        name: file_name_of(&request.url, &request.name_hints),
        size: None,
    })
}

/// Returns true for the last piece: it is short, or the server says so.
fn is_last(piece: &DocumentPart) -> bool {
    (piece.octets.len() as u64) < geomys_wire::protocol::wais::PIECE
        || piece.diagnostics.iter().any(Diagnostic::is_end)
}

fn is_about_words(said: &Diagnostic) -> bool {
    matches!(&said.code, b"S3" | b"S5" | b"SD" | b"SF" | b"SG")
}

/// Returns the kind of the failure that the first diagnostic is.
fn kind(diagnostics: &[Diagnostic]) -> FailureKind {
    let is_busy = |said: &Diagnostic| matches!(&said.code, b"S2" | b"T2");
    match diagnostics.first() {
        _ if diagnostics.iter().any(is_busy) => FailureKind::Transient,
        Some(said) if is_about_words(said) || said.code == *b"SH" => FailureKind::Permanent,
        Some(_) | None => FailureKind::Missing,
    }
}

fn refused(sentence: String, diagnostics: &[Diagnostic]) -> Failure {
    let words = diagnostics.iter().map(|said| {
        let code = String::from_utf8_lossy(&said.code);
        Text::of(&format!("{code} {}", text(&said.text)))
    });
    let first = diagnostics.first();
    let meaning = first.and_then(Diagnostic::meaning);
    let brief = first.map(|said| trimmed(&said.text)).unwrap_or_default();
    let brief = Some(brief.as_str()).filter(|brief| !brief.is_empty());
    let sentence = match meaning {
        Some(meaning) => format!("{sentence}: {meaning}"),
        None => sentence,
    };
    Failure::new(sentence)
        .with_brief(brief.or(meaning).unwrap_or_default())
        .with_words(words)
        .with_kind(kind(diagnostics))
        .with_advice("try other words, or open the database")
}

fn stop(error: WaisError) -> Stop {
    match error {
        WaisError::Net(error) => error.into(),
        WaisError::Malformed(_) => Failure::new(error.to_string())
            .with_advice("another protocol may use that port")
            .into(),
        WaisError::Rejected(_) | WaisError::TooLong(_) => Failure::new(error.to_string()).into(),
    }
}
