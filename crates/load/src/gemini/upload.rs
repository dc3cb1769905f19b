//! The parameters of a Titan URL, which say how the data are uploaded.
//!
//! ```text
//! path      = segments *( ";" parameter )
//! parameter = "size=" octets / "mime=" type / "token=" token / "edit"     ; type and token percent-encoded
//! ```

use rfc1738::{Protocol, Url, decode, encoded};

use crate::HiddenAnswers;

/// What a URL says about an upload. Its size is that of the data.
#[derive(Debug)]
pub(super) struct UploadParameters {
    /// The media type; empty if there is none.
    pub(super) media: String,
    /// The token; empty if there is none.
    pub(super) token: HiddenAnswers,
    /// True if the page is edited: the form begins with its source.
    pub(super) edits: bool,
}

impl UploadParameters {
    /// Reads the parameters of a URL.
    pub(super) fn of(url: &Url) -> Self {
        match url.protocol() {
            Protocol::Titan(titan) => Self::in_path(titan.path.map_or("", |path| path.as_str())),
            _ => Self::in_path(""),
        }
    }

    /// Reads the parameters in a path.
    pub(super) fn in_path(path: &str) -> Self {
        let value = |name: &str| {
            let mut parameters = path.split(';').skip(1);
            let value = parameters.find_map(|parameter| parameter.strip_prefix(name));
            decode(
                value
                    .and_then(|value| value.strip_prefix('='))
                    .unwrap_or_default(),
            )
            .into_owned()
        };
        let media = String::from_utf8_lossy(&value("mime")).into_owned();
        Self {
            media: media.replace(char::is_control, " "),
            token: HiddenAnswers(value("token")),
            edits: path.split(';').skip(1).any(|parameter| parameter == "edit"),
        }
    }
}

/// Returns the token of an upload that a URL states; an empty one if it states none.
pub fn upload_token(url: &Url) -> HiddenAnswers {
    UploadParameters::of(url).token
}

/// Returns the parameter of a token, percent-encoded; nothing for an empty one.
pub(super) fn token_parameter(token: impl AsRef<[u8]>) -> String {
    match token.as_ref() {
        b"" => String::new(),
        token => format!(";token={}", encoded(token)),
    }
}

/// Returns a path of Titan without its parameters, as Gemini has it.
pub(super) fn without_parameters(path: &str) -> &str {
    path.split_once(';').map_or(path, |(path, _)| path)
}
