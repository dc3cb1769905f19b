//! Items: how each is requested, and the questions before it is.

use geomys_wire::net::TransferEnd;
use geomys_wire::protocol::gopher::PlusRequest;
use geomys_wire::text::{Text, is_harmful};
use rfc1738::{Encoded, Gopher};

use super::content::ReplyContent;
use super::job::{GopherJob, needs_search_words};
use crate::load::{FormAnswers, GopherItem, Purpose, Question, Request, Stop, file_name_of};

impl GopherJob<'_> {
    /// Requests the item of a URL and forwards the reply.
    pub(super) async fn load(&mut self, url: &Gopher<'_>) -> Result<TransferEnd, Stop> {
        let request = self.request;
        let plus = url.plus.map(Encoded::octets);
        let want = plus.as_deref().map(PlusRequest::parse);
        let content = ReplyContent::of(url.item_type(), want.as_ref());
        if url.item_type() == b'2' && want.is_none() {
            // The last line of a phone book has a code of its own.
            self.phone_book(url).await?;
            return Ok(TransferEnd::Confirmed);
        }
        check_answers(request, url, want.as_ref(), content)?;
        match &want {
            None => {
                // The header of a Gopher+ reply says where it ends, and its errors say more than rows do.
                let is_marked = request.gopher_item == GopherItem::Plus;
                if is_marked && let Some(end) = self.marked(content).await? {
                    return Ok(end);
                }
                let source = self.send(url, content).await?;
                self.plain(source, Vec::new()).await
            }
            Some(PlusRequest::Form) => self.form(url).await,
            Some(PlusRequest::Attributes(names)) => match &request.directory {
                Some(menu) if names.is_empty() && request.purpose == Purpose::Show => {
                    self.attributes_of_menu(url, menu).await
                }
                Some(_) | None => self.attributes(url).await,
            },
            Some(PlusRequest::EveryAttribute(_)) => self.attributes(url).await,
            Some(PlusRequest::View(_) | PlusRequest::FilledForm(_) | PlusRequest::Other(_)) => {
                self.plus(url, content).await
            }
        }
    }
}

/// Returns an error when a person has to answer before anything is sent.
pub(super) fn check_answers(
    request: &Request,
    url: &Gopher<'_>,
    want: Option<&PlusRequest<'_>>,
    content: ReplyContent,
) -> Result<(), Stop> {
    if let (Some(PlusRequest::FilledForm(filled)), FormAnswers::Unconfirmed) =
        (want, &request.answers)
    {
        let lines = filled.lines.iter().map(|line| Text::of(&visible(line)));
        return Err(Stop::Needs(Question::Send(lines.collect())));
    }
    if needs_search_words(url) && request.purpose != Purpose::Check {
        return Err(Stop::Needs(Question::Search));
    }
    if request.purpose != Purpose::Show || want == Some(&PlusRequest::Form) {
        return Ok(());
    }
    match content {
        ReplyContent::File(what) => {
            let name = file_name_of(&request.url, &request.name_hints);
            let size = None;
            Err(Stop::Needs(Question::Save { what, name, size }))
        }
        ReplyContent::Unknown => Err(Stop::Needs(Question::Unknown(url.item_type()))),
        ReplyContent::Menu | ReplyContent::Text | ReplyContent::Html | ReplyContent::Attributes => {
            Ok(())
        }
    }
}

/// Makes octets visible for confirmation: control characters and invisible characters are escaped, as `\x1b`.
fn visible(octets: &[u8]) -> String {
    let mut shown = String::new();
    for chunk in octets.utf8_chunks() {
        for sign in chunk.valid().chars() {
            match sign {
                '\\' => shown.push_str("\\\\"),
                _ if sign.is_ascii_control() => {
                    shown.push_str(&sign.to_string().as_bytes().escape_ascii().to_string());
                }
                _ if is_harmful(sign) => shown.extend(sign.escape_unicode()),
                _ => shown.push(sign),
            }
        }
        shown.push_str(&chunk.invalid().escape_ascii().to_string());
    }
    shown
}
