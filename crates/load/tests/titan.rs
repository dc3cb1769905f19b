//! Titan: what is sent, what follows an upload, and the form in the browser.

use std::io;
use std::sync::{Arc, Mutex};

use geomys_load::check::check;
use geomys_load::{
    FormAnswers, FormKind, PostedAnswers, Purpose, Question, Reason, Request, ServerForm,
    request_preview, upload_token,
};
use geomys_testing::loading::{Loaded, carry_out, show, url};
use geomys_testing::script::{assert_played, play};
use geomys_testing::tls::{Identity, Server};
use geomys_wire::net::{ClientIdentity, IdentityStore, Net, Pin, Security};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A server over TLS that plays one script per connection.
async fn listen(scripts: &'static [&'static str]) -> (String, JoinHandle<()>) {
    let identity = Identity::self_signed("127.0.0.1");
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let here = address.clone();
    let playing = tokio::spawn(async move {
        for script in scripts {
            let (stream, _) = listener.accept().await.unwrap();
            let mut stream = identity.acceptor().accept(stream).await.unwrap();
            let port = here.rsplit(':').next().unwrap();
            let script = script.replace("HERE", &here).replace("PORT", port);
            play(&mut stream, &script).await;
            stream.shutdown().await.unwrap();
        }
    });
    (address, playing)
}

fn upload(to: String, text: &str, token: &str) -> Request {
    Request {
        answers: FormAnswers::Posted(PostedAnswers {
            media: "text/plain; charset=utf-8".to_owned(),
            token: token.to_owned(),
            octets: text.as_bytes().to_vec(),
        }),
        ..Request::show(url(to), Reason::Typed)
    }
}

#[tokio::test]
async fn upload_is_a_line_with_parameters_and_the_data() {
    let (address, playing) = listen(&[
        "C: titan://HERE/a;size=6;mime=text/plain%3B%20charset%3Dutf-8;token=a%20b
        C: data
        S: 20 text/plain
        S| Stored",
    ])
    .await;
    // The media type's own parameter is encoded too.
    let request = upload(
        format!("titan://{address}/a;size=9;mime=x/y"),
        "data\r\n",
        "a b",
    );
    assert!(!format!("{request:?}").contains("a b"));
    let page = carry_out(&Net::default(), request).await.whole();
    assert_eq!(page.octets, b"Stored");
    assert_eq!(page.begin.unwrap().security, Security::Pinned);
    assert_played(playing).await;
}

#[tokio::test]
async fn host_is_sent_in_lower_case() {
    let (address, playing) = listen(&[
        "C: titan://localhost:PORT/A;size=3;mime=text/plain%3B%20charset%3Dutf-8
        C: a
        S: 20 text/plain
        S| Stored",
    ])
    .await;
    let to = format!("titan://{}/A", address.replace("127.0.0.1", "LocalHost"));
    let page = carry_out(&Net::default(), upload(to, "a\r\n", "")).await;
    assert_eq!(page.whole().octets, b"Stored");
    assert_played(playing).await;
}

#[tokio::test]
async fn page_after_an_upload_is_loaded_over_gemini_and_nothing_is_sent_again() {
    let (address, playing) = listen(&[
        "C: titan://HERE/a;size=3;mime=text/plain%3B%20charset%3Dutf-8
        C: x
        S: 30 gemini://HERE/a",
        "C: gemini://HERE/a
        S: 20 text/plain
        S| x",
    ])
    .await;
    let page = carry_out(
        &Net::default(),
        upload(format!("titan://{address}/a"), "x\r\n", ""),
    )
    .await;
    let page = page.whole();
    assert_eq!(page.place().as_str(), format!("gemini://{address}/a"));
    assert_played(playing).await;
}

async fn answer_of(scripts: &'static [&'static str]) -> Loaded {
    let (address, playing) = listen(scripts).await;
    let request = upload(format!("titan://{address}/a"), "x\r\n", "");
    let loaded = carry_out(&Net::default(), request).await;
    assert_played(playing).await;
    loaded
}

#[tokio::test]
async fn redirect_to_another_upload_or_server_is_a_link() {
    for scripts in [
        &[
            "C: titan://HERE/a;size=3;mime=text/plain%3B%20charset%3Dutf-8\nC: x\nS: 30 titan://HERE/b",
        ],
        &[
            "C: titan://HERE/a;size=3;mime=text/plain%3B%20charset%3Dutf-8\nC: x\nS: 30 gemini://h.example/b",
        ],
    ] {
        let page = answer_of(scripts).await.whole();
        let text = String::from_utf8(page.octets).unwrap();
        assert!(text.starts_with("Sent; the page "), "{text}");
        assert!(text.contains("did not come: redirect to "), "{text}");
        assert!(text.contains("\n=> "), "{text}");
    }
}

/// The data has arrived: an error would make somebody send it again.
#[tokio::test]
async fn page_that_does_not_come_after_an_upload_is_no_error() {
    for (answer, reason) in [
        ("S: 51 Nothing", "answered 51"),
        ("S: 10 Who?", "Who?"),
        ("S: 60 Who?", "certificate"),
        ("S: 30 gemini://HERE/b", "loop"),
    ] {
        let redirect = "C: titan://HERE/a;size=3;mime=text/plain%3B%20charset%3Dutf-8\nC: x\nS: 30 gemini://HERE/b";
        let page = format!("C: gemini://HERE/b\n{answer}");
        let scripts: &'static [&'static str] = Box::leak(Box::new([redirect, page.leak() as &str]));
        let page = answer_of(scripts).await.whole();
        let text = String::from_utf8(page.octets).unwrap();
        assert!(text.starts_with("Sent; the page gemini://"), "{text}");
        assert!(text.contains(reason), "{text}");
        assert!(page.begin.unwrap().url.is_none());
    }
}

#[tokio::test]
async fn input_after_an_upload_and_errors_are_failures() {
    let line = &["C: titan://HERE/a;size=3;mime=text/plain%3B%20charset%3Dutf-8\nC: x\nS: 10 Who?"];
    let failure = answer_of(line).await.failure();
    assert!(failure.sentence.contains("asks for input"), "{failure:?}");
    let line =
        &["C: titan://HERE/a;size=3;mime=text/plain%3B%20charset%3Dutf-8\nC: x\nS: 50 No token"];
    let failure = answer_of(line).await.failure();
    assert_eq!(failure.said[0].as_str(), "No token");
}

/// The form of a path, whose server plays these scripts.
async fn form_of(path: &str, scripts: &'static [&'static str]) -> ServerForm {
    let (address, playing) = listen(scripts).await;
    let here = format!("titan://{address}{path}");
    let Question::Form(form) = show(&Net::default(), here).await.question() else {
        panic!("no form");
    };
    assert_played(playing).await;
    assert!(!format!("{form:?}").contains("s3cret"));
    form
}

#[tokio::test]
async fn form_to_edit_begins_with_the_source_of_the_page() {
    let source = &["C: titan://HERE/a;edit\nS: 20 text/gemini\nS: # Source\nS| Two"];
    assert_eq!(form_of("/a;edit", source).await.text, "# Source\r\nTwo");
    let token = &["C: titan://HERE/a;edit;token=s3cret\nS: 20 text/plain\nS| x"];
    let form = form_of("/a;mime=text/plain;token=s3cret;edit", token).await;
    assert_eq!(form.text, "x");
    // The source is elsewhere on the server.
    let elsewhere = &[
        "C: titan://HERE/a;edit\nS: 30 gemini://HERE/a.gmi",
        "C: gemini://HERE/a.gmi\nS: 20 text/gemini\nS| Raw",
    ];
    assert_eq!(form_of("/a;edit", elsewhere).await.text, "Raw");
    // The server does not know the parameter: the page that it shows.
    let shown = &[
        "C: titan://HERE/a;edit\nS: 59 What?",
        "C: gemini://HERE/a\nS: 20 text/gemini\nS: # One\nS| Two",
    ];
    assert_eq!(form_of("/a;edit", shown).await.text, "# One\r\nTwo");
    let missing = &[
        "C: titan://HERE/a;edit\nS: 59 What?",
        "C: gemini://HERE/a\nS: 51 Nothing",
    ];
    assert_eq!(form_of("/a;edit", missing).await.text, "");
}

/// An empty form, or one with what the server shows to readers, would replace the page.
#[tokio::test]
async fn source_that_does_not_come_is_a_failure_and_no_form() {
    let scripts: &[(&'static [&'static str], &str)] = &[
        (&["C: titan://HERE/a;edit\nS: 40 Later"], "answered 40"),
        (&["C: titan://HERE/a;edit\nS: 41 Later"], "answered 41"),
        (&["C: titan://HERE/a;edit\nS: 44 9999"], "answered 44"),
        (&["C: titan://HERE/a;edit\nS: 10 Who?"], "asks for input"),
        (
            &["C: titan://HERE/a;edit\nS: 20 image/png\nS| x"],
            "no text",
        ),
        (
            &["C: titan://HERE/a;edit\nS: 20 text/plain\nS| \\xff"],
            "no text",
        ),
        (
            &["C: titan://HERE/a;edit\nS: 30 gemini://h.example/a"],
            "h.example",
        ),
        (
            &[
                "C: titan://HERE/a;edit\nS: 59 What?",
                "C: gemini://HERE/a\nS: 42 Broken",
            ],
            "answered 42",
        ),
        (
            &[
                "C: titan://HERE/a;edit\nS: 30 gemini://HERE/b",
                "C: gemini://HERE/b\nS: 41 Later",
            ],
            "answered 41",
        ),
    ];
    for (scripts, words) in scripts {
        let (address, playing) = listen(scripts).await;
        let here = format!("titan://{address}/a;edit");
        let failure = show(&Net::default(), here).await.failure();
        assert!(failure.sentence.contains(words), "{failure:?}");
        assert_played(playing).await;
    }
    let closed = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let here = format!("titan://{}/a;edit", closed.local_addr().unwrap());
    drop(closed);
    show(&Net::default(), here).await.failure();
}

/// A comment does not begin with the page that it is about.
#[tokio::test]
async fn form_without_edit_is_empty_but_for_the_parameters_of_its_url() {
    let form = form_of(
        "/a/comment;mime=text/plain%3Bcharset%3Dutf-8;token=s3cret%20x",
        &[],
    )
    .await;
    assert_eq!(form.text, "");
    let token = upload_token(&url("titan://h/a;mime=text/plain;token=s3cret%20x"));
    assert_eq!(token.0, b"s3cret x");
    let lines: Vec<_> = form
        .lines
        .iter()
        .map(|line| String::from_utf8_lossy(line))
        .collect();
    assert!(
        lines.contains(&"Ask: Media type\ttext/plain;charset=utf-8".into()),
        "{lines:?}"
    );
    assert_eq!(upload_token(&url("titan://h/a")).0, b"");
}

#[tokio::test]
async fn certificate_for_the_source_is_asked_for_before_the_form() {
    let (address, playing) = listen(&["C: titan://HERE/a;edit\nS: 61 Who?"]).await;
    let here = format!("titan://{address}/a;edit");
    let question = show(&Net::default(), here).await.question();
    assert_played(playing).await;
    let Question::Identity { why, .. } = &question else {
        panic!("{question:?}");
    };
    assert_eq!(*why, "the page needs a certificate");
}

/// A store of client certificates that has none, and records the paths for which one is looked up.
#[derive(Default)]
struct LookedUp(Mutex<Vec<String>>);

impl IdentityStore for LookedUp {
    fn find(&self, _: &str, path: &str) -> io::Result<Option<ClientIdentity>> {
        self.0.lock().unwrap().push(path.to_owned());
        Ok(None)
    }

    fn choose(&self, _: &str, _: &str, _: &str) -> io::Result<ClientIdentity> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn names(&self) -> io::Result<Vec<String>> {
        Ok(Vec::new())
    }
}

#[tokio::test]
async fn client_certificate_of_the_page_is_shown_for_its_upload() {
    let store = Arc::new(LookedUp::default());
    let net = Net::default().with_identity_store(Arc::clone(&store) as Arc<dyn IdentityStore>);
    let (address, playing) = listen(&["C: titan://HERE/a;edit\nS: 20 text/plain\nS| x"]).await;
    let here = format!("titan://{address}/a;edit");
    show(&net, &here).await.question();
    assert_played(playing).await;
    let line = &["C: titan://HERE/a;size=3;mime=text/plain%3B%20charset%3Dutf-8\nC: x\nS: 51 No"];
    let (address, playing) = listen(line).await;
    let request = upload(format!("titan://{address}/a;edit"), "x\r\n", "");
    carry_out(&net, request).await.failure();
    assert_played(playing).await;
    assert_eq!(*store.0.lock().unwrap(), ["/a", "/a"]);
}

/// A form without the text of the page would replace it.
#[tokio::test]
async fn changed_certificate_is_asked_about_before_the_form() {
    let server = Server::start(&Identity::self_signed("127.0.0.1")).await;
    let here = format!("titan://{}/a;edit", server.address);
    let mut request = Request::show(url(here), Reason::Typed);
    request.trust.pin = Some(Pin {
        fingerprint: Identity::self_signed("127.0.0.1").fingerprint(),
        since: None,
        expires: None,
    });
    let question = carry_out(&Net::default(), request).await.question();
    assert!(matches!(question, Question::Certificate(_)), "{question:?}");
}

#[tokio::test]
async fn url_alone_asks_and_is_no_file() {
    let net = Net::default();
    let closed = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let here = url(format!("titan://{}/a", closed.local_addr().unwrap()));
    drop(closed);
    let Question::Form(form) = show(&net, here.as_str()).await.question() else {
        panic!("no form");
    };
    assert_eq!(form.kind, FormKind::Upload);
    let request = Request {
        purpose: Purpose::Save,
        ..Request::show(here.clone(), Reason::Typed)
    };
    let failure = carry_out(&net, request).await.failure();
    assert!(failure.sentence.contains("takes an upload"), "{failure:?}");
    let verdict = check(&net, &Request::show(here.clone(), Reason::Typed))
        .await
        .verdict;
    assert_eq!(verdict.words(), "it takes an upload");
    assert_eq!(request_preview(&here), None);
}
