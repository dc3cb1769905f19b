//! Charsets that servers declare, that the user chooses, and that the octets tell: a page is decoded before it is split
//! into lines and judged.

use std::collections::HashMap;
use std::process::Output;

use geomys_testing::capsule::Capsule;
use geomys_testing::loading::{show, texts};
use geomys_testing::script::listen;
use geomys_testing::tls::Identity;
use geomys_testing::web::{Web, ok};
use geomys_wire::net::Net;
use geomys_wire::text::Charset;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use crate::support::command::{geomys, geomys_at, text};
use crate::support::screen::Browser;

/// Encodes a text, also in the charsets that nobody sends forms in.
fn encoded(charset: &str, text: &str) -> Vec<u8> {
    let units = || text.encode_utf16();
    let letters = || text.chars().map(u32::from);
    match charset {
        "utf-16le" => units().flat_map(u16::to_le_bytes).collect(),
        "utf-16be" => units().flat_map(u16::to_be_bytes).collect(),
        "utf-32le" => letters().flat_map(u32::to_le_bytes).collect(),
        "utf-32be" | "utf-32" => letters().flat_map(u32::to_be_bytes).collect(),
        _ => Charset::named(charset).unwrap().encode(text),
    }
}

async fn run(arguments: &[&str]) -> Output {
    let arguments: Vec<String> = arguments.iter().map(|&word| word.to_owned()).collect();
    let run = move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        geomys(&arguments, "")
    };
    tokio::task::spawn_blocking(run).await.unwrap()
}

const DECLARED: [&str; 6] = [
    "utf-16le",
    "utf-16be",
    "utf-32",
    "utf-32le",
    "iso-2022-jp",
    "shift_jis",
];

/// The answers over HTTP and Gemini, and the lines of the page.
type Served = (Vec<u8>, Vec<u8>, Vec<String>);

/// The letters of lines; those of Malayalam have the octets of CR and LF in UTF-16.
const LINE: &str = "[a-z漢字ひらがな]{1,20} [a-z漢字]{1,9}";
const WIDE_LINE: &str = "[a-zഅഊ漢字é💩]{1,20} [a-z漢字]{1,9}";

#[tokio::test(flavor = "multi_thread")]
async fn declared_charset_is_decoded_before_lines_are_split_for_every_type() {
    let mut runner = TestRunner::deterministic();
    let mut pages: HashMap<String, Served> = HashMap::new();
    for round in 0..6 {
        for charset in DECLARED {
            let letters = if charset.starts_with("utf") {
                WIDE_LINE
            } else {
                LINE
            };
            let lines = proptest::collection::vec(letters, 2..6);
            let lines = lines.new_tree(&mut runner).unwrap().current();
            let end = ["\n", "\r\n", "\r"][round % 3];
            let plain = lines.join(end) + end;
            let html = format!("<p>{}</p>", lines.join("</p><p>"));
            for (media, page) in [
                ("text/plain", &plain),
                ("text/gemini", &plain),
                ("text/html", &html),
                ("text/x-unknown", &plain),
            ] {
                let path = format!("/{round}/{charset}/{media}");
                let octets = encoded(charset, page);
                let head = format!("{media}; charset={charset}");
                let http = ok(&format!("Content-Type: {head}\r\n"), &octets);
                let gemini = [format!("20 {head}\r\n").as_bytes(), &octets].concat();
                pages.insert(path, (http, gemini, lines.clone()));
            }
        }
    }
    let (served, expected) = (pages.clone(), pages);
    let by_gemini = served.clone();
    let web = Web::start(move |request| served[request.path()].0.clone()).await;
    let identity = Identity::self_signed("localhost");
    let capsule = Capsule::start(&identity, move |path| (by_gemini[path].1.clone(), true)).await;
    let net = Net::default();
    for (path, (_, _, lines)) in &expected {
        for url in [web.url(path), capsule.url(path)] {
            let shown = texts(&show(&net, &url).await.whole().document());
            let shown = shown
                .iter()
                .map(|row| row.trim())
                .filter(|row| !row.is_empty());
            let shown: Vec<&str> = shown.collect();
            assert_eq!(&shown, lines, "{url}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn dump_prints_pages_in_declared_and_chosen_charsets() {
    let words = "Grüße aus 漢字\nsecond line\n";
    let answer = move |path: &str| match path {
        "/unknown" => ("text/plain; charset=klingon-9", words.as_bytes().to_vec()),
        "/undeclared" => ("text/plain", encoded("utf-16le", words)),
        "/utf-32" => ("text/plain; charset=utf-32", encoded("utf-32", words)),
        "/hz" => ("text/plain", b"HZ: ~{<:Ky2;~}.\nsecond ~ line\n".to_vec()),
        "/jis" => (
            "text/plain",
            b"JIS: \x1b$B4A;z\x1b(B.\nsecond line\n".to_vec(),
        ),
        path => (
            "text/gemini; charset=utf-16be",
            encoded("utf-16be", &format!("{path}\r# Heading\r")),
        ),
    };
    let web = Web::start(move |request| {
        let (media, octets) = answer(request.path());
        ok(&format!("Content-Type: {media}\r\n"), octets)
    })
    .await;
    for (path, options, out, err) in [
        ("/utf-32", &[][..], words, ""),
        ("/undeclared", &["--encoding", "utf-16le"], words, ""),
        ("/hz", &[], "HZ: 己所不.\nsecond ~ line\n", ""),
        ("/jis", &[], "JIS: 漢字.\nsecond line\n", ""),
        ("/gemtext", &[], "/gemtext\n# Heading\n", ""),
        (
            "/unknown",
            &[],
            words,
            "unknown charset “klingon-9”: --charset chooses another\n",
        ),
    ] {
        let url = web.url(path);
        let arguments = [options, &["dump", &url]].concat();
        let output = run(&arguments).await;
        assert_eq!(text(&output.stdout), out, "{path}");
        assert_eq!(
            (text(&output.stderr).as_str(), output.status.code()),
            (err, Some(0)),
            "{path}"
        );
    }
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(
        directory.path().join("wide.txt"),
        encoded("utf-16be", words),
    )
    .unwrap();
    let output = geomys_at(
        directory.path(),
        &["--charset", "utf-16be", "dump", "wide.txt"],
    );
    assert!(text(&output.stdout).ends_with(words), "{output:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn lone_cr_ends_a_line_over_gemini_and_nex() {
    let identity = Identity::self_signed("localhost");
    let page = |_: &str| (b"20 text/plain\r\none\rtwo\rthree".to_vec(), true);
    let capsule = Capsule::start(&identity, page).await;
    let (nex, playing) = listen(&["C: /a.txt\nS| one\\rtwo\\rthree"]).await;
    for url in [capsule.url("/"), format!("nex://{nex}/a.txt")] {
        let output = run(&["dump", &url]).await;
        assert_eq!(
            text(&output.stdout),
            "one\ntwo\nthree\n",
            "{url}: {output:?}"
        );
    }
    playing.await.unwrap();
}

#[tokio::test]
async fn unknown_charset_is_said_and_a_wide_one_can_be_set() {
    let wide = encoded("utf-16le", "Grüße aus 漢字\nsecond line\n");
    let web = Web::start(move |request| match request.path() {
        "/unknown" => ok(
            "Content-Type: text/plain; charset=klingon-9\r\n",
            "Some words\n",
        ),
        "/declared" => ok(
            "Content-Type: text/html\r\n",
            b"<meta charset=klingon-9><p>In a caf\xe9",
        ),
        _ => ok("Content-Type: text/x-wide\r\n", &wide),
    })
    .await;
    let session = Browser::new().open(web.url("/unknown")).start();
    session
        .wait("Unknown charset “klingon-9”: e chooses another")
        .await;
    session.press("o");
    session.type_in(&web.url("/declared"));
    session.press("Enter");
    session.wait("In a café").await;
    session
        .wait("[unknown charset klingon-9: \"charset\" chooses another]")
        .await;
    session.press("q");
    session.end().await;
    let settings = "charset = \"utf-16le\"\n";
    let session = (Browser::new().settings(settings).open(web.url("/wide"))).start();
    session.wait("Grüße aus 漢字").await;
    session.press("q");
    session.end().await;
}
