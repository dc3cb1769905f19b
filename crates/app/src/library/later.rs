//! Pages to read later: their queue, and the page that lists them.

use std::fmt::Write as _;

use geomys_crawl::sync::report::{ASKS, Note};
use geomys_load::{EXCLUDED, Namer, Reason, Request, cache_key, needs_search_words};
use geomys_page::document::{Document, Shape};
use geomys_store::files::later::LaterEntry;
use geomys_wire::net::shown_url;
use geomys_wire::text::{CharsetSetting, Text};
use rfc1738::{Dialect, Url};

use crate::action::Action;
use crate::copies::Availability;
use crate::library::SyncState;
use crate::library::message::{LibraryEffect, SavedForLater};
use crate::news::{article_of, group_of};
use crate::requester::Arrival;
use crate::tabs::tab::shows_private;
use crate::view::View;
use crate::view::builtin::LATER;
use crate::view::context::State;
use crate::{Command, Context, Credentials, Library, Page, Tabs};

/// Puts a page into the queue of pages to read later, and fetches it in the background.
pub(crate) fn save_for_later(
    mut request: Request,
    title: &Text,
    credentials: &Credentials,
    cx: &mut Context,
) {
    credentials.apply_defaults(&mut request, &cx.settings);
    cx.copies.accept_answers(&mut request);
    if cache_key(&request).is_none() || request.sends_answers() {
        return cx.notify("Not kept: it is local, or needs a login or a form");
    }
    cx.notify(&format!("Keeping: {title}"));
    cx.emit(LibraryEffect::SaveForLater(
        Box::new(request),
        title.to_string(),
    ));
}

/// Puts a link that has no copy into the queue of the next sync, in the offline mode. Returns false if it is to be
/// opened: there is a copy, or the page is never stored.
pub(crate) fn queue_link(request: &Request, title: &Text, tabs: &Tabs, cx: &mut Context) -> bool {
    let url = &request.url;
    let later = cx.key_of(Action::Later);
    match cx.copies.availability(request) {
        Some(Availability::Queued) => {
            cx.notify(&format!(
                "The next sync fetches it ({later} lists the links)"
            ));
            return true;
        }
        Some(Availability::Missing) => {}
        Some(Availability::Here) | None => return false,
    }
    if shows_private(tabs.tab()) || never_synced(request, cx).is_some() {
        return false;
    }
    cx.notify(&format!(
        "Kept: the next sync fetches it ({later} lists it)"
    ));
    let namer = match request.namer_to_store() {
        Namer::Page(page) if cx.settings.history.excludes(&page) => Namer::Unknown,
        namer => namer,
    };
    cx.emit(LibraryEffect::QueueLink(
        url.clone(),
        title.to_string(),
        namer,
    ));
    true
}

/// Returns why no sync fetches the page of a request; `None` if one may.
fn never_synced(request: &Request, cx: &Context) -> Option<&'static str> {
    let url = &request.url;
    // A sync fetches the articles of the groups that are subscribed to, not any group.
    if group_of(url).is_some() && article_of(url).is_none() {
        Some("groups are cached when they are opened")
    } else if cx.settings.history.excludes(url) {
        Some(EXCLUDED)
    } else if cache_key(request).is_none() || request.sends_answers() {
        Some("it is never stored")
    } else if needs_search_words(request) {
        Some("it needs search words")
    } else {
        None
    }
}

/// Notifies the user that a page was saved for later, or waits for an answer.
pub(super) fn notify_saved(saved: &SavedForLater, cx: &mut Context) {
    match saved {
        SavedForLater::Stored(title) => cx.notify(&format!("Kept: {title}")),
        SavedForLater::Asks(..) => {
            let later = cx.key_of(Action::Later);
            cx.notify(&format!("Kept, to answer: open it in {later}"));
        }
        SavedForLater::Failed(error) => cx.report_error(error),
    }
}

/// Opens the page of pages to read later, or goes back from it.
pub(crate) fn toggle_later(tabs: &Tabs, cx: &mut Context) {
    if tabs.shows(LATER) {
        cx.command(Command::Act(Action::Back));
    } else {
        cx.emit(LibraryEffect::ListLater(Arrival::Append));
    }
}

impl Library {
    /// Takes the pages to read later. Returns true if they have changed.
    pub(super) fn set_later(&mut self, entries: Vec<LaterEntry>, cx: &mut Context) -> bool {
        for entry in entries.iter().filter(|entry| cx.copies.is_answered(entry)) {
            self.sync.unfetched.remove(entry.url.as_str());
        }
        let has_changed = cx.copies.set_later(entries);
        self.home.has_changed |= has_changed;
        has_changed
    }

    /// Marks a page that is saved for later as read when it is shown.
    pub(crate) fn mark_shown(&mut self, url: &Url, cx: &mut Context) {
        if cx.found.is_private {
            return;
        }
        if let Some(read) = cx.copies.shown(url) {
            self.home.has_changed = true;
            cx.emit(LibraryEffect::MarkRead(read));
        }
    }

    /// Shows the pages to read later. After a reload with credentials those are fetched that are not stored.
    pub(super) fn later_listed(
        &mut self,
        listed: Result<Vec<LaterEntry>, String>,
        arrival: Arrival,
        tabs: &mut Tabs,
        credentials: Option<&Credentials>,
        cx: &mut Context,
    ) {
        let entries = match listed {
            Ok(entries) => entries,
            Err(error) => return cx.report_error(&error),
        };
        self.set_later(entries.clone(), cx);
        let Ok(url) = Dialect::Extended.parse(LATER) else {
            return;
        };
        if arrival == Arrival::Reload && !tabs.shows(LATER) {
            return;
        }
        let title = Text::of("Kept pages");
        let mut document = Document::new(url.clone(), Shape::Menu, CharsetSetting::default());
        let mut menu = menu(&entries, &self.sync, cx);
        menu.push_str(&notes_menu(&self.sync.notes));
        document.append(menu.as_bytes());
        let mut page = Page::new(url, title, document, State::Whole);
        if let View::Builtin(view) = &mut page.view {
            let reasons = entries.iter();
            let reasons =
                reasons.map(|entry| (entry.url.clone(), Reason::Queued(entry.namer.clone())));
            view.reasons = reasons.collect();
        }
        tabs.arrive(page, arrival, cx);
        cx.reveal_all();
        let credentials =
            credentials.filter(|_| arrival == Arrival::Reload && !cx.settings.offline);
        if let Some(credentials) = credentials {
            for entry in entries.into_iter().filter(|entry| !entry.is_stored) {
                let title = Text::of(&entry.title);
                let request = Request::show(entry.url, Reason::Queued(entry.namer));
                save_for_later(request, &title, credentials, cx);
            }
        }
    }
}

fn info(text: &str) -> String {
    let text = text.replace(char::is_control, " ");
    format!("i{text}\t\tnull.host\t1\r\n")
}

/// Returns the rows of what the last sync could not fetch, with the reasons; nothing if it has fetched everything.
fn notes_menu(notes: &[(&str, Note)]) -> String {
    if notes.is_empty() {
        return String::new();
    }
    let mut menu = [info(""), info("Not fetched by the last sync:")].concat();
    for (word, Note { url, reason }) in notes {
        match Dialect::Extended.parse(url) {
            Ok(url) => {
                let _ = write!(menu, "h{}\tURL:{url}\tnull.host\t70\r\n", shown_url(&url));
                menu.push_str(&info(&format!("{word}: {reason}")));
            }
            // A draft.
            Err(_) => menu.push_str(&info(&format!("{word}: {reason} ({url})"))),
        }
    }
    menu
}

/// Returns the menu of the pages to read later, the newest first.
fn menu(entries: &[LaterEntry], sync: &SyncState, cx: &Context) -> String {
    let mut menu = match entries.len() {
        0 => {
            let key = cx.key_of(Action::SaveForLater);
            info(&format!("Nothing kept yet: {key} keeps a link or a page"))
        }
        1 => info("1 page is kept."),
        count => info(&format!("{count} pages are kept.")),
    };
    menu.push_str(&info(""));
    for entry in entries.iter().rev() {
        let title = entry.title.replace('\t', " ");
        let title = match title.trim() {
            "" => shown_url(&entry.url).into_owned(),
            title => title.to_owned(),
        };
        let added = cx.settings.zone.written(entry.added);
        let (mark, state) = match (entry.is_stored, entry.shown) {
            (false, _) => ("◷ ", format!(", {}", unfetched_words(entry, sync, cx))),
            (true, Some(_)) => ("", ", read".to_owned()),
            (true, None) => ("", String::new()),
        };
        let _ = write!(menu, "h{title}\tURL:{}\tnull.host\t70\r\n", entry.url);
        menu.push_str(&info(&format!("{mark}{added}{state}")));
    }
    menu
}

/// Returns why the page of an entry is not here: what is known without asking, what its server has answered, or that
/// the next sync fetches it.
fn unfetched_words(entry: &LaterEntry, sync: &SyncState, cx: &Context) -> String {
    let mut request = Request::show(entry.url.clone(), Reason::Queued(entry.namer.clone()));
    entry.accept_answers(&mut request);
    if let Some(why) = never_synced(&request, cx) {
        return format!("not fetched: {why}");
    }
    if let Some((word, reason)) = sync.unfetched.get(entry.url.as_str()) {
        return format!("{word}: {reason}");
    }
    match request.written_local_target() {
        Some(target) => format!("{ASKS}: {}", target.sentence()),
        None => "not fetched: the next sync does".to_owned(),
    }
}
