//! The colours of the default theme, on 15 palettes of terminals.

use std::collections::BTreeMap;

use geomys::ui::theme::colours::{Background, contrast};
use geomys_demo::Demo;
use geomys_wire::text::Charset;
use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier, Style};
use serde_json::Value;

use crate::support::command::geomys;
use crate::support::screen::{Browser, Session};

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
    let session = Browser::new()
        .settings(settings)
        .demo(demo)
        .size((120, 40))
        .start();
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
        ("groups", "news:*".to_owned(), "geomys.demo"),
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
        match name {
            "prompt" => session.wait_in_prompt(words).await,
            _ => session.wait(words).await,
        }
        seen.push((name, session.cells()));
    }
    session.press("Esc : Down");
    session.wait("▌ reload").await;
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
            let is_mark = |c| "! 1badURL".contains(c);
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
        let is_dim = |cell: &Cell| cell.modifier.contains(Modifier::DIM);
        assert!(!cells.iter().any(is_dim), "{screen} has dim text");
        // The other pages have no row with a cursor.
        if ["menu", "listing", "group", "groups", "palette"].contains(&screen) {
            let is_reversed = |cell: &Cell| cell.modifier.contains(Modifier::REVERSED);
            assert!(cells.iter().any(is_reversed), "{screen}");
        }
    }
}

fn session(profile: tempfile::TempDir, address: String) -> Session {
    Browser::in_profile(profile).open(address).start()
}

/// The foreground, background and modifiers of a style.
fn look(style: Style) -> (Option<Color>, Option<Color>, Modifier) {
    (style.fg, style.bg, style.add_modifier)
}

#[tokio::test(flavor = "multi_thread")]
async fn text_colours_are_toggled_by_key() {
    let demo = Demo::start().await.unwrap();
    let address = format!("gopher://{}/0/gallery/sunset.txt", demo.addresses.gopher);
    let profile = tempfile::tempdir().unwrap();
    std::fs::write(
        profile.path().join("settings.toml"),
        "colours = \"24bit\"\n",
    )
    .unwrap();
    let session = session(profile, address.clone());
    session.wait("light green").await;
    let plain = look(session.style_of("Signs on"));
    let red = look(session.style_of("red, light"));
    assert_eq!(red.0, Some(Color::Indexed(1)));
    assert_eq!(
        look(session.style_of("a colour of its own")).0,
        Some(Color::Rgb(180, 120, 255))
    );
    assert_eq!(look(session.style_of("bold,")).2, Modifier::BOLD);
    assert_eq!(look(session.style_of("reversed,")).2, Modifier::REVERSED);
    let screen = session.screen();
    session.press("g c");
    session.wait("Page colours off").await;
    for words in ["red, light", "bold,", "reversed,", "a colour of its own"] {
        assert_eq!(look(session.style_of(words)), plain, "{words}");
    }
    session.press("g c");
    session.wait("Page colours on").await;
    assert_eq!(look(session.style_of("red, light")), red);
    // A match has the style of a match.
    session.press("/");
    session.type_in("light green");
    session.press("Enter");
    session.wait_until_absent("Page colours").await;
    let found = look(session.style_of("light green"));
    assert_eq!((found.0, found.1), (plain.0, plain.1));
    assert!(found.2.contains(Modifier::REVERSED), "{found:?}");
    assert!(
        screen.contains("red, light green and a colour of its own."),
        "{screen}"
    );

    // Standard output gets the text without colours.
    let run = tokio::task::spawn_blocking(move || geomys(&["dump", &address], ""));
    let output = run.await.unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(!output.stdout.contains(&0x1b));
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(
        out.contains("\nred, light green and a colour of its own.\n"),
        "{out}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn setting_hides_page_colours_from_the_start() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    std::fs::write(
        profile.path().join("settings.toml"),
        "page-colours = false\n",
    )
    .unwrap();
    let address = format!("gopher://{}/0/gallery/sunset.txt", demo.addresses.gopher);
    let session = session(profile, address);
    session.wait("light green").await;
    let plain = look(session.style_of("Signs on"));
    assert_eq!(look(session.style_of("red, light")), plain);
    session.press("g c");
    session.wait("Page colours on").await;
    assert_ne!(look(session.style_of("red, light")), plain);
}

#[tokio::test(flavor = "multi_thread")]
async fn theme_styles_win_over_page_colours() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let here = listener.local_addr().unwrap();
    tokio::spawn(async move {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut line = [0; 99];
            let _ = stream.read(&mut line).await.unwrap();
            let menu = b"1First door\t/a\th.example\t70\r\n1\x1b[31;40mSecond door\t/b\th.example\t70\r\n\
                i\x1b[30;41mblack on red, see \x1b[7mthis\t\t\t\r\ni\x1b[30;41mthe same again\t\t\t\r\n.\r\n";
            let _ = stream.write_all(menu).await;
        }
    });
    let session = session(tempfile::tempdir().unwrap(), format!("gopher://{here}/1"));
    session.wait("the same again").await;
    session.press("G");
    session.wait("▌     the same again").await;
    // A link has its own style. The row of the cursor overrides the page's colours; other rows keep them.
    let (first, second) = (
        session.style_of("First door"),
        session.style_of("Second door"),
    );
    assert_eq!(look(first), look(second));
    let black_on_red = (
        Some(Color::Indexed(0)),
        Some(Color::Indexed(1)),
        Modifier::empty(),
    );
    assert_eq!(look(session.style_of("black on red")), black_on_red);
    assert_ne!(look(session.style_of("the same again")).1, black_on_red.1);
}

#[test]
fn no_colour_theme_keeps_text_attributes() {
    use geomys::ui::Theme;
    use geomys_wire::text::SgrDecoder;
    let (_, sgr_styles) = SgrDecoder::new(Charset::default()).read(b"\x1b[1;31;44mx");
    let sgr_style = sgr_styles[0].1;
    let mut theme = Theme::default();
    let with = (
        Some(Color::Indexed(1)),
        Some(Color::Indexed(4)),
        Modifier::BOLD,
    );
    assert_eq!(look(theme.sgr_style(sgr_style)), with);
    theme.disable_colours();
    let without = look(theme.sgr_style(sgr_style));
    assert_eq!(without, (None, None, Modifier::BOLD));
}
