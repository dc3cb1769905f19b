//! The questions that loads end with, and the answers of every line of input.

use super::choice::Choice;
use super::page::{Content, Page};
use super::pane::{Arrival, Incoming};
use super::prompt::{Prompt, Wants};
use super::server_form::Filling;
use super::transfers::{DirectoryTransfer, to_free};
use super::{App, Effect, Mailcaps, Overlay};
use crate::files::download::Target;
use crate::load::{Failure, NewsHost, Purpose, Question, Request};
use crate::text::Text;

/// Why nothing was loaded, where a question was not answered.
pub(super) const UNANSWERED: &str = "nothing was answered, so nothing was loaded";

impl App {
    /// Opens the question of the page on its way, when it is the one that is looked at.
    pub(super) fn ask_for_page(&mut self) -> Vec<Effect> {
        let is_file = self
            .pane()
            .and_then(|pane| pane.incoming.as_ref()?.question.as_ref())
            .is_some_and(|question| matches!(question, Question::Save { .. }));
        match (&mut self.settings.mailcaps, is_file) {
            (Mailcaps::Unread(paths), true) => {
                let paths = std::mem::take(paths);
                self.settings.mailcaps = Mailcaps::Reading;
                return vec![Effect::Viewers(paths)];
            }
            (Mailcaps::Reading, true) => return Vec::new(),
            (Mailcaps::Unread(_) | Mailcaps::Reading, false) | (Mailcaps::Read, _) => {}
        }
        let waiting = self.pane_mut().and_then(|pane| {
            pane.incoming
                .take_if(|incoming| incoming.question.is_some())
        });
        let Some(mut incoming) = waiting else {
            return Vec::new();
        };
        match incoming.question.take() {
            Some(question) => self.put_question(question, incoming),
            None => Vec::new(),
        }
    }

    /// Puts a question for a page on its way, or for a transfer.
    pub(super) fn put_question(
        &mut self,
        question: Question,
        mut incoming: Incoming,
    ) -> Vec<Effect> {
        let is_file = matches!(incoming.arrival, Arrival::Transfer(_));
        let prompt = match question {
            // What is saved is neither shown nor filled.
            Question::Save { .. } | Question::Unknown(_) | Question::Form(_) if is_file => {
                return self.leave(incoming, &question.unanswered());
            }
            Question::Search => {
                self.searches.begin();
                Prompt::new(Wants::Search(incoming), "")
            }
            Question::Password {
                user,
                host,
                said,
                security,
            } => {
                return self.ask_password(&user, &host, said, security, incoming);
            }
            Question::Unencrypted(unencrypted) => {
                return self.choose(Choice::plain_login(incoming, &unencrypted));
            }
            Question::Account {
                user,
                host,
                said,
                security,
            } => {
                let place = format!("{user} at {host}, {}", security.encryption());
                incoming.request.give_account(&user, String::new());
                Prompt {
                    remark: said,
                    ..Prompt::new(Wants::Account(incoming, place), "")
                }
            }
            Question::Login { host, said } => Prompt {
                remark: said,
                ..Prompt::new(Wants::Name(incoming, host), "")
            },
            Question::NewsServer => {
                let remark =
                    Text::of("no news server is set: a host, and :port when it is not 119");
                Prompt {
                    remark: Some(remark),
                    ..Prompt::new(Wants::NewsServer(incoming), "")
                }
            }
            Question::Certificate(doubt) => return self.ask_about(doubt, incoming),
            Question::Save { what, name, size } => {
                return self.ask_about_file(incoming, name, what, size);
            }
            Question::Changed { was, is } if is_file => {
                return self.choose(Choice::changed(incoming, &was, &is));
            }
            // A page begins at its beginning.
            Question::Changed { .. } => return self.leave(incoming, &question.unanswered()),
            Question::Unknown(gtype) => {
                return self.choose(Choice::unknown(incoming, gtype));
            }
            Question::Hazards(hazards) => {
                return self.choose(Choice::confirm_hazards(incoming, &hazards));
            }
            Question::Send(lines) => return self.choose(Choice::send(incoming, lines)),
            Question::Form(asked) => {
                let (url, title) = (incoming.request.url.clone(), incoming.title.clone());
                let filling = Filling::new(asked, incoming.request, incoming.title);
                let page = Page::of(url, title, Content::Form(Box::new(filling)));
                return self.arrive(page, incoming.arrival);
            }
        };
        self.prompt(prompt)
    }

    /// A question was left without an answer; that of a transfer waits on in its row.
    pub(super) fn leave_question(&mut self, incoming: Option<Incoming>) -> Vec<Effect> {
        match incoming {
            Some(incoming) if !incoming.is_transfer() => self.leave(incoming, UNANSWERED),
            Some(_) | None => Vec::new(),
        }
    }

    /// A question was left without an answer, or answered with no: `sentence` says so.
    pub(super) fn leave(&mut self, incoming: Incoming, sentence: &str) -> Vec<Effect> {
        if incoming.arrival == Arrival::Draft {
            return self.keep_draft(sentence);
        }
        if let Arrival::Transfer(id) = incoming.arrival {
            return self.refuse(id, sentence);
        }
        if self.page().is_none() {
            // Nothing to go back to: the pane says what it waits for.
            let failure = Failure {
                advice: Some("load it again to be asked again"),
                ..Failure::new(sentence)
            };
            return self.arrive(
                Page::failed(incoming.request.url, incoming.title, failure),
                Arrival::Next,
            );
        }
        Vec::new()
    }

    /// A prompt was answered with Enter.
    pub(super) fn answer(&mut self, mut prompt: Prompt) -> Vec<Effect> {
        let answer = prompt.input.value().to_owned();
        match prompt.wants.clone() {
            Wants::Url | Wants::Edited if answer.trim().is_empty() => Vec::new(),
            // What the prompt says it opens as is what opens.
            Wants::Url | Wants::Edited => match self.forgiven(&answer) {
                Some(url) => self.open_typed(url),
                None => self.keep_prompt(prompt),
            },
            Wants::Words => self.find(&answer),
            Wants::Filter => self.filter(&answer),
            Wants::Search(incoming) => match incoming.request.url.with_search(answer.as_bytes()) {
                Ok(url) => {
                    self.searches.keep(&answer);
                    let title = Text::of(&format!("{}: {answer}", incoming.title));
                    self.request(
                        Request {
                            url,
                            ..incoming.request
                        },
                        title,
                        Arrival::Next,
                    )
                }
                Err(error) => {
                    prompt.remark = Some(Text::of(&error.to_string()));
                    self.keep_prompt(prompt)
                }
            },
            Wants::Name(..) if answer.trim().is_empty() => self.keep_prompt(prompt),
            Wants::Name(mut incoming, _) => {
                // The server says whether it wants a password too.
                incoming.request.name(answer.trim());
                self.request(incoming.request, incoming.title, incoming.arrival)
            }
            Wants::Password(mut incoming, _) => {
                if let Some(login) = &mut incoming.request.login {
                    login.password = Some(answer);
                }
                self.note_typed(&incoming.request);
                self.request(incoming.request, incoming.title, incoming.arrival)
            }
            Wants::Account(mut incoming, _) => {
                if let Some(login) = &mut incoming.request.login {
                    login.account = Some(answer);
                }
                self.request(incoming.request, incoming.title, incoming.arrival)
            }
            Wants::NewsServer(mut incoming) => match NewsHost::parse(&answer) {
                Some(server) => {
                    self.settings.news_server = Some(server.clone());
                    incoming.request.news_server = Some(server);
                    self.request(incoming.request, incoming.title, incoming.arrival)
                }
                None => {
                    prompt.remark = Some(Text::of(
                        "that is no host: news.example.org, news.example.org:119 or nntps://news.example.org",
                    ));
                    self.keep_prompt(prompt)
                }
            },
            Wants::Download(incoming, name) => {
                let path = self.path(&answer, &name);
                let request = Request {
                    purpose: Purpose::Save,
                    ..incoming.request
                };
                let mut effects = self.transfer(request, to_free(path));
                if self.page().is_none() {
                    // The pane would stay empty: what it was opened for goes to a file.
                    effects.extend(self.open_home());
                }
                effects
            }
            Wants::SaveDirectory(directory, proposed) => {
                let name = proposed.file_name().unwrap_or_default().to_string_lossy();
                let path = if answer == proposed.display().to_string() {
                    proposed.clone()
                } else {
                    self.path(&answer, &name)
                };
                match directory {
                    DirectoryTransfer::New(request) => self.transfer_all(*request, path),
                    DirectoryTransfer::Queued(id) => self.take_all(id, path),
                }
            }
            Wants::SaveFile(name, file) => {
                let path = self.path(&answer, &name);
                self.save_document(*file, Target::Free(path))
            }
            Wants::From(what) => self.name_author(prompt, *what),
            Wants::Bookmarks => self.filter_by(&answer),
            Wants::NewFolder => self.add_folder(&answer),
            Wants::Rename(from, index) => self.rename_folder(&from, index, &answer),
            Wants::Tags(from, items, _) => self.tag(&from, &items, &answer),
            Wants::Note(from, index) => self.note(&from, index, &answer),
            Wants::Links(drafts) => self.add_links(&drafts, &answer),
            Wants::Save(name) => {
                let path = self.path(&answer, &name);
                self.save_page(Target::Free(path))
            }
        }
    }

    fn keep_prompt(&mut self, prompt: Prompt) -> Vec<Effect> {
        self.overlay = Some(Overlay::Prompt(prompt));
        Vec::new()
    }
}
