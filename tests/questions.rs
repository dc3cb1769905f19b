//! Questions: when they open, which keys they take, and how they are answered.

mod plain_login;

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use geomys::app::transfers::{Asked, Ended, Job, State};
use geomys::app::{App, Effect, Message, Overlay};
use geomys::config::{self, Environment, Places};
use geomys::document::Shape;
use geomys::files::bookmarks::Bookmarks;
use geomys::files::download::Earlier;
use geomys::load::{Asked as Form, Begin, FormOf, LoadId, Login, Part, Question, Stop, Version};
use geomys::net::{CertificateFault, Doubt, Fingerprint, Security};
use geomys::ui;
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::support::screen::{event, tabs_to};

const MILLISECOND: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

/// A browser without a loop, its clock, and what it wanted done.
struct Sitting {
    app: App,
    now: Duration,
    effects: Vec<Effect>,
}

impl Sitting {
    /// A browser with a page on its way.
    fn at(address: &str) -> Self {
        let places = Places::new(Some("/nonexistent".into())).unwrap();
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

    /// A browser with a page, and a transfer of each of two files that ends with a question.
    fn transferring(ends: impl Fn() -> Asked) -> Self {
        let mut sitting = Self::at("gopher://h.example/");
        sitting.begins(0);
        // From the page to the bookmarks.
        sitting.press("Shift-Tab d j d");
        for load in sitting.transfers() {
            let asks = Err(Ended::Asks(ends()));
            sitting.send(Message::Transferred(load, asks));
        }
        sitting
    }

    fn send(&mut self, message: Message) {
        self.effects.extend(self.app.update(message, self.now));
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
            Effect::Transfer(load, _) => Some(*load),
            _ => None,
        });
        loads.collect()
    }

    fn begins(&mut self, load: usize) {
        self.loads_page(load, Shape::Text, "A page.\r\n");
    }

    fn loads_page(&mut self, load: usize, shape: Shape, text: &str) {
        let load = self.loads()[load];
        self.send(Message::Part(load, Part::Begin(Begin::new(shape))));
        self.send(Message::Part(load, Part::Octets(text.into())));
        self.send(Message::Part(load, Part::End(Ok(()))));
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
        let load = self.loads()[load];
        self.send(Message::Part(load, Part::End(Err(Stop::Needs(question)))));
    }

    fn is_asking(&self) -> bool {
        matches!(self.app.overlay, Some(Overlay::Choice(_)))
    }

    fn typed(&self) -> &str {
        match &self.app.overlay {
            Some(Overlay::Prompt(prompt)) => prompt.input.value(),
            other => panic!("there is no prompt: {other:?}"),
        }
    }

    /// Chooses a button of the question that is shown.
    fn choose(&mut self, button: &str) {
        let screen = self.screen();
        let tabs = tabs_to(&screen, button).unwrap_or_else(|| panic!("{screen}"));
        self.press(&format!("{} Enter", "Tab ".repeat(tabs)));
    }

    fn screen(&self) -> String {
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
        let places = Places::new(Some("/nonexistent".into())).unwrap();
        let theme = config::read(&places, &Environment::default()).theme;
        terminal
            .draw(|frame| ui::draw(&self.app, &theme, frame))
            .unwrap();
        let buffer = terminal.backend().buffer();
        let lines = (0..24).map(|y| {
            let line: String = (0..80).map(|x| buffer[(x, y)].symbol()).collect();
            format!("{}\n", line.trim_end())
        });
        lines.collect()
    }

    fn pins(&self) -> usize {
        let is_pin = |effect: &&Effect| matches!(effect, Effect::Pin(..));
        self.effects.iter().filter(is_pin).count()
    }
}

fn certificate() -> Question {
    Question::Certificate(Box::new(Doubt {
        place: "h.example:21".to_owned(),
        fingerprint: Fingerprint::of(b"shown"),
        why: CertificateFault::SelfSigned,
        valid: None,
        known: None,
    }))
}

fn changed() -> Asked {
    let version = |size| Version {
        size: Some(size),
        ..Version::default()
    };
    let (was, is) = (version(900), version(1200));
    Asked::Load(Question::Changed { was, is })
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
    let mut sitting = Sitting::transferring(changed);
    assert!(sitting.app.overlay.is_none());
    assert!(sitting.screen().contains("2 questions (D)"));
    // What a person does meanwhile is no answer.
    sitting.press("g g j g g");
    assert_eq!(sitting.app.transfers.asking().count(), 2);
    assert_eq!(sitting.transfers().len(), 2);
    sitting.press("D");
    let screen = sitting.screen();
    assert!(screen.contains("file changed?"), "{screen}");
    assert!(screen.contains("it had 900 B, and"), "{screen}");
    assert!(screen.contains("Enter answer"), "{screen}");
    // Esc leaves the question in its row.
    sitting.press("Enter");
    assert!(sitting.is_asking());
    sitting.press("Esc");
    assert_eq!(sitting.app.transfers.asking().count(), 2);
    // No letter joins two files, and the button that is selected first does nothing.
    sitting.press("Enter g f y");
    assert!(sitting.is_asking());
    sitting.press("Enter");
    let states = || sitting.app.transfers.items().iter().map(|item| &item.state);
    assert!(matches!(states().next(), Some(State::Failed(_))));
    assert_eq!(sitting.transfers().len(), 2);
}

#[test]
fn transfer_resumes_with_other_content_by_a_button_alone() {
    for (button, earlier) in [
        ("Download again", Earlier::Replaced),
        ("Resume anyway", Earlier::Trusted),
    ] {
        let mut sitting = Sitting::transferring(changed);
        sitting.press("D Enter");
        sitting.choose(button);
        let Some(Effect::Transfer(_, job)) = sitting
            .effects
            .iter()
            .rev()
            .find(|effect| matches!(effect, Effect::Transfer(..)))
        else {
            panic!("nothing runs");
        };
        let Job::File(order) = &**job else {
            panic!("{job:?}");
        };
        assert_eq!(order.earlier, earlier);
    }
}

#[test]
fn certificate_trusted_for_one_transfer_lets_the_others_go_on() {
    let mut sitting = Sitting::transferring(|| Asked::Load(certificate()));
    sitting.press("D Enter o a y");
    assert_eq!(sitting.transfers().len(), 2);
    sitting.choose("Trust until Geomys ends");
    assert_eq!(sitting.app.transfers.asking().count(), 0);
    assert_eq!((sitting.pins(), sitting.transfers().len()), (0, 4));
}

#[test]
fn load_question_discards_keys_for_a_second_and_no_letter_answers_it() {
    let mut sitting = Sitting::at("ftp://h.example/");
    sitting.asks(0, certificate());
    assert!(sitting.is_asking());
    sitting.now += Duration::from_millis(999);
    sitting.press("o y a Y O n Right Tab Enter Space");
    assert!(sitting.is_asking());
    assert!(sitting.screen().contains("Key ignored"));
    sitting.now += MILLISECOND;
    sitting.press("o y a Y O n");
    assert!(sitting.is_asking());
    assert!(!sitting.screen().contains("Key ignored"));
    assert_eq!(sitting.loads().len(), 1);
    sitting.choose("Trust always");
    assert_eq!((sitting.pins(), sitting.loads().len()), (1, 2));
}

#[test]
fn load_question_is_left_by_its_first_button_and_by_esc_at_once() {
    for (wait, key) in [
        (SECOND, "Enter"),
        (Duration::ZERO, "Esc"),
        (Duration::ZERO, "Ctrl-C"),
    ] {
        let mut sitting = Sitting::at("ftp://h.example/");
        sitting.asks(0, certificate());
        sitting.now += wait;
        sitting.press(key);
        assert!(sitting.app.overlay.is_none(), "{key}");
        assert_eq!((sitting.pins(), sitting.loads().len()), (0, 1));
        assert!(sitting.screen().contains("was not accepted"));
        // What is opened next takes keys at once.
        sitting.press("o x");
        assert_eq!(sitting.typed(), "x");
    }
}

#[test]
fn load_question_waits_while_a_prompt_has_the_keys() {
    let mut sitting = Sitting::at("ftp://h.example/");
    sitting.press("o g o");
    sitting.asks(0, certificate());
    sitting.press("p h e r Enter");
    sitting.press("o y");
    assert_eq!(sitting.typed(), "y", "the prompt has the keys");
    let mut sitting = Sitting::at("ftp://h.example/");
    sitting.press("o g o");
    sitting.asks(0, certificate());
    assert_eq!(sitting.typed(), "go");
    sitting.now += 10 * SECOND;
    sitting.press("Esc");
    assert!(sitting.is_asking());
    sitting.press("Tab Tab Enter");
    assert!(sitting.is_asking(), "it has only just opened");
    assert_eq!(sitting.pins(), 0);
}

#[test]
fn a_key_that_began_a_sequence_is_forgotten_when_a_question_opens() {
    let mut sitting = Sitting::at("ftp://h.example/");
    sitting.press("g");
    sitting.asks(0, certificate());
    sitting.press("g Esc");
    assert!(!sitting.screen().contains(" g  "), "{}", sitting.screen());
    assert!(sitting.app.overlay.is_none());
}

#[test]
fn password_prompt_discards_what_was_typed_for_something_else() {
    let mut sitting = Sitting::at("ftp://ada@h.example/");
    // A password of a transfer or a page alike: the keyring is asked first.
    sitting.asks(0, password());
    let Some(Effect::Keyring(work, ..)) = sitting.effects.last() else {
        panic!("{:?}", sitting.effects);
    };
    let work = *work;
    sitting.send(Message::Keyring(work, None));
    assert_eq!(sitting.typed(), "");
    sitting.press("j j Enter");
    sitting.send(Message::Paste("a whole page".to_owned()));
    assert_eq!(sitting.typed(), "");
    assert_eq!(sitting.loads().len(), 1);
    assert!(sitting.screen().contains("Key ignored"));
    sitting.now += SECOND;
    sitting.press("j j");
    assert_eq!(sitting.typed(), "jj");
}

#[test]
fn keyring_without_the_password_leaves_a_prompt_as_it_is() {
    let mut sitting = Sitting::at("ftp://ada@h.example/");
    sitting.asks(0, password());
    let Some(Effect::Keyring(work, ..)) = sitting.effects.last() else {
        panic!("{:?}", sitting.effects);
    };
    let work = *work;
    sitting.press("o x");
    sitting.send(Message::Keyring(work, None));
    assert_eq!(sitting.typed(), "x");
    assert!(matches!(&sitting.app.overlay, Some(Overlay::Prompt(prompt)) if !prompt.is_secret()));
    sitting.press("Esc");
    assert!(matches!(&sitting.app.overlay, Some(Overlay::Prompt(prompt)) if prompt.is_secret()));
}

#[test]
fn password_from_the_keyring_loads_the_page_in_its_own_tab() {
    let mut sitting = Sitting::at("ftp://ada@h.example/");
    sitting.asks(0, password());
    let Some(Effect::Keyring(work, ..)) = sitting.effects.last() else {
        panic!("{:?}", sitting.effects);
    };
    let work = *work;
    sitting.press("Ctrl-T");
    assert_eq!(sitting.app.tab_index(), 1);
    let login = Some(Login::new("ada", "byron"));
    sitting.send(Message::Keyring(work, login.clone()));
    let first = sitting.app.tabs()[0].pane().incoming.as_ref().unwrap();
    assert_eq!(first.request.login, login);
    assert_eq!(Some(&first.load), sitting.loads().last());
}

#[test]
fn question_about_the_keyring_waits_for_a_form() {
    let mut sitting = Sitting::at("ftp://ada@h.example/");
    sitting.asks(0, password());
    let Some(Effect::Keyring(work, ..)) = sitting.effects.last() else {
        panic!("{:?}", sitting.effects);
    };
    let work = *work;
    sitting.send(Message::Keyring(work, None));
    sitting.now += SECOND;
    sitting.press("b y r o n Enter Ctrl-T o g o p h e r : / / h / 0 Enter");
    let form = Form {
        title: None,
        lines: vec![b"Ask: Name".to_vec()],
        hints: Vec::new(),
        of: FormOf::Item,
    };
    let last = sitting.loads().len() - 1;
    sitting.asks(last, Question::Form(form));
    assert!(sitting.app.form().is_some());
    sitting.begins(1);
    sitting.press("y");
    assert!(sitting.app.overlay.is_none());
    let screen = sitting.screen();
    assert!(screen.contains("1 question after this form"), "{screen}");
    sitting.press("Esc");
    assert!(sitting.is_asking(), "{}", sitting.screen());
    sitting.now += SECOND;
    sitting.choose("Yes");
    let is_kept = |effect: &Effect| matches!(effect, Effect::Keep(..));
    assert!(sitting.effects.iter().any(is_kept));
}

#[test]
fn search_prompt_takes_what_is_typed_behind_the_key_that_opens_it() {
    let mut sitting = Sitting::at("gopher://h.example/");
    sitting.begins(0);
    sitting.press("o g o p h e r : / / h / 7 / s Enter c a t");
    assert_eq!(sitting.typed(), "cat");
}

/// A browser that shows a form with one line, the name of the file for the reply.
fn receipt(default: &str) -> Sitting {
    let mut sitting = Sitting::at("gopher://h/0/form");
    let form = Form {
        title: None,
        lines: vec![format!("AskF: Keep it as\t{default}").into_bytes()],
        hints: Vec::new(),
        of: FormOf::Item,
    };
    sitting.asks(0, Question::Form(form));
    assert!(sitting.app.form().is_some());
    sitting
}

/// Where the reply to the form is saved, which has been sent.
fn reply_is_saved(mut sitting: Sitting) -> String {
    assert_eq!(sitting.loads().len(), 2, "{}", sitting.screen());
    sitting.begins(1);
    let saved = sitting.effects.iter().find_map(|effect| match effect {
        Effect::SaveReply(_, _, path, _) => Some(path.display().to_string()),
        _ => None,
    });
    saved.expect("the reply is saved")
}

#[test]
fn default_of_a_form_is_a_plain_name_among_the_downloads() {
    for (default, name) in [
        ("volts.txt", "volts.txt"),
        ("~/.profile", "profile"),
        ("/etc/cron.d/job", "job"),
        ("../../.ssh/authorized_keys", "authorized_keys"),
        ("..", "reply.txt"),
        ("new/directory/", "directory"),
    ] {
        let mut sitting = receipt(default);
        assert!(sitting.screen().contains(name), "{}", sitting.screen());
        sitting.press("Ctrl-S");
        assert!(!sitting.is_asking(), "{default}");
        let path = format!("/home/bo/Downloads/{name}");
        assert_eq!(reply_is_saved(sitting), path);
    }
}

#[test]
fn typed_path_outside_the_downloads_is_asked_about() {
    for (typed, path) in [
        ("~/.profile", "/home/bo/.profile"),
        ("/etc/job", "/etc/job"),
        ("../x", "/home/bo/Downloads/../x"),
        ("a/../../x", "/home/bo/Downloads/a/../../x"),
    ] {
        let mut sitting = receipt("volts.txt");
        let letters = typed.chars().map(|letter| format!("{letter} "));
        sitting.press(&format!("Ctrl-U {} Ctrl-S", letters.collect::<String>()));
        let question = format!("Save the reply to {path}?");
        assert!(sitting.screen().contains(&question), "{}", sitting.screen());
        sitting.press("n");
        assert_eq!(sitting.loads().len(), 1, "nothing was sent");
        sitting.press("Ctrl-S y");
        assert_eq!(reply_is_saved(sitting), path);
    }
    let mut sitting = receipt("volts.txt");
    sitting.press("Ctrl-U a / b Ctrl-S");
    assert_eq!(reply_is_saved(sitting), "/home/bo/Downloads/a/b");
}

const LOCAL: &str = "file:///etc/passwd";

#[test]
fn local_file_that_a_remote_page_names_is_opened_after_a_question() {
    let row = format!("hA page\tURL:{LOCAL}\th\t70\r\n");
    let reference = format!("<p><a href=\"{LOCAL}\">A page</a></p>\n");
    let words = format!("A page <URL:{LOCAL}> in a text\r\n");
    for (shape, text) in [
        (Shape::Menu, row),
        (Shape::Html, reference),
        (Shape::Text, words),
    ] {
        let mut sitting = Sitting::at("gopher://h.example/");
        sitting.loads_page(0, shape, &text);
        // A row is under the cursor at once, a link within a text is gone to.
        if shape != Shape::Menu {
            sitting.press("J");
        }
        let screen = sitting.screen();
        assert!(screen.contains(LOCAL), "the target is shown: {screen}");
        for key in ["Enter", "t"] {
            sitting.press(key);
            let screen = sitting.screen();
            assert!(
                screen.contains("Open the local file /etc/passwd?"),
                "{screen}"
            );
            assert!(screen.contains("gopher://h.example/"), "{screen}");
            sitting.press("n");
            assert_eq!(sitting.loads().len(), 1);
        }
        sitting.press("d");
        assert!(
            sitting
                .screen()
                .contains("Copy the local file /etc/passwd to")
        );
        sitting.press("n");
        assert!(sitting.transfers().is_empty());
        sitting.press("Enter y");
        assert_eq!(sitting.last_loaded(), LOCAL);
    }
}

#[test]
fn local_file_that_a_local_page_a_bookmark_or_a_person_names_is_opened_unasked() {
    let mut sitting = Sitting::at("file:///home/bo/links");
    let text = format!("hA page\tURL:{LOCAL}\th\t70\r\n");
    sitting.loads_page(0, Shape::Menu, &text);
    sitting.press("Enter");
    assert_eq!(sitting.last_loaded(), LOCAL);
    let mut sitting = Sitting::at("gopher://h.example/");
    sitting.loads_page(0, Shape::Menu, &text);
    sitting.press("o f i l e : / / / x Enter");
    assert_eq!(sitting.last_loaded(), "file:///x");
}

proptest! {
    #[test]
    fn no_letter_and_no_early_key_ever_trusts_a_certificate(
        keys in prop::collection::vec((any::<char>(), 0..400_u64), 1..30),
        early in prop::collection::vec(0..6_usize, 0..10),
    ) {
        let mut sitting = Sitting::at("ftp://h.example/");
        sitting.asks(0, certificate());
        for key in early {
            let codes = [
                KeyCode::Enter, KeyCode::Tab, KeyCode::Right, KeyCode::Left, KeyCode::Down, KeyCode::End,
            ];
            sitting.send(Message::Key(KeyEvent::new(codes[key], KeyModifiers::NONE)));
        }
        for (letter, later) in keys {
            sitting.now += Duration::from_millis(later);
            sitting.send(Message::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)));
        }
        prop_assert!(sitting.is_asking());
        prop_assert_eq!((sitting.pins(), sitting.loads().len()), (0, 1));
    }
}
