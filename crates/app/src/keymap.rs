//! Key bindings: maps keys to actions, and actions to keys for the help page.
//!
//! A key is written as in `Ctrl-T`, `Alt-Right`, `PgDn`, `g`; a sequence as `g g`. Contexts are searched in the order
//! of the focus, the global one last. An action of `""` removes a binding.

mod encode;
mod layouts;

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

pub use self::encode::{CursorKeyMode, encode_key};

use crate::action::Action;

/// The part of the user interface in which a binding applies: a table of keys.toml.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KeyContext {
    /// The whole program.
    Global,
    /// A page in a pane.
    Page,
    /// A page whose rows are selected one by one.
    List,
    /// The bookmark pane.
    Bookmarks,
    /// A list of groups.
    Groups,
    /// The articles of a group.
    Group,
    /// An article.
    Article,
    /// A picture.
    Picture,
    /// The list of transfers.
    Transfers,
    /// The page of visits.
    History,
    /// A line of input.
    Prompt,
    /// A form.
    Form,
    /// A terminal session: its keys are not sent.
    Session,
    /// A terminal session while the browser has the keys.
    SessionPage,
}

impl KeyContext {
    /// All contexts, as keys.toml may name them.
    pub const ALL: [Self; 14] = [
        Self::Global,
        Self::Page,
        Self::List,
        Self::Bookmarks,
        Self::Groups,
        Self::Group,
        Self::Article,
        Self::Picture,
        Self::Transfers,
        Self::History,
        Self::Prompt,
        Self::Form,
        Self::Session,
        Self::SessionPage,
    ];

    /// Returns true if bindings of this context are used. The others are reserved in keys.toml, with nothing to bind
    /// yet.
    pub fn is_in_force(self) -> bool {
        self != Self::Prompt
    }

    /// The part of the screen that the context is for, as a heading.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Global => "Everywhere",
            Self::Page => "On a page",
            Self::List => "In a menu or a list",
            Self::Bookmarks => "In the bookmarks",
            Self::Groups => "In a list of groups",
            Self::Group => "In a group",
            Self::Article => "In an article",
            Self::Picture => "In a picture",
            Self::Transfers => "In the transfers",
            Self::History => "In the history",
            Self::Prompt => "In a line of input",
            Self::Form => "In a form",
            Self::Session => "In a terminal session",
            Self::SessionPage => "In a session, Geomys has the keys",
        }
    }

    /// The name of the table in keys.toml.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Page => "page",
            Self::List => "list",
            Self::Bookmarks => "bookmarks",
            Self::Groups => "groups",
            Self::Group => "group",
            Self::Article => "article",
            Self::Picture => "picture",
            Self::Transfers => "transfers",
            Self::History => "history",
            Self::Prompt => "prompt",
            Self::Form => "form",
            Self::Session => "session",
            Self::SessionPage => "session-page",
        }
    }
}

/// One key with its modifiers. Keys that terminals cannot distinguish are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    ctrl: bool,
    alt: bool,
}

impl Key {
    /// The key of an event.
    pub fn of(event: KeyEvent) -> Self {
        let code = match event.code {
            // The letter already includes Shift.
            KeyCode::Char(letter)
                if event.modifiers.contains(KeyModifiers::SHIFT) && letter.is_ascii_lowercase() =>
            {
                KeyCode::Char(letter.to_ascii_uppercase())
            }
            KeyCode::Tab if event.modifiers.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
            code => code,
        };
        Self {
            code,
            ctrl: event.modifiers.contains(KeyModifiers::CONTROL),
            alt: event.modifiers.contains(KeyModifiers::ALT),
        }
        .plain()
    }

    /// The key with this code, without modifiers.
    pub fn from_code(code: KeyCode) -> Self {
        Self {
            code,
            ctrl: false,
            alt: false,
        }
    }

    /// A key without modifiers.
    pub fn letter(letter: char) -> Self {
        Self::from_code(KeyCode::Char(letter))
    }

    /// The character that the key types, if there is one.
    pub fn character(self) -> Option<char> {
        match self.code {
            KeyCode::Char(letter) if !self.ctrl && !self.alt => Some(letter),
            _ => None,
        }
    }

    /// The Latin key at the position of a key of a Cyrillic, Greek or Hebrew layout.
    pub(crate) fn latin(self) -> Option<Self> {
        match self.code {
            KeyCode::Char(letter) => {
                let code = KeyCode::Char(layouts::latin(letter)?);
                Some(Self { code, ..self }.plain())
            }
            _ => None,
        }
    }

    /// Returns true for the keys that cancel a dialogue: Esc, Ctrl-C or Ctrl-G.
    pub fn is_cancel(self) -> bool {
        self.code() == Some(KeyCode::Esc)
            || self.ctrl && !self.alt && matches!(self.code, KeyCode::Char('c' | 'g'))
    }

    /// The code of a key without modifiers.
    pub fn code(self) -> Option<KeyCode> {
        (!self.ctrl && !self.alt).then_some(self.code)
    }

    /// Parses `Ctrl-T`, `Alt-Right`, `Space`, `é`.
    pub fn parse(written: &str) -> Option<Self> {
        let (mut ctrl, mut alt, mut rest) = (false, false, written);
        loop {
            if let Some(after) = rest.strip_prefix("Ctrl-").filter(|after| !after.is_empty()) {
                ctrl = true;
                rest = after;
            } else if let Some(after) = rest.strip_prefix("Alt-").filter(|after| !after.is_empty())
            {
                alt = true;
                rest = after;
            } else {
                break;
            }
        }
        let mut letters = rest.chars();
        let code = match (letters.next(), letters.next()) {
            (Some(letter), None) if ctrl => KeyCode::Char(letter.to_ascii_lowercase()),
            (Some(letter), None) => KeyCode::Char(letter),
            _ => NAMES.iter().find(|(name, _)| *name == rest)?.1,
        };
        Some(Self { code, ctrl, alt }.plain())
    }

    /// Returns the event of the key, as if it was pressed.
    pub(crate) fn event(self) -> KeyEvent {
        let mut modifiers = KeyModifiers::NONE;
        modifiers.set(KeyModifiers::CONTROL, self.ctrl);
        modifiers.set(KeyModifiers::ALT, self.alt);
        KeyEvent::new(self.code, modifiers)
    }

    /// The common key for those that terminals send alike: Ctrl-5 is Ctrl-], Ctrl-H Backspace, Ctrl-I Tab, Ctrl-M
    /// Enter.
    fn plain(self) -> Self {
        let (ctrl, code) = match (self.ctrl, self.code) {
            (true, KeyCode::Char('5')) => (true, KeyCode::Char(']')),
            (true, KeyCode::Char('h')) => (false, KeyCode::Backspace),
            (true, KeyCode::Char('i')) => (false, KeyCode::Tab),
            (true, KeyCode::Char('m')) => (false, KeyCode::Enter),
            (true, KeyCode::Char(letter)) => (true, KeyCode::Char(letter.to_ascii_lowercase())),
            unchanged => unchanged,
        };
        Self { code, ctrl, ..self }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ctrl {
            f.write_str("Ctrl-")?;
        }
        if self.alt {
            f.write_str("Alt-")?;
        }
        match self.code {
            KeyCode::Char(' ') => f.write_str("Space"),
            KeyCode::Char(letter) if self.ctrl => write!(f, "{}", letter.to_ascii_uppercase()),
            KeyCode::Char(letter) => write!(f, "{letter}"),
            code => f.write_str(
                NAMES
                    .iter()
                    .find(|(_, named)| *named == code)
                    .map_or("?", |(name, _)| name),
            ),
        }
    }
}

const NAMES: [(&str, KeyCode); 29] = [
    ("Space", KeyCode::Char(' ')),
    ("Enter", KeyCode::Enter),
    ("Esc", KeyCode::Esc),
    ("Tab", KeyCode::Tab),
    ("Shift-Tab", KeyCode::BackTab),
    ("Backspace", KeyCode::Backspace),
    ("Delete", KeyCode::Delete),
    ("Insert", KeyCode::Insert),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("PgUp", KeyCode::PageUp),
    ("PgDn", KeyCode::PageDown),
    ("F1", KeyCode::F(1)),
    ("F2", KeyCode::F(2)),
    ("F3", KeyCode::F(3)),
    ("F4", KeyCode::F(4)),
    ("F5", KeyCode::F(5)),
    ("F6", KeyCode::F(6)),
    ("F7", KeyCode::F(7)),
    ("F8", KeyCode::F(8)),
    ("F9", KeyCode::F(9)),
    ("F10", KeyCode::F(10)),
    ("F11", KeyCode::F(11)),
    ("F12", KeyCode::F(12)),
    ("Null", KeyCode::Null),
];

/// The meaning of the keys typed so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyMatch {
    /// The keys are bound to this action.
    Action(Action),
    /// The keys begin a longer sequence.
    Prefix,
    /// The keys are not bound.
    Unbound,
}

/// The key bindings of all contexts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Keymap {
    /// The bindings in the order in which they were made, for the help page; `None` removes a binding.
    bindings: Vec<(KeyContext, Vec<Key>, Option<Action>)>,
}

/// A binding of a preset: the keys as in keys.toml. No two bindings of a preset have the same keys in the same context.
pub type DefaultBinding = (KeyContext, &'static str, Action);

impl Keymap {
    /// The bindings of a preset.
    pub fn of_preset(preset: &[DefaultBinding]) -> Self {
        let bindings = preset.iter().filter_map(|&(context, written, action)| {
            Some((context, parse_keys(written)?, Some(action)))
        });
        Self {
            bindings: bindings.collect(),
        }
    }

    /// The match of these keys in a context; `None` if they were never bound there.
    fn bound(&self, context: KeyContext, keys: &[Key]) -> Option<KeyMatch> {
        let mut bindings = self.bindings.iter();
        let bound = bindings.find(|(of, sequence, _)| *of == context && sequence == keys);
        bound.map(|(_, _, action)| action.map_or(KeyMatch::Unbound, KeyMatch::Action))
    }

    /// Binds `keys` in `context`. A later binding replaces an earlier one.
    pub fn bind(&mut self, context: KeyContext, keys: Vec<Key>, action: Option<Action>) {
        let mut bindings = self.bindings.iter_mut();
        match bindings.find(|(of, sequence, _)| *of == context && *sequence == keys) {
            Some(binding) => binding.2 = action,
            None => self.bindings.push((context, keys, action)),
        }
    }

    /// Looks up `keys` in the first of `contexts` that has a binding for them. Those of another layout that are bound
    /// nowhere count as the Latin keys at their positions.
    pub fn find(&self, contexts: &[KeyContext], keys: &[Key]) -> KeyMatch {
        let found = self.look_up(contexts, keys);
        if found != KeyMatch::Unbound || keys.iter().all(|key| key.latin().is_none()) {
            return found;
        }
        let latin: Vec<Key> = keys.iter().map(|key| key.latin().unwrap_or(*key)).collect();
        self.look_up(contexts, &latin)
    }

    fn look_up(&self, contexts: &[KeyContext], keys: &[Key]) -> KeyMatch {
        for context in contexts {
            if let Some(found) = self.bound(*context, keys) {
                return found;
            }
            let is_prefix = self.bindings.iter().any(|(of, sequence, action)| {
                of == context
                    && action.is_some()
                    && sequence.len() > keys.len()
                    && sequence.starts_with(keys)
            });
            if is_prefix {
                return KeyMatch::Prefix;
            }
        }
        KeyMatch::Unbound
    }

    /// The keys that may follow `typed`, as text, with their actions, by context: of each key, that of the first of
    /// `contexts`.
    pub fn continuations(
        &self,
        contexts: &[KeyContext],
        typed: &[Key],
    ) -> Vec<(KeyContext, Vec<(String, Action)>)> {
        let mut groups: Vec<(KeyContext, Vec<(String, Action)>)> = Vec::new();
        for context in contexts {
            let mut found = Vec::new();
            for (of, keys, action) in &self.bindings {
                let rest = keys.strip_prefix(typed).filter(|rest| !rest.is_empty());
                let (Some(rest), Some(action)) = (rest.filter(|_| of == context), action) else {
                    continue;
                };
                let rest = write_keys(rest);
                let mut others = groups.iter().flat_map(|(_, keys)| keys).chain(&found);
                if !others.any(|(keys, _)| *keys == rest) {
                    found.push((rest, *action));
                }
            }
            found.sort_by_key(|(keys, _)| (keys.to_lowercase(), keys.clone()));
            if !found.is_empty() {
                groups.push((*context, found));
            }
        }
        groups
    }

    /// The keys of an action as text, in the order in which they were bound.
    pub fn keys_of(&self, action: Action) -> Vec<String> {
        let mut keys = Vec::new();
        for (_, sequence, bound) in &self.bindings {
            let written = write_keys(sequence);
            if *bound == Some(action) && !keys.contains(&written) {
                keys.push(written);
            }
        }
        keys
    }

    /// The bound actions of a context with their keys as text, in the order in which they were bound.
    pub fn bound_in(&self, context: KeyContext) -> Vec<(Action, Vec<String>)> {
        let mut actions: Vec<(Action, Vec<String>)> = Vec::new();
        for (of, keys, action) in &self.bindings {
            let Some(action) = action.filter(|_| *of == context) else {
                continue;
            };
            match actions.iter_mut().find(|(bound, _)| *bound == action) {
                Some((_, all)) => all.push(write_keys(keys)),
                None => actions.push((action, vec![write_keys(keys)])),
            }
        }
        actions
    }

    /// The contexts in which these keys have an action, with the action.
    pub(crate) fn meanings(&self, keys: &[Key]) -> Vec<(KeyContext, Action)> {
        let bindings = self.bindings.iter();
        let found = bindings.filter(|(_, sequence, _)| sequence == keys);
        found
            .filter_map(|(context, _, action)| Some((*context, (*action)?)))
            .collect()
    }

    /// The contexts in which an action has a key, the least specific first.
    pub fn contexts_of(&self, action: Action) -> Vec<KeyContext> {
        let is_bound = |context: &KeyContext| {
            let mut bindings = self.bindings.iter();
            bindings.any(|(of, _, bound)| of == context && *bound == Some(action))
        };
        KeyContext::ALL.into_iter().filter(is_bound).collect()
    }

    /// The keys that run an action where these contexts are in force, in the order in which they were bound.
    pub fn keys_in<'a>(
        &'a self,
        contexts: &'a [KeyContext],
        action: Action,
    ) -> impl Iterator<Item = &'a [Key]> {
        let bound = self.bindings.iter();
        let bound = bound.filter(move |(_, keys, bound)| {
            *bound == Some(action) && self.find(contexts, keys) == KeyMatch::Action(action)
        });
        bound.map(|(_, keys, _)| keys.as_slice())
    }

    /// The first key of an action, for the line of key hints.
    pub fn key_of(&self, action: Action) -> Option<String> {
        self.bindings
            .iter()
            .find(|(_, _, bound)| *bound == Some(action))
            .map(|(_, keys, _)| write_keys(keys))
    }
}

/// The text of keys as in keys.toml.
pub fn write_keys(keys: &[Key]) -> String {
    let mut written = String::new();
    for key in keys {
        if !written.is_empty() {
            written.push(' ');
        }
        written.push_str(&key.to_string());
    }
    written
}

/// Parses a sequence of keys: `g g`, `Ctrl-T`.
pub fn parse_keys(written: &str) -> Option<Vec<Key>> {
    let keys: Option<Vec<Key>> = written.split_whitespace().map(Key::parse).collect();
    keys.filter(|keys| !keys.is_empty())
}
