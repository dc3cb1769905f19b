//! Forms from a server to a person, and the answers back to the server.

use std::fmt;
use std::sync::Arc;

use geomys_wire::text::Text;
use rfc1738::Url;

use geomys_page::document::{Link, LinkForm, WebForm};

/// The state of the answers to a form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FormAnswers {
    /// The person has not confirmed the filled form in the URL: a question comes before it is sent.
    #[default]
    Unconfirmed,
    /// The person has filled in the form that the URL holds, or has agreed to send it.
    Confirmed,
    /// The answers are sent but are not part of any URL, because one of them is secret: the page of the answer has the
    /// URL of its form.
    Hidden(HiddenAnswers),
    /// The person opens this form of a link: nothing is sent, and a question with the form comes at once.
    Fill(LinkForm),
    /// The answers are sent as the body of a request: POST of the Web, or an upload. The page of the answer has the URL
    /// of the request.
    Posted(PostedAnswers),
}

impl FormAnswers {
    /// Returns the answers of a request for the target of a link.
    pub fn of(link: &Link) -> Self {
        link.form.clone().map_or(Self::Unconfirmed, Self::Fill)
    }
}

/// Answers that no `Debug`, title or log shows, as a Gopher+ string.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct HiddenAnswers(pub Vec<u8>);

impl fmt::Debug for HiddenAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hidden({} octets)", self.0.len())
    }
}

/// The body of a POST request or an upload, which no `Debug`, title or log shows.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct PostedAnswers {
    /// The media type of the body.
    pub media: String,
    /// The token that permits an upload, if the server wants one.
    pub token: String,
    /// The body.
    pub octets: Vec<u8>,
}

impl fmt::Debug for PostedAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Posted({} octets)", self.octets.len())
    }
}

/// A form as a server sends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerForm {
    /// The title of the item, when the server gives one.
    pub title: Option<Text>,
    /// The lines of a +ASK block.
    pub lines: Vec<Vec<u8>>,
    /// The hint for each line; may be shorter than `lines`.
    pub hints: Vec<Text>,
    /// The text that the first answer of several lines begins with.
    pub text: String,
    /// The kind of the form.
    pub kind: FormKind,
}

/// The kind of a form, which decides the form of its answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormKind {
    /// The form of a Gopher+ item: the answers are its Gopher+ string (RFC 1738, section 3.4.9).
    Item,
    /// The query form of a phone book: the answers are the words of a query (RFC 2378). Each line of the form but the
    /// first is a field of the phone book, by its name.
    PhoneBook,
    /// A text or a file that is uploaded, with its media type and a token where the protocol has them. The first field
    /// of each type is its answer: lines for the text, a file, a line for the media type, a secret for the token.
    Upload,
    /// The form of a page of the Web. It has no lines.
    Web(Arc<WebForm>),
}

impl ServerForm {
    /// Returns the form of an upload to `url`, with further lines.
    pub(super) fn upload(url: &Url, further: &[&str]) -> Self {
        let target = format!("Note: Sent to {}", url.masked());
        let lines = [&target, "AskL: Text", "ChooseF: Or a file"];
        let lines = lines.into_iter().chain(further.iter().copied());
        Self {
            title: None,
            lines: lines.map(|line| line.as_bytes().to_vec()).collect(),
            hints: Vec::new(),
            text: String::new(),
            kind: FormKind::Upload,
        }
    }

    /// Sets the hint of a line.
    pub(super) fn hint(&mut self, line: &str, hint: &str) {
        let number = self.lines.iter().position(|own| own == line.as_bytes());
        self.hints.resize(self.lines.len(), Text::default());
        if let Some(own) = number.and_then(|number| self.hints.get_mut(number)) {
            *own = Text::of(hint);
        }
    }

    /// Returns the form of a page of the Web.
    pub fn web(form: &Arc<WebForm>) -> Self {
        Self {
            title: None,
            lines: Vec::new(),
            hints: Vec::new(),
            text: String::new(),
            kind: FormKind::Web(Arc::clone(form)),
        }
    }
}
