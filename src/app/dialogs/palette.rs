//! The palette: commands, topics, settings, themes, bookmarks and visited pages, found by scattered letters.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use tui_input::Input;

use crate::app::action::{Action, Scope};
use crate::app::manual::{TOPICS, setting_lines};
use crate::app::theme::ThemeName;
use crate::bookmarks::Bookmarks;
use crate::document::OutlineEntry;
use crate::keymap::{KeyContext, Keymap};
use crate::net::shown_url;
use crate::text::Text;
use crate::url::Url;

/// The maximum number of bookmarks that are searched, which takes a few milliseconds.
const MAX_BOOKMARKS: usize = 20_000;

/// The maximum number of matches of each group.
const MAX_MATCHES: usize = 100;

/// The highest level of a heading that is indented further.
const MAX_INDENT: usize = 5;

/// A line of input, and what matches it.
#[derive(Clone, Debug)]
pub struct Palette {
    /// The text that the user types.
    pub input: Input,
    /// The index of the chosen entry among the matches, from 0.
    pub chosen: usize,
    /// The theme when the palette was opened.
    pub theme: ThemeName,
    entries: Vec<PaletteEntry>,
    bookmarks: Bookmarks,
    /// The visited pages, the latest first.
    visits: Vec<PaletteEntry>,
    matches: Vec<PaletteEntry>,
}

/// An entry of the palette.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaletteEntry {
    /// The heading above the entries of this kind.
    pub group: &'static str,
    /// The name.
    pub name: String,
    /// The description.
    pub doc: String,
    /// The keys, or the URL of a bookmark.
    pub keys: String,
    /// The only part of the screen where the command works, if it does not work now.
    pub only: Option<&'static str>,
    /// The effect of Enter.
    pub target: PaletteTarget,
}

/// The effect of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaletteTarget {
    /// An action is run.
    Action(Action),
    /// A theme is used; it is previewed while its entry is chosen.
    Theme(ThemeName),
    /// A page is opened.
    Page(Text, Url),
    /// The shown page scrolls to a row.
    Row(usize),
}

impl Palette {
    /// Creates the palette; `contexts` are in force, and `recent` were run last, the latest first.
    pub fn new(
        keymap: &Keymap,
        contexts: &[KeyContext],
        recent: &[Action],
        bookmarks: Bookmarks,
        visits: Vec<PaletteEntry>,
        theme: ThemeName,
    ) -> Self {
        let command = |action: Action, group| command(action, group, keymap, contexts);
        let mut entries: Vec<PaletteEntry> = Vec::new();
        entries.extend(recent.iter().map(|action| command(*action, Some("Recent"))));
        for context in KeyContext::ALL {
            let of_context = Action::ALL.iter().copied().filter(|action| {
                let bound = keymap.contexts_of(*action);
                let first = bound.first().copied().unwrap_or(KeyContext::Global);
                first == context && !recent.contains(action)
            });
            entries.extend(of_context.map(|action| command(action, None)));
        }
        entries.extend(TOPICS.iter().filter_map(|topic| {
            let name = format!("help {}", topic.name);
            let address = format!("geomys:help/{}", topic.name);
            page("Help", name, topic.subject, &address)
        }));
        entries.extend(ThemeName::ALL.iter().map(|theme| PaletteEntry {
            group: "Themes",
            name: format!("theme {}", theme.name()),
            doc: "colours of the browser".to_owned(),
            keys: String::new(),
            only: None,
            target: PaletteTarget::Theme(*theme),
        }));
        entries.extend(setting_lines().into_iter().filter_map(|(name, value)| {
            let value = format!("= {value}");
            page("Settings", name, &value, "geomys:help/config")
        }));
        let matches = entries.clone();
        Self {
            input: Input::default(),
            chosen: 0,
            theme,
            entries,
            bookmarks,
            visits,
            matches,
        }
    }

    /// Creates the palette of the headings of a page.
    pub fn outline(headings: Vec<OutlineEntry>, theme: ThemeName) -> Self {
        let entry = |heading: OutlineEntry| PaletteEntry {
            group: "Headings",
            name: format!(
                "{}{}",
                "  ".repeat(heading.level.saturating_sub(1).min(MAX_INDENT)),
                heading.text
            ),
            doc: String::new(),
            keys: String::new(),
            only: None,
            target: PaletteTarget::Row(heading.row),
        };
        let entries: Vec<PaletteEntry> = headings.into_iter().map(entry).collect();
        Self {
            input: Input::default(),
            chosen: 0,
            theme,
            matches: entries.clone(),
            entries,
            bookmarks: Bookmarks::default(),
            visits: Vec::new(),
        }
    }

    /// Returns the entries that match, best first; with nothing typed, recent commands and all others by context.
    pub fn matches(&self) -> &[PaletteEntry] {
        &self.matches
    }

    /// Returns the entry of Enter.
    pub fn entry(&self) -> Option<&PaletteEntry> {
        self.matches.get(self.chosen)
    }

    /// Finds the entries that match the typed text.
    pub(crate) fn search(&mut self) {
        self.chosen = 0;
        let typed = self.input.value().trim().to_lowercase();
        if typed.is_empty() {
            self.matches.clone_from(&self.entries);
            return;
        }
        let mut scorer = EntryScorer::new(&typed);
        let found = self.entries.iter().filter_map(|entry| {
            let score = scorer.score(&entry.name, &entry.doc)?;
            Some((score, entry.clone()))
        });
        let mut found: Vec<(u32, PaletteEntry)> = found.collect();
        let pages = bookmark_entries(&self.bookmarks).chain(self.visits.iter().cloned());
        let pages = pages.filter_map(|page| Some((scorer.score(&page.name, &page.keys)?, page)));
        let mut pages: Vec<(u32, PaletteEntry)> = pages.collect();
        pages.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        found.extend(pages.into_iter().take(MAX_MATCHES));
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        // The groups are in the order of their best entries.
        let mut groups: Vec<&str> = Vec::new();
        for (_, entry) in &found {
            if !groups.contains(&entry.group) {
                groups.push(entry.group);
            }
        }
        found.sort_by_key(|(_, entry)| groups.iter().position(|group| *group == entry.group));
        self.matches = found.into_iter().map(|(_, entry)| entry).collect();
    }
}

impl PaletteEntry {
    /// Returns the title and the URL of the page.
    pub fn page(&self) -> Option<(&Text, &Url)> {
        match &self.target {
            PaletteTarget::Page(title, url) => Some((title, url)),
            PaletteTarget::Action(_) | PaletteTarget::Theme(_) | PaletteTarget::Row(_) => None,
        }
    }

    /// Returns the URL of the page.
    pub fn url(&self) -> Option<&Url> {
        self.page().map(|(_, url)| url)
    }
}

/// A fuzzy match of entries with the typed text.
pub(crate) struct EntryScorer {
    pattern: Pattern,
    matcher: Matcher,
    buffer: Vec<char>,
    /// The typed text in lower case, with blanks for hyphens.
    plain: String,
}

impl EntryScorer {
    pub(crate) fn new(typed: &str) -> Self {
        let kind = AtomKind::Fuzzy;
        Self {
            pattern: Pattern::new(typed, CaseMatching::Ignore, Normalization::Smart, kind),
            matcher: Matcher::new(Config::DEFAULT),
            buffer: Vec::new(),
            plain: typed.replace('-', " ").to_lowercase(),
        }
    }

    /// Returns the score of a name and its description, higher if the name starts with the text; `None` without a match.
    pub(crate) fn score(&mut self, name: &str, doc: &str) -> Option<u32> {
        let haystack = format!("{name} {doc}");
        let haystack = Utf32Str::new(&haystack, &mut self.buffer);
        let score = self.pattern.score(haystack, &mut self.matcher)?;
        let plain = name.replace('-', " ").to_lowercase();
        let starts = plain.starts_with(&self.plain);
        Some(score + if starts { 1000 } else { 0 })
    }
}

/// Returns the entries of the bookmarks.
pub(crate) fn bookmark_entries(bookmarks: &Bookmarks) -> impl Iterator<Item = PaletteEntry> {
    let bookmarks = bookmarks.bookmarks().take(MAX_BOOKMARKS);
    bookmarks.filter_map(|bookmark| {
        let title = bookmark.title();
        let name = title.as_str().to_owned();
        Some(page_of("Bookmarks", name, "", title, bookmark.url().ok()?))
    })
}

/// The entry of an action, below the heading of its context if there is no other one.
fn command(
    action: Action,
    group: Option<&'static str>,
    keymap: &Keymap,
    contexts: &[KeyContext],
) -> PaletteEntry {
    let bound = keymap.contexts_of(action);
    let first = bound.first().copied().unwrap_or(KeyContext::Global);
    let is_anywhere = match action.scope() {
        Scope::Bookmarks | Scope::Transfers => true,
        Scope::Any | Scope::Link | Scope::Page | Scope::Form => {
            let always = [
                KeyContext::Global,
                KeyContext::Bookmarks,
                KeyContext::Transfers,
            ];
            bound.is_empty() || bound.iter().any(|of| always.contains(of))
        }
    };
    let works = is_anywhere || bound.iter().any(|of| contexts.contains(of));
    PaletteEntry {
        group: group.unwrap_or(first.heading()),
        name: action.name().to_owned(),
        doc: action.doc().to_owned(),
        keys: keymap.keys_of(action).join("  "),
        only: (!works).then_some(first.heading()),
        target: PaletteTarget::Action(action),
    }
}

/// The entry of a built-in page.
fn page(group: &'static str, name: String, doc: &str, address: &str) -> Option<PaletteEntry> {
    let url = Url::accept(address).ok()?;
    Some(page_of(group, name, doc, Text::default(), url))
}

/// The entry of a visited page.
pub(crate) fn visit(title: &str, url: Url) -> PaletteEntry {
    let title = Text::of(title);
    page_of("History", title.as_str().to_owned(), "", title, url)
}

/// The entry of a page.
pub(crate) fn page_of(
    group: &'static str,
    name: String,
    doc: &str,
    title: Text,
    url: Url,
) -> PaletteEntry {
    PaletteEntry {
        group,
        name,
        doc: doc.to_owned(),
        keys: if title.is_blank() {
            String::new()
        } else {
            shown_url(&url).into_owned()
        },
        only: None,
        target: PaletteTarget::Page(title, url),
    }
}
