//! Offers of TLS that AUTH refuses: they are none, unless the server has accepted AUTH before or takes its announcement
//! back (RFC 4217, section 4).

use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use geomys_load::{Question, Reason, Request, Stop};
use geomys_store::files::tls_offers::OfferFile;
use geomys_testing::loading::{carry_out, url};
use geomys_wire::net::{Net, OfferEvidence, OfferStore};
use proptest::prelude::*;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::support::command::{geomys_in, text};

/// The behaviour of a server towards TLS.
#[derive(Clone, Copy, Debug)]
struct Behaviour {
    /// The code of the reply to AUTH.
    auth: u16,
    /// True if FEAT lists AUTH TLS.
    is_announced: bool,
    /// True if FEAT is answered before the login too.
    answers_early: bool,
}

/// A pure-ftpd without TLS.
const PURE: Behaviour = Behaviour {
    auth: 500,
    is_announced: true,
    answers_early: true,
};

/// Answers the commands of one client; a 234 is followed by the end of the connection. Returns true if the password
/// came.
async fn converse(stream: TcpStream, behaviour: Behaviour) -> bool {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    let mut is_in = false;
    let mut reply = "220 Hello".to_owned();
    loop {
        if stream
            .write_all(format!("{reply}\r\n").as_bytes())
            .await
            .is_err()
            || reply.starts_with("234")
        {
            return is_in;
        }
        line.clear();
        if !matches!(stream.read_line(&mut line).await, Ok(1..)) {
            return is_in;
        }
        let command = line.trim_end();
        is_in |= command == "PASS byron";
        reply = match command.get(..4) {
            Some("AUTH") => format!("{} No", behaviour.auth),
            Some("USER") => "331 Password?".to_owned(),
            Some("PASS") => "230 In".to_owned(),
            Some("FEAT") if !is_in && !behaviour.answers_early => "530 Log in first".to_owned(),
            Some("FEAT") if behaviour.is_announced => {
                "211-Features\r\n AUTH TLS\r\n211 End".to_owned()
            }
            Some("FEAT") => "211-Features\r\n SIZE\r\n211 End".to_owned(),
            Some("PWD") => "257 \"/\"".to_owned(),
            _ => "502 What?".to_owned(),
        };
    }
}

/// A server whose behaviour changes with each connection.
async fn serve(listener: &TcpListener, behaviour: Behaviour, got_password: &AtomicBool) {
    let (stream, _) = listener.accept().await.unwrap();
    got_password.store(converse(stream, behaviour).await, Ordering::Relaxed);
}

/// The visible result of a visit with a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Visit {
    /// The password was sent.
    Sent,
    /// The user is asked whether to send it.
    Asked,
    /// Neither.
    Ended,
}

/// Visits the server once, with a network that knows only the file.
async fn visit(listener: &TcpListener, behaviour: Behaviour, user: &str, path: &Path) -> Visit {
    let net = Net::default().with_offer_store(Arc::new(OfferFile::new(path)));
    let address = format!("ftp://{user}{}/", listener.local_addr().unwrap());
    let got_password = AtomicBool::new(false);
    let load = async {
        let loaded = carry_out(&net, Request::show(url(address), Reason::Typed)).await;
        // Closes the pooled connection.
        drop(net);
        loaded
    };
    let (loaded, ()) = tokio::join!(load, serve(listener, behaviour, &got_password));
    let is_asked = matches!(loaded.end, Err(Stop::Needs(Question::Unencrypted(_))));
    match (got_password.into_inner(), is_asked) {
        (true, false) => Visit::Sent,
        (false, true) => Visit::Asked,
        (false, false) => Visit::Ended,
        (true, true) => panic!("asked after the password was sent"),
    }
}

async fn listen() -> TcpListener {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap()
}

fn evidence(path: &Path, authority: &str) -> Option<OfferEvidence> {
    let found = OfferFile::new(path).find(authority).unwrap();
    found.map(|it| it.evidence)
}

/// The result of a visit with a password and the record after it, by the record before it.
fn expected(
    record: Option<OfferEvidence>,
    Behaviour {
        auth,
        is_announced,
        answers_early,
    }: Behaviour,
) -> (Visit, Option<OfferEvidence>) {
    let has_no_auth = matches!(auth, 500 | 502 | 504);
    match record {
        _ if auth == 234 => (Visit::Ended, Some(OfferEvidence::Accepted)),
        Some(OfferEvidence::Announced) if has_no_auth && is_announced && answers_early => {
            (Visit::Sent, None)
        }
        Some(_) => (Visit::Asked, record),
        None if is_announced && !has_no_auth => (Visit::Sent, Some(OfferEvidence::Announced)),
        None => (Visit::Sent, None),
    }
}

fn behaviours() -> impl Strategy<Value = Behaviour> {
    let codes = proptest::sample::select(vec![234, 431, 500, 500, 501, 502, 503, 504, 530, 534]);
    (codes, any::<bool>(), any::<bool>()).prop_map(|(auth, is_announced, answers_early)| {
        Behaviour {
            auth,
            is_announced,
            answers_early,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn password_is_sent_plain_only_where_no_offer_was_ever_accepted_or_withdrawn(
        visits in proptest::collection::vec((any::<bool>(), behaviours()), 1..6),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tls-offers.txt");
        runtime.block_on(async {
            let listener = listen().await;
            let authority = listener.local_addr().unwrap().to_string();
            let mut record = None;
            for (is_anonymous, behaviour) in visits {
                let user = if is_anonymous { "" } else { "ada:byron@" };
                let seen = visit(&listener, behaviour, user, &path).await;
                let (result, after) = if is_anonymous {
                    // Nothing logs in before FEAT, but the server has to answer it.
                    let announced = (behaviour.is_announced && behaviour.answers_early)
                        .then_some(OfferEvidence::Announced);
                    (Visit::Ended, record.max(announced))
                } else {
                    expected(record, behaviour)
                };
                prop_assert_eq!(seen, result, "{:?} after {:?}", behaviour, record);
                prop_assert_eq!(evidence(&path, &authority), after, "{:?} after {:?}", behaviour, record);
                record = after;
            }
            Ok(())
        })?;
    }
}

#[tokio::test]
async fn announcement_that_auth_refuses_asks_nothing_and_is_removed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("tls-offers.txt");
    let listener = listen().await;
    let authority = listener.local_addr().unwrap().to_string();
    let other = "other.example:21 2026-11-01\n";
    std::fs::write(&path, other).unwrap();
    // The visit without a password sends no AUTH.
    visit(&listener, PURE, "", &path).await;
    assert_eq!(evidence(&path, &authority), Some(OfferEvidence::Announced));
    for _ in 0..3 {
        assert_eq!(
            visit(&listener, PURE, "ada:byron@", &path).await,
            Visit::Sent
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), other);
    }
}

#[tokio::test]
async fn refusal_after_an_accepted_auth_asks_for_ever() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("tls-offers.txt");
    let listener = listen().await;
    let authority = listener.local_addr().unwrap().to_string();
    // The day of the announcement stays.
    std::fs::write(&path, format!("{authority} 2026-11-01\n")).unwrap();
    let accepts = Behaviour { auth: 234, ..PURE };
    visit(&listener, accepts, "ada:byron@", &path).await;
    let written = std::fs::read_to_string(&path).unwrap();
    assert_eq!(written, format!("{authority} 2026-11-01 accepted\n"));
    for _ in 0..2 {
        assert_eq!(
            visit(&listener, PURE, "ada:byron@", &path).await,
            Visit::Asked
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn scripts_log_in_again_where_auth_is_refused() {
    let profile = tempfile::tempdir().unwrap();
    let directory = profile.path().to_str().unwrap();
    let listener = listen().await;
    let address = format!("ftp://ada:byron@{}/", listener.local_addr().unwrap());
    let serving = tokio::spawn(async move {
        let mut passwords = Vec::new();
        for _ in 0..3 {
            let (stream, _) = listener.accept().await.unwrap();
            passwords.push(converse(stream, PURE).await);
        }
        passwords
    });
    for _ in 0..3 {
        let arguments = ["dump", "--config", directory, &address];
        let output = geomys_in(&[("HOME", directory)], &arguments, "");
        let error = text(&output.stderr);
        assert!(!error.contains("has offered TLS"), "{error}");
    }
    assert_eq!(serving.await.unwrap(), [true, true, true]);
}
