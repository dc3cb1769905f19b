//! `geomys get`, `mirror` and `archive`: save the resources of URLs.

mod archived;
mod bar;
mod mailbox;
mod options;
mod save;
mod site;

use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Arg, Args};
use geomys_crawl::archive::Archive;
use geomys_crawl::served::CopyServer;
use geomys_crawl::tree::{self, MirrorOptions, NameFilter, RunMode, SiteOptions};
use geomys_crawl::warc::WarcInfo;
use geomys_load::{
    ArchiveStore, NameHints, Part, Purpose, Request, directory_name_of, file_name_of,
};
use geomys_store::transfer::download::{DownloadOrder, TakenName};
use geomys_store::transfer::records::{DirectoryRecords, MergePolicy};
use geomys_wire::net::Net;
use geomys_wire::text::FileUse;
use rfc1738::{Dialect, Protocol, Url};

pub(super) use self::site::{ArchiveCommand, Mirror};

use self::options::{
    MirrorUpdate, SiteLimits, TransferArguments, archive_path, existing, existing_names,
};
use super::argument::{Suggested, UrlArgument};
use super::context::{CliContext, address};
use super::context::{block_on, block_on_current_thread, fetch};
use super::error::Output;
use super::error::{CliError, exit_status};
use super::signals::stop_signal;
use crate::cli::locale::stderr;

/// The message after an interrupt.
const STOPPED: &str = "stopped; run the same command to resume";

/// The options of `geomys get` that belong to mirrors and archives. They stay as hidden spellings.
const HIDDEN: [&str; 12] = [
    "warc", "merge", "delete", "dry_run", "convert", "include", "exclude", "parallel", "depth",
    "span", "pages", "wait",
];

#[derive(Debug, Args)]
#[command(mut_args(hide_options_of_mirrors))]
pub(super) struct Get {
    /// Files to download; `-` is the lines of standard input
    #[arg(value_name = "URL", required = true)]
    addresses: Vec<UrlArgument>,

    /// Write to FILE, or into DIR/; `-` is standard output
    ///
    /// An existing FILE is replaced. With a `/` at the end, and for several URLs, it is a directory. Without this
    /// option a file is named by its server or its URL, with a number if that name is taken.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Download a directory or a site: `geomys mirror`
    #[arg(short, long, hide = true)]
    recursive: bool,

    /// Download the thread of a news article, as a mailbox
    ///
    /// The URL names the article by its number: `nntp://host/group/7`. A group, or a range of it, is a mailbox without
    /// this option.
    #[arg(long, conflicts_with_all = ["recursive", "warc"])]
    thread: bool,

    /// Write into an archive: `geomys archive`
    #[arg(
        long,
        value_name = "FILE",
        value_parser = archive_path,
        conflicts_with_all = ["output", "existing", "merge", "delete", "dry_run"]
    )]
    warc: Option<PathBuf>,

    /// An option of an earlier version, which changes nothing
    #[arg(long, hide = true)]
    past_size: bool,

    /// What to do if the file exists: `rename` gives the new one a number, `skip` fetches nothing,
    /// `resume` continues the file if it is the beginning of the new one, `overwrite` replaces it
    #[arg(long, value_name = "HOW", hide_possible_values = true)]
    #[arg(value_parser = Suggested::new(existing, existing_names))]
    existing: Option<TakenName>,

    #[command(flatten)]
    update: MirrorUpdate,

    #[command(flatten)]
    site: SiteLimits,

    #[command(flatten)]
    transfer: TransferArguments,
}

/// Hides the options of mirrors and archives, and allows them with `-r` alone.
fn hide_options_of_mirrors(option: Arg) -> Arg {
    match option.get_id().as_str() {
        "warc" => option.hide(true),
        id if HIDDEN.contains(&id) => option.hide(true).requires("recursive"),
        _ => option,
    }
}

/// The local path of a resource, as the command line names it.
enum OutputPath {
    /// This path.
    Exact(PathBuf),
    /// A file of this name, or of the name that the server gives, in its directory.
    Suggested(PathBuf),
}

impl Get {
    pub(super) fn run(&self, context: &CliContext) -> Result<(), CliError> {
        if self.past_size {
            let _ = writeln!(
                stderr(),
                "geomys: --past-size is gone: a download ends at the announced size"
            );
        }
        let settings = &context.config.settings;
        let addresses = UrlArgument::expanded(&self.addresses)?;
        let urls = addresses.iter().map(|text| address(text, settings));
        let urls = urls.collect::<Result<Vec<Url>, CliError>>()?;
        if self.update.convert.is_some()
            && let Some(url) = urls.iter().find(|url| CopyServer::of(url).is_none())
        {
            let url = url.masked_answers();
            return Err(CliError::Usage(format!(
                "--convert is for sites of Gopher and Gemini, not {url}"
            )));
        }
        let is_stdout = |output: &PathBuf| output.as_os_str() == "-";
        let is_stdout = self.output.as_ref().is_some_and(is_stdout);
        if is_stdout && self.transfer.json {
            let message = "the file and --json cannot both go to standard output";
            return Err(CliError::Usage(message.to_owned()));
        }
        match (is_stdout, self.recursive) {
            (true, true) => Err(CliError::new(
                "a directory cannot go to standard output: use -o DIR",
            )),
            (true, false) => urls.into_iter().try_for_each(|url| {
                let articles = mailbox::ArticleSelection::of(&url, self.thread)?;
                to_stdout(context, self.request(context, url)?, articles)
            }),
            (false, _) => block_on_current_thread(async {
                let stopped = stop_signal()?;
                tokio::select! {
                    biased;
                    () = stopped => {
                        let _ = writeln!(stderr());
                        Err(CliError::new(STOPPED))
                    }
                    done = self.save_all(context, urls) => done,
                }
            })?,
        }
    }

    /// Saves one URL after the other. A failure does not stop the others.
    async fn save_all(&self, context: &CliContext, urls: Vec<Url>) -> Result<(), CliError> {
        let net = context.config.net(&context.paths);
        let net = match self.transfer.limit_rate {
            Some(rate) => net.with_rate_limit(rate),
            None => net,
        };
        let is_several = urls.len() > 1;
        if is_several && self.output.as_ref().is_some_and(|path| path.is_file()) {
            return Err(CliError::Usage(
                "several URLs cannot go into one file: use -o DIR/".to_owned(),
            ));
        }
        let archive = self.warc.as_deref().map(|path| self.archive(path));
        let archive = archive.transpose()?;
        let mut result = Ok(());
        // The members of an archive need one request.
        let archives = Arc::new(ArchiveStore::default());
        for url in urls {
            let request = self.request(context, url).map(|mut request| {
                request.settings.archives = Arc::clone(&archives);
                request
            });
            let saved = match request {
                Ok(request) => match &archive {
                    Some(archive) => {
                        Box::pin(self.archive_url(context, &net, request, archive)).await
                    }
                    None => Box::pin(self.save(context, &net, request, is_several)).await,
                },
                Err(error) => Err(error),
            };
            if is_several && saved.is_err() {
                // Each failure is reported when it happens.
                exit_status(saved);
                result = Err(CliError::new(""));
            } else {
                result = result.and(saved);
            }
        }
        result
    }

    fn request(&self, context: &CliContext, url: Url) -> Result<Request, CliError> {
        Ok(self
            .transfer
            .consent
            .apply(context.request(url, Purpose::Save)?))
    }

    /// Returns the path to save to.
    fn path(&self, request: &Request, is_several: bool, is_directory: bool) -> OutputPath {
        let ends_in_slash = |path: &Path| path.as_os_str().as_bytes().ends_with(b"/");
        let name_for = |usage| {
            let hints = NameHints {
                usage,
                ..request.name_hints.clone()
            };
            let name_of = if is_directory {
                directory_name_of
            } else {
                file_name_of
            };
            name_of(&request.url, &hints)
        };
        match &self.output {
            Some(path) if is_several || ends_in_slash(path) => {
                OutputPath::Suggested(path.join(name_for(FileUse::Mirror)))
            }
            Some(path) => OutputPath::Exact(path.clone()),
            None => OutputPath::Suggested(PathBuf::from(name_for(FileUse::Single))),
        }
    }

    fn mirror_options(&self) -> MirrorOptions {
        MirrorOptions {
            vanished: self.update.delete.unwrap_or_default(),
            run: if self.update.dry_run {
                RunMode::Dry
            } else {
                RunMode::Real
            },
            filter: NameFilter {
                include: self.site.include.clone(),
                exclude: self.site.exclude.clone(),
            },
            pause: self.site.wait.unwrap_or_default(),
            site: SiteOptions {
                depth: self.site.depth,
                span: self
                    .site
                    .span
                    .iter()
                    .map(|host| host.to_ascii_lowercase())
                    .collect(),
                pages: self.site.pages,
            },
        }
    }

    async fn save(
        &self,
        context: &CliContext,
        net: &Net,
        request: Request,
        is_several: bool,
    ) -> Result<(), CliError> {
        // A file in an archive is all that is below it.
        let is_directory = self.recursive && !save::is_member_file(net, &request).await;
        let path = self.path(&request, is_several, is_directory);
        if is_directory {
            let sources = DirectoryRecords::new(context.paths.sources());
            let into = match path {
                OutputPath::Exact(path) => path,
                OutputPath::Suggested(path) => sources.destination(&path, &request.url),
            };
            let merge = if self.update.merge {
                MergePolicy::Allow
            } else {
                MergePolicy::Ask
            };
            let order = tree::DirectoryOrder {
                merge,
                ..self.directory_order(context, request, into)
            };
            let convert = self.update.convert.as_ref().map(|into| match into {
                Some(into) => into.clone(),
                None => copy_beside(&order.into),
            });
            let saving =
                save::directory(context, net, order, &sources, (self.transfer.json, convert));
            return Box::pin(saving).await;
        }
        if let Some(articles) = mailbox::ArticleSelection::of(&request.url, self.thread)? {
            let path = match path {
                OutputPath::Exact(path) => path,
                OutputPath::Suggested(path) => mailbox::free_path(&path),
            };
            let net = Arc::new(net.clone());
            return Box::pin(mailbox::save(context, &net, request, articles, &path)).await;
        }
        let target = match path {
            OutputPath::Exact(path) => self.existing.unwrap_or(TakenName::Overwrite).chosen(path),
            OutputPath::Suggested(path) => {
                let default = context.config.settings.taken_name;
                self.existing.unwrap_or(default).target(path)
            }
        };
        let order = DownloadOrder::new(request, target);
        save::file(context, net, order, self.transfer.json).await
    }

    fn directory_order(
        &self,
        context: &CliContext,
        request: Request,
        into: PathBuf,
    ) -> tree::DirectoryOrder {
        let at_once = if self.site.wait.is_some() || is_gopher(&request.url) {
            // Gopher servers have few connections.
            1
        } else {
            context.config.settings.transfers.at_once_per_host
        };
        tree::DirectoryOrder {
            at_once: self.site.parallel.unwrap_or(at_once),
            mirror: self.mirror_options(),
            ..tree::DirectoryOrder::new(request, into)
        }
    }

    /// Opens the archive.
    fn archive(&self, path: &Path) -> Result<Archive, CliError> {
        let recursive = if self.recursive { "-r " } else { "" };
        let urls: Vec<String> = self.addresses.iter().map(UrlArgument::to_string).collect();
        let info = WarcInfo {
            honours_robots: self.recursive,
            description: &format!("geomys get {recursive}{}", urls.join(" ")),
        };
        Archive::open(path, info).map_err(CliError::new)
    }

    /// Writes what a URL brings into an archive.
    async fn archive_url(
        &self,
        context: &CliContext,
        net: &Net,
        request: Request,
        archive: &Archive,
    ) -> Result<(), CliError> {
        let span = self.site.span.iter().map(|host| format!("http://{host}/"));
        let span = span.filter_map(|url| Dialect::Extended.parse(&url).ok());
        let history = &context.config.settings.history;
        if span
            .chain([request.url.clone()])
            .any(|url| history.excludes(&url))
        {
            let why = "hosts without history are not written to an archive";
            return Err(CliError::new(why));
        }
        let directory = archive.directory().map_err(CliError::new)?;
        let into = directory.path().join("files");
        if self.recursive {
            let sources = DirectoryRecords::new(directory.path().join("sources"));
            let order = tree::DirectoryOrder {
                archive: Some(archive.clone()),
                ..self.directory_order(context, request, into)
            };
            return Box::pin(save::directory(
                context,
                net,
                order,
                &sources,
                (self.transfer.json, None),
            ))
            .await;
        }
        let target = TakenName::Overwrite.chosen(into.join("file"));
        let order = DownloadOrder::new(request, target);
        archived::file(context, net, order, (archive, &into), self.transfer.json).await
    }
}

/// Returns the path of the copy to serve beside a mirror.
fn copy_beside(mirror: &Path) -> PathBuf {
    let mut name = mirror.file_name().unwrap_or_default().to_owned();
    name.push("-served");
    mirror.with_file_name(name)
}

fn is_gopher(url: &Url) -> bool {
    matches!(url.protocol(), Protocol::Gopher(_))
}

/// Writes a file, or the articles as a mailbox, to standard output.
fn to_stdout(
    context: &CliContext,
    request: Request,
    articles: Option<mailbox::ArticleSelection>,
) -> Result<(), CliError> {
    block_on(async {
        if let Some(articles) = articles {
            let net = Arc::new(context.config.net(&context.paths));
            return Box::pin(mailbox::print(context, &net, request, articles)).await;
        }
        let mut out = Output::of_octets();
        let fetched = fetch(context, request, |part| {
            if let Part::Octets(octets) = part {
                out.write_all(&octets)?;
            }
            Ok(())
        })
        .await;
        out.end()?;
        fetched.map(drop)
    })?
}
