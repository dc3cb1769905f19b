//! Pages that were looked at before a test begins.

use std::fs;
use std::path::Path;

use geomys_load::check::{FetchContent, run_job};
use geomys_load::{Purpose, Reason, Request};
use geomys_store::bookmarks::checks::{UrlKey, current_second};
use geomys_store::bookmarks::followed::is_followed;
use geomys_store::bookmarks::watch::{self, WatchEvent};
use geomys_store::bookmarks::{Bookmark, Bookmarks};
use geomys_wire::net::{Limits, Net};

/// The time that makes a page due.
const LONG_AGO: &str = "2001-01-01T00:00:00Z";

/// Agrees to follow all bookmarks of a profile that have such a tag.
pub fn agree(profile: &Path) {
    let (bookmarks, now) = (bookmarks(profile), current_second());
    let followed = bookmarks.bookmarks().filter(is_followed);
    let events = followed.map(|bookmark| {
        let url = bookmark.url().unwrap();
        WatchEvent::Confirmed(UrlKey::of(&url), now)
    });
    save(profile, &events.collect::<Vec<_>>());
}

/// Agrees to follow all bookmarks of a profile that have such a tag, and looks at their pages: their states are stored,
/// and no copy.
pub async fn look(profile: &Path) {
    look_at(profile, |_| true).await;
}

/// Agrees to follow bookmarks, and looks at their pages.
pub async fn look_at(profile: &Path, is_wanted: impl Fn(&Bookmark<'_>) -> bool) {
    let bookmarks = bookmarks(profile);
    let net = Net::new(Limits::default());
    let mut events = Vec::new();
    for bookmark in bookmarks.bookmarks().filter(is_followed) {
        if !is_wanted(&bookmark) {
            continue;
        }
        let (url, now) = (bookmark.url().unwrap(), current_second());
        let key = UrlKey::of(&url);
        let request = Request {
            purpose: Purpose::Save,
            ..Request::show(url, Reason::Bookmark)
        };
        let content = run_job(FetchContent, &net, &request).await;
        let event = WatchEvent::fetched(&key, content, now);
        events.push(event.expect("its server was reached"));
    }
    save(profile, &events);
}

fn bookmarks(profile: &Path) -> Bookmarks {
    Bookmarks::parse(&fs::read(profile.join("bookmarks.txt")).unwrap())
}

fn save(profile: &Path, events: &[WatchEvent]) {
    assert!(!events.is_empty(), "nothing is followed");
    watch::save(&profile.join("watched.jsonl"), events, current_second()).unwrap();
}

/// Makes all followed pages due: their last look was long ago.
pub fn make_due(profile: &Path) {
    make_some_due(profile, |_| true);
}

/// Returns true if no followed page is due that was made due.
pub fn is_none_due(profile: &Path) -> bool {
    let states = fs::read_to_string(profile.join("watched.jsonl")).unwrap();
    !states.contains(LONG_AGO)
}

/// Makes followed pages due by their URLs.
pub fn make_some_due(profile: &Path, is_wanted: impl Fn(&str) -> bool) {
    let path = profile.join("watched.jsonl");
    let states = fs::read_to_string(&path).unwrap();
    let states = states.lines().map(|line| {
        let mut state: serde_json::Value = serde_json::from_str(line).unwrap();
        if is_wanted(state["url"].as_str().unwrap()) {
            state["at"] = LONG_AGO.into();
        }
        format!("{state}\n")
    });
    fs::write(&path, states.collect::<String>()).unwrap();
}
