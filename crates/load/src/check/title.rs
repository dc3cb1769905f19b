//! The titles of pages: what the menu names an item, else what the page or the article names itself.
//!
//! | URL | title |
//! |---|---|
//! | Gopher | the text of its row in the menu one level up, with the words of a search |
//! | web page, gemtext, feed | its title, its first heading |
//! | article | its subject |
//! | text | its first line that has a letter or a digit |
//! | menu without a row one level up | the first such line of its text, not of a link |
//! | group, directory, finger, telnet | none |
//!
//! A title is fetched as a link is checked: within the same limits, without questions, and not at all for a URL with
//! hazards. A page that stands for many others, such as a login, has no title for the one that was asked for.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use geomys_wire::net::Net;
use geomys_wire::task::blocking;
use geomys_wire::text::{Charset, CharsetSetting, Text, shorten};
use rfc1738::{Dialect, GroupPart, Parts, Protocol, Url, Usenet};

use super::prepare;
use super::stand_in::stands_for_many;
use super::status::{LinkStatus, stop_status};
use super::url_job::{UrlJob, fetch_within, unreachable_words};
use crate::sink::collect;
use crate::{Purpose, Request};
use geomys_page::document::{Document, Kind, Row, Shape};

/// The octets of a page that are fetched: a title is at the beginning. A menu is searched for a row, so more of it is.
const MAX_PAGE_BYTES: usize = 128 * 1024;
const MAX_MENU_BYTES: usize = 1024 * 1024;

/// The rows of a text in which its first line is looked for.
const MAX_ROWS: usize = 50;

/// The largest width of a title, in columns.
const MAX_WIDTH_COLUMNS: usize = 200;

/// The time limit for all requests of one title.
const DEADLINE: Duration = Duration::from_mins(1);

/// The title of a page, if it has one, or the reason why the page was not fetched, as the status of a check.
pub type FetchedTitle = Result<Option<Text>, LinkStatus>;

/// The fetch of a title.
#[derive(Clone, Copy, Debug)]
pub struct FetchTitle;

impl UrlJob for FetchTitle {
    type Outcome = FetchedTitle;

    fn run<'a>(self, net: &'a Net, request: &'a Request) -> BoxFuture<'a, FetchedTitle> {
        title(net, request).boxed()
    }

    fn missing_answer(outcome: &FetchedTitle) -> Option<&str> {
        unreachable_words(outcome)
    }

    fn failed(status: LinkStatus) -> FetchedTitle {
        Err(status)
    }
}

async fn title(net: &Net, request: &Request) -> FetchedTitle {
    let prepared = prepare(net, request).map_err(LinkStatus::NotChecked)?;
    fetch_within(DEADLINE, fetch(net, &prepared)).await
}

async fn fetch(net: &Net, request: &Request) -> FetchedTitle {
    match request.url.protocol() {
        Protocol::Telnet(_) => {
            return Err(LinkStatus::NotChecked(
                "a terminal session has no title".to_owned(),
            ));
        }
        // A group has no title but its name.
        Protocol::Nntp(Usenet::News(news)) if !matches!(news.part, GroupPart::Article(_)) => {
            return Ok(None);
        }
        Protocol::Nntp(Usenet::Nntp(nntp)) if nntp.number.is_none() => return Ok(None),
        Protocol::Gopher(gopher) | Protocol::Cso(gopher) => match menu_row(net, request).await {
            Ok(None) | Err(LinkStatus::Dead(_) | LinkStatus::Refused(_))
                if gopher.search.is_none() => {}
            // The search is not sent.
            found => return found,
        },
        Protocol::Finger(_) | Protocol::Other(_) => return Ok(None),
        Protocol::Nntp(_)
        | Protocol::Http(_)
        | Protocol::Gemini(_)
        | Protocol::Titan(_)
        | Protocol::Spartan(_)
        | Protocol::Nex(_)
        | Protocol::Ftp(_)
        | Protocol::File(_)
        | Protocol::Wais(_)
        | Protocol::Prospero(_)
        | Protocol::Mailto(_) => {}
    }
    let page = document(net, request.clone(), MAX_PAGE_BYTES).await?;
    compute(move || page.and_then(|page| title_of_page(&page))).await
}

/// Returns the text of the row that the menu one level up has for a Gopher item.
async fn menu_row(net: &Net, request: &Request) -> FetchedTitle {
    let Some(above) = request.url.up() else {
        return Ok(None);
    };
    let request_above = Request {
        url: above,
        ..request.clone()
    };
    let menu = document(net, request_above, MAX_MENU_BYTES).await?;
    let Some((item, words)) = without_search(&request.url) else {
        return Ok(None);
    };
    compute(move || {
        let name = row_of(&menu?, &item)?;
        Some(match words {
            Some(words) => Text::of(&format!("{name}: {words}")),
            None => name,
        })
    })
    .await
}

/// Returns the canonical URL of a Gopher item without its search, and the words of the search.
fn without_search(url: &Url) -> Option<(Url, Option<Text>)> {
    let Parts::Gopher(gopher) = url.base_parts() else {
        return None;
    };
    let Some(search) = gopher.search else {
        return Some((url.canonical(), None));
    };
    let (item, _) = url.as_str().split_once("%09")?;
    let words = Text::new(&search.octets(), Charset::default());
    Some((Dialect::Extended.parse(item).ok()?.canonical(), Some(words)))
}

/// Loads the beginning of a page. `None` if it is shown in no rows.
async fn document(
    net: &Net,
    request: Request,
    max_bytes: usize,
) -> Result<Option<Document>, LinkStatus> {
    let request = Request {
        purpose: Purpose::Show,
        ..request
    };
    let url = request.url.clone();
    let (octets, page_head, end) = collect(net, request, max_bytes).await;
    end.map_err(stop_status)?;
    let Some(page_head) = page_head else {
        return Ok(None);
    };
    if let Some(shown) = &page_head.url
        && stands_for_many(&url, shown)
    {
        // The title of a login is not that of the page behind it.
        return Ok(None);
    }
    let url = page_head.url.unwrap_or(url);
    let mut document = Document::new(url, page_head.shape, CharsetSetting::default());
    document.declare(page_head.charset);
    document.take(octets);
    Ok((page_head.shape != Shape::Picture).then_some(document))
}

/// Computes on a blocking task: a page is laid out, an article decoded.
async fn compute(title: impl FnOnce() -> Option<Text> + Send + 'static) -> FetchedTitle {
    Ok(blocking(title).await)
}

/// Returns the text of the row whose link leads to a canonical URL.
fn row_of(menu: &Document, item: &Url) -> Option<Text> {
    let mut links = (0..menu.count()).filter_map(|row| menu.link(row, 0));
    let link = links.find(|link| {
        let target = link.target.as_ref();
        target.is_ok_and(|target| target.canonical() == *item)
    })?;
    title_text(link.label.as_str())
}

/// Returns the title of a page, or the first line of a text.
fn title_of_page(page: &Document) -> Option<Text> {
    let page = page.clone().finished();
    if let Some(title) = page.title() {
        return title_text(title.as_str());
    }
    let may_begin_with_title = |row: &Row| match page.shape() {
        Shape::Text => true,
        Shape::Menu => row.kind == Kind::Plain,
        _ => false,
    };
    let rows = (0..page.count().min(MAX_ROWS)).filter_map(|row| page.row(row));
    let mut lines = rows.filter(may_begin_with_title);
    lines.find_map(|row| title_text(&row.text()))
}

/// Returns a line without the frame around it, shortened, and with single blanks; `None` without a letter or a digit.
fn title_text(line: &str) -> Option<Text> {
    let is_frame = |c: char| c.is_whitespace() || "=-_*~#|+/\\".contains(c);
    let has_word = line.contains(char::is_alphanumeric);
    let inside = if line.starts_with(is_frame) {
        line.trim_matches(is_frame)
    } else {
        line.trim()
    };
    let words: Vec<&str> = inside.split_whitespace().collect();
    has_word.then(|| Text::of(&shorten(&words.join(" "), MAX_WIDTH_COLUMNS, "…")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn title(shape: Shape, octets: &[u8]) -> Option<String> {
        let url = Dialect::Extended.parse("gopher://h.example/0/a").unwrap();
        let mut page = Document::new(url, shape, CharsetSetting::default());
        page.append(octets);
        title_of_page(&page).map(|title| title.to_string())
    }

    #[test]
    fn title_is_that_of_the_page_or_the_first_line_of_a_text() {
        let of = |shape, octets| title(shape, octets);
        let some = |title: &str| Some(title.to_owned());
        let page = b"<html><head><title>\n The\x07 &amp;  page </title><body><h1>No</h1>";
        assert_eq!(of(Shape::Html, page), some("The & page"));
        assert_eq!(of(Shape::Html, b"<p>No title</p>"), None);
        assert_eq!(of(Shape::Gemtext, b"text\n# Capsule\n"), some("Capsule"));
        assert_eq!(of(Shape::Gemtext, b"no heading\n"), None);
        let article = b"From: a@b.example\r\nSubject: =?utf-8?q?Caf=C3=A9?=\r\n\r\ntext\r\n";
        assert_eq!(of(Shape::Article, article), some("Café"));
        let text = b"\r\n======\r\n  *** Read  me! ***\r\n";
        assert_eq!(of(Shape::Text, text), some("Read me!"));
        assert_eq!(of(Shape::Text, b"C++\n"), some("C++"));
        assert_eq!(of(Shape::Text, b"----\n\n"), None);
        let menu = b"1Next\t/n\th.example\t70\r\niWelcome\t\tnull.host\t1\r\n";
        assert_eq!(of(Shape::Menu, menu), some("Welcome"));
        let error = b"3No such item\t\terror.host\t1\r\n";
        assert_eq!(of(Shape::Menu, error), None);
        let long = "x".repeat(1000);
        let short = of(Shape::Text, long.as_bytes()).unwrap();
        assert_eq!(geomys_wire::text::width(&short), MAX_WIDTH_COLUMNS);
    }
}
