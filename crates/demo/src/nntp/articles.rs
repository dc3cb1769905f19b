//! Single articles, overviews and POST (RFC 3977, sections 6.2, 6.3.1 and 8).
//!
//! ```text
//! which   = message-id / number / nothing      ; nothing means the current article
//! over    = message-id / range / nothing
//! article = *( stuffed-line CRLF ) "." CRLF    ; of POST
//! ```

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use tokio::io::AsyncRead;

use super::{Groups, LOCKED, NewsResponse, NewsSession, Obeyed, range, wire};
use crate::wire::{Line, Lines, number};
use crate::world::groups::{Article, counted};

/// The requested part of an article.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Part {
    Article,
    Head,
    Body,
    Stat,
}

/// The articles requested by OVER or HDR.
enum ArticleSelection {
    /// An article by its Message-ID; its number is then 0.
    Identified(Vec<u8>),
    /// Articles by group and numbers.
    Numbered(usize, Vec<u64>),
}

impl NewsSession {
    pub(super) fn article(&mut self, part: Part, arguments: &[&[u8]]) -> Obeyed {
        let groups = Arc::clone(&self.groups);
        let (number, article) = match arguments {
            [id] if id.first() == Some(&b'<') => (0, self.identified(&groups, id)?),
            [] | [_] => {
                let group = self.selected.and_then(|index| groups.at(index));
                let group = group.ok_or("412 No group is selected")?;
                let wanted = match arguments.first() {
                    Some(digits) => {
                        number(digits).ok_or("501 Neither a number nor a Message-ID in brackets")?
                    }
                    None => self.current.ok_or(NO_CURRENT)?,
                };
                let article = group.article(wanted);
                let article = article.ok_or("423 No article has that number")?;
                self.current = Some(wanted);
                (wanted, article)
            }
            _ => return Err("501 One article at a time"),
        };
        let id = article.header(b"Message-ID").unwrap_or_default();
        let mut reply = format!("{} {number} ", part.code()).into_bytes();
        reply.extend_from_slice(&id);
        reply.extend_from_slice(b"\r\n");
        if part == Part::Stat {
            return Ok(NewsResponse::Octets(reply));
        }
        if part != Part::Body {
            wire::stuff(&article.head, &mut reply);
            reply.extend_from_slice(&xref(&groups, &article));
            reply.extend_from_slice(b"\r\n");
        }
        if part == Part::Article {
            reply.extend_from_slice(b"\r\n");
        }
        if part != Part::Head {
            wire::stuff(&article.body, &mut reply);
        }
        reply.extend_from_slice(b".\r\n");
        Ok(NewsResponse::Octets(reply))
    }

    /// The article with this Message-ID, or the reply for a missing one.
    fn identified<'w>(
        &self,
        groups: &'w Groups,
        id: &[u8],
    ) -> Result<Cow<'w, Article>, &'static str> {
        match groups.identified(id) {
            Some((group, _)) if group.is_private() && !self.is_member() => Err(LOCKED),
            Some((_, article)) => Ok(article),
            None => Err("430 No article has that Message-ID"),
        }
    }

    pub(super) fn next(&mut self) -> Obeyed {
        let group = self.group().ok_or("412 No group is selected")?;
        let current = self.current.ok_or(NO_CURRENT)?;
        let mut numbers = group.numbers(current.saturating_add(1), u64::MAX);
        let number = numbers.next().ok_or("421 That was the last one")?;
        drop(numbers);
        self.article(Part::Stat, &[number.to_string().as_bytes()])
    }

    pub(super) fn last(&mut self) -> Obeyed {
        let group = self.group().ok_or("412 No group is selected")?;
        let current = self.current.ok_or(NO_CURRENT)?;
        let mut numbers = group.numbers(0, current.saturating_sub(1));
        let number = numbers.next_back().ok_or("422 That was the first one")?;
        drop(numbers);
        self.article(Part::Stat, &[number.to_string().as_bytes()])
    }

    pub(super) fn over(&mut self, arguments: &[&[u8]]) -> Obeyed {
        let opening = "224 Overview follows".to_owned();
        let wanted = self.wanted(arguments)?;
        if let ArticleSelection::Numbered(index, numbers) = &wanted
            && let Some(group) = self.groups.at(*index).filter(|group| group.is_counted())
        {
            let name = group.name;
            let numbers = numbers.clone().into_iter();
            let lines = numbers.map(|number| counted::overview(name, number));
            return Ok(NewsResponse::Block(opening, Box::new(lines)));
        }
        Ok(self.each(opening, wanted, overview))
    }

    pub(super) fn header(&mut self, code: u16, name: &[u8], arguments: &[&[u8]]) -> Obeyed {
        let name = name.to_vec();
        let line = move |groups: &Groups, number: u64, article: &Article| {
            [
                format!("{number} ").as_bytes(),
                &field(groups, article, &name),
            ]
            .concat()
        };
        let wanted = self.wanted(arguments)?;
        Ok(self.each(format!("{code} Headers follow"), wanted, line))
    }

    /// Parses the last argument of OVER and HDR.
    fn wanted(&self, arguments: &[&[u8]]) -> Result<ArticleSelection, &'static str> {
        if let [id] = arguments
            && id.first() == Some(&b'<')
        {
            self.identified(&self.groups, id)?;
            return Ok(ArticleSelection::Identified(id.to_vec()));
        }
        let (Some(index), Some(group)) = (self.selected, self.group()) else {
            return Err("412 No group is selected");
        };
        let numbers = match arguments {
            [] => vec![self.current.ok_or(NO_CURRENT)?],
            [numbers] => {
                let (first, last) = range(numbers).ok_or("501 Not a range of numbers")?;
                group.numbers(first, last).collect()
            }
            _ => return Err("501 One range at a time"),
        };
        if numbers.is_empty() {
            return Err("423 No articles in that range");
        }
        Ok(ArticleSelection::Numbered(index, numbers))
    }

    /// A block with a line for each of the articles.
    fn each(
        &self,
        opening: String,
        wanted: ArticleSelection,
        line: impl Fn(&Groups, u64, &Article) -> Vec<u8> + Send + 'static,
    ) -> NewsResponse {
        let groups = Arc::clone(&self.groups);
        match wanted {
            ArticleSelection::Identified(id) => {
                let article = groups.identified(&id);
                let line = article.map(|(_, article)| line(&groups, 0, &article));
                NewsResponse::Block(opening, Box::new(line.into_iter()))
            }
            ArticleSelection::Numbered(index, numbers) => {
                let lines = numbers.into_iter().filter_map(move |number| {
                    let article = groups.at(index)?.article(number)?;
                    Some(line(&groups, number, &article))
                });
                NewsResponse::Block(opening, Box::new(lines))
            }
        }
    }
}

const NO_CURRENT: &str = "420 There is no current article";

impl Part {
    fn code(self) -> u16 {
        match self {
            Self::Article => 220,
            Self::Head => 221,
            Self::Body => 222,
            Self::Stat => 223,
        }
    }
}

/// One line of an overview: number, then the fields of LIST OVERVIEW.FMT, separated by tabs.
fn overview(groups: &Groups, number: u64, article: &Article) -> Vec<u8> {
    let mut line = number.to_string().into_bytes();
    for name in [
        b"Subject".as_slice(),
        b"From",
        b"Date",
        b"Message-ID",
        b"References",
        b":bytes",
        b":lines",
    ] {
        line.push(b'\t');
        line.extend_from_slice(&field(groups, article, name));
    }
    line.push(b'\t');
    line.extend_from_slice(&xref(groups, article));
    line
}

/// The value of a header or a metadata item.
fn field(groups: &Groups, article: &Article, name: &[u8]) -> Vec<u8> {
    match name.to_ascii_lowercase().as_slice() {
        b":bytes" => article.octets().to_string().into_bytes(),
        b":lines" | b"lines" => article.lines().to_string().into_bytes(),
        b"xref" => xref(groups, article)
            .get(b"Xref: ".len()..)
            .unwrap_or_default()
            .to_vec(),
        _ => article.header(name).unwrap_or_default(),
    }
}

/// The groups and numbers of the article: `Xref: host group:number …`.
fn xref(groups: &Groups, article: &Article) -> Vec<u8> {
    let mut line = b"Xref: news.underloam.example".to_vec();
    let id = article.header(b"Message-ID").unwrap_or_default();
    for name in article
        .header(b"Newsgroups")
        .unwrap_or_default()
        .split(|&octet| octet == b',')
    {
        let Some((_, group)) = groups.named(name.trim_ascii()) else {
            continue;
        };
        if let Some(number) = group.number_of(&id) {
            line.extend_from_slice(format!(" {}:{number}", group.name).as_bytes());
        }
    }
    line
}

/// The longest accepted article, in octets.
const ARTICLE: usize = 256 * 1024;

/// Reads an article. Returns nothing of it if it is too long.
pub(super) async fn receive<R: AsyncRead + Unpin>(
    lines: &mut Lines<R>,
) -> io::Result<Option<Vec<u8>>> {
    let mut text = Vec::new();
    let mut is_short = true;
    loop {
        match lines.next().await? {
            Line::Whole(line) if line == b"." => return Ok(is_short.then_some(text)),
            Line::Whole(line) => {
                is_short &= text.len() + line.len() <= ARTICLE;
                if is_short {
                    let line = line.strip_prefix(b".").unwrap_or(&line);
                    text.extend_from_slice(line);
                    text.push(b'\n');
                }
            }
            Line::TooLong | Line::End => return Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

impl NewsSession {
    /// Accepts an article, or not. Returns the reply.
    pub(super) fn post(&self, article: Option<Vec<u8>>) -> String {
        let posted = article.ok_or("the article is too long").and_then(|text| {
            let change = |groups: &mut Groups| groups.post(Article::new(&text));
            self.world.change_groups(change)
        });
        match posted {
            Ok(()) => "240 It hangs on the board of the post office".to_owned(),
            Err(why) => format!("441 Not taken: {why}"),
        }
    }
}
