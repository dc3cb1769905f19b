//! The colours of the default theme, on 15 palettes of terminals.

use std::collections::BTreeMap;

use geomys::ui::theme::colours::{Background, contrast};
use geomys_demo::Demo;
use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};
use serde_json::Value;

use crate::support::screen::Session;

/// A palette of a terminal: its background, and its sixteen colours.
struct Palette {
    name: String,
    background: [u8; 3],
}

fn rgb(hex: &Value) -> [u8; 3] {
    let octet = |at| u8::from_str_radix(&hex.as_str().unwrap()[at..at + 2], 16).unwrap();
    [octet(0), octet(2), octet(4)]
}

fn palettes() -> Vec<Palette> {
    let written = include_str!("data/palettes.json");
    let all: BTreeMap<String, Value> = serde_json::from_str(written).unwrap();
    let palettes = all.into_iter().map(|(name, palette)| Palette {
        name,
        background: rgb(&palette["background"]),
    });
    palettes.collect()
}

/// The colours 16 to 255 of the 256-colour table of xterm.
pub fn fixed(index: u8) -> [u8; 3] {
    match index {
        ..16 => panic!("colour {index} belongs to the user's palette"),
        16..232 => {
            let share = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
            let index = index - 16;
            [share(index / 36), share(index / 6 % 6), share(index % 6)]
        }
        232.. => [8 + 10 * (index - 232); 3],
    }
}

/// The screens of all kinds, one after the other: the cells of each, with its name.
async fn screens(demo: &Demo, settings: &str) -> Vec<(&'static str, Vec<Cell>)> {
    let profile = tempfile::tempdir().unwrap();
    std::fs::write(profile.path().join("settings.toml"), settings).unwrap();
    let session = Session::demo_in(profile, demo, 120, 40);
    let mut seen = Vec::new();
    let gopher = format!("gopher://{}", demo.addresses.gopher);
    let news = demo.addresses.news;
    let pages = [
        ("menu", format!("{gopher}/1/types"), "One row of each kind"),
        ("text", format!("{gopher}/0/types/page.html"), "Underloam"),
        (
            "listing",
            format!("ftp://{}/;type=d", demo.addresses.ftp),
            "README",
        ),
        ("group", format!("nntp://{news}/geomys.demo.announce"), "●"),
        ("groups", format!("nntp://{news}/*"), "geomys.demo"),
        (
            "error",
            format!("ftp://{}/nowhere;type=d", demo.addresses.ftp),
            "The server said",
        ),
        ("prompt", "gopher://[h/".to_owned(), "^"),
    ];
    for (name, url, words) in pages {
        session.press("Esc o");
        session.type_in(&url);
        if name != "prompt" {
            session.press("Enter");
        }
        session.wait(words).await;
        seen.push((name, session.cells()));
    }
    session.press("Esc : Down");
    session.wait("▌ next-link").await;
    seen.push(("palette", session.cells()));
    session.press("Esc o");
    session.type_in(&format!("{gopher}/0/post/telegram%09%09?"));
    session.press("Enter");
    session.wait("[ Send ]").await;
    seen.push(("form", session.cells()));
    seen
}

#[tokio::test(flavor = "multi_thread")]
async fn accents_and_secondary_text_are_readable_on_every_palette() {
    let demo = Demo::start().await.unwrap();
    let mut faults = Vec::new();
    for (setting, background) in [("dark", Background::Dark), ("light", Background::Light)] {
        let settings = format!("background = \"{setting}\"\n");
        for (screen, cells) in screens(&demo, &settings).await {
            for palette in palettes() {
                if Background::of(palette.background) == background {
                    faults.extend(unreadable(screen, &cells, &palette));
                }
            }
        }
    }
    faults.sort();
    faults.dedup();
    assert!(faults.is_empty(), "{faults:#?}");
}

/// The pairs of colours on a screen that have too little contrast on a palette.
fn unreadable(screen: &str, cells: &[Cell], palette: &Palette) -> Vec<String> {
    let mut faults = Vec::new();
    for cell in cells {
        let colour = |colour| match colour {
            Color::Reset => None,
            Color::Indexed(index) => Some(fixed(index)),
            Color::Rgb(red, green, blue) => Some([red, green, blue]),
            named => panic!("{named} on {screen} belongs to the user's palette"),
        };
        let (foreground, background) = (colour(cell.fg), colour(cell.bg));
        let Some(foreground) = foreground else {
            assert_eq!(background, None, "a background without a foreground");
            continue;
        };
        // The secondary colours of the default theme.
        let is_secondary = matches!(cell.fg, Color::Indexed(242 | 247));
        let ratio = contrast(foreground, background.unwrap_or(palette.background));
        if ratio < if is_secondary { 3.5 } else { 4.5 } {
            let (name, symbol, colour) = (&palette.name, cell.symbol(), cell.fg);
            faults.push(format!(
                "{name}: {screen}: {symbol} in {colour}: {ratio:.1}"
            ));
        }
    }
    faults
}

/// The red of the default theme on a dark and on a light background.
const RED: [Color; 2] = [Color::Indexed(210), Color::Indexed(160)];

#[tokio::test(flavor = "multi_thread")]
async fn screens_have_at_most_five_hues_and_red_on_faults_only() {
    let demo = Demo::start().await.unwrap();
    for background in ["dark", "light"] {
        let settings = format!("background = \"{background}\"\n");
        for (screen, cells) in screens(&demo, &settings).await {
            let is_secondary = |colour: &Color| matches!(colour, Color::Indexed(242 | 247));
            let mut hues: Vec<Color> = Vec::new();
            for cell in cells.iter().filter(|cell| cell.symbol() != " ") {
                if cell.fg != Color::Reset && !is_secondary(&cell.fg) && !hues.contains(&cell.fg) {
                    hues.push(cell.fg);
                }
            }
            assert!(hues.len() <= 5, "{screen} on {background}: {hues:?}");
            // The menu has an error row, and the bookmarks a URL with a fault: their glyph is `!`.
            let is_fault = ["error", "prompt", "palette"].contains(&screen);
            let red = cells.iter().filter(|cell| RED.contains(&cell.fg));
            let red: String = red.map(Cell::symbol).collect();
            let is_mark = |c| matches!(c, '!' | ' ' | '1');
            assert!(
                is_fault || red.chars().all(is_mark),
                "{screen} on {background}: {red}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_background_has_attributes_and_six_colours_of_glyphs_only() {
    let demo = Demo::start().await.unwrap();
    for (screen, cells) in screens(&demo, "").await {
        for cell in cells {
            assert_eq!(cell.bg, Color::Reset, "{screen}: {}", cell.symbol());
            let is_glyph = !cell.symbol().chars().all(char::is_alphanumeric);
            let is_allowed = match cell.fg {
                Color::Reset => true,
                Color::Red
                | Color::Green
                | Color::Yellow
                | Color::Blue
                | Color::Magenta
                | Color::Cyan => is_glyph,
                _ => false,
            };
            assert!(is_allowed, "{screen}: {} in {}", cell.symbol(), cell.fg);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn mono_theme_shows_focus_and_selection_without_colour() {
    let demo = Demo::start().await.unwrap();
    for (screen, cells) in screens(&demo, "theme = \"mono\"\n").await {
        let is_colourless = |cell: &&Cell| cell.fg == Color::Reset && cell.bg == Color::Reset;
        assert!(cells.iter().all(|cell| is_colourless(&cell)), "{screen}");
        // The other pages have no row with a cursor.
        if ["menu", "listing", "group", "groups", "palette"].contains(&screen) {
            let is_reversed = |cell: &Cell| cell.modifier.contains(Modifier::REVERSED);
            assert!(cells.iter().any(is_reversed), "{screen}");
        }
    }
}
