//! An article that is posted. Its Message-ID and its Cancel-Lock are created and recorded before it is sent.

use std::path::PathBuf;

use futures_util::FutureExt;
use geomys_load::{
    ArticleForId, EarlierPost, Failure, FailureKind, PostError, PostOutcome, Request, Sink, post,
};
use geomys_wire::net::Net;

use super::{Outgoing, blocking};
use crate::files::draft::{self, Author, CancelSecret, SendRecord, State, new_id};

/// Draft that is being posted.
pub(super) struct ArticlePost {
    /// Server, in the form of the send record.
    pub(super) server: String,
    /// Draft and its file.
    pub(super) outgoing: Outgoing,
    /// The author in the groups of the draft.
    pub(super) author: Author,
    /// File of the secret for Cancel-Locks.
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
        let path = self.outgoing.path.clone();
        let record = blocking(move || SendRecord::load(&path)).await;
        let record = record.unwrap_or_default();
        let (groups, earlier_id) = (self.outgoing.draft.groups(), self.earlier_id(&record));
        let earlier = earlier_id.as_deref().map(|id| EarlierPost {
            id,
            // The outbox asks nobody.
            may_repeat: !record.state.is_queued(),
        });
        let article: ArticleForId<'_> = Box::new(|recommended| {
            let making = blocking(move || self.article(&record, recommended));
            making.map(|made| made.flatten().map_err(unmade)).boxed()
        });
        post(net, request, &groups, earlier, article, sink).await
    }

    /// Returns the Message-ID of an earlier attempt at this server that may have succeeded: the server may have that
    /// article.
    fn earlier_id(&self, record: &SendRecord) -> Option<String> {
        let id = record.open_id().filter(|_| record.server == self.server)?;
        // With another Message-ID it is another article.
        let own = self.outgoing.draft.header("Message-ID").unwrap_or(id);
        (own == id).then(|| id.to_owned())
    }

    /// Returns the octets of the article, after the attempt was recorded.
    fn article(self, record: &SendRecord, recommended: Option<String>) -> Result<Vec<u8>, String> {
        let Outgoing { mut draft, path } = self.outgoing;
        let own = draft.header("Message-ID").map(str::to_owned);
        let open = record.open_id().map(str::to_owned);
        let id = own.clone().or(open).or(recommended);
        let id = id.or_else(|| new_id(&draft, self.author.message_id_domain.as_deref()));
        let id = id.ok_or("no Message-ID could be made: the system has no random bytes")?;
        let mut add = |name: &str, value: String| {
            draft
                .headers
                .retain(|(header, _)| !header.eq_ignore_ascii_case(name));
            draft.headers.push((name.to_owned(), value));
        };
        if own.is_none() {
            add("Message-ID", id.clone());
        }
        let secret = CancelSecret::load_or_create(&self.secret).map_err(|error| {
            let path = self.secret.display();
            format!("the secret for Cancel-Locks could not be read or made: {error} ({path})")
        })?;
        add("Cancel-Lock", secret.lock(&id));
        let state = if record.state.is_queued() {
            State::Sending
        } else {
            State::Unknown
        };
        let record = SendRecord {
            server: self.server,
            id: Some(id),
            attempts: record.attempts.saturating_add(1),
            state,
            ..record.clone()
        };
        let saved = record.save(&path);
        saved.map_err(|error| {
            let path = path.display();
            format!("the attempt was not written beside {path}: {error}")
        })?;
        Ok(draft::encode(&draft, self.author.charset.as_ref()))
    }
}

/// The error of an article that was not made: another attempt may make it.
fn unmade(sentence: String) -> Failure {
    Failure {
        kind: FailureKind::Transient,
        ..Failure::new(sentence)
    }
}
