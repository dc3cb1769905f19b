//! The list of stored drafts: the user resumes one, removes one after a question, or sends all of them.

use std::path::Path;

use crossterm::event::KeyCode;
use geomys_load::{Reason, Request};
use geomys_store::files::draft::{DeliveryMethod, StoredDraft};
use geomys_wire::text::Text;
use rfc1738::{Dialect, Url};

use crate::action::Action;
use crate::compose::message::DraftKind;
use crate::compose::message::{DraftJob, Drafts};
use crate::compose::send_all::ask_send_all;
use crate::compose::{BUSY, DraftInProgress, NO_MAIL_PROGRAM};
use crate::keymap::Key;
use crate::news::server::NewsAuthority;
use crate::tabs::tab::shows_private;
use crate::{Command, Compose, ComposeCommand, Context, Dialog, Dialogs, Overlay, Tabs};

impl Dialogs {
    /// Handles the list of drafts.
    pub(crate) fn drafts_listed(
        &mut self,
        listed: Result<Vec<StoredDraft>, String>,
        cx: &mut Context,
    ) {
        match listed {
            Ok(items) => match &mut self.overlay {
                // Another process has changed them.
                Some(Overlay::Drafts(drafts)) if !items.is_empty() => {
                    drafts.chosen = drafts.chosen.min(items.len() - 1);
                    drafts.items = items;
                }
                Some(Overlay::Drafts(_)) => self.overlay = None,
                None if items.is_empty() => {
                    let (post, mail) = (
                        cx.key_of(Action::PostArticle),
                        cx.key_of(Action::ReplyByMail),
                    );
                    cx.notify(&format!(
                        "Outbox empty: {post} posts to a group, {mail} answers by mail"
                    ));
                }
                None => cx.show(Overlay::Drafts(Drafts { items, chosen: 0 })),
                // Another question is open by now; it comes first.
                Some(_) => {}
            },
            Err(sentence) => cx.report_error(&sentence),
        }
    }

    /// Lists the drafts again, if they are shown.
    pub(crate) fn reload_drafts(&self, cx: &mut Context) {
        if matches!(self.overlay, Some(Overlay::Drafts(_))) {
            cx.emit(DraftJob::ListDrafts);
        }
    }
}

impl Compose {
    /// Resumes a stored draft: it is edited, checked, shown and confirmed like a new one.
    fn resume_stored(&mut self, stored: &StoredDraft, tabs: &Tabs, cx: &mut Context) {
        if self.writing.is_some() {
            return cx.report_error(BUSY);
        }
        if stored.delivery == DeliveryMethod::Mail && cx.settings.author.mail.is_empty() {
            return cx.report_error(NO_MAIL_PROGRAM);
        }
        let Some(request) = Self::stored_request(stored, tabs, cx) else {
            return cx.report_error("The draft has no valid URL");
        };
        let kind = DraftKind::Stored(stored.delivery);
        let is_private = shows_private(tabs.tab()) || cx.settings.history.excludes(&request.url);
        let writing = DraftInProgress::new(kind, request, is_private);
        self.writing = Some(writing);
        cx.emit(DraftJob::Hold(stored.path.clone()));
    }

    /// Creates the request that sends a stored draft.
    pub(super) fn stored_request(
        stored: &StoredDraft,
        tabs: &Tabs,
        cx: &Context,
    ) -> Option<Request> {
        if stored.delivery == DeliveryMethod::Upload {
            let url = Dialect::Extended.parse(&stored.to).ok()?;
            return Some(Request::show(url, Reason::Queued(stored.namer.clone())));
        }
        let group = stored.to.split(',').next().unwrap_or_default().trim();
        // The draft goes to the server of the current page, else to the server for `news:` URLs.
        let here = tabs.page().and_then(NewsAuthority::of);
        let there = match &here {
            Some(server) => server.group_url(group.as_bytes(), tabs.page()),
            None => Url::news_group(group.as_bytes()),
        };
        let url = there.or_else(|_| Dialect::Extended.parse("news:*")).ok()?;
        let named = tabs.page().filter(|_| here.is_some());
        let reason = named.map_or(Reason::Setting, |page| page.request.reason());
        let mut request = Request::show(url, reason);
        request.news_query.server = named.map_or_else(
            || cx.settings.news_server.clone(),
            |page| page.request.news_server.clone(),
        );
        Some(request)
    }

    /// Asks whether to remove a draft.
    fn ask_remove_draft(&self, stored: &StoredDraft, cx: &mut Context) {
        if self.draft_path().as_deref() == Some(stored.path.as_path()) {
            return cx.report_error("This draft is open");
        }
        let lines = vec![
            Text::of(&stored.subject),
            Text::of(&stored.path.display().to_string()),
        ];
        let remove = Command::Compose(ComposeCommand::Remove(stored.path.clone()));
        cx.ask(Dialog::confirm("Delete this draft?", remove).with_lines(lines));
    }

    /// Handles a key in the list of drafts.
    pub(crate) fn drafts_key(
        &mut self,
        mut drafts: Drafts,
        key: Key,
        tabs: &Tabs,
        cx: &mut Context,
    ) {
        let last = drafts.items.len().saturating_sub(1);
        let chosen = drafts.items.get(drafts.chosen);
        match key.code() {
            Some(KeyCode::Esc | KeyCode::Char('q' | 'h')) => return,
            _ if key.is_cancel() => return,
            Some(KeyCode::Enter | KeyCode::Char('l')) => {
                if let Some(stored) = chosen {
                    self.resume_stored(stored, tabs, cx);
                }
                return;
            }
            Some(KeyCode::Char('S')) => return ask_send_all(drafts.items, cx),
            Some(KeyCode::Char('X') | KeyCode::Delete) => {
                if let Some(stored) = chosen {
                    self.ask_remove_draft(stored, cx);
                }
                return;
            }
            Some(KeyCode::Down | KeyCode::Char('j')) => {
                drafts.chosen = (drafts.chosen + 1).min(last);
            }
            Some(KeyCode::Up | KeyCode::Char('k')) => {
                drafts.chosen = drafts.chosen.saturating_sub(1);
            }
            Some(KeyCode::Home) => drafts.chosen = 0,
            Some(KeyCode::End | KeyCode::Char('G')) => drafts.chosen = last,
            _ => {}
        }
        cx.show(Overlay::Drafts(drafts));
    }
}

/// Handles the removal of a draft, or the error; lists the drafts again.
pub(crate) fn draft_removed(path: &Path, removed: Result<(), String>, cx: &mut Context) {
    match removed {
        Ok(()) => {
            cx.notify(&format!("Removed {}", path.display()));
            cx.emit(DraftJob::ListDrafts);
        }
        Err(sentence) => cx.report_error(&sentence),
    }
}
