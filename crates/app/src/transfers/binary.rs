//! Saving of a binary that was posted in several articles of a group.

use geomys_page::document::binary::FileCheck;
use geomys_store::transfer::download::SavedFile;
use geomys_wire::text;

use crate::action::Action;
use crate::news::next_unread::CurrentArticle;
use crate::transfers::message::BinaryJob;
use crate::{Context, Credentials, Effect, Page, Tabs, TransferEffect, Transfers};

impl Transfers {
    /// Joins and saves the binary of the shown article, or of the article under the cursor of a group.
    pub(crate) fn save_binary(&mut self, tabs: &Tabs, credentials: &Credentials, cx: &mut Context) {
        let Some(shown) = CurrentArticle::of(tabs) else {
            return cx.notify("No article of a group here");
        };
        let page = tabs.group_page(&shown.server, &shown.group);
        let listed = page.and_then(Page::own_document).and_then(|group| {
            let line = group.numbered_article(shown.number)?.line;
            Some((group, line, group.article_link(line)?))
        });
        let Some((group, line, link)) = listed else {
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
            group: group.clone(),
            line,
            request,
            directory: cx.settings.downloads.clone(),
        };
        let load = self.begin_download(link.label, None, cx);
        cx.notify("Fetching the parts");
        cx.emit(Effect::Transfers(TransferEffect::Join(load, Box::new(job))));
    }
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
