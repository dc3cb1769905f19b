//! A listing on the screen: remarks, a filter, totals, odd lines, links. The state is driven without a network.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use geomys::app::{App, Effect, Message};
use geomys::config::{self, Config, Environment, Places};
use geomys::document::{Remark, Shape};
use geomys::files::bookmarks::Bookmarks;
use geomys::load::{Begin, LoadId, Part};
use geomys::text::Text;
use geomys::ui::{self, Theme};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::TODAY;

/// A screen, beside the others.
macro_rules! snapshot {
    ($name:literal, $screen:expr) => {
        insta::with_settings!({ snapshot_path => "../snapshots" }, {
            insta::assert_snapshot!($name, $screen);
        })
    };
}

const LINES: &str = "total 1738\r\n\
    drwxr-xr-x   5 ftp ftp      4096 Mar 14  1994 .\r\n\
    drwxr-xr-x   2 ftp ftp      4096 Dec 12  1994 images\r\n\
    drwxr-xr-x   2 ftp ftp      4096 Dec 12  1994 sources\r\n\
    -rw-r--r--   1 ftp ftp 681574400 Nov 19 12:00 netbsd-1.0.iso\r\n\
    -rw-r--r--   1 ftp ftp 471859200 Mar 14  1994 linux-0.99.iso\r\n\
    -rw-r--r--   1 ftp ftp      1730 Mar 14 09:26 INDEX.txt\r\n\
    -rw-r--r--   1 ftp ftp        97 2026-11-20 18:45:07 +0100 été.txt\r\n\
    lrwxrwxrwx   1 ftp ftp        14 Mar 14  1994 current -> images/newest\r\n\
    crw-rw-rw-   1 root root    1, 3 Mar 14  1994 null\r\n\
    ftpd: lost+found: Permission denied\r\n";

const WELCOME: &str = "\r\nWelcome to the archive of Underloam.\r\n\r\n\
    Mirrors: ftp://mirror.example.org/pub/ and others.\r\n\
    \x1b[2JNothing here touches your screen.\r\n";

/// The browser with one page that is on its way.
struct Sitting {
    app: App,
    theme: Theme,
    load: LoadId,
    terminal: Terminal<TestBackend>,
    waiting: Vec<Effect>,
}

impl Sitting {
    fn new(columns: u16, lines: u16) -> Self {
        let places = Places::new(Some("/nonexistent".into())).unwrap();
        let Config {
            keymap,
            settings,
            theme,
            ..
        } = config::read(&places, &Environment::default());
        let bookmarks = Bookmarks::parse(b"");
        let mut app = App::new(keymap, settings, bookmarks, (columns, lines));
        let effects = app.start(&["ftp://archive.example/pub/".to_owned()]);
        let Some(Effect::Load(load, _)) = effects.first() else {
            panic!("{effects:?}");
        };
        Self {
            load: *load,
            app,
            theme,
            terminal: Terminal::new(TestBackend::new(columns, lines)).unwrap(),
            waiting: Vec::new(),
        }
    }

    fn tell(&mut self, message: Message) {
        let effects = self.app.update(message, Duration::ZERO);
        self.waiting.extend(effects);
    }

    fn part(&mut self, part: Part) {
        self.tell(Message::Part(self.load, part));
    }

    fn begin(&mut self) {
        let shape = Shape::Listing {
            format: None,
            today: TODAY,
        };
        self.part(Part::Begin(Begin::new(shape)));
    }

    fn remark(&mut self, title: &str, octets: &str) {
        self.part(Part::Remark(Remark {
            title: Text::of(title),
            octets: octets.as_bytes().to_vec(),
        }));
    }

    fn press(&mut self, keys: &str) {
        for key in keys.split_whitespace() {
            let code = match key {
                "Enter" => KeyCode::Enter,
                "Esc" => KeyCode::Esc,
                letter => KeyCode::Char(letter.chars().next().unwrap()),
            };
            self.tell(Message::Key(KeyEvent::new(code, KeyModifiers::NONE)));
        }
    }

    /// Does the work that was asked for, the last first: only its outcome is awaited.
    fn work(&mut self) {
        while let Some(effect) = self.waiting.pop() {
            match effect {
                Effect::Finish(work, document) => {
                    self.tell(Message::Finished(work, document.finished()));
                }
                Effect::Arrange(work, document, wanted) => {
                    self.tell(Message::Finished(work, document.arranged(wanted)));
                }
                _ => {}
            }
        }
    }

    fn screen(&mut self) -> String {
        let (app, theme) = (&self.app, &self.theme);
        self.terminal
            .draw(|frame| ui::draw(app, theme, frame))
            .unwrap();
        let text = self.terminal.backend().to_string();
        let lines = text.lines().map(|line| {
            let line = line.strip_prefix('"').unwrap_or(line);
            line.strip_suffix('"').unwrap_or(line).trim_end()
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    fn status(&mut self) -> String {
        self.screen().lines().last().unwrap_or_default().to_owned()
    }

    /// The text of the row under the cursor.
    fn here(&self) -> String {
        let page = self.app.page().unwrap();
        let row = page.document().unwrap().row(page.place.cursor);
        row.map_or(String::new(), |row| row.text())
    }
}

/// A whole listing with its remarks.
fn archive(columns: u16, lines: u16) -> Sitting {
    let mut sitting = Sitting::new(columns, lines);
    sitting.begin();
    sitting.remark("welcome", WELCOME);
    sitting.part(Part::Octets(LINES.as_bytes().to_vec()));
    sitting.remark("README", "What is in here\r\nand what is not\r\n");
    sitting.part(Part::Clock(60));
    sitting.part(Part::End(Ok(())));
    sitting
}

#[test]
fn remarks_odd_lines_links_and_totals() {
    let mut small = archive(80, 24);
    snapshot!("folded-80", small.screen());
    small.press("j Enter");
    assert_eq!(small.here(), "welcome (5 lines)");
    snapshot!("unfolded-80", small.screen());
    small.press("Enter");
    assert!(!small.screen().contains("Mirrors"));
    let mut large = archive(120, 40);
    large.press("j Enter j j j j j j Enter G");
    snapshot!("unfolded-120", large.screen());
}

#[test]
fn a_filter_is_live() {
    let mut sitting = archive(80, 24);
    sitting.press("G k");
    let before = sitting.here();
    sitting.press("& i s");
    // The line that is no entry holds the words as well.
    assert_eq!(sitting.app.page().unwrap().count(), 3);
    snapshot!("filter-typed-80", sitting.screen());
    sitting.press("o Enter");
    assert!(sitting.status().contains("filter: iso, 2 of 9"));
    sitting.press(", s");
    assert_eq!(sitting.here(), "netbsd-1.0.iso");
    assert!(sitting.screen().contains("sorted by size"));
    sitting.press("j");
    snapshot!("filter-80", sitting.screen());
    assert_eq!(sitting.here(), "linux-0.99.iso");
    // Esc shows all again, and the cursor stays on its row.
    sitting.press("Esc");
    assert_eq!(sitting.here(), "linux-0.99.iso");
    assert_eq!(sitting.app.page().unwrap().count(), 12);
    // A filter that is left while it is typed is gone too.
    sitting.press("& x x x");
    assert!(sitting.app.page().unwrap().count() == 0);
    sitting.press("Esc");
    assert_eq!(sitting.app.page().unwrap().count(), 12);
    assert_ne!(before, "linux-0.99.iso");
}

#[test]
fn narrow_screens_tell_totals_shortly() {
    let totals = |columns| {
        let mut sitting = archive(columns, 12);
        sitting.press("j");
        sitting.status()
    };
    let long = "2 directories, 5 files, 1 link, 1 odd line, 1.1 GB";
    assert!(totals(100).contains(long), "{}", totals(100));
    assert!(totals(60).contains(" 8 entries, 1.1 GB"), "{}", totals(60));
}

#[test]
fn a_remark_that_comes_late_moves_nothing() {
    let mut sitting = Sitting::new(80, 12);
    sitting.begin();
    sitting.part(Part::Octets(LINES.repeat(5).into_bytes()));
    sitting.press("j j j");
    let here = sitting.here();
    sitting.remark("welcome", WELCOME);
    assert_eq!(sitting.here(), here);
    assert!(sitting.screen().contains("welcome (5 lines)"));
    // Further down the screen stays as it is.
    sitting.press("G");
    let before = sitting.screen();
    sitting.remark("README", "words");
    assert_eq!(sitting.screen(), before.replace("47 rows", "48 rows"));
}

#[test]
fn a_large_list_is_arranged_elsewhere_and_keys_add_up() {
    let mut sitting = Sitting::new(80, 24);
    sitting.begin();
    sitting.part(Part::Octets(LINES.repeat(200).into_bytes()));
    sitting.part(Part::End(Ok(())));
    sitting.work();
    sitting.press("& i s o Enter , s , f");
    assert_eq!(sitting.app.page().unwrap().count(), 1 + 9 * 200);
    let wanted: Vec<_> = sitting
        .waiting
        .iter()
        .filter(|effect| matches!(effect, Effect::Arrange(..)))
        .collect();
    assert_eq!(wanted.len(), 5);
    sitting.work();
    let status = sitting.status();
    assert!(sitting.app.page().unwrap().count() == 400, "{status}");
    let screen = sitting.screen();
    assert!(
        screen.contains("netbsd-1.0.iso") && !screen.contains("INDEX.txt"),
        "{screen}"
    );
}

#[test]
fn a_list_that_is_arranged_behind_its_source_keeps_its_place() {
    let mut sitting = Sitting::new(80, 24);
    sitting.begin();
    sitting.part(Part::Octets(LINES.repeat(200).into_bytes()));
    sitting.part(Part::End(Ok(())));
    sitting.work();
    sitting.press("j j j j j");
    let here = sitting.here();
    sitting.press(", s \\ j j");
    let source = sitting.app.page().unwrap().place;
    sitting.work();
    assert_eq!(sitting.app.page().unwrap().place, source);
    sitting.press("\\");
    assert_eq!(sitting.here(), here);
    assert!(
        sitting
            .app
            .page()
            .unwrap()
            .document()
            .unwrap()
            .order()
            .unwrap()
            .reverse
    );
}

#[test]
fn what_cannot_be_filtered_says_why() {
    let mut sitting = Sitting::new(80, 24);
    sitting.begin();
    sitting.part(Part::Octets(LINES.as_bytes().to_vec()));
    sitting.press("&");
    assert!(sitting.status().contains("when all of it is here"));
    sitting.part(Part::End(Ok(())));
    sitting.press("\\ &");
    assert!(sitting.status().contains("nothing is bound to &"));
}
