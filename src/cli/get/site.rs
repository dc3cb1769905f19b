//! `geomys mirror` and `geomys archive`: a directory or a site into a directory, or into a WARC file.

use std::path::PathBuf;

use clap::{Arg, Args};

use super::options::{MirrorUpdate, SiteLimits, TransferArguments, archive_path};
use super::{Get, HIDDEN};
use crate::cli::argument::UrlArgument;
use crate::cli::context::CliContext;
use crate::cli::error::CliError;

#[derive(Debug, Args)]
pub(in crate::cli) struct Mirror {
    /// Directory or site to copy
    #[arg(value_name = "URL")]
    address: UrlArgument,

    /// Directory of the copy; without it one that is named by the URL
    #[arg(value_name = "DIR")]
    directory: Option<PathBuf>,

    #[command(flatten)]
    update: MirrorUpdate,

    #[command(flatten)]
    site: SiteLimits,

    #[command(flatten)]
    transfer: TransferArguments,
}

#[derive(Debug, Args)]
#[command(mut_args(require_a_site))]
pub(in crate::cli) struct ArchiveCommand {
    /// Page, or with -r directory or site, to archive
    #[arg(value_name = "URL")]
    address: UrlArgument,

    /// The archive, FILE.warc.gz
    #[arg(value_name = "FILE", value_parser = archive_path)]
    file: PathBuf,

    /// Archive the whole directory or site
    #[arg(short, long)]
    recursive: bool,

    #[command(flatten)]
    site: SiteLimits,

    #[command(flatten)]
    transfer: TransferArguments,
}

/// Allows the options of a site with `-r` alone.
fn require_a_site(option: Arg) -> Arg {
    let is_of_site = HIDDEN.contains(&option.get_id().as_str());
    if is_of_site {
        option.requires("recursive")
    } else {
        option
    }
}

impl Mirror {
    pub(in crate::cli) fn run(self, context: &CliContext) -> Result<(), CliError> {
        let get = Get {
            addresses: vec![self.address],
            output: self.directory,
            recursive: true,
            warc: None,
            past_size: false,
            thread: false,
            existing: None,
            update: self.update,
            site: self.site,
            transfer: self.transfer,
        };
        get.run(context)
    }
}

impl ArchiveCommand {
    pub(in crate::cli) fn run(self, context: &CliContext) -> Result<(), CliError> {
        let get = Get {
            addresses: vec![self.address],
            output: None,
            recursive: self.recursive,
            warc: Some(self.file),
            past_size: false,
            thread: false,
            existing: None,
            update: MirrorUpdate::default(),
            site: self.site,
            transfer: self.transfer,
        };
        get.run(context)
    }
}
