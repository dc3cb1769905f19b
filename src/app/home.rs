//! The home page: recent and frequent visits, unread news, new entries, changed pages, unfinished transfers, and places to start
//! from.
//!
//! The page is made from data on the disk and in memory. Showing it contacts no server.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use geomys_page::document::menu::HEADINGS;
use geomys_page::document::{Document, Shape};
use geomys_store::bookmarks::watch::{self, is_watched};
use geomys_wire::net::shown_url;
use geomys_wire::protocol::nntp::ActiveGroup;
use geomys_wire::text::{self, Charset, Text};
use jiff::Timestamp;
use rfc1738::{Dialect, Parts, Url};

use crate::app::action::Action;
use crate::app::bookmarks::suggestions::suggestions;
use crate::app::library::HomeCounts;
use crate::app::library::message::StoredGroup;
use crate::app::requester::Arrival;
use crate::app::transfers::State;
use crate::app::view::context::State as PageState;
use crate::app::view::{View, builtin};
use crate::app::{App, BookmarksPane, Context, Library, News, Page, Transfers};

/// The maximum number of rows of a section.
const ROWS: usize = 5;

/// The least number of visits of a page that is visited often.
const OFTEN: u32 = 2;

/// The maximum number of bookmarks.
const MAX_BOOKMARKS: usize = 12;

/// The number of visits after which the first steps are not shown any more.
const FIRST_VISITS: usize = 10;

/// The columns of a screen from which the page has two columns.
const WIDE: u16 = 100;

/// The most columns of a line of keys, in one of two columns and in a single one.
const KEYS_COLUMNS: usize = 34;
const NARROW_KEYS_COLUMNS: usize = 74;

/// The mascot.
const MASCOT: [&str; 6] = [
    "      _____",
    "     /     \\__",
    "    |  o  o   \\",
    "    |    ^     |__",
    "     \\  UU   _/  \\",
    "   ___\\_____/_____)_",
];

/// The keys at the end of the page.
const KEYS: [(Action, &str); 7] = [
    (Action::Go, "open a URL"),
    (Action::Bookmarks, "bookmarks"),
    (Action::Find, "find"),
    (Action::Back, "back"),
    (Action::Transfers, "downloads"),
    (Action::Help, "all keys"),
    (Action::Quit, "quit"),
];

/// Shows the home page, or makes it again, and has the files read that it is made from.
pub(crate) fn show_home(app: &mut App, arrival: Arrival) {
    if arrival == Arrival::Reload {
        app.library.start(&mut app.cx);
        app.bookmarks.checks.reload_link_checks(&mut app.cx);
    }
    Library::read_groups(&mut app.cx);
    let home = HomeSource::of(app);
    let (counts, page) = (home.counts(), home.page());
    app.library.home.shown = Some(counts);
    if let Some(page) = page {
        app.tabs.arrive(page, arrival, &mut app.cx);
    }
}

/// Makes the shown home page again when what it shows has changed, and when the user comes back to it. Returns true then.
pub(crate) fn follow_home(app: &mut App) -> bool {
    let page = app.tabs.page();
    let is_home = page.is_some_and(|page| {
        page.url.as_str() == builtin::HOME
            && page.rows().is_some_and(|rows| rows.search.found.is_none())
    });
    if !is_home {
        app.library.home.shown = None;
        return false;
    }
    let counts = HomeSource::of(app).counts();
    let has_news = std::mem::take(&mut app.library.home.has_changed);
    let shown = app.library.home.shown.replace(counts);
    if shown.is_none() {
        Library::read_groups(&mut app.cx);
    }
    if !has_news && shown == Some(counts) {
        return false;
    }
    if let Some(page) = HomeSource::of(app).page()
        && let Some(pane) = app.tabs.pane_mut()
    {
        pane.refresh(page, &mut app.cx);
    }
    true
}

/// The parts that the home page is made from.
struct HomeSource<'a> {
    bookmarks: &'a BookmarksPane,
    transfers: &'a Transfers,
    library: &'a Library,
    news: &'a News,
    cx: &'a Context,
}

impl<'a> HomeSource<'a> {
    fn of(app: &'a App) -> Self {
        Self {
            bookmarks: &app.bookmarks,
            transfers: &app.transfers,
            library: &app.library,
            news: &app.news,
            cx: &app.cx,
        }
    }

    fn counts(&self) -> HomeCounts {
        let items = self.transfers.queue.items().iter();
        HomeCounts {
            changed_pages: self.bookmarks.checks.watched.new_ones().count(),
            new_entries: self.bookmarks.checks.watched.count_new_entries(),
            transfers: items
                .filter(|item| !matches!(item.state, State::Done(_)))
                .count(),
            bookmarks: self.bookmarks.sidebar.bookmarks.len(),
            waiting_tabs: self.library.session.waiting_tabs(),
            is_wide: self.cx.layout.status.width >= WIDE,
        }
    }

    fn page(&self) -> Option<Page> {
        let url = Dialect::Extended.parse(builtin::HOME).ok()?;
        let mut menu = Menu::default();
        menu.heading("Geomys", 1);
        let is_wide = self.counts().is_wide;
        let motto: &[&str] = if is_wide {
            &["the Internet of RFC 1738,", "in your terminal"]
        } else {
            &["the Internet that RFC 1738 described, in your terminal"]
        };
        for line in motto {
            menu.info(line);
        }
        menu.info("");
        let sections = self.sections();
        if sections.text.is_empty() && is_wide {
            for line in MASCOT {
                menu.info(line);
            }
            menu.info("");
        }
        if is_wide {
            menu.append(sections);
            self.first_steps(&mut menu);
        } else {
            // Below a long list they would not be on the screen.
            self.first_steps(&mut menu);
            self.keys(NARROW_KEYS_COLUMNS, &mut menu);
            menu.info("");
            menu.append(sections);
        }
        let second_column = menu.rows();
        let started = menu.start_here();
        self.bookmarks(&started, &mut menu);
        if is_wide {
            self.keys(KEYS_COLUMNS, &mut menu);
        }
        menu.info("No network? Run: geomys demo");
        let mut document = Document::new(url.clone(), Shape::Menu, Charset::default());
        document.append(menu.text.as_bytes());
        let title = Text::of(builtin::HOME);
        let mut page = Page::new(url, title, document.finished(), PageState::Whole);
        if let View::Builtin(view) = &mut page.view {
            view.rows.second_column = is_wide.then_some(second_column);
            view.titles = menu.titles;
        }
        Some(page)
    }

    /// Adds what a new user needs, until some pages were visited.
    fn first_steps(&self, menu: &mut Menu) {
        if self.library.history().iter().count() >= FIRST_VISITS {
            return;
        }
        let key = |action| self.cx.key_of(action);
        let (back, help, quit) = (key(Action::Back), key(Action::Help), key(Action::Quit));
        let steps = [
            format!("Enter opens a row, {back} goes back,"),
            format!("{help} lists all keys, {quit} quits"),
        ];
        if self.counts().is_wide {
            for step in &steps {
                menu.info(step);
            }
            menu.info("");
        } else {
            menu.info(&steps.join(" "));
        }
    }

    /// Adds the first bookmarks, or the suggestions without any, except those that are on the page already.
    fn bookmarks(&self, started: &HashSet<Url>, menu: &mut Menu) {
        let own = &self.bookmarks.sidebar.bookmarks;
        let suggested = suggestions();
        let (heading, list) = match own.bookmarks().next() {
            Some(_) => ("Bookmarks", own),
            None => ("Suggestions", &suggested),
        };
        menu.heading(heading, 2);
        let listed = list.bookmarks();
        let rows = listed.filter_map(|one| Some((one.title(), one.url().ok()?.without_password())));
        let rows = rows.filter(|(_, url)| !started.contains(url));
        for (title, url) in rows.take(MAX_BOOKMARKS) {
            menu.row(title.as_str(), &url);
        }
        menu.info("");
    }

    /// Adds the keys, in lines of about the same length that fit into these columns.
    fn keys(&self, columns: usize, menu: &mut Menu) {
        let keys = KEYS.map(|(action, doc)| format!("{} {doc}", self.cx.key_of(action)));
        let fewest = filled(&keys, columns).len();
        let mut widths = (1..=columns).map(|width| filled(&keys, width));
        let balanced = widths.find(|lines| lines.len() == fewest);
        for line in balanced.unwrap_or_default() {
            menu.info(&line);
        }
    }

    fn sections(&self) -> Menu {
        let mut menu = Menu::default();
        self.waiting_session(&mut menu);
        let recent = self.recent_visits(&mut menu);
        self.unread_groups(&mut menu);
        self.new_entries(&mut menu);
        self.changed_pages(&mut menu);
        self.unfinished_transfers(&mut menu);
        self.frequent_visits(&recent, &mut menu);
        menu
    }

    /// Adds the row that restores the session of the last run, if it waits.
    fn waiting_session(&self, menu: &mut Menu) {
        let label = match self.library.session.waiting_tabs() {
            0 => return,
            1 => "1 tab of the last session".to_owned(),
            count => format!("{count} tabs of the last session"),
        };
        let url = Dialect::Extended.parse(builtin::SESSION).ok();
        let rows = url.map(|url| (String::new(), label, url));
        menu.section("Last session", rows.into_iter().collect());
    }

    /// Adds the pages visited last, and returns their URLs.
    fn recent_visits(&self, menu: &mut Menu) -> HashSet<Cow<'a, str>> {
        let mut recent = HashSet::new();
        let mut rows = Vec::new();
        for visit in self.library.history().iter().rev() {
            if rows.len() == ROWS {
                break;
            }
            let key = visit.key();
            if recent.contains(&key) {
                continue;
            }
            if let Some(url) = self.listed(visit.url) {
                recent.insert(key);
                rows.push((self.age(visit.second), label(visit.title, &url), url));
            }
        }
        menu.section("Continue", rows);
        recent
    }

    /// Adds the pages visited most often that are not among the recent ones.
    fn frequent_visits(&self, recent: &HashSet<Cow<'_, str>>, menu: &mut Menu) {
        let mut visits: HashMap<Cow<'_, str>, (u32, i64, &str)> = HashMap::new();
        for visit in self.library.history().iter() {
            let (count, second, title) = visits.entry(visit.key()).or_default();
            (*count, *second, *title) = (count.saturating_add(1), visit.second, visit.title);
        }
        visits.retain(|url, (count, ..)| *count >= OFTEN && !recent.contains(url));
        let mut visits: Vec<_> = visits.into_iter().collect();
        visits.sort_by_cached_key(|(url, (count, second, _))| {
            (Reverse((*count, *second)), url.clone())
        });
        let rows = visits
            .into_iter()
            .filter_map(|(url, (count, second, title))| {
                let url = self.listed(&url)?;
                let title = label(title, &url);
                let label = format!("{count} visits: {title}");
                menu.title(&title, &url);
                Some((self.age(second), label, url))
            });
        let rows = rows.take(ROWS).collect();
        menu.section("Most visited", rows);
    }

    /// Adds the subscribed groups with unread articles, by the cached overviews and the read marks.
    fn unread_groups(&self, menu: &mut Menu) {
        let rows = self.library.home.groups.iter().filter_map(|group| {
            let unread = self.unread(group);
            let name = Text::new(&group.name, Charset::default());
            let label = format!("{} unread in {name}", text::count(unread.try_into().ok()?));
            let row = (self.age(group.since.as_second()), label, group.url.clone());
            menu.title(name.as_str(), &group.url);
            (unread > 0).then_some(row)
        });
        let rows = rows.take(ROWS).collect();
        menu.section("Unread news", rows);
    }

    /// Returns the number of unread articles: by the marks in memory if a page of the server was opened.
    fn unread(&self, group: &StoredGroup) -> u64 {
        let Some(marks) = self.news.marks(&group.server) else {
            return group.unread;
        };
        if !marks.is_subscribed(&group.name) {
            return 0;
        }
        marks.unread(&ActiveGroup {
            name: &group.name,
            low: group.low,
            high: group.high,
            count: None,
            status: b"",
        })
    }

    /// Adds the new entries of watched bookmarks: date, title, bookmark.
    fn new_entries(&self, menu: &mut Menu) {
        let watched = &self.bookmarks.checks.watched;
        if watched.count_new_entries() == 0 {
            return;
        }
        let labels = watch::labels(&self.bookmarks.sidebar.bookmarks);
        let entries = watched.entries().into_iter();
        let rows = entries.filter(|(_, entry)| entry.is_new);
        let rows = rows.filter_map(|(page, entry)| {
            let (source, url) = (labels.get(page)?, entry.url()?);
            let title = match entry.title.as_str() {
                "" => "without a title",
                title => title,
            };
            let label = format!("{} {title} ({source})", entry.date);
            menu.title(title, &url);
            Some((self.age(entry.first_seen.as_second()), label, url))
        });
        let mut rows: Vec<_> = rows.collect();
        let heading = match rows.len() {
            0..=ROWS => "New entries".to_owned(),
            all => format!("New entries ({ROWS} of {})", text::count(all)),
        };
        rows.truncate(ROWS);
        menu.section(&heading, rows);
    }

    /// Adds the watched bookmarks whose pages have changed, unless their new entries show it.
    fn changed_pages(&self, menu: &mut Menu) {
        let watched = &self.bookmarks.checks.watched;
        if watched.new_ones().next().is_none() {
            return;
        }
        let bookmarks = self.bookmarks.sidebar.bookmarks.bookmarks();
        let rows = bookmarks.filter(is_watched).filter_map(|bookmark| {
            let url = bookmark.url().ok()?;
            let state = watched.of(&url)?;
            if !state.is_new || state.has_new_entries() {
                return None;
            }
            let age = state.changed.map(|changed| self.age(changed.as_second()));
            let title = bookmark.title();
            let url = url.without_password();
            Some((age.unwrap_or_default(), label(title.as_str(), &url), url))
        });
        menu.section("Changed pages", rows.take(ROWS).collect());
    }

    /// Adds the transfers that are not complete.
    fn unfinished_transfers(&self, menu: &mut Menu) {
        let items = self.transfers.queue.items().iter();
        let rows = items.filter_map(|item| {
            let state = match item.state {
                State::Waiting => "waiting",
                State::Running(..) => "running",
                State::Retrying(..) => "waits for a retry",
                State::Paused => "paused",
                State::Asking(_) => "asks",
                State::Failed(_) => "failed",
                State::Done(_) => return None,
            };
            let octets = text::octets(item.amount.octets);
            let size = item.amount.size.map(text::octets);
            let size = size.map_or(String::new(), |size| format!(" of {size}"));
            Some(format!("{}: {state}, {octets}{size}", item.name))
        });
        let rows: Vec<String> = rows.take(ROWS).collect();
        if rows.is_empty() {
            return;
        }
        let key = self.cx.key_of(Action::Transfers);
        menu.heading(&format!("Unfinished downloads ({key})"), 2);
        for row in rows {
            menu.info(&format!("  {row}"));
        }
        menu.info("");
    }

    /// Returns a visited URL, unless its host is left out of the history now.
    fn listed(&self, url: &str) -> Option<Url> {
        let url = Dialect::Extended.parse(url).ok()?;
        self.cx.settings.history.includes(&url).then_some(url)
    }

    /// Returns the time since `second` (since 1970) in words; empty without a clock.
    fn age(&self, second: i64) -> String {
        match self.bookmarks.checks.started {
            Some(_) => age(self.bookmarks.checks.time(self.cx), second),
            None => String::new(),
        }
    }
}

/// Returns lines of these words, each as long as fits into `columns`.
fn filled(words: &[String], columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if text::width(line) + text::width(word) + 2 <= columns => {
                line.push_str("  ");
                line.push_str(word);
            }
            _ => lines.push(word.clone()),
        }
    }
    lines
}

/// Returns the title of a page, or its URL without one.
fn label(title: &str, url: &Url) -> String {
    let title = Text::of(title);
    if title.is_blank() {
        shown_url(url).into_owned()
    } else {
        title.to_string()
    }
}

/// Returns the time from `second` (since 1970) until now: `5 min`, `3 h`, `12 d`.
fn age(now: Timestamp, second: i64) -> String {
    let minutes = now.as_second().saturating_sub(second).max(0) / 60;
    match minutes {
        0 => "now".to_owned(),
        1..60 => format!("{minutes} min"),
        60..1440 => format!("{} h", minutes / 60),
        1440.. => format!("{} d", minutes / 1440),
        i64::MIN..0 => String::new(),
    }
}

/// The text of a Gopher menu, and the titles of the pages that its rows lead to.
#[derive(Default)]
struct Menu {
    text: String,
    titles: HashMap<Url, Text>,
}

impl Menu {
    /// Adds the rows of another menu.
    fn append(&mut self, other: Self) {
        self.text.push_str(&other.text);
        self.titles.extend(other.titles);
    }

    /// Sets the title of the page that a row leads to; the first one counts.
    fn title(&mut self, title: &str, url: &Url) {
        let title = || Text::of(title);
        self.titles.entry(url.clone()).or_insert_with(title);
    }

    /// Adds a line without a link.
    fn info(&mut self, line: &str) {
        // Writing to a string cannot fail.
        let _ = write!(self.text, "i{}\t\tnull.host\t1\r\n", Text::of(line));
    }

    /// Adds a heading of this level.
    fn heading(&mut self, line: &str, level: usize) {
        let selector = HEADINGS.get(level.saturating_sub(1)).unwrap_or(&"");
        // Writing to a string cannot fail.
        let _ = write!(
            self.text,
            "i{}\t{selector}\tnull.host\t1\r\n",
            Text::of(line)
        );
    }

    /// Returns the number of rows.
    fn rows(&self) -> usize {
        self.text.lines().count()
    }

    /// Adds the first suggestion of each scheme, and returns these.
    fn start_here(&mut self) -> HashSet<Url> {
        self.heading("Start here", 2);
        let suggested = suggestions();
        let (mut schemes, mut started) = (HashSet::new(), HashSet::new());
        for bookmark in suggested.bookmarks() {
            if let Ok(url) = bookmark.url()
                && schemes.insert(url.scheme_name().to_owned())
            {
                let label = format!("{}  {}", bookmark.title(), url.scheme_name());
                self.title(bookmark.title().as_str(), &url);
                self.row(&label, &url);
                started.insert(url);
            }
        }
        self.info("");
        started
    }

    /// Adds a row with a link; an item of Gopher with its type.
    fn row(&mut self, label: &str, url: &Url) {
        let label = Text::of(label);
        // Writing to a string cannot fail.
        let _ = match url.base_parts() {
            Parts::Gopher(gopher) => {
                let (gtype, address) = (char::from(gopher.item_type()), gopher.address);
                let selector = Text::new(&gopher.selector.octets(), Charset::default());
                let (host, port) = (address.node(), address.port());
                write!(self.text, "{gtype}{label}\t{selector}\t{host}\t{port}\r\n")
            }
            _ => write!(self.text, "h{label}\tURL:{url}\tnull.host\t70\r\n"),
        };
    }

    /// Adds a heading and its rows (age, label, target), if there are any.
    fn section(&mut self, heading: &str, rows: Vec<(String, String, Url)>) {
        if rows.is_empty() {
            return;
        }
        self.heading(heading, 2);
        for (age, label, url) in rows {
            self.title(&label, &url);
            let label = Text::of(&label);
            // Writing to a string cannot fail.
            let _ = write!(
                self.text,
                "h{age:>6}  {label}\tURL:{url}\tnull.host\t70\r\n"
            );
        }
        self.info("");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_adds_rows_or_links_to_the_menu() {
        let url = Dialect::Extended.parse("gopher://h.example/").unwrap();
        let mut menu = Menu::default();
        let name = "a\tb\t/selector\th\t70\r\n1c\t/d\th\t70\n1e\rf";
        menu.info(name);
        menu.section(name, vec![(String::new(), name.to_owned(), url.clone())]);
        let mut document = Document::new(url.clone(), Shape::Menu, Charset::default());
        document.append(menu.text.as_bytes());
        let targets = (0..document.count()).filter_map(|row| document.link(row, 0));
        let targets: Vec<_> = targets.map(|link| link.target.unwrap()).collect();
        assert_eq!((document.count(), targets), (4, vec![url]));
    }

    #[test]
    fn age_has_the_largest_unit_that_fits() {
        let now = Timestamp::from_second(1_000_000_000).unwrap();
        for (seconds, expected) in [
            (0, "now"),
            (59, "now"),
            (60, "1 min"),
            (3599, "59 min"),
            (3600, "1 h"),
            (86_399, "23 h"),
            (86_400, "1 d"),
            (400 * 86_400, "400 d"),
            // A clock that was set back.
            (-500, "now"),
        ] {
            assert_eq!(age(now, 1_000_000_000 - seconds), expected);
        }
    }
}
