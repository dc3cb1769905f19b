//! Gemini: the dialogue as a transcript, the demo's observatory, and servers with unusual or malformed responses.

mod gemtext;
mod hostile;

use geomys_demo::Demo;
use geomys_load::check::check;
use geomys_load::{
    FailureKind, FormAnswers, HiddenAnswers, Phase, Purpose, Question, Reason, Request,
    request_preview,
};
use geomys_page::document::Shape;
use geomys_testing::capsule::{Capsule, Response};
use geomys_testing::loading::{Loaded, carry_out, show, texts, url};
use geomys_testing::script::{assert_played, peer};
use geomys_testing::tls::Identity;
use geomys_wire::net::{Limits, Net, Security};
use geomys_wire::protocol::gemini::request;
use geomys_wire::text::Charset;
use rfc1738::Url;

pub(crate) fn identity() -> Identity {
    Identity::self_signed("127.0.0.1")
}

/// A response that ends as it should.
pub(crate) fn whole(text: &str) -> Response {
    (text.as_bytes().to_vec(), true)
}

#[tokio::test]
async fn dialogue_is_a_line_a_header_and_a_body() {
    let script = "C: gemini://h.example/a?b%20c
        S: 20 text/gemini; charset=utf-8
        S| # A page\\n
        S| The end";
    let (stream, playing) = peer(script);
    let limits = Limits::default();
    let line = b"gemini://h.example/a?b%20c";
    let mut response = request(stream, line, b"", "h.example:1965", &limits)
        .await
        .unwrap();
    assert_eq!(response.header.code, 20);
    assert_eq!(response.header.meta, b"text/gemini; charset=utf-8");
    let mut body = Vec::new();
    loop {
        let octets = response.body.next().await.unwrap();
        if octets.is_empty() {
            break;
        }
        body.extend(octets);
    }
    assert_eq!(body, b"# A page\nThe end");
    assert_played(playing).await;
}

#[tokio::test]
async fn longest_request_has_1024_octets() {
    let fits = format!("gemini://h/{}", "a".repeat(1024 - 11));
    let (stream, playing) = peer(&format!("C: {fits}\nS: 51"));
    let response = request(stream, fits.as_bytes(), b"", "h:1965", &Limits::default()).await;
    assert_eq!(response.unwrap().header.code, 51);
    assert_played(playing).await;
    let failure = show(&Net::default(), format!("{fits}a")).await.failure();
    assert!(
        failure.sentence.contains("more than 1024 bytes"),
        "{failure:?}"
    );
}

#[test]
fn preview_is_the_url_with_a_path() {
    let preview = |text| request_preview(&url(text)).unwrap();
    assert_eq!(preview("gemini://h.example"), "gemini://h.example/\\r\\n");
    assert_eq!(
        preview("GEMINI://h.example:1966/a?b"),
        "gemini://h.example:1966/a?b\\r\\n"
    );
    // Servers compare the host and the port as octets.
    assert_eq!(
        preview("gemini://H.Example:1965/A"),
        "gemini://h.example/A\\r\\n"
    );
}

#[tokio::test]
async fn demo_pages_open_and_every_link_of_the_first_leads_somewhere() {
    let demo = Demo::start().await.unwrap();
    let net = Net::default();
    let here = format!("gemini://{}/", demo.addresses.gemini);
    let first = show(&net, &here).await.whole();
    let head = first.begin.as_ref().unwrap();
    assert_eq!(
        (head.shape, head.security),
        (Shape::Gemtext, Security::Pinned)
    );
    let document = first.document();
    assert_eq!(
        document.title().unwrap().as_str(),
        "The observatory of Underloam"
    );
    let mut schemes = Vec::new();
    for link in (0..document.count()).flat_map(|row| document.links(row)) {
        let target = link.target.unwrap();
        schemes.push(target.scheme_name().to_owned());
        if target.scheme_name() != "gemini" {
            continue;
        }
        let answer = carry_out(&net, Request::show(target.clone(), Reason::Typed)).await;
        let path = target.as_str().rsplit('/').next().unwrap();
        match path {
            "ask" | "whisper" => assert!(matches!(answer.question(), Question::Input { .. })),
            "door.png" => assert!(matches!(answer.question(), Question::Save { .. })),
            "away" => {
                let next = answer.failure().next.unwrap().target.unwrap();
                assert_eq!(next.scheme_name(), "gopher");
            }
            // It is busy after the pause too.
            "busy" => assert_eq!(answer.failure().kind, FailureKind::Busy),
            // The pause that /busy asks for is waited for.
            "nowhere" => {
                assert!(
                    answer
                        .phases
                        .iter()
                        .any(|phase| matches!(phase, Phase::Pause(_)))
                );
                assert_eq!(answer.failure().kind, FailureKind::Missing);
            }
            "cellar" => assert!(matches!(answer.question(), Question::Identity { .. })),
            _ => assert!(!answer.whole().octets.is_empty(), "{target}"),
        }
    }
    for scheme in [
        "gopher", "finger", "nntp", "ftp", "http", "telnet", "mailto",
    ] {
        assert!(schemes.iter().any(|known| known == scheme), "{scheme}");
    }
    let net = Net::default();
    let art = show(&net, format!("{here}old-art.gmi")).await.whole();
    assert_eq!(art.begin.as_ref().unwrap().charset, Some(Charset::CP437));
    let languages = |page: &Loaded| page.begin.as_ref().unwrap().languages.clone();
    assert_eq!(languages(&art), None);
    let german = show(&net, format!("{here}rules.txt")).await.whole();
    assert_eq!(languages(&german).unwrap().as_str(), "de");
    assert_eq!(german.begin.as_ref().unwrap().shape, Shape::Text);
}

#[tokio::test]
async fn answer_is_the_query_of_the_url_that_asked() {
    let demo = Demo::start().await.unwrap();
    let net = Net::default();
    let ask = format!("gemini://{}/ask", demo.addresses.gemini);
    let Question::Input {
        prompt,
        is_secret,
        url,
    } = show(&net, &ask).await.question()
    else {
        panic!("no question");
    };
    assert_eq!(prompt.as_str(), "Which star do you ask about?");
    assert!(!is_secret);
    let answered = url.with_search("Sirius & Vega + 1?".as_bytes()).unwrap();
    assert_eq!(
        answered.as_str(),
        format!("{ask}?Sirius%20%26%20Vega%20+%201%3F")
    );
    let page = show(&net, answered.as_str()).await.whole();
    assert_eq!(texts(&page.document())[0], "Sirius & Vega + 1?");
}

#[tokio::test]
async fn secret_answer_is_sent_and_becomes_no_part_of_a_url() {
    let capsule = Capsule::start(&identity(), |path| match path {
        "/door" => whole("11 Password?\r\n"),
        "/door?love%20lace" => whole("30 /inside\r\n"),
        "/inside" => whole("20 text/gemini\r\nThe door opens.\n"),
        path => panic!("{path}"),
    })
    .await;
    let net = Net::default();
    let question = show(&net, capsule.url("/door")).await.question();
    assert!(matches!(
        question,
        Question::Input {
            is_secret: true,
            ..
        }
    ));
    let request = Request {
        answers: FormAnswers::Hidden(HiddenAnswers(b"love lace".to_vec())),
        ..Request::show(url(capsule.url("/door")), Reason::Typed)
    };
    assert!(!format!("{request:?}").contains("lace"));
    let page = carry_out(&net, request).await.whole();
    assert_eq!(page.octets, b"The door opens.\n");
    let head = page.begin.unwrap();
    assert_eq!(head.url.unwrap().as_str(), capsule.url("/inside"));
    assert_eq!(head.from, [url(capsule.url("/door"))]);
}

#[tokio::test]
async fn wrong_password_in_a_url_is_no_part_of_the_question() {
    let capsule = Capsule::start(&identity(), |path| match path {
        "/door?wrong" => whole("11 Password?\r\n"),
        "/gate?star" => whole("10 Which star?\r\n"),
        path => panic!("{path}"),
    })
    .await;
    for (asked, expected) in [("/door?wrong", "/door"), ("/gate?star", "/gate?star")] {
        let question = show(&Net::default(), capsule.url(asked)).await.question();
        let Question::Input { url, .. } = question else {
            panic!("no question");
        };
        assert_eq!(url.as_str(), capsule.url(expected));
    }
}

#[tokio::test]
async fn redirects_are_followed_on_one_server_and_told() {
    let capsule = Capsule::start(&identity(), |path| match path {
        "/a" => whole("31 b/c\r\n"),
        "/b/c" => whole("30 ../d\r\n"),
        "/d" => whole("20 text/plain\r\nhere"),
        path => panic!("{path}"),
    })
    .await;
    let net = Net::default();
    let page = show(&net, capsule.url("/a")).await.whole();
    let head = page.begin.as_ref().unwrap();
    assert_eq!(head.url, Some(url(capsule.url("/d"))));
    let from = ["/a", "/b/c"].map(|path| url(capsule.url(path)));
    assert_eq!(head.from, from);
}

#[tokio::test]
async fn redirect_elsewhere_is_a_link_and_no_request() {
    for to in [
        "gemini://elsewhere.example/",
        "gemini://127.0.0.1/",
        "gopher://h.example/",
        "https://h.example/",
        "file:///etc/passwd",
        "spartan://h.example/",
    ] {
        let capsule = Capsule::start(&identity(), move |_| whole(&format!("31 {to}\r\n"))).await;
        let failure = show(&Net::default(), capsule.url("/")).await.failure();
        assert!(
            failure.sentence.starts_with(&format!("redirect to {to}: ")),
            "{failure:?}"
        );
        let next = failure.next.unwrap().target.unwrap();
        assert_eq!(next.as_str(), to);
    }
}

#[tokio::test]
async fn errors_have_the_words_of_the_server() {
    for (header, meaning, kind) in [
        ("40 x", "temporary failure", FailureKind::ServerError),
        ("41 x", "it is busy", FailureKind::Busy),
        ("42 x", "its program failed", FailureKind::ServerError),
        (
            "43 x",
            "the server behind it failed",
            FailureKind::ServerError,
        ),
        ("50 x", "permanent failure", FailureKind::Permanent),
        ("51 x", "no such page", FailureKind::Missing),
        ("52 x", "the page is gone", FailureKind::Missing),
        (
            "53 x",
            "does not serve this address",
            FailureKind::Permanent,
        ),
        ("59 x", "does not understand", FailureKind::Permanent),
    ] {
        let line = format!("{header}\r\n");
        let capsule = Capsule::start(&identity(), move |_| whole(&line)).await;
        let failure = show(&Net::default(), capsule.url("/")).await.failure();
        assert!(failure.sentence.contains(meaning), "{header}: {failure:?}");
        assert!(failure.sentence.contains(&header[..2]), "{failure:?}");
        assert_eq!(failure.kind, kind, "{header}");
        assert_eq!(failure.said.len(), 1);
        assert_eq!(failure.said[0].as_str(), "x");
    }
}

#[tokio::test(start_paused = true)]
async fn pause_that_a_server_asks_for_is_kept() {
    let net = Net::default();
    net.pause("h.example:1965", 61);
    assert_eq!(net.pause_left("H.example:1965"), Some(61));
    assert_eq!(net.pause_left("other.example:1965"), None);
    let failure = show(&net, "gemini://h.example/").await.failure();
    assert_eq!(
        failure.sentence,
        "not requested: h.example:1965 asked to wait another 61 s"
    );
    assert_eq!(failure.kind, FailureKind::Busy);
    tokio::time::advance(std::time::Duration::from_secs(62)).await;
    assert_eq!(net.pause_left("h.example:1965"), None);
    net.pause("h.example:1965", u64::MAX);
    assert_eq!(net.pause_left("h.example:1965"), Some(3600));
}

#[tokio::test]
async fn short_pause_is_waited_for_and_counted() {
    let asked = std::sync::atomic::AtomicBool::new(false);
    let capsule = Capsule::start(&identity(), move |path| match path {
        "/busy" if !asked.swap(true, std::sync::atomic::Ordering::SeqCst) => whole("44 2\r\n"),
        "/busier" => whole("44 1\r\n"),
        _ => whole("20 text/gemini\r\n# Here\n"),
    })
    .await;
    let net = Net::default();
    let loaded = show(&net, capsule.url("/busy")).await;
    let pauses: Vec<_> = loaded
        .phases
        .iter()
        .filter(|phase| matches!(phase, Phase::Pause(_)))
        .collect();
    assert_eq!(pauses, [&Phase::Pause(2), &Phase::Pause(1)]);
    assert_eq!(loaded.whole().octets, b"# Here\n");
    // It is asked once more, not again and again.
    let failure = show(&net, capsule.url("/busier")).await.failure();
    assert!(failure.sentence.ends_with("(1 s)"), "{failure:?}");
    assert_eq!(capsule.requests(), ["/busy", "/busy", "/busier", "/busier"]);
}

#[tokio::test]
async fn slow_down_stops_further_requests() {
    let capsule = Capsule::start(&identity(), |_| whole("44 600\r\n")).await;
    let net = Net::default();
    let failure = show(&net, capsule.url("/")).await.failure();
    assert!(failure.sentence.ends_with("(600 s)"), "{failure:?}");
    let failure = show(&net, capsule.url("/other")).await.failure();
    assert!(
        failure.sentence.starts_with("not requested: "),
        "{failure:?}"
    );
    assert_eq!(capsule.requests(), ["/"]);
}

#[tokio::test]
async fn file_is_saved_as_it_is_and_shown_never() {
    let capsule = Capsule::start(&identity(), |_| {
        (
            [b"20 image/png\r\n".as_slice(), &[0x89, 0, 1, 2]].concat(),
            true,
        )
    })
    .await;
    let net = Net::default();
    let address = url(capsule.url("/picture"));
    let question = carry_out(&net, Request::show(address.clone(), Reason::Typed))
        .await
        .question();
    let Question::Save { what, name, .. } = question else {
        panic!("{question:?}");
    };
    assert_eq!((what, name.as_str()), ("an image", "picture.png"));
    let request = Request {
        purpose: Purpose::Save,
        ..Request::show(address, Reason::Typed)
    };
    let saved = carry_out(&net, request).await.whole();
    assert_eq!(saved.octets, [0x89, 0, 1, 2]);
}

#[tokio::test]
async fn check_asks_another_server_only_after_a_permanent_redirect() {
    let other = Capsule::start(&identity(), |_| whole("20 text/gemini\r\n")).await;
    let to = other.url("/");
    let capsule = Capsule::start(&identity(), move |path| match path {
        "/moved" => whole(&format!("31 {to}\r\n")),
        "/script" => whole("31 javascript:alert(1)\r\n"),
        _ => whole(&format!("30 {to}\r\n")),
    })
    .await;
    let net = Net::default();
    let check = async |path: &str| {
        let verdict = check(&net, &Request::show(url(capsule.url(path)), Reason::Typed))
            .await
            .verdict;
        format!("{}: {}", verdict.name(), verdict.words())
    };
    assert_eq!(check("/for-now").await, "alive: ");
    assert!(other.requests().is_empty());
    // A move is accepted after the new address has answered.
    assert_eq!(
        check("/moved").await,
        format!("moved: now {}", other.url("/"))
    );
    assert_eq!(other.requests(), ["/"]);
    assert_eq!(
        check("/script").await,
        "refused: moved to an address that is not accepted: javascript:alert(1) (Geomys does not support javascript)"
    );
}

#[tokio::test]
async fn check_waits_for_a_short_pause_and_not_for_a_long_one() {
    let asked = std::sync::atomic::AtomicBool::new(false);
    let capsule = Capsule::start(&identity(), move |path| match path {
        "/busy" if !asked.swap(true, std::sync::atomic::Ordering::SeqCst) => whole("44 1\r\n"),
        "/closed" => whole("44 600\r\n"),
        _ => whole("20 text/gemini\r\n"),
    })
    .await;
    let net = Net::default();
    let check = async |path: &str| {
        check(&net, &Request::show(url(capsule.url(path)), Reason::Typed))
            .await
            .verdict
    };
    assert_eq!(check("/busy").await.name(), "alive");
    assert_eq!(capsule.requests(), ["/busy", "/busy"]);
    assert_eq!(check("/closed").await.name(), "unreachable");
    let verdict = check("/here").await;
    let words = verdict.words();
    assert!(words.starts_with("not requested: "), "{words}");
    assert_eq!(capsule.requests(), ["/busy", "/busy", "/closed"]);
}

#[tokio::test]
async fn check_tells_moved_and_missing_pages() {
    let capsule = Capsule::start(&identity(), |path| match path {
        "/moved" => whole("31 /here\r\n"),
        "/lost" => whole("31 /nowhere\r\n"),
        "/for-now" => whole("30 /here\r\n"),
        "/here" => whole("20 text/gemini\r\n"),
        "/ask" => whole("10 What?\r\n"),
        "/private" => whole("60 Who are you?\r\n"),
        _ => whole("51 Not here\r\n"),
    })
    .await;
    let net = Net::default();
    for (path, expected) in [
        ("/here", "alive: ".to_owned()),
        ("/ask", "alive: ".to_owned()),
        ("/for-now", "alive: ".to_owned()),
        ("/moved", format!("moved: now {}", capsule.url("/here"))),
    ] {
        let request = Request::show(url(capsule.url(path)), Reason::Typed);
        let verdict = check(&net, &request).await.verdict;
        assert_eq!(format!("{}: {}", verdict.name(), verdict.words()), expected);
    }
    for (path, expected) in [
        ("/lost", "dead"),
        ("/nowhere", "dead"),
        ("/private", "refused"),
    ] {
        let request = Request::show(url(capsule.url(path)), Reason::Typed);
        assert_eq!(
            check(&net, &request).await.verdict.name(),
            expected,
            "{path}"
        );
    }
}

#[test]
fn references_on_a_page_are_relative_to_it() {
    let base = Url::parse("gemini://h.example/a/b?c").unwrap();
    for (reference, target) in [
        ("d", "gemini://h.example/a/d"),
        ("/d", "gemini://h.example/d"),
        ("../d", "gemini://h.example/d"),
        ("?e", "gemini://h.example/a/b?e"),
        ("//other.example/d", "gemini://other.example/d"),
        ("gopher://h.example/", "gopher://h.example/"),
    ] {
        assert_eq!(base.resolve(reference).unwrap().as_str(), target);
    }
}
