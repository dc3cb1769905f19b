//! One URL into an archive: the request, the answer, and what became of them.

use std::io::{self, Write};
use std::path::Path;

use geomys_crawl::archive::{Archive, is_public};
use geomys_crawl::warc::Written;
use geomys_store::transfer::download::{DownloadOrder, Error};
use geomys_store::transfer::retry::transfer;
use geomys_wire::net::Net;
use geomys_wire::text;

use super::bar::ProgressBar;
use super::save::{answered, print_file};
use crate::cli::context::CliContext;
use crate::cli::error::CliError;
use crate::cli::locale::stderr;
use crate::run::sentence;

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
        let shown = text::Text::of(&order.request.url.masked_answers());
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
