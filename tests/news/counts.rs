//! Counts of subscribed groups: requested again, and before the user reads that nothing else is unread.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use geomys::config::{self, Environment, UserPaths};
use geomys_app::news::server::NewsAuthority;
use geomys_app::{App, Effect, Message, NewsEffect, NewsMessage};
use geomys_load::{LoadId, NewsHost, PageHead, Part, Request};
use geomys_page::document::marks::{GroupMarks, MarkChange, ServerMarks};
use geomys_page::document::{ArticleNumbers, Shape};
use geomys_store::bookmarks::Bookmarks;
use geomys_testing::script::{assert_played, listen};

use crate::support::screen::{Browser, event};

const HELLO: &str = "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: VERSION 2\nS: OVER\nS: .\n";

#[tokio::test(flavor = "multi_thread")]
async fn next_unread_finds_the_last_of_many_groups() {
    let names: Vec<String> = (1..=30).map(|number| format!("g{number:02}")).collect();
    let subscribed = names
        .iter()
        .map(|name| format!("{name}: 1-5\n"))
        .collect::<Vec<_>>()
        .concat();
    let list = names
        .iter()
        .map(|name| format!("S: {name} {} 1 y\n", if name == "g30" { 7 } else { 5 }))
        .collect::<Vec<_>>()
        .concat();
    let line = |number: u64| {
        format!(
            "S: {number}\tsubject-{number}\tada@x\t1 Oct 94 10:00:00 EST\t<{number}@x>\t\t9\t5\n"
        )
    };
    let over = |first: u64, last: u64| {
        let lines: String = (first..=last).map(line).collect();
        format!("C: OVER {first}-{last}\nS: 224 x\n{lines}S: .\n")
    };
    let count = format!("C: LIST ACTIVE {}\nS: 215 x\n{list}S: .\n", names.join(","));
    let script = format!(
        "{HELLO}C: GROUP g01\nS: 211 5 1 5 g01\n{}{count}C: GROUP g30\nC: OVER 6-107\nS: 211 7 1 7 g30\nS: 224 x\n{}{}S: .\n{}\
         C: ARTICLE 6\nS: 220 6\nS: Subject: subject-6\nS: Message-ID: <6@x>\nS:\nS: the text\nS: .\n\
         C: ARTICLE 7\nS: 220 7\nS: Subject: subject-7\nS: Message-ID: <7@x>\nS:\nS: another text\nS: .\n\
         {count}silence",
        over(1, 5),
        line(6),
        line(7),
        over(1, 5),
    );
    let (address, playing) = listen(&[&script]).await;
    let profile = tempfile::tempdir().unwrap();
    fs::create_dir(profile.path().join("newsrc")).unwrap();
    let file = format!("newsrc/{}_{}", address.ip(), address.port());
    fs::write(profile.path().join(file), subscribed).unwrap();
    let session = Browser::in_profile(profile)
        .open(format!("nntp://{address}/g01"))
        .size((100, 24))
        .start();
    session.wait("all 5 read").await;
    session.press(".");
    session.wait("subject-7").await;
    session.press(".");
    session.wait("the text").await;
    session.press(".");
    session.wait("another text").await;
    // The server is asked again before this is said.
    session.press(".");
    session.wait("No unread articles").await;
    session.press("q");
    let _profile = session.end().await.profile;
    assert_played(playing).await;
}

/// Applies a message, and returns its effects.
fn update(app: &mut App, message: Message) -> Vec<Effect> {
    app.update(message, Duration::ZERO)
}

fn load_of(effects: &[Effect]) -> Option<(LoadId, &Request)> {
    effects.iter().find_map(|effect| match effect {
        Effect::Load(load, request) => Some((*load, request)),
        _ => None,
    })
}

fn aside(app: &App, row: usize) -> String {
    let document = app.page().and_then(|page| page.document()).unwrap();
    document.row(row).unwrap().aside.unwrap().to_string()
}

/// A browser on a news server.
fn app() -> App {
    let places = UserPaths::new(Some("/nonexistent".into())).unwrap();
    let mut config = config::read(&places, &Environment::default());
    assert_eq!(config.settings.news_refresh, Duration::from_mins(5));
    config.settings.news_server = Some(NewsHost::plain("h.example", 119));
    App::new(
        config.keymap,
        config.settings,
        Bookmarks::default(),
        (80, 24),
    )
}

/// The server whose marks these effects read.
fn server_of(effects: Vec<Effect>) -> NewsAuthority {
    let server = effects.into_iter().find_map(|effect| match effect {
        Effect::News(NewsEffect::Marks(server, ..)) => Some(server),
        _ => None,
    });
    server.unwrap()
}

#[test]
fn next_unread_waits_for_read_marks_that_arrive_late() {
    let mut app = app();
    let started = app.start(&["news:a.b".to_owned()]);
    let (group, _) = load_of(&started).unwrap();
    let mut effects = update(
        &mut app,
        Message::Load(group, Part::Head(PageHead::new(Shape::Group))),
    );
    let octets = b"1\tone\tAda\t\t<1@h>\t\t9\t1\r\n2\ttwo\tAda\t\t<2@h>\t\t9\t1\r\n.\r\n".to_vec();
    effects.extend(update(&mut app, Message::Load(group, Part::Octets(octets))));
    effects.extend(update(
        &mut app,
        Message::Load(
            group,
            Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed)),
        ),
    ));
    let early = update(&mut app, Message::Key(event(".")));
    assert!(load_of(&early).is_none(), "it is not known what is read");
    let marks = GroupMarks {
        is_subscribed: true,
        read: Arc::new(ArticleNumbers::range(1, 1)),
    };
    let marks = ServerMarks::new([(b"a.b".to_vec(), marks)]);
    let read = NewsMessage::Marks(server_of(effects), 0, Ok(marks));
    let late = update(&mut app, Message::News(read));
    let (_, request) = load_of(&late).expect("no article is opened");
    assert_eq!(request.url.to_string(), "news:2@h");
}

/// Opens a list of two groups, and returns its effects.
fn open_list(app: &mut App, url: &str) -> Vec<Effect> {
    let started = app.start(&[url.to_owned()]);
    let (list, _) = load_of(&started).unwrap();
    let octets = b"a.b 5 1 y\r\nc.d 9 1 y\r\n.\r\n".to_vec();
    let parts = [
        Part::Head(PageHead::new(Shape::Groups)),
        Part::Octets(octets),
        Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed)),
    ];
    let parts = parts.into_iter();
    parts
        .flat_map(|part| update(app, Message::Load(list, part)))
        .collect()
}

#[test]
fn keys_in_a_list_of_groups_wait_for_read_marks_that_arrive_late() {
    for keys in [".", "Space", "g n"] {
        let mut app = app();
        let effects = open_list(&mut app, "nntp://h.example/");
        for key in keys.split(' ') {
            let early = update(&mut app, Message::Key(event(key)));
            assert!(load_of(&early).is_none(), "it is not known what is read");
        }
        let marks = |last| GroupMarks {
            is_subscribed: true,
            read: Arc::new(ArticleNumbers::range(1, last)),
        };
        let marks = [(b"a.b".to_vec(), marks(5)), (b"c.d".to_vec(), marks(8))];
        let read = NewsMessage::Marks(server_of(effects), 0, Ok(ServerMarks::new(marks)));
        let late = update(&mut app, Message::News(read));
        let (_, request) = load_of(&late).unwrap_or_else(|| panic!("{keys:?} opens no group"));
        assert_eq!(request.url.to_string(), "nntp://h.example/c.d", "{keys:?}");
    }
}

#[test]
fn subscription_that_is_toggled_before_the_marks_arrive_is_that_of_its_group() {
    let mut app = app();
    let effects = open_list(&mut app, "nntp://h.example/");
    // The cursor moves on meanwhile.
    for key in ["*", "j", "*"] {
        update(&mut app, Message::Key(event(key)));
    }
    let subscribed = GroupMarks {
        is_subscribed: true,
        ..GroupMarks::default()
    };
    let marks = ServerMarks::new([(b"a.b".to_vec(), subscribed)]);
    let server = server_of(effects);
    let read = NewsMessage::Marks(server.clone(), 0, Ok(marks));
    update(&mut app, Message::News(read));
    let written = update(&mut app, Message::News(NewsMessage::Due));
    let changes = written.iter().find_map(|effect| match effect {
        Effect::News(NewsEffect::Marks(_, _, changes)) => Some(changes.clone()),
        _ => None,
    });
    let expected = [("a.b", false), ("c.d", true)];
    let expected = expected.map(|(name, is)| (name.as_bytes().to_vec(), MarkChange::Subscribe(is)));
    assert_eq!(changes.unwrap(), expected);
}

#[test]
fn open_list_shows_new_counts_after_a_while() {
    let mut app = app();
    let effects = open_list(&mut app, "news:*");
    let marks = GroupMarks {
        is_subscribed: true,
        read: Arc::new(ArticleNumbers::range(1, 5)),
    };
    let marks = ServerMarks::new([(b"a.b".to_vec(), marks)]);
    let read = NewsMessage::Marks(server_of(effects), 0, Ok(marks));
    let effects = update(&mut app, Message::News(read));
    let is_refresh = |effect: &Effect| matches!(effect, Effect::News(NewsEffect::Refresh(_)));
    assert_eq!(
        effects.iter().filter(|effect| is_refresh(effect)).count(),
        1
    );
    assert_eq!(aside(&app, 0), "5");
    let due = update(&mut app, Message::News(NewsMessage::RefreshDue));
    assert_eq!(
        due.iter().filter(|effect| is_refresh(effect)).count(),
        1,
        "and again"
    );
    let (load, request) = load_of(&due).unwrap();
    let query = request.news_query.since.clone().unwrap();
    assert_eq!(
        (query.date, query.subscribed),
        (None, vec![b"a.b".to_vec()])
    );
    update(
        &mut app,
        Message::Load(
            load,
            Part::Octets(b"a.b 12 1 y\r\nodd\r\nx.y 3 1 y\r\n".to_vec()),
        ),
    );
    update(
        &mut app,
        Message::Load(
            load,
            Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed)),
        ),
    );
    assert_eq!(aside(&app, 0), "7 of 12 unread");
    assert_eq!(app.page().unwrap().count(), 2, "no other group");
}
