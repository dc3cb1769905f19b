//! Pages to read later: their queue, and the page that lists them.

use std::fmt::Write as _;

use geomys_page::document::{Document, Shape};
use geomys_page::load::{Request, cache_key};
use geomys_store::files::later::LaterEntry;
use geomys_wire::net::shown_url;
use geomys_wire::text::{Charset, Text};
use rfc1738::Dialect;

use crate::app::action::Action;
use crate::app::library::message::LibraryEffect;
use crate::app::requester::Arrival;
use crate::app::view::builtin::LATER;
use crate::app::view::context::State;
use crate::app::{Command, Context, Credentials, Library, Page, Tabs};

/// Puts a page into the queue of pages to read later, and fetches it in the background.
pub(crate) fn save_for_later(
    mut request: Request,
    title: &Text,
    credentials: &Credentials,
    cx: &mut Context,
) {
    credentials.apply_defaults(&mut request, &cx.settings);
    if cache_key(&request).is_none() || request.sends_answers() {
        return cx.notify("Not saved: it is local, or needs a login or a form");
    }
    cx.notify(&format!("Saving for later: {title}"));
    cx.emit(LibraryEffect::SaveForLater(
        Box::new(request),
        title.to_string(),
    ));
}

/// Notifies the user that a page was saved for later.
pub(crate) fn notify_saved(saved: Result<String, String>, cx: &mut Context) {
    match saved {
        Ok(title) => cx.notify(&format!("Saved for later: {title}")),
        Err(error) => cx.report_error(&error),
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
    /// Shows the pages to read later. After a reload with credentials those are fetched that are not stored.
    pub(super) fn later_listed(
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
        let Ok(url) = Dialect::Extended.parse(LATER) else {
            return;
        };
        if arrival == Arrival::Reload && !tabs.shows(LATER) {
            return;
        }
        let title = Text::of("Saved for later");
        let mut document = Document::new(url.clone(), Shape::Menu, Charset::default());
        document.append(menu(&entries, cx).as_bytes());
        let page = Page::new(url, title, document, State::Whole);
        tabs.arrive(page, arrival, cx);
        cx.reveal_all();
        let credentials =
            credentials.filter(|_| arrival == Arrival::Reload && !cx.settings.offline);
        if let Some(credentials) = credentials {
            for entry in entries.into_iter().filter(|entry| !entry.is_stored) {
                let title = Text::of(&entry.title);
                save_for_later(Request::show(entry.url), &title, credentials, cx);
            }
        }
    }
}

/// Returns the menu of the pages to read later, the newest first.
fn menu(entries: &[LaterEntry], cx: &Context) -> String {
    let info = |text: &str| format!("i{text}\t\tnull.host\t1\r\n");
    let mut menu = match entries.len() {
        0 => info("No page is saved for later."),
        1 => info("1 page is saved for later."),
        count => info(&format!("{count} pages are saved for later.")),
    };
    menu.push_str(&info(""));
    for entry in entries.iter().rev() {
        let title = entry.title.replace('\t', " ");
        let title = match title.trim() {
            "" => shown_url(&entry.url).into_owned(),
            title => title.to_owned(),
        };
        let added = cx.settings.zone.written(entry.added);
        let state = if entry.is_stored { "" } else { ", not fetched" };
        let _ = write!(menu, "h{title}\tURL:{}\tnull.host\t70\r\n", entry.url);
        menu.push_str(&info(&format!("{added}{state}")));
    }
    menu
}
