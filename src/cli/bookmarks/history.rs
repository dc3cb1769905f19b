//! `geomys bookmarks history`.

use std::io::Write;

use clap::Args;
use geomys_store::bookmarks::Store;

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
            let difference = store.restore_number(number)?;
            writeln!(out, "back to state {number}: {difference}")?;
            return Ok(());
        }
        for line in store.state_lines()? {
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}
