//! Links in pages of text: URLs in running text, also over several rows.

use geomys_page::document::{Document, Shape};
use geomys_wire::text::CharsetSetting;
use rfc1738::Url;

/// The links of the rows of a text page, as `row: label target`.
fn links(shape: Shape, text: &str) -> Vec<String> {
    let url = Url::parse("gopher://h.example/0a").unwrap();
    let mut document = Document::new(url, shape, CharsetSetting::default());
    document.append(text.as_bytes());
    let document = document.finished();
    let rows = 0..document.count();
    rows.flat_map(|number| {
        let spans = document.row(number).unwrap().spans;
        let labels = spans.into_iter().filter(|span| span.link.is_some());
        let links = document.links(number).into_iter();
        let links: Vec<String> = labels
            .zip(links)
            .map(|(span, link)| format!("{number}: {} {}", span.text, link.target.unwrap()))
            .collect();
        links
    })
    .collect()
}

/// The numbers of links that begin in the rows of a text page.
fn starting(shape: Shape, text: &str) -> Vec<usize> {
    let url = Url::parse("gopher://h.example/0a").unwrap();
    let mut document = Document::new(url, shape, CharsetSetting::default());
    document.append(text.as_bytes());
    let document = document.finished();
    let rows = 0..document.count();
    rows.map(|row| document.starting_links(row).len()).collect()
}

#[test]
fn url_in_brackets_over_two_rows_is_one_link() {
    let text = "see <URL:http://h.example/one/\r\n   two> and http://h/x\r\nor <ftp://h/a\nb\n/c>, <URL:news:a.b>\n";
    assert_eq!(
        links(Shape::Text, text),
        [
            "0: <URL:http://h.example/one/ http://h.example/one/two",
            "1: two> http://h.example/one/two",
            "1: http://h/x http://h/x",
            "2: <ftp://h/a ftp://h/ab/c",
            "3: b ftp://h/ab/c",
            "4: /c> ftp://h/ab/c",
            "4: <URL:news:a.b> news:a.b",
        ]
    );
    assert_eq!(starting(Shape::Text, text), [1, 1, 1, 0, 1]);
    let article = format!("Subject: x\n\n{text}> <URL:http://h/a\n> b>\n");
    assert_eq!(links(Shape::Article, &article).len(), 8);
    for text in [
        "a < b: c\nd > e",
        "<URL:http://h/a",
        "b>",
        "<b\n>http://h/",
        "x > y\n<URL:\n",
    ] {
        assert!(links(Shape::Text, text).len() <= 1, "{text}");
    }
    let open = format!("<URL:http://h/a{}>", "\nb".repeat(20));
    assert_eq!(links(Shape::Text, &open), ["0: URL:http://h/a http://h/a"]);
}
