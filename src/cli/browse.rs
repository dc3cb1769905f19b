//! `geomys [URL]...`: the browser.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use rustix::io::Errno;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::supervisor::supervisor_ended;
use super::terminal::{Keys, Screen, Tty};
use super::{Setting, Trouble, block_on};
use crate::app::check::Checking;
use crate::app::{App, Mailcaps, Settings};
use crate::config::Places;
use crate::document::Zone;
use crate::files::bookmarks::Bookmarks;
use crate::files::checks;
use crate::files::sources::Sources;
use crate::files::transfers::{self, Unfinished};
use crate::files::trust::{self, Pins};
use crate::run::{Ground, Started, run};

/// How long the terminal is kept while what is unsaved is written.
const SAVING: Duration = Duration::from_secs(1);

/// How long writing may take after that.
const SAVING_LATE: Duration = Duration::from_secs(4);

#[derive(Debug, Args)]
pub(super) struct Browse {
    /// Addresses, each opened in a tab; a host alone is one too
    #[arg(value_name = "URL")]
    addresses: Vec<String>,

    /// Panic at the first key, for the test that the terminal is given back
    #[cfg(debug_assertions)]
    #[arg(long, hide = true)]
    panic_at_first_key: bool,
}

impl Browse {
    pub(super) fn run(&self, setting: Setting) -> Result<(), Trouble> {
        block_on(self.browse(setting, Vec::new()))?
    }

    /// Runs the browser; `first` is opened when no address is given.
    pub(super) async fn browse(&self, setting: Setting, first: Vec<String>) -> Result<(), Trouble> {
        let (net, cache) = (setting.net(), setting.cache());
        let Setting {
            places,
            config,
            supervised,
        } = setting;
        let store = places.bookmarks();
        let mut trouble = None;
        let Known {
            bookmarks,
            pins,
            unfinished,
        } = Known::read(&places, &mut trouble);
        let patience = config.settings.transfers.patience();
        let size = crossterm::terminal::size()?;
        let settings = Settings {
            mailcaps: Mailcaps::Unread(config.mailcaps),
            zone: Zone::system(),
            ..config.settings
        };
        let mut app = App::new(config.keymap, settings, bookmarks, size)
            .trusting(pins)
            .transferring_again(unfinished)
            .knowing(Checking::new(checks::now()));
        let addresses = if self.addresses.is_empty() {
            &first
        } else {
            &self.addresses
        };
        let effects = app.start(addresses);
        if let Some(mistake) = config.mistakes.first() {
            let more = match config.mistakes.len() {
                1 => String::new(),
                count => format!(" (and {} more)", count - 1),
            };
            app.complain(&format!("{mistake}{more}"));
        }
        if let Some(sentence) = trouble {
            app.complain(&sentence);
        }
        let ground = Ground {
            net: Arc::new(net),
            theme: config.theme,
            bookmarks: store,
            trust: places.trust(),
            transfers: places.transfers(),
            sources: Sources::new(places.sources()),
            checks: places.checks(),
            watched: places.watched(),
            drafts: places.drafts(),
            secret: places.cancel_secret(),
            cache,
            patience,
        };
        let started = Started::new(ground, effects);
        let mut tty = Tty::default();
        // Before the terminal is taken: if signals cannot be heard, it would not be given back.
        let terminate = terminate(Arc::clone(&tty.is_lent), supervised)?;
        let mut screen = Screen::take()?;
        let input = self.input(tty.keys.clone());
        let (ending, drawn) = run(
            &mut screen.terminal,
            input,
            &mut tty,
            app,
            started,
            terminate,
        )
        .await;
        // Files come before the terminal: giving that back may fail or wait.
        let mut saving = ending.saving;
        let saved = match timeout(SAVING, &mut saving).await {
            Ok(saved) => Ok(saved),
            Err(_) => {
                drop(screen);
                timeout(SAVING_LATE, saving).await
            }
        };
        match saved {
            Ok(Ok(unheard)) if unheard.is_empty() => {}
            // The screen on which this would have been said has gone.
            Ok(Ok(unheard)) => return Err(Trouble::new(unheard.join("\ngeomys: "))),
            Ok(Err(error)) => return Err(Trouble::new(error.to_string())),
            Err(_) => {
                let sentence = "what was changed last could not be written in time";
                return Err(Trouble::new(sentence));
            }
        }
        match drawn {
            // A terminal that was closed is an ordinary end.
            Err(error) if error.raw_os_error() != Some(Errno::IO.raw_os_error()) => Err(
                Trouble::new(format!("the terminal cannot be written to: {error}")),
            ),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    #[cfg(debug_assertions)]
    fn input(&self, input: Keys) -> impl futures_util::Stream<Item = Input> + Unpin + use<> {
        use futures_util::StreamExt;
        let panics = self.panic_at_first_key;
        input.inspect(move |event| {
            let key = matches!(event, Ok(crossterm::event::Event::Key(_)));
            assert!(
                !(panics && key),
                "the first key, as --panic-at-first-key asks"
            );
        })
    }

    #[cfg(not(debug_assertions))]
    #[allow(clippy::unused_self)] // The other one needs it.
    fn input(&self, input: Keys) -> impl futures_util::Stream<Item = Input> + Unpin + use<> {
        input
    }
}

/// Waits for a signal that ends the browser, or for the end of the process that supervises it.
fn terminate(
    is_lent: Arc<AtomicBool>,
    supervised: Option<u32>,
) -> std::io::Result<impl Future<Output = ()> + Send> {
    let (mut term, mut hup) = (
        signal(SignalKind::terminate())?,
        signal(SignalKind::hangup())?,
    );
    // The keys that send these two are keys like others here; somebody else may still send them.
    let (mut int, mut quit) = (
        signal(SignalKind::interrupt())?,
        signal(SignalKind::quit())?,
    );
    let (end, ended) = oneshot::channel();
    tokio::spawn(async move {
        let supervisor = supervisor_ended(supervised);
        tokio::pin!(supervisor);
        loop {
            // Keys send the last two to whoever has the terminal.
            let is_key = tokio::select! {
                _ = term.recv() => false,
                _ = hup.recv() => false,
                _ = int.recv() => true,
                _ = quit.recv() => true,
                () = &mut supervisor => false,
            };
            if !(is_key && is_lent.load(Ordering::SeqCst)) {
                break;
            }
        }
        // The browser may be over already.
        let _ = end.send(());
    });
    Ok(async move {
        let _ = ended.await;
    })
}

/// What the user's files hold that the browser begins with.
struct Known {
    bookmarks: Bookmarks,
    pins: Pins,
    unfinished: Vec<Unfinished>,
}

impl Known {
    /// Reads them; nothing stands in for what cannot be read, and the last of such troubles is told.
    fn read(places: &Places, trouble: &mut Option<String>) -> Self {
        let bookmarks = places.bookmarks().load();
        Self {
            bookmarks: or_none(bookmarks, trouble),
            pins: or_none(trust::load(&places.trust()), trouble),
            unfinished: or_none(transfers::load(&places.transfers()), trouble),
        }
    }
}

fn or_none<T: Default, E: Display>(read: Result<T, E>, trouble: &mut Option<String>) -> T {
    read.unwrap_or_else(|error| {
        *trouble = Some(error.to_string());
        T::default()
    })
}

type Input = std::io::Result<crossterm::event::Event>;
