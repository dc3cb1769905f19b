//! The options that downloads, mirrors and archives share, and the parsers of their values.

use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use geomys_crawl::site::MAX_PAGES;
use geomys_crawl::tree::VanishedFiles;
use geomys_store::transfer::download::TakenName;
use geomys_wire::net::parse_rate;
use rfc1738::Dialect;

use crate::cli::context::Consent;

/// Maximum number of files that are fetched at once: more connections help no server.
const MAX_PARALLEL: usize = 32;

/// What a mirror does with the files that it has.
#[derive(Debug, Default, Args)]
pub(super) struct MirrorUpdate {
    /// Allow other files in the directory
    #[arg(long)]
    pub(super) merge: bool,

    /// Delete files that the server no longer has
    ///
    /// Only files that an earlier run fetched from the same URL are deleted, and none if anything failed. The server
    /// has to say that they are gone: by a whole FTP listing without them, or by its answer; a page that nothing links
    /// to any more is asked for, once. Nothing is deleted if more than half of 10 or more files are gone; with
    /// `--delete=all` they are.
    #[arg(
        long,
        value_name = "all",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        value_parser = vanished
    )]
    pub(super) delete: Option<VanishedFiles>,

    /// Print what would be done, change nothing
    #[arg(long)]
    pub(super) dry_run: bool,

    /// Write a copy of a Gopher or Gemini site that can be served again
    ///
    /// Into DIR, or the directory of the mirror with `-served` behind its name. Menus become gophermaps of gophernicus,
    /// a capsule gets a `.molly` for molly-brown. No row of a menu becomes a command, and no file executable. See the
    /// manual, topic `transfers`.
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true)]
    #[expect(
        clippy::option_option,
        reason = "an option of the command line with an optional value"
    )]
    pub(super) convert: Option<Option<PathBuf>>,
}

/// Which files and pages of a directory or a site are fetched, and how.
#[derive(Debug, Args)]
pub(super) struct SiteLimits {
    /// Download only files whose names match
    ///
    /// `*` is any text, `?` any character. A pattern with a `/` is matched with the path below the directory. May be
    /// repeated.
    #[arg(long, value_name = "PATTERN")]
    pub(super) include: Vec<String>,

    /// Skip files and directories whose names match
    ///
    /// `NAME/` is a directory. May be repeated.
    #[arg(long, value_name = "PATTERN")]
    pub(super) exclude: Vec<String>,

    /// Fetch this many files at once
    #[arg(short = 'P', long, value_name = "N", value_parser = parallel)]
    pub(super) parallel: Option<usize>,

    /// Follow at most N links from the first page
    #[arg(long, value_name = "N")]
    pub(super) depth: Option<usize>,

    /// Fetch the pages of this host, too
    ///
    /// May be repeated. The host of the URL itself means all of it, not only what is below the path.
    #[arg(long, value_name = "HOST", value_parser = host)]
    pub(super) span: Vec<String>,

    /// Fetch at most N pages of a site
    #[arg(long, value_name = "N", default_value_t = MAX_PAGES)]
    pub(super) pages: usize,

    /// Wait N seconds before each file but the first
    #[arg(long, value_name = "N", value_parser = seconds)]
    pub(super) wait: Option<Duration>,
}

/// The options of everything that is saved.
#[derive(Debug, Args)]
pub(super) struct TransferArguments {
    /// Limit the bytes per second of all files together: 500k, 2M
    #[arg(long, value_name = "RATE", value_parser = rate)]
    pub(super) limit_rate: Option<NonZeroU64>,

    /// Print one JSON object a line for each URL, with the end of its transfer
    #[arg(long)]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) consent: Consent,
}

/// Parses the path of an archive.
pub(super) fn archive_path(written: &str) -> Result<PathBuf, String> {
    if written == "-" {
        return Err("an archive is a file: what it has already is read again".to_owned());
    }
    Ok(PathBuf::from(written))
}

/// Parses a host without a scheme, a port and a path.
pub(super) fn host(written: &str) -> Result<String, String> {
    let url = Dialect::Extended.parse(&format!("http://{written}/")).ok();
    let is_host = url.is_some_and(|url| {
        let address = url.base_parts().address();
        address.is_some_and(|address| [address.host, address.node()].contains(&written))
    });
    if is_host {
        Ok(written.to_ascii_lowercase())
    } else {
        Err("expected a host, like images.example.org".to_owned())
    }
}

/// Parses the files that are deleted.
pub(super) fn vanished(text: &str) -> Result<VanishedFiles, String> {
    match text {
        "" => Ok(VanishedFiles::Delete),
        "all" => Ok(VanishedFiles::DeleteAll),
        _ => Err("--delete, or --delete=all".to_owned()),
    }
}

/// The names of the treatments, which a shell completes.
pub(super) fn existing_names() -> Vec<&'static str> {
    vec!["rename", "skip", "resume", "overwrite"]
}

/// Parses the treatment of a file that has the name already.
pub(super) fn existing(written: &str) -> Result<TakenName, String> {
    TakenName::named(written).ok_or_else(|| "expected rename, skip, resume or overwrite".to_owned())
}

/// Parses a number of seconds, like `1` or `0.5`.
fn seconds(written: &str) -> Result<Duration, String> {
    let seconds = written.parse().ok();
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| "expected seconds, like 1 or 0.5".to_owned())
}

/// Parses a number of files at once.
fn parallel(written: &str) -> Result<usize, String> {
    let number = written
        .parse()
        .ok()
        .filter(|number| (1..=MAX_PARALLEL).contains(number));
    number.ok_or_else(|| format!("expected a number from 1 to {MAX_PARALLEL}"))
}

/// Parses a rate such as `500k`, in bytes a second.
fn rate(written: &str) -> Result<NonZeroU64, String> {
    parse_rate(written).ok_or_else(|| "expected bytes per second, like 500k or 2M".to_owned())
}
