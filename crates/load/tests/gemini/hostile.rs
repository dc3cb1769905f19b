//! Servers that break the protocol, and certificates that change.

use geomys_load::{Failure, Question, Reason, Request, Stop};
use geomys_testing::capsule::{Capsule, Response};
use geomys_testing::loading::{Loaded, carry_out, show, url};
use geomys_wire::net::Net;

use super::{identity, whole};

async fn answer_of(response: Response) -> Loaded {
    let capsule = Capsule::start(&identity(), move |_| response.clone()).await;
    show(&Net::default(), capsule.url("/")).await
}

async fn failure_of(text: &str) -> Failure {
    answer_of(whole(text)).await.failure()
}

#[tokio::test]
async fn header_ends_within_its_limit() {
    let longest = format!("51 {}\r\n", "x".repeat(1024));
    let failure = failure_of(&longest).await;
    assert_eq!(failure.said[0].as_str().len(), 1024);
    let longer = format!("51 {}\r\n", "x".repeat(1025));
    let failure = failure_of(&longer).await;
    assert!(
        failure
            .sentence
            .contains("a header of more than 1027 bytes"),
        "{failure:?}"
    );
    let endless = format!("20 {}", "x".repeat(1024 * 1024));
    let failure = failure_of(&endless).await;
    assert!(
        failure.sentence.contains("a header of more than"),
        "{failure:?}"
    );
}

#[tokio::test]
async fn what_is_no_header_is_quoted() {
    for text in [
        "HTTP/1.1 200 OK\r\n\r\n",
        "20 text/gemini\n# A page\r\n",
        "20 text/gemini",
        "2\r\n",
        "70 x\r\n",
        "200 x\r\n",
        "\r\n",
        "\u{1b}]0;title\u{7}\r\n",
    ] {
        let failure = failure_of(text).await;
        assert!(
            failure
                .sentence
                .contains("does not answer as a Gemini server does"),
            "{text:?}: {failure:?}"
        );
        assert!(!failure.sentence.contains(['\u{1b}', '\u{7}']));
    }
    let failure = failure_of("").await;
    assert!(
        failure
            .sentence
            .contains("closed the connection before it answered"),
        "{failure:?}"
    );
}

#[tokio::test]
async fn bad_media_type_is_read_by_the_first_octets() {
    for header in ["20 nonsense", "20 ;;;", "20 text", "20 /"] {
        let response = format!("{header}\r\nSome words.\n");
        let page = answer_of(whole(&response)).await.whole();
        assert_eq!(page.octets, b"Some words.\n", "{header}");
    }
    let octets = [b"20 nonsense\r\n".as_slice(), &[0, 1, 2, 255, 0, 3]].concat();
    let question = answer_of((octets, true)).await.question();
    assert!(matches!(question, Question::Save { .. }), "{question:?}");
    let unknown = "20 text/gemini; charset=x-none\r\nSome words.\n";
    let page = answer_of(whole(unknown)).await.whole();
    assert_eq!(page.begin.unwrap().charset, None);
}

#[tokio::test]
async fn redirections_end() {
    let capsule = Capsule::start(&identity(), |path| {
        let number: u64 = path.trim_start_matches('/').parse().unwrap();
        whole(&format!("30 /{}\r\n", number + 1))
    })
    .await;
    let failure = show(&Net::default(), capsule.url("/1")).await.failure();
    assert!(
        failure.sentence.starts_with("more than 10 redirects"),
        "{failure:?}"
    );
    assert_eq!(capsule.requests().len(), 11);
    let capsule = Capsule::start(&identity(), |path| match path {
        "/a" => whole("30 /b\r\n"),
        _ => whole("30 /a\r\n"),
    })
    .await;
    let failure = show(&Net::default(), capsule.url("/a")).await.failure();
    assert!(failure.sentence.starts_with("redirect loop"), "{failure:?}");
    for to in ["", "http://", "gemini://h ost/", "gemini:///a", "\u{1}"] {
        let header = format!("30 {to}\r\n");
        answer_of(whole(&header)).await.failure();
    }
}

#[tokio::test]
async fn huge_body_is_cut_at_the_limit_of_a_page() {
    let body = [b"20 text/gemini\r\n".to_vec(), b"words ".repeat(100_000)].concat();
    let capsule = Capsule::start(&identity(), move |_| (body.clone(), true)).await;
    let request = Request {
        limit: Some(10_000),
        ..Request::show(url(capsule.url("/")), Reason::Typed)
    };
    let page = carry_out(&Net::default(), request).await;
    assert!(page.octets.len() <= 10_000);
    assert!(
        matches!(page.end, Err(Stop::Truncated(10_000))),
        "{:?}",
        page.end
    );
}

#[tokio::test]
async fn body_that_tls_does_not_close_is_kept_unconfirmed() {
    let page = answer_of((b"20 text/gemini\r\n# Half a pa".to_vec(), false)).await;
    assert_eq!(page.unconfirmed().octets, b"# Half a pa");
}
