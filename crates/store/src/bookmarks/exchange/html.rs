//! Netscape bookmark file, which every browser writes: HTML of 1994 without most of its closing tags.
//!
//! ```text
//! list   = "<DL><p>" *( folder / entry / "<HR>" ) "</DL><p>"
//! folder = "<DT><H3" *attribute ">" name "</H3>" [ "<DD>" text ] list
//! entry  = "<DT><A HREF=" url *attribute ">" title "</A>" [ "<DD>" note ]      ; ADD_DATE, LAST_MODIFIED, TAGS, ICON
//! ```
//!
//! The reader accepts headings, lists of any kind, links and text after a `<DD>`, in any order: the lists of lynx and
//! w3m have nothing else. A heading names the list that follows it, and so does the text of an item (Mosaic); the first
//! `<H1>` is the title of the file, except above a list other than `<DL>` (Pocket, Instapaper). The writer creates
//! lists that browsers, lynx, buku and link readers can import.

use std::cell::RefCell;
use std::fmt::Write;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use rfc1738::{Dialect, Url, leading_scheme};

use super::builder::TreeBuilder;
use super::pinboard::NoteText;
use super::tree::{BookmarkTree, Entry, FOLDER_DATES, LossReport, TreeStep};
use super::xml::{COMMAS, escaped, tags_attribute};

pub(super) fn read(text: &str) -> BookmarkTree {
    let tokenizer = Tokenizer::new(HtmlTokenSink::default(), TokenizerOpts::default());
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from(text));
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
    let mut reader = tokenizer.sink.0.into_inner();
    reader.finish_text();
    reader.drop_heading();
    if is_cut_in_link(text) {
        reader
            .builder
            .at_line(text.lines().count().saturating_sub(1));
        reader.builder.leave_out("", "the file ends inside it");
    }
    reader.builder.finish()
}

/// Returns true if a text ends in the tag of a link, which no reader of HTML sees.
fn is_cut_in_link(text: &str) -> bool {
    let tag = text.rfind('<').and_then(|at| text.get(at..));
    let name = tag
        .filter(|tag| !tag.contains('>'))
        .and_then(|tag| tag.get(..3));
    name.is_some_and(|name| name.eq_ignore_ascii_case("<a ") || name.eq_ignore_ascii_case("<a\n"))
}

/// Token sink of the tokenizer, which requires a shared reference.
#[derive(Default)]
struct HtmlTokenSink(RefCell<HtmlReader>);

impl TokenSink for HtmlTokenSink {
    type Handle = ();

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<()> {
        let mut reader = self.0.borrow_mut();
        let index = usize::try_from(line).unwrap_or_default().saturating_sub(1);
        reader.builder.at_line(index);
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

/// Attributes of a link that are read, or that hold no data of the user, separated by blanks.
const HANDLED_ATTRIBUTES: &str = "href add_date time_added tags icon icon_uri shortcuturl last_modified last_visit class id \
                                  name style target rel rev lang dir hreflang type role tabindex title rbm";

/// Kind of a text above a list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HeadingKind {
    /// First `<H1>`.
    Title,
    Heading,
    /// Text of an item.
    Item,
}

/// Target of text, until the next tag.
#[derive(Default)]
enum TextTarget {
    #[default]
    Nothing,
    Heading(String, HeadingKind),
    Title(Entry, String),
    Note(NoteText),
    /// Note on a folder, which cannot be imported; true if there is any text.
    Aside(bool),
}

#[derive(Default)]
struct HtmlReader {
    builder: TreeBuilder,
    target: TextTarget,
    /// Heading that names the next list.
    heading: Option<(String, HeadingKind)>,
    /// For each open list, true if it is a folder.
    lists: Vec<bool>,
    /// True after the first `<H1>`.
    has_title: bool,
    /// Address that relative links are resolved by.
    base: Option<Url>,
}

impl HtmlReader {
    fn text(&mut self, words: &str) {
        match &mut self.target {
            TextTarget::Nothing => {}
            TextTarget::Heading(text, _) | TextTarget::Title(_, text) => text.push_str(words),
            TextTarget::Note(note) => note.push(words),
            TextTarget::Aside(has_text) => *has_text |= !words.trim().is_empty(),
        }
    }

    fn tag(&mut self, tag: &Tag) {
        let is_end = tag.kind == TagKind::EndTag;
        if let TextTarget::Note(note) = &mut self.target {
            match (&*tag.name, is_end) {
                ("br", _) => return note.break_line(),
                ("p", _) => return note.break_paragraph(),
                ("blockquote", false) => return note.open_quote(),
                ("blockquote", true) => return note.close_quote(),
                _ => {}
            }
        }
        match (&*tag.name, is_end) {
            ("h1" | "h2" | "h3" | "h4" | "h5" | "h6", false) => {
                self.finish_text();
                self.open_heading(tag);
            }
            ("a", false) => {
                self.finish_text();
                self.drop_heading();
                self.target = self.link(tag);
            }
            ("base", false) if self.base.is_none() => {
                self.base =
                    value(tag, "href").and_then(|href| Dialect::Extended.parse(href.trim()).ok());
            }
            ("dl" | "ul" | "ol" | "menu" | "dir", false) => {
                self.finish_text();
                self.open_list(&tag.name);
            }
            ("dl" | "ul" | "ol" | "menu" | "dir", true) => {
                self.finish_text();
                self.drop_heading();
                if self.lists.pop() == Some(true) {
                    self.builder.close();
                }
            }
            ("dd", false) => {
                self.finish_text();
                self.target = match self.heading {
                    Some(_) => TextTarget::Aside(false),
                    None => TextTarget::Note(NoteText::default()),
                };
            }
            ("dt" | "li", false) => {
                self.finish_text();
                self.target = TextTarget::Heading(String::new(), HeadingKind::Item);
            }
            ("hr", false) => {
                self.finish_text();
                self.builder.losses().part("separators");
            }
            ("br", _) => self.text("\n"),
            ("a" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "dt" | "li" | "dd", _) => {
                self.finish_text();
            }
            // buku does not escape text like tags in a title.
            (name, _) if !MARKUP.contains(&name) && !self.is_in_item() => {
                self.text(&written(tag));
            }
            // Other tags do not end a text.
            _ => {}
        }
    }

    fn is_in_item(&self) -> bool {
        matches!(self.target, TextTarget::Heading(_, HeadingKind::Item))
    }

    fn open_heading(&mut self, tag: &Tag) {
        let has_date = value(tag, "add_date").is_some_and(|date| !date.is_empty() && date != "0");
        let has_other_date = value(tag, "last_modified").is_some_and(|date| !date.is_empty());
        let losses = self.builder.losses();
        losses.part_if(has_date, FOLDER_DATES);
        losses.part_if(has_other_date, "dates of change or visit");
        let kind = match &*tag.name {
            "h1" if !self.has_title => HeadingKind::Title,
            _ => HeadingKind::Heading,
        };
        self.has_title |= kind == HeadingKind::Title;
        self.target = TextTarget::Heading(String::new(), kind);
    }

    fn open_list(&mut self, name: &str) {
        let heading = self.heading.take();
        let heading = heading.filter(|(_, kind)| *kind != HeadingKind::Title || name != "dl");
        if let Some((heading, _)) = &heading {
            self.builder.open(heading);
        }
        self.lists.push(heading.is_some());
    }

    /// Handles a heading without a list: in a list it is an empty folder.
    fn drop_heading(&mut self) {
        let Some((heading, kind)) = self.heading.take() else {
            return;
        };
        match kind {
            HeadingKind::Title => {}
            HeadingKind::Heading if self.lists.is_empty() => {
                self.builder.losses().part("headings without a list");
            }
            HeadingKind::Heading => {
                self.builder.open(&heading);
                self.builder.close();
            }
            HeadingKind::Item => self.builder.losses().part("texts beside links"),
        }
    }

    fn link(&mut self, tag: &Tag) -> TextTarget {
        let has = |name: &str| value(tag, name).is_some_and(|value| !value.is_empty());
        let Some(href) = value(tag, "href").or_else(|| value(tag, "feedurl")) else {
            return TextTarget::Nothing;
        };
        let tags = value(tag, "tags").unwrap_or_default();
        let losses = self.builder.losses();
        losses.part_if(has("icon") || has("icon_uri"), "pictures");
        losses.part_if(has("shortcuturl"), "keywords");
        losses.part_if(
            has("last_modified") || has("last_visit"),
            "dates of change or visit",
        );
        for attribute in &tag.attrs {
            let name = &*attribute.name.local;
            let is_handled = HANDLED_ATTRIBUTES.split(' ').any(|handled| handled == name)
                || ["on", "data-", "aria-"]
                    .iter()
                    .any(|start| name.starts_with(start));
            let is_set = !matches!(&*attribute.value, "" | "0") && *attribute.value != *href;
            losses.field_if(is_set && !is_handled, name);
        }
        let added = value(tag, "add_date").or_else(|| value(tag, "time_added"));
        let added = self.builder.date(added.unwrap_or_default());
        let entry = Entry {
            url: self.resolved(href.trim()),
            tags: tags.split(',').map(str::to_owned).collect(),
            added,
            ..Entry::default()
        };
        TextTarget::Title(entry, String::new())
    }

    /// Resolves a link by the address of the page, if the page has it.
    fn resolved(&self, href: &str) -> String {
        let base = self
            .base
            .as_ref()
            .filter(|_| leading_scheme(href).is_none());
        let url = base.and_then(|base| base.resolve(href).ok());
        match url {
            Some(url) if !is_inside(href) => url.to_string(),
            Some(_) | None => href.to_owned(),
        }
    }

    /// Stores the text that was collected for the target.
    fn finish_text(&mut self) {
        match std::mem::take(&mut self.target) {
            TextTarget::Nothing => {}
            TextTarget::Heading(name, HeadingKind::Item) if name.trim().is_empty() => {}
            TextTarget::Heading(name, kind) => {
                self.drop_heading();
                self.heading = Some((name, kind));
            }
            TextTarget::Title(entry, title) if is_inside(&entry.url) => {
                self.builder.leave_out(&title, INSIDE);
            }
            TextTarget::Title(entry, title) => self.builder.entry(&Entry { title, ..entry }),
            TextTarget::Note(note) => self.builder.note(&note.finish()),
            TextTarget::Aside(has_text) => {
                let losses = self.builder.losses();
                losses.part_if(has_text, "notes on folders");
            }
        }
    }
}

/// Reason to leave out a link without an address of its own.
const INSIDE: &str = "it is a link inside the page";

/// Returns true for a link inside the page.
fn is_inside(href: &str) -> bool {
    href.starts_with('#')
}

/// Returns the value of an attribute.
fn value<'a>(tag: &'a Tag, name: &str) -> Option<&'a str> {
    let mut attributes = tag.attrs.iter();
    let attribute = attributes.find(|attribute| &*attribute.name.local == name);
    attribute.map(|attribute| &*attribute.value)
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
            TreeStep::Entry(entry) => match link(entry, losses) {
                link if link.is_empty() => Ok(()),
                link => write!(page, "{indent}{link}"),
            },
            TreeStep::Close => writeln!(page, "{indent}</DL><p>"),
        };
    }
    page.push_str("</DL><p>\n");
    page
}

fn link(entry: &Entry, losses: &mut LossReport) -> String {
    if is_inside(&entry.url) {
        losses.entry(&entry.label(), INSIDE);
        return String::new();
    }
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
        // Blanks directly behind the tag are no indentation.
        let is_indented = entry.note.starts_with([' ', '\t']);
        let line_end = if is_indented { "\n" } else { "" };
        // Writing to a string cannot fail.
        let _ = writeln!(link, "<DD>{line_end}{}", escaped(&entry.note));
    }
    link
}
