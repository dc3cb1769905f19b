//! The question whether to send a password unencrypted to a server that has offered TLS.

use geomys_page::load::QuestionWords;

use crate::app::{Context, CredentialCommand, Credentials, Dialog, PendingRequest};

impl Dialog {
    /// Creates the question whether to send a password without TLS.
    pub(crate) fn plain_login(
        pending: PendingRequest,
        authority: &str,
        words: QuestionWords,
    ) -> Self {
        let accept = CredentialCommand::AcceptPlainLogin(
            Box::new(pending.clone()),
            authority.to_ascii_lowercase(),
        );
        Self::new(&words.prompt)
            .no("do not send")
            .answer('s', "send unencrypted", accept)
            .with_lines(words.remarks)
            .about(pending)
    }
}

impl Credentials {
    /// Returns true if the user accepted passwords without TLS for this authority.
    pub(crate) fn is_plain_login(&self, authority: &str) -> bool {
        self.plain_logins.contains(&authority.to_ascii_lowercase())
    }

    /// Accepts passwords without TLS for this authority until the program ends, and continues the load that asked.
    pub(crate) fn accept_plain_login(
        &mut self,
        pending: PendingRequest,
        authority: String,
        cx: &mut Context,
    ) {
        if !self.plain_logins.contains(&authority) {
            self.plain_logins.push(authority);
        }
        cx.load(pending);
    }
}
