//! Passwords without TLS: the question, and the text of the prompt.

use geomys_app::Effect;
use geomys_load::{NoTlsReason, PlainLoginConsent, Question, UnencryptedLogin};
use geomys_testing::script::{assert_played, listen};
use geomys_wire::net::{Security, TlsOffer};
use geomys_wire::text::Text;

use super::{SECOND, TestBrowser};
use crate::support::command::{geomys_in, text};

fn unencrypted() -> Question {
    Question::Unencrypted(UnencryptedLogin {
        authority: "H.example:21".to_owned(),
        host: "h.example".to_owned(),
        table: "ftp",
        reason: NoTlsReason::Withdrawn(TlsOffer {
            since: Some("2026-11-01".to_owned()),
        }),
        said: None,
    })
}

#[test]
fn unencrypted_password_needs_a_button_once_per_session() {
    let mut browser = TestBrowser::at("ftp://ada:byron@h.example/");
    browser.asks(0, unencrypted());
    let screen = browser.screen();
    assert!(
        screen.contains("Send the password to H.example:21 unencrypted?"),
        "{screen}"
    );
    assert!(
        screen.contains("has offered TLS since 2026-11-01"),
        "{screen}"
    );
    assert!(screen.contains("tls-by-host"), "{screen}");
    browser.now += SECOND;
    browser.press("s y");
    assert_eq!(browser.loads().len(), 1);
    // The first button sends nothing.
    browser.press("Enter");
    assert_eq!(browser.loads().len(), 1);
    let mut browser = TestBrowser::at("ftp://ada:byron@h.example/");
    browser.asks(0, unencrypted());
    browser.now += SECOND;
    browser.choose("Send unencrypted");
    browser.begins(1);
    browser.press("r");
    let accepted = browser.effects.iter().filter_map(|effect| match effect {
        Effect::Load(_, request) => Some(request.consents.plain_login),
        _ => None,
    });
    let (ask, accept) = (PlainLoginConsent::Ask, PlainLoginConsent::Accepted);
    assert_eq!(accepted.collect::<Vec<_>>(), [ask, accept, accept]);
}

#[test]
fn password_prompt_says_whether_the_connection_is_encrypted() {
    for (security, words) in [
        (Security::Plain, "h.example, not encrypted:"),
        (Security::Unverified, "h.example, encrypted:"),
    ] {
        let mut browser = TestBrowser::at("ftp://ada@h.example/");
        browser.asks(
            0,
            Question::Password {
                user: "ada".to_owned(),
                host: "h.example".to_owned(),
                said: Some(Text::of("530 No")),
                security,
            },
        );
        let screen = browser.screen();
        assert!(
            screen.contains(&format!("Password of ada at {words}")),
            "{screen}"
        );
    }
}

/// A greeting, and CAPABILITIES with these in addition to the usual ones.
fn hello(capabilities: &str) -> String {
    format!("S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\n{capabilities}S: .\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn without_terminal_the_error_names_the_setting() {
    let login_demanded = format!("{}C: GROUP local.burrow\nS: 480 who\nsilence", hello(""));
    let (authority, playing) = listen(&[&login_demanded, &login_demanded]).await;
    let profile = tempfile::tempdir().unwrap();
    let directory = profile.path().to_str().unwrap();
    let offers = format!("# words\n{authority} 2026-11-01\n");
    std::fs::write(profile.path().join("tls-offers.txt"), offers).unwrap();
    let netrc = profile.path().join(".netrc");
    std::fs::write(&netrc, "machine 127.0.0.1 login ada password byron\n").unwrap();
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&netrc, private).unwrap();
    let address = format!("nntp://{authority}/local.burrow");
    for command in [&["dump"][..], &["get", "-o", "-"]] {
        let arguments = [command, &["--config", directory, &address]].concat();
        let output = geomys_in(&[("HOME", directory)], &arguments, "");
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(
            text(&output.stderr),
            format!(
                "geomys: {authority} has offered TLS since 2026-11-01, but not now, so the password was not sent; \
                 \"127.0.0.1\" = \"never\" under [news.tls-by-host] in settings.toml sends it without TLS\n"
            )
        );
    }
    assert_played(playing).await;
}
