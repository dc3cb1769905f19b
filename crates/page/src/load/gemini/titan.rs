//! Titan: the upload of a text or a file to a server of Gemini.
//!
//! ```text
//! request = "titan://" host [ ":" port ] path ";size=" octets ";mime=" type [ ";token=" token ] CRLF data
//! ```
//!
//! A URL without data is a question: its form. The parameters of a URL are replaced. The answer is one of Gemini, and may
//! redirect to the page over Gemini on the same server; nothing is sent a second time.

use rfc1738::{Dialect, Http, Url, encoded};

use crate::load::{Failure, PostedAnswers, Purpose, Question, Request, ServerForm, Stop};

/// The lines of the form beside the text and the file: see [`crate::load::FormKind::Upload`].
const FIELDS: [&str; 2] = ["Ask: Media type", "AskP: Token"];

/// The hint of the line for the media type.
const MEDIA_HINT: &str = "empty: by the name of the file, or text/gemini";

/// Returns the URL of the server over Gemini: other URLs stay as they are.
pub(super) fn as_gemini(url: &Url) -> Url {
    let rest = url.as_str().split_once(':').map_or("", |(_, rest)| rest);
    let gemini =
        super::is_titan(url).then(|| Dialect::Extended.parse(&format!("gemini:{rest}")).ok());
    gemini.flatten().unwrap_or_else(|| url.clone())
}

/// Returns the URL that is sent before the data.
pub(super) fn sent_url(url: &Http<'_>, posted: &PostedAnswers) -> String {
    let path = url.path.map_or("", |path| path.as_str());
    let path = path.split(';').next().unwrap_or_default();
    let size = posted.octets.len();
    let media: Vec<String> = posted
        .media
        .split('/')
        .map(|part| encoded(part.as_bytes()))
        .collect();
    let media = media.join("/");
    let token = match posted.token.as_str() {
        "" => String::new(),
        token => format!(";token={}", encoded(token.as_bytes())),
    };
    format!(
        "titan://{}/{path};size={size};mime={media}{token}",
        url.address.text
    )
}

/// Returns the form of a URL without data; a failure where no form can be shown.
pub(super) fn question(request: &Request) -> Stop {
    match request.purpose {
        Purpose::Show => {
            let mut form = ServerForm::upload(&request.url, &FIELDS);
            form.hint(FIELDS[0], MEDIA_HINT);
            Stop::Needs(Question::Form(form))
        }
        Purpose::Save | Purpose::Picture | Purpose::Check => {
            Failure::new("this URL takes an upload, and is no file").into()
        }
    }
}
