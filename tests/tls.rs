//! `dump` and `get` over TLS, by the real binary.

use geomys_store::files::trust::{self, Pins};
use geomys_testing::tls::{Authority, Identity, Server};
use geomys_wire::net::Pin;

use crate::support::command::{geomys, geomys_in, text};
use crate::support::terminal::Terminal;

pub(crate) const HERE: &str = "127.0.0.1";

#[tokio::test(flavor = "multi_thread")]
async fn dump_on_terminal_asks_about_certificate() {
    let identity = Identity::self_signed(HERE);
    let server = Server::start(&identity).await;
    let profile = tempfile::tempdir().unwrap();
    let page = server.url("/0/letter");
    let pins = || trust::load(&profile.path().join("trust.txt")).unwrap();
    let server_address = server.address.to_string();
    let dump = |keys: &str, status: u32, sees: &str| {
        let mut terminal = Terminal::run(profile.path(), &["dump", &page]);
        terminal.wait("Trust it?");
        terminal.press(keys);
        terminal.wait(sees);
        terminal.end(status);
    };
    // The tasks of the server need a thread while this one waits for the terminal.
    tokio::task::block_in_place(|| {
        dump("y\r", 1, "was not accepted");
        dump("\x1b", 1, "was not accepted");
        dump("once\r", 0, "Read in secret.");
        assert_eq!(pins(), Pins::default());
        dump("always\r", 0, "Read in secret.");
    });
    let pin = pins().of(&server_address).cloned().unwrap();
    assert_eq!(pin.fingerprint, identity.fingerprint());
    server.show(&Identity::self_signed(HERE));
    tokio::task::block_in_place(|| {
        dump("y\r", 1, "was not accepted");
        dump("always\r", 0, "Read in secret.");
    });
    assert_ne!(pins().of(&server_address), Some(&pin));
}

#[tokio::test(flavor = "multi_thread")]
async fn unverified_certificate_without_terminal_is_an_error() {
    let identity = Identity::self_signed(HERE);
    let server = Server::start(&identity).await;
    let profile = tempfile::tempdir().unwrap();
    let config = profile.path().to_str().unwrap();
    let page = server.url("/0/letter");
    let output = geomys(&["--config", config, "dump", &page], "");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        text(&output.stderr),
        format!(
            "geomys: the certificate of {} is not verified: it is self-signed. Nothing was sent. Its fingerprint is {}. Open the URL in the browser to accept it\n",
            server.address,
            identity.fingerprint()
        )
    );
    let pin = trust::save(
        &profile.path().join("trust.txt"),
        &server.address.to_string(),
        Pin::of(identity.certificate()),
    );
    assert!(pin.is_ok(), "{pin:?}");
    let output = geomys(&["--config", config, "dump", &page], "");
    assert_eq!(text(&output.stdout), "Read in secret.\n", "{output:?}");
    let output = geomys(&["--config", config, "get", &page, "-o", "-"], "");
    assert_eq!(text(&output.stdout), "Read in secret.\r\n", "{output:?}");
    let other = Identity::self_signed(HERE);
    server.show(&other);
    let output = geomys(&["--config", config, "get", &page], "");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    for word in [
        "has changed",
        &identity.fingerprint().to_string(),
        &other.fingerprint().to_string(),
    ] {
        assert!(said.contains(word), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn system_authorities_are_trusted() {
    let authority = Authority::new();
    let server = Server::start(&Identity::by(&authority, HERE)).await;
    let profile = tempfile::tempdir().unwrap();
    let config = profile.path().to_str().unwrap();
    // SSL_CERT_FILE names the system's authorities, so the test needs no system change.
    let authorities = profile.path().join("authorities.pem");
    std::fs::write(&authorities, pem(&authority.certificate())).unwrap();
    let environment = [("SSL_CERT_FILE", authorities.to_str().unwrap())];
    let page = server.url("/0/letter");
    let output = geomys_in(&environment, &["--config", config, "dump", &page], "");
    assert_eq!(text(&output.stdout), "Read in secret.\n", "{output:?}");
    assert!(!profile.path().join("trust.txt").exists());
}

fn pem(der: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in der.chunks(3) {
        let bits = (0..3).fold(0_usize, |bits, at| {
            bits << 8 | usize::from(three.get(at).copied().unwrap_or_default())
        });
        for at in 0..4 {
            let letter = LETTERS[bits >> (18 - 6 * at) & 63];
            text.push(if at > three.len() {
                '='
            } else {
                char::from(letter)
            });
        }
    }
    let lines: Vec<&str> = text
        .as_bytes()
        .chunks(64)
        .map(|line| std::str::from_utf8(line).unwrap())
        .collect();
    format!(
        "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n",
        lines.join("\n")
    )
}
