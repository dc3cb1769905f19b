//! The list of kept drafts: one is taken up again, or removed after a question.

use std::path::Path;

use crossterm::event::KeyCode;

use super::super::choice::{Choice, Of, YES_OR_NO};
use super::super::news::NewsPlace;
use super::super::{App, Effect, Overlay};
use super::{DraftJob, Step, What, Writing};
use crate::files::draft::{Kept, Record, Way};
use crate::keymap::Key;
use crate::load::Request;
use crate::text::Text;
use crate::url::Url;

/// The drafts that are listed, and which of them is chosen.
#[derive(Clone, Debug)]
pub struct Drafts {
    /// The drafts, the newest first; there is one at least.
    pub items: Vec<Kept>,
    /// Which one, from 0.
    pub chosen: usize,
}

impl App {
    /// The list is here.
    pub(super) fn drafts_listed(&mut self, listed: Result<Vec<Kept>, String>) -> Vec<Effect> {
        match listed {
            Ok(items) if items.is_empty() => self.tell("no draft is kept"),
            Ok(items) if self.overlay.is_none() => {
                self.overlay = Some(Overlay::Drafts(Drafts { items, chosen: 0 }));
            }
            // Something is asked meanwhile, which comes first.
            Ok(_) => {}
            Err(sentence) => self.complain(&sentence),
        }
        Vec::new()
    }

    /// A key, while the drafts are listed.
    pub(in crate::app) fn drafts_key(&mut self, mut drafts: Drafts, key: Key) -> Vec<Effect> {
        let last = drafts.items.len().saturating_sub(1);
        match key.code() {
            Some(KeyCode::Esc | KeyCode::Char('q' | 'h')) => return Vec::new(),
            _ if key.leaves() => return Vec::new(),
            Some(KeyCode::Enter | KeyCode::Char('l')) => {
                return match drafts.items.get(drafts.chosen).cloned() {
                    Some(kept) => self.take_up(kept),
                    None => Vec::new(),
                };
            }
            Some(KeyCode::Char('X') | KeyCode::Delete) => {
                return match drafts.items.get(drafts.chosen) {
                    Some(kept) => self.ask_remove_draft(&kept.clone()),
                    None => Vec::new(),
                };
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
        self.overlay = Some(Overlay::Drafts(drafts));
        Vec::new()
    }

    /// Takes a draft up again: it is edited, checked, shown and asked about like a new one.
    fn take_up(&mut self, kept: Kept) -> Vec<Effect> {
        if self.writing.is_some() {
            return self.say_no("something is being written already");
        }
        if kept.way == Way::Mail && self.settings.author.mail.is_empty() {
            return self.say_no("no program takes mail: settings.toml names one under [mail]");
        }
        let group = kept.to.split(',').next().unwrap_or_default().trim();
        // It goes to the server whose pages are read now, else to that of `news:` addresses.
        let here = self.page().and_then(NewsPlace::of);
        let there = match &here {
            Some(server) => self.group_url(server, group.as_bytes()),
            None => Url::news_group(group.as_bytes()),
        };
        let Ok(url) = there.or_else(|_| Url::accept("news:*")) else {
            return Vec::new();
        };
        let mut request = Request::show(url);
        let named = self.page().filter(|_| here.is_some());
        request.news_server = named.map_or_else(
            || self.settings.news_server.clone(),
            |page| page.news_server.clone(),
        );
        self.writing = Some(Writing {
            what: What::Kept(kept.way),
            request,
            record: Record::default(),
            step: Step::Preparing,
        });
        self.edit_draft(kept.path)
    }

    /// Asks whether a draft is removed.
    fn ask_remove_draft(&mut self, kept: &Kept) -> Vec<Effect> {
        if self.draft_path().as_deref() == Some(kept.path.as_path()) {
            return self.say_no("this draft is being written");
        }
        let lines = vec![
            Text::of(&kept.subject),
            Text::of(&kept.path.display().to_string()),
        ];
        let of = Of::RemoveDraft(kept.path.clone());
        self.choose(Choice::new("Remove this draft for good?", &YES_OR_NO, of).about(lines))
    }

    /// A draft is removed, or why not; the others are listed again.
    pub(super) fn draft_removed(
        &mut self,
        path: &Path,
        removed: Result<(), String>,
    ) -> Vec<Effect> {
        match removed {
            Ok(()) => {
                self.tell(&format!("{} is removed", path.display()));
                vec![Effect::Write(DraftJob::Kept)]
            }
            Err(sentence) => {
                self.complain(&sentence);
                Vec::new()
            }
        }
    }
}
