//! Suggestions for a typed URL: bookmarks and visited pages; the command that a word names, and a search for text that
//! is no URL.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use geomys_store::bookmarks::Bookmarks;
use geomys_store::files::history::History;
use geomys_wire::net::{page_text, shown_url};
use geomys_wire::text::Text;
use rfc1738::{Dialect, Parts, Url};

use crate::dialogs::name_match::EntryScorer;
use crate::dialogs::palette::{PaletteEntry, bookmark_entries, page_of};
use crate::dialogs::query_rows::{QueryMatches, SearchedBookmarks};

/// The maximum number of suggestions.
const MAX_SUGGESTIONS: usize = 5;

/// The maximum number of visited pages that are suggested from, the most used first.
const MAX_PAGES: usize = 2000;

/// The maximum number of commands that are suggested.
const MAX_COMMANDS: usize = 2;

const SECONDS_PER_DAY: i64 = 86_400;

/// The suggestions for the text of a prompt.
#[derive(Clone, Debug, Default)]
pub struct Suggestions {
    /// The suggestions, the best first.
    pub list: Vec<PaletteEntry>,
    /// The index of the chosen one, from 0; `None` if Enter opens the typed text.
    pub chosen: Option<usize>,
    /// The bookmarks and visited pages; `None` before the first search.
    pages: Option<Arc<VisitedPages>>,
    /// The last typed text with the indices of the pages that match it: a longer text can match these alone.
    matched: Option<(String, Vec<usize>)>,
    /// The bookmarks that match the last query.
    queried: QueryMatches,
}

/// Bookmarks and visited pages with their frecency: the number of visits, recent ones counted more.
#[derive(Debug, Default)]
struct VisitedPages {
    list: Vec<(PaletteEntry, u32)>,
    /// The hosts of these pages: one of them may be a name without a dot.
    hosts: Vec<String>,
}

impl Suggestions {
    /// Returns the chosen suggestion.
    pub fn entry(&self) -> Option<&PaletteEntry> {
        self.list.get(self.chosen?)
    }

    /// Finds the suggestions for this text. If it is no URL and none of the local hosts, the page whose title begins
    /// with this one word comes first, then the command that it names, then a search by the engine, and the first of
    /// them is chosen. A command that deletes, sends or fetches something comes after the search. `named` are the
    /// commands of the word. A query with more than words suggests the bookmarks that match it alone.
    pub(crate) fn search(
        &mut self,
        typed: &str,
        (bookmarks, history): (&SearchedBookmarks, &History),
        named: Vec<PaletteEntry>,
        engine: Option<&Url>,
        local_hosts: &[String],
    ) {
        (self.chosen, self.list) = (None, Vec::new());
        let typed = typed.trim();
        if typed.is_empty() {
            return;
        }
        let matching = bookmarks.matching(typed, &mut self.queried);
        let matching: Vec<PaletteEntry> = matching.take(MAX_SUGGESTIONS).collect();
        let pages = self
            .pages
            .get_or_insert_with(|| Arc::new(VisitedPages::new(&bookmarks.bookmarks, history)));
        let is_local = |host: &String| host.eq_ignore_ascii_case(typed);
        let is_search = is_search(typed, &pages.hosts) && !local_hosts.iter().any(is_local);
        let mut found = if matching.is_empty() {
            pages.matching(typed, &mut self.matched)
        } else {
            matching.iter().collect()
        };
        if is_search {
            let titled = found.iter().position(|entry| is_titled(entry, typed));
            let titled = titled.map(|at| found.remove(at));
            self.list.extend(titled.cloned());
            let (harmless, others): (Vec<_>, Vec<_>) =
                (named.into_iter().take(MAX_COMMANDS)).partition(PaletteEntry::is_harmless);
            self.list.extend(harmless);
            self.list.extend(search_entry(typed, engine));
            self.chosen = (!self.list.is_empty()).then_some(0);
            self.list.extend(others);
        }
        let rest = MAX_SUGGESTIONS - self.list.len();
        self.list.extend(found.into_iter().take(rest).cloned());
    }

    /// Forgets the bookmarks and visits of before, which were read or have changed since.
    pub(crate) fn forget_pages(&mut self) {
        (self.pages, self.matched) = (None, None);
        self.queried = QueryMatches::default();
    }

    /// Chooses the next suggestion.
    pub(crate) fn next(&mut self) {
        let next = self.chosen.map_or(0, |chosen| chosen + 1);
        self.chosen = self.list.len().checked_sub(1).map(|last| next.min(last));
    }

    /// Chooses the suggestion before; above the first one Enter opens the typed text.
    pub(crate) fn previous(&mut self) {
        self.chosen = self.chosen.and_then(|chosen| chosen.checked_sub(1));
    }
}

impl VisitedPages {
    fn new(bookmarks: &Bookmarks, history: &History) -> Self {
        let newest = history.iter().map(|visit| visit.second).max().unwrap_or(0);
        let mut visits: HashMap<Cow<'_, str>, (u32, &str)> = HashMap::new();
        for visit in history.iter() {
            let (frecency, title) = visits.entry(visit.key()).or_default();
            *frecency = frecency.saturating_add(weight(newest.saturating_sub(visit.second)));
            *title = visit.title;
        }
        let mut list = Vec::new();
        let mut hosts = Vec::new();
        for entry in bookmark_entries(bookmarks) {
            let url = entry.url().map(Url::as_str).unwrap_or_default();
            let visited = visits.remove(&*page_text(url));
            let frecency = visited.map_or(0, |(frecency, _)| frecency);
            list.push((entry, frecency));
        }
        let mut visits: Vec<(Cow<'_, str>, (u32, &str))> = visits.into_iter().collect();
        visits.sort_by(|(url, (frecency, _)), (other, (others, _))| {
            others.cmp(frecency).then_with(|| url.cmp(other))
        });
        list.extend(
            visits
                .into_iter()
                .take(MAX_PAGES)
                .filter_map(|(url, (frecency, title))| {
                    let url = Dialect::Extended.parse(&*url).ok()?;
                    let title = Text::of(title);
                    let name = if title.is_blank() {
                        shown_url(&url).into_owned()
                    } else {
                        title.as_str().to_owned()
                    };
                    Some((page_of("History", name, "", title, url), frecency))
                }),
        );
        for url in list.iter().filter_map(|(entry, _)| entry.url()) {
            if let Some(address) = url.base_parts().address() {
                let host = address.host.to_lowercase();
                if !host.contains('.') && !hosts.contains(&host) {
                    hosts.push(host);
                }
            }
        }
        Self { list, hosts }
    }

    /// Returns the pages that match a text, the best first. `last` is the text before, with the indices of its matches:
    /// a longer text can match these alone.
    fn matching(&self, typed: &str, last: &mut Option<(String, Vec<usize>)>) -> Vec<&PaletteEntry> {
        // A backslash gives the blank after it another meaning.
        let is_longer =
            |(before, _): &(String, _)| typed.starts_with(before) && !typed.contains('\\');
        let among = last.take().filter(is_longer);
        let among = among.map_or_else(|| (0..self.list.len()).collect(), |(_, among)| among);
        let mut scorer = EntryScorer::new(typed);
        let mut matched = Vec::new();
        let mut found: Vec<(u32, &PaletteEntry)> = Vec::new();
        for index in among {
            if let Some((entry, frecency)) = self.list.get(index)
                && let Some(score) = scorer.score(&entry.name, &entry.keys)
            {
                matched.push(index);
                found.push((score + 8 * (frecency + 1).ilog2(), entry));
            }
        }
        *last = Some((typed.to_owned(), matched));
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        found.into_iter().map(|(_, entry)| entry).collect()
    }
}

/// The weight of a visit by its age in seconds.
fn weight(age: i64) -> u32 {
    match age / SECONDS_PER_DAY {
        ..4 => 100,
        4..14 => 70,
        14..31 => 50,
        31..90 => 30,
        90.. => 10,
    }
}

/// Returns true if the text has a blank, or is a word that is no URL, has no dot, and is none of these local hosts.
fn is_search(typed: &str, hosts: &[String]) -> bool {
    let first = typed.split_whitespace().next().unwrap_or_default();
    if first.contains([':', '/', '<', '~', '@']) {
        return false;
    }
    let lower = first.to_lowercase();
    first.len() < typed.len()
        || !first.contains('.') && lower != "localhost" && !hosts.contains(&lower)
}

/// Returns true if the typed text is one word, with which the title of the page begins.
fn is_titled(entry: &PaletteEntry, typed: &str) -> bool {
    let is_word = !typed.contains(char::is_whitespace);
    is_word && entry.name.to_lowercase().starts_with(&typed.to_lowercase())
}

/// The search for these words.
fn search_entry(words: &str, engine: Option<&Url>) -> Option<PaletteEntry> {
    let engine = engine?;
    let url = engine.with_search(words.as_bytes()).ok()?;
    let host = match engine.base_parts().address() {
        Some(address) => Text::of(address.host),
        None => Text::of(engine.as_str()),
    };
    let title = Text::of(&format!("{}: {words}", host.as_str()));
    let name = format!("Search {} for {}", host.as_str(), Text::of(words).as_str());
    Some(page_of("Search", name, "", title, url))
}

/// Returns true if an engine of this URL can search.
pub fn can_search(url: &Url) -> bool {
    let is_search = match url.base_parts() {
        Parts::Gopher(gopher) => gopher.item_type() == b'7',
        _ => true,
    };
    is_search && url.with_search(b"words").is_ok()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use geomys_store::files::history::{Visit, VisitKind};
    use jiff::Timestamp;

    use super::*;

    fn found(typed: &str, history: &History) -> Suggestions {
        let engine = Url::parse("gopher://search.example/7/vs").unwrap();
        let mut suggestions = Suggestions::default();
        let local = ["burrow".to_owned()];
        let pages = (&SearchedBookmarks::default(), history);
        suggestions.search(typed, pages, Vec::new(), Some(&engine), &local);
        suggestions
    }

    #[test]
    fn words_offer_a_search_and_urls_and_hosts_do_not() {
        let history = History::default();
        for typed in [
            "potato soup",
            "potato",
            "burrow soup",
            "what is a/b",
            "a.b c",
        ] {
            let found = found(typed, &history);
            let url = found.entry().and_then(PaletteEntry::url).unwrap();
            assert!(
                url.as_str().starts_with("gopher://search.example/7/vs%09"),
                "{url}"
            );
        }
        for typed in [
            "",
            " ",
            "localhost",
            "Burrow",
            "example.org",
            "gopher://a b",
            "a/b c",
            "host:70",
        ] {
            assert!(found(typed, &history).entry().is_none(), "{typed}");
        }
    }

    #[test]
    fn text_that_is_typed_on_suggests_the_same_as_a_new_one() {
        let mut file = String::new();
        for (number, word) in (0..2000).zip(["Soup", "Söup kitchen", "Tea"].iter().cycle()) {
            let host = number % 7;
            writeln!(
                file,
                "{word} {number} <URL:gopher://h{host}.example/{number}>"
            )
            .unwrap();
        }
        let bookmarks = SearchedBookmarks {
            bookmarks: Bookmarks::parse(file.as_bytes()),
            ..SearchedBookmarks::default()
        };
        let pages = (&bookmarks, &History::default());
        for text in ["soup kit 71", "h3.ex/19", "so\\ up", "söup 4", "tea 12 h"] {
            let mut typed_on = Suggestions::default();
            for typed in (1..=text.len()).filter_map(|end| text.get(..end)) {
                let mut fresh = Suggestions::default();
                for suggestions in [&mut typed_on, &mut fresh] {
                    suggestions.search(typed, pages, Vec::new(), None, &[]);
                }
                assert_eq!(typed_on.list, fresh.list, "{typed}");
            }
            // Where letters are taken back, more pages match again.
            typed_on.search("s", pages, Vec::new(), None, &[]);
            assert_eq!(typed_on.list.len(), MAX_SUGGESTIONS);
        }
    }

    #[test]
    fn often_and_lately_visited_pages_come_first() {
        let mut history = History::default();
        let mut visit = |day: i64, host: &str| {
            let time = Timestamp::from_second(day * SECONDS_PER_DAY).unwrap();
            let url = Url::parse(&format!("gopher://{host}/1/soup")).unwrap();
            history.push(&Visit::new(time, &url, "Soup", VisitKind::Menu));
        };
        visit(1, "aaa.example");
        visit(400, "ccc.example");
        for _ in 0..9 {
            visit(399, "bbb.example");
        }
        visit(400, "nodots");
        let suggestions = found("soup", &history);
        let urls: Vec<&str> = (suggestions.list.iter())
            .filter_map(|entry| entry.url().map(Url::as_str))
            .collect();
        assert_eq!(urls.len(), 5);
        // The title begins with the word.
        assert_eq!(urls[0], "gopher://bbb.example/1/soup");
        assert_eq!(urls[1], "gopher://search.example/7/vs%09soup");
        assert_eq!(urls[4], "gopher://aaa.example/1/soup");
        assert_eq!(suggestions.chosen, Some(0));
        for words in ["oup", "soup soup"] {
            let first = found(words, &history);
            let url = first.entry().and_then(PaletteEntry::url).unwrap();
            assert!(url.as_str().contains("/7/vs%09"), "{words}");
        }
        assert!(found("nodots", &history).entry().is_none());
    }
}
