//! The questions that loads end with.

use geomys_load::{Question, Version};

use crate::dialogs::text_input::RequestInput;
use crate::requester::Requester;
use crate::tabs::external::ask_about_file;
use crate::tabs::response::form_page;
use crate::{Command, Context, Credentials, Dialog, Dialogs, PendingRequest, Tabs};

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
        if question.is_from_other_host(&pending.request.url) {
            // The user has asked another server.
            pending.asked_at = None;
        }
        let words = question.words().unwrap_or_default();
        match question {
            // A page that is saved to a file has no prompt and no form.
            Question::Save { .. } | Question::Unknown(_) | Question::Form(_) if is_file => {
                cx.command(Command::CancelPending(
                    Box::new(pending),
                    question.unanswered(),
                ));
            }
            Question::Search => {
                self.searches.begin();
                cx.ask(Dialog::search_words(pending));
            }
            Question::Input { is_secret, url, .. } => {
                pending.request.url = url;
                let input = if is_secret {
                    RequestInput::SecretLine
                } else {
                    RequestInput::Line
                };
                cx.ask(Dialog::line(pending, input, words));
            }
            Question::Identity { url, names, .. } => {
                pending.request.url = url;
                cx.ask(Dialog::client_certificate(pending, &words, names));
            }
            Question::Password {
                user,
                host,
                said,
                security,
            } => {
                let is_refused = said.is_some();
                credentials.ask_password(
                    (user, host, security),
                    is_refused,
                    words,
                    pending,
                    tabs,
                    cx,
                );
            }
            Question::Unencrypted(unencrypted) => {
                cx.ask(Dialog::plain_login(pending, &unencrypted.authority, words));
            }
            Question::Account { user, .. } => {
                pending.request.set_account(&user, String::new());
                cx.ask(Dialog::line(pending, RequestInput::Account, words));
            }
            Question::Login { .. } => cx.ask(Dialog::line(pending, RequestInput::UserName, words)),
            Question::NewsServer => cx.ask(Dialog::news_server(pending, &words)),
            Question::Certificate(error) => credentials.ask_certificate(&error, pending, cx),
            Question::Save { what, name, size } => ask_about_file(pending, name, what, size, cx),
            Question::Changed { was, is } => ask_about_changed_file(pending, was, is, cx),
            Question::Unknown(gtype) => cx.ask(Dialog::unknown_type(pending, gtype)),
            Question::Hazards(_) => cx.ask(Dialog::confirm_hazards(pending, words)),
            Question::LocalAddress(target) => {
                cx.ask(Dialog::local_address(pending, target.authority, words));
            }
            Question::ActiveMode { authority } => {
                cx.ask(Dialog::active_mode(pending, authority, words));
            }
            Question::Unpack { .. } => cx.ask(Dialog::confirm_unpacking(pending, words)),
            Question::Send(lines) => cx.ask(Dialog::send_form(pending, lines)),
            Question::Form(form) => {
                if let Requester::Pane(arrival) = pending.requester {
                    tabs.arrive(form_page(form, pending), arrival, cx);
                }
            }
        }
    }
}

/// Asks what to do with a file that has changed since its partial download. Only a file can be resumed; a page is
/// always loaded from its beginning.
fn ask_about_changed_file(pending: PendingRequest, was: Version, is: Version, cx: &mut Context) {
    match pending.transfer() {
        Some(id) => cx.ask(Dialog::file_changed(id, pending, &was, &is)),
        None => {
            let sentence = Question::Changed { was, is }.unanswered();
            cx.command(Command::CancelPending(Box::new(pending), sentence));
        }
    }
}
