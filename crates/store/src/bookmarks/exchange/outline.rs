//! Lists of links below headings: gemtext, Org and Markdown. Headings are folders.
//!
//! ```text
//! gemtext    "=>" URL [ blank title ]   ; "#" heading; "* " or ">" below a link is its note
//! Org        "[[" URL "][" title "]]"   ; "*" heading [ ":" tag ":" ]
//! Markdown   "[" title "](" URL ")"     ; "#" heading
//! ```
//!
//! Text behind the only link of a line of Org or Markdown is its note. Other URLs are entries without a title, pictures
//! of Markdown none. The only heading
//! of the first depth, at the start of gemtext or Markdown, is the title of the list and no folder. Code blocks are
//! skipped.

use rfc1738::leading_scheme;

use super::builder::TreeBuilder;
use super::delimited::{Link, links, markdown, org};
use super::tree::{BookmarkTree, Entry};

/// Syntax of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    Gemtext,
    Org,
    Markdown,
}

impl Syntax {
    /// Returns the depth and the text of a heading.
    fn heading(self, line: &str) -> Option<(usize, &str)> {
        let sign = if self == Self::Org { '*' } else { '#' };
        let text = line.trim_start_matches(sign);
        let depth = line.len() - text.len();
        let is_apart = self == Self::Gemtext || text.starts_with([' ', '\t']);
        let text = text.trim();
        let text = match self {
            Self::Markdown => text.trim_end_matches('#').trim_end(),
            Self::Gemtext | Self::Org => text,
        };
        (depth > 0 && is_apart && !text.is_empty()).then_some((depth, text))
    }

    /// Returns true if a line begins or ends a code block.
    fn is_fence(self, line: &str) -> bool {
        let line = line.trim_start();
        match self {
            Self::Gemtext => line.starts_with("```"),
            Self::Markdown => line.starts_with("```") || line.starts_with("~~~"),
            Self::Org => {
                let word = line.get(..8).unwrap_or_default();
                word.eq_ignore_ascii_case("#+begin_")
                    || line.to_ascii_lowercase().starts_with("#+end_")
            }
        }
    }

    /// Returns true if a line is part of the syntax, without a text.
    fn is_mark(self, line: &str) -> bool {
        let line = line.trim();
        let is_drawer = line
            .strip_prefix(':')
            .is_some_and(|name| name.contains(':'));
        line.is_empty() || self == Self::Org && (line.starts_with("#+") || is_drawer)
    }
}

/// Returns the link of a line of gemtext: URL and title.
pub(super) fn gemtext_link(line: &str) -> Option<(&str, &str)> {
    let link = line.strip_prefix("=>")?.trim();
    let end = link.find([' ', '\t']).unwrap_or(link.len());
    let (url, title) = link.split_at(end);
    (!url.is_empty()).then(|| (url, title.trim()))
}

pub(super) fn read(text: &str, syntax: Syntax) -> BookmarkTree {
    let mut outline = Outline {
        syntax,
        builder: TreeBuilder::default(),
        open: Vec::new(),
    };
    let title = title_line(text, syntax);
    let mut is_code = false;
    let mut lines = text.lines().enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        let next = lines.peek().map_or("", |(_, next)| *next);
        let joined = joined(line, next, syntax);
        let line = joined.as_deref().unwrap_or(line);
        if joined.is_some() {
            lines.next();
        }
        outline.builder.at_line(number);
        if syntax.is_fence(line) {
            is_code = !is_code;
        } else if is_code {
            outline.builder.losses().part("lines of code");
        } else if let Some(date) = created(line, syntax) {
            let added = outline.builder.date(&date);
            if let Some(entry) = outline.builder.last() {
                entry.added = added;
            }
        } else if title != Some(number) && !syntax.is_mark(line) {
            outline.line(line);
        }
    }
    outline.builder.finish()
}

/// Returns two lines of Org as one, if a link begins in the first one and ends in the next.
fn joined(line: &str, next: &str, syntax: Syntax) -> Option<String> {
    let begun = line.rfind("[[").and_then(|at| line.get(at..))?;
    let is_open = syntax == Syntax::Org && !begun.contains("]]") && next.contains("]]");
    is_open.then(|| format!("{} {}", line.trim_end(), next.trim_start()))
}

/// Returns the date of a property `:CREATED: [2024-05-01 Wed 10:00]` of Org, without the day of the week.
fn created(line: &str, syntax: Syntax) -> Option<String> {
    let date = line.trim().strip_prefix(":CREATED:")?.trim();
    let date = date.trim_matches(['[', ']', '<', '>']).split(' ');
    let words: Vec<&str> = date
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    (syntax == Syntax::Org).then(|| words.join(" "))
}

/// Returns the number of the line that is the title of the whole list.
fn title_line(text: &str, syntax: Syntax) -> Option<usize> {
    let lines = text.lines().enumerate();
    let mut lines = lines.filter(|(_, line)| !line.trim().is_empty()).peekable();
    let is_top = |line: &str| matches!(syntax.heading(line), Some((1, _)));
    let (first, _) = lines.next_if(|(_, line)| syntax != Syntax::Org && is_top(line))?;
    (!lines.any(|(_, line)| is_top(line))).then_some(first)
}

/// Reader of the lines of a list.
struct Outline {
    syntax: Syntax,
    builder: TreeBuilder,
    /// Depths of the headings around the line.
    open: Vec<usize>,
}

impl Outline {
    fn line(&mut self, line: &str) {
        if self.syntax == Syntax::Gemtext {
            return self.gemtext(line);
        }
        let is_org = self.syntax == Syntax::Org;
        let mut found = links(line, if is_org { org } else { markdown });
        let all = found.len();
        found.retain(|link| !link.is_picture);
        let pictures = all - found.len();
        self.builder.losses().count(pictures, "pictures");
        if found.is_empty() && pictures > 0 {
            return;
        }
        let heading = self.syntax.heading(line);
        if let Some((depth, _)) = heading.filter(|_| !found.is_empty()) {
            // A heading that is a link belongs to the folder around it.
            self.close(depth);
        }
        match (found.as_slice(), heading) {
            ([], Some((depth, name))) => self.open(depth, name),
            ([], None) => self.text(line),
            ([one], _) => {
                let after = line.get(one.range.end..).unwrap_or_default();
                let (text, tags) = split_tags(after, self.syntax);
                self.add(one, tags);
                self.builder
                    .note(text.trim_start_matches([' ', ':', '-', '–', '—']));
            }
            (more, _) => {
                for one in more {
                    self.add(one, Vec::new());
                }
            }
        }
    }

    fn add(&mut self, link: &Link<'_>, tags: Vec<String>) {
        self.builder.entry(&Entry {
            title: link.title.to_owned(),
            url: link.url.to_string(),
            tags,
            ..Entry::default()
        });
    }

    fn gemtext(&mut self, line: &str) {
        if let Some((url, title)) = gemtext_link(line) {
            if leading_scheme(url).is_some() {
                self.builder.link(title, url);
            } else {
                let label = if title.is_empty() { url } else { title };
                self.builder.leave_out(label, "its URL is relative");
            }
        } else if let Some((depth, name)) = self.syntax.heading(line) {
            self.open(depth, name);
        } else {
            let note = line.strip_prefix("* ").or_else(|| line.strip_prefix('>'));
            match note.filter(|_| self.builder.last().is_some()) {
                Some(note) => self.builder.note(note.trim()),
                None => self.text(line),
            }
        }
    }

    /// Handles a line without a link: a note if it is indented below one.
    fn text(&mut self, line: &str) {
        let is_note = self.syntax != Syntax::Gemtext && line.starts_with("  ");
        if is_note && self.builder.last().is_some() {
            self.builder.note(line.trim());
        } else {
            self.builder.losses().part("lines without a URL");
        }
    }

    fn open(&mut self, depth: usize, name: &str) {
        let (name, tags) = split_tags(name, self.syntax);
        self.builder.losses().count(tags.len(), "tags of headings");
        self.close(depth);
        self.builder.open(name);
        self.open.push(depth);
    }

    /// Closes the folders of headings from this depth on.
    fn close(&mut self, depth: usize) {
        self.open
            .truncate(self.open.partition_point(|&above| above < depth));
        self.builder.close_to(self.open.len());
    }
}

/// Splits the tags of Org off the end of a line: `text :tag1:tag2:`.
fn split_tags(text: &str, syntax: Syntax) -> (&str, Vec<String>) {
    let text = text.trim();
    let at = text.rfind([' ', '\t']).map_or(0, |at| at + 1);
    let (before, last) = text.split_at(at);
    let tags = last
        .strip_prefix(':')
        .and_then(|tags| tags.strip_suffix(':'));
    match tags.filter(|tags| syntax == Syntax::Org && !tags.is_empty()) {
        Some(tags) => (
            before.trim_end(),
            tags.split(':').map(str::to_owned).collect(),
        ),
        None => (text, Vec::new()),
    }
}
