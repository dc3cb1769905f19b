//! Certificate questions on the screen.

use std::sync::Arc;

use geomys_demo::Demo;
use geomys_store::files::identities::Identities;
use geomys_testing::tls::{ConnectionOutcome, Identity, Server};
use geomys_wire::net::{Fingerprint, IdentityStore as _, Limits, Net};
use tempfile::TempDir;

use crate::support::files;
use crate::support::screen::Browser;
use crate::tls::HERE;

/// The screen with fingerprints and dates replaced by fixed ones of the same width.
fn same(screen: &str, fingerprints: &[(Fingerprint, &str)]) -> String {
    let mut same = screen.to_owned();
    for (fingerprint, name) in fingerprints {
        let digits = fingerprint.to_string();
        same = same.replace(&digits, &format!("sha256:{name:.<64}"));
    }
    same.replace(&jiff::Zoned::now().date().to_string(), "YYYY-MM-DD")
}

#[tokio::test(flavor = "multi_thread")]
async fn certificate_answer_shows_trust_state_in_address_line() {
    let (first, second) = (Identity::self_signed(HERE), Identity::self_signed(HERE));
    let names = [
        (first.fingerprint(), "FIRST"),
        (second.fingerprint(), "SECOND"),
    ];
    let mut server = Server::start(&first).await;
    let profile = tempfile::tempdir().unwrap();
    let start = |profile| Browser::in_profile(profile).open(server.url("/")).start();
    let session = start(profile);
    session.wait("Unknown certificate").await;
    insta::assert_snapshot!("unknown", same(&session.dialog(), &names));
    // On a small screen the text is cut before the buttons.
    session.resize(24, 8);
    session.wait("lines more").await;
    let small = session.screen();
    let buttons = ["[ Reject ]", "[ Trust until Geomys", "[ Trust always ]"];
    assert!(
        buttons.iter().all(|button| small.contains(button)),
        "{small}"
    );
    session.resize(80, 24);
    session.wait("Unknown certificate").await;
    // Other keys do nothing.
    session.press("j Y y o");
    session.choose("Trust always").await;
    session.wait("A door of steel").await;
    session.wait("TLS, known key").await;
    session.wait("2/4 ").await;
    insta::assert_snapshot!("pinned", same(&session.screen(), &names));
    assert_eq!(server.next_outcome().await, ConnectionOutcome::NoRequest);
    assert_eq!(
        server.next_outcome().await,
        ConnectionOutcome::Request(String::new())
    );
    // The search of the page stays over TLS, without another question.
    session.press("G Enter");
    session.wait("Ask the guard (").await;
    session.press("Esc");
    session.press("o");
    session.type_in(&server.url("/7/ask"));
    session.press("Enter");
    session.wait("Enter search").await;
    session.type_in("who");
    session.press("Enter");
    session.wait("You asked").await;
    session.wait("TLS, known key").await;
    assert_eq!(
        server.next_outcome().await,
        ConnectionOutcome::Request("/ask\twho".to_owned())
    );
    session.press("u");
    session.wait("A door of steel").await;
    session.wait("TLS, known key").await;
    // The parent of a page comes from its server's caps.txt, also over TLS.
    assert_eq!(
        server.next_outcome().await,
        ConnectionOutcome::Request("caps.txt".to_owned())
    );
    assert_eq!(
        server.next_outcome().await,
        ConnectionOutcome::Request(String::new())
    );

    // The date of acceptance is shown after the file is written.
    let path = session.path().join("trust.txt");
    let written = files::found(session.path(), move || {
        let text = std::fs::read_to_string(&path).ok()?;
        text.contains("sha256:").then_some(())
    });
    written.await.expect("the certificate is written down");
    session.settle().await;
    server.show(&second);
    session.press("r");
    session.wait("HAS CHANGED").await;
    insta::assert_snapshot!("changed", same(&session.dialog(), &names));
    assert_eq!(server.next_outcome().await, ConnectionOutcome::NoRequest);
    // No letter is an answer, and the button selected first leaves the page as it was.
    session.press("y o a Enter");
    session.wait_until_absent("HAS CHANGED").await;
    session.wait("A door of steel").await;
    session.wait("was not accepted").await;
    session.press("r");
    session.wait("HAS CHANGED").await;
    assert_eq!(server.next_outcome().await, ConnectionOutcome::NoRequest);
    session.choose("Trust until Geomys exits").await;
    session.wait("TLS, unverified").await;
    assert_eq!(
        server.next_outcome().await,
        ConnectionOutcome::Request(String::new())
    );
    let path = session.path().join("trust.txt");
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(
        written.contains(&first.fingerprint().to_string()) && written.lines().count() == 2,
        "{written}"
    );
    session.press("q");
    session.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_certificate_leaves_a_page_that_says_so() {
    let mut server = Server::start(&Identity::self_signed(HERE)).await;
    let addresses = [server.url("/"), server.url("/0/letter")];
    let session = Browser::new().open_all(&addresses).start();
    session.wait("Unknown certificate").await;
    session.press("Esc");
    session.wait_until_absent("Unknown certificate").await;
    session.wait("was not accepted").await;
    assert!(!session.path().join("trust.txt").exists());
    // Each tab asks; after one answer both use the certificate.
    session.press("}");
    session.wait("Unknown certificate").await;
    session.choose("Trust until Geomys exits").await;
    session.wait("Read in secret.").await;
    session.wait("TLS, unverified").await;
    session.press("{ r");
    session.wait("A door of steel").await;
    assert!(!session.path().join("trust.txt").exists());
    let mut received = Vec::new();
    for _ in 0..4 {
        received.push(server.next_outcome().await);
    }
    let request = |line: &str| ConnectionOutcome::Request(line.to_owned());
    assert_eq!(
        received,
        [
            ConnectionOutcome::NoRequest,
            ConnectionOutcome::NoRequest,
            request("/letter"),
            request("")
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn one_certificate_answer_serves_every_tab() {
    let mut server = Server::start(&Identity::self_signed(HERE)).await;
    let addresses = [server.url("/"), server.url("/0/letter")];
    let session = Browser::new().open_all(&addresses).start();
    session.wait("Unknown certificate").await;
    // Both connections ended with a certificate question.
    assert_eq!(server.next_outcome().await, ConnectionOutcome::NoRequest);
    assert_eq!(server.next_outcome().await, ConnectionOutcome::NoRequest);
    session.choose("Trust always").await;
    session.wait("A door of steel").await;
    assert_eq!(
        server.next_outcome().await,
        ConnectionOutcome::Request(String::new())
    );
    session.press("}");
    session.wait("Read in secret.").await;
    session.wait("TLS, known key").await;
    assert_eq!(
        server.next_outcome().await,
        ConnectionOutcome::Request("/letter".to_owned())
    );
}

fn store(directory: &TempDir) -> Identities {
    let path = directory.path();
    Identities::new(path.join("identities"), path.join("identities.txt"))
}

#[tokio::test(flavor = "multi_thread")]
async fn tab_inserts_the_names_of_stored_certificates() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let identities = store(&profile);
    for name in ["mole", "vole"] {
        identities.choose("h:1965", "/", name).unwrap();
    }
    let cellar = format!("gemini://{}/cellar", demo.addresses.gemini);
    let net = Net::new(Limits::default()).with_identity_store(Arc::new(identities));
    let session = Browser::in_profile(profile)
        .open(cellar)
        .size((100, 24))
        .net(net)
        .start();
    session.wait("Tab: mole, vole; a new name").await;
    for name in ["mole", "vole", "mole"] {
        session.press("Tab");
        session.wait(&format!(" {name}")).await;
        session
            .wait_until("the name in the prompt", |screen| {
                screen.contains(&format!("> {name} "))
            })
            .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn page_of_certificates_changes_them() {
    let profile = tempfile::tempdir().unwrap();
    let identities = store(&profile);
    identities.choose("h.example:1965", "/~a", "mole").unwrap();
    identities.choose("[::1]:1965", "/", "mole").unwrap();
    identities.choose("h.example:1965", "/b", "vole").unwrap();
    let scopes = |name: &str| {
        let listed = identities.list().unwrap().into_iter();
        let mut named = listed.filter(|identity| identity.name == name);
        named.next().map(|identity| identity.chosen_for)
    };
    let session = Browser::in_profile(profile).size((100, 24)).start();
    session.wait("geomys:home").await;
    session.press("g I");
    session.wait("2 client certificates").await;
    session.wait("h.example:1965/b").await;
    // A certificate: another name. One that is used is refused.
    session.press("Enter");
    session.wait("Certificate mole").await;
    session.press("r");
    session.wait_in_prompt("> mole ").await;
    session.press("Ctrl-U");
    session.type_in("vole");
    session.press("Enter");
    session.wait("There is a certificate called vole").await;
    session.press("Enter");
    session.wait("Certificate mole").await;
    session.press("r");
    session.wait_in_prompt("> mole ").await;
    session.type_in("cricket");
    session.press("Enter");
    let is_renamed = |screen: &str| screen.contains("molecricket") && !screen.contains("New name");
    session.wait_until("the new name", is_renamed).await;
    assert_eq!(scopes("mole"), None);
    // A scope: the whole host.
    session.press("J Enter");
    session.wait("gemini://h.example:1965/~a").await;
    session.press("w");
    session.wait_until_absent("h.example:1965/~a").await;
    let wide = ["[::1]:1965/", "h.example:1965/"];
    assert_eq!(scopes("molecricket").unwrap(), wide);
    // Another one is left.
    session.press("g g J J Enter");
    session.wait("gemini://[::1]:1965/").await;
    session.press("l");
    session.wait_until_absent("[::1]").await;
    assert_eq!(scopes("molecricket").unwrap(), ["h.example:1965/"]);
    session.press("g g J X");
    session.wait("Remove the certificate molecricket?").await;
    session.press("y");
    session.wait("1 client certificate.").await;
    assert_eq!(scopes("molecricket"), None);
    session.press("g I");
    session.wait("geomys:home").await;
}
