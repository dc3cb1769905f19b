//! The answers typed into prompts, by the part of the app that gets them.

use crate::app::dialogs::prompt::{BookmarkInput, PathInput, Prompt, PromptKind, RequestInput};
use crate::app::requester::Arrival;
use crate::app::transfers::message::DirectoryTransfer;
use crate::app::transfers::save::download_path;
use crate::app::{BookmarksPane, Command, Context, Credentials, Dialog, Dialogs, Tabs, Transfers};
use crate::load::{FormAnswers, HiddenAnswers, NewsHost, Purpose, Request};
use crate::text::Text;
use crate::transfer::download::Target;
use crate::transfer::queue::Destination;

impl Dialogs {
    /// Adds the answer to the request that waits for it, and starts the request again.
    pub(crate) fn answer_request(
        &mut self,
        mut prompt: Prompt,
        answer: String,
        credentials: &mut Credentials,
        tabs: &Tabs,
        cx: &mut Context,
    ) {
        let PromptKind::Request(pending, input) = &prompt.kind else {
            return;
        };
        let mut pending = (**pending).clone();
        match input {
            RequestInput::Search => match pending.request.url.with_search(answer.as_bytes()) {
                Ok(url) => {
                    self.searches.add(&answer, tabs.stores_visits(&url, cx));
                    let title = Text::of(&format!("{}: {answer}", pending.title));
                    let request = Request {
                        url,
                        ..pending.request
                    };
                    return cx.request(request, title, Arrival::Append);
                }
                Err(error) => {
                    prompt.remark = Some(Text::of(&error.to_string()));
                    return cx.prompt(prompt);
                }
            },
            RequestInput::Line { is_secret: true } => {
                let octets = answer.into_bytes();
                pending.request.answers = FormAnswers::Hidden(HiddenAnswers(octets));
            }
            RequestInput::Line { is_secret: false } => {
                match pending.request.url.with_search(answer.as_bytes()) {
                    Ok(url) => pending.request.url = url,
                    Err(error) => {
                        prompt.remark = Some(Text::of(&error.to_string()));
                        return cx.prompt(prompt);
                    }
                }
            }
            RequestInput::Identity { .. } | RequestInput::UserName(_)
                if answer.trim().is_empty() =>
            {
                return cx.prompt(prompt);
            }
            RequestInput::Identity { .. } => {
                pending.request.identity = Some(answer.trim().to_owned());
            }
            // The server reports if it needs a password too.
            RequestInput::UserName(_) => pending.request.set_user(answer.trim()),
            RequestInput::Password(_) => {
                if let Some(login) = &mut pending.request.login {
                    login.password = Some(answer);
                }
                credentials.remember_typed_login(&pending.request, cx);
            }
            RequestInput::Account(_) => {
                if let Some(login) = &mut pending.request.login {
                    login.account = Some(answer);
                }
            }
            RequestInput::NewsServer => match NewsHost::parse(&answer) {
                Some(server) => {
                    cx.settings.news_server = Some(server.clone());
                    pending.request.news_server = Some(server);
                }
                None => {
                    prompt.remark = Some(Text::of(
                        "expected news.example.org, news.example.org:119 or nntps://news.example.org",
                    ));
                    return cx.prompt(prompt);
                }
            },
        }
        cx.request_pending(pending);
    }
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
                        self.transfer_all(*request, path, cx);
                    }
                    DirectoryTransfer::Queued(id) => self.accept_directory(id, path),
                }
            }
            PathInput::Attachment(name, file) => {
                let path = download_path(answer, &name, cx);
                self.save_document(*file, Target::Free(path), cx);
            }
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
            BookmarkInput::Filter => self.filter_by(answer, cx),
            BookmarkInput::NewFolder => self.add_folder(answer, cx),
            BookmarkInput::RenameFolder(from, index) => {
                self.rename_folder(&from, index, answer, cx);
            }
            BookmarkInput::Tags(from, items, _) => self.tag(&from, &items, answer, cx),
            BookmarkInput::Note(from, index) => self.note(&from, index, answer, cx),
            BookmarkInput::LinkFolder(drafts) => self.add_links(&drafts, answer, cx),
        }
    }
}
