//! Titan: what is sent, what follows an upload, and the form in the browser.

use std::io;
use std::sync::{Arc, Mutex};

use geomys_load::check::check;
use geomys_load::{
    FormAnswers, FormKind, PostedAnswers, Purpose, Question, Reason, Request, request_preview,
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
        let failure = answer_of(scripts).await.failure();
        assert!(failure.sentence.starts_with("redirect to "), "{failure:?}");
        assert!(failure.next.is_some());
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

#[tokio::test]
async fn form_begins_with_the_text_of_the_page() {
    let form_of = async |answer: &'static [&'static str]| {
        let (address, playing) = listen(answer).await;
        let here = format!("titan://{address}/a;edit");
        let Question::Form(form) = show(&Net::default(), here).await.question() else {
            panic!("no form");
        };
        assert_played(playing).await;
        form.text
    };
    let page = &["C: gemini://HERE/a\nS: 20 text/gemini\nS: # One\nS| Two"];
    assert_eq!(form_of(page).await, "# One\r\nTwo");
    let missing = &["C: gemini://HERE/a\nS: 51 Nothing"];
    assert_eq!(form_of(missing).await, "");
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
    let (address, playing) = listen(&["C: gemini://HERE/a\nS: 51 Nothing"]).await;
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
    let mut request = Request::show(url(format!("titan://{}/a", server.address)), Reason::Typed);
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
