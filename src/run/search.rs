//! The search of stored copies: it runs as a load whose page is the list of what was found.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt;
use geomys_load::{Failure, LoadId, PageHead, Part, PartSender, Stop};
use geomys_page::document::found::MARK;
use geomys_page::document::{Shape, Zone};
use geomys_store::bookmarks::records;
use geomys_store::files::cache::Cache;
use geomys_store::files::history;
use geomys_store::search::{self, Rank, SearchHit, SearchQuery, SearchSummary, SearchedCopies};
use geomys_wire::net::{TransferEnd, shown_url};
use geomys_wire::task::blocking;
use geomys_wire::text::{self, Text};
use jiff::Timestamp;
use tokio::sync::mpsc;

use super::library::{UNREAD_FAILED, searched_unread};
use super::tasks::Tasks;
use crate::config::UserPaths;
use geomys_app::library::message::SearchOrder;

/// The number of found pages that wait to be shown.
const WAITING: usize = 64;

/// The maximum length of a line of the list, in characters.
const MAX_CHARS: usize = 400;

/// The number of characters before the first word from which on the beginning of a line is left out, and of those that
/// stay.
const FAR: usize = 50;
const NEAR: usize = 20;

impl Tasks {
    /// Starts a search.
    pub(super) fn search(&mut self, id: LoadId, order: SearchOrder) {
        let (cache, paths) = (Arc::clone(&self.cache), self.user_paths());
        let (url, parts) = (order.page.clone(), self.parts_of(id));
        let sender = parts.clone();
        let searching = async move {
            let end = match run(cache, paths, order, &parts).await {
                Ok(()) => Ok(TransferEnd::Confirmed),
                Err(stop) => Err(stop),
            };
            // If the receiver is closed, nobody waits for the end.
            let _ = parts.send(Part::End(end)).await;
        };
        self.spawn_load(id, url, sender, searching.boxed());
    }
}

/// Ends a search when it is dropped.
struct Running(Arc<AtomicBool>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Searches, and sends what is found as rows of a page.
async fn run(
    cache: Arc<Cache>,
    paths: Arc<UserPaths>,
    order: SearchOrder,
    parts: &PartSender,
) -> Result<(), Stop> {
    let query = SearchQuery::parse(&order.words, Timestamp::now())
        .map_err(|error| Failure::new(error.to_string()))?;
    let title = Text::of(&format!("Search: {}", order.words));
    let head = PageHead::new(Shape::Found).with_title(title);
    parts.send(Part::Head(head)).await?;
    let is_stopped = Arc::new(AtomicBool::new(false));
    let _running = Running(Arc::clone(&is_stopped));
    let (sender, mut found) = mpsc::channel(WAITING);
    let (words, zone) = (query.clone(), order.zone.clone());
    let searching = blocking(move || {
        let add = |hit| {
            if sender.blocking_send(hit).is_err() {
                is_stopped.store(true, Ordering::Relaxed);
            }
        };
        let marks = (paths.as_ref(), &order.newsrcs);
        let unread = searched_unread(&words, &cache, marks);
        let unread = unread.ok_or_else(|| Failure::new(UNREAD_FAILED))?;
        let copies = SearchedCopies {
            cache: &cache,
            charset: order.charset,
            is_unread: &|url| unread.is_unread(url),
        };
        let titles = titles(&words, &paths, &order);
        Result::<_, Failure>::Ok(search::search(&copies, &words, titles, &is_stopped, &add))
    });
    let forwarding = async {
        let (mut hits, mut count) = (Vec::new(), 0);
        while found.recv_many(&mut hits, WAITING).await > 0 {
            count += hits.len();
            let rows: String = hits
                .drain(..)
                .map(|hit| rows(&hit, &query, &zone))
                .collect();
            parts.send(Part::Octets(rows.into_bytes())).await?;
        }
        Result::<usize, Stop>::Ok(count)
    };
    let (summary, count) = tokio::join!(searching, forwarding);
    let notes = notes(&summary?, count?);
    parts.send(Part::Octets(notes.into_bytes())).await
}

/// Returns the bookmarks and visits with the words in their title. A file that cannot be read is reported where it is
/// used. Blocks.
fn titles(query: &SearchQuery, paths: &UserPaths, order: &SearchOrder) -> search::Titles {
    let visits = history::load(&paths.history(), &order.history, Timestamp::now());
    let bookmarks = paths.bookmarks().load().unwrap_or_default();
    let added = records::load(&paths.bookmark_dates()).unwrap_or_default();
    search::title_hits(query, &bookmarks, &added, &visits.unwrap_or_default())
}

/// The two rows of a found page.
fn rows(hit: &SearchHit, query: &SearchQuery, zone: &Zone) -> String {
    let rank = match hit.rank {
        Rank::Title => 0,
        Rank::Link => 1,
        Rank::Near => 2,
        Rank::Far => 3,
    };
    let rank = if hit.is_part { rank + 4 } else { rank };
    let shown = shown_url(&hit.url);
    let title = match hit.title.trim() {
        "" => shown.as_ref(),
        title => title,
    };
    let date = hit.date.map(|date| zone.written(date));
    let date = date.as_deref().unwrap_or_default();
    let date = date.split_once(' ').map_or(date, |(day, _)| day);
    let second = hit.date.map_or(i64::MIN, Timestamp::as_second);
    let title = marked(title, query);
    let line = match hit.line.as_str() {
        "" => shown.into_owned(),
        line => marked(line, query),
    };
    format!("{rank}\t{second}\t{date}\t{}\t{title}\n\t{line}\n", hit.key)
}

/// Returns a text with marks around the words of the query, as a field of the list. If the first word is far to the
/// right, the beginning is left out.
fn marked(text: &str, query: &SearchQuery) -> String {
    let text = Text::of(text);
    let ranges = query.wanted.ranges(text.as_str());
    let before = ranges
        .first()
        .and_then(|first| text.as_str().get(..first.start));
    let skipped = before.map_or(0, |before| before.chars().count());
    let skipped = if skipped > FAR { skipped - NEAR } else { 0 };
    let rest = text.as_str().chars().skip(skipped).take(MAX_CHARS);
    let mark = if skipped > 0 { "…" } else { "" };
    let text: String = mark.chars().chain(rest).collect();
    let [begin, end] = MARK;
    let (mut marked, mut at) = (String::new(), 0);
    for range in query.wanted.ranges(&text) {
        let before = text.get(at..range.start).unwrap_or_default();
        let word = text.get(range.clone()).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = write!(marked, "{before}{begin}{word}{end}");
        at = range.end;
    }
    marked.push_str(text.get(at..).unwrap_or_default());
    marked.replace(['\t', '\n'], " ")
}

/// The rows below the found pages: what was searched, and what to do if nothing was found.
fn notes(summary: &SearchSummary, found: usize) -> String {
    let copies = text::count(summary.copies);
    let pages = if summary.copies == 1 { "page" } else { "pages" };
    let mut notes = match found {
        0 => format!(
            "Nothing found in {copies} stored {pages} and the titles of bookmarks and history.\n\n\
             Fewer words find more. Pages are stored when they are shown, kept,\n\
             and by geomys sync; [cache] in settings.toml says how many and how long.\n"
        ),
        found => format!(
            "\n{} found; stored pages searched: {copies}\n",
            text::count(found)
        ),
    };
    if summary.failed > 0 {
        let failed = text::count(summary.failed);
        let _ = writeln!(notes, "Pages that could not be read: {failed}.");
    }
    notes
}
