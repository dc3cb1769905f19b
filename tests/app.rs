//! The application state, driven without a loop: no keys, sizes or octets make it panic, and drawn text fits.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use geomys::config::{self, Environment, UserPaths};
use geomys::ui::{self, Theme};
use geomys_app::bookmarks::suggestions::suggestions;
use geomys_app::compose::message::{DraftJob, DraftOutcome};
use geomys_app::library::message::SavedForLater;
use geomys_app::transfers::message::{TransferInterruption, TransferOutcome, TransferQuestion};
use geomys_app::{
    App, BookmarkEffect, BookmarkMessage, CredentialEffect, CredentialMessage, Effect,
    LibraryEffect, LibraryMessage, Message, NewsEffect, NewsMessage, TabsEffect, TabsMessage,
    TransferEffect, TransferMessage, WorkResult,
};
use geomys_crawl::tree::TreeSummary;
use geomys_load::{
    Failure, FormKind, LoadId, Namer, PageHead, Part, Phase, PostError, PostOutcome, Question,
    ServerForm, Stop, Version,
};
use geomys_page::document::score::ScoreRules;
use geomys_page::document::{ListingPlace, Remark, Shape};
use geomys_store::files::draft::{DeliveryMethod, Draft, SendRecord, State, StoredDraft};
use geomys_store::files::news::ServerFolds;
use geomys_store::files::newsrc::Newsrc;
use geomys_store::files::read_messages::ReadMessages;
use geomys_store::transfer::download::TransferEvent;
use geomys_wire::net::{CertificateFault, Fingerprint, Pin, UntrustedCertificate};
use geomys_wire::protocol::ftp::listing::{Day, Format};
use geomys_wire::text::Text;
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

#[derive(Clone, Debug)]
enum TestEvent {
    Key(KeyEvent),
    Mouse(MouseEvent),
    Paste(String),
    Resize(u16, u16),
    Begin(Shape),
    Octets(Vec<u8>),
    Remark(Vec<u8>),
    Clock(i32),
    End(u8),
    Report(u64, Option<u64>),
    Effects,
}

/// An event of the mouse at any place, also outside of the screen.
fn any_mouse() -> impl Strategy<Value = MouseEvent> {
    let kinds = prop::sample::select(vec![
        MouseEventKind::Down(MouseButton::Left),
        MouseEventKind::Down(MouseButton::Middle),
        MouseEventKind::Drag(MouseButton::Left),
        MouseEventKind::Up(MouseButton::Left),
        MouseEventKind::ScrollDown,
        MouseEventKind::ScrollUp,
    ]);
    (kinds, 0..220_u16, 0..50_u16).prop_map(|(kind, column, row)| MouseEvent {
        kind,
        column,
        row,
        modifiers: KeyModifiers::NONE,
    })
}

fn any_event() -> impl Strategy<Value = TestEvent> {
    let letters = prop::sample::select(
        "jkhluUoOraABxstfdSiyYwnNJKG.+-_<>/{}]:?eXzZ, \\g123456789yd&DDpPEcFFRCvVmMT#'!"
            .chars()
            .collect::<Vec<_>>(),
    );
    let codes = prop::sample::select(vec![
        KeyCode::Enter,
        KeyCode::Esc,
        KeyCode::Tab,
        KeyCode::BackTab,
        KeyCode::Backspace,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::Delete,
    ]);
    let modifiers = prop::sample::select(vec![
        KeyModifiers::NONE,
        KeyModifiers::NONE,
        KeyModifiers::NONE,
        KeyModifiers::CONTROL,
        KeyModifiers::ALT,
    ]);
    let shapes = prop::sample::select(vec![
        Shape::Menu,
        Shape::Attributes,
        Shape::People,
        Shape::Hits,
        Shape::Text,
        Shape::Groups,
        Shape::Group,
        Shape::Article,
        Shape::Listing {
            format: None,
            today: Day::default(),
            place: ListingPlace::Server,
        },
        Shape::Listing {
            format: Some(Format::Facts),
            today: Day::default(),
            place: ListingPlace::Server,
        },
    ]);
    let octets = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        Just(b"1A menu\t/m\thost.example\t70\r\niwords\t\t\t\r\n".repeat(40)),
        Just(
            "0日本語のとても長い行\t/x\th\t70\r\n"
                .repeat(5)
                .into_bytes()
        ),
        Just(b"+INFO: 0T\t/t\th\t70\t+\r\n+VIEWS:\r\n text/plain De: <1k>\r\n+ADMIN\r\n Admin: a@b.c\r\n+X".to_vec()),
        Just(b"drwxr-xr-x 2 a b 40 Mar 13 12:00 d\nlrwxrwxrwx 1 a b 1 2026-11-20 18:45 l -> d\nodd\n".repeat(9)),
        Just(b"type=file;size=7;modify=20261120184500; x\r\ntype=cdir; .\r\n".to_vec()),
        Just(b"-200:1:name: Bo\r\n-200:1:email: bo@h.example\r\n\r\n-508:2:fax: none\r\n".to_vec()),
        Just(b"see <URL:gopher://h/1> and ftp://h/x for more \x1b[31mred".repeat(9)),
    ];
    prop_oneof![
        6 => (letters, modifiers.clone()).prop_map(|(letter, held)| {
            TestEvent::Key(KeyEvent::new(KeyCode::Char(letter), held))
        }),
        4 => (codes, modifiers).prop_map(|(code, held)| TestEvent::Key(KeyEvent::new(code, held))),
        2 => any_mouse().prop_map(TestEvent::Mouse),
        1 => "\\PC{0,20}".prop_map(TestEvent::Paste),
        1 => (1..210_u16, 1..45_u16).prop_map(|(width, height)| TestEvent::Resize(width, height)),
        2 => shapes.prop_map(TestEvent::Begin),
        1 => octets.clone().prop_map(TestEvent::Remark),
        1 => any::<i32>().prop_map(TestEvent::Clock),
        3 => octets.prop_map(TestEvent::Octets),
        2 => (0..12_u8).prop_map(TestEvent::End),
        1 => (0..20_000_u64, any::<Option<u64>>()).prop_map(|(octets, size)| TestEvent::Report(octets, size)),
        2 => Just(TestEvent::Effects),
    ]
}

/// An app with its screen, the effects that it has not carried out, and its last load.
struct Player {
    app: App,
    theme: Theme,
    terminal: Terminal<TestBackend>,
    effects: Vec<Effect>,
    last: LoadId,
    /// The cell that was pressed last.
    pressed: (u16, u16),
    now: Duration,
}

impl Player {
    /// Starts an app whose pages may use this much memory, if that is not the default.
    fn start(memory: Option<u64>) -> Self {
        let places = UserPaths::new(Some("/nonexistent".into())).unwrap();
        let mut config = config::read(&places, &Environment::default());
        if let Some(memory) = memory {
            config.settings.memory.pages = memory;
        }
        let bookmarks = suggestions();
        let mut app = App::new(config.keymap, config.settings, bookmarks, (80, 24));
        let effects = app.start(&["gopher://h/".to_owned()]);
        Self {
            app,
            theme: config.theme,
            terminal: Terminal::new(TestBackend::new(80, 24)).unwrap(),
            effects,
            last: LoadId(0),
            pressed: (0, 0),
            now: Duration::ZERO,
        }
    }

    /// Plays an event, and draws the screen. Returns the new effects.
    fn play(&mut self, event: TestEvent) -> &[Effect] {
        self.now += Duration::from_millis(7);
        for effect in &self.effects {
            if let Effect::Load(load, _) | Effect::Transfers(TransferEffect::Start(load, ..)) =
                effect
            {
                self.last = *load;
            }
        }
        let Some(message) = self.message(event) else {
            return &[];
        };
        let before = self.effects.len();
        self.effects.extend(self.app.update(message, self.now));
        let (app, theme) = (&self.app, &self.theme);
        self.terminal
            .draw(|frame| drop(ui::draw(app, theme, frame)))
            .unwrap();
        &self.effects[before..]
    }

    fn message(&mut self, event: TestEvent) -> Option<Message> {
        let last = self.last;
        Some(match event {
            TestEvent::Key(key) => Message::Key(key),
            TestEvent::Mouse(mut event) => {
                match event.kind {
                    MouseEventKind::Down(_) => self.pressed = (event.column, event.row),
                    // Most releases are over the cell that was pressed.
                    MouseEventKind::Up(_) if event.column % 4 != 0 => {
                        (event.column, event.row) = self.pressed;
                    }
                    _ => {}
                }
                Message::Mouse(event)
            }
            TestEvent::Paste(text) => Message::Paste(text),
            TestEvent::Resize(width, height) => {
                self.terminal.backend_mut().resize(width, height);
                Message::Resize(width, height)
            }
            TestEvent::Begin(shape) => Message::Load(last, Part::Head(PageHead::new(shape))),
            TestEvent::Octets(octets) => Message::Load(last, Part::Octets(octets)),
            TestEvent::Remark(octets) => {
                let title = Text::of("welcome");
                Message::Load(last, Part::Remark(Remark { title, octets }))
            }
            TestEvent::Clock(minutes) => Message::Load(last, Part::Clock(minutes)),
            TestEvent::End(how) => Message::Load(last, end(how)),
            TestEvent::Report(octets, size) => Message::Transfers(TransferMessage::Progress(
                last,
                match octets % 4 {
                    3 => TransferEvent::Busy,
                    0 => {
                        TransferEvent::Retry(Duration::from_millis(octets % 9000), "why".to_owned())
                    }
                    1 => TransferEvent::Restarted,
                    _ => TransferEvent::Octets(octets, size),
                },
            )),
            TestEvent::Effects => carried_out(self.effects.pop())?,
        })
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn any_sequence_of_events_never_panics(events in prop::collection::vec(any_event(), 1..60)) {
        let mut player = Player::start(None);
        for event in events {
            player.play(event);
            if player.app.cx.should_exit {
                break;
            }
        }
    }

    #[test]
    fn follow_ups_where_something_changed_are_all_that_are_needed(
        events in prop::collection::vec(any_event(), 1..60),
        memory in prop::sample::select(vec![None, Some(2000), Some(20_000)]),
    ) {
        let (mut player, mut always) = (Player::start(memory), Player::start(memory));
        for event in events {
            always.app.cx.pages_changed();
            always.app.cx.questions_changed();
            always.app.cx.transfers_changed();
            let effects = format!("{:?}", player.play(event.clone()));
            prop_assert_eq!(effects, format!("{:?}", always.play(event)));
            prop_assert_eq!(player.terminal.backend(), always.terminal.backend());
            if player.app.cx.should_exit {
                break;
            }
        }
    }
}

/// One of the possible ends of a load.
fn end(how: u8) -> Part {
    let failure = Failure {
        said: Box::new([Text::of("550 no")]),
        advice: Some("try again"),
        ..Failure::new("h:70 did not answer")
    };
    match how {
        0 => Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed)),
        1 => Part::End(Err(Stop::Failed(failure))),
        2 => Part::End(Err(Stop::Truncated(1000))),
        3 => Part::End(Err(Stop::Needs(Question::Search))),
        4 => Part::End(Err(Stop::Needs(Question::NewsServer))),
        5 => Part::End(Err(Stop::Needs(Question::Save {
            what: "a binary file",
            name: "x".to_owned(),
            size: Some(7),
        }))),
        9 => Part::End(Err(Stop::Needs(Question::Unknown(b'X')))),
        10 => Part::End(Err(Stop::Needs(Question::Send(vec![Text::of(
            "an answer",
        )])))),
        8 => Part::End(Err(Stop::Needs(Question::Form(form())))),
        6 | 7 => {
            let fingerprint = Fingerprint::of(&[how]);
            let pin = Pin {
                fingerprint,
                since: None,
                expires: None,
            };
            Part::End(Err(Stop::Needs(Question::Certificate(Box::new(
                UntrustedCertificate {
                    authority: "h:70".to_owned(),
                    fingerprint,
                    why: CertificateFault::SelfSigned,
                    valid: None,
                    pinned: (how == 7).then_some(pin),
                    is_renewed: false,
                },
            )))))
        }
        _ => Part::Phase(Phase::Waiting),
    }
}

/// A form with a line of each kind.
fn form() -> ServerForm {
    let lines = "Note: n\nAsk: a\td\nAskP: p\nAskL: l\nAskF: f\tx\nSelect: s:1\nChoose: c\tA\tB\nChooseF: f";
    ServerForm {
        title: None,
        lines: lines.lines().map(|line| line.as_bytes().to_vec()).collect(),
        hints: Vec::new(),
        text: String::new(),
        kind: FormKind::Item,
    }
}

/// The message that an effect would report.
fn carried_out(effect: Option<Effect>) -> Option<Message> {
    match effect? {
        Effect::Work(id, work) => Some(Message::Worked(id, work.carry_out())),
        Effect::ReadFile(work, ..) => Some(Message::Worked(
            work,
            WorkResult::Read(Ok(b"a file\r\n".to_vec())),
        )),
        Effect::StoreCharset(..) => Some(Message::Written(Ok(()))),
        Effect::Library(LibraryEffect::SaveForLater(_, title)) => {
            Some(LibraryMessage::SavedForLater(SavedForLater::Stored(title)).into())
        }
        Effect::Library(LibraryEffect::ListLater(arrival)) => {
            Some(LibraryMessage::LaterListed(Ok(Vec::new()), arrival).into())
        }
        Effect::Library(LibraryEffect::RemoveLater(_)) => {
            Some(LibraryMessage::LaterRemoved(Ok(Vec::new())).into())
        }
        Effect::Library(LibraryEffect::Identities(arrival, _)) => {
            Some(LibraryMessage::IdentitiesListed(Ok(Vec::new()), arrival).into())
        }
        Effect::Tabs(TabsEffect::CachePage(..))
        | Effect::Bookmarks(
            BookmarkEffect::WriteCheckResults(..) | BookmarkEffect::WriteWatchEvents(_),
        )
        | Effect::Transfers(TransferEffect::WriteList(..) | TransferEffect::RemovePartial(..))
        | Effect::Credentials(CredentialEffect::Pin(..)) => {
            Some(Message::Written(Err("no".to_owned())))
        }
        Effect::StoreSetting(..) => Some(Message::SettingStored(Err("no".to_owned()))),
        Effect::Tabs(effect) => Some(tabs_message(effect)?.into()),
        Effect::Bookmarks(effect) => Some(bookmark_message(effect)?.into()),
        Effect::Transfers(effect) => Some(transfer_message(effect)?.into()),
        Effect::News(effect) => Some(news_message(effect)?.into()),
        Effect::Compose(target) => Some(written(&target).into()),
        Effect::Credentials(CredentialEffect::Keyring(work)) => {
            Some(CredentialMessage::Keyring(work, None).into())
        }
        Effect::Credentials(CredentialEffect::StorePassword(..)) => {
            Some(CredentialMessage::PasswordStored(Err("no".to_owned())).into())
        }
        Effect::SendToSession(load, _) => {
            Some(Message::Load(load, Part::Octets(b"heard\r\n".to_vec())))
        }
        Effect::Run(_) => Some(TabsMessage::ProgramEnded(Ok("it has ended".to_owned())).into()),
        Effect::Library(_)
        | Effect::Load(..)
        | Effect::Drop(_)
        | Effect::Offline(_)
        | Effect::Copy(_)
        | Effect::EditText(..)
        | Effect::UseMouse(_)
        | Effect::EditFile(_)
        | Effect::ReadConfig
        | Effect::Redraw
        | Effect::StartTimer(..)
        | Effect::SaveCard(..)
        | Effect::Suspend => None,
    }
}

fn tabs_message(effect: TabsEffect) -> Option<TabsMessage> {
    Some(match effect {
        TabsEffect::Rules(from, host, _, usage) => TabsMessage::Rules(from, host, None, usage),
        TabsEffect::Viewers(_) => TabsMessage::Viewers(Vec::new()),
        TabsEffect::CachePage(..) => return None,
    })
}

fn bookmark_message(effect: BookmarkEffect) -> Option<BookmarkMessage> {
    Some(match effect {
        BookmarkEffect::Save(history, change, ..) => {
            let bookmarks = suggestions();
            BookmarkMessage::Saved(history, Ok(bookmarks.apply(&change)))
        }
        BookmarkEffect::Read(bookmarks) => BookmarkMessage::Read(Ok(bookmarks)),
        BookmarkEffect::Filter(work, search) => {
            BookmarkMessage::Filtered(work, Box::new(search.run()))
        }
        BookmarkEffect::Sort(work, ..) => BookmarkMessage::Sorted(work, Err("no".to_owned())),
        BookmarkEffect::Import(_) => BookmarkMessage::ImportRead(Err("no".to_owned())),
        BookmarkEffect::ListStates => BookmarkMessage::States(Err("no".to_owned())),
        BookmarkEffect::Restore(_) => BookmarkMessage::Restored(Err("no".to_owned())),
        BookmarkEffect::ReadCheckResults => BookmarkMessage::CheckResultsRead(Err("no".to_owned())),
        BookmarkEffect::RunBulk(load, _) => BookmarkMessage::BulkEnded(load),
        BookmarkEffect::WriteCheckResults(..) | BookmarkEffect::WriteWatchEvents(_) => {
            return None;
        }
    })
}

fn transfer_message(effect: TransferEffect) -> Option<TransferMessage> {
    Some(match effect {
        TransferEffect::Fetch(load, ..) => TransferMessage::Fetched(load, Err("no".to_owned())),
        TransferEffect::Save(load, ..) | TransferEffect::SaveReply(load, ..) => {
            TransferMessage::Downloaded(load, Err("no".to_owned()))
        }
        TransferEffect::Pipe(load, _) => TransferMessage::Piped(load, Err("no".to_owned())),
        TransferEffect::Site(load, _) => TransferMessage::SiteDone(load, Err("no".to_owned())),
        TransferEffect::Join(load, _) => TransferMessage::Joined(load, Err("no".to_owned())),
        TransferEffect::Start(load, _) => TransferMessage::Ended(load, outcome(load)),
        TransferEffect::Destination(directory, _, path) => {
            TransferMessage::Destination(directory, path)
        }
        TransferEffect::WriteList(..) | TransferEffect::RemovePartial(..) => return None,
    })
}

fn news_message(effect: NewsEffect) -> Option<NewsMessage> {
    Some(match effect {
        NewsEffect::Marks(server, _, changes) => {
            let mut newsrc = Newsrc::default();
            for (group, change) in &changes {
                newsrc.apply(group, change);
            }
            NewsMessage::Marks(server, changes.len(), Ok(newsrc.marks()))
        }
        NewsEffect::Folds(server, _, changes) => {
            let mut folds = ServerFolds::default();
            for (group, change) in &changes {
                folds.apply(group, change);
            }
            NewsMessage::Folds(server, changes.len(), Ok(folds))
        }
        NewsEffect::Messages(_, marks) => {
            let mut read = ReadMessages::default();
            read.apply(&marks);
            NewsMessage::Messages(marks.len(), Ok(read))
        }
        NewsEffect::Schedule => NewsMessage::Due,
        NewsEffect::Posted => NewsMessage::Posted(vec!["<1@x>".to_owned()]),
        NewsEffect::Rule(_, group, rule) => {
            let line = rule.lines("2026-11-22".parse().unwrap());
            let (rules, _) = ScoreRules::parse(&format!("[{group}]\n{line}\n"));
            NewsMessage::Rule(rules)
        }
        NewsEffect::Refresh(_) => return None,
    })
}

/// A possible outcome of a draft job.
fn written(target: &DraftJob) -> DraftOutcome {
    match target {
        DraftJob::Create(..) => DraftOutcome::Created(Ok("/tmp/draft".into())),
        DraftJob::Edit(_) => DraftOutcome::Edited(Ok("it exited".to_owned())),
        DraftJob::Read(_) => {
            let draft = Draft::parse("From: a@b.c\nTo: d@e.f\nNewsgroups: a\nSubject: x\n\nx\n");
            let record = SendRecord {
                server: "other.example:119".to_owned(),
                attempts: 1,
                ..SendRecord::default()
            };
            DraftOutcome::Read(draft, record)
        }
        DraftJob::ListDrafts => DraftOutcome::DraftsListed(Ok(vec![StoredDraft {
            path: "/tmp/draft".into(),
            delivery: DeliveryMethod::Post,
            subject: "x".to_owned(),
            to: "a".to_owned(),
            when: String::new(),
            refusal: None,
            state: State::Queued,
            namer: Namer::User,
        }])),
        DraftJob::Remove(path) => DraftOutcome::Removed(path.clone(), Ok(())),
        DraftJob::List(load, ..) => DraftOutcome::Listed(*load, Ok(Vec::new())),
        DraftJob::Send(load, ..) => DraftOutcome::Sent(
            *load,
            match load.0 % 3 {
                0 => Ok(PostOutcome::Accepted(Text::of("240"))),
                1 => Err(PostError::Unknown(Failure::new("no"))),
                _ => Err(PostError::Stopped(Failure::new("no").into())),
            },
        ),
        DraftJob::Queue(..) | DraftJob::QueueUpload(..) => DraftOutcome::Queued(Ok(())),
        DraftJob::Hold(path) => DraftOutcome::Created(Ok(path.clone())),
    }
}

/// A transfer outcome, a different one each time.
fn outcome(load: LoadId) -> Result<TransferOutcome, TransferInterruption> {
    match load.0 % 6 {
        0 => Ok(TransferOutcome::Directory(
            "/tmp/a".into(),
            TreeSummary::default(),
        )),
        1 => Err(TransferInterruption::Question(TransferQuestion::Directory)),
        2 => {
            let (was, is) = (Version::default(), Version::default());
            Err(TransferInterruption::Question(TransferQuestion::Load(
                Question::Changed { was, is },
            )))
        }
        3 => Err(TransferInterruption::Question(TransferQuestion::Foreign(
            "/tmp/a".into(),
        ))),
        4 => Err(TransferInterruption::Question(TransferQuestion::Oversize(
            5000,
        ))),
        _ => Err(TransferInterruption::Failed("no".to_owned())),
    }
}
