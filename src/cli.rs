//! The command line: one file a subcommand.

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
use crate::config::{self, Config, Environment, Places};
use crate::document::Zone;
use crate::files::cache::Cache;
use crate::files::offered::OfferFile;
use crate::files::trust::{self, Pins};
use crate::load::{Answers, Begin, LoadId, NewsHost, Part, Purpose, Request, Stop};
use crate::net::{Limits, Net, Route};
use crate::run::page_cache::load;
use crate::text::{ReadAs, is_harmful};
use crate::url::{Guesses, Parts, Url};

/// Parts that may wait for the one who prints or writes them.
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
    encoding: Option<ReadAs>,

    /// No colours
    #[arg(long, global = true)]
    no_color: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// A small world on loopback, and the browser in it on a throw-away profile
    Demo(demo::Demo),
    /// Tell the parts of URLs, or point at what is wrong in them
    Url(url::Urls),
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

/// What a subcommand works with.
struct Setting {
    places: Places,
    config: Config,
    /// The pipe of the supervising process.
    supervised: Option<u32>,
}

impl Setting {
    /// The way to the network.
    fn net(&self) -> Net {
        let memory = self.config.settings.memory;
        let defaults = Limits::default();
        let net = Net::new(Limits {
            page: memory.page,
            list: defaults.list.max(memory.page),
            ..defaults
        })
        .by(self.config.route.clone())
        .by_web(self.config.web.clone())
        .remembering(Arc::new(OfferFile::new(self.places.offered())));
        net.set_offline(self.config.settings.offline);
        net
    }

    /// Pages that are kept.
    fn cache(&self) -> Arc<Cache> {
        let directory = self.places.cache.clone();
        Arc::new(Cache::new(directory, self.config.settings.cache))
    }

    /// A request with all that is known without asking.
    fn request(&self, url: Url, purpose: Purpose) -> Result<Request, Trouble> {
        let request = self.request_trusting(url, purpose, &Pins::default());
        if request.certificate_place().is_none() {
            return Ok(request);
        }
        Ok(self.request_trusting(request.url, purpose, &self.pins()?))
    }

    /// The same, where the accepted certificates are at hand.
    fn request_trusting(&self, url: Url, purpose: Purpose, pins: &Pins) -> Request {
        let mut request = Request {
            purpose,
            news_server: self.config.settings.news_server.clone(),
            // Whoever writes a filled form into a command line has seen it.
            answers: Answers::Agreed,
            // Whoever reads what is printed knows when it is enough.
            limit: Some(u64::MAX),
            ftp: Arc::clone(&self.config.settings.ftp),
            news: Arc::clone(&self.config.settings.news),
            gateways: Arc::clone(&self.config.settings.gateways),
            ..Request::show(url)
        };
        request.login = self.config.settings.netrc.login_for(&request);
        if let Some(place) = request.certificate_place() {
            request.trust.pin = pins.of(&place).cloned();
        }
        // Where an article is asked of other servers too, their certificates are known as well.
        if !request.news.servers.is_empty() && matches!(request.url.reading(), Parts::News(_)) {
            for server in &mut Arc::make_mut(&mut request.news).servers {
                server.trust.pin = pins.of(&server.certificate_place()).cloned();
            }
        }
        request
    }

    /// The certificates that were accepted.
    fn pins(&self) -> Result<Pins, Trouble> {
        trust::load(&self.places.trust()).map_err(|error| Trouble::new(error.to_string()))
    }
}

/// The arguments of the command line, the program's name first. What is wrong with them, and the help that they ask for, is
/// printed.
///
/// # Errors
/// The exit status, where there is nothing more to do.
pub fn parse(words: &[OsString]) -> Result<Arguments, ExitCode> {
    let error = match Arguments::try_parse_from(words) {
        Ok(arguments) => return Ok(arguments),
        Err(error) => error,
    };
    // The sentence repeats them, and would be coloured with them.
    let mut words = words.iter().map(|word| word.to_string_lossy());
    // Nothing is left to tell it to when the stream is closed.
    let _ = if words.any(|word| word.chars().any(is_harmful)) {
        write!(io::stderr(), "{}", clean(&error.render().to_string()))
    } else {
        error.print()
    };
    Err(u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Carries the command line out. The exit status is 0 when it was done, 1 when what was asked failed, 2 when the
/// command line is wrong.
pub fn run(arguments: Arguments, mut environment: Environment) -> ExitCode {
    environment.no_color |= arguments.common.no_color;
    // These need no place for files, and work where there is none.
    if let Some(Command::Url(urls)) = &arguments.command {
        return ended(urls.run());
    }
    if let Some(Command::Links(links)) = &arguments.command {
        return ended(links.run());
    }
    if let Some(Route::Shut(why)) = &arguments.common.proxy {
        // It is said here and not by clap, which would repeat what was written, a password included.
        ended(Err(Trouble::new(format!("--proxy: {why}"))));
        return ExitCode::from(2);
    }
    let Some(mut places) = Places::new(arguments.common.config.clone()) else {
        return ended(Err(Trouble::new(
            "there is no home directory; --config DIR names a place",
        )));
    };
    if arguments.common.config.is_none() {
        places.restrict();
    }
    places.bookmarks.clone_from(&arguments.common.bookmarks);
    let mut config = config::read(&places, &environment);
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
    let setting = Setting {
        places,
        config,
        supervised: arguments.supervised,
    };
    ended(match arguments.command {
        None => arguments.browse.run(setting),
        Some(Command::Demo(demo)) => demo.run(setting),
        Some(Command::Url(urls)) => urls.run(),
        Some(Command::Links(links)) => links.run(),
        Some(Command::Dump(dump)) => dump.run(&setting),
        Some(Command::Get(get)) => get.run(&setting),
        Some(Command::Bookmarks(bookmarks)) => bookmarks.run(&setting),
    })
}

/// Why a subcommand ended before its end.
#[derive(Debug)]
enum Trouble {
    /// It did not do what was asked: a sentence, and what a server said.
    Failed { sentence: String, said: Vec<String> },
    /// Who reads what it prints has seen enough, as `head` has: that is no failure.
    SeenEnough,
}

impl Trouble {
    fn new(sentence: impl Into<String>) -> Self {
        Self::Failed {
            sentence: sentence.into(),
            said: Vec::new(),
        }
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // Sockets and files have sentences of their own: only a standard stream breaks here.
            io::ErrorKind::BrokenPipe => Self::SeenEnough,
            _ => Self::new(error.to_string()),
        }
    }
}

impl From<Stop> for Trouble {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Failed(failure) => {
                let next = failure.next.and_then(|next| next.target.ok());
                let next = next.map_or(String::new(), |url| format!("; now {}", url.masked()));
                Self::Failed {
                    sentence: format!("{}{next}", failure.sentence),
                    said: failure.said.iter().map(ToString::to_string).collect(),
                }
            }
            Stop::Needs(question) => Self::new(question.unanswered()),
            Stop::Cut(limit) => Self::new(format!(
                "cut: a page holds {} at most",
                crate::text::octets(limit)
            )),
            Stop::Closed => Self::new("stopped"),
        }
    }
}

fn ended(result: Result<(), Trouble>) -> ExitCode {
    let (sentence, said) = match result {
        Ok(()) | Err(Trouble::SeenEnough) => return ExitCode::SUCCESS,
        Err(Trouble::Failed { sentence, said }) => (sentence, said),
    };
    let mut stderr = io::stderr().lock();
    if !sentence.is_empty() {
        // Nothing is left to tell it to when standard error is closed.
        let _ = writeln!(stderr, "geomys: {}", clean(&sentence));
    }
    for said in said {
        let _ = writeln!(stderr, "  the server said: {}", clean(&said));
    }
    ExitCode::FAILURE
}

/// Runs a future to its end; what still hangs in a name look-up is not waited for.
fn block_on<T>(future: impl Future<Output = T>) -> Result<T, Trouble> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let output = runtime.block_on(future);
    runtime.shutdown_background();
    Ok(output)
}

/// The same on this thread alone, but for the disk: whoever waits for the socket is who reads from it, and no other thread
/// is woken for each arrival.
fn block_on_one<T>(future: impl Future<Output = T>) -> Result<T, Trouble> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let output = runtime.block_on(future);
    runtime.shutdown_background();
    Ok(output)
}

/// Loads a URL and gives each part to `take`; asks on the terminal, when there is one, for what the load needs.
async fn fetch(
    setting: &Setting,
    url: Url,
    purpose: Purpose,
    mut take: impl FnMut(Part) -> Result<(), Trouble>,
) -> Result<(), Trouble> {
    let (net, cache) = (Arc::new(setting.net()), setting.cache());
    let mut request = setting.request(url, purpose)?;
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
                Part::End(how) => end = how,
                part => {
                    if let Part::Begin(Begin {
                        kept: Some(kept), ..
                    }) = &part
                    {
                        let since = Zone::system().written(kept.since);
                        let why = kept.why.as_deref().unwrap_or("nobody was asked");
                        writeln!(io::stderr(), "geomys: kept {since}, as {why}")?;
                    }
                    take(part)?;
                }
            }
        }
        loading.abort();
        match end {
            Err(Stop::Needs(question)) => match ask::answer(&question, &request, setting)? {
                Some(answered) => request = answered,
                None => return Err(Stop::Needs(question).into()),
            },
            other => return Ok(other?),
        }
    }
}

/// A proxy; one that is none is told of in [`run`].
#[allow(clippy::unnecessary_wraps)] // As clap wants it.
fn route(written: &str) -> Result<Route, String> {
    Ok(Route::by(written))
}

fn server(written: &str) -> Result<NewsHost, String> {
    NewsHost::parse(written).ok_or_else(|| "host, host:port or nntps://host is wanted".to_owned())
}

fn charset(written: &str) -> Result<ReadAs, String> {
    ReadAs::named(written).ok_or_else(|| {
        "no charset has that name; try auto, iso-8859-1, koi8-r, shift_jis, cp437".to_owned()
    })
}

/// A URL from the command line, which may be guessed: a host is one for gopher, a path is a file.
fn address(written: &str, settings: &Settings) -> Result<Url, Trouble> {
    let guesses = Guesses {
        is_group: None,
        directory: settings.directory.as_deref().and_then(Path::to_str),
        home: settings.home.as_deref().and_then(Path::to_str),
    };
    crate::url::typed(written, guesses).map_err(|error| {
        let meant = crate::url::meant(written, guesses);
        let shown = crate::url::mask(&meant).into_owned();
        let caret = error.masked(&meant).caret();
        let repair = crate::url::forgiven(&meant).map_or(String::new(), |url| {
            format!("\n  did you mean {} ?", url.masked())
        });
        Trouble::new(format!("this is no URL\n  {shown}\n  {caret}{repair}"))
    })
}
