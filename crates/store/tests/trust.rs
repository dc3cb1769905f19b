//! The facts that are stored of servers: certificates that the user accepted, and offers of TLS.

use std::sync::Arc;

use geomys_load::{Question, Reason, Request};
use geomys_store::files::tls_offers::OfferFile;
use geomys_store::files::trust::{self, PinFile, Pins, load};
use geomys_testing::capsule::Capsule;
use geomys_testing::ftp::{FtpListener, Peer, Server};
use geomys_testing::loading::{Loaded, carry_out, short_timeouts, show, url};
use geomys_testing::tls::Identity;
use geomys_wire::net::certificate::CertificateDetails;
use geomys_wire::net::{Fingerprint, Net, Pin, Security, Trust};

const LIST: &str = "-rw-r--r-- 1 ftp ftp 12 Mar 14 1994 a file\r\n";

/// Greets a client and answers its AUTH TLS with `answer`.
async fn asking(door: &FtpListener, answer: &str) -> Peer {
    let mut peer = door.accept().await;
    peer.say("220 Hello").await;
    peer.answer("AUTH TLS", answer).await;
    peer
}

fn ada(server: &Server) -> Request {
    Request::show(url(server.url_of("ada:byron", "/")), Reason::Typed)
}

/// The text of the question.
async fn unencrypted(net: &Net, request: Request) -> String {
    match carry_out(net, request).await.question() {
        Question::Unencrypted(unencrypted) => unencrypted.sentence(),
        other => panic!("another question: {other:?}"),
    }
}

#[tokio::test]
async fn tls_offers_are_stored_from_any_connection() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data/tls-offers.txt");
    let server = Server::start(async |door| {
        let mut peer = door.accept().await;
        peer.say("220 Hello").await;
        peer.answer("USER anonymous", "230 In").await;
        peer.answer("FEAT", "211-Features\r\n AUTH SSL;TLS\r\n211 End")
            .await;
        peer.answer("PWD", "257 \"/\"").await;
        peer.serve("LIST", LIST).await;
        peer.say("226 Done").await;
        asking(&door, "530 Not now").await.expect_close().await;
    })
    .await;
    let net = short_timeouts().with_offer_store(Arc::new(OfferFile::new(&path)));
    show(&net, server.url("/")).await.whole();
    let server_address = server.place();
    let written = std::fs::read_to_string(&path).unwrap();
    let day = written
        .lines()
        .last()
        .unwrap()
        .strip_prefix(&server_address)
        .unwrap();
    let later = Net::default().with_offer_store(Arc::new(OfferFile::new(&path)));
    let sentence = unencrypted(&later, ada(&server)).await;
    assert_eq!(
        sentence,
        format!("{server_address} has offered TLS since{day}, but not now (“530 Not now”)")
    );
    server.done().await;
}

#[test]
fn fingerprint_spellings_parse() {
    let digest = "9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08";
    let colons: Vec<String> = digest
        .as_bytes()
        .chunks(2)
        .map(|pair| String::from_utf8(pair.to_vec()).unwrap())
        .collect();
    let lower = format!("sha256:{}", digest.to_lowercase());
    let fingerprint = Fingerprint::of(b"test");
    assert_eq!(fingerprint.to_string(), lower);
    for written in [
        lower.clone(),
        format!("SHA256:{digest}"),
        format!("sha256:{}", colons.join(":")),
    ] {
        assert_eq!(Fingerprint::parse(&written), Some(fingerprint), "{written}");
    }
    for written in [
        "",
        "sha256:",
        "sha1:00",
        &lower[..70],
        &format!("{lower}0"),
        "sha256:é",
    ] {
        assert_eq!(Fingerprint::parse(written), None, "{written}");
    }
}

#[test]
fn malformed_certificate_is_no_panic() {
    let identity = Identity::self_signed("host.example");
    let whole = identity.certificate();
    let facts = CertificateDetails::of(whole).unwrap();
    assert!(facts.is_self_signed);
    for end in 0..whole.len() {
        assert_eq!(CertificateDetails::of(&whole[..end]), None, "{end}");
        let mut bent = whole.to_vec();
        bent[end] = 0xff;
        let _ = CertificateDetails::of(&bent);
    }
}

#[test]
fn accepted_certificates_are_stored_as_lines() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data/trust.txt");
    assert_eq!(trust::load(&path).unwrap(), Pins::default());
    let (one, two) = (Fingerprint::of(b"one"), Fingerprint::of(b"two"));
    let pin = Pin {
        fingerprint: one,
        since: None,
        expires: Some("2093-03-01".to_owned()),
    };
    let pin = trust::save(&path, "h.example:70", pin).unwrap();
    let today = pin.since.clone().unwrap();
    let line = format!("h.example:70 {one} {today} 2093-03-01\n");
    let new = std::fs::read_to_string(&path).unwrap();
    assert!(
        new.starts_with("# ") && new.ends_with(&format!("\n{line}")),
        "{new}"
    );
    assert_eq!(trust::load(&path).unwrap().of("h.example:70"), Some(&pin));

    // Edited by hand: notes, invalid lines, one for another port, one without a date, no final line ending.
    let by_hand = format!(
        "# mine\r\n\nwhat is this?\n{line}[::1]:70  {two}  yesterday  a note\nH.example:7070\t{two}\n\u{e9}h.example:70 sha256:0"
    );
    std::fs::write(&path, &by_hand).unwrap();
    let pins = trust::load(&path).unwrap();
    assert_eq!(pins.of("h.example:70"), Some(&pin));
    let without_day = Pin {
        fingerprint: two,
        since: None,
        expires: None,
    };
    assert_eq!(pins.of("h.example:7070"), Some(&without_day));
    assert_eq!(pins.of("[::1]:70"), Some(&without_day));
    assert_eq!(pins.of("other.example:70"), None);

    trust::save(&path, "h.example:70", without_day.clone()).unwrap();
    let changed = by_hand.replace(&line, &format!("h.example:70 {two} {today}\n"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), changed);
    trust::save(&path, "new.example:70", pin.clone()).unwrap();
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        format!("{changed}\nnew.example:70 {one} {today} 2093-03-01\n")
    );
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    let error = trust::load(&path).unwrap_err().to_string();
    assert!(error.contains("trust.txt"), "{error}");
}

#[tokio::test]
async fn certificate_that_changes_is_a_question_with_both_fingerprints() {
    let (first, second) = (
        Identity::self_signed("127.0.0.1"),
        Identity::self_signed("127.0.0.1"),
    );
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("trust.txt");
    let capsule = Capsule::start(&first, |_| (b"20 text/gemini\r\nhere\n".to_vec(), true)).await;
    let net = Net::default().with_pin_store(Arc::new(PinFile::new(&file)));
    let security = |page: Loaded| page.whole().begin.unwrap().security;
    assert_eq!(
        security(show(&net, capsule.url("/")).await),
        Security::Pinned
    );
    let authority = capsule.address.to_string();
    let pins = load(&file).unwrap();
    let pin = pins.of(&authority).expect("a pin").clone();
    assert_eq!(pin.fingerprint, first.fingerprint());
    assert!(pin.since.is_some());
    assert_eq!(
        security(show(&net, capsule.url("/")).await),
        Security::Pinned
    );
    capsule.show(&second);
    // In the same session, and in a later one that has the pin of the file.
    let later = Request {
        trust: Trust {
            pin: Some(pin.clone()),
            ..Trust::default()
        },
        ..Request::show(url(capsule.url("/")), Reason::Typed)
    };
    for page in [
        show(&net, capsule.url("/")).await,
        carry_out(&Net::default(), later).await,
    ] {
        let Question::Certificate(error) = page.question() else {
            panic!("no question about the certificate");
        };
        assert_eq!(error.fingerprint, second.fingerprint());
        assert_eq!(error.pinned, Some(pin.clone()));
        let sentences = error.sentences().join("\n");
        for shown in [first.fingerprint(), second.fingerprint()] {
            assert!(sentences.contains(&shown.to_string()), "{sentences}");
        }
        assert!(sentences.contains(&format!("accepted on {}", pin.since.clone().unwrap())));
    }
    assert_eq!(capsule.requests().len(), 2, "nothing was sent");
    assert_eq!(load(&file).unwrap().of(&authority), Some(&pin));
    let once = Request {
        trust: Trust {
            once: Some(second.fingerprint()),
            ..Trust::default()
        },
        ..Request::show(url(capsule.url("/")), Reason::Typed)
    };
    let page = carry_out(&net, once).await;
    assert_eq!(security(page), Security::Unverified);
    assert_eq!(load(&file).unwrap().of(&authority), Some(&pin));
}
