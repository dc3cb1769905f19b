//! `geomys bookmarks history`.

use std::io::Write;

use clap::Args;
use geomys_store::bookmarks::{Bookmarks, Difference, State, Store};
use geomys_wire::text;
use jiff::tz::TimeZone;

use crate::cli::error::CliError;
use crate::cli::error::Output;
use crate::cli::locale::stdout;

#[derive(Debug, Args)]
pub(super) struct HistoryCommand {
    /// Print the file as it was in state N
    #[arg(long, value_name = "NUMBER", conflicts_with = "restore")]
    show: Option<u32>,

    /// Restore state N; the present one is stored too
    #[arg(long, value_name = "NUMBER")]
    restore: Option<u32>,
}

impl HistoryCommand {
    pub(super) fn run(&self, store: &Store) -> Result<(), CliError> {
        if let Some(number) = self.show {
            let state = store.state(number)?.load()?;
            // Exact octets, so that the output can be used as a file.
            let mut out = Output::of_octets();
            out.write_all(state.octets())?;
            return Ok(out.end()?);
        }
        let mut out = stdout();
        if let Some(number) = self.restore {
            let before = store.load()?;
            let now = store.restore(&store.state(number)?)?;
            let difference = Difference::between(&before, &now);
            writeln!(out, "back to state {number}: {difference}")?;
            return Ok(());
        }
        let mut later = store.load()?;
        let mut lines = Vec::new();
        for state in store.states()?.iter().rev() {
            let bookmarks = state.load()?;
            lines.push(line(state, &bookmarks, &later));
            later = bookmarks;
        }
        for line in lines {
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}

/// Describes a state: its number, end time, number of bookmarks, and the difference to the next state.
fn line(state: &State, bookmarks: &Bookmarks, later: &Bookmarks) -> String {
    let until = state.until.to_zoned(TimeZone::system());
    let count = bookmarks.bookmarks().count();
    let entries = if count == 1 { "bookmark" } else { "bookmarks" };
    format!(
        "{:>4}  until {}  {:>6} {entries}; then {}",
        state.number,
        until.strftime("%Y-%m-%d %H:%M:%S"),
        text::count(count),
        Difference::between(bookmarks, later)
    )
}
