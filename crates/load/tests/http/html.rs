//! The layout of HTML pages.

use geomys_page::document::{Document, Kind, Shape};
use geomys_testing::loading::{texts, url};
use geomys_wire::text::CharsetSetting;
use proptest::prelude::*;

pub(super) fn page(octets: impl AsRef<[u8]>) -> Document {
    let mut document = Document::new(
        url("http://h.example/d/page.html?q"),
        Shape::Html,
        CharsetSetting::Detected,
    );
    document.append(octets.as_ref());
    document.finished()
}

/// The link targets of a page.
pub(super) fn targets(document: &Document) -> Vec<String> {
    let links = (0..document.count()).flat_map(|row| document.links(row));
    links
        .map(|link| match link.target {
            Ok(url) => format!("{} -> {url}", link.label),
            Err(error) => format!("{}: {error}", link.label),
        })
        .collect()
}

/// A page at 80 columns, and its links.
fn shown(octets: &str) -> String {
    let document = page(octets);
    let mut text = String::new();
    for row in (0..document.count()).filter_map(|number| document.row(number)) {
        let line = row.text();
        let hang = row.hang_in(80);
        let starts = geomys_wire::text::hanging(&line, 80, hang);
        for (number, &start) in starts.iter().enumerate() {
            let end = starts.get(number + 1).copied().unwrap_or(line.len());
            let blanks = " ".repeat(if number == 0 { 0 } else { hang });
            text.push_str(format!("{blanks}{}", &line[start..end]).trim_end());
            text.push('\n');
        }
    }
    text.push('\n');
    text.push_str(&targets(&document).join("\n"));
    text
}

fn snapshot(name: &str, octets: &str) {
    insta::with_settings!({snapshot_path => "../snapshots"}, {
        insta::assert_snapshot!(name, shown(octets));
    });
}

#[test]
fn headings_paragraphs_lists_and_quotations_layout() {
    snapshot("html-text", include_str!("../data/html/text.html"));
}

#[test]
fn tables_and_tables_in_their_cells_have_columns() {
    snapshot("html-tables", include_str!("../data/html/tables.html"));
}

#[test]
fn page_of_1996_layout() {
    snapshot("html-1996", include_str!("../data/html/1996.html"));
}

#[test]
fn unfinished_page_is_shown_as_source() {
    let mut document = Document::new(
        url("http://h.example/"),
        Shape::Html,
        CharsetSetting::Detected,
    );
    document.append(b"<p>one\n<p>two");
    assert_eq!(texts(&document), ["<p>one", "<p>two"]);
    let document = document.finished();
    assert_eq!(texts(&document), ["one", "", "two"]);
    assert_eq!(texts(&document.source_view()), ["<p>one", "<p>two"]);
}

#[test]
fn changed_charset_lays_out_again() {
    let mut document = page(b"<p>caf\xe9 \xd7");
    assert_eq!(texts(&document), ["café ×"]);
    document.set_charset_setting(geomys_wire::text::Charset::named("koi8-r").unwrap());
    assert!(document.needs_finish());
    let document = document.finished();
    assert!(!document.needs_finish());
    assert_eq!(texts(&document), ["cafИ в"]);
}

#[test]
fn links_are_resolved_beside_the_page_or_its_base() {
    let links = "<a href=x>x</a> <a href=' ../y '>y</a> <a href='?z'>z</a> <a href='//o/'>o</a> <a href='#part'>part</a> \
                 <a href='javascript:void(0)'>no</a> <a href='a b'>blank</a> <a href=''>self</a><a href='x#y'></a>";
    assert_eq!(
        targets(&page(links)),
        [
            "x -> http://h.example/d/x",
            "y -> http://h.example/y",
            "z -> http://h.example/d/page.html?z",
            "o -> http://o/",
            "part -> http://h.example/d/page.html?q#part",
            "blank -> http://h.example/d/a%20b",
            "self -> http://h.example/d/page.html?q",
        ]
    );
    let based = format!("<base href='/other/'>{links}");
    assert_eq!(targets(&page(based))[0], "x -> http://h.example/other/x");
}

#[test]
fn link_continues_in_the_next_row() {
    let document = page("<a href=x>one<p>two</a> three");
    assert_eq!(texts(&document), ["one", "", "two three"]);
    assert_eq!(
        targets(&document),
        ["one -> http://h.example/d/x", "two -> http://h.example/d/x"]
    );
}

#[test]
fn title_is_one_sanitized_line() {
    let title = page("<title>One\n  &amp; two\x1b[31m</title>x").title();
    assert_eq!(title.unwrap().as_str(), "One & two");
    assert_eq!(page("no title").title(), None);
}

#[test]
fn page_without_content_but_scripts_says_so() {
    let words = "[this page needs scripts, which Geomys does not run]";
    assert_eq!(
        texts(&page("<div id=app></div><script>x</script>")),
        [words]
    );
    assert!(texts(&page("<script>x</script><p>words")) == ["words"]);
    assert!(texts(&page("<noscript>words</noscript><script>x")) == ["words"]);
}

#[test]
fn laid_out_page_has_no_control_characters() {
    let document = page("<p>a&#27;[31mb\u{202e}c&#x9b;d\u{7}<pre>\x1b]0;x\x07y</pre>");
    for text in texts(&document) {
        assert!(!text.chars().any(geomys_wire::text::is_harmful), "{text:?}");
    }
}

#[test]
fn headings_and_quotations_have_row_kinds() {
    let document = page("<h2>H</h2><blockquote>q<blockquote>qq</blockquote></blockquote>");
    let kinds: Vec<Kind> = (0..document.count())
        .filter_map(|row| document.row(row))
        .filter(|row| !row.text().is_empty())
        .map(|row| row.kind)
        .collect();
    assert_eq!(kinds, [Kind::Heading(2), Kind::Quote(1), Kind::Quote(2)]);
}

#[test]
fn deep_and_long_pages_are_laid_out_fast() {
    for part in [
        "<div>",
        "<ul><li>",
        "<table><tr><td>",
        "<blockquote>",
        "<b>",
        "<a href=x>",
        "<form>",
        "<p>",
        "<pre>\n",
        "x",
        "<td>",
        "</td>",
        "<h1>",
        "&amp;",
        "<!--",
        "<br>",
        "<dl><dd>",
        "<select>",
        "<svg>",
        "<sup>",
        "<table><tr><td rowspan=9 colspan=9>",
        "<p a",
    ] {
        let document = page(part.repeat(400_000 / part.len()));
        let last = document.count().saturating_sub(1);
        let _ = (document.row(last), document.links(last));
    }
    // An unlimited line is split into rows that are shown whole.
    let document = page("x".repeat(200_000));
    let shown: usize = texts(&document).iter().map(String::len).sum();
    assert_eq!(shown, 200_000);
}

#[test]
fn too_large_page_is_laid_out_truncated() {
    let document = page(b"<p>some words of a page\n".repeat(500_000));
    let last = texts(&document).pop().unwrap();
    assert!(last.starts_with("[only the first"), "{last}");
}

fn html() -> impl Strategy<Value = Vec<u8>> {
    let names = "(p|div|table|tr|td|th|ul|ol|li|dl|dd|dt|a|img|pre|xmp|form|input|select|option|textarea|title|script|style|\
                 blockquote|h1|h6|br|hr|base|iframe|frame|svg|plaintext|caption|sup|sub|q|del|area|meta)";
    let tag = format!(
        "</?{names}( (href|src|alt|name|colspan|rowspan|start|type|value|content|http-equiv|width)=[\"']?[a-z0-9#:/?. ]{{0,6}}[\"']?)?>"
    );
    let piece = prop_oneof![
        4 => proptest::string::string_regex(&tag).unwrap().prop_map(String::into_bytes),
        2 => "[a-zé \n\t&;<>]{0,12}".prop_map(String::into_bytes),
        1 => proptest::collection::vec(any::<u8>(), 0..12),
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_octets_are_laid_out_without_panic(octets in html()) {
        let document = page(&octets);
        for row in 0..document.count() {
            let shown = document.row(row).unwrap();
            prop_assert!(!shown.text().chars().any(geomys_wire::text::is_harmful));
            let links = document.links(row);
            let spans: Vec<usize> = shown.spans.iter().filter_map(|span| span.link).collect();
            prop_assert_eq!(&spans, &(0..links.len()).collect::<Vec<_>>());
            prop_assert_eq!(document.is_link(row), !links.is_empty());
        }
    }
}
