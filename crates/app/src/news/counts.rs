//! The numbers of articles in subscribed groups, as a server counts them now.
//!
//! They are requested with one command for many groups: every few minutes while a page of the server is open, and
//! before the user reads that nothing else is unread. Open lists of groups show them.

use std::collections::HashMap;
use std::time::Duration;

use geomys_load::{ChangesQuery, LoadId, NewsHost, NewsQuery, Part, Reason, Request};
use geomys_page::document::Shape;
use geomys_page::document::marks::ServerMarks;
use geomys_wire::protocol::nntp::{ActiveGroup, parse_active};
use geomys_wire::text::{self, Charset, Text};
use rfc1738::{GroupPart, News as NewsUrl, Parts, Url};

use crate::action::Action;
use crate::news::group_of;
use crate::news::message::{GroupSearch, SearchEnd};
use crate::news::server::NewsAuthority;
use crate::tabs::tab::Tab;
use crate::view::context::State;
use crate::{
    Context, Credentials, Effect, LibraryCommand, News, NewsCommand, NewsEffect, Page, Tabs,
};

/// The most octets of counts that are buffered.
const MAX_COUNTS_BYTES: usize = 4 * 1024 * 1024;

/// The counts of a server's groups, and the load of newer ones.
#[derive(Debug, Default)]
pub(crate) struct GroupCounts {
    counts: HashMap<Vec<u8>, GroupCount>,
    load: Option<CountLoad>,
}

/// The articles of one group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct GroupCount {
    low: u64,
    high: u64,
    count: Option<u64>,
}

/// A load of counts.
#[derive(Debug)]
struct CountLoad {
    id: LoadId,
    octets: Vec<u8>,
    /// The search for unread articles that goes on with the counts.
    search: Option<GroupSearch>,
}

impl GroupCounts {
    /// Returns the highest article number of a group, if it was counted.
    pub(crate) fn highest(&self, group: &[u8]) -> Option<u64> {
        self.counts.get(group).map(|count| count.high)
    }

    /// Returns the number of unread articles in a group, as far as it was counted.
    pub(crate) fn unread(&self, group: &[u8], marks: &ServerMarks) -> u64 {
        self.counts.get(group).map_or(0, |count| {
            marks.unread(&ActiveGroup {
                name: group,
                high: count.high,
                low: count.low,
                count: count.count,
                status: b"",
            })
        })
    }
}

/// An effect that happens later, and is scheduled at most once until then.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    is_scheduled: bool,
}

impl Schedule {
    /// Schedules the effect, unless it is scheduled already.
    pub(super) fn begin(&mut self, effect: NewsEffect, cx: &mut Context) {
        if !std::mem::replace(&mut self.is_scheduled, true) {
            cx.emit(effect);
        }
    }

    /// Notes that the effect is due.
    pub(super) fn end(&mut self) {
        self.is_scheduled = false;
    }

    /// Schedules the next request of counts, if the user wants them.
    pub(super) fn begin_counts(&mut self, cx: &mut Context) {
        let interval = cx.settings.news_refresh;
        if interval > Duration::ZERO {
            self.begin(NewsEffect::Refresh(interval), cx);
        }
    }
}

impl Page {
    /// Returns true if the page is a complete list of all groups of a server.
    fn is_list_of(&self, server: &NewsAuthority) -> bool {
        let is_all = matches!(
            self.url.base_parts(),
            Parts::News(NewsUrl {
                part: GroupPart::All,
                ..
            })
        );
        is_all && self.shape() == Some(Shape::Groups) && self.is_of(server)
    }
}

impl News {
    /// Returns the number of unread articles in the subscribed groups of all servers, as far as they were counted.
    pub fn new_articles(&self) -> u64 {
        let counted = self.servers.iter().filter_map(|state| {
            let marks = state.marks.as_ref()?;
            let groups = marks.subscribed().into_iter();
            Some(
                groups
                    .map(|group| state.counts.unread(group, marks))
                    .sum::<u64>(),
            )
        });
        counted.sum()
    }

    /// Returns true if a load is one of counts.
    pub(crate) fn is_counting(&self, load: LoadId) -> bool {
        let mut loads = self
            .servers
            .iter()
            .filter_map(|state| state.counts.load.as_ref());
        loads.any(|counting| counting.id == load)
    }

    /// Requests the counts of the subscribed groups of a server; a search goes on when they are there.
    pub(crate) fn request_counts(
        &mut self,
        server: &NewsAuthority,
        search: Option<GroupSearch>,
        tabs: &Tabs,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        let Some(state) = self.server_mut(server) else {
            return;
        };
        let subscribed = state.marks.as_ref().map(ServerMarks::subscribed);
        let subscribed = subscribed.unwrap_or_default().into_iter();
        let subscribed: Vec<_> = subscribed.map(<[u8]>::to_vec).collect();
        if let Some(counting) = &mut state.counts.load {
            counting.search = search.or_else(|| counting.search.take());
            return;
        }
        let mut pages = tabs.pages().filter(|page| page.is_of(server));
        let host = pages.find_map(Page::news_host);
        let (Ok(url), Some(host)) = (Url::parse("news:*"), host) else {
            return;
        };
        if subscribed.is_empty() {
            return;
        }
        let id = cx.next_load();
        state.counts.load = Some(CountLoad {
            id,
            octets: Vec::new(),
            search,
        });
        let mut request = request_of(url, host, subscribed);
        credentials.apply_defaults(&mut request, &cx.settings);
        cx.emit(Effect::Load(id, request));
    }

    /// Handles a part of a load of counts.
    pub(crate) fn count_part(
        &mut self,
        load: LoadId,
        part: Part,
        tabs: &mut Tabs,
        cx: &mut Context,
    ) {
        let state = self.servers.iter_mut().find(|state| {
            let counting = state.counts.load.as_ref();
            counting.is_some_and(|counting| counting.id == load)
        });
        let Some(state) = state else {
            return;
        };
        let server = state.server.clone();
        let end = match part {
            Part::Octets(octets) => {
                if let Some(counting) = &mut state.counts.load {
                    let room = MAX_COUNTS_BYTES.saturating_sub(counting.octets.len());
                    counting.octets.extend(octets.into_iter().take(room));
                }
                return;
            }
            Part::End(end) => end,
            Part::Phase(_)
            | Part::Head(_)
            | Part::Terminal(_)
            | Part::Remark(_)
            | Part::Clock(_)
            | Part::Names(_)
            | Part::Size(_)
            | Part::Hole(_)
            | Part::Covered(_) => return,
        };
        let Some(counting) = state.counts.load.take() else {
            return;
        };
        let error = end.err().map(|stop| stop.sentence());
        // The counts before an error are right.
        self.counted(&server, &counting.octets, tabs, cx);
        match (counting.search, error) {
            (Some(search), Some(_)) if search.end == SearchEnd::OtherItems => {
                // The groups that were not checked are read as far as they are stored.
                cx.command(LibraryCommand::ReadNext(None));
            }
            (Some(_), Some(error)) => {
                cx.report_error(&format!("Subscribed groups were not checked: {error}"));
            }
            (Some(search), None) => self.search_on(search, tabs, cx),
            // Nobody waits for it, and it is tried again.
            (None, _) => {}
        }
    }

    /// Stores counts, and shows them in open lists of groups.
    fn counted(&mut self, server: &NewsAuthority, lines: &[u8], tabs: &mut Tabs, cx: &mut Context) {
        let Some(state) = self.server_mut(server) else {
            return;
        };
        let Some(marks) = &state.marks else {
            return;
        };
        let mut changed = Vec::new();
        let mut highest = Vec::new();
        for line in lines.split(|&octet| octet == b'\n') {
            let Some(group) = parse_active(line).filter(|group| marks.is_subscribed(group.name))
            else {
                continue;
            };
            let count = GroupCount {
                low: group.low,
                high: group.high,
                count: group.count,
            };
            if state.counts.counts.insert(group.name.to_vec(), count) != Some(count) {
                changed.extend_from_slice(line.trim_ascii_end());
                changed.extend_from_slice(b"\r\n");
                highest.push((group.name.to_vec(), group.high));
            }
        }
        if changed.is_empty() {
            return;
        }
        let changes = [b".\r\n", changed.as_slice(), b".\r\n"].concat();
        let is_list = |page: &Page| page.is_list_of(server) && page.state == State::Whole;
        for page in tabs
            .tabs_mut()
            .flat_map(Tab::pages_mut)
            .filter(|page| is_list(page))
        {
            if let Some(rows) = page.view.rows_mut() {
                rows.own_document_mut().append(&changes);
            }
        }
        tabs.finish_changed_pages(is_list, cx);
        notify_new_articles(server, &highest, tabs, cx);
    }

    /// Requests the counts of all servers with an open page.
    pub(crate) fn refresh_due(&mut self, tabs: &Tabs, cx: &mut Context) {
        self.refresh.end();
        let servers = self.servers.iter().map(|state| &state.server);
        let servers = servers.filter(|server| !server.is_mailboxes());
        let is_open = |server: &&NewsAuthority| tabs.pages().any(|page| page.is_of(server));
        let open: Vec<NewsAuthority> = servers.filter(is_open).cloned().collect();
        if open.is_empty() {
            return;
        }
        if !cx.settings.offline {
            for server in open {
                cx.command(NewsCommand::CountGroups(server, None));
            }
        }
        self.refresh.begin_counts(cx);
    }
}

/// Creates the request for the counts of these groups.
fn request_of(url: Url, host: NewsHost, subscribed: Vec<Vec<u8>>) -> Request {
    Request {
        news_query: NewsQuery {
            server: Some(host),
            since: Some(ChangesQuery {
                date: None,
                subscribed,
            }),
            ..NewsQuery::default()
        },
        ..Request::show(url, Reason::Setting)
    }
}

/// Notifies the user of new articles in the shown group.
fn notify_new_articles(
    server: &NewsAuthority,
    highest: &[(Vec<u8>, u64)],
    tabs: &Tabs,
    cx: &mut Context,
) {
    let shown = tabs.page().and_then(|page| {
        let group = group_of(&page.url).filter(|group| page.is_whole_group(server, group))?;
        Some((group, page.group()?.highest?))
    });
    let Some((group, before)) = shown else {
        return;
    };
    let high = highest.iter().find(|(name, _)| *name == group);
    let Some(more) = high
        .and_then(|(_, high)| high.checked_sub(before))
        .filter(|more| *more > 0)
    else {
        return;
    };
    let name = Text::new(&group, Charset::default());
    let again = cx.key_of(Action::Reload);
    let more = match more {
        1 => "1 new article".to_owned(),
        more => format!(
            "{} new articles",
            text::count(usize::try_from(more).unwrap_or(usize::MAX))
        ),
    };
    cx.notify(&format!("{more} in {name}: {again} loads"));
}
