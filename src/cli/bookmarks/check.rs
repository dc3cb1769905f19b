//! `geomys bookmarks check`: whether what the bookmarks name is still there.

mod round;

use std::collections::BTreeMap;
use std::io::{Write, stdout};
use std::time::Duration;

use clap::Args;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use tokio::sync::Notify;

use self::round::Round;
use super::query::Known;
use crate::cli::url::json;
use crate::cli::{Setting, Trouble, block_on};
use crate::files::bookmarks::{Bookmark, Bookmarks, Words};
use crate::files::checks::{Key, age_of};
use crate::load::check::{AtOnce, Verdict, all};
use crate::load::{Answers, Purpose, Request};
use crate::text::Text;
use crate::url::{Url, mask};

#[derive(Debug, Args)]
pub(super) struct Check {
    /// One JSON object a bookmark, on a line of its own
    #[arg(long)]
    json: bool,

    /// How many are asked at once; of one host never more than 4
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u8).range(1..=64))]
    jobs: u8,

    /// Ask nobody: list those that were found gone so long ago, and at every check since, as in `30d`, `12h`, `2w`
    #[arg(long, value_name = "AGE", value_parser = age)]
    gone_for: Option<SignedDuration>,

    /// Only those that `geomys bookmarks list QUERY` lists: all of these words in title, URL, folder, tags or note, and
    /// `is:gone`, `gone>30d` and their like by what is known
    #[arg(value_name = "QUERY")]
    query: Vec<String>,
}

fn age(written: &str) -> Result<SignedDuration, String> {
    age_of(written).ok_or_else(|| "a number of days is wanted, as 30d, or 12h, or 2w".to_owned())
}

impl Check {
    pub(super) fn run(&self, setting: &Setting) -> Result<(), Trouble> {
        let bookmarks = setting.places.bookmarks().load()?;
        let known = Known::load(setting)?;
        let words = Words::new(&self.query);
        let meant = bookmarks.holding(&words, &|word, url| known.fits(word, url));
        let meant = meant.iter().filter_map(|&index| bookmarks.bookmark(index));
        let entries: Vec<Entry> = meant
            .map(|bookmark| Entry::of(&bookmarks, &bookmark))
            .collect();
        match self.gone_for {
            Some(age) => self.list(&entries, &known, age),
            None => self.check(setting, &bookmarks, entries, known),
        }
    }

    /// Lists what has been gone for so long, by what is known.
    fn list(&self, entries: &[Entry], known: &Known, age: SignedDuration) -> Result<(), Trouble> {
        let mut out = stdout().lock();
        for entry in entries {
            let Ok(url) = &entry.url else { continue };
            let Some(found) = known.checks.of(url) else {
                continue;
            };
            let is_gone = matches!(found.verdict, Verdict::Gone(_));
            if is_gone && known.now.duration_since(found.since) >= age {
                let told = Told {
                    verdict: found.verdict.name(),
                    words: found.verdict.words(),
                    at: Some(found.at),
                    took: Some(found.took),
                    since: Some(found.since),
                    alive: found.alive,
                    moved: None,
                };
                self.write(entry, &told, &mut out)?;
            }
        }
        Ok(out.flush()?)
    }

    /// Asks, writes down what is found out, and tells it.
    fn check(
        &self,
        setting: &Setting,
        bookmarks: &Bookmarks,
        entries: Vec<Entry>,
        known: Known,
    ) -> Result<(), Trouble> {
        let at_once = AtOnce {
            all: usize::from(self.jobs),
            ..AtOnce::default()
        };
        let pins = setting.pins()?;
        let net = setting.net();
        let mut round = Round::new(self, setting, bookmarks, known);
        let mut asked: Vec<(Key, Vec<Entry>)> = Vec::new();
        let mut requests: Vec<Request> = Vec::new();
        let mut places: BTreeMap<Key, usize> = BTreeMap::new();
        for entry in entries {
            let url = match &entry.url {
                Ok(url) => url.clone(),
                Err(fault) => {
                    let fault = fault.clone();
                    round.total += 1;
                    round.tell_bad(&entry, &fault)?;
                    continue;
                }
            };
            round.total += 1;
            let key = Key::of(&url);
            let at = *places.entry(key.clone()).or_insert(asked.len());
            match asked.get_mut(at) {
                Some((_, entries)) => entries.push(entry),
                None => {
                    asked.push((key, vec![entry]));
                    let request = setting.request_trusting(url, Purpose::Show, &pins);
                    requests.push(Request {
                        // Nobody has looked at each of them.
                        answers: Answers::Unseen,
                        ..request
                    });
                }
            }
        }
        let (enough, mut broken) = (Notify::new(), None);
        let ended = block_on(async {
            let asking = all(&net, &requests, at_once, |number, checked| {
                let told = asked.get(number);
                let told = told.map(|(key, entries)| round.hear(key, entries, checked));
                if let Some(Err(trouble)) = told {
                    broken.get_or_insert(trouble);
                    enough.notify_one();
                }
            });
            tokio::select! {
                () = asking => true,
                // Nobody reads any more, or nothing can be written down.
                () = enough.notified() => true,
                _ = tokio::signal::ctrl_c() => false,
            }
        })?;
        round.keep()?;
        if let Some(trouble) = broken {
            return Err(trouble);
        }
        round.sum_up(ended)
    }

    fn write(&self, entry: &Entry, told: &Told, out: &mut impl Write) -> Result<(), Trouble> {
        let time = |time: Timestamp| time.to_string();
        let ms = told.took.map(|took| took.as_millis());
        let ms = ms.map(|ms| u64::try_from(ms).unwrap_or(u64::MAX));
        if self.json {
            let object = Object {
                verdict: told.verdict,
                at: told.at.map(time),
                ms,
                title: &entry.title,
                url: &entry.shown,
                folder: &entry.folder,
                words: &told.words,
                moved: told.moved.as_ref().map(|url| url.masked().into_owned()),
                since: told.since.map(time),
                alive: told.alive.map(time),
            };
            return Ok(json::line(&object, out)?);
        }
        let at = told.at.map_or("-".to_owned(), time);
        let ms = ms.map_or("-".to_owned(), |ms| format!("{ms} ms"));
        let Entry { title, shown, .. } = entry;
        let Told { verdict, words, .. } = told;
        Ok(writeln!(
            out,
            "{verdict}\t{at}\t{ms}\t{title}\t{shown}\t{words}"
        )?)
    }
}

fn trouble(error: impl std::fmt::Display) -> Trouble {
    Trouble::new(error.to_string())
}

/// A bookmark, as far as a check needs it.
struct Entry {
    title: String,
    /// The URL as it is written, without its password.
    shown: String,
    folder: String,
    /// The URL, or what is wrong with it.
    url: Result<Url, String>,
}

impl Entry {
    fn of(bookmarks: &Bookmarks, bookmark: &Bookmark<'_>) -> Self {
        let written = bookmark.written();
        Self {
            title: bookmark.title().as_str().replace('\t', " "),
            shown: Text::of(&mask(written.as_str())).to_string(),
            folder: bookmarks.folder_of(bookmark.index).join("/"),
            url: bookmark.url().map_err(|error| error.to_string()),
        }
    }
}

/// What is said of a bookmark.
struct Told {
    verdict: &'static str,
    words: String,
    at: Option<Timestamp>,
    took: Option<Duration>,
    since: Option<Timestamp>,
    alive: Option<Timestamp>,
    moved: Option<Url>,
}

/// What `--json` prints of a bookmark. The keys are part of the interface: scripts read them.
#[derive(Serialize)]
struct Object<'a> {
    verdict: &'static str,
    at: Option<String>,
    ms: Option<u64>,
    title: &'a str,
    url: &'a str,
    folder: &'a str,
    words: &'a str,
    moved: Option<String>,
    since: Option<String>,
    alive: Option<String>,
}
