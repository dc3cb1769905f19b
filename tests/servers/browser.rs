//! The browser in a terminal, by keyboard.

use std::fs;

use super::Servers;
use crate::support::terminal::Terminal;

#[test]
#[ignore = "needs the servers that .ci/servers starts"]
fn three_servers_open_by_keyboard() {
    let servers = Servers::named();
    let profile = tempfile::tempdir().unwrap();
    let bookmarks = format!(
        "A hole <URL:gopher://{}/>\nThe burrowers <URL:news:local.burrow>\n",
        servers.gopher
    );
    fs::write(profile.path().join("bookmarks.txt"), bookmarks).unwrap();
    let settings = format!("news-server = \"{}\"\n", servers.news);
    fs::write(profile.path().join("settings.toml"), settings).unwrap();
    let mut terminal = Terminal::run(profile.path(), &[]);

    terminal.open_bookmarks();
    terminal.press("\r");
    terminal.wait("The hall");
    terminal.press("1\r");
    terminal.wait("Ελληνικά");
    terminal.press("h");
    terminal.wait("The hall");

    terminal.press("o");
    terminal.press(&format!("ftp://{}/names/\r", servers.ftp));
    terminal.wait("café.txt");
    terminal.press("/caf\r");
    // The find runs beside the keys.
    terminal.wait("▌≡ café.txt");
    terminal.press("\r");
    terminal.wait("in Latin-1");

    terminal.press("B");
    terminal.wait("Bookmarks ━");
    terminal.press("j\r");
    terminal.wait("Who digs");
    // Its rows are reordered once, when it is complete.
    terminal.wait(" unread");
    terminal.press("j\r");
    terminal.wait("I do.");

    terminal.press("q");
    terminal.end(0);
    terminal.check_modes();
}
