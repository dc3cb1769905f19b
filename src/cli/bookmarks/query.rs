//! Which bookmarks are meant: those that fit every word.

use jiff::Timestamp;

use crate::files::bookmarks::{Bookmark, Bookmarks};
use crate::files::checks::Checks;
use crate::files::watch::Watched;

/// What is known beside the bookmark file.
pub(super) struct Known {
    pub(super) checks: Checks,
    pub(super) watched: Watched,
    pub(super) now: Timestamp,
}

/// Words of which each has to fit: `#tag`, `is:gone`, `gone>30d`, or a text in the title, the URL, the folder or a note.
pub(super) struct Query {
    words: Vec<String>,
}

impl Query {
    /// Of the arguments of a command line, each of one word or more.
    pub(super) fn new(arguments: &[String]) -> Self {
        let words = arguments
            .iter()
            .flat_map(|argument| argument.split_whitespace());
        Self {
            words: words.map(str::to_lowercase).collect(),
        }
    }

    /// Whether a bookmark fits all of them.
    pub(super) fn fits(
        &self,
        bookmarks: &Bookmarks,
        bookmark: &Bookmark<'_>,
        known: &Known,
    ) -> bool {
        self.words
            .iter()
            .all(|word| word_fits(word, bookmarks, bookmark, known))
    }
}

fn word_fits(word: &str, bookmarks: &Bookmarks, bookmark: &Bookmark<'_>, known: &Known) -> bool {
    if Checks::is_judged(word) || Watched::is_judged(word) {
        let url = bookmark.url().ok();
        let fits = url.and_then(|url| {
            let about = known.checks.fits(word, &url, known.now);
            about.or_else(|| known.watched.fits(word, &url))
        });
        // Of what is no URL nothing can be known.
        return fits.unwrap_or(false);
    }
    if let Some(tag) = word.strip_prefix('#') {
        let tags = bookmark.tags();
        return tags.iter().any(|own| own.as_str().to_lowercase() == tag);
    }
    let holds = |text: &str| text.to_lowercase().contains(word);
    holds(bookmark.title().as_str())
        || holds(&crate::url::mask(bookmark.written().as_str()))
        || bookmark.notes().iter().any(|note| holds(note.as_str()))
        || holds(&bookmarks.folder_of(bookmark.index).join("/"))
}
