//! Passwords in the system's keyring: looked up before the password prompt, and stored when the user agrees.

use geomys_load::{LoadId, Login, Phase, Question, QuestionWords, Request};
use geomys_wire::net::Security;
use geomys_wire::text::Text;

use crate::credentials::message::KeyringLookup;
use crate::dialogs::text_input::RequestInput;
use crate::requester::Requester;
use crate::tabs::pane::IncomingPage;
use crate::{
    Compose, Context, CredentialCommand, CredentialEffect, Credentials, Dialog, Effect,
    PendingRequest, Tabs,
};

impl Dialog {
    /// Asks before storing a password in the keyring.
    fn store_login(scope: String, login: Login) -> Self {
        let user = Text::of(&login.user);
        let question = format!("Store the password of {user} at {scope} in the keyring?");
        let store = CredentialCommand::Store(scope, login);
        Self::confirm(&question, store)
    }
}

impl Credentials {
    /// Requests a password from the keyring, if there is one and the server has not refused a password before;
    /// otherwise opens the password prompt.
    pub(crate) fn ask_password(
        &mut self,
        (user, host, security): (String, String, Security),
        is_refused: bool,
        words: QuestionWords,
        mut pending: PendingRequest,
        tabs: &mut Tabs,
        cx: &mut Context,
    ) {
        // For a transfer the keyring was queried when the transfer ended with its question.
        if !is_refused
            && !pending.is_transfer()
            && let Some(load) = self.lookup_password(&user, &host, security, &pending, cx)
        {
            // The pane shows the load as before during the lookup.
            if let (Requester::Pane(arrival), Some(pane)) = (pending.requester, tabs.pane_mut()) {
                pane.incoming = Some(IncomingPage::new(load, pending, arrival));
            }
            return;
        }
        pending.request.request_password(&user);
        cx.ask(Dialog::line(pending, RequestInput::Password, words));
    }

    /// Starts a keyring lookup. Returns the load that waits for it in a pane; `None` without a keyring, or if the
    /// password is not in it.
    pub(crate) fn lookup_password(
        &mut self,
        user: &str,
        host: &str,
        security: Security,
        pending: &PendingRequest,
        cx: &mut Context,
    ) -> Option<LoadId> {
        let scope = pending
            .request
            .login_scope()
            .filter(|_| cx.settings.keyring)?;
        let user = user.to_owned();
        if self.not_in_keyring.contains(&(scope.clone(), user.clone())) {
            return None;
        }
        let load = cx.next_load();
        cx.emit(CredentialEffect::Keyring(Box::new(KeyringLookup {
            scope,
            user,
            host: host.to_owned(),
            security,
            pending: pending.clone(),
            load,
        })));
        Some(load)
    }

    /// Restarts the load that waits in its pane for a lookup; does nothing if no pane waits for it any more.
    fn load_again(&self, waiting: LoadId, mut request: Request, tabs: &mut Tabs, cx: &mut Context) {
        self.apply_defaults(&mut request, &cx.settings);
        let Some(incoming) = tabs.incoming_mut(waiting) else {
            return;
        };
        let load = cx.next_load();
        incoming.load = load;
        incoming.request = request.clone();
        incoming.phase = Phase::Connecting;
        cx.emit(Effect::Load(load, request));
    }

    /// Remembers the typed login of a request: it may be stored when the server has accepted it.
    pub(crate) fn remember_typed_login(&mut self, request: &Request, cx: &Context) {
        if cx.settings.keyring {
            self.typed_login = request.login_scope().zip(request.login.clone());
        }
    }

    /// Asks before storing a typed login that a server has accepted.
    pub(crate) fn ask_store_login(&mut self, request: &Request, cx: &mut Context) {
        let accepted = request.login_scope().zip(request.login.clone());
        if accepted == self.typed_login
            && let Some((scope, login)) = self.typed_login.take()
        {
            cx.ask_later(Dialog::store_login(scope, login));
        }
    }

    /// Handles the result of a keyring lookup.
    pub(crate) fn password_looked_up(
        &mut self,
        lookup: KeyringLookup,
        login: Option<Login>,
        tabs: &mut Tabs,
        compose: &mut Compose,
        cx: &mut Context,
    ) {
        let KeyringLookup {
            scope,
            user,
            host,
            security,
            mut pending,
            load,
        } = lookup;
        if let Some(password) = login.and_then(|login| login.password) {
            pending.request.set_password(&user, password);
            match pending.requester {
                Requester::Pane(_) => self.load_again(load, pending.request, tabs, cx),
                Requester::Draft | Requester::Transfer(_) => {
                    cx.load(pending);
                }
            }
            return;
        }
        self.not_in_keyring.push((scope, user.clone()));
        let said = None;
        let question = Question::Password {
            user,
            host,
            said,
            security,
        };
        match pending.requester {
            Requester::Pane(_) => {
                if let Some(waiting) = tabs.incoming_mut(load) {
                    waiting.question = Some(question);
                }
            }
            Requester::Draft => compose.requeue_draft_question(question),
            // The transfer shows its question already.
            Requester::Transfer(_) => {}
        }
    }

    /// Stores the login of a request until the browser exits: a server accepted it, or has not judged it.
    pub(crate) fn keep_login(&mut self, request: &Request) {
        if let (Some(scope), Some(login)) = (request.login_scope(), request.login.clone()) {
            self.logins.retain(|(other, _)| *other != scope);
            self.logins.push((scope, login));
        }
    }
}
