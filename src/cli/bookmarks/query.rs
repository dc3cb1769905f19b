//! What is known beside the bookmark file, for the words that ask for it.

use jiff::Timestamp;

use crate::cli::{Setting, Trouble};
use crate::files::checks::{self, Checks};
use crate::files::watch::{self, Watched};
use crate::url::Url;

/// What is known beside the bookmark file.
pub(super) struct Known {
    pub(super) checks: Checks,
    pub(super) watched: Watched,
    pub(super) now: Timestamp,
}

impl Known {
    /// Reads it.
    pub(super) fn load(setting: &Setting) -> Result<Self, Trouble> {
        let trouble = |error: String| Trouble::new(error);
        let checks = checks::load(&setting.places.checks());
        let watched = watch::load(&setting.places.watched());
        Ok(Self {
            checks: checks.map_err(|error| trouble(error.to_string()))?,
            watched: watched.map_err(|error| trouble(error.to_string()))?,
            now: checks::now(),
        })
    }

    /// Nothing, where no word asks.
    pub(super) fn nothing() -> Self {
        Self {
            checks: Checks::default(),
            watched: Watched::default(),
            now: checks::now(),
        }
    }

    /// Whether a URL fits a word that is about what is known.
    pub(super) fn fits(&self, word: &str, url: Option<&Url>) -> bool {
        // Of what is no URL nothing can be known.
        let fits = url.and_then(|url| {
            let fits = self.checks.fits(word, url, self.now);
            fits.or_else(|| self.watched.fits(word, url))
        });
        fits.unwrap_or(false)
    }
}
