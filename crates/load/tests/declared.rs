//! Laws of what a server declares: the charset, the media type, the status, the item type.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use geomys_load::{Question, Reason, Request};
use geomys_page::document::Shape;
use geomys_testing::loading::{Loaded, carry_out, texts, url};
use geomys_wire::net::Net;
use geomys_wire::text::{Charset, Text, is_utf8};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// Number of answers of each law.
const CASES: u32 = 100;

/// Charsets, each with a class of letters that it has.
const CHARSETS: [(&str, &str); 12] = [
    ("utf-8", "[a-zäéж日本]"),
    ("utf-16le", "[a-zäéж日本]"),
    ("utf-16be", "[a-zäéж日本]"),
    ("utf-32le", "[a-zäéж日本]"),
    ("utf-32be", "[a-zäéж日本]"),
    ("iso-8859-2", "[a-zäłž]"),
    ("windows-1252", "[a-zäé€]"),
    ("koi8-r", "[a-zа-я]"),
    ("windows-1251", "[a-zа-я]"),
    ("shift_jis", "[a-zあ-んア-ン日本]"),
    ("euc-jp", "[a-zあ-んア-ン日本]"),
    ("iso-2022-jp", "[a-zあ-んア-ン日本]"),
];

/// A server whose answer is set by a test, and the runtime that both are in.
struct Declared {
    runtime: Runtime,
    address: SocketAddr,
    answer: Arc<Mutex<(Vec<u8>, usize)>>,
}

impl Declared {
    fn start() -> Self {
        let runtime = Runtime::new().unwrap();
        let listener = runtime
            .block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))
            .unwrap();
        let address = listener.local_addr().unwrap();
        let answer = Arc::new(Mutex::new((Vec::new(), 0)));
        let set = Arc::clone(&answer);
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (answer, cut): (Vec<u8>, usize) = set.lock().unwrap().clone();
                let mut stream = BufReader::new(stream);
                let mut line = String::new();
                // A request of HTTP ends with an empty line.
                while stream
                    .read_line(&mut line)
                    .await
                    .is_ok_and(|length| length > 2)
                    && line.contains(" HTTP/")
                {}
                let (start, rest) = answer.split_at(cut.min(answer.len()));
                let stream = stream.get_mut();
                // The client may leave when it has read enough.
                let _ = stream.write_all(start).await;
                let _ = stream.flush().await;
                tokio::task::yield_now().await;
                let _ = stream.write_all(rest).await;
                let _ = stream.shutdown().await;
            }
        });
        Self {
            runtime,
            address,
            answer,
        }
    }

    /// Loads the page of this path, whose answer comes in two pieces.
    fn load(&self, (scheme, path): (&str, &str), answer: Vec<u8>, cut: usize) -> Loaded {
        *self.answer.lock().unwrap() = (answer, cut);
        let address = format!("{scheme}://{}{path}", self.address);
        let request = Request {
            is_attended: true,
            ..Request::show(url(address), Reason::Typed)
        };
        self.runtime.block_on(carry_out(&Net::default(), request))
    }
}

fn encoded(text: &str, charset: &str) -> Vec<u8> {
    match charset {
        "utf-16le" => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        "utf-16be" => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        "utf-32le" => text
            .chars()
            .flat_map(|c| u32::from(c).to_le_bytes())
            .collect(),
        "utf-32be" => text
            .chars()
            .flat_map(|c| u32::from(c).to_be_bytes())
            .collect(),
        name => {
            let charset = Charset::named(name).expect("a charset");
            charset.encode_answer(text)
        }
    }
}

/// Texts that match a regular expression.
fn matching(expression: &str) -> impl Strategy<Value = String> + use<> {
    prop::string::string_regex(expression).unwrap()
}

/// A charset, and lines of its letters. What is UTF-8 is shown as that, whatever was declared: so many servers declare
/// Latin-1 for each text; and a byte order mark comes before it.
fn lines() -> impl Strategy<Value = (&'static str, Vec<String>)> {
    let charset = prop::sample::select(CHARSETS.to_vec());
    let lines = charset.prop_flat_map(|(charset, letter)| {
        let lines = prop::collection::vec(matching(&format!("{letter}{{1,20}}")), 1..6);
        (Just(charset), lines)
    });
    lines.prop_filter("an accident", |(charset, lines)| {
        let is_utf_8 = |line: &str| !line.is_ascii() && is_utf8(&encoded(line, charset));
        let is_one = lines.iter().any(|line| is_utf_8(line));
        let is_marked = lines[0].starts_with("яю") || lines[0].starts_with("юя");
        charset.starts_with("utf-") || !is_one && !is_marked && !is_utf_8(&lines.concat())
    })
}

fn run<S: Strategy>(law: S, judge: impl Fn(S::Value)) {
    let config = ProptestConfig {
        cases: CASES,
        source_file: Some(file!()),
        ..ProptestConfig::default()
    };
    let ended = TestRunner::new(config).run(&law, |value| {
        judge(value);
        Ok(())
    });
    ended.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn declared_charset_holds_for_each_type_and_protocol() {
    let server = Declared::start();
    let law = (lines(), any::<bool>(), any::<bool>(), 0..400_usize);
    run(law, |((charset, lines), is_html, is_web, cut)| {
        let (media, text) = if is_html {
            ("text/html", format!("<p>{}", lines.join("\n<p>")))
        } else {
            ("text/plain", lines.join("\r\n") + "\r\n")
        };
        let head = if is_web {
            format!("HTTP/1.1 200 OK\r\nContent-Type: {media}; charset={charset}\r\n\r\n")
        } else {
            format!("2 {media}; charset={charset}\r\n")
        };
        let scheme = if is_web { "http" } else { "spartan" };
        let answer = [head.into_bytes(), encoded(&text, charset)].concat();
        let document = server.load((scheme, "/"), answer, cut).document();
        let mut rows = texts(&document);
        rows.retain(|row| !row.is_empty());
        assert_eq!(rows, lines, "{media} {charset} {scheme}");
    });
}

#[test]
fn page_with_any_status_of_an_error_is_a_page() {
    let server = Declared::start();
    let is_page = |status: &u16| ![304, 401, 407, 412].contains(status);
    let status = prop_oneof![300..309_u16, 400..600_u16].prop_filter("a page", is_page);
    let law = (status, lines(), any::<bool>(), 0..400_usize);
    run(law, |(status, (charset, lines), is_blank, cut)| {
        let head =
            format!("HTTP/1.1 {status} Odd\r\nContent-Type: text/html; charset={charset}\r\n\r\n");
        let text = if is_blank {
            " \r\n".to_owned()
        } else {
            format!("<p>{}", lines.join("\n<p>"))
        };
        let body = if is_blank {
            text.into_bytes()
        } else {
            encoded(&text, charset)
        };
        let answer = [head.into_bytes(), body.clone()].concat();
        let failure = server.load(("http", "/x"), answer, cut).failure();
        let words = failure.sentence;
        assert!(words.contains(&status.to_string()), "{words}");
        let page = failure.page.map(|page| *page);
        let page = page.filter(|page| page.head.shape == Shape::Html);
        let shown = page.map(|page| (page.head.error_status, page.octets));
        let expected = (Some(Text::of(&format!("{status} Odd"))), body);
        assert_eq!(shown, Some(expected).filter(|_| !is_blank), "{status}");
    });
}

#[test]
fn item_of_type_h_is_html_unless_its_octets_are_something_else() {
    let server = Declared::start();
    let tag = "<(table|tr|td|p|b|ul|li|div|center|!-- x --|font size=2)>";
    let law = (
        prop::collection::vec(matching(&format!("{tag}[a-z]{{1,9}}")), 1..9),
        0..400_usize,
    );
    run(law, |(parts, cut)| {
        let answer = parts.concat().into_bytes();
        let document = server.load(("gopher", "/hx"), answer, cut).document();
        let shown = texts(&document).join(" ");
        assert!(!shown.contains(['<', '>']), "{shown}");
        // Text that stands in a table beside its cells is shown behind it.
        for word in parts.iter().filter_map(|part| part.rsplit('>').next()) {
            assert!(shown.contains(word), "{word} is not in {shown}");
        }
    });
    let picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    let question = server.load(("gopher", "/hx"), picture, 3).question();
    assert!(matches!(question, Question::Save { .. }), "{question:?}");
    let gone = b"3gone\t\terror\t1\r\n.\r\n".to_vec();
    server.load(("gopher", "/hx"), gone, 3).failure();
}
