//! Posting of an article: its Message-ID and its Cancel-Lock are created and recorded before it is sent.

use std::path::PathBuf;

use futures_util::FutureExt;
use geomys_page::load::{ArticleForId, Failure, PostError, PostOutcome, Request, Sink, post};
use geomys_store::files::draft::{self, CancelSecret, Draft, SendRecord, State, new_id};
use geomys_wire::net::Net;

use super::drafts::blocking;

/// A draft that is being posted.
pub(super) struct ArticlePost {
    /// The server, in the form of the send record.
    pub(super) server: String,
    /// The draft that was read back.
    pub(super) draft: Draft,
    /// The file of the draft.
    pub(super) path: PathBuf,
    /// The domain for generated Message-IDs, if one is set.
    pub(super) domain: Option<String>,
    /// The file of the secret for Cancel-Locks.
    pub(super) secret: PathBuf,
}

impl ArticlePost {
    /// Posts the draft. If an earlier attempt may have succeeded, the server is first asked for the article.
    pub(super) async fn post(
        self,
        net: &Net,
        request: &Request,
        sink: Sink,
    ) -> Result<PostOutcome, PostError> {
        let path = self.path.clone();
        let record = blocking(move || SendRecord::load(&path)).await;
        let record = record.unwrap_or_default();
        let (groups, earlier_id) = (self.draft.groups(), self.earlier_id(&record));
        let article: ArticleForId<'_> = Box::new(|recommended| {
            let making = blocking(move || self.article(record, recommended));
            making
                .map(|made| made.flatten().map_err(Failure::new))
                .boxed()
        });
        post(net, request, &groups, earlier_id.as_deref(), article, sink).await
    }

    /// Returns the Message-ID of an earlier attempt at this server whose answer was lost: the server may have that article.
    fn earlier_id(&self, record: &SendRecord) -> Option<String> {
        let is_lost = record.state == State::Unknown && record.server == self.server;
        let id = record.id.as_deref().filter(|_| is_lost)?;
        // With another Message-ID it is another article.
        let own = self.draft.header("Message-ID").unwrap_or(id);
        (own == id).then(|| id.to_owned())
    }

    /// Returns the octets of the article, after the attempt was recorded.
    fn article(
        mut self,
        record: SendRecord,
        recommended: Option<String>,
    ) -> Result<Vec<u8>, String> {
        let own = self.draft.header("Message-ID").map(str::to_owned);
        // A refused article may have been refused because of its Message-ID.
        let lost = record.id.filter(|_| record.state == State::Unknown);
        let id = own.clone().or(lost).or(recommended);
        let id = id.or_else(|| new_id(&self.draft, self.domain.as_deref()));
        let id = id.ok_or("no Message-ID could be made: the system gives no random bytes")?;
        let mut add = |name: &str, value: String| {
            self.draft
                .headers
                .retain(|(header, _)| !header.eq_ignore_ascii_case(name));
            self.draft.headers.push((name.to_owned(), value));
        };
        if own.is_none() {
            add("Message-ID", id.clone());
        }
        let secret = CancelSecret::load_or_create(&self.secret).map_err(|error| {
            let path = self.secret.display();
            format!("the secret for Cancel-Locks could not be read or made: {error} ({path})")
        })?;
        add("Cancel-Lock", secret.lock(&id));
        let record = SendRecord {
            server: self.server,
            id: Some(id),
            attempts: record.attempts.saturating_add(1),
            state: State::Unknown,
        };
        let path = self.path.display();
        let saved = record.save(&self.path);
        saved.map_err(|error| format!("the attempt was not written beside {path}: {error}"))?;
        Ok(draft::encode(&self.draft))
    }
}
