//! keys.toml: the name of a preset, and a table for each context, keys to actions.

use toml_edit::TableLike;

use super::defaults::PRESETS;
use super::file::ConfigFile;
use super::nearest::unknown;
use geomys_app::action::Action;
use geomys_app::keymap::{KeyContext, Keymap, parse_keys};

/// The setting that names the preset.
const PRESET: &str = "preset";

/// Returns the bindings of the default preset.
pub(super) fn shipped() -> Keymap {
    let [(_, bindings), ..] = PRESETS;
    Keymap::of_preset(bindings)
}

/// Reads the user's file over the bindings of its preset.
pub(super) fn read(file: &mut ConfigFile<'_>, keymap: &mut Keymap) {
    read_preset(file, keymap);
    read_contexts(file, keymap);
}

/// Replaces the bindings with those of the preset that the file names.
fn read_preset(file: &mut ConfigFile<'_>, keymap: &mut Keymap) {
    let Some(item) = file.table.get(PRESET) else {
        return;
    };
    let names = PRESETS.map(|(name, _)| name);
    let expected = format!("the name of a preset ({})", names.join(", "));
    let Some(written) = file.string(item, &expected) else {
        return;
    };
    let Some((_, bindings)) = PRESETS.iter().find(|(name, _)| *name == written) else {
        file.record_error(item.span(), unknown("preset", written, &names));
        return;
    };
    *keymap = Keymap::of_preset(bindings);
}

/// Reads the tables of a file.
pub(super) fn read_contexts(file: &mut ConfigFile<'_>, keymap: &mut Keymap) {
    let expected: Vec<&str> = [PRESET]
        .into_iter()
        .chain(KeyContext::ALL.map(KeyContext::name))
        .collect();
    for (name, item) in file.table.iter().filter(|(name, _)| *name != PRESET) {
        let Some(context) = KeyContext::ALL
            .into_iter()
            .find(|context| context.name() == name)
        else {
            file.record_unknown_key(file.table, "context", name, &expected);
            continue;
        };
        match item.as_table_like() {
            Some(table) if !context.is_in_force() && !table.is_empty() => {
                let sentence = format!("nothing can be bound in [{name}] yet");
                file.record_error(item.span(), sentence);
            }
            Some(table) => read_context(file, table, context, keymap),
            None => file.record_error(
                item.span(),
                format!("[{name}] is a table of keys and actions"),
            ),
        }
    }
}

fn read_context(
    file: &mut ConfigFile<'_>,
    table: &dyn TableLike,
    context: KeyContext,
    keymap: &mut Keymap,
) {
    for (written, item) in table.iter() {
        let span = table.get_key_value(written).and_then(|(key, _)| key.span());
        let Some(keys) = parse_keys(written) else {
            let sentence = format!(
                "unknown key “{written}”; write x, X, Ctrl-X, Alt-X, Enter, PgDn, F1, and \
                 sequences “g g”"
            );
            file.record_error(span, sentence);
            continue;
        };
        let Some(name) = file.string(item, "an action") else {
            continue;
        };
        match (name, Action::named(name)) {
            ("", _) => keymap.bind(context, keys, None),
            (_, Some(action)) => {
                if let Some(now) = Action::replacement(name) {
                    file.record_former(item.span(), format!("{name} is now {now}"));
                }
                keymap.bind(context, keys, Some(action));
            }
            (_, None) => {
                let names: Vec<&str> = Action::ALL.iter().map(|action| action.name()).collect();
                file.record_error(item.span(), unknown("action", name, &names));
            }
        }
    }
}
