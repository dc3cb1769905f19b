//! The command line: one file per subcommand.

mod argument;
mod ask;
mod bookmarks;
mod browse;
mod check;
mod config;
mod context;
mod dump;
mod error;
mod get;
mod history;
mod links;
mod locale;
mod man;
mod memory;
mod post;
mod search;
mod signals;
mod sync;
mod terminal;
mod url;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use geomys_app::manual::Topic;
use geomys_load::NewsHost;
use geomys_wire::net::{Route, trace};
use geomys_wire::text::{CharsetSetting, is_harmful};

pub use self::argument::RawArguments;
use self::argument::Suggested;
use self::context::{CliContext, ReadFrom};
use self::error::COMMANDS;
use self::error::clean;
use self::error::{CliError, exit_status};
use self::signals::end_as_signalled;
use crate::config::{Config, Environment, UserPaths, news_server, read};

/// Browse Gopher, FTP, Usenet news and more in the terminal
///
/// A keyboard-driven browser for the Internet that RFC 1738 described. `geomys demo` shows it without a network.
#[derive(Debug, Parser)]
#[command(name = "geomys", version, disable_version_flag = true)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<CliCommand>,

    #[command(flatten)]
    browser: BrowserArguments,
}

// The arguments without a subcommand. No doc comment: the help would show it in place of that of `Arguments`.
#[derive(Debug, Parser)]
#[command(name = "geomys", disable_version_flag = true)]
struct BrowserArguments {
    #[command(flatten)]
    version: config::VersionFlags,

    #[command(flatten)]
    common: Common,

    #[command(flatten)]
    browse: browse::Browse,
}

impl Arguments {
    /// Parses the words of a command line.
    ///
    /// The browser is launched without the options of the subcommands: to make them takes a sixth of a launch. They are
    /// made where a word may name a subcommand, or is wrong: an error and the help name them.
    fn of(words: &[OsString]) -> Result<Self, clap::Error> {
        let may_name = |word: &OsString| COMMANDS.iter().any(|name| word == name) || word == "help";
        if !words.iter().skip(1).any(may_name)
            && let Ok(browser) = BrowserArguments::try_parse_from(words)
        {
            return Ok(Self {
                command: None,
                browser,
            });
        }
        Self::of_subcommand(words)
    }

    /// Parses the words with all subcommands, whose help names the global options in one line.
    fn of_subcommand(words: &[OsString]) -> Result<Self, clap::Error> {
        let topic = topic_of_help(words);
        let words = topic.as_deref().unwrap_or(words);
        let mut command = Self::command();
        let options = command
            .get_arguments()
            .filter(|option| option.is_global_set());
        let options: Vec<Arg> = options.map(|option| option.clone().hide(true)).collect();
        for subcommand in command.get_subcommands_mut() {
            hide_global_options(subcommand, &options);
        }
        let mut matches = command.try_get_matches_from_mut(words)?;
        Self::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
    }
}

/// The words of `geomys man --text TOPIC`, if these are `geomys help TOPIC` with a topic that is no command.
fn topic_of_help(words: &[OsString]) -> Option<Vec<OsString>> {
    let [program, help, topic] = words else {
        return None;
    };
    let is_topic = help == "help"
        && !COMMANDS.iter().any(|command| topic == command)
        && topic.to_str().and_then(Topic::named).is_some();
    is_topic.then(|| {
        vec![
            program.clone(),
            "man".into(),
            "--text".into(),
            topic.clone(),
        ]
    })
}

/// The last line of the help of a subcommand.
const GLOBAL_OPTIONS: &str = "Global options: geomys --help";

/// Replaces the global options in the help of a subcommand, and of those below it, by one line.
fn hide_global_options(command: &mut clap::Command, options: &[Arg]) {
    // An option that a subcommand has is not added to it again.
    let hidden = std::mem::take(command).args(options);
    *command = hidden.after_help(GLOBAL_OPTIONS);
    for below in command.get_subcommands_mut() {
        hide_global_options(below, options);
    }
}

#[derive(Debug, Args)]
struct Common {
    /// Use DIR for all files: settings, bookmarks, data, cache
    #[arg(long, value_name = "DIR", global = true)]
    config: Option<PathBuf>,

    /// Use FILE as the bookmarks
    ///
    /// A missing file is created with the first bookmark that is added.
    #[arg(long, value_name = "FILE", global = true)]
    bookmarks: Option<PathBuf>,

    /// Set the server for `news:` URLs; `nntps://` is for TLS
    #[arg(long, value_name = "HOST[:PORT]", global = true, value_parser = server)]
    server: Option<NewsHost>,

    /// Connect through this SOCKS5 proxy only
    #[arg(long, value_name = "HOST:PORT|URL", global = true, value_parser = route)]
    proxy: Option<Route>,

    /// Contact no server, show only cached pages
    #[arg(long, global = true)]
    offline: bool,

    /// Set the charset of text that is not UTF-8
    #[arg(
        long,
        alias = "encoding",
        value_name = "NAME",
        global = true,
        hide_possible_values = true
    )]
    #[arg(value_parser = Suggested::new(charset, usual_charsets))]
    charset: Option<CharsetSetting>,

    /// Use no colours
    #[arg(long, global = true)]
    no_color: bool,

    /// Write a trace of the dialogues with servers to FILE, without passwords
    #[arg(long, value_name = "FILE", global = true)]
    log: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum CliCommand {
    /// Try Geomys on local demo servers
    ///
    /// The servers listen on loopback only. The profile is temporary.
    Demo(browse::DemoCommand),
    /// Parse and check URLs
    Url(url::UrlArguments),
    /// List the URLs in running text
    Links(links::Links),
    /// Print a page as text
    ///
    /// Texts, and every page with --raw, are printed while they arrive, other pages when they are complete. Pages over
    /// 1 GiB are cut (exit status 1).
    Dump(dump::Dump),
    /// Download files
    Get(get::Get),
    /// Copy a directory or a site into a directory, and keep the copy up to date
    ///
    /// Over FTP all files below it. Over Gopher, Gemini, Spartan, nex and HTTP the pages of the host at the path and
    /// below it, as its links lead to them and its robots.txt allows. A member of an archive, or an archive, is copied
    /// with what it holds. The next run replaces the files that have changed, and does not fetch the others again.
    Mirror(get::Mirror),
    /// Write what a server sends into a WARC file
    ///
    /// FILE.warc.gz gets each request and each answer as they went over the wire, and the files of FTP; an incomplete
    /// record at its end is removed, and what it has is not written again. Pages that need a login are left out.
    Archive(get::ArchiveCommand),
    /// Check every link of a page, or of a whole site
    ///
    /// Reports dead, moved and malformed links, wrong item types, and menus without their final dot, each with its page
    /// and its row. Links to other hosts get one request each. The exit status is 0 if all is well, 1 if something is
    /// wrong, 2 if the page cannot be read. What does not answer is asked twice, and is not dead.
    Check(check::Check),
    /// Fetch what you follow, to read it without a network
    ///
    /// Sends first what waits in the outbox: posts, mails and uploads whose question was answered with "at the next
    /// sync". Then fetches, in this order: pages saved for later and links that were opened offline, changed pages
    /// with the tag #follow and their new entries, for #follow1 to #follow3 also the pages of their hosts that they
    /// link to, that many links away, and the unread articles of subscribed groups. Asks nothing. The exit status is 1
    /// if a page cannot be fetched or a limit leaves some: the next run goes on with them. A server that is busy or not
    /// reached is asked again by the next run.
    Sync(sync::Sync),
    /// Post an article of standard input
    ///
    /// The article has headers (Newsgroups, Subject; From is that of the settings), an empty line and a text. It is
    /// checked, and gets a Message-ID, which is printed, and the signature. If the server cannot be reached, it waits
    /// in the outbox for `geomys sync`. The exit status is 0 if it was posted or queued by --later, 1 if not, 2 if
    /// nothing could be sent.
    Post(post::Post),
    /// List, change, check, import and export bookmarks
    Bookmarks(bookmarks::BookmarksCommand),
    /// Check the configuration files, print their paths and defaults
    Config(config::ConfigCommand),
    /// Print the manual page of a command or topic
    ///
    /// As in `geomys man news | man -l -`; without a topic that of geomys. With --out all pages are written as files.
    Man(man::ManualPages),
    /// Print the completion script for a shell
    Completions(man::Completions),
    /// List the client certificates, import them
    ///
    /// A certificate is made where a server asks for one, and used for that address and all below it.
    Certificates(config::CertificatesCommand),
    /// List the visited pages, search them, remove them
    History(history::HistoryCommand),
    Search(search::SearchCommand),
}

/// Parses the arguments of the command line, the name of the program first. Errors and requested help are printed in
/// the charset of the locale, as all that follows.
///
/// # Errors
/// The exit status, if there is nothing more to do.
pub fn parse(words: &RawArguments, environment: &Environment) -> Result<Arguments, ExitCode> {
    locale::set_charset(environment.charset());
    let kind = match Arguments::of(words.words()) {
        Ok(arguments) => return Ok(arguments),
        Err(error) => error.kind(),
    };
    // The error message repeats the arguments: it is that of the masked ones.
    let masked = words.masked();
    let Err(error) = Arguments::of(&masked) else {
        // The mistake is in what is masked.
        return Err(exit_status(Err(CliError::Usage(kind.to_string()))));
    };
    let mut masked = masked.iter().map(|word| word.to_string_lossy());
    // A closed stream cannot show the error. It must not get the control characters of the arguments.
    let _ = if masked.any(|word| word.chars().any(is_harmful)) || locale::has_charset() {
        let rendered = clean(&error.render().to_string());
        if error.use_stderr() {
            write!(locale::stderr(), "{rendered}")
        } else {
            write!(locale::stdout(), "{rendered}")
        }
    } else {
        error.print()
    };
    Err(u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Runs the command line. The exit status is 0 on success, 1 if the command failed, 2 if the command line is wrong.
pub fn run(arguments: Arguments, environment: Environment) -> ExitCode {
    let status = exit_status(execute(arguments, environment));
    end_as_signalled();
    status
}

/// The error of a browser on a terminal that moves no cursor.
const DUMB_TERMINAL: &str =
    "this terminal cannot show the browser ($TERM is dumb or not set); use `geomys dump URL`";

fn execute(arguments: Arguments, environment: Environment) -> Result<(), CliError> {
    let BrowserArguments {
        version,
        common,
        browse,
    } = arguments.browser;
    let is_dumb = environment.is_dumb() && io::stdout().is_terminal();
    let context = || context(common, environment);
    match arguments.command {
        None if version.is_requested() => version.print(),
        None if is_dumb => Err(CliError::new(DUMB_TERMINAL)),
        Some(CliCommand::Demo(demo)) if is_dumb && !demo.serve => Err(CliError::new(DUMB_TERMINAL)),
        None => browse.run(context()?),
        Some(CliCommand::Demo(demo)) => demo.run(context()?),
        // These need no directories for files.
        Some(CliCommand::Url(urls)) => urls.run(),
        Some(CliCommand::Links(links)) => links.run(),
        Some(CliCommand::Man(pages)) => pages.run(&mut Arguments::command()),
        Some(CliCommand::Completions(completions)) => completions.run(&mut Arguments::command()),
        Some(CliCommand::Config(config)) => config.run(&context()?),
        Some(CliCommand::Dump(dump)) => dump.run(&context().inspect(report_mistakes)?),
        Some(CliCommand::Get(get)) => get.run(&context().inspect(report_mistakes)?),
        Some(CliCommand::Mirror(mirror)) => mirror.run(&context().inspect(report_mistakes)?),
        Some(CliCommand::Archive(archive)) => archive.run(&context().inspect(report_mistakes)?),
        Some(CliCommand::Check(check)) => check.run(&context().inspect(report_mistakes)?),
        Some(CliCommand::Sync(sync)) => sync.run(&context().inspect(report_mistakes)?),
        Some(CliCommand::Post(post)) => post.run(&context().inspect(report_mistakes)?),
        Some(CliCommand::Bookmarks(bookmarks)) => {
            bookmarks.run(&context().inspect(report_mistakes)?)
        }
        Some(CliCommand::Certificates(certificates)) => certificates.run(&context()?),
        Some(CliCommand::Search(search)) => search.run(&context().inspect(report_mistakes)?),
        Some(CliCommand::History(history)) => history.run(&context().inspect(report_mistakes)?),
    }
}

/// Prints the mistakes of the configuration files on standard error. The browser shows them on its screen.
fn report_mistakes(context: &CliContext) {
    for error in &context.config.errors {
        // A closed standard error cannot show them.
        let _ = writeln!(locale::stderr(), "geomys: {}", clean(&error.to_string()));
    }
}

/// Returns the context of a subcommand.
fn context(common: Common, mut environment: Environment) -> Result<CliContext, CliError> {
    environment.no_color |= common.no_color;
    if let Some(Route::InvalidProxy(error)) = &common.proxy {
        // Not reported by clap, which would repeat the argument, including a password.
        return Err(CliError::Usage(format!("--proxy: {error}")));
    }
    if let Some(path) = &common.log {
        trace::start(path)
            .map_err(|error| CliError::new(format!("--log {}: {error}", path.display())))?;
    }
    let is_own = common.config.is_none();
    let mut paths = UserPaths::new(common.config.clone())
        .ok_or_else(|| CliError::new("no home directory; use --config DIR"))?;
    if is_own {
        paths.restrict();
    }
    paths.bookmarks.clone_from(&common.bookmarks);
    let paths = Arc::new(paths);
    let read: ReadFrom = Arc::new(move |paths| common.read_config(paths, &environment));
    Ok(CliContext {
        config: read(&paths),
        paths,
        read,
    })
}

impl Common {
    /// Reads the configuration, and applies the options of the command line to it.
    fn read_config(&self, paths: &UserPaths, environment: &Environment) -> Config {
        let mut config = read(paths, environment);
        let settings = &mut config.settings;
        settings.news_server = (self.server.clone()).or_else(|| news_server(settings, environment));
        if let Some(route) = &self.proxy {
            settings.route = route.clone();
            config.route = route.clone();
        }
        settings.offline = self.offline;
        settings.charset = self.charset.unwrap_or(settings.charset);
        let report = Arc::make_mut(&mut settings.config);
        if let Some(charset) = self.charset {
            report.override_value("charset", format!("\"{}\"", charset.name()), "--charset");
        }
        if let Some(server) = &self.server {
            let server = format!("\"{}:{}\"", server.host, server.port);
            report.override_value("news-server", server, "--server");
        }
        if self.proxy.is_some() {
            report.override_value("network.proxy", "set".to_owned(), "--proxy");
        }
        config
    }
}

/// Parses a proxy; an invalid one is reported by [`run`].
#[expect(clippy::unnecessary_wraps, reason = "the signature that clap requires")]
fn route(written: &str) -> Result<Route, String> {
    Ok(Route::from_setting(written))
}

fn server(written: &str) -> Result<NewsHost, String> {
    NewsHost::parse(written).ok_or_else(|| NewsHost::EXPECTED.to_owned())
}

/// The names of charsets that a shell completes.
fn usual_charsets() -> Vec<&'static str> {
    vec![
        "auto",
        "utf-8",
        "iso-8859-1",
        "iso-8859-2",
        "windows-1251",
        "windows-1252",
        "koi8-r",
        "cp437",
        "shift_jis",
        "euc-jp",
        "iso-2022-jp",
        "gbk",
        "big5",
        "euc-kr",
        "utf-16le",
        "utf-16be",
    ]
}

fn charset(written: &str) -> Result<CharsetSetting, String> {
    CharsetSetting::named(written)
        .ok_or_else(|| "unknown charset; try auto, iso-8859-1, koi8-r, shift_jis, cp437".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subcommand_is_suggested_for_its_mistypings() {
        let command = Arguments::command();
        let names = command.get_subcommands().map(clap::Command::get_name);
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        let mut suggested = error::COMMANDS;
        suggested.sort_unstable();
        assert_eq!(names, suggested);
    }

    #[test]
    fn help_of_every_subcommand_ends_with_the_line_about_global_options() {
        fn paths(command: &clap::Command, above: &[String], all: &mut Vec<Vec<String>>) {
            for below in command.get_subcommands() {
                let path = [above, &[below.get_name().to_owned()]].concat();
                paths(below, &path, all);
                all.push(path);
            }
        }
        let mut all = Vec::new();
        paths(&Arguments::command(), &["geomys".to_owned()], &mut all);
        assert!(all.len() > 20, "{all:?}");
        for path in all {
            for help in ["-h", "--help"] {
                let words = path.iter().map(OsString::from).chain([help.into()]);
                let words: Vec<OsString> = words.collect();
                let said = Arguments::of(&words).unwrap_err().to_string();
                assert!(
                    said.trim_end().ends_with(GLOBAL_OPTIONS),
                    "{path:?}: {said}"
                );
                assert!(!said.contains("--no-color"), "{path:?}: {said}");
            }
        }
        let said = Arguments::of(&["geomys".into(), "--help".into()]).unwrap_err();
        assert!(said.to_string().contains("--no-color"), "{said}");
        let words = ["geomys", "dump", "--offline", "gopher://h/"].map(OsString::from);
        assert!(Arguments::of(&words).unwrap().browser.common.offline);
    }

    #[test]
    fn browser_and_subcommands_are_parsed_as_by_the_whole_parser() {
        for line in [
            "",
            "gopher://h.example/ ftp://h.example/",
            "--config x --offline --proxy h:1 --server nntps://h --encoding koi8-r gopher://h/",
            "--version --verbose",
            "--verbose",
            "-V x",
            "--help",
            "-h",
            "help",
            "help dump",
            "demo --serve",
            "--config demo gopher://h/",
            "--config demo dump gopher://h/",
            "-- dump",
            "gopher://h/ dump",
            "dump",
            "--ofline",
            "--encoding none gopher://h/",
            "--config",
        ] {
            let words = ["geomys"].into_iter().chain(line.split_whitespace());
            let words: Vec<OsString> = words.map(OsString::from).collect();
            let text = |parsed: Result<Arguments, clap::Error>| match parsed {
                Ok(arguments) => format!("{arguments:?}"),
                Err(error) => format!("{:?}: {error}", error.kind()),
            };
            let whole = text(Arguments::of_subcommand(&words));
            assert_eq!(text(Arguments::of(&words)), whole, "{line}");
        }
    }
}
