//! `geomys bookmarks check`: checks whether the addresses of bookmarks still exist.

mod run;

use std::io::{self, Write};

use clap::Args;
use geomys_load::check::{CheckLink, JobLimits, LinkStatus};
use geomys_load::{FormAnswers, Purpose, Reason, Request};
use geomys_store::bookmarks::age_of;
use geomys_store::bookmarks::checks::{LinkState, UrlKey};
use geomys_store::bookmarks::url_jobs::{UrlTarget, targets};
use geomys_store::bookmarks::{Bookmark, Bookmarks, Query};
use geomys_wire::text::Text;
use jiff::SignedDuration;
use rfc1738::{Url, mask};
use serde::Serialize;

use self::run::CheckRun;
use super::resolve::LinkRecords;
use crate::cli::context::CliContext;
use crate::cli::context::run_on_each;
use crate::cli::error::CliError;
use crate::cli::locale::stdout;
use crate::cli::url::json;

#[derive(Debug, Args)]
pub(super) struct Check {
    /// Print one JSON object a line for each bookmark
    #[arg(long)]
    json: bool,

    /// Check N at once; at most 4 of one host
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u8).range(1..=64))]
    jobs: u8,

    /// List bookmarks dead for at least AGE (30d, 12h, 2w)
    ///
    /// By the stored results; nothing is sent.
    #[arg(long, value_name = "AGE", value_parser = age)]
    dead_for: Option<SignedDuration>,

    /// Check only bookmarks that `bookmarks list QUERY` lists
    #[arg(value_name = "QUERY")]
    query: Vec<String>,
}

fn age(written: &str) -> Result<SignedDuration, String> {
    age_of(written).ok_or_else(|| "expected a duration like 30d, 12h or 2w".to_owned())
}

impl Check {
    pub(super) fn run(&self, context: &CliContext) -> Result<(), CliError> {
        let query = Query::complete(&self.query.join(" "))?;
        let bookmarks = context.paths.bookmarks().load()?;
        let records = LinkRecords::load(context)?;
        let matching = bookmarks.matching(&query, &|word, url| records.matches(word, url));
        let matching = matching.into_iter();
        let matching = matching.filter_map(|index| bookmarks.bookmark(index));
        match self.dead_for {
            Some(age) => self.list(&bookmarks, matching, &records, age),
            None => self.check(context, &bookmarks, matching, records),
        }
    }

    /// Lists bookmarks that have been dead for `age`, by the stored results.
    fn list<'a>(
        &self,
        bookmarks: &'a Bookmarks,
        matching: impl Iterator<Item = Bookmark<'a>>,
        records: &LinkRecords,
        age: SignedDuration,
    ) -> Result<(), CliError> {
        let mut out = stdout();
        for bookmark in matching {
            let url = bookmark.repaired_url().ok();
            let Some(result) = url.and_then(|url| records.checks.of(&url)) else {
                continue;
            };
            let is_dead = matches!(result.verdict, LinkStatus::Dead(_));
            if is_dead && records.now.duration_since(result.since) >= age {
                let mut report = CheckReport::of(bookmarks, &bookmark, &result.verdict);
                report.set_times(result);
                report.write(self.json, &mut out)?;
            }
        }
        Ok(out.flush()?)
    }

    /// Checks the bookmarks, stores the results, and prints them.
    fn check<'a>(
        &self,
        context: &CliContext,
        bookmarks: &'a Bookmarks,
        matching: impl Iterator<Item = Bookmark<'a>>,
        records: LinkRecords,
    ) -> Result<(), CliError> {
        let limits = JobLimits {
            total: usize::from(self.jobs),
            ..JobLimits::default()
        };
        let mut run = CheckRun::new(self, context, bookmarks, records);
        let mut urls = Vec::new();
        for bookmark in matching {
            run.total += 1;
            match bookmark.repaired_url() {
                Ok(url) => urls.push((bookmark.index, url)),
                Err(fault) => run.report_bad(&bookmark, fault.to_string())?,
            }
        }
        let targets = check_targets(urls.into_iter(), context)?;
        let ended = run_on_each(CheckLink, context, &targets, limits, |target, checked| {
            run.receive(target, checked)
        });
        run.save()?;
        run.print_moved()?;
        run.summarize(ended?)
    }
}

/// Returns the requests of jobs over bookmarks: one for each URL, and each password has its own answer.
pub(super) fn check_targets(
    urls: impl Iterator<Item = (usize, Url)>,
    context: &CliContext,
) -> Result<Vec<UrlTarget>, CliError> {
    let credentials = context.credentials()?;
    Ok(targets(urls, UrlKey::with_login, |url| Request {
        // The user has not seen each form.
        answers: FormAnswers::Unconfirmed,
        limit: None,
        ..context.request_with(url, Reason::Bookmark, Purpose::Show, &credentials)
    }))
}

/// The result for a bookmark, as printed. The keys of its JSON are part of the interface: scripts read them.
#[derive(Default, Serialize)]
struct CheckReport {
    verdict: &'static str,
    at: Option<String>,
    ms: Option<u64>,
    title: String,
    /// The URL as written, without its password.
    url: String,
    /// The names of the folders, outermost first.
    folder: Vec<String>,
    words: String,
    moved: Option<String>,
    /// True if many pages lead to the new URL.
    perhaps_gone: bool,
    since: Option<String>,
    alive: Option<String>,
}

impl CheckReport {
    fn new(
        bookmarks: &Bookmarks,
        bookmark: &Bookmark<'_>,
        verdict: &'static str,
        words: String,
    ) -> Self {
        let written = bookmark.url_text();
        Self {
            verdict,
            title: bookmark.title().as_str().replace('\t', " "),
            url: Text::of(&mask(written.as_str())).to_string(),
            folder: bookmarks.folder_of(bookmark.index),
            words,
            ..Self::default()
        }
    }

    fn of(bookmarks: &Bookmarks, bookmark: &Bookmark<'_>, verdict: &LinkStatus) -> Self {
        let url = bookmark.repaired_url().ok();
        let verdict = url.map_or(verdict.clone(), |url| verdict.with_fragment_of(&url));
        let mut report = Self::new(bookmarks, bookmark, verdict.name(), verdict.words());
        if let LinkStatus::Moved(url) = &verdict {
            report.moved = Some(url.masked().into_owned());
        }
        let written = bookmark.repaired_url();
        if written.is_ok_and(|url| verdict.is_perhaps_gone(&url)) {
            report.set_perhaps_gone();
        }
        report
    }

    /// Says that the page has perhaps not moved, but is gone.
    fn set_perhaps_gone(&mut self) {
        if !std::mem::replace(&mut self.perhaps_gone, true) {
            self.words.push_str("; perhaps gone");
        }
    }

    /// Adds the fault of a URL that was checked by its repair. Returns true if there is one.
    fn set_fault(&mut self, bookmark: &Bookmark<'_>) -> bool {
        let Ok(url) = bookmark.repaired_url() else {
            return false;
        };
        let fault = match bookmark.url() {
            Ok(url) if url.fragment().is_some() => url.verdict().err(),
            Ok(_) => None,
            Err(fault) => Some(fault),
        };
        let Some(fault) = fault else {
            return false;
        };
        let fault = format!("checked as {}, as {fault}", url.without_fragment().masked());
        self.words = if self.words.is_empty() {
            fault
        } else {
            format!("{}; {fault}", self.words)
        };
        true
    }

    /// Adds the times of the stored state.
    fn set_times(&mut self, state: &LinkState) {
        self.at = Some(state.at.to_string());
        self.ms = Some(u64::try_from(state.took.as_millis()).unwrap_or(u64::MAX));
        self.since = Some(state.since.to_string());
        self.alive = state.alive.map(|alive| alive.to_string());
    }

    fn write(&self, is_json: bool, out: &mut impl Write) -> io::Result<()> {
        if is_json {
            return json::line(self, out);
        }
        let Self {
            verdict,
            title,
            url,
            words,
            ..
        } = self;
        let at = self.at.as_deref().unwrap_or("-");
        let ms = self.ms.map_or("-".to_owned(), |ms| format!("{ms} ms"));
        writeln!(out, "{verdict}\t{at}\t{ms}\t{title}\t{url}\t{words}")
    }
}
