//! Forms of Gopher+ items.

use geomys_wire::net::TransferEnd;
use geomys_wire::protocol::gopher::{self, Outcome, attributes, refusal};
use rfc1738::{Gopher, Parts};

use super::content::ReplyContent;
use super::error::{refused, speaks_tls};
use super::item::check_answers;
use super::job::GopherJob;
use crate::load::words::text;
use crate::load::{Failure, FormKind, Question, Request, ServerForm, Stop};

/// The most octets of attributes that contain a form.
const FORM: usize = 128 * 1024;

impl GopherJob<'_> {
    /// Requests the form of an item, which ends the load with a question. An item without a form is loaded.
    pub(super) async fn form(&mut self, url: &Gopher<'_>) -> Result<TransferEnd, Stop> {
        let mut source = self.send(url, ReplyContent::Attributes).await?;
        let (authority, limits) = (&source.authority, self.net.limits());
        let reply = gopher::read_whole(&mut source.stream, authority, limits, FORM).await?;
        let header = reply.header;
        if header.is_some_and(|header| header.outcome == Outcome::Refused) {
            return Err(refused(authority, &self.request.url, &refusal(&reply.data)).into());
        }
        if source.is_tls_alert(&reply.data) {
            return Err(speaks_tls(authority, &self.request.url).into());
        }
        let item_attributes = attributes::items(&reply.data).next();
        let server_form = item_attributes.and_then(|item| Some((item.block(b"ASK")?, item.info())));
        if let Some((block, info)) = server_form {
            return Err(Stop::Needs(Question::Form(ServerForm {
                title: info.map(|item| text(item.name.trim_ascii())),
                lines: block.lines().map(<[u8]>::to_vec).collect(),
                hints: Vec::new(),
                kind: FormKind::Item,
            })));
        }
        let item_url = self.request.url.with_plus(b"+");
        let request = &Request {
            url: item_url.map_err(|error| Failure::new(error.to_string()))?,
            ..self.request.clone()
        };
        let Parts::Gopher(url) = request.url.base_parts() else {
            return Ok(TransferEnd::Confirmed);
        };
        let content = ReplyContent::of(url.item_type(), None);
        check_answers(request, &url, None, content)?;
        let (net, sink) = (self.net, &mut *self.sink);
        GopherJob::new(net, request, sink).plus(&url, content).await
    }
}
