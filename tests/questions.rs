//! Questions: when they open, which keys they take, and how they are answered.

mod active_mode;
mod plain_login;

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use geomys::config::{self, Environment, UserPaths};
use geomys::ui;
use geomys::ui::UNLOCK_HINT;
use geomys_app::dialogs::dialog::AnswerMethod;
use geomys_app::dialogs::text_input::TextInput;
use geomys_app::transfers::State;
use geomys_app::transfers::message::{TransferInterruption, TransferJob, TransferQuestion};
use geomys_app::{
    App, CredentialEffect, CredentialMessage, Effect, Message, Overlay, TransferEffect,
    TransferMessage,
};
use geomys_demo::Demo;
use geomys_load::{
    FormKind, IdentityScope, LoadId, Login, PageHead, Part, Question, Request, ServerForm as Form,
    Stop, Version,
};
use geomys_page::document::Shape;
use geomys_store::bookmarks::Bookmarks;
use geomys_store::transfer::download::PartialFilePolicy;
use geomys_wire::net::{CertificateFault, Fingerprint, Security, UntrustedCertificate};
use geomys_wire::text::Text;
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use rfc1738::Url;

use crate::support::screen::{Browser, event, keys_to, tabs_to};
use crate::support::terminal;

const MILLISECOND: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

/// A browser without a loop, its clock, and its pending effects.
struct TestBrowser {
    app: App,
    now: Duration,
    effects: Vec<Effect>,
}

impl TestBrowser {
    /// A browser with a loading page.
    fn at(address: &str) -> Self {
        let places = UserPaths::new(Some("/nonexistent".into())).unwrap();
        let mut config = config::read(&places, &Environment::default());
        config.settings.keyring = true;
        config.settings.home = Some("/home/bo".into());
        config.settings.downloads = "/home/bo/Downloads".into();
        let bookmarks = b"One <URL:ftp://h.example/one>\nTwo <URL:ftp://h.example/two>\n";
        let bookmarks = Bookmarks::parse(bookmarks);
        let mut app = App::new(config.keymap, config.settings, bookmarks, (80, 24));
        let effects = app.start(&[address.to_owned()]);
        Self {
            app,
            now: SECOND,
            effects,
        }
    }

    /// A browser with a page, and two transfers that end with a question.
    fn transferring(ends: impl Fn() -> TransferQuestion) -> Self {
        let mut browser = Self::at("gopher://h.example/");
        browser.begins(0);
        // From the page to the bookmarks.
        browser.press("Shift-Tab d j d");
        for load in browser.transfers() {
            let asks = Err(TransferInterruption::Question(ends()));
            browser.send(Message::Transfers(TransferMessage::Ended(load, asks)));
        }
        browser
    }

    /// Sends a message, and draws its result.
    fn send(&mut self, message: Message) {
        self.effects.extend(self.app.update(message, self.now));
        self.app.dialogs.drawn();
    }

    fn press(&mut self, keys: &str) {
        for key in keys.split_whitespace() {
            self.send(Message::Key(event(key)));
        }
    }

    fn loads(&self) -> Vec<LoadId> {
        let loads = self.effects.iter().filter_map(|effect| match effect {
            Effect::Load(load, _) => Some(*load),
            _ => None,
        });
        loads.collect()
    }

    fn transfers(&self) -> Vec<LoadId> {
        let loads = self.effects.iter().filter_map(|effect| match effect {
            Effect::Transfers(TransferEffect::Start(load, _)) => Some(*load),
            _ => None,
        });
        loads.collect()
    }

    fn begins(&mut self, load: usize) {
        self.loads_page(load, Shape::Text, "A page.\r\n");
    }

    fn loads_page(&mut self, load: usize, shape: Shape, text: &str) {
        let load = self.loads()[load];
        self.send(Message::Load(load, Part::Head(PageHead::new(shape))));
        self.send(Message::Load(load, Part::Octets(text.into())));
        self.send(Message::Load(
            load,
            Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed)),
        ));
    }

    /// The request of the last load.
    fn last_request(&self) -> Request {
        let loads = self.effects.iter().rev().find_map(|effect| match effect {
            Effect::Load(_, request) => Some(request.clone()),
            _ => None,
        });
        loads.unwrap()
    }

    /// The address of the last load.
    fn last_loaded(&self) -> String {
        let loads = self.effects.iter().rev().find_map(|effect| match effect {
            Effect::Load(_, request) => Some(request.url.to_string()),
            _ => None,
        });
        loads.unwrap()
    }

    fn asks(&mut self, load: usize, question: Question) {
        self.send(self.end(load, question));
    }

    /// The end of a load with a question.
    fn end(&self, load: usize, question: Question) -> Message {
        Message::Load(self.loads()[load], Part::End(Err(Stop::Needs(question))))
    }

    fn is_asking(&self) -> bool {
        matches!(&self.app.dialogs.overlay, Some(Overlay::Dialog(dialog)) if !matches!(dialog.answer_method, AnswerMethod::Text(_)))
    }

    fn input(&self) -> &TextInput {
        match &self.app.dialogs.overlay {
            Some(Overlay::Dialog(dialog)) => match &dialog.answer_method {
                AnswerMethod::Text(input) => input,
                other => panic!("there is no line of input: {other:?}"),
            },
            other => panic!("there is no line of input: {other:?}"),
        }
    }

    fn typed(&self) -> &str {
        self.input().input.value()
    }

    /// Chooses a button of the shown question.
    fn choose(&mut self, button: &str) {
        let screen = self.screen();
        let tabs = tabs_to(&screen, button).unwrap_or_else(|| panic!("{screen}"));
        self.press(&keys_to(&screen, tabs));
    }

    fn screen(&self) -> String {
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
        let places = UserPaths::new(Some("/nonexistent".into())).unwrap();
        let theme = config::read(&places, &Environment::default()).theme;
        terminal
            .draw(|frame| drop(ui::draw(&self.app, &theme, frame)))
            .unwrap();
        let buffer = terminal.backend().buffer();
        let lines = (0..24).map(|y| {
            let line: String = (0..80).map(|x| buffer[(x, y)].symbol()).collect();
            format!("{}\n", line.trim_end())
        });
        lines.collect()
    }

    /// Clicks on these words, as they are drawn.
    fn click(&mut self, words: &str) {
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
        let mut drawn = ui::Drawn::default();
        let theme = ui::Theme::default();
        terminal
            .draw(|frame| drawn = ui::draw(&self.app, &theme, frame))
            .unwrap();
        self.app.mouse.regions = drawn.regions;
        let buffer = terminal.backend().buffer();
        let line = |y| (0..80).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        let at = (0..24).find_map(|y| {
            let line = line(y);
            let x = line[..line.find(words)?].chars().count();
            Some((u16::try_from(x).unwrap(), y))
        });
        let (column, row) = at.unwrap_or_else(|| panic!("{}", self.screen()));
        for kind in [
            MouseEventKind::Down(MouseButton::Left),
            MouseEventKind::Up(MouseButton::Left),
        ] {
            self.send(Message::Mouse(MouseEvent {
                kind,
                column,
                row,
                modifiers: KeyModifiers::NONE,
            }));
        }
    }

    fn pins(&self) -> usize {
        let is_pin =
            |effect: &&Effect| matches!(effect, Effect::Credentials(CredentialEffect::Pin(..)));
        self.effects.iter().filter(is_pin).count()
    }
}

fn certificate() -> Question {
    Question::Certificate(Box::new(UntrustedCertificate {
        authority: "h.example:21".to_owned(),
        fingerprint: Fingerprint::of(b"shown"),
        why: CertificateFault::SelfSigned,
        valid: None,
        pinned: None,
        is_renewed: false,
    }))
}

fn changed() -> TransferQuestion {
    let version = |size| Version {
        size: Some(size),
        ..Version::default()
    };
    let (was, is) = (version(900), version(1200));
    TransferQuestion::Load(Question::Changed { was, is })
}

fn password() -> Question {
    Question::Password {
        user: "ada".to_owned(),
        host: "h.example".to_owned(),
        said: None,
        security: Security::Plain,
    }
}

#[test]
fn transfer_question_waits_in_its_row_until_it_is_opened_there() {
    let mut browser = TestBrowser::transferring(changed);
    assert!(browser.app.dialogs.overlay.is_none());
    assert!(browser.screen().contains("2 questions (D)"));
    // Keys pressed meanwhile are no answer.
    browser.press("g g j g g");
    assert_eq!(browser.app.transfers.queue.asking().count(), 2);
    assert_eq!(browser.transfers().len(), 2);
    browser.press("D");
    let screen = browser.screen();
    assert!(screen.contains("file changed?"), "{screen}");
    assert!(screen.contains("it had 900 B,"), "{screen}");
    assert!(screen.contains("Enter answer"), "{screen}");
    // Esc leaves the question in its row.
    browser.press("Enter");
    assert!(browser.is_asking());
    browser.press("Esc");
    assert_eq!(browser.app.transfers.queue.asking().count(), 2);
    // No letter resumes the changed file, and the button selected first does nothing.
    browser.press("Enter g f y");
    assert!(browser.is_asking());
    browser.press("Enter");
    let states = || {
        browser
            .app
            .transfers
            .queue
            .items()
            .iter()
            .map(|item| &item.state)
    };
    assert!(matches!(states().next(), Some(State::Failed(_))));
    assert_eq!(browser.transfers().len(), 2);
}

#[test]
fn changed_transfer_resumes_only_by_button() {
    for (button, partial) in [
        ("Download again", PartialFilePolicy::Restart),
        ("Resume anyway", PartialFilePolicy::ResumeAlways),
    ] {
        let mut browser = TestBrowser::transferring(changed);
        browser.press("D Enter");
        browser.choose(button);
        let Some(Effect::Transfers(TransferEffect::Start(_, job))) = browser
            .effects
            .iter()
            .rev()
            .find(|effect| matches!(effect, Effect::Transfers(TransferEffect::Start(..))))
        else {
            panic!("nothing runs");
        };
        let TransferJob::File(order) = &**job else {
            panic!("{job:?}");
        };
        assert_eq!(order.partial, partial);
    }
}

#[test]
fn certificate_trusted_for_one_transfer_lets_the_others_go_on() {
    let mut browser = TestBrowser::transferring(|| TransferQuestion::Load(certificate()));
    browser.press("D Enter o a y");
    assert_eq!(browser.transfers().len(), 2);
    browser.choose("Trust until Geomys exits");
    assert_eq!(browser.app.transfers.queue.asking().count(), 0);
    assert_eq!((browser.pins(), browser.transfers().len()), (0, 4));
}

#[test]
fn load_question_discards_keys_for_a_second_and_no_letter_answers_it() {
    let mut browser = TestBrowser::at("ftp://h.example/");
    browser.asks(0, certificate());
    assert!(browser.is_asking());
    browser.now += Duration::from_millis(999);
    browser.press("o y a Y O n Right Tab Enter Space");
    assert!(browser.is_asking());
    assert!(browser.screen().contains("Key ignored"));
    browser.now += MILLISECOND;
    browser.press("o y a Y O n");
    assert!(browser.is_asking());
    assert!(!browser.screen().contains("Key ignored"));
    assert_eq!(browser.loads().len(), 1);
    browser.choose("Trust always");
    assert_eq!((browser.pins(), browser.loads().len()), (1, 2));
}

#[test]
fn first_button_or_esc_closes_load_question_at_once() {
    for (wait, key) in [
        (SECOND, "Enter"),
        (Duration::ZERO, "Esc"),
        (Duration::ZERO, "Ctrl-C"),
    ] {
        let mut browser = TestBrowser::at("ftp://h.example/");
        browser.asks(0, certificate());
        browser.now += wait;
        browser.press(key);
        assert!(browser.app.dialogs.overlay.is_none(), "{key}");
        assert_eq!((browser.pins(), browser.loads().len()), (0, 1));
        assert!(browser.screen().contains("was not accepted"));
        // A question opened next takes keys at once.
        browser.press("o x");
        assert_eq!(browser.typed(), "x");
    }
}

#[test]
fn load_question_waits_while_a_prompt_has_the_keys() {
    let mut browser = TestBrowser::at("ftp://h.example/");
    browser.press("o g o");
    browser.asks(0, certificate());
    browser.press("p h e r Enter");
    browser.press("o y");
    assert_eq!(browser.typed(), "y", "the prompt has the keys");
    let mut browser = TestBrowser::at("ftp://h.example/");
    browser.press("o g o");
    browser.asks(0, certificate());
    assert_eq!(browser.typed(), "go");
    browser.now += 10 * SECOND;
    browser.press("Esc");
    assert!(browser.is_asking());
    browser.press("Tab Tab Enter");
    assert!(browser.is_asking(), "it has only just opened");
    assert_eq!(browser.pins(), 0);
}

#[test]
fn message_that_arrives_while_the_user_types_stays_until_the_prompt_is_closed() {
    let sentence = "The list was not sorted: a bug in Geomys";
    let mut browser = TestBrowser::at("ftp://h.example/");
    browser.press("o g");
    browser.send(Message::TaskPanicked(sentence.to_owned()));
    browser.press("o Esc");
    assert!(browser.screen().contains(sentence), "the prompt hid it");
    browser.press("j");
    assert!(!browser.screen().contains(sentence));
}

#[test]
fn answer_to_a_key_that_comes_while_a_page_loads_stays_until_the_next_key() {
    for (key, answer) in [("P", "No command on P here"), ("I", "No command on I")] {
        let mut browser = TestBrowser::at("gopher://h.example/");
        browser.begins(0);
        browser.press("o g o p h e r : / / h . e x a m p l e / 0 / a Enter");
        browser.press(key);
        assert!(browser.screen().contains(answer), "{}", browser.screen());
        let head = PageHead {
            is_unchanged: true,
            ..PageHead::new(Shape::Text)
        };
        let load = browser.loads()[1];
        browser.send(Message::Load(load, Part::Head(head)));
        browser.send(Message::Load(load, Part::Octets(b"The page.".to_vec())));
        browser.send(Message::Load(
            load,
            Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed)),
        ));
        let screen = browser.screen();
        assert!(screen.contains("The page."), "{screen}");
        assert!(screen.contains(answer), "{screen}");
        browser.press("Esc");
        let screen = browser.screen();
        assert!(screen.contains("The page is unchanged"), "{screen}");
        browser.press("Esc");
        assert!(!browser.screen().contains("The page is unchanged"));
    }
}

#[test]
fn pending_key_sequence_is_dropped_when_a_question_opens() {
    let mut browser = TestBrowser::at("ftp://h.example/");
    browser.press("g");
    browser.asks(0, certificate());
    browser.press("g Esc");
    assert!(!browser.screen().contains(" g  "), "{}", browser.screen());
    assert!(browser.app.dialogs.overlay.is_none());
}

#[test]
fn password_prompt_discards_what_was_typed_for_something_else() {
    let mut browser = TestBrowser::at("ftp://ada@h.example/");
    browser.press("j");
    // For a transfer and for a page the keyring lookup comes first.
    browser.asks(0, password());
    let Some(Effect::Credentials(CredentialEffect::Keyring(work))) = browser.effects.last() else {
        panic!("{:?}", browser.effects);
    };
    let work = work.clone();
    browser.send(Message::Credentials(CredentialMessage::Keyring(work, None)));
    assert_eq!(browser.typed(), "");
    let ignored = |browser: &mut TestBrowser| {
        browser.press("j j Enter");
        browser.send(Message::Paste("a whole page".to_owned()));
        assert_eq!(browser.typed(), "");
        assert_eq!(browser.loads().len(), 1);
    };
    ignored(&mut browser);
    assert!(browser.screen().contains("Key ignored"));
    browser.now += SECOND;
    browser.press("j j");
    browser.send(Message::Paste("a whole page".to_owned()));
    assert_eq!(browser.typed(), "");
    assert!(browser.screen().contains(UNLOCK_HINT));
    // The key that unlocks it is no answer.
    browser.press("Enter");
    assert_eq!((browser.typed(), browser.loads().len()), ("", 1));
    assert!(!browser.screen().contains(UNLOCK_HINT));
    browser.press("j j");
    assert_eq!(browser.typed(), "jj");
}

/// The questions of servers with a line of input.
fn lines_of_input() -> [Question; 4] {
    let login = Question::Login {
        host: "h.example".to_owned(),
        said: None,
    };
    let account = Question::Account {
        user: "ada".to_owned(),
        host: "h.example".to_owned(),
        said: None,
        security: Security::Plain,
    };
    let line = line_of_input("gopher://h.example/b");
    [line, login, account, Question::NewsServer]
}

#[test]
fn prompt_that_the_command_line_asked_for_takes_letters_once_it_was_drawn() {
    for question in lines_of_input() {
        let mut browser = TestBrowser::at("gopher://h.example/");
        let end = browser.end(0, question.clone());
        let early = ['j', ' ', '\n'].map(|letter| KeyEvent::from(KeyCode::Char(letter)));
        let keys = early.map(Message::Key).into_iter();
        let paste = Message::Paste("before".to_owned());
        for message in std::iter::once(end).chain(keys).chain([paste]) {
            browser.app.update(message, SECOND);
        }
        assert_eq!((browser.typed(), browser.loads().len()), ("", 1));
        let mut browser = TestBrowser::at("gopher://h.example/");
        browser.asks(0, question.clone());
        browser.press("a d a");
        assert_eq!(browser.typed(), "ada", "{question:?}");
    }
}

#[test]
fn question_that_nobody_asked_for_takes_no_letter_until_it_is_unlocked() {
    let others = [
        certificate(),
        Question::Hazards(Vec::new()),
        Question::Unknown(b'x'),
    ];
    for question in lines_of_input().into_iter().chain(others) {
        let mut browser = TestBrowser::at("gopher://h.example/");
        // A key behind the command line is for something else.
        browser.press("j");
        browser.asks(0, question.clone());
        browser.now += 60 * SECOND;
        browser.press("a y o n Space");
        let locked = browser.screen();
        assert!(locked.contains(UNLOCK_HINT), "{question:?}: {locked}");
        browser.press("Tab");
        assert!(!browser.screen().contains(UNLOCK_HINT), "{question:?}");
        if browser.is_asking() {
            // The safe button is still the chosen one.
            browser.press("Enter");
            assert_eq!(browser.loads().len(), 1, "{question:?}");
        } else {
            browser.press("a");
            assert_eq!(browser.typed(), "a", "{question:?}");
        }
    }
}

/// A page of `h.example` that was typed, and whose load asks this question.
fn asked_by_enter(question: Question) -> TestBrowser {
    let mut browser = TestBrowser::at("gopher://h.example/");
    browser.begins(0);
    browser.press("o g e m i n i : / / h . e x a m p l e / a Enter");
    browser.asks(1, question);
    browser
}

/// A server's question at this address.
fn line_of_input(url: &str) -> Question {
    Question::Input {
        prompt: Text::of("Your name"),
        is_secret: false,
        url: Url::parse(url).unwrap(),
    }
}

#[test]
fn prompt_that_the_users_enter_asked_for_takes_letters_at_once() {
    for question in lines_of_input() {
        let mut browser = asked_by_enter(question.clone());
        browser.press("s e c r e t 9 9");
        assert_eq!(browser.typed(), "secret99", "{question:?}");
        browser.send(Message::Paste("!".to_owned()));
        assert_eq!(browser.typed(), "secret99!", "{question:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn question_of_a_server_stands_above_its_answer() {
    let demo = Demo::start().await.unwrap();
    let url = format!("gemini://{}/ask", demo.addresses.gemini);
    let session = Browser::new().open(url).start();
    session.wait("Which star do you ask about?").await;
    let screen = session.screen();
    let lines: Vec<&str> = screen.lines().collect();
    let question = lines
        .iter()
        .position(|line| line.contains("Which star"))
        .unwrap();
    assert!(lines[question - 1].contains(" asks ("), "{screen}");
    assert!(lines[question + 1].contains("│ >"), "{screen}");
    assert!(lines[question + 2].contains("Enter send"), "{screen}");
}

#[test]
fn click_on_a_question_that_has_just_opened_chooses_nothing() {
    let mut browser = TestBrowser::at("gophers://h.example/");
    browser.asks(0, certificate());
    browser.click("Trust always");
    assert!(browser.is_asking());
    browser.now += SECOND;
    // The safe button is still the chosen one.
    browser.press("Enter");
    assert!(!browser.is_asking());
    assert_eq!(browser.pins(), 0);
    let mut browser = TestBrowser::at("gophers://h.example/");
    browser.asks(0, certificate());
    browser.now += SECOND;
    browser.click("Trust always");
    assert_eq!(browser.pins(), 1);
}

#[test]
fn answer_that_is_too_long_keeps_its_prompt() {
    let mut browser = asked_by_enter(line_of_input("gemini://h.example/b"));
    browser.now += SECOND;
    // The address is 21 octets, with a question mark.
    browser.send(Message::Paste("a".repeat(870)));
    assert!(browser.screen().contains("133 bytes left"));
    browser.send(Message::Paste("b".repeat(10)));
    assert!(
        browser.screen().contains("123 bytes left"),
        "{}",
        browser.screen()
    );
    browser.send(Message::Paste("c".repeat(449)));
    browser.press("Enter");
    assert_eq!(browser.loads().len(), 2);
    assert!(
        browser.screen().contains("326 bytes too many"),
        "{}",
        browser.screen()
    );
    assert_eq!(browser.typed().len(), 1329);
}

#[test]
fn answer_may_have_several_lines() {
    let mut browser = asked_by_enter(line_of_input("gemini://h.example/b"));
    browser.now += SECOND;
    browser.press("a Alt-Enter b");
    browser.send(Message::Paste("c\nd\n".to_owned()));
    browser.press("Enter");
    let request = browser.last_request();
    assert_eq!(request.url.as_str(), "gemini://h.example/b?a%0Abc%0Ad");
}

#[test]
fn answer_of_several_lines_is_edited_in_the_editor() {
    let mut browser = asked_by_enter(line_of_input("gemini://h.example/b"));
    browser.now += SECOND;
    browser.press("a Alt-Enter b Alt-e");
    let Some(Effect::EditText(_, text)) = browser.effects.last() else {
        panic!("{:?}", browser.effects);
    };
    assert_eq!(text, "a\nb");
    browser.send(Message::Edited(Err("editor not found: it".to_owned())));
    assert_eq!(browser.typed(), "a\u{2424}b");
    browser.send(Message::Edited(Ok("a\n  \x1b<b>\nc\n\n".to_owned())));
    browser.press("Enter");
    let request = browser.last_request();
    let sent = "gemini://h.example/b?a%0A%20%20%3Cb%3E%0Ac";
    assert_eq!(request.url.as_str(), sent);
}

#[test]
fn hidden_answer_is_not_written_to_a_file() {
    let mut browser = asked_by_enter(Question::Input {
        prompt: Text::of("Your secret"),
        is_secret: true,
        url: Url::parse("gemini://h.example/b").unwrap(),
    });
    browser.now += SECOND;
    browser.press("a Alt-e");
    let is_edit = |effect: &Effect| matches!(effect, Effect::EditText(..));
    assert!(!browser.effects.iter().any(is_edit));
    assert_eq!(browser.typed(), "a");
}

#[test]
fn certificate_is_chosen_for_the_page_or_the_host() {
    for (key, scope) in [("p", IdentityScope::Page), ("h", IdentityScope::Host)] {
        let question = Question::Identity {
            authority: "h.example:1965".to_owned(),
            why: "none was sent",
            said: None,
            url: Url::parse("gemini://h.example/join").unwrap(),
            names: Vec::new(),
        };
        let mut browser = asked_by_enter(question);
        browser.now += SECOND;
        browser.press("m o l e Enter");
        assert!(
            browser.screen().contains("this page and below"),
            "{}",
            browser.screen()
        );
        browser.press(key);
        let request = browser.last_request();
        assert_eq!(request.certificate.name.as_deref(), Some("mole"));
        assert_eq!(request.certificate.scope, scope);
    }
}

#[test]
fn enter_in_a_prompt_that_has_just_opened_waits_until_it_was_seen() {
    let mut browser = asked_by_enter(line_of_input("gemini://h.example/b"));
    browser.press("Enter");
    assert_eq!(browser.loads().len(), 2, "nothing is typed");
    assert!(browser.screen().contains("Key ignored"));
    browser.press("c a t Enter");
    assert_eq!(browser.loads().len(), 2);
    let Some(Effect::StartTimer(timer, rest)) = browser.effects.last() else {
        panic!("{:?}", browser.effects);
    };
    let timer = *timer;
    browser.now += *rest;
    browser.send(Message::TimerEnded(timer));
    assert_eq!(browser.last_loaded(), "gemini://h.example/b?cat");
}

#[test]
fn text_that_changes_after_an_early_enter_is_not_sent() {
    let mut browser = asked_by_enter(line_of_input("gemini://h.example/b"));
    browser.press("c a t Enter");
    let Some(Effect::StartTimer(timer, _)) = browser.effects.last() else {
        panic!("{:?}", browser.effects);
    };
    let timer = *timer;
    browser.press("s");
    browser.now += SECOND;
    browser.send(Message::TimerEnded(timer));
    assert_eq!(browser.typed(), "cats");
    browser.press("Enter");
    assert_eq!(browser.last_loaded(), "gemini://h.example/b?cats");
}

#[test]
fn prompt_discards_keys_after_another_key_and_from_another_host() {
    let mut other_key = TestBrowser::at("gopher://h.example/");
    other_key.begins(0);
    other_key.press("o g e m i n i : / / h . e x a m p l e / a Enter j");
    other_key.asks(1, line_of_input("gemini://h.example/a"));
    let other_host = asked_by_enter(line_of_input("gemini://other.example/a"));
    for mut browser in [Box::new(other_key), Box::new(other_host)] {
        browser.press("c a t");
        assert_eq!(browser.typed(), "");
        browser.now += SECOND;
        browser.press("Tab c a t");
        assert_eq!(browser.typed(), "cat");
    }
}

#[test]
fn keyring_without_the_password_leaves_a_prompt_as_it_is() {
    let mut browser = TestBrowser::at("ftp://ada@h.example/");
    browser.asks(0, password());
    let Some(Effect::Credentials(CredentialEffect::Keyring(work))) = browser.effects.last() else {
        panic!("{:?}", browser.effects);
    };
    let work = work.clone();
    browser.press("o x");
    browser.send(Message::Credentials(CredentialMessage::Keyring(work, None)));
    assert_eq!(browser.typed(), "x");
    assert!(!browser.input().is_secret);
    browser.press("Esc");
    assert!(browser.input().is_secret);
}

#[test]
fn password_from_the_keyring_loads_the_page_in_its_own_tab() {
    let mut browser = TestBrowser::at("ftp://ada@h.example/");
    browser.asks(0, password());
    let Some(Effect::Credentials(CredentialEffect::Keyring(work))) = browser.effects.last() else {
        panic!("{:?}", browser.effects);
    };
    let work = work.clone();
    browser.press("Ctrl-T");
    assert_eq!(browser.app.tabs.tab_index(), 1);
    let login = Some(Login::new("ada", "byron"));
    browser.send(Message::Credentials(CredentialMessage::Keyring(
        work,
        login.clone(),
    )));
    let first = browser.app.tabs.tabs()[0].pane().incoming.as_ref().unwrap();
    assert_eq!(first.request.login, login);
    assert_eq!(Some(&first.load), browser.loads().last());
}

#[test]
fn question_about_the_keyring_waits_for_a_form() {
    let mut browser = TestBrowser::at("ftp://ada@h.example/");
    browser.asks(0, password());
    let Some(Effect::Credentials(CredentialEffect::Keyring(work))) = browser.effects.last() else {
        panic!("{:?}", browser.effects);
    };
    let work = work.clone();
    browser.send(Message::Credentials(CredentialMessage::Keyring(work, None)));
    browser.now += SECOND;
    browser.press("b y r o n Enter Ctrl-T o g o p h e r : / / h / 0 Enter");
    let form = Form {
        title: None,
        lines: vec![b"Ask: Name".to_vec()],
        hints: Vec::new(),
        text: String::new(),
        kind: FormKind::Item,
    };
    let last = browser.loads().len() - 1;
    browser.asks(last, Question::Form(form));
    assert!(
        browser
            .app
            .tabs
            .page()
            .and_then(|page| page.form(&browser.app.cx))
            .is_some()
    );
    browser.begins(1);
    browser.press("y");
    assert!(browser.app.dialogs.overlay.is_none());
    let screen = browser.screen();
    assert!(screen.contains("1 question after this form"), "{screen}");
    browser.press("Esc");
    assert!(browser.is_asking(), "{}", browser.screen());
    browser.now += SECOND;
    browser.choose("Yes");
    let stores_login = |effect: &Effect| {
        matches!(
            effect,
            Effect::Credentials(CredentialEffect::StorePassword(..))
        )
    };
    assert!(browser.effects.iter().any(stores_login));
}

#[test]
fn search_prompt_takes_what_is_typed_behind_the_key_that_opens_it() {
    let mut browser = TestBrowser::at("gopher://h.example/");
    browser.begins(0);
    browser.press("o g o p h e r : / / h / 7 / s Enter c a t");
    assert_eq!(browser.typed(), "cat");
}

/// A browser that shows a form with one field, the file name for the reply.
fn receipt(default: &str) -> TestBrowser {
    let mut browser = TestBrowser::at("gopher://h/0/form");
    let form = Form {
        title: None,
        lines: vec![format!("AskF: Keep it as\t{default}").into_bytes()],
        hints: Vec::new(),
        text: String::new(),
        kind: FormKind::Item,
    };
    browser.asks(0, Question::Form(form));
    assert!(
        browser
            .app
            .tabs
            .page()
            .and_then(|page| page.form(&browser.app.cx))
            .is_some()
    );
    browser
}

/// The path for the reply of the sent form.
fn reply_is_saved(mut browser: TestBrowser) -> String {
    assert_eq!(browser.loads().len(), 2, "{}", browser.screen());
    browser.begins(1);
    let saved = browser.effects.iter().find_map(|effect| match effect {
        Effect::Transfers(TransferEffect::SaveReply(_, _, path, _)) => {
            Some(path.display().to_string())
        }
        _ => None,
    });
    saved.expect("the reply is saved")
}

#[test]
fn form_default_path_is_a_plain_name_in_downloads() {
    for (default, name) in [
        ("volts.txt", "volts.txt"),
        ("~/.profile", "profile"),
        ("/etc/cron.d/job", "job"),
        ("../../.ssh/authorized_keys", "authorized_keys"),
        ("..", "reply.txt"),
        ("new/directory/", "directory"),
    ] {
        let mut browser = receipt(default);
        assert!(browser.screen().contains(name), "{}", browser.screen());
        browser.press("Ctrl-S");
        assert!(!browser.is_asking(), "{default}");
        let path = format!("/home/bo/Downloads/{name}");
        assert_eq!(reply_is_saved(browser), path);
    }
}

#[test]
fn typed_path_outside_downloads_asks_before_saving() {
    for (typed, path) in [
        ("~/.profile", "/home/bo/.profile"),
        ("/etc/job", "/etc/job"),
        ("../x", "/home/bo/Downloads/../x"),
        ("a/../../x", "/home/bo/Downloads/a/../../x"),
    ] {
        let mut browser = receipt("volts.txt");
        let letters = typed.chars().map(|letter| format!("{letter} "));
        browser.press(&format!("Ctrl-U {} Ctrl-S", letters.collect::<String>()));
        let question = format!("Save the reply to {path}?");
        assert!(browser.screen().contains(&question), "{}", browser.screen());
        browser.press("n");
        assert_eq!(browser.loads().len(), 1, "nothing was sent");
        browser.press("Ctrl-S y");
        assert_eq!(reply_is_saved(browser), path);
    }
    let mut browser = receipt("volts.txt");
    browser.press("Ctrl-U a / b Ctrl-S");
    assert_eq!(reply_is_saved(browser), "/home/bo/Downloads/a/b");
}

const LOCAL: &str = "file:///etc/passwd";

#[test]
fn local_file_linked_from_remote_page_asks_before_opening() {
    let row = format!("hA page\tURL:{LOCAL}\th\t70\r\n");
    let reference = format!("<p><a href=\"{LOCAL}\">A page</a></p>\n");
    let words = format!("A page <URL:{LOCAL}> in a text\r\n");
    for (shape, text) in [
        (Shape::Menu, row),
        (Shape::Html, reference),
        (Shape::Text, words),
    ] {
        let mut browser = TestBrowser::at("gopher://h.example/");
        browser.loads_page(0, shape, &text);
        // A row is under the cursor at once; a link inside a text is selected by key.
        if shape != Shape::Menu {
            browser.press("J");
        }
        let screen = browser.screen();
        assert!(screen.contains(LOCAL), "the target is shown: {screen}");
        for key in ["Enter", "t"] {
            browser.press(key);
            let screen = browser.screen();
            assert!(
                screen.contains("Open the local file /etc/passwd?"),
                "{screen}"
            );
            assert!(screen.contains("gopher://h.example/"), "{screen}");
            browser.press("n");
            assert_eq!(browser.loads().len(), 1);
        }
        browser.press("d");
        assert!(
            browser
                .screen()
                .contains("Copy the local file /etc/passwd to")
        );
        browser.press("n");
        assert!(browser.transfers().is_empty());
        browser.press("Enter y");
        assert_eq!(browser.last_loaded(), LOCAL);
    }
}

#[test]
fn local_file_from_local_page_bookmark_or_typed_url_opens_without_question() {
    let mut browser = TestBrowser::at("file:///home/bo/links");
    let text = format!("hA page\tURL:{LOCAL}\th\t70\r\n");
    browser.loads_page(0, Shape::Menu, &text);
    browser.press("Enter");
    assert_eq!(browser.last_loaded(), LOCAL);
    let mut browser = TestBrowser::at("gopher://h.example/");
    browser.loads_page(0, Shape::Menu, &text);
    browser.press("o f i l e : / / / x Enter");
    assert_eq!(browser.last_loaded(), "file:///x");
}

proptest! {
    #[test]
    fn letters_and_early_keys_never_trust_a_certificate(
        keys in prop::collection::vec((any::<char>(), 0..400_u64), 1..30),
        early in prop::collection::vec(0..6_usize, 0..10),
    ) {
        let mut browser = TestBrowser::at("ftp://h.example/");
        browser.asks(0, certificate());
        for key in early {
            let codes = [
                KeyCode::Enter, KeyCode::Tab, KeyCode::Right, KeyCode::Left, KeyCode::Down, KeyCode::End,
            ];
            browser.send(Message::Key(KeyEvent::new(codes[key], KeyModifiers::NONE)));
        }
        for (letter, later) in keys {
            browser.now += Duration::from_millis(later);
            browser.send(Message::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)));
        }
        prop_assert!(browser.is_asking());
        prop_assert_eq!((browser.pins(), browser.loads().len()), (0, 1));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn command_line_asks_in_the_words_of_the_browser() {
    let (url, remark) = (
        "gopher://127.0.0.1:25/1/x",
        "the port belongs to another service",
    );
    let question = "This URL may be deceptive. Open it?";
    let session = Browser::new().open(url).start();
    session.wait(question).await;
    assert!(session.screen().contains(remark), "{}", session.screen());
    let profile = tempfile::tempdir().unwrap();
    let mut terminal = terminal::Terminal::run(profile.path(), &["dump", url]);
    terminal.wait(&format!("{question} y or n:"));
    assert!(terminal.screen().contains(remark), "{}", terminal.screen());
}
