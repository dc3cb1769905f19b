//! The output of the subcommands: exact bytes into a file or a pipe, escaped control characters on a terminal.

use std::fs;

use crate::support::command::{geomys, geomys_in, text};
use crate::support::terminal::Terminal;

/// A text that clears the screen, sets a title, reverses the line and is not UTF-8.
const HOSTILE: &[u8] = b"first\r\n\x1b[2J\x1b]0;owned\x07 \xe2\x80\xae end \xe9\r\nlast\r\n";

const ESCAPED: &str = "\\x1b[2J\\x1b]0;owned\\x07 \\u{202e} end \\xe9";

#[test]
fn bytes_are_escaped_on_a_terminal_and_exact_in_a_pipe() {
    let profile = tempfile::tempdir().unwrap();
    let path = profile.path().join("hostile.txt");
    fs::write(&path, HOSTILE).unwrap();
    let config = profile.path().to_str().unwrap();
    let url = format!("file://{}", path.display());
    let list = profile.path().join("bookmarks.txt");
    fs::write(&list, HOSTILE).unwrap();
    let added = geomys(&["--config", config, "bookmarks", "add", "gopher://h/"], "");
    assert!(added.status.success(), "{added:?}");
    for arguments in [
        &["dump", "--raw", &url][..],
        &["get", "-o", "-", &url],
        &["bookmarks", "history", "--show", "1"],
    ] {
        let piped = geomys(&[&["--config", config], arguments].concat(), "");
        assert_eq!(piped.stdout, HOSTILE, "{arguments:?}");
        assert!(piped.stderr.is_empty(), "{piped:?}");
        let mut terminal = Terminal::run(profile.path(), arguments);
        terminal.wait("geomys: control characters are shown escaped");
        terminal.end(0);
        let screen = terminal.screen();
        let lines: Vec<&str> = screen.lines().take(3).collect();
        assert_eq!(lines, ["first", ESCAPED, "last"], "{screen}");
    }
}

#[test]
fn plain_text_is_the_same_on_a_terminal() {
    let profile = tempfile::tempdir().unwrap();
    let path = profile.path().join("plain.txt");
    fs::write(&path, "one\r\n\ttwo é\r\n").unwrap();
    let url = format!("file://{}", path.display());
    let mut terminal = Terminal::run(profile.path(), &["dump", "--raw", &url]);
    terminal.wait("two é");
    terminal.end(0);
    assert_eq!(terminal.screen().trim_end(), "one\n        two é");
}

#[test]
fn sentences_about_arguments_hold_no_escapes() {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().to_str().unwrap();
    let hostile = "\u{1b}]0;owned\u{7}\u{1b}[31m\u{202e}x";
    let path = format!("{config}/{hostile}/file");
    let none = format!("{config}/none{hostile}");
    let url = format!("gopher://h/{hostile}");
    let port = format!("gopher://127.0.0.1:port{hostile}/");
    for (arguments, status) in [
        (&["dump", &url][..], 1),
        (&["dump", &port], 2),
        (&["links", &none], 1),
        (&["get", "-o", &path, "file:///etc/hostname"], 0),
        (&["bookmarks", "import", &none], 1),
        (&["bookmarks", "remove", hostile], 1),
        (
            &["--bookmarks", &path, "bookmarks", "history", "--show", "7"],
            1,
        ),
        (&["--proxy", hostile, "dump", "gopher://h/"], 2),
        (&["--server", hostile, "dump", "gopher://h/"], 2),
        (&[hostile, "--no-such-option"], 2),
        (&["--no-such-option", hostile], 2),
        (&["dump", "gopher://h/", hostile], 2),
    ] {
        let output = geomys(&[&["--config", config], arguments].concat(), "");
        assert_eq!(
            output.status.code(),
            Some(status),
            "{arguments:?} {output:?}"
        );
        let said = text(&output.stderr);
        assert!(!said.is_empty(), "{arguments:?}");
        let harmful = |c: char| c != '\n' && geomys_wire::text::is_harmful(c);
        assert!(!said.contains(harmful), "{arguments:?} {said:?}");
    }
}

#[test]
fn text_is_written_in_the_charset_of_the_locale_and_octets_are_not() {
    let profile = tempfile::tempdir().unwrap();
    let path = profile.path().join("text.txt");
    fs::write(&path, "Grüße, 5 €\n").unwrap();
    let config = profile.path().to_str().unwrap();
    let url = format!("file://{}", path.display());
    let run = |locale, arguments: &[&str]| {
        let arguments = [&["--config", config], arguments].concat();
        geomys_in(&[("LC_ALL", locale)], &arguments, "").stdout
    };
    assert_eq!(
        run("de_DE.ISO-8859-15", &["dump", &url]),
        b"Gr\xfc\xdfe, 5 \xa4\n"
    );
    assert_eq!(
        run("de_DE.ISO-8859-1", &["dump", &url]),
        b"Gr\xfc\xdfe, 5 ?\n"
    );
    assert_eq!(run("ru_RU.KOI8-R", &["dump", &url]), b"Gr??e, 5 ?\n");
    for locale in ["C", "de_DE.UTF-8", ""] {
        let octets = "Grüße, 5 €\n".as_bytes();
        assert_eq!(run(locale, &["dump", &url]), octets, "{locale}");
    }
    let raw = run("de_DE.ISO-8859-15", &["dump", "--raw", &url]);
    assert_eq!(raw, "Grüße, 5 €\n".as_bytes());
}

#[test]
fn every_command_writes_in_the_charset_of_the_locale() {
    let profile = tempfile::tempdir().unwrap();
    let config = profile.path().to_str().unwrap();
    let list = profile.path().join("list.txt");
    fs::write(&list, "Grüße <URL:gopher://h.example/>\n").unwrap();
    let list = list.to_str().unwrap();
    let bookmarks = |arguments: &[&str]| {
        let arguments = [&["--config", config, "bookmarks"], arguments].concat();
        geomys_in(&[("LC_ALL", "de_DE.ISO-8859-1")], &arguments, "")
    };
    let imported = bookmarks(&["import", list]);
    let added = bookmarks(&["folder", "add", "Gärten/Süd"]);
    assert_eq!(added.stdout, b"added folder G\xe4rten/S\xfcd\n");
    let missing = bookmarks(&["folder", "remove", "Bäche"]);
    for output in [&imported, &added, &missing, &bookmarks(&["lüst"])] {
        for written in [&output.stdout, &output.stderr] {
            let is_latin = !written
                .windows(2)
                .any(|pair| pair[0] == 0xc3 && pair[1] >= 0x80);
            assert!(is_latin, "{output:?}");
        }
    }
    assert!(
        missing.stderr.ends_with(b"no folder B\xe4che\n"),
        "{missing:?}"
    );
    // Formats for other programs have their own charset, and JSON is the same in every locale.
    assert!(text(&bookmarks(&["export", "--to", "html"]).stdout).contains("Grüße"));
    let listed = bookmarks(&["list", "--json"]);
    assert!(
        text(&listed.stdout).contains("Gr\\u00fc\\u00dfe"),
        "{listed:?}"
    );
}

#[test]
fn simple_terminal_is_told_what_prints_pages() {
    let profile = tempfile::tempdir().unwrap();
    for term in ["TERM=dumb", "TERM="] {
        for arguments in [&[][..], &["gopher://h.example/"], &["demo"]] {
            let mut terminal = Terminal::run_in(&["env", term], profile.path(), arguments);
            terminal.wait("use `geomys dump URL`");
            terminal.end(1);
        }
    }
}
