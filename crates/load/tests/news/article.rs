//! Rendered articles: each `tests/data/news/NAME.eml` beside its `NAME.rows`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use geomys_page::document::{Document, Kind, Shape};
use geomys_wire::text::CharsetSetting;
use proptest::prelude::*;
use rfc1738::Dialect;

use super::{document, rows};

const URL: &str = "nntp://news.example.org/comp.infosystems.gopher/7";

fn article(octets: &[u8]) -> Document {
    document(URL, Shape::Article, octets).finished()
}

/// One line per row: its kind, its text, and its link targets.
fn picture(document: &Document) -> String {
    let mut picture = String::new();
    if let Some(title) = document.title() {
        writeln!(picture, "title    |{title}").unwrap();
    }
    for (number, row) in rows(document).iter().enumerate() {
        let kind = match row.kind {
            Kind::Quote(depth) => format!("quote {depth}"),
            Kind::Heading(_) => "heading".to_owned(),
            kind => format!("{kind:?}").to_lowercase(),
        };
        writeln!(picture, "{kind:9}|{}", row.text()).unwrap();
        for link in document.links(number) {
            match link.target {
                Ok(url) => writeln!(picture, "      -> |{url}").unwrap(),
                Err(error) => writeln!(picture, "      !! |{} {error}", link.label).unwrap(),
            }
        }
    }
    picture
}

#[test]
fn sample_articles_render_as_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/news");
    let mut wrong = Vec::new();
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "eml") {
            continue;
        }
        seen += 1;
        let octets = fs::read(&path).unwrap();
        let picture = picture(&article(&octets));
        // Without CRLF it renders the same, except for sizes.
        if let Ok(text) = std::str::from_utf8(&octets) {
            let travelled = self::picture(&article(text.replace('\n', "\r\n").as_bytes()));
            let lines = |picture: &str| -> Vec<String> {
                let counted = |line: &&str| !line.contains("|[attachment");
                picture.lines().filter(counted).map(str::to_owned).collect()
            };
            assert_eq!(lines(&travelled), lines(&picture), "{path:?}");
        }
        assert!(
            !picture.chars().any(|c| c.is_control() && c != '\n'),
            "{path:?}: {picture:?}"
        );
        let expected = fs::read_to_string(path.with_extension("rows")).unwrap_or_default();
        if picture != expected {
            wrong.push(format!("{}\n{picture}", path.display()));
        }
    }
    assert!(seen >= 58, "only {seen} articles were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn chosen_charset_replaces_the_declared_one() {
    for encoding in [
        "text/plain; charset=iso-8859-1",
        "text/html; charset=iso-8859-1",
    ] {
        let mut octets = format!("Subject: x\nContent-Type: {encoding}\n\n").into_bytes();
        octets.extend_from_slice(b"\xf0\xd2\xc9\xd7\xc5\xd4\n");
        let mut article = article(&octets);
        assert!(
            picture(&article).contains("|ðÒÉ×ÅÔ"),
            "{}",
            picture(&article)
        );
        assert!(!article.needs_finish());
        let koi8 = CharsetSetting::named("koi8-r").unwrap();
        article.set_charset_setting(koi8);
        article.read_article_as(koi8);
        assert!(article.needs_finish());
        let mut article = article.finished();
        assert!(
            picture(&article).contains("|Привет"),
            "{}",
            picture(&article)
        );
        article.set_charset_setting(CharsetSetting::Detected);
        article.read_article_as(CharsetSetting::Detected);
        let article = article.finished();
        assert!(
            picture(&article).contains("|ðÒÉ×ÅÔ"),
            "{}",
            picture(&article)
        );
    }
}

#[test]
fn message_inside_a_message_is_a_page() {
    let inner = "Subject: Inside\nFrom: bo@example.net\nContent-Type: multipart/mixed; boundary=i\n\n\
        --i\n\nWords inside.\n--i\nContent-Type: image/png; name=a.png\n\nx\n--i\n\
        Content-Type: message/rfc822\n\nSubject: Deeper\n\nWords deeper.\n--i--\n";
    let digest = format!(
        "Subject: Outside\nContent-Type: multipart/digest; boundary=d\n\n\
         --d\n\n{inner}\n--d\n\n{inner}\n--d\nContent-Type: text/plain\n\nNo message.\n--d--\n"
    );
    let outside = article(digest.as_bytes());
    let row_of = |document: &Document, text: &str| {
        let rows = rows(document);
        rows.iter()
            .rposition(|row| row.text().contains(text))
            .unwrap()
    };
    assert!(
        outside
            .attached_message(row_of(&outside, "No message"))
            .is_none()
    );
    // The second of two with one name.
    let message = outside
        .attached_message(row_of(&outside, "Inside.eml"))
        .unwrap();
    assert_eq!(message.url().as_str(), format!("{URL}#Inside.eml~2"));
    let inside = message.finished();
    assert_eq!(inside.title().unwrap().as_str(), "Inside");
    let (name, file) = inside.attachment(row_of(&inside, "a.png")).unwrap();
    assert_eq!((name.as_str(), file.raw().len()), ("a.png", 1));
    let deeper = inside
        .attached_message(row_of(&inside, "Deeper.eml"))
        .unwrap()
        .finished();
    assert!(
        picture(&deeper).contains("|Words deeper."),
        "{}",
        picture(&deeper)
    );
    // The URL leads there from the whole article.
    let url = deeper.url().to_string();
    assert_eq!(url, format!("{URL}#Inside.eml~2/Deeper.eml"));
    let of_url = |url: &str| {
        let url = Dialect::Extended.parse(url).unwrap();
        let mut document = Document::new(url, Shape::Article, CharsetSetting::default());
        document.append(digest.as_bytes());
        document.finished()
    };
    let again = of_url(&url);
    assert_eq!(picture(&again), picture(&deeper));
    assert_eq!(again.raw().len(), deeper.raw().len());
    // A fragment that names no message is that of the article.
    let other = of_url(&format!("{URL}#top"));
    assert_eq!(other.title(), outside.title());
}

#[test]
fn continued_lines_of_a_quotation_begin_with_its_marks() {
    let text = "Subject: x\n\n>> deep\n> > other\nplain > not\n>tight\n";
    let article = article(text.as_bytes());
    let hangs: Vec<String> = rows(&article).iter().map(|row| row.hang_text(40)).collect();
    assert_eq!(hangs[2..], [">> ", "> > ", "", ">"]);
    let page = "Subject: x\nContent-Type: text/html\n\n<blockquote><ul><li>One</ul></blockquote>\n";
    let page = self::article(page.as_bytes());
    assert_eq!(rows(&page).last().unwrap().hang_text(40), "    ");
    // There is no room for deep marks in a narrow pane.
    assert_eq!(rows(&article)[3].hang_text(7), "");
}

#[test]
fn form_feed_hides_text_while_loading() {
    let octets = b"Subject: Who?\n\nIt was\n\x0c\nthe butler\n";
    let one_line = b"Subject: Who?\n\nIt was \x0cthe butler\n";
    for octets in [octets.as_slice(), one_line] {
        for cut in 0..=octets.len() {
            let mut article = document(URL, Shape::Article, &octets[..cut]);
            assert!(!picture(&article).contains("butler"), "{cut}");
            article.append(&octets[cut..]);
            assert!(!picture(&article).contains("butler"), "{cut}");
            article = article.finished();
            assert!(!picture(&article).contains("butler"), "{cut}");
            article.unfold();
            assert!(picture(&article).contains("butler"), "{cut}");
        }
    }
}

#[test]
fn many_form_feeds_and_quotations_fold_and_unfold() {
    let piece = format!("> a\n{}\x0c\nb\n", "> > > c\n".repeat(8));
    let octets = format!("Subject: x\n\n{}", piece.repeat(20_000));
    let mut article = article(octets.as_bytes());
    let folded = article.count();
    article.unfold();
    let open = article.count();
    article.toggle_quotations(0).unwrap();
    let quoted = article.count();
    assert!(folded < quoted && quoted < open, "{folded} {quoted} {open}");
    // Every row is resolved: each looks up its line among all folded ones.
    assert_eq!(rows(&article).len(), quoted);
}

#[test]
fn unfinished_article_is_shown_as_source() {
    let mut document = document(URL, Shape::Article, b"Subject: =?utf-8?q?x?=\r\n");
    document.append(b"X-Other: y\r\n\r\nbo");
    assert_eq!(document.row(0).unwrap().text(), "Subject: =?utf-8?q?x?=");
    assert_eq!((document.count(), document.title()), (4, None));
    let whole = document.finished();
    assert!(!whole.needs_finish());
    assert_eq!(whole.source_view().count(), 4);
    assert_eq!(whole.title().unwrap().as_str(), "x");
    assert_eq!(whole.count(), 3);
}

#[test]
fn links_of_a_row_match_their_spans() {
    let article = article(b"References: <a@example.org> <b@example.org>\n\nx\n");
    let row = article.row(0).unwrap();
    let linked: Vec<_> = row
        .spans
        .iter()
        .filter_map(|span| Some((span.link?, span.text.as_str())))
        .collect();
    assert_eq!(linked, [(0, "<a@example.org>"), (1, "<b@example.org>")]);
    let targets: Vec<_> = article
        .links(0)
        .into_iter()
        .map(|link| link.target.unwrap().to_string())
        .collect();
    assert_eq!(targets, ["news:a@example.org", "news:b@example.org"]);
}

/// Asserts that an article of twice the size allocates at most 2.2 times as much. Loops that allocate nothing are
/// measured by the bench `linear`.
fn assert_linear(name: &str, article_of: impl Fn(usize) -> Vec<u8>) {
    let allocated = |count: usize| {
        let octets = article_of(count);
        let measured = allocation_counter::measure(|| {
            let article = article(&octets);
            let last = article.count() - 1;
            assert!(article.row(last).is_some() && article.row(last + 1).is_none());
        });
        measured.bytes_total
    };
    let (half, whole) = (allocated(20_000), allocated(40_000));
    assert!(10 * whole <= 22 * half, "{name}: {half} and {whole}");
}

#[test]
fn deep_and_long_articles_take_memory_in_proportion() {
    let with_head = |head: &str, unit: &str, count: usize, end: &str| {
        [head, &unit.repeat(count), end].concat().into_bytes()
    };
    assert_linear("a deep multipart", |count| {
        let level =
            |level| format!("Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n");
        let levels: String = (0..count / 10).map(level).collect();
        format!("Subject: deep\n{levels}\nbottom\n").into_bytes()
    });
    for (name, head, unit, end) in [
        (
            "messages in messages",
            "Subject: deep\n",
            "Content-Type: message/rfc822\n\n",
            "",
        ),
        ("a long header", "Subject: ", "=?", "\n\nx\n"),
        ("half words", "Subject: ", "=?a?q?", "\n\nx\n"),
        ("a folded header", "Subject: x\nX: y\n", " z\n", "\nx\n"),
        ("a folded subject", "Subject: x\n", " z\n", "\nx\n"),
        ("many headers", "Subject: x\n", "X: y\n", "\nx\n"),
        ("a quotation", "Subject: x\n\n", ">", ""),
        ("many quotations", "Subject: x\n\n", "> a\nb\n", ""),
    ] {
        assert_linear(name, |count| with_head(head, unit, count, end));
    }
}

#[test]
fn parts_and_headers_have_a_limit_that_is_told() {
    let mut many = b"Subject: many\nContent-Type: multipart/mixed; boundary=b\n\n".to_vec();
    many.extend(b"--b\nContent-Type: a/b\n\n".repeat(10_000));
    let many = article(&many);
    assert!(many.count() < 1100);
    assert!(picture(&many).contains("[more parts, not shown]"));
    let mut long = b"Subject: long\nX-Long: a\n".to_vec();
    long.extend(b" folded\n".repeat(200_000));
    long.extend(b"\nThe body\n");
    let long = article(&long);
    let shown = picture(&long);
    assert!(
        shown.contains("[headers behind the first 1.0 MB, not read]"),
        "{shown}"
    );
    assert!(shown.contains("|The body"), "{shown}");
}

#[test]
fn body_of_an_arriving_article_begins_behind_its_head() {
    let head = b"Subject: x\nX: y\n".repeat(3);
    let octets = [head.as_slice(), b"\nbody\n\nmore\n"].concat();
    for cut in 0..=octets.len() {
        let mut arriving = document(URL, Shape::Article, &octets[..cut]);
        let is_known = cut > head.len();
        assert_eq!(arriving.body_row(), is_known.then_some(7), "{cut}");
        assert_eq!(arriving.source_view().body_row(), is_known.then_some(7));
        arriving.append(&octets[cut..]);
        assert_eq!(arriving.body_row(), Some(7), "{cut}");
    }
}

#[test]
fn end_of_a_very_long_article_is_shown_undecoded() {
    let mut long = b"Subject: long\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n".to_vec();
    let line = b"=41 line of a very long article, as they are posted by accident\n";
    let lines = 20_000_000 / line.len();
    long.extend(line.repeat(lines));
    let article = article(&long);
    // The subject and an empty line stand for the head of four lines.
    assert_eq!(article.count(), lines + 2);
    assert!(article.row(2).unwrap().text().starts_with("A line"));
    assert!(
        article
            .row(lines + 1)
            .unwrap()
            .text()
            .starts_with("=41 line")
    );
    // All rows are made in a minute, so that the first undecoded one is searched by halves.
    let (mut decoded, mut undecoded) = (2, lines + 1);
    while undecoded - decoded > 1 {
        let middle = decoded.midpoint(undecoded);
        if article.row(middle).unwrap().text().starts_with('A') {
            decoded = middle;
        } else {
            undecoded = middle;
        }
    }
    assert!(decoded * line.len() > 15_000_000, "{decoded}");
}

#[test]
fn form_feeds_unfold_one_by_one_and_fold_only_without_quotations() {
    let texts = |article: &Document| -> Vec<String> {
        let rows = (4..article.count()).map(|row| article.row(row).unwrap().text());
        rows.collect()
    };
    let octets =
        b"Subject: x\nFrom: a\nDate: b\nMessage-ID: <c@d>\n\none\n\x0c\ntwo\nthree\n\x0cfour\n";
    let mut article = article(octets);
    let (first, second) = (
        "[form feed: 3 lines more; Enter or page down]",
        "[form feed: 1 line more; Enter or page down]",
    );
    assert_eq!(texts(&article), ["one", first, second]);
    assert!(article.is_form_feed(5) && article.is_folded(5) && !article.is_form_feed(4));
    assert_eq!(article.toggle_quotation(5), Some(5));
    assert_eq!(texts(&article), ["one", "", "two", "three", second]);
    // The key for quotations opens all where there are no quotations, and folds them again.
    assert_eq!(article.toggle_quotations(0), Some(0));
    assert_eq!(texts(&article), ["one", "", "two", "three", "four"]);
    assert_eq!(article.toggle_quotations(0), Some(0));
    assert_eq!(texts(&article), ["one", first, second]);
    article.unfold();
    assert_eq!(article.count(), 9);
    // With quotations, text behind form feeds stays hidden.
    let mut quoted = b"Subject: x\nFrom: a\nDate: b\nMessage-ID: <c@d>\n\n".to_vec();
    quoted.extend(b"> q\n".repeat(9));
    quoted.extend(b"a\n\x0c\n");
    quoted.extend(b"> r\n".repeat(9));
    let mut article = self::article(&quoted);
    let hidden = "[form feed: 10 lines more; Enter or page down]";
    assert_eq!(texts(&article).last().unwrap(), hidden);
    article.toggle_quotations(0);
    assert_eq!(texts(&article), ["[9 lines of quotation]", "a", hidden]);
    article.toggle_quotations(0);
    assert_eq!(texts(&article).len(), 11);
    assert_eq!(texts(&article).last().unwrap(), hidden);
    article.toggle_quotation(14);
    article.toggle_quotations(0);
    assert_eq!(
        texts(&article),
        ["[9 lines of quotation]", "a", "", "[9 lines of quotation]"]
    );
}

proptest! {
    #[test]
    fn any_octets_render_as_article(
        head in proptest::collection::vec(prop_oneof![
            Just(b"Content-Type: multipart/mixed; boundary=b\n".to_vec()),
            Just(b"Content-Type: multipart/alternative; boundary=\"b\"\n".to_vec()),
            Just(b"Content-Type: text/plain; charset=utf-8; format=flowed; delsp=yes\n".to_vec()),
            Just(b"Content-Type: text/html; charset=koi8-r\n".to_vec()),
            Just(b"Content-Transfer-Encoding: base64\n".to_vec()),
            Just(b"Content-Transfer-Encoding: quoted-printable\n".to_vec()),
            Just(b"Subject: =?utf-8?q?a=?= =?utf-7?b?+?= =?x?=\n".to_vec()),
            Just(b"References: <a@b><c@d\n".to_vec()),
            proptest::collection::vec(any::<u8>(), 0..60),
        ], 0..6),
        body in proptest::collection::vec(prop_oneof![
            Just(b"--b\n".to_vec()), Just(b"\n".to_vec()), Just(b"--b--\n".to_vec()), Just(b"-- \n".to_vec()), Just(b"> x \n".to_vec()),
            Just(b"Content-Type: message/rfc822\n".to_vec()), Just(b"<p>&#x;<!--".to_vec()), Just(b"\x1b$B$3".to_vec()),
            proptest::collection::vec(any::<u8>(), 0..60),
        ], 0..20),
    ) {
        let octets = [head.concat(), b"\n".to_vec(), body.concat()].concat();
        let article = article(&octets);
        let shown = picture(&article);
        prop_assert!(!shown.chars().any(|c| c.is_control() && c != '\n'));
    }
}
