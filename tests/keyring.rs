//! Passwords that the keyring keeps: asked before a person is, and kept when they say so.

use geomys::app::{App, Effect, Message, Overlay, Settings};
use geomys::config::{Environment, Places, read};
use geomys::document::Shape;
use geomys::files::bookmarks::Bookmarks;
use geomys::load::{Begin, LoadId, Login, Part, Question, Request, Stop};
use geomys::net::Security;
use geomys::text::Text;
use std::time::Duration;

use crate::support::screen::event;

const ADDRESS: &str = "ftp://ada@h.example:2121/";

struct Sitting(App);

impl Sitting {
    /// A browser that has a keyring, with a page on its way whose server wants a password.
    fn asked() -> (Self, Vec<Effect>) {
        let places = Places::new(Some("/nonexistent".into())).unwrap();
        let keymap = read(&places, &Environment::default()).keymap;
        let settings = Settings {
            keyring: true,
            ..Settings::default()
        };
        let app = App::new(keymap, settings, Bookmarks::default(), (80, 24)).discarding_no_keys();
        let mut sitting = Self(app);
        let effects = sitting.0.start(&[ADDRESS.to_owned()]);
        let (load, _) = request(&effects);
        let effects = sitting.ends(load, None);
        (sitting, effects)
    }

    fn ends(&mut self, load: LoadId, said: Option<&str>) -> Vec<Effect> {
        let question = Question::Password {
            user: "ada".to_owned(),
            host: "h.example".to_owned(),
            said: said.map(Text::of),
            security: Security::Plain,
        };
        self.send(Message::Part(load, Part::End(Err(Stop::Needs(question)))))
    }

    fn send(&mut self, message: Message) -> Vec<Effect> {
        self.0.update(message, Duration::ZERO)
    }

    fn press(&mut self, keys: &str) -> Vec<Effect> {
        let mut effects = Vec::new();
        for written in keys.split(' ') {
            effects.extend(self.send(Message::Key(event(written))));
        }
        effects
    }

    fn begins(&mut self, load: LoadId) -> Vec<Effect> {
        self.send(Message::Part(load, Part::Begin(Begin::new(Shape::Text))))
    }
}

fn request(effects: &[Effect]) -> (LoadId, &Request) {
    let mut loads = effects.iter().filter_map(|effect| match effect {
        Effect::Load(load, request) => Some((*load, request)),
        _ => None,
    });
    loads.next().expect("a load")
}

fn sought(effects: &[Effect]) -> geomys::app::page::WorkId {
    match effects {
        [Effect::Keyring(work, place, user)] => {
            assert_eq!(
                (place.as_str(), user.as_str()),
                ("ftp h.example:2121", "ada")
            );
            *work
        }
        other => panic!("the keyring is not asked: {other:?}"),
    }
}

#[test]
fn the_keyring_is_asked_before_a_person() {
    let (mut sitting, effects) = Sitting::asked();
    let work = sought(&effects);
    assert!(sitting.0.overlay.is_none());
    let effects = sitting.send(Message::Keyring(work, Some(Login::new("ada", "byron"))));
    let (load, request) = request(&effects);
    assert_eq!(request.login, Some(Login::new("ada", "byron")));
    // What it has was refused: now a person is asked, and nobody asks the keyring again.
    let effects = sitting.ends(load, Some("530 No"));
    assert!(effects.is_empty(), "{effects:?}");
    assert!(matches!(sitting.0.overlay, Some(Overlay::Prompt(_))));
}

#[test]
fn what_a_person_typed_is_kept_when_the_server_took_it_and_they_say_so() {
    for (answer, is_kept) in [("Right Enter", true), ("Enter", false)] {
        let (mut sitting, effects) = Sitting::asked();
        let work = sought(&effects);
        sitting.send(Message::Keyring(work, None));
        let effects = sitting.press("b y r o n Enter");
        let (load, request) = request(&effects);
        assert_eq!(request.login, Some(Login::new("ada", "byron")));
        assert!(
            sitting.0.overlay.is_none(),
            "nothing is kept before the server took it"
        );
        sitting.begins(load);
        let Some(Overlay::Choice(choice)) = &sitting.0.overlay else {
            panic!("nobody is asked");
        };
        assert_eq!(
            choice.question.as_str(),
            "Keep the password of ada at ftp h.example:2121 in the keyring?"
        );
        assert!(
            !format!("{:?}", sitting.0).contains("byron"),
            "a password is in Debug"
        );
        let effects = sitting.press(answer);
        let kept = effects.iter().any(|effect| {
            matches!(effect, Effect::Keep(place, login) if place == "ftp h.example:2121" && login.password.as_deref() == Some("byron"))
        });
        assert_eq!(kept, is_kept, "{effects:?}");
        assert!(!format!("{effects:?}").contains("byron"));
    }
}
