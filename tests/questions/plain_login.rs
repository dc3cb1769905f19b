//! Passwords without TLS: what is asked, and what a prompt says.

use geomys::app::Effect;
use geomys::load::{NoTls, PlainLogin, Question, Unencrypted};
use geomys::net::{Security, TlsOffer};
use geomys::text::Text;

use super::{SECOND, Sitting};

fn unencrypted() -> Question {
    Question::Unencrypted(Unencrypted {
        place: "H.example:21".to_owned(),
        host: "h.example".to_owned(),
        table: "ftp",
        why: NoTls::Withdrawn(TlsOffer {
            since: Some("2026-11-01".to_owned()),
        }),
        said: None,
    })
}

#[test]
fn password_goes_unencrypted_by_a_button_alone_and_then_until_the_browser_ends() {
    let mut sitting = Sitting::at("ftp://ada:byron@h.example/");
    sitting.asks(0, unencrypted());
    let screen = sitting.screen();
    assert!(
        screen.contains("Send the password to H.example:21 unencrypted?"),
        "{screen}"
    );
    assert!(
        screen.contains("has offered TLS since 2026-11-01"),
        "{screen}"
    );
    assert!(screen.contains("tls-by-host"), "{screen}");
    sitting.now += SECOND;
    sitting.press("s y");
    assert_eq!(sitting.loads().len(), 1);
    // The first button sends nothing.
    sitting.press("Enter");
    assert_eq!(sitting.loads().len(), 1);
    let mut sitting = Sitting::at("ftp://ada:byron@h.example/");
    sitting.asks(0, unencrypted());
    sitting.now += SECOND;
    sitting.choose("Send unencrypted");
    sitting.begins(1);
    sitting.press("r");
    let accepted = sitting.effects.iter().filter_map(|effect| match effect {
        Effect::Load(_, request) => Some(request.plain_login),
        _ => None,
    });
    let (ask, accept) = (PlainLogin::Ask, PlainLogin::Accepted);
    assert_eq!(accepted.collect::<Vec<_>>(), [ask, accept, accept]);
}

#[test]
fn password_prompt_says_whether_the_connection_is_encrypted() {
    for (security, words) in [
        (Security::Plain, "h.example, not encrypted:"),
        (Security::Unverified, "h.example, encrypted:"),
    ] {
        let mut sitting = Sitting::at("ftp://ada@h.example/");
        sitting.asks(
            0,
            Question::Password {
                user: "ada".to_owned(),
                host: "h.example".to_owned(),
                said: Some(Text::of("530 No")),
                security,
            },
        );
        let screen = sitting.screen();
        assert!(
            screen.contains(&format!("Password of ada at {words}")),
            "{screen}"
        );
    }
}
