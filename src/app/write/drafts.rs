//! The list of stored drafts: the user resumes one, or removes one after a question.

use std::path::Path;

use crossterm::event::KeyCode;

use super::super::choice::{Choice, ChoiceKind, YES_OR_NO};
use super::super::news::NewsAuthority;
use super::super::{App, Effect, Overlay};
use super::{DraftInProgress, DraftJob, DraftKind, DraftStage};
use crate::files::draft::{DeliveryMethod, SendRecord, StoredDraft};
use crate::keymap::Key;
use crate::load::Request;
use crate::text::Text;
use crate::url::Url;

/// The listed drafts, and the chosen one.
#[derive(Clone, Debug)]
pub struct Drafts {
    /// The drafts, the newest first; at least one.
    pub items: Vec<StoredDraft>,
    /// The index of the chosen draft, from 0.
    pub chosen: usize,
}

impl App {
    /// Handles the list of drafts.
    pub(super) fn drafts_listed(&mut self, listed: Result<Vec<StoredDraft>, String>) {
        match listed {
            Ok(items) if items.is_empty() => self.notify("no draft is kept"),
            Ok(items) if self.overlay.is_none() => {
                self.show(Overlay::Drafts(Drafts { items, chosen: 0 }));
            }
            // Another question is open by now; it comes first.
            Ok(_) => {}
            Err(sentence) => self.report_error(&sentence),
        }
    }

    /// Handles a key in the list of drafts.
    pub(in crate::app) fn drafts_key(&mut self, mut drafts: Drafts, key: Key) {
        let last = drafts.items.len().saturating_sub(1);
        match key.code() {
            Some(KeyCode::Esc | KeyCode::Char('q' | 'h')) => return,
            _ if key.is_cancel() => return,
            Some(KeyCode::Enter | KeyCode::Char('l')) => {
                if let Some(stored) = drafts.items.get(drafts.chosen).cloned() {
                    self.resume_stored(stored);
                }
                return;
            }
            Some(KeyCode::Char('X') | KeyCode::Delete) => {
                if let Some(stored) = drafts.items.get(drafts.chosen) {
                    self.ask_remove_draft(&stored.clone());
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
        self.show(Overlay::Drafts(drafts));
    }

    /// Resumes a stored draft: it is edited, checked, shown and confirmed like a new one.
    fn resume_stored(&mut self, stored: StoredDraft) {
        if self.writing.is_some() {
            return self.refuse_draft("something is being written already");
        }
        if stored.delivery == DeliveryMethod::Mail && self.settings.author.mail.is_empty() {
            return self
                .refuse_draft("no program takes mail: settings.toml names one under [mail]");
        }
        let group = stored.to.split(',').next().unwrap_or_default().trim();
        // The draft goes to the server of the current page, else to the server for `news:` URLs.
        let here = self.page().and_then(NewsAuthority::of);
        let there = match &here {
            Some(server) => self.group_url(server, group.as_bytes()),
            None => Url::news_group(group.as_bytes()),
        };
        let Ok(url) = there.or_else(|_| Url::accept("news:*")) else {
            return;
        };
        let mut request = Request::show(url);
        let named = self.page().filter(|_| here.is_some());
        request.news_server = named.map_or_else(
            || self.settings.news_server.clone(),
            |page| page.news_server.clone(),
        );
        self.writing = Some(DraftInProgress {
            kind: DraftKind::Stored(stored.delivery),
            request,
            record: SendRecord::default(),
            step: DraftStage::Preparing,
        });
        self.edit_draft(stored.path);
    }

    /// Asks whether to remove a draft.
    fn ask_remove_draft(&mut self, stored: &StoredDraft) {
        if self.draft_path().as_deref() == Some(stored.path.as_path()) {
            return self.refuse_draft("this draft is being written");
        }
        let lines = vec![
            Text::of(&stored.subject),
            Text::of(&stored.path.display().to_string()),
        ];
        let kind = ChoiceKind::RemoveDraft(stored.path.clone());
        self.choose(Choice::new("Remove this draft for good?", &YES_OR_NO, kind).with_lines(lines));
    }

    /// Handles the removal of a draft, or the error; lists the drafts again.
    pub(super) fn draft_removed(&mut self, path: &Path, removed: Result<(), String>) {
        match removed {
            Ok(()) => {
                self.notify(&format!("{} is removed", path.display()));
                self.emit(Effect::Write(DraftJob::ListDrafts));
            }
            Err(sentence) => {
                self.report_error(&sentence);
            }
        }
    }
}
