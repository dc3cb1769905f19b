//! Folded threads are restored after a reload, when a group is opened again, and after a kill.

use std::collections::VecDeque;
use std::time::Duration;

use geomys::config::{self, Environment, UserPaths};
use geomys_app::{App, Effect, Message, NewsEffect, NewsMessage, Work, WorkResult};
use geomys_demo::Demo;
use geomys_load::{LoadId, PageHead, Part, Request};
use geomys_page::document::Shape;
use geomys_page::document::marks::ServerMarks;
use geomys_store::bookmarks::Bookmarks;
use geomys_store::files::news::ServerFolds;

use super::MENUS;
use crate::support::files;
use crate::support::screen::event;
use crate::support::terminal::Terminal;

/// Two threads: 4 and 5, and below them 1, 2 and 3.
const GROUP: &str = "5\tRe: B\tada\t\t<5@x>\t<4@x>\t1\t1\r\n4\tB\tada\t\t<4@x>\t\t1\t1\r\n\
    3\tRe: A\tada\t\t<3@x>\t<1@x> <2@x>\t1\t1\r\n2\tRe: A\tada\t\t<2@x>\t<1@x>\t1\t1\r\n1\tA\tada\t\t<1@x>\t\t1\t1\r\n";

const ARTICLE: &str =
    "Message-ID: <3@x>\r\nFrom: a@b\r\nSubject: Re: A\r\nNewsgroups: a.b\r\n\r\nOne.\r\n";

/// The time at which the file of folds is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FoldsRead {
    First,
    /// After all other work.
    Last,
}

/// An application whose effects are carried out on one server.
struct Browser {
    app: App,
    reads: FoldsRead,
    /// The file of folds, and the number of its writes.
    file: ServerFolds,
    writes: usize,
    loads: usize,
}

impl Browser {
    fn new(address: &str, file: ServerFolds, reads: FoldsRead) -> Self {
        let places = UserPaths::new(Some("/nonexistent".into())).unwrap();
        let config = config::read(&places, &Environment::default());
        let bookmarks = Bookmarks::parse(b"");
        let mut app = App::new(config.keymap, config.settings, bookmarks, (80, 24));
        let effects = app.start(&[address.to_owned()]);
        let (writes, loads) = (0, 0);
        let mut browser = Self {
            app,
            reads,
            file,
            writes,
            loads,
        };
        browser.carry_out(effects);
        browser
    }

    fn press(&mut self, keys: &str) {
        for key in keys.split(' ') {
            self.update(Message::Key(event(key)));
        }
    }

    fn update(&mut self, message: Message) {
        let effects = self.app.update(message, Duration::ZERO);
        self.carry_out(effects);
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        let mut effects = VecDeque::from(effects);
        let mut late = Vec::new();
        while let Some(effect) = effects.pop_front().or_else(|| late.pop()) {
            let messages = match effect {
                Effect::News(NewsEffect::Folds(_, _, ref changes))
                    if changes.is_empty()
                        && self.reads == FoldsRead::Last
                        && !effects.is_empty() =>
                {
                    late.push(effect);
                    continue;
                }
                Effect::Load(load, request) => self.loaded(load, &request),
                Effect::Work(work, Work::Finish(document)) => {
                    vec![Message::Worked(
                        work,
                        WorkResult::Finished(document.finished()),
                    )]
                }
                Effect::News(NewsEffect::Marks(server, _, changes)) => {
                    vec![Message::News(NewsMessage::Marks(
                        server,
                        changes.len(),
                        Ok(ServerMarks::default()),
                    ))]
                }
                Effect::News(NewsEffect::Schedule) => vec![Message::News(NewsMessage::Due)],
                Effect::News(NewsEffect::Folds(server, _, changes)) => {
                    for (group, change) in &changes {
                        self.file.apply(group, change);
                    }
                    self.writes += usize::from(!changes.is_empty());
                    vec![Message::News(NewsMessage::Folds(
                        server,
                        changes.len(),
                        Ok(self.file.clone()),
                    ))]
                }
                _ => Vec::new(),
            };
            for message in messages {
                effects.extend(self.app.update(message, Duration::ZERO));
            }
        }
    }

    fn loaded(&mut self, load: LoadId, request: &Request) -> Vec<Message> {
        self.loads += 1;
        let (shape, octets) = if request.url.to_string().ends_with("a.b") {
            (Shape::Group, GROUP)
        } else {
            (Shape::Article, ARTICLE)
        };
        let parts = [
            Part::Head(PageHead::new(shape)),
            Part::Octets(octets.as_bytes().to_vec()),
            Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed)),
        ];
        let parts = parts.into_iter();
        parts.map(|part| Message::Load(load, part)).collect()
    }

    /// The numbers of the articles with a row, and that of the one under the cursor.
    fn rows(&self) -> (Vec<u64>, u64) {
        let page = self.app.page().unwrap();
        let document = page.document().unwrap();
        let number = |row| document.article(row).unwrap().number;
        let rows = (0..document.count()).map(number).collect();
        (rows, number(page.cursor()))
    }
}

const ADDRESS: &str = "nntp://h/a.b";

#[test]
fn folded_thread_stays_folded_after_reload_and_restart() {
    let mut browser = Browser::new(ADDRESS, ServerFolds::default(), FoldsRead::First);
    assert_eq!(browser.rows(), (vec![4, 5, 1, 2, 3], 4));
    browser.press("j j j");
    browser.press("(");
    assert_eq!(browser.rows(), (vec![4, 5, 1], 1));
    assert_eq!(browser.file.octets(), b"open a.b\n <1@x>\n");
    browser.press("r");
    assert_eq!(browser.loads, 2);
    assert_eq!(browser.rows(), (vec![4, 5, 1], 1));
    for reads in [FoldsRead::First, FoldsRead::Last] {
        let again = Browser::new(ADDRESS, browser.file.clone(), reads);
        assert_eq!(again.rows(), (vec![4, 5, 1], 4), "{reads:?}");
        assert_eq!(again.writes, 0, "nothing has changed");
    }
    // All are folded, and one of them is not.
    browser.press(": f o l d - t h r e a d s Enter");
    browser.press("(");
    assert_eq!(browser.rows().0, [4, 1, 2, 3]);
    browser.press("r");
    assert_eq!(browser.rows().0, [4, 1, 2, 3]);
    assert_eq!(browser.file.octets(), b"folded a.b\n <1@x>\n");
    browser.press(": f o l d - t h r e a d s Enter");
    assert_eq!(browser.file, ServerFolds::default());
    browser.press("r");
    assert_eq!(browser.rows().0, [4, 5, 1, 2, 3]);
}

#[test]
fn thread_key_unfolds_the_thread_of_the_article_in_its_group() {
    for reads in [FoldsRead::First, FoldsRead::Last] {
        let file = ServerFolds::parse(b"folded a.b\n");
        let mut browser = Browser::new("nntp://h/a.b/3", file, reads);
        browser.press("g t");
        assert_eq!(browser.rows(), (vec![4, 1, 2, 3], 3), "{reads:?}");
        assert_eq!(browser.file.octets(), b"folded a.b\n <1@x>\n");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn folded_thread_survives_kill() {
    let demo = Demo::start().await.unwrap();
    let news = demo.addresses.news;
    let profile = tempfile::tempdir().unwrap();
    let group = format!("nntp://{news}/{MENUS}");
    let path = profile.path().to_owned();
    let file = path.join(format!("newsrc/{}_{}.folds", news.ip(), news.port()));
    let running = tokio::task::spawn_blocking(move || {
        let mut terminal = Terminal::run(&path, &[&group]);
        terminal.wait("19 of 19 unread");
        terminal.press("G(");
        terminal.wait("5 of 5 unread");
        let is_saved = || ServerFolds::load(&file).unwrap() != ServerFolds::default();
        let saved = files::wait(&path, || is_saved().then_some(()));
        assert!(saved.is_some(), "not saved: {}", terminal.screen());
        terminal.signal("-KILL");
        let mut terminal = Terminal::run(&path, &[&group]);
        terminal.wait("19 of 19 unread");
        terminal.wait("5 of 5 unread");
        terminal.signal("-KILL");
    });
    running.await.unwrap();
}
