//! The command line: one file per subcommand.

mod ask;
mod bookmarks;
mod browse;
mod context;
mod demo;
mod dump;
mod error;
mod fetch;
mod get;
mod links;
mod output;
mod supervisor;
mod terminal;
mod url;

use std::ffi::OsString;
use std::io::{self, PipeReader, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use self::context::CliContext;
use self::error::{CliError, exit_status};
use self::output::clean;
use self::supervisor::supervise;
use crate::config::{self, Environment, UserPaths};
use crate::load::NewsHost;
use crate::net::Route;
use crate::text::{CharsetSetting, is_harmful};

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
}

impl Arguments {
    /// Returns true if the command line runs the browser.
    fn runs_browser(&self) -> bool {
        match &self.command {
            None => true,
            Some(Command::Demo(demo)) => !demo.serve,
            Some(
                Command::Url(_)
                | Command::Links(_)
                | Command::Dump(_)
                | Command::Get(_)
                | Command::Bookmarks(_),
            ) => false,
        }
    }
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
///
/// The browser is run in a child process, so this is called before any thread is started.
pub fn run(arguments: Arguments, environment: Environment) -> ExitCode {
    let supervised = if arguments.runs_browser() {
        supervise()
    } else {
        Ok(None)
    };
    match supervised {
        Ok(supervisor) => exit_status(execute(arguments, environment, supervisor)),
        Err(status) => status,
    }
}

fn execute(
    arguments: Arguments,
    environment: Environment,
    supervisor: Option<PipeReader>,
) -> Result<(), CliError> {
    let context = || context(arguments.common, environment, supervisor);
    match arguments.command {
        None => arguments.browse.run(context()?),
        Some(Command::Demo(demo)) => demo.run(context()?),
        // These two need no directories for files.
        Some(Command::Url(urls)) => urls.run(),
        Some(Command::Links(links)) => links.run(),
        Some(Command::Dump(dump)) => dump.run(&context()?),
        Some(Command::Get(get)) => get.run(&context()?),
        Some(Command::Bookmarks(bookmarks)) => bookmarks.run(&context()?),
    }
}

/// Reads the configuration, and applies the options of the command line to it.
fn context(
    common: Common,
    mut environment: Environment,
    supervisor: Option<PipeReader>,
) -> Result<CliContext, CliError> {
    environment.no_color |= common.no_color;
    if let Some(Route::InvalidProxy(error)) = &common.proxy {
        // Not reported by clap, which would repeat the argument, including a password.
        return Err(CliError::Usage(format!("--proxy: {error}")));
    }
    let is_own = common.config.is_none();
    let mut paths = UserPaths::new(common.config)
        .ok_or_else(|| CliError::new("there is no home directory; --config DIR names a place"))?;
    if is_own {
        paths.restrict();
    }
    paths.bookmarks = common.bookmarks;
    let mut config = config::read(&paths, &environment);
    let settings = &mut config.settings;
    settings.news_server = common
        .server
        .or_else(|| config::news_server(settings, &environment));
    if let Some(route) = common.proxy {
        settings.route = route.clone();
        config.route = route;
    }
    settings.offline = common.offline;
    settings.charset = common.encoding.unwrap_or(settings.charset);
    Ok(CliContext {
        paths,
        config,
        supervisor,
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_browser_and_its_demo_are_supervised() {
        let runs_browser = |line: &str| {
            let words = ["geomys"].into_iter().chain(line.split_whitespace());
            Arguments::try_parse_from(words).unwrap().runs_browser()
        };
        for line in ["", "--config x gopher://dump/", "demo", "--offline demo"] {
            assert!(runs_browser(line), "{line}");
        }
        for line in [
            "demo --serve",
            "--offline url x",
            "--offline links x",
            "--offline dump x",
            "--offline get x",
            "--offline bookmarks check",
        ] {
            assert!(!runs_browser(line), "{line}");
        }
    }
}
