//! A listing on the screen: remarks, a filter, totals, odd lines, links. The state is driven without a network.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use geomys::config::{self, Config, Environment, UserPaths};
use geomys::ui::{self, Theme};
use geomys_app::{App, Effect, Message, Work, WorkResult};
use geomys_load::{LoadId, PageHead, Part};
use geomys_page::document::{ListingPlace, Remark, Shape};
use geomys_store::bookmarks::Bookmarks;
use geomys_wire::protocol::ftp::listing::Day;
use geomys_wire::text::Text;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

const TODAY: Day = Day {
    year: 2026,
    month: 11,
    day: 20,
};

/// Compares a screen with its snapshot in `tests/snapshots`.
macro_rules! snapshot {
    ($name:literal, $screen:expr) => {
        insta::with_settings!({ snapshot_path => "snapshots" }, {
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

/// A browser with one loading page.
struct TestBrowser {
    app: App,
    theme: Theme,
    load: LoadId,
    terminal: Terminal<TestBackend>,
    waiting: Vec<Effect>,
}

impl TestBrowser {
    fn new(columns: u16, lines: u16) -> Self {
        let places = UserPaths::new(Some("/nonexistent".into())).unwrap();
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
        let mut loads = effects.iter().filter_map(|effect| match effect {
            Effect::Load(load, _) => Some(*load),
            _ => None,
        });
        self.load = loads.next_back().unwrap_or(self.load);
        self.waiting.extend(effects);
    }

    fn part(&mut self, part: Part) {
        self.tell(Message::Load(self.load, part));
    }

    fn begin(&mut self) {
        let shape = Shape::Listing {
            format: None,
            today: TODAY,
            place: ListingPlace::Server,
        };
        self.part(Part::Head(PageHead::new(shape)));
    }

    /// Sends a whole listing without remarks.
    fn arrive(&mut self, lines: &str) {
        self.begin();
        self.part(Part::Octets(lines.as_bytes().to_vec()));
        self.part(Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed)));
        self.work();
    }

    /// Moves the cursor down to the row with this text.
    fn go_to(&mut self, text: &str) {
        for _ in 0..20 {
            if self.here() == text {
                return;
            }
            self.press("j");
        }
        panic!("no row {text}");
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

    /// Runs the pending background work, newest first: only the newest result is expected.
    fn work(&mut self) {
        while let Some(effect) = self.waiting.pop() {
            match effect {
                Effect::Work(work, Work::Finish(document)) => {
                    self.tell(Message::Worked(
                        work,
                        WorkResult::Finished(document.finished()),
                    ));
                }
                Effect::Work(work, Work::Arrange(document, expected)) => {
                    self.tell(Message::Worked(
                        work,
                        WorkResult::Finished(document.arranged(expected)),
                    ));
                }
                _ => {}
            }
        }
    }

    fn screen(&mut self) -> String {
        let (app, theme) = (&self.app, &self.theme);
        self.terminal
            .draw(|frame| drop(ui::draw(app, theme, frame)))
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
        let row = page.document().unwrap().row(page.cursor());
        row.map_or(String::new(), |row| row.text())
    }
}

/// A whole listing with its remarks.
fn archive(columns: u16, lines: u16) -> TestBrowser {
    let mut browser = TestBrowser::new(columns, lines);
    browser.begin();
    browser.remark("welcome", WELCOME);
    browser.part(Part::Octets(LINES.as_bytes().to_vec()));
    browser.remark("README", "What is in here\r\nand what is not\r\n");
    browser.part(Part::Clock(60));
    browser.part(Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed)));
    browser
}

#[test]
fn names_that_differ_in_the_middle_look_different() {
    let (before, behind) = ("b".repeat(70), "e".repeat(70));
    let mut browser = TestBrowser::new(60, 12);
    let names = ["ada", "bob"].map(|name| format!("{before}{name}{behind}.tar.gz"));
    let lines = names.map(|name| format!("-rw-r--r-- 1 ftp ftp 5 Mar 14 1994 {name}\r\n"));
    browser.arrive(&lines.concat());
    let screen = browser.screen();
    for name in ["bbadaee", "bbbobee"] {
        let rows = screen.lines().filter(|line| line.contains(name));
        assert_eq!(rows.count(), 1, "{screen}");
    }
}

#[test]
fn unconfirmed_end_is_a_note_below_the_rows_and_in_the_details() {
    let mut browser = TestBrowser::new(80, 20);
    browser.begin();
    browser.part(Part::Octets(
        b"-rw-r--r-- 1 ftp ftp 12 Mar 14 1994 a\r\n".to_vec(),
    ));
    browser.part(Part::End(Ok(geomys_wire::net::TransferEnd::Unconfirmed)));
    browser.work();
    let screen = browser.screen();
    let note = "the server did not confirm the end";
    assert_eq!(screen.matches(note).count(), 1, "{screen}");
    browser.press("j i");
    let screen = browser.screen();
    assert!(
        screen.contains("end of this page  the server did not"),
        "{screen}"
    );
}

#[test]
fn remarks_odd_lines_links_and_totals_are_shown() {
    let mut small = archive(80, 24);
    snapshot!("folded-80", small.screen());
    small.press("j Enter");
    assert_eq!(small.here(), "welcome");
    snapshot!("unfolded-80", small.screen());
    small.press("Enter");
    assert!(!small.screen().contains("Mirrors"));
    let mut large = archive(120, 40);
    large.press("j Enter j j j j j j Enter G");
    snapshot!("unfolded-120", large.screen());
}

#[test]
fn filter_without_a_match_says_so() {
    let mut browser = TestBrowser::new(80, 24);
    browser.arrive(LINES);
    browser.press("& z z z Enter");
    browser.work();
    let screen = browser.screen();
    assert!(screen.contains("No match"), "{screen}");
    assert!(!screen.contains("netbsd"), "{screen}");
    assert!(!screen.contains("empty"), "{screen}");
}

#[test]
fn name_size_and_date_stay_together_on_a_wide_screen() {
    let mut browser = TestBrowser::new(200, 50);
    browser.arrive(LINES);
    let screen = browser.screen();
    let row = screen.lines().find(|row| row.contains("netbsd-1.0.iso"));
    let row = row.unwrap().trim_end();
    assert!(row.ends_with("2026-11-19 12:00"), "{row}");
    // The bookmarks stand to the left.
    let columns = row.chars().skip_while(|&letter| letter != '│').count();
    assert!(columns <= 60, "{row}");
    let heads = screen.lines().find(|row| row.contains("Modified")).unwrap();
    let column = |line: &str, words: &str| line.find(words).map(|at| line[..at].chars().count());
    assert_eq!(column(heads, "Modified"), column(row, "2026-11-19"));
}

#[test]
fn filter_updates_while_typing() {
    let mut browser = archive(80, 24);
    browser.press("G k");
    let before = browser.here();
    browser.press("& i s");
    // The line that is no entry matches as well.
    assert_eq!(browser.app.page().unwrap().count(), 3);
    snapshot!("filter-typed-80", browser.screen());
    browser.press("o Enter");
    assert!(browser.status().contains("filter: iso, 2 of 9"));
    browser.press(", s");
    assert_eq!(browser.here(), "netbsd-1.0.iso");
    assert!(browser.screen().contains("Sorted by size"));
    browser.press("j");
    snapshot!("filter-80", browser.screen());
    assert_eq!(browser.here(), "linux-0.99.iso");
    // Esc shows all again, and the cursor stays on its row.
    browser.press("Esc");
    assert_eq!(browser.here(), "linux-0.99.iso");
    assert_eq!(browser.app.page().unwrap().count(), 12);
    // A filter cancelled while typing is removed too.
    browser.press("& x x x");
    assert!(browser.app.page().unwrap().count() == 0);
    browser.press("Esc");
    assert_eq!(browser.app.page().unwrap().count(), 12);
    assert_ne!(before, "linux-0.99.iso");
}

/// Asserts that each of these rows differs from the others on the screen.
fn assert_rows_differ(screen: &str, word: &str, count: usize) {
    let shown: Vec<&str> = screen.lines().filter(|line| line.contains(word)).collect();
    let different: std::collections::HashSet<_> = shown.iter().copied().collect();
    assert_eq!((shown.len(), different.len()), (count, count), "{screen}");
}

#[test]
fn long_names_that_differ_at_their_end_look_different() {
    let name = |number: usize| {
        format!("the-complete-collection-of-all-programs-of-1994-volume-{number:02}.tar.gz")
    };
    let line = |number| format!("-rw-r--r-- 1 ftp ftp 12 Mar 14 1994 {}\r\n", name(number));
    let lines = (0..9).map(line).collect::<Vec<_>>().concat();
    for columns in [40, 60, 80] {
        let mut browser = TestBrowser::new(columns, 24);
        browser.arrive(&lines);
        let screen = browser.screen();
        assert_rows_differ(&screen, "the-comp", 9);
        assert!(screen.contains("08.tar.gz"), "{screen}");
    }
    // Menus too, where a row would look like the one beside it.
    let line = |number| format!("0{}\t/{number}\th.example\t70\r\n", name(number));
    let menu = (0..9).map(line).collect::<Vec<_>>().concat();
    let mut browser = TestBrowser::new(40, 24);
    browser.part(Part::Head(PageHead::new(Shape::Menu)));
    browser.part(Part::Octets(menu.into_bytes()));
    browser.part(Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed)));
    browser.work();
    assert_rows_differ(&browser.screen(), "the-comp", 9);
}

#[test]
fn narrow_screen_shortens_totals() {
    let totals = |columns| {
        let mut browser = archive(columns, 12);
        browser.press("j");
        browser.status()
    };
    let long = "2 directories, 5 files, 1 link, 1 odd line, 1.1 GB";
    assert!(totals(200).contains(long), "{}", totals(200));
    assert!(
        totals(150).contains(" 8 entries, 1.1 GB"),
        "{}",
        totals(110)
    );
}

#[test]
fn late_remark_keeps_the_cursor() {
    let mut browser = TestBrowser::new(80, 12);
    browser.begin();
    browser.part(Part::Octets(LINES.repeat(5).into_bytes()));
    browser.press("j j j");
    let here = browser.here();
    browser.remark("welcome", WELCOME);
    assert_eq!(browser.here(), here);
    assert!(browser.screen().contains("welcome"));
    // Further down the screen stays as it is.
    browser.press("G");
    let before = browser.screen();
    browser.remark("README", "words");
    assert_eq!(
        browser.screen(),
        before
            .replace("47/47", "48/48")
            .replace("47 rows", "48 rows")
    );
}

#[test]
fn large_list_is_arranged_in_background_and_keys_accumulate() {
    let mut browser = TestBrowser::new(80, 24);
    browser.begin();
    browser.part(Part::Octets(LINES.repeat(200).into_bytes()));
    browser.part(Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed)));
    browser.work();
    browser.press("& i s o Enter , s , f");
    assert_eq!(browser.app.page().unwrap().count(), 1 + 9 * 200);
    let expected: Vec<_> = browser
        .waiting
        .iter()
        .filter(|effect| matches!(effect, Effect::Work(_, Work::Arrange(..))))
        .collect();
    assert_eq!(expected.len(), 5);
    browser.work();
    let status = browser.status();
    assert!(browser.app.page().unwrap().count() == 400, "{status}");
    let screen = browser.screen();
    assert!(
        screen.contains("netbsd-1.0.iso") && !screen.contains("INDEX.txt"),
        "{screen}"
    );
}

#[test]
fn source_of_a_listing_has_the_hints_of_a_text() {
    let mut browser = TestBrowser::new(80, 24);
    browser.begin();
    browser.part(Part::Octets(LINES.as_bytes().to_vec()));
    browser.part(Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed)));
    browser.work();
    browser.press("j");
    assert!(browser.screen().contains("d download"));
    browser.press("\\ j");
    let screen = browser.screen();
    assert!(
        screen.contains("Space page  / find  v lines  a bookmark"),
        "{screen}"
    );
    assert!(!screen.contains("d download"), "{screen}");
}

#[test]
fn list_arranged_behind_source_view_keeps_its_scroll_position() {
    let mut browser = TestBrowser::new(80, 24);
    browser.begin();
    browser.part(Part::Octets(LINES.repeat(200).into_bytes()));
    browser.part(Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed)));
    browser.work();
    browser.press("j j j j j");
    let here = browser.here();
    browser.press(", s \\ j j");
    let source = browser.app.page().unwrap().rows().unwrap().position;
    browser.work();
    assert_eq!(browser.app.page().unwrap().rows().unwrap().position, source);
    browser.press("\\");
    assert_eq!(browser.here(), here);
    assert!(
        browser
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
fn filter_unavailable_says_why() {
    let mut browser = TestBrowser::new(80, 24);
    browser.begin();
    browser.part(Part::Octets(LINES.as_bytes().to_vec()));
    browser.press("&");
    assert!(browser.status().contains("Wait until the page is loaded"));
    browser.part(Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed)));
    browser.press("\\ &");
    assert!(browser.status().contains("No command on &"));
}

const FILES: &str = "drwxr-xr-x 2 ada staff 4096 Dec 12 1994 d2\r\n\
    drwxr-xr-x 2 ada staff 4096 Dec 12 1994 d10\r\n\
    -rw-r----- 1 ada staff 1730 Mar 14 1994 a10\r\n\
    -rw-r----- 1 ada staff 20 Mar 14 1994 a2\r\n\
    -rw-r----- 1 ada staff 12345678 Mar 14 1994 a1\r\n";

/// The texts of all rows.
fn rows(browser: &TestBrowser) -> Vec<String> {
    let document = browser.app.page().unwrap().document().unwrap();
    let rows = (0..document.count()).filter_map(|row| document.row(row));
    rows.map(|row| row.text()).collect()
}

#[test]
fn order_stays_on_reload_and_for_the_host() {
    let mut browser = TestBrowser::new(80, 24);
    browser.arrive(FILES);
    assert_eq!(rows(&browser), ["..", "d2", "d10", "a1", "a2", "a10"]);
    let by_size = ["..", "d2", "d10", "a1", "a10", "a2"];
    browser.press(", s");
    browser.work();
    assert_eq!(rows(&browser), by_size);
    browser.go_to("a10");
    browser.press("r");
    browser.arrive(FILES);
    assert_eq!(rows(&browser), by_size);
    assert_eq!(browser.here(), "a10", "the cursor stays too");
    // Another directory of the host.
    browser.press("g g");
    browser.go_to("d10");
    browser.press("Enter");
    browser.arrive(FILES);
    assert_eq!(
        browser.app.page().unwrap().url.as_str(),
        "ftp://archive.example/pub/d10;type=d"
    );
    assert_eq!(rows(&browser), by_size);
}

#[test]
fn up_puts_the_cursor_on_the_directory_that_was_left() {
    let mut browser = TestBrowser::new(80, 24);
    browser.arrive(FILES);
    browser.go_to("d10");
    browser.press("Enter");
    browser.arrive("-rw-r----- 1 ada staff 20 Mar 14 1994 a\r\n");
    browser.press("u");
    browser.arrive(FILES);
    assert_eq!(browser.here(), "d10");
    // Once moved, the cursor stays where it is.
    browser.press("Enter");
    browser.arrive("");
    browser.press("u");
    browser.begin();
    browser.part(Part::Octets(FILES.as_bytes().to_vec()));
    browser.press("j");
    let here = browser.here();
    browser.part(Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed)));
    browser.work();
    assert_eq!(browser.here(), here);
}

#[test]
fn info_has_exact_size_permissions_owner_and_group() {
    let mut browser = TestBrowser::new(80, 24);
    browser.arrive(FILES);
    browser.go_to("a1");
    browser.press("i");
    let screen = browser.screen();
    let size = format!("{} bytes", geomys_wire::text::count(12_345_678));
    for expected in [size.as_str(), "-rw-r-----", "ada", "staff", "1994-03-14"] {
        assert!(screen.contains(expected), "{expected}:\n{screen}");
    }
}

#[test]
fn names_that_begin_with_a_dot_are_behind_a_key() {
    let mut browser = TestBrowser::new(220, 24);
    let file = |name: &str| format!("-rw-r--r-- 1 ftp ftp 1730 Mar 14 09:26 {name}\r\n");
    let files: String = (0..30).map(|number| file(&format!("z{number}"))).collect();
    let lines = [".git", ".htaccess", "index"].map(file).concat();
    browser.arrive(&[lines, files].concat());
    let screen = browser.screen();
    assert!(!screen.contains(".htaccess"), "{screen}");
    browser.go_to("index");
    let status = browser.status();
    assert!(status.contains("31 files, 2 hidden"), "{status}");
    browser.press(", h");
    browser.work();
    let screen = browser.screen();
    assert!(
        screen.contains(".git") && screen.contains(".htaccess"),
        "{screen}"
    );
    assert_eq!(browser.here(), "index");
    browser.press(", h");
    browser.work();
    assert!(!browser.screen().contains(".git"));
}

#[test]
fn row_says_whether_enter_opens_or_saves() {
    let mut browser = TestBrowser::new(150, 24);
    let file = |name: &str| format!("-rw-r--r-- 1 ftp ftp 1730 Mar 14 09:26 {name}\r\n");
    browser.arrive(&["a.lha", "b.exe", "c.txt"].map(file).concat());
    for (name, glyph, hint) in [
        ("a.lha", "⊞", "Enter open"),
        ("b.exe", "⇩", "Enter save"),
        ("c.txt", "≡", "Enter open"),
    ] {
        browser.go_to(name);
        let screen = browser.screen();
        assert!(screen.contains(&format!("{glyph} {name}")), "{screen}");
        assert!(browser.status().contains(hint), "{screen}");
    }
}

#[test]
fn sort_key_while_rows_arrive_is_done_at_the_end() {
    let mut browser = TestBrowser::new(80, 24);
    browser.begin();
    let file =
        |name: &str, size: u32| format!("-rw-r--r-- 1 ftp ftp {size} Mar 14 09:26 {name}\r\n");
    browser.part(Part::Octets(file("a", 1).into_bytes()));
    browser.press(", s");
    browser.part(Part::Octets(
        [file("b", 3), file("c", 2)].concat().into_bytes(),
    ));
    browser.part(Part::End(Ok(geomys_wire::net::TransferEnd::Confirmed)));
    browser.work();
    let page = browser.app.page().unwrap().document().unwrap();
    let names: Vec<String> = (0..page.count())
        .filter_map(|row| Some(page.row(row)?.text()))
        .collect();
    assert_eq!(names, ["..", "b", "c", "a"]);
}

#[test]
fn mark_on_a_listing_marks_the_row() {
    let mut browser = TestBrowser::new(80, 24);
    browser.arrive("-rw-r--r-- 1 ftp ftp 1 Mar 14 09:26 index\r\n");
    browser.go_to("index");
    browser.press(": m a r k Enter");
    let status = browser.status();
    assert!(status.contains("1 row is marked"), "{status}");
}
