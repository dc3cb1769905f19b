//! The article that keys act on, its group, and the way to others: to parents, to replies, and to what is opened
//! beside.

use geomys_page::document::{Document, GroupArticle, Relation};
use geomys_wire::protocol::nntp::bare_id;
use rfc1738::{Dialect, GroupPart, Parts, Url};

use crate::dialogs::text_input::{InputCommand, TextInput};
use crate::news::message::WantedArticle;
use crate::news::next_unread::{ArticleContext, CurrentArticle};
use crate::news::server::NewsAuthority;
use crate::requester::{Arrival, NextStep, OpenPage, PendingRequest};
use crate::tabs::pane::Pane;
use crate::tabs::tab::Tab;
use crate::{Command, Context, Dialog, Page, Tabs};

/// Asks for the number or the Message-ID of an article.
pub(crate) fn ask_article(cx: &mut Context) {
    let input = TextInput::new(InputCommand::Article, "");
    cx.ask(Dialog::input("Article number or Message-ID", input));
}

/// Returns the URL of an article by its Message-ID, which may be a URL: then it is encoded already.
fn identified(typed: &str) -> Option<Url> {
    if let Ok(url) = Dialect::Extended.parse(typed)
        && let Parts::News(news) = url.base_parts()
        && let GroupPart::Article(_) = news.part
    {
        return Some(url);
    }
    let id = bare_id(typed.strip_prefix("news:").unwrap_or(typed).as_bytes());
    let url = Url::news_article(id).ok();
    url.filter(|_| id.contains(&b'@'))
}

impl Tabs {
    /// Returns the URL of an article by its number in the group of the shown page, or by its Message-ID.
    ///
    /// # Errors
    /// A sentence.
    pub(crate) fn typed_article(&self, typed: &str) -> Result<Url, String> {
        let typed = typed.trim();
        let number = typed.strip_prefix("news:").unwrap_or(typed);
        let is_number = !number.is_empty() && number.bytes().all(|octet| octet.is_ascii_digit());
        // A message of a mailbox has no URL but that of its row.
        let listed = self.listed_article(|group| {
            if is_number {
                Some(group.numbered_article(number.parse().ok()?)?.line)
            } else {
                group.line_of_message(number.as_bytes())
            }
        });
        if let Some(url) = listed {
            return Ok(url);
        }
        if is_number {
            let group = self.page().map(|page| &page.url);
            let url = group.and_then(|group| group.numbered(number.parse().ok()?).ok());
            return url.ok_or_else(|| "a number needs a page of its group".to_owned());
        }
        identified(typed).ok_or_else(|| "neither a number nor a Message-ID".to_owned())
    }

    /// Returns the URL of an article that the group of the shown page lists, at the line that `find` returns.
    fn listed_article(&self, find: impl Fn(&Document) -> Option<usize>) -> Option<Url> {
        let shown = CurrentArticle::of(self)?;
        let group = self.group_page(&shown.server, &shown.group)?;
        let group = group.own_document()?;
        group.article_link(find(group)?)?.target.ok()
    }

    /// Returns a page of a group: the nearest one back in the history, else one in another pane. A page of the complete
    /// group comes before one of a range of articles.
    pub(crate) fn group_page(&self, server: &NewsAuthority, group: &[u8]) -> Option<&Page> {
        let is_group = |page: &&Page| page.is_group(server, group) && page.own_document().is_some();
        let mut here = self.pane().into_iter().flat_map(Pane::pages_from_here);
        here.find(is_group)
            .or_else(|| self.whole_group_page(server, group))
            .or_else(|| self.pages_from_here().find(is_group))
    }

    /// Returns a page of the complete group.
    pub(crate) fn whole_group_page(&self, server: &NewsAuthority, group: &[u8]) -> Option<&Page> {
        let is_group =
            |page: &&Page| page.is_whole_group(server, group) && page.own_document().is_some();
        self.pages_from_here().find(is_group)
    }

    /// Returns the pages of this pane, backward in the history first, then those of all panes.
    pub(crate) fn pages_from_here(&self) -> impl Iterator<Item = &Page> {
        let here = self.pane().into_iter().flat_map(Pane::pages_from_here);
        here.chain(self.pages())
    }

    /// Moves the cursor of every page of a group to an article. Folded threads stay folded.
    pub(crate) fn move_cursor_to(
        &mut self,
        server: &NewsAuthority,
        group: &[u8],
        line: usize,
        cx: &mut Context,
    ) {
        for page in self.tabs_mut().flat_map(Tab::pages_mut) {
            if page.is_group(server, group)
                && let Some(rows) = page.view.rows_mut()
                && let Some(row) = rows.document.nearest_row(line)
            {
                rows.position.cursor = row;
                // The thread of the article may be unfolding.
                rows.goes_to = rows.finishing.map(|_| line);
            }
        }
        cx.reveal_all();
    }

    /// Goes to a related article: moves the cursor in a group; on the page of an article, opens it.
    pub(crate) fn go_to_related(&mut self, relation: Relation, cx: &mut Context) {
        let none = match relation {
            Relation::Parent => "this article is not a reply",
            Relation::Root => "this is the first article of its thread",
            Relation::Reply => "no replies to this article here",
        };
        let Some(shown) = CurrentArticle::of(self) else {
            return go_to_reference(self, None, relation, none, cx);
        };
        let page = self.group_page(&shown.server, &shown.group);
        let document = page.and_then(Page::own_document);
        let here = document.and_then(|document| document.numbered_article(shown.number));
        let related = here.and_then(|here| document?.related(here.line, relation));
        match (related, shown.context) {
            (Some(related), ArticleContext::Group) => {
                self.move_cursor_to(&shown.server, &shown.group, related.line, cx);
            }
            (Some(related), ArticleContext::Article) => {
                let shown = CurrentArticle {
                    context: ArticleContext::Group,
                    ..shown
                };
                self.open_listed(&shown, related, None, cx);
            }
            (None, _) => go_to_reference(self, here.map(|here| here.line), relation, none, cx),
        }
    }
}

impl Tabs {
    /// Opens another article of the group. It replaces a shown article, so that the way back leads to the group.
    pub(crate) fn open_listed(
        &mut self,
        shown: &CurrentArticle,
        listed: GroupArticle,
        next_step: Option<NextStep>,
        cx: &mut Context,
    ) {
        let page = self.group_page(&shown.server, &shown.group);
        let link = page.and_then(|page| page.own_document()?.article_link(listed.line));
        let Some(link) = link else {
            return;
        };
        let url = match link.target {
            Ok(url) => url,
            Err(error) => {
                return cx.report_error(&error.to_string());
            }
        };
        self.move_cursor_to(&shown.server, &shown.group, listed.line, cx);
        let arrival = match shown.context {
            ArticleContext::Group => Arrival::Append,
            ArticleContext::Article => Arrival::Replace,
        };
        let request = self.request_from_page(url);
        if shown.context == ArticleContext::Group
            && next_step.is_none()
            && let Some(tab) = self.tab_mut()
            && tab.open_beside_group(&request, &link.label, cx)
        {
            return;
        }
        cx.load(PendingRequest::for_pane(request, link.label, arrival).then(next_step));
    }
}

impl CurrentArticle {
    /// Returns the article that keys act on.
    pub(crate) fn of(tabs: &Tabs) -> Option<Self> {
        let page = tabs.page()?;
        let server = NewsAuthority::of(page)?;
        if page.group().is_some() {
            let number = page.document()?.article(page.cursor())?.number;
            let group = page.group_name()?;
            return Some(Self {
                server,
                group,
                number,
                context: ArticleContext::Group,
            });
        }
        if !page.is_article() {
            return None;
        }
        let numbers = match page.article_number() {
            Some(number) => vec![number],
            // The numbers of a cached article belong to the server that sent it then.
            None if page.cached.is_some() => Vec::new(),
            None => page.document()?.cross_posts(),
        };
        let is_open = |number: &&(Vec<u8>, u64)| tabs.group_page(&server, &number.0).is_some();
        let (group, number) = numbers.iter().find(is_open).or(numbers.first())?.clone();
        Some(Self {
            server,
            group,
            number,
            context: ArticleContext::Article,
        })
    }

    /// Returns this article as the shown group lists it; `None` if no group is shown.
    pub(crate) fn listed(&self, tabs: &Tabs) -> Option<GroupArticle> {
        let document = tabs.page().and_then(Page::document);
        let document = document.filter(|_| self.context == ArticleContext::Group);
        document?.numbered_article(self.number)
    }
}

impl WantedArticle {
    /// Opens the group to select the article in it.
    pub(crate) fn open_group(self, tabs: &Tabs, cx: &mut Context) {
        match self.server.group_url(&self.group, tabs.page()) {
            Ok(url) => {
                let request = tabs.request_from_page(url);
                cx.open(OpenPage::from(request).then(NextStep::Select(self)));
            }
            Err(error) => cx.report_error(&error.to_string()),
        }
    }
}

impl NewsAuthority {
    /// Returns the URL of a group: with implicit TLS if the page's server uses it.
    pub(crate) fn group_url(
        &self,
        group: &[u8],
        page: Option<&Page>,
    ) -> Result<Url, rfc1738::ParseError> {
        if self.is_mailboxes() {
            return Dialect::Extended.parse(group);
        }
        let here = page.and_then(Page::news_host);
        let same = here.filter(|here| NewsAuthority::from(here) == *self);
        match same {
            Some(here) if here.is_tls => Url::nntps(&here.host, here.port, group),
            Some(_) | None => Url::nntp(&self.host, self.port, group, None),
        }
    }
}

impl Page {
    /// Runs the action that an article was fetched for.
    pub(crate) fn run_on_fetched(&mut self, cx: &mut Context) {
        let is_run = |step: &mut NextStep| matches!(step, NextStep::Run(_));
        if let Some(NextStep::Run(action)) = self.next_step.take_if(is_run) {
            cx.command(Command::CarryOut(action));
        }
    }
}

/// Opens an article that the group does not have, by the References of this one.
fn go_to_reference(
    tabs: &Tabs,
    line: Option<usize>,
    relation: Relation,
    none: &str,
    cx: &mut Context,
) {
    let references = tabs
        .page()
        .and_then(Page::document)
        .map(|document| document.references(line))
        .unwrap_or_default();
    let url = match relation {
        Relation::Parent => references.last(),
        Relation::Root => references.first(),
        Relation::Reply => None,
    };
    match url.cloned() {
        Some(url) => {
            let request = tabs.request_from_page(url);
            cx.open(request);
        }
        None => cx.notify(none),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_id_may_be_a_url() {
        for (typed, expected) in [
            ("1@x", "news:1@x"),
            ("<1@x>", "news:1@x"),
            ("news:1@x", "news:1@x"),
            ("news:<1@x>", "news:1@x"),
            ("1%252@x", "news:1%25252@x"),
            ("news:1%252@x", "news:1%252@x"),
        ] {
            let url = identified(typed).expect(typed);
            assert_eq!(url.as_str(), expected, "{typed}");
        }
        for typed in ["words", "news:words", "nntp://h/a/1"] {
            assert_eq!(identified(typed), None, "{typed}");
        }
    }
}
