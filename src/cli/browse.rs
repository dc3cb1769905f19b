//! `geomys [URL]...`: the browser; `geomys demo`: the browser on demo servers on loopback.

use std::fs;
use std::io::{IsTerminal, Write, stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use futures_util::{Stream, StreamExt, stream};
use geomys_demo::Demo as Servers;
use geomys_load::NewsHost;
use geomys_page::document::Zone;
use jiff::Timestamp;
use rustix::io::Errno;
use tokio::sync::mpsc::Receiver;
use tokio::time::timeout;

use super::argument::UrlArgument;
use super::context::{CliContext, ReadFrom, existing_file, is_file_name};
use super::context::{block_on, block_on_current_thread};
use super::error::{CliError, unknown_word};
use super::memory;
use super::signals::{end_signal, job_signals, stop_signal};
use super::terminal::{KeyStream, TerminalScreen, Tty};
use crate::config::UserPaths;
use crate::run::terminal_input::Input;
use crate::run::{Launch, ReadConfig, RunContext, RunOutcome, run};
use geomys_app::news::server::Newsrcs;
use geomys_app::{Mailcaps, Settings};

/// The time to save files before the terminal is restored.
pub(super) const SAVE_DEADLINE: Duration = Duration::from_secs(1);

/// The time to save files after the terminal is restored.
pub(super) const LATE_SAVE_DEADLINE: Duration = Duration::from_secs(4);

/// The number of threads for loads and other tasks. The loop has a thread of its own.
const THREADS: usize = 2;

/// The error of a browser whose output is no terminal.
const NO_TERMINAL: &str = "needs a terminal; use `geomys dump URL` in scripts";

#[derive(Debug, Args)]
pub(super) struct Browse {
    /// Open each URL in a tab; a host alone is a Gopher server
    #[arg(value_name = "URL")]
    addresses: Vec<UrlArgument>,

    /// Panic at the first key, to test that the terminal is restored
    #[cfg(debug_assertions)]
    #[arg(long, hide = true)]
    panic_at_first_key: bool,

    /// Hang at the first key, to test that a signal ends the browser all the same
    #[cfg(debug_assertions)]
    #[arg(long, hide = true)]
    hang_at_first_key: bool,
}

impl Browse {
    pub(super) fn run(&self, context: CliContext) -> Result<(), CliError> {
        if let Some(error) = self
            .addresses
            .iter()
            .filter(|word| !is_file_name(word.unmasked()))
            .find_map(|word| unknown_word(word.unmasked()))
        {
            return Err(CliError::Usage(error));
        }
        block_on_current_thread(self.browse(context, Vec::new(), false))?
    }

    /// Runs the browser; `first` is opened if no address is given. `has_tour` begins the tour of the demo.
    pub(super) async fn browse(
        &self,
        context: CliContext,
        first: Vec<String>,
        has_tour: bool,
    ) -> Result<(), CliError> {
        // Keys come from /dev/tty where standard input is no terminal.
        let size = match crossterm::terminal::size() {
            Ok(size) if stdout().is_terminal() => size,
            _ => return Err(CliError::new(NO_TERMINAL)),
        };
        let CliContext {
            paths,
            mut config,
            read,
        } = context;
        let read_paths = Arc::clone(&paths);
        memory::fit(&mut config.settings.memory)?;
        let reread: ReadConfig = Box::new(move || {
            let mut config = read(&read_paths);
            // A space that was large enough at the start still is.
            let _ = memory::fit(&mut config.settings.memory);
            config
        });
        let net = config.net(&paths);
        let cache = Arc::new(config.cache(&paths));
        let mailcaps = std::mem::take(&mut config.mailcaps);
        config.settings.mailcaps = Mailcaps::Unread(mailcaps);
        config.settings.zone = Zone::system().with_clock(Timestamp::now);
        let context = RunContext {
            paths,
            config,
            reread: Some(reread),
            net,
            cache,
            threads: THREADS,
        };
        let typed = self.addresses.iter().map(|typed| {
            let file = existing_file(typed)?;
            Ok(file.as_ref().unwrap_or(typed).unmasked().to_owned())
        });
        let addresses = if self.addresses.is_empty() {
            first
        } else {
            typed.collect::<Result<Vec<String>, CliError>>()?
        };
        let mut launch = Launch::new(context, &addresses, size);
        if has_tour {
            launch.app.start_tour();
        }
        Box::pin(self.run_in_terminal(launch)).await
    }

    /// Sets up the terminal, runs the app in it, and restores the terminal.
    async fn run_in_terminal(&self, mut launch: Launch) -> Result<(), CliError> {
        let mut tty = Tty {
            has_mouse: launch.app.cx.settings.mouse,
            ..Tty::default()
        };
        // Before the terminal is set up: without signal handlers it would not be restored.
        let (terminate, watch) = end_signal(Arc::clone(&tty.is_lent))?;
        let jobs = job_signals(Arc::clone(&tty.is_lent))?;
        // A signal of a new size that came before its handler is lost.
        if let Ok(size) = crossterm::terminal::size() {
            launch.app.size = size;
        }
        let mut screen = TerminalScreen::open(tty.has_mouse)?;
        let input = self.input(tty.keys.clone(), jobs);
        let terminal = &mut screen.terminal;
        let launch = launch.with_watch(watch);
        let running = run(terminal, input, &mut tty, launch, terminate);
        let (outcome, drawn) = Box::pin(running).await;
        Box::pin(finish(outcome, screen, drawn)).await
    }

    /// Returns the input of the loop: the keys of the terminal, and the signals of job control.
    fn input(&self, keys: KeyStream, mut jobs: Receiver<Input>) -> impl Stream<Item = InputResult> {
        let jobs = stream::poll_fn(move |context| jobs.poll_recv(context)).map(Ok);
        stream::select(jobs, self.tested(keys))
    }

    #[cfg(debug_assertions)]
    fn tested(&self, keys: KeyStream) -> impl Stream<Item = InputResult> + use<> {
        let (panics, hangs) = (self.panic_at_first_key, self.hang_at_first_key);
        keys.inspect(move |input| {
            let key = matches!(input, Ok(Input::Event(crossterm::event::Event::Key(_))));
            assert!(
                !(panics && key),
                "the first key, as --panic-at-first-key asks"
            );
            if hangs && key {
                hang();
            }
        })
    }

    #[cfg(not(debug_assertions))]
    #[expect(clippy::unused_self, reason = "the debug version needs `self`")]
    fn tested(&self, keys: KeyStream) -> KeyStream {
        keys
    }
}

type InputResult = std::io::Result<Input>;

/// Never returns, after a word on the screen.
#[cfg(debug_assertions)]
fn hang() {
    use std::io::Write;
    let mut out = stdout();
    // On a closed terminal nobody waits for the word.
    let _ = out.write_all(b"hangs as asked").and_then(|()| out.flush());
    loop {
        std::thread::park();
    }
}

/// Writes the files that are not written yet, and restores the terminal; `drawn` tells whether it still took the
/// screen.
async fn finish(
    outcome: RunOutcome,
    screen: TerminalScreen,
    drawn: std::io::Result<()>,
) -> Result<(), CliError> {
    // Files are saved before the terminal is restored, as that may fail or block.
    let mut saving = outcome.saving;
    let saved = match timeout(SAVE_DEADLINE, &mut saving).await {
        Ok(saved) => Ok(saved),
        Err(_) => {
            drop(screen);
            timeout(LATE_SAVE_DEADLINE, saving).await
        }
    };
    let late = "the last change could not be saved in time";
    let saved = saved.map_err(|_| CliError::new(late))?;
    let errors = saved.map_err(CliError::new)?;
    if !errors.is_empty() {
        // The screen that would have shown these errors is closed.
        return Err(CliError::new(errors.join("\ngeomys: ")));
    }
    match drawn {
        // A closed terminal is a normal end.
        Err(error) if error.raw_os_error() != Some(Errno::IO.raw_os_error()) => Err(CliError::new(
            format!("cannot write to the terminal: {error}"),
        )),
        Ok(()) | Err(_) => Ok(()),
    }
}

#[derive(Debug, Args)]
pub(super) struct DemoCommand {
    /// Print the URLs of the servers, serve until interrupted
    #[arg(long)]
    pub(super) serve: bool,

    /// Show the town as fifteen tasks, below the page
    #[arg(long, conflicts_with = "serve")]
    tour: bool,

    #[command(flatten)]
    browse: Browse,
}

impl DemoCommand {
    pub(super) fn run(&self, context: CliContext) -> Result<(), CliError> {
        block_on(async {
            let servers = Servers::start().await?;
            if self.serve {
                let stopped = stop_signal()?;
                let mut out = stdout().lock();
                for url in servers.urls() {
                    writeln!(out, "{url}")?;
                }
                out.flush()?;
                drop(out);
                stopped.await;
                return Ok(());
            }
            // Dropping this removes the profile.
            let profile = tempfile::Builder::new().prefix("geomys-demo").tempdir()?;
            fs::write(profile.path().join("bookmarks.txt"), servers.bookmarks())?;
            let paths = UserPaths {
                config: profile.path().to_owned(),
                data: profile.path().to_owned(),
                bookmarks: context.paths.bookmarks.clone(),
                cache: profile.path().join("cache"),
            };
            // Settings and keys are those of the user; a change of them is one of the profile.
            let own = context.paths.watched_configuration();
            for (from, to) in own.iter().zip(paths.watched_configuration()) {
                if from.exists() && *from != context.paths.score() {
                    fs::copy(from, to)?;
                }
            }
            let demo = DemoSettings {
                news: NewsHost::plain(
                    servers.addresses.news.ip().to_string(),
                    servers.addresses.news.port(),
                ),
                gateway: servers.gateway(),
                newsrcs: paths.newsrcs(),
                profile: profile.path().to_owned(),
            };
            let user_read = context.read;
            let read: ReadFrom = Arc::new(move |paths| {
                let mut config = user_read(paths);
                demo.apply(&mut config.settings);
                config
            });
            let context = CliContext {
                config: read(&paths),
                paths: Arc::new(paths),
                read,
            };
            let first = servers.urls().into_iter().take(1);
            Box::pin(self.browse.browse(context, first.collect(), self.tour)).await
        })?
    }
}

/// The settings of the demo, whatever the files of configuration say.
struct DemoSettings {
    news: NewsHost,
    /// The gateway of the one unsupported scheme.
    gateway: String,
    newsrcs: PathBuf,
    profile: PathBuf,
}

impl DemoSettings {
    fn apply(&self, settings: &mut Settings) {
        settings.downloads = self.profile.join("Downloads");
        // Read marks are stored in the profile; passwords are not stored.
        settings.newsrcs = Newsrcs {
            named: Vec::new(),
            directory: Some(self.newsrcs.clone()),
        };
        settings.keyring = false;
        settings.author.mail = mail_to_file(&self.profile.join("letters"));
        // The address is that of a server of the demo, which is valid.
        let _ = Arc::make_mut(&mut settings.gateways).set("x-mole", &self.gateway);
        settings.follow = false;
        settings.news_server = Some(self.news.clone());
    }
}

/// Returns a mail command that saves the message to a file of the profile: the addressees of the demo do not exist.
fn mail_to_file(file: &Path) -> Vec<String> {
    let file = file.display().to_string();
    ["cp", "/dev/stdin", &file].map(str::to_owned).to_vec()
}
