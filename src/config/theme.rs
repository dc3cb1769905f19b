//! theme.toml: styles by role, glyphs by mark, and the glyphs in ASCII.

use toml_edit::TableLike;

use super::File;
use crate::text;
use crate::ui::Theme;
use crate::ui::theme::{Glyph, Role, parse_style};

pub(super) fn read(file: &mut File<'_>, theme: &mut Theme, ascii: bool) {
    for (name, item) in file.table.iter() {
        match (name, item.as_table_like()) {
            ("styles", Some(table)) => read_styles(file, table, theme),
            ("glyphs", Some(table)) => read_glyphs(file, table, theme, !ascii),
            ("ascii", Some(table)) => read_glyphs(file, table, theme, ascii),
            _ => {
                if let Some((key, _)) = file.table.get_key_value(name) {
                    file.unknown(key, &["[styles]", "[glyphs]", "[ascii]"]);
                }
            }
        }
    }
}

fn read_styles(file: &mut File<'_>, table: &dyn TableLike, theme: &mut Theme) {
    let known: Vec<&str> = Role::ALL.iter().map(|role| role.name()).collect();
    for (name, item) in table.iter() {
        let Some(role) = Role::ALL.iter().find(|role| role.name() == name) else {
            if let Some((key, _)) = table.get_key_value(name) {
                file.unknown(key, &known);
            }
            continue;
        };
        let Some(written) = file.string(item, "a style") else {
            continue;
        };
        match parse_style(written) {
            Some(style) => theme.set_style(*role, style),
            None => {
                let sentence = format!(
                    "“{written}” is no style; a style is a colour (red, light-blue, 208, #ff8800), \
                     on-colour, bold, dim, italic, underlined, reversed"
                );
                file.mistake(item.span(), sentence);
            }
        }
    }
}

/// Reads glyphs, and sets them when they are the set in use.
fn read_glyphs(file: &mut File<'_>, table: &dyn TableLike, theme: &mut Theme, used: bool) {
    let known: Vec<&str> = Glyph::ALL.iter().map(|glyph| glyph.name()).collect();
    for (name, item) in table.iter() {
        let Some(glyph) = Glyph::ALL.iter().find(|glyph| glyph.name() == name) else {
            if let Some((key, _)) = table.get_key_value(name) {
                file.unknown(key, &known);
            }
            continue;
        };
        let Some(written) = file.string(item, "a glyph") else {
            continue;
        };
        if text::width(written) != 1 {
            let sentence = format!("“{written}” is not one column wide, as a glyph has to be");
            file.mistake(item.span(), sentence);
        } else if used {
            theme.set_glyph(*glyph, written);
        }
    }
}
