//! Passwords in the keyring: looked up before a prompt, and stored after confirmation.

use std::time::Duration;

use geomys::config::{Environment, UserPaths, read};
use geomys_app::credentials::message::KeyringLookup;
use geomys_app::dialogs::dialog::AnswerMethod;
use geomys_app::{App, CredentialEffect, CredentialMessage, Effect, Message, Overlay, Settings};
use geomys_load::{LoadId, Login, PageHead, Part, Question, Request, Stop};
use geomys_page::document::Shape;
use geomys_store::bookmarks::Bookmarks;
use geomys_wire::net::Security;
use geomys_wire::text::Text;

use crate::support::screen::event;

const ADDRESS: &str = "ftp://ada@h.example:2121/";

struct TestBrowser(App);

impl TestBrowser {
    /// A browser with a keyring, and a loading page whose server requests a password.
    fn with_password_question() -> (Self, Vec<Effect>) {
        let places = UserPaths::new(Some("/nonexistent".into())).unwrap();
        let keymap = read(&places, &Environment::default()).keymap;
        let settings = Settings {
            keyring: true,
            ..Settings::default()
        };
        let app =
            App::new(keymap, settings, Bookmarks::default(), (80, 24)).accepting_keys_at_once();
        let mut browser = Self(app);
        let effects = browser.0.start(&[ADDRESS.to_owned()]);
        let (load, _) = request(&effects);
        let effects = browser.ends(load, None);
        (browser, effects)
    }

    fn ends(&mut self, load: LoadId, said: Option<&str>) -> Vec<Effect> {
        let question = Question::Password {
            user: "ada".to_owned(),
            host: "h.example".to_owned(),
            said: said.map(Text::of),
            security: Security::Plain,
        };
        self.send(Message::Load(load, Part::End(Err(Stop::Needs(question)))))
    }

    fn send(&mut self, message: Message) -> Vec<Effect> {
        let effects = self.0.update(message, Duration::ZERO);
        self.0.dialogs.drawn();
        effects
    }

    fn press(&mut self, keys: &str) -> Vec<Effect> {
        let mut effects = Vec::new();
        for written in keys.split(' ') {
            effects.extend(self.send(Message::Key(event(written))));
        }
        effects
    }

    fn begins(&mut self, load: LoadId) -> Vec<Effect> {
        self.send(Message::Load(load, Part::Head(PageHead::new(Shape::Text))))
    }
}

fn request(effects: &[Effect]) -> (LoadId, &Request) {
    let mut loads = effects.iter().filter_map(|effect| match effect {
        Effect::Load(load, request) => Some((*load, request)),
        _ => None,
    });
    loads.next().expect("a load")
}

fn keyring_lookup(effects: &[Effect]) -> Box<KeyringLookup> {
    match effects {
        [Effect::Credentials(CredentialEffect::Keyring(lookup))] => {
            assert_eq!(
                (lookup.scope.as_str(), lookup.user.as_str()),
                ("ftp h.example:2121", "ada")
            );
            lookup.clone()
        }
        other => panic!("no keyring lookup: {other:?}"),
    }
}

#[test]
fn keyring_lookup_precedes_password_prompt() {
    let (mut browser, effects) = TestBrowser::with_password_question();
    let work = keyring_lookup(&effects);
    assert!(browser.0.dialogs.overlay.is_none());
    let effects = browser.send(Message::Credentials(CredentialMessage::Keyring(
        work,
        Some(Login::new("ada", "byron")),
    )));
    let (load, request) = request(&effects);
    assert_eq!(request.login, Some(Login::new("ada", "byron")));
    // The stored password was refused: a prompt opens, and the keyring is not searched again.
    let effects = browser.ends(load, Some("530 No"));
    assert!(effects.is_empty(), "{effects:?}");
    assert!(matches!(
        &browser.0.dialogs.overlay,
        Some(Overlay::Dialog(dialog)) if matches!(dialog.answer_method, AnswerMethod::Text(_))
    ));
}

#[test]
fn accepted_password_is_stored_when_confirmed() {
    for (answer, is_stored) in [("Tab Right Enter", true), ("Tab Enter", false)] {
        let (mut browser, effects) = TestBrowser::with_password_question();
        let work = keyring_lookup(&effects);
        browser.send(Message::Credentials(CredentialMessage::Keyring(work, None)));
        let effects = browser.press("b y r o n Enter");
        let (load, request) = request(&effects);
        assert_eq!(request.login, Some(Login::new("ada", "byron")));
        assert!(
            browser.0.dialogs.overlay.is_none(),
            "nothing is stored before the server accepts it"
        );
        browser.begins(load);
        let Some(Overlay::Dialog(choice)) = &browser.0.dialogs.overlay else {
            panic!("no question opens");
        };
        assert_eq!(
            choice.question.as_str(),
            "Store the password of ada at ftp h.example:2121 in the keyring?"
        );
        assert!(
            !format!("{:?}", browser.0).contains("byron"),
            "a password is in Debug"
        );
        let effects = browser.press(answer);
        let stores_login = effects.iter().any(|effect| {
            matches!(effect, Effect::Credentials(CredentialEffect::StorePassword(place, login)) if place == "ftp h.example:2121" && login.password.as_deref() == Some("byron"))
        });
        assert_eq!(stores_login, is_stored, "{effects:?}");
        assert!(!format!("{effects:?}").contains("byron"));
    }
}
