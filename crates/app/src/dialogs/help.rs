//! The help overlay: the keys that everybody wants, those of each context in force, and those that work elsewhere;
//! filtered by typed words, which also find commands without a key, topics and settings.

use geomys_wire::text;
use tui_input::Input;

use crate::action::Action;
use crate::dialogs::palette::{PaletteEntry, PaletteTarget};
use crate::dialogs::words::{Meaning, meanings, synonym};
use crate::keymap::{KeyContext, Keymap, write_keys};

/// The ten commands that everybody wants, as in the README.
pub const MOST_USED: [Action; 10] = [
    Action::Open,
    Action::Back,
    Action::Go,
    Action::Find,
    Action::BookmarkPage,
    Action::Bookmarks,
    Action::Download,
    Action::Home,
    Action::Palette,
    Action::Help,
];

/// The width of the keys of a command in a single column, in columns.
pub const KEY_COLUMNS: usize = 18;

/// The pairs of actions that share a row in a single column where it has room for a key of each, with the description
/// of both.
const PAIRS: &[(Action, Action, &str)] = &[
    (Action::RowDown, Action::RowUp, "move one row down, up"),
    (
        Action::PageDown,
        Action::PageUp,
        "scroll one screen down, up",
    ),
    (
        Action::HalfPageDown,
        Action::HalfPageUp,
        "scroll half a screen down, up",
    ),
    (Action::Top, Action::Bottom, "go to the top, the bottom"),
    (
        Action::NextLink,
        Action::PreviousLink,
        "go to the next, the previous link",
    ),
    (
        Action::LinkDown,
        Action::LinkUp,
        "next, previous visible link, or scroll",
    ),
    (
        Action::ScrollLeft,
        Action::ScrollRight,
        "scroll left, right",
    ),
    (
        Action::Up,
        Action::Root,
        "go up one level, to the server's root",
    ),
    (
        Action::FindNext,
        Action::FindPrevious,
        "go to the next, the previous match",
    ),
    (
        Action::MarkArticle,
        Action::MarkThread,
        "mark the article, the thread read or unread",
    ),
    (
        Action::EntryDown,
        Action::EntryUp,
        "move the bookmark down, up",
    ),
    (
        Action::ShiftDown,
        Action::ShiftUp,
        "move the transfer down, up",
    ),
    (
        Action::NextPane,
        Action::PreviousPane,
        "go to the next, the previous pane",
    ),
    (
        Action::WidenPane,
        Action::NarrowPane,
        "widen, narrow the pane or the bookmarks",
    ),
    (
        Action::NextTab,
        Action::PreviousTab,
        "go to the next, the previous tab",
    ),
    (
        Action::NextField,
        Action::PreviousField,
        "go to the next, the previous field",
    ),
    (
        Action::ZoomIn,
        Action::ZoomOut,
        "enlarge, reduce the picture",
    ),
    (
        Action::SortName,
        Action::SortSize,
        "sort by name, by size; again: reverse",
    ),
    (
        Action::SortDate,
        Action::SortKind,
        "sort by date, by kind; again: reverse",
    ),
    (
        Action::SortThread,
        Action::SortAuthor,
        "sort by thread, by author; again: reverse",
    ),
    (
        Action::SortSubject,
        Action::SortScore,
        "sort by subject, by score; again: reverse",
    ),
    (
        Action::CatchUp,
        Action::ResetGroup,
        "mark the group read, unread (asks)",
    ),
    (
        Action::Parent,
        Action::ThreadRoot,
        "go to the parent, the thread's first article",
    ),
    (
        Action::NextReply,
        Action::WholeThread,
        "go to the first reply; show the thread in its group",
    ),
    (
        Action::SaveThread,
        Action::SaveBinary,
        "save the thread as a mailbox, the binary attachment",
    ),
    (
        Action::CancelArticle,
        Action::Supersede,
        "cancel, supersede my article (asks)",
    ),
    (
        Action::OpenBeside,
        Action::OpenTab,
        "open in a new pane, in a new tab",
    ),
    (
        Action::Info,
        Action::CopyLink,
        "show details of the link, copy its URL",
    ),
    (Action::Source, Action::Wrap, "toggle the source, wrapping"),
    (
        Action::Later,
        Action::Identities,
        "show or hide the kept pages, client certificates",
    ),
    (
        Action::Transfers,
        Action::History,
        "show or hide the transfers, the history",
    ),
    (
        Action::BookmarkLink,
        Action::BookmarkLinks,
        "bookmark the link, all links of the page",
    ),
    (
        Action::Undo,
        Action::Redo,
        "undo, redo a change of bookmarks or marks",
    ),
    (
        Action::NewTab,
        Action::CloseTab,
        "open a new tab, close the tab",
    ),
    (
        Action::Cut,
        Action::Paste,
        "cut the bookmark or marked ones, paste below",
    ),
    (Action::Tags, Action::Note, "edit tags, edit the note"),
    (Action::Check, Action::CheckAll, "check the link, all links"),
];

/// The sign between two keys of a command: a blank is between the keys of a sequence.
pub const KEY_GAP: &str = ", ";

/// The width of a screen from which the list has two columns.
const TWO_COLUMNS: u16 = 100;

/// Returns the number of columns of the list on a screen of this width.
pub fn columns(width: u16) -> u16 {
    if width < TWO_COLUMNS { 1 } else { 2 }
}

/// The heading of the commands that do nothing where the help was opened.
const ELSEWHERE: &str = "Elsewhere";

/// The keys of all contexts, those in force first.
#[derive(Clone, Debug)]
pub struct HelpOverlay {
    /// The words that the user types.
    pub input: Input,
    /// The index of the chosen command among the matches, from 0.
    pub chosen: usize,
    sections: Vec<HelpSection>,
    /// The sections with one row for each pair of actions.
    paired: Vec<HelpSection>,
    /// The commands without a key, topics and settings, shown while something is typed.
    others: Vec<PaletteEntry>,
}

/// The keys of a context.
#[derive(Clone, Debug)]
struct HelpSection {
    heading: &'static str,
    commands: Vec<KeyedCommand>,
}

impl HelpSection {
    fn new(heading: &'static str) -> Self {
        Self {
            heading,
            commands: Vec::new(),
        }
    }

    /// Returns the number of commands of each part of the screen.
    fn counts(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let places = self.commands.chunk_by(|one, next| one.only == next.only);
        places.filter_map(|commands| {
            let place = commands.first()?.only?;
            Some((place, commands.len()))
        })
    }

    /// Adds an action, unless it has no key. One line stands for the keys of all tabs. `only` is the only part of the
    /// screen where it works, if it does not work now.
    fn add(&mut self, action: Action, mut keys: Vec<String>, only: Option<&'static str>) {
        if keys.is_empty() || matches!(action, Action::Tab(number) if number > 1) {
            return;
        }
        if action == Action::Tab(1) {
            keys.push("…".to_owned());
        }
        let doc = action.doc();
        self.commands.push(KeyedCommand {
            keys,
            action,
            doc,
            only,
        });
    }

    /// Returns the section with one row for each pair of actions.
    fn in_pairs(&self) -> Self {
        let mut commands: Vec<KeyedCommand> = Vec::with_capacity(self.commands.len());
        for command in &self.commands {
            let pair = |last: &&mut KeyedCommand| {
                let mut pairs = PAIRS.iter();
                let pair = pairs.find(|pair| (pair.0, pair.1) == (last.action, command.action));
                pair.filter(|_| last.only == command.only).copied()
            };
            let fits = |one: &String, other: &String| {
                text::width(one) + text::width(other) + KEY_GAP.len() <= KEY_COLUMNS
            };
            let last = commands.last_mut();
            let paired = last.and_then(|last| Some((pair(&last)?, last)));
            let key = command.keys.first();
            let key = key.filter(|key| {
                let last = paired.as_ref().and_then(|(_, last)| last.keys.first());
                last.is_some_and(|last| fits(last, key))
            });
            match paired.zip(key) {
                Some((((_, _, doc), last), key)) => {
                    last.keys.truncate(1);
                    last.keys.push(key.clone());
                    last.doc = doc;
                }
                None => commands.push(command.clone()),
            }
        }
        Self {
            heading: self.heading,
            commands,
        }
    }
}

/// An action with its keys in a context, or a pair of actions with the first key of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyedCommand {
    /// The keys as in keys.toml.
    pub keys: Vec<String>,
    /// The action, the first one of a pair.
    pub action: Action,
    /// The description.
    pub doc: &'static str,
    /// The only part of the screen where it works, if it does not work now.
    pub only: Option<&'static str>,
}

/// A line of the overlay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HelpLine<'a> {
    /// The name of a context.
    Heading(&'static str),
    /// The part of the screen where the commands below it work.
    Place(&'static str),
    /// A part of the screen, and the number of commands that work only there: its words list them. The first number is
    /// the index among the matches.
    Count(usize, &'static str, usize),
    /// A command; the number is its index among the matches.
    Command(usize, &'a KeyedCommand),
    /// A command without a key, a topic or a setting; the number is its index among the matches.
    Other(usize, &'a PaletteEntry),
    /// The blank line between two contexts.
    Blank,
}

impl HelpOverlay {
    /// Lists the keys of a keymap where these contexts are in force, the most specific first. A key that a more
    /// specific context has means something else below it: its meaning there is among the keys that work elsewhere.
    /// `entries` are those of the palette.
    pub fn new(keymap: &Keymap, in_force: &[KeyContext], entries: Vec<PaletteEntry>) -> Self {
        let has_no_key = |entry: &PaletteEntry| match entry.target {
            PaletteTarget::Action(action) => keymap.contexts_of(action).is_empty(),
            _ => true,
        };
        let mut most_used = HelpSection::new("Most used");
        let mut taken: Vec<String> = Vec::new();
        for action in MOST_USED {
            let mut keys: Vec<String> = Vec::new();
            for key in keymap.keys_in(in_force, action).map(write_keys) {
                if !keys.contains(&key) {
                    keys.push(key);
                }
            }
            taken.extend_from_slice(&keys);
            most_used.add(action, keys, None);
        }
        let is_most_used = |action: Action, key: &String| {
            let mut commands = most_used.commands.iter();
            commands.any(|command| command.action == action && command.keys.contains(key))
        };
        let mut elsewhere = HelpSection::new(ELSEWHERE);
        let mut sections = Vec::new();
        for context in in_force.iter().copied() {
            let mut section = HelpSection::new(context.heading());
            for (action, mut keys) in keymap.bound_in(context) {
                keys.retain(|key| !is_most_used(action, key));
                let (hidden, keys): (Vec<_>, Vec<_>) =
                    keys.into_iter().partition(|key| taken.contains(key));
                taken.extend_from_slice(&keys);
                section.add(action, keys, None);
                elsewhere.add(action, hidden, Some("In other panes"));
            }
            section.commands.sort_by_key(|command| command.action);
            sections.push(section);
        }
        // The keys of every page are needed more often than those that sort and filter.
        let list = KeyContext::List.heading();
        if let Some(at) = sections.iter().position(|section| section.heading == list)
            && at + 1 < sections.len()
        {
            sections.swap(at, at + 1);
        }
        let others = KeyContext::ALL.into_iter();
        for context in others.filter(|context| !in_force.contains(context)) {
            let start = elsewhere.commands.len();
            for (action, keys) in keymap.bound_in(context) {
                elsewhere.add(action, keys, Some(context.heading()));
            }
            if let Some(added) = elsewhere.commands.get_mut(start..) {
                added.sort_by_key(|command| command.action);
            }
        }
        sections.insert(0, most_used);
        sections.push(elsewhere);
        Self {
            input: Input::default(),
            chosen: 0,
            paired: sections.iter().map(HelpSection::in_pairs).collect(),
            sections,
            others: entries.into_iter().filter(has_no_key).collect(),
        }
    }

    /// Returns the lines with the commands whose keys, names or description contain every typed word, or what it means.
    /// In a single column, and while nothing is typed, a pair of actions is one line.
    pub fn lines(&self, columns: u16) -> Vec<HelpLine<'_>> {
        let typed = self.input.value().to_lowercase();
        let words: Vec<&str> = typed.split_whitespace().collect();
        let is_match = |command: &&KeyedCommand| {
            let action = command.action;
            let doc = action.doc().to_lowercase();
            let is_named = |word: &str| {
                action.name().contains(word)
                    || doc.contains(word)
                    || meanings(word).contains(&Meaning::Command(action))
            };
            let place = command.only.unwrap_or_default().to_lowercase();
            words.iter().all(|word| {
                is_named(word)
                    || place.contains(word)
                    || is_named(synonym(word))
                    || command.keys.iter().any(|key| key.to_lowercase() == *word)
            })
        };
        let mut lines = Vec::new();
        let mut count = 0;
        let sections = if columns == 1 && words.is_empty() {
            &self.paired
        } else {
            &self.sections
        };
        for section in sections {
            let mut matches = section.commands.iter().filter(is_match).peekable();
            if matches.peek().is_none() {
                continue;
            }
            if !lines.is_empty() {
                lines.push(HelpLine::Blank);
            }
            lines.push(HelpLine::Heading(section.heading));
            if words.is_empty() && section.heading == ELSEWHERE {
                lines.extend(
                    (count..)
                        .zip(section.counts())
                        .map(|(index, (place, commands))| HelpLine::Count(index, place, commands)),
                );
                continue;
            }
            let mut place = None;
            for command in matches {
                if command.only != place {
                    place = command.only;
                    lines.extend(place.map(HelpLine::Place));
                }
                lines.push(HelpLine::Command(count, command));
                count += 1;
            }
        }
        let is_found = |entry: &&PaletteEntry| {
            let text = format!("{} {}", entry.name, entry.doc).to_lowercase();
            words
                .iter()
                .all(|word| text.contains(word) || entry.is_meant_by(word))
        };
        let mut group = "";
        for entry in self
            .others
            .iter()
            .filter(|_| !words.is_empty())
            .filter(is_found)
        {
            if entry.group != group {
                group = entry.group;
                lines.extend((!lines.is_empty()).then_some(HelpLine::Blank));
                lines.push(HelpLine::Heading(group));
            }
            lines.push(HelpLine::Other(count, entry));
            count += 1;
        }
        lines
    }

    /// Returns the number of rows that Enter can run.
    pub fn count(&self, columns: u16) -> usize {
        let lines = self.lines(columns);
        lines.iter().filter_map(HelpLine::index).count()
    }

    /// Returns the line that Enter runs.
    pub fn line(&self, columns: u16) -> Option<HelpLine<'_>> {
        let mut lines = self.lines(columns).into_iter();
        lines.find(|line| line.index() == Some(self.chosen))
    }
}

impl HelpLine<'_> {
    /// Returns the index among the matches; `None` for a line that runs nothing.
    pub fn index(&self) -> Option<usize> {
        match self {
            Self::Command(index, _) | Self::Other(index, _) | Self::Count(index, ..) => {
                Some(*index)
            }
            Self::Heading(_) | Self::Place(_) | Self::Blank => None,
        }
    }

    /// Returns what the line does; empty if it does nothing.
    pub fn doc(&self) -> &str {
        match self {
            Self::Command(_, command) => command.doc,
            Self::Other(_, entry) => &entry.doc,
            Self::Count(..) => "list its keys",
            Self::Heading(_) | Self::Place(_) | Self::Blank => "",
        }
    }
}
