//! Lines longer than a row: nothing of them is lost, in any view.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

use geomys_page::document::find::{FilterQuery, SearchText};
use geomys_page::document::{
    Arrangement, ArticleVisibility, Document, Fold, Kind, ListOrder, ListingPlace, Remark, Shape,
    ThreadFolds,
};
use geomys_testing::loading::{find_below, url};
use geomys_wire::protocol::ftp::listing::{Day, Format};
use geomys_wire::text::{CharsetSetting, Text};

use crate::support::command::{geomys, text};

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
    // Its type is not shown, although no field ends its name within the row.
    assert!(shown[0].starts_with(&words[..100_000]));
    assert!(shown[0].replace(' ', "").contains("x(NULL)0"));
    let last = menu.count() - 1;
    assert_eq!(menu.row(last).unwrap().text(), "Next");
    assert_eq!(menu.highest_link_number(), 1);
    assert_eq!(menu.row_of_link(1), Some(last));
    assert!((0..last).all(|row| !menu.is_link(row)));
    let needle = SearchText::new("(null)").unwrap();
    assert_eq!(find_below(&menu, &needle, 0), Some(last - 1));
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
        find_below(document, &SearchText::new(words).unwrap(), last)
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

const LISTING: Shape = Shape::Listing {
    format: Some(Format::Unix),
    today: Day {
        year: 2026,
        month: 11,
        day: 20,
    },
    place: ListingPlace::Server,
};

/// The lists with one record a line: the shape, a record with `{}` for a long value, the line behind it and its text.
const LISTS: [(Shape, &str, &str, &str); 11] = [
    (
        Shape::People,
        "-200:1:about: {}",
        "-200:1:email: a@b.example",
        "email        a@b.example",
    ),
    (
        Shape::Attributes,
        "+ABSTRACT:\r\n {}",
        " next line",
        "next line",
    ),
    (
        Shape::Attributes,
        "+INFO: 1{}\t/x\th.example\t70\t+",
        "+INFO: 1Next\t/n\th.example\t70\t+",
        "Next",
    ),
    (
        Shape::Hits,
        "1000\t5\t5\t941201\t{}\tTEXT\tid",
        "900\t5\t5\t941201\tNext\tTEXT\tid",
        "Next",
    ),
    (
        Shape::Hits,
        "1000\t5\t5\t941201\tx\tTEXT\t{}",
        "900\t5\t5\t941201\tNext\tTEXT\tid",
        "Next",
    ),
    (
        LISTING,
        "-rw-r--r-- 1 a b 5 Jan 1 00:00 a{}",
        "-rw-r--r-- 1 a b 5 Jan 1 00:00 next",
        "next",
    ),
    (
        LISTING,
        "drwxr-xr-x 1 a b 5 Jan 1 00:00 a{}",
        "a malformed line",
        "a malformed line",
    ),
    (Shape::Groups, "a.{} 9 1 y", "z.next 9 1 y", "z.next"),
    (
        Shape::Groups,
        "z.next 9 1 y\r\n.\r\nz.next\t{}",
        "x.y\tno group",
        "",
    ),
    (
        Shape::Group,
        "9\tSubject\tAda <a@b>\t1 Jan 2026 00:00:00 +0000\t<9@b>\t{}\t9\t9",
        "8\tNext\tAda <a@b>\t1 Jan 2026 00:00:00 +0000\t<8@b>\t\t9\t9",
        "Next",
    ),
    (
        Shape::Group,
        "9\t{}\tAda <a@b>\t1 Jan 2026 00:00:00 +0000\t<9@b>\t\t9\t9",
        "8\tNext\tAda <a@b>\t1 Jan 2026 00:00:00 +0000\t<8@b>\t\t9\t9",
        "Next",
    ),
];

/// A page of a list with a long record, in which `needle` stands behind the first rows.
fn list(shape: Shape, record: &str, next: &str) -> Document {
    let long = format!("{}needle{}", "word ".repeat(10_000), " end".repeat(4000));
    let octets = format!("{}\r\n{next}\r\n", record.replace("{}", &long));
    page(shape, octets.as_bytes())
}

/// The row of the needle, which continues a record and has no link.
fn needle(document: &Document) -> usize {
    let needle = SearchText::new("needle").unwrap();
    let found = find_below(document, &needle, 0).unwrap();
    assert!(document.row(found).unwrap().text().contains("needle"));
    assert!(document.continues(found) && !document.is_link(found));
    assert_eq!(document.links(found).len() + document.link_count(found), 0);
    found
}

#[test]
fn long_record_of_a_list_continues_in_further_rows() {
    for (shape, record, next, text) in LISTS {
        let document = list(shape, record, next);
        assert!(!document.needs_finish());
        let found = needle(&document);
        let shown = lines(&document);
        let whole = shown.iter().filter(|line| line.contains("needle"));
        let whole: Vec<&String> = whole.collect();
        assert_eq!(whole.len(), 1, "{record}");
        assert_eq!(whole[0].matches(" end").count(), 4000, "{record}");
        assert!(whole[0].matches("word").count() >= 6_500, "{record}");
        assert!(shown.iter().any(|line| line == text) || text.is_empty());
        // Every row is found by what it shows, and by its place.
        for number in 0..document.count() {
            let origin = document.origin(number).unwrap();
            let first = document.row_of(origin);
            let before = (0..=number).rev().find(|&row| !document.continues(row));
            assert!(shape == Shape::Attributes || first == before, "{record}");
        }
        assert_eq!(document.row(document.count()), None);
        // The rows of the record have the width of any long line.
        assert!(document.row(found).unwrap().text().len() <= 16 * 1024);
    }
}

#[test]
fn hits_are_numbered_without_the_rows_that_continue_them() {
    let (shape, record, next, _) = LISTS[4];
    let document = list(shape, record, next);
    let last = document.count() - 1;
    assert_eq!(document.row(last).unwrap().number, Some(2));
    assert_eq!(document.row_of_link(2), Some(last));
    assert_eq!(document.highest_link_number(), 2);
}

#[test]
fn rows_of_a_long_record_stay_together_when_sorted_and_filtered() {
    for (shape, record, next, text) in LISTS {
        let document = list(shape, record, next);
        let found = needle(&document);
        let whole = lines(&document);
        for &column in document.columns() {
            let order = ListOrder::new(column);
            for order in [order, order.by(column)] {
                let sorted = document.clone().sorted(order);
                let mut shown = lines(&sorted);
                shown.sort_unstable();
                let mut before = whole.clone();
                before.sort_unstable();
                assert!(shown == before, "{record} by {order:?}");
                needle(&sorted);
            }
        }
        let filtered = |words: &str| {
            let filter = FilterQuery::new(words);
            document.clone().arranged(Arrangement {
                filter,
                ..document.arrangement()
            })
        };
        let shown = filtered("NEEDLE");
        assert_eq!(
            needle(&shown),
            found - document.row_of(shown.origin(0).unwrap()).unwrap()
        );
        assert_eq!(lines(&shown).len(), 1, "{record}");
        let moved = document.moved_to(found, &shown).unwrap();
        assert!(!shown.continues(moved));
        assert_eq!(shown.filter_summary().unwrap().1, 1);
        if !text.is_empty() {
            let name = text.rsplit(' ').next().unwrap();
            assert_eq!(lines(&filtered(name)), [text], "{record}");
        }
    }
}

#[test]
fn rows_of_a_long_article_are_below_it_in_its_folded_thread() {
    let (shape, record, next, _) = LISTS[9];
    let reply = "10\tRe: Subject\tAda <a@b>\t2 Jan 2026 00:00:00 +0000\t<10@b>\t<9@b>\t9\t9";
    let document = list(shape, &format!("{reply}\r\n{record}"), next);
    assert_eq!(document.row(0).unwrap().text(), "Subject");
    let reply = document.row(document.count() - 2).unwrap();
    assert_eq!(reply.indent, 1);
    let folded = document.clone().arranged(Arrangement {
        visibility: ArticleVisibility {
            folds: ThreadFolds::all(Fold::Closed),
            ..ArticleVisibility::default()
        },
        ..document.arrangement()
    });
    assert_eq!(folded.count(), document.count() - 1);
    assert_eq!(needle(&folded), needle(&document));
    assert_eq!(document.article(2).unwrap().number, 9);
    assert_eq!(document.numbered_article(8).unwrap().line, 2);
    assert_eq!(document.nearest_row(2), Some(document.count() - 1));
}

#[test]
fn remark_above_a_long_entry_moves_its_rows() {
    let (shape, record, next, _) = LISTS[5];
    let mut document = list(shape, record, next);
    let before = (document.count(), needle(&document));
    let octets = format!("first\n{}end\n", "words of a remark ".repeat(2000));
    document.add_remark(Remark {
        title: Text::of("welcome"),
        octets: octets.into_bytes(),
    });
    assert_eq!(
        (document.count(), needle(&document)),
        (before.0 + 1, before.1 + 1)
    );
    let mut rows = 0..document.count();
    let is_title = |row: &usize| matches!(document.row(*row).unwrap().kind, Kind::Remark(_));
    let title = rows.find(is_title).unwrap();
    assert_eq!(
        document.row(title).unwrap().aside,
        Some(Text::of("2 lines"))
    );
    assert!(document.toggle_remark(title));
    // The remark has a long line too.
    assert_eq!(
        (document.count(), needle(&document)),
        (before.0 + 5, before.1 + 5)
    );
    let shown = lines(&document);
    assert!(
        shown
            .iter()
            .any(|line| line.ends_with("remark end") && line.len() > 30_000)
    );
    assert!(document.toggle_remark(title));
    assert_eq!(
        (document.count(), needle(&document)),
        (before.0 + 1, before.1 + 1)
    );
}

#[test]
fn long_record_that_arrives_later_continues_too() {
    for (shape, record, next, _) in LISTS {
        let mut document = page(shape, format!("{next}\r\n").as_bytes());
        let long = "needle ".repeat(10_000);
        document.append(format!("{}\r\n", record.replace("{}", &long)).as_bytes());
        assert!(document.needs_finish(), "{record}");
        let document = document.finished();
        assert!(!document.needs_finish());
    }
    // The source has it all at once.
    let document = list(LISTS[0].0, LISTS[0].1, LISTS[0].2);
    assert!(lines(&document.source_view())[0].contains("needle"));
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
fn dump_prints_a_long_record_of_a_list_whole() {
    let words = "some words ".repeat(10_000);
    let (listener, server) = local_server();
    let answer = format!("+-1\r\n+INFO: 0a\t/a\th\t70\t+\r\n+ABSTRACT:\r\n {words}end\r\n.\r\n");
    let serving = std::thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let mut request = String::new();
        BufReader::new(&client).read_line(&mut request).unwrap();
        std::io::Write::write_all(&mut client, answer.as_bytes()).unwrap();
    });
    let output = geomys(&["dump", &format!("gopher://{server}/0a%09%09!")], "");
    serving.join().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.lines().any(|line| line == format!("{words}end")));
}

fn local_server() -> (std::net::TcpListener, std::net::SocketAddr) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
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
    let (listener, server) = local_server();
    let address = format!("gopher://{server}/0endless");
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
