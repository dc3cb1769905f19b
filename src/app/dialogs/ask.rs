//! The questions that loads end with.

use geomys_page::load::{Failure, Question, ServerForm, Version};

use crate::app::dialogs::text_input::RequestInput;
use crate::app::requester::{Arrival, Requester};
use crate::app::tabs::external::ask_about_file;
use crate::app::tabs::page::PageRequest;
use crate::app::view::View;
use crate::app::view::form::FormView;
use crate::app::{
    Command, Compose, Context, Credentials, Dialog, Dialogs, Mailcaps, Page, PendingRequest, Tabs,
    TabsEffect, Transfers,
};

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
                return cx.emit(TabsEffect::Viewers(paths));
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
            return transfers.decline_transfer(id, sentence, cx);
        }
        cx.pages_changed();
        if self.page().is_none() {
            // There is no page to go back to: the pane shows the reason.
            let failure = Failure::new(sentence).with_advice("reload to be asked again");
            let page = Page {
                request: PageRequest::from(&pending.request),
                ..Page::failed(pending.request.url, pending.title, failure)
            };
            self.arrive(page, Arrival::Append, cx);
        }
    }
}

impl Tabs {
    /// Opens a form of a server as the page that a pane has requested.
    fn open_form(&mut self, form: ServerForm, pending: PendingRequest, cx: &mut Context) {
        let (url, title) = (pending.request.url.clone(), pending.title.clone());
        let form = FormView::new(form, pending.request, pending.title);
        let page = Page::of(url, title, View::Form(Box::new(form)));
        if let Requester::Pane(arrival) = pending.requester {
            self.arrive(page, arrival, cx);
        }
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
            Question::Send(lines) => cx.ask(Dialog::send_form(pending, lines)),
            Question::Form(form) => tabs.open_form(form, pending, cx),
        }
    }
}

/// Asks what to do with a file that has changed since its partial download. Only a file can be resumed; a page is always loaded from its
/// beginning.
fn ask_about_changed_file(pending: PendingRequest, was: Version, is: Version, cx: &mut Context) {
    match pending.transfer() {
        Some(id) => cx.ask(Dialog::file_changed(id, pending, &was, &is)),
        None => {
            let sentence = Question::Changed { was, is }.unanswered();
            cx.command(Command::CancelPending(Box::new(pending), sentence));
        }
    }
}
