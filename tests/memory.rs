//! The memory of pages: the limit of one page, and which pages are dropped over the budget.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use geomys::config::{self, Environment, UserPaths};
use geomys_app::tabs::pane::Pane;
use geomys_app::tabs::tab::Tab;
use geomys_app::view::View;
use geomys_app::view::context::State;
use geomys_app::{App, Effect, Memory, Message, Page};
use geomys_load::{CacheUse, LoadId, NoRequestReason, PageHead, Part, Request, Stop};
use geomys_page::document::{ListingPlace, Shape};
use geomys_store::bookmarks::Bookmarks;
use geomys_wire::net::TransferEnd;
use geomys_wire::protocol::ftp::listing::Day;
use proptest::prelude::*;

const KIB: u64 = 1024;

/// A browser with this memory budget for all pages.
struct Browser {
    app: App,
    now: Duration,
}

impl Browser {
    fn new(pages: u64) -> Self {
        let places = UserPaths::new(Some("/nonexistent".into())).unwrap();
        let config = config::read(&places, &Environment::default());
        let mut settings = config.settings;
        settings.memory = Memory {
            page: 128 * KIB,
            pages,
        };
        let bookmarks = Bookmarks::parse(b"");
        Self {
            app: App::new(config.keymap, settings, bookmarks, (160, 24)),
            now: Duration::ZERO,
        }
    }

    fn update(&mut self, message: Message) -> Vec<Effect> {
        self.now += Duration::from_millis(7);
        self.app.update(message, self.now)
    }

    fn press(&mut self, code: KeyCode) -> Vec<Effect> {
        self.update(Message::Key(KeyEvent::new(code, KeyModifiers::NONE)))
    }

    fn key(&mut self, key: char) -> Vec<Effect> {
        self.press(KeyCode::Char(key))
    }

    fn new_tab(&mut self) {
        let key = KeyEvent::new(KeyCode::Char('t'), KeyModifiers::CONTROL);
        self.update(Message::Key(key));
    }

    /// Opens an address, and gives the load that starts for it.
    fn go(&mut self, address: &str) -> (LoadId, Request) {
        self.key('o');
        self.update(Message::Paste(address.to_owned()));
        let effects = self.press(KeyCode::Enter);
        started_load(&effects).unwrap()
    }

    fn part(&mut self, load: LoadId, part: Part) -> Vec<Effect> {
        self.update(Message::Load(load, part))
    }

    /// Loads a page without its end.
    fn fill(&mut self, load: LoadId, shape: Shape, octets: &[u8]) -> Vec<Effect> {
        let mut effects = self.part(load, Part::Head(PageHead::new(shape)));
        effects.extend(self.part(load, Part::Octets(octets.to_vec())));
        effects
    }

    /// Opens a text of `octets` octets.
    fn text(&mut self, address: &str, octets: u64) {
        let (load, _) = self.go(address);
        self.fill(load, Shape::Text, &lines(octets));
        let effects = self.part(
            load,
            Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed)),
        );
        assert!(started_load(&effects).is_none());
    }

    fn page(&self) -> &Page {
        self.app.page().unwrap()
    }

    fn held(&self) -> u64 {
        let panes = self.app.tabs.tabs().iter().flat_map(Tab::panes);
        panes.flat_map(Pane::pages).map(Page::memory).sum()
    }

    /// The pages of the shown pane that were dropped.
    fn dropped(&self) -> Vec<String> {
        let pages = self.app.tabs.pane().unwrap().pages();
        let dropped = pages.filter(|page| matches!(page.view, View::Dropped(_)));
        dropped.map(|page| page.url.to_string()).collect()
    }
}

fn lines(octets: u64) -> Vec<u8> {
    let line = b"a line of forty octets, its end is this\n";
    line.repeat(usize::try_from(octets / 40).unwrap())
}

fn started_load(effects: &[Effect]) -> Option<(LoadId, Request)> {
    effects.iter().find_map(|effect| match effect {
        Effect::Load(load, request) => Some((*load, request.clone())),
        _ => None,
    })
}

fn drops(effects: &[Effect], load: LoadId) -> bool {
    effects
        .iter()
        .any(|effect| matches!(effect, Effect::Drop(dropped) if *dropped == load))
}

/// The beginning of a PNG of a million pixels, which take 10 MB while they are decoded.
#[cfg(feature = "images")]
fn picture() -> Vec<u8> {
    let side = 1000_u32.to_be_bytes();
    let head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice();
    [head, &side, &side, b"\x08\x02\0\0\0"].concat()
}

/// The picture that is to be decoded.
#[cfg(feature = "images")]
fn decoding(effects: &[Effect]) -> Option<geomys_page::document::Document> {
    let mut all = effects.iter().filter_map(|effect| match effect {
        Effect::Work(_, geomys_app::Work::Finish(document)) => Some(document.clone()),
        _ => None,
    });
    let first = all.next();
    assert!(all.next().is_none(), "two at a time");
    first
}

#[cfg(feature = "images")]
#[test]
fn picture_is_decoded_within_the_budget_while_its_tab_is_shown() {
    // Room for the picture, and not for both pages.
    let budget = 10_050_000;
    let mut browser = Browser::new(budget);
    browser.text("gopher://h.example/0a", 100 * KIB);
    browser.new_tab();
    let (load, _) = browser.go("gopher://h.example/Ib");
    browser.fill(load, Shape::Picture, &picture());
    let effects = browser.part(load, Part::End(Ok(TransferEnd::Confirmed)));
    let waiting = decoding(&effects).unwrap();
    assert!((10_000_000..budget).contains(&browser.page().memory()));
    assert!(browser.held() <= budget);
    // The other tab's page had to go for it; nobody waits for the picture when its own tab is left.
    let effects = browser.key('}');
    assert!(started_load(&effects).is_some() && decoding(&effects).is_none());
    assert!(browser.held() < 10 * KIB, "{}", browser.held());
    assert!(waiting.finished().needs_finish());
    let effects = browser.key('}');
    let wanted = decoding(&effects).unwrap();
    assert!(!wanted.finished().needs_finish());
}

#[cfg(feature = "images")]
#[test]
fn picture_in_a_hidden_tab_is_decoded_when_its_tab_is_shown() {
    let mut browser = Browser::new(1024 * 1024 * KIB);
    let (load, _) = browser.go("gopher://h.example/Ia");
    browser.fill(load, Shape::Picture, &picture());
    browser.new_tab();
    let effects = browser.part(load, Part::End(Ok(TransferEnd::Confirmed)));
    assert!(decoding(&effects).is_none());
    assert!(browser.held() < 10 * KIB);
    assert!(decoding(&browser.key('}')).is_some());
}

#[cfg(feature = "images")]
#[test]
fn picture_without_room_in_the_budget_is_a_sentence() {
    let mut browser = Browser::new(4096 * KIB);
    let (load, _) = browser.go("gopher://h.example/Ia");
    browser.fill(load, Shape::Picture, &picture());
    let effects = browser.part(load, Part::End(Ok(TransferEnd::Confirmed)));
    assert!(decoding(&effects).is_none());
    let row = browser.page().document().unwrap().row(0).unwrap();
    let said = row.text();
    assert!(said.starts_with("Picture not shown: it needs "), "{said}");
    assert!(said.contains("and all pages have"), "{said}");
}

#[test]
fn oldest_page_is_dropped_and_reloads_at_its_scroll_position() {
    let mut browser = Browser::new(350 * KIB);
    browser.text("gopher://h.example/0a", 100 * KIB);
    browser.press(KeyCode::PageDown);
    browser.press(KeyCode::PageDown);
    let scroll_position = browser.page().rows().unwrap().position;
    assert!(scroll_position.top.0 > 20);
    for name in ["b", "c", "d"] {
        browser.text(&format!("gopher://h.example/0{name}"), 100 * KIB);
    }
    assert_eq!(browser.dropped(), ["gopher://h.example/0a"]);
    assert!(browser.held() <= 350 * KIB);

    for _ in 0..2 {
        let effects = browser.key('h');
        assert!(started_load(&effects).is_none());
    }
    let (load, request) = started_load(&browser.key('h')).unwrap();
    assert_eq!(request.url.to_string(), "gopher://h.example/0a");
    let dropped = CacheUse::Always(NoRequestReason::Dropped);
    assert_eq!(request.cache_use, dropped);
    browser.fill(load, Shape::Text, &lines(100 * KIB));
    browser.part(
        load,
        Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed)),
    );
    assert_eq!(browser.page().rows().unwrap().position, scroll_position);
    assert_eq!(browser.page().count(), 2560);
    // Now another one is the oldest.
    assert_eq!(browser.dropped(), ["gopher://h.example/0d"]);
}

#[test]
fn pages_of_hidden_tabs_count_and_come_back_with_their_tab() {
    let mut browser = Browser::new(250 * KIB);
    browser.text("gopher://h.example/0a", 100 * KIB);
    browser.new_tab();
    browser.text("gopher://h.example/0b", 100 * KIB);
    browser.new_tab();
    browser.text("gopher://h.example/0c", 100 * KIB);
    assert!(browser.held() <= 250 * KIB);
    let effects = browser.key('}');
    let (_, request) = started_load(&effects).unwrap();
    assert_eq!(request.url.to_string(), "gopher://h.example/0a");
    // The page in the pane beside it is still loaded.
    assert!(started_load(&browser.key('}')).is_none());
    assert_eq!(browser.page().url.to_string(), "gopher://h.example/0b");
    assert_eq!(browser.page().count(), 2560);
}

#[test]
fn pages_beside_each_other_come_back_in_their_own_panes() {
    let mut browser = Browser::new(250 * KIB);
    let (load, _) = browser.go("gopher://h.example/1a");
    browser.fill(load, Shape::Menu, b"0b\t0b\th.example\t70\r\n.\r\n");
    browser.part(
        load,
        Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed)),
    );
    let (load, _) = started_load(&browser.key('s')).unwrap();
    browser.fill(load, Shape::Text, &lines(100 * KIB));
    browser.part(
        load,
        Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed)),
    );
    browser.new_tab();
    browser.text("gopher://h.example/0c", 120 * KIB);
    browser.text("gopher://h.example/0d", 120 * KIB);
    browser.key('}');
    let panes = browser.app.tabs.tab().unwrap().panes();
    let incoming = panes.filter_map(|pane| pane.incoming.as_ref());
    let urls: Vec<String> = incoming.map(|page| page.request.url.to_string()).collect();
    assert_eq!(urls, ["gopher://h.example/1a", "gopher://h.example/00b"]);
}

#[test]
fn page_that_arrives_in_a_hidden_tab_is_dropped_last() {
    let mut browser = Browser::new(250 * KIB);
    let (load, _) = browser.go("gopher://h.example/0a");
    browser.fill(load, Shape::Text, &lines(100 * KIB));
    browser.new_tab();
    browser.text("gopher://h.example/0b", 100 * KIB);
    let (shown, _) = browser.go("gopher://h.example/0c");
    browser.fill(shown, Shape::Text, &lines(100 * KIB));
    // The home page of the tab is older.
    assert_eq!(browser.dropped(), ["geomys:home", "gopher://h.example/0b"]);
    let effects = browser.part(shown, Part::Octets(lines(100 * KIB)));
    assert!(drops(&effects, load));
    assert_eq!(browser.page().count(), 5120);
    assert!(browser.page().state.is_arriving());
}

#[test]
fn shown_page_is_cut_where_the_budget_ends() {
    let mut browser = Browser::new(100 * KIB);
    let (load, _) = browser.go("gopher://h.example/0a");
    browser.fill(load, Shape::Text, &lines(60 * KIB));
    let effects = browser.part(load, Part::Octets(lines(60 * KIB)));
    assert!(drops(&effects, load));
    assert_eq!(browser.page().state, State::Truncated(100 * KIB));
    assert_eq!(browser.page().count(), 3072);
    let notice = browser.app.cx.notice.as_ref().unwrap();
    assert_eq!(
        notice.text.as_str(),
        "Page cut: all open pages share 102.4 kB"
    );
}

#[test]
fn cut_page_loads_further_with_r() {
    let mut browser = Browser::new(500 * KIB);
    let (mut load, request) = browser.go("gopher://h.example/0a");
    assert_eq!(request.limit, None);
    let mut limit = 128 * KIB;
    for (more, sentence) in [
        (256 * KIB, "Page cut at 131.0 kB: r loads up to 262.1 kB"),
        (500 * KIB, "Page cut at 262.1 kB: r loads up to 512.0 kB"),
    ] {
        browser.fill(load, Shape::Text, &lines(limit / 2));
        browser.part(load, Part::End(Err(Stop::Truncated(limit))));
        let notice = browser.app.cx.notice.as_ref().unwrap();
        assert_eq!(notice.text.as_str(), sentence);
        let (again, request) = started_load(&browser.key('r')).unwrap();
        assert_eq!(request.limit, Some(more));
        (load, limit) = (again, more);
    }
    browser.fill(load, Shape::Text, &lines(limit / 2));
    browser.part(load, Part::End(Err(Stop::Truncated(limit))));
    let notice = browser.app.cx.notice.as_ref().unwrap();
    assert_eq!(
        notice.text.as_str(),
        "Page cut at 512.0 kB, as much as pages may hold"
    );
}

#[test]
fn form_answers_are_not_sent_again_without_question() {
    let filled = "gopher://h.example/00form%09%09+%091%0D%0A+-1%0D%0AAda%0D%0A.%0D%0A";
    let mut browser = Browser::new(150 * KIB);
    let mut effects = browser.app.start(&[filled.to_owned()]);
    let (load, request) = started_load(&effects).unwrap();
    assert!(request.sends_answers());
    browser.fill(load, Shape::Text, &lines(100 * KIB));
    browser.part(
        load,
        Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed)),
    );
    browser.text("gopher://h.example/0b", 100 * KIB);
    effects = browser.key('h');
    assert!(started_load(&effects).is_none());
    assert!(matches!(browser.page().view, View::Dropped(_)));
    // The key loads it.
    let (_, request) = started_load(&browser.key('r')).unwrap();
    assert_eq!(request.url.to_string(), filled);
}

#[test]
fn stopped_reload_of_a_dropped_page_stays_stopped() {
    let mut browser = Browser::new(150 * KIB);
    browser.text("gopher://h.example/0a", 100 * KIB);
    browser.text("gopher://h.example/0b", 100 * KIB);
    assert!(started_load(&browser.key('h')).is_some());
    let effects = browser.press(KeyCode::Esc);
    assert!(started_load(&effects).is_none());
    assert!(started_load(&browser.key('j')).is_none());
    assert!(started_load(&browser.key('r')).is_some());
}

#[test]
fn dropped_list_comes_back_in_its_order() {
    let listing = |sizes: std::ops::Range<u32>| {
        let entry = |size: u32| format!("type=file;size={size}; name{:05}\r\n", 90_000 - size);
        sizes.map(entry).collect::<String>().into_bytes()
    };
    let shape = Shape::Listing {
        format: None,
        today: Day {
            year: 2026,
            month: 11,
            day: 20,
        },
        place: ListingPlace::Server,
    };
    let mut browser = Browser::new(150 * KIB);
    let (load, _) = browser.go("ftp://h.example/");
    browser.fill(load, shape, &listing(1..1000));
    browser.part(
        load,
        Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed)),
    );
    browser.key(',');
    browser.key('s');
    for _ in 0..30 {
        browser.key('j');
    }
    let chosen = |browser: &Browser| {
        let page = browser.page();
        page.document().unwrap().row(page.cursor()).unwrap().text()
    };
    let (before, scroll_position) = (chosen(&browser), browser.page().rows().unwrap().position);
    browser.text("gopher://h.example/0b", 140 * KIB);
    let (load, _) = started_load(&browser.key('h')).unwrap();
    browser.fill(load, shape, &listing(1..1000));
    browser.part(
        load,
        Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed)),
    );
    assert_eq!(
        (chosen(&browser), browser.page().rows().unwrap().position),
        (before, scroll_position)
    );
}

#[derive(Clone, Debug)]
enum Step {
    Open(u64),
    More(u64),
    End,
    Back,
    Forward,
    NewTab,
    NextTab,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0..90 * KIB).prop_map(Step::Open),
        3 => (0..60 * KIB).prop_map(Step::More),
        2 => Just(Step::End),
        2 => Just(Step::Back),
        1 => Just(Step::Forward),
        1 => Just(Step::NewTab),
        1 => Just(Step::NextTab),
    ]
}

#[test]
fn home_page_that_is_shown_again_counts_in_the_budget() {
    let mut browser = Browser::new(200 * KIB);
    let (load, _) = browser.go("gopher://h.example/00");
    browser.fill(load, Shape::Text, &lines(49_280));
    browser.part(load, Part::Octets(lines(10_200)));
    browser.new_tab();
    browser.part(load, Part::Octets(lines(16_040)));
    browser.part(load, Part::Octets(lines(40_640)));
    browser.key('}');
    browser.part(load, Part::Octets(lines(60_200)));
    browser.new_tab();
    let (load, _) = browser.go("gopher://h.example/01");
    browser.fill(load, Shape::Text, &lines(7_600));
    browser.key('}');
    assert!(browser.held() <= 200 * KIB, "{}", browser.held());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn hidden_pages_stay_within_the_budget(steps in prop::collection::vec(step(), 1..40)) {
        let mut browser = Browser::new(200 * KIB);
        let mut last = None;
        for (number, step) in steps.into_iter().enumerate() {
            let effects = match step {
                Step::Open(octets) => {
                    let (load, _) = browser.go(&format!("gopher://h.example/0{number}"));
                    last = Some(load);
                    browser.fill(load, Shape::Text, &lines(octets))
                }
                Step::More(octets) => match last {
                    Some(load) => browser.part(load, Part::Octets(lines(octets))),
                    None => continue,
                },
                Step::End => match last.take() {
                    Some(load) => browser.part(load, Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed))),
                    None => continue,
                },
                Step::Back => browser.key('h'),
                Step::Forward => browser.key(']'),
                Step::NewTab => {
                    browser.new_tab();
                    Vec::new()
                }
                Step::NextTab => browser.key('}'),
            };
            if let Some((load, _)) = started_load(&effects) {
                browser.fill(load, Shape::Text, &lines(50 * KIB));
                last = Some(load);
            }
            let shown = browser.app.page();
            let is_growing = shown.is_some_and(|page| page.state.is_arriving());
            let shown = shown.map_or(0, Page::memory);
            prop_assert!(
                browser.held() <= 200 * KIB || browser.held() == shown && !is_growing,
                "{} of which {shown} are shown", browser.held()
            );
        }
    }
}
