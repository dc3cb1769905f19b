//! What a typed address means, with what the browser knows.

use std::path::Path;

use super::App;
use super::pane::Pane;
use super::tab::Tab;
use crate::url::{Encoded, GroupPart, Guesses, ParseError, Parts, Url, forgiven, meant, typed};

impl App {
    /// The URL that was typed or hinted at: a news group is known when a bookmark or a page of this session leads to it.
    ///
    /// # Errors
    /// As [`typed`].
    pub fn typed(&self, input: &str) -> Result<Url, ParseError> {
        self.guessing(|guesses| typed(input, guesses))
    }

    /// What a typed address opens as although it is at fault: the URL that it means, where there is one.
    pub fn forgiven(&self, input: &str) -> Option<Url> {
        self.guessing(|guesses| forgiven(&meant(input, guesses)).ok())
    }

    fn guessing<T>(&self, guess: impl FnOnce(Guesses<'_>) -> T) -> T {
        let is_group = |name: &str| self.knows_group(name);
        guess(Guesses {
            is_group: Some(&is_group),
            directory: self.settings.directory.as_deref().and_then(Path::to_str),
            home: self.settings.home.as_deref().and_then(Path::to_str),
        })
    }

    fn knows_group(&self, name: &str) -> bool {
        let bookmarks = self.sidebar.bookmarks.bookmarks();
        // Only URLs of news are worth the reading.
        let news = bookmarks.filter(|bookmark| bookmark.may_be(&["news", "nntp", "snews"]));
        let mut marked = news.filter_map(|bookmark| bookmark.url().ok());
        let panes = self.tabs.iter().flat_map(Tab::panes);
        let mut seen = panes.flat_map(Pane::pages).map(|page| &page.url);
        marked.any(|url| leads_to(&url, name)) || seen.any(|url| leads_to(url, name))
    }
}

fn leads_to(url: &Url, name: &str) -> bool {
    let parts = url.reading();
    let group: Option<Encoded<'_>> = if let Parts::Nntp(nntp) = parts {
        Some(nntp.group)
    } else if let Parts::News(news) = parts
        && let GroupPart::Group(group) = news.part
    {
        Some(group)
    } else {
        None
    };
    group.is_some_and(|group| *group.octets() == *name.as_bytes())
}
