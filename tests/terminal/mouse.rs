//! The mouse through the terminal's own input: SGR reports, and the modes that switch them on.

use geomys_demo::Demo;

use crate::support::terminal::Terminal;

/// The reports of a click with the left button on a cell, counted from 1.
fn click((column, line): (usize, usize)) -> String {
    format!("\x1b[<0;{column};{line}M\x1b[<0;{column};{line}m")
}

/// The cell of these words on the screen, counted from 1.
fn cell(terminal: &Terminal, words: &str) -> (usize, usize) {
    let screen = terminal.screen();
    let mut lines = screen.lines().enumerate();
    let found = lines.find_map(|(line, text)| {
        let column = text.find(words)?;
        Some((text[..column].chars().count() + 1, line + 1))
    });
    found.unwrap_or_else(|| panic!("{words}: {screen}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn click_opens_a_bookmark_and_a_link_and_wheel_scrolls() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    std::fs::write(profile.path().join("bookmarks.txt"), demo.bookmarks()).unwrap();
    let mut terminal = Terminal::run(profile.path(), &[]);
    terminal.open_bookmarks();
    terminal.wait("Underloam");
    assert_eq!(terminal.mouse_modes(), (true, true));
    let at = cell(&terminal, "Underloam");
    terminal.press(&click(at));
    terminal.wait("town below a meadow");
    let at = cell(&terminal, "What this place is");
    terminal.press(&click(at));
    terminal.wait("four hundred and six");
    terminal.press(&format!("\x1b[<65;{};{}M", at.0, at.1).repeat(9));
    terminal.wait("Bot");
    terminal.press("q");
    terminal.end(0);
    terminal.check_modes();
    assert_eq!(terminal.mouse_modes(), (false, false));
}

#[test]
fn setting_turns_the_mouse_off() {
    let profile = tempfile::tempdir().unwrap();
    std::fs::write(profile.path().join("settings.toml"), "mouse = false\n").unwrap();
    let mut terminal = Terminal::run(profile.path(), &[]);
    terminal.wait("geomys:home");
    assert_eq!(terminal.mouse_modes(), (false, false));
    terminal.press("q");
    terminal.end(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn back_and_forward_buttons_go_back_and_forward() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let url = format!("gopher://{}/", demo.addresses.gopher);
    let mut terminal = Terminal::run(profile.path(), &[&url]);
    terminal.wait("town below a meadow");
    terminal.press("\r");
    terminal.wait("four hundred and six");
    terminal.press("\x1b[<128;1;5M\x1b[<128;1;5m");
    terminal.wait("town below a meadow");
    terminal.press("\x1b[<129;1;5M\x1b[<129;1;5m");
    terminal.wait("four hundred and six");
    terminal.press(":toggle-mouse\r");
    terminal.wait("Mouse off");
    assert_eq!(terminal.mouse_modes(), (false, false));
    terminal.press("q");
    terminal.end(0);
}
