//! The constructors of the questions that are answered with a line of text for a request.

use geomys_wire::net::Security;
use geomys_wire::text::Text;

use crate::app::dialogs::text_input::{Completions, RequestInput, TextInput};
use crate::app::{Dialog, PendingRequest};

/// The news server that anyone may read without a login.
const PUBLIC_NEWS_SERVER: &str = "news.gmane.io";

/// The remark of the question for a news server.
const NO_NEWS_SERVER: &str =
    "no news server set: enter host or host:port; Tab: news.gmane.io, public, read only";

impl Dialog {
    /// Asks for the words of a server search.
    pub(crate) fn search_words(pending: PendingRequest) -> Self {
        let label = format!("{}:", pending.title);
        let input = TextInput::for_request(&pending, RequestInput::Search, None);
        Self::input(&label, input).about(pending)
    }

    /// Asks for a line of text with the server's own words.
    pub(crate) fn server_line(pending: PendingRequest, words: Text, is_secret: bool) -> Self {
        let line = if is_secret {
            RequestInput::SecretLine
        } else {
            RequestInput::Line
        };
        let input = TextInput {
            is_secret,
            ..TextInput::for_request(&pending, line, Some(words))
        };
        Self::input("Answer:", input).about(pending)
    }

    /// Asks for the name of the client certificate for `authority`, with the reason and the server's words; Tab inserts
    /// the names of the stored ones.
    pub(crate) fn client_certificate(
        pending: PendingRequest,
        authority: &str,
        (why, said): (&str, Option<Text>),
        names: Vec<String>,
    ) -> Self {
        let label = format!("Certificate for {}:", Text::of(authority));
        let said = said.map_or(String::new(), |said| format!(" (“{said}”)"));
        let stored = match names.as_slice() {
            [] => String::new(),
            names => format!("Tab: {}; ", names.join(", ")),
        };
        let remark = format!("{why}{said}; {stored}a new name makes a certificate");
        let remark = Some(Text::of(&remark));
        let input = TextInput {
            completions: Completions::Names(names),
            ..TextInput::for_request(&pending, RequestInput::Identity, remark)
        };
        Self::input(&label, input).about(pending)
    }

    /// Asks for a user name, with the server's words.
    pub(crate) fn user_name(pending: PendingRequest, host: &str, said: Option<Text>) -> Self {
        let label = format!("Name at {}:", Text::of(host));
        let input = TextInput::for_request(&pending, RequestInput::UserName, said);
        Self::input(&label, input).about(pending)
    }

    /// Asks for the password of a user, with the server's words.
    pub(crate) fn password(
        mut pending: PendingRequest,
        (user, host): (&str, &str),
        said: Option<Text>,
        security: Security,
    ) -> Self {
        let label = format!("Password of {user} at {host}, {}:", security.encryption());
        pending.request.request_password(user);
        let input = TextInput {
            is_secret: true,
            ..TextInput::for_request(&pending, RequestInput::Password, said)
        };
        Self::input(&label, input).about(pending)
    }

    /// Asks for the account of a user besides the password, with the server's words.
    pub(crate) fn account(
        mut pending: PendingRequest,
        (user, host): (&str, &str),
        said: Option<Text>,
        security: Security,
    ) -> Self {
        let label = format!("Account of {user} at {host}, {}:", security.encryption());
        pending.request.set_account(user, String::new());
        let input = TextInput {
            is_secret: true,
            ..TextInput::for_request(&pending, RequestInput::Account, said)
        };
        Self::input(&label, input).about(pending)
    }

    /// Asks for a news server.
    pub(crate) fn news_server(pending: PendingRequest) -> Self {
        let remark = Some(Text::of(NO_NEWS_SERVER));
        let input = TextInput {
            completions: Completions::Proposal(PUBLIC_NEWS_SERVER),
            ..TextInput::for_request(&pending, RequestInput::NewsServer, remark)
        };
        Self::input("News server:", input).about(pending)
    }
}
