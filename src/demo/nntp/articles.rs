//! Single articles and overviews (RFC 3977 sections 6.2 and 8).
//!
//! ```text
//! which = message-id / number / nothing      ; nothing means the current article
//! over  = message-id / range / nothing
//! ```

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use super::{Group, Groups, Session, range, send, wire};
use crate::demo::world::groups::{Article, counted};
use crate::demo::world::number;

/// The requested part of an article.
#[derive(Clone, Copy)]
pub(super) enum Part {
    Article,
    Head,
    Body,
    Stat,
}

/// The commands NEXT and LAST.
#[derive(Clone, Copy)]
pub(super) enum Step {
    NntpNext,
    Last,
}

/// The articles requested by OVER or HDR.
enum ArticleSelection {
    /// An article by its Message-ID; its number is then 0.
    Identified(Vec<u8>),
    /// Articles by group and numbers.
    Numbered(usize, Vec<u64>),
}

impl Session {
    pub(super) async fn article(&mut self, part: Part, arguments: &[&[u8]]) -> io::Result<()> {
        let groups = Arc::clone(&self.groups);
        let (number, article) = match arguments {
            [id] if id.first() == Some(&b'<') => match self.identified(&groups, id) {
                Ok(article) => (0, article),
                Err(reply) => return self.reply(reply).await,
            },
            [] | [_] => {
                let Some(group) = self.selected.and_then(|index| groups.at(index)) else {
                    return self.reply("412 No group is selected").await;
                };
                let wanted = match arguments.first() {
                    Some(digits) => match number(digits) {
                        Some(wanted) => Ok(wanted),
                        None => Err("501 Neither a number nor a Message-ID in brackets"),
                    },
                    None => self.current.ok_or("420 There is no current article"),
                };
                let wanted = match wanted {
                    Ok(wanted) => wanted,
                    Err(reply) => return self.reply(reply).await,
                };
                let Some(article) = group.article(wanted) else {
                    return self.reply("423 No article has that number").await;
                };
                self.current = Some(wanted);
                (wanted, article)
            }
            _ => return self.reply("501 One article at a time").await,
        };
        let id = article.header(b"Message-ID").unwrap_or_default();
        let mut reply = format!("{} {number} ", part.code()).into_bytes();
        reply.extend_from_slice(&id);
        reply.extend_from_slice(b"\r\n");
        match part {
            Part::Article => {
                wire::stuff(&article.head, &mut reply);
                reply.extend_from_slice(&xref(&groups, &article));
                reply.extend_from_slice(b"\r\n\r\n");
                wire::stuff(&article.body, &mut reply);
            }
            Part::Head => {
                wire::stuff(&article.head, &mut reply);
                reply.extend_from_slice(&xref(&groups, &article));
                reply.extend_from_slice(b"\r\n");
            }
            Part::Body => wire::stuff(&article.body, &mut reply),
            Part::Stat => return send(&mut self.out, &reply).await,
        }
        reply.extend_from_slice(b".\r\n");
        send(&mut self.out, &reply).await
    }

    /// The article with this Message-ID, or the reply for a missing one.
    fn identified<'w>(
        &self,
        groups: &'w Groups,
        id: &[u8],
    ) -> Result<Cow<'w, Article>, &'static str> {
        match groups.identified(id) {
            Some((group, _)) if group.is_private() && !self.is_member() => {
                Err("480 The attic is locked: AUTHINFO USER")
            }
            Some((_, article)) => Ok(article),
            None => Err("430 No article has that Message-ID"),
        }
    }

    pub(super) async fn step(&mut self, step: Step) -> io::Result<()> {
        let groups = Arc::clone(&self.groups);
        let Some(group) = self.selected.and_then(|index| groups.at(index)) else {
            return self.reply("412 No group is selected").await;
        };
        let Some(current) = self.current else {
            return self.reply("420 There is no current article").await;
        };
        let neighbour = match step {
            Step::NntpNext => group
                .numbers(current.saturating_add(1), u64::MAX)
                .next()
                .ok_or("421 That was the last one"),
            Step::Last => group
                .numbers(0, current.saturating_sub(1))
                .next_back()
                .ok_or("422 That was the first one"),
        };
        match neighbour {
            Ok(number) => {
                self.article(Part::Stat, &[number.to_string().as_bytes()])
                    .await
            }
            Err(reply) => self.reply(reply).await,
        }
    }

    pub(super) async fn over(&mut self, arguments: &[&[u8]]) -> io::Result<()> {
        match self.wanted(arguments) {
            Ok(ArticleSelection::Numbered(index, numbers))
                if let Some(group) = self.groups.at(index).filter(|group| group.is_counted()) =>
            {
                let name = group.name;
                let lines = numbers.into_iter();
                let lines = lines.map(|number| counted::overview(name, number));
                self.block("224 Overview follows", lines).await
            }
            Ok(wanted) => self.each("224 Overview follows", wanted, overview).await,
            Err(reply) => self.reply(reply).await,
        }
    }

    pub(super) async fn header(
        &mut self,
        code: u16,
        name: &[u8],
        arguments: &[&[u8]],
    ) -> io::Result<()> {
        match self.wanted(arguments) {
            Ok(wanted) => {
                let line = |groups: &Groups, number: u64, article: &Article| {
                    let mut line = format!("{number} ").into_bytes();
                    line.extend_from_slice(&field(groups, article, name));
                    line
                };
                self.each(&format!("{code} Headers follow"), wanted, line)
                    .await
            }
            Err(reply) => self.reply(reply).await,
        }
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
        match arguments {
            [] => Ok(ArticleSelection::Numbered(
                index,
                vec![self.current.ok_or("420 There is no current article")?],
            )),
            [numbers] => {
                let (first, last) = range(numbers).ok_or("501 Not a range of numbers")?;
                let numbers: Vec<u64> = group.numbers(first, last).collect();
                if numbers.is_empty() {
                    Err("423 No articles in that range")
                } else {
                    Ok(ArticleSelection::Numbered(index, numbers))
                }
            }
            _ => Err("501 One range at a time"),
        }
    }

    async fn each(
        &mut self,
        opening: &str,
        wanted: ArticleSelection,
        line: impl Fn(&Groups, u64, &Article) -> Vec<u8>,
    ) -> io::Result<()> {
        let groups = Arc::clone(&self.groups);
        match wanted {
            ArticleSelection::Identified(id) => {
                let article = groups.identified(&id).map(|(_, article)| article);
                self.block(
                    opening,
                    article.iter().map(|article| line(&groups, 0, article)),
                )
                .await
            }
            ArticleSelection::Numbered(index, numbers) => {
                let group: Option<&Group> = groups.at(index);
                let lines = numbers.into_iter().filter_map(|number| {
                    Some(line(&groups, number, group?.article(number)?.as_ref()))
                });
                self.block(opening, lines).await
            }
        }
    }
}

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
