//! `geomys bookmarks merge`: one bookmark for each URL.

use std::collections::BTreeSet;
use std::io::{Write, stderr, stdout};

use clap::Args;
use geomys_store::bookmarks::Store;

use super::edit::matching;
use super::print::{check_conflicts, describe};
use crate::cli::context::CliContext;
use crate::cli::error::CliError;

#[derive(Debug, Args)]
pub(super) struct Merge {
    /// Merge only the copies of bookmarks that `bookmarks list QUERY` lists
    #[arg(long, value_name = "QUERY", allow_hyphen_values = true)]
    matching: Option<String>,

    /// Print what would be merged, and change nothing
    #[arg(long)]
    dry_run: bool,
}

impl Merge {
    pub(super) fn run(&self, store: &Store, context: &CliContext) -> Result<(), CliError> {
        let file = store.load()?;
        let mut doubles = file.doubles();
        if let Some(query) = &self.matching {
            let selected: BTreeSet<usize> = matching(query, &file, context)?.into_iter().collect();
            doubles.retain(|same| same.iter().any(|index| selected.contains(index)));
        }
        if doubles.is_empty() {
            writeln!(stderr(), "geomys: no copies to merge")?;
            return Ok(());
        }
        if !self.dry_run {
            check_conflicts(&store.save(&file, &file.merging(&doubles))?)?;
        }
        let mut out = stdout().lock();
        for same in &doubles {
            let mut same = same.iter().filter_map(|&index| file.bookmark(index));
            let first = same.next().map(|first| describe(&file, &first));
            let first = first.unwrap_or_default();
            for copy in same {
                writeln!(out, "merged {} -> {first}", describe(&file, &copy))?;
            }
        }
        Ok(())
    }
}
