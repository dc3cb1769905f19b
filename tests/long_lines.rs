//! Lines longer than a row: nothing of them is lost, in any view.

use std::io::Read;
use std::process::{Command, Stdio};

use geomys::document::find::{Direction, SearchText, find};
use geomys::document::{Document, Kind, Shape};
use geomys::text::CharsetSetting;

use crate::support::command::{geomys, text};
use crate::support::loading::url;

fn page(shape: Shape, octets: &[u8]) -> Document {
    let mut document = Document::new(
        url("gopher://h.example/0a"),
        shape,
        CharsetSetting::Detected,
    );
    for piece in octets.chunks(5003) {
        document.append(piece);
    }
    document.finished()
}

/// The lines of a page, each put together from its rows.
fn lines(document: &Document) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for number in 0..document.count() {
        let row = document.row(number).unwrap().text();
        match lines.last_mut().filter(|_| document.continues(number)) {
            Some(line) => line.push_str(&row),
            None => lines.push(row),
        }
    }
    lines
}

#[test]
fn long_text_line_continues_in_further_rows() {
    for line in [
        "文字".repeat(50_000),
        "e\u{301}".repeat(70_000),
        "some words ".repeat(30_000),
    ] {
        let document = page(
            Shape::Text,
            format!("before\n{line}\r\nbehind\n").as_bytes(),
        );
        assert!(document.count() > 4);
        assert_eq!(lines(&document), ["before", &line, "behind"]);
        // No row break inside a character changes the detected charset.
        assert_eq!(document.non_utf8_charset(), None);
    }
}

#[test]
fn long_line_of_another_charset_is_decoded_whole() {
    let line = "吾輩は猫である。名前はまだ無い。".repeat(4000);
    let (octets, _, _) = encoding_rs::SHIFT_JIS.encode(&line);
    let document = page(Shape::Text, &octets);
    assert_eq!(document.charset().name(), "Shift_JIS");
    assert_eq!(lines(&document), [line]);
}

#[test]
fn long_line_is_whole_in_the_source_of_any_page() {
    let line = format!("i{}\tx\t(NULL)\t0", "word ".repeat(40_000));
    let menu = page(
        Shape::Menu,
        format!("{line}\r\n1Next\t/n\th\t70\r\n").as_bytes(),
    );
    let shown = lines(&menu.source_view());
    assert_eq!(shown.len(), 2);
    assert_eq!(shown[0].replace(' ', ""), line.replace(['\t', ' '], ""));
}

#[test]
fn long_menu_row_continues_as_text() {
    // The rest of the line looks like an item, but is text.
    let words = "1word ".repeat(40_000);
    let menu = page(
        Shape::Menu,
        format!("i{words}\tx\t(NULL)\t0\r\n1Next\t/n\th\t70\r\n.\r\n").as_bytes(),
    );
    let shown = lines(&menu);
    assert_eq!(shown.len(), 2);
    // The following rows show the rest of the line unchanged.
    assert!(
        shown[0]
            .strip_prefix('i')
            .unwrap()
            .starts_with(&words[..100_000])
    );
    assert!(shown[0].replace(' ', "").contains("x(NULL)0"));
    let last = menu.count() - 1;
    assert_eq!(menu.row(last).unwrap().text(), "Next");
    assert_eq!(menu.highest_link_number(), 1);
    assert_eq!(menu.row_of_link(1), Some(last));
    assert!((0..last).all(|row| !menu.is_link(row)));
    let needle = SearchText::new("(null)").unwrap();
    assert_eq!(find(&menu, &needle, 0, Direction::Down), Some(last - 1));
}

#[test]
fn long_lines_of_an_article_are_whole() {
    let body = "数多の言葉".repeat(10_000);
    let quoted = format!("> {}", "quoted words ".repeat(10_000));
    let references = "<a1@b.example> ".repeat(6000);
    let article = format!(
        "From: ada@x.example\r\nSubject: x\r\nReferences: {references}\r\n\r\n{body}\r\n{quoted}\r\nend\r\n"
    );
    let document = page(Shape::Article, article.as_bytes());
    let shown = lines(&document);
    assert_eq!(shown[shown.len() - 3..], [&body, &quoted, "end"]);
    let head = shown
        .iter()
        .find(|line| line.starts_with("References:"))
        .unwrap();
    assert_eq!(head.matches("<a1@b.example>").count(), 6000);
    let quotes = (0..document.count()).filter_map(|number| document.row(number));
    let quotes = quotes.filter(|row| row.kind == Kind::Quote(1)).count();
    assert_eq!(quotes, quoted.len() / (16 * 1024) + 1);
    // The unfinished page shows the line whole too.
    let mut arriving = Document::new(
        url("news:a@b.example"),
        Shape::Article,
        CharsetSetting::Detected,
    );
    arriving.append(article.as_bytes());
    assert!(lines(&arriving).contains(&body));
}

#[test]
fn rest_of_a_very_long_article_follows_what_is_decoded() {
    let line = "x".repeat(100_000);
    let many = format!("{line}\n").repeat(200);
    let article = format!("From: a@b.example\n\n{many}last line\n");
    let document = page(Shape::Article, article.as_bytes());
    let shown = lines(&document);
    assert_eq!(shown.iter().filter(|shown| **shown == line).count(), 200);
    assert_eq!(shown.last().unwrap(), "last line");
}

#[test]
fn find_sees_all_of_a_long_line() {
    let line = "some words ".repeat(20_000);
    let document = page(Shape::Text, format!("{line} needle\nend\n").as_bytes());
    let found = |document: &Document, words: &str| {
        let last = document.count() - 1;
        find(
            document,
            &SearchText::new(words).unwrap(),
            last,
            Direction::Down,
        )
    };
    let last = document.count() - 2;
    assert!(last > 2);
    assert_eq!(found(&document, "needle"), Some(last));
    // Words on both sides of a row break, which occur in no other row.
    let cut = page(
        Shape::Text,
        format!("{}first{}", "a".repeat(16_379), "b".repeat(70_000)).as_bytes(),
    );
    let first = cut.row(0).unwrap().text();
    assert!(cut.continues(1) && !first.ends_with("first"));
    for words in ["firstb", "afir", "aaafirstbbb", "FIRSTb"] {
        let row = Some(0).filter(|_| words.starts_with(['f', 'a']));
        assert_eq!(found(&cut, words), row, "{words}");
    }
}

/// A directory with these files.
fn files(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, octets) in files {
        std::fs::write(directory.path().join(name), octets).unwrap();
    }
    directory
}

#[test]
fn dump_prints_a_long_line_whole() {
    let short = "文字".repeat(15_000);
    let long = "文".repeat(700_000);
    let page = format!("before\n{short}\n{long}\nbehind\n");
    let html = format!("<p>{short}</p>");
    let article = format!(
        "From: a@b.example\nSubject: x\nDate: 1 Jan 2026 00:00:00 +0000\nMessage-ID: <x@y>\n\n{short}\n"
    );
    let directory = files(&[
        ("a.txt", page.as_bytes()),
        ("a.html", html.as_bytes()),
        ("article", article.as_bytes()),
    ]);
    let dump = |name: &str, options: &[&str]| {
        let path = directory.path().join(name);
        let output = geomys(&[&["dump", path.to_str().unwrap()], options].concat(), "");
        assert_eq!(
            output.status.code(),
            Some(0),
            "{name}: {}",
            text(&output.stderr)
        );
        text(&output.stdout)
    };
    assert!(dump("a.txt", &[]) == page);
    assert!(dump("article", &[]).lines().any(|line| line == short));
    assert!(dump("a.html", &[]).replace('\n', "").contains(&short));
    let wrapped = dump("a.txt", &["--width", "40"]);
    assert!(wrapped.lines().all(|line| line.chars().count() <= 20));
    assert_eq!(wrapped.replace('\n', ""), page.replace('\n', ""));
}

#[test]
fn dump_detects_charset_from_first_non_ascii_lines() {
    let line = "Привет, мир! Это страница о погоде и о том, что под лугом.\n";
    let page = format!("{}{}", "plain words\n".repeat(40_000), line.repeat(20_000));
    let (octets, _, _) = encoding_rs::KOI8_R.encode(&page);
    let directory = files(&[("a.txt", &octets)]);
    let path = directory.path().join("a.txt");
    let output = geomys(&["dump", path.to_str().unwrap()], "");
    assert!(text(&output.stdout) == page);
}

#[test]
fn dump_prints_text_while_it_arrives() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("gopher://{}/0endless", listener.local_addr().unwrap());
    let mut child = Command::new(env!("CARGO_BIN_EXE_geomys"))
        .args(["dump", &address])
        .env_clear()
        .env("HOME", "/nonexistent")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (mut server, _) = listener.accept().unwrap();
    let sending = std::thread::spawn(move || {
        // The server stops when the reader has closed the connection.
        while std::io::Write::write_all(&mut server, &[b'x'; 8192]).is_ok() {}
    });
    let mut out = child.stdout.take().unwrap();
    let mut seen = vec![0; 3 << 20];
    out.read_exact(&mut seen).unwrap();
    assert!(seen.iter().all(|octet| *octet == b'x'));
    drop(out);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    sending.join().unwrap();
}
