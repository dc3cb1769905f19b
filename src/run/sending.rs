//! An article on its way: its Message-ID and its Cancel-Lock are settled, and written down, before it is sent.

use std::path::PathBuf;

use super::drafts::blocking;
use crate::files::draft::{self, Draft, Record, Secret, State, new_id};
use crate::load::{Failure, NotSent, Request, Sent, Sink, post};
use crate::net::Net;

/// A draft that is posted.
pub(super) struct Sending {
    /// The server, as the record has it.
    pub(super) server: String,
    /// The draft as it was read back.
    pub(super) draft: Draft,
    /// Its file.
    pub(super) path: PathBuf,
    /// The domain of Message-IDs of our own making, where one is set.
    pub(super) domain: Option<String>,
    /// The file of the secret for Cancel-Locks.
    pub(super) secret: PathBuf,
}

impl Sending {
    /// Posts it. Where it may be there from an earlier attempt, the server is asked for it first.
    pub(super) async fn post(
        self,
        net: &Net,
        request: &Request,
        sink: Sink,
    ) -> Result<Sent, NotSent> {
        let path = self.path.clone();
        let record = blocking(move || Record::load(&path)).await;
        let record = record.unwrap_or_default();
        let (groups, tried) = (self.draft.groups(), self.tried(&record));
        let article = |recommended| async {
            let made = blocking(move || self.article(record, recommended)).await;
            made.and_then(|made| made).map_err(Failure::new)
        };
        post(net, request, &groups, tried.as_deref(), article, sink).await
    }

    /// The Message-ID by which the server may have it: that of an earlier attempt there whose answer was lost.
    fn tried(&self, record: &Record) -> Option<String> {
        let is_lost = record.state == State::Unknown && record.server == self.server;
        let id = record.id.as_deref().filter(|_| is_lost)?;
        // Who writes another Message-ID sends another article.
        let own = self.draft.header("Message-ID").unwrap_or(id);
        (own == id).then(|| id.to_owned())
    }

    /// Its octets; the attempt is written down before they are given.
    fn article(mut self, record: Record, recommended: Option<String>) -> Result<Vec<u8>, String> {
        let own = self.draft.header("Message-ID").map(str::to_owned);
        // What was refused may have been refused for its Message-ID.
        let lost = record.id.filter(|_| record.state == State::Unknown);
        let known = own.clone().or(lost).or(recommended);
        let id = known.or_else(|| new_id(&self.draft, self.domain.as_deref()));
        let id = id.ok_or("no Message-ID could be made: the system gives no random octets")?;
        let mut add = |name: &str, value: String| {
            self.draft
                .headers
                .retain(|(known, _)| !known.eq_ignore_ascii_case(name));
            self.draft.headers.push((name.to_owned(), value));
        };
        if own.is_none() {
            add("Message-ID", id.clone());
        }
        let secret = Secret::load_or_create(&self.secret).map_err(|error| {
            let path = self.secret.display();
            format!("the secret for Cancel-Locks could not be read or made: {error} ({path})")
        })?;
        add("Cancel-Lock", secret.lock(&id));
        let record = Record {
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
