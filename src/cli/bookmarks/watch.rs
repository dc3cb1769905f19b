//! `geomys bookmarks watch`: what has changed of the bookmarks with the tag `#watch`.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write, stderr, stdout};

use clap::Args;
use futures_util::{StreamExt, stream};

use crate::cli::{Setting, Trouble, block_on};
use crate::files::checks::{self, Key};
use crate::files::watch::{self, Event, is_watched};
use crate::load::check::{Verdict, content};
use crate::load::{Answers, Purpose, Request};
use crate::text::Text;

/// How many are fetched at once.
const AT_ONCE: usize = 4;

#[derive(Debug, Args)]
pub(super) struct Watch {
    /// Fetch those that were fetched today, too
    #[arg(long)]
    now: bool,
}

impl Watch {
    pub(super) fn run(&self, setting: &Setting) -> Result<(), Trouble> {
        let bookmarks = setting.places.bookmarks().load()?;
        let path = setting.places.watched();
        let mut watched = watch::load(&path).map_err(trouble)?;
        let now = checks::now();
        let pins = setting.pins()?;
        let mut titles: BTreeMap<Key, (Text, Request)> = BTreeMap::new();
        let (mut in_all, mut changed) = (0, 0);
        for bookmark in bookmarks.bookmarks().filter(is_watched) {
            let Ok(url) = bookmark.url() else { continue };
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
        let mut events = Vec::new();
        let mut all_came = true;
        let told = block_on(async {
            let fetching = titles.iter().map(|(key, (label, request))| {
                let net = &net;
                async move { (key, label, request, content(net, request).await) }
            });
            let mut fetched = stream::iter(fetching).buffer_unordered(AT_ONCE);
            while let Some((key, label, request, content)) = fetched.next().await {
                if let Err(why) = &content {
                    all_came = false;
                    // Nothing is left to tell it to when standard error is closed.
                    let _ = writeln!(stderr(), "geomys: {label}: {}: {}", why.name(), why.words());
                }
                if matches!(content, Err(Verdict::NoAnswer(_) | Verdict::Unasked(_))) {
                    // Who was not reached is asked again the next time.
                    continue;
                }
                let event = Event::Fetched(key.clone(), content.ok(), checks::now());
                if watched.note(&event) {
                    changed += 1;
                    writeln!(stdout(), "{label}\t{}", request.url.masked())?;
                }
                events.push(event);
            }
            Ok(())
        })?;
        if stderr().is_terminal() {
            // Who runs it by a clock wants to hear of changes alone.
            let told = summary(in_all, titles.len(), changed);
            let _ = writeln!(stderr(), "{told}");
        }
        if !events.is_empty() {
            watch::save(&path, &events, now).map_err(trouble)?;
        }
        match told {
            Ok(()) if all_came => Ok(()),
            Ok(()) => Err(Trouble::new("")),
            Err(trouble) => Err(trouble),
        }
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
