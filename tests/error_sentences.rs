//! The errors of libraries in sentences: no text in which a type shows itself, whatever the input.

use std::fs;
use std::path::Path;

use geomys::config::{Environment, UserPaths, read};
use geomys_load::{FormKind, Purpose, Question, Reason, Request, ServerForm, Stop};
use geomys_page::document::{Document, Shape};
use geomys_store::bookmarks::exchange::BookmarkFormat;
use geomys_store::files::session::SessionState;
use geomys_testing::loading::{as_user, carry_out, short_timeouts, texts};
use geomys_testing::tls::{Authority, Identity, Server};
use geomys_wire::net::{Net, TlsError, Trust};
use geomys_wire::text::CharsetSetting;
use proptest::prelude::*;
use rfc1738::{Dialect, Url};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// The part of a sentence outside of quotation marks, URLs and addresses that shows a type: a brace, a path, a name
/// with fields. None for a sentence in words.
fn debug_text(sentence: &str) -> Option<String> {
    let mut quoted = None;
    let mut outside = String::new();
    for sign in sentence.chars() {
        match (quoted, sign) {
            (None, '“') => quoted = Some('”'),
            (None, '"' | '`') => quoted = Some(sign),
            (None, _) => outside.push(sign),
            (Some(end), _) if sign == end => quoted = None,
            (Some(_), _) => {}
        }
    }
    let shows_type = |word: &&str| {
        let is_address = word.contains("://") || word.starts_with('[') || word.starts_with("::");
        let has_fields = word.find('(').is_some_and(|at| at > 0);
        !is_address && (word.contains('{') || word.contains("::") || has_fields)
    };
    outside
        .split_whitespace()
        .find(shows_type)
        .map(str::to_owned)
}

fn assert_words(sentence: &str) {
    assert_eq!(debug_text(sentence), None, "{sentence}");
}

#[test]
fn debug_text_is_found_in_the_sentences_that_had_it() {
    for sentence in [
        "TLS with h:1 failed: invalid peer certificate: Other(OtherError(EkuError))",
        "expected 0x1 have 0x2 while decoding ChunkType { type: IDAT, critical: true }",
        "ended after 3 ms: Needs(Form(ServerForm { lines: [[78, 111]] }))",
        "std::io::Error",
    ] {
        assert!(debug_text(sentence).is_some(), "{sentence}");
    }
    for sentence in [
        "h.example:70 (“a {b} c(d)”) refused http://[::1]:80/a(b) at [::1]:80 (see above)",
        "the file is damaged: a checksum (CRC) is wrong",
    ] {
        assert_words(sentence);
    }
}

/// The sentence of the load of a URL over TLS from a server that answers the first octets with `reply`.
async fn tls_failure(reply: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut hello = [0; 5];
        // A client that has given up sends nothing more.
        let _ = stream.read_exact(&mut hello).await;
        let _ = stream.write_all(&reply).await;
        let _ = stream.shutdown().await;
        let _ = stream.read_to_end(&mut Vec::new()).await;
    });
    let url = Dialect::Extended
        .parse(&format!("gophers://{address}/"))
        .unwrap();
    let loaded = carry_out(&short_timeouts(), Request::show(url, Reason::Typed)).await;
    server.abort();
    loaded.failure().sentence
}

#[tokio::test]
async fn alerts_and_broken_handshakes_are_words() {
    for code in 0..=u8::MAX {
        let sentence = tls_failure(vec![0x15, 3, 3, 0, 2, 2, code]).await;
        assert_words(&sentence);
    }
    for content in 0..=0x20 {
        for start in [
            vec![content, 3, 3, 0, 4, 2, 0, 0, 0],
            vec![content, 3, 3, 0xFF, 0xFF],
        ] {
            assert_words(&tls_failure(start).await);
        }
    }
}

#[tokio::test]
async fn fault_of_a_certificate_for_clients_is_in_words() {
    let authority = Authority::new();
    let server = Server::start(&Identity::for_clients(&authority, "127.0.0.1")).await;
    // The authorities of the system are read, too.
    let net = Net::default().with_root_certificate(authority.certificate());
    let url = Dialect::Extended
        .parse(&format!("gophers://{}/", server.address))
        .unwrap();
    let stop = carry_out(&net, Request::show(url, Reason::Typed))
        .await
        .end
        .unwrap_err();
    let sentence = stop.sentence();
    assert!(
        sentence.contains("certificate had invalid extensions"),
        "{sentence}"
    );
    assert_words(&sentence);
    let trust = Trust::default();
    let net = as_user(&net);
    let connected = net.connect_tls("127.0.0.1", server.address.port(), &trust);
    let Err(TlsError::UntrustedCertificate(untrusted)) = connected.await.map(drop) else {
        panic!("not a question");
    };
    untrusted
        .sentences()
        .iter()
        .for_each(|sentence| assert_words(sentence));
}

#[test]
fn log_of_a_load_has_the_sentence_of_its_question() {
    let form = ServerForm {
        title: None,
        lines: vec![b"Ask: Name".to_vec()],
        hints: Vec::new(),
        text: String::new(),
        kind: FormKind::Item,
    };
    let stop = Stop::Needs(Question::Form(form));
    assert_words(&stop.sentence());
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("log");
    let log = log.to_str().unwrap();
    let output =
        crate::support::command::geomys(&["dump", "gopher://127.0.0.1:25/0HELO", "--log", log], "");
    assert_eq!(output.status.code(), Some(1));
    let written = fs::read_to_string(log).unwrap();
    let ended = written.lines().find(|line| line.contains("ended after"));
    let ended = ended.unwrap_or_else(|| panic!("{written}"));
    assert!(
        ended.contains("the port belongs to another service"),
        "{ended}"
    );
    assert_words(ended);
}

fn samples(directory: &str) -> Vec<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(directory);
    let files = fs::read_dir(path).unwrap();
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    files
        .into_iter()
        .map(|file| fs::read(file).unwrap())
        .collect()
}

/// A small PNG, of which the pictures of the tests have none.
fn png() -> Vec<u8> {
    let mut octets = Vec::new();
    let mut encoder = png::Encoder::new(&mut octets, 8, 8);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[7; 8 * 8 * 3]).unwrap();
    drop(writer);
    octets
}

/// A file with some octets changed, and perhaps cut.
fn damaged(files: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6);
    let cut = prop::option::of(any::<prop::sample::Index>());
    (prop::sample::select(files), changes, cut).prop_map(|(mut file, changes, cut)| {
        for (at, octet) in changes {
            let at = at.index(file.len());
            file[at] = octet;
        }
        if let Some(cut) = cut {
            file.truncate(cut.index(file.len()));
        }
        file
    })
}

fn pictures() -> Vec<Vec<u8>> {
    let mut files = samples("pictures");
    // Each format is as likely.
    files.extend(vec![png(); 4]);
    files
}

fn exchange() -> Vec<Vec<u8>> {
    let files = samples("bookmarks");
    files.into_iter().filter(|file| !file.is_empty()).collect()
}

proptest! {
    #[test]
    fn damaged_pictures_are_explained_in_words(octets in damaged(pictures())) {
        let url = Dialect::Extended.parse("http://h.example/a").unwrap();
        let mut document = Document::new(url, Shape::Picture, CharsetSetting::default());
        document.append(&octets);
        for row in texts(&document.finished()) {
            prop_assert_eq!(debug_text(&row), None, "{}", row);
        }
    }

    #[test]
    fn damaged_bookmarks_of_other_programs_are_explained_in_words(octets in damaged(exchange())) {
        for format in BookmarkFormat::all() {
            if let Err(error) = format.read(&octets) {
                let sentence = error.to_string();
                prop_assert_eq!(debug_text(&sentence), None, "{}", sentence);
            }
        }
    }

    #[test]
    fn malformed_urls_are_explained_in_words(text in "(gopher|ftp|http|news|wais)?[:/@?#%a-z0-9. \\[\\]-]{0,24}") {
        if let Err(error) = Url::parse(&text) {
            let sentence = error.to_string();
            prop_assert_eq!(debug_text(&sentence), None, "{}", sentence);
        }
    }

    #[test]
    fn malformed_sessions_and_settings_are_explained_in_words(text in "[\\[\\]{}=\",a-z0-9. \n-]{0,40}") {
        if let Err(error) = SessionState::parse(text.as_bytes()) {
            let sentence = error.to_string();
            prop_assert_eq!(debug_text(&sentence), None, "{}", sentence);
        }
        let profile = tempfile::tempdir().unwrap();
        for name in ["settings.toml", "keys.toml", "theme.toml"] {
            fs::write(profile.path().join(name), &text).unwrap();
        }
        let paths = UserPaths::new(Some(profile.path().to_owned())).unwrap();
        for error in read(&paths, &Environment::default()).errors {
            let sentence = error.to_string();
            prop_assert_eq!(debug_text(&sentence), None, "{}", sentence);
        }
    }
}

#[tokio::test]
async fn failures_of_every_scheme_are_words() {
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap()
    };
    let schemes = [
        "gopher", "gophers", "ftp", "ftps", "http", "https", "gemini", "spartan", "nex", "nntp",
        "nntps", "wais", "finger", "telnet", "prospero", "x-any",
    ];
    for scheme in schemes {
        for rest in ["", "1/a", "a.b/1", "d?a"] {
            let Ok(url) = Dialect::Extended.parse(&format!("{scheme}://{closed}/{rest}")) else {
                continue;
            };
            for purpose in [Purpose::Show, Purpose::Save] {
                let request = Request {
                    purpose,
                    ..Request::show(url.clone(), Reason::Typed)
                };
                if let Err(stop) = carry_out(&short_timeouts(), request).await.end {
                    assert_words(&stop.sentence());
                }
            }
        }
    }
}
