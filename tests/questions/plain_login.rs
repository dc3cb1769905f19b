//! Passwords without TLS: the question, and the text of the prompt.

use geomys::app::Effect;
use geomys_page::load::{NoTlsReason, PlainLoginConsent, Question, UnencryptedLogin};
use geomys_wire::net::{Security, TlsOffer};
use geomys_wire::text::Text;

use super::{SECOND, TestBrowser};

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
        Effect::Load(_, request) => Some(request.plain_login),
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
