//! keys.toml: a table for each context, keys to actions.

use toml_edit::TableLike;

use super::file::File;
use crate::app::action::Action;
use crate::keymap::{Key, KeyContext, Keymap, parse_keys};

/// Reads the user's file over the shipped bindings.
pub(super) fn read_over(file: &mut File<'_>, keymap: &mut Keymap) {
    let bound = read(file, keymap);
    keymap.yield_to(&bound);
}

/// Reads a file, and returns the bound keys.
pub(super) fn read(file: &mut File<'_>, keymap: &mut Keymap) -> Vec<(KeyContext, Vec<Key>)> {
    let mut bound = Vec::new();
    let expected = KeyContext::ALL.map(KeyContext::name);
    for (name, item) in file.table.iter() {
        let Some(context) = KeyContext::ALL
            .into_iter()
            .find(|context| context.name() == name)
        else {
            file.record_unknown_key(file.table, name, &expected);
            continue;
        };
        match item.as_table_like() {
            Some(table) if !context.is_in_force() && !table.is_empty() => {
                let sentence = format!("nothing can be bound in [{name}] yet");
                file.record_error(item.span(), sentence);
            }
            Some(table) => read_context(file, table, context, (keymap, &mut bound)),
            None => file.record_error(
                item.span(),
                format!("[{name}] is a table of keys and actions"),
            ),
        }
    }
    bound
}

fn read_context(
    file: &mut File<'_>,
    table: &dyn TableLike,
    context: KeyContext,
    (keymap, bound): (&mut Keymap, &mut Vec<(KeyContext, Vec<Key>)>),
) {
    for (written, item) in table.iter() {
        let span = table.get_key_value(written).and_then(|(key, _)| key.span());
        let Some(keys) = parse_keys(written) else {
            let sentence = format!(
                "“{written}” is no key; keys are written x, X, Ctrl-X, Alt-X, Enter, PgDn, F1, and \
                 sequences “g g”"
            );
            file.record_error(span, sentence);
            continue;
        };
        let Some(name) = file.string(item, "an action") else {
            continue;
        };
        let action = Action::named(name).or_else(|| Action::formerly(name));
        if action.is_some() {
            bound.push((context, keys.clone()));
        }
        match (name, action) {
            ("", _) => keymap.bind(context, keys, None),
            (_, Some(action)) if action.name() == name => keymap.bind(context, keys, Some(action)),
            (_, Some(action)) => {
                keymap.bind(context, keys, Some(action));
                let sentence = format!("“{name}” is called “{}” now", action.name());
                file.record_error(item.span(), sentence);
            }
            (_, None) => {
                let near = near(name);
                let sentence = format!("“{name}” is no action; {near}");
                file.record_error(item.span(), sentence);
            }
        }
    }
}

/// The actions whose names share a word with the written name, or all actions if there are none.
fn near(name: &str) -> String {
    let words: Vec<&str> = name.split('-').filter(|word| word.len() > 2).collect();
    let names = || Action::ALL.iter().map(|action| action.name());
    let near: Vec<&str> = names()
        .filter(|name| words.iter().any(|word| name.contains(word)))
        .collect();
    let all: Vec<&str> = names().collect();
    format!(
        "actions are: {}",
        if near.is_empty() { all } else { near }.join(", ")
    )
}
