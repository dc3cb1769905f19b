//! What is read over TLS goes on over TLS: wherever keys and links lead from a page, the server stays the same and the
//! connection sealed.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use geomys::app::{App, Effect, Message};
use geomys::config::{self, Environment, Places};
use geomys::document::Shape;
use geomys::files::bookmarks::Bookmarks;
use geomys::load::{Begin, NewsHost, Part, Request, news_host};

const GROUPS: &[u8] = b"local.burrow 9 1 y\r\n";

const ARTICLE: &[u8] =
    b"From: ada@x\r\nNewsgroups: local.burrow\r\nReferences: <root@x> <parent@x>\r\n\
    Message-ID: <7@x>\r\nSubject: Burrows\r\n\r\nsee news:<body@x>\r\n";

/// A browser that shows a page.
struct Shown {
    app: App,
    now: Duration,
}

impl Shown {
    fn new(address: &str, set: Option<NewsHost>, shape: Shape, octets: &[u8]) -> Self {
        let places = Places::new(Some("/nonexistent".into())).unwrap();
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
        let mut shown = Self {
            app,
            now: Duration::ZERO,
        };
        for part in [
            Part::Begin(Begin::new(shape)),
            Part::Octets(octets.to_vec()),
            Part::End(Ok(())),
        ] {
            shown.tell(Message::Part(load, part));
        }
        shown
    }

    /// What a message brings about; what is computed is, and the last request is given.
    fn tell(&mut self, message: Message) -> Option<Request> {
        self.now += Duration::from_millis(7);
        let mut effects = self.app.update(message, self.now);
        let mut request = None;
        while let Some(effect) = effects.pop() {
            match effect {
                Effect::Finish(work, document) => {
                    let message = Message::Finished(work, document.finished());
                    effects.extend(self.app.update(message, self.now));
                }
                Effect::Load(_, asked) => request = Some(asked),
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
        is_sealed: true,
        ..NewsHost::plain(host, port)
    }
}

/// Where a request goes.
fn asks(request: &Request) -> Option<NewsHost> {
    news_host(&request.url, request.news_server.as_ref())
}

#[test]
fn groups_of_a_sealed_list_are_read_there() {
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
        let mut shown = Shown::new(address, set.or(other), Shape::Groups, GROUPS);
        let request = shown.press("Enter").expect("a group");
        assert_eq!(asks(&request), Some(at), "{address}: {}", request.url);
    }
}

#[test]
fn links_and_keys_of_a_sealed_article_stay_there() {
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
        let mut shown = Shown::new(address, set, Shape::Article, ARTICLE);
        let mut opened = Vec::new();
        for keys in [
            "^", "g p", "g r", "J Enter", "J Enter", "J Enter", "J Enter",
        ] {
            let Some(request) = shown.press(keys) else {
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
        for wanted in ["news:parent@x", "news:root@x", "news:body@x"] {
            assert!(opened.iter().any(|url| url == wanted), "{opened:?}");
        }
        assert!(
            opened.iter().any(|url| url.ends_with("local.burrow")),
            "{opened:?}"
        );
    }
}

#[test]
fn all_groups_of_a_sealed_group_are_asked_there() {
    let other = Some(NewsHost::plain("other.example", 119));
    let overview = b"7\tBurrows\tada@x\t\t<7@x>\t\t1\t1\r\n";
    let address = "nntps://h.example/local.burrow";
    let mut shown = Shown::new(address, other, Shape::Group, overview);
    for keys in ["u", "U"] {
        let request = shown.press(keys).expect("a list");
        assert_eq!(request.url.as_str(), "news:*");
        assert_eq!(asks(&request), Some(sealed("h.example", 563)), "{keys}");
    }
}
