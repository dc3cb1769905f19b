//! Saving of a binary that was posted in several articles of a group.

use geomys_page::document::Link;
use geomys_page::document::binary::FileCheck;
use geomys_store::transfer::download::SavedFile;
use geomys_wire::text::{self, Text};
use rfc1738::{Dialect, Url};

use crate::action::Action;
use crate::news::next_unread::CurrentArticle;
use crate::news::server::NewsAuthority;
use crate::transfers::message::{BinaryGroup, BinaryJob};
use crate::{Context, Credentials, Effect, Tabs, TransferEffect, Transfers};

impl Transfers {
    /// Joins and saves the binary of the shown article, or of the article under the cursor of a group.
    pub(crate) fn save_binary(&mut self, tabs: &Tabs, credentials: &Credentials, cx: &mut Context) {
        let shown = CurrentArticle::of(tabs);
        let listed = shown.as_ref().and_then(|shown| listed(tabs, shown));
        let found = listed.or_else(|| unlisted(tabs, shown.as_ref(), credentials, cx));
        let Some((group, link)) = found else {
            if shown.is_none() {
                return cx.notify("No article of a group here");
            }
            let open = cx.key_of(Action::WholeThread);
            return cx.notify(&format!("Open the group first ({open})"));
        };
        let url = match link.target {
            Ok(url) => url,
            Err(error) => return cx.report_error(&error.to_string()),
        };
        let mut request = tabs.request_from_page(url);
        credentials.apply_defaults(&mut request, &cx.settings);
        let job = BinaryJob {
            group,
            request,
            directory: cx.settings.downloads.clone(),
        };
        let load = self.begin_download(link.label, None, cx);
        cx.notify("Fetching the parts");
        cx.emit(Effect::Transfers(TransferEffect::Join(load, Box::new(job))));
    }
}

/// Returns the group of an article, and the link to the article; nothing if the group is not open.
fn listed(tabs: &Tabs, shown: &CurrentArticle) -> Option<(BinaryGroup, Link)> {
    let group = tabs
        .group_page(&shown.server, &shown.group)?
        .own_document()?;
    let line = group.numbered_article(shown.number)?.line;
    let link = group.article_link(line)?;
    Some((BinaryGroup::Open(Box::new(group.clone()), line), link))
}

/// The most articles between two parts of a binary whose group is not open.
const MAX_DISTANCE: u64 = 5000;

/// The most groups of an article in which the parts are looked for, as a server may not have all of them.
const MAX_GROUPS: usize = 5;

/// Returns a group of the article that is shown by its own URL, and a link to the article: an open group that lists it,
/// or one that it was posted to. Of that only the articles near it are fetched where its number is known.
fn unlisted(
    tabs: &Tabs,
    shown: Option<&CurrentArticle>,
    credentials: &Credentials,
    cx: &Context,
) -> Option<(BinaryGroup, Link)> {
    let page = tabs.page().filter(|page| page.is_article())?;
    let server = NewsAuthority::of(page).filter(|server| !server.is_mailboxes())?;
    let article = page.own_document()?.parent()?;
    let link = Link::new(Text::of(&article.subject), Ok(page.url.clone()));
    let groups = || article.newsgroups.split(',').map(str::as_bytes);
    let open = groups().find_map(|group| {
        let group = tabs.group_page(&server, group)?.own_document()?;
        let line = group.line_of_message(article.id.as_bytes())?;
        Some(BinaryGroup::Open(Box::new(group.clone()), line))
    });
    if let Some(open) = open {
        return Some((open, link));
    }
    let near = shown.and_then(|shown| {
        let url = server.group_url(&shown.group, Some(page)).ok()?;
        let first = shown.number.saturating_sub(MAX_DISTANCE).max(1);
        let last = shown.number.saturating_add(MAX_DISTANCE);
        Dialect::Extended
            .parse(&format!("{url}/{first}-{last}"))
            .ok()
    });
    let urls: Vec<Url> = match near {
        Some(near) => vec![near],
        None => groups()
            .filter_map(|group| server.group_url(group, Some(page)).ok())
            .take(MAX_GROUPS)
            .collect(),
    };
    let requests = urls.into_iter().map(|url| {
        let mut request = tabs.request_from_page(url);
        credentials.apply_defaults(&mut request, &cx.settings);
        request
    });
    Some((BinaryGroup::Closed(requests.collect(), article.id), link))
}

/// Returns the message about a binary that was joined and saved.
pub(super) fn saved_sentence((saved, check): (SavedFile, FileCheck)) -> String {
    let check = match check {
        FileCheck::Checksum => "checksum correct",
        FileCheck::Size => "size correct, no checksum",
        FileCheck::Form => "no checksum",
    };
    let (path, size) = (saved.path.display(), text::octets(saved.octets));
    format!("saved {path} ({size}, {check})")
}
