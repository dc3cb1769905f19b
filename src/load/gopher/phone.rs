//! Phone books: gopher items of type 2 (RFC 2378).
//!
//! The address of a query is `gopher://host:105/2%09words`: the words are what follows `query`, so `smith`,
//! `name=smith return all`. Without words the fields of the phone book are asked for, as the form of a query.

use super::secure::connect;
use crate::document::Shape;
use crate::load::{Asked, Begin, Failure, FormOf, Phase, Question, Request, Sink, Stop};
use crate::net::{Net, place};
use crate::protocol::ph::{self, Dialogue, PhError, Reply};
use crate::text::{Charset, Text};
use crate::url::{Encoded, Gopher};

/// What the first line of the form asks for.
const WORDS: &[u8] = b"Ask: Words";

/// Asks a phone book what the URL asks, or which fields it has.
pub(super) async fn load(
    net: &Net,
    request: &Request,
    url: Gopher<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let (host, port) = (url.address.node(), url.address.port().unwrap_or(ph::PORT));
    let place = place(host, port);
    let words = url.search.map(Encoded::octets).unwrap_or_default();
    sink.phase(Phase::Connecting).await?;
    let (stream, security) = connect(net, request, host, port).await?;
    sink.phase(Phase::Waiting).await?;
    let mut book = Dialogue::new(stream, &place, net.limits());
    if words.trim_ascii().is_empty() {
        let fields = match book.fields().await {
            Ok(fields) => fields,
            // It can be asked all the same.
            Err(PhError::Declined(_)) => Vec::new(),
            Err(error) => return Err(stop(error, &place)),
        };
        // It is left either way.
        let _ = book.quit().await;
        return Err(Stop::Needs(Question::Form(form(&fields))));
    }
    let line = ph::typed(&words).map_err(|error| stop(error, &place))?;
    let reply = book.query(&line).await;
    let reply = reply.map_err(|error| stop(error, &place))?;
    let _ = book.quit().await;
    let title = Text::new(&words, Charset::default());
    let begin = Begin {
        title: Some(title),
        security,
        ..Begin::new(Shape::People)
    };
    sink.begin(begin).await?;
    sink.octets(lines(&reply)).await?;
    Ok(())
}

/// The form of a query: a line of words, and a line for each field that may be looked for.
fn form(fields: &[ph::Description]) -> Asked {
    let looked_up = fields.iter().filter(|field| field.has("Lookup"));
    let mut lines = vec![WORDS.to_vec()];
    let mut hints = vec![Text::of("a name, or a whole query")];
    for field in looked_up {
        lines.push([b"Ask: ", field.name.as_slice()].concat());
        hints.push(Text::new(&field.text, Charset::default()));
    }
    Asked {
        title: Some(Text::of("Ask the phone book")),
        lines,
        hints,
        of: FormOf::PhoneBook,
    }
}

/// The entries as lines of the wire, with a blank line between two.
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

fn stop(error: PhError, place: &str) -> Stop {
    let sentence = match &error {
        PhError::Net(_) => String::new(),
        PhError::Declined(reply) => match reply.code {
            501 => format!("the phone book at {place} knows nobody like that (501)"),
            502 => format!("the phone book at {place} knows too many like that (502)"),
            code => format!("the phone book at {place} declined ({code})"),
        },
        PhError::Odd(_) | PhError::Ahead | PhError::Long { .. } | PhError::Unsendable { .. } => {
            format!("{place}: {error}")
        }
    };
    match error {
        PhError::Net(error) => error.into(),
        PhError::Declined(reply) => Stop::Failed(Failure {
            said: reply
                .said
                .iter()
                .map(|line| Text::new(line, Charset::default()))
                .collect(),
            advice: Some("ask for less, or for more: * stands for any letters"),
            ..Failure::new(sentence)
        }),
        PhError::Odd(line) => Stop::Failed(Failure {
            said: vec![Text::new(&line, Charset::default())],
            advice: Some("another protocol may live on that port"),
            ..Failure::new(sentence)
        }),
        PhError::Ahead | PhError::Long { .. } | PhError::Unsendable { .. } => {
            Failure::new(sentence).into()
        }
    }
}
