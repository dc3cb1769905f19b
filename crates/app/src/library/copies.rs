//! What is offered in the place of a dead page: its stored copy, that of an archive, and its new address.

use geomys_load::{CacheUse, NoRequestReason, Reason, Request};
use geomys_wire::net::shown_url;
use geomys_wire::text::Text;
use rfc1738::Url;

use crate::library::message::{CopiesOrder, LibraryEffect, PageCopies};
use crate::requester::OpenPage;
use crate::{Context, Dialog};

/// Looks for the copies of a page, which are offered then.
pub(crate) fn find_copies(url: &Url, title: &Text, reason: Reason, cx: &mut Context) {
    let order = CopiesOrder {
        url: url.clone(),
        title: title.clone(),
        reason,
        archives: cx.settings.archives.clone(),
    };
    cx.emit(LibraryEffect::FindCopies(Box::new(order)));
}

/// Returns the request of the stored copy of a page. It keeps the reason to request the page, which a reload does.
pub(crate) fn stored_copy(url: &Url, title: &Text, reason: Reason) -> OpenPage {
    let request = Request {
        cache_use: CacheUse::Always(NoRequestReason::Failed),
        ..Request::show(url.clone(), reason)
    };
    OpenPage::from(request).titled(title.clone())
}

/// Offers the copies of a page, the stored one first. Nothing is sent before one is chosen with Enter.
pub(super) fn offer(copies: PageCopies, cx: &mut Context) {
    let PageCopies {
        url,
        title,
        reason,
        cached,
        archived,
        moved,
    } = copies;
    let why_none = cx.settings.archives.reason(&url);
    let mut answers = Vec::new();
    let mut lines = vec![shown_url(&url).into_owned()];
    if let Some(day) = cached {
        lines.push(format!("Stored here: a copy of {day}"));
        answers.push((
            'c',
            format!("copy of {day}"),
            stored_copy(&url, &title, reason),
        ));
    }
    if let Some(archived) = archived {
        lines.push(format!("At the archive: {}", shown_url(&archived)));
        answers.push((
            'a',
            "archive".to_owned(),
            OpenPage::at(archived, Reason::Setting),
        ));
    }
    if let Some(moved) = moved {
        lines.push(format!("New address: {}", shown_url(&moved)));
        let page = OpenPage::at(moved, Reason::Redirect(url.clone())).titled(title.clone());
        answers.push(('m', "new address".to_owned(), page));
    }
    let Some((first, ..)) = answers.first() else {
        let none = why_none.unwrap_or("archive-url in settings.toml names no archive for it");
        return cx.notify(&format!("No copy is stored. {none}"));
    };
    let first = *first;
    lines.extend(why_none.map(|why| format!("{why}.")));
    let lines = lines.iter().map(|line| Text::of(line)).collect();
    let mut dialog = Dialog::new("Open which copy of this page?").with_lines(lines);
    for (key, label, page) in answers {
        dialog = dialog.answer(key, &label, page);
    }
    let dialog = dialog.no("none").declined(Vec::new());
    cx.ask(dialog.safe(first).with_buttons());
}
