//! The parts of the manual that are made from the program: keys from the keymap, settings from the defaults file.

use std::fmt::Write as _;

use crate::action::Action;
use crate::keymap::{KeyContext, Keymap};

/// Appends a list of all keys, by context.
pub(super) fn list_keys(keymap: &Keymap, text: &mut String) {
    for context in KeyContext::ALL {
        let mut bound = keymap.bound_in(context);
        bound.sort_by_key(|(action, _)| order(*action));
        if bound.is_empty() {
            continue;
        }
        let _ = write!(text, "### {} [{}]\n\n", context.heading(), context.name());
        for (action, keys) in bound {
            let keys: Vec<String> = keys.iter().map(|keys| format!("`{keys}`")).collect();
            let (keys, doc, name) = (keys.join(" "), action.doc(), action.name());
            let _ = writeln!(text, "- {keys}: {doc} ({name})");
        }
        text.push('\n');
    }
    text.push_str("### By name in the palette\n\n");
    let actions = Action::ALL.iter();
    for action in actions.filter(|action| keymap.key_of(**action).is_none()) {
        let (doc, name) = (action.doc(), action.name());
        let _ = writeln!(text, "- `:{name}`: {doc} ({name})");
    }
    text.push('\n');
}

/// The position of an action in the list of actions; those with a number are last.
fn order(action: Action) -> (usize, &'static str) {
    let position = Action::ALL.iter().position(|other| *other == action);
    (position.unwrap_or(Action::ALL.len()), action.name())
}

/// Appends a list of all settings: the comments of the defaults file, by table.
pub(super) fn settings(text: &mut String) {
    let mut comment = Comment::default();
    for line in include_str!("../../config/settings.toml").lines() {
        if let Some(words) = line.strip_prefix('#') {
            comment.lines.push(words.strip_prefix(' ').unwrap_or(words));
        } else if line.starts_with('[') {
            let _ = write!(text, "\n### {line}\n\n");
            comment.end_paragraph(text);
            comment.is_below_table = true;
        } else if line.trim().is_empty() {
            comment.end_examples(text);
        } else {
            let _ = write!(text, "- `{line}`: ");
            comment.end_paragraph(text);
        }
    }
    comment.end_examples(text);
}

/// Returns the names of all settings, with their tables, and their default values.
pub fn setting_lines() -> Vec<(String, String)> {
    let mut table = String::new();
    let mut found = Vec::new();
    for line in include_str!("../../config/settings.toml").lines() {
        if let Some(name) = line.strip_prefix('[') {
            table = format!("{}.", name.trim_end_matches(']'));
        } else if let Some((name, value)) = line.split_once(" = ")
            && !line.starts_with('#')
        {
            found.push((format!("{table}{name}"), value.to_owned()));
        }
    }
    found
}

/// The comment lines above the current line of the defaults file.
#[derive(Default)]
struct Comment<'a> {
    lines: Vec<&'a str>,
    /// True if the lines are directly below the name of a table: they are examples of its values.
    is_below_table: bool,
}

impl Comment<'_> {
    /// Appends the lines as the description of a table or a value. A value without one has that of the value above.
    fn end_paragraph(&mut self, text: &mut String) {
        match self.lines.is_empty() {
            true if text.ends_with(": ") => text.push_str("see above\n"),
            true => {}
            false => text.extend([&self.lines.join(" "), "\n"]),
        }
        self.lines.clear();
        self.is_below_table = false;
    }

    /// Ends lines that describe no value: examples below the name of a table, or the remark at the start of the file.
    fn end_examples(&mut self, text: &mut String) {
        if self.is_below_table && !self.lines.is_empty() {
            let _ = writeln!(text, "\n```\n{}\n```", self.lines.join("\n"));
        }
        self.lines.clear();
        self.is_below_table = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_list_has_every_line_of_the_defaults() {
        let mut text = String::new();
        settings(&mut text);
        for line in include_str!("../../config/settings.toml").lines() {
            let line = line.trim_start_matches("# ");
            assert!(
                line.starts_with("Settings. ") || text.contains(line),
                "{line}"
            );
        }
        assert!(!text.contains("see above\n- `news-server"), "{text}");
    }

    #[test]
    fn keys_are_listed_below_their_context() {
        let mut keymap = Keymap::default();
        let keys = |written| crate::keymap::parse_keys(written).unwrap();
        keymap.bind(KeyContext::Group, keys("g x"), Some(Action::CatchUp));
        keymap.bind(KeyContext::Group, keys("C"), Some(Action::CatchUp));
        keymap.bind(KeyContext::Global, keys("Alt-2"), Some(Action::Tab(2)));
        keymap.bind(KeyContext::Global, keys("q"), Some(Action::Quit));
        let mut text = String::new();
        super::list_keys(&keymap, &mut text);
        let quit = Action::Quit.doc();
        let catch_up = Action::CatchUp.doc();
        let (bound, unbound) = text.split_once("### By name in the palette\n\n").unwrap();
        assert!(
            unbound.contains(&format!(" {} (", Action::Top.doc())),
            "{unbound}"
        );
        assert_eq!(
            bound,
            format!(
                "### Everywhere [global]\n\n- `q`: {quit} (quit)\n- `Alt-2`: {} (tab-2)\n\n\
                 ### In a group [group]\n\n- `g x` `C`: {catch_up} (catch-up)\n\n",
                Action::Tab(2).doc()
            )
        );
    }
}
