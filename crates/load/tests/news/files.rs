//! The files of articles: every named part has a row, and of alternatives the text of one.

use std::fmt::Write as _;

use geomys_page::document::Shape;
use proptest::prelude::*;

use super::{document, rows};

/// The rows of an article with this head and body, below its headers.
fn shown(body: &str) -> Vec<String> {
    let octets = format!("Subject: files\n{body}");
    let url = "nntp://news.example.org/a.b/7";
    let article = document(url, Shape::Article, octets.as_bytes()).finished();
    let rows = rows(&article).into_iter().skip(1);
    let texts = rows.map(|row| row.text());
    texts.filter(|row| !row.trim().is_empty()).collect()
}

/// A multipart of parts, each with its head.
fn multipart(kind: &str, boundary: &str, parts: &[&str]) -> String {
    let mut text = format!("Content-Type: multipart/{kind}; boundary={boundary}\n\n");
    for part in parts {
        writeln!(text, "--{boundary}\n{part}").unwrap();
    }
    writeln!(text, "--{boundary}--").unwrap();
    text
}

const PLAIN: &str = "Content-Type: text/plain\n\nWords.\n";
const HTML: &str = "Content-Type: text/html\n\n<p>Words as a page.</p>\n";
const PDF: &str = "Content-Type: application/pdf; name=a.pdf\n\nx\n";

#[test]
fn files_of_the_other_alternatives_have_rows() {
    let pdf = "[attachment: a.pdf, application/pdf, 2 B]";
    let mixed = multipart("mixed", "m", &[HTML, PDF, HTML]);
    let related = multipart("related", "r", &[HTML, PDF]);
    let calendar =
        "Content-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR\nEND:VCALENDAR\n";
    let blank = "Content-Type: text/plain\n\n \n\n";
    for (parts, expected) in [
        (vec![PLAIN, &mixed], vec!["Words.", pdf]),
        (vec![PLAIN, &related], vec!["Words.", pdf]),
        (vec![&related, PLAIN], vec!["Words.", pdf]),
        (vec![blank, &related], vec!["Words as a page.", pdf]),
        (vec![blank, HTML], vec!["Words as a page."]),
        (vec![PLAIN, HTML], vec!["Words."]),
        (
            vec![PLAIN, HTML, calendar],
            vec![
                "Words.",
                "[attachment: without a name, text/calendar, 30 B]",
            ],
        ),
    ] {
        assert_eq!(shown(&multipart("alternative", "a", &parts)), expected);
    }
}

#[test]
fn named_text_is_shown_and_has_a_row() {
    let patch = "Content-Type: text/x-patch; name=a.diff\nContent-Disposition: inline\n\n+line\n";
    assert_eq!(
        shown(&multipart("mixed", "m", &[PLAIN, patch])),
        ["Words.", "[attachment: a.diff, text/x-patch, 6 B]", "+line"]
    );
}

#[test]
fn reports_and_enriched_texts_are_read() {
    let report = "Content-Type: message/delivery-status\n\nAction: failed\n";
    for kind in ["text/rfc822-headers", "message/global-headers"] {
        let head = format!(
            "Content-Type: {kind}; charset=iso-8859-1\n\nX-Header: of the\n lost one\nFrom: \
             =?utf-8?q?K=C3=A4the?= <k@x>\nSubject: =?utf-8?b?R3LDvMOf?=\n =?utf-8?b?ZQ==?=\n"
        );
        assert_eq!(
            shown(&multipart("report", "r", &[PLAIN, report, &head])),
            [
                "Words.",
                "Action: failed",
                "X-Header: of the",
                " lost one",
                "From: Käthe <k@x>",
                "Subject: Grüße"
            ]
        );
    }
    let enriched = "Content-Type: text/enriched\n\n<bold>Words</bold> in\none line.\n\nMore.\n";
    assert_eq!(shown(enriched), ["Words in one line.", "More."]);
}

#[test]
fn signatures_by_pgp_are_one_row() {
    let sign = "-----BEGIN PGP SIGNATURE-----\n\nabc=\n-----END PGP SIGNATURE-----\n";
    let signed = format!(
        "\n-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\nFor words:\n- -----\n{sign}"
    );
    let row = "[signed by PGP, not checked]";
    assert_eq!(shown(&signed), ["For words:", "-----", row]);
    let flowed = format!(
        "Content-Type: text/plain; format=flowed\n\n-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n\
         One line \nthat flows \n- -- \nAda\nof Example\n{sign}"
    );
    assert_eq!(
        shown(&flowed),
        ["One line that flows ", "-- ", "Ada", "of Example", row]
    );
    let unsigned = flowed.replace("- -- \nAda\nof Example\n", "");
    assert_eq!(shown(&unsigned), ["One line that flows ", row]);
    let by_mime = format!("Content-Type: application/pgp-signature; name=signature.asc\n\n{sign}");
    assert_eq!(
        shown(&multipart("signed", "s", &[PLAIN, &by_mime])),
        ["Words.", row]
    );
    // A reply quotes the text alone.
    let url = "nntp://news.example.org/a.b/7";
    let octets = format!("Subject: x\n{signed}");
    let article = document(url, Shape::Article, octets.as_bytes()).finished();
    assert_eq!(article.parent().unwrap().body, ["For words:", "-----"]);
}

/// A part of any nesting.
#[derive(Clone, Debug)]
enum Tree {
    Leaf {
        kind: &'static str,
        disposition: &'static str,
        is_named: bool,
        is_blank: bool,
    },
    Multi(&'static str, Vec<Tree>),
}

impl Tree {
    /// Returns the part with its head, and appends the names in it.
    fn written(&self, names: &mut Vec<String>, boundaries: &mut usize) -> String {
        match self {
            Self::Leaf {
                kind,
                disposition,
                is_named,
                is_blank,
            } => {
                let mut head = format!("Content-Type: {kind}\n");
                let name = format!("file{}.x", names.len());
                match (*disposition, is_named) {
                    ("", false) => {}
                    ("", true) => head = format!("Content-Type: {kind}; name={name}\n"),
                    (disposition, false) => {
                        writeln!(head, "Content-Disposition: {disposition}").unwrap();
                    }
                    (disposition, true) => {
                        writeln!(head, "Content-Disposition: {disposition}; filename={name}")
                            .unwrap();
                    }
                }
                if *is_named {
                    names.push(name);
                }
                let body = if *is_blank { "" } else { "some words" };
                format!("{head}\n{body}\n")
            }
            Self::Multi(kind, parts) => {
                *boundaries += 1;
                let boundary = format!("b{boundaries}b");
                let parts: Vec<String> = parts
                    .iter()
                    .map(|part| part.written(names, boundaries))
                    .collect();
                let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
                multipart(kind, &boundary, &parts)
            }
        }
    }
}

fn tree() -> impl Strategy<Value = Tree> {
    let kinds = vec![
        "text/plain",
        "text/html",
        "text/calendar",
        "image/png",
        "application/pdf",
        "message/rfc822",
    ];
    let leaf = (
        prop::sample::select(kinds),
        prop::sample::select(vec!["", "inline", "attachment"]),
        any::<bool>(),
        any::<bool>(),
    );
    let leaf = leaf.prop_map(|(kind, disposition, is_named, is_blank)| Tree::Leaf {
        kind,
        disposition,
        is_named,
        is_blank,
    });
    leaf.prop_recursive(6, 40, 5, |inner| {
        let kinds = vec!["alternative", "mixed", "related", "digest"];
        (
            prop::sample::select(kinds),
            prop::collection::vec(inner, 1..5),
        )
            .prop_map(|(kind, parts)| Tree::Multi(kind, parts))
    })
}

proptest! {
    #[test]
    fn every_named_part_has_one_row(tree in tree()) {
        let mut names = Vec::new();
        let written = tree.written(&mut names, &mut 0);
        let shown = shown(&written);
        for name in names {
            let row = format!("[attachment: {name},");
            let count = shown.iter().filter(|shown| shown.starts_with(&row)).count();
            prop_assert_eq!(count, 1, "{} in {:#?}\n{}", name, shown, written);
        }
    }
}
