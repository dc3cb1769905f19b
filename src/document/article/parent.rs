//! What an answer to an article takes from it.

use super::super::mailbox::{Mailbox, address, mailboxes};
use super::super::{Raw, Source, header};
use super::Article;
use super::decode::{Section, head_of};
use crate::text::{Charset, Text};

/// An article, as far as an answer to it needs it. All of it is text that may be shown: no control characters, one line
/// each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parent {
    /// Who wrote it: the name where there is one, else the address.
    pub name: String,
    /// The address of who wrote it.
    pub address: String,
    /// Where answers by mail go, when that is elsewhere (`Reply-To`).
    pub reply_to: Vec<Mailbox>,
    /// The groups it is in, with commas between them.
    pub newsgroups: String,
    /// Where answers go, when that is elsewhere: groups, or `poster`.
    pub followup_to: Option<String>,
    /// Its subject, decoded.
    pub subject: String,
    /// When it was written, as it is shown.
    pub date: String,
    /// Its Message-ID with the brackets; empty where it has none.
    pub id: String,
    /// The articles before it, the oldest first, each a Message-ID with the brackets.
    pub references: Vec<String>,
    /// Its Cancel-Lock (RFC 8315); empty where it has none.
    pub cancel_lock: String,
    /// The lines of its texts, without the signature.
    pub body: Vec<String>,
}

impl Article {
    /// What an answer needs; nothing before the article is whole, and for what is no article.
    pub(in crate::document) fn parent(&self, source: Source<'_>) -> Option<Parent> {
        let decoded = self.whole.as_ref()?;
        let head = head_of(source.raw);
        if head.is_empty() {
            return None;
        }
        let value = |wanted: &str| {
            let mut headers = head.iter();
            let found = headers.find(|(name, _)| name.eq_ignore_ascii_case(wanted.as_bytes()));
            found.map(|(_, value)| value.as_slice()).unwrap_or_default()
        };
        let plain = |name: &str| Text::new(value(name), source.charset).to_string();
        let filled = |name: &str| Some(plain(name)).filter(|text| !text.trim().is_empty());
        let from = value("From");
        let date = value("Date");
        Some(Parent {
            name: header::author(from, source.charset).to_string(),
            address: address(from),
            reply_to: mailboxes(value("Reply-To"), source.charset),
            newsgroups: plain("Newsgroups").split_whitespace().collect(),
            followup_to: filled("Followup-To"),
            subject: header::text(value("Subject"), source.charset).to_string(),
            date: header::moment(date)
                .unwrap_or_else(|| Text::new(date, source.charset))
                .to_string(),
            id: plain("Message-ID").trim().to_owned(),
            references: ids(&plain("References")),
            cancel_lock: plain("Cancel-Lock"),
            body: lines(&decoded.raw, source.charset, |line| decoded.section(line)),
        })
    }
}

/// The Message-IDs in a text; what stands between them, comments too, is passed over.
fn ids(text: &str) -> Vec<String> {
    let words = text
        .split('<')
        .skip(1)
        .filter_map(|word| word.split_once('>'));
    let ids = words.map(|(id, _)| id);
    ids.filter(|id| id.contains('@') && !id.contains(char::is_whitespace))
        .map(|id| format!("<{id}>"))
        .collect()
}

/// The lines of texts, without empty ones at the end and the one that parts the head from them.
fn lines(raw: &Raw, charset: Charset, section: impl Fn(usize) -> Section) -> Vec<String> {
    let is_text = |line: &usize| match section(*line) {
        Section::Text | Section::Source => true,
        Section::Header | Section::Signature | Section::Note => false,
    };
    let numbers = (0..raw.pieces()).filter(is_text);
    let texts = numbers.filter_map(|line| Some(Text::new(raw.piece(line)?, charset).to_string()));
    let mut lines: Vec<String> = texts.collect();
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    let first = lines.iter().position(|line| !line.trim().is_empty());
    lines.drain(..first.unwrap_or(0));
    lines
}
