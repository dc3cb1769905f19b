//! Parsing of a page: passes the tokens of html5ever to the layout builder.
//!
//! No tree is built. The content of scripts and styles is ignored. An unmatched start or end tag causes a line break at
//! most. The charset that a page declares is searched at its beginning:
//!
//! ```text
//! <meta charset="koi8-r">
//! <meta http-equiv="Content-Type" content="text/html; charset=koi8-r">
//! <?xml version="1.0" encoding="koi8-r"?>
//! ```

use std::cell::RefCell;
use std::time::{Duration, Instant};

use geomys_wire::text::{self, Charset, Text};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::{RawKind, Rawtext, Rcdata, ScriptData};
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use super::build::LayoutBuilder;
use super::line::PageLayout;
use super::tag;
use super::tag::StartTag;
use crate::document::raw::LineBuffer;

/// The number of octets passed to the tokenizer at once.
const PIECE: usize = 4096;

/// The time limit for parsing a page, as a malicious page could take hours. A page of 8 MiB takes a tenth of it.
const TIME: Duration = Duration::from_secs(5);

/// The number of octets that are searched for the declaration: more than the 1024 that HTML requires.
const HEAD: usize = 4096;

/// The maximum columns of the name of an unknown charset in a note.
const MAX_CHARSET_NAME: usize = 40;

/// The treatment of the following text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum TextMode {
    /// The text is laid out.
    #[default]
    Shown,
    /// The text is the title.
    Title(String),
    /// The text is a style sheet.
    Style(String),
    /// The text is ignored up to the end of this element.
    Hidden(String),
}

struct PageTokenSink {
    state: RefCell<(LayoutBuilder, TextMode)>,
}

/// Lays out a page that was decoded from a charset, for a pane of this many columns. `is_cut` is true if the page was
/// truncated before.
pub(super) fn lay_out(page: &str, charset: Charset, columns: usize, is_cut: bool) -> PageLayout {
    lay_out_by(LayoutBuilder::new(charset, columns), page, is_cut)
}

/// Lays out a page by a new builder.
pub(super) fn lay_out_by(builder: LayoutBuilder, page: &str, is_cut: bool) -> PageLayout {
    let reader = PageTokenSink {
        state: RefCell::new((builder, TextMode::default())),
    };
    let tokenizer = Tokenizer::new(reader, TokenizerOpts::default());
    let start = Instant::now();
    let limited = tag::limited(page);
    let mut rest = &*limited;
    let queue = BufferQueue::default();
    while !rest.is_empty() && start.elapsed() < TIME {
        let end = (PIECE.min(rest.len())..rest.len()).find(|&at| rest.is_char_boundary(at));
        let (piece, after) = rest
            .split_at_checked(end.unwrap_or(rest.len()))
            .unwrap_or((rest, ""));
        queue.push_back(StrTendril::from(piece));
        let _ = tokenizer.feed(&queue);
        rest = after;
    }
    tokenizer.end();
    let (builder, _) = tokenizer.sink.state.into_inner();
    let mut layout = builder.finish();
    if is_cut || !rest.is_empty() {
        let read = match rest {
            "" => page.len(),
            _ => limited.len() - rest.len(),
        };
        layout.note_cut(read);
    }
    layout
}

impl TokenSink for PageTokenSink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let (builder, mode) = &mut *self.state.borrow_mut();
        match token {
            Token::CharacterTokens(text) => match mode {
                TextMode::Shown => builder.text(&text),
                TextMode::Title(held) | TextMode::Style(held) => held.push_str(&text),
                TextMode::Hidden(name) => builder.hidden_text(name, &text),
            },
            Token::TagToken(tag) => match tag.kind {
                TagKind::StartTag => return start_tag(builder, mode, &tag),
                TagKind::EndTag => end_tag(builder, mode, &tag.name),
            },
            Token::DoctypeToken(_)
            | Token::CommentToken(_)
            | Token::NullCharacterToken
            | Token::EOFToken
            | Token::ParseError(_) => {}
        }
        TokenSinkResult::Continue
    }
}

fn start_tag(builder: &mut LayoutBuilder, mode: &mut TextMode, tag: &Tag) -> TokenSinkResult<()> {
    let element = StartTag(tag);
    match mode {
        TextMode::Shown => {}
        // A form inside `select`: the end tag of `select` is missing.
        TextMode::Hidden(name)
            if name == "select" && matches!(element.name(), "input" | "form") =>
        {
            builder.end_field();
            *mode = TextMode::Shown;
        }
        TextMode::Hidden(name) if name == "select" && element.name() == "option" => {
            builder.option(&element);
            return TokenSinkResult::Continue;
        }
        TextMode::Title(_) | TextMode::Style(_) | TextMode::Hidden(_) => {
            return TokenSinkResult::Continue;
        }
    }
    let raw = |kind: RawKind| TokenSinkResult::RawData(kind);
    let hidden = |name: &str| TextMode::Hidden(name.to_owned());
    let name = element.name();
    match name {
        "title" => {
            *mode = TextMode::Title(String::new());
            raw(Rcdata)
        }
        "script" => {
            builder.script(&element);
            *mode = hidden(name);
            raw(ScriptData)
        }
        "style" => {
            *mode = TextMode::Style(String::new());
            raw(Rawtext)
        }
        "noembed" => {
            *mode = hidden(name);
            raw(Rawtext)
        }
        "iframe" => {
            builder.start(&element);
            *mode = hidden(name);
            raw(Rawtext)
        }
        "textarea" => {
            builder.start(&element);
            *mode = hidden(name);
            raw(Rcdata)
        }
        "select" => {
            builder.start(&element);
            *mode = hidden(name);
            TokenSinkResult::Continue
        }
        "svg" | "template" | "datalist" | "annotation" | "annotation-xml" if !tag.self_closing => {
            *mode = hidden(name);
            TokenSinkResult::Continue
        }
        "xmp" | "listing" => {
            builder.start(&element);
            raw(Rawtext)
        }
        "plaintext" => {
            builder.start(&element);
            TokenSinkResult::Plaintext
        }
        _ => {
            builder.start(&element);
            TokenSinkResult::Continue
        }
    }
}

fn end_tag(builder: &mut LayoutBuilder, mode: &mut TextMode, name: &str) {
    match mode {
        TextMode::Shown => builder.end(name),
        TextMode::Title(title) if name == "title" => {
            builder.title(title);
            *mode = TextMode::Shown;
        }
        TextMode::Hidden(hidden) if hidden == name || (hidden == "select" && name == "form") => {
            builder.end_field();
            *mode = TextMode::Shown;
            if name == "form" {
                builder.end(name);
            }
        }
        TextMode::Style(css) if name == "style" => {
            builder.style(css);
            *mode = TextMode::Shown;
        }
        TextMode::Title(_) | TextMode::Style(_) | TextMode::Hidden(_) => {}
    }
}

/// The charset declared at the beginning of a page; nothing where there is none or it is not supported.
pub(in crate::document) fn charset(raw: &LineBuffer) -> Option<Charset> {
    let head = beginning(raw);
    let found = declarations(&head).find_map(Charset::named)?;
    // A declaration that is readable as ASCII cannot be in UTF-16.
    let is_wide = found.name().starts_with("UTF-16") || found.name().starts_with("UTF-32");
    Some(if is_wide { Charset::utf_8() } else { found })
}

/// The name that a page declares at its beginning, where it is that of no known charset.
pub(super) fn unknown_charset(raw: &LineBuffer) -> Option<String> {
    let head = beginning(raw);
    let names: Vec<&str> = declarations(&head).collect();
    let name = names.first().filter(|name| !name.is_empty())?;
    let is_known = names.iter().any(|name| Charset::named(name).is_some());
    let name = Text::of(&text::shorten(name, MAX_CHARSET_NAME, "..."));
    (!is_known).then(|| name.to_string())
}

fn beginning(raw: &LineBuffer) -> Vec<u8> {
    let mut head = raw.beginning(HEAD);
    head.make_ascii_lowercase();
    head
}

/// The names of charsets that a page declares.
fn declarations(head: &[u8]) -> impl Iterator<Item = &str> {
    let declared = move |start: &'static [u8], name: &'static [u8]| {
        memchr::memmem::find_iter(head, start).filter_map(move |at| {
            let rest = head.get(at..)?;
            let tag = rest.get(..memchr::memchr(b'>', rest)?)?;
            let value = tag.get(memchr::memmem::find(tag, name)? + name.len()..)?;
            label(value)
        })
    };
    declared(b"<meta", b"charset").chain(declared(b"<?xml", b"encoding"))
}

/// Parses the name of a charset behind an equals sign.
fn label(value: &[u8]) -> Option<&str> {
    let value = value.trim_ascii_start().strip_prefix(b"=")?;
    let value = value.trim_ascii_start();
    let value = value
        .strip_prefix(b"\"")
        .or(value.strip_prefix(b"'"))
        .unwrap_or(value);
    let is_end = |octet: &u8| matches!(octet, b'"' | b'\'' | b';' | b'/' | b'?') || *octet <= b' ';
    let end = value.iter().position(is_end).unwrap_or(value.len());
    std::str::from_utf8(value.get(..end)?).ok()
}
