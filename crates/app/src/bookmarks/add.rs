//! The commands that add and edit bookmarks: one by its form, or all links of a page at once.

use geomys_store::bookmarks::followed;
use geomys_store::bookmarks::{Bookmark, Bookmarks, InsertPosition, Item, NewBookmark};
use geomys_wire::net::{shown_address, shown_url};
use geomys_wire::text::{self, Text};
use rfc1738::Url;

use crate::action::Action;
use crate::bookmarks::bulk_edit::item_name;
use crate::bookmarks::form::{BookmarkFields, BookmarkForm, FollowRow, FormWarning};
use crate::bookmarks::sidebar::Sidebar;
use crate::dialogs::text_input::{BookmarkInput, TextInput};
use crate::tabs::pane::Pane;
use crate::view::builtin;
use crate::{BookmarkCommand, BookmarksPane, Command, Context, Dialog, Focus, Overlay, Page, Tabs};

/// The largest number of links that are bookmarked without a question, and the largest number at all.
const LINKS: (usize, usize) = (500, 20_000);

/// The largest size in octets of a page whose links are bookmarked, and of all their URLs. The work is done while the
/// key is handled.
const MAX_PAGE_BYTES: usize = 8 * 1024 * 1024;
const MAX_URLS_BYTES: usize = 4 * 1024 * 1024;

/// Returns the title of a bookmark for a page: a path is one on its host.
fn title_of_place(title: &Text, url: &Url) -> String {
    let title = title.as_str().trim();
    let parts = url.base_parts();
    match parts.address().filter(|_| title.starts_with('/')) {
        Some(address) => format!("{}{title}", shown_address(&address)),
        None => title.to_owned(),
    }
}

impl BookmarksPane {
    /// Opens the form of a page: of its bookmark if it has one, else of a new one.
    pub(crate) fn bookmark(&self, title: &Text, url: &Url, cx: &mut Context) {
        let form = self.form_of(title, url, cx);
        cx.show(Overlay::Form(Box::new(form)));
    }

    /// Returns the form of a page.
    fn form_of(&self, title: &Text, url: &Url, cx: &Context) -> BookmarkForm {
        let bookmarks = &self.sidebar.bookmarks;
        let same = bookmarks.same_as(url).first().copied();
        if let Some(bookmark) = same.and_then(|index| bookmarks.bookmark(index)) {
            return edit_form(bookmarks, &bookmark);
        }
        let filled = BookmarkFields {
            title: title_of_place(title, url),
            // The password is not written to the file. The browser asks for it when it is needed.
            url: url.without_password().to_string(),
            ..BookmarkFields::default()
        };
        new_form(&self.sidebar, filled, cx)
    }

    /// Opens the form of the page with the row ticked that follows it.
    pub(crate) fn follow_page(&mut self, tabs: &Tabs, cx: &mut Context) {
        match tabs.pane().and_then(Pane::address) {
            Some((title, url)) if !builtin::is_builtin(&url) => {
                let mut form = self
                    .form_of(&title, &url, cx)
                    .with_follow_row(FollowRow::Second);
                form.set_depth(form.depth().or(Some(0)));
                cx.show(Overlay::Form(Box::new(form)));
            }
            Some(_) | None => cx.notify("Open the page to follow first"),
        }
    }

    pub(crate) fn submit_form(&mut self, mut form: Box<BookmarkForm>, cx: &mut Context) {
        let parsed = form.url();
        if parsed.is_err() && !form.is_url_unchanged() {
            let written = form.written();
            if written.is_empty() {
                cx.notify("A bookmark needs a URL");
                return cx.show(Overlay::Form(form));
            }
            if form.warning != FormWarning::InvalidUrl {
                // The next Enter saves exactly what the field shows.
                form.set_url(&written);
                form.warning = match form.url() {
                    Ok(_) => FormWarning::EncodedUrl,
                    Err(_) => FormWarning::InvalidUrl,
                };
                return cx.show(Overlay::Form(form));
            }
        }
        let url = parsed.ok().filter(|_| !form.is_url_unchanged());
        if form.warning != FormWarning::Duplicate
            && let Some(url) = &url
            && let Some(other) = form.duplicate_of(url, &self.sidebar.bookmarks)
        {
            let bookmarks = self.sidebar.bookmarks.clone();
            let label = item_name(&bookmarks, other);
            let folder = bookmarks.folder_of(other);
            let location = if folder.is_empty() {
                String::new()
            } else {
                format!(" in {}", folder.join("/"))
            };
            let question = format!("Already a bookmark: {label}{location}.");
            let lines = vec![Text::of(&shown_url(url))];
            let back = Command::Show(Overlay::Form(form.clone()));
            let go = Command::Bookmarks(BookmarkCommand::GoTo(bookmarks, other));
            let save = Command::Bookmarks(BookmarkCommand::SaveDuplicate(form));
            let dialog = Dialog::new(&question)
                .answer('g', "go there", go)
                .answer('k', "keep both", save)
                .answer('b', "back to the form", back.clone())
                .with_lines(lines)
                .cancelled(back);
            return cx.ask(dialog);
        }
        if !form.is_tag_confirmed
            && let Some((tag, depth)) = form.near_miss()
        {
            return ask_near_miss(form, &tag, depth, cx);
        }
        let begins = form.depth_before().is_none() && form.depth().is_some();
        let address = form.url().ok().filter(|_| begins);
        if let Some((change, words)) = form.change(url, &self.sidebar.bookmarks) {
            self.change_bookmarks(change, &words, cx);
        }
        if let Some(url) = address {
            self.begin_to_follow([url], cx);
        }
    }

    /// Looks at pages that the user has just said to follow, as soon as their bookmarks are saved.
    pub(super) fn begin_to_follow(
        &mut self,
        urls: impl IntoIterator<Item = Url>,
        cx: &mut Context,
    ) {
        self.to_follow.extend(urls);
        if !self.changes.is_saving() {
            self.look_at_followed(cx);
        }
    }

    /// Looks at the pages for the first time that are followed since the last change.
    pub(super) fn look_at_followed(&mut self, cx: &mut Context) {
        let urls = std::mem::take(&mut self.to_follow);
        let bookmarks = self.sidebar.bookmarks.clone();
        let is_followed = |&index: &usize| {
            let bookmark = bookmarks.bookmark(index);
            bookmark.is_some_and(|bookmark| followed::is_followed(&bookmark))
        };
        let items = urls.iter().flat_map(|url| bookmarks.same_as(url));
        let items: Vec<usize> = items.filter(is_followed).collect();
        if !items.is_empty() {
            let watch = BookmarkCommand::Watch(bookmarks, items);
            cx.command(Command::Bookmarks(watch));
        }
    }

    /// Moves the cursor to an item of an earlier state of the bookmarks.
    pub(crate) fn go_to(&mut self, from: &Bookmarks, item: usize, cx: &mut Context) {
        let now = from.follow(&self.sidebar.bookmarks, &[item]);
        match now.first().copied().flatten() {
            Some(item) => self.sidebar.show_bookmark(item, cx),
            None => cx.notify(&format!(
                "{} was removed from the file",
                item_name(from, item)
            )),
        }
    }

    /// Saves a form although another bookmark has the same address.
    pub(crate) fn save_duplicate(&mut self, mut form: Box<BookmarkForm>, cx: &mut Context) {
        form.warning = FormWarning::Duplicate;
        self.submit_form(form, cx);
    }

    /// Adds links to a folder, as one change.
    pub(crate) fn add_links(&mut self, drafts: &[NewBookmark], folder: &str, cx: &mut Context) {
        let bookmarks: Bookmarks = self.sidebar.bookmarks.clone();
        let path = bookmarks.folder_named(folder);
        if path.is_empty() {
            return cx.notify("A folder needs a name");
        }
        let count = text::count(drafts.len());
        let words = format!("{count} links put into {}", path.join("/"));
        let change = bookmarks.adding(drafts, &InsertPosition::Path(path));
        self.sidebar.shown = true;
        self.change_bookmarks(change, &words, cx);
        cx.reveal_all();
    }

    pub(crate) fn bookmark_page(&mut self, tabs: &Tabs, cx: &mut Context) {
        // The number of an article means nothing on another server.
        let article = tabs.page().and_then(Page::article_url);
        match article.or_else(|| tabs.pane().and_then(Pane::address)) {
            Some((title, url)) if !builtin::is_builtin(&url) => {
                let row = if tabs.page().is_some_and(Page::lists_entries) {
                    FollowRow::Second
                } else {
                    FollowRow::Last
                };
                let form = self.form_of(&title, &url, cx).with_follow_row(row);
                cx.show(Overlay::Form(Box::new(form)));
            }
            // Built-in pages need no bookmark: the user types another address.
            Some(_) | None => {
                let form = new_form(&self.sidebar, BookmarkFields::default(), cx);
                cx.show(Overlay::Form(Box::new(form)));
            }
        }
    }

    /// Replaces the URL in the form by the fixed URL.
    pub(crate) fn repair_in_form(
        &mut self,
        mut form: Box<BookmarkForm>,
        tabs: &Tabs,
        cx: &mut Context,
    ) {
        match self.parse_and_fix(&form.written(), tabs, cx) {
            Ok(url) => form.set_url(url.as_str()),
            Err(_) => cx.notify("No repair known"),
        }
        cx.show(Overlay::Form(form));
    }
}

/// Asks what a tag means that is probably mistyped.
fn ask_near_miss(form: Box<BookmarkForm>, tag: &str, depth: u8, cx: &mut Context) {
    let (follows, meaning) = followed::TAGS
        .get(usize::from(depth))
        .copied()
        .unwrap_or((followed::TAG, ""));
    let confirmed = |form: BookmarkForm| {
        let mut form = Box::new(form);
        form.is_tag_confirmed = true;
        form
    };
    let save = |form| Command::Bookmarks(BookmarkCommand::SaveForm(form));
    let back = Command::Show(Overlay::Form(form.clone()));
    let follow = save(confirmed(form.as_ref().clone().follow_instead(tag, depth)));
    let keep = save(confirmed(*form));
    let dialog = Dialog::new(&format!("Follow this page (#{follows})?"))
        .answer('f', &format!("follow: {meaning}"), follow)
        .answer('k', &format!("keep the tag #{tag}"), keep)
        .answer('b', "back to the form", back.clone())
        .cancelled(back);
    cx.ask(dialog);
}

/// Returns the form for a new bookmark.
fn new_form(sidebar: &Sidebar, filled: BookmarkFields, cx: &Context) -> BookmarkForm {
    let is_in_list = cx.focus == Focus::Bookmarks && sidebar.item().is_some();
    let folder = if is_in_list {
        sidebar.folder()
    } else {
        sidebar.bookmarks.folder_named(&cx.settings.inbox)
    };
    let filled = BookmarkFields { folder, ..filled };
    BookmarkForm::new(&sidebar.bookmarks, None, filled)
}

/// Opens the form of the bookmark under the cursor, or the prompt for the folder's name.
pub(crate) fn edit_bookmark(sidebar: &Sidebar, cx: &mut Context) {
    let bookmarks = &sidebar.bookmarks;
    match sidebar.item() {
        None => cx.notify("No bookmarks yet"),
        Some(Item::Folder(folder)) => {
            let name = folder.name();
            let input = BookmarkInput::RenameFolder(bookmarks.clone(), folder.index);
            let input = TextInput::new(input, name.as_str());
            cx.ask(Dialog::input("Name:", input));
        }
        Some(Item::Bookmark(bookmark)) => {
            let form = edit_form(bookmarks, &bookmark);
            cx.show(Overlay::Form(Box::new(form)));
        }
    }
}

/// Returns the form of a bookmark.
fn edit_form(bookmarks: &Bookmarks, bookmark: &Bookmark<'_>) -> BookmarkForm {
    let filled = BookmarkFields {
        folder: bookmarks.folder_of(bookmark.index),
        ..BookmarkFields::of(bookmark)
    };
    BookmarkForm::new(bookmarks, Some(bookmark.index), filled)
}

/// Opens the prompt for the folder to which all links of this page are added.
pub(crate) fn ask_bookmark_links(tabs: &Tabs, cx: &mut Context) {
    let Some(page) = tabs.page() else {
        return;
    };
    let title = page.title.as_str().trim().to_owned();
    let Some(document) = page.document().filter(|_| !page.state.is_arriving()) else {
        return cx.notify("Wait until the page is loaded");
    };
    if document.raw().len() > MAX_PAGE_BYTES {
        let most = text::octets(MAX_PAGE_BYTES as u64);
        return cx.report_error(&format!("The page is too long: more than {most}"));
    }
    let mut octets = 0;
    let mut drafts = Vec::new();
    let links = (0..document.count()).flat_map(|row| document.starting_links(row));
    for link in links {
        let Ok(url) = link.target else { continue };
        octets += url.as_str().len();
        if drafts.len() >= LINKS.1 || octets > MAX_URLS_BYTES {
            let most = text::count(LINKS.1);
            let urls = text::octets(MAX_URLS_BYTES as u64);
            return cx.report_error(&format!(
                "More than {most} links, or {urls} of URLs: too many"
            ));
        }
        drafts.push(NewBookmark {
            title: link.label.as_str().trim().to_owned(),
            url: url.without_password(),
            tags: Vec::new(),
            notes: Vec::new(),
        });
    }
    match drafts.len() {
        0 => cx.notify("No links on this page"),
        count if count > LINKS.0 => {
            let question = format!("Bookmark {} links?", text::count(count));
            let ask = BookmarkCommand::AskLinksFolder(drafts, title);
            cx.ask(Dialog::confirm(&question, ask));
        }
        _ => ask_links_folder(drafts, &title, cx),
    }
}

pub(crate) fn ask_links_folder(drafts: Vec<NewBookmark>, title: &str, cx: &mut Context) {
    let remark = match drafts.len() {
        1 => "for the one link of this page".to_owned(),
        count => format!("for the {} links of this page", text::count(count)),
    };
    let input = TextInput {
        remark: Some(Text::of(&remark)),
        ..TextInput::new(BookmarkInput::LinkFolder(drafts), &title.replace('/', " "))
    };
    cx.ask(Dialog::input("Folder:", input));
}

/// Reports that the bookmark has no fault.
pub(crate) fn notify_no_fault(cx: &mut Context) {
    let next = cx.key_of(Action::NextFault);
    cx.notify(&format!("This bookmark has no fault ({next} next fault)"));
}
