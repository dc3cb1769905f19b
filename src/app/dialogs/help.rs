//! The help overlay: the keys of each context, filtered by typed words.

use tui_input::Input;

use crate::app::action::Action;
use crate::app::dialogs::name_match::meaning;
use crate::keymap::{KeyContext, Keymap};

/// The keys of all contexts, those in force first.
#[derive(Clone, Debug)]
pub struct HelpOverlay {
    /// The words that the user types.
    pub input: Input,
    /// The index of the chosen command among the matches, from 0.
    pub chosen: usize,
    sections: Vec<HelpSection>,
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

    /// Adds an action, unless it has no key. One line stands for the keys of all tabs.
    fn add(&mut self, action: Action, mut keys: Vec<String>) {
        if keys.is_empty() || matches!(action, Action::Tab(number) if number > 1) {
            return;
        }
        if action == Action::Tab(1) {
            keys.push("…".to_owned());
        }
        self.commands.push(KeyedCommand { keys, action });
    }
}

/// An action with its keys in a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyedCommand {
    /// The keys as in keys.toml.
    pub keys: Vec<String>,
    /// The action.
    pub action: Action,
}

/// A line of the overlay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HelpLine<'a> {
    /// The name of a context.
    Heading(&'static str),
    /// A command; the number is its index among the matches.
    Command(usize, &'a KeyedCommand),
    /// The blank line between two contexts.
    Blank,
}

impl HelpOverlay {
    /// Lists the keys of a keymap where these contexts are in force, the most specific first. A key that a more specific
    /// context has means something else below it: its meaning there follows after the contexts in force.
    pub fn new(keymap: &Keymap, in_force: &[KeyContext]) -> Self {
        let mut taken: Vec<String> = Vec::new();
        let mut shadowed = Vec::new();
        let mut sections = Vec::new();
        for context in in_force.iter().copied() {
            let mut section = HelpSection::new(context.heading());
            for (action, keys) in keymap.bound_in(context) {
                let (hidden, keys): (Vec<_>, Vec<_>) =
                    keys.into_iter().partition(|key| taken.contains(key));
                taken.extend_from_slice(&keys);
                section.add(action, keys);
                shadowed.push((action, hidden));
            }
            sections.push(section);
        }
        // The keys of every page are needed more often than those that sort and filter.
        let list = KeyContext::List.heading();
        if let Some(at) = sections.iter().position(|section| section.heading == list)
            && at + 1 < sections.len()
        {
            sections.swap(at, at + 1);
        }
        let mut elsewhere = HelpSection::new("In other panes");
        for (action, keys) in shadowed {
            elsewhere.add(action, keys);
        }
        sections.push(elsewhere);
        let others = KeyContext::ALL.into_iter();
        for context in others.filter(|context| !in_force.contains(context)) {
            let mut section = HelpSection::new(context.heading());
            for (action, keys) in keymap.bound_in(context) {
                section.add(action, keys);
            }
            sections.push(section);
        }
        for section in &mut sections {
            section.commands.sort_by_key(|command| command.action);
        }
        Self {
            input: Input::default(),
            chosen: 0,
            sections,
        }
    }

    /// Returns the lines with the commands whose keys, names or description contain every typed word, or what it means.
    pub fn lines(&self) -> Vec<HelpLine<'_>> {
        let typed = self.input.value().to_lowercase();
        let words: Vec<&str> = typed.split_whitespace().collect();
        let is_match = |command: &&KeyedCommand| {
            let action = command.action;
            let doc = action.doc().to_lowercase();
            let is_named = |word: &str| {
                action.name().contains(word)
                    || doc.contains(word)
                    || action.aliases().iter().any(|alias| alias.contains(word))
            };
            words.iter().all(|word| {
                is_named(word)
                    || is_named(meaning(word))
                    || command.keys.iter().any(|key| key.to_lowercase() == *word)
            })
        };
        let mut lines = Vec::new();
        let mut count = 0;
        for section in &self.sections {
            let mut matches = section.commands.iter().filter(is_match).peekable();
            if matches.peek().is_none() {
                continue;
            }
            if !lines.is_empty() {
                lines.push(HelpLine::Blank);
            }
            lines.push(HelpLine::Heading(section.heading));
            for command in matches {
                lines.push(HelpLine::Command(count, command));
                count += 1;
            }
        }
        lines
    }

    /// Returns the number of commands that match.
    pub fn count(&self) -> usize {
        let is_command = |line: &&HelpLine<'_>| matches!(line, HelpLine::Command(..));
        self.lines().iter().filter(is_command).count()
    }

    /// Returns the command that Enter runs.
    pub fn command(&self) -> Option<KeyedCommand> {
        self.lines().into_iter().find_map(|line| match line {
            HelpLine::Command(index, command) if index == self.chosen => Some(command.clone()),
            HelpLine::Command(..) | HelpLine::Heading(_) | HelpLine::Blank => None,
        })
    }
}
