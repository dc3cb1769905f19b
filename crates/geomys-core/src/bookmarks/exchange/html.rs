//! Netscape bookmark file, which every browser writes: HTML of 1994 without most of its closing tags.
//!
//! ```text
//! list   = "<DL><p>" *( folder / entry / "<HR>" ) "</DL><p>"
//! folder = "<DT><H3" *attribute ">" name "</H3>" [ "<DD>" text ] list
//! entry  = "<DT><A HREF=" url *attribute ">" title "</A>" [ "<DD>" note ]      ; ADD_DATE, LAST_MODIFIED, TAGS, ICON
//! ```
//!
//! The reader accepts headings, lists of any kind, links and text after a `<DD>`, in any order: the lists of lynx and w3m
//! have nothing else. A heading names the list that follows it; `<H1>` is the title of the file. The writer creates lists that
//! browsers, lynx, buku and link readers can import.

use std::cell::RefCell;
use std::fmt::Write;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use super::builder::TreeBuilder;
use super::tree::{BookmarkTree, Entry, LossReport, TreeStep};
use super::xml::{COMMAS, escaped, tags_attribute};

pub(super) fn read(text: &str) -> BookmarkTree {
    let tokenizer = Tokenizer::new(HtmlTokenSink::default(), TokenizerOpts::default());
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from(text));
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
    let mut reader = tokenizer.sink.0.into_inner();
    reader.finish_text();
    reader.builder.finish()
}

/// Token sink of the tokenizer, which requires a shared reference.
#[derive(Default)]
struct HtmlTokenSink(RefCell<HtmlReader>);

impl TokenSink for HtmlTokenSink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut reader = self.0.borrow_mut();
        match token {
            Token::CharacterTokens(words) => reader.text(&words),
            Token::TagToken(tag) => reader.tag(&tag),
            Token::DoctypeToken(_)
            | Token::CommentToken(_)
            | Token::NullCharacterToken
            | Token::EOFToken
            | Token::ParseError(_) => {}
        }
        TokenSinkResult::Continue
    }
}

/// Tags that may occur in a title and are dropped.
const MARKUP: [&str; 22] = [
    "abbr", "b", "big", "body", "code", "em", "font", "head", "html", "i", "img", "link", "meta",
    "p", "s", "small", "span", "strong", "sub", "sup", "tt", "u",
];

/// Target of text, until the next tag.
#[derive(Default)]
enum TextTarget {
    #[default]
    Nothing,
    Heading(String),
    Title(Entry, String),
    Note(String),
    /// Note on a folder, which cannot be imported; true if there is any text.
    Aside(bool),
}

#[derive(Default)]
struct HtmlReader {
    builder: TreeBuilder,
    target: TextTarget,
    /// Heading that names the next list.
    heading: Option<String>,
    /// For each open list, true if it is a folder.
    lists: Vec<bool>,
}

impl HtmlReader {
    fn text(&mut self, words: &str) {
        match &mut self.target {
            TextTarget::Nothing => {}
            TextTarget::Heading(text) | TextTarget::Title(_, text) | TextTarget::Note(text) => {
                text.push_str(words);
            }
            TextTarget::Aside(has_text) => *has_text |= !words.trim().is_empty(),
        }
    }

    fn tag(&mut self, tag: &Tag) {
        match (&*tag.name, tag.kind == TagKind::EndTag) {
            ("h2" | "h3" | "h4" | "h5" | "h6", false) => {
                self.finish_text();
                self.target = TextTarget::Heading(String::new());
            }
            ("a", false) => {
                self.finish_text();
                self.target = self.link(tag);
            }
            ("dl" | "ul" | "ol" | "menu" | "dir", false) => {
                self.finish_text();
                let heading = self.heading.take();
                if let Some(heading) = &heading {
                    self.builder.open(heading);
                }
                self.lists.push(heading.is_some());
            }
            ("dl" | "ul" | "ol" | "menu" | "dir", true) => {
                self.finish_text();
                if self.lists.pop() == Some(true) {
                    self.builder.close();
                }
            }
            ("dd", false) => {
                self.finish_text();
                self.target = match self.heading {
                    Some(_) => TextTarget::Aside(false),
                    None => TextTarget::Note(String::new()),
                };
            }
            ("hr", false) => {
                self.finish_text();
                self.builder.losses().part("lines between entries");
            }
            ("br", _) => self.text("\n"),
            ("a" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "dt" | "li" | "dd", _) => {
                self.finish_text();
            }
            // buku does not escape text like tags in a title.
            (name, _) if !MARKUP.contains(&name) => self.text(&written(tag)),
            // Other tags do not end a text.
            _ => {}
        }
    }

    fn link(&mut self, tag: &Tag) -> TextTarget {
        let value = |name: &str| {
            let mut attributes = tag.attrs.iter();
            let attribute = attributes.find(|attribute| &*attribute.name.local == name);
            attribute.map(|attribute| &*attribute.value)
        };
        let has = |name: &str| value(name).is_some_and(|value| !value.is_empty());
        let Some(url) = value("href") else {
            return TextTarget::Nothing;
        };
        let tags = value("tags").unwrap_or_default();
        let losses = self.builder.losses();
        losses.part_if(has("icon") || has("icon_uri"), "pictures");
        losses.part_if(has("shortcuturl"), "keywords");
        losses.part_if(
            has("last_modified") || has("last_visit"),
            "dates of change or visit",
        );
        let added = value("add_date");
        let entry = Entry {
            url: url.to_owned(),
            tags: tags.split(',').map(str::to_owned).collect(),
            added: added.and_then(|date| date.trim().parse().ok()),
            ..Entry::default()
        };
        TextTarget::Title(entry, String::new())
    }

    /// Stores the text that was collected for the target.
    fn finish_text(&mut self) {
        match std::mem::take(&mut self.target) {
            TextTarget::Nothing => {}
            TextTarget::Heading(name) => self.heading = Some(name),
            TextTarget::Title(entry, title) => self.builder.entry(&Entry { title, ..entry }),
            TextTarget::Note(note) => {
                for line in note.lines() {
                    self.builder.note(line);
                }
            }
            TextTarget::Aside(has_text) => {
                let losses = self.builder.losses();
                losses.part_if(has_text, "notes on folders");
            }
        }
    }
}

/// Formats a tag as text, with its name in lower case.
fn written(tag: &Tag) -> String {
    let slash = match tag.kind {
        TagKind::StartTag => "",
        TagKind::EndTag => "/",
    };
    let mut written = format!("<{slash}{}", tag.name);
    for attribute in &tag.attrs {
        // Writing to a string cannot fail.
        let _ = match &*attribute.value {
            "" => write!(written, " {}", attribute.name.local),
            value => write!(written, " {}=\"{value}\"", attribute.name.local),
        };
    }
    written.push('>');
    written
}

const HEAD: &str = "\
<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV=\"Content-Type\" CONTENT=\"text/html; charset=UTF-8\">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p>
";

pub(super) fn write(tree: &BookmarkTree, losses: &mut LossReport) -> String {
    let mut page = HEAD.to_owned();
    for (depth, step) in tree.steps() {
        let indent = "    ".repeat(depth + 1);
        // Writing to a string cannot fail.
        let _ = match step {
            TreeStep::Open(folder) => {
                let name = escaped(&folder.name);
                writeln!(page, "{indent}<DT><H3>{name}</H3>\n{indent}<DL><p>")
            }
            TreeStep::Entry(entry) => write!(page, "{indent}{}", link(entry, losses)),
            TreeStep::Close => writeln!(page, "{indent}</DL><p>"),
        };
    }
    page.push_str("</DL><p>\n");
    page
}

fn link(entry: &Entry, losses: &mut LossReport) -> String {
    let has_comma = |tag: &&String| tag.contains(',');
    losses.count(entry.tags.iter().filter(has_comma).count(), COMMAS);
    let added = entry.added;
    let added = added.map_or(String::new(), |added| format!(" ADD_DATE=\"{added}\""));
    let mut link = format!(
        "<DT><A HREF=\"{}\"{added}{}>{}</A>\n",
        escaped(&entry.url),
        tags_attribute(entry, "TAGS"),
        escaped(&entry.title)
    );
    if !entry.note.is_empty() {
        // Writing to a string cannot fail.
        let _ = writeln!(link, "<DD>{}", escaped(&entry.note));
    }
    link
}
