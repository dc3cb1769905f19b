//! The questions that loads end with, and the answers typed into prompts.

use crate::app::Command;
use crate::app::dialogs::dialog::Dialog;
use crate::app::dialogs::prompt::{Prompt, PromptKind};
use crate::app::requester::{PendingRequest, Requester};
use crate::app::tabs::external::ask_about_file;
use crate::app::tabs::page::{Content, Page};
use crate::app::tabs::pane::Arrival;
use crate::app::tabs::server_form::FormPage;
use crate::app::transfers::save::download_path;
use crate::app::transfers::{DirectoryTransfer, free_destination};
use crate::app::{App, Effect, Mailcaps, Overlay};
use crate::app::{Compose, Context, Credentials, Dialogs, Tabs, Transfers};
use crate::load::{Failure, NewsHost, Purpose, Question, Request};
use crate::text::Text;
use crate::transfer::download::Target;

/// The message for a question that was left without an answer.
pub(crate) const UNANSWERED: &str = "nothing was answered, so nothing was loaded";

impl Tabs {
    /// Opens the question of the page that is loading in the pane with the focus.
    pub(crate) fn ask_for_page(&mut self, cx: &mut Context) {
        let is_file = self
            .pane()
            .and_then(|pane| pane.incoming.as_ref()?.question.as_ref())
            .is_some_and(|question| matches!(question, Question::Save { .. }));
        match (&mut cx.settings.mailcaps, is_file) {
            (Mailcaps::Unread(paths), true) => {
                let paths = std::mem::take(paths);
                cx.settings.mailcaps = Mailcaps::Reading;
                return cx.emit(Effect::Viewers(paths));
            }
            (Mailcaps::Reading, true) => return,
            (Mailcaps::Unread(_) | Mailcaps::Reading, false) | (Mailcaps::Read, _) => {}
        }
        let waiting = self
            .pane_mut()
            .and_then(|pane| pane.incoming.take_if(|pending| pending.question.is_some()));
        let Some(mut pending) = waiting else {
            return;
        };
        if let Some(question) = pending.question.take() {
            cx.command(Command::Ask(question, Box::new(pending.into())));
        }
    }

    /// Ends a load whose question was left or answered with no; `sentence` is the message about it.
    pub(crate) fn cancel_pending(
        &mut self,
        pending: PendingRequest,
        sentence: &str,
        compose: &mut Compose,
        transfers: &mut Transfers,
        cx: &mut Context,
    ) {
        if pending.requester == Requester::Draft {
            return compose.close_draft(sentence, cx);
        }
        if let Requester::Transfer(id) = pending.requester {
            return transfers.decline_transfer(id, sentence);
        }
        if self.page().is_none() {
            // There is no page to go back to: the pane shows the reason.
            let failure = Failure {
                advice: Some("load it again to be asked again"),
                ..Failure::new(sentence)
            };
            self.arrive(
                Page::failed(pending.request.url, pending.title, failure),
                Arrival::Append,
                cx,
            );
        }
    }
}

impl App {
    /// Closes a question without an answer; the question of a transfer stays in its row.
    pub(crate) fn cancel_question(&mut self, pending: Option<PendingRequest>) {
        match pending {
            Some(pending) if !pending.is_transfer() => self.tabs.cancel_pending(
                pending,
                UNANSWERED,
                &mut self.compose,
                &mut self.transfers,
                &mut self.cx,
            ),
            Some(_) | None => {}
        }
    }

    /// Handles Enter in a prompt.
    pub(crate) fn answer(&mut self, mut prompt: Prompt) {
        let answer = prompt.input.value().to_owned();
        match prompt.kind.clone() {
            PromptKind::Url | PromptKind::EditUrl if answer.trim().is_empty() => {}
            // The opened URL is the one that the prompt shows.
            PromptKind::Url | PromptKind::EditUrl => {
                match self.bookmarks.parse_and_fix(&answer, &self.tabs, &self.cx) {
                    Some(url) => self.dialogs.open_typed(url, &mut self.cx),
                    None => self.reopen_prompt(prompt),
                }
            }
            PromptKind::FindInPage => self.tabs.find(&answer, &mut self.cx),
            PromptKind::Filter => self.tabs.filter(&answer, &mut self.cx),
            PromptKind::Search(pending) => {
                match pending.request.url.with_search(answer.as_bytes()) {
                    Ok(url) => {
                        self.dialogs.searches.add(&answer);
                        let title = Text::of(&format!("{}: {answer}", pending.title));
                        let request = Request {
                            url,
                            ..pending.request
                        };
                        self.cx.request(request, title, Arrival::Append);
                    }
                    Err(error) => {
                        prompt.remark = Some(Text::of(&error.to_string()));
                        self.reopen_prompt(prompt);
                    }
                }
            }
            PromptKind::UserName(..) if answer.trim().is_empty() => self.reopen_prompt(prompt),
            PromptKind::UserName(mut pending, _) => {
                // The server reports if it needs a password too.
                pending.request.set_user(answer.trim());
                self.load(pending);
            }
            PromptKind::Password(mut pending, _) => {
                if let Some(login) = &mut pending.request.login {
                    login.password = Some(answer);
                }
                self.credentials
                    .remember_typed_login(&pending.request, &self.cx);
                self.load(pending);
            }
            PromptKind::Account(mut pending, _) => {
                if let Some(login) = &mut pending.request.login {
                    login.account = Some(answer);
                }
                self.load(pending);
            }
            PromptKind::NewsServer(mut pending) => match NewsHost::parse(&answer) {
                Some(server) => {
                    self.cx.settings.news_server = Some(server.clone());
                    pending.request.news_server = Some(server);
                    self.load(pending);
                }
                None => {
                    prompt.remark = Some(Text::of(
                        "that is no host: news.example.org, news.example.org:119 or nntps://news.example.org",
                    ));
                    self.reopen_prompt(prompt);
                }
            },
            PromptKind::Download(pending, name) => {
                let path = download_path(&answer, &name, &self.cx);
                let request = Request {
                    purpose: Purpose::Save,
                    ..pending.request
                };
                self.transfers
                    .transfer(request, free_destination(path), &mut self.cx);
                if self.tabs.page().is_none() {
                    // The download goes to a file, so the pane would stay empty.
                    self.open_home();
                }
            }
            PromptKind::SaveDirectory(directory, proposed) => {
                let name = proposed.file_name().unwrap_or_default().to_string_lossy();
                let path = if answer == proposed.display().to_string() {
                    proposed.clone()
                } else {
                    download_path(&answer, &name, &self.cx)
                };
                match directory {
                    DirectoryTransfer::New(request) => {
                        self.transfers.transfer_all(*request, path, &mut self.cx)
                    }
                    DirectoryTransfer::Queued(id) => self.transfers.accept_directory(id, path),
                }
            }
            PromptKind::SaveAttachment(name, file) => {
                let path = download_path(&answer, &name, &self.cx);
                self.transfers
                    .save_document(*file, Target::Free(path), &mut self.cx);
            }
            PromptKind::Author(what) => {
                self.compose
                    .name_author(prompt, *what, &self.tabs, &mut self.cx)
            }
            PromptKind::FindBookmarks => self.bookmarks.filter_by(&answer, &mut self.cx),
            PromptKind::NewFolder => self.bookmarks.add_folder(&answer, &mut self.cx),
            PromptKind::RenameFolder(from, index) => {
                self.bookmarks
                    .rename_folder(&from, index, &answer, &mut self.cx)
            }
            PromptKind::Tags(from, items, _) => {
                self.bookmarks.tag(&from, &items, &answer, &mut self.cx)
            }
            PromptKind::Note(from, index) => {
                self.bookmarks.note(&from, index, &answer, &mut self.cx)
            }
            PromptKind::LinkFolder(drafts) => {
                self.bookmarks.add_links(&drafts, &answer, &mut self.cx)
            }
            PromptKind::SavePage(name) => {
                let path = download_path(&answer, &name, &self.cx);
                self.transfers
                    .save_page(Target::Free(path), &self.tabs, &mut self.cx);
            }
        }
    }

    fn reopen_prompt(&mut self, prompt: Prompt) {
        self.show(Overlay::Prompt(prompt));
    }
}

impl Dialogs {
    /// Asks a question for a page that is loading, or for a transfer.
    pub(crate) fn open_question(
        &mut self,
        question: Question,
        mut pending: PendingRequest,
        tabs: &mut Tabs,
        credentials: &mut Credentials,
        cx: &mut Context,
    ) {
        let is_file = pending.is_transfer();
        let prompt = match question {
            // A page that is saved to a file has no prompt and no form.
            Question::Save { .. } | Question::Unknown(_) | Question::Form(_) if is_file => {
                return cx.command(Command::CancelPending(
                    Box::new(pending),
                    question.unanswered(),
                ));
            }
            Question::Search => {
                self.searches.begin();
                Prompt::new(PromptKind::Search(pending), "")
            }
            Question::Password {
                user,
                host,
                said,
                security,
            } => {
                return credentials.ask_password(&user, &host, said, security, pending, tabs, cx);
            }
            Question::Unencrypted(unencrypted) => {
                return cx.ask(Dialog::plain_login(pending, &unencrypted));
            }
            Question::Account {
                user,
                host,
                said,
                security,
            } => {
                let login_label = format!("{user} at {host}, {}", security.encryption());
                pending.request.set_account(&user, String::new());
                Prompt {
                    remark: said,
                    ..Prompt::new(PromptKind::Account(pending, login_label), "")
                }
            }
            Question::Login { host, said } => Prompt {
                remark: said,
                ..Prompt::new(PromptKind::UserName(pending, host), "")
            },
            Question::NewsServer => {
                let remark =
                    Text::of("no news server is set: a host, and :port when it is not 119");
                Prompt {
                    remark: Some(remark),
                    ..Prompt::new(PromptKind::NewsServer(pending), "")
                }
            }
            Question::Certificate(error) => {
                return credentials.ask_certificate(error, pending, cx);
            }
            Question::Save { what, name, size } => {
                return ask_about_file(pending, name, what, size, cx);
            }
            Question::Changed { was, is } => {
                return match pending.transfer() {
                    Some(id) => cx.ask(Dialog::file_changed(id, pending, &was, &is)),
                    // Only a file can be resumed; a page is always loaded from its beginning.
                    None => {
                        let sentence = Question::Changed { was, is }.unanswered();
                        cx.command(Command::CancelPending(Box::new(pending), sentence));
                    }
                };
            }
            Question::Unknown(gtype) => {
                return cx.ask(Dialog::unknown_type(pending, gtype));
            }
            Question::Hazards(hazards) => {
                return cx.ask(Dialog::confirm_hazards(pending, &hazards));
            }
            Question::Send(lines) => return cx.ask(Dialog::send_form(pending, lines)),
            Question::Form(form) => {
                let (url, title) = (pending.request.url.clone(), pending.title.clone());
                let form = FormPage::new(form, pending.request, pending.title);
                let page = Page::of(url, title, Content::Form(Box::new(form)));
                return match pending.requester {
                    Requester::Pane(arrival) => tabs.arrive(page, arrival, cx),
                    Requester::Draft | Requester::Transfer(_) => {}
                };
            }
        };
        cx.prompt(prompt);
    }
}
