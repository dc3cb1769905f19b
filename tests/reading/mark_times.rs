//! The time of marks and their writes: an article counts once it was shown, and a change is stored soon after.

use std::fs;
use std::time::Duration;

use geomys::config::{self, Environment, UserPaths};
use geomys_app::{App, Effect, Message, NewsEffect, NewsMessage, Work, WorkResult};
use geomys_demo::Demo;
use geomys_load::{LoadId, PageHead, Part};
use geomys_page::document::Shape;
use geomys_page::document::marks::{MarkChange, ServerMarks};
use geomys_store::bookmarks::Bookmarks;
use geomys_store::files::newsrc::Newsrc;
use geomys_testing::script::{assert_played, listen};

use super::{MENUS, newsrc, session};
use crate::support::files;
use crate::support::screen::{Browser, Session, event};
use crate::support::terminal::Terminal;

/// An application on a complete page of this shape.
struct TestBrowser {
    app: App,
    load: LoadId,
}

impl TestBrowser {
    fn new(address: &str, shape: Shape, octets: &str) -> (Self, Vec<Effect>) {
        let places = UserPaths::new(Some("/nonexistent".into())).unwrap();
        let config = config::read(&places, &Environment::default());
        let bookmarks = Bookmarks::parse(b"");
        let mut app = App::new(config.keymap, config.settings, bookmarks, (80, 24));
        let effects = app.start(&[address.to_owned()]);
        let load = effects.iter().find_map(|effect| match effect {
            Effect::Load(load, _) => Some(*load),
            _ => None,
        });
        let load = load.unwrap();
        let mut browser = Self { app, load };
        let mut effects = browser.part(Part::Head(PageHead::new(shape)));
        effects.extend(browser.part(Part::Octets(octets.as_bytes().to_vec())));
        (browser, effects)
    }

    fn part(&mut self, part: Part) -> Vec<Effect> {
        self.update(Message::Load(self.load, part))
    }

    fn key(&mut self, key: &str) -> Vec<Effect> {
        self.update(Message::Key(event(key)))
    }

    /// Applies a message; any newsrc that it reads is empty.
    fn update(&mut self, message: Message) -> Vec<Effect> {
        let mut effects = self.app.update(message, Duration::ZERO);
        let read: Vec<_> = effects
            .extract_if(
                ..,
                |effect| matches!(effect, Effect::News(NewsEffect::Marks(_, _, changes)) if changes.is_empty()),
            )
            .collect();
        for effect in read {
            if let Effect::News(NewsEffect::Marks(server, ..)) = effect {
                effects.extend(self.update(Message::News(NewsMessage::Marks(
                    server,
                    0,
                    Ok(ServerMarks::default()),
                ))));
            }
        }
        effects
    }
}

/// The groups and their changes in the pending write.
fn written(effects: &[Effect]) -> Vec<(String, MarkChange)> {
    let changes = effects.iter().filter_map(|effect| match effect {
        Effect::News(NewsEffect::Marks(_, _, changes)) => Some(changes),
        _ => None,
    });
    let changes = changes.flatten();
    changes
        .map(|(group, change)| (String::from_utf8(group.clone()).unwrap(), change.clone()))
        .collect()
}

fn scheduled(effects: &[Effect]) -> usize {
    let is_it = |effect: &&Effect| matches!(effect, Effect::News(NewsEffect::Schedule));
    effects.iter().filter(is_it).count()
}

const GROUP: &str = "1\tone\tada\t\t<1@x>\t\t1\t1\r\n2\ttwo\tada\t\t<2@x>\t\t1\t1\r\n";

#[test]
fn changes_are_written_in_one_batch() {
    let (mut browser, mut effects) = TestBrowser::new("nntp://h/a.b", Shape::Group, GROUP);
    effects.extend(browser.part(Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed))));
    assert_eq!(scheduled(&effects), 0, "nothing has changed yet");
    let mut effects = browser.key("m");
    effects.extend(browser.key("m"));
    effects.extend(browser.key("*"));
    assert_eq!(scheduled(&effects), 1, "one write for all of them");
    assert_eq!(written(&effects), [], "it is not due yet");
    let due = browser.update(Message::News(NewsMessage::Due));
    let groups: Vec<_> = written(&due).into_iter().map(|(group, _)| group).collect();
    assert_eq!(groups, ["a.b", "a.b", "a.b"]);
    assert!(matches!(written(&due)[2].1, MarkChange::Subscribe(true)));
    assert_eq!(scheduled(&due), 0);
    assert_eq!(scheduled(&browser.key("j")), 0, "nothing ticks");
    // Changes made during a write are written next.
    assert_eq!(scheduled(&browser.key("*")), 1);
}

#[test]
fn folds_and_marks_are_written_in_one_batch() {
    let (mut browser, mut effects) = TestBrowser::new("nntp://h/a.b", Shape::Group, GROUP);
    effects.extend(browser.part(Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed))));
    for effect in effects {
        if let Effect::Work(work, Work::Finish(document)) = effect {
            browser.update(Message::Worked(
                work,
                WorkResult::Finished(document.finished()),
            ));
        }
    }
    let mut effects = browser.key("m");
    effects.extend(browser.key("("));
    for key in ": f o l d - t h r e a d s Enter".split(' ') {
        effects.extend(browser.key(key));
    }
    assert_eq!(scheduled(&effects), 1, "one write for all of them");
    let folds = |effects: &[Effect]| {
        let changes = effects.iter().filter_map(|effect| match effect {
            Effect::News(NewsEffect::Folds(_, path, changes)) => {
                Some((path.clone(), changes.len()))
            }
            _ => None,
        });
        changes.collect::<Vec<_>>()
    };
    assert_eq!(folds(&effects), [], "it is not due yet");
    let due = browser.update(Message::News(NewsMessage::Due));
    let path = "/nonexistent/newsrc/h_119.folds".into();
    assert_eq!(folds(&due), [(path, 2)]);
    assert_eq!(written(&due).len(), 1);
    assert_eq!(
        folds(&browser.update(Message::News(NewsMessage::Due))),
        [],
        "once"
    );
    // At exit nothing is pending.
    browser.key("(");
    assert_eq!(folds(&browser.update(Message::Terminate)).len(), 1);
}

const HEAD: &str = "Message-ID: <1@x>\r\nFrom: a@b\r\nSubject: x\r\nNewsgroups: a.b,c.d\r\nXref: h a.b:7 c.d:9\r\n\r\n";

#[test]
fn truncated_article_stays_unread_until_a_screen_is_shown() {
    let cut = || Part::End(Err(geomys_load::Failure::new("the connection broke").into()));
    // It is truncated after its first line.
    let (mut browser, mut effects) =
        TestBrowser::new("nntp://h/a.b/7", Shape::Article, &format!("{HEAD}One.\r\n"));
    effects.extend(browser.part(cut()));
    effects.extend(browser.key("j"));
    assert_eq!(scheduled(&effects), 0);
    // A header that fills the screen does not count as body.
    let long = format!("{}{HEAD}One.\r\n", "X-Y: z\r\n".repeat(40));
    let (mut browser, mut effects) = TestBrowser::new("nntp://h/a.b/7", Shape::Article, &long);
    effects.extend(browser.part(cut()));
    assert_eq!(scheduled(&effects), 0);
    // One screen of it was shown.
    let long = format!("{HEAD}{}", "Line.\r\n".repeat(40));
    let (mut browser, mut effects) = TestBrowser::new("nntp://h/a.b/7", Shape::Article, &long);
    effects.extend(browser.part(cut()));
    assert_eq!(scheduled(&effects), 1);
    let due = written(&browser.update(Message::News(NewsMessage::Due)));
    assert_eq!(due.len(), 1, "its other groups are missing: {due:?}");
    assert_eq!(due[0].0, "a.b");
}

#[test]
fn shown_article_is_read_in_all_its_groups() {
    let article = format!("{HEAD}One.\r\n");
    let (mut browser, mut effects) = TestBrowser::new("nntp://h/a.b/7", Shape::Article, &article);
    assert_eq!(scheduled(&effects), 0, "its end is not here");
    effects.extend(browser.part(Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed))));
    assert_eq!(scheduled(&effects), 1);
    let due = written(&browser.update(Message::News(NewsMessage::Due)));
    let groups: Vec<_> = due.iter().map(|(group, _)| group.as_str()).collect();
    assert_eq!(groups, ["a.b", "c.d"]);
    // Marked unread, it stays so while shown.
    let effects = browser.key("m");
    assert_eq!(scheduled(&effects), 1);
    let due = written(&browser.update(Message::News(NewsMessage::Due)));
    assert!(matches!(&due[..], [(_, MarkChange::Unread(_))]), "{due:?}");
    assert_eq!(scheduled(&browser.key("j")), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn truncated_article_stays_unread_in_its_group() {
    let script = "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\nC: GROUP a.b\nS: 211 1 7 7 a.b\n\
         C: OVER 7-7\nS: 224 x\nS: 7\tSeven\tada@x\t\t<7@x>\t\t1\t1\nS: .\nC: ARTICLE 7\nS: 220 7 <7@x>\n\
         S: Message-ID: <7@x>\nS: \nS: It begins\n";
    let (address, playing) = listen(&[script]).await;
    let session = Browser::new()
        .open(format!("nntp://{address}/a.b"))
        .size((100, 24))
        .start();
    session.wait("1 of 1 unread").await;
    session.press("Enter");
    session.wait("It begins").await;
    assert_played(playing).await;
    session.press("h");
    session.wait("1 of 1 unread").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lower_numbers_of_a_server_keep_the_marks_until_reset() {
    let demo = Demo::start().await.unwrap();
    let read = "geomys.demo.announce: 1-500\n";
    let session = session(&demo, read, "geomys.demo.announce", (100, 24));
    session
        .wait("geomys.demo.announce ends at 11, but is marked read to 500 (g u reset)")
        .await;
    session.press("k");
    session.wait("all 10 read").await;
    // An article of it is marked beside what is there.
    session.press("m j");
    session.wait("1 of 10 unread").await;
    session.press(":");
    session.type_in("reset");
    session.press("Enter");
    session
        .wait("Mark all articles of geomys.demo.announce unread?")
        .await;
    session.press("n");
    session.wait("1 of 10 unread").await;
    let path = newsrc(&demo, &session);
    session.press(":");
    session.type_in("reset");
    session.press("Enter");
    session.wait("Mark all articles").await;
    session.press("y j");
    session.wait("10 of 10 unread").await;
    let backup = path.with_file_name(format!(
        "{}.geomys-backup",
        path.file_name().unwrap().to_str().unwrap()
    ));
    let written = ended_keeping(&demo, session, &backup).await;
    assert_eq!(written.0, "geomys.demo.announce:\n");
    assert_eq!(
        written.1, read,
        "the file before the first change is stored"
    );
}

/// Ends the session, and returns the newsrc and this other file.
async fn ended_keeping(demo: &Demo, session: Session, other: &std::path::Path) -> (String, String) {
    let path = newsrc(demo, &session);
    let profile = session.terminate().await.profile;
    let both = (
        fs::read_to_string(path).unwrap(),
        fs::read_to_string(other).unwrap(),
    );
    drop(profile);
    both
}

#[tokio::test(flavor = "multi_thread")]
async fn newsrc_of_the_set_server_is_left_alone_by_another_server() {
    let demo = Demo::start().await.unwrap();
    let news = demo.addresses.news;
    let profile = tempfile::tempdir().unwrap();
    let settings = "news-server = \"news.example.org\"\n[news]\nnewsrc = \"~/.newsrc\"\n";
    fs::write(profile.path().join("settings.toml"), settings).unwrap();
    let shared = profile.path().join(".newsrc");
    let before = format!("{MENUS}: 1-5000,5005\n");
    fs::write(&shared, &before).unwrap();
    // `--server` selects another server.
    let session = Browser::in_profile(profile)
        .news(news)
        .open(format!("news:{MENUS}"))
        .start();
    session.wait("19 of 19 unread").await;
    session.press("m j");
    session.wait("18 of 19 unread").await;
    let own = newsrc(&demo, &session);
    let profile = session.terminate().await.profile;
    assert_eq!(fs::read_to_string(&shared).unwrap(), before);
    assert!(fs::read_to_string(own).unwrap().starts_with(MENUS));
    drop(profile);
}

#[tokio::test(flavor = "multi_thread")]
async fn marks_survive_a_newsreader_that_writes_its_old_view_back() {
    let demo = Demo::start().await.unwrap();
    let session = session(&demo, &format!("{MENUS}: 1-3\n"), MENUS, (80, 24));
    session.wait("19 of 19 unread").await;
    let path = newsrc(&demo, &session);
    let marks = |of: &str| {
        let newsrc = Newsrc::parse(of.as_bytes());
        newsrc.marks().read(MENUS.as_bytes())
    };
    let count = || marks(&fs::read_to_string(&path).unwrap()).count(1, u64::MAX);
    session.press("m j");
    session.wait("18 of 19 unread").await;
    session
        .wait_until("one mark written", |_| count() == 4)
        .await;
    // A program that has read the file before that marks two others.
    fs::write(&path, format!("{MENUS}: 1-5\n")).unwrap();
    session.press("m j");
    session.wait("17 of 19 unread").await;
    session
        .wait_until("both marks written", |_| count() == 7)
        .await;
    // It writes once more, and nothing is changed here after that.
    fs::write(&path, format!("{MENUS}: 1-6\n")).unwrap();
    let written = super::ended(&demo, session).await;
    assert_eq!(marks(&written).count(1, u64::MAX), 8, "{written}");
    assert!(written.starts_with(&format!("{MENUS}: 1-6,")), "{written}");
}

#[test]
fn newsrc_belongs_to_one_server() {
    let read = |settings: &str| {
        let profile = tempfile::tempdir().unwrap();
        fs::write(profile.path().join("settings.toml"), settings).unwrap();
        let places = UserPaths::new(Some(profile.path().to_owned())).unwrap();
        let read = config::read(&places, &Environment::default());
        let named = read.settings.newsrcs.named.into_iter();
        let named: Vec<String> = named
            .map(|(server, path)| format!("{}:{} {}", server.host, server.port, path.display()))
            .collect();
        let mistakes: Vec<String> = read.errors.iter().map(ToString::to_string).collect();
        (named, mistakes.join("|"))
    };
    let (named, mistakes) = read(
        "news-server = \"a.example\"\n[news]\nnewsrc = \"/n/a\"\n[news.newsrc-by-server]\n\"b.example:1119\" = \"/n/b\"\n",
    );
    assert_eq!(named, ["a.example:119 /n/a", "b.example:1119 /n/b"]);
    assert_eq!(mistakes, "");
    let (named, mistakes) = read("[news]\nnewsrc = \"/n/a\"\n");
    assert_eq!(named, [""; 0]);
    assert!(
        mistakes.contains("a newsrc belongs to one server"),
        "{mistakes}"
    );
    let (named, mistakes) = read(
        "[news.newsrc-by-server]\n\"b.example\" = \"/n/b\"\n\"c.example\" = \"/n/b\"\n\"::\" = \"/n/c\"\n",
    );
    assert_eq!(named, ["b.example:119 /n/b"]);
    assert!(mistakes.contains("named for another server"), "{mistakes}");
    assert!(mistakes.contains("not “::”"), "{mistakes}");
}

#[tokio::test(flavor = "multi_thread")]
async fn read_articles_survive_kill() {
    let demo = Demo::start().await.unwrap();
    let news = demo.addresses.news;
    let profile = tempfile::tempdir().unwrap();
    let group = format!("nntp://{news}/{MENUS}");
    let file = profile
        .path()
        .join(format!("newsrc/{}_{}", news.ip(), news.port()));
    let path = profile.path().to_owned();
    let read = move || {
        let newsrc = Newsrc::load(&file).unwrap();
        let group = newsrc.group(MENUS.as_bytes());
        group.map_or(0, |group| group.read.count(1, u64::MAX))
    };
    let written = tokio::task::spawn_blocking(move || {
        let mut terminal = Terminal::run(&path, &[&group]);
        terminal.wait("19 of 19 unread");
        // Without leaving the group, each mark is stored before the next article is opened.
        for number in 1..=3 {
            terminal.press(".");
            terminal.wait("more header");
            let written = files::wait(&path, || (read() >= number).then_some(()));
            let screen = terminal.screen();
            assert!(written.is_some(), "{number} not written: {screen}");
        }
        terminal.signal("-KILL");
        read()
    })
    .await
    .unwrap();
    assert_eq!(written, 3);
}
