//! From octets to elements: the tokens of html5ever, handed to what lays them out.
//!
//! No tree is made. What is inside scripts and styles is passed over; an end that nothing began, or a beginning that
//! nothing ends, costs no more than a line break.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::{RawKind, ScriptData};
use html5ever::tokenizer::states::{Rawtext, Rcdata};
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use super::build::Builder;
use super::line::Laid;
use crate::text;

/// Octets that the tokenizer is given at once.
const PIECE: usize = 4096;

/// The longest that a page is read: one that means harm could ask for hours. A page of 8 MiB takes a tenth of it.
const TIME: Duration = Duration::from_secs(5);

/// The start of an element.
pub(super) struct Element<'a> {
    tag: &'a Tag,
}

impl Element<'_> {
    pub(super) fn name(&self) -> &str {
        &self.tag.name
    }

    /// The value of an attribute.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        let mut attributes = self.tag.attrs.iter();
        let found = attributes.find(|attribute| &*attribute.name.local == name);
        found.map(|attribute| &*attribute.value)
    }
}

/// What becomes of the text that comes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Passage {
    /// It is laid out.
    #[default]
    Shown,
    /// It is the title.
    Title(String),
    /// It is passed over up to the end of this element.
    Hidden(String),
}

struct Reader {
    state: RefCell<(Builder, Passage)>,
}

/// Lays a page out; whether it was cut before.
pub(super) fn read(page: &str, is_cut: bool) -> Laid {
    let reader = Reader {
        state: RefCell::default(),
    };
    let tokenizer = Tokenizer::new(reader, TokenizerOpts::default());
    let start = Instant::now();
    let mut rest = page;
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
    let mut laid = builder.finish();
    if is_cut || !rest.is_empty() {
        let read = text::octets((page.len() - rest.len()) as u64);
        laid.note(&format!(
            "[the page goes on: only its first {read} are laid out; the source has all of it]"
        ));
    }
    laid
}

impl TokenSink for Reader {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let (builder, passage) = &mut *self.state.borrow_mut();
        match token {
            Token::CharacterTokens(text) => match passage {
                Passage::Shown => builder.text(&text),
                Passage::Title(title) => title.push_str(&text),
                Passage::Hidden(_) => {}
            },
            Token::TagToken(tag) => match tag.kind {
                TagKind::StartTag => return began(builder, passage, &tag),
                TagKind::EndTag => ended(builder, passage, &tag.name),
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

fn began(builder: &mut Builder, passage: &mut Passage, tag: &Tag) -> TokenSinkResult<()> {
    let element = Element { tag };
    match passage {
        Passage::Shown => {}
        // A form in a list of choices: the list was never ended.
        Passage::Hidden(name) if name == "select" && matches!(element.name(), "input" | "form") => {
            *passage = Passage::Shown;
        }
        Passage::Title(_) | Passage::Hidden(_) => return TokenSinkResult::Continue,
    }
    let raw = |kind: RawKind| TokenSinkResult::RawData(kind);
    let hidden = |name: &str| Passage::Hidden(name.to_owned());
    let name = element.name();
    match name {
        "title" => {
            *passage = Passage::Title(String::new());
            raw(Rcdata)
        }
        "script" => {
            builder.script();
            *passage = hidden(name);
            raw(ScriptData)
        }
        "style" | "noembed" => {
            *passage = hidden(name);
            raw(Rawtext)
        }
        "iframe" => {
            builder.start(&element);
            *passage = hidden(name);
            raw(Rawtext)
        }
        "textarea" => {
            builder.start(&element);
            *passage = hidden(name);
            raw(Rcdata)
        }
        "select" => {
            builder.start(&element);
            *passage = hidden(name);
            TokenSinkResult::Continue
        }
        "svg" | "template" | "datalist" if !tag.self_closing => {
            *passage = hidden(name);
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

fn ended(builder: &mut Builder, passage: &mut Passage, name: &str) {
    match passage {
        Passage::Shown => builder.end(name),
        Passage::Title(title) if name == "title" => {
            builder.title(title);
            *passage = Passage::Shown;
        }
        Passage::Hidden(hidden) if hidden == name || (hidden == "select" && name == "form") => {
            *passage = Passage::Shown;
            if name == "form" {
                builder.end(name);
            }
        }
        Passage::Title(_) | Passage::Hidden(_) => {}
    }
}
