//! `geomys bookmarks watch`: what has changed of the bookmarks with the tag `#watch`.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write, stderr, stdout};
use std::path::{Path, PathBuf};

use clap::Args;
use futures_util::{StreamExt, stream};
use jiff::Timestamp;

use crate::cli::ask::agrees;
use crate::cli::{Setting, Trouble, block_on};
use crate::files::bookmarks::Bookmarks;
use crate::files::checks::{self, Key};
use crate::files::watch::{self, Event, Watched, is_watched};
use crate::load::check::{Verdict, content};
use crate::load::{Answers, Purpose, Request};
use crate::text::Text;

/// How many are fetched at once.
const AT_ONCE: usize = 4;

/// How many are written down at once.
const KEPT_AT_ONCE: usize = 100;

#[derive(Debug, Args)]
pub(super) struct Watch {
    /// Fetch those that were fetched today, too
    #[arg(long)]
    now: bool,

    /// Watch new addresses without asking; an address is confirmed once
    #[arg(long)]
    confirm: bool,
}

impl Watch {
    pub(super) fn run(&self, setting: &Setting) -> Result<(), Trouble> {
        let bookmarks = setting.places.bookmarks().load()?;
        let path = setting.places.watched();
        let mut watched = watch::load(&path).map_err(trouble)?;
        let now = checks::now();
        let refused = self.confirm_new(&bookmarks, &mut watched, &path, now)?;
        let pins = setting.pins()?;
        let mut titles: BTreeMap<Key, (Text, Request)> = BTreeMap::new();
        let mut in_all = 0;
        for bookmark in bookmarks.bookmarks().filter(is_watched) {
            let Ok(url) = bookmark.url() else { continue };
            if !watched.is_confirmed(&url) {
                continue;
            }
            in_all += 1;
            if !self.now && !watched.is_due(&url, now) {
                continue;
            }
            let request = Request {
                // Nobody has looked at each of them.
                answers: Answers::Unseen,
                ..setting.request_trusting(url.clone(), Purpose::Save, &pins)
            };
            titles.insert(Key::of(&url), (bookmark.label(), request));
        }
        let net = setting.net();
        let mut round = Round::new(path, watched, now);
        let mut all_came = true;
        let ended = block_on(async {
            let fetching = titles.iter().map(|(key, (label, request))| {
                let net = &net;
                async move { (key, label, request, content(net, request).await) }
            });
            let mut fetched = stream::iter(fetching).buffer_unordered(AT_ONCE);
            let hearing = async {
                while let Some((key, label, request, content)) = fetched.next().await {
                    if let Err(why) = &content {
                        all_came = false;
                        let (name, words) = (why.name(), why.words());
                        // Nothing is left to tell it to when standard error is closed.
                        let _ = writeln!(stderr(), "geomys: {label}: {name}: {words}");
                    }
                    if matches!(content, Err(Verdict::NoAnswer(_) | Verdict::Unasked(_))) {
                        // Who was not reached is asked again the next time.
                        continue;
                    }
                    let event = Event::Fetched(key.clone(), content.ok(), checks::now());
                    round.hear(event, || {
                        Ok(writeln!(stdout(), "{label}\t{}", request.url.masked())?)
                    })?;
                }
                Ok(())
            };
            tokio::select! {
                // Heard from the beginning on: what came until then is kept.
                biased;
                _ = tokio::signal::ctrl_c() => Err(Trouble::new("stopped; what was fetched is kept")),
                heard = hearing => heard,
            }
        })?;
        if stderr().is_terminal() && ended.is_ok() && (refused == 0 || in_all > 0) {
            // Who runs it by a clock wants to hear of changes alone.
            let told = summary(in_all, titles.len(), round.changed);
            let _ = writeln!(stderr(), "{told}");
        }
        round.keep()?;
        ended?;
        match (refused, all_came) {
            (0, true) => Ok(()),
            (0, false) => Err(Trouble::new("")),
            (refused, _) => Err(Trouble::new(format!(
                "new addresses not watched ({}): --confirm watches them",
                crate::text::count(refused)
            ))),
        }
    }

    /// Asks once about the addresses that were never watched; the count of those that nobody could be asked about.
    fn confirm_new(
        &self,
        bookmarks: &Bookmarks,
        watched: &mut Watched,
        path: &Path,
        now: Timestamp,
    ) -> Result<usize, Trouble> {
        let new: BTreeMap<Key, Text> = bookmarks
            .bookmarks()
            .filter(is_watched)
            .filter_map(|bookmark| {
                let url = bookmark.url().ok()?;
                let is_new = !watched.is_confirmed(&url);
                is_new.then(|| (Key::of(&url), Text::of(&url.masked())))
            })
            .collect();
        if new.is_empty() {
            return Ok(0);
        }
        if !self.confirm {
            for address in new.values() {
                writeln!(stderr(), "geomys: never watched: {address}")?;
            }
            match agrees("Contact them once a day from now on?")? {
                None => return Ok(new.len()),
                Some(false) => return Ok(0),
                Some(true) => {}
            }
        }
        let events: Vec<Event> = new
            .into_keys()
            .map(|key| Event::Confirmed(key, now))
            .collect();
        *watched = watch::save(path, &events, now).map_err(trouble)?;
        Ok(0)
    }
}

/// What was fetched, written down from time to time and at the end.
struct Round {
    path: PathBuf,
    watched: Watched,
    /// What is not written down yet.
    events: Vec<Event>,
    changed: usize,
    now: Timestamp,
}

impl Round {
    fn new(path: PathBuf, watched: Watched, now: Timestamp) -> Self {
        Self {
            path,
            watched,
            events: Vec::new(),
            changed: 0,
            now,
        }
    }

    /// Takes in what was fetched; `tell` says that it has changed. What could not be told is not written down, and told
    /// the next time.
    fn hear(
        &mut self,
        event: Event,
        tell: impl FnOnce() -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        if self.watched.note(&event) {
            self.changed += 1;
            tell()?;
        }
        self.events.push(event);
        if self.events.len() >= KEPT_AT_ONCE {
            self.keep()?;
        }
        Ok(())
    }

    /// Writes down what was fetched.
    fn keep(&mut self) -> Result<(), Trouble> {
        let events = std::mem::take(&mut self.events);
        if events.is_empty() {
            return Ok(());
        }
        let saved = watch::save(&self.path, &events, self.now);
        saved.map(drop).map_err(trouble)
    }
}

/// What was done, in a sentence.
fn summary(in_all: usize, fetched: usize, changed: usize) -> String {
    match (in_all, fetched) {
        (0, _) => "no bookmark has the tag #watch".to_owned(),
        (_, 0) => "all were fetched within a day; --now fetches them all the same".to_owned(),
        _ => format!("{fetched} of {in_all} watched were due, {changed} changed"),
    }
}

fn trouble(error: impl std::fmt::Display) -> Trouble {
    Trouble::new(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Fingerprint;
    use crate::url::Url;

    fn fetched(number: usize, content: &str) -> Event {
        let url = Url::accept(&format!("gopher://example.org/0/{number}")).unwrap();
        let content = Fingerprint::of(content.as_bytes());
        Event::Fetched(Key::of(&url), Some(content), checks::now())
    }

    #[test]
    fn much_is_written_down_before_the_end() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("watched.jsonl");
        let mut round = Round::new(path.clone(), Watched::default(), checks::now());
        for number in 0..KEPT_AT_ONCE - 1 {
            round.hear(fetched(number, "one"), || Ok(())).unwrap();
        }
        assert!(!path.exists());
        round.hear(fetched(200, "one"), || Ok(())).unwrap();
        let lines = |path| std::fs::read_to_string(path).unwrap().lines().count();
        assert_eq!(lines(&path), KEPT_AT_ONCE);
        // What nobody could be told of is told the next time.
        let untold = || Err(Trouble::new("nobody reads"));
        assert!(round.hear(fetched(0, "two"), untold).is_err());
        round.keep().unwrap();
        let mut watched = watch::load(&path).unwrap();
        assert!(watched.note(&fetched(0, "two")));
    }
}
