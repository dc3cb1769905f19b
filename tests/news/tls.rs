//! Pages read over TLS stay on TLS: keys and links of a page lead to the same server, and the
//! connection stays encrypted.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use geomys::config::{self, Environment, UserPaths};
use geomys_app::{App, Effect, Message, Work, WorkResult};
use geomys_load::{NewsHost, PageHead, Part, Request, news_host};
use geomys_page::document::Shape;
use geomys_store::bookmarks::Bookmarks;

const GROUPS: &[u8] = b"local.burrow 9 1 y\r\n";

const ARTICLE: &[u8] =
    b"From: ada@x\r\nNewsgroups: local.burrow\r\nReferences: <root@x> <parent@x>\r\n\
    Message-ID: <7@x>\r\nSubject: Burrows\r\n\r\nsee news:<body@x>\r\n";

/// A browser that shows a page.
struct TestBrowser {
    app: App,
    now: Duration,
}

impl TestBrowser {
    fn new(address: &str, set: Option<NewsHost>, shape: Shape, octets: &[u8]) -> Self {
        let places = UserPaths::new(Some("/nonexistent".into())).unwrap();
        let mut config = config::read(&places, &Environment::default());
        config.settings.news_server = set;
        let bookmarks = Bookmarks::parse(b"");
        let mut app = App::new(config.keymap, config.settings, bookmarks, (80, 24));
        let effects = app.start(&[address.to_owned()]);
        let load = effects.iter().find_map(|effect| match effect {
            Effect::Load(load, _) => Some(*load),
            _ => None,
        });
        let load = load.expect("a load");
        let mut browser = Self {
            app,
            now: Duration::ZERO,
        };
        for part in [
            Part::Head(PageHead::new(shape)),
            Part::Octets(octets.to_vec()),
            Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed)),
        ] {
            browser.tell(Message::Load(load, part));
        }
        browser
    }

    /// Applies a message and its background work, and returns the last request.
    fn tell(&mut self, message: Message) -> Option<Request> {
        self.now += Duration::from_millis(7);
        let mut effects = self.app.update(message, self.now);
        let mut request = None;
        while let Some(effect) = effects.pop() {
            match effect {
                Effect::Work(work, Work::Finish(document)) => {
                    let message = Message::Worked(work, WorkResult::Finished(document.finished()));
                    effects.extend(self.app.update(message, self.now));
                }
                Effect::Load(_, loading) => request = Some(loading),
                _ => {}
            }
        }
        request
    }

    fn press(&mut self, keys: &str) -> Option<Request> {
        let mut request = None;
        for key in keys.split(' ') {
            let code = match key {
                "Enter" => KeyCode::Enter,
                letter => KeyCode::Char(letter.chars().next().unwrap()),
            };
            let key = KeyEvent::new(code, KeyModifiers::NONE);
            request = self.tell(Message::Key(key)).or(request);
        }
        request
    }
}

fn sealed(host: &str, port: u16) -> NewsHost {
    NewsHost {
        is_tls: true,
        ..NewsHost::plain(host, port)
    }
}

/// The server of a request.
fn asks(request: &Request) -> Option<NewsHost> {
    news_host(&request.url, request.news_query.server.as_ref())
}

#[test]
fn groups_of_a_tls_list_open_over_tls() {
    for (address, set, at) in [
        ("snews://h.example/*", None, sealed("h.example", 563)),
        ("snews://h.example:119/*", None, sealed("h.example", 119)),
        (
            "news:*",
            Some(sealed("h.example", 1563)),
            sealed("h.example", 1563),
        ),
        (
            "snews:*",
            Some(NewsHost::plain("h.example", 119)),
            sealed("h.example", 563),
        ),
    ] {
        let other = Some(NewsHost::plain("other.example", 119));
        let mut browser = TestBrowser::new(address, set.or(other), Shape::Groups, GROUPS);
        let request = browser.press("Enter").expect("a group");
        assert_eq!(asks(&request), Some(at), "{address}: {}", request.url);
    }
}

#[test]
fn links_and_keys_of_a_tls_article_stay_on_its_server() {
    for (address, set, at) in [
        (
            "nntps://h.example/local.burrow/7",
            None,
            sealed("h.example", 563),
        ),
        ("snews://h.example/7@x", None, sealed("h.example", 563)),
        (
            "news:7@x",
            Some(sealed("h.example", 563)),
            sealed("h.example", 563),
        ),
    ] {
        let set = set.or(Some(NewsHost::plain("other.example", 119)));
        let mut browser = TestBrowser::new(address, set, Shape::Article, ARTICLE);
        let mut opened = Vec::new();
        for keys in [
            "^", "g p", "g r", "J Enter", "J Enter", "J Enter", "J Enter", "J Enter",
        ] {
            let Some(request) = browser.press(keys) else {
                continue;
            };
            assert_eq!(
                asks(&request),
                Some(at.clone()),
                "{address} {keys}: {}",
                request.url
            );
            opened.push(request.url.to_string());
        }
        for expected in ["news:parent@x", "news:root@x", "news:body@x"] {
            assert!(opened.iter().any(|url| url == expected), "{opened:?}");
        }
        assert!(
            opened.iter().any(|url| url.ends_with("local.burrow")),
            "{opened:?}"
        );
    }
}

#[test]
fn group_list_of_a_tls_group_loads_over_tls() {
    let other = Some(NewsHost::plain("other.example", 119));
    let overview = b"7\tBurrows\tada@x\t\t<7@x>\t\t1\t1\r\n";
    let address = "nntps://h.example/local.burrow";
    let mut browser = TestBrowser::new(address, other, Shape::Group, overview);
    for keys in ["u", "U"] {
        let request = browser.press(keys).expect("a list");
        assert_eq!(request.url.as_str(), "news:*");
        assert_eq!(asks(&request), Some(sealed("h.example", 563)), "{keys}");
    }
}
