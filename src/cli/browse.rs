//! `geomys [URL]...`: the browser.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;

use super::terminal::{Keys, Screen, Tty};
use super::{Setting, Trouble, block_on};
use crate::app::{App, Mailcaps, Settings};
use crate::config::BOOKMARKS;
use crate::document::Zone;
use crate::files::bookmarks::{self, Bookmarks};
use crate::files::transfers;
use crate::files::trust::{self, Pins};
use crate::run::{Ground, Started, run};

/// How long what is still to be written may take once the terminal is given back.
const SAVING: Duration = Duration::from_secs(5);

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
        let net = setting.net();
        let Setting { places, config, .. } = setting;
        let path = places.bookmarks();
        let mut trouble = None;
        let bookmarks = bookmarks::load(&path, BOOKMARKS).unwrap_or_else(|error| {
            trouble = Some(error.to_string());
            Bookmarks::default()
        });
        let pins = trust::load(&places.trust()).unwrap_or_else(|error| {
            trouble = Some(error.to_string());
            Pins::default()
        });
        let unfinished = transfers::load(&places.transfers()).unwrap_or_else(|error| {
            trouble = Some(error.to_string());
            Vec::new()
        });
        let patience = config.settings.transfers.patience();
        let size = crossterm::terminal::size()?;
        let settings = Settings {
            mailcaps: Mailcaps::Unread(config.mailcaps),
            zone: Zone::system(),
            ..config.settings
        };
        let mut app = App::new(config.keymap, settings, bookmarks, size).trusting(pins);
        app = app.transferring_again(unfinished);
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
            bookmarks: (path, BOOKMARKS.to_owned()),
            trust: places.trust(),
            transfers: places.transfers(),
            drafts: places.drafts(),
            patience,
        };
        let started = Started::new(ground, effects);
        // Before the terminal is taken: if signals cannot be heard, it would not be given back.
        let (mut term, mut hup) = (
            signal(SignalKind::terminate())?,
            signal(SignalKind::hangup())?,
        );
        // The keys that send these two are keys like others here; somebody else may still send them.
        let (mut int, mut quit) = (
            signal(SignalKind::interrupt())?,
            signal(SignalKind::quit())?,
        );
        let mut tty = Tty::default();
        let is_lent = Arc::clone(&tty.is_lent);
        let (end, ended) = oneshot::channel();
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    _ = term.recv() => break,
                    _ = hup.recv() => break,
                    // Keys send these two to whoever has the terminal.
                    _ = int.recv() => {}
                    _ = quit.recv() => {}
                }
                if !is_lent.load(Ordering::SeqCst) {
                    break;
                }
            }
            // The browser may be over already.
            let _ = end.send(());
        });
        let terminate = async move {
            let _ = ended.await;
        };
        let mut screen = Screen::take()?;
        let input = self.input(tty.keys.clone());
        let ending = run(
            &mut screen.terminal,
            input,
            &mut tty,
            app,
            started,
            terminate,
        )
        .await;
        drop(screen);
        let ending = ending?;
        // A bookmark or a certificate that was changed with the last key is still written.
        if tokio::time::timeout(SAVING, ending.saving).await.is_err() {
            return Err(Trouble::new(
                "what was changed last could not be written in time",
            ));
        }
        Ok(())
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

type Input = std::io::Result<crossterm::event::Event>;
