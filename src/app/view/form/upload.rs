//! The form of an upload: the request that sends its text or its file.

use geomys_page::document::suffix;
use geomys_page::load::{FormAnswers, PostedAnswers, Request};
use tui_input::Input;

use super::{FormView, Secret, Value};

/// The media type of a text.
const TEXT: &str = "text/gemini";

/// The media type of a file whose name says none.
const FILE: &str = "application/octet-stream";

impl FormView {
    /// Returns the request that uploads the text, or `file` if there is one.
    ///
    /// # Errors
    /// The line that cannot be sent, and the reason.
    pub(crate) fn upload_request(&self, file: Option<Vec<u8>>) -> Result<Request, (usize, String)> {
        let (mut text, mut media, mut token) = ((0, String::new()), String::new(), String::new());
        for (number, entry) in self.entries.iter().enumerate() {
            match &entry.value {
                Value::Lines(lines, _) => {
                    let lines: Vec<&str> = lines.iter().map(Input::value).collect();
                    text = (number, lines.join("\n"));
                }
                Value::Line(input) => input.value().trim().clone_into(&mut media),
                Value::Secret(Secret(input)) => input.value().clone_into(&mut token),
                Value::Note
                | Value::Receipt(_)
                | Value::Select(_)
                | Value::Choose(..)
                | Value::File(_) => {}
            }
        }
        let (line, text) = text;
        if file.is_some() && !text.is_empty() {
            return Err((line, "both a text and a file: leave one empty".to_owned()));
        }
        if file.is_none() && text.is_empty() {
            return Err((line, "nothing to send: enter a text or a file".to_owned()));
        }
        if media.is_empty() {
            let name = self.file().map_or("", |(_, path)| path);
            let known = suffix::media_type(name.as_bytes()).unwrap_or(FILE);
            let default = if file.is_some() { known } else { TEXT };
            default.clone_into(&mut media);
        }
        let posted = PostedAnswers {
            media,
            token,
            octets: file.unwrap_or_else(|| text.into_bytes()),
        };
        Ok(Request {
            answers: FormAnswers::Posted(posted),
            ..self.request.clone()
        })
    }
}
