//! The bookmarks changed by keys: added, edited, removed, and all of it undone.

use super::action::Action;
use super::form::Form;
use super::{App, Effect, Focus, History, Overlay, help};
use crate::files::bookmarks::{Bookmarks, Change};
use crate::text::Text;
use crate::url::Url;

impl App {
    pub(super) fn bookmark_page(&mut self) -> Vec<Effect> {
        match self.address() {
            Some((_, url)) if help::is_ours(&url) => {
                self.tell("this page is a part of Geomys: it is always there");
                Vec::new()
            }
            Some((title, url)) => self.bookmark(&title, &url),
            None => Vec::new(),
        }
    }

    pub(super) fn bookmark_link(&mut self) -> Vec<Effect> {
        match self.chosen_url() {
            Some((label, url)) => self.bookmark(&label, &url),
            None => Vec::new(),
        }
    }

    fn bookmark(&mut self, title: &Text, url: &Url) -> Vec<Effect> {
        // The password stays out of the file: it is asked for again when it is needed.
        let url = url.without_password();
        let known = self
            .sidebar
            .bookmarks
            .bookmarks()
            .find(|known| known.url.as_ref().is_ok_and(|known| known.same_place(&url)));
        if let Some(known) = known {
            let label = known.label();
            self.tell(&format!("already a bookmark: {label}; Enter keeps both"));
        }
        let folder = if self.focus == Focus::Bookmarks {
            self.sidebar.folder()
        } else {
            Vec::new()
        };
        self.overlay = Some(Overlay::Form(Form::new(
            None,
            title.as_str().trim(),
            url.as_str(),
            &folder,
            &[],
        )));
        Vec::new()
    }

    pub(super) fn edit_bookmark(&mut self) -> Vec<Effect> {
        let Some((index, bookmark)) = self.sidebar.bookmark() else {
            self.tell("this is a folder, and only a bookmark can be edited here");
            return Vec::new();
        };
        let tags: Vec<String> = bookmark.tags.iter().map(Text::to_string).collect();
        let url = bookmark
            .url
            .as_ref()
            .map_or_else(|_| bookmark.written.to_string(), Url::to_string);
        let folder = self.sidebar.bookmarks.folder_of(index);
        let form = Form::new(
            Some(bookmark.line),
            bookmark.title.as_str(),
            &url,
            &folder,
            &tags,
        );
        self.overlay = Some(Overlay::Form(form));
        Vec::new()
    }

    pub(super) fn submit_form(&mut self, form: Form) -> Vec<Effect> {
        let change = match form.draft(&self.sidebar.bookmarks) {
            Ok(draft) => match form.line {
                Some(line) => self.sidebar.bookmarks.editing(line, &draft),
                None => Some(self.sidebar.bookmarks.adding(&draft)),
            },
            Err(_) => {
                // The form shows what is wrong under the URL.
                self.overlay = Some(Overlay::Form(form));
                return Vec::new();
            }
        };
        match change {
            Some(change) => self.change_bookmarks(History::Done, change),
            None => {
                self.complain("the bookmark is not there any more");
                Vec::new()
            }
        }
    }

    pub(super) fn remove_bookmark(&mut self) -> Vec<Effect> {
        let change = self
            .sidebar
            .bookmark()
            .and_then(|(_, bookmark)| self.sidebar.bookmarks.removing(bookmark.line));
        match change {
            Some(change) => self.change_bookmarks(History::Done, change),
            None => {
                self.tell("only a bookmark can be removed; a folder goes when its heading goes from the file");
                Vec::new()
            }
        }
    }

    pub(super) fn undo(&mut self) -> Vec<Effect> {
        match self.sidebar.undo.pop() {
            Some(change) => self.change_bookmarks(History::Undone, change),
            None => {
                self.tell("nothing to undo");
                Vec::new()
            }
        }
    }

    pub(super) fn redo(&mut self) -> Vec<Effect> {
        match self.sidebar.redo.pop() {
            Some(change) => self.change_bookmarks(History::Redone, change),
            None => {
                self.tell("nothing to do again");
                Vec::new()
            }
        }
    }

    fn change_bookmarks(&mut self, history: History, change: Change) -> Vec<Effect> {
        self.sidebar.saving.push_back(change.clone());
        vec![Effect::Bookmarks(history, change)]
    }

    /// The bookmark file has changed, or could not be.
    pub(super) fn bookmarks_changed(
        &mut self,
        history: History,
        result: Result<(Bookmarks, Change), String>,
    ) -> Vec<Effect> {
        let saved = self.sidebar.saving.pop_front();
        match result {
            Ok((bookmarks, back)) => {
                let line = bookmarks.changed_line(&back);
                self.sidebar.refresh(bookmarks, line);
                let undo = self.key_of(Action::Undo);
                match history {
                    History::Done => {
                        self.sidebar.undo.push(back);
                        self.sidebar.redo.clear();
                        self.tell(&format!("bookmarks saved ({undo} in the bookmarks undoes)"));
                    }
                    History::Undone => {
                        self.sidebar.redo.push(back);
                        self.tell("undone");
                    }
                    History::Redone => {
                        self.sidebar.undo.push(back);
                        self.tell("done again");
                    }
                }
                self.reveal_all();
            }
            Err(sentence) => {
                match history {
                    History::Done => {}
                    History::Undone => self.sidebar.undo.extend(saved),
                    History::Redone => self.sidebar.redo.extend(saved),
                }
                self.complain(&sentence);
            }
        }
        Vec::new()
    }
}
