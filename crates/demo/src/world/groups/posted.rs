//! Posted articles: stored until the servers end, up to a limit.

use std::sync::Arc;

use super::{Article, Articles, Groups};

/// The highest number of accepted articles, including cancel messages.
const POSTS: usize = 1000;

impl Groups {
    /// Adds an article to its groups, or removes the article that it cancels. Missing Date and Message-ID headers are
    /// added, with a clock that advances one minute per article.
    ///
    /// # Errors
    /// The reason for the refusal, as the text of a reply.
    pub(crate) fn post(&mut self, mut article: Article) -> Result<(), &'static str> {
        let value = |name: &[u8]| article.header(name).filter(|value| !value.is_empty());
        if self.posted >= POSTS {
            return Err("the paper has run out");
        }
        let from = value(b"From").ok_or("From is missing: who are you?")?;
        value(b"Subject").ok_or("Subject is missing: what is it about?")?;
        let names = value(b"Newsgroups").ok_or("Newsgroups is missing: where to?")?;
        if article.body.iter().all(u8::is_ascii_whitespace) {
            return Err("the article says nothing");
        }
        let names: Vec<&[u8]> = names
            .split(|&octet| octet == b',')
            .map(<[u8]>::trim_ascii)
            .collect();
        for name in &names {
            let (_, group) = self.named(name).ok_or("there is no such group here")?;
            match group.status() {
                "n" => return Err("nobody can post to one of its groups"),
                "m" if article.header(b"Approved").is_none() => {
                    return Err("the postmaster approves what stands in one of its groups");
                }
                _ => {}
            }
        }
        if let Some(control) = value(b"Control") {
            return self.cancel(&control, &from);
        }
        let id = value(b"Message-ID");
        if id
            .as_deref()
            .is_some_and(|id| self.identified(id).is_some())
        {
            return Err("an article with that Message-ID is here already");
        }
        if let Some(old) = value(b"Supersedes") {
            self.take_back(&old, &from)?;
        }
        self.posted += 1;
        let count = self.posted;
        let mut put = |line: String| article.head.extend_from_slice(line.as_bytes());
        put("Path: underloam.example!not-for-mail\r\n".to_owned());
        if id.is_none() {
            put(format!("Message-ID: {}\r\n", named(count)));
        }
        if article.header(b"Date").is_none() {
            let (hours, minutes) = (12 + count / 60 % 12, count % 60);
            let date = format!("Date: Fri, 20 Nov 2026 {hours:02}:{minutes:02}:00 +0000\r\n");
            article.head.extend_from_slice(date.as_bytes());
        }
        let article = Arc::new(article);
        for group in self
            .all
            .iter_mut()
            .filter(|group| names.contains(&group.name.as_bytes()))
        {
            match &mut group.articles {
                Articles::Stored(articles) => {
                    let last = articles.last().map_or(0, |(last, _)| *last);
                    group.highest = group.highest.max(last) + 1;
                    articles.push((group.highest, Arc::clone(&article)));
                }
                Articles::Computed(_) | Articles::Counted(_) => {}
            }
        }
        Ok(())
    }

    /// The Message-ID of the next article without one.
    pub(crate) fn next_id(&self) -> String {
        named(self.posted + 1)
    }

    /// Removes the article of `cancel <id>`, if `from` is its author.
    fn cancel(&mut self, control: &[u8], from: &[u8]) -> Result<(), &'static str> {
        let id = control
            .strip_prefix(b"cancel ")
            .ok_or("cancel is the only control message here")?;
        self.take_back(id, from)?;
        self.posted += 1;
        Ok(())
    }

    /// Removes the article with this Message-ID, if `from` is its author.
    fn take_back(&mut self, id: &[u8], from: &[u8]) -> Result<(), &'static str> {
        let (_, article) = self
            .identified(id.trim_ascii())
            .ok_or("no article has the Message-ID that is to be cancelled")?;
        if article.header(b"From").as_deref() != Some(from) {
            return Err("only its author can cancel an article");
        }
        for group in &mut self.all {
            match &mut group.articles {
                Articles::Stored(articles) => articles.retain(|(_, article)| {
                    article.header(b"Message-ID").as_deref() != Some(id.trim_ascii())
                }),
                Articles::Computed(_) | Articles::Counted(_) => {}
            }
        }
        Ok(())
    }
}

/// The Message-ID of the article with this number.
fn named(count: usize) -> String {
    format!("<post-{count}@underloam.example>")
}
