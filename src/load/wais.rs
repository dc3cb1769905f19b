//! Loading from WAIS servers (RFC 1738, section 3.9; RFC 1625).
//!
//! A database asks for words, a search is the rows of what it found, a document comes in pieces until one is short. A source,
//! which describes another database, is a menu that leads there.

mod clean;
mod source;

use self::clean::Clean;
use super::{Begin, Failure, FailureKind, Phase, Purpose, Question, Request, Sink, Stop};
use crate::document::{Kind, Shape, suffix};
use crate::net::{Net, place};
use crate::protocol::wais::{Diagnostic, Dialogue, Found, Hit, PORT, Piece, WaisError};
use crate::text::{Charset, Text, file_name};
use crate::url::{Encoded, Wais, WaisTarget, encoded};

/// Documents that a search asks for at most: what fits on a few screens.
const MOST: u16 = 250;

/// Octets of a document at the most, where nobody says how long it is.
const LONGEST: u64 = 4 * 1024 * 1024 * 1024;

/// Octets of a source that are read: a longer one is none.
const SOURCE: usize = 1024 * 1024;

/// What is searched for where only the database is asked about.
const ANY_WORD: &[u8] = b"wais";

type Talk = Dialogue<tokio::net::TcpStream>;

/// Whether a URL is a search that has no words yet.
pub(super) fn wants_words(url: &Wais<'_>) -> bool {
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
        WaisTarget::Search(_) if wants_words(&url) => Err(Stop::Needs(Question::Search)),
        WaisTarget::Search(words) => search(net, &url, words, sink).await,
        WaisTarget::Document { wtype, .. } | WaisTarget::Fields { wtype, .. } => {
            let wanted = Wanted {
                database: url.database.octets().into_owned(),
                wtype: wtype.octets().into_owned(),
                id: url.target.id().unwrap_or_default(),
            };
            document(net, request, &url, &wanted, sink).await
        }
    }
}

/// Asks whether a database, or a document of it, is there: of a search one row is wanted, of a document one octet. What the
/// server says against it comes back; nothing where it is there.
pub(super) async fn is_there(net: &Net, url: &Wais<'_>) -> Result<Vec<Diagnostic>, Stop> {
    let (host, port) = (url.address.node(), url.address.port().unwrap_or(PORT));
    let stream = net.connect(host, port).await?;
    let mut talk = Dialogue::new(stream, &place(host, port), net.limits());
    talk.begin().await.map_err(stop)?;
    let database = url.database.octets();
    let words = match url.target {
        // A database tells of itself only when it is searched.
        WaisTarget::Database => ANY_WORD.into(),
        WaisTarget::Search(words) if words.is_empty() => ANY_WORD.into(),
        WaisTarget::Search(words) => words.octets(),
        WaisTarget::Document { wtype, .. } | WaisTarget::Fields { wtype, .. } => {
            let (wtype, id) = (wtype.octets(), url.target.id().unwrap_or_default());
            let piece = talk.part(&database, &wtype, &id, (0, 1)).await;
            let piece = piece.map_err(stop)?;
            let is_there = !piece.octets.is_empty();
            return Ok(if is_there {
                Vec::new()
            } else {
                piece.diagnostics
            });
        }
    };
    let found = talk.search(&database, &words, 1).await.map_err(stop)?;
    let is_there = !found.hits.is_empty();
    Ok(if is_there {
        Vec::new()
    } else {
        found.diagnostics
    })
}

/// A document that is wanted.
struct Wanted {
    database: Vec<u8>,
    wtype: Vec<u8>,
    id: Vec<u8>,
}

/// What a document of a type is shown as.
enum Way {
    Text,
    Article,
    Source,
    /// It is not shown, but saved.
    File(Kind),
}

impl Wanted {
    fn way(&self) -> Way {
        match self.wtype.to_ascii_uppercase().as_slice() {
            b"TEXT" | b"TEXT-FTP" | b"HTML" | b"CATALOG" | b"WCAT" | b"FIRST-LINE"
            | b"ONE-LINE" | b"PARA" | b"MAIL_DIGEST" | b"" => Way::Text,
            b"MAIL" | b"RMAIL" | b"NETNEWS" => Way::Article,
            b"WSRC" => Way::Source,
            b"GIF" | b"PICT" | b"TIFF" | b"JPEG" | b"XBM" | b"PPM" => Way::File(Kind::Image),
            b"PS" | b"DVI" | b"PDF" | b"RTF" => Way::File(Kind::Document),
            _ => Way::File(Kind::Binary),
        }
    }
}

/// Connects, and says hello.
async fn begin(net: &Net, url: &Wais<'_>, sink: &mut Sink) -> Result<(Talk, String), Stop> {
    let (host, port) = (url.address.node(), url.address.port().unwrap_or(PORT));
    let place = place(host, port);
    sink.phase(Phase::Connecting).await?;
    let stream = net.connect(host, port).await?;
    sink.phase(Phase::Asking).await?;
    let mut talk = Dialogue::new(stream, &place, net.limits());
    talk.begin().await.map_err(stop)?;
    sink.phase(Phase::Waiting).await?;
    Ok((talk, place))
}

async fn search(
    net: &Net,
    url: &Wais<'_>,
    words: Encoded<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let (database, words) = (url.database.octets(), words.octets());
    let (mut talk, place) = begin(net, url, sink).await?;
    let found = talk.search(&database, &words, MOST).await.map_err(stop)?;
    if found.hits.is_empty() && !found.diagnostics.is_empty() {
        let what = Text::new(&words, Charset::default());
        let sentence = format!("{place} found nothing for “{what}”");
        return Err(refused(sentence, &found.diagnostics).into());
    }
    let title = Text::new(&[&*words, b" in ", &*database].concat(), Charset::default());
    sink.begin(Begin {
        title: Some(title),
        ..Begin::new(Shape::Hits)
    })
    .await?;
    sink.octets(rows(&found)).await
}

/// What was found in the lines that its document reads.
fn rows(found: &Found) -> Vec<u8> {
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

/// Octets without what would end a field or a line.
fn one_line(octets: &[u8]) -> Vec<u8> {
    let blank = |&octet: &u8| if octet < b' ' { b' ' } else { octet };
    octets.iter().map(blank).collect()
}

async fn document(
    net: &Net,
    request: &Request,
    url: &Wais<'_>,
    wanted: &Wanted,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let way = wanted.way();
    let showing = request.purpose == Purpose::Show;
    if let (Way::File(kind), true) = (&way, showing) {
        return Err(Stop::Needs(Question::Save {
            what: suffix::what(*kind),
            name: file_name(&name(wanted), "wais-document"),
            size: None,
        }));
    }
    let (mut talk, place) = begin(net, url, sink).await?;
    let mut clean = Clean::default();
    let mut source = Vec::new();
    let mut at = 0;
    loop {
        let Wanted {
            database,
            wtype,
            id,
        } = wanted;
        let piece = talk.piece(database, wtype, id, at).await.map_err(stop)?;
        if at == 0 {
            if piece.octets.is_empty() && !piece.diagnostics.is_empty() {
                let sentence = format!("{place} did not give the document");
                return Err(refused(sentence, &piece.diagnostics).into());
            }
            if let Way::Source = way
                && showing
            {
                // It is shown when it is whole.
            } else {
                let shape = match way {
                    Way::Article if showing => Shape::Article,
                    _ => Shape::Text,
                };
                sink.begin(Begin {
                    // A page, and what is kept of it, has the form of RFC 1738.
                    url: request.url.in_wais_form(),
                    ..Begin::new(shape)
                })
                .await?;
            }
        }
        let refusal = piece.diagnostics.iter().find(|said| !said.is_end());
        if refusal.is_some() && at > 0 {
            // What came is good, and not all.
            let sentence = format!("{place} broke off after {at} octets");
            return Err(refused(sentence, &piece.diagnostics).into());
        }
        let is_last = is_last(&piece);
        at += piece.octets.len() as u64;
        if at > LONGEST {
            return Err(Stop::Cut(LONGEST));
        }
        match (&way, showing) {
            (_, false) => sink.octets(piece.octets).await?,
            (Way::Source, true) => {
                source.extend(piece.octets);
                if source.len() > SOURCE {
                    break;
                }
            }
            (Way::Text | Way::Article | Way::File(_), true) => {
                sink.octets(clean.text(&piece.octets)).await?;
            }
        }
        if is_last {
            break;
        }
    }
    if let (Way::Source, true) = (way, showing) {
        return self::source::show(&source, sink).await;
    }
    Ok(())
}

/// Whether nothing comes after a piece: it is short, or the server says so.
fn is_last(piece: &Piece) -> bool {
    (piece.octets.len() as u64) < crate::protocol::wais::PIECE
        || piece.diagnostics.iter().any(Diagnostic::is_end)
}

/// What a document could be called in a file: what stands last in its id.
fn name(wanted: &Wanted) -> Vec<u8> {
    let parts = |octet: &u8| !matches!(octet, b'!'..=b'~') || *octet == b'/';
    let last = wanted.id.split(parts).rfind(|word| !word.is_empty());
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
        WaisError::Odd(_) => Stop::Failed(Failure {
            advice: Some("another protocol may live on that port"),
            ..Failure::new(error.to_string())
        }),
        WaisError::Rejected(_) | WaisError::TooLong(_) => Failure::new(error.to_string()).into(),
    }
}
