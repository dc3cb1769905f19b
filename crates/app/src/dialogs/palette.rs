//! The palette: commands, topics, themes and settings by their names; below them what else the words are found in:
//! descriptions, bookmarks and visited pages.
//!
//! Enter runs a row that the typed text names. Any other row has to be chosen with an arrow first.

use std::cmp::Reverse;
use std::sync::Arc;

use geomys_page::document::OutlineEntry;
use geomys_store::bookmarks::{Bookmark, Bookmarks};
use geomys_wire::net::shown_url;
use geomys_wire::text::Text;
use rfc1738::{Dialect, Url};
use tui_input::Input;

use crate::action::{Action, Scope};
use crate::config_report::{ConfigReport, SettingLine};
use crate::dialogs::name_match::{EntryScorer, NameMatch, name_match, plain};
use crate::dialogs::query_rows::{BOOKMARKS, QueryMatches, SearchedBookmarks};
use crate::dialogs::words::{Meaning, meanings, with_synonyms, words_for};
use crate::keymap::{KeyContext, Keymap};
use crate::manual::TOPICS;
use crate::settings::Settings;
use crate::theme::ThemeName;

/// The heading of the topics of the manual.
const HELP: &str = "Help";

/// The heading of the settings.
const SETTINGS: &str = "Settings";

/// The maximum number of commands of the page that are shown before anything is typed.
const MAX_HERE: usize = 8;

/// The commands and words that are shown last before anything is typed.
const ALSO: [&str; 11] = [
    "home", "follow", "search", "sync", "mirror", "archive", "import", "theme", "set", "config",
    "help",
];

/// The maximum number of bookmarks that are searched, which takes a few milliseconds.
const MAX_BOOKMARKS: usize = 20_000;

/// The maximum number of matches of each group.
const MAX_MATCHES: usize = 100;

/// The highest level of a heading that is indented further.
const MAX_INDENT_LEVEL: usize = 5;

/// A line of input, and what matches it.
#[derive(Clone, Debug)]
pub struct Palette {
    /// The text that the user types.
    pub input: Input,
    /// The index of the chosen entry among the matches, from 0; `None` until the text names one, or an arrow is
    /// pressed.
    pub chosen: Option<usize>,
    /// The theme when the palette was opened.
    pub theme: ThemeName,
    kind: PaletteKind,
    entries: Vec<PaletteEntry>,
    /// What is shown before anything is typed.
    at_rest: Vec<PaletteEntry>,
    bookmarks: SearchedBookmarks,
    /// The bookmarks that match the last query.
    queried: QueryMatches,
    /// The rows of the bookmarks; `None` until a text is typed that is no query.
    bookmark_rows: Option<Arc<Vec<PaletteEntry>>>,
    /// The visited pages, the latest first.
    visits: Vec<PaletteEntry>,
    config: Arc<ConfigReport>,
    matches: Vec<PaletteEntry>,
    /// The number of matches whose names match: they come first.
    named: usize,
}

/// The contents of a palette.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PaletteKind {
    /// Commands, and pages to open.
    Commands,
    /// The headings of a page: the best match is chosen at once.
    Headings,
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
    /// A setting gets the value.
    Set(String, String),
    /// The palette goes on with this text in its input.
    Type(String),
    /// The user's editor opens a file, by its name or the name of a setting.
    Edit(String),
}

impl Palette {
    /// Creates the palette with a typed text; `contexts` are in force, the page offers the actions `here`, and `recent`
    /// were run last, the latest first.
    pub fn new(
        text: String,
        (keymap, contexts): (&Keymap, &[KeyContext]),
        (here, recent): (&[Action], &[Action]),
        bookmarks: SearchedBookmarks,
        visits: Vec<PaletteEntry>,
        settings: &Settings,
    ) -> Self {
        let entries = commands(keymap, contexts, settings);
        let mut palette = Self {
            input: text.into(),
            at_rest: at_rest(&entries, here, recent),
            bookmarks,
            visits,
            config: Arc::clone(&settings.config),
            ..Self::of(PaletteKind::Commands, entries, settings.theme)
        };
        palette.search();
        palette
    }

    /// Creates the palette of the headings of a page.
    pub fn outline(headings: Vec<OutlineEntry>, theme: ThemeName) -> Self {
        let of_heading = |heading: OutlineEntry| {
            let indent = "  ".repeat(heading.level.saturating_sub(1).min(MAX_INDENT_LEVEL));
            let name = format!("{indent}{}", heading.text);
            let target = PaletteTarget::Row(heading.row);
            entry("Headings", name, String::new(), target)
        };
        let entries = headings.into_iter().map(of_heading).collect();
        Self::of(PaletteKind::Headings, entries, theme)
    }

    fn of(kind: PaletteKind, entries: Vec<PaletteEntry>, theme: ThemeName) -> Self {
        let mut palette = Self {
            input: Input::default(),
            chosen: None,
            theme,
            kind,
            at_rest: entries.clone(),
            entries,
            bookmarks: SearchedBookmarks::default(),
            queried: QueryMatches::default(),
            bookmark_rows: None,
            visits: Vec::new(),
            config: Arc::default(),
            matches: Vec::new(),
            named: 0,
        };
        palette.search();
        palette
    }

    /// Returns the entries that match, those that the text names first; with nothing typed, a few commands: those of
    /// the page, those that were run last, and those that are good to know.
    pub fn matches(&self) -> &[PaletteEntry] {
        &self.matches
    }

    /// Returns the number of matches that the text names: the others are below a rule.
    pub fn named(&self) -> usize {
        self.named
    }

    /// Returns true if nothing is typed.
    pub fn is_empty(&self) -> bool {
        plain(self.input.value()).is_empty()
    }

    /// Returns the entry of Enter.
    pub fn entry(&self) -> Option<&PaletteEntry> {
        self.matches.get(self.chosen?)
    }

    /// Chooses the next entry.
    pub fn next(&mut self) {
        let next = self.chosen.map_or(0, |chosen| chosen + 1);
        self.chosen = self.matches.len().checked_sub(1).map(|last| next.min(last));
    }

    /// Chooses the entry before.
    pub(crate) fn previous(&mut self) {
        self.chosen = self.chosen.map(|chosen| chosen.saturating_sub(1));
    }

    /// Takes bookmarks and visits that were read, or that have changed, since it was opened. The chosen entry stays
    /// chosen; if it is gone, none is, so that Enter runs nothing that was not seen.
    pub(crate) fn set_pages(&mut self, bookmarks: SearchedBookmarks, visits: Vec<PaletteEntry>) {
        if self.kind != PaletteKind::Commands {
            return;
        }
        (self.bookmarks, self.visits) = (bookmarks, visits);
        (self.queried, self.bookmark_rows) = (QueryMatches::default(), None);
        let chosen = self.entry().cloned();
        self.search();
        if let Some(chosen) = chosen {
            self.chosen = self.matches.iter().position(|entry| *entry == chosen);
        }
    }

    /// Finds the entries that match the typed text.
    pub fn search(&mut self) {
        let typed = plain(self.input.value());
        match self.kind {
            _ if typed.is_empty() => {
                self.matches.clone_from(&self.at_rest);
                self.named = self.matches.len();
                let is_list = self.kind == PaletteKind::Headings && self.named > 0;
                self.chosen = is_list.then_some(0);
            }
            PaletteKind::Commands => {
                let text = self.input.value();
                let mut rows = setting_entries(&self.config, text);
                if rows.is_empty() {
                    rows = self.bookmarks.completing(text);
                    let queried = &mut self.queried;
                    rows.extend(self.bookmarks.matching(text, queried).take(MAX_MATCHES));
                }
                if rows.is_empty() {
                    return self.search_commands(&typed);
                }
                self.named = rows.len();
                self.matches = rows;
                self.chosen = Some(0);
            }
            PaletteKind::Headings => {
                let mut scorer = EntryScorer::new(&typed);
                self.matches = best(self.entries.iter().cloned(), |entry| {
                    scorer.score(&entry.name, &entry.doc)
                });
                self.named = self.matches.len();
                self.chosen = (self.named > 0).then_some(0);
            }
        }
    }

    /// Finds the commands, topics and themes that the text names, and below them where else its words are found.
    fn search_commands(&mut self, typed: &str) {
        let mut named = Vec::new();
        let mut others = Vec::new();
        for entry in &self.entries {
            match entry.name_match(typed) {
                Some((found, word)) => {
                    let is_own = word.is_none();
                    let is_whole = is_own && found == NameMatch::Whole;
                    let is_guarded = !is_whole && entry.needs_whole_name();
                    let place = word.map_or(0, |word| entry.place_of(word));
                    let named_entry = match word {
                        Some(word) => entry.with_word(word),
                        None => entry.clone(),
                    };
                    // A setting changes nothing yet, and comes after the commands.
                    let is_setting = entry.group == SETTINGS;
                    let order = (found, is_setting, is_guarded, entry.only.is_some(), place);
                    named.push((order, is_guarded, named_entry));
                }
                None => others.push(entry.clone()),
            }
        }
        named.sort_by_key(|(order, ..)| *order);
        let is_chosen = named.first().is_some_and(|(_, is_guarded, _)| !is_guarded);
        self.chosen = is_chosen.then_some(0);
        self.named = named.len();
        let bookmarks = &self.bookmarks.bookmarks;
        let rows = self
            .bookmark_rows
            .get_or_insert_with(|| Arc::new(bookmark_entries(bookmarks).collect()));
        let pages = rows.iter().chain(&self.visits);
        let found = found_elsewhere(typed, others, pages);
        let named = named.into_iter().map(|(.., entry)| entry);
        self.matches = named.chain(found).collect();
    }
}

/// Returns the entries whose names, descriptions or URLs have the typed words, in groups, the group of the best one
/// first.
fn found_elsewhere<'a>(
    typed: &str,
    entries: Vec<PaletteEntry>,
    pages: impl Iterator<Item = &'a PaletteEntry>,
) -> Vec<PaletteEntry> {
    let meant = with_synonyms(typed);
    let mut scorers = vec![EntryScorer::new(typed)];
    scorers.extend((meant != typed).then(|| EntryScorer::new(&meant)));
    let mut score = |name: &str, doc: &str| {
        let scores = scorers.iter_mut();
        scores
            .filter_map(|scorer| scorer.score_in_words(name, doc))
            .max()
    };
    let mut found: Vec<(u32, PaletteEntry)> = Vec::new();
    found.extend(entries.into_iter().filter_map(|entry| {
        let score = score(&entry.name, &entry.doc)?;
        Some((score, entry))
    }));
    let pages = pages.filter_map(|page| Some((score(&page.name, &page.keys)?, page)));
    let mut pages: Vec<(u32, &PaletteEntry)> = pages.collect();
    pages.sort_by_key(|(score, _)| Reverse(*score));
    let best = pages.into_iter().take(MAX_MATCHES);
    found.extend(best.map(|(score, page)| (score, page.clone())));
    found.sort_by_key(|(score, _)| Reverse(*score));
    let mut groups: Vec<&str> = Vec::new();
    for (_, entry) in &found {
        if !groups.contains(&entry.group) {
            groups.push(entry.group);
        }
    }
    found.sort_by_key(|(_, entry)| groups.iter().position(|group| *group == entry.group));
    found.into_iter().map(|(_, entry)| entry).collect()
}

/// Returns the entries with a score, the best first.
fn best(
    entries: impl Iterator<Item = PaletteEntry>,
    mut score: impl FnMut(&PaletteEntry) -> Option<u32>,
) -> Vec<PaletteEntry> {
    let scored = entries.filter_map(|entry| Some((score(&entry)?, entry)));
    let mut scored: Vec<(u32, PaletteEntry)> = scored.collect();
    scored.sort_by_key(|(score, _)| Reverse(*score));
    scored.into_iter().map(|(_, entry)| entry).collect()
}

impl PaletteEntry {
    /// Returns the match of the typed text with the name, or with a word of the table for it and that word; `None` for
    /// an entry that no name runs.
    fn name_match(&self, typed: &str) -> Option<(NameMatch, Option<&'static str>)> {
        if matches!(self.target, PaletteTarget::Row(_))
            || self.url().is_some() && self.group != HELP
        {
            return None;
        }
        let by_word = words_for(|meaning| self.is_meant(meaning))
            .filter_map(|word| Some((name_match(word, typed)?, Some(word))));
        let by_name = name_match(&self.name, typed).map(|found| (found, None));
        by_name.into_iter().chain(by_word).min()
    }

    /// Returns true if a word of the table means the entry.
    fn is_meant(&self, meaning: &Meaning) -> bool {
        match (meaning, &self.target) {
            (Meaning::Command(action), PaletteTarget::Action(own)) => action == own,
            (Meaning::File(name), PaletteTarget::Edit(file)) => name == file,
            (Meaning::Setting(name), PaletteTarget::Type(_)) => *name == self.name,
            (Meaning::Topic(name), PaletteTarget::Page(..)) => {
                self.group == HELP && self.name.strip_prefix("help ") == Some(name)
            }
            _ => false,
        }
    }

    /// Returns true if the table says that this word means the entry.
    pub(crate) fn is_meant_by(&self, word: &str) -> bool {
        meanings(word).iter().any(|meaning| self.is_meant(meaning))
    }

    /// Returns the place of the entry among what a word of the table means, from 1.
    fn place_of(&self, word: &str) -> usize {
        let mut meanings = meanings(word).iter();
        meanings
            .position(|meaning| self.is_meant(meaning))
            .map_or(1, |place| place + 1)
    }

    /// Returns the entry with the word that was typed for it.
    fn with_word(&self, word: &str) -> Self {
        let name = format!("{} ({word})", self.name);
        Self {
            name,
            ..self.clone()
        }
    }

    /// Returns the entries that a typed word names as a whole, the closest first: by the name of a command, or by a
    /// word of the table.
    pub(crate) fn named_by(entries: &[Self], word: &str) -> Vec<Self> {
        let typed = plain(word);
        let own = entries.iter().filter(|entry| {
            matches!(entry.target, PaletteTarget::Action(_)) && plain(&entry.name) == typed
        });
        let own = own.cloned();
        let meant = meanings(&typed).iter().filter_map(|meaning| {
            let entry = entries.iter().find(|entry| entry.is_meant(meaning));
            entry.map(|entry| entry.with_word(&typed))
        });
        own.chain(meant).collect()
    }

    /// Returns true for a command that a part of its name does not run.
    fn needs_whole_name(&self) -> bool {
        match self.target {
            PaletteTarget::Action(action) => action.needs_whole_name(),
            PaletteTarget::Theme(_)
            | PaletteTarget::Page(..)
            | PaletteTarget::Row(_)
            | PaletteTarget::Set(..)
            | PaletteTarget::Type(_)
            | PaletteTarget::Edit(_) => false,
        }
    }

    /// Returns true if Enter may carry it out for a word that was typed as a URL: it deletes and sends nothing, and
    /// fetches nothing but a page.
    pub(crate) fn is_harmless(&self) -> bool {
        match self.target {
            PaletteTarget::Action(action) => action.is_harmless() && self.only.is_none(),
            PaletteTarget::Theme(_)
            | PaletteTarget::Page(..)
            | PaletteTarget::Row(_)
            | PaletteTarget::Set(..)
            | PaletteTarget::Type(_)
            | PaletteTarget::Edit(_) => true,
        }
    }

    /// Returns the title and the URL of the page.
    pub fn page(&self) -> Option<(&Text, &Url)> {
        match &self.target {
            PaletteTarget::Page(title, url) => Some((title, url)),
            PaletteTarget::Action(_)
            | PaletteTarget::Theme(_)
            | PaletteTarget::Row(_)
            | PaletteTarget::Set(..)
            | PaletteTarget::Type(_)
            | PaletteTarget::Edit(_) => None,
        }
    }

    /// Returns the URL of the page.
    pub fn url(&self) -> Option<&Url> {
        self.page().map(|(_, url)| url)
    }
}

/// Returns the entries of the bookmarks.
pub(crate) fn bookmark_entries(bookmarks: &Bookmarks) -> impl Iterator<Item = PaletteEntry> {
    let bookmarks = bookmarks.bookmarks().take(MAX_BOOKMARKS);
    bookmarks.filter_map(|bookmark| bookmark_entry(&bookmark))
}

/// Returns the entry of a bookmark; `None` for a URL with a fault that no repair is known for.
pub(crate) fn bookmark_entry(bookmark: &Bookmark<'_>) -> Option<PaletteEntry> {
    let title = bookmark.title();
    let name = title.as_str().to_owned();
    let url = bookmark.repaired_url().ok()?;
    Some(page_of(BOOKMARKS, name, "", title, url))
}

/// Returns the entries of all commands, topics, themes, files and settings. `contexts` are in force.
pub(crate) fn commands(
    keymap: &Keymap,
    contexts: &[KeyContext],
    settings: &Settings,
) -> Vec<PaletteEntry> {
    let mut entries: Vec<PaletteEntry> = Vec::new();
    for context in KeyContext::ALL {
        let of_context = Action::ALL.iter().copied().filter(|action| {
            let bound = keymap.contexts_of(*action);
            let first = bound.first().copied().unwrap_or(KeyContext::Global);
            first == context
        });
        entries.extend(of_context.map(|action| command(action, keymap, contexts)));
    }
    entries.extend(TOPICS.iter().filter_map(|topic| {
        let name = format!("help {}", topic.name);
        let address = format!("geomys:help/{}", topic.name);
        page(HELP, name, topic.subject, &address)
    }));
    entries.extend(ThemeName::ALL.iter().map(|theme| {
        let doc = "colours of the browser".to_owned();
        let name = format!("theme {}", theme.name());
        entry("Themes", name, doc, PaletteTarget::Theme(*theme))
    }));
    entries.extend(settings.config.files.iter().map(|(name, path)| {
        let doc = format!("edit {}", path.display());
        let target = PaletteTarget::Edit((*name).to_owned());
        entry("Files", format!("edit {name}"), doc, target)
    }));
    let settings = settings.config.settings.iter();
    entries.extend(settings.map(|setting| {
        let target = PaletteTarget::Type(format!("set {} {}", setting.name, setting.value));
        entry(SETTINGS, setting.name.clone(), setting.in_force(), target)
    }));
    entries
}

/// Returns what is shown before anything is typed: what the page can do, what was run last, and what is good to know.
fn at_rest(entries: &[PaletteEntry], here: &[Action], recent: &[Action]) -> Vec<PaletteEntry> {
    let of_action = |group: &'static str, action: &Action| {
        let is_action = |entry: &&PaletteEntry| matches!(&entry.target, PaletteTarget::Action(own) if own == action);
        let entry = entries.iter().find(is_action).cloned()?;
        Some(PaletteEntry { group, ..entry })
    };
    let works = |entry: &PaletteEntry| {
        entry.only.is_none() && entry.target != PaletteTarget::Action(Action::Palette)
    };
    let here = here
        .iter()
        .filter_map(|action| of_action("Here", action))
        .filter(works)
        .take(MAX_HERE);
    let recent = recent
        .iter()
        .filter_map(|action| of_action("Last used", action));
    let also = ALSO.iter().filter_map(|word| match Action::named(word) {
        Some(action) => of_action("Also", &action),
        None => {
            let doc = format!("type {word} and a blank");
            Some(entry(
                "Also",
                (*word).to_owned(),
                doc,
                PaletteTarget::Type(format!("{word} ")),
            ))
        }
    });
    let mut shown: Vec<PaletteEntry> = Vec::new();
    for entry in here.chain(recent).chain(also) {
        if shown.iter().all(|other| other.target != entry.target) {
            shown.push(entry);
        }
    }
    shown
}

/// The entry of an action, below the heading of its context.
fn command(action: Action, keymap: &Keymap, contexts: &[KeyContext]) -> PaletteEntry {
    let bound = keymap.contexts_of(action);
    let first = bound.first().copied().unwrap_or(KeyContext::Global);
    let is_anywhere = match action.scope() {
        Scope::Bookmarks | Scope::Transfers => true,
        Scope::Any | Scope::Link | Scope::Page => {
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
        group: first.heading(),
        name: action.name().to_owned(),
        doc: action.doc().to_owned(),
        keys: keymap.keys_of(action).join("  "),
        only: (!works).then_some(first.heading()),
        target: PaletteTarget::Action(action),
    }
}

/// Returns the entries of `set NAME`, `set NAME VALUE` and `edit NAME` for settings; none for another text.
fn setting_entries(config: &ConfigReport, typed: &str) -> Vec<PaletteEntry> {
    let Some((verb, rest)) = typed.trim_start().split_once(' ') else {
        return Vec::new();
    };
    let (name, value) = rest
        .trim_start()
        .split_once(' ')
        .unwrap_or((rest.trim(), ""));
    if !matches!(verb, "set" | "edit") || verb == "edit" && name.is_empty() {
        return Vec::new();
    }
    if verb == "set" && !value.trim().is_empty() {
        let value = value.trim();
        let known = config.settings.iter().find(|setting| setting.name == name);
        let doc = known.map_or(String::new(), |known| format!("now {}", known.in_force()));
        let target = PaletteTarget::Set(name.to_owned(), value.to_owned());
        return vec![entry(SETTINGS, format!("set {name} {value}"), doc, target)];
    }
    let is_file = |name: &str| {
        let mut files = config.files.iter();
        files.any(|(file, _)| file.starts_with(name))
    };
    if verb == "edit" && (is_file(name) || "keymap".starts_with(name)) {
        return Vec::new();
    }
    let matching = config.settings.iter().filter(|one| one.name.contains(name));
    let mut matching: Vec<&SettingLine> = matching.collect();
    matching.sort_by_key(|one| (one.name != name, !one.name.starts_with(name)));
    let entries = matching.into_iter().map(|one| {
        let target = match verb {
            "set" => PaletteTarget::Type(format!("set {} {}", one.name, one.value)),
            _ => PaletteTarget::Edit(one.name.clone()),
        };
        entry(
            SETTINGS,
            format!("{verb} {}", one.name),
            one.in_force(),
            target,
        )
    });
    entries.collect()
}

/// The entry of anything without keys.
pub(crate) fn entry(
    group: &'static str,
    name: String,
    doc: String,
    target: PaletteTarget,
) -> PaletteEntry {
    PaletteEntry {
        group,
        name,
        doc,
        keys: String::new(),
        only: None,
        target,
    }
}

/// The entry of a built-in page.
fn page(group: &'static str, name: String, doc: &str, address: &str) -> Option<PaletteEntry> {
    let url = Dialect::Extended.parse(address).ok()?;
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
