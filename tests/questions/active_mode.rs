//! Active mode: the question, and what its answer changes.

use geomys_app::Effect;
use geomys_load::Question;

use super::{SECOND, TestBrowser};

#[test]
fn server_that_must_connect_is_asked_about_once_per_session() {
    let question = || Question::ActiveMode {
        authority: "H.example:21".to_owned(),
    };
    let mut browser = TestBrowser::at("ftp://h.example/");
    browser.asks(0, question());
    let screen = browser.screen();
    assert!(
        screen.contains("The server must connect to this machine. Allow?"),
        "{screen}"
    );
    browser.now += SECOND;
    browser.choose("Yes");
    browser.begins(1);
    browser.press("r");
    let allowed = browser.effects.iter().filter_map(|effect| match effect {
        Effect::Load(_, request) => Some(request.consents.active),
        _ => None,
    });
    assert_eq!(allowed.collect::<Vec<_>>(), [false, true, true]);
}
