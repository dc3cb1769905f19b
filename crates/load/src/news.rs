//! Loading news: `news:` from the configured server, `nntp:` from the server in the URL.
//!
//! The octets of a page are: for a list of groups, the lines of LIST ACTIVE (or COUNTS), a line with a dot, the lines
//! of LIST NEWSGROUPS, and for the changes since then the same again, each after a dot; for a group, the lines of its
//! overview; for an article, the article. Overviews are requested in windows from the highest number down, so that a
//! group of any size opens at once; within a window the lines come in the order of the server. `nntps:` and `snews:`
//! are the same over TLS.

mod changes;
mod connect;
mod endpoint;
mod error;
mod first_response;
mod overview;
mod post;
mod settings;
mod target;
mod windows;

use geomys_wire::net::{NamedBy, RequestNet};
use geomys_wire::protocol::nntp::bare_id;
use geomys_wire::text::Text;
use rfc1738::{GroupPart, News, Parts, Url};

pub use self::endpoint::news_host;
pub(super) use self::endpoint::server;
use self::endpoint::{NewsEndpoint, dialogue};
use self::first_response::FirstResponse;
pub use self::overview::OverviewFilter;
use self::overview::OverviewPlan;
pub use self::post::{
    ArticleForId, EarlierPost, PostError, PostOutcome, PostingGroup, PostingStatus, post,
    posting_groups,
};
pub use self::settings::{
    ChangesQuery, NewsHost, NewsServer, NewsSettings, OverviewGoal, OverviewQuery, ReadArticles,
};
use self::target::{NewsJob, NewsTarget, RequestExtent};
pub(super) use self::target::{news_preview, nntp_preview};
pub use self::windows::announce_articles;
use super::words::text;
use super::{Consents, Failure, PageHead, PlainLoginConsent, Question, Request, Sink, Stop};
use geomys_page::document::Shape;

/// Loads a `news:` or `nntp:` URL.
pub(super) async fn load(net: &RequestNet, request: &Request, sink: &mut Sink) -> Result<(), Stop> {
    let target = &NewsTarget::of(request)?;
    let server = &NewsEndpoint::of(request)?;
    let mut job = NewsJob {
        net,
        request,
        server,
        target,
        sink,
    };
    // An id that may not be sent is an error for all servers.
    job.check_target()?;
    match (job.load(None).await, target) {
        // An article is the same on all servers: another one may have it.
        (Err(Stop::Failed(failed)), NewsTarget::MessageId(_))
            if !job.sink.page_source.has_begun() =>
        {
            job.try_other_servers(failed).await
        }
        (end, _) => end,
    }
}

/// Returns why a server was skipped that needs an answer from a person.
fn skip_reason(question: &Question) -> &'static str {
    match question {
        Question::Password { said: Some(_), .. } => "refused the stored password",
        Question::Login { .. } | Question::Password { .. } | Question::Account { .. } => {
            "required a user name and password"
        }
        Question::Certificate(_) => "has a certificate that is not accepted",
        Question::Unencrypted(_) => "no longer offers TLS, and was sent no password",
        Question::Search
        | Question::Input { .. }
        | Question::Identity { .. }
        | Question::NewsServer
        | Question::Hazards(_)
        | Question::LocalAddress(_)
        | Question::ActiveMode { .. }
        | Question::Unpack { .. }
        | Question::Save { .. }
        | Question::Changed { .. }
        | Question::Unknown(_)
        | Question::Form(_)
        | Question::Send(_) => "needed an answer",
    }
}

/// Returns the URL under which a page of news is cached. Article numbers and lists of groups are valid only for their
/// server; an article by its Message-ID is the same on all servers.
pub(super) fn cache_key(request: &Request) -> Option<Url> {
    let Parts::News(News { part, .. }) = request.url.base_parts() else {
        // The server is in the URL.
        return Some(request.url.clone());
    };
    let here = || Some(NewsEndpoint::new(server(request)?, &request.settings.news));
    match part {
        GroupPart::All => here()?.url("*"),
        GroupPart::Groups(pattern) => here()?.url(pattern.as_str()),
        GroupPart::Group(name) => here()?.group(&name.octets()),
        // A range of a group is not cached as the group.
        GroupPart::Articles(..) => None,
        GroupPart::Article(article) => Url::news_article(bare_id(&article.id.octets())).ok(),
    }
}

impl NewsJob<'_> {
    /// Loads the target from the server.
    async fn load(&mut self, alternate_reason: Option<&str>) -> Result<(), Stop> {
        let (mut lent, answer) = self.connect(RequestExtent::of(self.request)).await?;
        let connection = lent.get().ok_or(Stop::Closed)?;
        let security = connection.security;
        let refuses_posts = connection.dialogue.refuses_posts();
        let page_head = |shape| PageHead {
            refuses_posts,
            alternate_reason: alternate_reason.map(str::to_owned),
            security,
            ..self.page_head(shape)
        };
        match answer {
            FirstResponse::Exists => {}
            FirstResponse::Article => {
                self.sink.begin(page_head(Shape::Article)).await?;
                self.block(dialogue(&mut lent)?).await?;
            }
            FirstResponse::Groups(list_date) => {
                let page_head = page_head(Shape::Groups);
                self.sink
                    .begin(PageHead {
                        list_date,
                        ..page_head
                    })
                    .await?;
                match self.target {
                    NewsTarget::Changes(since) => self.changes(&mut lent, since).await?,
                    NewsTarget::Groups(pattern) => {
                        self.block(dialogue(&mut lent)?).await?;
                        self.sink.octets(b".\r\n".to_vec()).await?;
                        self.describe(&mut lent, pattern.as_deref()).await?;
                    }
                    NewsTarget::Group(_)
                    | NewsTarget::Range(..)
                    | NewsTarget::Number(..)
                    | NewsTarget::MessageId(_) => {}
                }
            }
            FirstResponse::Counts(is_listed) => {
                self.sink.begin(page_head(Shape::Groups)).await?;
                if let NewsTarget::Changes(query) = self.target {
                    let dialogue = dialogue(&mut lent)?;
                    self.counts(dialogue, query, is_listed).await?;
                }
            }
            FirstResponse::Group(marks, early) => {
                let page_head = page_head(Shape::Group);
                let query = self.request.news_query.overview.as_ref();
                let query = query.filter(|_| matches!(self.target, NewsTarget::Group(_)));
                let plan = OverviewPlan::new(self.target.within(marks), query);
                self.sink
                    .begin(PageHead {
                        highest: Some(marks.high),
                        lowest: Some(marks.low),
                        known: plan.known.clone(),
                        ..page_head
                    })
                    .await?;
                self.overview(&mut lent, plan, early).await?;
            }
        }
        lent.store();
        Ok(())
    }

    /// Tries the other configured servers, in order, for an article that the first one did not give, and reports which
    /// one has it. No question is asked about them: a server that needs an unknown password, or has an untrusted
    /// certificate, is skipped, and the failure says so. The login and the trust of the first server are not used for
    /// them.
    async fn try_other_servers(&mut self, mut failed: Failure) -> Result<(), Stop> {
        let settings = &self.request.settings.news;
        let others = settings.servers.iter();
        let others: Vec<_> = others.filter(|other| !self.server.is(other)).collect();
        let mut without = 0;
        let mut skipped = Vec::new();
        for other in &others {
            let request = &Request {
                login: other.login.clone(),
                trust: other.trust.clone(),
                consents: Consents {
                    plain_login: PlainLoginConsent::Ask,
                    ..self.request.consents.clone()
                },
                ..self.request.clone()
            };
            let server = &NewsEndpoint::fallback(other, settings);
            let mut job = NewsJob {
                // The other servers are settings.
                net: &self.net.for_request(NamedBy::User, &request.consents.local),
                request,
                server,
                target: self.target,
                sink: self.sink,
            };
            match job.load(Some(&failed.sentence)).await {
                Err(Stop::Failed(_)) if !self.sink.page_source.has_begun() => without += 1,
                Err(Stop::Needs(question)) if !self.sink.page_source.has_begun() => {
                    skipped.push(format!("{} {}", server.authority, skip_reason(&question)));
                }
                end => return end,
            }
        }
        let without = match (without, others.len()) {
            (0, _) => None,
            (1, 1) => Some("the other server does not have it either".to_owned()),
            (1, _) => Some("another server does not have it either".to_owned()),
            (count, all) if count == all => {
                Some(format!("the {count} others do not have it either"))
            }
            (count, _) => Some(format!("{count} others do not have it either")),
        };
        for reason in without.into_iter().chain(skipped) {
            failed.sentence.push_str("; ");
            failed.sentence.push_str(&reason);
        }
        Err(failed.into())
    }

    fn page_head(&self, shape: Shape) -> PageHead {
        let server = self.server;
        let (url, title) = match self.target {
            NewsTarget::Groups(None) | NewsTarget::Changes(_) => {
                (None, Some(format!("News groups of {}", server.host)))
            }
            NewsTarget::Groups(Some(pattern)) => (None, Some(text(pattern).to_string())),
            // Article numbers are valid only on their server, so the page has to know it.
            NewsTarget::Group(name) => (server.group(name), Some(text(name).to_string())),
            NewsTarget::Range(name, first, last) => {
                let last = Some(last).filter(|last| **last < u64::MAX);
                let last = last.map_or(String::new(), u64::to_string);
                let written = format!("{first}-{last}");
                let url = server.part_of_group(name, &written);
                (url, Some(format!("{} {written}", text(name))))
            }
            NewsTarget::Number(name, number) => {
                (server.part_of_group(name, &number.to_string()), None)
            }
            // The same for an article from another server than the requested one.
            NewsTarget::MessageId(id) if server.is_other => (server.article(id), None),
            NewsTarget::MessageId(_) => (None, None),
        };
        PageHead {
            url,
            title: title.map(|title| Text::of(&title)),
            ..PageHead::new(shape)
        }
    }
}
