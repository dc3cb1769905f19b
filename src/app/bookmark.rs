//! Bookmarks added and edited, one by its form; and all links of a page at once.

use super::action::Action;
use super::bulk_edit::{named, tags_of};
use super::choice::{Choice, Of, YES_OR_NO};
use super::form::{Filled, Form, Insisting};
use super::prompt::{Prompt, Wants};
use super::{App, Effect, Focus, Overlay, help};
use crate::files::bookmarks::{Bookmarks, Draft, Edit, Item, Place};
use crate::text::{self, Text};
use crate::url::Url;

/// So many links of a page become bookmarks without a question, and so many at the most.
const LINKS: (usize, usize) = (500, 20_000);

/// The longest page whose links become bookmarks, and the octets of their URLs: it is all done at once, by a key.
const LINKS_PAGE: usize = 8 * 1024 * 1024;
const LINKS_URLS: usize = 4 * 1024 * 1024;

impl App {
    pub(super) fn bookmark_page(&mut self) -> Vec<Effect> {
        match self.address() {
            Some((title, url)) if !help::is_ours(&url) => self.bookmark(&title, &url),
            // A page of Geomys itself is always there: some other address is meant, which is typed.
            Some(_) | None => {
                self.fill_bookmark(Filled::default());
                Vec::new()
            }
        }
    }

    pub(super) fn bookmark_link(&mut self) -> Vec<Effect> {
        match self.chosen_url() {
            Some((label, url)) => self.bookmark(&label, &url),
            None => Vec::new(),
        }
    }

    fn bookmark(&mut self, title: &Text, url: &Url) -> Vec<Effect> {
        self.fill_bookmark(Filled {
            title: title.as_str().trim().to_owned(),
            // The password stays out of the file: it is asked for again when it is needed.
            url: url.without_password().to_string(),
            ..Filled::default()
        });
        Vec::new()
    }

    /// Shows the form of a new bookmark.
    fn fill_bookmark(&mut self, filled: Filled) {
        let is_in_list = self.focus == Focus::Bookmarks && self.sidebar.item().is_some();
        let folder = if is_in_list {
            self.sidebar.folder()
        } else {
            self.sidebar.bookmarks.folder_named(&self.settings.inbox)
        };
        let filled = Filled { folder, ..filled };
        let form = Form::new(&self.sidebar.bookmarks, None, filled);
        self.overlay = Some(Overlay::Form(Box::new(form)));
    }

    /// Asks for what the bookmark under the cursor is to be, or for the name of the folder.
    pub(super) fn edit_bookmark(&mut self) -> Vec<Effect> {
        let bookmarks = &self.sidebar.bookmarks;
        match self.sidebar.item() {
            None => {
                self.tell("there is no bookmark yet");
                Vec::new()
            }
            Some(Item::Folder(folder)) => {
                let name = folder.name();
                let wants = Wants::Rename(bookmarks.clone(), folder.index);
                self.prompt(Prompt::new(wants, name.as_str()))
            }
            Some(Item::Bookmark(bookmark)) => {
                let url = bookmark
                    .url()
                    .map_or_else(|_| bookmark.written().to_string(), |url| url.to_string());
                let filled = Filled {
                    title: bookmark.title().as_str().to_owned(),
                    url,
                    folder: bookmarks.folder_of(bookmark.index),
                    tags: tags_of(&bookmark),
                    notes: bookmark.notes().iter().map(Text::to_string).collect(),
                };
                let form = Form::new(bookmarks, Some(bookmark.index), filled);
                self.overlay = Some(Overlay::Form(Box::new(form)));
                Vec::new()
            }
        }
    }

    /// Puts the URL that is meant into the form.
    pub(super) fn repair_in_form(&mut self, mut form: Box<Form>) -> Vec<Effect> {
        match self.forgiven(&form.written()) {
            Some(url) => form.set_url(url.as_str()),
            None => self.tell("nothing is known that this could mean"),
        }
        self.overlay = Some(Overlay::Form(form));
        Vec::new()
    }

    pub(super) fn submit_form(&mut self, mut form: Box<Form>) -> Vec<Effect> {
        let judged = form.url();
        if judged.is_err() && !form.keeps_url() {
            let written = form.written();
            if written.is_empty() {
                self.tell("a bookmark needs a URL");
                self.overlay = Some(Overlay::Form(form));
                return Vec::new();
            }
            if form.insisting != Insisting::OnFault {
                // What Enter saves then is what the field shows.
                form.set_url(&written);
                form.insisting = match form.url() {
                    Ok(_) => Insisting::Encoded,
                    Err(_) => Insisting::OnFault,
                };
                self.overlay = Some(Overlay::Form(form));
                return Vec::new();
            }
        }
        let judged = judged.ok().filter(|_| !form.keeps_url());
        if form.insisting != Insisting::OnBoth
            && let Some(url) = &judged
            && let Some(other) = self.same_place(&form, url)
        {
            let bookmarks = self.sidebar.bookmarks.clone();
            let label = named(&bookmarks, other);
            let folder = bookmarks.folder_of(other);
            let place = if folder.is_empty() {
                String::new()
            } else {
                format!(" in {}", folder.join("/"))
            };
            let question = format!("This is a bookmark already: {label}{place}.");
            let answers = [
                ('g', "go there"),
                ('k', "keep both"),
                ('b', "back to the form"),
            ];
            let lines = vec![Text::of(&url.masked())];
            let of = Of::Both(form, bookmarks, other);
            return self.choose(Choice::new(&question, &answers, of).about(lines));
        }
        self.save_form(&form, judged)
    }

    /// Another bookmark to the place that a form names, where the form is the first to name it.
    fn same_place(&self, form: &Form, url: &Url) -> Option<usize> {
        let own = form.bookmark();
        if let Some(Ok(was)) = own.map(|own| own.url())
            && was.same_place(url)
        {
            return None;
        }
        self.sidebar.bookmarks.same_as(url).first().copied()
    }

    /// What is to become of a bookmark to a place that there is one to.
    pub(super) fn answer_both(
        &mut self,
        mut form: Box<Form>,
        from: &Bookmarks,
        other: usize,
        letter: char,
    ) -> Vec<Effect> {
        match letter {
            'g' => {
                let now = from.follow(&self.sidebar.bookmarks, &[other]);
                match now.first().copied().flatten() {
                    Some(other) => self.show_bookmark(other),
                    None => self.tell(&format!(
                        "{} is not in the file any more",
                        named(from, other)
                    )),
                }
                Vec::new()
            }
            'k' => {
                form.insisting = Insisting::OnBoth;
                self.submit_form(form)
            }
            _ => {
                self.overlay = Some(Overlay::Form(form));
                Vec::new()
            }
        }
    }

    /// Saves what is in a form; without a URL as it is written.
    fn save_form(&mut self, form: &Form, url: Option<Url>) -> Vec<Effect> {
        let title = form.title().to_owned();
        let folder = form.folder(&self.sidebar.bookmarks);
        let as_written = (url.is_none() && !form.keeps_url()).then(|| form.written());
        let Some((from, index)) = &form.of else {
            let bookmarks = self.sidebar.bookmarks.clone();
            let destination = if folder.is_empty() {
                " at the top".to_owned()
            } else {
                format!(" to {}", folder.join("/"))
            };
            let place = Place::Path(folder);
            let draft = |url| Draft {
                title,
                url,
                tags: form.tags(),
                notes: form.notes().unwrap_or_default(),
            };
            let change = match (url, as_written, Url::parse("news:*")) {
                (Some(url), ..) => bookmarks.adding(&[draft(url)], &place),
                (None, Some(written), Ok(any)) => {
                    bookmarks.adding_as_written(&draft(any), &written, &place)
                }
                (None, ..) => return Vec::new(),
            };
            let label = text::shorten(form.title(), 32, "…");
            return self.do_to_bookmarks(change, &format!("“{label}” added{destination}"));
        };
        let edit = Edit {
            title: Some(title),
            url,
            as_written,
            tags: form.new_tags(),
            notes: form.notes(),
        };
        let words = format!("{} edited", named(from, *index));
        let folder = form.new_folder(&self.sidebar.bookmarks);
        let folder = folder.filter(|folder| *folder != from.folder_of(*index));
        let change = match folder {
            Some(folder) => from.revising(*index, &edit, &Place::Path(folder)),
            None => Some(from.editing(&[(*index, edit)])),
        };
        match change {
            Some(change) => self.do_to_bookmarks(change, &words),
            None => Vec::new(),
        }
    }

    /// Asks for the name of a folder for all links of this page.
    pub(super) fn bookmark_links(&mut self) -> Vec<Effect> {
        let Some(page) = self.page() else {
            return Vec::new();
        };
        let title = page.title.as_str().trim().to_owned();
        let Some(document) = page.document().filter(|_| !page.state.is_arriving()) else {
            self.tell("its links can be bookmarked when all of it is here");
            return Vec::new();
        };
        if document.raw().len() > LINKS_PAGE {
            let most = text::octets(LINKS_PAGE as u64);
            self.complain(&format!(
                "This page is longer than {most}: too long for that"
            ));
            return Vec::new();
        }
        let mut octets = 0;
        let mut drafts = Vec::new();
        for link in (0..document.count()).flat_map(|row| document.links(row)) {
            let Ok(url) = link.target else { continue };
            octets += url.as_str().len();
            if drafts.len() >= LINKS.1 || octets > LINKS_URLS {
                let most = text::count(LINKS.1);
                let urls = text::octets(LINKS_URLS as u64);
                self.complain(&format!(
                    "More than {most} links, or {urls} of URLs: too many"
                ));
                return Vec::new();
            }
            drafts.push(Draft {
                title: link.label.as_str().trim().to_owned(),
                url: url.without_password(),
                tags: Vec::new(),
                notes: Vec::new(),
            });
        }
        match drafts.len() {
            0 => {
                self.tell("there is no link on this page");
                Vec::new()
            }
            count if count > LINKS.0 => {
                let question = format!("Bookmark {} links?", text::count(count));
                self.choose(Choice::new(&question, &YES_OR_NO, Of::Links(drafts, title)))
            }
            _ => self.ask_links_folder(drafts, &title),
        }
    }

    pub(super) fn ask_links_folder(&mut self, drafts: Vec<Draft>, title: &str) -> Vec<Effect> {
        let remark = match drafts.len() {
            1 => "for the one link of this page".to_owned(),
            count => format!("for the {} links of this page", text::count(count)),
        };
        let prompt = Prompt {
            remark: Some(Text::of(&remark)),
            ..Prompt::new(Wants::Links(drafts), &title.replace('/', " "))
        };
        self.prompt(prompt)
    }

    /// Puts links into a folder, as one change.
    pub(super) fn add_links(&mut self, drafts: &[Draft], folder: &str) -> Vec<Effect> {
        let bookmarks: Bookmarks = self.sidebar.bookmarks.clone();
        let path = bookmarks.folder_named(folder);
        if path.is_empty() {
            self.tell("a folder needs a name");
            return Vec::new();
        }
        let count = text::count(drafts.len());
        let words = format!("{count} links put into {}", path.join("/"));
        let change = bookmarks.adding(drafts, &Place::Path(path));
        self.sidebar.shown = true;
        let effects = self.do_to_bookmarks(change, &words);
        self.reveal_all();
        effects
    }

    /// Says that a key is for one bookmark.
    pub(super) fn no_fault(&mut self) -> Vec<Effect> {
        let next = self.key_of(Action::NextFault);
        self.tell(&format!(
            "this bookmark has no fault; {next} goes to the next one that has"
        ));
        Vec::new()
    }
}
