//! The pages of Gemini, Spartan and nex: a body of a media type, up to the end of the connection.
//!
//! Redirects are followed on the same server, five at most, and reported; one to another server or scheme becomes the
//! link of a failure.

use geomys_wire::net::{NetError, Security, Stream, TransferEnd};
use geomys_wire::protocol::reply::{HeaderError, Reply};
use geomys_wire::text::Text;
use rfc1738::Url;

use super::http::{MediaType, PageKind};
use super::redirect::is_same_server;
use super::sniff::SAMPLE;
use super::{
    Failure, FailureKind, PageHead, PageStorage, Purpose, Question, Request, ServerFileName, Sink,
    Stop, file_name_of, server_file_name,
};
use crate::document::Shape;

/// The most redirects that are followed.
pub(super) const REDIRECTIONS: usize = 5;

/// A page whose body follows.
pub(super) struct SmallPage {
    pub(super) media: MediaType,
    pub(super) body: Reply<Stream>,
    /// The URL of the page: that of the request, or the last of its redirects.
    pub(super) here: Url,
    /// The URLs that have redirected to it.
    pub(super) from: Vec<Url>,
    pub(super) security: Security,
    pub(super) storage: PageStorage,
}

/// Returns the reason why a redirect to `to` is not followed: only one to the server of `own` is.
pub(super) fn leaves(to: &Url, own: &Url, protocol: &str) -> Option<String> {
    if is_same_server(to, own) {
        return None;
    }
    Some(if to.extension_scheme() == own.extension_scheme() {
        "that is another server".to_owned()
    } else {
        format!("that is not over {protocol}")
    })
}

/// Converts an error of a header line.
pub(super) fn header_stop(error: HeaderError) -> Stop {
    match error {
        HeaderError::Net(error) => error.into(),
        error @ (HeaderError::TooLong { .. } | HeaderError::Malformed { .. }) => {
            let sentence = Text::of(&error.to_string()).to_string();
            Failure::new(sentence)
                .with_kind(FailureKind::Malformed)
                .with_advice("another protocol may use that port")
                .into()
        }
    }
}

impl SmallPage {
    /// Forwards the page: its head, and its body as it comes.
    pub(super) async fn forward(
        mut self,
        request: &Request,
        sink: &mut Sink,
    ) -> Result<TransferEnd, Stop> {
        let (mut start, mut end) = (Vec::new(), None::<Result<TransferEnd, NetError>>);
        let shape = match request.purpose {
            Purpose::Save | Purpose::Picture | Purpose::Check => Shape::Text,
            Purpose::Show if self.media.name() == "text/gemini" => Shape::Gemtext,
            Purpose::Show => {
                let kind = self.media.kind(b"");
                while kind.is_none() && start.len() < SAMPLE && end.is_none() {
                    match self.body.next().await {
                        Ok(octets) if octets.is_empty() => end = Some(Ok(self.body.end())),
                        Ok(octets) => start.extend(octets),
                        // The part that came is shown, even if the rest is missing.
                        Err(error) if !start.is_empty() => end = Some(Err(error)),
                        Err(error) => return Err(error.into()),
                    }
                }
                let sample = start.get(..SAMPLE).unwrap_or(&start);
                let kind = kind.or_else(|| self.media.kind(sample));
                let shape = kind.unwrap_or(PageKind::Text).shape();
                shape.map_err(|what| self.save_question(request, what))?
            }
        };
        sink.begin(PageHead {
            file_name: self.file_name(),
            url: (!self.from.is_empty()).then_some(self.here),
            from: self.from,
            charset: self.media.charset,
            languages: self.media.languages,
            security: self.security,
            storage: self.storage,
            ..PageHead::new(shape)
        })
        .await?;
        sink.octets(start).await?;
        if let Some(end) = end {
            return Ok(end?);
        }
        loop {
            let octets = self.body.next().await?;
            if octets.is_empty() {
                return Ok(self.body.end());
            }
            sink.octets(octets).await?;
        }
    }

    /// Returns the question for a file that is to be saved. A file that answers a form is not saved, as the answers
    /// would be sent again.
    fn save_question(&self, request: &Request, what: &'static str) -> Stop {
        if request.posted().is_some() && self.from.is_empty() {
            let sentence = format!("the reply to what was sent is {what}");
            return Failure::new(sentence)
                .with_advice("not saved: saving would send it again")
                .into();
        }
        let name = file_name_of(&request.url, &request.name_hints);
        let name = server_file_name(&name, &request.url, Some(&self.here), &self.file_name());
        Stop::Needs(Question::Save {
            what,
            name,
            size: None,
        })
    }

    /// Returns what the media type tells about the name of the file.
    fn file_name(&self) -> ServerFileName {
        ServerFileName {
            disposition: None,
            media_type: Some(self.media.name().to_owned()).filter(|name| !name.is_empty()),
        }
    }
}
