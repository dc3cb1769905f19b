//! theme.toml: styles by role, glyphs by mark, and the glyphs in ASCII.

use geomys_wire::text;
use toml_edit::TableLike;

use super::defaults::{Entry, STYLES};
use super::file::ConfigFile;
use crate::ui::Theme;
use crate::ui::theme::colours::StyleRule;
use crate::ui::theme::{Glyph, Role};

pub(super) fn read(file: &mut ConfigFile<'_>, theme: &mut Theme, ascii: bool) {
    for (name, item) in file.table.iter() {
        match (name, item.as_table_like()) {
            ("styles", Some(table)) => read_styles(file, table, theme),
            ("glyphs", Some(table)) => read_glyphs(file, table, theme, !ascii),
            ("ascii", Some(table)) => read_glyphs(file, table, theme, ascii),
            _ => {
                file.record_unknown_key(file.table, "table", name, &["styles", "glyphs", "ascii"]);
            }
        }
    }
}

/// Returns the shipped theme.
pub(super) fn shipped(ascii: bool) -> Theme {
    let glyphs = if ascii { "ascii" } else { "glyphs" };
    let mut theme = Theme::default();
    for Entry { table, key, value } in STYLES {
        if *table == "styles" {
            if let Some((role, rule)) = role(key).zip(StyleRule::parse(value)) {
                theme.set_rule(role, rule);
            }
        } else if *table == glyphs
            && let Some(glyph) = glyph(key)
        {
            theme.set_glyph(glyph, value);
        }
    }
    theme
}

fn role(name: &str) -> Option<Role> {
    Role::ALL.iter().copied().find(|role| role.name() == name)
}

fn glyph(name: &str) -> Option<Glyph> {
    let mut glyphs = Glyph::ALL.iter().copied();
    glyphs.find(|glyph| glyph.name() == name)
}

fn read_styles(file: &mut ConfigFile<'_>, table: &dyn TableLike, theme: &mut Theme) {
    let expected: Vec<&str> = Role::ALL.iter().map(|role| role.name()).collect();
    for (name, item) in table.iter() {
        let Some(role) = role(name) else {
            file.record_unknown_key(table, "style", name, &expected);
            continue;
        };
        let Some(written) = file.string(item, "a style") else {
            continue;
        };
        match StyleRule::parse(written) {
            Some(rule) => theme.set_rule(role, rule),
            None => {
                let sentence = format!(
                    "unknown style “{written}”; use a colour (secondary, accent-blue, \
                     mark-blue, red, 208, #ff8800), on-colour, bold, dim, italic, underlined, reversed"
                );
                file.record_error(item.span(), sentence);
            }
        }
    }
}

/// Reads glyphs, and sets them if they belong to the glyph set in use.
fn read_glyphs(file: &mut ConfigFile<'_>, table: &dyn TableLike, theme: &mut Theme, used: bool) {
    let expected: Vec<&str> = Glyph::ALL.iter().map(|glyph| glyph.name()).collect();
    for (name, item) in table.iter() {
        let Some(glyph) = glyph(name) else {
            file.record_unknown_key(table, "glyph", name, &expected);
            continue;
        };
        let Some(written) = file.string(item, "a glyph") else {
            continue;
        };
        if text::width(written) != 1 {
            let sentence = format!("“{written}” is not one column wide, as a glyph has to be");
            file.record_error(item.span(), sentence);
        } else if used {
            theme.set_glyph(glyph, written);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use geomys_app::keymap::Keymap;
    use geomys_app::manual::{ManualBlock, ManualSpan, Topic};

    #[test]
    fn every_style_that_the_manual_names_is_taken() {
        let blocks = Topic::named("config").unwrap().blocks(&Keymap::default());
        let colours = |block: &&ManualBlock| matches!(block, ManualBlock::Heading { text, .. } if text == "Colours");
        let start = blocks.iter().position(|block| colours(&block)).unwrap();
        let mut paragraphs = blocks[start + 1..].iter();
        let named = paragraphs.find_map(|block| match block {
            ManualBlock::Paragraph(spans) => {
                let first = spans.first()?.text();
                (first == "theme.toml").then_some(spans)
            }
            _ => None,
        });
        let codes = named.unwrap().iter().skip(1).filter_map(|span| match span {
            ManualSpan::Code(code) => Some(code),
            ManualSpan::Plain(_) | ManualSpan::Bold(_) => None,
        });
        let codes: Vec<&String> = codes.collect();
        assert!(codes.len() > 12, "{codes:?}");
        for name in codes {
            assert!(StyleRule::parse(name).is_some(), "{name}");
        }
        let style = |written| StyleRule::parse(written).unwrap();
        assert_eq!(style("underline"), style("underlined"));
        assert_eq!(style("reverse"), style("reversed"));
        assert_eq!(style("gray dim"), style("dim grey"));
    }
}
