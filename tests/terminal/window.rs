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
    terminal.wait("as ada, not encrypted");
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

#[tokio::test(flavor = "multi_thread")]
async fn alt_sends_escape_while_the_browser_runs() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let url = format!("gopher://{}/", demo.addresses.gopher);
    let mut terminal = Terminal::run(profile.path(), &[&url]);
    terminal.wait("town below a meadow");
    terminal.press("q");
    terminal.end(0);
    let sent = terminal.sent();
    let at = |sequence: &str| sent.find(sequence).unwrap();
    // Stored, set, and as they were before.
    assert!(at("\x1b[?1036;1039s") < at("\x1b[?1036;1039h"));
    assert!(at("\x1b[?1036;1039h") < at("\x1b[?1036;1039r"));
}

#[tokio::test(flavor = "multi_thread")]
async fn theme_has_the_colours_that_the_terminal_offers() {
    let demo = Demo::start().await.unwrap();
    let url = format!("gopher://{}/", demo.addresses.gopher);
    for (settings, environment, has_24_bits, has_table) in [
        ("", &["COLORTERM=truecolor"][..], true, false),
        ("", &["TERM=xterm-256color"], false, true),
        ("", &["TERM=screen"], false, false),
        ("colours = \"24bit\"\n", &["TERM=screen"], true, false),
        ("", &["TERM=vt100"], false, false),
    ] {
        let profile = tempfile::tempdir().unwrap();
        let text = format!("theme = \"gruvbox\"\nbackground = \"dark\"\n{settings}");
        std::fs::write(profile.path().join("settings.toml"), text).unwrap();
        let outer = [&["env", "-u", "COLORTERM"], environment].concat();
        let mut terminal = Terminal::run_in(&outer, profile.path(), &[&url]);
        terminal.wait("town below a meadow");
        terminal.press("q");
        terminal.end(0);
        let sent = terminal.sent();
        assert_eq!(sent.contains("\x1b[38;2;"), has_24_bits, "{environment:?}");
        let indices = sent.split("\x1b[38;5;").skip(1);
        let indices = indices.filter_map(|rest| rest.split(['m', ';']).next()?.parse::<u8>().ok());
        let (sixteen, table): (Vec<u8>, Vec<u8>) = indices.partition(|index| *index < 16);
        assert_eq!(!table.is_empty(), has_table, "{environment:?}");
        let has_sixteen = environment == ["TERM=screen"] && !has_24_bits;
        assert_eq!(!sixteen.is_empty(), has_sixteen, "{environment:?}");
    }
}
