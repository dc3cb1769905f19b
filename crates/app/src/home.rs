//! The home page: recent and frequent visits, unread news, new entries, changed pages, unfinished transfers, and places
//! to start from.
//!
//! The page is made from data on the disk and in memory. Showing it contacts no server. One key reads what is new on
//! it, in its order.

pub mod menu;
pub mod new_items;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use geomys_load::{CacheUse, Namer, NoRequestReason, Reason, Request};
use geomys_page::document::{ArticleNumbers, Document, Shape};
use geomys_store::bookmarks::Bookmark;
use geomys_store::bookmarks::checks::UrlKey;
use geomys_store::bookmarks::followed::is_followed;
use geomys_store::bookmarks::watch::WatchState;
use geomys_wire::net::shown_url;
use geomys_wire::text::{self, Charset, CharsetSetting, Text};
use jiff::Timestamp;
use rfc1738::{Dialect, Url};

use self::menu::{Menu, PageKey};
use self::new_items::NewCounts;
pub(crate) use self::new_items::ReadItems;
use crate::action::Action;
use crate::bookmarks::suggestions::suggestions;
use crate::library::HomeCounts;
use crate::library::message::StoredGroup;
use crate::news::article_of;
use crate::news::message::{GroupSearch, UnreadStep, WantedArticle};
use crate::news::server::NewsAuthority;
use crate::requester::{Arrival, NextStep, OpenPage, OpenTarget};
use crate::transfers::State;
use crate::view::context::State as PageState;
use crate::view::kind::KeyHint;
use crate::view::{View, builtin};
use crate::{App, BookmarksPane, Context, Focus, Library, News, Page, Transfers};

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

/// The keys of the page.
const KEYS: [KeyHint; 12] = [
    (Action::Go, "URL"),
    (Action::Bookmarks, "bookmarks"),
    (Action::History, "history"),
    (Action::Transfers, "downloads"),
    (Action::Sync, "sync"),
    (Action::Search, "search all"),
    (Action::Palette, "commands"),
    (Action::Find, "find"),
    (Action::Back, "back"),
    (Action::Home, "home"),
    (Action::Help, "all keys"),
    (Action::Quit, "quit"),
];

/// Shows the home page, or makes it again, and has the files read that it is made from.
pub(crate) fn show_home(app: &mut App, arrival: Arrival) {
    if arrival == Arrival::Reload {
        app.library.start(&mut app.cx);
        app.bookmarks.checks.reload_link_checks(&mut app.cx);
    }
    app.library.read_stored(&mut app.cx);
    let home = HomeSource::of(app);
    let (counts, page) = (home.counts(), home.page());
    app.library.home.shown = Some(counts);
    if let Some(page) = page {
        app.tabs.arrive(page, arrival, &mut app.cx);
    }
}

/// Makes the shown home page again when what it shows has changed, and when the user comes back to it. Returns true
/// then.
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

/// Opens the next new item: the first unread article of a group, an entry, or a page saved for later, in the order of
/// the home page. After the last one the home page is shown. `read` is a server whose groups have no more to read.
pub(crate) fn read_next(app: &mut App, read: Option<NewsAuthority>) {
    app.cx.focus = Focus::Panes;
    if let Some(server) = read {
        let state = &mut app.library.home;
        for group in state.groups.iter().filter(|group| group.server == server) {
            state.opened.add(group.url.clone());
        }
    }
    let home = HomeSource::of(app);
    let opened = &app.library.home.opened;
    let next = home.next_item(opened).map(OpenPage::from);
    let Some(page) = next else {
        let left = home.new_counts().total();
        app.library.home.opened = ReadItems::default();
        return app.cx.notify(&end_in_words(left, app.cx.settings.offline));
    };
    if let OpenTarget::Request(request) = &page.target {
        app.library.home.opened.add(request.url.clone());
    }
    app.cx.open(page);
}

/// Returns the message at the end of the new items, of which `left` were not read.
fn end_in_words(left: usize, is_offline: bool) -> String {
    let end = "No unread articles, entries or kept pages";
    match left {
        0 => end.to_owned(),
        left => {
            let left = text::count(left);
            let why = if is_offline {
                "skipped without a copy"
            } else {
                "did not open"
            };
            format!("No more to read: {left} {why}")
        }
    }
}

/// A new item, as one key opens it.
enum NewItem<'a> {
    /// A subscribed group with unread articles.
    Group(&'a StoredGroup),
    /// An entry of a watched page, or a watched page that has changed.
    Entry {
        /// The watched page that lists the entry.
        page: Option<Url>,
        /// The title.
        title: String,
        /// The URL.
        url: Url,
    },
    /// A page saved for later.
    Saved {
        /// The title.
        title: String,
        /// The URL.
        url: Url,
        /// Who named the URL.
        namer: Namer,
    },
}

impl NewItem<'_> {
    fn url(&self) -> &Url {
        match self {
            Self::Group(group) => &group.url,
            Self::Entry { url, .. } | Self::Saved { url, .. } => url,
        }
    }
}

impl From<NewItem<'_>> for OpenPage {
    fn from(item: NewItem<'_>) -> Self {
        match item {
            NewItem::Group(group) => {
                let search = GroupSearch::to(UnreadStep::Open).then_other_items();
                let (server, name) = (group.server.clone(), group.name.clone());
                let wanted = WantedArticle::unread(server, name, search);
                let page = Self::from(Request::show(group.url.clone(), Reason::Bookmark));
                page.then(NextStep::Select(wanted))
            }
            NewItem::Entry { page, title, url } => {
                let reason = page.map_or(Reason::Bookmark, Reason::Followed);
                Self::from(Request::show(url, reason)).titled(Text::of(&title))
            }
            NewItem::Saved { title, url, namer } => {
                let request = Request {
                    cache_use: CacheUse::Always(NoRequestReason::Saved),
                    ..Request::show(url, Reason::Queued(namer))
                };
                Self::from(request).titled(Text::of(&title))
            }
        }
    }
}

/// The parts that the home page is made from.
pub struct HomeSource<'a> {
    bookmarks: &'a BookmarksPane,
    transfers: &'a Transfers,
    library: &'a Library,
    news: &'a News,
    cx: &'a Context,
}

impl<'a> HomeSource<'a> {
    /// What the home page shows of the app.
    pub fn of(app: &'a App) -> Self {
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
            new: self.new_counts(),
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
        if let Some(line) = self.new_in_words() {
            menu.info(&line);
        }
        menu.info("");
        let sections = self.sections();
        if sections.text.is_empty() && is_wide {
            for line in MASCOT {
                menu.mascot(line);
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
        let started = start_here(&mut menu);
        self.bookmarks(&started, &mut menu);
        if is_wide {
            self.keys(KEYS_COLUMNS, &mut menu);
        }
        menu.info("No network? geomys demo --tour");
        let mut document = Document::new(url.clone(), Shape::Menu, CharsetSetting::default());
        document.append(menu.text.as_bytes());
        let title = Text::of(builtin::HOME);
        let mut page = Page::new(url, title, document.finished(), PageState::Whole);
        if let View::Builtin(view) = &mut page.view {
            view.rows.second_column = is_wide.then_some(second_column);
            view.titles = menu.titles;
            view.reasons = menu.reasons;
            view.keys = menu.keys;
        }
        Some(page)
    }

    /// Returns the line about what is new; `None` for a user who follows nothing.
    fn new_in_words(&self) -> Option<String> {
        let new = self.new_counts().words();
        if !new.is_empty() {
            return Some(format!("● {new}"));
        }
        let mut bookmarks = self.bookmarks.sidebar.bookmarks.bookmarks();
        let follows =
            !self.library.home.groups.is_empty() || bookmarks.any(|one| is_followed(&one));
        follows.then(|| "Nothing new".to_owned())
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
            menu.row(&label(title.as_str(), &url), &url);
        }
        menu.info("");
    }

    /// Adds the keys, in lines of about the same length that fit into these columns.
    fn keys(&self, columns: usize, menu: &mut Menu) {
        let keys = KEYS.map(|(action, label)| PageKey::new(&self.cx.key_of(action), label, action));
        let fewest = filled(&keys, columns).len();
        let mut widths = (1..=columns).map(|width| filled(&keys, width));
        let balanced = widths.find(|lines| lines.len() == fewest);
        for line in balanced.unwrap_or_default() {
            menu.keys(line);
        }
    }

    fn sections(&self) -> Menu {
        let mut menu = Menu::default();
        self.waiting_session(&mut menu);
        let recent = self.recent_visits(&mut menu);
        self.unread_groups(&mut menu);
        self.new_entries(&mut menu);
        self.changed_pages(&mut menu);
        self.saved_pages(&mut menu);
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
        let groups = self.library.home.groups.iter();
        let groups = groups.map(|group| (group, self.unread(group)));
        let rows = groups.filter(|(_, unread)| *unread > 0);
        let rows = rows.map(|(group, unread)| {
            let name = Text::new(&group.name, Charset::default());
            menu.title(name.as_str(), &group.url);
            let label = format!("{} unread in {name}", text::count(unread));
            (self.age(group.since.as_second()), label, group.url.clone())
        });
        let rows = rows.take(ROWS).collect();
        menu.section("Unread news", rows);
    }

    /// Returns the numbers of read articles of a group: by the marks in memory if a page of the server was opened.
    /// `None` if the group is not subscribed to any more.
    fn read(&self, group: &StoredGroup) -> Option<Arc<ArticleNumbers>> {
        match self.news.marks(&group.server) {
            None => Some(Arc::clone(&group.read)),
            Some(marks) => {
                let is_subscribed = marks.is_subscribed(&group.name);
                is_subscribed.then(|| marks.read(&group.name))
            }
        }
    }

    /// Returns the number of unread articles of a group.
    fn unread(&self, group: &StoredGroup) -> usize {
        let Some(read) = self.read(group) else {
            return 0;
        };
        let (low, high) = (group.low.max(1), group.high);
        let all = (high + 1).saturating_sub(low);
        let unread = all.saturating_sub(read.count(low, high));
        usize::try_from(unread).unwrap_or(usize::MAX)
    }

    /// Returns the number of new items.
    pub fn new_counts(&self) -> NewCounts {
        let groups = self.library.home.groups.iter();
        let pages = self.unread_pages().into_iter();
        NewCounts {
            articles: groups.map(|group| self.unread(group)).sum(),
            entries: pages.map(|page| page.state.unread()).sum(),
            saved: self.cx.copies.unread_later().count(),
        }
    }

    /// Returns the first new item that was not opened, and that can be opened now.
    fn next_item(&self, opened: &ReadItems) -> Option<NewItem<'a>> {
        let groups = self.library.home.groups.iter();
        let groups = groups.filter(|group| self.can_read(group));
        let groups = groups.map(NewItem::Group);
        let pages = self.unread_pages();
        let changed = self.changed().map(|(title, url, _)| NewItem::Entry {
            page: None,
            title: title.to_string(),
            url,
        });
        let saved = self.cx.copies.unread_later().map(|entry| NewItem::Saved {
            title: entry.title.clone(),
            url: entry.url.clone(),
            namer: entry.namer.clone(),
        });
        let entries = self.bookmarks.checks.watched.entries().into_iter();
        let entries = entries.filter(|(_, entry)| entry.is_new);
        let entries = entries.filter_map(|(page, entry)| {
            let page = pages.iter().find(|other| other.key == page)?;
            Some(NewItem::Entry {
                title: entry.title.clone(),
                url: entry.text_url(&page.url)?,
                page: Some(page.url.clone()),
            })
        });
        let entries = entries.chain(changed);
        let entries = entries.filter(|item| match item {
            NewItem::Entry { url, .. } => self.cx.copies.may_open(url),
            NewItem::Group(_) | NewItem::Saved { .. } => true,
        });
        let mut items = groups.chain(entries).chain(saved);
        items.find(|item| opened.lacks(item.url()))
    }

    /// Returns true if a group has an unread article that can be opened now.
    fn can_read(&self, group: &StoredGroup) -> bool {
        if self.unread(group) == 0 {
            return false;
        }
        let (Some(mut copies), Some(read)) = (self.cx.copies.urls(), self.read(group)) else {
            return true;
        };
        copies.any(|url| {
            article_of(url).is_some_and(|(name, number)| {
                name == group.name
                    && !read.contains(number)
                    && NewsAuthority::of_url(url).as_ref() == Some(&group.server)
            })
        })
    }

    /// Adds the new entries of followed bookmarks: date, title, bookmark.
    fn new_entries(&self, menu: &mut Menu) {
        let pages = self.unread_pages();
        if pages.is_empty() {
            return;
        }
        let entries = self.bookmarks.checks.watched.entries().into_iter();
        let rows = entries.filter(|(_, entry)| entry.is_new);
        let rows = rows.filter_map(|(page, entry)| {
            let page = pages.iter().find(|other| other.key == page)?;
            let (source, url) = (page.bookmark.label(), entry.text_url(&page.url)?);
            let title = match entry.title.as_str() {
                "" => "without a title",
                title => title,
            };
            let label = format!("{title} ({source})");
            menu.title(title, &url);
            menu.reason(&url, Reason::Followed(page.url.clone()));
            Some((self.cx.settings.zone.day_by_age(entry.date), label, url))
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
        let rows = self.changed().map(|(title, url, state)| {
            let age = state.changed.map(|changed| self.age(changed.as_second()));
            (age.unwrap_or_default(), label(title.as_str(), &url), url)
        });
        menu.section("Changed pages", rows.take(ROWS).collect());
    }

    /// Returns the pages of watched bookmarks that have changed or list new entries, each once, in the order of the
    /// bookmarks.
    fn unread_pages(&self) -> Vec<UnreadPage<'a>> {
        let bookmarks = &self.bookmarks.sidebar.bookmarks;
        let unread: BTreeMap<_, _> = self.bookmarks.checks.watched.unread().collect();
        let may_be = bookmarks.may_be_to_any(unread.keys().map(|key| key.as_str()));
        let mut pages: Vec<UnreadPage<'_>> = Vec::new();
        // Only their URLs are parsed.
        for index in (0..bookmarks.len()).filter(|index| may_be(*index)) {
            if let Some(bookmark) = bookmarks.bookmark(index).filter(is_followed)
                && let Ok(url) = bookmark.url()
                && let Some((&key, &state)) = unread.get_key_value(&UrlKey::of(&url))
                && pages.iter().all(|page| page.key != key)
            {
                pages.push(UnreadPage {
                    key,
                    url,
                    bookmark,
                    state,
                });
            }
        }
        pages
    }

    /// Returns the watched pages that have changed and list no new entries: title, URL and state.
    fn changed(&self) -> impl Iterator<Item = (Text, Url, &'a WatchState)> {
        let pages = self.unread_pages().into_iter();
        let changed = pages.filter(|page| !page.state.has_new_entries());
        changed.map(|page| {
            let url = page.url.without_password();
            (page.bookmark.title(), url, page.state)
        })
    }

    /// Adds the pages saved for later that were not read.
    fn saved_pages(&self, menu: &mut Menu) {
        let rows = self.cx.copies.unread_later().take(ROWS).map(|entry| {
            let label = label(&entry.title, &entry.url);
            menu.reason(&entry.url, Reason::Queued(entry.namer.clone()));
            (self.age(entry.added.as_second()), label, entry.url.clone())
        });
        let rows = rows.collect();
        menu.section("Kept pages", rows);
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

/// Returns lines of these keys, each as long as fits into `columns`.
fn filled(keys: &[PageKey], columns: usize) -> Vec<&[PageKey]> {
    let mut lines = Vec::new();
    let mut rest = keys;
    while !rest.is_empty() {
        let mut end = 0;
        let ends = rest.iter().map(|key| {
            let gap = if end > 0 { PageKey::GAP.len() } else { 0 };
            end += gap + key.width();
            end
        });
        let fit = ends.take_while(|end| *end <= columns).count();
        let (line, others) = rest.split_at(fit.max(1));
        lines.push(line);
        rest = others;
    }
    lines
}

/// A page of a watched bookmark that has changed or lists new entries.
struct UnreadPage<'a> {
    key: &'a UrlKey,
    url: Url,
    bookmark: Bookmark<'a>,
    state: &'a WatchState,
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

/// Adds the first suggestion of each scheme, and returns these.
fn start_here(menu: &mut Menu) -> HashSet<Url> {
    menu.heading("Start here", 2);
    let suggested = suggestions();
    let (mut schemes, mut started) = (HashSet::new(), HashSet::new());
    for bookmark in suggested.bookmarks() {
        if let Ok(url) = bookmark.url()
            && schemes.insert(url.scheme_name().to_owned())
        {
            let title = bookmark.title();
            menu.title(title.as_str(), &url);
            menu.row(title.as_str(), &url);
            started.insert(url);
        }
    }
    menu.info("");
    started
}

#[cfg(test)]
mod tests {
    use super::*;

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
