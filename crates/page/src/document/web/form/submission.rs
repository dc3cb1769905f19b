//! How and where to the answers of a form are sent: its method, the encoding of the body, its action.

use crate::document::web::tag::StartTag;

/// The method by which the answers to a form are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FormMethod {
    /// The answers are the query of the URL.
    #[default]
    Get,
    /// The answers are the body of the request. It may change something on the server each time.
    Post,
}

impl FormMethod {
    /// The name of the method in HTTP.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }
}

/// The encoding of the answers as the body of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum BodyEncoding {
    /// `application/x-www-form-urlencoded`.
    #[default]
    UrlEncoded,
    /// `multipart/form-data`.
    Multipart,
    /// `text/plain`: a line for each answer.
    Plain,
}

/// How and where to answers are sent, as far as an element says: a form, or a button instead of its form (HTML,
/// section 4.10.19.6).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Submission {
    pub(super) action: Option<String>,
    pub(super) method: Option<FormMethod>,
    pub(super) encoding: Option<BodyEncoding>,
}

impl Submission {
    /// Reads the attributes with these names: the URL, the method, the encoding.
    pub(super) fn new(element: &StartTag<'_>, [action, method, encoding]: [&str; 3]) -> Self {
        let value = |name: &str| Some(element.value(name)?.trim().to_ascii_lowercase());
        Self {
            action: element.value(action).map(str::to_owned),
            method: value(method).map(|method| match &*method {
                "post" => FormMethod::Post,
                _ => FormMethod::Get,
            }),
            encoding: value(encoding).map(|encoding| match &*encoding {
                "multipart/form-data" => BodyEncoding::Multipart,
                "text/plain" => BodyEncoding::Plain,
                _ => BodyEncoding::UrlEncoded,
            }),
        }
    }
}
