//! The newsgroup that keys act on: its articles that have not arrived, its marks, its rules.

use std::sync::Arc;

use geomys_load::{NewsQuery, OverviewGoal, OverviewQuery, ReadArticles, Request, cache_key};
use geomys_page::document::Shape;
use geomys_wire::text::{self, Charset, Text};
use rfc1738::Url;

use crate::action::Action;
use crate::motion::{Edge, Motion};
use crate::news::message::CatchUpRange;
use crate::news::next_unread::CurrentArticle;
use crate::news::rules::THREAD;
use crate::news::server::NewsAuthority;
use crate::news::{group_of, range_of};
use crate::transfers::Progress;
use crate::view::View;
use crate::view::context::State;
use crate::{
    Command, Context, Credentials, Dialog, Effect, News, NewsCommand, Page, Tabs, TabsCommand,
};

/// The score of a rule that a key adds.
const LIKED: i32 = 100;
const DISLIKED: i32 = -9999;

impl Tabs {
    /// Requests more articles of an open group.
    pub(crate) fn load_articles(
        &mut self,
        server: &NewsAuthority,
        group: &[u8],
        goal: OverviewGoal,
        (news, credentials): (&News, &Credentials),
        cx: &mut Context,
    ) {
        let Some(marks) = news.marks(server) else {
            return cx.notify("Read marks are still loading");
        };
        let read = ReadArticles::Known(marks.read(group));
        let load = cx.next_load();
        let is_group = |page: &Page| page.is_whole_group(server, group) && page.can_load_more();
        let Some(page) = self.find_page(is_group) else {
            return;
        };
        let reason = page.request.reason();
        let View::Group(group) = &mut page.view else {
            return;
        };
        let mut request = Request {
            news_query: NewsQuery {
                server: page.request.news_server.clone(),
                overview: Some(OverviewQuery {
                    goal,
                    read,
                    known: Some(Arc::new(group.overview.covered.clone())),
                    highest: None,
                }),
                ..NewsQuery::default()
            },
            ..Request::show(page.url.clone(), reason)
        };
        page.cache_key = cache_key(&request)
            .filter(|_| cx.settings.history.includes(&request.url) && !cx.found.is_private);
        group.overview.is_update = true;
        page.state = State::Arriving(Progress::new(load, None, cx.now));
        credentials.apply_defaults(&mut request, &cx.settings);
        cx.emit(Effect::Load(load, request));
    }
}

/// Requests older articles of a group: the next ones, or all of them until the user stops the load.
pub(crate) fn load_older(page: Option<&Page>, goal: OverviewGoal, cx: &mut Context) {
    let is_begun = |page: &&Page| page.group().is_some_and(|group| group.overview.is_begun());
    let Some(page) = page.filter(is_begun) else {
        return cx.notify("Not a group of a news server");
    };
    if page.missing_articles().is_empty() {
        return cx.notify("All articles are loaded");
    }
    if page.cached.is_some() {
        let again = cx.key_of(Action::Reload);
        return cx.notify(&format!("From the cache ({again} reload from the server)"));
    }
    let (Some(server), Some(group)) = (NewsAuthority::of(page), group_of(&page.url)) else {
        return;
    };
    cx.command(TabsCommand::LoadArticles(server, group, goal));
}

/// Requests older articles when the cursor was moved down at the end of a group.
pub(crate) fn load_older_at_end(page: Option<&Page>, motion: Motion, cx: &mut Context) {
    let is_down = match motion {
        Motion::Rows(rows) => rows > 0,
        Motion::Screens(screens, _) => screens > 0,
        Motion::Edge(edge) => edge == Edge::Bottom,
    };
    let is_end = page.is_some_and(|page| {
        let document = page.document();
        page.can_load_more()
            && !page.missing_articles().is_empty()
            && page.cursor() + 1 >= page.count()
            && document.is_some_and(|document| document.filter_summary().is_none())
    });
    if is_down && is_end {
        load_older(page, OverviewGoal::Older, cx);
    }
}

/// Asks whether to mark these articles of a group read. By default: all articles, or the range that is shown.
pub(crate) fn ask_catch_up(range: Option<CatchUpRange>, tabs: &Tabs, cx: &mut Context) {
    let Some((server, group, here)) = group_here(tabs) else {
        return cx.notify("No group here");
    };
    let numbers = range.unwrap_or(here);
    if numbers.change().is_none() {
        return cx.notify("No article here");
    }
    let unread = tabs.group_page(&server, &group).and_then(Page::unread);
    let name = Text::new(&group, Charset::default());
    let lines = unread.map(|(unread, of)| {
        let (unread, of) = (text::count(unread), text::count(of));
        Text::of(&format!("{unread} of {of} articles are unread."))
    });
    let question = match numbers {
        CatchUpRange::All(_) => format!("Mark all articles of {name} read?"),
        CatchUpRange::Between(first, last) => {
            format!("Mark articles {first} to {last} of {name} read?")
        }
        CatchUpRange::Reset => format!("Mark all articles of {name} unread?"),
    };
    let mark = Command::News(NewsCommand::CatchUp(server, group, numbers));
    let lines = lines.into_iter().collect();
    cx.ask(Dialog::confirm(&question, mark).with_lines(lines));
}

/// Returns the group that keys act on: the group of the page, or the one under the cursor in a list; and its articles.
pub(crate) fn group_here(tabs: &Tabs) -> Option<(NewsAuthority, Vec<u8>, CatchUpRange)> {
    let page = tabs.page()?;
    let server = NewsAuthority::of(page)?;
    let document = page.document()?;
    if page.shape() == Some(Shape::Groups) {
        let (group, highest) = document.listed_group(page.cursor())?;
        return Some((server, group, CatchUpRange::All(highest)));
    }
    let group = page.group_name()?;
    let page = tabs.group_page(&server, &group)?;
    let listed = page.own_document()?.highest();
    let sent = page.group().and_then(|group| group.highest);
    let highest = sent.max(listed).unwrap_or_default();
    let numbers = match range_of(&page.url) {
        Some((first, last)) => CatchUpRange::Between(first, last.min(highest)),
        None => CatchUpRange::All(highest),
    };
    Some((server, group, numbers))
}

/// Asks whether a new rule is to hide or mark the author, the subject or the thread.
pub(crate) fn ask_rule(tabs: &Tabs, cx: &mut Context) {
    let article = CurrentArticle::of(tabs).and_then(|shown| {
        let page = tabs.group_page(&shown.server, &shown.group)?;
        let document = page.own_document()?;
        let here = document.numbered_article(shown.number)?;
        let (author, subject) = document.author_and_subject(here.line)?;
        Some((shown.group, author, subject, document.thread_id(here.line)))
    });
    let Some((group, author, subject, thread)) = article else {
        let open = cx.key_of(Action::WholeThread);
        return cx.notify(&format!("Open the group of the article first ({open})"));
    };
    let name = Text::new(&group, Charset::default());
    let lines = vec![
        Text::of(&format!("Author:  {author}")),
        Text::of(&format!("Subject: {subject}")),
    ];
    let rule = |score, header, text: &str| {
        NewsCommand::AskRuleScope(group.clone(), score, header, text.to_owned())
    };
    let on_thread = |dialog: Dialog, key, label, score| match &thread {
        Some(root) => dialog.answer(key, label, rule(score, THREAD, root)),
        None => dialog,
    };
    let question = format!("New rule for {name}:");
    let dialog = Dialog::new(&question)
        .answer('a', "hide the author", rule(DISLIKED, "From", &author))
        .answer('s', "hide the subject", rule(DISLIKED, "Subject", &subject));
    let dialog = on_thread(dialog, 't', "hide the thread", DISLIKED)
        .answer('A', "mark the author", rule(LIKED, "From", &author))
        .answer('S', "mark the subject", rule(LIKED, "Subject", &subject));
    let dialog = on_thread(dialog, 'T', "mark the thread", LIKED);
    cx.ask(dialog.with_lines(lines));
}

/// Fetches the group of the posted article again, if it is open: the shown page as a whole, else its new articles.
pub(crate) fn reload_group(url: &Url, tabs: &Tabs, cx: &mut Context) {
    if tabs.page().is_some_and(|page| page.url == *url) {
        return cx.command(Command::Reload);
    }
    let server = NewsAuthority::of_url(url).or_else(|| NewsAuthority::of(tabs.page()?));
    let (Some(server), Some(group)) = (server, group_of(url)) else {
        return;
    };
    if tabs.whole_group_page(&server, &group).is_some() {
        cx.command(TabsCommand::LoadArticles(
            server,
            group,
            OverviewGoal::Reload,
        ));
    }
}
