//! The interpretation of a typed address, with the groups and directories of this session.

use std::path::Path;

use geomys_store::bookmarks::Bookmarks;
use rfc1738::{
    Encoded, GroupPart, Guesses, ParseError, Parts, Url, expand_typed, parse_or_repair, parse_typed,
};

use crate::{BookmarksPane, Context, Tabs};

impl BookmarksPane {
    /// Parses a typed address. A bare name is a newsgroup if a bookmark or a page of this session links to that group.
    ///
    /// # Errors
    /// As [`parse_typed`].
    pub fn parse_typed(&self, input: &str, tabs: &Tabs, cx: &Context) -> Result<Url, ParseError> {
        with_guesses(
            &self.sidebar.bookmarks,
            |guesses| parse_typed(input, guesses),
            tabs,
            cx,
        )
    }

    /// Parses a typed address and fixes its faults, if possible.
    ///
    /// # Errors
    /// As [`parse_typed`], but the faults of the text are repaired if possible.
    pub fn parse_and_fix(&self, input: &str, tabs: &Tabs, cx: &Context) -> Result<Url, ParseError> {
        with_guesses(
            &self.sidebar.bookmarks,
            |guesses| parse_or_repair(&expand_typed(input, guesses)),
            tabs,
            cx,
        )
    }
}

fn with_guesses<T>(
    bookmarks: &Bookmarks,
    guess: impl FnOnce(Guesses<'_>) -> T,
    tabs: &Tabs,
    cx: &Context,
) -> T {
    let is_group = |name: &str| has_group(bookmarks, name, tabs);
    guess(Guesses {
        is_group: Some(&is_group),
        directory: cx.settings.directory.as_deref().and_then(Path::to_str),
        home: cx.settings.home.as_deref().and_then(Path::to_str),
    })
}

fn has_group(bookmarks: &Bookmarks, name: &str, tabs: &Tabs) -> bool {
    let bookmarks = bookmarks.bookmarks();
    // Only news URLs are parsed.
    let news = bookmarks.filter(|bookmark| bookmark.may_be(&["news", "nntp", "snews"]));
    let mut bookmarked = news.filter_map(|bookmark| bookmark.url().ok());
    let mut visited = tabs.pages().map(|page| &page.url);
    bookmarked.any(|url| leads_to(&url, name)) || visited.any(|url| leads_to(url, name))
}

fn leads_to(url: &Url, name: &str) -> bool {
    let parts = url.base_parts();
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
