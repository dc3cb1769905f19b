//! What the terminal shows outside of its cells: the title of the window, and hyperlinks.

use geomys_demo::Demo;

use crate::support::terminal::Terminal;

/// The title of the window as the program sets it.
fn title(title: &str) -> String {
    format!("\x1b]2;{title}\x1b\\")
}

#[tokio::test(flavor = "multi_thread")]
async fn window_has_the_title_of_the_page_and_gets_its_own_back() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let url = format!("gopher://{}/", demo.addresses.gopher);
    let mut terminal = Terminal::run(profile.path(), &[&url]);
    terminal.wait("town below a meadow");
    terminal.press("\r");
    terminal.wait("four hundred and six");
    terminal.wait_sent(&title("What this place is - Geomys"), 1);
    // A private tab has no title of its own, and neither has a page that needs a login.
    terminal.press("gP");
    terminal.wait_sent(&title("Geomys"), 1);
    terminal.press("q");
    terminal.end(0);
    let sent = terminal.sent();
    let (push, pop) = (sent.find("\x1b[22;2t"), sent.rfind("\x1b[23;2t"));
    assert!(push.unwrap() < pop.unwrap());
    assert!(sent.rfind("\x1b]2;").unwrap() < pop.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn page_that_needs_a_login_has_no_title() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let url = format!("ftp://ada:lovelace@{}/", demo.addresses.ftp);
    let mut terminal = Terminal::run(profile.path(), &[&url]);
    terminal.wait("plain  ada");
    terminal.press("q");
    terminal.end(0);
    let sent = terminal.sent();
    let titles: Vec<&str> = sent
        .split("\x1b]2;")
        .skip(1)
        .map(|rest| rest.split('\x1b').next().unwrap())
        .collect();
    assert_eq!(titles, ["Geomys"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn links_are_hyperlinks_only_where_the_settings_say_so() {
    let demo = Demo::start().await.unwrap();
    let menu = demo.addresses.gopher;
    for (settings, is_on) in [("", false), ("hyperlinks = true\n", true)] {
        let profile = tempfile::tempdir().unwrap();
        std::fs::write(profile.path().join("settings.toml"), settings).unwrap();
        let mut terminal = Terminal::run(profile.path(), &[&format!("gopher://{menu}/")]);
        terminal.wait("town below a meadow");
        let link = format!("\x1b]8;;gopher://{menu}/0/about.txt\x1b\\");
        if is_on {
            terminal.wait_sent(&link, 1);
            terminal.wait_sent("\x1b]8;;\x1b\\", 1);
        }
        // In a private tab none.
        terminal.press("gP");
        terminal.wait(" 2 ");
        terminal.press(&format!("ogopher://{menu}/0/about.txt\r"));
        terminal.wait("four hundred and six");
        terminal.press("q");
        terminal.end(0);
        let sent = terminal.sent();
        assert_eq!(sent.contains(&link), is_on);
        assert!(
            !sent.contains(&format!("8;;gopher://{menu}/\x1b")),
            "{sent}"
        );
        assert_eq!(sent.contains("\x1b]8;"), is_on);
    }
}
