//! The constructors of the questions that are answered with a line of text for a request.

use geomys_load::QuestionWords;
use geomys_wire::text::Text;

use crate::dialogs::text_input::{Completions, RequestInput, TextInput};
use crate::{Dialog, PendingRequest};

/// The news server that anyone may read without a login.
const PUBLIC_NEWS_SERVER: &str = "news.gmane.io";

impl Dialog {
    /// Asks for the words of a server search.
    pub(crate) fn search_words(pending: PendingRequest) -> Self {
        let label = format!("{}:", pending.title);
        let input = TextInput::for_request(&pending, RequestInput::Search, None);
        Self::input(&label, input).about(pending)
    }

    /// Asks a question that is answered with a line of text.
    pub(crate) fn line(pending: PendingRequest, input: RequestInput, words: QuestionWords) -> Self {
        let label = words.label();
        let remark = words.remarks.into_iter().next();
        let input = TextInput {
            is_secret: words.is_secret,
            ..TextInput::for_request(&pending, input, remark)
        };
        Self::input(&label, input).about(pending)
    }

    /// Asks for the name of a client certificate; Tab inserts the names of the stored ones.
    pub(crate) fn client_certificate(
        pending: PendingRequest,
        words: &QuestionWords,
        names: Vec<String>,
    ) -> Self {
        let stored = match names.as_slice() {
            [] => String::new(),
            names => format!("Tab: {}; ", names.join(", ")),
        };
        let keys = format!("{stored}a new name makes a certificate");
        let completions = Completions::Names(names);
        Self::completed(pending, RequestInput::Identity, words, &keys, completions)
    }

    /// Asks for a news server.
    pub(crate) fn news_server(pending: PendingRequest, words: &QuestionWords) -> Self {
        let completions = Completions::Proposal(PUBLIC_NEWS_SERVER);
        let keys = format!("Tab: {PUBLIC_NEWS_SERVER}, public, read only");
        Self::completed(pending, RequestInput::NewsServer, words, &keys, completions)
    }

    /// Asks for a line of text that Tab completes, as `keys` says.
    fn completed(
        pending: PendingRequest,
        input: RequestInput,
        words: &QuestionWords,
        keys: &str,
        completions: Completions,
    ) -> Self {
        let remarks = words.remarks.iter().map(|remark| format!("{remark}; "));
        let remark = Text::of(&(remarks.collect::<String>() + keys));
        let input = TextInput {
            completions,
            ..TextInput::for_request(&pending, input, Some(remark))
        };
        Self::input(&words.label(), input).about(pending)
    }
}
