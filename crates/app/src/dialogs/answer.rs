//! The typed answers, by the part of the app that gets them.

use geomys_load::{FormAnswers, HiddenAnswers, NewsHost, Purpose, Request, line_limit};
use geomys_store::search::{QueryError, SearchQuery};
use geomys_store::transfer::download::Target;
use geomys_store::transfer::queue::Destination;
use geomys_wire::text::Text;
use jiff::Timestamp;
use rfc1738::{Parts, Url};

use crate::bookmarks::states::restore_state;
use crate::card::CARD;
use crate::dialogs::text_input::{BookmarkInput, LINE_END, PathInput, RequestInput};
use crate::requester::Arrival;
use crate::transfers::message::{DirectoryTransfer, SiteJob};
use crate::transfers::save::download_path;
use crate::view::builtin;
use crate::{
    BookmarkEffect, BookmarksPane, Command, Context, Credentials, Dialog, Dialogs, Effect,
    PendingRequest, Tabs, Transfers,
};

impl Dialogs {
    /// Adds the answer to the request that waits for it, and starts the request again. An answer that is refused is an
    /// error; with the new remark about it, if there is one.
    pub(crate) fn answer_request(
        &mut self,
        mut pending: PendingRequest,
        input: RequestInput,
        answer: &str,
        credentials: &mut Credentials,
        tabs: &Tabs,
        cx: &mut Context,
    ) -> Result<(), Option<Text>> {
        let request = &mut pending.request;
        let with_answer = || {
            if request.url.as_str() == builtin::SEARCH {
                return copies_with(answer);
            }
            let url = request.url.with_search(answer.as_bytes());
            url.map_err(|error| Some(Text::of(&error.to_string())))
        };
        match input {
            RequestInput::Search => {
                request.url = with_answer()?;
                self.searches.add(
                    answer,
                    tabs.tab()
                        .is_some_and(|tab| tab.stores_visits(&request.url, cx)),
                );
                let title = Text::of(&format!("{}: {answer}", pending.title));
                cx.load(PendingRequest::for_pane(
                    pending.request,
                    title,
                    Arrival::Append,
                ));
                return Ok(());
            }
            RequestInput::SecretLine | RequestInput::Line => {
                *request = with_line(request, input, answer)?;
                if let Some((bytes, most)) = line_limit(request)
                    && bytes > most
                {
                    let sentence = format!("{} bytes too many", bytes - most);
                    return Err(Some(Text::of(&sentence)));
                }
            }
            RequestInput::Identity | RequestInput::UserName if answer.trim().is_empty() => {
                return Err(None);
            }
            RequestInput::Identity => {
                request.certificate.name = Some(answer.trim().to_owned());
                let path = match request.url.base_parts() {
                    Parts::Http(http) => http.path,
                    _ => None,
                };
                if path.is_some_and(|path| !path.is_empty()) {
                    cx.ask(Dialog::identity_scope(pending));
                    return Ok(());
                }
            }
            // The server reports if it needs a password too.
            RequestInput::UserName => request.set_user(answer.trim()),
            RequestInput::Password => {
                if let Some(login) = &mut request.login {
                    login.password = Some(answer.to_owned());
                }
                credentials.remember_typed_login(request, cx);
            }
            RequestInput::Account => {
                if let Some(login) = &mut request.login {
                    login.account = Some(answer.to_owned());
                }
            }
            RequestInput::NewsServer => {
                let server =
                    NewsHost::parse(answer).ok_or_else(|| Some(Text::of(NewsHost::EXPECTED)))?;
                cx.settings.news_server = Some(server.clone());
                request.news_query.server = Some(server);
            }
        }
        cx.load(pending);
        Ok(())
    }
}

/// Returns the address of the stored copies with some words.
fn copies_with(words: &str) -> Result<Url, Option<Text>> {
    let remark = |error: QueryError| Some(Text::of(&error.to_string()));
    SearchQuery::parse(words, Timestamp::UNIX_EPOCH).map_err(remark)?;
    builtin::search_url(words).ok_or(None)
}

/// Returns a request with the line that the user typed as its answer.
pub(crate) fn with_line(
    request: &Request,
    input: RequestInput,
    answer: &str,
) -> Result<Request, Option<Text>> {
    let answer = answer.replace(LINE_END, "\n");
    let mut request = request.clone();
    if matches!(input, RequestInput::SecretLine) {
        request.answers = FormAnswers::Hidden(HiddenAnswers(answer.into_bytes()));
    } else {
        let url = request.url.with_search(answer.as_bytes());
        request.url = url.map_err(|error| Some(Text::of(&error.to_string())))?;
    }
    Ok(request)
}

impl Transfers {
    /// Saves to the path that the user typed.
    pub(crate) fn answer(&mut self, input: PathInput, answer: &str, tabs: &Tabs, cx: &mut Context) {
        cx.transfers_changed();
        match input {
            PathInput::Download(pending, name) => {
                let path = download_path(answer, &name, cx);
                let request = Request {
                    purpose: Purpose::Save,
                    ..pending.request
                };
                let target = cx.settings.taken_name.chosen(path);
                self.transfer(request, Destination::File(target), cx);
                // The download goes to a file, so the pane would stay empty.
                cx.command(Command::OpenHomeIfEmpty);
            }
            PathInput::DownloadAs(request, name) => {
                let path = download_path(answer, &name, cx);
                cx.ask(Dialog::taken_name(&request, &path));
            }
            PathInput::Directory(directory, proposed) => {
                let name = proposed.file_name().unwrap_or_default().to_string_lossy();
                let path = if answer == proposed.display().to_string() {
                    proposed.clone()
                } else {
                    download_path(answer, &name, cx)
                };
                match directory {
                    DirectoryTransfer::New(request) | DirectoryTransfer::Marked(request) => {
                        self.transfer(*request, Destination::Directory(path), cx);
                    }
                    DirectoryTransfer::Queued(id) => self.accept_directory(id, path),
                }
            }
            PathInput::Attachment(name, file) => {
                let path = download_path(answer, &name, cx);
                self.save_document(*file, Target::Free(path), cx);
            }
            PathInput::Site(request, name, kind) => {
                let job = SiteJob {
                    kind,
                    request,
                    path: download_path(answer, &name, cx),
                    may_change: false,
                };
                self.start_site(job, cx);
            }
            PathInput::Card => cx.emit(Effect::SaveCard(download_path(answer, CARD, cx), false)),
            PathInput::Pipe(inputs) => self.pipe(inputs, answer, cx),
            PathInput::Page(name) => {
                let path = download_path(answer, &name, cx);
                self.save_page(Target::Free(path), tabs, cx);
            }
        }
    }
}

impl BookmarksPane {
    /// Applies what the user typed to the bookmarks.
    pub(crate) fn answer(&mut self, input: BookmarkInput, answer: &str, cx: &mut Context) {
        match input {
            BookmarkInput::Filter => self.sidebar.open_found(cx),
            BookmarkInput::Import if answer.trim().is_empty() => cx.notify("Nothing imported"),
            BookmarkInput::Import => cx.emit(BookmarkEffect::Import(download_path(answer, "", cx))),
            BookmarkInput::State(states) => restore_state(states, answer, cx),
            BookmarkInput::NewFolder => self.add_folder(answer, cx),
            BookmarkInput::RenameFolder(from, index) => {
                self.rename_folder(&from, index, answer, cx);
            }
            BookmarkInput::Tags(from, items) => self.tag(&from, &items, answer, cx),
            BookmarkInput::Note(from, index) => self.note(&from, index, answer, cx),
            BookmarkInput::LinkFolder(drafts) => self.add_links(&drafts, answer, cx),
        }
    }
}
