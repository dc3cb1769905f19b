//! Phone books: gopher items of type 2 (RFC 2378).
//!
//! The URL of a query is `gopher://host:105/2%09words`: the words are the arguments of `query`, for example `smith` or
//! `name=smith return all`. A URL without words requests the fields of the phone book and shows them as the form of a
//! query.

use geomys_wire::net::authority;
use geomys_wire::protocol::ph::{self, PhDialogue, PhError, Reply};
use geomys_wire::text::Text;
use rfc1738::{Encoded, Gopher};

use super::GopherJob;
use super::server::connect;
use crate::words::text;
use crate::{Failure, FailureKind, FormKind, PageHead, Phase, Purpose, Question, ServerForm, Stop};
use geomys_page::document::Shape;

/// The first line of the form.
const WORDS: &[u8] = b"Ask: Words";

impl GopherJob<'_> {
    /// Sends the query of the URL to a phone book, or requests its fields.
    pub(super) async fn phone_book(&mut self, url: &Gopher<'_>) -> Result<(), Stop> {
        let (host, port) = (url.address.node(), url.address.port());
        let authority = authority(host, port);
        let words = url.search.map(Encoded::octets).unwrap_or_default();
        self.sink.phase(Phase::Connecting).await?;
        let (stream, security) = connect(self.net, self.request, host, port).await?;
        self.sink.phase(Phase::Waiting).await?;
        let mut book = PhDialogue::new(stream, &authority, self.net.limits());
        // A query may find nobody, and the phone book is there.
        if words.trim_ascii().is_empty() || self.request.purpose == Purpose::Check {
            let fields = match book.fields().await {
                Ok(fields) => fields,
                // A query is still possible.
                Err(PhError::Declined(_)) => Vec::new(),
                Err(error) => return Err(stop(error, &authority)),
            };
            // The connection is closed in any case.
            let _ = book.quit().await;
            return Err(Stop::Needs(Question::Form(form(&fields))));
        }
        let line = ph::typed(&words).map_err(|error| stop(error, &authority))?;
        let reply = book.query(&line).await;
        let reply = reply.map_err(|error| stop(error, &authority))?;
        let _ = book.quit().await;
        let page_head = PageHead {
            security,
            ..PageHead::new(Shape::People).with_title(text(&words))
        };
        self.sink.begin(page_head).await?;
        self.sink.octets(lines(&reply)).await
    }
}

/// Returns the form of a query: a line of words, and a line for each searchable field.
fn form(fields: &[ph::FieldDescription]) -> ServerForm {
    let looked_up = fields.iter().filter(|field| field.has("Lookup"));
    let mut lines = vec![WORDS.to_vec()];
    let mut hints = vec![Text::of("a name, or a whole query")];
    for field in looked_up {
        lines.push([b"Ask: ", field.name.as_slice()].concat());
        hints.push(text(&field.text));
    }
    ServerForm {
        title: Some(Text::of("Ask the phone book")),
        lines,
        hints,
        text: String::new(),
        kind: FormKind::PhoneBook,
    }
}

/// Returns the entries as lines of the wire, with a blank line between two entries.
fn lines(reply: &Reply) -> Vec<u8> {
    let mut octets = Vec::new();
    for entry in &reply.entries {
        if !octets.is_empty() {
            octets.extend_from_slice(b"\r\n");
        }
        for field in &entry.fields {
            for value in &field.values {
                let (code, index) = (value.code, entry.index);
                octets.extend_from_slice(format!("-{code}:{index}:").as_bytes());
                octets.extend_from_slice(&field.name);
                octets.extend_from_slice(b": ");
                octets.extend_from_slice(&value.text);
                octets.extend_from_slice(b"\r\n");
            }
        }
    }
    octets
}

fn stop(error: PhError, authority: &str) -> Stop {
    let failure = match &error {
        PhError::Declined(reply) => Failure::new(match reply.code {
            501 => format!("no match in the phone book at {authority} (501)"),
            502 => format!("too many matches in the phone book at {authority} (502)"),
            code => format!("the phone book at {authority} refused the query ({code})"),
        })
        .with_words(reply.messages.iter().map(|line| text(line)))
        .with_advice("change the query: * matches any letters"),
        PhError::Malformed(line) => Failure::new(format!("{authority}: {error}"))
            .with_kind(FailureKind::Malformed)
            .with_words([text(line)])
            .with_advice("another protocol may use that port"),
        PhError::Net(_)
        | PhError::UnexpectedData
        | PhError::TooLong { .. }
        | PhError::Unsendable { .. } => Failure::new(format!("{authority}: {error}")),
    };
    match error {
        PhError::Net(error) => error.into(),
        _ => failure.into(),
    }
}
