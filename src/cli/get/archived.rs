//! One URL into an archive: the request, the answer, and what became of them.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use geomys_crawl::archive::{Archive, is_public};
use geomys_crawl::warc::{WarcFile, WarcInfo, Written};
use geomys_store::transfer::download::{DownloadOrder, Error};
use geomys_store::transfer::retry::transfer;
use geomys_wire::net::Net;
use geomys_wire::text;
use tempfile::TempDir;

use super::bar::ProgressBar;
use super::save::{answered, print_file};
use crate::cli::context::CliContext;
use crate::cli::error::CliError;
use crate::cli::locale::stderr;
use crate::run::sentence;

/// Opens an archive to append to it. Removes what a killed run has left beside it: no other run has the archive.
pub(super) fn open(path: &Path, info: WarcInfo<'_>) -> Result<Archive, CliError> {
    let opened = WarcFile::open(path, info);
    let file = opened.map_err(|error| CliError::new(error.to_string()))?;
    let archive = Archive::new(file);
    let cleared = remove_left_directories(&archive);
    cleared.map_err(|error| broken(&archive, &error))?;
    Ok(archive)
}

/// Returns the directory of an archive, and the beginning of the names of its temporary directories there.
fn place(archive: &Archive) -> io::Result<(PathBuf, String)> {
    // The path may be a link, or one to an open file.
    let path = archive.path().canonicalize()?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok((path.with_file_name(""), format!(".{name}.geomys-")))
}

fn remove_left_directories(archive: &Archive) -> io::Result<()> {
    let (beside, prefix) = place(archive)?;
    for entry in beside.read_dir()? {
        let entry = entry?;
        let is_left = entry.file_name().to_string_lossy().starts_with(&prefix);
        if is_left && entry.file_type()?.is_dir() {
            std::fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// Creates a temporary directory beside an archive, where there is room for it, with a directory `files` in it.
pub(super) fn directory(archive: &Archive) -> Result<TempDir, CliError> {
    let made = place(archive).and_then(|(beside, prefix)| {
        let directory = tempfile::Builder::new()
            .prefix(&prefix)
            .tempdir_in(beside)?;
        std::fs::create_dir(directory.path().join("files"))?;
        Ok(directory)
    });
    made.map_err(|error| broken(archive, &error))
}

/// Returns the error of an archive that cannot be written.
fn broken(archive: &Archive, error: &io::Error) -> CliError {
    let path = archive.path().display();
    CliError::new(format!("{path}: {}", text::system_message(error)))
}

/// Fetches the file of an order into an archive. What comes waits in a directory.
pub(super) async fn file(
    context: &CliContext,
    net: &Net,
    mut order: DownloadOrder,
    (archive, directory): (&Archive, &Path),
    is_json: bool,
) -> Result<(), CliError> {
    let retry_policy = context.config.settings.transfers.retries;
    loop {
        if !is_public(&order.request) {
            let why = "pages that need a login or an answer are not written to an archive";
            return Err(CliError::new(why));
        }
        let shown = text::Text::of(&order.request.url.masked());
        let page = archive.page(net, &order.request.url, directory);
        let mut bar = ProgressBar::new(shown.as_str());
        let mut report = |event| bar.file(&event);
        let fetched = transfer(&page.net, order.clone(), &retry_policy, &mut report).await;
        bar.clear();
        // A refusal is kept too.
        let written = page.add_exchanges(None, u64::MAX).await;
        let written = written.map_err(|error| broken(archive, &error))?;
        let file = match &fetched {
            Ok(saved) => page.add_file(None, &saved.path).await,
            Err(_) => Ok(None),
        };
        let file = file.map_err(|error| broken(archive, &error))?;
        archive
            .sync()
            .await
            .map_err(|error| broken(archive, &error))?;
        let error = match fetched {
            Ok(saved) => {
                let size = text::octets(saved.octets);
                let note = note(written.or(file));
                writeln!(stderr(), "{shown}: {size}{note}")?;
                if is_json {
                    let path = archive.path().display().to_string();
                    print_file(&order.request.url, path, &saved)?;
                }
                return Ok(());
            }
            Err(error) => error,
        };
        match error {
            Error::Directory => {
                return Err(CliError::new(
                    "this is a directory: `geomys archive -r` fetches it",
                ));
            }
            Error::Oversize { .. } => return Err(CliError::new(sentence(&error))),
            error => order.request = answered(context, error, &order.request)?,
        }
    }
}

/// Returns what became of an answer, unless it is in the archive now.
fn note(written: Option<Written>) -> String {
    match written {
        Some(Written::New) | None => String::new(),
        Some(Written::Same) => "; the archive had it already".to_owned(),
        Some(Written::LeftOut(why)) => format!("; not in the archive: {why}"),
    }
}
