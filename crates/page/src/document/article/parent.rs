//! The data of an article that a reply needs. It is to be sent, so it holds no U+FFFD that the article does not have.

use geomys_wire::protocol::nntp::References;
use geomys_wire::text::{Charset, Text};
use jiff::Timestamp;

use super::ArticleBody;
use super::armour::is_signed;
use super::decode::{ArticleSection, DecodedArticle, head_of};
use crate::document::header::{Mailbox, address, mailboxes};
use crate::document::rows::RowSource;
use crate::document::{date, header};

/// The data of an article that a reply needs. Every field is displayable text: one line, without control characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParentArticle {
    /// The author's name where there is one, else the address.
    pub name: String,
    /// The author's address.
    pub address: String,
    /// The mailboxes for replies by mail, when they differ from the author's (`Reply-To`).
    pub reply_to: Vec<Mailbox>,
    /// The groups of the article, separated by commas.
    pub newsgroups: String,
    /// The destination of followups, when it differs from `newsgroups`: groups, or `poster`.
    pub followup_to: Option<String>,
    /// The decoded subject.
    pub subject: String,
    /// The date of the article, as displayed.
    pub date: String,
    /// The Message-ID with its brackets; empty where there is none.
    pub id: String,
    /// The Message-IDs of the preceding articles, the oldest first, with their brackets.
    pub references: Vec<String>,
    /// The Cancel-Lock (RFC 8315); empty where there is none.
    pub cancel_lock: String,
    /// The lines of the texts, without the signature.
    pub body: Vec<String>,
}

impl ArticleBody {
    /// The author with the address, and the date, as the head of an article has them.
    pub(in crate::document) fn author_and_date(
        source: RowSource<'_>,
    ) -> (Option<Text>, Option<Timestamp>) {
        let head = head_of(source.raw);
        let value = |header: &str| {
            let mut headers = head.iter();
            let found = headers.find(|(name, _)| name.eq_ignore_ascii_case(header.as_bytes()));
            found.map(|(_, value)| value.as_slice())
        };
        let author = value("From").map(|from| header::text(from, source.charset));
        (author, value("Date").and_then(date::time))
    }

    /// The data that a reply needs; nothing before the article is complete, or when it has no headers.
    pub(in crate::document) fn parent(&self, source: RowSource<'_>) -> Option<ParentArticle> {
        let decoded = self.decoded.as_ref()?;
        let head = head_of(source.raw);
        if head.is_empty() {
            return None;
        }
        let value = |header: &str| {
            let mut headers = head.iter();
            let found = headers.find(|(name, _)| name.eq_ignore_ascii_case(header.as_bytes()));
            found.map(|(_, value)| value.as_slice()).unwrap_or_default()
        };
        let plain = |name: &str| Text::without_replacement(value(name), source.charset).to_string();
        let filled = |name: &str| Some(plain(name)).filter(|text| !text.trim().is_empty());
        let from = value("From");
        let sent = value("Date");
        let references = References::new(value("References"));
        let references = Text::without_replacement(references.octets(), source.charset).to_string();
        Some(ParentArticle {
            name: header::author(from, source.charset).to_string(),
            address: address(from),
            reply_to: mailboxes(value("Reply-To"), source.charset),
            newsgroups: plain("Newsgroups").split_whitespace().collect(),
            followup_to: filled("Followup-To"),
            subject: header::text(value("Subject"), source.charset).to_string(),
            date: date::moment(sent)
                .unwrap_or_else(|| Text::without_replacement(sent, source.charset))
                .to_string(),
            id: plain("Message-ID").trim().to_owned(),
            references: ids(&references),
            cancel_lock: plain("Cancel-Lock"),
            body: lines(decoded, source.charset),
        })
    }
}

/// The Message-IDs in a text. Everything between them, comments included, is ignored.
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

/// The lines of the texts, without blank lines at the start and at the end.
fn lines(decoded: &DecodedArticle, charset: Charset) -> Vec<String> {
    let is_text = |line: &usize| match decoded.section(*line) {
        ArticleSection::Text | ArticleSection::Page | ArticleSection::Source => true,
        ArticleSection::Subject
        | ArticleSection::Author
        | ArticleSection::Header
        | ArticleSection::Signature
        | ArticleSection::Note => false,
    };
    let stands_for_armour = |line: &usize| is_signed(decoded.raw.piece(*line).unwrap_or_default());
    let numbers = (0..decoded.raw.pieces()).filter(is_text);
    let numbers = numbers.filter(|line| !stands_for_armour(line));
    let texts = numbers.filter_map(|line| {
        let text = Text::without_replacement(decoded.raw.piece(line)?, charset).to_string();
        // The parser of web pages puts U+FFFD where a page refers to a character that there is not.
        let is_added = decoded.section(line) == ArticleSection::Page && !decoded.has_replacement();
        Some(if is_added {
            text.replace(char::REPLACEMENT_CHARACTER, "?")
        } else {
            text
        })
    });
    let mut lines: Vec<String> = texts.collect();
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    let first = lines.iter().position(|line| !line.trim().is_empty());
    lines.drain(..first.unwrap_or(0));
    lines
}
