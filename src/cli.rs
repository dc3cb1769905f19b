//! The command line: one file per subcommand.

mod ask;
mod bookmarks;
mod browse;
mod demo;
mod dump;
mod get;
mod links;
mod output;
mod supervisor;
mod terminal;
mod url;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Parser, Subcommand};
use tokio::sync::mpsc;

use self::output::clean;
pub use self::supervisor::supervise;
use crate::app::Settings;
use crate::app::request_defaults::RequestDefaults;
use crate::config::{self, Config, Environment, UserPaths};
use crate::document::Zone;
use crate::files::cache::Cache;
use crate::files::tls_offers::OfferFile;
use crate::files::trust::{self, Pins};
use crate::load::{FormAnswers, LoadId, NewsHost, PageHead, Part, Purpose, Request, Stop};
use crate::net::{Limits, Net, Route};
use crate::run::page_cache::load;
use crate::text::{CharsetSetting, is_harmful};
use crate::url::{Guesses, Url};

/// The most parts of a page that are queued for printing or writing.
const PARTS: usize = 64;

/// A keyboard-driven terminal browser for the Internet that RFC 1738 described: Gopher, FTP, Usenet news.
#[derive(Debug, Parser)]
#[command(name = "geomys", version)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    common: Common,

    #[command(flatten)]
    browse: browse::Browse,

    /// The process that started this one supervises it, and holds the other end of this pipe
    #[arg(long, hide = true, value_name = "FD")]
    supervised: Option<u32>,
}

#[derive(Debug, Args)]
struct Common {
    /// Where bookmarks and settings are, instead of the platform's own place
    #[arg(long, value_name = "DIR", global = true)]
    config: Option<PathBuf>,

    /// The file of bookmarks, instead of one's own; it is made with the first one that goes into it
    #[arg(long, value_name = "FILE", global = true)]
    bookmarks: Option<PathBuf>,

    /// The server that `news:` addresses go to; behind `nntps://` over TLS
    #[arg(long, value_name = "HOST[:PORT]", global = true, value_parser = server)]
    server: Option<NewsHost>,

    /// The SOCKS5 proxy that every connection goes through
    #[arg(long, value_name = "HOST:PORT|URL", global = true, value_parser = route)]
    proxy: Option<Route>,

    /// Ask no server: only what is kept is shown
    #[arg(long, global = true)]
    offline: bool,

    /// How octets that are not UTF-8 are read
    #[arg(long, value_name = "NAME", global = true, value_parser = charset)]
    encoding: Option<CharsetSetting>,

    /// No colours
    #[arg(long, global = true)]
    no_color: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// A small world on loopback, and the browser in it on a throw-away profile
    Demo(demo::Demo),
    /// Tell the parts of URLs, or point at what is wrong in them
    Url(url::UrlArguments),
    /// List the URLs in running text
    Links(links::Links),
    /// Print a page as text
    ///
    /// A text is printed as it comes, however long it is, and so is every page with --raw. Any other page is held until it is
    /// whole: of one that is larger than 1 GiB the beginning is printed, and the exit status is 1.
    Dump(dump::Dump),
    /// Save what a URL names
    Get(get::Get),
    /// List the bookmarks, change them, exchange them with other programs
    Bookmarks(bookmarks::BookmarksCommand),
}

/// The context of a subcommand: paths and configuration.
struct CliContext {
    paths: UserPaths,
    config: Config,
    /// The pipe of the supervising process.
    supervised: Option<u32>,
}

impl CliContext {
    /// Returns the network client with the configured limits and proxies.
    fn net(&self) -> Net {
        let memory = self.config.settings.memory;
        let defaults = Limits::default();
        let net = Net::new(Limits {
            page: memory.page,
            list: defaults.list.max(memory.page),
            ..defaults
        })
        .with_route(self.config.route.clone())
        .with_web_proxies(self.config.web.clone())
        .with_offer_store(Arc::new(OfferFile::new(self.paths.offered())));
        net.set_offline(self.config.settings.offline);
        net
    }

    /// Returns the page cache.
    fn cache(&self) -> Arc<Cache> {
        let directory = self.paths.cache.clone();
        Arc::new(Cache::new(directory, self.config.settings.cache))
    }

    /// Returns a request with the request defaults and stored logins.
    fn request(&self, url: Url, purpose: Purpose) -> Result<Request, CliError> {
        let request = self.request_with_pins(url, purpose, &Pins::default());
        if request.tls_authority().is_none() {
            return Ok(request);
        }
        Ok(self.request_with_pins(request.url, purpose, &self.pins()?))
    }

    /// Returns the same request with accepted certificates that are already loaded.
    fn request_with_pins(&self, url: Url, purpose: Purpose, pins: &Pins) -> Request {
        let mut request = Request {
            purpose,
            // A user who writes a filled form on the command line has seen it.
            answers: FormAnswers::Confirmed,
            // The reader of the output can stop it at any time.
            limit: Some(u64::MAX),
            ..Request::show(url)
        };
        RequestDefaults::new(&self.config.settings, pins).apply(&mut request);
        request
    }

    /// Loads the accepted certificates.
    fn pins(&self) -> Result<Pins, CliError> {
        trust::load(&self.paths.trust()).map_err(|error| CliError::new(error.to_string()))
    }
}

/// Parses the arguments of the command line, the name of the program first. Errors and requested help are printed.
///
/// # Errors
/// The exit status, if there is nothing more to do.
pub fn parse(words: &[OsString]) -> Result<Arguments, ExitCode> {
    let error = match Arguments::try_parse_from(words) {
        Ok(arguments) => return Ok(arguments),
        Err(error) => error,
    };
    // The error message repeats the arguments, and must not send their control characters to the terminal.
    let mut words = words.iter().map(|word| word.to_string_lossy());
    // A closed stream cannot show the error.
    let _ = if words.any(|word| word.chars().any(is_harmful)) {
        write!(io::stderr(), "{}", clean(&error.render().to_string()))
    } else {
        error.print()
    };
    Err(u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Runs the command line. The exit status is 0 on success, 1 if the command failed, 2 if the command line is wrong.
pub fn run(arguments: Arguments, mut environment: Environment) -> ExitCode {
    environment.no_color |= arguments.common.no_color;
    // These subcommands need no directories for files.
    if let Some(Command::Url(urls)) = &arguments.command {
        return exit_status(urls.run());
    }
    if let Some(Command::Links(links)) = &arguments.command {
        return exit_status(links.run());
    }
    if let Some(Route::InvalidProxy(error)) = &arguments.common.proxy {
        // Not reported by clap, which would repeat the argument, including a password.
        exit_status(Err(CliError::new(format!("--proxy: {error}"))));
        return ExitCode::from(2);
    }
    let Some(mut paths) = UserPaths::new(arguments.common.config.clone()) else {
        return exit_status(Err(CliError::new(
            "there is no home directory; --config DIR names a place",
        )));
    };
    if arguments.common.config.is_none() {
        paths.restrict();
    }
    paths.bookmarks.clone_from(&arguments.common.bookmarks);
    let mut config = config::read(&paths, &environment);
    config.settings.news_server = arguments
        .common
        .server
        .clone()
        .or_else(|| config::news_server(&config.settings, &environment));
    if let Some(route) = arguments.common.proxy.clone() {
        config.settings.route = route.clone();
        config.route = route;
    }
    config.settings.offline = arguments.common.offline;
    if let Some(read_as) = arguments.common.encoding {
        config.settings.charset = read_as;
    }
    let context = CliContext {
        paths,
        config,
        supervised: arguments.supervised,
    };
    exit_status(match arguments.command {
        None => arguments.browse.run(context),
        Some(Command::Demo(demo)) => demo.run(context),
        Some(Command::Url(urls)) => urls.run(),
        Some(Command::Links(links)) => links.run(),
        Some(Command::Dump(dump)) => dump.run(&context),
        Some(Command::Get(get)) => get.run(&context),
        Some(Command::Bookmarks(bookmarks)) => bookmarks.run(&context),
    })
}

/// An error of a subcommand.
#[derive(Debug)]
enum CliError {
    /// The command failed, with a message and the words of the server.
    Failed {
        message: String,
        server_lines: Vec<String>,
    },
    /// The reader of the output closed it, as `head` does: that is no failure.
    OutputClosed,
}

impl CliError {
    fn new(message: impl Into<String>) -> Self {
        Self::Failed {
            message: message.into(),
            server_lines: Vec::new(),
        }
    }
}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // Errors of sockets and files are converted elsewhere: only a standard stream breaks here.
            io::ErrorKind::BrokenPipe => Self::OutputClosed,
            _ => Self::new(error.to_string()),
        }
    }
}

impl From<Stop> for CliError {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Failed(failure) => {
                let next = failure.next.and_then(|next| next.target.ok());
                let next = next.map_or(String::new(), |url| format!("; now {}", url.masked()));
                Self::Failed {
                    message: format!("{}{next}", failure.sentence),
                    server_lines: failure.said.iter().map(ToString::to_string).collect(),
                }
            }
            Stop::Needs(question) => Self::new(question.unanswered()),
            Stop::Truncated(limit) => Self::new(format!(
                "cut: a page holds {} at most",
                crate::text::octets(limit)
            )),
            Stop::Closed => Self::new("stopped"),
        }
    }
}

fn exit_status(result: Result<(), CliError>) -> ExitCode {
    let (message, server_lines) = match result {
        Ok(()) | Err(CliError::OutputClosed) => return ExitCode::SUCCESS,
        Err(CliError::Failed {
            message,
            server_lines,
        }) => (message, server_lines),
    };
    let mut stderr = io::stderr().lock();
    if !message.is_empty() {
        // A closed standard error cannot show the error.
        let _ = writeln!(stderr, "geomys: {}", clean(&message));
    }
    for line in server_lines {
        let _ = writeln!(stderr, "  the server said: {}", clean(&line));
    }
    ExitCode::FAILURE
}

/// Runs a future to its end, without waiting for name look-ups that are still running.
fn block_on<T>(future: impl Future<Output = T>) -> Result<T, CliError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let output = runtime.block_on(future);
    runtime.shutdown_background();
    Ok(output)
}

/// Runs a future to its end on this thread, except for disk access: the thread that waits for the socket also reads from it,
/// so no other thread is woken for each arrival.
fn block_on_current_thread<T>(future: impl Future<Output = T>) -> Result<T, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let output = runtime.block_on(future);
    runtime.shutdown_background();
    Ok(output)
}

/// Loads a URL and passes each part to `take`. Questions of the load are answered on the terminal, if there is one.
async fn fetch(
    context: &CliContext,
    url: Url,
    purpose: Purpose,
    mut take: impl FnMut(Part) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let (net, cache) = (Arc::new(context.net()), context.cache());
    let mut request = context.request(url, purpose)?;
    loop {
        let (sender, mut parts) = mpsc::channel(PARTS);
        let loading = {
            let (net, cache) = (Arc::clone(&net), Arc::clone(&cache));
            let request = request.clone();
            tokio::spawn(async move { load(&net, &cache, request, LoadId(0), sender).await })
        };
        let mut end = Err(Stop::Closed);
        while let Some((_, part)) = parts.recv().await {
            match part {
                Part::End(result) => end = result,
                part => {
                    if let Part::Head(PageHead {
                        cached: Some(cached),
                        ..
                    }) = &part
                    {
                        let since = Zone::system().written(cached.stored_at);
                        let reason = cached.reason.as_deref().unwrap_or("nobody was asked");
                        writeln!(io::stderr(), "geomys: kept {since}, as {reason}")?;
                    }
                    take(part)?;
                }
            }
        }
        loading.abort();
        match end {
            Err(Stop::Needs(question)) => match ask::answer(&question, &request, context)? {
                Some(answered) => request = answered,
                None => return Err(Stop::Needs(question).into()),
            },
            other => return Ok(other?),
        }
    }
}

/// Parses a proxy; an invalid one is reported by [`run`].
#[allow(clippy::unnecessary_wraps)] // The signature that clap requires.
fn route(written: &str) -> Result<Route, String> {
    Ok(Route::from_setting(written))
}

fn server(written: &str) -> Result<NewsHost, String> {
    NewsHost::parse(written).ok_or_else(|| "host, host:port or nntps://host is wanted".to_owned())
}

fn charset(written: &str) -> Result<CharsetSetting, String> {
    CharsetSetting::named(written).ok_or_else(|| {
        "no charset has that name; try auto, iso-8859-1, koi8-r, shift_jis, cp437".to_owned()
    })
}

/// Parses a URL of the command line, which may be incomplete: a host means gopher, a path means a file.
fn address(written: &str, settings: &Settings) -> Result<Url, CliError> {
    let guesses = Guesses {
        is_group: None,
        directory: settings.directory.as_deref().and_then(Path::to_str),
        home: settings.home.as_deref().and_then(Path::to_str),
    };
    crate::url::parse_typed(written, guesses).map_err(|error| {
        let expanded = crate::url::expand_typed(written, guesses);
        let shown = crate::url::mask(&expanded).into_owned();
        let caret = error.masked(&expanded).caret();
        let repair = crate::url::accept_or_repair(&expanded).map_or(String::new(), |url| {
            format!("\n  did you mean {} ?", url.masked())
        });
        CliError::new(format!("this is no URL\n  {shown}\n  {caret}{repair}"))
    })
}
